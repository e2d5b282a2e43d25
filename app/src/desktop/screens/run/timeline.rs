//! The timeline: the spend curve of the whole run, and a cursor that shows any moment of it.

use egui::{
    Align2, Color32, CornerRadius, Painter, Pos2, Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2,
};

use frlm_client::view::MoneyPoint;

use super::layout::{Axis, arrows, moment};
use super::messages::Action;
use super::state::Run;
use super::words;
use crate::desktop::command::Commands;
use crate::desktop::theme::tokens::{Tokens, space, text};
use crate::desktop::theme::{fonts, tokens};
use crate::desktop::widgets::focus_ring;

const HEIGHT: f32 = 54.0;
/// An arrow key moves the cursor by this share of the run.
const STEP: u64 = 100;

/// The curve and its cursor.
pub fn timeline_ui(ui: &mut Ui, run: &Run, commands: &mut Commands) {
    let (outer, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT + 18.0), Sense::click_and_drag());
    let at = run.moment();
    response.widget_info(|| {
        let mut info = WidgetInfo::slider(true, at as f64, words::TIMELINE);
        info.role = Role::Slider;
        info
    });
    let rect = Rect::from_min_size(outer.min, vec2(outer.width(), HEIGHT));
    let axis = Axis::new(rect, 0, run.view.at_ms);
    let colours = tokens(ui);
    let painter = ui.painter_at(outer.expand(3.0));
    painter.rect_filled(rect, CornerRadius::same(6), colours.sunken);
    curve(ui, run, &axis);
    focus_ring(&painter, &response, rect, 6, colours);
    let x = axis.x(at);
    painter.vline(x, rect.y_range(), Stroke::new(2.0, colours.accent));
    let label = match run.cursor {
        None if run.is_live() => words::live(&moment(at)),
        None if run.is_unread() => String::new(),
        None => moment(at),
        Some(_) => words::moment_of(&moment(at), &moment(run.view.at_ms)),
    };
    let label = painter.layout_no_wrap(label, fonts::body(text::SMALL), colours.text);
    // Below its cursor, and at either end still within the timeline.
    let half = label.size().x / 2.0;
    let left = x.clamp(outer.left() + half, (outer.right() - half).max(outer.left() + half)) - half;
    let below = pos2(left, rect.bottom() + 10.0 - label.size().y / 2.0);
    painter.galley(below, label, colours.text);
    legend(&painter, rect.left_top() + vec2(8.0, 10.0), run, colours);
    if let (true, Some(pointer)) = (response.clicked() || response.dragged(), response.interact_pointer_pos())
    {
        commands.push(Action::Scrub(Some(axis.ms(pointer.x))));
    }
    let step = (run.view.at_ms / STEP).max(1);
    let to = match arrows(ui, &response) {
        0 => return,
        ..0 => run.moment().saturating_sub(step),
        _ => run.moment().saturating_add(step),
    };
    commands.push(Action::Scrub(Some(to)));
}

/// What the lines are, with what they come to at the cursor.
fn legend(painter: &Painter, corner: Pos2, run: &Run, colours: &Tokens) {
    let at = run.moment();
    let entries = if run.view.subtasks.is_empty() && run.view.ending.is_none() {
        // What there is to pay is not known before there is a plan.
        Vec::new()
    } else if bound(run.view.money.now()) == 0 {
        let (verified, all) = (run.view.progress.verified_at(at) as u64, run.view.subtasks.len() as u64);
        vec![(colours.good, words::curve_free(verified, all))]
    } else {
        let money = run.view.money.at(at);
        let word = if money.owed > 0 { words::PAID_OR_OWED } else { words::SPENT };
        let spent = words::curve_spent(&run.unit.amount(money.spent), word);
        let bound = words::curve_bound(&run.unit.amount(bound(money)));
        vec![(colours.good, spent), (colours.busy, bound)]
    };
    let mut left = corner.x;
    for (colour, words) in entries {
        painter.hline(left..=left + 12.0, corner.y, Stroke::new(2.0, colour));
        let at = pos2(left + 12.0 + space::XS, corner.y);
        let font = fonts::body(text::SMALL);
        left = painter.text(at, Align2::LEFT_CENTER, words, font, colours.text_soft).right() + space::L;
    }
}

/// Everything that is not free.
fn bound(point: MoneyPoint) -> u64 {
    point.spent.saturating_add(point.locked).saturating_add(point.reserved)
}

/// What was spent (filled) and what was bound (line), against the highest value of the run.
fn curve(ui: &Ui, run: &Run, axis: &Axis) {
    let now = run.view.money.now();
    let highest = run.view.money.steps().last().map_or(0, |_| bound(now));
    let colours = tokens(ui);
    let count = columns(axis.rect.width());
    let points: Vec<(f32, u64, u64)> = (0..=count)
        .map(|column| {
            let x = axis.rect.left() + axis.rect.width() * column as f32 / count as f32;
            let point = run.view.money.at(axis.ms(x));
            (x, point.spent, bound(point))
        })
        .collect();
    let highest = points.iter().map(|point| point.2).max().unwrap_or(0).max(highest);
    if highest == 0 {
        verified(ui, run, axis, colours.good);
        return;
    }
    let y = |sats: u64| axis.rect.bottom() - (sats as f32 / highest as f32) * (axis.rect.height() - 20.0);
    let painter = ui.painter_at(axis.rect);
    for pair in points.windows(2) {
        let area = Rect::from_min_max(pos2(pair[0].0, y(pair[0].1)), pos2(pair[1].0, axis.rect.bottom()));
        painter.rect_filled(area, CornerRadius::ZERO, colours.good_soft);
    }
    let line = |points: Vec<egui::Pos2>, colour| painter.line(points, Stroke::new(1.5, colour));
    line(points.iter().map(|(x, spent, _)| pos2(*x, y(*spent))).collect(), colours.good);
    line(points.iter().map(|(x, _, bound)| pos2(*x, y(*bound))).collect(), colours.busy);
}

/// Free runs have no spend curve; how many parts are verified takes its place.
fn verified(ui: &Ui, run: &Run, axis: &Axis, colour: Color32) {
    let total = run.view.subtasks.len().max(1);
    let count = columns(axis.rect.width());
    let points = (0..=count).map(|column| {
        let x = axis.rect.left() + axis.rect.width() * column as f32 / count as f32;
        let share = run.view.progress.verified_at(axis.ms(x)) as f32 / total as f32;
        pos2(x, axis.rect.bottom() - share * (axis.rect.height() - 20.0))
    });
    ui.painter_at(axis.rect).line(points.collect(), Stroke::new(1.5, colour));
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few thousand points wide")]
fn columns(width: f32) -> usize {
    (width / 2.0).clamp(1.0, 2_000.0) as usize
}
