//! One question over twelve parts. What is asked for, who is believed, what gold is made of, who is asked no more and what
//! is paid is the product's book (`frlm_conductor::run::claims`); here stands who is drawn, and what they say.
//!
//! ```text
//!   parts, four at a time ─► reader drawn ─► answer ─► code checks ─► book ─► wanted reviews ─► reviewer drawn ─► verdicts
//!                                ▲                                     │                            ▲  └─ gold wrong ─┐
//!                                └── more fell than stands, or due ────┘ settled                    └─────────────────┘
//!                                    for a second reading
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap};

use frlm_conductor::run::claims::book::{Book, Came};
use frlm_conductor::run::claims::examination::Item;
use frlm_conductor::run::claims::outcome::{ClaimOutcome, Person, Settled, Wanted};
use frlm_conductor::run::claims::rules::RULES;
use frlm_conductor::swarm::ProviderId;
use frlm_inference::tokens::estimate_tokens;
use frlm_scheduler::{SPARE_ATTEMPTS, SubtaskId};
use frlm_verifier::claims::gold::Change;
use frlm_verifier::claims::prompt::{self, Shown};
use frlm_verifier::claims::{Answer, Claim, LineRange, Rules, Verdict, check};

use super::documents::{self, FENCE};
use super::people::{Kind, Truth, read, review};
use super::world::{CLIQUES_TOPIC, State};

/// Parts of one question.
const PARTS: usize = 12;
/// Parts that are read at the same time: gold is made of what was settled before.
const AT_ONCE: usize = 4;
/// Without reviews a claim stands as it was stated.
const UNREVIEWED: Rules = Rules { most_reviews: 0, ..RULES };
/// Known providers below which newcomers review, too.
const FEWEST_KNOWN: usize = 8;

/// A claim that a reader stated, with what is true of it.
struct Told {
    reading: SubtaskId,
    reader: ProviderId,
    part: usize,
    claim: Claim,
    truth: Truth,
    outcome: Option<ClaimOutcome>,
}

/// A reading, by anybody.
struct Reading {
    part: usize,
    /// Who may not read it (again).
    barred: BTreeSet<ProviderId>,
    failures: u32,
    /// Whether a reader was not believed, what stands of its claims is used, and somebody else reads the part.
    has_spare: bool,
}

/// A run.
struct Run<'s, 'a> {
    state: &'s mut State<'a>,
    book: Book,
    readings: BTreeMap<SubtaskId, Reading>,
    told: Vec<Told>,
    /// The part that gold is about.
    gold_about: HashMap<String, usize>,
    /// Who is asked no more.
    gone: BTreeSet<ProviderId>,
    /// Whether newcomers review.
    newcomers_review: bool,
    next: u32,
}

/// Runs one question, and teaches the home what the run saw.
pub fn run(state: &mut State<'_>) {
    let mut book = Book::new(state.policy.rules.unwrap_or(UNREVIEWED), state.draws.bits());
    book.recall(state.home.clone());
    let newcomers_review = state.draws.chance(state.policy.newcomers_review);
    let mut parts: Vec<usize> = (0..state.parts.len()).collect();
    state.draws.shuffle(&mut parts);
    parts.truncate(PARTS);
    let mut run = Run {
        state,
        book,
        readings: BTreeMap::new(),
        told: Vec::new(),
        gold_about: HashMap::new(),
        gone: BTreeSet::new(),
        newcomers_review,
        next: 0,
    };
    for wave in parts.chunks(AT_ONCE) {
        for &part in wave {
            run.read_part(part);
        }
        run.settle();
    }
    run.close();
}

impl Run<'_, '_> {
    fn read_part(&mut self, part: usize) {
        self.state.tally.one_reading += self.state.parts[part].reading_tokens;
        self.state.tally.parts += 1;
        self.state.tally.facts += self.state.parts[part].facts.len();
        let id = self.next_id();
        self.readings.insert(id, Reading { part, barred: BTreeSet::new(), failures: 0, has_spare: false });
        self.read(id);
    }

