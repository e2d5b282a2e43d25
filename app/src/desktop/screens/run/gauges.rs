//! The two cards over the lanes: where the money is, and what the tiers of verification let through.

use egui::{Align, Label, Layout, Role, Sense, Ui, WidgetInfo, vec2};
use frlm_client::protocol::printable;
use frlm_client::view::TierView;
use lucide_icons::Icon;

use super::posterior::percent;
use super::state::Run;
use super::tiers::{Tier, Tiers};
use super::words;
use crate::desktop::screens::ask;
use crate::desktop::theme::tokens::{space, text};
use crate::desktop::theme::{fonts, tokens};
use crate::desktop::widgets::words::plural;
use crate::desktop::widgets::{
    Part, Tone, card_ui, icon_before, info_ui, legend_rows, mark_ui, meter_ui, name, one_line_ui, small,
    soft, two_columns_ui,
};

/// Budget on the left, verification tiers on the right.
pub fn gauges_ui(ui: &mut Ui, run: &Run) {
    let narrow = ui.available_width() < NARROW;
    let share = if narrow { 0.4 } else { 0.5 };
    let room = (ui.available_width() - space::L) * share - CARD;
    let height = gauge(run, narrow, legend_rows(ui, &parts(ui, run), room));
    let left = |ui: &mut Ui| card_ui(ui, |ui| budget_ui(ui, run, narrow, height));
    two_columns_ui(ui, share, left, |ui| card_ui(ui, |ui| tiers_ui(ui, run, narrow, height)));
}

/// Margins and lines of a card.
const CARD: f32 = 2.0 * (16.0 + 1.0);

/// In less width than this, words are shorter and gaps smaller.
const NARROW: f32 = 860.0;
/// Both cards are as tall as the taller one.
const GAUGE: f32 = 80.0;
/// The same where the legend takes two lines.
const GAUGE_NARROW: f32 = 108.0;
/// A line of text in them.
const LINE: f32 = 20.0;
/// Room of an icon before small words.
const MARK: f32 = 20.0;
/// A line of marks, as every further tier is one.
const MARKS: f32 = 22.0;

/// Height of both cards, where the legend takes so many rows.
fn gauge(run: &Run, narrow: bool, rows: usize) -> f32 {
    let view = &run.view;
    let more = [view.checks.judged, view.checks.arbitrated, view.checks.audited]
        .into_iter()
        .filter(has_looked)
        .count();
    let lines = u8::from(run.is_adaptive()) + u8::try_from(more).unwrap_or(0);
    // A narrow card has room for a third line anyway, and for a legend of two rows.
    let (room, lines, usual) =
        if narrow { (GAUGE_NARROW, lines.saturating_sub(1), 2) } else { (GAUGE, lines, 1) };
    // What is owed, or many digits, may take the legend to a further row.
    let further = u8::try_from(rows.saturating_sub(usual)).unwrap_or(0);
    room + f32::from(lines.max(further)) * (MARKS + space::XS)
}

fn budget_ui(ui: &mut Ui, run: &Run, narrow: bool, height: f32) {
    ui.set_min_height(height);
    ui.spacing_mut().interact_size.y = LINE;
    let limit = run.view.budget.at(run.moment());
    let money = run.view.money.at(run.moment());
    ui.horizontal(|ui| {
        ui.label(small(ui, words::BUDGET));
        if !run.is_unread() {
            ui.label(name(&words::spent_of(money.spent, &run.unit.amount(limit))));
        }
        let projected = run.view.projected_sats().filter(|sats| *sats > 0 && run.is_live());
        let back = run.came_back();
        match (projected, back) {
            (Some(projected), _) => projected_ui(ui, run, projected, narrow),
            (None, 1..) if !narrow => {
                drop(ui.label(soft(ui, &words::refunded(&run.unit.amount(back)))));
            }
            (None, _) => {}
        }
    });
    // What is not read yet is not nothing.
    if !run.is_unread() {
        meter_ui(ui, words::BUDGET, limit, &parts(ui, run));
    }
}

/// Where the money is.
fn parts(ui: &Ui, run: &Run) -> Vec<Part> {
    let colours = tokens(ui);
    let limit = run.view.budget.at(run.moment());
    let money = run.view.money.at(run.moment());
    // In the wallet's words: what is owed is spent as well, and not paid yet.
    let paid = money.spent.saturating_sub(money.owed);
    let name = if run.view.money.ever_owed() { words::PAID } else { words::SPENT };
    let owed = Part { name: words::OWED, amount: money.owed, colour: colours.accent };
    let parts = [
        Part { name, amount: paid, colour: colours.good },
        owed,
        Part { name: words::LOCKED, amount: money.locked, colour: colours.busy },
        Part { name: words::RESERVED, amount: money.reserved, colour: colours.warn },
        Part { name: words::AVAILABLE, amount: money.free(limit), colour: colours.outline },
    ];
    // Few runs ever owe anything; those that do show it from their beginning.
    parts.into_iter().filter(|part| *part != owed || run.view.money.ever_owed()).collect()
}

