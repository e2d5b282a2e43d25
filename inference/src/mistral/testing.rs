//! A tiny llama with random weights, written as GGUF: real enough to load, decode and constrain.
//!
//! Its vocabulary is the 256 bytes, one merge and an end token. The output rows of everything but
//! printable ASCII are zero, so that greedy answers are readable and practically never end by
//! themselves. It knows nothing.
//!
//! Its two heads have 16 numbers each; those of `write_paged_model` have 64, for which there are paged kernels on GPUs.

use std::path::Path;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

const WIDTH: usize = 32;
#[cfg(feature = "cuda")]
const PAGED_WIDTH: usize = 128;
const FEED_FORWARD: usize = 64;
const LAYERS: u32 = 2;
const HEADS: u32 = 2;
/// Tokens that prompt and answer may fill together.
pub(crate) const CONTEXT_TOKENS: u32 = 512;

const TEMPLATE: &str = "{% for m in messages %}{{ m['content'] }}\n{% endfor %}";
const ALIGNMENT: usize = 32;

/// Writes the model to a file.
pub(crate) fn write_tiny_model(path: &Path) {
    std::fs::write(path, tiny_model(WIDTH)).expect("the test folder is writable");
}

/// The same with larger heads.
#[cfg(feature = "cuda")]
pub(crate) fn write_paged_model(path: &Path) {
    std::fs::write(path, tiny_model(PAGED_WIDTH)).expect("the test folder is writable");
}

fn tiny_model(width: usize) -> Vec<u8> {
    let vocabulary = vocabulary();
    let words = vocabulary.len();
    let mut tensors = Tensors::default();
    tensors.random("token_embd.weight", &[words, width], 1.0);
    for layer in 0..LAYERS {
        let name = |part: &str| format!("blk.{layer}.{part}.weight");
        let small = 1.0 / (width as f32).sqrt();
        tensors.ones(&name("attn_norm"), width);
        tensors.ones(&name("ffn_norm"), width);
        for part in ["attn_q", "attn_k", "attn_v", "attn_output"] {
            tensors.random(&name(part), &[width, width], small);
        }
        tensors.random(&name("ffn_gate"), &[FEED_FORWARD, width], small);
        tensors.random(&name("ffn_up"), &[FEED_FORWARD, width], small);
        tensors.random(&name("ffn_down"), &[width, FEED_FORWARD], small);
    }
    tensors.ones("output_norm.weight", width);
    tensors.random("output.weight", &[words, width], 1.0);
    let output = tensors.list.last_mut().expect("just added");
    for (token, row) in output.values.chunks_mut(width).enumerate() {
        if !(32..127).contains(&token) {
            row.fill(0.0);
        }
    }

    let mut header = Header::default();
    header.text("general.architecture", "llama");
    header.number("general.file_type", 0);
    header.number("llama.context_length", CONTEXT_TOKENS);
    header.number("llama.embedding_length", u32::try_from(width).expect("small"));
    header.number("llama.feed_forward_length", u32::try_from(FEED_FORWARD).expect("small"));
    header.number("llama.block_count", LAYERS);
    header.number("llama.attention.head_count", HEADS);
    header.number("llama.attention.head_count_kv", HEADS);
    header.number("llama.rope.dimension_count", u32::try_from(width).expect("small") / HEADS);
    header.real("llama.attention.layer_norm_rms_epsilon", 1e-5);
    header.real("llama.rope.freq_base", 10_000.0);
    header.text("tokenizer.ggml.model", "gpt2");
    header.texts("tokenizer.ggml.tokens", &vocabulary);
    header.texts("tokenizer.ggml.merges", &["a b".to_owned()]);
    let kinds: Vec<i32> = (0..words).map(|token| if token + 1 == words { 3 } else { 1 }).collect();
    header.integers("tokenizer.ggml.token_type", &kinds);
    header.number("tokenizer.ggml.eos_token_id", u32::try_from(words - 1).expect("small"));
    header.text("tokenizer.chat_template", TEMPLATE);
    file(&header, &tensors)
}

