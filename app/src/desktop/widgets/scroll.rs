//! What scrolls, by the keyboard too. In a *list* ([`list_ui`]) the arrow keys, Page Up and Page Down, Home and End
//! move the focus through all rows, those in sight or not, and the focused row stays in sight; while the
//! focus is nowhere they scroll the list under the pointer. A *page* ([`page_ui`]) of text or controls is
//! scrolled by the same keys, and to whatever gets the focus in it.

use std::ops::Range;

use egui::{FocusDirection, Id, IdSalt, Key, Modifiers, Rect, Response, ScrollArea, Sense, Ui, vec2};

/// How far an arrow key scrolls where there are no rows, in points.
const LINE: f32 = 40.0;
/// Share of what is in sight by which a page key scrolls: the last line read is still there.
const PAGE: f32 = 0.9;
/// Offsets that are as good as equal, in points.
const CLOSE: f32 = 0.5;

/// Which page the keys are for, while the focus is nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The screen's own: wherever the pointer is.
    Screen,
    /// One of several: the one under the pointer.
    Pointed,
}

/// What a key asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    /// So many rows or lines, forward or back.
    Lines(i8),
    /// So many pages, forward or back.
    Pages(i8),
    First,
    Last,
}

impl Step {
    /// The step that is asked for in this frame; its key is used up.
    fn pressed(ui: &Ui, with_arrows: bool) -> Option<Self> {
        let arrows = [(Key::ArrowUp, Self::Lines(-1)), (Key::ArrowDown, Self::Lines(1))];
        let pages = [
            (Key::PageUp, Self::Pages(-1)),
            (Key::PageDown, Self::Pages(1)),
            (Key::Home, Self::First),
            (Key::End, Self::Last),
        ];
        let arrows = arrows.into_iter().filter(|_| with_arrows);
        ui.input_mut(|input| {
            let mut keys = arrows.chain(pages);
            keys.find(|(key, _)| input.consume_key(Modifiers::NONE, *key)).map(|(_, step)| step)
        })
    }

    /// Where a row leads, of `count` rows, `page` of which are in sight.
    fn row_after(self, row: usize, count: usize, page: usize) -> usize {
        let by = |steps: i8, each: usize| {
            let rows = usize::from(steps.unsigned_abs()) * each;
            if steps < 0 { row.saturating_sub(rows) } else { row.saturating_add(rows) }
        };
        let to = match self {
            Self::Lines(lines) => by(lines, 1),
            Self::Pages(pages) => by(pages, page.saturating_sub(1).max(1)),
            Self::First => 0,
            Self::Last => usize::MAX,
        };
        to.min(count.saturating_sub(1))
    }

    /// Where an offset leads, of which `most` is the largest.
    fn offset_after(self, offset: f32, line: f32, page: f32, most: f32) -> f32 {
        let to = match self {
            Self::Lines(lines) => offset + f32::from(lines) * line,
            Self::Pages(pages) => offset + f32::from(pages) * page * PAGE,
            Self::First => 0.0,
            Self::Last => most,
        };
        to.clamp(0.0, most.max(0.0))
    }
}

/// How a list or a page looked when it was drawn last.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    place: Option<Rect>,
    offset: f32,
    /// The row with the focus.
    focused: Option<usize>,
    /// What was chosen in the list.
    chosen: Option<IdSalt>,
    /// What had the focus, anywhere.
    focus: Option<Id>,
    /// Where the page is to be scrolled to.
    wanted: Option<f32>,
}

/// A list that is being drawn: gives its rows their names.
#[derive(Debug, Clone, Copy)]
pub struct List(Id);

impl List {
    /// Room for a row of this list, and what happens to it.
    pub fn row(self, ui: &mut Ui, position: usize, height: f32, sense: Sense) -> (Rect, Response) {
        let (_, rect) = ui.allocate_space(vec2(ui.available_width(), height));
        let response = ui.interact(rect, self.0.with(position), sense);
        if response.has_focus() {
            ui.data_mut(|data| data.get_temp_mut_or_default::<Seen>(self.0).focused = Some(position));
        }
        (rect, response)
    }
}

/// Draws the rows in sight of a list of `count` rows of this height; the gap between them is the spacing of `ui`.
pub fn list_ui(
    ui: &mut Ui,
    name: &str,
    area: ScrollArea,
    (height, count): (f32, usize),
    rows: impl FnOnce(&mut Ui, Range<usize>, List),
) {
    choosing_list_ui(ui, name, area, (height, count), (None, || None), rows);
}

