//! How the answers of several places become one: the source document's four patterns (seeds/super-llm-block.md,
//! `synthesis_patterns`), chosen by the question's words.

use frlm_learning::planning::performance::Synthesis;

/// A way to put notes together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// What belongs together is brought together.
    Aggregative,
    /// In the order in which it happened.
    Narrative,
    /// What is alike, and what differs.
    Comparative,
    /// What follows from what.
    Analytical,
}

impl From<Pattern> for Synthesis {
    fn from(pattern: Pattern) -> Self {
        match pattern {
            Pattern::Aggregative => Self::Aggregative,
            Pattern::Narrative => Self::Narrative,
            Pattern::Comparative => Self::Comparative,
            Pattern::Analytical => Self::Analytical,
        }
    }
}

/// Words of questions that want a comparison, an analysis, a story; the first that says something counts.
const WORDS: [(Pattern, &[&str]); 3] = [
    (
        Pattern::Comparative,
        &[
            "compare",
            "compared",
            "comparison",
            "contrast",
            "difference",
            "differences",
            "differ",
            "differs",
            "versus",
            "vs",
            "better",
            "worse",
            "than",
        ],
    ),
    (
        Pattern::Analytical,
        &[
            "why",
            "because",
            "cause",
            "causes",
            "caused",
            "reason",
            "reasons",
            "explain",
            "analyse",
            "analyze",
            "evaluate",
            "assess",
            "effect",
            "effects",
            "impact",
            "consequences",
            "led",
        ],
    ),
    (
        Pattern::Narrative,
        &[
            "happened",
            "happen",
            "story",
            "history",
            "course",
            "timeline",
            "sequence",
            "chronology",
            "development",
            "developed",
            "evolved",
            "began",
            "ended",
            "tell",
        ],
    ),
];

impl Pattern {
    /// The one that a question asks for.
    pub fn of(question: &str) -> Self {
        let lower = question.to_lowercase();
        let words: Vec<&str> = frlm_util::text::words(&lower).collect();
        let says = |wanted: &[&str]| wanted.iter().any(|word| words.contains(word));
        WORDS.iter().find(|(_, wanted)| says(wanted)).map_or(Self::Aggregative, |(pattern, _)| *pattern)
    }

    /// What the writer is told.
    pub fn instruction(self) -> &'static str {
        match self {
            Self::Aggregative => "Bring together what belongs together, and leave nothing out.",
            Self::Narrative => "Tell it in the order in which it happened.",
            Self::Comparative => "Say first what is alike, then what differs, each side by side.",
            Self::Analytical => "Say what follows from what, each step with the notes that it rests on.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_says_which_pattern_it_wants() {
        for (question, pattern) in [
            ("What complaints are there about the harbour?", Pattern::Aggregative),
            ("Who signed?", Pattern::Aggregative),
            ("What happened after the flood?", Pattern::Narrative),
            ("Tell the history of the mill", Pattern::Narrative),
            ("Why was the mill closed?", Pattern::Analytical),
            ("What led to the strike, and what happened then?", Pattern::Analytical),
            ("Compare the two leases", Pattern::Comparative),
            ("Why is the first lease better than the second?", Pattern::Comparative),
            ("", Pattern::Aggregative),
            ("Which shops closed, whyever that was?", Pattern::Aggregative),
        ] {
            assert_eq!(Pattern::of(question), pattern, "{question}");
        }
    }

    #[test]
    fn each_pattern_is_another_instruction() {
        let all = [Pattern::Aggregative, Pattern::Narrative, Pattern::Comparative, Pattern::Analytical];
        let told: std::collections::HashSet<&str> = all.map(Pattern::instruction).into();
        assert_eq!(told.len(), 4);
    }
}
