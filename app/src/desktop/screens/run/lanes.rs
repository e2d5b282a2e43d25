//! One lane per subtask (its replicas bracketed) or per provider. Only visible lanes are drawn.

use egui::{
    Align2, CornerRadius, Id, Rect, Response, Role, ScrollArea, Sense, Stroke, StrokeKind, Ui, WidgetInfo,
    pos2, vec2,
};
use frlm_client::protocol::printable;
use frlm_client::view::{AttemptView, Ending, ProviderView, SubtaskView};

use super::layout::{Axis, moment};
use super::messages::Action;
use super::minimap;
use super::state::{Grouping, Run, Stage};
use super::words::{self, describe, ending};
use crate::desktop::command::{Command, Commands};
use crate::desktop::theme::tokens::{CLEAR, size, space, text};
use crate::desktop::theme::{fonts, tokens};
use crate::desktop::widgets::{self, List, Tone, file_name, focus_ring, icon_before, list_ui};

/// Width of the states' column.
const STATE: f32 = 104.0;
/// Width of the labels' column, where there is room, and where one document needs no name.
const LABEL: f32 = 190.0;
const SHORT_LABEL: f32 = 140.0;
/// More of a lane than this is for its bars.
const LABEL_SHARE: f32 = 0.3;
/// Width of a character of a label, on average.
const CHARACTER: f32 = 6.8;
/// Width of what is said of a provider.
const PROVIDER_WORDS: f32 = 264.0;
/// Height of a provider's lane: two lines.
const PROVIDER: f32 = 40.0;
/// Up to this many lanes are drawn on the time of the whole run; more get the time of those that
/// are visible, or their bars could not be told apart.
const FEW: usize = 64;
/// Attempts drawn in one provider's lane at once; beyond it only every n-th.
const MOST_DRAWN: usize = 500;

/// The lanes, in the room that is left.
pub fn lanes_ui(ui: &mut Ui, run: &Run, commands: &mut Commands) {
    // Rows are counted without gaps.
    ui.spacing_mut().item_spacing.y = 0.0;
    match run.grouping {
        Grouping::Subtask => subtasks_ui(ui, run, commands),
        Grouping::Provider => providers_ui(ui, run, commands),
    }
}

fn subtasks_ui(ui: &mut Ui, run: &Run, commands: &mut Commands) {
    let shown = run.shown_lanes();
    let count = shown.map_or(run.view.subtasks.len(), <[u32]>::len);
    if count == 0 {
        let words = if run.view.subtasks.is_empty() { nothing_yet(run) } else { words::NO_MATCH };
        ui.add_space(space::L);
        ui.label(crate::desktop::widgets::soft(ui, words));
        return;
    }
    let place = ui.scope_id().with("lanes in sight");
    let area = ScrollArea::vertical().auto_shrink(false);
    let area = match sought(ui, run, (shown, count), place) {
        Some(offset) => area.vertical_scroll_offset(offset),
        None => area,
    };
    list_ui(ui, "lanes", area, (size::ROW, count), |ui, rows, list| {
        let first = rows.start;
        let sight = Sight { lane: run.lane, first, end: rows.end };
        ui.data_mut(|data| data.insert_temp(place, sight));
        let ids: Vec<u32> = match shown {
            Some(shown) => shown[rows].to_vec(),
            None => rows.filter_map(|row| u32::try_from(row).ok()).collect(),
        };
        let lanes: Vec<(u32, &SubtaskView)> =
            ids.into_iter().filter_map(|id| Some((id, run.view.subtasks.get(id as usize)?))).collect();
        let (from_ms, to_ms) = span(run, &lanes);
        for (row, (id, lane)) in (first..).zip(lanes) {
            let response = subtask_ui(ui, run, (list, row), (id, lane), (from_ms, to_ms));
            if response.hovered() {
                minimap::point_at(ui, id);
            }
            commands.push_if(response.clicked(), Action::Lane(id));
        }
    });
}

/// How the lanes were drawn last: which of them was chosen, and which rows were in sight.
#[derive(Debug, Clone, Copy)]
struct Sight {
    lane: Option<u32>,
    first: usize,
    end: usize,
}

