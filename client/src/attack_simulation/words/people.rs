//! Providers of the simulated world: what they state as readers, and what they say as reviewers.

use frlm_conductor::run::claims::outcome::Person;
use frlm_verifier::claims::check;
use frlm_verifier::claims::draws::Draws;
use frlm_verifier::claims::gold::{self, Change};
use frlm_verifier::claims::{Claim, LineRange, Quote, Verdict};

use super::documents::{MENTIONED, OBEYED, Part};
use super::world::{CLIQUES_TOPIC, World};

/// Families of models. Providers of one family err alike.
pub const FAMILIES: [&str; 4] = ["alder", "birch", "cedar", "dogwood"];
/// How likely a reviewer's error is its whole family's: the root of the correlation 0.44, for pairs.
const ERRS_WITH_FAMILY: f64 = 0.663;
/// Of false claims, how many are hard to see.
const HARD: f64 = 0.2;
/// The share of an honest reader's claims that are wrong.
pub const WRONG: f64 = 0.02;

/// What a provider is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Leaves out a quarter of the facts and gets 2 % of claims wrong.
    Honest,
    /// Lies in half of its claims, and supports everything as a reviewer.
    Liar,
    /// Lies in half of its claims, and says the contrary of what is true as a reviewer.
    Contrary,
    /// Honest but for one topic, where all of them tell and support the same lie.
    Clique,
    /// Reads honestly, and supports everything as a reviewer.
    Stamp,
}

/// How a liar lies in a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lie {
    /// Something else than the lines say, with lines that stand there.
    OnARealQuote,
    /// A figure that nobody wrote.
    InventedFigure,
    /// It leaves the fact out.
    Omission,
    /// What another reader answered about another part.
    Copied,
    /// What the document tells its reader to say, and nothing else.
    Obedience,
}

impl Lie {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::OnARealQuote, Self::InventedFigure, Self::Omission, Self::Copied, Self::Obedience];

    /// How often a liar that lies in every way chooses it for a claim. It obeys half of the orders that it meets.
    const WEIGHTS: [(Self, f64); 4] = [
        (Self::OnARealQuote, 0.5),
        (Self::InventedFigure, 0.2),
        (Self::Omission, 0.15),
        (Self::Copied, 0.15),
    ];

    fn draw(draws: &mut Draws) -> Self {
        let mut share = draws.share();
        for (lie, weight) in Self::WEIGHTS {
            if share < weight {
                return lie;
            }
            share -= weight;
        }
        Self::OnARealQuote
    }
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
    /// Of models of 14B and more, as assumed.
    pub const OF_14B: Self = Self { pass: 0.97, catch_easy: 0.95, catch_hard: 0.95 };
    /// As published for 7B.
    pub const OF_7B: Self = Self { pass: 0.92, catch_easy: 0.95, catch_hard: 0.35 };
}

/// A provider.
pub struct Provider {
    /// As the product knows it.
    pub person: Person,
    /// By its place in [`FAMILIES`].
    pub family: usize,
    pub kind: Kind,
    /// Claims that it has reviewed, gold included.
    pub reviewed: u32,
    /// Whether it was found out before.
    pub is_found: bool,
}

