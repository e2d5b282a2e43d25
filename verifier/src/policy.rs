//! Verification policies as the user names them.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// How the answers to one subtask become one accepted answer.
///
/// seeds/frlm-architecture.md, "Verification Flow". The replicas of *one* subtask are compared with
/// each other; different subtasks never are.
#[derive(Debug, Clone, PartialEq)]
pub enum VerificationPolicy {
    /// The first answer that passes the checks on its own.
    None,
    /// Up to `replicas` answers from distinct providers, `agree` of which must say the same.
    Redundancy {
        /// The most answers that are asked for.
        replicas: u32,
        /// How many of them must agree.
        agree: u32,
    },
    /// The first answer that satisfies this JSON schema.
    Objective {
        /// The schema.
        schema: serde_json::Value,
    },
    /// The first answer of which this program says `True` ([`crate::validation::program`]).
    Checked {
        /// Its text.
        check: Arc<str>,
    },
    /// What this provider confirms: of copied records it does the task itself, and signs what it found ([`crate::attested`]); of
    /// answers in words it reviews each claim.
    Validated {
        /// Its name: on Nostr its public key in hex.
        validator: String,
    },
    /// As many answers as it takes to believe one, by what is known of those who gave them
    /// (design.md, section 6).
    Adaptive(AdaptiveConfig),
}

/// When the adaptive policy stops asking.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AdaptiveConfig {
    /// A group is accepted from this fidelity on.
    pub target_fidelity: f64,
    /// The most answers that one subtask may need.
    pub most_replicas: u32,
    /// With nobody left to ask, or nobody that has a record, a group of two or more is still accepted
    /// from this fidelity on.
    pub least_fidelity: f64,
}

impl AdaptiveConfig {
    /// design.md, section 6: 0.99.
    pub const STANDARD: Self = Self { target_fidelity: 0.99, most_replicas: 7, least_fidelity: 0.80 };
}

impl Default for AdaptiveConfig {
    fn default() -> Self {
        Self::STANDARD
    }
}

impl VerificationPolicy {
    /// `adaptive` (design.md, sections 3 and 6).
    pub const DEFAULT: Self = Self::Adaptive(AdaptiveConfig::STANDARD);

    /// `redundancy:3/2`: at most three are asked, and two must agree.
    pub const TWO_OF_THREE: Self = Self::Redundancy { replicas: 3, agree: 2 };

    /// How many distinct providers must agree where nothing is known of any of them: fewer than that,
    /// and a run need not begin.
    ///
    /// A subtask is sent to so many at once, and to others when answers differ or stay away
    /// (docs/decisions/0003-replicas-on-demand.md). The adaptive policy sends it to one whose word is
    /// enough (docs/decisions/0006-adaptive-replication.md).
    pub fn first_replicas(&self) -> u32 {
        match self {
            Self::Redundancy { agree, .. } => *agree,
            Self::None | Self::Objective { .. } | Self::Checked { .. } | Self::Validated { .. } => 1,
            Self::Adaptive(_) => 2,
        }
    }

    /// Whether something is said of an answer in words as a whole: by a schema or a check.
    pub fn judges_answers_as_one(&self) -> bool {
        matches!(self, Self::Objective { .. } | Self::Checked { .. })
    }

    /// Whether what is known of a provider decides how many others are asked.
    pub fn is_adaptive(&self) -> bool {
        matches!(self, Self::Adaptive(_))
    }

    /// The next stricter policy of the same kind, for a retry that tightens: two more answers, one more of
    /// which must agree, or a fourth of the doubt. `None` where there is none: one answer that nobody is
    /// held against stays what the user asked for.
    pub fn stricter(&self) -> Option<Self> {
        match self {
            Self::Redundancy { replicas, agree } => {
                let (replicas, agree) = (replicas + 2, agree + 1);
                (replicas <= MOST_REPLICAS).then_some(Self::Redundancy { replicas, agree })
            }
            Self::Adaptive(config) if config.target_fidelity < MOST_FIDELITY => {
                let doubt = (1.0 - config.target_fidelity) / 4.0;
                Some(Self::Adaptive(AdaptiveConfig {
                    target_fidelity: (1.0 - doubt).min(MOST_FIDELITY),
                    most_replicas: (config.most_replicas + 2).min(MOST_REPLICAS),
                    ..*config
                }))
            }
            Self::Adaptive(_)
            | Self::None
            | Self::Objective { .. }
            | Self::Checked { .. }
            | Self::Validated { .. } => None,
        }
    }

