//! Draws what the last look at the whole answer found (tier 4), what was looked at again (tier 3), and what to know
//! before an answer of high stakes is acted on.

use egui::Ui;
use frlm_client::conductor::run::known::ANOTHER;
use frlm_client::questions::answer::{Answer, VerificationReport};
use frlm_client::verifier::sampling::Domain;
use lucide_icons::Icon;

use super::state::Action;
use super::words;
use crate::desktop::command::Commands;
use crate::desktop::screens::Screen;
use crate::desktop::state::State;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::{Banner, Button, Tone, Unit, figure_ui, soft, thousands};
use frlm_client::{output, recorded};

/// What the reader must know before the text itself.
pub fn reservations_ui(ui: &mut Ui, state: &State, answer: &Answer, commands: &mut Commands) {
    if state.run.unit == Unit::Play && recorded::is_played(&state.run.view) {
        let banner = Banner { tone: Tone::Warn, what: words::RECORDING, safe: recorded::RECORDED };
        banner.show(ui, |_| {});
    }
    if answer.caution().is_some() {
        caution_ui(ui, &state.run.view.start.question, commands);
    }
    if let Some(doubt) = answer.doubt() {
        Banner { tone: Tone::Warn, what: words::DO_NOT_RELY, safe: &doubt }.show(ui, |_| {});
    }
    let findings = findings(&answer.verification);
    let partial = answer.coverage < 1.0;
    if !partial && findings.is_empty() {
        return;
    }
    let (what, safe) =
        if partial { (words::PARTIAL, words::PARTIAL_SAFE) } else { (words::PROBLEMS, words::PROBLEMS_SAFE) };
    Banner { tone: Tone::Warn, what, safe }.show_points(ui, &findings, |ui| {
        if answer.subtasks.verified < answer.subtasks.total {
            // Drawn by the column on the right: which parts are missing.
            ui.label(soft(ui, words::MISSING_ON_RIGHT));
        }
        if findings.iter().any(|finding| finding.starts_with(ANOTHER)) {
            known_ui(ui, state, commands);
        }
    });
}

/// The user says which of the two is wrong.
fn known_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    if state.answer.forgotten {
        ui.label(soft(ui, words::FORGOTTEN));
        return;
    }
    if state.answer.forgetting {
        // The known one is not this answer: keeping this one does not bring it back.
        Button::danger(words::FORGET_FOR_GOOD).icon(Icon::Eraser).show(ui, commands, Action::Forget);
        Button::new(words::KEEP_IT).show(ui, commands, Action::AskForget(false));
        return;
    }
    let button = Button::new(words::FORGET_KNOWN).icon(Icon::Eraser).hint(words::FORGET_KNOWN_HINT);
    button.show(ui, commands, Action::AskForget(true));
}

/// An answer that somebody might act on and that rests only on providers that the user did not choose.
fn caution_ui(ui: &mut Ui, question: &str, commands: &mut Commands) {
    let safe = words::do_not_act(Domain::of(question).name());
    Banner { tone: Tone::Warn, what: words::DO_NOT_ACT, safe: &safe }.show(ui, |ui| {
        Button::new(words::CHOOSE_PROVIDERS).icon(Icon::Users).show(ui, commands, Screen::Providers);
        Button::new(words::OPEN_MODELS).icon(Icon::Cpu).show(ui, commands, Screen::Models);
    });
}

/// What is wrong, in words that can be shown; beyond some only how many more.
fn findings(verification: &VerificationReport) -> Vec<String> {
    let (mut lines, more) = output::findings(verification);
    if more > 0 {
        lines.push(words::more_findings(more));
    }
    lines
}

/// The tiers after the comparison, as figures beside the others.
pub fn tiers_ui(ui: &mut Ui, answer: &Answer) {
    let verification = &answer.verification;
    if let Some(claims) = verification.claims {
        let saved = claims.reuse_in_words().map(|saved| words::reused(&saved)).unwrap_or_default();
        let finds = answer.completeness.map_or(String::new(), |finds| format!(". {}", finds.in_words()));
        let about = claims.in_words() + &saved + &finds;
        figure_ui(ui, words::CLAIMS_USED, &words::claims(claims.used(), claims.all()), &about);
        ui.add_space(space::S);
    }
    let Some(check) = &verification.final_check else { return };
    ui.columns(2, |columns| {
        let found = match (check.passed, answer.coverage < 1.0) {
            (true, _) => words::PASSED,
            (false, true) => words::INCOMPLETE,
            (false, false) => words::HAS_ISSUES,
        };
        figure_ui(&mut columns[0], words::FINAL_CHECK, found, &words::in_sources(check.claims));
        let again = verification.spot_checks + verification.rechecks;
        figure_ui(&mut columns[1], words::SPOT_CHECKS, &thousands(again as u64), &known(verification));
    });
    ui.add_space(space::S);
}

/// How answers did that code knew beforehand: tests, which look like any other part.
fn known(verification: &VerificationReport) -> String {
    match (verification.gold_failed, verification.gold_tasks) {
        (0, 0) => words::AT_RANDOM.to_owned(),
        (failed, known) => words::known_tests(known, failed),
    }
}

#[cfg(test)]
mod tests {
    use frlm_questions::answer::FinalReport;

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
        let first = findings(&verification).swap_remove(0);
        assert!(first.starts_with(ANOTHER), "what the user knows is never among the rest");
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
