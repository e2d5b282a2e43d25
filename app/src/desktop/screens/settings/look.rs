//! Draws how the window looks: light or dark, and how large everything is.

use egui::gui_zoom::kb_shortcuts::{ZOOM_IN, ZOOM_OUT, ZOOM_RESET};
use egui::{ThemePreference, Ui};

use super::words;
use crate::desktop::command::{Commands, Shell, Zoom};
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::{card_ui, choice_ui, heading, soft, tabs_ui};

/// Sizes that are closer to each other are the same.
const HALF_A_PERCENT: f32 = 0.005;

/// The part of the settings.
pub fn look_ui(ui: &mut Ui, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading(words::THEME));
        let current = ui.ctx().options(|options| options.theme_preference);
        let themes = [
            (ThemePreference::System, words::SYSTEM, words::SYSTEM_ABOUT),
            (ThemePreference::Light, words::LIGHT, words::LIGHT_ABOUT),
            (ThemePreference::Dark, words::DARK, words::DARK_ABOUT),
        ];
        for (theme, word, about) in themes {
            commands.push_if(choice_ui(ui, word, about, current == theme).clicked(), Shell::Theme(theme));
        }
    });
    ui.add_space(space::S);
    card_ui(ui, |ui| {
        ui.label(heading(words::SIZE));
        // As the palette shows them.
        let [larger, smaller, usual] =
            [ZOOM_IN, ZOOM_OUT, ZOOM_RESET].map(|keys| ui.ctx().format_shortcut(&keys));
        ui.label(soft(ui, &words::size_keys(&larger, &smaller, &usual)));
        let sizes = [(100, "100%"), (125, "125%"), (150, "150%"), (175, "175%"), (200, "200%")];
        let zoom = ui.ctx().zoom_factor();
        let is_shown = |percent: &u16| (f32::from(*percent) / 100.0 - zoom).abs() < HALF_A_PERCENT;
        // Others are reached by the keys; then none of these is marked.
        let current = sizes.iter().map(|(percent, _)| *percent).find(is_shown).unwrap_or(0);
        commands.extend(tabs_ui(ui, &sizes, current).map(|percent| Shell::Zoom(Zoom::To(percent))));
    });
}
