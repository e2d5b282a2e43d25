//! Several worlds as a table, a picture, or JSON.

use std::fmt::Write as _;

use frlm_learning::planning::decompose::LearnerSettings;
use serde_json::{Value, json};

use super::experiment::{Course, Way};
use crate::band::Band;
use crate::svg::{Axis, Body, Curve, Panel, page};

/// Episodes that are averaged.
pub const WINDOW: usize = 250;

/// Windows from and until, none across the shift.
fn windows(course: &Course) -> Vec<(usize, usize)> {
    let end = course.worth[0].len();
    let phase = |from: usize, until: usize| {
        (from..until).step_by(WINDOW).map(move |at| (at, (at + WINDOW).min(until)))
    };
    phase(0, course.shift).chain(phase(course.shift, end)).collect()
}

fn over(courses: &[Course], figure: impl Fn(&Course) -> f64) -> Band {
    Band::over(courses.iter().map(figure).collect())
}

/// Rewards and regret by window: median, lowest and highest over the worlds.
pub fn table(courses: &[Course]) -> String {
    let Some(first) = courses.first() else { return String::new() };
    let mut text = String::from(
        "| questions | learned | best fixed | static | random | best possible | regret, % of random's | its favourite's |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for (from, until) in windows(first) {
        let reward = |way| over(courses, |course| course.mean(way, from, until));
        let regret = |way| over(courses, |course| 100.0 * course.regret(way, from, until));
        let band = |band: Band, digits: usize| {
            format!("{:.digits$} ({:.digits$} to {:.digits$})", band.median, band.low, band.high)
        };
        let shifted = if from >= first.shift { " (other preferences)" } else { "" };
        let _ = writeln!(
            text,
            "| {} to {until}{shifted} | {} | {:.3} | {:.3} | {:.3} | {:.3} | {} | {} |",
            from + 1,
            band(reward(Way::Learned), 3),
            reward(Way::BestFixed).median,
            reward(Way::Static).median,
            reward(Way::Random).median,
            reward(Way::Best).median,
            band(regret(Way::Learned), 1),
            band(regret(Way::Greedy), 1),
        );
    }
    text
}

/// Learning curves with their bands, and the regret.
pub fn svg(courses: &[Course]) -> String {
    let Some(first) = courses.first() else { return page("Nothing was simulated", 1, &[]) };
    let windows = windows(first);
    let end = first.worth[0].len() as f64;
    let curve = |name: &str, figure: &dyn Fn(&Course, usize, usize) -> f64| {
        let bands: Vec<(f64, Band)> = windows
            .iter()
            .map(|(from, until)| (*until as f64, over(courses, |course| figure(course, *from, *until))))
            .collect();
        Curve {
            name: name.to_owned(),
            points: bands.iter().map(|(x, band)| (*x, band.median)).collect(),
            band: bands.iter().map(|(x, band)| (*x, band.low, band.high)).collect(),
        }
    };
    let rewards: Vec<Curve> = Way::ALL
        .into_iter()
        .map(|way| curve(way.name(), &|course, from, until| course.mean(way, from, until)))
        .collect();
    let regrets: Vec<Curve> = [Way::Learned, Way::Greedy, Way::BestFixed, Way::Static]
        .into_iter()
        .map(|way| curve(way.name(), &|course, from, until| 100.0 * course.regret(way, from, until)))
        .collect();
    let lowest = rewards.iter().flat_map(|curve| curve.band.iter().map(|band| band.1)).fold(1.0, f64::min);
    let highest = regrets.iter().flat_map(|curve| curve.band.iter().map(|band| band.2));
    let panel = |title: &str, y: Axis, curves: Vec<Curve>| Panel {
        title: title.to_owned(),
        body: Body::Curves { x: Axis::stepped(0.0, end, 0), x_label: "questions".to_owned(), y, curves },
    };
    let shift = first.shift;
    page(
        &format!(
            "SIMULATED: learning to take questions apart; preferences change after {shift}. {} worlds: median, lowest, highest",
            courses.len()
        ),
        2,
        &[
            panel("mean reward", Axis::stepped((lowest * 20.0).floor() / 20.0, 1.0, 2), rewards),
            panel("regret, % of random's", Axis::up_to(highest, 0), regrets),
        ],
    )
}

/// Everything, for programs.
pub fn json(courses: &[Course], settings: &LearnerSettings) -> Value {
    let rows: Vec<Value> = courses
        .first()
        .map(windows)
        .unwrap_or_default()
        .into_iter()
        .map(|(from, until)| {
            let ways: serde_json::Map<String, Value> = Way::ALL
                .into_iter()
                .map(|way| {
                    let reward = over(courses, |course| course.mean(way, from, until));
                    let regret = over(courses, |course| course.regret(way, from, until));
                    (way.name().to_owned(), json!({ "reward": reward, "regret_share": regret }))
                })
                .collect();
            json!({ "from": from, "until": until, "ways": ways })
        })
        .collect();
    json!({
        "simulated": true,
        "settings": settings,
        "worlds": courses.len(),
        "shift": courses.first().map(|course| course.shift),
        "windows": rows,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decompose::experiment::run;

    #[test]
    fn no_window_mixes_what_was_before_and_after_the_shift() {
        let courses = [run(1, LearnerSettings::default(), 300, 260).unwrap()];
        assert_eq!(windows(&courses[0]), [(0, 250), (250, 300), (300, 550), (550, 560)]);
        let table = table(&courses);
        assert_eq!(table.lines().count(), 2 + 4);
        assert!(table.contains("| 301 to 550 (other preferences) |") && !table.contains("NaN"), "{table}");
        let svg = svg(&courses);
        assert!(svg.contains("SIMULATED") && svg.contains("best possible"));
        assert_eq!(json(&courses, &LearnerSettings::default())["windows"].as_array().unwrap().len(), 4);
    }
}