/// The same where one thing may be chosen: once it is another one, here or elsewhere, its row comes into sight. Then it
/// is asked for the row, and at no other time.
pub fn choosing_list_ui(
    ui: &mut Ui,
    name: &str,
    area: ScrollArea,
    (height, count): (f32, usize),
    (chosen, row): (Option<IdSalt>, impl FnOnce() -> Option<usize>),
    rows: impl FnOnce(&mut Ui, Range<usize>, List),
) {
    let id = ui.scope_id().with(("list", name));
    let seen: Seen = ui.data(|data| data.get_temp(id)).unwrap_or_default();
    let pitch = height + ui.spacing().item_spacing.y;
    let mut area = area.id_salt(name);
    let offset = moved(ui, id, &seen, pitch, count);
    if let Some(offset) = offset.or_else(|| brought(ui, id, &seen, (pitch, count), (chosen, row))) {
        area = area.vertical_scroll_offset(offset).stick_to_bottom(false);
    }
    let output = area.show_rows(ui, height, count, |ui, range| rows(ui, range, List(id)));
    ui.data_mut(|data| {
        let seen = data.get_temp_mut_or_default::<Seen>(id);
        (seen.place, seen.offset) = (Some(output.inner_rect), output.state.clamped_offset().y);
    });
}

/// Moves the focus, or only the rows, as a key asks for; the offset at which what is wanted is in sight.
fn moved(ui: &Ui, id: Id, seen: &Seen, pitch: f32, count: usize) -> Option<f32> {
    let place = seen.place.filter(|_| count > 0)?;
    let page = place.height();
    let most = (pitch * count as f32 - page).max(0.0);
    let has_focus = |row: &usize| ui.memory(|memory| memory.has_focus(id.with(*row)));
    if let Some(row) = seen.focused.filter(|row| *row < count).filter(has_focus) {
        let step = Step::pressed(ui, true)?;
        let to = step.row_after(row, count, rows_in(page, pitch));
        ui.memory_mut(|memory| {
            memory.request_focus(id.with(to));
            // Else the focus would go on to the next widget in the arrow's direction.
            memory.move_focus(FocusDirection::None);
        });
        ui.data_mut(|data| data.get_temp_mut_or_default::<Seen>(id).focused = Some(to));
        let top = pitch * to as f32;
        return Some(covering(top, top + pitch, seen.offset, page).clamp(0.0, most));
    }
    let nowhere = ui.memory(|memory| memory.focused().is_none());
    if !nowhere || !is_open(ui) || !ui.rect_contains_pointer(place) {
        return None;
    }
    Some(Step::pressed(ui, true)?.offset_after(seen.offset, pitch, page, most))
}

/// The offset at which the row of what is chosen is in sight, where it was not chosen before and is not in sight.
fn brought(
    ui: &Ui,
    id: Id,
    seen: &Seen,
    (pitch, count): (f32, usize),
    (chosen, row): (Option<IdSalt>, impl FnOnce() -> Option<usize>),
) -> Option<f32> {
    if chosen == seen.chosen {
        return None;
    }
    let Some(place) = seen.place else {
        // How much is in sight is known when it was drawn once.
        ui.ctx().request_repaint();
        return None;
    };
    ui.data_mut(|data| data.get_temp_mut_or_default::<Seen>(id).chosen = chosen);
    let (top, page) = (pitch * row()? as f32, place.height());
    let most = (pitch * count as f32 - page).max(0.0);
    let to = covering(top, top + pitch, seen.offset, page).clamp(0.0, most);
    ((to - seen.offset).abs() > CLOSE).then_some(to)
}

