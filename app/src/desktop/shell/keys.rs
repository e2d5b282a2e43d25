//! Keys that work everywhere.

use egui::{Context, Key, Modifiers};

use crate::desktop::command::{Command, entries};
use crate::desktop::screens::{Screen, answer, known, learning, run, settings, wallet};
use crate::desktop::state::State;

/// The commands whose keys were pressed. A key without Ctrl or Alt is left to whatever has the focus, and to a
/// dialogue that lies over the screen: its Escape closes it, and Space pauses no run behind it. Nor does it do anything
/// on a screen where that could not be seen; with Ctrl it leads to the screen where it can.
pub fn pressed(ctx: &Context, state: &State) -> Vec<Command> {
    let budget = state.screen == Screen::Run && state.run.budget_typed.is_some();
    let asked = budget || state.palette.is_some() || !state.leaving.is_empty();
    let typing = ctx.egui_wants_keyboard_input() || asked;
    let mut found = Vec::new();
    ctx.input_mut(|input| {
        for entry in entries() {
            let Some(shortcut) = entry.shortcut else { continue };
            let elsewhere = entry.command.shows_on().filter(|screen| *screen != state.screen);
            if shortcut.modifiers == Modifiers::NONE && (typing || elsewhere.is_some()) {
                continue;
            }
            if entry.command.is_available(state) && input.consume_shortcut(&shortcut) {
                found.extend(elsewhere.map(Command::Go));
                found.push(entry.command.clone());
            }
        }
        if !typing
            && let Some(command) = closing(state)
            && input.consume_key(Modifiers::NONE, Key::Escape)
        {
            found.push(command);
        }
    });
    found
}

/// What Escape takes away on the open screen: a question that is asked there, or what stands in the place of a list.
fn closing(state: &State) -> Option<Command> {
    match state.screen {
        Screen::Run => {
            let is_inspecting = state.run.side == run::Side::Events && state.run.event.is_some();
            is_inspecting.then_some(Command::Run(run::Action::CloseEvent))
        }
        Screen::Answer => {
            state.answer.forgetting.then_some(Command::Answer(answer::Action::AskForget(false)))
        }
        Screen::Runs => state.runs.closing().map(Command::Runs),
        Screen::Wallet => state.wallet.closing().map(Command::Wallet),
        Screen::Settings => {
            // The mints stand there, too.
            let is_asked = state.settings.section == settings::Section::Money;
            let asked = state.wallet.balance.removing.as_ref().filter(|_| is_asked);
            asked.map(|_| Command::Wallet(wallet::Action::Balance(wallet::balance::Action::AskRemove(None))))
        }
        Screen::Learning => {
            let is_asked = state.learning.source == learning::Source::Known && state.known.forgetting;
            is_asked.then_some(Command::Known(known::Action::AskForget(false)))
        }
        Screen::Start | Screen::Ask | Screen::Providers | Screen::Models | Screen::Earn => None,
    }
}
