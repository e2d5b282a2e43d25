//! What came out, and how it is shown.

use std::collections::{BTreeMap, BTreeSet};

use frlm_verifier::claims::Decision;
use frlm_verifier::claims::posterior::LeftOut;

use super::people::Truth;

/// Counts of one world.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    pub tokens: f64,
    /// Tokens of one honest reading of every part, unverified.
    pub one_reading: f64,
    pub facts: usize,
    pub reviews: usize,
    pub gold: usize,
    /// After how many claims each rubber stamp was found.
    pub stamps: Vec<u32>,
    /// Honest reviewers that were taken for one.
    pub honest_stamps: usize,
    /// Excluded readers: liars and members of the clique, and others.
    pub excluded: [usize; 2],
    /// Claims of the run that fell to the code checks, by part.
    pub fell_to_code_in_run: BTreeMap<usize, usize>,
    stated: [usize; 2],
    by_code: [usize; 2],
    accepted: [usize; 2],
    left_out: usize,
    /// Left out because reviews contradict each other, and because nobody else could be asked.
    pub why_left_out: [usize; 2],
    topic: [usize; 2],
    found: usize,
    found_in_run: BTreeSet<(usize, usize)>,
}

impl Tally {
    /// Starts counting; rubber stamps that were found before stay counted.
    pub fn forget_warm_up(&mut self) {
        let (stamps, honest_stamps) = (std::mem::take(&mut self.stamps), self.honest_stamps);
        *self = Self { stamps, honest_stamps, ..Self::default() };
    }

    pub fn stated(&self) -> usize {
        self.stated[0] + self.stated[1]
    }

    pub fn count_stated(&mut self, is_false: bool) {
        self.stated[usize::from(is_false)] += 1;
    }

    pub fn count_code(&mut self, is_false: bool, part: usize) {
        self.by_code[usize::from(is_false)] += 1;
        *self.fell_to_code_in_run.entry(part).or_default() += 1;
    }

    pub fn count_decision(
        &mut self,
        decision: &Decision,
        truth: &Truth,
        times: usize,
        on_topic: bool,
        part: usize,
    ) {
        let is_accepted = matches!(decision, Decision::Accepted { .. } | Decision::AcceptedOnRecord { .. });
        self.left_out += usize::from(matches!(decision, Decision::LeftOut { .. } | Decision::Ask(_)));
        if let Decision::LeftOut { reason, .. } = decision {
            self.why_left_out[usize::from(*reason == LeftOut::NoReviewer)] += 1;
        }
        if !is_accepted {
            return;
        }
        self.accepted[usize::from(truth.is_false)] += times;
        if on_topic {
            self.topic[usize::from(truth.is_false)] += times;
        }
        if let Some(fact) = truth.fact.filter(|_| !truth.is_false) {
            self.found_in_run.insert((part, fact));
        }
    }

    pub fn end_run(&mut self) {
        self.found += std::mem::take(&mut self.found_in_run).len();
        self.fell_to_code_in_run.clear();
    }

    /// The figures of the table.
    fn figures(&self) -> [f64; COLUMNS] {
        let ratio =
            |part: usize, whole: usize| if whole == 0 { f64::NAN } else { part as f64 / whole as f64 };
        let accepted = self.accepted[0] + self.accepted[1];
        // One honest reading finds three quarters of the facts and gets 2 % of them wrong.
        let one_reading = 0.75 * 0.98;
        [
            100.0 * ratio(self.stated[1], self.stated()),
            100.0 * ratio(self.by_code[1], self.stated[1]),
            100.0 * ratio(self.by_code[0], self.stated[0]),
            100.0 * ratio(self.accepted[0], self.stated[0]),
            100.0 * ratio(self.accepted[1], accepted),
            100.0 * ratio(self.topic[1], self.topic[0] + self.topic[1]),
            ratio(self.found, self.facts) / one_reading,
            self.tokens / self.one_reading,
            // Gold is looked at like any other claim.
            ratio(self.reviews + self.gold, self.stated()),
            100.0 * ratio(self.left_out, self.stated()),
        ]
    }
}

const COLUMNS: usize = 10;