    /// Has parts read a second time that are due for that; whether there are any.
    fn read_again(&mut self) -> bool {
        let due = self.book.seconds.due();
        for first in &due {
            let here = self.here();
            let (Some(barred), Some(reading)) =
                (self.book.not_second(*first, &here), self.readings.get(first))
            else {
                continue;
            };
            let (part, second) = (reading.part, self.next_id());
            // It is tried once.
            let failures = SPARE_ATTEMPTS;
            self.readings.insert(second, Reading { part, barred, failures, has_spare: false });
            self.book.seconds.note(second, *first);
            self.state.tally.read_twice += 1;
            self.read(second);
        }
        !due.is_empty()
    }

    /// Has somebody read, until an answer has a claim that passes the code checks, or none at all.
    fn read(&mut self, id: SubtaskId) {
        while let Some(reading) = self.readings.get(&id).filter(|one| one.failures <= SPARE_ATTEMPTS) {
            let (part, barred) = (reading.part, reading.barred.clone());
            let Some(reader) = self.choose_reader(&barred) else { return };
            let person = self.state.providers[reader].person.clone();
            let (told, fallen) = self.read_by(id, part, reader);
            let has_failed = told.is_empty() && fallen > 0;
            if let Some(reading) = self.readings.get_mut(&id) {
                reading.barred.insert(person.id.clone());
                reading.failures += u32::from(has_failed);
            }
            if !has_failed {
                self.book.take(id, person, told.iter().map(|told| told.claim.clone()).collect(), fallen);
                self.told.extend(told);
                return;
            }
        }
    }

    /// What a reader states, as its JSON answer says it and after the code checks; and how many claims those rejected.
    fn read_by(&mut self, id: SubtaskId, part: usize, reader: usize) -> (Vec<Told>, usize) {
        let State { world, parts, providers, draws, tally, .. } = &mut *self.state;
        let about = &parts[part];
        let heard: Vec<&Claim> = self
            .told
            .iter()
            .filter(|told| told.part != part && parts[told.part].sort == about.sort)
            .map(|told| &told.claim)
            .collect();
        let stated = read(&providers[reader], about, world, &heard, draws);
        let entries: Vec<(&str, LineRange)> =
            stated.iter().map(|(claim, _)| (claim.text.as_str(), claim.quotes[0].lines)).collect();
        let answer = documents::answer(&entries);
        tally.tokens += (about.prompt_tokens + estimate_tokens(&answer)) as f64;
        let (mut told, mut fallen) = (Vec::new(), 0);
        for claim in Answer::parse(&answer).claims {
            let Some((_, truth)) = stated.iter().find(|(told, _)| *told == claim) else { continue };
            tally.count_stated(truth.is_false);
            if let Ok(claim) = check(&claim, &about.text) {
                told.push(Told {
                    reading: id,
                    reader: providers[reader].person.id.clone(),
                    part,
                    claim,
                    truth: *truth,
                    outcome: None,
                });
            } else {
                tally.count_code(truth.is_false);
                fallen += 1;
            }
        }
        (told, fallen)
    }

    /// Asks for reviews until everything that can be decided is.
    fn settle(&mut self) {
        loop {
            let here = self.here();
            let wanted = self.book.wanted(&here, false);
            let any_wanted = !wanted.is_empty();
            for wanted in wanted {
                self.ask(&wanted);
            }
            let mut settled = self.book.settled();
            settled.extend(self.book.settle_disputes());
            let any_settled = !settled.is_empty();
            for settled in settled {
                self.take_settled(&settled);
            }
            self.exclude_found();
            if !self.read_again() && !any_settled && !any_wanted {
                return;
            }
        }
    }

    fn take_settled(&mut self, settled: &Settled) {
        for (claim, outcome) in &settled.claims {
            if let Some(at) = self.find(settled.reading, &settled.reader, claim) {
                self.told[at].outcome = Some(*outcome);
            }
        }
        let is_second = self.book.seconds.part_of(settled.reading) != settled.reading;
        let added = (is_second && settled.again.is_none()).then(|| self.book.seconds.compare(settled));
        let Some(reading) = self.readings.get_mut(&settled.reading) else { return };
        let part = reading.part;
        let gold = self.book.make_gold(added.as_ref().unwrap_or(settled), &self.state.parts[part].text);
        self.gold_about.extend(gold.into_iter().map(|gold| (gold, part)));
        if settled.again.is_some() {
            return;
        }
        let is_reviewed = self.state.policy.rules.is_some();
        let is_earned = settled.is_earned() || !is_reviewed;
        let is_read_again =
            !is_second && is_reviewed && (settled.is_void() || (!is_earned && !reading.has_spare));
        reading.has_spare |= is_read_again && !settled.is_void();
        reading.failures += u32::from(is_read_again);
        let is_honest = self.is_honest(&settled.reader);
        self.state.tally.readings[usize::from(is_honest)].count(is_earned);
        if is_read_again {
            self.read(settled.reading);
        } else if !is_second && is_reviewed {
            self.book.seconds.read_once(settled);
        }
    }

