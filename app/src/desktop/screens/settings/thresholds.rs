//! The thresholds by which a run decides after its stages. The user's file is edited elsewhere; this says what is in force,
//! and writes one to begin with.

use egui::Ui;
use frlm_client::thresholds::{Bound, Data, Thresholds};
use lucide_icons::Icon;

use super::state::{Action, Settings};
use super::words;
use crate::desktop::command::{Command, Commands};
use crate::desktop::screens::load::Load;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::{
    Banner, Button, Cell, Column, Row, Table, Tone, busy_ui, card_ui, headed_ui, one_line_ui, soft, tabs_ui,
};

/// In less width than this a figure has its name alone, so that every column is in sight.
const ROOMY: f32 = 820.0;

fn columns(roomy: bool) -> [Column<'static>; 6] {
    [
        Column::fixed(words::AFTER, 84.0),
        Column::rest(words::FIGURE),
        Column::fixed(words::GOOD, 80.0),
        Column::fixed(words::ACCEPTABLE, 80.0),
        Column::fixed(words::RETRY, if roomy { 173.0 } else { 152.0 }),
        Column::fixed(words::FROM, 88.0),
    ]
}

/// What a figure of a run counts; `None` for one that only a file of the user's names.
pub fn figure_counts(figure: &str) -> Option<&'static str> {
    Some(match figure {
        "contradicted rate" => "audits that contradict what was accepted",
        "doubt rate" => "how much accepted answers were disputed",
        "lost to dissent rate" => "parts unanswered, because answers differ",
        "lost to failure rate" => "parts unanswered, because attempts failed",
        "lost to time rate" => "parts unanswered, because time ran out",
        "unsettled rate" => "audits that settled nothing",
        "contradiction rate" => "parts whose answers contradict each other",
        "malformed rate" => "answers of the wrong shape",
        "unsupported rate" => "claims that no source supports",
        "unused rate" => "parts that the answer leaves out",
        "dissent rate" => "compared answers that differ",
        "failure rate" => "attempts that failed",
        "timeout rate" => "attempts without an answer in time",
        "without verdict rate" => "answers without a verdict",
        "latency ratio" => "times as slow as usual",
        "cost ratio" => "sats spent per sat quoted",
        _ => return None,
    })
}

/// The part of the settings.
pub fn thresholds_ui(ui: &mut Ui, settings: &Settings, commands: &mut Commands) {
    let thresholds = match &settings.thresholds {
        Load::Busy => return busy_ui(ui, words::READING_THRESHOLDS),
        Load::Failed(why) => return failed_ui(ui, why, commands),
        Load::Ready(thresholds) => thresholds,
    };
    card_ui(ui, |ui| {
        headed_ui(ui, words::THRESHOLDS_DECIDE, words::THRESHOLDS_ABOUT);
        ui.add_space(space::S);
        ui.horizontal(|ui| {
            let tabs = [
                (Data::Real, words::LIVE_RUNS),
                (Data::Hybrid, words::MIXED_DATA),
                (Data::Synthetic, words::LAB_AND_GOLD),
            ];
            commands.extend(tabs_ui(ui, &tabs, settings.data).map(Action::Data));
        });
        own_ui(ui, thresholds, commands);
        let bounds = thresholds.bounds(settings.data);
        let height = (ui.available_height() - space::XXL).max(200.0);
        ui.set_min_height(height);
        let roomy = ui.available_width() >= ROOMY;
        let row = |position: usize| row(&bounds[position], roomy);
        Table::new("thresholds", &columns(roomy)).read_only().show(ui, height, bounds.len(), row);
    });
}

fn row(bound: &Bound, roomy: bool) -> Row {
    let own = || Cell::mark(Tone::Accent, Icon::UserPen, words::YOUR_FILE);
    let from = if bound.own { own() } else { Cell::soft(words::BUILT_IN) };
    let figure = match figure_counts(&bound.figure) {
        Some(counts) if roomy => Cell::text(format!("{}: {counts}", bound.figure)),
        Some(counts) => Cell::text(&bound.figure).telling(counts),
        None => Cell::text(&bound.figure),
    };
    let cells = vec![
        Cell::text(&bound.stage),
        figure,
        Cell::text(&bound.good),
        Cell::text(&bound.bearable),
        Cell::soft(&bound.retry),
        from,
    ];
    Row { chosen: false, cells }
}

/// Where the user's own stand, or how to get some.
fn own_ui(ui: &mut Ui, thresholds: &Thresholds, commands: &mut Commands) {
    ui.horizontal(|ui| {
        if thresholds.has_own() {
            one_line_ui(ui, soft(ui, &words::own_thresholds(&thresholds.path)));
            return;
        }
        let create = Button::new(words::CREATE_FILE).icon(Icon::FilePen).hint(words::CREATE_FILE_HINT);
        create.show(ui, commands, Action::WriteThresholds);
        one_line_ui(ui, soft(ui, &thresholds.path));
    });
}

fn failed_ui(ui: &mut Ui, why: &str, commands: &mut Commands) {
    let (what, safe) = (words::THRESHOLDS_UNUSABLE, words::thresholds_unusable(why));
    Banner { tone: Tone::Bad, what, safe: &safe }.retry(
        ui,
        commands,
        words::READ_THEM_AGAIN,
        Command::Refresh,
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_that_is_built_in_is_explained() {
        let built_in = Thresholds::new(None, String::new());
        for data in [Data::Real, Data::Hybrid, Data::Synthetic] {
            let bounds = built_in.bounds(data);
            assert!(!bounds.is_empty());
            for bound in bounds {
                assert!(figure_counts(&bound.figure).is_some(), "{}", bound.figure);
            }
        }
    }
}
