//! Tokens that models read and wrote for a run, as those who ran the models report them.
//!
//! A report is only a claim. It sets nobody's pay (`quote.rs` counts for itself). It is passed on, unless its figures are
//! impossible.

use frlm_inference::Usage;
use frlm_questions::dialect::Prompt;

use super::desks::Notes;

/// A report of more than this many times what a prompt can take counts as none. A token is at least a byte; a validator reads what
/// it is shown beside the prompt.
const MOST_TIMES: u64 = 4;
/// Tokens that a chat template may put around a prompt.
const AROUND: u64 = 256;

/// A provider's report on one job; `None` if it reports nothing, or something impossible.
pub(super) fn credible(claimed: Usage, prompt: &Prompt) -> Option<Usage> {
    let texts = prompt.texts();
    let bytes: u64 = texts.iter().map(|text| text.len() as u64 + AROUND).sum();
    let most_written = u64::from(prompt.max_tokens).saturating_mul(texts.len() as u64);
    let says_something = claimed.prompt_tokens > 0 || claimed.completion_tokens > 0;
    let possible = claimed.prompt_tokens <= bytes.saturating_mul(MOST_TIMES)
        && claimed.completion_tokens <= most_written.saturating_mul(MOST_TIMES);
    (says_something && possible).then_some(claimed)
}

impl Notes {
    /// Counts the report on an answer that passed its own checks; what the journal says of it.
    pub(super) fn count_usage(&mut self, claimed: Usage, prompt: &Prompt) -> Usage {
        let usage = credible(claimed, prompt);
        self.usage.add(usage);
        usage.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use frlm_protocol::Mode;

    use super::*;

    fn prompt() -> Prompt {
        Prompt {
            instruction: "copy status".to_owned(),
            inputs: vec!["order=1 status=failed".to_owned(), "order=2 status=shipped".to_owned()],
            mode: Mode::Each,
            max_tokens: 16,
            constraint: None,
        }
    }

    fn usage(prompt_tokens: u64, completion_tokens: u64) -> Usage {
        Usage { prompt_tokens, completion_tokens }
    }

    #[test]
    fn what_no_model_can_have_read_or_written_is_no_report() {
        assert_eq!(credible(usage(40, 6), &prompt()), Some(usage(40, 6)));
        assert_eq!(credible(usage(0, 0), &prompt()), None);
        assert_eq!(credible(usage(u64::MAX, 6), &prompt()), None);
        assert_eq!(credible(usage(40, 1_000), &prompt()), None);
    }
}