/// The 256 bytes in the letters that byte-level vocabularies write them with.
fn vocabulary() -> Vec<String> {
    let printable = |byte: u32| matches!(byte, 33..=126 | 161..=172 | 174..=255);
    let mut unprintable = 0;
    let mut words: Vec<String> = (0..256_u32)
        .map(|byte| {
            let letter = if printable(byte) {
                byte
            } else {
                unprintable += 1;
                255 + unprintable
            };
            char::from_u32(letter).expect("below the surrogates").to_string()
        })
        .collect();
    words.push("ab".to_owned());
    words.push("<|endoftext|>".to_owned());
    words
}

#[derive(Default)]
struct Tensors {
    list: Vec<TensorData>,
}

struct TensorData {
    name: String,
    /// Rows first, as mathematicians write them; the file has them the other way round.
    shape: Vec<usize>,
    values: Vec<f32>,
}

impl Tensors {
    fn random(&mut self, name: &str, shape: &[usize], scale: f32) {
        let mut rng = SmallRng::seed_from_u64(self.list.len() as u64);
        let values = (0..shape.iter().product()).map(|_| rng.random_range(-1.7..1.7) * scale).collect();
        self.list.push(TensorData { name: name.to_owned(), shape: shape.to_vec(), values });
    }

    fn ones(&mut self, name: &str, width: usize) {
        self.list.push(TensorData { name: name.to_owned(), shape: vec![width], values: vec![1.0; width] });
    }
}

/// Key-value pairs in the file's order; kinds are the format's numbers.
#[derive(Default)]
struct Header {
    entries: u64,
    bytes: Vec<u8>,
}

impl Header {
    fn key(&mut self, key: &str, kind: u32) {
        self.entries += 1;
        put_text(&mut self.bytes, key);
        self.bytes.extend(kind.to_le_bytes());
    }

    fn number(&mut self, key: &str, value: u32) {
        self.key(key, 4);
        self.bytes.extend(value.to_le_bytes());
    }

    fn real(&mut self, key: &str, value: f32) {
        self.key(key, 6);
        self.bytes.extend(value.to_le_bytes());
    }

    fn text(&mut self, key: &str, value: &str) {
        self.key(key, 8);
        put_text(&mut self.bytes, value);
    }

    fn texts(&mut self, key: &str, values: &[String]) {
        self.array(key, 8, values.len());
        for value in values {
            put_text(&mut self.bytes, value);
        }
    }

    fn integers(&mut self, key: &str, values: &[i32]) {
        self.array(key, 5, values.len());
        for value in values {
            self.bytes.extend(value.to_le_bytes());
        }
    }

    fn array(&mut self, key: &str, kind: u32, length: usize) {
        self.key(key, 9);
        self.bytes.extend(kind.to_le_bytes());
        self.bytes.extend((length as u64).to_le_bytes());
    }
}

fn file(header: &Header, tensors: &Tensors) -> Vec<u8> {
    let mut out = b"GGUF".to_vec();
    out.extend(3_u32.to_le_bytes());
    out.extend((tensors.list.len() as u64).to_le_bytes());
    out.extend(header.entries.to_le_bytes());
    out.extend(&header.bytes);
    let mut offset = 0_u64;
    for tensor in &tensors.list {
        put_text(&mut out, &tensor.name);
        out.extend(u32::try_from(tensor.shape.len()).expect("small").to_le_bytes());
        for &length in tensor.shape.iter().rev() {
            out.extend((length as u64).to_le_bytes());
        }
        out.extend(0_u32.to_le_bytes());
        out.extend(offset.to_le_bytes());
        offset += (tensor.values.len() * size_of::<f32>()).next_multiple_of(ALIGNMENT) as u64;
    }
    for tensor in &tensors.list {
        out.resize(out.len().next_multiple_of(ALIGNMENT), 0);
        out.extend(tensor.values.iter().flat_map(|value| value.to_le_bytes()));
    }
    out
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(text.as_bytes());
}
