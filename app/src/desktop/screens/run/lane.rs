//! The chosen lane, or the chosen provider in its place. Of a lane: who was asked and what they said, what they were sent, every event about it, and
//! what can be done for it.

use egui::{ScrollArea, Ui};
use frlm_client::protocol::printable;
use frlm_client::view::{AttemptView, SubtaskState, SubtaskView};
use lucide_icons::Icon;

use super::events;
use super::lanes::{provider_name, short_label};
use super::layout::moment;
use super::messages::Action;
use super::plan::advice;
use super::posterior::percent;
use super::provider::provider_ui;
use super::state::{Run, Side};
use super::words::{self, describe, ending, why};
use crate::desktop::command::Commands;
use crate::desktop::theme::fonts;
use crate::desktop::theme::tokens::{space, text};
use crate::desktop::widgets::words::lasting;
use crate::desktop::widgets::{
    Button, Reach, Tone, badge_ui, busy_ui, card_ui, copy_ui, heading, mark_ui, name, page_ui, small, soft,
    well_ui,
};

/// Events about the lane that are listed; all of them stand under "Events".
const MOST_LINKED: usize = 60;

/// The panel.
pub fn lane_ui(ui: &mut Ui, run: &Run, commands: &mut Commands) {
    let provider = run.provider.and_then(|at| Some((at, run.view.providers.get(at as usize)?)));
    if let Some((position, provider)) = provider {
        return provider_ui(ui, run, position, provider, commands);
    }
    let lane = run.lane.and_then(|lane| run.view.subtasks.get(lane as usize));
    let Some(lane) = lane else {
        ui.label(soft(ui, words::CHOOSE));
        return;
    };
    let area = ScrollArea::vertical().auto_shrink(false);
    page_ui(ui, "lane", Reach::Pointed, area, |ui| {
        lane_head_ui(ui, run, lane);
        orders_ui(ui, run, lane, commands);
        let attempts: Vec<AttemptView> =
            lane.attempts.iter().filter_map(|attempt| run.as_it_stood(attempt)).collect();
        for attempt in &attempts {
            attempt_ui(ui, run, attempt);
            ui.add_space(space::S);
        }
        if attempts.is_empty() {
            ui.label(soft(ui, words::NOT_ASKED));
        }
        sent_ui(ui, run.text.as_ref());
        ui.add_space(space::S);
        linked_ui(ui, run, commands);
    });
}

/// What the user can do for the lane now.
fn orders_ui(ui: &mut Ui, run: &Run, lane: &SubtaskView, commands: &mut Commands) {
    let Some(id) = run.lane else { return };
    let given_up = matches!(lane.state, SubtaskState::GaveUp(_));
    if run.ordered.contains(&id) {
        busy_ui(ui, words::CANCELLING);
    } else if run.can_cancel(id) {
        let button = Button::new(words::CANCEL_PART).icon(Icon::Ban).hint(words::CANCEL_PART_HINT);
        button.show(ui, commands, Action::Cancel(id));
    } else if run.can_ask_again(id) {
        let button = Button::primary(words::ASK_PART_AGAIN).icon(Icon::RotateCcw);
        button.hint(words::ASK_PART_AGAIN_HINT).show(ui, commands, Action::AskAgain(id));
    } else if given_up && run.can_go_on() {
        let button = Button::new(words::ASK_OPEN_AGAIN).icon(Icon::RotateCcw);
        button.hint(words::ASK_OPEN_AGAIN_HINT).show(ui, commands, Action::GoOn(None));
    } else {
        return;
    }
    ui.add_space(space::S);
}

/// Every event about the part, from the reserved sats to the verdict; each opens the record.
fn linked_ui(ui: &mut Ui, run: &Run, commands: &mut Commands) {
    let until = run.moment();
    let linked: Vec<(u64, &super::state::Stub)> = run
        .linked
        .iter()
        .filter_map(|seq| Some((*seq, run.events.get(usize::try_from(*seq).ok()?)?)))
        .filter(|(_, event)| event.at_ms <= until)
        .take(MOST_LINKED)
        .collect();
    if linked.is_empty() {
        return;
    }
    ui.label(small(ui, words::HISTORY));
    for (seq, event) in linked {
        let (word, icon, _) = events::of(event.kind);
        let words = format!("{} · {word}", moment(event.at_ms));
        if ui.add(Button::quiet(&words).icon(icon)).clicked() {
            commands.push(Action::Event(seq));
            commands.push(Action::Beside(Side::Events));
        }
    }
}