    /// Has a review done; what fails on gold goes to somebody else.
    fn ask(&mut self, wanted: &Wanted) {
        let review = self.next_id();
        let mut barred = wanted.not.clone();
        self.book.asked(review, wanted.claims.clone());
        for attempt in 0..=SPARE_ATTEMPTS {
            let Some(reviewer) = self.choose_reviewer(&barred, &wanted.rather) else { break };
            let person = self.state.providers[reviewer].person.clone();
            let items = self.book.sheet((review, attempt), &person.id, true);
            let shown: Vec<(Claim, usize, Truth)> =
                items.iter().filter_map(|item| self.shown(item, wanted)).collect();
            let verdicts = self.verdicts(reviewer, &shown);
            let came = self.book.reviewed((review, attempt), &person, &verdicts);
            let tally = &mut self.state.tally;
            let (gold, is_paid) = match came {
                Came::Counts { gold, .. } => (gold, true),
                Came::Fails { gold, .. } => (gold, false),
            };
            tally.verdicts += verdicts.len();
            tally.gold += gold;
            let is_honest = self.state.providers[reviewer].kind == Kind::Honest;
            self.state.tally.reviews[usize::from(is_honest)].count(is_paid);
            if is_paid {
                return;
            }
            barred.insert(person.id);
            self.exclude_found();
        }
        self.book.gave_up(review);
    }

    /// What a place of a sheet shows: a claim, its part, and what is true of it.
    fn shown(&mut self, item: &Item, wanted: &Wanted) -> Option<(Claim, usize, Truth)> {
        match item {
            Item::Claim(at) => {
                let id = wanted.claims.get(*at)?;
                let claim = self.book.claim(*id)?.clone();
                let told = self.told.iter().find(|told| told.reading == id.reading && told.claim == claim)?;
                Some((claim, told.part, told.truth))
            }
            Item::Gold(gold) => {
                let part = *self.gold_about.get(&gold.id)?;
                let is_as_told = matches!(gold.change, Change::Unchanged | Change::FoundFalse);
                let told = self.told.iter().find(|told| told.part == part && told.claim == gold.claim);
                let truth = match told.filter(|_| is_as_told) {
                    // What the code did not know: whether the settled claim was true.
                    Some(told) => told.truth,
                    None => Truth::of_change(&mut self.state.draws),
                };
                Some((gold.claim.clone(), part, truth))
            }
        }
    }

    fn verdicts(&mut self, reviewer: usize, shown: &[(Claim, usize, Truth)]) -> Vec<Verdict> {
        let State { world, parts, providers, draws, tally, .. } = &mut *self.state;
        let claims: Vec<Shown<'_>> = shown
            .iter()
            .map(|(claim, part, _)| Shown {
                claim,
                text: &parts[*part].text,
                part: parts[*part].place(),
                around: prompt::LINES_AROUND,
            })
            .collect();
        let prompt = prompt::review(&claims, FENCE).unwrap_or_default();
        let verdicts: Vec<Verdict> = shown
            .iter()
            .map(|(_, _, truth)| review(&providers[reviewer], truth, &world.rates, draws))
            .collect();
        let answer = serde_json::json!({ "verdicts": verdicts }).to_string();
        tally.tokens += (estimate_tokens(&prompt) + estimate_tokens(&answer)) as f64;
        let before = providers[reviewer].reviewed;
        providers[reviewer].reviewed += u32::try_from(verdicts.len()).unwrap_or_default();
        tally.count_verdicts(&providers[reviewer], before);
        verdicts
    }

