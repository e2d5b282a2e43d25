//! What a classifier sees of a question: the six features of seeds/super-llm-block.md, `simplicity_model`, and how it begins.
//!
//! Word lists are those of assets/brain/README.md; the weights belong to them and change with them.

/// Numbers that the classifier reads.
pub const FEATURES: usize = 7;

/// Their names, in order.
pub const NAMES: [&str; FEATURES] = [
    "query_length",
    "number_of_clauses",
    "presence_of_conjunctions",
    "complexity_keywords",
    "domain_specificity",
    "temporal_dependencies",
    "asks_for_one_fact",
];

/// Words with which one fact is asked for.
const OPENERS: [&str; 23] = [
    "what", "what's", "whats", "who", "who's", "when", "where", "which", "is", "are", "was", "were", "does",
    "do", "did", "has", "have", "can", "define", "convert", "state", "whose", "whom",
];
const CONJUNCTIONS: [&str; 6] = ["and", "or", "but", "nor", "plus", "also"];
/// Words that begin a clause, other than at the beginning of the question.
const SUBORDINATING: [&str; 13] = [
    "that", "which", "who", "whose", "where", "when", "if", "because", "although", "unless", "whether",
    "while", "once",
];
/// Words of questions that take several looks, or reasoning.
const KEYWORDS: [&str; 74] = [
    "why",
    "compare",
    "comparison",
    "difference",
    "differences",
    "differ",
    "contrast",
    "explain",
    "analyse",
    "analyze",
    "summarise",
    "summarize",
    "summary",
    "overview",
    "plan",
    "design",
    "write",
    "draft",
    "compose",
    "create",
    "generate",
    "debug",
    "fix",
    "evaluate",
    "assess",
    "recommend",
    "suggest",
    "propose",
    "discuss",
    "describe",
    "outline",
    "translate",
    "check",
    "trace",
    "rank",
    "group",
    "sort",
    "list",
    "all",
    "every",
    "each",
    "many",
    "most",
    "least",
    "often",
    "total",
    "sum",
    "average",
    "trend",
    "trends",
    "pattern",
    "patterns",
    "themes",
    "relationship",
    "cause",
    "causes",
    "reasons",
    "lessons",
    "evidence",
    "pros",
    "cons",
    "between",
    "versus",
    "vs",
    "than",
    "common",
    "consistent",
    "agree",
    "contradict",
    "contradictions",
    "should",
    "would",
    "how",
    "count",
];
/// Words that put things in an order of time.
const TEMPORAL: [&str; 21] = [
    "then",
    "after",
    "before",
    "until",
    "during",
    "since",
    "first",
    "finally",
    "next",
    "later",
    "afterwards",
    "subsequently",
    "followed",
    "happened",
    "changed",
    "change",
    "over",
    "between",
    "once",
    "while",
    "meanwhile",
];

/// Marks around a word that do not belong to it.
const MARKS: &[char] = &['.', ',', ';', ':', '?', '!', '"', '\'', '(', ')'];
/// Letters from which on a word is a term of some trade.
const LONG_WORD: usize = 11;

/// The question as numbers of about one.
pub fn features(question: &str) -> [f64; FEATURES] {
    let words: Vec<&str> = question.split_whitespace().collect();
    let lower = question.to_lowercase().replace('’', "'");
    let tokens: Vec<&str> = lower
        .split(|letter: char| !letter.is_alphanumeric() && letter != '\'')
        .filter(|token| !token.is_empty())
        .collect();
    let among = |list: &[&str]| tokens.iter().filter(|token| list.contains(token)).count();
    let later = || tokens.iter().skip(1);
    let clauses = marks(question) + later().filter(|token| SUBORDINATING.contains(token)).count();
    let specific = words.iter().enumerate().filter(|(at, word)| is_specific(word, *at == 0)).count();
    let at_most = |count: usize, most: usize| count.min(most) as f64;
    [
        at_most(words.len(), 40) / 20.0,
        at_most(clauses, 4) / 2.0,
        at_most(among(&CONJUNCTIONS), 1),
        at_most(among(&KEYWORDS), 3),
        specific as f64 / words.len().max(1) as f64,
        at_most(among(&TEMPORAL), 2),
        f64::from(u8::from(tokens.first().is_some_and(|first| OPENERS.contains(first)))),
    ]
}

/// Marks between clauses: those with a space behind them, or the end.
fn marks(question: &str) -> usize {
    let mut letters = question.chars().peekable();
    let mut count = 0;
    while let Some(letter) = letters.next() {
        let ends = letters.peek().is_none_or(|next| next.is_whitespace());
        count += usize::from(ends && matches!(letter, ',' | ';' | ':'));
    }
    count
}

/// A name, a number, a term.
fn is_specific(word: &str, is_first: bool) -> bool {
    let word = word.trim_matches(MARKS);
    word.chars().any(|letter| letter.is_numeric() || "_-/@.".contains(letter))
        || word.chars().count() >= LONG_WORD
        || !is_first && word.chars().next().is_some_and(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_feature_sees_what_it_is_named_for() {
        let near = |question: &str, expected: [f64; FEATURES]| {
            let found = features(question);
            let same = found.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-9);
            assert!(same, "{question}: {found:?}, not {expected:?}");
        };
        near("What is the deposit?", [4.0 / 20.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        near(
            "Which user has the most failed orders, and who called after that?",
            // One comma, "who" and "that"; "and"; "most"; "after"; "which".
            [12.0 / 20.0, 1.5, 1.0, 1.0, 0.0, 1.0, 1.0],
        );
        near("Summarise E-4021 for Mara Lindt", [5.0 / 20.0, 0.0, 0.0, 1.0, 3.0 / 5.0, 0.0, 0.0]);
        near("", [0.0; FEATURES]);
    }

    proptest! {
        #[test]
        fn features_stay_small_whatever_is_asked(question in ".{0,600}") {
            let features = features(&question);
            prop_assert!(features.iter().all(|feature| (0.0..=3.0).contains(feature)), "{features:?}");
        }
    }
}