    /// Which of the answers that are accepted are looked at again by tier 3 (docs/decisions/0028-tier-three-everywhere.md).
    pub fn looks_again(&self) -> LooksAgain {
        match self {
            Self::None => LooksAgain::AgainstGold,
            Self::Objective { .. } => LooksAgain::Sampled,
            // Several answered already, what was sampled is asked on before anything is accepted, or a word decides
            // that the user has chosen to decide: the check's or the validator's.
            Self::Redundancy { .. } | Self::Adaptive(_) | Self::Checked { .. } | Self::Validated { .. } => {
                LooksAgain::Never
            }
        }
    }

    /// The most answers that one subtask may come to, second looks counted.
    pub fn most_asked(&self) -> u32 {
        match self.looks_again() {
            LooksAgain::Never => self.most_replicas(),
            LooksAgain::AgainstGold | LooksAgain::Sampled => self.most_replicas().max(MOST_LOOKED_AT),
        }
    }

    /// Jobs that an answer takes: its own, and its validator's where there is one.
    pub fn jobs_per_answer(&self) -> u32 {
        if matches!(self, Self::Validated { .. }) { 2 } else { 1 }
    }

    /// The most answers that one subtask may need before one is accepted.
    pub fn most_replicas(&self) -> u32 {
        match self {
            Self::Redundancy { replicas, .. } => *replicas,
            Self::None | Self::Objective { .. } | Self::Checked { .. } => 1,
            Self::Validated { .. } => MOST_SHOWN,
            Self::Adaptive(config) => config.most_replicas,
        }
    }
}

impl fmt::Display for VerificationPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Redundancy { replicas, agree } => write!(f, "redundancy:{replicas}/{agree}"),
            Self::Objective { .. } | Self::Checked { .. } => f.write_str("objective"),
            Self::Validated { validator } => write!(f, "validated:{validator}"),
            Self::Adaptive(config) if *config == AdaptiveConfig::default() => f.write_str("adaptive"),
            Self::Adaptive(config) => write!(f, "adaptive:{}", config.target_fidelity),
        }
    }
}

/// Answers to a subtask that is looked at again, under policies that accept one: as many as under redundancy.
pub const MOST_LOOKED_AT: u32 = 3;

/// Which accepted answers somebody else is asked for, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LooksAgain {
    /// None after they were accepted.
    Never,
    /// Those that are not what code finds in the documents.
    AgainstGold,
    /// These, and as many as tier 3 samples ([`crate::sampling::SamplingRules`]).
    Sampled,
}

/// A policy's name before its files are read.
#[derive(Debug, Clone, PartialEq)]
pub enum PolicyName {
    /// `none`
    None,
    /// `redundancy:REPLICAS/AGREE`
    Redundancy {
        /// The most answers that are asked for.
        replicas: u32,
        /// How many of them must agree.
        agree: u32,
    },
    /// `objective:SCHEMA.json` or `objective:CHECK.py`
    Objective {
        /// Path of the JSON schema, or of a program that says which answers are right.
        file: String,
    },
    /// `validated:NPUB`
    Validated {
        /// The validator's public key, as the user gave it.
        validator: String,
    },
    /// `adaptive` or `adaptive:FIDELITY`
    Adaptive(AdaptiveConfig),
}

