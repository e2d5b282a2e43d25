//! What is known of readers and reviewers (docs/claims.md, sections 3 and 6).
//!
//! ```text
//!   reader    claim verified ─► sequential test, 5 % against 25 % false ─► newcomer | cleared | excluded
//!                            └► how likely its next claim is false, by Bayes over rates
//!   reviewer  gold, and claims that others settled ─► confusion counts over the family's prior ─► likelihood of a verdict
//!                                                  └► test: does the verdict depend on the claim at all? ─► rubber stamp
//! ```
//!
//! Readers: after Sarmenta 2001 and Wald's test. Reviewers: Dawid and Skene's matrices with a Dirichlet prior by family,
//! because bias belongs to the family. Both forget: the present counts more than what was long ago.

use serde::{Deserialize, Serialize};

/// Share of false claims of a reader that is kept, and of one that is excluded.
const GOOD_RATE: f64 = 0.05;
const BAD_RATE: f64 = 0.25;
/// Wald's bounds for alpha = 0.01 and beta = 0.05: ln(0.95 / 0.01) and ln(0.05 / 0.99).
const EXCLUDED_AT: f64 = 4.55;
const CLEARED_AT: f64 = -2.99;
/// Claims that a record remembers.
const MEMORY_CLAIMS: f64 = 400.0;
/// Rates of false claims that a reader may have, and how likely each is of a newcomer: seven of ten err at a few in a
/// hundred, the rest lie.
const RATES: [(f64, f64); 12] = [
    (0.005, 0.10),
    (0.01, 0.18),
    (0.02, 0.20),
    (0.04, 0.14),
    (0.08, 0.06),
    (0.15, 0.03),
    (0.25, 0.04),
    (0.35, 0.05),
    (0.5, 0.09),
    (0.65, 0.05),
    (0.8, 0.04),
    (0.95, 0.02),
];

/// How a reader stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Too little is known.
    Newcomer,
    /// Its claims were as good as an honest reader's.
    Cleared,
    /// Too many of them were false.
    Excluded,
}

/// What was seen of one reader's claims.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ReaderRecord {
    right: f64,
    wrong: f64,
    evidence: f64,
    was_cleared: bool,
    is_excluded: bool,
}

impl ReaderRecord {
    /// Takes in a settled claim of which `p_false` is the probability that it is false. It must come from others: a claim
    /// that was accepted on this very record says nothing of it.
    pub fn observe(&mut self, p_false: f64) {
        let wrong = if p_false.is_finite() { p_false.clamp(0.0, 1.0) } else { return };
        let kept = (MEMORY_CLAIMS / (self.claims() + 1.0)).min(1.0);
        self.right = self.right * kept + 1.0 - wrong;
        self.wrong = self.wrong * kept + wrong;
        let step =
            wrong * (BAD_RATE / GOOD_RATE).ln() + (1.0 - wrong) * ((1.0 - BAD_RATE) / (1.0 - GOOD_RATE)).ln();
        // A floor at the lower bound: a reader that was honest for long and then lies is found as fast as another one.
        self.evidence = (self.evidence + step).max(CLEARED_AT);
        self.was_cleared |= self.evidence <= CLEARED_AT;
        self.is_excluded |= self.evidence >= EXCLUDED_AT;
    }

    /// Excludes at once: a forged quote, or obeying what stands in a document.
    pub fn observe_proven_lie(&mut self) {
        self.is_excluded = true;
    }

    /// Settled claims, weighted.
    pub fn claims(&self) -> f64 {
        self.right + self.wrong
    }

    /// The sequential test's evidence against the reader, in nats.
    pub fn evidence(&self) -> f64 {
        self.evidence
    }

    /// How it stands.
    pub fn standing(&self) -> Standing {
        if self.is_excluded {
            Standing::Excluded
        } else if self.was_cleared && self.evidence < 0.0 {
            Standing::Cleared
        } else {
            Standing::Newcomer
        }
    }

    /// How likely the next claim is false, before any check.
    pub fn p_false(&self) -> f64 {
        let weights =
            RATES.map(|(rate, prior)| prior.ln() + self.wrong * rate.ln() + self.right * (1.0 - rate).ln());
        let most = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (mut sum, mut mean) = (0.0, 0.0);
        for ((rate, _), weight) in RATES.iter().zip(weights) {
            let weight = (weight - most).exp();
            sum += weight;
            mean += weight * rate;
        }
        mean / sum
    }
}

