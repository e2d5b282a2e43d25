//! What came of a simulated world, in counts.

use std::collections::BTreeSet;

use frlm_conductor::run::claims::book::Found;
use frlm_conductor::run::claims::outcome::ClaimOutcome;

use super::documents::MENTIONED;
use super::people::{Kind, Provider, Truth, WRONG};

/// Reviews within which a rubber stamp is to be found.
pub const SOON: u32 = 50;

/// What was paid, and what was not.
#[derive(Debug, Clone, Copy, Default)]
pub struct Paid {
    /// Jobs that were paid.
    pub paid: usize,
    /// All of them.
    pub all: usize,
}

impl Paid {
    /// Takes in a job.
    pub(super) fn count(&mut self, is_paid: bool) {
        self.all += 1;
        self.paid += usize::from(is_paid);
    }
}

/// Counts of one world. Of pairs, the first is of false claims or of those who are not honest.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Of prompts and answers.
    pub(super) tokens: f64,
    /// Tokens of one honest reading of every part, unverified.
    pub(super) one_reading: f64,
    /// Parts of questions.
    pub(super) parts: usize,
    /// Those that a second reader was asked for.
    pub(super) read_twice: usize,
    /// Facts of the parts.
    pub(super) facts: usize,
    /// Verdicts, on gold too.
    pub(super) verdicts: usize,
    /// Those on gold.
    pub(super) gold: usize,
    /// Readings that settled.
    pub readings: [Paid; 2],
    /// Reviews that were answered.
    pub reviews: [Paid; 2],
    /// Providers found to read falsely, to review blindly, and to stand alone in a run.
    pub found_out: [[usize; 3]; 2],
    /// After how many claims each rubber stamp was found.
    pub stamps: Vec<u32>,
    /// Rubber stamps that were not found so soon.
    pub late_stamps: usize,
    /// Those who are not honest and were there, and those of them that were found, each once.
    pub(super) liars: [usize; 2],
    stated: [usize; 2],
    by_code: [usize; 2],
    accepted: [usize; 2],
    left_out: usize,
    topic: [usize; 2],
    found: usize,
    found_in_run: BTreeSet<(usize, usize)>,
}

impl Tally {
    /// Starts counting with so many who are not honest; rubber stamps that were found before stay counted.
    pub(super) fn forget_warm_up(&mut self, liars: usize) {
        let (stamps, late_stamps) = (std::mem::take(&mut self.stamps), self.late_stamps);
        *self = Self { stamps, late_stamps, liars: [liars, 0], ..Self::default() };
    }

    /// Claims that were stated.
    pub(super) fn stated(&self) -> usize {
        self.stated[0] + self.stated[1]
    }

    /// A claim is stated.
    pub(super) fn count_stated(&mut self, is_false: bool) {
        self.stated[usize::from(!is_false)] += 1;
    }

    /// Code turns a claim down.
    pub(super) fn count_code(&mut self, is_false: bool) {
        self.by_code[usize::from(!is_false)] += 1;
    }

    /// A provider has given verdicts, and had given so many before.
    pub(super) fn count_verdicts(&mut self, provider: &Provider, before: u32) {
        let is_late = before <= SOON && provider.reviewed > SOON;
        self.late_stamps += usize::from(provider.kind == Kind::Stamp && is_late);
    }

    /// A provider is found out, rightly or not.
    pub(super) fn count_found(&mut self, provider: &mut Provider, found: Found) {
        let how = match found {
            Found::ReadsFalsely => 0,
            Found::ReviewsBlindly { .. } => 1,
            Found::StandsAlone { .. } => 2,
        };
        let is_honest = provider.kind == Kind::Honest;
        self.found_out[usize::from(is_honest)][how] += 1;
        let is_known = std::mem::replace(&mut provider.is_found, true);
        self.liars[1] += usize::from(!is_honest && !is_known);
        if provider.kind == Kind::Stamp && how == 1 {
            self.stamps.push(provider.reviewed);
        }
    }

    /// What became of a claim that passed the code checks.
    pub(super) fn count_outcome(
        &mut self,
        outcome: Option<ClaimOutcome>,
        truth: &Truth,
        on_topic: bool,
        part: usize,
    ) {
        self.left_out += usize::from(matches!(outcome, Some(ClaimOutcome::Undecided) | None));
        if !outcome.is_some_and(ClaimOutcome::stands) {
            return;
        }
        self.accepted[usize::from(!truth.is_false)] += 1;
        self.topic[usize::from(!truth.is_false)] += usize::from(on_topic);
        if let Some(fact) = truth.fact.filter(|_| !truth.is_false) {
            self.found_in_run.insert((part, fact));
        }
    }

    /// The run is over.
    pub(super) fn end_run(&mut self) {
        self.found += std::mem::take(&mut self.found_in_run).len();
    }

    /// One figure: not a number where nothing was counted for it.
    pub fn figure(&self, figure: Figure) -> f64 {
        let [false_stated, true_stated] = self.stated;
        match figure {
            Figure::TrueAccepted => share(self.accepted[1], true_stated),
            Figure::FalseAmongAccepted => share(self.accepted[0], self.accepted[0] + self.accepted[1]),
            Figure::FalseOnTopic => share(self.topic[0], self.topic[0] + self.topic[1]),
            Figure::FactsFound => share(self.found, self.facts) / (MENTIONED * (1.0 - WRONG)),
            Figure::Tokens => self.tokens / self.one_reading,
            Figure::VerdictsAClaim => share(self.verdicts, self.stated()),
            Figure::Undecided => share(self.left_out, self.stated()),
            Figure::FalseStated => share(false_stated, self.stated()),
            Figure::CodeFinds => share(self.by_code[0], false_stated),
            Figure::CodeErrs => share(self.by_code[1], true_stated),
            Figure::Gold => share(self.gold, self.verdicts),
            Figure::ReviewsOfAStamp => self.reviews_of_a_stamp(),
            Figure::ReadTwice => share(self.read_twice, self.parts),
            Figure::LiarsFound => share(self.liars[1], self.liars[0]),
        }
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
    /// Of the true claims that were stated, the share that was accepted.
    TrueAccepted,
    /// The share of false ones among accepted claims.
    FalseAmongAccepted,
    /// The same on the clique's topic.
    FalseOnTopic,
    /// True facts among what was accepted, as a multiple of one honest reading's.
    FactsFound,
    /// As a multiple of one honest reading of every part.
    Tokens,
    /// Verdicts for each claim, those on gold too.
    VerdictsAClaim,
    /// The share of claims that nobody settled.
    Undecided,
    /// The share of false ones among stated claims.
    FalseStated,
    /// Of those, the share that code turns down.
    CodeFinds,
    /// Of true claims, the share that code turns down.
    CodeErrs,
    /// The share of verdicts that were on gold.
    Gold,
    /// Reviews after which a rubber stamp is found.
    ReviewsOfAStamp,
    /// The share of parts that two have read.
    ReadTwice,
    /// Of those who are not honest, the share that was found out.
    LiarsFound,
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { f64::NAN } else { part as f64 / whole as f64 }
}
