//! What the runs came to, for people and for programs.

use std::fmt::Write as _;

use serde::Serialize;

use super::cell::Tally;
use super::policy::Policy;
use super::world::{MIXES, Setting};
use crate::band::Band;

/// A run with its outcome.
#[derive(Debug, Clone)]
pub struct Measured {
    /// How it was routed.
    pub policy: Policy,
    /// Where.
    pub setting: Setting,
    /// What came of it.
    pub tally: Tally,
}

/// A figure of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Figure {
    /// Answers per second against least-loaded in the same world.
    Throughput,
    /// Seconds.
    P95Latency,
    /// Quality of an answer for a sat.
    QualityPerSat,
    /// Mean quality of an answer.
    Quality,
    /// σ/μ of the providers' working time.
    Imbalance,
}

impl Figure {
    /// In the order of tables.
    pub const ALL: [Self; 5] =
        [Self::Throughput, Self::P95Latency, Self::QualityPerSat, Self::Quality, Self::Imbalance];

    /// For tables and pictures.
    pub fn name(self) -> &'static str {
        match self {
            Self::Throughput => "throughput, % of least-loaded",
            Self::P95Latency => "p95 latency, s",
            Self::QualityPerSat => "quality per sat",
            Self::Quality => "quality",
            Self::Imbalance => "imbalance, σ/μ",
        }
    }
}

/// A figure over the worlds: the mean over all mixes (or the one) for each seed, then median and band.
pub fn band(all: &[Measured], providers: usize, policy: Policy, figure: Figure, mix: Option<usize>) -> Band {
    let here: Vec<&Measured> = all
        .iter()
        .filter(|one| one.setting.providers == providers && mix.is_none_or(|mix| one.setting.mix == mix))
        .collect();
    let mut seeds: Vec<u64> = here.iter().map(|one| one.setting.seed).collect();
    seeds.sort_unstable();
    seeds.dedup();
    let means = seeds.iter().map(|seed| {
        let of_seed = here.iter().filter(|one| one.setting.seed == *seed && one.policy == policy);
        let values: Vec<f64> = of_seed.map(|one| value(one, figure, &here)).collect();
        values.iter().sum::<f64>() / values.len().max(1) as f64
    });
    Band::over(means.collect())
}

fn value(one: &Measured, figure: Figure, all: &[&Measured]) -> f64 {
    let tally = &one.tally;
    match figure {
        Figure::Throughput => {
            let floor = all
                .iter()
                .find(|other| other.policy == Policy::LeastLoaded && other.setting == one.setting)
                .map_or(f64::NAN, |other| other.tally.throughput);
            100.0 * tally.throughput / floor
        }
        Figure::P95Latency => tally.p95_latency_secs,
        Figure::QualityPerSat => tally.quality_per_sat,
        Figure::Quality => tally.quality,
        Figure::Imbalance => tally.imbalance,
    }
}

/// The sizes that were simulated, smallest first.
pub fn sizes(all: &[Measured]) -> Vec<usize> {
    let mut sizes: Vec<usize> = all.iter().map(|one| one.setting.providers).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// One Markdown table per size, and the default against least-loaded per mix.
pub fn tables(all: &[Measured]) -> String {
    let mut text = String::new();
    for providers in sizes(all) {
        // Writing into a String cannot fail, here and below.
        let _ = write!(
            text,
            "\nSimulated, {providers} providers, mean of {} mixes: median (lowest to highest) over the worlds\n\n| routing |",
            MIXES.len()
        );
        text.extend(Figure::ALL.map(|figure| format!(" {} |", figure.name())));
        text += "\n| --- |";
        text.extend(Figure::ALL.map(|_| " --- |"));
        text += "\n";
        for policy in Policy::ALL {
            let _ = write!(text, "| {} |", policy.name());
            for figure in Figure::ALL {
                let Band { median, low, high } = band(all, providers, policy, figure, None);
                let digits = if figure == Figure::Throughput || figure == Figure::P95Latency { 1 } else { 3 };
                let _ = write!(text, " {median:.digits$} ({low:.digits$} to {high:.digits$}) |");
            }
            text += "\n";
        }
    }
    text + &by_mix(all)
}

/// Quality per sat and throughput against least-loaded, mix by mix.
fn by_mix(all: &[Measured]) -> String {
    let mut text = "\nQuality per sat as a multiple of least-loaded's · throughput in % of it, medians\n\n| providers | mix |"
        .to_owned();
    let learners = [Policy::QTable, Policy::Linear, Policy::ThriftyQTable, Policy::ThriftyLinear];
    text.extend(learners.map(|policy| format!(" {} |", policy.name())));
    text += "\n| --- | --- | --- | --- | --- | --- |\n";
    for providers in sizes(all) {
        for (mix, name) in MIXES.iter().enumerate() {
            let _ = write!(text, "| {providers} | {name} |");
            let of = |policy, figure| band(all, providers, policy, figure, Some(mix)).median;
            for policy in learners {
                let better =
                    of(policy, Figure::QualityPerSat) / of(Policy::LeastLoaded, Figure::QualityPerSat);
                let _ = write!(text, " {better:.2} · {:.1} |", of(policy, Figure::Throughput));
            }
            text += "\n";
        }
    }
    text
}

/// One run in a file.
#[derive(Debug, Serialize)]
pub struct Row<'a> {
    routing: &'static str,
    providers: usize,
    mix: &'static str,
    tasks: usize,
    seed: u64,
    #[serde(flatten)]
    tally: &'a Tally,
}

/// All runs, in the order in which they were asked for.
pub fn rows(all: &[Measured]) -> Vec<Row<'_>> {
    all.iter()
        .map(|one| Row {
            routing: one.policy.name(),
            providers: one.setting.providers,
            mix: MIXES[one.setting.mix],
            tasks: one.setting.tasks,
            seed: one.setting.seed,
            tally: &one.tally,
        })
        .collect()
}
