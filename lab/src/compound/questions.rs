//! Questions of several parts over generated documents, each with its right answer.

use std::path::{Path, PathBuf};

use frlm_learning::planning::account::Asked;

use crate::model::documents::{Document, Question, Right};

/// Documents of a seed; those of training are never asked of afterwards.
const DOCUMENTS_PER_SEED: usize = 100_000;
/// Where the held-out ones begin among them.
const HELD_OUT: usize = 50_000;

/// What the questions are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To learn from.
    Training,
    /// To measure by.
    Measuring,
}

/// A question of a document.
#[derive(Debug)]
pub struct Case {
    /// Its type: fan, chain, side by side, many.
    pub kind: &'static str,
    /// As a person asks it.
    pub text: String,
    /// What is right, by the rows of the document.
    pub right: Right,
    /// The document.
    pub file: PathBuf,
    /// What the policy may know of it.
    pub asked: Asked,
}

/// Before a question that is for a model to take apart: code reads no question that begins with something else.
const PREFACE: &str = "I am preparing a talk about this shop and would like to be sure of a few things.";

/// How a generated question is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wording {
    /// As code reads it.
    Plain,
    /// With something before it, so that a model must take it apart.
    Loose,
}

impl Wording {
    /// The question in these words.
    pub fn of(self, question: &str) -> String {
        match self {
            Self::Plain => question.to_owned(),
            Self::Loose => format!("{PREFACE} {question}"),
        }
    }
}

/// Questions, and how many more were drawn that are not for the policy: it has no say in them.
#[derive(Debug)]
pub struct Drawn {
    /// As many as were wanted.
    pub cases: Vec<Case>,
    /// Passed over.
    pub passed_over: usize,
}

/// Draws questions; their documents are written below `folder`. `read` says what the policy would know of one in its
/// words; `None` where it has no say.
pub fn draw(
    purpose: Purpose,
    seed: u64,
    count: usize,
    lines: usize,
    folder: &Path,
    wording: Wording,
    read: impl Fn(&str, &Path) -> anyhow::Result<Option<Asked>>,
) -> anyhow::Result<Drawn> {
    let mut drawn = Drawn { cases: Vec::with_capacity(count), passed_over: 0 };
    // Some forms are not read in parts; all others are, in one question at least.
    for number in (first_document(purpose, seed)..).take(count * 8 + 8) {
        if drawn.cases.len() >= count {
            break;
        }
        let document = Document::generate(number, lines);
        let place = folder.join(number.to_string());
        std::fs::create_dir_all(&place)?;
        let file = place.join(document.form.name());
        std::fs::write(&file, &document.text)?;
        for Question { kind, text, right } in document.compound.into_iter().chain(document.many) {
            if drawn.cases.len() >= count {
                break;
            }
            let text = wording.of(&text);
            match read(&text, &file)? {
                Some(asked) => drawn.cases.push(Case { kind, text, right, file: file.clone(), asked }),
                None => drawn.passed_over += 1,
            }
        }
    }
    anyhow::ensure!(
        drawn.cases.len() == count,
        "only {} of {} generated questions are for the policy, and {count} were wanted",
        drawn.cases.len(),
        drawn.cases.len() + drawn.passed_over
    );
    Ok(drawn)
}

/// The number of the first document: no other seed and no other purpose comes near it.
fn first_document(purpose: Purpose, seed: u64) -> usize {
    let seed = usize::try_from(seed % 1_000_000).unwrap_or(0);
    let within = match purpose {
        Purpose::Training => 0,
        Purpose::Measuring => HELD_OUT,
    };
    // Those of `frlm-lab model` come before.
    (seed + 1) * DOCUMENTS_PER_SEED + within
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::compound::swarm;

    fn drawn(purpose: Purpose, seed: u64, folder: &Path) -> Drawn {
        draw(purpose, seed, 40, 48, folder, Wording::Plain, swarm::read).unwrap()
    }

    #[test]
    fn what_is_measured_by_was_not_learned_from_and_every_seed_has_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let mut seen: HashSet<String> = HashSet::new();
        for purpose in [Purpose::Training, Purpose::Measuring] {
            for seed in [1, 2] {
                let cases = drawn(purpose, seed, folder.path()).cases;
                assert_eq!(cases.len(), 40);
                let texts: HashSet<String> =
                    cases.iter().map(|case| std::fs::read_to_string(&case.file).unwrap()).collect();
                assert!(texts.is_disjoint(&seen), "{purpose:?} {seed}");
                seen.extend(texts);
            }
        }
    }

    #[test]
    fn the_same_seed_draws_the_same_questions_of_every_kind_and_length() {
        let folder = tempfile::tempdir().unwrap();
        let (one, same) =
            (drawn(Purpose::Measuring, 3, folder.path()), drawn(Purpose::Measuring, 3, folder.path()));
        let texts = |drawn: &Drawn| drawn.cases.iter().map(|case| case.text.clone()).collect::<Vec<_>>();
        assert_eq!((texts(&one), one.passed_over), (texts(&same), same.passed_over));
        let kinds: HashSet<&str> = one.cases.iter().map(|case| case.kind).collect();
        assert_eq!(kinds, HashSet::from(["fan", "chain", "side by side", "many"]));
        let parts: HashSet<u32> = one.cases.iter().map(|case| case.asked.parts).collect();
        assert!(parts.contains(&2) && parts.iter().any(|parts| *parts > 4), "{parts:?}");
    }

    #[test]
    fn what_is_loosely_put_code_does_not_read_and_a_model_may() {
        let folder = tempfile::tempdir().unwrap();
        let loose =
            draw(Purpose::Training, 4, 12, 48, folder.path(), Wording::Loose, swarm::read_loosely).unwrap();
        for case in &loose.cases {
            assert!(swarm::read(&case.text, &case.file).unwrap().is_none(), "{}", case.text);
            assert!(case.asked.parts > 1, "{}: {:?}", case.text, case.asked);
        }
    }
}