/// Where the lanes are to be scrolled to: a lane that was just chosen elsewhere comes into sight, and one that is in
/// sight stays where it is.
fn sought(ui: &Ui, run: &Run, (shown, count): (Option<&[u32]>, usize), place: Id) -> Option<f32> {
    let before: Option<Sight> = ui.data(|data| data.get_temp(place));
    let lane = run.lane.filter(|_| before.is_none_or(|before| before.lane != run.lane))?;
    let row = match shown {
        Some(shown) => shown.iter().position(|each| *each == lane)?,
        None => lane as usize,
    };
    let height = ui.available_height();
    let is_in_sight = match before {
        Some(before) => (before.first..before.end).contains(&row),
        None => (row + 1) as f32 * size::ROW <= height,
    };
    let most = (count as f32 * size::ROW - height).max(0.0);
    (!is_in_sight).then(|| (row as f32 * size::ROW - height / 3.0).clamp(0.0, most))
}

/// Why there are no lanes.
fn nothing_yet(run: &Run) -> &'static str {
    match (run.stage, &run.view.ending) {
        (Stage::Reading, _) => words::READING_RECORD,
        (Stage::Recorded, Some(Ending::Answered(_))) => words::BY_CODE,
        (Stage::Recorded, _) => words::NO_PLAN,
        (Stage::Live | Stage::Pausing | Stage::Resuming, _) => words::PLANNING,
    }
}

/// The time that the lanes' axis covers.
fn span(run: &Run, lanes: &[(u32, &SubtaskView)]) -> (u64, u64) {
    if run.view.subtasks.len() <= FEW {
        return (0, run.view.at_ms);
    }
    let attempts = || lanes.iter().flat_map(|(_, lane)| &lane.attempts);
    let from = attempts().map(|attempt| attempt.submitted_ms).min().unwrap_or(0);
    let to =
        attempts().map(|attempt| attempt.ended_ms.unwrap_or(run.view.at_ms)).max().unwrap_or(run.view.at_ms);
    (from, to)
}

fn subtask_ui(
    ui: &mut Ui,
    run: &Run,
    (list, row): (List, usize),
    (id, lane): (u32, &SubtaskView),
    span: (u64, u64),
) -> Response {
    let (rect, response) = list.row(ui, row, size::ROW, Sense::click());
    let state = run.lane_state(lane);
    let (icon, word, tone) = describe(state);
    response.widget_info(|| {
        let words = words::row(&printable(&lane.label), word, lane.attempts.len());
        WidgetInfo::selected(Role::Row, true, run.lane == Some(id), words)
    });
    if !ui.is_rect_visible(rect) {
        return response;
    }
    ground(ui, rect, &response, (run.lane == Some(id), minimap::pointed_at(ui) == Some(id)));
    let painter = ui.painter_at(rect);
    let colours = tokens(ui);
    let (ink, _) = tone.colours(ui);
    let at = rect.left_center() + vec2(space::S, 0.0);
    icon_before(&painter, at, icon, 14.0, ink);
    let word = if lane.dissent && tone == Tone::Good { words::VERIFIED_DISPUTED } else { word };
    painter.text(at + vec2(20.0, 0.0), Align2::LEFT_CENTER, word, fonts::body(text::SMALL), ink);
    let label = label_of(run, lane);
    let width = label_width(run, rect.width());
    let label = frlm_client::util::text::shortened(&label, characters(width));
    let at = rect.left_center() + vec2(STATE, 0.0);
    painter.text(at, Align2::LEFT_CENTER, label, fonts::body(text::SMALL), colours.text);
    let bars =
        Rect::from_min_max(pos2(rect.left() + STATE + width, rect.top() + 4.0), rect.max - vec2(8.0, 4.0));
    let axis = Axis::new(bars, span.0, span.1);
    bracket(ui, &axis, lane.attempts.len());
    let until = run.moment();
    let height = bars.height() / lane.attempts.len().clamp(1, 5) as f32;
    for (position, attempt) in lane.attempts.iter().take(5).enumerate() {
        let top = bars.top() + position as f32 * height;
        let row = Rect::from_min_size(pos2(bars.left(), top), vec2(bars.width(), height));
        bar(ui, &axis, row, attempt, until, run.view.at_ms);
    }
    if let Some(cursor) = run.cursor {
        painter.vline(axis.x(cursor), rect.y_range(), Stroke::new(1.0, colours.accent));
    }
    response.on_hover_ui(|ui| attempts_ui(ui, run, lane))
}

/// What a lane is called within its run.
pub fn label_of(run: &Run, lane: &SubtaskView) -> String {
    let label = short_label(&printable(&lane.label));
    match label.split_once(" of ") {
        // One document needs no name in every lane.
        Some((lines, _)) if run.view.start.documents.len() == 1 => lines.to_owned(),
        _ => label,
    }
}

