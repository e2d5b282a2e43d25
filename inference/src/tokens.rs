//! How many tokens a text will be, without a tokenizer.

/// Weight of letters, in quarters of a token, that make up one token.
const QUARTERS_PER_TOKEN: u32 = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    let mut estimate = Estimate::default();
    for byte in text.bytes() {
        estimate.push(byte);
    }
    estimate.tokens
}

/// The estimate of a text that grows byte by byte.
#[derive(Debug, Clone)]
pub struct Estimate {
    /// Of the text so far.
    pub tokens: usize,
    previous: Class,
    previous_byte: u8,
    /// How much of the current token is used up, in units that depend on the class.
    quarters: u32,
}

impl Default for Estimate {
    fn default() -> Self {
        Self { tokens: 0, previous: Class::Start, previous_byte: 0, quarters: 0 }
    }
}

impl Estimate {
    /// The text's next byte.
    #[inline]
    pub fn push(&mut self, byte: u8) {
        // Continuation bytes belong to a character that has been paid for.
        if (0x80..0xC0).contains(&byte) {
            return;
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
        self.tokens += match class {
            Class::Start | Class::Digit => 1,
            Class::Wide => match byte {
                0xF0.. => 3,
                0xE0.. => 2,
                _ => 1,
            },
            Class::Lower | Class::Upper => self.letter(class),
            Class::Space => self.space(),
            Class::Mark => self.mark(byte),
        };
        self.previous = class;
        self.previous_byte = byte;
    }

    #[inline]
    fn letter(&mut self, class: Class) -> usize {
        let weight = if class == Class::Upper { 2 } else { 1 };
        let continues =
            self.previous == Class::Upper || (self.previous == Class::Lower && class == Class::Lower);
        let fits = continues && self.quarters + weight <= QUARTERS_PER_TOKEN;
        self.quarters = if fits { self.quarters + weight } else { weight };
        usize::from(!fits)
    }

    #[inline]
    fn space(&mut self) -> usize {
        self.quarters = if self.previous == Class::Space { self.quarters + 1 } else { 1 };
        let full = self.quarters == QUARTERS_PER_TOKEN;
        if full {
            self.quarters = 0;
        }
        usize::from(full)
    }

    #[inline]
    fn mark(&mut self, byte: u8) -> usize {
        let repeats = self.previous_byte == byte && self.quarters < QUARTERS_PER_TOKEN;
        self.quarters = if repeats { self.quarters + 1 } else { 1 };
        usize::from(!repeats)
    }
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
