//! The policy at work: readings, code checks, merging, reviews with gold among them, records. It decides by the modules of
//! `frlm_verifier::claims` alone and never sees what is true; that is kept beside it for the report.

use std::collections::BTreeMap;

use frlm_verifier::claims::draws::Draws;
use frlm_verifier::claims::gold::Pool;
use frlm_verifier::claims::prompt::{self, MOST_REVIEWED, Shown};
use frlm_verifier::claims::{
    Answer, Candidate, Claim, Confusion, Decision, Evidence, Review, Rules, Standing, Stated, check, decide,
    merge,
};

use crate::documents::{FENCE, Part, tokens_of};
use crate::people::{FAMILIES, Kind, Provider, Rates, Truth, read, review};
use crate::report::Tally;

/// What the asker chooses.
#[derive(Debug, Clone, Copy)]
pub struct Policy {
    pub rules: Rules,
    /// Share of parts that newcomers read.
    pub newcomers_read: f64,
    /// Share of parts that are read twice.
    pub read_twice: f64,
    /// Share of gold among the claims of a newcomer, and of others.
    pub gold: [f64; 2],
    /// Whether a part is read again whose reader was excluded for it.
    pub reads_again: bool,
}

/// The world that the policy is in.
#[derive(Debug, Clone, Copy)]
pub struct World {
    pub rates: Rates,
    pub tokens: usize,
    pub facts: usize,
    /// Shares of providers.
    pub liars: f64,
    pub clique: f64,
    pub stamps: f64,
    /// Whether liars tell only lies that are hard to see.
    pub lies_hard: bool,
}

const PROVIDERS: usize = 40;
/// A fifth of them are new at any time.
const NEW: usize = 8;
/// Parts of one question.
const RUN: usize = 12;
const PARTS: usize = 144;
/// The topic on which the clique lies.
pub const CLIQUES_TOPIC: usize = 0;
/// Providers among whom the next reviewer is chosen, drawn at random for each run.
const DRAWN: usize = 6;

/// The world with what the asker knows of it.
pub struct State<'a> {
    pub world: &'a World,
    policy: &'a Policy,
    pub draws: Draws,
    pub parts: Vec<Part>,
    pub providers: Vec<Provider>,
    born: usize,
    pub family: [Confusion; 4],
    pub gold: Pool,
    pub gold_truth: BTreeMap<String, (Truth, usize)>,
    pub tally: Tally,
}

/// One claim of a run on its way.
pub struct Open {
    pub claim: Claim,
    pub truth: Truth,
    pub part: usize,
    pub reader: usize,
    /// Other readers that state it.
    pub others: Vec<usize>,
    pub reviews: Vec<(usize, Review)>,
    pub decision: Option<Decision>,
}

/// Runs the world until so many claims were stated after the warm-up.
pub fn simulate(world: &World, policy: &Policy, warm_up: usize, claims: usize, seed: u64) -> Tally {
    let mut draws = Draws::new(seed, "world of words");
    let parts = (0..PARTS).map(|_| Part::write(&mut draws, world.tokens, world.facts)).collect();
    let assumed = Confusion::assumed(world.rates.pass, world.rates.catch(), 20.0);
    let mut state = State {
        world,
        policy,
        draws,
        parts,
        providers: Vec::new(),
        born: 0,
        family: [assumed; 4],
        gold: Pool::default(),
        gold_truth: BTreeMap::new(),
        tally: Tally::default(),
    };
    for _ in 0..PROVIDERS {
        state.add_provider();
    }
    let mut warm = false;
    loop {
        let wanted = if warm { claims } else { warm_up };
        if state.tally.stated() >= wanted && warm {
            break;
        }
        state.run();
        if !warm && state.tally.stated() >= warm_up {
            warm = true;
            state.tally.forget_warm_up();
        }
    }
    state.tally
}

