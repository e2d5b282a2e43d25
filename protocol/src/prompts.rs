//! What a job's [`Mode`] means: how its texts become the prompts that a model reads.

use crate::Mode;

/// The prompts of a job, in the order in which its answers are due.
///
/// Each is one user message: the instruction, a line break, the data. The data is put there as it
/// came; what it says about instructions is the model's problem and the verifier's. A job without
/// inputs is one prompt in any mode.
pub fn prompts<'job>(
    instruction: &str,
    inputs: impl IntoIterator<Item = &'job str>,
    mode: Mode,
) -> Vec<String> {
    let mut inputs = inputs.into_iter().peekable();
    if mode == Mode::Each && inputs.peek().is_some() {
        return inputs.map(|input| with_instruction(instruction, input)).collect();
    }
    vec![with_instruction(instruction, &inputs.collect::<Vec<_>>().join("\n\n"))]
}

fn with_instruction(instruction: &str, data: &str) -> String {
    match (instruction.is_empty(), data.is_empty()) {
        (true, _) => data.to_owned(),
        (_, true) => instruction.to_owned(),
        _ => format!("{instruction}\n{data}"),
    }
}
