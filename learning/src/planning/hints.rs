//! What the brain advises the route stage (seeds/super-llm-block.md, function 3, `RoutingHintGenerator`),
//! and whether it was right to.
//!
//! A hint may be overridden: routing knows the load. How often it was followed, and how often it
//! would have been right, is counted.

use serde::{Deserialize, Serialize};

use super::simplicity::TaskType;

/// Who should answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Suggested {
    /// A single provider is enough (the document's *node*).
    One,
    /// Several, held against each other (*cluster*).
    Several,
    /// Any provider with room.
    Any,
}

/// In the order in which they are shown.
const KINDS: [Suggested; 3] = [Suggested::One, Suggested::Several, Suggested::Any];

/// How hard a subtask is, by its planner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Complexity {
    /// One step.
    Simple,
    /// Some.
    Medium,
    /// Many.
    High,
}

/// Advice with its confidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hint {
    /// Who should answer.
    pub suggested: Suggested,
    /// 0..=1.
    pub confidence: f64,
    /// Why.
    pub reason: String,
}

/// Advises on a subtask of this simplicity.
pub fn hint(complexity: Complexity, task_type: TaskType, simplicity: f64) -> Hint {
    let enough = task_type.enough_for_one();
    if simplicity >= enough {
        return Hint {
            suggested: Suggested::One,
            confidence: (0.90 + (simplicity - enough) * 0.5).min(1.0),
            reason: format!("simple ({simplicity:.2}): one provider is enough"),
        };
    }
    let needs_several = complexity == Complexity::High
        || matches!(task_type, TaskType::CreativePlanning | TaskType::Analysis);
    if needs_several {
        return Hint {
            suggested: Suggested::Several,
            confidence: 0.85,
            reason: "complex: several answers are worth their price".to_owned(),
        };
    }
    Hint {
        suggested: Suggested::Any,
        confidence: 0.70,
        reason: "of medium complexity: load may decide".to_owned(),
    }
}

/// What was done about a subtask, and what would have been best in hindsight: `answers` came back for it, and
/// `stood` says whether one of them was accepted and none of the others said something else.
pub fn hindsight(answers: usize, stood: bool) -> (Suggested, Suggested) {
    let of = |one| if one { Suggested::One } else { Suggested::Several };
    (of(answers < 2), of(stood))
}

/// What became of the hints so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HintRecord {
    given: u64,
    followed: u64,
    right: u64,
    /// Of those that were counted apart, which those of earlier versions were not.
    #[serde(skip_serializing_if = "ByKind::is_empty")]
    kinds: ByKind,
}

/// The same by what was advised (`routing_hints_accuracy`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
struct ByKind {
    one: Kind,
    several: Kind,
    any: Kind,
}

/// Hints of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
struct Kind {
    given: u64,
    right: u64,
}

impl ByKind {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn of(&mut self, hint: Suggested) -> &mut Kind {
        match hint {
            Suggested::One => &mut self.one,
            Suggested::Several => &mut self.several,
            Suggested::Any => &mut self.any,
        }
    }
}

impl HintRecord {
    /// Notes a hint with what was done instead of it, or because of it, and whether it was the right advice
    /// in hindsight: one provider's answer stood, or several were needed.
    pub fn note(&mut self, hint: Suggested, done: Suggested, best: Suggested) {
        let fits = |other| hint == Suggested::Any || hint == other;
        self.given += 1;
        self.followed += u64::from(fits(done));
        self.right += u64::from(fits(best));
        let kind = self.kinds.of(hint);
        kind.given += 1;
        kind.right += u64::from(fits(best));
    }

    /// Takes in what became of other hints.
    pub fn join(&mut self, other: Self) {
        self.given += other.given;
        self.followed += other.followed;
        self.right += other.right;
        let mut others = other.kinds;
        for hint in KINDS {
            let (kind, more) = (self.kinds.of(hint), *others.of(hint));
            kind.given += more.given;
            kind.right += more.right;
        }
    }

    /// The same hints came to something else than was taken in.
    pub fn replace(&mut self, before: Self, now: Self) {
        self.given = self.given.saturating_sub(before.given);
        self.followed = self.followed.saturating_sub(before.followed);
        self.right = self.right.saturating_sub(before.right);
        let mut others = before.kinds;
        for hint in KINDS {
            let (kind, less) = (self.kinds.of(hint), *others.of(hint));
            kind.given = kind.given.saturating_sub(less.given);
            kind.right = kind.right.saturating_sub(less.right);
        }
        self.join(now);
    }

    /// Hints so far.
    pub fn given(&self) -> u64 {
        self.given
    }

    /// Share of hints that were followed; of none, `None`.
    pub fn follow_rate(&self) -> Option<f64> {
        self.share(self.followed)
    }

    /// Share of hints that were right; of none, `None`.
    pub fn accuracy(&self) -> Option<f64> {
        self.share(self.right)
    }

    /// By what was advised: how often, and the share that was right; none that was never given, nor what earlier versions
    /// counted together.
    pub fn by_kind(&self) -> impl Iterator<Item = (Suggested, u64, f64)> {
        let mut kinds = self.kinds;
        let counted = KINDS.map(|hint| (hint, *kinds.of(hint)));
        counted
            .into_iter()
            .filter(|(_, kind)| kind.given > 0)
            .map(|(hint, kind)| (hint, kind.given, kind.right as f64 / kind.given as f64))
    }

