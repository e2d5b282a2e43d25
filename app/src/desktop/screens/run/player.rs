//! Plays a recorded run: the buttons beside its timeline, and the time that passes.

use egui::{Ui, vec2};
use lucide_icons::Icon;

use super::messages::Action;
use super::state::Run;
use super::words;
use crate::desktop::command::{Command, Commands, shortcut};
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::Button;

/// Room for the widest words.
const WIDTH: f32 = 112.0;
/// A window that was away for longer does not skip what nobody has seen.
const LONGEST_FRAME_SECS: f32 = 0.25;
const MICROS: f32 = 1e6;

/// The buttons, and whatever else the row holds.
pub fn player_ui(ui: &mut Ui, run: &Run, commands: &mut Commands, rest: impl FnOnce(&mut Ui, &mut Commands)) {
    if !run.can_replay() {
        rest(ui, commands);
        return;
    }
    tick(ui, run, commands);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing = vec2(space::S, space::XS);
        ui.vertical(|ui| {
            ui.set_width(WIDTH);
            buttons_ui(ui, run, commands);
        });
        rest(ui, commands);
    });
}

fn buttons_ui(ui: &mut Ui, run: &Run, commands: &mut Commands) {
    let (word, icon, hint) = match run.replay {
        None => (words::PLAY, Icon::Play, words::PLAY_HINT),
        Some(replay) if replay.on => (words::PAUSE_REPLAY, Icon::Pause, words::PAUSE_REPLAY_HINT),
        Some(_) => (words::RESUME_REPLAY, Icon::Play, words::RESUME_REPLAY_HINT),
    };
    let play = Command::Run(Action::Play);
    let button = Button::new(word).icon(icon).hint(hint).shortcut(shortcut(&play));
    button.show(ui, commands, play);
    if let Some(replay) = run.replay {
        let speed = words::speed(&replay.speed.word());
        let button = Button::quiet(&speed).hint(words::SPEED_HINT);
        button.show(ui, commands, Action::Speed(replay.speed.next()));
    }
}

/// Tells how much time has passed, while the run is played.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a frame, within its limits")]
fn tick(ui: &Ui, run: &Run, commands: &mut Commands) {
    if run.is_playing() {
        let passed = ui.input(|input| input.stable_dt).clamp(0.0, LONGEST_FRAME_SECS);
        commands.push(Action::Advance((passed * MICROS) as u64));
    }
}
