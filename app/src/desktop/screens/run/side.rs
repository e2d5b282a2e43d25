//! Beside the lanes: decisions as they fell, every event, or the chosen lane.

use egui::text::LayoutJob;
use egui::{Align2, CornerRadius, Role, ScrollArea, Sense, StrokeKind, Ui, WidgetInfo, vec2};
use lucide_icons::Icon;

use super::decisions::decisions_ui;
use super::inspect::Behind;
use super::lanes::label_of;
use super::layout::moment;
use super::messages::Action;
use super::state::{PAGE, Run, Side};
use super::{events, lane, minimap, verdict, words};
use crate::desktop::command::Commands;
use crate::desktop::theme::tokens::{space, text};
use crate::desktop::theme::{fonts, tokens};
use crate::desktop::widgets::{
    Button, List, Reach, copy_ui, edge, focus_ring, ground, icon_before, list_ui, name, page_ui, soft,
    tabs_ui, well_ui,
};

const EVENT_ROW: f32 = 26.0;
/// In less height than this the chosen event stands alone: list and event would each be a slit.
const LOW: f32 = 320.0;
/// Characters of an event that are shown; the rest can be exported.
const LONGEST: usize = 4_000;
/// Characters of a word that fit into a line of it in the narrowest panel.
const LONGEST_WORD: usize = 28;

/// The panel.
pub fn side_ui(ui: &mut Ui, run: &Run, commands: &mut Commands) {
    let tabs =
        [(Side::Decisions, words::DECISIONS), (Side::Events, words::EVENTS), (Side::Lane, words::DETAILS)];
    commands.extend(tabs_ui(ui, &tabs, run.side).map(Action::Beside));
    ui.add_space(space::S);
    match run.side {
        Side::Decisions => decisions_ui(ui, run),
        Side::Events => events_ui(ui, run, commands),
        Side::Lane => lane::lane_ui(ui, run, commands),
    }
}

fn events_ui(ui: &mut Ui, run: &Run, commands: &mut Commands) {
    let until = run.moment();
    let count = match run.cursor {
        None => run.events.len(),
        Some(_) => run.events.partition_point(|event| event.at_ms <= until),
    };
    let detail = run.event.filter(|seq| *seq < run.events.len() as u64);
    if let Some(seq) = detail.filter(|_| ui.available_height() < LOW) {
        return alone_ui(ui, run, (seq, count as u64), commands);
    }
    let raw = detail.is_some() && matches!(&run.raw, Some(Ok(behind)) if *behind != Behind::default());
    let reserved = match (detail, raw) {
        (None, _) => 0.0,
        (Some(_), false) => 290.0,
        (Some(_), true) => 500.0,
    };
    // In a small window list and event share the room, and each scrolls.
    let reserved = if detail.is_some() { f32::min(reserved, ui.available_height() * 0.75) } else { 0.0 };
    let height = (ui.available_height() - reserved).max(80.0);
    // Rows are counted without gaps.
    ui.spacing_mut().item_spacing.y = 0.0;
    let mut list = ScrollArea::vertical();
    let seen = ui.scope_id().with("sought");
    if run.sought != ui.data(|data| data.get_temp(seen)).unwrap_or(0_u64) {
        ui.data_mut(|data| data.insert_temp(seen, run.sought));
        if let Some(seq) = detail {
            list = list.vertical_scroll_offset((seq as f32 - 1.0).max(0.0) * EVENT_ROW);
        }
    }
    let list = list.auto_shrink(false).max_height(height).stick_to_bottom(run.is_live());
    list_ui(ui, "events", list, (EVENT_ROW, count), |ui, rows, list| {
        for seq in rows {
            event_ui(ui, run, (list, seq), commands);
        }
    });
    ui.spacing_mut().item_spacing.y = space::S;
    if let Some(seq) = detail {
        detail_ui(ui, run, seq, commands);
    }
}

