//! Whether a question seems to take several steps, so that a planner is worth asking.

use crate::question::compound::MOST_PARTS;

/// Words before a relative pronoun among which the article of its noun stands: "the contract of sale that".
const NOUN_WORDS: usize = 4;

/// Whether a planner is worth asking: a question about these documents that may need something found out first. English, German
/// and French; in others it is asked as it is.
pub fn seems_to_have_steps(question: &str, documents: &[&str]) -> bool {
    let words: Vec<String> = question.split_whitespace().map(str::to_lowercase).collect();
    let bare: Vec<&str> = words.iter().map(|word| stripped(word)).collect();
    let clauses = clauses(&words, &bare);
    let speaks_of_another = clauses.iter().skip(1).any(|clause| clause.iter().any(|word| is_back(word)));
    // What is beyond any plan is asked as it is.
    clauses.len() <= MOST_PARTS
        && (has_relative(&words, &bare) || speaks_of_another || named(&bare, documents) > 1)
}

/// A word without the marks around it, and without an article that an apostrophe joins to it.
fn stripped(word: &str) -> &str {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    bare.rsplit_once(['\'', '’'])
        .map_or(bare, |(before, behind)| if before.len() < 3 { behind } else { bare })
}

/// The questions in a text, as their words: they begin behind a mark, or with a word that asks behind one that joins.
fn clauses<'a>(words: &[String], bare: &[&'a str]) -> Vec<Vec<&'a str>> {
    let mut clauses: Vec<Vec<&str>> = vec![Vec::new()];
    for (at, word) in bare.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| (bare[before], words[before].as_str()));
        let begins = before.is_some_and(|(joint, written)| {
            written.ends_with(['?', '!', ';'])
                || ASKING.contains(word) && JOINTS.contains(&joint)
                || ASKING.contains(word) && written.ends_with(',') && !is_relative(word)
        });
        if begins {
            clauses.push(Vec::new());
        }
        if let Some(clause) = clauses.last_mut() {
            clause.push(word);
        }
    }
    clauses
}

fn is_relative(word: &str) -> bool {
    [RELATIVE_EN, RELATIVE_DE, RELATIVE_FR].iter().any(|words| words.contains(&word))
}

/// Whether a definite thing is told by what is said of it: "the contract that replaced …".
fn has_relative(words: &[String], bare: &[&str]) -> bool {
    (2..bare.len().saturating_sub(1)).any(|at| {
        let (word, before) = (bare[at], &bare[at.saturating_sub(NOUN_WORDS)..at]);
        let behind_comma = words[at - 1].ends_with(',');
        let definite =
            |articles: &[&str]| before[..before.len() - 1].iter().any(|word| articles.contains(word));
        RELATIVE_EN.contains(&word)
            && definite(&["the", "this", "its", "their"])
            && !NO_NOUN.contains(&bare[at - 1])
            || RELATIVE_DE.contains(&word) && behind_comma && definite(ARTICLES_DE)
            || RELATIVE_FR.contains(&word) && (definite(ARTICLES_FR) || has_elision(&words[at - 1]))
    })
}

/// "l'avenant"
fn has_elision(word: &str) -> bool {
    word.starts_with("l'") || word.starts_with("l’")
}

fn is_back(word: &str) -> bool {
    BACK.contains(&word)
}

/// How many documents a question names by a word that no other has in its name.
fn named(bare: &[&str], documents: &[&str]) -> usize {
    let words_of = |name: &str| {
        let name = name.rsplit(['/', '\\']).next().unwrap_or(name).to_lowercase();
        let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem).to_owned();
        let words: Vec<String> = stem.split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect();
        words
    };
    // More names than anybody writes into a question are not compared each with each.
    let names: Vec<Vec<String>> = documents.iter().take(64).map(|name| words_of(name)).collect();
    let is_own = |at: usize, word: &String| {
        word.chars().count() > 3
            && bare.contains(&word.as_str())
            && !names.iter().enumerate().any(|(other, words)| other != at && words.contains(word))
    };
    names.iter().enumerate().filter(|(at, words)| words.iter().any(|word| is_own(*at, word))).count()
}

const JOINTS: &[&str] = &["and", "then", "und", "dann", "et", "puis"];
const ASKING: &[&str] = &[
    "who", "whose", "whom", "what", "when", "where", "which", "why", "how", "wer", "wen", "wem", "wessen",
    "was", "wann", "wo", "welche", "welcher", "welches", "welchen", "welchem", "warum", "wie", "wieviel",
    "qui", "quand", "où", "quel", "quelle", "quels", "quelles", "pourquoi", "comment", "combien", "did",
    "does", "hat", "ist",
];
const RELATIVE_EN: &[&str] = &["that", "which", "who", "whose", "whom"];
/// Words before "that" which are no noun: "Does the lease say that …", "for that user".
const NO_NOUN: &[&str] = &[
    "say", "says", "said", "state", "states", "stated", "mean", "means", "true", "claim", "claims", "show",
    "shows", "so", "such", "require", "requires", "provide", "provides", "know", "of", "for", "in", "on",
    "at", "by", "with", "to", "and", "or", "than", "agree",
];
const RELATIVE_DE: &[&str] = &[
    "der", "die", "das", "den", "dem", "deren", "dessen", "welcher", "welche", "welches", "welchen",
    "welchem",
];
const ARTICLES_DE: &[&str] = &["der", "die", "das", "den", "dem", "des", "diese"];
const RELATIVE_FR: &[&str] = &["qui", "que", "dont", "lequel"];
const ARTICLES_FR: &[&str] = &["le", "la", "les", "du", "des", "au", "cette"];
/// Words that speak of something said before.
const BACK: &[&str] = &[
    "it", "its", "they", "them", "their", "he", "she", "him", "his", "her", "this", "that", "these", "those",
    "one", "ihn", "ihm", "ihr", "ihre", "ihren", "ihrer", "sein", "seine", "seinen", "seiner", "dieser",
    "diese", "dieses", "diesen", "diesem", "es", "il", "elle", "ils", "elles", "lui", "ce", "cette", "son",
    "sa", "ses", "leur",
];

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENTS: &[&str] = &["lease.txt", "amendment.txt", "minutes.txt"];

    #[test]
    fn what_may_need_something_first_is_worth_a_planner_and_nothing_else_is() {
        for question in [
            "Who signed the contract that replaced the 2019 lease?",
            "Which meeting approved the budget, and who chaired it?",
            "What did the auditor of the company whose shares were sold find?",
            "Who chairs the board? When was she elected?",
            "Wer hat den Vertrag unterschrieben, der den Mietvertrag von 2019 ersetzt hat?",
            "Welche Sitzung beschloss den Haushalt, und wer leitete sie? Wann fand diese statt?",
            "Qui a signé l'avenant qui remplace le bail de 2019 ?",
            "What do lease and minutes say of the roof?",
        ] {
            assert!(seems_to_have_steps(question, DOCUMENTS), "{question}");
        }
        for question in [
            "What is the deposit?",
            "What do landlord and tenant owe each other?",
            "Does the lease say that the tenant pays for repairs?",
            "What obligations does someone take on who conveys a covered work in object code form, and when does the license \
             terminate?",
            "Wie hoch ist die Miete, und wann ist sie fällig?",
            "Quel est le loyer ?",
            "What is the rent, and when was the board elected?",
            "",
        ] {
            assert!(!seems_to_have_steps(question, &DOCUMENTS[..1]), "{question}");
        }
    }
}