impl State<'_> {
    fn add_provider(&mut self) {
        let draw = self.draws.share();
        let World { liars, clique, stamps, .. } = *self.world;
        let kind = if draw < liars {
            Kind::Liar
        } else if draw < liars + clique {
            Kind::Clique
        } else if draw < liars + clique + stamps {
            Kind::Stamp
        } else {
            Kind::Honest
        };
        let family = self.born % FAMILIES.len();
        self.providers.push(Provider::new(format!("provider {}", self.born), family, kind));
        self.born += 1;
    }

    /// Somebody leaves for each excluded provider and for each newcomer that has made a name.
    fn renew(&mut self) {
        let excluded = |provider: &Provider| provider.record.standing() == Standing::Excluded;
        self.providers.retain(|provider| !excluded(provider));
        while self.providers.iter().filter(|provider| is_new(provider)).count() < NEW
            || self.providers.len() < PROVIDERS
        {
            if self.providers.len() >= PROVIDERS {
                let oldest = self.providers.iter().position(|provider| !is_new(provider)).unwrap_or(0);
                self.providers.remove(oldest);
            }
            self.add_provider();
        }
    }

    fn choose_reader(&mut self, not: &[usize]) -> Option<usize> {
        let wants_new = self.draws.chance(self.policy.newcomers_read);
        let of = |new: bool, state: &Self| -> Vec<usize> {
            let fits = |at: &usize| {
                let provider = &state.providers[*at];
                is_new(provider) == new
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

    /// One question over twelve parts.
    fn run(&mut self) {
        self.renew();
        let mut open = Vec::new();
        let mut parts: Vec<usize> = (0..self.parts.len()).collect();
        self.draws.shuffle(&mut parts);
        for part in parts.into_iter().take(RUN) {
            self.tally.one_reading +=
                (self.parts[part].prompt_tokens + self.parts[part].facts.len() * 45) as f64;
            self.tally.facts += self.parts[part].facts.len();
            self.read_part(part, &mut open);
        }
        self.review(&mut open);
        if self.policy.reads_again {
            let excluded =
                |at: usize, state: &Self| state.providers[at].record.standing() == Standing::Excluded;
            let mut again: Vec<usize> =
                open.iter().filter(|claim| excluded(claim.reader, self)).map(|claim| claim.part).collect();
            again.sort_unstable();
            again.dedup();
            let mut fresh = Vec::new();
            for part in again {
                let Some(reader) = self.choose_reader(&[]) else { continue };
                let stated = self.read_by(part, reader);
                fresh.extend(stated);
            }
            self.review(&mut fresh);
            // What an excluded reader stated is believed no longer on its record.
            for claim in &mut open {
                let on_record = matches!(claim.decision, Some(Decision::AcceptedOnRecord { .. }));
                if on_record && excluded(claim.reader, self) {
                    claim.decision = Some(Decision::Rejected { p_false: 1.0 });
                }
            }
            open.extend(fresh);
        }
        self.settle(&open);
    }

    fn read_part(&mut self, part: usize, open: &mut Vec<Open>) {
        let Some(first) = self.choose_reader(&[]) else { return };
        let mut stated = self.read_by(part, first);
        if self.draws.chance(self.policy.read_twice)
            && let Some(second) = self.choose_reader(&[first])
        {
            let other = self.read_by(part, second);
            stated = self.merged(stated, other);
        }
        open.extend(stated);
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
        let entries: Vec<serde_json::Value> = stated
            .iter()
            .map(|(claim, _)| {
                let lines: Vec<[u32; 2]> =
                    claim.quotes.iter().map(|quote| [quote.lines.first(), quote.lines.last()]).collect();
                serde_json::json!({"lines": lines, "claim": claim.text})
            })
            .collect();
        let answer = serde_json::json!({ "claims": entries }).to_string();
        self.tally.tokens += (self.parts[part].prompt_tokens + tokens_of(&answer)) as f64;
        let mut open = Vec::new();
        for claim in Answer::parse(&answer).claims {
            let Some((_, truth)) = stated.iter().find(|(told, _)| told.text == claim.text) else { continue };
            self.tally.count_stated(truth.is_false);
            match check(&claim, &self.parts[part].text) {
                Ok(claim) => {
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
                Err(_) => {
                    self.tally.count_code(truth.is_false);
                    self.providers[reader].record.observe(1.0);
                }
            }
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
        let fact_of: BTreeMap<&str, (Option<usize>, bool)> = all
            .iter()
            .map(|open| (open.claim.text.as_str(), (open.truth.fact, open.truth.is_false)))
            .collect();
        let asked = std::cell::Cell::new(0_usize);
        let said = |left: &Claim, right: &Claim| {
            asked.set(asked.get() + tokens_of(&left.text) + tokens_of(&right.text) + 120);
            let (one, other) = (fact_of.get(left.text.as_str())?, fact_of.get(right.text.as_str())?);
            Some(one.0.is_some() && one == other && !one.1)
        };
        let groups = merge(&stated, &said).groups;
        self.tally.tokens += asked.get() as f64;
        let mut kept = Vec::new();
        for group in groups {
            let readers: Vec<usize> = group.members.iter().map(|&at| all[at].reader).collect();
            let open = &all[group.wording];
            let open = Open {
                claim: open.claim.clone(),
                truth: open.truth,
                part: open.part,
                reader: open.reader,
                others: readers.into_iter().filter(|reader| *reader != open.reader).collect(),
                reviews: Vec::new(),
                decision: None,
            };
            kept.push(open);
        }
        kept
    }

    /// Rounds of reviews until every claim is decided.
    fn review(&mut self, open: &mut [Open]) {
        for _ in 0..=self.policy.rules.most_reviews {
            let drawn = self.drawn();
            let mut wanted: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            for (at, claim) in open.iter_mut().enumerate() {
                if !matches!(claim.decision, None | Some(Decision::Ask(_))) {
                    continue;
                }
                let candidates: Vec<(usize, Candidate)> = drawn
                    .iter()
                    .filter(|provider| **provider != claim.reader && !claim.others.contains(provider))
                    .map(|&provider| (provider, self.candidate(provider)))
                    .collect();
                let evidence = self.evidence(claim);
                let list: Vec<Candidate> =
                    candidates.iter().map(|(_, candidate)| candidate.clone()).collect();
                let decision = decide(&evidence, &self.policy.rules, &list, u64::MAX);
                if let Decision::Ask(best) = decision {
                    wanted.entry(candidates[best].0).or_default().push(at);
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

    fn drawn(&mut self) -> Vec<usize> {
        let fits = |provider: &Provider| {
            provider.record.standing() != Standing::Excluded && !provider.stamp.is_stamp()
        };
        let mut new: Vec<usize> = Vec::new();
        let mut known: Vec<usize> = Vec::new();
        for (at, provider) in self.providers.iter().enumerate().filter(|(_, provider)| fits(provider)) {
            if is_new(provider) { new.push(at) } else { known.push(at) }
        }
        self.draws.shuffle(&mut new);
        self.draws.shuffle(&mut known);
        // One newcomer among several at most; where nobody is known, nobody is left but newcomers.
        let newcomers = if known.len() < 3 {
            DRAWN
        } else {
            usize::from(self.draws.chance(self.policy.newcomers_read * 3.0))
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
            is_newcomer: is_new(provider),
        }
    }

    pub fn evidence(&self, claim: &Open) -> Evidence {
        let reader = &self.providers[claim.reader];
        // Only a cleared reader's word adds to another's: newcomers may be one person.
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
        let share = self.policy.gold[usize::from(!is_new_reviewer(&self.providers[reviewer]))];
        let mut waiting = claims.to_vec();
        while !waiting.is_empty() {
            let expected = share * MOST_REVIEWED as f64;
            let gold = if self.draws.chance(expected) { self.take_gold() } else { None };
            let room = MOST_REVIEWED - usize::from(gold.is_some());
            let batch: Vec<usize> = waiting.drain(..room.min(waiting.len())).collect();
            let mut shown: Vec<Shown<'_>> = batch
                .iter()
                .map(|&at| {
                    let part = &self.parts[open[at].part];
                    Shown { claim: &open[at].claim, text: &part.text, part: part.place() }
                })
                .collect();
            if let Some((gold, _, part)) = &gold {
                let part = &self.parts[*part];
                shown.push(Shown { claim: &gold.claim, text: &part.text, part: part.place() });
            }
            let prompt = prompt::review(&shown, FENCE).map_or(0, |prompt| tokens_of(&prompt));
            let answered = shown.len();
            self.tally.tokens += (prompt + 6 + 4 * answered) as f64;
            self.tally.reviews += batch.len();
            self.tally.gold += answered - batch.len();
            for at in batch {
                let verdict = review(
                    &self.providers[reviewer],
                    &open[at].truth,
                    &self.world.rates,
                    CLIQUES_TOPIC,
                    &mut self.draws,
                );
                let Candidate { reviewer: name, family, confusion, .. } = self.candidate(reviewer);
                open[at].reviews.push((reviewer, Review { reviewer: name, family, verdict, confusion }));
                self.providers[reviewer].reviewed += 1;
            }
            if let Some((gold, truth, _)) = gold {
                let verdict = review(
                    &self.providers[reviewer],
                    &truth,
                    &self.world.rates,
                    CLIQUES_TOPIC,
                    &mut self.draws,
                );
                self.judge_by_gold(reviewer, &gold, verdict);
            }
        }
    }
}

fn is_new(provider: &Provider) -> bool {
    provider.record.standing() != Standing::Cleared
}

fn is_new_reviewer(provider: &Provider) -> bool {
    provider.stamp.gold() < 8.0
}
