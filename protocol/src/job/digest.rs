//! What a validator's word about a job's answers is bound to.

use nostr::hashes::{Hash as _, HashEngine as _, sha256};

use super::{JobRequest, Mode};

impl JobRequest {
    /// sha256, in hex, over what a validation job is about: instruction, mode, every input and every answer
    /// that is to be checked. Each text is preceded by its length, so that no two tasks share one.
    pub fn digest(&self) -> String {
        let mut engine = sha256::Hash::engine();
        let mut take = |text: &str| {
            engine.input(&(text.len() as u64).to_be_bytes());
            engine.input(text.as_bytes());
        };
        take("frlm attestation 1");
        take(&self.instruction);
        take(if self.mode == Mode::Each { "each" } else { "together" });
        let answers = self.validate.as_ref().map_or(&[][..], |validate| &validate.answers);
        for texts in [self.inputs.len(), answers.len()] {
            take(&texts.to_string());
        }
        for text in self.inputs.iter().map(|input| &input.data).chain(answers) {
            take(text);
        }
        sha256::Hash::from_engine(engine).to_string()
    }
}
