//! Signs of an answer that is none: refusals, loops, echoes (seeds/verifier-block.md, "Tier 1", "Obvious error detection").

use frlm_inference::FinishReason;
use frlm_util::text::words_of;

use super::SelfCheckFailure;

/// Openings of a refusal, in lower case, with straight apostrophes.
const REFUSAL_OPENINGS: [&str; 17] = [
    "i cannot",
    "i can't",
    "i can not",
    "i am unable to",
    "i'm unable to",
    "i am not able to",
    "i'm not able to",
    "i won't",
    "i will not",
    "i must decline",
    "i'm sorry, but",
    "i am sorry, but",
    "i'm sorry, i ",
    "sorry, but i ",
    "sorry, i ",
    "i apologize, but",
    "i apologise, but",
];

/// Phrases that give a refusal away anywhere near the start.
const REFUSAL_PHRASES: [&str; 3] = ["as an ai", "as a language model", "as a large language model"];

/// "I cannot find such an order" answers the question.
const HONEST_VERBS: [&str; 12] = [
    "find",
    "see",
    "determine",
    "identify",
    "locate",
    "tell",
    "infer",
    "confirm",
    "verify",
    "conclude",
    "say",
    "establish",
];

/// Phrases count only this far from the start; further on they are part of an answer.
const OPENING_CHARS: usize = 160;

/// Shorter prompts may well be answered by themselves ("hello").
const MIN_ECHO_CHARS: usize = 32;

/// How much of the end is searched for a loop.
const LOOP_WINDOW_BYTES: usize = 8 * 1024;
const MAX_LOOP_UNIT_BYTES: usize = 256;

/// The phrase by which the model declines, if it does.
pub(super) fn refusal(prompt: &str, text: &str) -> Option<&'static str> {
    let opening = normalised(text, OPENING_CHARS);
    let found = REFUSAL_OPENINGS
        .into_iter()
        .find(|phrase| opening.starts_with(phrase) && !is_honest(&opening[phrase.len()..]))
        .or_else(|| REFUSAL_PHRASES.into_iter().find(|phrase| contains_words(&opening, phrase)))?;
    // A document may say "I cannot log in"; then copying it is the job.
    let sentence = opening.split(['.', '\n']).next().unwrap_or(&opening);
    let quoted = normalised(prompt, usize::MAX).contains(sentence.trim());
    (!quoted).then_some(found)
}

/// Whether the answer is the prompt again, alone or with something after it.
pub(super) fn is_echo(prompt: &str, text: &str) -> bool {
    let prompt = prompt.split_whitespace();
    if prompt.clone().map(|word| word.chars().count()).sum::<usize>() < MIN_ECHO_CHARS {
        return false;
    }
    let mut words = text.split_whitespace();
    prompt.into_iter().all(|word| words.next() == Some(word))
}

/// A part at the end of the answer that repeats itself without end, if there is one.
pub(super) fn repetition(prompt: &str, text: &str, finish: FinishReason) -> Option<SelfCheckFailure> {
    // Only the limit ends a true loop, so an answer that ended by itself must be far more regular.
    let (min_times, min_bytes) = match finish {
        FinishReason::Length => (4, 64),
        FinishReason::Stop => (10, 200),
    };
    let bytes = text.as_bytes();
    let tail = &bytes[bytes.len().saturating_sub(LOOP_WINDOW_BYTES)..];
    for unit_bytes in 1..=MAX_LOOP_UNIT_BYTES.min(tail.len() / min_times) {
        let equal =
            tail.iter().rev().zip(tail.iter().rev().skip(unit_bytes)).take_while(|(a, b)| a == b).count();
        let times = equal / unit_bytes + 1;
        let looped = unit_bytes + equal;
        if times < min_times || looped < min_bytes {
            continue;
        }
        let looped = &tail[tail.len() - looped..];
        // Rulers and table borders are typography.
        if !looped.iter().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii()) {
            return None;
        }
        let quoted = std::str::from_utf8(looped).is_ok_and(|looped| prompt.contains(looped.trim()));
        return (!quoted).then_some(SelfCheckFailure::RepetitionLoop { unit_bytes, times });
    }
    None
}