/// What the run will have cost, as it goes now; a narrow card says it shorter rather than grow.
fn projected_ui(ui: &mut Ui, run: &Run, sats: u64, narrow: bool) {
    let whole = words::projected(&run.unit.amount(sats));
    let words = if narrow { words::projected_in_short(sats) } else { whole.clone() };
    ui.add(Label::new(soft(ui, &words)).truncate()).on_hover_text(whole);
}

fn tiers_ui(ui: &mut Ui, run: &Run, narrow: bool, height: f32) {
    ui.set_min_height(height);
    ui.spacing_mut().interact_size.y = LINE;
    let tiers = run.tiers();
    ui.horizontal(|ui| {
        ui.label(small(ui, words::VERIFICATION));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            whole_ui(ui, tiers.whole, narrow);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                one_line_ui(ui, name(&policy_in_words(&printable(&run.view.start.policy), narrow)));
            });
        });
    });
    if run.is_unread() {
        return;
    }
    ui.add_space(space::XS);
    let cost = run.unit.amount(tiers.compared_sats);
    let gap = match (narrow, run.is_adaptive()) {
        (true, _) => space::S,
        // The third line has more to say.
        (false, true) => space::M,
        (false, false) => space::XL,
    };
    egui::Grid::new("tiers").num_columns(4).spacing([gap, space::XS]).show(ui, |ui| {
        tier_ui(ui, (words::FORMAT, words::FORMAT_HINT), tiers.alone, words::FREE);
        tier_ui(ui, (words::AGREEMENT, words::AGREEMENT_HINT), tiers.compared, &words::plus(&cost));
        if run.is_adaptive() {
            posterior_ui(ui, &tiers, narrow);
        }
        // Whether there is such a line is the run's affair, not the moment's: nothing jumps.
        if has_looked(&run.view.checks.judged) {
            tier_ui(ui, (words::CONTENT, words::CONTENT_HINT), tiers.judged, words::FREE);
        }
        if has_looked(&run.view.checks.arbitrated) {
            tier_ui(ui, (words::ARBITRATED, words::ARBITRATED_HINT), tiers.arbitrated, words::YOUR_MODEL);
        }
        if has_looked(&run.view.checks.audited) {
            tier_ui(ui, (words::AUDITED, words::AUDITED_HINT), tiers.audited, words::FREE);
        }
    });
}

/// What the looks at the whole answer came to: the last tier, in the line of the policy, as it comes last.
fn whole_ui(ui: &mut Ui, whole: Tier, narrow: bool) {
    let (tone, icon, words) = match whole {
        Tier { passed: 0, failed: 0 } => return,
        // Of several texts the best is shown.
        Tier { passed: 1.., .. } => (Tone::Good, Icon::ShieldCheck, words::FINAL_PASSED),
        Tier { .. } => (Tone::Warn, Icon::ShieldAlert, words::FINAL_FAILED),
    };
    if narrow {
        info_ui(ui, tone, icon, words);
        return;
    }
    let (ink, _) = tone.colours(ui);
    let galley = ui.painter().layout_no_wrap(words.to_owned(), fonts::medium(text::SMALL), ink);
    let (rect, response) = ui.allocate_exact_size(vec2(galley.size().x + MARK, 18.0), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, words));
    icon_before(ui.painter(), rect.left_center(), icon, 15.0, ink);
    ui.painter().galley(rect.left_center() + vec2(MARK, -galley.size().y / 2.0), galley, ink);
    response.on_hover_text(words::final_check(whole.passed, whole.failed));
}

/// Whether a tier has decided about any answer; those that seldom do have no line before.
fn has_looked(tier: &TierView) -> bool {
    tier.passed + tier.failed > 0
}

/// The fidelity that the adaptive policy has reached.
fn posterior_ui(ui: &mut Ui, tiers: &Tiers, narrow: bool) {
    ui.label(words::CONFIDENCE);
    mark_ui(ui, Tone::Good, Icon::Check, &words::accepted(tiers.accepted));
    let tone = if tiers.asked_on > 0 { Tone::Busy } else { Tone::Plain };
    mark_ui(ui, tone, Icon::Users, &plural(tiers.asked_on as usize, words::EXTRA))
        .on_hover_text(words::EXTRA_HINT);
    let fidelity = match tiers.weakest {
        None => words::NO_FIDELITY.to_owned(),
        Some(weakest) if narrow => words::fidelity_in_short(&percent(weakest.into())),
        Some(weakest) => words::fidelity(&percent(weakest.into())),
    };
    ui.label(soft(ui, &fidelity)).on_hover_text(words::FIDELITY_HINT);
    ui.end_row();
}

