//! What a state means, as icon, word and colour together.

use egui::{
    Align2, Color32, CornerRadius, Painter, Pos2, Response, RichText, Role, Sense, Stroke, StrokeKind,
    TextStyle, Ui, WidgetInfo, vec2,
};
use lucide_icons::Icon;

use super::words::told;
use crate::desktop::theme::tokens::{size, space, text};
use crate::desktop::theme::{fonts, tokens};

/// What a state means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Nothing to report.
    Plain,
    /// Chosen, or worth a look.
    Accent,
    /// Verified, settled, earned.
    Good,
    /// Disputed, waiting, partial.
    Warn,
    /// Failed, refused.
    Bad,
    /// At work.
    Busy,
}

impl Tone {
    /// Text colour and wash.
    pub fn colours(self, ui: &Ui) -> (Color32, Color32) {
        let tokens = tokens(ui);
        match self {
            // A well would not be seen on the dark canvas.
            Self::Plain => (tokens.text_soft, tokens.line),
            Self::Accent => (tokens.accent, tokens.accent_soft),
            Self::Good => (tokens.good, tokens.good_soft),
            Self::Warn => (tokens.warn, tokens.warn_soft),
            Self::Bad => (tokens.bad, tokens.bad_soft),
            Self::Busy => (tokens.busy, tokens.busy_soft),
        }
    }

    /// The icon that goes with it, so that colour is never alone.
    pub fn icon(self) -> Icon {
        match self {
            Self::Plain => Icon::Circle,
            Self::Accent => Icon::Info,
            Self::Good => Icon::CircleCheck,
            Self::Warn => Icon::TriangleAlert,
            Self::Bad => Icon::CircleX,
            Self::Busy => Icon::LoaderCircle,
        }
    }

    /// In a word, for those who cannot see the icon.
    pub fn word(self) -> &'static str {
        match self {
            Self::Plain | Self::Accent => "note",
            Self::Good => "good",
            Self::Warn => "warning",
            Self::Bad => "problem",
            Self::Busy => "running",
        }
    }
}

/// An icon beside words that say the same: the word is its name for assistive technology, and its tooltip.
pub fn icon_ui(ui: &mut Ui, tone: Tone, icon: Icon, word: &str) -> Response {
    icon_of(ui, tone, icon, word, Sense::hover()).on_hover_text(told(word))
}

/// An icon that alone says something: its tooltip opens for the pointer and for the focus.
pub fn info_ui(ui: &mut Ui, tone: Tone, icon: Icon, word: &str) -> Response {
    let response = icon_of(ui, tone, icon, word, Sense::focusable_noninteractive());
    if !response.has_focus() {
        return response.on_hover_text(told(word));
    }
    let ring = Stroke::new(2.0, tokens(ui).accent);
    ui.painter().rect_stroke(response.rect.expand(2.0), CornerRadius::same(5), ring, StrokeKind::Inside);
    response.show_tooltip_ui(|ui| {
        ui.set_max_width(ui.spacing().tooltip_width);
        ui.label(told(word));
    });
    response
}

fn icon_of(ui: &mut Ui, tone: Tone, icon: Icon, word: &str, sense: Sense) -> Response {
    let (ink, _) = tone.colours(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(18.0, 18.0), sense);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, word));
    if ui.is_rect_visible(rect) {
        icon_before(ui.painter(), rect.left_center(), icon, 17.0, ink);
    }
    response
}

/// Paints an icon before words; `at` is its left end in the middle of their line. Small letters have their
/// middle a little below that, and the icon with them.
pub fn icon_before(painter: &Painter, at: Pos2, icon: Icon, size: f32, ink: Color32) {
    let at = at + vec2(0.0, 1.0);
    painter.text(at, Align2::LEFT_CENTER, char::from(icon), fonts::icons(size), ink);
}

