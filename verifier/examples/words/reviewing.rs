//! Who reviews a claim, in rounds until every claim is decided, with gold among the claims.

use std::collections::BTreeMap;

use frlm_inference::tokens::estimate_tokens;
use frlm_verifier::claims::prompt::{self, MOST_REVIEWED, Shown};
use frlm_verifier::claims::{Candidate, Decision, Evidence, Review, Standing, Verdict, decide};

use super::documents::FENCE;
use super::people::{FAMILIES, Provider, Truth, review};
use super::world::{CLIQUES_TOPIC, Open, State};

/// Providers among whom the next reviewer is chosen, drawn at random for each round.
const DRAWN: usize = 12;

impl State<'_> {
    /// Rounds of reviews until every claim is decided.
    pub fn review(&mut self, open: &mut [Open]) {
        for _ in 0..=self.policy.rules.most_reviews {
            let drawn = self.drawn();
            let mut wanted: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            for (at, claim) in open.iter_mut().enumerate() {
                if !matches!(claim.decision, None | Some(Decision::Ask(_))) {
                    continue;
                }
                let able: Vec<usize> =
                    drawn.iter().copied().filter(|&provider| !has_read(claim, provider)).collect();
                let candidates: Vec<Candidate> =
                    able.iter().map(|&provider| self.candidate(provider)).collect();
                let evidence = self.evidence(claim);
                let decision = decide(&evidence, &self.policy.rules, &candidates, u64::MAX);
                if let Decision::Ask(best) = decision {
                    wanted.entry(able[best]).or_default().push(at);
                }
                claim.decision = Some(decision);
            }
            if wanted.is_empty() {
                return;
            }
            for (reviewer, claims) in wanted {
                self.ask(reviewer, &claims, open);
            }
        }
    }

    /// One more reviewer for some accepted claims: what only one has seen teaches nothing about that one.
    pub fn audit(&mut self, open: &mut [Open]) {
        let drawn = self.drawn();
        let mut wanted: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, claim) in open.iter_mut().enumerate() {
            if !claim.is_accepted() || !self.draws.chance(self.policy.audited) {
                continue;
            }
            let has_reviewed =
                |provider: usize| claim.reviews.iter().any(|(reviewer, _)| *reviewer == provider);
            let able: Vec<usize> = drawn
                .iter()
                .copied()
                .filter(|&provider| !has_read(claim, provider) && !has_reviewed(provider))
                .collect();
            if let Some(reviewer) = self.draws.pick(&able) {
                wanted.entry(*reviewer).or_default().push(at);
                claim.decision = None;
            }
        }
        for (reviewer, claims) in wanted {
            self.ask(reviewer, &claims, open);
        }
        self.review(open);
    }

    fn drawn(&mut self) -> Vec<usize> {
        let (mut new, mut known) = (Vec::new(), Vec::new());
        for (at, provider) in self.providers.iter().enumerate() {
            if provider.record.standing() == Standing::Excluded || provider.stamp.is_stamp() {
                continue;
            }
            if provider.is_new() { new.push(at) } else { known.push(at) }
        }
        self.draws.shuffle(&mut new);
        self.draws.shuffle(&mut known);
        // Where nobody is known, nobody is left but newcomers.
        let newcomers = if known.len() < 3 {
            DRAWN
        } else {
            usize::from(self.draws.chance(self.policy.newcomers_review))
        };
        new.truncate(newcomers);
        known.truncate(DRAWN - new.len().min(DRAWN));
        new.into_iter().chain(known).collect()
    }

    fn candidate(&self, at: usize) -> Candidate {
        let provider = &self.providers[at];
        Candidate {
            reviewer: provider.name.clone(),
            family: FAMILIES[provider.family].to_owned(),
            confusion: provider.confusion.over(&self.family[provider.family]),
            price_msats: 1_000,
            is_newcomer: provider.is_new(),
        }
    }

    /// What is known of a claim. Only a cleared reader's word adds to another's: newcomers may be one person.
    pub fn evidence(&self, claim: &Open) -> Evidence {
        let reader = &self.providers[claim.reader];
        let others = claim.others.iter().map(|&at| &self.providers[at].record);
        let others = others
            .filter(|record| record.standing() == Standing::Cleared)
            .map(frlm_verifier::claims::ReaderRecord::p_false);
        Evidence {
            prior: others.fold(reader.record.p_false(), f64::min),
            family: FAMILIES[reader.family].to_owned(),
            failure: None,
            code_catches: 0.0,
            reviews: claim.reviews.iter().map(|(_, review)| review.clone()).collect(),
        }
    }

    /// Sends claims to a reviewer in batches, with gold among them.
    fn ask(&mut self, reviewer: usize, claims: &[usize], open: &mut [Open]) {
        let mut waiting = claims.to_vec();
        while !waiting.is_empty() {
            let batch = waiting.len().min(MOST_REVIEWED) as f64;
            let share = self.providers[reviewer].stamp.gold_share();
            let gold = if self.draws.chance(share * batch) { self.take_gold(reviewer) } else { None };
            let room = MOST_REVIEWED - usize::from(gold.is_some());
            let batch: Vec<usize> = waiting.drain(..room.min(waiting.len())).collect();
            let mut shown: Vec<Shown<'_>> = batch
                .iter()
                .map(|&at| {
                    let part = &self.parts[open[at].part];
                    Shown {
                        claim: &open[at].claim,
                        text: &part.text,
                        part: part.place(),
                        around: prompt::LINES_AROUND,
                    }
                })
                .collect();
            if let Some((gold, _, part)) = &gold {
                let part = &self.parts[*part];
                shown.push(Shown {
                    claim: &gold.claim,
                    text: &part.text,
                    part: part.place(),
                    around: prompt::LINES_AROUND,
                });
            }
            self.draws.shuffle(&mut shown);
            let prompt = prompt::review(&shown, FENCE).map_or(0, |prompt| estimate_tokens(&prompt));
            let answered = shown.len();
            // `{"verdicts": [...]}`, and four tokens for each.
            self.tally.tokens += (prompt + 8 + 4 * answered) as f64;
            self.tally.reviews += batch.len();
            self.tally.gold += answered - batch.len();
            for at in batch {
                let verdict = self.verdict(reviewer, &open[at].truth);
                let Candidate { reviewer: name, family, confusion, is_newcomer, .. } =
                    self.candidate(reviewer);
                open[at]
                    .reviews
                    .push((reviewer, Review { reviewer: name, family, verdict, confusion, is_newcomer }));
                self.providers[reviewer].reviewed += 1;
            }
            if let Some((gold, truth, _)) = gold {
                let verdict = self.verdict(reviewer, &truth);
                self.judge_by_gold(reviewer, &gold, verdict);
            }
        }
    }

    fn verdict(&mut self, reviewer: usize, truth: &Truth) -> Verdict {
        review(&self.providers[reviewer], truth, &self.world.rates, CLIQUES_TOPIC, &mut self.draws)
    }
}

impl Provider {
    /// Whether it has no record as a reader.
    pub fn is_new(&self) -> bool {
        self.record.standing() != Standing::Cleared
    }
}

fn has_read(claim: &Open, provider: usize) -> bool {
    claim.reader == provider || claim.others.contains(&provider)
}
