//! Draws the run screen.

use egui::{CentralPanel, Frame, Margin, Panel, Ui};
use frlm_client::protocol::printable;
use frlm_client::questions::stage::RunStage;
use frlm_client::view::Ending;
use lucide_icons::Icon;

use super::gauges::gauges_ui;
use super::messages::Action;
use super::reasons::plainly;
use super::state::{Filter, Grouping, INTERRUPTED, RAISE, Run, Stage};
use super::{budget, lanes, minimap, player, side, timeline, words};
use crate::desktop::command::{Command, Commands, shortcut};
use crate::desktop::screens::Screen;
use crate::desktop::state::State;
use crate::desktop::theme::fonts;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::words::sentence;
use crate::desktop::widgets::{
    Banner, Button, Tone, badge_ui, empty_ui, info_ui, one_line_ui, play_ui, tabs_ui,
};

/// Windows that are lower than this have smaller gaps.
const LOW: f32 = 680.0;

/// The screen.
pub fn run_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    let run = &state.run;
    if !run.is_some() {
        empty_ui(ui, Icon::Activity, words::NO_RUN, words::NO_RUN_THEN, |ui| {
            let ask = Button::primary(words::ASK).icon(Icon::MessageCircleQuestionMark);
            ask.show(ui, commands, Screen::Ask);
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
                let question = printable(&run.view.start.question);
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
        let (icon, word) =
            if replay.on { (Icon::Play, words::REPLAY) } else { (Icon::Pause, words::REPLAY_PAUSED) };
        return (Tone::Accent, icon, word);
    }
    match run.stage {
        Stage::Pausing => return (Tone::Warn, Icon::Pause, words::PAUSING),
        Stage::Resuming => return (Tone::Busy, Icon::LoaderCircle, words::RESUMING_NOW),
        Stage::Recorded | Stage::Reading | Stage::Live => {}
    }
    if run.is_live() {
        return (Tone::Busy, Icon::Activity, words::RUNNING);
    }
    if run.stage == Stage::Reading {
        return (Tone::Plain, Icon::LoaderCircle, words::READING_NOW);
    }
    match &run.view.ending {
        Some(Ending::Answered(answer)) if answer.coverage < 1.0 => {
            (Tone::Warn, Icon::CircleAlert, words::PARTIAL)
        }
        Some(Ending::Answered(_)) => (Tone::Good, Icon::CircleCheck, words::ANSWERED),
        Some(Ending::Failed { exit_code: INTERRUPTED, .. }) | None => {
            (Tone::Warn, Icon::Pause, words::PAUSED)
        }
        Some(Ending::Failed { .. }) if run.awaits_person().is_some() => {
            (Tone::Warn, Icon::CircleAlert, words::NEEDS_DECISION)
        }
        Some(Ending::Failed { .. }) => (Tone::Bad, Icon::CircleX, words::FAILED),
    }
}

fn actions_ui(ui: &mut Ui, run: &Run, commands: &mut Commands) {
    if matches!(run.view.ending, Some(Ending::Answered(_))) {
        let button = Button::primary(words::READ_ANSWER).icon(Icon::BookOpenCheck);
        button.shortcut(shortcut(&Command::Go(Screen::Answer))).show(ui, commands, Screen::Answer);
    }
    if run.is_live() {
        let button = Button::new(words::PAUSE).icon(Icon::Pause).enabled(run.can_pause());
        let button = button.hint(words::PAUSE_HINT);
        button.shortcut(shortcut(&Command::Run(Action::Pause))).show(ui, commands, Action::Pause);
    }
    // Where the run has failed, a banner offers the budget if that is what it lacks.
    if run.is_live() || (run.can_go_on() && run.failure().is_none()) {
        let button = Button::new(words::RAISE_BUDGET).icon(Icon::TrendingUp).enabled(run.can_raise());
        button.hint(words::RAISE_BUDGET_HINT).show(ui, commands, Action::AskBudget(true));
    }
    // Where it has failed, or a person has to decide, the banner has the buttons; over a replay there is none.
    let is_offered = run.replay.is_none() && run.failure().is_some();
    if run.can_go_on() && run.awaits_person().is_none() && !is_offered {
        let word = if run.view.progress.gave_up > 0 { words::ASK_OPEN_AGAIN } else { words::RESUME };
        Button::primary(word).icon(Icon::Play).show(ui, commands, Action::GoOn(None));
    }
}

/// What went wrong, what is safe, and what helps.
fn banners_ui(ui: &mut Ui, run: &Run, commands: &mut Commands) {
    if let Some(damage) = &run.damage {
        let safe = words::damaged(&sentence(damage));
        Banner { tone: Tone::Warn, what: words::DAMAGED, safe: &safe }.show(ui, |_| {});
    }
    if let Some(why) = &run.refused {
        let safe = words::nothing_sent(why);
        Banner { tone: Tone::Bad, what: words::NOT_RESUMED, safe: &safe }.show(ui, |_| {});
    }
    if let Some(relay) = run.view.relays.iter().find(|relay| !relay.online).filter(|_| run.is_live()) {
        let safe = words::relay_offline(&printable(&relay.address), &printable(&relay.reason));
        Banner { tone: Tone::Warn, what: words::RELAY_OFFLINE, safe: &safe }.show(ui, |ui| {
            Button::new(words::PAUSE_UNTIL_BACK).icon(Icon::Pause).show(ui, commands, Action::Pause);
        });
    }
    if run.stage == Stage::Resuming {
        let safe = words::RESUMING_SAFE;
        return Banner { tone: Tone::Busy, what: words::RESUMING, safe }.show(ui, |_| {});
    }
    // A replay is about how it came to that.
    let ending = run.view.ending.as_ref().filter(|_| run.replay.is_none());
    let Some(Ending::Failed { error, exit_code }) = ending else { return };
    if run.is_live() || *exit_code == INTERRUPTED {
        return;
    }
    let verified = run.view.progress.verified();
    let kept = match verified {
        0 if run.view.money.now().spent == 0 => words::NOTHING_PAID.to_owned(),
        // Answers that nobody judged are paid all the same (decisions 0054 and 0060).
        0 => words::NOTHING_VERIFIED.to_owned(),
        1 => words::ONE_SAVED.to_owned(),
        count => words::saved(count),
    };
    if let Some(telling) = run.awaits_person() {
        let safe = words::and_saved(&sentence(&plainly(&printable(&telling.says))), &kept);
        // Where its figures were weighed, enough was there to be weighed.
        let weighed = telling.decided.as_ref().is_some_and(|decided| decided.basis.is_some());
        let is_little = telling.stage == RunStage::Collect && !weighed;
        let what = if is_little { words::TOO_LITTLE } else { words::DECIDE };
        Banner { tone: Tone::Warn, what, safe: &safe }.show(ui, |ui| {
            let accept = Button::new(words::ACCEPT).icon(Icon::Check).hint(words::ACCEPT_HINT);
            commands.push_if(run.can_be_accepted() && ui.add(accept).clicked(), Action::Accept);
            Button::new(words::ASK_OPEN_AGAIN).icon(Icon::Play).show(ui, commands, Action::GoOn(None));
        });
        return;
    }
    let error = printable(error);
    let (what, button) = match exit_code {
        3 => (words::BUDGET_LOW, words::RAISE_AND_RESUME),
        4 => (words::NO_PROVIDER, words::TRY_AGAIN),
        // Nothing is open: asking again would bring the same.
        5 if run.view.progress.gave_up == 0 && verified > 0 => (words::NO_ANSWER, ""),
        5 => (words::TOO_LITTLE, words::ASK_OPEN_AGAIN),
        _ if cannot_write(&error) => (words::DISK, words::TRY_AGAIN),
        _ => (words::RUN_FAILED, words::TRY_AGAIN),
    };
    Banner { tone: Tone::Bad, what, safe: &words::and_saved(&error, &kept) }.show(ui, |ui| {
        let budget = (*exit_code == 3).then(|| run.view.budget.limit_sats.saturating_mul(RAISE).max(1));
        let word = budget.map_or(button.to_owned(), |budget| words::to(button, &run.unit.amount(budget)));
        if word.is_empty() {
            Button::new(words::REPHRASE).icon(Icon::Send).show(ui, commands, Screen::Ask);
        } else if ui.add(Button::new(&word).icon(Icon::Play).enabled(run.can_go_on())).clicked() {
            commands.push(Action::GoOn(budget));
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

/// An icon and its gap.
const KEY_ROOM: f32 = 28.0;

fn lane_bar_ui(ui: &mut Ui, run: &Run, commands: &mut Commands) {
    ui.horizontal(|ui| {
        let words = if ui.available_width() < ROOMY {
            [words::PARTS, words::PROVIDERS]
        } else {
            [words::BY_PART, words::BY_PROVIDER]
        };
        let groups = [(Grouping::Subtask, words[0]), (Grouping::Provider, words[1])];
        commands.extend(tabs_ui(ui, &groups, run.grouping).map(Action::Group));
        if run.grouping == Grouping::Subtask {
            ui.add_space(if ui.available_width() < ROOMY { 0.0 } else { space::L });
            let filters = [
                (Filter::All, words::ALL),
                (Filter::Open, words::OPEN),
                (Filter::Disputed, words::DISPUTED),
                (Filter::Failed, words::UNANSWERED),
            ];
            commands.extend(tabs_ui(ui, &filters, run.filter).map(Action::Show));
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if ui.available_width() > KEY_ROOM {
                info_ui(ui, Tone::Plain, Icon::Info, words::KEY);
            }
            if run.cursor.is_some() {
                let button = Button::quiet(words::BACK_TO_NOW).icon(Icon::SkipForward);
                let button = button.shortcut(shortcut(&Command::Run(Action::Scrub(None))));
                button.show(ui, commands, Action::Scrub(None));
            }
        });
    });
}
