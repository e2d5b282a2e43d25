//! Draws the run screen.

use egui::{CentralPanel, Frame, Margin, Panel, Ui};
use frlm_client::conductor::trace::view::{DecisionView, Ending};
use frlm_client::protocol::printable;
use lucide_icons::Icon;

use super::gauges::gauges_ui;
use super::messages::Action;
use super::reasons::plainly;
use super::state::{Filter, Grouping, INTERRUPTED, RAISE, Run, Stage};
use super::{budget, lanes, minimap, player, side, timeline};
use crate::desktop::command::{Command, Commands, shortcut};
use crate::desktop::screens::Screen;
use crate::desktop::state::State;
use crate::desktop::theme::fonts;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::words::sentence;
use crate::desktop::widgets::{
    Banner, Button, Tone, badge_ui, empty_ui, info_ui, one_line_ui, play_ui, tabs_ui, thousands,
};

/// Windows that are lower than this have smaller gaps.
const LOW: f32 = 680.0;

/// The screen.
pub fn run_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    let run = &state.run;
    if !run.is_some() {
        let then = "Ask a question and watch the swarm answer it here; recorded runs open here too.";
        empty_ui(ui, Icon::Activity, "No run yet", then, |ui| {
            let ask = Button::primary("Ask a question").icon(Icon::MessageCircleQuestionMark);
            if ui.add(ask).clicked() {
                commands.push(Command::Go(Screen::Ask));
            }
        });
        return;
    }
    let margin = |top, bottom| Margin { left: 24, right: 24, top, bottom };
    // In a low window the lanes and the events need every point.
    let (top, gap) = if ui.available_height() < LOW { (12, space::S) } else { (20, space::M) };
    Panel::top("run head")
        .resizable(false)
        .show_separator_line(false)
        .frame(Frame::new().inner_margin(margin(top, 8)))
        .show(ui, |ui| {
            head_ui(ui, run, commands);
            ui.add_space(gap);
            gauges_ui(ui, run);
            ui.add_space(gap);
            minimap::minimap_ui(ui, run, commands);
        });
    Panel::bottom("run time")
        .resizable(false)
        .show_separator_line(false)
        .frame(Frame::new().inner_margin(margin(8, 10)))
        .show(ui, |ui| {
            let timeline = |ui: &mut Ui, commands: &mut Commands| timeline::timeline_ui(ui, run, commands);
            player::player_ui(ui, run, commands, timeline);
        });
    Panel::right("run side")
        .resizable(true)
        .default_size((ui.available_width() * 0.31).clamp(280.0, 330.0))
        .size_range(280.0..=520.0)
        .frame(Frame::new().inner_margin(Margin { left: 16, right: 24, top: 4, bottom: 4 }))
        .show(ui, |ui| side::side_ui(ui, run, commands));
    CentralPanel::no_frame()
        .frame(Frame::new().inner_margin(Margin { left: 24, right: 12, top: 4, bottom: 4 }))
        .show(ui, |ui| {
            lane_bar_ui(ui, run, commands);
            ui.add_space(space::XS);
            lanes::lanes_ui(ui, run, commands);
        });
    minimap::forget_left(ui);
    budget::raise_budget_ui(ui.ctx(), run, commands);
}

fn head_ui(ui: &mut Ui, run: &Run, commands: &mut Commands) {
    banners_ui(ui, run, commands);
    ui.horizontal(|ui| {
        let (tone, icon, word) = status(run);
        badge_ui(ui, tone, icon, word);
        play_ui(ui, run.unit);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            actions_ui(ui, run, commands);
            ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                let question = printable(&run.view.question);
                // It is not known before the first event is read.
                if !question.is_empty() {
                    one_line_ui(ui, egui::RichText::new(question.as_ref()).font(fonts::strong(18.0)));
                }
            });
        });
    });
}

/// How the run stands, as icon, word and meaning.
fn status(run: &Run) -> (Tone, Icon, &'static str) {
    if let Some(replay) = run.replay {
        let (icon, word) = if replay.on { (Icon::Play, "replay") } else { (Icon::Pause, "replay, paused") };
        return (Tone::Accent, icon, word);
    }
    match run.stage {
        Stage::Pausing => return (Tone::Warn, Icon::Pause, "pausing"),
        Stage::Resuming => return (Tone::Busy, Icon::LoaderCircle, "resuming"),
        Stage::Recorded | Stage::Reading | Stage::Live => {}
    }
    if run.is_live() {
        return (Tone::Busy, Icon::Activity, "running");
    }
    if run.stage == Stage::Reading {
        return (Tone::Plain, Icon::LoaderCircle, "reading");
    }
    match &run.view.ending {
        Some(Ending::Answered(answer)) if answer.coverage < 1.0 => (Tone::Warn, Icon::CircleAlert, "partial"),
        Some(Ending::Answered(_)) => (Tone::Good, Icon::CircleCheck, "answered"),
        Some(Ending::Failed { exit_code: INTERRUPTED, .. }) | None => (Tone::Warn, Icon::Pause, "paused"),
        Some(Ending::Failed { .. }) if run.awaits_person().is_some() => {
            (Tone::Warn, Icon::CircleAlert, "needs your decision")
        }
        Some(Ending::Failed { .. }) => (Tone::Bad, Icon::CircleX, "failed"),
    }
}

