//! The documents as a strip: one cell per fragment in document order, coloured by how far it is.

use egui::{
    Align, CornerRadius, Id, Layout, Rect, Response, Role, Sense, Stroke, Ui, Vec2, WidgetInfo, pos2, vec2,
};
use frlm_client::protocol::printable;
use frlm_client::scheduler::FailureReason;
use frlm_client::view::SubtaskState;

use super::layout::{arrows, cell};
use super::messages::Action;
use super::state::Run;
use super::words::{self, describe};
use crate::desktop::command::Commands;
use crate::desktop::theme::tokens::{space, text};
use crate::desktop::theme::{fonts, tokens};
use crate::desktop::widgets::{focus_ring, small};

const HEIGHT: f32 = 22.0;
/// A cell in the legend.
const KEY: Vec2 = vec2(8.0, 12.0);
/// The least of it that is filled: two points or less would be drawn as a line, which is wider than the cell.
const LEAST: f32 = 2.2;
/// Width of the mark of a lane, and of that with the margin which sets it off from the cells: on some of their colours
/// alone it would not be seen.
const MARK: f32 = 2.0;
const MARK_GROUND: f32 = 6.0;
/// The narrowest cell; beyond it several fragments share one.
const NARROWEST: f32 = 3.0;

/// Marks a lane wherever it is shown, in the strip, the lanes and the events: the pointer is over it somewhere.
pub fn point_at(ui: &Ui, lane: u32) {
    if pointed_at(ui) != Some(lane) {
        // What was drawn before in this frame shows it in the next.
        ui.ctx().request_repaint();
    }
    let pass = ui.ctx().cumulative_pass_nr();
    ui.data_mut(|data| data.insert_temp(Id::unique(POINTED), (pass, lane)));
}

/// The lane that is pointed at, or was in the frame before.
pub fn pointed_at(ui: &Ui) -> Option<u32> {
    let (pass, lane) = last_pointed(ui)?;
    (pass + 1 >= ui.ctx().cumulative_pass_nr()).then_some(lane)
}

/// Once everything is drawn: where the pointer has just left a lane, its marks go with the next frame.
pub fn forget_left(ui: &Ui) {
    if last_pointed(ui).is_some_and(|(pass, _)| pass + 1 == ui.ctx().cumulative_pass_nr()) {
        ui.ctx().request_repaint();
    }
}

/// In which frame a lane was pointed at last, and which.
fn last_pointed(ui: &Ui) -> Option<(u64, u32)> {
    ui.data(|data| data.get_temp(Id::unique(POINTED)))
}

const POINTED: &str = "lane under the pointer";

/// The strip; a click chooses the lane, and so do arrow keys and Enter.
pub fn minimap_ui(ui: &mut Ui, run: &Run, commands: &mut Commands) {
    let total = run.view.subtasks.len();
    let verified = match run.cursor {
        None => run.view.progress.verified(),
        Some(moment) => run.view.progress.verified_at(moment),
    };
    let gave_up = match run.gave_up() {
        0 => String::new(),
        lanes => words::also_unanswered(lanes),
    };
    // How many there are is not known before the first of them is read.
    let words =
        if run.is_unread() { String::new() } else { words::parts_verified(verified, total, &gave_up) };
    ui.horizontal(|ui| {
        ui.set_height(18.0);
        ui.label(small(ui, words::DOCUMENTS));
        if !words.is_empty() {
            ui.label(small(ui, &words));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), legend_ui);
    });
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::click());
    let by_keys = lane_by_keys(ui, run, &response);
    let of = |lane: u32| {
        let shown = run.view.subtasks.get(lane as usize)?;
        Some(words::part_state(&printable(&shown.label), describe(run.lane_state(shown)).1))
    };
    response.widget_info(|| {
        let pointed = by_keys.and_then(of).map_or(String::new(), |lane| words::strip_at(&lane));
        WidgetInfo::labeled(Role::Meter, true, words::strip(&words, &pointed))
    });
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, CornerRadius::same(4), tokens(ui).sunken);
    if total == 0 {
        return;
    }
    let cells = total.min(most_cells(rect.width()));
    let width = rect.width() / cells as f32;
    for position in 0..cells {
        let (first, end) =
            (position * total / cells, ((position + 1) * total / cells).max(position * total / cells + 1));
        let states = (first..end.min(total)).filter_map(|lane| run.stands(lane));
        // The least advanced fragment speaks for its cell: a gap must not hide.
        let Some(state) = states.min_by_key(|state| rank(*state)) else { continue };
        let (colour, share) = cell(ui, state);
        let left = rect.left() + position as f32 * width;
        let gap = if width > 5.0 { 1.0 } else { 0.0 };
        let bar = Rect::from_min_max(
            pos2(left, rect.bottom() - share * HEIGHT),
            pos2(left + width - gap, rect.bottom()),
        );
        painter.rect_filled(bar, CornerRadius::same(if width > 5.0 { 2 } else { 0 }), colour);
    }
    let marked = pointed_at(ui).or(run.lane).filter(|lane| (*lane as usize) < total);
    if let Some(lane) = marked {
        let x = rect.left() + (lane as f32 + 0.5) / total as f32 * rect.width();
        painter.vline(x, rect.y_range(), Stroke::new(MARK_GROUND, tokens(ui).canvas));
        painter.vline(x, rect.y_range(), Stroke::new(MARK, tokens(ui).text));
    }
    let lane_at = |x: f32| share_of(((x - rect.left()) / rect.width()).clamp(0.0, 0.999_999), total);
    focus_ring(ui.painter(), &response, rect.expand(2.0), 5, tokens(ui));
    let chosen = response.interact_pointer_pos().map(|at| lane_at(at.x)).or(by_keys);
    if let (true, Some(lane)) = (response.clicked(), chosen) {
        commands.push(Action::Lane(lane));
    }
    let Some(at) = response.hover_pos() else { return };
    let lane = lane_at(at.x);
    point_at(ui, lane);
    if let Some(words) = of(lane) {
        response.on_hover_text(words);
    }
}