/// Lower case, straight apostrophes, single spaces within a line; the first `limit` characters.
fn normalised(text: &str, limit: usize) -> String {
    let mut out = String::new();
    for symbol in text.trim_start().chars().take(limit) {
        match symbol {
            '\u{2019}' | '\u{2018}' => out.push('\''),
            ' ' | '\t' if out.ends_with(' ') => {}
            '\t' => out.push(' '),
            other => out.extend(other.to_lowercase()),
        }
    }
    out
}

fn is_honest(rest: &str) -> bool {
    // "I'm sorry, but I cannot find …": look behind the nested opening too.
    let words = words_of(rest, |symbol| symbol.is_alphanumeric() || symbol == '\'');
    words.take(6).any(|word| HONEST_VERBS.contains(&word))
}

fn contains_words(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + phrase.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_recognised_by_their_opening() {
        for (text, declined) in [
            ("I cannot help with that.", true),
            ("I can\u{2019}t assist with this request", true),
            ("I'm sorry, but I cannot provide medical advice.", true),
            ("As an AI language model, I have no opinion.", true),
            ("Sorry, I am not able to do this", true),
            ("I cannot find any order of user3 in the text.", false),
            ("I'm sorry, but I cannot find this order.", false),
            ("I am unable to determine the date from the fragment.", false),
            ("The user wrote: I cannot log in.", false),
            ("As an airline, they refund within a week.", false),
            ("Ikea", false),
        ] {
            assert_eq!(refusal("Which order failed?", text).is_some(), declined, "{text}");
        }
    }

    #[test]
    fn a_sentence_of_the_document_is_a_quotation() {
        let prompt = "copy the ticket text\n17 ticket open I cannot log in since Monday";
        assert_eq!(refusal(prompt, "I cannot log in since Monday\n"), None);
        assert_eq!(refusal(prompt, "I cannot do that"), Some("i cannot"));
    }

    #[test]
    fn the_whole_prompt_coming_back_is_an_echo() {
        let prompt = "copy status, user\n001 order 4001 by user1 amount 3 shipped";
        assert!(is_echo(prompt, prompt));
        assert!(is_echo(prompt, &format!("{}\nshipped", prompt.replace('\n', "  "))));
        assert!(!is_echo(prompt, "001 order 4001 by user1 amount 3 shipped"));
        assert!(!is_echo("hello", "hello"));
    }

    #[test]
    fn loops_are_found_and_ordinary_repetition_is_not() {
        let sentence = "The order was shipped to the user. ";
        let looped = sentence.repeat(12);
        let cut = &looped[..looped.len() - 9];
        assert!(repetition("p", cut, FinishReason::Length).is_some());
        assert!(repetition("p", cut, FinishReason::Stop).is_some());
        assert!(repetition("p", &sentence.repeat(2), FinishReason::Length).is_none());
        assert!(repetition("p", "-\n-\n-\n-\n-\n-\n-\n-\n-\n-\n", FinishReason::Stop).is_none());
        assert!(repetition("p", &"-".repeat(400), FinishReason::Stop).is_none());
        assert!(repetition("p", &"no\n".repeat(16), FinishReason::Stop).is_none());
        assert!(repetition("p", &"ja ".repeat(200), FinishReason::Stop).is_some());
    }

    #[test]
    fn a_pattern_that_the_prompt_has_too_is_data() {
        let pattern = "GATTACA".repeat(40);
        assert!(repetition("p", &pattern, FinishReason::Length).is_some());
        assert!(repetition(&format!("copy\n{pattern}"), &pattern, FinishReason::Length).is_none());
    }
}
