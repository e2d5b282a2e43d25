//! What came out, and how it is shown.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use frlm_conductor::run::claims::book::Found;
use frlm_conductor::run::claims::fate::Fate;
use serde_json::{Value, json};

use super::documents::MENTIONED;
use super::people::{Kind, Provider, Truth, WRONG};
use crate::band::Band;

/// Reviews within which a rubber stamp is to be found.
const SOON: u32 = 50;

/// What was paid, and what was not.
#[derive(Debug, Clone, Copy, Default)]
pub struct Paid {
    paid: usize,
    all: usize,
}

impl Paid {
    /// Takes in a job.
    pub fn count(&mut self, is_paid: bool) {
        self.all += 1;
        self.paid += usize::from(is_paid);
    }
}

/// Counts of one world. Of pairs, the first is of false claims or of those who are not honest.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Of prompts and answers.
    pub tokens: f64,
    /// Tokens of one honest reading of every part, unverified.
    pub one_reading: f64,
    /// Parts of questions.
    pub parts: usize,
    /// Those that a second reader was asked for.
    pub read_twice: usize,
    /// Facts of the parts.
    pub facts: usize,
    /// Verdicts, on gold too.
    pub verdicts: usize,
    /// Those on gold.
    pub gold: usize,
    /// Readings that settled.
    pub readings: [Paid; 2],
    /// Reviews that were answered.
    pub reviews: [Paid; 2],
    /// Providers found to read falsely, to review blindly, and to stand alone in a run.
    found_out: [[usize; 3]; 2],
    /// After how many claims each rubber stamp was found.
    stamps: Vec<u32>,
    /// Rubber stamps that were not found so soon.
    late_stamps: usize,
    stated: [usize; 2],
    by_code: [usize; 2],
    accepted: [usize; 2],
    left_out: usize,
    topic: [usize; 2],
    found: usize,
    found_in_run: BTreeSet<(usize, usize)>,
}

impl Tally {
    /// Starts counting; rubber stamps that were found before stay counted.
    pub fn forget_warm_up(&mut self) {
        let (stamps, late_stamps) = (std::mem::take(&mut self.stamps), self.late_stamps);
        *self = Self { stamps, late_stamps, ..Self::default() };
    }

    /// Claims that were stated.
    pub fn stated(&self) -> usize {
        self.stated[0] + self.stated[1]
    }

    /// A claim is stated.
    pub fn count_stated(&mut self, is_false: bool) {
        self.stated[usize::from(!is_false)] += 1;
    }

    /// Code turns a claim down.
    pub fn count_code(&mut self, is_false: bool) {
        self.by_code[usize::from(!is_false)] += 1;
    }

    /// A provider has given verdicts, and had given so many before.
    pub fn count_verdicts(&mut self, provider: &Provider, before: u32) {
        let is_late = before <= SOON && provider.reviewed > SOON;
        self.late_stamps += usize::from(provider.kind == Kind::Stamp && is_late);
    }

    /// A provider is found out, rightly or not.
    pub fn count_found(&mut self, provider: &Provider, found: Found) {
        let how = match found {
            Found::ReadsFalsely => 0,
            Found::ReviewsBlindly { .. } => 1,
            Found::StandsAlone { .. } => 2,
        };
        self.found_out[usize::from(provider.kind == Kind::Honest)][how] += 1;
        if provider.kind == Kind::Stamp && how == 1 {
            self.stamps.push(provider.reviewed);
        }
    }

    /// What became of a claim that passed the code checks.
    pub fn count_fate(&mut self, fate: Option<Fate>, truth: &Truth, on_topic: bool, part: usize) {
        self.left_out += usize::from(matches!(fate, Some(Fate::LeftOut) | None));
        if !fate.is_some_and(Fate::stands) {
            return;
        }
        self.accepted[usize::from(!truth.is_false)] += 1;
        self.topic[usize::from(!truth.is_false)] += usize::from(on_topic);
        if let Some(fact) = truth.fact.filter(|_| !truth.is_false) {
            self.found_in_run.insert((part, fact));
        }
    }

    /// The run is over.
    pub fn end_run(&mut self) {
        self.found += std::mem::take(&mut self.found_in_run).len();
    }

    /// The figures by [`Figure`].
    fn figures(&self) -> [f64; FIGURES.len()] {
        let [false_stated, true_stated] = self.stated;
        let accepted = self.accepted[0] + self.accepted[1];
        let one_reading = MENTIONED * (1.0 - WRONG);
        [
            share(self.accepted[1], true_stated),
            share(self.accepted[0], accepted),
            share(self.topic[0], self.topic[0] + self.topic[1]),
            share(self.found, self.facts) / one_reading,
            self.tokens / self.one_reading,
            share(self.verdicts, self.stated()),
            share(self.left_out, self.stated()),
            share(false_stated, self.stated()),
            share(self.by_code[0], false_stated),
            share(self.by_code[1], true_stated),
            share(self.gold, self.verdicts),
            self.reviews_of_a_stamp(),
            share(self.read_twice, self.parts),
        ]
    }

