//! The command palette: type a few letters, Enter does it.

use egui::{
    Align2, Area, Context, CornerRadius, Id, Key, Margin, Modal, Modifiers, Role, ScrollArea, Sense,
    StrokeKind, TextEdit, Ui, UiKind, WidgetInfo, vec2,
};

use crate::desktop::command::{Command, Commands, Entry, Shell, find};
use crate::desktop::state::{Palette, State};
use crate::desktop::theme::tokens::{size, space, text};
use crate::desktop::theme::{fonts, tokens};
use crate::desktop::widgets::{edge, ground, hint, icon_before, over, over_frame, soft};

const WIDTH: f32 = 560.0;
const TALLEST: f32 = 380.0;

/// The text field: it gets the focus with the command that opens the palette, so that no key typed
/// after it is lost.
pub fn field_id() -> Id {
    Id::unique("palette query")
}

pub fn palette_ui(ctx: &Context, palette: &Palette, state: &State, commands: &mut Commands) {
    let found = find(&palette.query, state);
    let id = Id::unique("palette");
    let area = Area::new(id)
        .kind(UiKind::Modal)
        .sense(Sense::hover())
        .anchor(Align2::CENTER_TOP, vec2(0.0, 96.0))
        .order(egui::Order::Foreground);
    let modal = over(ctx, Modal::new(id).area(area)).frame(over_frame(ctx, space::M)).show(ctx, |ui| {
        ui.set_width(WIDTH);
        keys(ui, palette, &found, state, commands);
        query_ui(ui, palette, commands);
        ui.add_space(space::S);
        if found.is_empty() {
            ui.label(soft(ui, "No such command."));
        }
        ScrollArea::vertical().max_height(TALLEST).auto_shrink([false, true]).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for (position, entry) in found.iter().enumerate() {
                if entry_ui(ui, entry, position == palette.chosen) {
                    take(entry, state, commands);
                }
            }
        });
    });
    if modal.should_close() {
        commands.push(Shell::TogglePalette);
    }
}

/// Does it, on the screen where it can be seen.
fn take(entry: &Entry, state: &State, commands: &mut Commands) {
    commands.push(Shell::TogglePalette);
    commands.extend(entry.command.shows_on().filter(|screen| *screen != state.screen).map(Command::Go));
    commands.push(entry.command.clone());
}

fn keys(ui: &Ui, palette: &Palette, found: &[&Entry], state: &State, commands: &mut Commands) {
    let (down, up, enter) = ui.input_mut(|input| {
        (
            input.consume_key(Modifiers::NONE, Key::ArrowDown),
            input.consume_key(Modifiers::NONE, Key::ArrowUp),
            input.consume_key(Modifiers::NONE, Key::Enter),
        )
    });
    if down {
        commands.push(Shell::PaletteMove(1));
    }
    if up {
        commands.push(Shell::PaletteMove(-1));
    }
    if let (true, Some(entry)) = (enter, found.get(palette.chosen)) {
        take(entry, state, commands);
    }
}

fn query_ui(ui: &mut Ui, palette: &Palette, commands: &mut Commands) {
    let mut query = palette.query.clone();
    let field = ui.add(
        TextEdit::singleline(&mut query)
            .id(field_id())
            .hint_text(hint("Find a command"))
            .desired_width(f32::INFINITY)
            .margin(Margin::symmetric(12, 9))
            .char_limit(80),
    );
    if !field.has_focus() {
        field.request_focus();
    }
    if field.changed() {
        commands.push(Shell::PaletteQuery(query));
    }
}

fn entry_ui(ui: &mut Ui, entry: &Entry, chosen: bool) -> bool {
    let colours = tokens(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 36.0), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::MenuItem, true, chosen, &entry.title));
    if chosen {
        response.scroll_to_me(None);
    }
    if ui.is_rect_visible(rect) {
        let fill = ground(colours, chosen, response.hovered());
        let painter = ui.painter();
        let round = CornerRadius::same(size::ROUND_CONTROL);
        painter.rect(rect, round, fill, edge(colours, chosen), StrokeKind::Inside);
        let at = rect.left_center() + vec2(space::M, 0.0);
        icon_before(painter, at, entry.icon, text::ICON, colours.text_soft);
        let at = rect.left_center() + vec2(space::M + text::ICON + space::M, 0.0);
        painter.text(at, Align2::LEFT_CENTER, &entry.title, fonts::body(text::BODY), colours.text);
        if let Some(shortcut) = entry.shortcut {
            let keys = ui.ctx().format_shortcut(&shortcut);
            let at = rect.right_center() - vec2(space::M, 0.0);
            painter.text(at, Align2::RIGHT_CENTER, keys, fonts::body(text::SMALL), colours.text_soft);
        }
    }
    response.clicked()
}
