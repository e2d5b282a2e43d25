//! Weights that a dishonest provider might run instead of those that it claims, made from the embedded ones.

use std::fs::File;
use std::io::{BufWriter, Cursor};
use std::path::{Path, PathBuf};

use candle_core::quantized::gguf_file::{Content, Value, write};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{Device, Tensor};
use frlm_inference::embedded::WEIGHTS;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Who writes answers, and by which weights it commits to them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Writer {
    /// What it runs.
    pub weights: Variant,
    /// What its commitments come from.
    pub committing: Committing,
}

/// Where a writer has its commitments from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Committing {
    /// From writing.
    ByItself,
    /// From one pass of the claimed weights over what other weights wrote: it hides whatever the words do
    /// not show.
    ByTheClaimedWeights,
}

/// What stands in the place of the claimed weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// The claimed weights.
    Same,
    /// The same numbers in a wider format, which the engine multiplies in another way.
    Wider,
    /// All matrices quantised to 8 bits.
    EightBits,
    /// All matrices quantised to 5 bits.
    FiveBits,
    /// All matrices quantised to 4 bits.
    FourBits,
    /// Without the last of the four layers.
    Smaller,
    /// Every weight times 1 + 0.01 n, n normally distributed.
    Noisy,
}

impl Writer {
    /// Runs what it claims.
    pub const HONEST: Self = Self { weights: Variant::Same, committing: Committing::ByItself };
    /// The others.
    pub const OTHERS: [Self; 8] = [
        Self::by_itself(Variant::Wider),
        Self::by_itself(Variant::Smaller),
        Self::by_itself(Variant::FourBits),
        Self::by_itself(Variant::FiveBits),
        Self::by_itself(Variant::EightBits),
        Self::by_itself(Variant::Noisy),
        Self { weights: Variant::Smaller, committing: Committing::ByTheClaimedWeights },
        Self { weights: Variant::FourBits, committing: Committing::ByTheClaimedWeights },
    ];

    const fn by_itself(weights: Variant) -> Self {
        Self { weights, committing: Committing::ByItself }
    }

    /// As tables name it.
    pub fn name(self) -> &'static str {
        match (self.committing, self.weights) {
            (Committing::ByItself, Variant::Same) => "the same weights",
            (Committing::ByItself, Variant::Wider) => "the same, as F32 (honest)",
            (Committing::ByItself, Variant::EightBits) => "the same, as Q8_0",
            (Committing::ByItself, Variant::FiveBits) => "the same, as Q5_0",
            (Committing::ByItself, Variant::FourBits) => "the same, as Q4_0",
            (Committing::ByItself, Variant::Smaller) => "smaller: 3 of its 4 layers",
            (Committing::ByItself, Variant::Noisy) => "the same with 1 % of noise",
            (Committing::ByTheClaimedWeights, Variant::Smaller) => "smaller, claimed weights commit",
            (Committing::ByTheClaimedWeights, Variant::FourBits) => "Q4_0, claimed weights commit",
            (Committing::ByTheClaimedWeights, _) => "another, claimed weights commit",
        }
    }
}

impl Variant {
    fn folder(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Wider => "f32",
            Self::EightBits => "q8_0",
            Self::FiveBits => "q5_0",
            Self::FourBits => "q4_0",
            Self::Smaller => "smaller",
            Self::Noisy => "noisy",
        }
    }

    /// Writes the weights into a folder of their own below this one; the file.
    pub fn write(self, below: &Path) -> anyhow::Result<PathBuf> {
        let folder = below.join(self.folder());
        std::fs::create_dir_all(&folder)?;
        let path = folder.join(format!("{}.gguf", self.folder()));
        if self == Self::Same {
            std::fs::write(&path, WEIGHTS)?;
            return Ok(path);
        }
        let mut reader = Cursor::new(WEIGHTS);
        let content = Content::read(&mut reader)?;
        let mut names: Vec<&String> = content.tensor_infos.keys().collect();
        names.sort();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut tensors: Vec<(&str, QTensor)> = Vec::new();
        for name in names {
            if self == Self::Smaller && name.starts_with(&format!("blk.{LAST_LAYER}.")) {
                continue;
            }
            let tensor = content.tensor(&mut reader, name, &Device::Cpu)?;
            tensors.push((name, self.changed(tensor, &mut rng)?));
        }
        let mut metadata = content.metadata.clone();
        if self == Self::Smaller {
            metadata.insert("llama.block_count".to_owned(), Value::U32(LAST_LAYER));
        }
        let mut metadata: Vec<(&str, &Value)> =
            metadata.iter().map(|(key, value)| (key.as_str(), value)).collect();
        metadata.sort_by_key(|(key, _)| *key);
        let tensors: Vec<(&str, &QTensor)> = tensors.iter().map(|(name, tensor)| (*name, tensor)).collect();
        write(&mut BufWriter::new(File::create(&path)?), &metadata, &tensors)?;
        Ok(path)
    }

    fn changed(self, tensor: QTensor, rng: &mut ChaCha8Rng) -> anyhow::Result<QTensor> {
        // Norms are vectors, which no one quantises.
        let is_matrix = tensor.shape().rank() == 2;
        let format = match self {
            Self::Wider => GgmlDType::F32,
            Self::EightBits if is_matrix => GgmlDType::Q8_0,
            Self::FiveBits if is_matrix => GgmlDType::Q5_0,
            Self::FourBits if is_matrix => GgmlDType::Q4_0,
            Self::Noisy => return noisy(&tensor, rng),
            _ => return Ok(tensor),
        };
        Ok(QTensor::quantize(&tensor.dequantize(&Device::Cpu)?, format)?)
    }
}

/// The embedded model's last layer, from 0.
const LAST_LAYER: u32 = 3;

fn noisy(tensor: &QTensor, rng: &mut ChaCha8Rng) -> anyhow::Result<QTensor> {
    let format = tensor.dtype();
    let exact = tensor.dequantize(&Device::Cpu)?;
    let mut values: Vec<f32> = exact.flatten_all()?.to_vec1()?;
    for value in &mut values {
        *value *= 1.0 + 0.01 * normal(rng);
    }
    Ok(QTensor::quantize(&Tensor::from_vec(values, exact.shape(), &Device::Cpu)?, format)?)
}

/// Normally distributed, by Box and Muller.
fn normal(rng: &mut ChaCha8Rng) -> f32 {
    let (radius, angle): (f32, f32) = (rng.random(), rng.random());
    (-2.0 * (1.0 - radius).ln()).sqrt() * (std::f32::consts::TAU * angle).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_variant_is_a_file_with_other_weights_and_the_same_words() {
        let folder = tempfile::tempdir().unwrap();
        for writer in Writer::OTHERS {
            let variant = writer.weights;
            let path = variant.write(folder.path()).unwrap();
            let content = Content::read(&mut File::open(&path).unwrap()).unwrap();
            let words = |content: &Content| content.metadata["tokenizer.ggml.tokens"].to_vec().unwrap().len();
            let original = Content::read(&mut Cursor::new(WEIGHTS)).unwrap();
            assert_eq!(words(&content), words(&original), "{}", writer.name());
            let layers = content.metadata["llama.block_count"].to_u32().unwrap();
            assert_eq!(layers, if variant == Variant::Smaller { 3 } else { 4 });
            assert_eq!(content.tensor_infos.keys().any(|name| name.starts_with("blk.3.")), layers == 4);
            assert_ne!(std::fs::read(&path).unwrap(), WEIGHTS, "{}", writer.name());
        }
    }
}
