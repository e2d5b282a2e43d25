//! What came out, and how it is shown.

use std::fmt::Write as _;

use frlm_client::attack_simulation::words::{Figure, Paid, SOON, Tally};
use serde_json::{Value, json};

use crate::band::Band;

const FIGURES: [Figure; 14] = [
    Figure::TrueAccepted,
    Figure::FalseAmongAccepted,
    Figure::FalseOnTopic,
    Figure::FactsFound,
    Figure::Tokens,
    Figure::VerdictsAClaim,
    Figure::Undecided,
    Figure::FalseStated,
    Figure::CodeFinds,
    Figure::CodeErrs,
    Figure::Gold,
    Figure::ReviewsOfAStamp,
    Figure::ReadTwice,
    Figure::LiarsFound,
];
/// Those of the table; the others stand below it.
const SHOWN: usize = 7;

/// What a figure should be.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    figure: Figure,
    bound: f64,
    is_least: bool,
}

impl Target {
    /// No less than the bound.
    pub const fn at_least(figure: Figure, bound: f64) -> Self {
        Self { figure, bound, is_least: true }
    }

    /// No more than the bound.
    pub const fn at_most(figure: Figure, bound: f64) -> Self {
        Self { figure, bound, is_least: false }
    }

    fn is_reached(&self, figures: &[f64]) -> bool {
        let figure = figures[self.figure as usize];
        if self.is_least { figure >= self.bound } else { figure <= self.bound }
    }

    fn words(&self) -> String {
        format!("{} {}", if self.is_least { "≥" } else { "≤" }, show(self.figure, self.bound))
    }
}

/// The table's head.
pub fn head() -> String {
    let names: Vec<&str> = FIGURES[..SHOWN].iter().map(|figure| words(*figure)).collect();
    format!("| world | {} | targets | |\n|{}", names.join(" | "), " --- |".repeat(SHOWN + 3))
}

/// A row of the table: the median of the seeds, figure by figure.
pub fn row(name: &str, targets: &[Target], tallies: &[Tally]) -> String {
    let figures = medians(tallies);
    let cells: Vec<String> =
        FIGURES[..SHOWN].iter().zip(figures).map(|(figure, value)| show(*figure, value)).collect();
    let missed: Vec<&str> = targets
        .iter()
        .filter(|target| !target.is_reached(&figures))
        .map(|target| words(target.figure))
        .collect();
    let outcome = match (targets.is_empty(), missed.is_empty()) {
        (true, _) => String::new(),
        (_, true) => "reached".to_owned(),
        _ => format!("missed: {}", missed.join(", ")),
    };
    let targets: Vec<String> = targets.iter().map(Target::words).collect();
    let targets = if targets.is_empty() { "–".to_owned() } else { targets.join(", ") };
    format!("| {name} | {} | {targets} | {outcome} |", cells.join(" | "))
}

/// What became of providers, summed over the seeds.
pub fn more(tallies: &[Tally]) -> String {
    let figures = medians(tallies);
    let mut text = String::new();
    for (figure, value) in FIGURES[SHOWN..].iter().zip(&figures[SHOWN..]) {
        // Writing into a String cannot fail.
        let _ = write!(text, "{} {}; ", words(*figure), show(*figure, *value));
    }
    let out = |who: usize, how: usize| tallies.iter().map(|tally| tally.found_out[who][how]).sum::<usize>();
    let each = |who: usize| format!("{}, {} and {}", out(who, 0), out(who, 1), out(who, 2));
    let _ = write!(
        text,
        "paid: {} of honest readings and {} of others, {} of honest reviews and {} of others; found to read falsely, to review \
         blindly, to stand alone: honest {}, others {}",
        paid(tallies, |tally| tally.readings[1]),
        paid(tallies, |tally| tally.readings[0]),
        paid(tallies, |tally| tally.reviews[1]),
        paid(tallies, |tally| tally.reviews[0]),
        each(1),
        each(0),
    );
    let mut stamps: Vec<u32> = tallies.iter().flat_map(|tally| tally.stamps.iter().copied()).collect();
    stamps.sort_unstable();
    if let Some(middle) = stamps.get(stamps.len() / 2) {
        let soon = stamps.iter().filter(|after| **after <= SOON).count();
        let late: usize = tallies.iter().map(|tally| tally.late_stamps).sum();
        let _ = write!(
            text,
            "; of {} rubber stamps with so many reviews {soon} were found within {SOON}, all that were found after a median of {middle}",
            soon + late
        );
    }
    text
}

/// Everything, for programs.
pub fn json(name: &str, tallies: &[Tally]) -> Value {
    let all: Vec<[f64; FIGURES.len()]> = tallies.iter().map(figures).collect();
    let figures: serde_json::Map<String, Value> = FIGURES
        .iter()
        .enumerate()
        .map(|(at, figure)| {
            let band = Band::over(all.iter().map(|figures| figures[at]).collect());
            (format!("{figure:?}"), json!(band))
        })
        .collect();
    json!({ "world": name, "seeds": tallies.len(), "figures": figures })
}

fn words(figure: Figure) -> &'static str {
    match figure {
        Figure::TrueAccepted => "true claims accepted",
        Figure::FalseAmongAccepted => "false among accepted",
        Figure::FalseOnTopic => "on the clique's topic",
        Figure::FactsFound => "facts found",
        Figure::Tokens => "tokens",
        Figure::VerdictsAClaim => "verdicts a claim",
        Figure::Undecided => "left out",
        Figure::FalseStated => "false among stated",
        Figure::CodeFinds => "of those, code finds",
        Figure::CodeErrs => "true ones that code rejects",
        Figure::Gold => "gold among verdicts",
        Figure::ReviewsOfAStamp => "reviews until a rubber stamp is found",
        Figure::ReadTwice => "parts read twice",
        Figure::LiarsFound => "those not honest that are found",
    }
}

fn show(figure: Figure, value: f64) -> String {
    if value.is_nan() {
        return "–".to_owned();
    }
    let percent = 100.0 * value;
    match figure {
        Figure::FactsFound | Figure::Tokens => format!("{value:.2}×"),
        Figure::VerdictsAClaim => format!("{value:.2}"),
        Figure::ReviewsOfAStamp => format!("{value:.0}"),
        Figure::FalseAmongAccepted | Figure::FalseOnTopic | Figure::CodeErrs => format!("{percent:.2} %"),
        _ => format!("{percent:.1} %"),
    }
}

fn figures(tally: &Tally) -> [f64; FIGURES.len()] {
    FIGURES.map(|figure| tally.figure(figure))
}

fn medians(tallies: &[Tally]) -> [f64; FIGURES.len()] {
    let all: Vec<[f64; FIGURES.len()]> = tallies.iter().map(figures).collect();
    std::array::from_fn(|at| Band::over(all.iter().map(|figures| figures[at]).collect()).median)
}

fn paid(tallies: &[Tally], of: impl Fn(&Tally) -> Paid) -> String {
    let (paid, all) = tallies.iter().map(of).fold((0, 0), |sum, one| (sum.0 + one.paid, sum.1 + one.all));
    if all == 0 { "–".to_owned() } else { format!("{:.1} %", 100.0 * paid as f64 / all as f64) }
}