/// A tier by its word, which says under the pointer what it looks at.
fn tier_ui(ui: &mut Ui, (word, about): (&str, &str), tier: Tier, cost: &str) {
    ui.label(word).on_hover_text(about);
    mark_ui(ui, Tone::Good, Icon::Check, &words::passed(tier.passed));
    let tone = if tier.failed > 0 { Tone::Warn } else { Tone::Plain };
    mark_ui(ui, tone, Icon::X, &words::failed(tier.failed));
    ui.label(soft(ui, cost));
    ui.end_row();
}

/// What the ask screen calls a policy, with its name where there is room; others by their name.
pub fn policy_in_words(policy: &str, narrow: bool) -> String {
    let family = policy.split_once(':').filter(|(family, _)| *family == "adaptive");
    let known = ask::POLICIES.iter().find(|(name, _, _)| *name == family.map_or(policy, |(name, _)| name));
    let Some((_, word, _)) = known else { return policy.to_owned() };
    // What is advised when a question is asked is no advice any more.
    let word = word.trim_end_matches(" (recommended)");
    if narrow || word.eq_ignore_ascii_case(policy) { word.to_owned() } else { words::policy(word, policy) }
}

#[cfg(test)]
mod tests {
    use egui::{Context, RawInput, Rect, pos2};
    use frlm_conductor::trace::{TraceEvent, TraceRecord};
    use frlm_scheduler::{AttemptId, SubtaskId};

    use super::super::samples::{Recipe, shown};
    use super::*;
    use crate::desktop::theme;

    #[test]
    fn a_policy_is_called_by_its_word_and_its_name_follows_where_it_adds() {
        for (policy, words) in [
            ("adaptive", "Adaptive"),
            ("adaptive:0.99", "Adaptive (adaptive:0.99)"),
            ("redundancy:3/2", "Two must agree (redundancy:3/2)"),
            ("objective:check.py", "objective:check.py"),
        ] {
            assert_eq!(policy_in_words(policy, false), words);
        }
    }

    /// How high the contents of both cards are, in cards of these widths.
    fn heights(run: &Run, widths: [f32; 2], narrow: bool) -> (f32, f32) {
        let ctx = Context::default();
        theme::install(&ctx);
        let mut heights = (0.0, 0.0);
        // Fonts are there from the second pass on.
        for _ in 0..2 {
            let screen_rect = Some(Rect::from_min_max(pos2(0.0, 0.0), pos2(1_280.0, 800.0)));
            let input = RawInput { screen_rect, ..RawInput::default() };
            let _ = ctx.run_ui(input, |ui| {
                let height = gauge(run, narrow, legend_rows(ui, &parts(ui, run), widths[0]));
                let budget = ui.scope(|ui| {
                    ui.set_width(widths[0]);
                    budget_ui(ui, run, narrow, height);
                });
                let tiers = ui.scope(|ui| {
                    ui.set_width(widths[1]);
                    tiers_ui(ui, run, narrow, height);
                });
                heights = (budget.response.rect.height(), tiers.response.rect.height());
            });
        }
        heights
    }

    /// Its budget has so many digits that the legend needs another row.
    const RICH: u64 = 10_000_000_000_000;

    /// A run with this budget that owes something.
    fn owing(budget: u64) -> Run {
        let mut records = Recipe::busy(41);
        if let TraceEvent::RunStart { limit_sats, .. } = &mut records[0].event {
            *limit_sats = budget;
        }
        let mut owing = shown(records, true);
        let event = TraceEvent::Owed { subtask: SubtaskId(24), attempt: AttemptId(0), sats: 4 };
        owing.fold(&TraceRecord { seq: owing.events.len() as u64, at_ms: owing.view.at_ms, event });
        owing
    }

    #[test]
    fn the_cards_are_no_higher_than_the_legend_needs() {
        let widths = [474.0, 474.0];
        let usual = heights(&shown(Recipe::done(41), false), widths, false).0;
        let (owed, rich) = (heights(&owing(1_000), widths, false).0, heights(&owing(RICH), widths, false).0);
        assert!((owed - usual).abs() < 0.5, "{owed} and {usual}");
        assert!(rich > usual + 10.0, "{rich} and {usual}");
    }

    #[test]
    fn both_cards_are_of_one_height_however_much_there_is_to_say() {
        let mut audited = shown(Recipe::adaptive(41), false);
        audited.view.checks.audited = TierView { passed: 12, failed: 1, cost_sats: 0 };
        let mut judged = audited.clone();
        judged.view.checks.judged = TierView { passed: 80, failed: 2, cost_sats: 0 };
        judged.view.checks.arbitrated = TierView { passed: 1, failed: 0, cost_sats: 0 };
        let done = shown(Recipe::done(41), false);
        for run in [done, shown(Recipe::adaptive(41), false), audited, judged, owing(1_000), owing(RICH)] {
            for (widths, narrow) in [([474.0, 474.0], false), ([245.0, 383.0], true)] {
                let (budget, tiers) = heights(&run, widths, narrow);
                assert!((budget - tiers).abs() < 0.5, "{budget} beside {tiers}, in {widths:?}");
            }
        }
    }
}