impl PolicyName {
    /// Whether this is `floor` or a stricter policy of the same kind. Kinds are not compared with each other: who trusts
    /// the records of providers does not trust a validator that somebody else names.
    pub fn is_at_least(&self, floor: &Self) -> bool {
        match (self, floor) {
            (_, Self::None) => true,
            (Self::Redundancy { agree, .. }, Self::Redundancy { agree: least, .. }) => agree >= least,
            (Self::Adaptive(config), Self::Adaptive(least)) => {
                config.target_fidelity >= least.target_fidelity
            }
            _ => self == floor,
        }
    }
}

/// A policy name that cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PolicyError {
    /// No such policy.
    #[error(
        "unknown verification policy \"{0}\"; use adaptive, none, redundancy:REPLICAS/AGREE (for example \
         redundancy:3/2), objective:FILE (a JSON schema, or a check in \
         Python) or validated:NPUB"
    )]
    Unknown(String),
    /// A fidelity that nobody can reach, or that everybody does.
    #[error("adaptive:{0} is impossible: give a fidelity from 0.8 to 0.9999, for example adaptive:0.99")]
    Fidelity(f64),
    /// The numbers make no sense.
    #[error("redundancy:{replicas}/{agree} is impossible: {why}")]
    Numbers {
        /// As given.
        replicas: u32,
        /// As given.
        agree: u32,
        /// What is wrong.
        why: &'static str,
    },
}

/// More replicas than this buy nothing that a better provider would not.
const MOST_REPLICAS: u32 = 15;
/// Answers that a validator may reject before a subtask is given up.
const MOST_SHOWN: u32 = 3;
/// Nobody is more certain than this, however many agree.
const MOST_FIDELITY: f64 = 0.9999;

impl FromStr for PolicyName {
    type Err = PolicyError;

    fn from_str(text: &str) -> Result<Self, PolicyError> {
        let unknown = || PolicyError::Unknown(text.to_owned());
        match text.split_once(':') {
            None if text == "none" => Ok(Self::None),
            None if text == "redundancy" => Ok(Self::Redundancy { replicas: 3, agree: 2 }),
            Some(("redundancy", numbers)) => {
                let (replicas, agree) = numbers.split_once('/').ok_or_else(unknown)?;
                let replicas: u32 = replicas.parse().map_err(|_| unknown())?;
                let agree: u32 = agree.parse().map_err(|_| unknown())?;
                check_redundancy(replicas, agree)?;
                Ok(Self::Redundancy { replicas, agree })
            }
            None if text == "adaptive" => Ok(Self::Adaptive(AdaptiveConfig::default())),
            Some(("adaptive", fidelity)) => {
                let target_fidelity: f64 = fidelity.parse().map_err(|_| unknown())?;
                let config = AdaptiveConfig { target_fidelity, ..AdaptiveConfig::default() };
                if (config.least_fidelity..=MOST_FIDELITY).contains(&target_fidelity) {
                    Ok(Self::Adaptive(config))
                } else {
                    Err(PolicyError::Fidelity(target_fidelity))
                }
            }
            Some(("objective", file)) if !file.is_empty() => Ok(Self::Objective { file: file.to_owned() }),
            Some(("validated", key)) if !key.is_empty() => Ok(Self::Validated { validator: key.to_owned() }),
            _ => Err(unknown()),
        }
    }
}

