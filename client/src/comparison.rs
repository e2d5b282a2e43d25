//! Two recorded runs side by side, fact by fact: what `frlm runs diff` shows, as the window does.

use std::fmt::Write as _;

use crate::view::{Ending, RunView};
use frlm_protocol::one_line;
use frlm_wallet::Money;
use serde::Serialize;

use crate::units::lasting;

/// A fact about two runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// What is compared.
    pub name: &'static str,
    /// The first run's.
    pub first: String,
    /// The second run's.
    pub second: String,
    /// Whether the runs differ in it.
    pub differs: bool,
}

/// One of the runs.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// What is recorded of it.
    pub view: &'a RunView,
    /// What its sats are.
    pub money: Money,
}

type Tell = fn(&Side<'_>) -> String;

/// In the order in which people ask for them.
const FACTS: [(&str, Tell); 13] = [
    ("question", |side| side.view.start.question.clone()),
    ("answer", |side| answer(side.view)),
    ("coverage", |side| share(side.view, |answer| answer.coverage)),
    ("confidence", |side| share(side.view, |answer| answer.confidence)),
    ("agreement", |side| share(side.view, |answer| answer.verification.agreement)),
    ("documents", |side| side.view.start.documents.join(", ")),
    ("accepted by", |side| side.view.start.policy.clone()),
    ("cap", |side| format!("{} {}", side.view.budget.limit_sats, side.money.unit())),
    ("spent", |side| format!("{} {}", side.view.money.now().spent, side.money.unit())),
    ("verified", |side| format!("{} of {}", side.view.progress.verified(), side.view.subtasks.len())),
    ("disputed", |side| side.view.checks.dissents.to_string()),
    ("providers", |side| providers(side.view)),
    ("took", |side| lasting(side.view.at_ms)),
];

/// All facts about two runs.
pub fn facts(first: Side<'_>, second: Side<'_>) -> Vec<Fact> {
    let fact = |(name, tell): (&'static str, Tell)| {
        let (first, second) = (tell(&first), tell(&second));
        Fact { name, differs: first != second, first, second }
    };
    FACTS.map(fact).into()
}

/// For people: what is the same on one line, what differs on two.
pub fn in_words(facts: &[Fact]) -> String {
    let mut text = String::new();
    for Fact { name, first, second, differs } in facts {
        let label = label_of(name);
        let mark = if *differs { '≠' } else { ' ' };
        // Writing into a String cannot fail, here and below.
        let _ = writeln!(text, "{mark} {label:<12} {}", one_line(first));
        if *differs {
            let _ = writeln!(text, "  {:<12} {}", "", one_line(second));
        }
    }
    text
}

/// What people call a fact: programs that read `--json` know two of them by older names.
fn label_of(name: &str) -> &str {
    match name {
        "accepted by" => "verification",
        "cap" => "budget",
        name => name,
    }
}

fn answer(view: &RunView) -> String {
    match &view.ending {
        Some(Ending::Answered(answer)) => answer.answer.clone(),
        Some(Ending::Failed { error, .. }) => format!("none: {error}"),
        None => "none: it has not ended".to_owned(),
    }
}

fn share(view: &RunView, of: fn(&frlm_questions::answer::Answer) -> f64) -> String {
    match &view.ending {
        Some(Ending::Answered(answer)) => format!("{:.2}", of(answer)),
        _ => "–".to_owned(),
    }
}

/// Those that were asked.
fn providers(view: &RunView) -> String {
    let asked = view.providers.iter().filter(|provider| provider.asked > 0);
    asked.map(|provider| view.providers.name_of(provider)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing_traces::Recipe;

    fn view(question: &str, policy: &str) -> RunView {
        let mut view = RunView::of(&[]);
        question.clone_into(&mut view.start.question);
        policy.clone_into(&mut view.start.policy);
        view
    }

    fn real(view: &RunView) -> Side<'_> {
        Side { view, money: Money::Real }
    }

    #[test]
    fn play_money_is_never_called_sats_alone() {
        let one = view("How many?", "adaptive");
        let facts = facts(Side { view: &one, money: Money::Play }, real(&one));
        let of = |name: &str| facts.iter().find(|fact| fact.name == name).unwrap();
        for name in ["cap", "spent"] {
            assert_eq!(
                (of(name).first.as_str(), of(name).second.as_str()),
                ("0 play sats (worth nothing)", "0 sats")
            );
            assert!(of(name).differs);
        }
    }

    #[test]
    fn what_differs_is_marked_and_stands_on_two_lines() {
        let (mut first, second) = (view("How many\nfailed?", "adaptive"), view("How many\nfailed?", "none"));
        first.ending = Some(Ending::Failed { error: "\u{1b}[31mnobody there".to_owned(), exit_code: 4 });
        let facts = facts(real(&first), real(&second));
        let differing: Vec<&str> = facts.iter().filter(|fact| fact.differs).map(|fact| fact.name).collect();
        assert_eq!(differing, ["answer", "accepted by"]);
        let text = in_words(&facts);
        assert!(text.starts_with("  question     How many\\nfailed?\n≠ answer       none: "), "{text}");
        assert!(text.contains("≠ verification adaptive\n               none\n"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
        assert_eq!(text.lines().count(), FACTS.len() + 2);
    }

    #[test]
    fn a_run_is_the_same_as_itself() {
        let one = RunView::of(&Recipe::done(9));
        let facts = facts(real(&one), real(&one));
        assert!(facts.iter().all(|fact| !fact.differs));
        let told = |name: &str| facts.iter().find(|fact| fact.name == name).unwrap().first.as_str();
        assert_eq!((told("verified"), told("disputed"), told("coverage")), ("9 of 9", "1", "1.00"));
    }
}