/// Draws what may be higher than its room.
pub fn page_ui<R>(
    ui: &mut Ui,
    name: &str,
    reach: Reach,
    area: ScrollArea,
    content: impl FnOnce(&mut Ui) -> R,
) -> R {
    let id = ui.scope_id().with(("page", name));
    let seen: Seen = ui.data(|data| data.get_temp(id)).unwrap_or_default();
    let mut area = area.id_salt(name);
    if let Some(offset) = seen.wanted {
        area = area.vertical_scroll_offset(offset).stick_to_bottom(false);
    }
    let output = area.show(ui, content);
    // Lists in the page have had their keys by now; what is left is the page's.
    let (place, offset) = (output.inner_rect, output.state.clamped_offset().y);
    let most = output.content_size.y - place.height();
    let focus = ui.memory(egui::Memory::focused);
    let wanted = (most > CLOSE && is_open(ui)).then(|| {
        let news = focus.filter(|_| focus != seen.focus);
        let to = news.and_then(|focus| uncovered(ui, focus, place, offset));
        to.or_else(|| {
            let held = focus.is_some_and(|focus| is_in(ui, focus, place));
            let mine = held || reach == Reach::Screen || ui.rect_contains_pointer(place);
            if !mine || ui.ctx().text_edit_focused() {
                return None;
            }
            // With the focus somewhere arrow keys move it.
            let step = Step::pressed(ui, focus.is_none())?;
            Some(step.offset_after(offset, LINE, place.height(), most))
        })
    });
    let wanted = wanted.flatten().map(|to| to.clamp(0.0, most)).filter(|to| (to - offset).abs() > CLOSE);
    if wanted.is_some() {
        ui.ctx().request_repaint();
    }
    ui.data_mut(|data| data.insert_temp(id, Seen { focus, wanted, ..Seen::default() }));
    output.inner
}

/// Whether no dialogue lies over it.
fn is_open(ui: &Ui) -> bool {
    ui.memory(|memory| memory.allows_interaction(ui.layer_id()))
}

fn is_in(ui: &Ui, widget: Id, place: Rect) -> bool {
    ui.ctx().read_response(widget).is_some_and(|response| place.intersects(response.rect))
}

/// The offset at which a widget of the page is in sight that is not quite; `None` if it is, or is not of this page.
fn uncovered(ui: &Ui, widget: Id, place: Rect, offset: f32) -> Option<f32> {
    let response = ui.ctx().read_response(widget)?;
    let rect = response.rect;
    let beside = !place.x_range().contains(rect.center().x) || response.layer_id != ui.layer_id();
    // What is seen whole is above or below the page, not behind its edge.
    let whole = response.interact_rect.height() >= rect.height() - CLOSE;
    if beside || whole {
        return None;
    }
    let top = rect.top() - place.top() + offset;
    Some(covering(top, top + rect.height(), offset, place.height()))
}

