//! How the answers of several places become one: the source document's four patterns (seeds/super-llm-block.md,
//! `synthesis_patterns`), chosen by the question's words.

use frlm_learning::planning::performance::Synthesis;

/// Words of questions that want a comparison, an analysis, a story; the first that says something counts.
const WORDS: [(Synthesis, &str); 3] = [
    (
        Synthesis::Comparative,
        "compare compared comparison contrast difference differences differ differs versus vs better worse than",
    ),
    (
        Synthesis::Analytical,
        "why because cause causes caused reason reasons explain analyse analyze evaluate assess effect effects impact \
         consequences led",
    ),
    (
        Synthesis::Narrative,
        "happened happen story history course timeline sequence chronology development developed evolved began ended tell",
    ),
];

/// The one that a question asks for.
pub fn pattern_of(question: &str) -> Synthesis {
    let lower = question.to_lowercase();
    let words: Vec<&str> = frlm_util::text::words(&lower).collect();
    let says = |wanted: &str| wanted.split(' ').any(|word| words.contains(&word));
    WORDS.iter().find(|(_, wanted)| says(wanted)).map_or(Synthesis::Aggregative, |(pattern, _)| *pattern)
}

/// What the writer is told.
pub(super) fn instruction(pattern: Synthesis) -> &'static str {
    match pattern {
        Synthesis::Aggregative => "Bring together what belongs together, and leave nothing out.",
        Synthesis::Narrative => "Tell it in the order in which it happened.",
        Synthesis::Comparative => "Say first what is alike, then what differs, each side by side.",
        Synthesis::Analytical => "Say what follows from what, each step with the notes that it rests on.",
    }
}

#[cfg(test)]
mod tests {
    use frlm_learning::planning::performance::PATTERNS;

    use super::*;

    #[test]
    fn the_question_says_which_pattern_it_wants() {
        for (question, pattern) in [
            ("What complaints are there about the harbour?", Synthesis::Aggregative),
            ("Who signed?", Synthesis::Aggregative),
            ("What happened after the flood?", Synthesis::Narrative),
            ("Tell the history of the mill", Synthesis::Narrative),
            ("Why was the mill closed?", Synthesis::Analytical),
            ("What led to the strike, and what happened then?", Synthesis::Analytical),
            ("Compare the two leases", Synthesis::Comparative),
            ("Why is the first lease better than the second?", Synthesis::Comparative),
            ("", Synthesis::Aggregative),
            ("Which shops closed, whyever that was?", Synthesis::Aggregative),
        ] {
            assert_eq!(pattern_of(question), pattern, "{question}");
        }
    }

    #[test]
    fn each_pattern_is_another_instruction() {
        let told: std::collections::HashSet<&str> = PATTERNS.map(instruction).into();
        assert_eq!(told.len(), 4);
    }
}