/// Width of the labels' column in lanes of a width.
fn label_width(run: &Run, lane: f32) -> f32 {
    let wanted = if run.view.start.documents.len() == 1 { SHORT_LABEL } else { LABEL };
    wanted.min(lane * LABEL_SHARE)
}

/// Characters of a label that fit.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a label is a few words")]
fn characters(width: f32) -> usize {
    (width / CHARACTER).max(4.0) as usize
}

/// Replicas of one subtask belong together: a bracket holds them.
fn bracket(ui: &Ui, axis: &Axis, attempts: usize) {
    if attempts < 2 {
        return;
    }
    let stroke = Stroke::new(1.0, tokens(ui).text_soft);
    let (x, rect) = (axis.rect.left() - 6.0, axis.rect);
    let painter = ui.painter();
    painter.vline(x, rect.y_range(), stroke);
    painter.hline(x..=x + 3.0, rect.top(), stroke);
    painter.hline(x..=x + 3.0, rect.bottom(), stroke);
}

/// One attempt: a thin line while it waits, a bar while somebody works, coloured by how it ended.
fn bar(ui: &Ui, axis: &Axis, row: Rect, attempt: &AttemptView, until: u64, now: u64) {
    if attempt.submitted_ms > until {
        return;
    }
    let ended = attempt.ended_ms.filter(|ended| *ended <= until);
    let end = ended.unwrap_or(until.min(now));
    let colours = tokens(ui);
    let painter = ui.painter();
    let middle = row.center().y;
    let began = began(attempt, ended, until);
    let waiting = axis.x(attempt.submitted_ms)..=axis.x(began.unwrap_or(end).min(end));
    painter.hline(waiting, middle, Stroke::new(1.0, colours.text_soft));
    let Some(began) = began else { return };
    let (_, tone) = if ended.is_some() { ending(attempt) } else { ("", Tone::Busy) };
    let (ink, wash) = tone.colours(ui);
    let (fill, line) = match tone {
        Tone::Plain => (CLEAR, colours.text_soft),
        Tone::Warn => (wash, ink),
        Tone::Accent | Tone::Good | Tone::Bad | Tone::Busy => (ink, ink),
    };
    let left = axis.x(began.min(end));
    // What has only just begun is two points wide, and within the axis all the same.
    let right = axis.x(end).max(left + 2.0).min(axis.rect.right());
    let left = left.min(right - 2.0);
    let height = (row.height() - 2.0).clamp(2.0, 10.0);
    let bar = Rect::from_min_max(pos2(left, middle - height / 2.0), pos2(right, middle + height / 2.0));
    painter.rect(bar, CornerRadius::same(2), fill, Stroke::new(1.0, line), StrokeKind::Inside);
}

/// When somebody began with an attempt, as far as is known by a moment; `None` while it waits. One that never said so has
/// worked since the job left, which is known once there is an end: until then it is asked, here as in its words.
fn began(attempt: &AttemptView, ended: Option<u64>, until: u64) -> Option<u64> {
    let said = attempt.processing_ms.filter(|began| *began <= until);
    said.or_else(|| ended.map(|ended| attempt.sent_ms.map_or(ended, |sent| sent.min(ended))))
}

fn attempts_ui(ui: &mut Ui, run: &Run, lane: &SubtaskView) {
    ui.label(crate::desktop::widgets::name(&printable(&lane.label)));
    for attempt in lane.attempts.iter().take(8) {
        let (word, _) = ending(attempt);
        let at = attempt.ended_ms.unwrap_or(attempt.submitted_ms);
        ui.label(format!("{}: {word}, {}", provider_name(run, attempt), moment(at)));
    }
    if lane.attempts.is_empty() {
        ui.label(words::NOT_ASKED);
    }
}

/// The provider of an attempt, for people.
pub fn provider_name(run: &Run, attempt: &AttemptView) -> String {
    let provider = attempt.provider.and_then(|provider| run.view.providers.get(provider as usize));
    provider.map_or(words::NO_PROVIDER_YET.to_owned(), |provider| {
        printable(&run.view.providers.name_of(provider)).into_owned()
    })
}