/// A share of readers that lie after so many clean checks, at most: `f/(1-f)/(e·d·s)`, where `liars` is their share at the
/// start and `found` the probability that a check finds a lie (docs/claims.md, section 6).
pub fn lies_left(liars: f64, found: f64, clean_checks: f64) -> f64 {
    liars / (1.0 - liars) / (std::f64::consts::E * found * clean_checks)
}

/// What a reviewer says of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The quoted lines state it.
    Supported,
    /// They state another value, or the contrary.
    Contradicted,
    /// They do not speak of it.
    NotStated,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Supported, Self::Contradicted, Self::NotStated];

    /// Whether it rejects the claim. Which of the two it is overlaps for an exchanged value: both reject.
    pub fn rejects(self) -> bool {
        self != Self::Supported
    }
}

/// How often which verdict was given to true and to false claims.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Confusion {
    of_true: [f64; 3],
    of_false: [f64; 3],
}

/// What a family's own counts are worth as the prior of one of its providers, in claims.
const FAMILY_WEIGHT: f64 = 8.0;
/// No verdict is impossible.
const LEAST_COUNT: f64 = 0.05;

impl Confusion {
    /// The matrix of a family nobody has measured: it accepts `pass` of true claims and rejects `catch` of false ones.
    pub fn assumed(pass: f64, catch: f64, weight: f64) -> Self {
        let half = |share: f64| share / 2.0;
        Self {
            of_true: [pass, half(1.0 - pass), half(1.0 - pass)].map(|share| share * weight),
            of_false: [1.0 - catch, half(catch), half(catch)].map(|share| share * weight),
        }
    }

    /// Takes in a verdict on a claim that is false with the probability `p_false`.
    pub fn observe(&mut self, p_false: f64, verdict: Verdict) {
        let p_false = if p_false.is_finite() { p_false.clamp(0.0, 1.0) } else { return };
        self.of_true[verdict as usize] += 1.0 - p_false;
        self.of_false[verdict as usize] += p_false;
        for counts in [&mut self.of_true, &mut self.of_false] {
            let sum: f64 = counts.iter().sum();
            if sum > MEMORY_CLAIMS {
                for count in counts {
                    *count *= MEMORY_CLAIMS / sum;
                }
            }
        }
    }

    /// The matrix of one reviewer: its own counts over its family's as the Dirichlet prior.
    #[must_use]
    pub fn over(&self, family: &Self) -> Self {
        let join = |own: [f64; 3], prior: [f64; 3]| {
            let sum: f64 = prior.iter().sum::<f64>().max(LEAST_COUNT);
            std::array::from_fn(|at| own[at] + prior[at] / sum * FAMILY_WEIGHT)
        };
        Self { of_true: join(self.of_true, family.of_true), of_false: join(self.of_false, family.of_false) }
    }

    /// How likely a verdict is of a false claim, or of a true one.
    pub fn likelihood(&self, is_false: bool, verdict: Verdict) -> f64 {
        let counts = if is_false { self.of_false } else { self.of_true };
        let sum: f64 = counts.iter().map(|count| count + LEAST_COUNT).sum();
        (counts[verdict as usize] + LEAST_COUNT) / sum
    }

    /// The share of right verdicts, true and false claims weighing the same.
    pub fn balanced_accuracy(&self) -> f64 {
        let passes = self.likelihood(false, Verdict::Supported);
        let catches = 1.0 - self.likelihood(true, Verdict::Supported);
        f64::midpoint(passes, catches)
    }

    /// What a verdict tells of a true claim on average, in nats: Σ C[s,v] ln(C[s,v]/C[f,v]).
    pub fn information(&self) -> f64 {
        Verdict::ALL
            .into_iter()
            .map(|verdict| {
                let of_true = self.likelihood(false, verdict);
                of_true * (of_true / self.likelihood(true, verdict)).ln()
            })
            .sum()
    }

    /// Verdicts taken in.
    pub fn verdicts(&self) -> f64 {
        self.of_true.iter().chain(&self.of_false).sum()
    }
}

/// Evidence at which a reviewer's verdicts are taken not to depend on the claims.
const STAMP_AT: f64 = 4.6;

/// Whether a reviewer gives its verdicts without looking: a test of gold alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct StampTest {
    evidence: f64,
    passed: f64,
    gold: f64,
    is_stamp: bool,
}

impl StampTest {
    /// Takes in a verdict on a gold claim. `family` is what an honest reviewer of the family does.
    pub fn observe(&mut self, is_false: bool, verdict: Verdict, family: &Confusion) {
        // What it passes of everything, false or not; half before the first.
        let passes = (self.passed + 0.5) / (self.gold + 1.0);
        let rejects = verdict.rejects();
        let by_habit = if rejects { 1.0 - passes } else { passes };
        let honest_pass = family.likelihood(is_false, Verdict::Supported);
        let honest = if rejects { 1.0 - honest_pass } else { honest_pass };
        self.evidence = (self.evidence + (by_habit / honest.clamp(0.01, 0.99)).ln()).max(-1.0);
        self.gold += 1.0;
        self.passed += f64::from(u8::from(!rejects));
        self.is_stamp |= self.evidence >= STAMP_AT;
    }

