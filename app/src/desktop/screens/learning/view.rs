//! Draws the learning screen.

use egui::Ui;
use lucide_icons::Icon;

use super::charts::{Below, Curve, bars_ui, curves_ui, heat_ui, legend_rows, values_per_point};
use super::grid::{figure_ui, grid, head_ui};
use super::plans_view::plans_ui;
use super::red_team_view::red_team_ui;
use super::state::{Action, Learning, Source};
use super::words;
use crate::desktop::command::{Command, Commands};
use crate::desktop::screens::Screen;
use crate::desktop::screens::known::{self, known_ui};
use crate::desktop::screens::load::Load;
use crate::desktop::state::State;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::{
    Banner, Button, Tone, busy_ui, card_ui, empty_ui, heading, in_sats, name, screen_ui, small, soft,
    tabs_ui, thousands,
};
use frlm_client::attack_simulation::Answers;
use frlm_client::routing_picture::{Picture, RoutingStatus, Step};

pub fn learning_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    let learning = &state.learning;
    let push = &mut Commands::default();
    let subtitle = match learning.source {
        Source::Known => words::KNOWN,
        Source::RedTeam(_) => words::LIARS,
        Source::Runs | Source::Training => words::SUBTITLE,
    };
    screen_ui(
        ui,
        (words::TITLE, subtitle),
        // Its content begins with tabs: they stand as close to the title as on a screen whose head does not scroll.
        space::S,
        |ui| {
            // Where it cannot be read, what is said about it has the button.
            let unread = match learning.source {
                Source::Known => matches!(state.known.listed, Load::Failed(_)),
                Source::Runs | Source::Training => matches!(learning.stored, Load::Failed(_)),
                Source::RedTeam(_) => false,
            };
            if !unread && ui.add(Button::new(words::REFRESH).icon(Icon::RefreshCw)).clicked() {
                let known = Command::Known(known::Action::Reload);
                let learned = Command::Learning(Action::Reload);
                push.push(if learning.source == Source::Known { known } else { learned });
            }
        },
        |ui| {
            let liars = match learning.source {
                Source::RedTeam(_) => learning.source,
                Source::Runs | Source::Training | Source::Known => Source::RedTeam(Answers::Records),
            };
            let tabs = [
                (Source::Runs, words::FROM_RUNS),
                (Source::Training, words::FROM_TRAINING),
                (liars, words::ATTACKS),
                (Source::Known, words::KNOWN_ANSWERS),
            ];
            commands.extend(tabs_ui(ui, &tabs, learning.source).map(Action::Show));
            ui.add_space(space::S);
            if let Source::RedTeam(of) = learning.source {
                return red_team_ui(ui, of, learning.red_team[of as usize].as_ref(), commands);
            }
            if learning.source == Source::Known {
                return known_ui(ui, &state.known, commands);
            }
            match (&learning.stored, learning.picture()) {
                (Load::Busy, _) => busy_ui(ui, words::READING),
                (Load::Failed(why), _) => {
                    let banner = Banner { tone: Tone::Bad, what: words::UNREAD, safe: &words::unread(why) };
                    banner.retry(ui, commands, words::TRY_AGAIN, Action::Reload);
                }
                // These runs have taught something, and yet nothing of this.
                // What there is stands above the fold.
                (Load::Ready(stored), None)
                    if learning.source == Source::Runs && matches!(stored.plans, Some(Ok(_))) =>
                {
                    drop(ui.label(small(ui, words::NOT_KEPT)));
                }
                (Load::Ready(_), None) => nothing_ui(ui, learning.source, commands),
                (Load::Ready(_), Some(picture)) => picture_ui(ui, picture, learning, commands),
            }
            if learning.source == Source::Runs {
                taught_ui(ui, learning, commands);
            }
        },
    );
    commands.extend(push.take());
}

/// What runs have taught about plans.
fn taught_ui(ui: &mut Ui, learning: &Learning, commands: &mut Commands) {
    let plans = learning.stored.ready().and_then(|stored| stored.plans.as_ref());
    match plans {
        None => {}
        Some(Ok(plans)) => {
            ui.add_space(space::S);
            plans_ui(ui, plans, learning, commands);
        }
        Some(Err(why)) => {
            ui.add_space(space::S);
            let safe = words::plans_unread(why);
            Banner { tone: Tone::Warn, what: words::PLANS_UNREAD, safe: &safe }.show(ui, |_| {});
        }
    }
}