fn providers_ui(ui: &mut Ui, run: &Run, commands: &mut Commands) {
    let count = run.view.providers.len();
    if count == 0 {
        ui.add_space(space::L);
        let words = match run.stage {
            Stage::Recorded => words::NONE_SEEN,
            Stage::Reading => words::READING_RECORD,
            Stage::Live | Stage::Pausing | Stage::Resuming => words::NONE_SEEN_YET,
        };
        ui.label(crate::desktop::widgets::soft(ui, words));
        return;
    }
    let area = ScrollArea::vertical().auto_shrink(false);
    list_ui(ui, "providers", area, (PROVIDER, count), |ui, rows, list| {
        for position in rows {
            let provider = &run.view.providers[position];
            let clicked = provider_ui(ui, run, (list, position), provider).clicked();
            let chosen = u32::try_from(position).ok().filter(|_| clicked);
            commands.extend(chosen.map(|position| Command::Run(Action::Provider(position))));
        }
    });
}

fn provider_ui(ui: &mut Ui, run: &Run, (list, position): (List, usize), provider: &ProviderView) -> Response {
    let (rect, response) = list.row(ui, position, PROVIDER, Sense::click());
    let chosen = run.provider.is_some_and(|chosen| chosen as usize == position);
    let name = printable(&run.view.providers.name_of(provider)).into_owned();
    let figures = words::provider(provider.asked, provider.agreed, provider.dissented);
    response.widget_info(|| WidgetInfo::selected(Role::Row, true, chosen, format!("{name}: {figures}")));
    if !ui.is_rect_visible(rect) {
        return response;
    }
    ground(ui, rect, &response, (chosen, false));
    let colours = tokens(ui);
    let painter = ui.painter_at(rect);
    let ink = if provider.here { colours.text } else { colours.text_soft };
    let shown = frlm_client::util::text::shortened(&name, 30);
    let shown = if provider.here { shown } else { words::offline(&shown) };
    let at = rect.left_top() + vec2(space::S, 12.0);
    painter.text(at, Align2::LEFT_CENTER, shown, fonts::medium(text::SMALL), ink);
    let at = rect.left_top() + vec2(space::S, 28.0);
    painter.text(at, Align2::LEFT_CENTER, figures, fonts::body(text::SMALL), colours.text_soft);
    let bars =
        Rect::from_min_max(pos2(rect.left() + PROVIDER_WORDS, rect.top() + 8.0), rect.max - vec2(8.0, 8.0));
    let axis = Axis::new(bars, 0, run.view.at_ms);
    let attempts = run.by_provider.get(position).map_or(&[][..], Vec::as_slice);
    let until = run.moment();
    // Past what the eye can tell apart, a sample is drawn.
    let step = attempts.len().div_ceil(MOST_DRAWN).max(1);
    for (subtask, attempt) in attempts.iter().step_by(step) {
        let attempt =
            run.view.subtasks.get(*subtask as usize).and_then(|lane| lane.attempts.get(*attempt as usize));
        if let Some(attempt) = attempt {
            bar(ui, &axis, bars, attempt, until, run.view.at_ms);
        }
    }
    response.on_hover_ui(|ui| {
        ui.label(crate::desktop::widgets::name(&name));
        if !provider.model.is_empty() {
            ui.label(printable(&provider.model));
        }
    })
}

/// What a row stands on: chosen, pointed at here or elsewhere, focused or nothing.
fn ground(ui: &Ui, rect: Rect, response: &Response, (chosen, pointed): (bool, bool)) {
    let colours = tokens(ui);
    let fill = widgets::ground(colours, chosen, pointed || response.hovered());
    let painter = ui.painter();
    let line = widgets::edge(colours, chosen);
    painter.rect(rect, CornerRadius::same(4), fill, line, StrokeKind::Inside);
    focus_ring(painter, response, rect, 4, colours);
}

/// A lane's label with its document's name instead of the whole path: "lines 1–16 of orders.log".
pub fn short_label(label: &str) -> String {
    match label.rsplit_once(" of ") {
        Some((lines, path)) => format!("{lines} of {}", file_name(path)),
        None => label.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{Recipe, shown};
    use super::*;

    #[test]
    fn a_part_that_was_only_sent_waits_and_an_ended_one_worked_since_sending() {
        let run = shown(Recipe::busy(41), true);
        let of = |lane: usize| {
            let attempt = &run.view.subtasks[lane].attempts[0];
            (attempt, began(attempt, attempt.ended_ms, run.moment()))
        };
        let (asked, began) = of(25);
        assert!(asked.sent_ms.is_some() && asked.ended_ms.is_none() && began.is_none());
        let (at_work, began) = of(26);
        assert!(began.is_some() && began == at_work.processing_ms);
        let (answered, began) = of(27);
        assert!(answered.ended_ms.is_some() && began.is_some() && began == answered.sent_ms);
    }
}
