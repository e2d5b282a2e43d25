//! Who reads a part, and what becomes of the answer: code checks, merging.

use std::cell::Cell;

use frlm_inference::tokens::estimate_tokens;
use frlm_verifier::claims::merge::{Group, compare};
use frlm_verifier::claims::{Answer, Claim, LineRange, Relation, Standing, Stated, check, merge};

use super::documents;
use super::people::{Truth, read};
use super::world::{CLIQUES_TOPIC, Open, State};

/// Tokens of asking whether two claims state the same, without the claims.
const QUESTION_TOKENS: usize = 120;

impl State<'_> {
    pub fn read_part(&mut self, part: usize, open: &mut Vec<Open>) {
        // A swarm of newcomers must begin; a fifth of newcomers reads a tenth.
        let new = self.providers.iter().filter(|provider| provider.is_new()).count() as f64;
        let wants_new = self.draws.chance(self.policy.newcomers_read * new / self.providers.len() as f64);
        let Some(first) = self.choose_reader(&[], wants_new) else { return };
        let mut stated = self.read_by(part, first);
        if self.draws.chance(self.policy.read_twice)
            && let Some(second) = self.choose_reader(&[first], false)
        {
            let other = self.read_by(part, second);
            stated = self.merged(stated, other);
        }
        open.extend(stated);
    }

    /// Whether so much of a part fell that somebody else is to read it.
    pub fn should_read_again(&self, part: usize, open: &[Open]) -> bool {
        let of_part: Vec<&Open> = open.iter().filter(|claim| claim.part == part).collect();
        let by_code = self.tally.fell_to_code_in_run.get(&part).copied().unwrap_or(0);
        let fell = by_code + of_part.iter().filter(|claim| !claim.is_accepted()).count();
        fell >= 2 && fell as f64 >= self.policy.reads_again_at * (of_part.len() + by_code) as f64
    }

    /// Another reading; what the first one had accepted is not reviewed again.
    pub fn read_again(&mut self, part: usize, open: &[Open], fresh: &mut Vec<Open>) {
        let before: Vec<usize> =
            open.iter().filter(|claim| claim.part == part).map(|claim| claim.reader).collect();
        let Some(reader) = self.choose_reader(&before, false) else { return };
        let stated = self.read_by(part, reader);
        let known: Vec<&Open> =
            open.iter().filter(|claim| claim.part == part && claim.is_accepted()).collect();
        for claim in stated {
            let mut is_known = false;
            for before in known.iter().filter(|before| before.claim.overlaps(&claim.claim)) {
                is_known |= match compare(&before.claim, &claim.claim) {
                    Relation::Same => true,
                    Relation::Similar => {
                        self.tally.tokens += question_tokens(&before.claim, &claim.claim) as f64;
                        says_same(&before.truth, &claim.truth)
                    }
                    Relation::Conflict(_) | Relation::Apart => false,
                };
            }
            if !is_known {
                fresh.push(claim);
            }
        }
    }

    fn choose_reader(&mut self, not: &[usize], wants_new: bool) -> Option<usize> {
        let of = |new: bool, state: &Self| -> Vec<usize> {
            let fits = |at: &usize| {
                let provider = &state.providers[*at];
                provider.is_new() == new
                    && provider.record.standing() != Standing::Excluded
                    && !not.contains(at)
            };
            (0..state.providers.len()).filter(fits).collect()
        };
        let mut fits = of(wants_new, self);
        if fits.is_empty() {
            fits = of(!wants_new, self);
        }
        self.draws.pick(&fits).copied()
    }

    /// What a reader states, as its JSON answer says it, after the code checks.
    fn read_by(&mut self, part: usize, reader: usize) -> Vec<Open> {
        let stated = read(
            &self.providers[reader],
            &self.parts[part],
            CLIQUES_TOPIC,
            self.world.lies_hard,
            &mut self.draws,
        );
        let entries: Vec<(&str, LineRange)> =
            stated.iter().map(|(claim, _)| (claim.text.as_str(), claim.quotes[0].lines)).collect();
        let answer = documents::answer(&entries);
        self.tally.tokens += (self.parts[part].prompt_tokens + estimate_tokens(&answer)) as f64;
        let mut open = Vec::new();
        for claim in Answer::parse(&answer).claims {
            let Some((_, truth)) = stated.iter().find(|(told, _)| *told == claim) else { continue };
            self.tally.count_stated(truth.is_false);
            let Ok(claim) = check(&claim, &self.parts[part].text) else {
                self.tally.count_code(truth.is_false, part);
                self.providers[reader].record.observe(1.0);
                continue;
            };
            open.push(Open {
                claim,
                truth: *truth,
                part,
                reader,
                others: Vec::new(),
                reviews: Vec::new(),
                decision: None,
            });
        }
        open
    }

    /// Claims of two readers: what states one fact is reviewed once.
    fn merged(&mut self, first: Vec<Open>, second: Vec<Open>) -> Vec<Open> {
        let all: Vec<Open> = first.into_iter().chain(second).collect();
        let stated: Vec<Stated> = all
            .iter()
            .map(|open| Stated {
                claim: open.claim.clone(),
                reader: self.providers[open.reader].name.clone(),
            })
            .collect();
        let asked = Cell::new(0_usize);
        let said = |left: &Claim, right: &Claim| {
            asked.set(asked.get() + question_tokens(left, right));
            let truth = |claim: &Claim| all.iter().find(|open| open.claim == *claim).map(|open| &open.truth);
            Some(says_same(truth(left)?, truth(right)?))
        };
        let groups = merge(&stated, &said).groups;
        self.tally.tokens += asked.get() as f64;
        let kept = |group: Group| {
            let open = &all[group.wording];
            let readers = group.members.iter().map(|&at| all[at].reader);
            Open {
                claim: open.claim.clone(),
                truth: open.truth,
                part: open.part,
                reader: open.reader,
                others: readers.filter(|reader| *reader != open.reader).collect(),
                reviews: Vec::new(),
                decision: None,
            }
        };
        groups.into_iter().map(kept).collect()
    }
}

/// What a model says that is asked about two claims in both directions: it is taken to be right.
fn says_same(left: &Truth, right: &Truth) -> bool {
    left.fact.is_some() && left.fact == right.fact && !left.is_false && !right.is_false
}

fn question_tokens(left: &Claim, right: &Claim) -> usize {
    estimate_tokens(&left.text) + estimate_tokens(&right.text) + QUESTION_TOKENS
}
