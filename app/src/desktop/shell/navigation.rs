//! The side navigation, and below it how the swarm on this machine stands.

use egui::{
    Align, Align2, Color32, CornerRadius, FontId, Layout, Painter, Rect, Response, Role, Sense, Ui,
    WidgetInfo, vec2,
};
use lucide_icons::Icon;

use crate::desktop::command::{Command, Commands, Shell, shortcut};
use crate::desktop::engine::swarm::LocalSwarm;
use crate::desktop::screens::Screen;
use crate::desktop::state::State;
use crate::desktop::theme::tokens::{size, space, text};
use crate::desktop::theme::{fonts, tokens};
use crate::desktop::widgets::words::plural;
use crate::desktop::widgets::{Tone, focus_ring, ground, icon_before};

pub fn navigation_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    ui.spacing_mut().item_spacing.y = 2.0;
    ui.add_space(space::S);
    ui.horizontal(|ui| {
        ui.add_space(space::S);
        ui.label(egui::RichText::new("FRLM").font(fonts::strong(18.0)));
    });
    ui.add_space(space::M);
    for screen in Screen::ALL {
        let command = Command::Go(*screen);
        let response = item_ui(ui, screen.icon(), screen.title(), state.screen == *screen);
        let keys = shortcut(&command).map(|keys| ui.ctx().format_shortcut(&keys));
        let response = match keys {
            Some(keys) => response.on_hover_text(keys),
            None => response,
        };
        commands.push_if(response.clicked(), command);
    }
    ui.with_layout(Layout::bottom_up(Align::Min), |ui| {
        let search = item_ui(ui, Icon::Search, "Find a command", false);
        commands.push_if(search.clicked(), Shell::TogglePalette);
        if let Some(keys) = shortcut(&Command::Shell(Shell::TogglePalette)) {
            search.on_hover_text(ui.ctx().format_shortcut(&keys));
        }
        ui.add_space(space::S);
        swarm_ui(ui, &state.swarm);
    });
}

fn swarm_ui(ui: &mut Ui, swarm: &LocalSwarm) {
    match swarm {
        LocalSwarm::Off => {}
        LocalSwarm::Starting => drop(state_ui(ui, Tone::Busy, Icon::LoaderCircle, "Local swarm starts…")),
        LocalSwarm::On { relay, providers, .. } => {
            state_ui(ui, Tone::Good, Icon::CircleCheck, "Local swarm is on")
                .on_hover_text(format!("{} at {relay}", plural(*providers, "provider")));
        }
        LocalSwarm::Failed(why) => {
            state_ui(ui, Tone::Bad, Icon::CircleX, "Local swarm failed").on_hover_text(why);
        }
    }
}

/// How something stands, in the columns of what leads elsewhere.
fn state_ui(ui: &mut Ui, tone: Tone, icon: Icon, word: &str) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), size::CONTROL), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, word));
    if ui.is_rect_visible(rect) {
        let (ink, _) = tone.colours(ui);
        paint(ui.painter(), rect, (icon, ink), (word, ink), fonts::body(text::BODY));
    }
    response
}

/// An icon and a word, both in the columns that all lines have.
fn paint(
    painter: &Painter,
    rect: Rect,
    (icon, icon_ink): (Icon, Color32),
    (word, ink): (&str, Color32),
    font: FontId,
) {
    let at = rect.left_center() + vec2(space::S + 2.0, 0.0);
    icon_before(painter, at, icon, text::ICON, icon_ink);
    let at = at + vec2(text::ICON + space::M, 0.0);
    painter.text(at, Align2::LEFT_CENTER, word, font, ink);
}

fn item_ui(ui: &mut Ui, icon: Icon, word: &str, chosen: bool) -> Response {
    let colours = tokens(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), size::CONTROL), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, chosen, word));
    if ui.is_rect_visible(rect) {
        let fill = ground(colours, chosen, response.hovered());
        let painter = ui.painter();
        painter.rect_filled(rect, CornerRadius::same(size::ROUND_CONTROL), fill);
        focus_ring(painter, &response, rect, size::ROUND_CONTROL, colours);
        let (icon_ink, ink) =
            if chosen { (colours.accent, colours.accent) } else { (colours.text_soft, colours.text) };
        let font = if chosen { fonts::medium(text::BODY) } else { fonts::body(text::BODY) };
        paint(painter, rect, (icon, icon_ink), (word, ink), font);
    }
    response
}