/// The table's head.
pub fn head() -> String {
    format!(
        "{:<44} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6}",
        "world", "false", "code", "code", "true", "false", "false", "facts", "tokens", "revs/", "left"
    ) + "\n"
        + &format!(
            "{:<44} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6}",
            "", "stated", "finds", "errs", "kept", "acc.", "topic", "found", "spent", "claim", "out"
        )
        + "\n"
        + &format!(
            "{:<44} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6}",
            "", "%", "%", "%", "%", "%", "%", "×", "×", "", "%"
        )
}

/// A figure that has a target, by its place in the table.
#[derive(Debug, Clone, Copy)]
pub enum Column {
    TrueKept = 3,
    FalseAccepted = 4,
    FalseOnTopic = 5,
    FactsFound = 6,
    Tokens = 7,
}

/// What a figure should be.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    column: Column,
    bound: f64,
    is_least: bool,
}

impl Target {
    pub const fn at_least(column: Column, bound: f64) -> Self {
        Self { column, bound, is_least: true }
    }

    pub const fn at_most(column: Column, bound: f64) -> Self {
        Self { column, bound, is_least: false }
    }
}

/// The median of the seeds, figure by figure.
fn medians(tallies: &[Tally]) -> [f64; COLUMNS] {
    let all: Vec<[f64; COLUMNS]> = tallies.iter().map(Tally::figures).collect();
    std::array::from_fn(|column| median(all.iter().map(|figures| figures[column]).collect()))
}

/// A row of the table.
pub fn row(name: &str, tallies: &[Tally]) -> String {
    let cell = |(column, figure): (usize, f64)| {
        let digits = if matches!(column, 2 | 4..=8) { 2 } else { 1 };
        if figure.is_nan() { format!(" {:>6}", "-") } else { format!(" {figure:>6.digits$}") }
    };
    format!("{name:<44}{}", medians(tallies).into_iter().enumerate().map(cell).collect::<String>())
}

/// Whether the targets of a row are reached.
pub fn against(targets: &[Target], tallies: &[Tally]) -> String {
    let figures = medians(tallies);
    let missed: Vec<String> = targets
        .iter()
        .filter(|target| {
            let figure = figures[target.column as usize];
            if target.is_least { figure < target.bound } else { figure > target.bound }
        })
        .map(|target| {
            format!("{:?} {} {}", target.column, if target.is_least { "≥" } else { "≤" }, target.bound)
        })
        .collect();
    match (targets.is_empty(), missed.is_empty()) {
        (true, _) => String::new(),
        (_, true) => "  targets reached".to_owned(),
        _ => format!("  missed: {}", missed.join(", ")),
    }
}

/// What became of rubber stamps, of liars, and of what was left out, summed over the seeds.
pub fn more(tallies: &[Tally]) -> String {
    let mut found: Vec<u32> = tallies.iter().flat_map(|tally| tally.stamps.iter().copied()).collect();
    found.sort_unstable();
    let sum = |of: &dyn Fn(&Tally) -> usize| tallies.iter().map(of).sum::<usize>();
    let within = found.iter().filter(|after| **after <= 50).count();
    let of = |at: usize| found.get(at).map_or_else(|| "-".to_owned(), u32::to_string);
    format!(
        "  rubber stamps found: {}, {within} of them within 50 reviews (median {}, last {}); honest reviewers taken for one: {}\n  \
         readers excluded: {} liars, {} honest; left out: {} disputed, {} without another reviewer; gold {:.1} % of verdicts",
        found.len(),
        of(found.len() / 2),
        of(found.len().saturating_sub(1)),
        sum(&|tally| tally.honest_stamps),
        sum(&|tally| tally.excluded[0]),
        sum(&|tally| tally.excluded[1]),
        sum(&|tally| tally.why_left_out[0]),
        sum(&|tally| tally.why_left_out[1]),
        100.0 * sum(&|tally| tally.gold) as f64 / sum(&|tally| tally.gold + tally.reviews).max(1) as f64,
    )
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.retain(|figure| !figure.is_nan());
    figures.sort_by(f64::total_cmp);
    match figures.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => figures[count / 2],
        count => f64::midpoint(figures[count / 2 - 1], figures[count / 2]),
    }
}