    /// Asks those no more who are found out; what rests on their word is reviewed by others.
    fn exclude_found(&mut self) {
        if self.state.policy.rules.is_none() {
            return;
        }
        let all: Vec<ProviderId> =
            self.state.providers.iter().map(|provider| provider.person.id.clone()).collect();
        for (id, found) in self.book.newly_excluded(all.iter()) {
            let mut all = self.state.providers.iter_mut();
            if let Some(provider) = all.find(|provider| provider.person.id == id) {
                self.state.tally.count_found(provider, found);
            }
            self.book.doubt(&id, true);
            self.gone.insert(id);
        }
    }

    /// Counts what came of every claim, and teaches the home.
    fn close(mut self) {
        for told in &self.told {
            let on_topic = self.state.world.clique > 0.0 && told.truth.topic == Some(CLIQUES_TOPIC);
            self.state.tally.count_outcome(told.outcome, &told.truth, on_topic, told.part);
        }
        self.state.tally.end_run();
        let seen = if self.state.policy.rules.is_some() { self.book.take_seen() } else { Vec::new() };
        for (id, seen) in seen {
            let record = self.state.home.entry(id.to_string()).or_default();
            for seen in seen {
                record.observe(seen);
            }
        }
    }

    fn choose_reader(&mut self, barred: &BTreeSet<ProviderId>) -> Option<usize> {
        let all = self.state.providers.len();
        let free: Vec<usize> = (0..all).filter(|&at| self.may_be_asked(at, barred)).collect();
        let (new, known): (Vec<usize>, Vec<usize>) = free.into_iter().partition(|&at| self.state.is_new(at));
        // Of forty of whom eight are new, one in five readings goes to a newcomer if nothing else is wished.
        let wish = self.state.policy.newcomers_read * self.state.newcomers() as f64 / all as f64;
        let (first, then) = if self.state.draws.chance(wish) { (new, known) } else { (known, new) };
        let among = if first.is_empty() { then } else { first };
        self.state.draws.pick(&among).copied()
    }

    /// Those who may review in this run. A swarm of newcomers must begin.
    fn reviewers(&self) -> Vec<usize> {
        let nobody = BTreeSet::new();
        let all: Vec<usize> =
            (0..self.state.providers.len()).filter(|&at| self.may_be_asked(at, &nobody)).collect();
        let known: Vec<usize> = all.iter().copied().filter(|&at| !self.state.is_new(at)).collect();
        if self.newcomers_review || known.len() < FEWEST_KNOWN { all } else { known }
    }

    fn here(&self) -> Vec<Person> {
        self.reviewers().into_iter().map(|at| self.state.providers[at].person.clone()).collect()
    }

    fn choose_reviewer(
        &mut self,
        barred: &BTreeSet<ProviderId>,
        rather: &BTreeSet<ProviderId>,
    ) -> Option<usize> {
        let mut among = self.reviewers();
        among.retain(|&at| self.may_be_asked(at, barred));
        let is_preferred = |at: &usize| rather.contains(&self.state.providers[*at].person.id);
        if among.iter().any(is_preferred) {
            among.retain(is_preferred);
        }
        if self.state.policy.other_families_first {
            let seen: BTreeSet<usize> = (0..self.state.providers.len())
                .filter(|&at| barred.contains(&self.state.providers[at].person.id))
                .map(|at| self.state.providers[at].family)
                .collect();
            let others: Vec<usize> = among
                .iter()
                .copied()
                .filter(|&at| !seen.contains(&self.state.providers[at].family))
                .collect();
            if !others.is_empty() {
                among = others;
            }
        }
        self.state.draws.pick(&among).copied()
    }

    fn may_be_asked(&self, at: usize, barred: &BTreeSet<ProviderId>) -> bool {
        let id = &self.state.providers[at].person.id;
        !self.gone.contains(id) && !barred.contains(id)
    }

    fn find(&self, reading: SubtaskId, reader: &ProviderId, claim: &Claim) -> Option<usize> {
        self.told
            .iter()
            .position(|told| told.reading == reading && told.reader == *reader && told.claim == *claim)
    }

    fn is_honest(&self, id: &ProviderId) -> bool {
        let provider = self.state.providers.iter().find(|provider| provider.person.id == *id);
        provider.is_some_and(|provider| provider.kind == Kind::Honest)
    }

    fn next_id(&mut self) -> SubtaskId {
        self.next += 1;
        SubtaskId(self.next - 1)
    }
}
