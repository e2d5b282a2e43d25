//! How many tokens a text will be, without a tokenizer.

/// Weight of letters, in quarters of a token, that make up one token.
const QUARTERS_PER_TOKEN: u32 = 4;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// The state before any text and after each line break, so that lines can be counted apart.
    Start,
    Lower,
    Upper,
    Digit,
    Space,
    Mark,
    Wide,
}

/// Estimates the tokens of a text, on the high side for the byte-pair vocabularies in use.
///
/// The rules, per run of characters:
/// - a word costs one token per four lower-case letters begun; a capital weighs twice a lower-case
///   letter, and a capital after a lower-case letter begins a new word
/// - a digit costs one token (some vocabularies join up to three)
/// - the first three spaces of a run are free, each fourth costs one token
/// - a line break costs one token, a tab or punctuation mark one, its immediate repetitions one
///   per four
/// - characters of two, three and four UTF-8 bytes cost 1, 2 and 3 tokens
///
/// Over whole lines the estimate is exact addition: the sum over the lines of a text is the
/// estimate of the text. A model that reads bytes instead of tokens needs a smaller budget, not
/// another estimate.
pub fn estimate_tokens(text: &str) -> usize {
    let mut total = 0;
    let mut previous = Class::Start;
    let mut previous_byte = 0;
    let mut quarters: u32 = 0;
    for byte in text.bytes() {
        // Continuation bytes belong to a character that has been paid for.
        if (0x80..0xC0).contains(&byte) {
            continue;
        }
        let class = match byte {
            b'\n' => Class::Start,
            b'a'..=b'z' => Class::Lower,
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Digit,
            b' ' => Class::Space,
            0x80.. => Class::Wide,
            _ => Class::Mark,
        };
        match class {
            Class::Start | Class::Digit => total += 1,
            Class::Wide => {
                total += match byte {
                    0xF0.. => 3,
                    0xE0.. => 2,
                    _ => 1,
                }
            }
            Class::Lower | Class::Upper => {
                let weight = if class == Class::Upper { 2 } else { 1 };
                let continues = match previous {
                    Class::Lower => class == Class::Lower,
                    Class::Upper => true,
                    _ => false,
                };
                if continues && quarters + weight <= QUARTERS_PER_TOKEN {
                    quarters += weight;
                } else {
                    total += 1;
                    quarters = weight;
                }
            }
            Class::Space => {
                quarters = if previous == Class::Space { quarters + 1 } else { 1 };
                if quarters == QUARTERS_PER_TOKEN {
                    total += 1;
                    quarters = 0;
                }
            }
            Class::Mark => {
                let repeats = previous_byte == byte && quarters < QUARTERS_PER_TOKEN;
                if repeats {
                    quarters += 1;
                } else {
                    total += 1;
                    quarters = 1;
                }
            }
        }
        previous = class;
        previous_byte = byte;
    }
    total
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn english_words_cost_one_token_per_four_letters() {
        assert_eq!(estimate_tokens("the"), 1);
        assert_eq!(estimate_tokens("hello"), 2);
        assert_eq!(estimate_tokens("the cat sat"), 3);
        assert_eq!(estimate_tokens("camelCase"), 4);
    }

    #[test]
    fn digits_and_wide_characters_are_dear() {
        assert_eq!(estimate_tokens("2026"), 4);
        assert_eq!(estimate_tokens("é"), 1);
        assert_eq!(estimate_tokens("日本"), 4);
        assert_eq!(estimate_tokens("🙂"), 3);
    }

    #[test]
    fn rules_of_dashes_and_indents_are_cheap() {
        assert_eq!(estimate_tokens("--------"), 2);
        assert_eq!(estimate_tokens("        x"), 3);
    }

    #[test]
    fn english_prose_is_estimated_on_the_high_side_but_not_twice_as_high() {
        let text = "Ask a question over documents far larger than any context window, let a swarm of \
                    untrusted GPUs answer it, pay them in sats only for work that verifies.";
        // GPT- and Llama-family vocabularies give 33 to 36 tokens for this sentence.
        assert!((36..=72).contains(&estimate_tokens(text)), "{}", estimate_tokens(text));
    }

    proptest! {
        #[test]
        fn lines_add_up(first in "\\PC{0,60}", second in any::<String>()) {
            let first = format!("{first}\n");
            prop_assert_eq!(
                estimate_tokens(&first) + estimate_tokens(&second),
                estimate_tokens(&format!("{first}{second}"))
            );
        }
    }
}
