//! The chosen provider: what it calls itself, and every part of this run that it was asked for.

use egui::{Align, Layout, RichText, ScrollArea, Ui};
use frlm_client::protocol::printable;
use frlm_client::view::ProviderView;
use lucide_icons::Icon;

use super::lanes::label_of;
use super::layout::moment;
use super::messages::Action;
use super::state::Run;
use super::words::{self, ending};
use crate::desktop::command::Commands;
use crate::desktop::theme::fonts;
use crate::desktop::theme::tokens::{space, text};
use crate::desktop::widgets::{
    Button, Reach, Tone, badge_ui, copy_ui, heading, one_line_ui, page_ui, small, soft,
};

/// Parts that are listed, the newest first; all of them stand in the lanes.
const MOST_PARTS: usize = 60;
/// Characters of a part's name that fit beside what came of it.
const LONGEST: usize = 22;
/// Where the column of what came of them begins: most parts' names end before.
const COLUMN: f32 = 160.0;
/// In less width than this there is no such column.
const ROOMY: f32 = 250.0;

/// The panel.
pub fn provider_ui(ui: &mut Ui, run: &Run, position: u32, provider: &ProviderView, commands: &mut Commands) {
    let area = ScrollArea::vertical().auto_shrink(false);
    page_ui(ui, "provider", Reach::Pointed, area, |ui| {
        ui.label(heading(&printable(&run.view.providers.name_of(provider))));
        let (tone, icon, word) = if provider.here {
            (Tone::Good, Icon::Server, words::ONLINE)
        } else {
            (Tone::Warn, Icon::CloudOff, words::OFFLINE)
        };
        badge_ui(ui, tone, icon, word);
        if !provider.model.is_empty() {
            ui.label(soft(ui, &words::claims(&printable(&provider.model))));
        }
        ui.horizontal(|ui| {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let copy = Button::quiet(words::COPY_KEY).icon_only(Icon::Copy);
                copy_ui(ui, copy, &provider.key, || provider.key.clone());
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    let key = RichText::new(printable(&provider.key)).font(fonts::mono(12.0));
                    one_line_ui(ui, key);
                });
            });
        });
        ui.add_space(space::S);
        parts_ui(ui, run, position, commands);
    });
}

/// What it was asked for up to the moment shown; each opens its lane.
fn parts_ui(ui: &mut Ui, run: &Run, position: u32, commands: &mut Commands) {
    let asked = run.by_provider.get(position as usize).map_or(&[][..], Vec::as_slice);
    let attempts = asked.iter().rev().filter_map(|(subtask, attempt)| {
        let lane = run.view.subtasks.get(*subtask as usize)?;
        let attempt = run.as_it_stood(lane.attempts.get(*attempt as usize)?)?;
        Some((*subtask, lane, attempt))
    });
    let mut none = true;
    for (subtask, lane, attempt) in attempts.take(MOST_PARTS) {
        if std::mem::take(&mut none) {
            let newest = words::newest_jobs(MOST_PARTS, asked.len());
            ui.label(small(ui, if asked.len() > MOST_PARTS { &newest } else { words::ITS_JOBS }));
        }
        let (word, tone) = ending(&attempt);
        let label = label_of(run, lane);
        ui.horizontal_wrapped(|ui| {
            let shown = frlm_client::util::text::shortened(&label, LONGEST);
            let whole = printable(&lane.label);
            Button::quiet(&shown).icon(tone.icon()).hint(&whole).show(ui, commands, Action::Lane(subtask));
            // What came of them stands in one column, where there is room for it.
            let room = ui.max_rect();
            if room.width() > ROOMY {
                ui.add_space((room.left() + COLUMN - ui.cursor().left()).max(0.0));
            }
            let at = moment(attempt.submitted_ms);
            ui.label(soft(ui, &format!("{word}, {at}")).font(fonts::body(text::SMALL)));
        });
    }
    if none {
        ui.label(soft(ui, words::NO_JOB));
    }
}