/// The lane that the arrow keys have led to, while the strip has the focus; Enter chooses it.
fn lane_by_keys(ui: &Ui, run: &Run, response: &Response) -> Option<u32> {
    let last = u32::try_from(run.view.subtasks.len()).ok()?.checked_sub(1)?;
    let step = arrows(ui, response);
    if !response.has_focus() {
        return None;
    }
    let place = response.id.with("by keys");
    let before = if response.gained_focus() { None } else { ui.data(|data| data.get_temp(place)) };
    let before: u32 = before.or(run.lane).unwrap_or(0);
    let lane = match step {
        0 => before,
        ..0 => before.saturating_sub(1),
        _ => before.saturating_add(1),
    };
    let lane = lane.min(last);
    ui.data_mut(|data| data.insert_temp(place, lane));
    // A pointer that rests on another lane keeps its mark until a key is pressed: two that each marked its own in every
    // frame would have the window drawn without end.
    let is_new = step != 0 || response.gained_focus();
    if is_new || pointed_at(ui).is_none_or(|pointed| pointed == lane) {
        point_at(ui, lane);
    }
    Some(lane)
}

/// What colour and height of a cell mean, in the order in which a part gets there.
fn legend_ui(ui: &mut Ui) {
    let states = [
        SubtaskState::Queued,
        SubtaskState::Asked,
        SubtaskState::Processing,
        SubtaskState::Returned,
        SubtaskState::Verified,
        SubtaskState::GaveUp(FailureReason::Exhausted),
    ];
    let ink = tokens(ui).text_soft;
    let set = |word: &str| ui.painter().layout_no_wrap(word.to_owned(), fonts::body(text::SMALL), ink);
    let words = states.map(|state| set(describe(state).1));
    let width: f32 = words.iter().map(|word| KEY.x + space::XS + word.size().x + space::M).sum();
    // No gap after the last: they end where the strip ends.
    let width = width - space::M;
    if width > ui.available_width() {
        return;
    }
    let (rect, response) = ui.allocate_exact_size(vec2(width, 18.0), Sense::hover());
    response.widget_info(|| {
        let states = states.map(|state| describe(state).1).join(", ");
        WidgetInfo::labeled(Role::Label, true, words::strip_key(&states))
    });
    let mut left = rect.left();
    for (state, word) in states.into_iter().zip(words) {
        let (colour, share) = cell(ui, state);
        let whole = Rect::from_min_size(pos2(left, rect.center().y - KEY.y / 2.0), KEY);
        let height = (share * KEY.y).max(LEAST);
        let filled = Rect::from_min_max(pos2(left, whole.bottom() - height), whole.max);
        ui.painter().rect_filled(whole, CornerRadius::same(2), tokens(ui).sunken);
        ui.painter().rect_filled(filled, CornerRadius::same(2), colour);
        let at = pos2(whole.right() + space::XS, rect.center().y - word.size().y / 2.0);
        left = at.x + word.size().x + space::M;
        ui.painter().galley(at, word, ink);
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few thousand points wide")]
fn most_cells(width: f32) -> usize {
    (width / NARROWEST).max(1.0) as usize
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a count is a place")]
fn share_of(share: f32, total: usize) -> u32 {
    (f64::from(share) * total as f64) as u32
}

fn rank(state: SubtaskState) -> u8 {
    match state {
        SubtaskState::GaveUp(_) => 0,
        SubtaskState::Queued => 1,
        SubtaskState::Asked => 2,
        SubtaskState::Processing => 3,
        SubtaskState::Returned => 4,
        SubtaskState::Verified => 5,
    }
}

#[cfg(test)]
mod tests {
    use egui::{Context, RawInput};

    use super::*;

    #[test]
    fn a_lane_is_marked_while_it_is_pointed_at_and_not_longer() {
        let ctx = Context::default();
        let marked = |pointed: Option<u32>| {
            let mut marked = None;
            let _ = ctx.run_ui(RawInput::default(), |ui| {
                if let Some(lane) = pointed {
                    point_at(ui, lane);
                }
                marked = pointed_at(ui);
                forget_left(ui);
            });
            marked
        };
        assert_eq!(marked(None), None);
        assert_eq!((marked(Some(7)), marked(Some(3))), (Some(7), Some(3)));
        assert_eq!(marked(None), Some(3), "who is drawn first sees it in the frame after");
        assert_eq!(marked(None), None);
    }
}
