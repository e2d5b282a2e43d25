//! A job's prompts, and how large they are.

use frlm_protocol::{InputSource, JobRequest, Mode, Validate};

/// Bytes of text per token, for estimates.
///
/// An estimate that errs low: a job that turns out larger meets the engine's own exact count and the
/// same refusal, while a job refused here by a bad estimate would be lost.
const BYTES_PER_TOKEN: usize = 4;

/// The prompts of a job, in the order in which its answers are due.
pub(crate) fn prompts(request: &JobRequest) -> Vec<String> {
    let inputs = request.inputs.iter().map(|input| input.data.as_str());
    frlm_protocol::prompts(&request.instruction, inputs, request.mode)
}

/// How many prompts a job makes.
pub(crate) fn count(request: &JobRequest) -> usize {
    each_input(request).map_or(1, Iterator::count)
}

/// About how many tokens the largest prompt has.
pub(crate) fn largest_tokens(request: &JobRequest) -> usize {
    let input_bytes = each_input(request).map_or_else(
        || request.inputs.iter().map(|input| input.data.len() + 2).sum(),
        |inputs| inputs.map(str::len).max().unwrap_or(0),
    );
    (request.instruction.len() + input_bytes).div_ceil(BYTES_PER_TOKEN)
}

/// About how many tokens all prompts have together.
pub(crate) fn total_tokens(request: &JobRequest) -> usize {
    let input_bytes: usize = request.inputs.iter().map(|input| input.data.len()).sum();
    (request.instruction.len() * count(request) + input_bytes).div_ceil(BYTES_PER_TOKEN)
}

/// About how many tokens a model reads that holds its own answers, of so many tokens, against those it is shown: both of
/// a pair, in both orders (docs/money.md).
pub(crate) fn compared_tokens(shown: &Validate, own: usize) -> usize {
    let bytes: usize = shown.answers.iter().map(String::len).sum();
    bytes.div_ceil(BYTES_PER_TOKEN).saturating_add(own).saturating_mul(2)
}

/// The first input that is no text, with the word for it.
pub(crate) fn unsupported_source(request: &JobRequest) -> Option<&'static str> {
    request.inputs.iter().find_map(|input| match input.source {
        InputSource::Text => None,
        InputSource::Url => Some("an address to fetch"),
        InputSource::Event => Some("another event"),
        InputSource::Job => Some("another job's output"),
    })
}

/// Whether there is anything to work on.
pub(crate) fn is_empty(request: &JobRequest) -> bool {
    request.instruction.trim().is_empty() && request.inputs.iter().all(|input| input.data.trim().is_empty())
}

/// The inputs, where each one gets its own answer. A job without inputs is one prompt in any mode.
fn each_input(request: &JobRequest) -> Option<impl Iterator<Item = &str>> {
    (request.mode == Mode::Each && !request.inputs.is_empty())
        .then(|| request.inputs.iter().map(|input| input.data.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{request, text_inputs};

    #[test]
    fn the_instruction_stands_before_the_data() {
        let job = request("copy status", &["a b", "c d"], Mode::Together);
        assert_eq!(prompts(&job), ["copy status\na b\n\nc d"]);
        assert_eq!(count(&job), 1);
    }

    #[test]
    fn each_input_is_a_prompt_of_its_own() {
        let job = request("copy status", &["a b", "c d"], Mode::Each);
        assert_eq!(prompts(&job), ["copy status\na b", "copy status\nc d"]);
        assert_eq!(count(&job), 2);
    }

    #[test]
    fn without_an_instruction_the_input_is_the_prompt() {
        assert_eq!(prompts(&request("", &["who?"], Mode::Together)), ["who?"]);
        assert_eq!(prompts(&request("who?", &[], Mode::Each)), ["who?"]);
        assert!(is_empty(&request(" ", &["", "\n"], Mode::Together)));
    }

    #[test]
    fn the_largest_input_counts_when_each_has_its_own_prompt() {
        let long = "x".repeat(400);
        let inputs = [long.as_str(), "short", "short"];
        let each = largest_tokens(&request("", &inputs, Mode::Each));
        let together = largest_tokens(&request("", &inputs, Mode::Together));
        assert_eq!(each, 100);
        assert!(together > each);
    }

    #[test]
    fn sources_other_than_text_are_named() {
        let mut job = request("sum up", &["a"], Mode::Together);
        assert_eq!(unsupported_source(&job), None);
        job.inputs = text_inputs(&["a", "https://example.org"]);
        job.inputs[1].source = InputSource::Url;
        assert_eq!(unsupported_source(&job), Some("an address to fetch"));
    }
}