/// The chosen one of so many events, and ways to the others.
fn alone_ui(ui: &mut Ui, run: &Run, (seq, count): (u64, u64), commands: &mut Commands) {
    ui.horizontal(|ui| {
        Button::quiet(words::ALL_EVENTS).icon(Icon::ArrowLeft).show(ui, commands, Action::CloseEvent);
        let before = Button::quiet(words::PREVIOUS_EVENT).icon_only(Icon::ChevronUp).enabled(seq > 0);
        before.show(ui, commands, Action::Event(seq - 1));
        let after = Button::quiet(words::NEXT_EVENT).icon_only(Icon::ChevronDown).enabled(seq + 1 < count);
        after.show(ui, commands, Action::Event(seq + 1));
    });
    detail_ui(ui, run, seq, commands);
}

fn detail_ui(ui: &mut Ui, run: &Run, seq: u64, commands: &mut Commands) {
    let area = ScrollArea::vertical().auto_shrink(false);
    page_ui(ui, "detail", Reach::Pointed, area, |ui| event_detail_ui(ui, run, seq, commands));
}

fn event_ui(ui: &mut Ui, run: &Run, (list, row): (List, usize), commands: &mut Commands) {
    let Some(stub) = run.events.get(row) else { return };
    let seq = row as u64;
    let (word, icon, tone) = events::of(stub.kind);
    let (rect, response) = list.row(ui, row, EVENT_ROW, Sense::click());
    if let (true, Some(lane)) = (response.hovered(), stub.subtask) {
        minimap::point_at(ui, lane);
    }
    let lane = stub.subtask.and_then(|subtask| run.view.subtasks.get(subtask as usize));
    let part = lane.map_or(String::new(), |lane| label_of(run, lane));
    let chosen = run.event == Some(seq);
    response.widget_info(|| {
        WidgetInfo::selected(Role::Row, true, chosen, format!("{} {word} {part}", moment(stub.at_ms)))
    });
    if ui.is_rect_visible(rect) {
        let colours = tokens(ui);
        let pointed = minimap::pointed_at(ui);
        let same_lane = stub.subtask.is_some() && (stub.subtask == run.lane || stub.subtask == pointed);
        let fill = ground(colours, chosen, response.hovered() || same_lane);
        let painter = ui.painter_at(rect);
        painter.rect(rect, CornerRadius::same(4), fill, edge(colours, chosen), StrokeKind::Inside);
        focus_ring(&painter, &response, rect, 4, colours);
        let (ink, _) = tone.colours(ui);
        let left = rect.left_center();
        let time = moment(stub.at_ms);
        painter.text(
            left + vec2(50.0, 0.0),
            Align2::RIGHT_CENTER,
            time,
            fonts::body(text::SMALL),
            colours.text_soft,
        );
        icon_before(&painter, left + vec2(60.0, 0.0), icon, 13.0, ink);
        let after = painter
            .text(left + vec2(80.0, 0.0), Align2::LEFT_CENTER, word, fonts::body(text::SMALL), colours.text)
            .right();
        let set = |words| painter.layout_no_wrap(words, fonts::body(text::SMALL), colours.text_soft);
        let right = rect.right_center() - vec2(6.0, 0.0);
        let mut part = set(part);
        // Where its name does not fit, its number in the record stands for it.
        if part.size().x > right.x - after - space::S {
            part = set(stub.subtask.map_or(String::new(), |subtask| format!("#{subtask}")));
        }
        painter.galley(right - vec2(part.size().x, part.size().y / 2.0), part, colours.text_soft);
    }
    commands.push_if(response.clicked(), Action::Event(seq));
}