    /// Claims that a rubber stamp has reviewed when it is found, in the middle of all that gave so many verdicts.
    fn reviews_of_a_stamp(&self) -> f64 {
        let mut soon: Vec<u32> = self.stamps.iter().copied().filter(|after| *after <= SOON).collect();
        soon.sort_unstable();
        let all = soon.len() + self.late_stamps;
        match soon.get(all / 2) {
            _ if all == 0 => f64::NAN,
            Some(after) => f64::from(*after),
            None => f64::INFINITY,
        }
    }
}

/// A figure of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Figure {
    TrueAccepted,
    FalseAmongAccepted,
    FalseOnTopic,
    FactsFound,
    Tokens,
    VerdictsAClaim,
    LeftOut,
    FalseStated,
    CodeFinds,
    CodeErrs,
    Gold,
    ReviewsOfAStamp,
    ReadTwice,
}

impl Figure {
    fn words(self) -> &'static str {
        match self {
            Self::TrueAccepted => "true claims accepted",
            Self::FalseAmongAccepted => "false among accepted",
            Self::FalseOnTopic => "on the clique's topic",
            Self::FactsFound => "facts found",
            Self::Tokens => "tokens",
            Self::VerdictsAClaim => "verdicts a claim",
            Self::LeftOut => "left out",
            Self::FalseStated => "false among stated",
            Self::CodeFinds => "of those, code finds",
            Self::CodeErrs => "true ones that code turns down",
            Self::Gold => "gold among verdicts",
            Self::ReviewsOfAStamp => "reviews until a rubber stamp is found",
            Self::ReadTwice => "parts read twice",
        }
    }

    fn show(self, figure: f64) -> String {
        if figure.is_nan() {
            return "–".to_owned();
        }
        let percent = 100.0 * figure;
        match self {
            Self::FactsFound | Self::Tokens => format!("{figure:.2}×"),
            Self::VerdictsAClaim => format!("{figure:.2}"),
            Self::ReviewsOfAStamp => format!("{figure:.0}"),
            Self::FalseAmongAccepted | Self::FalseOnTopic | Self::CodeErrs => format!("{percent:.2} %"),
            _ => format!("{percent:.1} %"),
        }
    }
}

const FIGURES: [Figure; 13] = [
    Figure::TrueAccepted,
    Figure::FalseAmongAccepted,
    Figure::FalseOnTopic,
    Figure::FactsFound,
    Figure::Tokens,
    Figure::VerdictsAClaim,
    Figure::LeftOut,
    Figure::FalseStated,
    Figure::CodeFinds,
    Figure::CodeErrs,
    Figure::Gold,
    Figure::ReviewsOfAStamp,
    Figure::ReadTwice,
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
        format!("{} {}", if self.is_least { "≥" } else { "≤" }, self.figure.show(self.bound))
    }
}

/// The table's head.
pub fn head() -> String {
    let names: Vec<&str> = FIGURES[..SHOWN].iter().map(|figure| figure.words()).collect();
    format!("| world | {} | targets | |\n|{}", names.join(" | "), " --- |".repeat(SHOWN + 3))
}

/// A row of the table: the median of the seeds, figure by figure.
pub fn row(name: &str, targets: &[Target], tallies: &[Tally]) -> String {
    let figures = medians(tallies);
    let cells: Vec<String> =
        FIGURES[..SHOWN].iter().zip(figures).map(|(figure, value)| figure.show(value)).collect();
    let missed: Vec<&str> = targets
        .iter()
        .filter(|target| !target.is_reached(&figures))
        .map(|target| target.figure.words())
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
        let _ = write!(text, "{} {}; ", figure.words(), figure.show(*value));
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
    let all: Vec<[f64; FIGURES.len()]> = tallies.iter().map(Tally::figures).collect();
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

fn medians(tallies: &[Tally]) -> [f64; FIGURES.len()] {
    let all: Vec<[f64; FIGURES.len()]> = tallies.iter().map(Tally::figures).collect();
    std::array::from_fn(|at| Band::over(all.iter().map(|figures| figures[at]).collect()).median)
}

fn paid(tallies: &[Tally], of: impl Fn(&Tally) -> Paid) -> String {
    let (paid, all) = tallies.iter().map(of).fold((0, 0), |sum, one| (sum.0 + one.paid, sum.1 + one.all));
    if all == 0 { "–".to_owned() } else { format!("{:.1} %", 100.0 * paid as f64 / all as f64) }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { f64::NAN } else { part as f64 / whole as f64 }
}
