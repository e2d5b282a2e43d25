//! `cargo xtask words`: no guillemets, no long names of functions, and no name that was replaced.
//!
//! Guillemets are data where the program reads what people type. Char literals of them are always that; other lines that have
//! them are named in [`DATA`].

use std::collections::BTreeSet;
use std::path::Path;

use crate::links::{Repository, is_a, is_seed};

/// Characters of a function's name, at most.
const LONGEST_NAME: usize = 70;

/// The opening and the closing one.
const GUILLEMETS: [char; 2] = ['\u{ab}', '\u{bb}'];

/// Lines whose guillemets are data: the file, and a piece of the line. One that is named here and gone is a problem as well.
const DATA: &[(&str, &str)] = &[
    ("conductor/src/asker.rs", "for bad in ["),
    ("conductor/src/plan/arrangement.rs", "for value in ["),
    ("conductor/src/question/account.rs", "any(|mark| question.contains("),
    ("conductor/src/question/account.rs", "let apart = |c: char|"),
    ("conductor/src/question/account.rs", "Is there any line that mentions"),
    ("conductor/src/question/compound/account/words.rs", "let around = |c: char|"),
    ("conductor/src/question/compound/account/words.rs", "raw.chars().rev().find("),
    ("conductor/src/question/compound/proposed.rs", "let apart = |c: char|"),
    ("conductor/src/question/rewrite.rs", "let question = \"Who said"),
    ("conductor/src/question/rewrite.rs", "let kept = \"Name who"),
    ("conductor/src/reduce/words/claims.rs", "let separates = |c: char|"),
    ("verifier/src/claims/token.rs", "begins |="),
    ("verifier/src/decisions/tests/grammar.rs", "changed(|a| a[\"reasoning\"]"),
    ("verifier/src/normalise/sentence.rs", "|c: char| c.is_whitespace()"),
];

/// Names that were replaced, and by what (docs/glossary.md). Names that are also English words are not here.
const REPLACED: &[(&str, &str)] = &[
    ("ask_less", "relax_requirements"),
    ("kept_homes", "demo_homes"),
    ("outlook", "run_estimate"),
    ("play_economy", "demo_mint"),
    ("Reins", "RunHandle"),
    ("squeezed", "collapse_whitespace"),
    ("upkeep", "wallet_maintenance"),
];
/// This file names what was replaced.
const OWN: &str = "xtask/src/words.rs";

/// Checks the tracked files of the repository at `root`. Each problem names its file and line.
pub fn run(root: &Path) -> Result<(), Vec<String>> {
    let repository = Repository::read(root).map_err(|error| vec![error])?;
    let problems = problems(&repository, DATA);
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

fn problems(repository: &Repository, data: &[(&str, &str)]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut gone: BTreeSet<_> = data.iter().copied().collect();
    for (path, text) in repository.files().filter(|(path, _)| !is_seed(path)) {
        for (at, line) in text.lines().enumerate() {
            let place = format!("{path}:{}", at + 1);
            if has_guillemets(line) {
                let named = data.iter().find(|(file, piece)| *file == path && line.contains(piece));
                match named {
                    Some(entry) => {
                        gone.remove(entry);
                    }
                    None => problems.push(format!("{place}: guillemets; write \"…\" or `…`")),
                }
            }
            if is_a(path, "rs") && path != OWN {
                problems.extend(names(line).map(|problem| format!("{place}: {problem}")));
            }
        }
    }
    problems.extend(gone.iter().map(|(file, piece)| {
        format!("{OWN}: DATA names a line of {file} with `{piece}`, and there is none with guillemets")
    }));
    problems
}

/// Whether a line has guillemets outside of char literals.
fn has_guillemets(line: &str) -> bool {
    line.contains(GUILLEMETS)
        && GUILLEMETS
            .iter()
            .fold(line.to_owned(), |line, mark| line.replace(&format!("'{mark}'"), ""))
            .contains(GUILLEMETS)
}

/// What is wrong with the names in a line of Rust.
fn names(line: &str) -> impl Iterator<Item = String> {
    let words = || line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let functions = words().zip(words().skip(1)).filter(|(before, _)| *before == "fn").map(|(_, name)| name);
    let long = functions.filter(|name| name.len() > LONGEST_NAME).map(|name| {
        format!("{name} has {} characters, and a function's name at most {LONGEST_NAME}", name.len())
    });
    let replaced = words().filter_map(|word| {
        let (_, by) = REPLACED.iter().find(|(name, _)| *name == word)?;
        Some(format!("{word} was replaced by {by}"))
    });
    long.chain(replaced)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_this_repository_are_those_that_are_wanted() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        if let Err(problems) = run(&root) {
            panic!("{} problems:\n{}", problems.len(), problems.join("\n"));
        }
    }

    fn found(files: &[(&str, &str)], data: &[(&str, &str)]) -> Vec<String> {
        problems(&Repository::of(files), data)
    }

    #[test]
    fn guillemets_are_found_in_every_text_that_is_no_data() {
        let [open, close] = GUILLEMETS;
        let quoted = format!("first\n// {open}x{close}\n");
        let chars = format!("['{open}', '{close}']\n");
        let marks = format!("let marks = \"{open}{close}\";\n");
        let files = [
            ("a.rs", quoted.as_str()),
            ("b.md", quoted.as_str()),
            ("c.rs", chars.as_str()),
            ("d.rs", marks.as_str()),
            ("docs/seeds/e.md", quoted.as_str()),
        ];
        let wrong = |place: &str| format!("{place}: guillemets; write \"…\" or `…`");
        assert_eq!(found(&files, &[("d.rs", "let marks")]), [wrong("a.rs:2"), wrong("b.md:2")]);
        assert_eq!(found(&files[3..], &[]), [wrong("d.rs:1")]);
        assert_eq!(
            found(&files[3..], &[("d.rs", "let other")]).len(),
            2,
            "the line, and the entry that is gone"
        );
    }

    #[test]
    fn long_names_of_functions_and_replaced_names_are_found_in_rust() {
        let (longest, longer) = ("a".repeat(LONGEST_NAME), "b".repeat(LONGEST_NAME + 1));
        let text =
            format!("fn {longest}() {{}}\npub async fn {longer}<T>() {{}}\nlet x = self.upkeep(upkeeper);\n");
        assert_eq!(
            found(&[("a.rs", text.as_str()), ("b.md", text.as_str())], &[]),
            [
                format!("a.rs:2: {longer} has 71 characters, and a function's name at most 70"),
                "a.rs:3: upkeep was replaced by wallet_maintenance".to_owned(),
            ]
        );
    }
}
