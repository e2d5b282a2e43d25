//! Tier 3: which accepted answers are checked again (seeds/verifier-block.md, "When to spot-check").

use frlm_util::text::words_of;
use serde::{Deserialize, Serialize};

/// Shares of accepted answers that are checked again, each 0..=1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SamplingRules {
    /// Of everything.
    pub random: f64,
    /// Of medical, legal and financial questions.
    pub high_stakes: f64,
    /// Of answers given with a confidence under `low_confidence_below`.
    pub low_confidence: f64,
    /// See `low_confidence`.
    pub low_confidence_below: f64,
    /// Of a new provider's first `new_provider_tasks` answers.
    pub new_provider: f64,
    /// See `new_provider`.
    pub new_provider_tasks: u32,
    /// Of what tier 2 was uncertain about.
    pub flagged: f64,
    /// Of the subtasks whose answer the asker's own code knows: these serve as gold tasks.
    pub gold: f64,
}

impl Default for SamplingRules {
    /// The figures of the source document; for gold tasks, which it has none for, as for the lot.
    fn default() -> Self {
        Self {
            random: 0.10,
            high_stakes: 1.0,
            low_confidence: 0.50,
            low_confidence_below: 0.75,
            new_provider: 0.20,
            new_provider_tasks: 100,
            flagged: 1.0,
            gold: 0.10,
        }
    }
}

/// An accepted answer as far as sampling looks at it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Case {
    /// Whether the question is medical, legal or financial.
    pub high_stakes: bool,
    /// The provider's own confidence, where it gave one.
    pub confidence: Option<f64>,
    /// How many answers the provider has given before.
    pub provider_tasks: u32,
    /// Whether tier 2 was uncertain.
    pub flagged: bool,
}

/// Why an answer is checked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SampledBecause {
    /// Tier 2 was uncertain.
    Flagged,
    /// The question is medical, legal or financial.
    HighStakes,
    /// The provider itself was unsure.
    LowConfidence,
    /// The provider is new.
    NewProvider,
    /// By lot.
    Random,
}

impl SamplingRules {
    /// Whether an answer is checked again, and by which rule. `lot` is drawn by the caller, uniform in
    /// 0..1 and out of the provider's sight: who can tell which answers are checked lies on the others.
    pub fn sampled(&self, case: &Case, lot: f64) -> Option<SampledBecause> {
        let unsure = case.confidence.is_some_and(|confidence| confidence < self.low_confidence_below);
        let rules = [
            (case.flagged, self.flagged, SampledBecause::Flagged),
            (case.high_stakes, self.high_stakes, SampledBecause::HighStakes),
            (unsure, self.low_confidence, SampledBecause::LowConfidence),
            (case.provider_tasks < self.new_provider_tasks, self.new_provider, SampledBecause::NewProvider),
            (true, self.random, SampledBecause::Random),
        ];
        rules.into_iter().find(|(applies, share, _)| *applies && lot < *share).map(|(_, _, why)| why)
    }
}

/// What a question is about, as far as stakes go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Domain {
    /// None of the others.
    General,
    /// Health.
    Medical,
    /// Law.
    Legal,
    /// Other people's money.
    Financial,
}

/// How words of a domain begin.
const STEMS: [(Domain, &[&str]); 3] = [
    (
        Domain::Medical,
        &[
            "medic", "diagnos", "dosage", "dose", "symptom", "patient", "prescri", "surger", "therap",
            "disease",
        ],
    ),
    (Domain::Legal, &["legal", "lawsuit", "lawyer", "court", "liab", "contract", "statut", "plaintiff"]),
    (Domain::Financial, &["invest", "mortgage", "tax", "loan", "insolven", "bankrupt", "pension"]),
];

impl Domain {
    /// Of a question, by its words; the first domain that one of them belongs to.
    pub fn of(question: &str) -> Self {
        let words = words_of(question, char::is_alphabetic).map(str::to_lowercase);
        let domain = |word: String| {
            let stems = STEMS.iter().find(|(_, stems)| stems.iter().any(|stem| word.starts_with(stem)));
            stems.map(|(domain, _)| *domain)
        };
        words.into_iter().find_map(domain).unwrap_or(Self::General)
    }

    /// Whether the source document calls it high stakes.
    pub fn is_high_stakes(self) -> bool {
        self != Self::General
    }

    /// For task classes.
    pub fn name(self) -> &'static str {
        match self {
            Self::General => "general",
            Self::Medical => "medical",
            Self::Legal => "legal",
            Self::Financial => "financial",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Case =
        Case { high_stakes: false, confidence: Some(0.9), provider_tasks: 100, flagged: false };

    /// seeds/verifier-block.md, "When to spot-check": 10 %, 100 %, 50 %, 20 %, 100 %.
    #[test]
    fn the_documents_shares_are_sampled() {
        let share = |case: &Case| {
            let rules = SamplingRules::default();
            (0..1_000).filter(|lot| rules.sampled(case, f64::from(*lot) / 1_000.0).is_some()).count()
        };
        assert_eq!(share(&PLAIN), 100);
        assert_eq!(share(&Case { high_stakes: true, ..PLAIN }), 1_000);
        assert_eq!(share(&Case { confidence: Some(0.74), ..PLAIN }), 500);
        assert_eq!(share(&Case { confidence: Some(0.75), ..PLAIN }), 100);
        assert_eq!(share(&Case { provider_tasks: 99, ..PLAIN }), 200);
        assert_eq!(share(&Case { flagged: true, ..PLAIN }), 1_000);
    }

    /// seeds/verifier-block.md, "Tier 3", "High-stakes verification": medical, legal and financial questions.
    #[test]
    fn high_stakes_are_told_by_the_questions_words() {
        assert_eq!(Domain::of("What dosage did the patient get?"), Domain::Medical);
        assert_eq!(Domain::of("Is the contractor liable?"), Domain::Legal);
        assert_eq!(Domain::of("How much tax is due?"), Domain::Financial);
        assert!(!Domain::of("How many orders failed?").is_high_stakes());
    }
}
