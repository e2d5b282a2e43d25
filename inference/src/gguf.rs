//! What a GGUF file says about itself, read before an engine is trusted with it.
//!
//! mistral.rs panics on some malformed files and names no cause for others. Reading the header here
//! first gives a clear error in a millisecond, and tells the number format and context length that
//! announcements carry. Format: <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::Path;

/// Keys longer than this do not occur; the format allows 64 KiB.
const MAX_KEY_BYTES: u64 = 1 << 16;
/// Chat templates are the longest single texts, a few kilobytes.
const MAX_TEXT_BYTES: u64 = 1 << 20;
/// Real files have a few dozen entries.
const MAX_ENTRIES: u64 = 1 << 16;

/// The header of a GGUF file, as far as it matters here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GgufHeader {
    /// E.g. `llama`, `qwen3`.
    pub architecture: String,
    /// E.g. `F16`, `Q8_0`, `Q4_K_M`.
    pub quantisation: Option<String>,
    /// Tokens the model was made to read.
    pub context_tokens: Option<usize>,
    /// Whether the file brings a chat template; messages cannot be put to a model without one.
    pub has_chat_template: bool,
    /// Whether the file brings its tokenizer.
    pub has_tokenizer: bool,
}

/// Reads the header of a GGUF file. The error text is fit to show.
pub fn read_header(path: &Path) -> io::Result<GgufHeader> {
    let file = File::open(path)?;
    let file_bytes = file.metadata()?.len();
    Reader { inner: BufReader::new(file), file_bytes }.header()
}

struct Reader<R> {
    inner: R,
    file_bytes: u64,
}

/// The scalar kinds that are looked at; everything else is skipped.
enum Value {
    Text(String),
    Number(u64),
    Other,
}

impl<R: Read + Seek> Reader<R> {
    fn header(mut self) -> io::Result<GgufHeader> {
        let mut magic = [0; 4];
        self.inner
            .read_exact(&mut magic)
            .map_err(|_| malformed("this is not a GGUF file: it is too short"))?;
        if &magic != b"GGUF" {
            return Err(malformed("this is not a GGUF file"));
        }
        let version = self.number(4)?;
        if !(2..=3).contains(&version) {
            return Err(malformed(&format!("GGUF version {version} is not readable, only 2 and 3 are")));
        }
        let _tensors = self.number(8)?;
        let entries = self.number(8)?;
        if entries > MAX_ENTRIES {
            return Err(malformed("the GGUF header is damaged: it claims too many entries"));
        }
        let mut header = GgufHeader::default();
        for _ in 0..entries {
            let key = self.text(MAX_KEY_BYTES)?;
            let kind = self.number(4)?;
            let value = self.value(kind)?;
            header.note(&key, value);
        }
        if header.architecture.is_empty() {
            return Err(malformed("the GGUF header names no architecture"));
        }
        Ok(header)
    }

    fn value(&mut self, kind: u64) -> io::Result<Value> {
        const TEXT: u64 = 8;
        const ARRAY: u64 = 9;
        match kind {
            TEXT => self.text(MAX_TEXT_BYTES).map(Value::Text),
            ARRAY => {
                let item_kind = self.number(4)?;
                let items = self.number(8)?;
                match scalar_bytes(item_kind) {
                    Some(bytes) => self.skip(items.saturating_mul(bytes))?,
                    None if item_kind == TEXT => {
                        for _ in 0..items {
                            let length = self.number(8)?;
                            self.skip(length)?;
                        }
                    }
                    None => return Err(malformed("the GGUF header is damaged: an array of an unknown kind")),
                }
                Ok(Value::Other)
            }
            _ => match scalar_bytes(kind) {
                // Floating-point numbers are read as bits and never looked at.
                Some(bytes) => self.number(bytes).map(Value::Number),
                None => Err(malformed("the GGUF header is damaged: a value of an unknown kind")),
            },
        }
    }

    fn number(&mut self, bytes: u64) -> io::Result<u64> {
        let mut buffer = [0; 8];
        let used = usize::try_from(bytes.min(8)).unwrap_or(8);
        self.inner.read_exact(&mut buffer[..used]).map_err(|_| cut_short())?;
        Ok(u64::from_le_bytes(buffer))
    }