    /// Whether it is found.
    pub fn is_stamp(&self) -> bool {
        self.is_stamp
    }

    /// Gold claims it was given.
    pub fn gold(&self) -> f64 {
        self.gold
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(wrong: u32, right: u32) -> ReaderRecord {
        let mut record = ReaderRecord::default();
        (0..wrong).for_each(|_| record.observe(1.0));
        (0..right).for_each(|_| record.observe(0.0));
        record
    }

    /// docs/claims.md, section 6.
    #[test]
    fn a_false_claim_weighs_as_much_as_seven_true_ones() {
        assert!((after(1, 0).evidence() - 1.61).abs() < 0.005);
        assert!((after(0, 1).evidence() + 0.236).abs() < 0.005);
        assert_eq!(after(3, 0).standing(), Standing::Excluded);
        assert_eq!(after(2, 0).standing(), Standing::Newcomer);
        assert_eq!(after(0, 12).standing(), Standing::Newcomer);
        assert_eq!(after(0, 13).standing(), Standing::Cleared);
        assert_eq!(after(1, 20).standing(), Standing::Cleared);
    }

    #[test]
    fn a_sleeper_is_excluded_after_five_lies_whatever_came_before() {
        let mut record = after(0, 500);
        let lies = (1..100).find(|_| {
            record.observe(1.0);
            record.standing() == Standing::Excluded
        });
        assert_eq!(lies, Some(5));
    }

    #[test]
    fn a_newcomers_claims_are_doubted_and_a_long_record_is_what_it_is() {
        assert!((0.12..0.25).contains(&after(0, 0).p_false()), "{}", after(0, 0).p_false());
        assert!(after(0, 20).p_false() < 0.02, "{}", after(0, 20).p_false());
        let honest = after(4, 196).p_false();
        assert!((0.015..0.03).contains(&honest), "{honest}");
    }

    /// docs/claims.md, section 6.
    #[test]
    fn lies_left_fall_with_clean_checks_as_calculated() {
        assert!((lies_left(0.3, 0.83, 16.0) - 0.012).abs() < 0.0005);
        assert!((lies_left(0.3, 0.83, 20.0) - 0.0095).abs() < 0.0001);
    }

    #[test]
    fn a_reviewer_without_a_record_is_its_family_and_later_itself() {
        let family = Confusion::assumed(0.92, 0.83, 100.0);
        let mut own = Confusion::default();
        let passes = |own: &Confusion| own.over(&family).likelihood(true, Verdict::Supported);
        assert!((passes(&own) - 0.17).abs() < 0.01);
        (0..40).for_each(|_| own.observe(1.0, Verdict::Supported));
        assert!(passes(&own) > 0.8, "{}", passes(&own));
        assert!(own.over(&family).information() < 0.4 * family.information());
    }

    /// docs/claims.md, section 3: 15 % of 50 reviews are seven gold claims or eight, half of them false.
    #[test]
    fn constant_verdicts_are_found_within_fifty_reviews() {
        for (pass, catch) in [(0.97, 0.95), (0.92, 0.83)] {
            let family = Confusion::assumed(pass, catch, 100.0);
            for verdict in Verdict::ALL {
                let mut test = StampTest::default();
                let reviews = (1..=50).find(|review| {
                    let gold = (review * 3) / 20;
                    if gold > ((review - 1) * 3) / 20 {
                        test.observe(gold % 2 == 1, verdict, &family);
                    }
                    test.is_stamp()
                });
                assert!(reviews.is_some(), "{pass} {verdict:?} {test:?}");
            }
        }
    }

    #[test]
    fn an_honest_reviewer_is_no_rubber_stamp() {
        let family = Confusion::assumed(0.92, 0.83, 100.0);
        let mut test = StampTest::default();
        for at in 0..600_u32 {
            // Every twelfth true claim fails, every sixth false one passes.
            let is_false = at % 2 == 0;
            let errs = if is_false { at % 12 == 0 } else { at % 24 == 1 };
            let verdict = if is_false == errs { Verdict::Supported } else { Verdict::NotStated };
            test.observe(is_false, verdict, &family);
            assert!(!test.is_stamp(), "{at}");
        }
    }
}