fn actions_ui(ui: &mut Ui, run: &Run, commands: &mut Commands) {
    if matches!(run.view.ending, Some(Ending::Answered(_))) {
        let button = Button::primary("Read the answer").icon(Icon::BookOpenCheck);
        if ui.add(button.shortcut(shortcut(&Command::Go(Screen::Answer)))).clicked() {
            commands.push(Command::Go(Screen::Answer));
        }
    }
    if run.is_live() {
        let button = Button::new("Pause").icon(Icon::Pause).enabled(run.can_pause());
        let hint = "Verified parts are saved; open jobs are cancelled and cost nothing";
        if ui.add(button.hint(hint).shortcut(shortcut(&Command::Run(Action::Pause)))).clicked() {
            commands.push(Command::Run(Action::Pause));
        }
    }
    // Where the run has failed, a banner offers the budget if that is what it lacks.
    if run.is_live() || (run.can_go_on() && run.failure().is_none()) {
        let hint = "The run may spend more in total; sats that are not needed stay yours";
        let button = Button::new("Raise the budget").icon(Icon::TrendingUp).enabled(run.can_raise());
        if ui.add(button.hint(hint)).clicked() {
            commands.push(Command::Run(Action::AskBudget(true)));
        }
    }
    // Where it has failed, or a person has to decide, the banner has the buttons; over a replay there is none.
    let is_offered = run.replay.is_none() && run.failure().is_some();
    if run.can_go_on() && run.awaits_person().is_none() && !is_offered {
        let word = if run.view.gave_up > 0 { "Ask the open parts again" } else { "Resume" };
        if ui.add(Button::primary(word).icon(Icon::Play)).clicked() {
            commands.push(Command::Run(Action::GoOn(None)));
        }
    }
}