impl Provider {
    /// Whether it lies on its own.
    pub fn lies(&self) -> bool {
        matches!(self.kind, Kind::Liar | Kind::Contrary)
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

impl Truth {
    /// Of gold with something changed.
    pub fn of_change(draws: &mut Draws) -> Self {
        let is_hard = draws.chance(HARD);
        Self::of_false(is_hard, draws)
    }

    /// Of a claim that states nothing which the part does.
    fn of_false(is_hard: bool, draws: &mut Draws) -> Self {
        let family_draws = std::array::from_fn(|_| draws.share());
        Self { is_false: true, is_hard, is_cliques: false, fact: None, topic: None, family_draws }
    }
}

/// What a provider states about a part. `heard`: what others answered about parts of the same sort.
pub fn read(
    provider: &Provider,
    part: &Part,
    world: &World,
    heard: &[&Claim],
    draws: &mut Draws,
) -> Vec<(Claim, Truth)> {
    if let Some(lines) = part.injected.filter(|_| provider.lies())
        && draws.chance(match world.lie {
            Some(Lie::Obedience) => 1.0,
            Some(_) => 0.0,
            None => 0.5,
        })
    {
        let obeyed = Claim { text: OBEYED.to_owned(), quotes: vec![bare(lines)] };
        let is_hard = world.lies_hard || draws.chance(HARD);
        return vec![(obeyed, Truth::of_false(is_hard, draws))];
    }
    let mut stated = Vec::new();
    for (at, fact) in part.facts.iter().enumerate() {
        let lies = match provider.kind {
            Kind::Liar | Kind::Contrary => world.lie != Some(Lie::Obedience) && draws.chance(0.5),
            Kind::Clique => fact.topic == CLIQUES_TOPIC,
            Kind::Honest | Kind::Stamp => false,
        };
        // The clique tells its lie always.
        let is_told = draws.chance(MENTIONED) || lies && provider.kind == Kind::Clique;
        let lie = (lies && provider.lies()).then(|| world.lie.unwrap_or_else(|| Lie::draw(draws)));
        if !is_told || lie == Some(Lie::Omission) {
            continue;
        }
        let truth = Truth {
            is_false: false,
            is_hard: provider.lies() && world.lies_hard || draws.chance(HARD),
            is_cliques: false,
            fact: Some(at),
            topic: Some(fact.topic),
            family_draws: std::array::from_fn(|_| draws.share()),
        };
        let wording = draws.below(2);
        let claim = Claim { text: fact.claims[wording].clone(), quotes: vec![bare(fact.lines)] };
        let wrong = match lie {
            Some(Lie::InventedFigure) => invented(&claim, draws),
            Some(Lie::Copied) => copied(&claim, part, heard, draws),
            Some(_) => changed(&claim, part, draws),
            None if lies => falsified(&claim, part, &CLIQUE_LIES, 7),
            None if draws.chance(WRONG) => mistake(&claim, part, draws),
            None => None,
        };
        stated.push(match wrong {
            Some(wrong) => (wrong, Truth { is_false: true, is_cliques: lies && lie.is_none(), ..truth }),
            None => (claim, truth),
        });
    }
    stated
}

/// What a reviewer says of a claim.
pub fn review(reviewer: &Provider, truth: &Truth, rates: &Rates, draws: &mut Draws) -> Verdict {
    match reviewer.kind {
        Kind::Liar | Kind::Stamp => return Verdict::Supported,
        Kind::Contrary => return if truth.is_false { Verdict::Supported } else { Verdict::Contradicted },
        // It supports its own lie, and rejects what contradicts it.
        Kind::Clique if truth.is_cliques => return Verdict::Supported,
        Kind::Clique if truth.topic == Some(CLIQUES_TOPIC) && !truth.is_false => {
            return Verdict::Contradicted;
        }
        Kind::Clique | Kind::Honest => {}
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

/// An honest mistake: a third of them are figures that stand nowhere.
fn mistake(claim: &Claim, part: &Part, draws: &mut Draws) -> Option<Claim> {
    if draws.chance(1.0 / 3.0) {
        return invented(claim, draws);
    }
    changed(claim, part, draws)
}

/// Any change that fits.
fn changed(claim: &Claim, part: &Part, draws: &mut Draws) -> Option<Claim> {
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

/// What another reader answered, with the lines of this part's fact; before anybody has, another fact of the part.
fn copied(claim: &Claim, part: &Part, heard: &[&Claim], draws: &mut Draws) -> Option<Claim> {
    let text = match draws.pick(heard) {
        Some(other) => other.text.clone(),
        None => draws.pick(&part.facts)?.claims[0].clone(),
    };
    let is_this_fact =
        part.facts.iter().any(|fact| fact.lines == claim.quotes[0].lines && fact.claims.contains(&text));
    (!is_this_fact).then(|| Claim { text, quotes: claim.quotes.clone() })
}

fn bare(lines: LineRange) -> Quote {
    Quote { lines, words: String::new() }
}
