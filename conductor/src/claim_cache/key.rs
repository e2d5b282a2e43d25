//! What makes two readings the same.

use frlm_questions::dialect::claims;
use frlm_questions::ingest::Fragment;
use frlm_verifier::VerificationPolicy;
use frlm_verifier::claims::prompt;
use frlm_verifier::request::VerificationLevel;
use sha2::{Digest as _, Sha256};

/// The form of keys and readings: others are never found.
const FORM: u32 = 1;

/// The part's lines, the headings that it stands under, the question and the wording of the prompts, as one hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key([u8; 32]);

impl Key {
    /// Of reading a part for a question. `manner` is how the answer is to be put, where the reader was told.
    ///
    /// Lines are counted from the part's first, so that it may have moved in its file. The file's name counts where the
    /// question speaks of it: "what does the lease of 2019 say" is another question of another lease with the same words.
    pub fn of(fragment: &Fragment, question: &str, manner: &str) -> Self {
        let mut hash = Sha256::new();
        let mut field = |bytes: &[u8]| {
            hash.update((bytes.len() as u64).to_be_bytes());
            hash.update(bytes);
        };
        field(&FORM.to_be_bytes());
        field(&prompt::VERSION.to_be_bytes());
        field(question.trim().as_bytes());
        field(manner.as_bytes());
        field(if speaks_of(question, &fragment.file) { fragment.file.as_bytes() } else { b"" });
        for heading in claims::headings(fragment) {
            field(heading.as_bytes());
        }
        field(b"lines");
        let first = *fragment.span.lines.start();
        for record in &fragment.records {
            field(&record.line.saturating_sub(first).to_be_bytes());
            field(record.prompt_text().as_bytes());
        }
        Self(hash.finalize().into())
    }

    /// Its bytes, as a file keeps them.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    #[cfg(test)]
    pub(super) fn of_bytes(byte: u8) -> Self {
        Self([byte; 32])
    }
}

/// Whether a word or number of a file's name, but for its ending, is one of the question's.
fn speaks_of(question: &str, file: &str) -> bool {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    words(stem).any(|word| words(question).any(|asked| asked == word))
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let apart = text.split(|c: char| !c.is_alphanumeric());
    apart.filter(|word| word.chars().count() > 1).map(str::to_lowercase)
}

/// How sure one wanted to be. What was verified more strictly serves who asks for less, never the other way round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strength {
    /// The level, as a number.
    pub level: u8,
    /// The fidelity that was asked for, in millionths.
    pub fidelity: u32,
}

impl Strength {
    /// Of what a run asks for; `None` where its readings are not settled by claims.
    pub fn of(policy: &VerificationPolicy, level: VerificationLevel) -> Option<Self> {
        let VerificationPolicy::Adaptive(config) = policy else { return None };
        let place = VerificationLevel::ALL.iter().position(|one| *one == level)?;
        let fidelity = (config.target_fidelity.clamp(0.0, 1.0) * 1e6).round();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most a million")]
        let fidelity = fidelity as u32;
        Some(Self { level: u8::try_from(place).ok()?, fidelity })
    }
}

#[cfg(test)]
mod tests {
    use frlm_questions::dialect::testing::fragment;
    use frlm_questions::ingest::{Document, SplitOptions, split};
    use frlm_verifier::AdaptiveConfig;

    use super::*;

    const QUESTION: &str = "What is owed?";

    /// The last part of a text that is cut in several.
    fn last(text: &str) -> Fragment {
        let options = SplitOptions { max_tokens: 12, max_records: 16 };
        split(&[Document::of_text("lease.txt", text)], options).pop().unwrap()
    }

    #[test]
    fn a_part_that_moved_has_the_same_key_and_one_that_changed_another() {
        let (one, moved) =
            (last("Lease of May.\n\nThe rent is 900 EUR."), last("Lease\nof\nMay.\n\nThe rent is 900 EUR."));
        assert_ne!(one.span.lines, moved.span.lines);
        assert_eq!(Key::of(&one, QUESTION, ""), Key::of(&moved, QUESTION, ""));
        let changed = last("Lease of May.\n\nThe rent is 950 EUR.");
        assert_ne!(Key::of(&one, QUESTION, ""), Key::of(&changed, QUESTION, ""));
    }

    #[test]
    fn another_question_or_wish_has_another_key() {
        let part = fragment("lease.txt", "The rent is 900 EUR.\n");
        assert_ne!(Key::of(&part, QUESTION, ""), Key::of(&part, "Who pays?", ""));
        assert_ne!(Key::of(&part, QUESTION, ""), Key::of(&part, QUESTION, "in German"));
    }

    #[test]
    fn a_file_may_be_renamed_unless_the_question_speaks_of_it() {
        let [old, new] =
            ["lease-2019.txt", "lease-2021.txt"].map(|name| fragment(name, "The rent is 900 EUR.\n"));
        let same = |question| Key::of(&old, question, "") == Key::of(&new, question, "");
        assert!(same(QUESTION) && same("What is a txt?"));
        assert!(!same("What is owed by the one of 2019?"));
    }

    #[test]
    fn lines_that_are_cut_otherwise_are_another_part() {
        let [one, two] = ["ab\nc\n", "a\nbc\n"].map(|text| fragment("a.txt", text));
        assert_ne!(Key::of(&one, QUESTION, ""), Key::of(&two, QUESTION, ""));
    }

    #[test]
    fn only_readings_that_are_settled_by_claims_have_a_strength() {
        let of = |fidelity: f64, level| {
            let config = AdaptiveConfig { target_fidelity: fidelity, ..AdaptiveConfig::default() };
            Strength::of(&VerificationPolicy::Adaptive(config), level).unwrap()
        };
        let [low, high] = [0.9, 0.99].map(|fidelity| of(fidelity, VerificationLevel::Standard));
        assert!(low.fidelity < high.fidelity && low.level == high.level);
        assert!(of(0.9, VerificationLevel::Critical).level > low.level);
        assert!(Strength::of(&VerificationPolicy::None, VerificationLevel::Standard).is_none());
        assert!(Strength::of(&VerificationPolicy::TWO_OF_THREE, VerificationLevel::Standard).is_none());
    }
}