    fn text(&mut self, max_bytes: u64) -> io::Result<String> {
        let length = self.number(8)?;
        if length > max_bytes {
            return Err(malformed("the GGUF header is damaged: a text is longer than any real one"));
        }
        let mut bytes = Vec::new();
        (&mut self.inner).take(length).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != length {
            return Err(cut_short());
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn skip(&mut self, bytes: u64) -> io::Result<()> {
        // Seeking past the end succeeds, so a damaged length must be caught here.
        let offset = i64::try_from(bytes).map_err(|_| cut_short())?;
        if bytes > self.file_bytes {
            return Err(cut_short());
        }
        self.inner.seek_relative(offset)
    }
}

impl GgufHeader {
    fn note(&mut self, key: &str, value: Value) {
        match (key, value) {
            ("general.architecture", Value::Text(name)) => self.architecture = name,
            ("general.file_type", Value::Number(file_type)) => {
                self.quantisation = file_type_name(file_type).map(str::to_owned);
            }
            ("tokenizer.chat_template", Value::Text(_)) => self.has_chat_template = true,
            ("tokenizer.ggml.tokens", _) => self.has_tokenizer = true,
            (key, Value::Number(tokens)) if key.ends_with(".context_length") => {
                self.context_tokens = usize::try_from(tokens).ok();
            }
            _ => {}
        }
    }
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

fn cut_short() -> io::Error {
    malformed("the GGUF header is cut short: the download may be incomplete")
}

/// Bytes of a scalar of this kind; `None` for texts, arrays and unknown kinds.
fn scalar_bytes(kind: u64) -> Option<u64> {
    match kind {
        0 | 1 | 7 => Some(1),
        2 | 3 => Some(2),
        4..=6 => Some(4),
        10..=12 => Some(8),
        _ => None,
    }
}

/// Names of `general.file_type` as llama.cpp prints them.
fn file_type_name(file_type: u64) -> Option<&'static str> {
    Some(match file_type {
        0 => "F32",
        1 => "F16",
        2 => "Q4_0",
        3 => "Q4_1",
        7 => "Q8_0",
        8 => "Q5_0",
        9 => "Q5_1",
        10 => "Q2_K",
        11 => "Q3_K_S",
        12 => "Q3_K_M",
        13 => "Q3_K_L",
        14 => "Q4_K_S",
        15 => "Q4_K_M",
        16 => "Q5_K_S",
        17 => "Q5_K_M",
        18 => "Q6_K",
        32 => "BF16",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn read(bytes: Vec<u8>) -> io::Result<GgufHeader> {
        let file_bytes = bytes.len() as u64;
        Reader { inner: Cursor::new(bytes), file_bytes }.header()
    }

    fn text(out: &mut Vec<u8>, value: &str) {
        out.extend((value.len() as u64).to_le_bytes());
        out.extend(value.as_bytes());
    }

    fn sample() -> Vec<u8> {
        let mut out = b"GGUF".to_vec();
        out.extend(3_u32.to_le_bytes());
        out.extend(0_u64.to_le_bytes());
        out.extend(4_u64.to_le_bytes());
        text(&mut out, "tokenizer.ggml.tokens");
        out.extend(9_u32.to_le_bytes());
        out.extend(8_u32.to_le_bytes());
        out.extend(2_u64.to_le_bytes());
        text(&mut out, "a");
        text(&mut out, "bc");
        text(&mut out, "general.architecture");
        out.extend(8_u32.to_le_bytes());
        text(&mut out, "llama");
        text(&mut out, "llama.context_length");
        out.extend(4_u32.to_le_bytes());
        out.extend(512_u32.to_le_bytes());
        text(&mut out, "general.file_type");
        out.extend(4_u32.to_le_bytes());
        out.extend(7_u32.to_le_bytes());
        out
    }

    #[test]
    fn a_header_tells_architecture_format_and_context() {
        let header = read(sample()).expect("well formed");
        assert_eq!(header.architecture, "llama");
        assert_eq!(header.quantisation.as_deref(), Some("Q8_0"));
        assert_eq!(header.context_tokens, Some(512));
        assert!(header.has_tokenizer);
        assert!(!header.has_chat_template);
    }

    #[test]
    fn every_cut_of_a_header_is_an_error_and_never_a_panic() {
        let whole = sample();
        for length in 0..whole.len() {
            assert!(read(whole[..length].to_vec()).is_err(), "cut at {length}");
        }
    }

    #[test]
    fn a_length_beyond_the_file_is_refused_before_memory_is_taken() {
        let mut out = b"GGUF".to_vec();
        out.extend(3_u32.to_le_bytes());
        out.extend(0_u64.to_le_bytes());
        out.extend(1_u64.to_le_bytes());
        out.extend(u64::MAX.to_le_bytes());
        assert!(read(out).is_err());
    }

    #[test]
    fn another_format_is_named_as_such() {
        let error = read(b"PK\x03\x04 and more".to_vec()).expect_err("a zip file");
        assert!(error.to_string().contains("not a GGUF file"));
    }
}