fn nothing_ui(ui: &mut Ui, source: Source, commands: &mut Commands) {
    let (what, then) = match source {
        Source::Runs => (words::UNROUTED, words::ONCE_ROUTED),
        Source::Training => (words::UNTRAINED, words::UNTRAINED_THEN),
        // They have pages of their own.
        Source::RedTeam(_) | Source::Known => return,
    };
    empty_ui(ui, Icon::GraduationCap, what, then, |ui| {
        if source == Source::Runs && ui.add(Button::primary(words::ASK).icon(Icon::Send)).clicked() {
            commands.push(Screen::Ask);
        }
    });
}

fn picture_ui(ui: &mut Ui, picture: &Picture, learning: &Learning, commands: &mut Commands) {
    ui.label(soft(ui, &picture.about)).on_hover_text(picture.learner);
    ui.label(small(ui, &now(picture))).on_hover_text(words::NOW_HINT);
    panels_ui(ui, picture);
    ui.add_space(space::XS);
    heat_card_ui(ui, picture, learning, commands);
    ui.add_space(space::S);
    if let Some(status) = &picture.status {
        status_ui(ui, status);
        ui.add_space(space::S);
    }
    policy_ui(ui, picture);
    ui.add_space(space::S);
    costs_ui(ui, picture);
}

/// How it stands now, and what a point of the curves below stands for.
fn now(picture: &Picture) -> String {
    // A learner that tries what it is unsure of, and nothing by chance, has none.
    let exploration = Some(picture.exploration).filter(|share| *share > 0.0);
    let tries = exploration.map(words::experiments).unwrap_or_default();
    let points = match values_per_point(picture.steps.len()) {
        0 | 1 => String::new(),
        each => words::mean_of(each),
    };
    words::now(&picture.load_state, picture.imbalance, &(tries + &points))
}

fn status_ui(ui: &mut Ui, status: &RoutingStatus) {
    card_ui(ui, |ui| {
        ui.label(heading(words::SINCE));
        let figures = [
            thousands(status.answered),
            with_share(status.failed, status.error_rate),
            thousands(status.unroutable),
            thousands(status.refused),
            thousands(status.unjudged),
            thousands(status.rated),
        ];
        grid("standing", figures.len()).show(ui, |ui| {
            head_ui(ui, &words::STATUS, 0, 0);
            for figure in &figures {
                figure_ui(ui, figure);
            }
            ui.end_row();
        });
        let runs = if status.online_learning { words::UPDATE } else { words::NO_UPDATE };
        let tries = if status.explore { words::TRY } else { words::NO_TRY };
        ui.label(small(ui, &words::learns(runs, tries)));
    });
}

/// A count and what share of all it is.
fn with_share(count: u64, share: f64) -> String {
    if count == 0 { "0".to_owned() } else { format!("{} ({:.1}%)", thousands(count), share * 100.0) }
}

/// From this width on, three panels stand in a row.
const THREE_IN_A_ROW: f32 = 880.0;

/// The six panels of the source document, each drawn into its place.
const PANELS: [fn(&mut Ui, &Picture, usize); 6] =
    [reward_ui, quality_ui, shares_ui, by_type_ui, utilization_ui, load_ui];

/// The one of them whose legend names the roles.
const OF_ROLES: usize = 4;

fn panels_ui(ui: &mut Ui, picture: &Picture) {
    let in_a_row = if ui.available_width() < THREE_IN_A_ROW { 2 } else { 3 };
    let width = (ui.available_width() - (in_a_row - 1) as f32 * space::S) / in_a_row as f32;
    // The roles make the longest legend; what stands beside it leaves as much room.
    let longest = legend_rows(ui, width, picture.roles.iter().map(String::as_str));
    for (at, row) in PANELS.chunks(in_a_row).enumerate() {
        let rows = if at == OF_ROLES / in_a_row { longest } else { 1 };
        ui.columns(in_a_row, |columns| {
            for (place, panel_ui) in columns.iter_mut().zip(row) {
                panel_ui(place, picture, rows);
            }
        });
    }
}

fn curve(picture: &Picture, name: &str, value: impl Fn(&Step) -> f64) -> Curve {
    Curve { name: name.to_owned(), values: picture.steps.iter().map(value).collect() }
}

