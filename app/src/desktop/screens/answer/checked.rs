//! Draws what the last look at the whole answer found (tier 4), what was looked at again (tier 3), and what to know
//! before an answer of high stakes is acted on.

use egui::Ui;
use frlm_client::conductor::answer::{Answer, VerificationReport};
use frlm_client::conductor::run::known::ANOTHER;
use frlm_client::verifier::sampling::Domain;
use lucide_icons::Icon;

use super::state::Action;
use crate::desktop::command::Commands;
use crate::desktop::screens::Screen;
use crate::desktop::state::State;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::words::plural;
use crate::desktop::widgets::{Banner, Button, Tone, Unit, figure_ui, soft, thousands};
use frlm_client::{output, recorded};

/// What the reader must know before the text itself.
pub fn reservations_ui(ui: &mut Ui, state: &State, answer: &Answer, commands: &mut Commands) {
    if state.run.unit == Unit::Play && recorded::is_played(&state.run.view) {
        Banner { tone: Tone::Warn, what: "A recording speaks here", safe: recorded::RECORDED }
            .show(ui, |_| {});
    }
    if answer.caution().is_some() {
        caution_ui(ui, &state.run.view.start.question, commands);
    }
    if let Some(doubt) = answer.doubt() {
        Banner { tone: Tone::Warn, what: "Do not rely on this answer", safe: &doubt }.show(ui, |_| {});
    }
    let findings = findings(&answer.verification);
    let partial = answer.coverage < 1.0;
    if !partial && findings.is_empty() {
        return;
    }
    let (what, safe) = if partial {
        let safe = "Where that matters, it says \"at least\" or \"at most\". Everything in it was verified.";
        ("This answer does not cover everything", safe)
    } else {
        let safe = "The final check found these problems. The parts of the answer are verified and paid.";
        ("The final check found problems", safe)
    };
    Banner { tone: Tone::Warn, what, safe }.show_points(ui, &findings, |ui| {
        if answer.subtasks.verified < answer.subtasks.total {
            // Drawn by the column on the right: which parts are missing.
            ui.label(soft(ui, "What is missing is listed on the right."));
        }
        if findings.iter().any(|finding| finding.starts_with(ANOTHER)) {
            known_ui(ui, state, commands);
        }
    });
}

/// The user says which of the two is wrong.
fn known_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    if state.answer.forgotten {
        ui.label(soft(ui, "Forgotten: later runs are not compared with it."));
        return;
    }
    if state.answer.forgetting {
        // The known one is not this answer: keeping this one does not bring it back.
        Button::danger("Forget it for good").icon(Icon::Eraser).show(ui, commands, Action::Forget);
        Button::new("Keep it").show(ui, commands, Action::AskForget(false));
        return;
    }
    let hint = "if the documents have changed, or if the known answer was wrong";
    let button = Button::new("Forget the known answer").icon(Icon::Eraser).hint(hint);
    button.show(ui, commands, Action::AskForget(true));
}

/// An answer that somebody might act on and that rests only on providers that the user did not choose.
fn caution_ui(ui: &mut Ui, question: &str, commands: &mut Commands) {
    let safe = format!(
        "This is a {} question, and no provider of your choice answered it or reviewed the answers. Prefer \
         providers that you know, name a validator, or use a model of your own.",
        Domain::of(question).name()
    );
    Banner { tone: Tone::Warn, what: "Do not act on this answer yet", safe: &safe }.show(ui, |ui| {
        Button::new("Choose providers").icon(Icon::Users).show(ui, commands, Screen::Providers);
        Button::new("Open Models").icon(Icon::Cpu).show(ui, commands, Screen::Models);
    });
}

/// What is wrong, in words that can be shown; beyond some only how many more.
fn findings(verification: &VerificationReport) -> Vec<String> {
    let (mut lines, more) = output::findings(verification);
    if more > 0 {
        lines.push(format!("and {more} more, in the answer saved as JSON"));
    }
    lines
}

/// The tiers after the comparison, as figures beside the others.
pub fn tiers_ui(ui: &mut Ui, answer: &Answer) {
    let verification = &answer.verification;
    if let Some(claims) = verification.claims {
        let found = format!("{} of {}", thousands(claims.used() as u64), thousands(claims.all() as u64));
        let saved = claims.reuse_in_words().map_or(String::new(), |saved| {
            format!(". {saved}; to read all of it again, choose \"Read everything again\" on Ask")
        });
        let finds = answer.completeness.map_or(String::new(), |finds| format!(". {}", finds.in_words()));
        figure_ui(ui, "Claims used", &found, &format!("{}{saved}{finds}", claims.in_words()));
        ui.add_space(space::S);
    }
    let Some(check) = &verification.final_check else { return };
    ui.columns(2, |columns| {
        let found = match (check.passed, answer.coverage < 1.0) {
            (true, _) => "passed",
            (false, true) => "incomplete",
            (false, false) => "has issues",
        };
        let about = format!("{} found in the sources", plural(check.claims, "claim"));
        figure_ui(&mut columns[0], "Final check", found, &about);
        let again = verification.spot_checks + verification.rechecks;
        figure_ui(&mut columns[1], "Spot checks", &thousands(again as u64), &known(verification));
    });
    ui.add_space(space::S);
}

/// How answers did that code knew beforehand: tests, which look like any other part.
fn known(verification: &VerificationReport) -> String {
    match (verification.gold_failed, verification.gold_tasks) {
        (0, 0) => "answers, at random or when in doubt".to_owned(),
        (failed, known) => format!("{} with a known answer, {failed} wrong", plural(known, "test")),
    }
}

#[cfg(test)]
mod tests {
    use frlm_conductor::answer::FinalReport;

    use super::*;
    use crate::desktop::screens::run::samples::answer;
    use frlm_client::output::MOST_FINDINGS;

    #[test]
    fn many_findings_are_counted_and_none_hides() {
        let mut verification = answer().verification;
        let all: Vec<String> = (1..=9).map(|number| format!("note {number} is not used")).collect();
        verification.final_check = Some(FinalReport { passed: false, claims: 9, findings: all });
        let lines = findings(&verification);
        assert_eq!(lines.len(), MOST_FINDINGS + 1);
        assert_eq!(lines[0], "note 1 is not used");
        assert_eq!(lines[MOST_FINDINGS], "and 3 more, in the answer saved as JSON");
        let check = verification.final_check.as_mut().unwrap();
        check.findings.push(format!("{ANOTHER}\"26\", and this is another one"));
        assert!(
            findings(&verification)[0].starts_with(ANOTHER),
            "what the user knows is never among the rest"
        );
        verification.final_check = None;
        assert!(findings(&verification).is_empty(), "runs of earlier versions had no such look");
    }

    #[test]
    fn what_code_knew_is_said_where_there_was_any() {
        let mut verification = answer().verification;
        (verification.gold_failed, verification.gold_tasks) = (0, 0);
        assert_eq!(known(&verification), "answers, at random or when in doubt");
        (verification.gold_failed, verification.gold_tasks) = (1, 5);
        assert_eq!(known(&verification), "5 tests with a known answer, 1 wrong");
    }
}
