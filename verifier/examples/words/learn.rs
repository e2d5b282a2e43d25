//! What is learned from settled claims: records, reviewers' matrices, gold.

use frlm_verifier::claims::gold::{self, Change, Gold};
use frlm_verifier::claims::posterior::p_false;
use frlm_verifier::claims::{Decision, Verdict};

use super::people::{Kind, Truth};
use super::world::{CLIQUES_TOPIC, Open, State};

const GOLD_KEPT: usize = 400;
/// P(false) below which a claim is gold as it is.
const SURE: f64 = 0.004;

impl State<'_> {
    pub fn take_gold(&mut self, reviewer: usize) -> Option<(Gold, Truth, usize)> {
        let is_false = self.draws.chance(0.5);
        let gold = self.gold.take(is_false, &self.providers[reviewer].name, &mut self.draws)?;
        let (truth, part) = *self.gold_truth.get(&gold.id)?;
        Some((gold, truth, part))
    }

    pub fn judge_by_gold(&mut self, reviewer: usize, gold: &Gold, verdict: Verdict) {
        let is_false = gold.change.is_false();
        let provider = &mut self.providers[reviewer];
        let was_stamp = provider.stamp.is_stamp();
        provider.reviewed += 1;
        provider.stamp.observe(is_false, verdict, &self.family[provider.family]);
        provider.window.observe(is_false, verdict);
        let weight = f64::from(u8::from(is_false));
        provider.confusion.observe(weight, verdict);
        self.family[provider.family].observe(weight, verdict);
        self.gold.settle(&gold.id);
        if provider.stamp.is_stamp() && !was_stamp {
            let is_one = matches!(provider.kind, Kind::Stamp | Kind::Liar);
            let after = provider.reviewed;
            if is_one { self.tally.stamps.push(after) } else { self.tally.honest_stamps += 1 }
        }
    }

    /// Records learn from what was settled by others, and verified claims become gold.
    pub fn settle(&mut self, open: &[Open]) {
        for claim in open {
            let Some(decision) = &claim.decision else { continue };
            let evidence = self.evidence(claim);
            let doubt = p_false(&evidence);
            let is_reviewed = !claim.reviews.is_empty();
            let settled = matches!(decision, Decision::Accepted { .. } | Decision::Rejected { .. });
            if is_reviewed && settled {
                for reader in std::iter::once(claim.reader).chain(claim.others.iter().copied()) {
                    self.providers[reader].record.observe(doubt);
                }
            }
            for (at, (reviewer, given)) in claim.reviews.iter().enumerate() {
                let mut without = evidence.clone();
                without.reviews.remove(at);
                if without.reviews.is_empty() {
                    continue;
                }
                let others = p_false(&without);
                // What the others leave open teaches nothing.
                if !(0.05..0.95).contains(&others) {
                    self.providers[*reviewer].confusion.observe(others, given.verdict);
                }
            }
            let on_topic = self.world.clique > 0.0 && claim.truth.topic == Some(CLIQUES_TOPIC);
            self.tally.count_decision(decision, &claim.truth, claim.others.len() + 1, on_topic, claim.part);
            self.make_gold(claim, decision, doubt);
        }
        self.tally.end_run();
    }

    fn make_gold(&mut self, claim: &Open, decision: &Decision, doubt: f64) {
        if self.gold.len() >= GOLD_KEPT {
            return;
        }
        let part = &self.parts[claim.part];
        let change = match decision {
            // What was changed is false even if it was before.
            Decision::Accepted { .. } if self.draws.chance(0.5) => {
                Change::FALSE[self.draws.below(Change::FALSE.len())]
            }
            Decision::Accepted { p_false } if *p_false < SURE => Change::Unchanged,
            Decision::Rejected { .. } if doubt > 0.9 && claim.reviews.len() > 1 => Change::FoundFalse,
            _ => return,
        };
        let Some(gold) = gold::make(&claim.claim, &part.text, change, self.draws.bits()) else { return };
        // What the code did not know: whether the verified claim was true after all.
        let truth = Truth {
            is_false: if change.is_false() {
                change != Change::FoundFalse || claim.truth.is_false
            } else {
                claim.truth.is_false
            },
            is_cliques: claim.truth.is_cliques && (!change.is_false() || change == Change::FoundFalse),
            family_draws: std::array::from_fn(|_| self.draws.share()),
            ..claim.truth
        };
        let id = gold.id.clone();
        let known_to = std::iter::once(claim.reader)
            .chain(claim.others.iter().copied())
            .chain(claim.reviews.iter().map(|(reviewer, _)| *reviewer))
            .map(|at| self.providers[at].name.clone())
            .collect();
        if self.gold.add(gold, known_to) {
            self.gold_truth.insert(id, (truth, claim.part));
        }
    }
}