fn reward_ui(ui: &mut Ui, picture: &Picture, rows: usize) {
    let curves =
        [curve(picture, words::RAW, |step| step.raw), curve(picture, words::ADJUSTED, |step| step.adjusted)];
    curves_ui(ui, words::REWARD, rows, 1.0, &curves);
}

fn quality_ui(ui: &mut Ui, picture: &Picture, rows: usize) {
    let curves = [curve(picture, words::OF_EACH, |step| step.quality)];
    curves_ui(ui, words::QUALITY, rows, 1.0, &curves);
}

fn shares_ui(ui: &mut Ui, picture: &Picture, rows: usize) {
    let fair = 1.0 / picture.roles.len().max(1) as f64;
    let shares = picture.roles.iter().cloned().zip(picture.shares.iter().copied().map(Some));
    bars_ui(ui, words::SHARES, rows, &shares.collect::<Vec<_>>(), Below::Line(fair, words::FAIR));
}

fn by_type_ui(ui: &mut Ui, picture: &Picture, rows: usize) {
    let means: Vec<_> = picture.task_types.iter().cloned().zip(picture.by_type.iter().copied()).collect();
    bars_ui(ui, words::BY_TYPE, rows, &means, Below::Words(words::MEAN_ADJUSTED));
}

fn utilization_ui(ui: &mut Ui, picture: &Picture, rows: usize) {
    let curves: Vec<Curve> = picture
        .roles
        .iter()
        .enumerate()
        .map(|(at, role)| curve(picture, role, |step| step.utilization.get(at).copied().unwrap_or(0.0)))
        .collect();
    curves_ui(ui, words::LATEST, rows, 1.0, &curves);
}

fn load_ui(ui: &mut Ui, picture: &Picture, rows: usize) {
    let most = picture.steps.iter().map(|step| step.imbalance).fold(0.2, f64::max);
    let curves = [
        curve(picture, words::PENALTY, |step| step.penalty),
        curve(picture, words::IMBALANCE, |step| step.imbalance),
    ];
    curves_ui(ui, words::LOAD, rows, most, &curves);
}

fn heat_card_ui(ui: &mut Ui, picture: &Picture, learning: &Learning, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading(words::VALUES));
        let states = picture.heat.iter();
        let states = states.map(|heat| format!("{} {:.0}%", heat.load_state, heat.share * 100.0));
        let states: Vec<String> = states.collect();
        let tabs: Vec<(usize, &str)> = states.iter().map(String::as_str).enumerate().collect();
        let chosen = learning.load_state.min(tabs.len().saturating_sub(1));
        commands.extend(tabs_ui(ui, &tabs, chosen).map(Action::LoadState));
        if let Some(heat) = picture.heat.get(chosen) {
            let title = words::always(&heat.load_state);
            heat_ui(ui, &title, &picture.task_types, &picture.actions, &heat.cells);
        }
        ui.label(small(ui, words::VALUES_ABOUT));
    });
}

fn policy_ui(ui: &mut Ui, picture: &Picture) {
    card_ui(ui, |ui| {
        ui.label(heading(words::POLICY));
        grid("policy", 4).show(ui, |ui| {
            head_ui(ui, &words::SHIFTS, 2, 1);
            for row in &picture.policy {
                ui.label(name(&row.task_type));
                ui.label(&row.balanced);
                figure_ui(ui, format!("{:.2}", row.worth));
                let shifts: Vec<String> =
                    row.shifts.iter().map(|(load, action)| format!("{load}: {action}")).collect();
                let same = || words::ALWAYS_SAME.to_owned();
                let shifts = if shifts.is_empty() { same() } else { shifts.join(", ") };
                ui.label(soft(ui, &shifts));
                ui.end_row();
            }
        });
    });
}

fn costs_ui(ui: &mut Ui, picture: &Picture) {
    card_ui(ui, |ui| {
        ui.label(heading(words::COST));
        grid("costs", words::COSTS.len()).show(ui, |ui| {
            head_ui(ui, &words::COSTS, 1, 0);
            for row in &picture.costs {
                ui.label(name(&row.venue));
                figure_ui(ui, thousands(row.jobs));
                figure_ui(ui, with_share(row.failed, row.failed as f64 / row.jobs.max(1) as f64));
                figure_ui(ui, format!("{:.2}", row.quality));
                figure_ui(ui, format!("{:.2}", row.latency_secs));
                figure_ui(ui, in_sats(row.msats));
                ui.end_row();
            }
        });
    });
}