/// What providers were sent with the question.
fn sent_ui(ui: &mut Ui, text: Option<&Result<String, String>>) {
    let Some(text) = text else { return };
    ui.label(small(ui, words::SENT));
    match text {
        Ok(text) => well_ui(ui, |ui| drop(ui.label(egui::RichText::new(text).font(fonts::mono(12.0))))),
        Err(why) => drop(ui.label(soft(ui, &words::not_shown(why)))),
    }
}

fn lane_head_ui(ui: &mut Ui, run: &Run, lane: &SubtaskView) {
    let state = run.lane_state(lane);
    let (icon, word, tone) = describe(state);
    ui.label(heading(&short_label(&printable(&lane.label)))).on_hover_text(printable(&lane.label));
    let closed = run.is_told(lane);
    ui.horizontal_wrapped(|ui| {
        badge_ui(ui, tone, icon, word);
        if lane.dissent && closed {
            badge_ui(ui, Tone::Warn, Icon::GitCompare, words::IS_DISPUTED);
        }
        if lane.local && closed {
            badge_ui(ui, Tone::Plain, Icon::Cpu, words::OWN_MODEL);
        }
    });
    if let SubtaskState::GaveUp(reason) = state {
        // An answer that nobody judged is paid all the same.
        let is_paid = lane.attempts.iter().any(|attempt| attempt.spent_sats > 0);
        let pay = if is_paid { words::PAID_ALL_THE_SAME } else { words::NOT_PAID };
        ui.label(words::unanswered(why(reason), pay));
    }
    if let Some(agreement) = lane.agreement.filter(|_| closed) {
        ui.label(soft(ui, &words::agreed(agreement)));
    }
    if let Some(step) = run.lane.and_then(|lane| run.view.plan.step_of(lane)) {
        ui.label(soft(ui, &advice(step)));
    }
    if let Some(posterior) = run.lane.and_then(|lane| run.posteriors.of(lane)).filter(|_| closed) {
        let likely = words::likely(&percent(posterior.fidelity), &percent(posterior.correctness));
        ui.label(soft(ui, &likely));
    }
    ui.add_space(space::S);
}

fn attempt_ui(ui: &mut Ui, run: &Run, attempt: &AttemptView) {
    let (word, tone) = ending(attempt);
    card_ui(ui, |ui| {
        ui.spacing_mut().item_spacing.y = space::XS;
        ui.label(name(&provider_name(run, attempt)));
        mark_ui(ui, tone, tone.icon(), word);
        if !attempt.summary.is_empty() {
            ui.label(printable(&attempt.summary).as_ref());
        }
        let mut facts = vec![words::asked_at(&moment(attempt.submitted_ms))];
        if let Some(ended) = attempt.ended_ms {
            facts.push(words::took(&lasting(ended.saturating_sub(attempt.submitted_ms))));
        }
        if attempt.tokens > 0 {
            facts.push(words::tokens(attempt.tokens));
        }
        if attempt.spent_sats > 0 {
            facts.push(words::paid(&run.unit.amount(attempt.spent_sats)));
        } else if attempt.owed_sats > 0 {
            facts.push(words::owed(&run.unit.amount(attempt.owed_sats)));
        } else if attempt.held_sats > 0 {
            facts.push(words::reserved(&run.unit.amount(attempt.held_sats)));
        }
        ui.label(soft(ui, &facts.join(" · ")).font(fonts::body(text::SMALL)));
        if !attempt.job.is_empty() {
            ui.horizontal(|ui| {
                let short: String = attempt.job.chars().take(16).collect();
                ui.label(egui::RichText::new(words::job(&short)).font(fonts::mono(12.0)));
                let copy = Button::quiet(words::COPY_JOB).icon_only(Icon::Copy);
                copy_ui(ui, copy, &attempt.job, || attempt.job.to_string());
            });
        }
    });
}
