//! Parts that are not read again: earlier runs verified the same claims.

use std::collections::BTreeSet;

use frlm_conductor::claim_cache::{ClaimCache, Found, Strength, look_up, planned};
use frlm_questions::plan::Subtask;

use super::super::Prepared;

/// What is not read again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reused {
    /// Parts.
    pub parts: usize,
    /// Their claims.
    pub claims: usize,
    /// What those had cost, in sats.
    pub sats: u64,
}

impl Reused {
    /// For people, a line; nothing where everything is read.
    pub(super) fn in_words(self) -> String {
        let Self { parts, claims, sats } = self;
        if parts == 0 {
            return String::new();
        }
        format!(
            "Reused      {parts} more parts with {claims} claims that earlier runs verified for {sats} sats: they are \
             neither sent nor paid again (--fresh)\n"
        )
    }
}

/// The subtasks without those that earlier runs verified, and how many of the rest are asked first. A file that cannot be
/// read is the run's to speak of.
pub(super) async fn without_reused(
    subtasks: Vec<Subtask>,
    first: usize,
    prepared: &Prepared,
    reusable: Option<ClaimCache>,
) -> anyhow::Result<(Vec<Subtask>, usize, Reused)> {
    let strength = Strength::of(&prepared.policy.verification, prepared.policy.level);
    let (Some(cache), Some(strength), None) = (reusable, strength, &prepared.request.program) else {
        return Ok((subtasks, first, Reused::default()));
    };
    let planned = planned(&subtasks, &prepared.request.question, |_| true);
    let found = tokio::task::spawn_blocking(move || look_up(&cache, &planned, strength)).await?;
    let (found, _) = found.unwrap_or_default();
    let sum = |reused: Reused, found: &Found| Reused {
        parts: reused.parts + 1,
        claims: reused.claims + found.claims,
        sats: reused.sats.saturating_add(found.sats),
    };
    let reused = found.iter().fold(Reused::default(), sum);
    let places: BTreeSet<usize> = found.iter().map(|found| found.at).collect();
    let left =
        subtasks.into_iter().enumerate().filter(|(at, _)| !places.contains(at)).map(|(_, subtask)| subtask);
    Ok((left.collect(), first - places.range(..first).count(), reused))
}