/// A pill with icon and word.
pub fn badge_ui(ui: &mut Ui, tone: Tone, icon: Icon, word: &str) -> Response {
    let (ink, wash) = tone.colours(ui);
    let font = fonts::medium(text::SMALL);
    let galley = ui.painter().layout_no_wrap(word.to_owned(), font, ink);
    let wanted = vec2(galley.size().x + 14.0 + space::XS + 2.0 * space::S, 22.0);
    let (rect, response) = ui.allocate_exact_size(wanted, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, word));
    if ui.is_rect_visible(rect) {
        let painter = ui.painter();
        painter.rect_filled(rect, CornerRadius::same(11), wash);
        let at = rect.left_center() + vec2(space::S, 0.0);
        icon_before(painter, at, icon, 13.0, ink);
        let at = rect.left_center() + vec2(space::S + 14.0 + space::XS, -galley.size().y / 2.0);
        painter.galley(at, galley, ink);
    }
    response
}

/// Room of a mark's icon.
const NOTE: f32 = 22.0;

/// What is under way, as [`mark_ui`] shows it.
pub fn busy_ui(ui: &mut Ui, word: &str) {
    mark_ui(ui, Tone::Busy, Icon::LoaderCircle, word);
}

/// Icon and words of one line without a ground.
pub fn mark_ui(ui: &mut Ui, tone: Tone, icon: Icon, word: &str) -> Response {
    let (ink, _) = tone.colours(ui);
    let ink = if tone == Tone::Plain { tokens(ui).text_soft } else { ink };
    let galley = ui.painter().layout_no_wrap(word.to_owned(), fonts::body(text::BODY), ink);
    let wanted = vec2(galley.size().x + NOTE, size::ROW.min(22.0));
    let (rect, response) = ui.allocate_exact_size(wanted, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, word));
    if ui.is_rect_visible(rect) {
        let painter = ui.painter();
        icon_before(painter, rect.left_center(), icon, 15.0, ink);
        painter.galley(rect.left_center() + vec2(NOTE, -galley.size().y / 2.0), galley, ink);
    }
    response
}

/// The same where the words may be longer than a line: they go on below, beside the icon.
pub fn note_ui(ui: &mut Ui, tone: Tone, icon: Icon, words: &str) -> Response {
    let (ink, _) = tone.colours(ui);
    let line = ui.text_style_height(&TextStyle::Body);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        let (place, mark) = ui.allocate_exact_size(vec2(NOTE, line), Sense::hover());
        mark.widget_info(|| WidgetInfo::labeled(Role::Label, true, tone.word()));
        icon_before(ui.painter(), place.left_center(), icon, 15.0, ink);
        ui.vertical(|ui| ui.label(RichText::new(words).color(ink))).inner
    })
    .inner
}

#[cfg(test)]
mod tests {
    use egui_kittest::kittest::Queryable as _;

    use super::*;
    use crate::desktop::testing::widgets;

    #[test]
    fn a_long_note_goes_on_below_and_is_not_cut_off() {
        const WIDTH: f32 = 240.0;
        let words = "the wallet cannot be opened: another program holds it, and has done so for a long time";
        let drawn = widgets(vec2(WIDTH, 200.0), move |ui| {
            note_ui(ui, Tone::Bad, Icon::CircleX, words);
        });
        let note = drawn.get_by_label(words).rect();
        assert!(note.right() <= WIDTH && note.height() > 30.0, "{note:?}");
        drawn.get_by_label("problem");
    }

    #[test]
    fn what_an_icon_alone_says_is_told_to_the_focus_too() {
        let mut drawn = widgets(vec2(240.0, 200.0), |ui| {
            info_ui(ui, Tone::Warn, Icon::Globe, "unencrypted");
        });
        assert!(drawn.query_by_label("Unencrypted").is_none());
        drawn.get_by_label("unencrypted").focus();
        for _ in 0..4 {
            // Its words appear beside it.
            drawn.run_ok();
        }
        drawn.get_by_label("Unencrypted");
    }
}
