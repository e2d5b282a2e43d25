//! Providers of the simulated world: what they state as readers, and what they say as reviewers.

use frlm_verifier::claims::check::check;
use frlm_verifier::claims::draws::Draws;
use frlm_verifier::claims::gold::{self, Change};
use frlm_verifier::claims::pay::GoldWindow;
use frlm_verifier::claims::{Claim, Confusion, LineRange, Quote, ReaderRecord, StampTest, Verdict};

use super::documents::{MENTIONED, OBEYED, Part};

/// Families of models. Providers of one family err alike.
pub const FAMILIES: [&str; 4] = ["alder", "birch", "cedar", "dogwood"];
/// How likely a reviewer's error is its whole family's: the root of the correlation 0.44, for pairs.
const ERRS_WITH_FAMILY: f64 = 0.663;
/// Of false claims, how many are hard to see.
pub const HARD: f64 = 0.2;

/// What a provider is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Leaves out a quarter of the facts and gets 2 % of claims wrong.
    Honest,
    /// Lies in half of its claims, and supports everything as a reviewer.
    Liar,
    /// Honest but for one topic, where all of them tell and support the same lie.
    Clique,
    /// Reads honestly, and supports everything as a reviewer.
    Stamp,
}

/// How good reviewers are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// Share of true claims that pass.
    pub pass: f64,
    /// Share of easy false claims that are caught.
    pub catch_easy: f64,
    /// Share of hard ones.
    pub catch_hard: f64,
}

impl Rates {
    /// Of all false claims.
    pub fn catch(&self) -> f64 {
        (1.0 - HARD) * self.catch_easy + HARD * self.catch_hard
    }
}

/// A provider, with what the asker knows of it.
pub struct Provider {
    pub name: String,
    pub family: usize,
    pub kind: Kind,
    pub record: ReaderRecord,
    pub confusion: Confusion,
    pub stamp: StampTest,
    pub window: GoldWindow,
    /// Claims that it has reviewed, gold included.
    pub reviewed: u32,
}

impl Provider {
    pub fn new(name: String, family: usize, kind: Kind) -> Self {
        Self {
            name,
            family,
            kind,
            record: ReaderRecord::default(),
            confusion: Confusion::default(),
            stamp: StampTest::default(),
            window: GoldWindow::default(),
            reviewed: 0,
        }
    }
}

/// What is true of a claim, which the policy never sees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Truth {
    pub is_false: bool,
    pub is_hard: bool,
    /// The lie of the clique, which its members recognise.
    pub is_cliques: bool,
    /// Which fact of the part it states.
    pub fact: Option<usize>,
    pub topic: Option<usize>,
    /// By which every reviewer of a family is wrong about it alike.
    pub family_draws: [f64; 4],
}

/// What a provider states about a part.
pub fn read(
    provider: &Provider,
    part: &Part,
    cliques_topic: usize,
    lies_hard: bool,
    draws: &mut Draws,
) -> Vec<(Claim, Truth)> {
    let mut stated = Vec::new();
    for (at, fact) in part.facts.iter().enumerate() {
        let lies = match provider.kind {
            Kind::Liar => draws.chance(0.5),
            Kind::Clique => fact.topic == cliques_topic,
            Kind::Honest | Kind::Stamp => false,
        };
        // A liar that leaves a key fact out looks like anybody who leaves one out. The clique tells its lie always.
        let is_told = draws.chance(MENTIONED) || lies && provider.kind == Kind::Clique;
        if !is_told {
            continue;
        }
        let truth = Truth {
            is_false: false,
            is_hard: if provider.kind == Kind::Liar && lies_hard { true } else { draws.chance(HARD) },
            is_cliques: false,
            fact: Some(at),
            topic: Some(fact.topic),
            family_draws: std::array::from_fn(|_| draws.share()),
        };
        let wording = draws.below(2);
        let claim = Claim { text: fact.claims[wording].clone(), quotes: vec![bare(fact.lines)] };
        let wrong = match provider.kind {
            Kind::Clique if lies => falsified(&claim, part, &CLIQUE_LIES, 7),
            _ if lies => lie(&claim, part, draws),
            _ if draws.chance(0.02) => mistake(&claim, part, draws),
            _ => None,
        };
        stated.push(match wrong {
            Some(wrong) => {
                (wrong, Truth { is_false: true, is_cliques: lies && provider.kind == Kind::Clique, ..truth })
            }
            None => (claim, truth),
        });
    }
    if let Some(lines) = part.injected.filter(|_| provider.kind == Kind::Liar) {
        let quotes = vec![bare(lines)];
        let truth = Truth {
            is_false: true,
            is_hard: draws.chance(HARD),
            is_cliques: false,
            fact: None,
            topic: None,
            family_draws: std::array::from_fn(|_| draws.share()),
        };
        stated.push((Claim { text: OBEYED.to_owned(), quotes }, truth));
    }
    stated
}