fn event_detail_ui(ui: &mut Ui, run: &Run, seq: u64, commands: &mut Commands) {
    ui.add_space(space::S);
    let Some(line) = run.line(seq) else {
        ui.label(soft(ui, words::READING));
        let page = seq / PAGE * PAGE;
        if !run.awaited.contains(&page) {
            commands.push(Action::NeedPage(page));
        }
        return;
    };
    let stub = usize::try_from(seq).ok().and_then(|seq| run.events.get(seq));
    // Wrapped rather than wider than the panel, which would grow at the expense of the lanes.
    ui.horizontal_wrapped(|ui| {
        ui.label(name(&words::event(seq))).on_hover_text(words::EVENT_HINT);
        let copy = Button::quiet(words::COPY_EVENT).icon_only(Icon::Copy);
        copy_ui(ui, copy, (&run.id, seq), || line.to_owned());
        if let Some(lane) = stub.and_then(|stub| stub.subtask)
            && ui.add(Button::quiet(words::SHOW_PART).icon(Icon::ListTree)).clicked()
        {
            commands.push(Action::Lane(lane));
        }
    });
    if stub.is_some_and(|stub| events::may_be_a_verdict(stub.kind)) {
        verdict::verdict_ui(ui, line);
    }
    well_ui(ui, |ui| {
        own_bar("event", 140.0).show(ui, |ui| code_ui(ui, &pretty(line)));
    });
    if let Some(stub) = stub.filter(|stub| events::stands_on_more(stub.kind)) {
        behind_ui(ui, run, events::crossed_a_relay(stub.kind));
    }
}

/// What stands behind the chosen event: signed Nostr events, what our job says, the receipt.
fn behind_ui(ui: &mut Ui, run: &Run, crossed_a_relay: bool) {
    let small = |text: &str, ui: &Ui| soft(ui, text).font(fonts::body(text::SMALL));
    let behind = match &run.raw {
        None => return drop(ui.label(small(words::READING, ui))),
        Some(Err(why)) => return drop(ui.label(small(why, ui))),
        Some(Ok(behind)) => behind,
    };
    if !behind.receipt.is_empty() {
        ui.label(name(words::RECEIPT));
        for line in &behind.receipt {
            ui.label(line);
        }
    }
    if let Some(opened) = &behind.opened {
        quoted_ui(ui, words::TEXT_SENT, words::COPY_TEXT_SENT, &pretty(opened));
        ui.label(small(words::DECRYPTED, ui));
    }
    if !behind.events.is_empty() {
        quoted_ui(ui, words::NOSTR_EVENT, words::COPY_NOSTR_EVENT, &behind.events.join("\n"));
        ui.label(small(words::SIGNED, ui));
    } else if crossed_a_relay {
        ui.label(small(words::NOT_KEPT, ui));
    }
}

/// A text that is not ours, in a box with its own bar, and a button that copies all of it.
fn quoted_ui(ui: &mut Ui, title: &str, copy: &str, all: &str) {
    ui.horizontal(|ui| {
        ui.label(name(title));
        copy_ui(ui, Button::quiet(copy).icon_only(Icon::Copy), all, || all.to_owned());
    });
    well_ui(ui, |ui| {
        own_bar(title, 120.0).show(ui, |ui| code_ui(ui, all));
    });
}

/// As much of a record as is shown. Where an id or a signature is longer than a line, lines break anywhere: each would
/// else begin on a line of its own, after its quotation mark.
fn code_ui(ui: &mut Ui, all: &str) {
    let shown: String = all.chars().take(LONGEST).collect();
    let is_long = |word: &str| word.chars().count() > LONGEST_WORD;
    let breaks = shown.split_whitespace().any(is_long);
    let mut job = LayoutJob::simple(shown, fonts::mono(12.0), tokens(ui).text, f32::INFINITY);
    job.wrap.break_anywhere = breaks;
    ui.label(job);
}

/// As high as that, however little of the panel is left: the panel scrolls, too.
fn own_bar(name: &str, height: f32) -> ScrollArea {
    ScrollArea::vertical().id_salt(name).max_height(height).min_scrolled_height(height).auto_shrink(false)
}

fn pretty(line: &str) -> String {
    serde_json::from_str::<serde_json::Value>(line)
        .and_then(|value| serde_json::to_string_pretty(&value))
        .unwrap_or_else(|_| line.to_owned())
}