/// What went wrong, what is safe, and what helps.
fn banners_ui(ui: &mut Ui, run: &Run, commands: &mut Commands) {
    if let Some(damage) = &run.damage {
        Banner {
            tone: Tone::Warn,
            what: "The record of this run is damaged",
            safe: &format!(
                "{}. Everything before that is shown. The ledger keeps its own record: no sats are lost.",
                sentence(damage)
            ),
        }
        .show(ui, |_| {});
    }
    if let Some(why) = &run.refused {
        Banner { tone: Tone::Bad, what: "Resuming failed", safe: &format!("{why}. Nothing was sent.") }
            .show(ui, |_| {});
    }
    if let Some(relay) = run.view.relays.iter().find(|relay| !relay.online).filter(|_| run.is_live()) {
        let safe = format!(
            "{}: {}. Jobs that were sent stay valid, and nothing is paid twice. FRLM keeps trying to \
             reconnect.",
            printable(&relay.address),
            printable(&relay.reason)
        );
        Banner { tone: Tone::Warn, what: "A relay is offline", safe: &safe }.show(ui, |ui| {
            if ui.add(Button::new("Pause until it is back").icon(Icon::Pause)).clicked() {
                commands.push(Command::Run(Action::Pause));
            }
        });
    }
    if run.stage == Stage::Resuming {
        let safe = "Verified parts are not asked again. Connecting to relays and providers may take a few \
                    seconds.";
        return Banner { tone: Tone::Busy, what: "Resuming", safe }.show(ui, |_| {});
    }
    // A replay is about how it came to that.
    let ending = run.view.ending.as_ref().filter(|_| run.replay.is_none());
    let Some(Ending::Failed { error, exit_code }) = ending else { return };
    if run.is_live() || *exit_code == INTERRUPTED {
        return;
    }
    let verified = run.view.verified();
    let kept = match verified {
        0 if run.view.money.now().spent == 0 => "Nothing was verified, so nothing was paid.".to_owned(),
        // Answers that nobody judged are paid all the same (decisions 0054 and 0060).
        0 => "Nothing was verified. Payments are listed with the attempts.".to_owned(),
        1 => "1 verified part is saved; you won't pay for it again.".to_owned(),
        count => {
            format!("{} verified parts are saved; you won't pay for them again.", thousands(count as u64))
        }
    };
    if let Some(DecisionView { decision, basis, .. }) = run.awaits_person() {
        let safe = format!("{}. {kept}", sentence(&plainly(&printable(&decision.reasoning))));
        // Where its figures were weighed, enough was there to be weighed.
        let what = if decision.stage == "collect" && basis.is_none() {
            "Too little could be verified"
        } else {
            "The run needs your decision"
        };
        Banner { tone: Tone::Warn, what, safe: &safe }.show(ui, |ui| {
            let hint = "Shows an answer from the verified parts, and says what is missing";
            let accept = Button::new("Answer from the verified parts").icon(Icon::Check).hint(hint);
            if run.can_be_accepted() && ui.add(accept).clicked() {
                commands.push(Command::Run(Action::Accept));
            }
            if ui.add(Button::new("Ask the open parts again").icon(Icon::Play)).clicked() {
                commands.push(Command::Run(Action::GoOn(None)));
            }
        });
        return;
    }
    let error = printable(error);
    let (what, button) = match exit_code {
        3 => ("The budget is too low", "Raise the budget and resume"),
        4 => ("No provider can be asked", "Try again"),
        // Nothing is open: asking again would bring the same.
        5 if run.view.gave_up == 0 && verified > 0 => ("The documents have no answer to this", ""),
        5 => ("Too little could be verified", "Ask the open parts again"),
        _ if cannot_write(&error) => ("The disk is full or cannot be written to", "Try again"),
        _ => ("The run failed", "Try again"),
    };
    Banner { tone: Tone::Bad, what, safe: &format!("{error}. {kept}") }.show(ui, |ui| {
        let budget = (*exit_code == 3).then(|| run.view.limit_sats.saturating_mul(RAISE).max(1));
        let word =
            budget.map_or(button.to_owned(), |budget| format!("{button} (to {})", run.unit.amount(budget)));
        if word.is_empty() {
            if ui.add(Button::new("Rephrase the question").icon(Icon::Send)).clicked() {
                commands.push(Command::Go(Screen::Ask));
            }
        } else if ui.add(Button::new(&word).icon(Icon::Play).enabled(run.can_go_on())).clicked() {
            commands.push(Command::Run(Action::GoOn(budget)));
        }
    });
}

/// Whether the run ended because it could not be recorded (a run that cannot be recorded stops); the
/// words are those of the run store, of the ledger and of SQLite.
fn cannot_write(error: &str) -> bool {
    ["cannot write to", "disk is full", "disk I/O error"].into_iter().any(|words| error.contains(words))
}

/// The filters stand apart from the groups where there is room for it.
const ROOMY: f32 = 420.0;

/// What the lanes are made of.
const KEY: &str = "Each row is a part of the run, or a provider, over time. A thin line: the job waits. A bar: \
                   a provider works on it, or has worked on it. Violet: at work. Blue: answered, being \
                   compared. Green: agreed. Outlined amber: disagreed or too late. Red: failed. Outlined grey: \
                   cancelled. A bracket holds the answers to the same part; \"≠\" marks a disputed part.";
/// An icon and its gap.
const KEY_ROOM: f32 = 28.0;

fn lane_bar_ui(ui: &mut Ui, run: &Run, commands: &mut Commands) {
    ui.horizontal(|ui| {
        let words =
            if ui.available_width() < ROOMY { ["Parts", "Providers"] } else { ["By part", "By provider"] };
        let groups = [(Grouping::Subtask, words[0]), (Grouping::Provider, words[1])];
        if let Some(grouping) = tabs_ui(ui, &groups, run.grouping) {
            commands.push(Command::Run(Action::Group(grouping)));
        }
        if run.grouping == Grouping::Subtask {
            ui.add_space(if ui.available_width() < ROOMY { 0.0 } else { space::L });
            let filters = [
                (Filter::All, "All"),
                (Filter::Open, "Open"),
                (Filter::Disputed, "Disputed"),
                (Filter::Failed, "Unanswered"),
            ];
            if let Some(filter) = tabs_ui(ui, &filters, run.filter) {
                commands.push(Command::Run(Action::Show(filter)));
            }
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if ui.available_width() > KEY_ROOM {
                info_ui(ui, Tone::Plain, Icon::Info, KEY);
            }
            if run.cursor.is_some() {
                let button = Button::quiet("Back to now").icon(Icon::SkipForward);
                if ui.add(button.shortcut(shortcut(&Command::Run(Action::Scrub(None))))).clicked() {
                    commands.push(Command::Run(Action::Scrub(None)));
                }
            }
        });
    });
}
