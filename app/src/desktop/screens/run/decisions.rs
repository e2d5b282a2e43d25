//! Decisions and notices as they came, beside the lanes.

use egui::{ScrollArea, Ui};
use frlm_client::protocol::printable;
use frlm_client::verifier::decisions::Verb;
use lucide_icons::Icon;

use super::layout::moment;
use super::plan;
use super::reasons::plainly;
use super::state::Run;
use super::words::{self, about};
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::{Reach, Tone, badge_ui, page_ui, small, soft};

/// All of them up to the moment shown, below what is known of the plan.
pub fn decisions_ui(ui: &mut Ui, run: &Run) {
    let until = run.moment();
    let count = run.view.tellings.partition_point(|telling| telling.at_ms <= until);
    let area = ScrollArea::vertical().auto_shrink(false).stick_to_bottom(run.is_live());
    page_ui(ui, "decisions", Reach::Pointed, area, |ui| {
        plan::plan_ui(ui, run);
        if count == 0 && !run.is_unread() {
            ui.label(soft(ui, words::NO_DECISION));
        }
        let left = run.awaits_person();
        // A run decides after a stage, not per fragment: these are few.
        for telling in run.view.tellings.iter().take(count) {
            let verb = telling.decided.as_ref().map(|decided| decided.verb);
            let is_left = left.is_some_and(|left| std::ptr::eq(left, telling));
            let (tone, icon, words) = said(verb, is_left);
            ui.horizontal(|ui| {
                // As the trace and `frlm runs show` name them.
                badge_ui(ui, tone, icon, words).on_hover_text(verb.map_or(words::NOTICE, Verb::name));
                ui.label(small(ui, &format!("{} · {}", about(telling.stage), moment(telling.at_ms))))
                    .on_hover_text(telling.stage.name());
            });
            ui.label(plainly(&printable(&telling.says)));
            ui.add_space(space::S);
        }
    });
}

/// What was decided, in words; `None`: nothing, it is a notice. `is_left`: the run waits for a person because of it; after
/// others that a person should know of it goes on, or fails for good.
const fn said(verb: Option<Verb>, is_left: bool) -> (Tone, Icon, &'static str) {
    match verb {
        None => (Tone::Plain, Icon::Info, words::NOTICE),
        Some(Verb::Proceed) => (Tone::Good, Icon::ArrowRight, words::PROCEEDS),
        Some(Verb::Retry) => (Tone::Warn, Icon::RotateCcw, words::RETRIES),
        // As above the gauges, where the run as a whole says so: it waits, and has not failed.
        Some(Verb::Escalate) if is_left => (Tone::Warn, Icon::CircleAlert, words::NEEDS_DECISION),
        Some(Verb::Escalate) => (Tone::Bad, Icon::TriangleAlert, words::STOPPED),
    }
}

#[cfg(test)]
mod tests {
    use egui::Theme;
    use egui_kittest::kittest::Queryable as _;

    use super::super::samples::{Recipe, shown};
    use super::*;
    use crate::desktop::screens::Screen;
    use crate::desktop::state::State;
    use crate::desktop::testing::window;

    #[test]
    fn decisions_are_said_in_words() {
        let left = said(Some(Verb::Escalate), true);
        assert!(matches!(left, (Tone::Warn, Icon::CircleAlert, _)), "as the run as a whole");
        assert!(matches!(said(Some(Verb::Escalate), false), (Tone::Bad, Icon::TriangleAlert, _)));
        let run = shown(Recipe::over_budget(41), false);
        let drawn = window(State { screen: Screen::Run, run, ..State::default() }, Theme::Light);
        drawn.get_by_label(words::STOPPED);
        drawn.get_by_label(words::NOTICE);
        drawn.get_by_label_contains("the question · ");
        for other in ["escalate", words::NEEDS_DECISION] {
            assert!(drawn.query_by_label(other).is_none(), "it lacks sats, and nobody's decision: {other}");
        }
    }

    #[test]
    fn only_what_a_run_waits_for_is_left_to_a_person() {
        let run = shown(Recipe::left_to_a_person(41), false);
        let drawn = window(State { screen: Screen::Run, run, ..State::default() }, Theme::Light);
        // Of the run as a whole, and of the decision.
        assert_eq!(drawn.query_all_by_label(words::NEEDS_DECISION).count(), 2);
        assert!(drawn.query_by_label(words::STOPPED).is_none());
    }
}