    fn share(&self, part: u64) -> Option<f64> {
        (self.given > 0).then(|| part as f64 / self.given as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-9
    }

    #[test]
    fn the_thresholds_of_get_routing_threshold_and_function_3_confidences() {
        use TaskType::{Analysis, Calculation, CreativePlanning, CreativeWriting, FactualSearch, Other};
        for (task_type, enough) in [
            (Calculation, 0.85),
            (FactualSearch, 0.75),
            (CreativePlanning, 0.40),
            (Analysis, 0.60),
            (CreativeWriting, 0.70),
            (Other, 0.70),
        ] {
            assert!(near(task_type.enough_for_one(), enough), "{task_type:?}");
            let at = hint(Complexity::High, task_type, enough);
            assert!(at.suggested == Suggested::One && near(at.confidence, 0.90), "{task_type:?}");
        }
        let calculation = hint(Complexity::Simple, Calculation, 0.95);
        assert!(near(calculation.confidence, 0.95));
    }

    #[test]
    fn what_is_not_simple_goes_to_several_or_to_any_provider_with_room() {
        let suggested = |complexity, task_type| {
            let hint = hint(complexity, task_type, 0.35);
            (hint.suggested, hint.confidence)
        };
        assert_eq!(suggested(Complexity::High, TaskType::FactualSearch), (Suggested::Several, 0.85));
        assert_eq!(suggested(Complexity::Simple, TaskType::Analysis), (Suggested::Several, 0.85));
        assert_eq!(suggested(Complexity::Medium, TaskType::CreativePlanning), (Suggested::Several, 0.85));
        assert_eq!(suggested(Complexity::Medium, TaskType::FactualSearch), (Suggested::Any, 0.70));
    }

    /// seeds/super-llm-block.md, "Decomposed Task Batch" and "Example: Trip Planning Query": a sum, an itinerary and a forecast
    /// go where they are printed to go, the sum at .95 (printed .97). Flights and hotels are printed as for several at .88 and
    /// .85: a search of medium complexity below .75 is for any provider with room, at .70.
    #[test]
    fn the_hints_of_the_trip_planning_example_follow_the_formula() {
        use Complexity::{High, Medium, Simple};
        use TaskType::{Calculation, CreativePlanning, FactualSearch};
        for (complexity, task_type, simplicity, suggested, confidence) in [
            (Medium, FactualSearch, 0.62, Suggested::Any, 0.70),
            (Simple, Calculation, 0.95, Suggested::One, 0.95),
            (Medium, FactualSearch, 0.58, Suggested::Any, 0.70),
            (High, CreativePlanning, 0.35, Suggested::Several, 0.85),
            (Simple, FactualSearch, 0.78, Suggested::One, 0.915),
        ] {
            let hint = hint(complexity, task_type, simplicity);
            assert!(hint.suggested == suggested && near(hint.confidence, confidence), "{hint:?}");
        }
    }

    #[test]
    fn what_was_followed_and_what_was_right_are_counted_apart() {
        let mut record = HintRecord::default();
        assert_eq!((record.follow_rate(), record.accuracy()), (None, None));
        record.note(Suggested::One, Suggested::Several, Suggested::One);
        record.note(Suggested::One, Suggested::One, Suggested::Several);
        record.note(Suggested::Any, Suggested::Several, Suggested::Several);
        record.note(Suggested::Several, Suggested::Several, Suggested::Several);
        assert_eq!((record.follow_rate(), record.accuracy()), (Some(0.75), Some(0.75)));
        let mut sum = HintRecord::default();
        sum.join(record);
        sum.join(record);
        assert_eq!((sum.given(), sum.follow_rate(), sum.accuracy()), (8, Some(0.75), Some(0.75)));
        let mut right = HintRecord::default();
        right.note(Suggested::One, Suggested::One, Suggested::One);
        sum.replace(record, right);
        let mut expected = record;
        expected.join(right);
        assert_eq!(sum, expected);
    }

    #[test]
    fn routing_hints_accuracy_is_kept_by_kind_and_old_records_still_load() {
        let mut record = HintRecord::default();
        assert_eq!(record.by_kind().count(), 0);
        for best in [Suggested::One, Suggested::One, Suggested::One, Suggested::Several] {
            record.note(Suggested::One, Suggested::Several, best);
        }
        record.note(Suggested::Any, Suggested::One, Suggested::Several);
        let kinds: Vec<_> = record.by_kind().collect();
        assert_eq!(kinds, [(Suggested::One, 4, 0.75), (Suggested::Any, 1, 1.0)]);
        let kept = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<HintRecord>(&kept).unwrap(), record);
        // As it was kept before they were counted apart.
        let mut old: HintRecord = serde_json::from_str(r#"{"given":10,"followed":9,"right":5}"#).unwrap();
        assert_eq!((old.by_kind().count(), old.accuracy()), (0, Some(0.5)));
        old.join(record);
        assert_eq!((old.given(), old.by_kind().collect::<Vec<_>>()), (15, kinds));
    }

    #[test]
    fn one_answer_that_stood_was_enough_and_a_dispute_needed_several() {
        assert_eq!(hindsight(1, true), (Suggested::One, Suggested::One));
        assert_eq!(hindsight(2, true), (Suggested::Several, Suggested::One));
        assert_eq!(hindsight(3, false), (Suggested::Several, Suggested::Several));
        assert_eq!(hindsight(0, false), (Suggested::One, Suggested::Several));
    }
}
