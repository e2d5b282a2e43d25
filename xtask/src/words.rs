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
    ("questions/src/asker.rs", "for bad in ["),
    ("questions/src/plan/arrangement.rs", "for value in ["),
    ("questions/src/question/plan_check.rs", "any(|mark| question.contains("),
    ("questions/src/question/plan_check.rs", "let apart = |c: char|"),
    ("questions/src/question/plan_check.rs", "Is there any line that mentions"),
    ("questions/src/question/compound/plan_check/words.rs", "let around = |c: char|"),
    ("questions/src/question/compound/plan_check/words.rs", "raw.chars().rev().find("),
    ("questions/src/question/compound/proposed.rs", "let apart = |c: char|"),
    ("questions/src/question/rewrite.rs", "let question = \"Who said"),
    ("questions/src/question/rewrite.rs", "let kept = \"Name who"),
    ("questions/src/reduce/words/claims.rs", "let separates = |c: char|"),
    ("verifier/src/claims/token.rs", "begins |="),
    ("verifier/src/decisions/tests/grammar.rs", "changed(|a| a[\"reasoning\"]"),
    ("verifier/src/normalise/sentence.rs", "|c: char| c.is_whitespace()"),
];

/// Names that were replaced, and by what (docs/glossary.md). Names that are also English words are not here.
const REPLACED: &[(&str, &str)] = &[
    ("appraise", "record_experience"),
    ("ask_less", "relax_requirements"),
    ("be_patient", "set_attempt_timeout"),
    ("beacon", "announcer"),
    ("Beacon", "Announcer"),
    ("BrainAccount", "LearnerAccount"),
    ("BrainError", "LearnerError"),
    ("BrainMemory", "LearnerMemory"),
    ("call_off", "cancel"),
    ("CalledOff", "Cancelled"),
    ("CallOff", "Cancel"),
    ("decline_tab", "decline_debt"),
    ("Doubting", "MeltGuardConnector"),
    ("Engaged", "CreditQueue"),
    ("excuse_tab", "waive_debt"),
    ("expire_tabs", "expire_debts"),
    ("Fate", "SettlementOutcome"),
    ("Happening", "ActorEvent"),
    ("InHand", "SwapGuard"),
    ("kept_homes", "demo_homes"),
    ("last_words", "render_error"),
    ("look_ahead", "probe_counters"),
    ("look_around", "refresh_machine"),
    ("look_at_the_clock", "check_deadline"),
    ("Manner", "AnswerMetadata"),
    ("Market", "ProviderScoring"),
    ("Meanings", "SemanticMatcher"),
    ("Meant", "MatchResult"),
    ("mirror", "earnings_report"),
    ("Odds", "DisagreementGraph"),
    ("open_tab", "open_debt"),
    ("outlook", "run_estimate"),
    ("Outrun", "CounterCollision"),
    ("play_economy", "demo_mint"),
    ("Purse", "Balance"),
    ("Reins", "RunHandle"),
    ("second_look", "recheck"),
    ("SecondLooks", "Rechecks"),
    ("see_to", "resume"),
    ("set_aside", "reserved"),
    ("settle_the_past", "reconcile_previous_runs"),
    ("settle_told", "settle_acknowledged"),
    ("Slot", "SubtaskRecord"),
    ("SlotState", "Progress"),
    ("squeezed", "collapse_whitespace"),
    ("TabFull", "CreditLineFull"),
    ("TabLimits", "CreditLine"),
    ("take_back", "reclaim"),
    ("TakeBack", "Reclaim"),
    ("TakenBack", "Reclaimed"),
    ("teller", "event_sender"),
    ("upkeep", "wallet_maintenance"),
    ("wind_up", "shutdown"),
    ("Workshop", "JobExecutor"),
];
/// Items that were replaced. Their names are also English words, or right for other things, so that only the item is refused.
const ITEMS: &[(&str, &str)] = &[
    ("enum Standing", "the status of what it is about"),
    ("enum Waits", "Pending"),
    ("fn brain", "learner"),
    ("fn door", "a payment check"),
    ("fn elsewhere", "where that is"),
    ("fn fate", "outcome"),
    ("fn gifts", "free_jobs"),
    ("fn glance", "quick_simulation"),
    ("fn handful", "preferred_batch_size"),
    ("fn obey", "handle_command"),
    ("fn owe", "record_debts"),
    ("fn patience", "timeout"),
    ("fn purse", "wallet_manager"),
    ("fn standing", "status"),
    ("fn till", "payments"),
    ("fn turned_down", "rejected or declined"),
    ("mod again", "retry or resume"),
    ("mod brain", "learner"),
    ("mod desk", "nostr_service"),
    ("mod door", "check"),
    ("mod elsewhere", "shared_seed"),
    ("mod fate", "outcome"),
    ("mod gifts", "free_jobs"),
    ("mod held", "gating"),
    ("mod keep", "background_writer"),
    ("mod market", "provider_scoring"),
    ("mod purse", "balance"),
    ("mod terms", "types"),
    ("mod till", "payments"),
    ("struct Desk", "NostrService"),
    ("struct Hands", "a context"),
    ("struct Keeper", "a manager"),
    ("struct Keeping", "BackgroundWriter"),
    ("struct Lanes", "Tracks"),
    ("struct No", "JobRejection"),
    ("struct Share", "NoteBatch"),
    ("struct Standing", "the status of what it is about"),
    ("struct Strategies", "AnswerValidation"),
    ("struct Till", "Payments"),
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
    let items = words().zip(words().skip(1)).filter_map(|item| {
        let named = format!("{} {}", item.0, item.1);
        let (_, by) = ITEMS.iter().find(|(known, _)| *known == named)?;
        Some(format!("{named} was replaced by {by}"))
    });
    long.chain(replaced).chain(items)
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
        let text = format!(
            "fn {longest}() {{}}\npub async fn {longer}<T>() {{}}\nlet x = self.upkeep(upkeeper);\n/// One fn till: till now\n"
        );
        assert_eq!(
            found(&[("a.rs", text.as_str()), ("b.md", text.as_str())], &[]),
            [
                format!("a.rs:2: {longer} has 71 characters, and a function's name at most 70"),
                "a.rs:3: upkeep was replaced by wallet_maintenance".to_owned(),
                "a.rs:4: fn till was replaced by payments".to_owned(),
            ]
        );
    }
}