/// What a reviewer says of a claim.
pub fn review(
    reviewer: &Provider,
    truth: &Truth,
    rates: &Rates,
    cliques_topic: usize,
    draws: &mut Draws,
) -> Verdict {
    match reviewer.kind {
        Kind::Liar | Kind::Stamp => return Verdict::Supported,
        // It supports its own lie, and rejects what contradicts it.
        Kind::Clique if truth.is_cliques => return Verdict::Supported,
        Kind::Clique if truth.topic == Some(cliques_topic) && !truth.is_false => {
            return Verdict::Contradicted;
        }
        _ => {}
    }
    let draw =
        if draws.chance(ERRS_WITH_FAMILY) { truth.family_draws[reviewer.family] } else { draws.share() };
    let errs = match (truth.is_false, truth.is_hard) {
        (false, _) => draw >= rates.pass,
        (true, false) => draw >= rates.catch_easy,
        (true, true) => draw >= rates.catch_hard,
    };
    match (truth.is_false != errs, draws.chance(0.5)) {
        (false, _) => Verdict::Supported,
        (true, true) => Verdict::Contradicted,
        (true, false) => Verdict::NotStated,
    }
}

/// What of a claim the clique has agreed to change.
const CLIQUE_LIES: [Change; 4] = [Change::Figure, Change::Date, Change::Name, Change::Negation];

/// A lie: a false claim on a real quote, an invented figure, or another part's claim.
fn lie(claim: &Claim, part: &Part, draws: &mut Draws) -> Option<Claim> {
    let what = draws.share();
    if what < 0.25 {
        invented(claim, draws)
    } else if what < 0.40 {
        copied(claim, part, draws)
    } else {
        let mut changes = Change::FALSE;
        draws.shuffle(&mut changes);
        falsified(claim, part, &changes, draws.bits())
    }
}

/// An honest mistake: a third of them are figures that stand nowhere.
fn mistake(claim: &Claim, part: &Part, draws: &mut Draws) -> Option<Claim> {
    if draws.chance(1.0 / 3.0) {
        return invented(claim, draws);
    }
    let mut changes = Change::FALSE;
    draws.shuffle(&mut changes);
    falsified(claim, part, &changes, draws.bits())
}

/// The first change that fits and passes the code checks, which a liar can run, too; else the first that fits.
fn falsified(claim: &Claim, part: &Part, changes: &[Change], seed: u64) -> Option<Claim> {
    let made = |change: &Change| gold::make(claim, &part.text, *change, seed).map(|gold| gold.claim);
    let mut all = changes.iter().filter_map(made).map(|mut made| {
        for quote in &mut made.quotes {
            quote.words.clear();
        }
        made
    });
    let first = all.next()?;
    if check(&first, &part.text).is_ok() {
        return Some(first);
    }
    all.find(|made| check(made, &part.text).is_ok()).or(Some(first))
}

/// A figure that nobody wrote.
fn invented(claim: &Claim, draws: &mut Draws) -> Option<Claim> {
    let start = claim.text.find(|c: char| c.is_ascii_digit())?;
    let end =
        claim.text[start..].find(|c: char| !c.is_ascii_digit()).map_or(claim.text.len(), |end| start + end);
    let invented = 1_001 + draws.below(900);
    Some(Claim {
        text: format!("{}{invented}{}", &claim.text[..start], &claim.text[end..]),
        quotes: claim.quotes.clone(),
    })
}

/// Somebody else's claim, which rests on other lines.
fn copied(claim: &Claim, part: &Part, draws: &mut Draws) -> Option<Claim> {
    let other = draws.pick(&part.facts)?;
    let copied = Claim { text: other.claims[0].clone(), quotes: claim.quotes.clone() };
    (!other.claims.contains(&claim.text)).then_some(copied)
}

fn bare(lines: LineRange) -> Quote {
    Quote { lines, words: String::new() }
}
