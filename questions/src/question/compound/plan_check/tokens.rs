//! What bears meaning in a question or part, in its order.
//!
//! ```text
//!   who has the most failed orders, and what is their largest amount?
//!   ?           most failed       │           @       largest amount       │: a mark or a word that joins
//! ```

use super::super::super::lexicon::in_singular;
use super::vocabulary::Vocabulary;
use super::words::{
    ASKING, BOUNDS, COMPARING, HEADS, HOLDING, IT, JOINING, LOOSE, OPENING, ORDERING, THEY, WEIGHTY, Word,
    is_in,
};

/// A word, or what it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    /// What stands between the one before and this one.
    pub joint: Joint,
    /// Whether something of its own is asked for there.
    pub heads: bool,
    /// Its place among the words.
    pub at: usize,
}

/// What a token says.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// This: a value, a measure, a field by the name that the documents give it.
    Says(String),
    /// What records are called, behind "which". A question may ask for such a one in other words.
    WhichRecord(String),
    /// Somebody, whatever the documents call them.
    Who,
    /// Somebody or something before; with the noun, if there is one.
    Before(Option<String>),
}

/// How two tokens are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Joint {
    /// They are not.
    None,
    /// One part may end there.
    Loose,
    /// One part ends there, unless it has such a joint itself.
    Firm,
}

impl Token {
    /// Whether it speaks of what was found before.
    pub fn is_before(&self) -> bool {
        matches!(self.kind, Kind::Before(_))
    }

    /// Whether a part may say it where the question does not.
    pub fn may_lack(&self) -> bool {
        matches!(self.kind, Kind::WhichRecord(_))
    }
}

/// The tokens of a text. `with_counts`: "how many" too.
pub fn tokens(vocabulary: &Vocabulary, text: &[Word], with_counts: bool) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let (mut joint, mut heads, mut at) = (Joint::None, false, 0);
    while at < text.len() {
        if at > 0 && text[at - 1].mark.is_some() {
            joint = Joint::Firm;
        }
        heads |= is_in(HEADS, &text[at].text);
        let (read, taken) = token(vocabulary, text, at, with_counts);
        match read {
            Read::Token(kind) => {
                tokens.push(Token { kind, joint, heads, at });
                (joint, heads) = (Joint::None, false);
            }
            Read::Joint(found) => joint = joint.max(found),
            Read::Nothing => {}
        }
        at += taken;
    }
    tokens
}

/// What stands at a place, and how many words it has.
fn token(vocabulary: &Vocabulary, text: &[Word], at: usize, with_counts: bool) -> (Read, usize) {
    let behind = |far: usize| text.get(at + far).map_or("", |word| word.text.as_str());
    let before = at.checked_sub(1).and_then(|at| text.get(at));
    let marked = text[at].mark.is_some();
    let (word, next) = (text[at].text.as_str(), behind(1));
    let says = |word: String| (Read::Token(Kind::Says(word)), 1);
    if vocabulary.is_value(word) {
        return says(word.to_owned());
    }
    if vocabulary.points(text, at) {
        return (Read::Token(Kind::Before(Some(in_singular(next)))), 2);
    }
    if is_in(THEY, word) || is_in(IT, word) {
        return (Read::Token(Kind::Before(None)), 1);
    }
    if matches!(word, "which" | "whichever" | "what") && vocabulary.is_noun(next) {
        return (Read::Token(Kind::WhichRecord(in_singular(next))), 2);
    }
    if matches!(word, "who" | "whoever" | "whom") {
        // "The user who …" is one and the same.
        let names = |word: &Word| vocabulary.is_noun(&word.text) || vocabulary.field(&word.text).is_some();
        let goes_on = before.is_some_and(|word| word.mark.is_none() && names(word));
        return (if goes_on { Read::Nothing } else { Read::Token(Kind::Who) }, 1);
    }
    let asks_next = [ASKING, OPENING, ORDERING].iter().any(|list| is_in(list, next));
    // "Besides, how many …", "after that, …" and "first, who …" say nothing; "besides mara", "after noon" and "their
    // first and last order" do.
    let only_joins = match word {
        "besides" => marked || asks_next,
        "after" => matches!(next, "that" | "this"),
        "first" | "last" => {
            let leads = marked || asks_next || is_in("of tell let please can could do", next);
            leads && !vocabulary.is_thing(next)
        }
        _ => is_in(JOINING, word),
    };
    if only_joins {
        return (Read::Joint(Joint::Firm), 1);
    }
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let bound = if next == "than" { behind(2) } else { next };
    let bounds = is_number(bound) && (is_in(BOUNDS, word) || is_in(COMPARING, word));
    if matches!(word, "first" | "last" | "after") || bounds || is_in(WEIGHTY, word) {
        return says(word.to_owned());
    }
    let field = vocabulary.field(word);
    if vocabulary.counts(word) {
        return if with_counts { says("many".to_owned()) } else { (Read::Nothing, 1) };
    }
    // "The log shows".
    let lists = !before.is_some_and(|word| is_in("log logs file did does", &word.text));
    if matches!(word, "list" | "show" | "name") && lists && field.is_none() {
        return says(word.to_owned());
    }
    if is_in(HOLDING, word) {
        return (Read::Joint(Joint::Loose), 1);
    }
    if vocabulary.is_noun(word) {
        return (Read::Nothing, 1);
    }
    match field {
        Some(field) => says(field),
        None if is_in(LOOSE, word) || matches!(word, "list" | "show" | "name") => (Read::Nothing, 1),
        None => says(in_singular(word)),
    }
}

/// What was read at a place.
enum Read {
    Token(Kind),
    Joint(Joint),
    Nothing,
}
