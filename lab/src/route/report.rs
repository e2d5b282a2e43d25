//! What a training came to: tables, the six panels of the source document, load states and heat maps
//! (seeds/load-balanced-rl-workflow.md, section 5).

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use frlm_learning::routing::training::Iteration;
use frlm_learning::routing::{Coordinator as _, LoadState, Production, Scores, TaskType, Training};

use crate::svg::{Axis, Body, Curve, Panel, page};

/// One iteration on one line.
pub fn line(training: &Training, last: &Iteration) -> String {
    let space = training.router().space();
    let outcome = match &last.outcome {
        Ok(done) => format!("{} msats, {:.2} s", done.cost_msats, done.measured_secs),
        Err(reason) => frlm_protocol::printable(reason).into_owned(),
    };
    format!(
        "{:>3} of {}: {} → {}{} ({}): quality {:.2}, reward {:.3} − {:.3}; {outcome}",
        training.iteration(),
        training.settings().iterations,
        last.task,
        space.action_name(last.decision.action),
        if last.decision.explored { ", a try" } else { "" },
        space.load_name(last.load()),
        last.judgement.quality,
        last.raw,
        last.penalty,
    )
}

/// Summary, policy per task type, shifts when a role is hot, what each role has done, costs.
pub fn tables(training: &Training) -> String {
    let (router, log) = (training.router(), training.log());
    let space = router.space();
    let failed = log.iter().filter(|one| one.outcome.is_err()).count();
    // Writing into a String cannot fail, here and below.
    let mut text = format!(
        "{} iterations of {}: mean adjusted reward {:.3}, mean load penalty {:.3}, final ε {:.3}, final imbalance \
         {:.3}, {failed} without an answer\nresult {}\n",
        log.len(),
        router.learner().name(),
        mean(log.iter().map(|one| one.adjusted)),
        mean(log.iter().map(|one| one.penalty)),
        router.learner().exploration(),
        router.tracker().imbalance(),
        training.fingerprint().unwrap_or_else(|error| format!("has no name: {error}")),
    );
    text += "\n| task type | when balanced | worth | when its role is hot | worth |\n| --- | --- | --- | --- | --- |\n";
    for (task_type, name) in (0..).map(TaskType).zip(space.task_types()) {
        let (balanced, worth) = preferred(training, task_type, LoadState::Balanced);
        let role = balanced.split('@').next().and_then(|role| space.role(role));
        let hot = role.map(|role| preferred(training, task_type, LoadState::Hot(role)));
        let (hot, hot_worth) = hot.unwrap_or_default();
        let shift = if hot == balanced { "the same".to_owned() } else { hot };
        let _ = writeln!(text, "| {name} | {balanced} | {worth:.3} | {shift} | {hot_worth:.3} |");
    }
    text += "\n| role | tasks | mean adjusted reward |\n| --- | --- | --- |\n";
    for (name, record) in space.roles().iter().zip(training.role_records()) {
        let _ = writeln!(text, "| {name} | {} | {:.3} |", record.completed_tasks, record.avg_quality());
    }
    text += "\n| venue | jobs | msats | mean quality | mean time, s (measured) |\n| --- | --- | --- | --- | --- |\n";
    for (venue, name) in (0..).zip(space.venues()) {
        let here: Vec<&Iteration> = log.iter().filter(|one| one.decision.venue.0 == venue).collect();
        let done = || here.iter().filter_map(|one| one.outcome.as_ref().ok());
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {:.3} | {:.3} |",
            here.len(),
            done().map(|done| done.cost_msats).sum::<u64>(),
            mean(here.iter().map(|one| one.judgement.quality)),
            mean(done().map(|done| done.measured_secs)),
        );
    }
    text
}

/// Health after the requests of production mode.
pub fn production(production: &Production) -> String {
    let health = production.health();
    let shares: Vec<String> =
        health.utilization.iter().map(|(role, share)| format!("{role} {:.0} %", share * 100.0)).collect();
    let venues: Vec<String> = health
        .venues
        .iter()
        .map(|venue| format!("{} {:.0} %", venue.name, venue.error_rate * 100.0))
        .collect();
    let qualities = production.log().map(|entry| entry.judgement.quality);
    format!(
        "\nproduction, greedy: {} requests answered, {} failed, {} refused, {} without a route, {} unjudged; mean \
         quality {:.3}; {} msats\nload state {}, imbalance {:.3}, utilisation {}; errors {}; ε {}, online learning {}\n",
        health.answered,
        health.failed,
        health.refused,
        health.unroutable,
        health.unjudged,
        mean(qualities),
        health.cost_msats,
        health.load_state,
        health.imbalance,
        shares.join(", "),
        venues.join(", "),
        health.epsilon,
        if health.online_learning { "on" } else { "off" },
    )
}

/// Writes the dashboard and the heat maps into the folder; where they are.
pub fn write_plots(training: &Training, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let pictures =
        [("routing-training.svg", dashboard(training)), ("routing-values.svg", heat_maps(training))];
    pictures
        .into_iter()
        .map(|(name, svg)| {
            let path = folder.join(name);
            std::fs::write(&path, svg).with_context(|| format!("cannot write {}", path.display()))?;
            Ok(path)
        })
        .collect()
}