/// The offset nearest to this one at which a stretch is in sight, its top before its end.
fn covering(top: f32, end: f32, offset: f32, page: f32) -> f32 {
    offset.max(end - page).min(top)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rows on a screen")]
fn rows_in(page: f32, pitch: f32) -> usize {
    (page / pitch.max(1.0)).clamp(1.0, 10_000.0) as usize
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use egui::{Role, WidgetInfo};
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;

    const HEIGHT: f32 = 200.0;

    fn shown(content: impl FnMut(&mut Ui) + 'static) -> Harness<'static> {
        let mut harness = Harness::builder().with_size(vec2(300.0, HEIGHT)).build_ui(content);
        harness.run_ok();
        harness
    }

    fn list() -> Harness<'static> {
        shown(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            let area = ScrollArea::vertical().auto_shrink(false);
            list_ui(ui, "rows", area, (20.0, 300), |ui, rows, list| {
                for row in rows {
                    let (_, response) = list.row(ui, row, 20.0, Sense::click());
                    response.widget_info(|| WidgetInfo::labeled(Role::Row, true, format!("row {row}")));
                }
            });
        })
    }

    fn page() -> Harness<'static> {
        shown(|ui| {
            let area = ScrollArea::vertical().auto_shrink(false);
            page_ui(ui, "page", Reach::Screen, area, |ui| {
                for number in 0..40 {
                    let _ = ui.button(format!("button {number}"));
                }
            });
        })
    }

    fn press(harness: &mut Harness<'_>, key: Key) {
        harness.key_press(key);
        harness.run_ok();
    }

    fn is_in_sight(harness: &Harness<'_>, label: &str) -> bool {
        harness.query_by_label(label).is_some_and(|node| {
            let rect = node.rect();
            rect.top() > -1.0 && rect.bottom() < HEIGHT + 1.0
        })
    }

    /// Whether this row has the focus, and can be seen.
    fn is_at(harness: &Harness<'_>, label: &str) -> bool {
        is_in_sight(harness, label) && harness.get_by_label(label).is_focused()
    }

    #[test]
    fn the_focus_goes_through_all_rows_and_stays_in_sight() {
        let mut list = list();
        list.get_by_label("row 0").focus();
        list.run_ok();
        assert!(is_at(&list, "row 0"));
        for _ in 0..30 {
            press(&mut list, Key::ArrowDown);
        }
        assert!(is_at(&list, "row 30") && !is_in_sight(&list, "row 0"));
        press(&mut list, Key::ArrowUp);
        assert!(is_at(&list, "row 29"));
        press(&mut list, Key::End);
        assert!(is_at(&list, "row 299"));
        press(&mut list, Key::ArrowDown);
        assert!(is_at(&list, "row 299"), "the focus does not leave by an arrow");
        press(&mut list, Key::PageUp);
        assert!((285..296).any(|row| is_at(&list, &format!("row {row}"))), "a page up, and in sight");
        press(&mut list, Key::Home);
        assert!(is_at(&list, "row 0"));
    }

    #[test]
    fn a_selection_scrolls_into_view_once_and_leaves_scrolling_free() {
        let chosen = Rc::new(Cell::new(40_usize));
        let now = Rc::clone(&chosen);
        let mut list = shown(move |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            let area = ScrollArea::vertical().auto_shrink(false);
            let chosen = now.get();
            let row = (Some(IdSalt::new(chosen)), || Some(chosen));
            choosing_list_ui(ui, "rows", area, (20.0, 300), row, |ui, rows, list| {
                for row in rows {
                    let (_, response) = list.row(ui, row, 20.0, Sense::click());
                    response.widget_info(|| WidgetInfo::labeled(Role::Row, true, format!("row {row}")));
                }
            });
        });
        assert!(is_in_sight(&list, "row 40") && !is_in_sight(&list, "row 0"));
        list.get_by_label("row 40").hover();
        list.run_ok();
        press(&mut list, Key::Home);
        assert!(is_in_sight(&list, "row 0") && !is_in_sight(&list, "row 40"));
        chosen.set(3);
        list.run_ok();
        assert!(is_in_sight(&list, "row 0"), "it is in sight already: nothing moves");
        chosen.set(200);
        list.run_ok();
        assert!(is_in_sight(&list, "row 200"));
    }

    #[test]
    fn without_a_focus_the_keys_scroll_the_list_under_the_pointer() {
        let mut list = list();
        press(&mut list, Key::End);
        assert!(is_in_sight(&list, "row 0"), "the pointer is nowhere");
        list.get_by_label("row 3").hover();
        list.run_ok();
        press(&mut list, Key::End);
        assert!(is_in_sight(&list, "row 299") && !is_in_sight(&list, "row 0"));
        assert!(!list.get_by_label("row 299").is_focused());
        press(&mut list, Key::Home);
        assert!(is_in_sight(&list, "row 0"));
    }

    #[test]
    fn a_page_scrolls_to_what_gets_the_focus_and_by_keys() {
        let mut page = page();
        page.get_by_label("button 39").focus();
        page.run_ok();
        assert!(is_in_sight(&page, "button 39") && !is_in_sight(&page, "button 0"));
        press(&mut page, Key::Home);
        assert!(is_in_sight(&page, "button 0") && !is_in_sight(&page, "button 39"));
        press(&mut page, Key::PageDown);
        assert!(!is_in_sight(&page, "button 0"));
        press(&mut page, Key::End);
        assert!(is_in_sight(&page, "button 39"));
    }

    #[test]
    fn keys_lead_through_a_list_and_never_out_of_it() {
        let to = |step: Step, row| step.row_after(row, 100, 10);
        assert_eq!((to(Step::Lines(1), 4), to(Step::Lines(-1), 0), to(Step::Lines(1), 99)), (5, 0, 99));
        assert_eq!((to(Step::Pages(1), 4), to(Step::Pages(-1), 4), to(Step::Pages(1), 95)), (13, 0, 99));
        assert_eq!((to(Step::First, 50), to(Step::Last, 50)), (0, 99));
        assert_eq!(Step::Last.row_after(0, 0, 10), 0);
    }

    #[test]
    fn a_row_that_is_in_sight_moves_nothing_and_another_no_more_than_it_must() {
        let close = |one: f32, other: f32| (one - other).abs() < 1e-3;
        assert!(close(covering(120.0, 150.0, 100.0, 300.0), 100.0));
        assert!(close(covering(60.0, 90.0, 100.0, 300.0), 60.0));
        assert!(close(covering(390.0, 420.0, 100.0, 300.0), 120.0));
        assert!(close(covering(500.0, 900.0, 100.0, 300.0), 500.0), "higher than its room: from its top on");
    }
}
