//! The whole picture, now and then: reliabilities by Dawid–Skene, error rates by weights.

use std::collections::{BTreeMap, HashMap};

use super::super::evidence::TaskClass;
use super::super::record::Record;
use super::super::sequential::SequentialTest;
use super::super::votes::{Item, dawid_skene};
use super::{Member, Reputation};

/// Comparisons after which everybody is estimated again.
pub(super) const RELEARN_AFTER: u32 = 256;
/// Votes that are remembered.
const MOST_VOTES: usize = 20_000;
/// Rounds of expectation–maximisation.
const ROUNDS: usize = 8;
/// A record is replaced by what Dawid–Skene says if the two differ by more than this share of wrong
/// answers: early on, who is right depends on whom one happened to ask first.
const DIFFERS: f64 = 0.15;
/// … and Dawid–Skene has seen at least so many answers.
const LEAST_SEEN: f64 = 8.0;
/// More than this share of wrong answers, beyond the model's own, bears an exclusion out.
const STILL_BAD: f64 = 0.15;

/// A model's error rate before anything measured it, and how many checks that weighs.
pub(in crate::trust) const PRIOR_ERROR_RATE: f64 = 0.02;
pub(in crate::trust) const PRIOR_CHECKS: f64 = 40.0;
/// How many checks the word of all who run the same weights weighs at most.
const MOST_RUNNERS_CHECKS: f64 = 400.0;
/// Of those who run the same weights, sorted by errors, the one at a third shows the model's own rate:
/// up to half of them may lie, and liars err more.
const HONEST_FRACTION: usize = 3;

impl Reputation {
    /// How often the weights that a provider claims are wrong: by gold tasks, and by what those who run
    /// them show when their answers are compared.
    pub fn error_rate(&self, member: Member) -> f64 {
        let weights = self.states[member.at()].traits.weights_hash.as_ref();
        weights.and_then(|weights| self.error_rates.get(weights)).copied().unwrap_or(PRIOR_ERROR_RATE)
    }

    /// Keeps a comparison for [`Reputation::relearn`].
    pub(super) fn remember(
        &mut self,
        class: &TaskClass,
        groups: &[Vec<Member>],
        accepted: Option<usize>,
        audited: bool,
    ) {
        if self.votes.len() >= MOST_VOTES {
            // The older half goes; a ring would make every relearning read it in two parts.
            self.votes.drain(..MOST_VOTES / 2);
        }
        let small = |at: usize| u8::try_from(at).ok();
        let votes = groups
            .iter()
            .enumerate()
            .flat_map(|(at, group)| group.iter().map(move |member| (member.0, at)))
            .filter_map(|(member, at)| Some((member, small(at)?)))
            .collect();
        let truth = audited.then(|| accepted.and_then(small));
        let groups = small(groups.len()).unwrap_or(u8::MAX);
        self.votes.push((class.clone(), Item { votes, groups, truth }));
    }

    /// Estimates everybody's reliability again from all remembered comparisons (Dawid–Skene). Records
    /// that the whole picture contradicts are replaced; exclusions that it does not bear out are taken
    /// back. Returns who is back.
    pub fn relearn(&mut self) -> Vec<Member> {
        self.unlearned = 0;
        self.measure_error_rates();
        let (overall, mut classes) = self.estimate();
        let mut back = Vec::new();
        for (at, relearned) in overall.into_iter().enumerate() {
            let error_rate = self.error_rate(Member::of(at));
            let state = &mut self.states[at];
            if state.proven_lie || relearned.checks() < LEAST_SEEN {
                continue;
            }
            let differs = (relearned.wrong_share() - state.overall.wrong_share()).abs() > DIFFERS;
            // Answers that are right take nobody back who gave nothing to audit them by.
            let cleared = state.excluded
                && !state.audits.hiding.is_lost()
                && relearned.wrong_share() <= error_rate + STILL_BAD;
            if differs || cleared {
                state.overall = relearned;
                for (class, record) in &mut state.classes {
                    if let Some(relearned) = classes[at].remove(class) {
                        *record = relearned;
                    }
                }
            }
            if cleared {
                // The test begins again: it was lost against answers that were not the truth.
                state.excluded = false;
                state.overall.test = SequentialTest::default();
                state.classes.values_mut().for_each(|record| record.test = SequentialTest::default());
                back.push(Member::of(at));
            }
        }
        back
    }

    /// Everybody's record as Dawid–Skene sees it: in all, and by class.
    fn estimate(&self) -> (Vec<Record>, Vec<HashMap<TaskClass, Record>>) {
        // In an order of its own: records remember what they saw last.
        let mut by_class: BTreeMap<&TaskClass, Vec<&Item>> = BTreeMap::new();
        for (class, item) in &self.votes {
            by_class.entry(class).or_default().push(item);
        }
        let mut overall = vec![Record::default(); self.states.len()];
        let mut classes: Vec<HashMap<TaskClass, Record>> = vec![HashMap::new(); self.states.len()];
        for (class, items) in by_class {
            let estimate = dawid_skene(&items, self.states.len(), ROUNDS);
            for (item, truth) in items.iter().zip(&estimate.truths) {
                for &(member, group) in &item.votes {
                    let right = truth.get(usize::from(group)).copied().unwrap_or(0.0);
                    let (verdict, weight) = (right >= 0.5, (2.0 * right - 1.0).abs());
                    let rate = self.error_rate(Member(member));
                    let at = member as usize;
                    if let (Some(overall), Some(classes)) = (overall.get_mut(at), classes.get_mut(at)) {
                        overall.observe(verdict, weight, rate);
                        classes.entry(class.clone()).or_default().observe(verdict, weight, rate);
                    }
                }
            }
        }
        (overall, classes)
    }

    fn measure_error_rates(&mut self) {
        #[derive(Default)]
        struct Runners {
            gold_right: f64,
            gold_wrong: f64,
            checks: f64,
            shares: Vec<f64>,
        }
        let mut by_weights: HashMap<&String, Runners> = HashMap::new();
        for state in self.states.iter().filter(|state| !state.proven_lie) {
            let Some(weights) = &state.traits.weights_hash else { continue };
            let runners = by_weights.entry(weights).or_default();
            if !state.excluded {
                runners.gold_right += state.gold_right;
                runners.gold_wrong += state.gold_wrong;
            }
            if state.overall.checks() >= LEAST_SEEN {
                runners.checks += state.overall.checks();
                runners.shares.push(state.overall.wrong_share());
            }
        }
        let measured = by_weights.into_iter().map(|(weights, mut runners)| {
            runners.shares.sort_by(f64::total_cmp);
            let at = runners.shares.len() / HONEST_FRACTION;
            let (share, checks) = runners
                .shares
                .get(at)
                .map_or((0.0, 0.0), |share| (*share, runners.checks.min(MOST_RUNNERS_CHECKS)));
            let wrong = PRIOR_ERROR_RATE * PRIOR_CHECKS + runners.gold_wrong + share * checks;
            let all = PRIOR_CHECKS + runners.gold_right + runners.gold_wrong + checks;
            (weights.clone(), (wrong / all).clamp(0.005, 0.15))
        });
        self.error_rates = measured.collect();
    }
}