fn check_redundancy(replicas: u32, agree: u32) -> Result<(), PolicyError> {
    let error = |why| Err(PolicyError::Numbers { replicas, agree, why });
    if agree == 0 {
        return error("at least one answer must agree");
    }
    if agree > replicas {
        return error("more must agree than are asked");
    }
    if replicas > MOST_REPLICAS {
        return error("at most 15 replicas are sent");
    }
    // With half or fewer agreeing, two opposite answers could both pass.
    if agree * 2 <= replicas {
        return error("more than half of the replicas must agree");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed() {
        assert_eq!("none".parse(), Ok(PolicyName::None));
        assert_eq!("redundancy:3/2".parse(), Ok(PolicyName::Redundancy { replicas: 3, agree: 2 }));
        assert_eq!(
            "objective:schema.json".parse(),
            Ok(PolicyName::Objective { file: "schema.json".to_owned() })
        );
        assert_eq!("validated:npub1x".parse(), Ok(PolicyName::Validated { validator: "npub1x".to_owned() }));
        assert_eq!("adaptive".parse(), Ok(PolicyName::Adaptive(AdaptiveConfig::default())));
        for name in ["adaptive", "adaptive:0.95"] {
            let Ok(PolicyName::Adaptive(config)) = name.parse() else { panic!("{name} is a policy") };
            assert_eq!(VerificationPolicy::Adaptive(config).to_string(), name);
        }
    }

    #[test]
    fn a_policy_is_held_against_its_own_kind_alone() {
        let at_least = |wished: &str, floor: &str| {
            wished.parse::<PolicyName>().unwrap().is_at_least(&floor.parse().unwrap())
        };
        for (wished, floor) in [
            ("none", "none"),
            ("validated:a", "none"),
            ("redundancy:5/3", "redundancy:3/2"),
            ("redundancy:2/2", "redundancy:3/2"),
            ("adaptive:0.99", "adaptive:0.95"),
            ("validated:a", "validated:a"),
            ("objective:a.json", "objective:a.json"),
        ] {
            assert!(at_least(wished, floor), "{wished} for {floor}");
        }
        for (wished, floor) in [
            ("none", "adaptive"),
            ("none", "redundancy:1/1"),
            ("redundancy:3/2", "redundancy:5/3"),
            ("redundancy:3/2", "adaptive"),
            ("adaptive:0.95", "adaptive:0.99"),
            ("validated:b", "validated:a"),
            ("objective:b.json", "objective:a.json"),
        ] {
            assert!(!at_least(wished, floor), "{wished} for {floor}");
        }
    }

    #[test]
    fn what_may_be_looked_at_again_counts_among_what_may_be_asked() {
        let schema = serde_json::json!({});
        for policy in [VerificationPolicy::None, VerificationPolicy::Objective { schema }] {
            assert_eq!((policy.most_replicas(), policy.most_asked()), (1, MOST_LOOKED_AT), "{policy}");
        }
        for policy in
            [VerificationPolicy::TWO_OF_THREE, VerificationPolicy::Adaptive(AdaptiveConfig::default())]
        {
            assert_eq!(policy.most_asked(), policy.most_replicas(), "{policy}");
        }
    }

    #[test]
    fn a_stricter_policy_keeps_a_majority_and_ends_somewhere() {
        let mut policy = VerificationPolicy::TWO_OF_THREE;
        let mut steps = 0;
        while let Some(stricter) = policy.stricter() {
            let VerificationPolicy::Redundancy { replicas, agree } = stricter else { panic!("another kind") };
            assert_eq!(check_redundancy(replicas, agree), Ok(()));
            assert!(agree > policy.first_replicas());
            policy = stricter;
            steps += 1;
        }
        assert_eq!(steps, 6);
        let mut target = 0.0;
        let mut policy = VerificationPolicy::Adaptive(AdaptiveConfig::default());
        while let Some(VerificationPolicy::Adaptive(config)) = policy.stricter() {
            assert!(config.target_fidelity > target && config.target_fidelity <= MOST_FIDELITY);
            target = config.target_fidelity;
            policy = VerificationPolicy::Adaptive(config);
        }
        assert!((target - MOST_FIDELITY).abs() < 1e-9);
        assert_eq!(VerificationPolicy::None.stricter(), None);
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_a_reason() {
        for (text, part) in [
            ("wishful", "unknown"),
            ("redundancy:", "unknown"),
            ("redundancy:x/2", "unknown"),
            ("redundancy:2/3", "more must agree"),
            ("redundancy:3/0", "at least one"),
            ("redundancy:4/2", "more than half"),
            ("redundancy:99/50", "at most 15"),
            ("objective:", "unknown"),
            ("validated:", "unknown"),
            ("adaptive:", "unknown"),
            ("adaptive:1", "0.8 to 0.9999"),
            ("adaptive:NaN", "0.8 to 0.9999"),
            ("", "unknown"),
        ] {
            let error = text.parse::<PolicyName>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