/// The six panels, and how often each load state was met.
pub fn dashboard(training: &Training) -> String {
    let (log, space) = (training.log(), training.router().space());
    let series = |value: &dyn Fn(&Iteration) -> f64| -> Vec<(f64, f64)> {
        log.iter().enumerate().map(|(at, one)| ((at + 1) as f64, value(one))).collect()
    };
    let curves = |title: &str, y: Axis, curves: Vec<Curve>| Panel {
        title: title.to_owned(),
        body: Body::Curves {
            x: Axis::stepped(0.0, log.len() as f64, 0),
            x_label: "iteration".to_owned(),
            y,
            curves,
        },
    };
    let roles = space.roles().len();
    let lifetime = training.router().tracker().lifetime();
    let all: u64 = lifetime.iter().sum();
    let share = |count: u64| count as f64 / all.max(1) as f64;
    let utilization = (0..roles)
        .map(|role| {
            let values = series(&|one| one.utilization.get(role).copied().unwrap_or(0.0));
            Curve::new(space.roles()[role].clone(), values)
        })
        .collect();
    let by_type = (0..).zip(space.task_types()).map(|(task_type, name)| {
        let of_type = log.iter().filter(|one| one.task_type == TaskType(task_type));
        (name.clone(), mean(of_type.map(|one| one.adjusted)))
    });
    let states = space.load_states().map(|load| {
        let met = log.iter().filter(|one| one.load() == load).count();
        (space.load_name(load), met as f64 / log.len().max(1) as f64)
    });
    let one = || Axis::stepped(0.0, 1.0, 1);
    let mut qualities = vec![Curve::new("quality", series(&|one| one.judgement.quality))];
    // Where answers are judged and not checked, the four scores behind the quality.
    if log.iter().any(|one| one.judgement.scores.is_some()) {
        let score = |name: &str, of: fn(&Scores) -> f64| {
            let values = series(&|one| one.judgement.scores.as_ref().map_or(one.judgement.quality, of));
            Curve::new(name, values)
        };
        qualities.extend([
            score("relevance", |scores| scores.relevance),
            score("accuracy", |scores| scores.accuracy),
            score("completeness", |scores| scores.completeness),
            score("agent match", |scores| scores.agent_match),
        ]);
    }
    let imbalance: Vec<(f64, f64)> = series(&|one| one.imbalance);
    let most = imbalance.iter().map(|(_, value)| *value).fold(0.2, f64::max);
    let panels = [
        curves(
            "1. reward, raw and adjusted",
            one(),
            vec![
                Curve::new("raw", series(&|one| one.raw)),
                Curve::new("adjusted", series(&|one| one.adjusted)),
            ],
        ),
        curves("2. quality", one(), qualities),
        Panel {
            title: "3. share of all work, and the fair share".to_owned(),
            body: Body::Bars {
                bars: space.roles().iter().cloned().zip(lifetime.iter().map(|count| share(*count))).collect(),
                y: one(),
                line: Some(1.0 / roles.max(1) as f64),
            },
        },
        Panel {
            title: "4. adjusted reward by task type".to_owned(),
            body: Body::Bars { bars: by_type.collect(), y: one(), line: None },
        },
        curves("5. utilisation of the window", one(), utilization),
        curves(
            "6. load penalty and imbalance",
            Axis::up_to([most], 2),
            vec![Curve::new("penalty", series(&|one| one.penalty)), Curve::new("imbalance σ/μ", imbalance)],
        ),
        Panel {
            title: "load states met, share".to_owned(),
            body: Body::Bars { bars: states.collect(), y: one(), line: None },
        },
    ];
    page("Routing: training with real inference", 2, &panels)
}

/// What each action is worth to the learner, one map per load state that was met.
pub fn heat_maps(training: &Training) -> String {
    let (log, space) = (training.log(), training.router().space());
    let met = |load: &LoadState| log.iter().any(|one| one.load() == *load);
    let maps: Vec<(LoadState, Vec<Option<f64>>)> = space
        .load_states()
        .filter(met)
        .map(|load| {
            let cells = (0..).zip(space.task_types()).flat_map(|(task_type, _)| {
                let tried = |action: u32| {
                    log.iter().any(|one| {
                        (one.task_type, one.load(), one.decision.action.0)
                            == (TaskType(task_type), load, action)
                    })
                };
                let values = training
                    .router()
                    .learner()
                    .values(space, &training.router().typical(TaskType(task_type), load));
                (0..).zip(values).map(|(action, value)| tried(action).then_some(value)).collect::<Vec<_>>()
            });
            (load, cells.collect())
        })
        .collect();
    let most = maps.iter().flat_map(|(_, cells)| cells.iter().flatten()).copied().fold(0.0, f64::max);
    let panels: Vec<Panel> = maps
        .into_iter()
        .map(|(load, cells)| Panel {
            title: space.load_name(load),
            body: Body::Heat {
                rows: space.task_types().to_vec(),
                columns: space.action_ids().map(|action| space.action_name(action)).collect(),
                cells,
                most,
            },
        })
        .collect();
    page("Routing: what role and venue are worth, by load state (– was never tried)", 1, &panels)
}

/// The best action of a state and its worth.
fn preferred(training: &Training, task_type: TaskType, load: LoadState) -> (String, f64) {
    let space = training.router().space();
    let values = training.router().learner().values(space, &training.router().typical(task_type, load));
    let best =
        space.action_ids().zip(values).fold(None, |best: Option<(_, f64)>, (action, value)| match best {
            Some((_, most)) if most >= value => best,
            _ => Some((action, value)),
        });
    best.map_or_else(Default::default, |(action, value)| (space.action_name(action), value))
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    sum / f64::from(count.max(1))
}

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;
