//! How the app looks: [`mod@tokens`] hold the values, [`fonts`] the typefaces, this module applies
//! them to egui.

pub mod fonts;
pub mod tokens;

use egui::epaint::Shadow;
use egui::style::WidgetVisuals;
use egui::{Context, CornerRadius, Margin, Stroke, Style, TextStyle, Theme, Ui, Vec2, Visuals};

use tokens::{DARK, HANDLE, LIGHT, Tokens, size, space, text};

/// Fonts and both styles. Called once per context.
pub fn install(ctx: &Context) {
    ctx.set_fonts(fonts::definitions());
    ctx.set_style_of(Theme::Light, style(&LIGHT, Theme::Light));
    ctx.set_style_of(Theme::Dark, style(&DARK, Theme::Dark));
}

/// The tokens of the theme that `ui` is drawn in.
pub fn tokens(ui: &Ui) -> &'static Tokens {
    if ui.visuals().dark_mode { &DARK } else { &LIGHT }
}

fn style(tokens: &Tokens, theme: Theme) -> Style {
    let mut style = Style { visuals: visuals(tokens, theme), ..theme.default_style() };
    style.text_styles = [
        (TextStyle::Heading, fonts::strong(text::TITLE)),
        (TextStyle::Body, fonts::body(text::BODY)),
        (TextStyle::Button, fonts::medium(text::BODY)),
        (TextStyle::Small, fonts::body(text::SMALL)),
        (TextStyle::Monospace, fonts::mono(text::MONO)),
    ]
    .into();
    style.spacing.item_spacing = Vec2::new(space::S, space::S);
    style.spacing.button_padding = Vec2::new(space::M, 7.0);
    style.spacing.interact_size = Vec2::new(size::CONTROL, size::CONTROL);
    style.spacing.menu_margin = Margin::same(8);
    style.spacing.window_margin = Margin::same(16);
    style.spacing.combo_width = 180.0;
    style.spacing.tooltip_width = 360.0;
    style.spacing.scroll = egui::style::ScrollStyle::floating();
    style.spacing.scroll.floating_allocated_width = 10.0;
    style.spacing.scroll.floating_width = 5.0;
    style.spacing.scroll.dormant_background_opacity = 0.0;
    style.spacing.scroll.bar_width = 8.0;
    // In the colour of text rather than of buttons, which on paper would be white on white.
    style.spacing.scroll.foreground_color = true;
    style.spacing.scroll.dormant_handle_opacity = HANDLE;
    style.spacing.scroll.active_handle_opacity = 0.65;
    style.spacing.scroll.interact_handle_opacity = 0.8;
    style.interaction.selectable_labels = true;
    style.interaction.tooltip_delay = 0.4;
    style.animation_time = 0.1;
    style.url_in_tooltip = true;
    style
}

fn visuals(tokens: &Tokens, theme: Theme) -> Visuals {
    let mut visuals = theme.default_visuals();
    let round = CornerRadius::same(size::ROUND_CONTROL);
    let widget = |fill, stroke, text| WidgetVisuals {
        bg_fill: fill,
        weak_bg_fill: fill,
        bg_stroke: Stroke::new(1.0, stroke),
        corner_radius: round,
        fg_stroke: Stroke::new(1.0, text),
        expansion: 0.0,
    };
    visuals.widgets.noninteractive = widget(tokens.surface, tokens.line, tokens.text);
    visuals.widgets.inactive = widget(tokens.surface, tokens.outline, tokens.text);
    // Rails of sliders.
    visuals.widgets.inactive.bg_fill = tokens.sunken;
    visuals.widgets.hovered = widget(tokens.raised, tokens.text_soft, tokens.text);
    visuals.widgets.active = widget(tokens.accent_soft, tokens.accent, tokens.text);
    visuals.widgets.open = widget(tokens.raised, tokens.accent, tokens.text);
    visuals.override_text_color = None;
    visuals.weak_text_color = Some(tokens.text_soft);
    visuals.hyperlink_color = tokens.accent;
    visuals.faint_bg_color = tokens.sunken;
    visuals.extreme_bg_color = tokens.sunken;
    visuals.text_edit_bg_color = Some(tokens.field);
    visuals.handle_shape = egui::style::HandleShape::Circle;
    visuals.slider_trailing_fill = true;
    visuals.code_bg_color = tokens.sunken;
    visuals.warn_fg_color = tokens.warn;
    visuals.error_fg_color = tokens.bad;
    visuals.selection.bg_fill = tokens.accent_soft;
    // Of the field that has the focus, too: twice what others have, as buttons have a ring.
    visuals.selection.stroke = Stroke::new(2.0, tokens.text);
    visuals.text_cursor.stroke = Stroke::new(2.0, tokens.accent);
    visuals.window_fill = tokens.raised;
    visuals.window_stroke = Stroke::new(1.0, tokens.line);
    visuals.window_corner_radius = CornerRadius::same(size::ROUND);
    visuals.menu_corner_radius = CornerRadius::same(size::ROUND);
    visuals.window_shadow = Shadow { offset: [0, 12], blur: 32, spread: 0, color: tokens.shadow };
    visuals.popup_shadow = Shadow { offset: [0, 6], blur: 16, spread: 0, color: tokens.shadow };
    visuals.panel_fill = tokens.canvas;
    visuals.striped = false;
    visuals.image_loading_spinners = false;
    visuals.disabled_alpha = 0.6;
    visuals
}
