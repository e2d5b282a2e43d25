//! Two recorded runs side by side, fact by fact: what `frlm runs diff` shows, as the window does.

use std::fmt::Write as _;

use frlm_conductor::trace::view::{Ending, RunView};
use frlm_protocol::one_line;
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

type Tell = fn(&RunView) -> String;

/// In the order in which people ask for them.
const FACTS: [(&str, Tell); 13] = [
    ("question", |view| view.question.clone()),
    ("answer", answer),
    ("coverage", |view| share(view, |answer| answer.coverage)),
    ("confidence", |view| share(view, |answer| answer.confidence)),
    ("agreement", |view| share(view, |answer| answer.verification.agreement)),
    ("documents", |view| view.documents.join(", ")),
    ("accepted by", |view| view.policy.clone()),
    ("cap", |view| format!("{} sats", view.limit_sats)),
    ("spent", |view| format!("{} sats", view.money.now().spent)),
    ("verified", |view| format!("{} of {}", view.verified(), view.subtasks.len())),
    ("disputed", |view| view.dissents.to_string()),
    ("providers", providers),
    ("took", |view| lasting(view.at_ms)),
];

/// All facts about two runs.
pub fn facts(first: &RunView, second: &RunView) -> Vec<Fact> {
    let fact = |(name, tell): (&'static str, Tell)| {
        let (first, second) = (tell(first), tell(second));
        Fact { name, differs: first != second, first, second }
    };
    FACTS.map(fact).into()
}

/// For people: what is the same on one line, what differs on two.
pub fn in_words(facts: &[Fact]) -> String {
    let mut text = String::new();
    for Fact { name, first, second, differs } in facts {
        let mark = if *differs { '≠' } else { ' ' };
        // Writing into a String cannot fail, here and below.
        let _ = writeln!(text, "{mark} {name:<12} {}", one_line(first));
        if *differs {
            let _ = writeln!(text, "  {:<12} {}", "", one_line(second));
        }
    }
    text
}

fn answer(view: &RunView) -> String {
    match &view.ending {
        Some(Ending::Answered(answer)) => answer.answer.clone(),
        Some(Ending::Failed { error, .. }) => format!("none: {error}"),
        None => "none: it has not ended".to_owned(),
    }
}

fn share(view: &RunView, of: fn(&frlm_conductor::answer::Answer) -> f64) -> String {
    match &view.ending {
        Some(Ending::Answered(answer)) => format!("{:.2}", of(answer)),
        _ => "–".to_owned(),
    }
}

/// Those that were asked.
fn providers(view: &RunView) -> String {
    let asked = view.providers.iter().filter(|provider| provider.asked > 0);
    asked.map(|provider| view.name_of(provider)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(question: &str, policy: &str) -> RunView {
        let mut view = RunView::of(&[]);
        question.clone_into(&mut view.question);
        policy.clone_into(&mut view.policy);
        view
    }

    #[test]
    fn what_differs_is_marked_and_stands_on_two_lines() {
        let (mut first, second) = (view("How many\nfailed?", "adaptive"), view("How many\nfailed?", "none"));
        first.ending = Some(Ending::Failed { error: "\u{1b}[31mnobody there".to_owned(), exit_code: 4 });
        let facts = facts(&first, &second);
        let differing: Vec<&str> = facts.iter().filter(|fact| fact.differs).map(|fact| fact.name).collect();
        assert_eq!(differing, ["answer", "accepted by"]);
        let text = in_words(&facts);
        assert!(text.starts_with("  question     How many\\nfailed?\n≠ answer       none: "), "{text}");
        assert!(text.contains("≠ accepted by  adaptive\n               none\n"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
        assert_eq!(text.lines().count(), FACTS.len() + 2);
    }

    #[test]
    fn a_run_is_the_same_as_itself() {
        let one = view("How many?", "adaptive");
        assert!(facts(&one, &one).iter().all(|fact| !fact.differs));
    }
}
