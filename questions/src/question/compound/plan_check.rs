//! Whether parts that a small model proposes ask what the question asks: word for word, as far as words matter.
//!
//! [`super::proposed`] sees to it that each part can be read and that no value is invented or left out. A model that is too
//! small to be believed may still give one part's value to another, turn a superlative round or lose the one of whom a
//! part speaks, and its plan would be answered exactly and with citations. So here everything that bears meaning must
//! come back in its order:
//!
//! ```text
//!   question: for the user who has the most failed orders, how many of theirs are paid?
//!                     ▔▔▔▔             ▔▔▔▔ ▔▔▔▔▔▔        │     ▔▔▔▔    ▔▔▔▔▔▔     ▔▔▔▔
//!   parts:    which user has the most failed orders       │ how many orders of that user are paid
//! ```
//!
//! - every word but those of grammar, politeness and joining, in the same order ([`tokens()`]); one part ends and the next
//!   begins where something joins them, and a list where something of its own is asked for ([`fit`]);
//! - a word that speaks of somebody before ("theirs") makes a part that waits, and nothing else does; whom it means, and
//!   who "who" is, must be clear ([`who`], [`vocabulary`]);
//! - what is counted, in the same order; as many counts as were asked for;
//! - more, fewer and "compare" hold two parts against each other that are alike;
//! - in a sentence that asks, no word is left over that is not known to say nothing; one that does not ask may not
//!   restrict ("only", "ignore", "March").
//!
//! It is made to say no. What it rejects is asked as if nobody had proposed anything.

mod fit;
mod tokens;
mod vocabulary;
mod who;
mod words;

use std::collections::HashSet;

use super::super::fields::FieldHints;
use super::super::lexicon::in_singular;
use super::Part;
use crate::query::Reduction;
use fit::{Asked, Fitted, alike};
use tokens::{Kind, Token, tokens};
use vocabulary::Vocabulary;
use who::unclear;
use words::{ASKING, COMPARING, GRAMMAR, LOOSE, OPENING, ORDERING, RESTRICTING, WEIGHTY, Word, is_in, words};

/// Why the parts are not the question, in a few words; `None` if nothing speaks against them.
pub fn differs(question: &str, parts: &[Part], hints: &FieldHints) -> Option<String> {
    let values = values(parts);
    let whole = words(question, &values);
    let texts: Vec<Vec<Word>> = parts.iter().map(|part| words(&part.text, &values)).collect();
    let vocabulary = &Vocabulary::of(hints);
    let sentences: Vec<&[Word]> = whole.split_inclusive(Word::ends_sentence).collect();
    if let Some(word) =
        sentences.iter().filter(|sentence| !asks(vocabulary, sentence)).find_map(|talk| restricts(talk))
    {
        return Some(format!("\"{word}\" may restrict what is asked"));
    }
    let asking = sentences.iter().filter(|sentence| asks(vocabulary, sentence));
    let asked: Vec<Word> = asking.copied().flatten().cloned().collect();
    let used: HashSet<String> = texts.iter().flatten().map(|word| in_singular(&word.text)).collect();
    if let Some(word) = asked.iter().find(|word| !explains(vocabulary, word, &used)) {
        return Some(format!("no subtask says \"{}\"", word.text));
    }
    if let Some(word) = texts.iter().find_map(|text| invents(vocabulary, text, &whole)) {
        return Some(format!("\"{word}\" does not stand in it"));
    }
    if !same_nouns(vocabulary, &asked, &texts) {
        return Some("not the same things in the same order".to_owned());
    }
    if let Some(why) = miscounts(vocabulary, &asked, &texts) {
        return Some(why);
    }
    misfits(vocabulary, &asked, texts, parts)
}

/// Values of several words that the parts ask for, longer ones first.
fn values(parts: &[Part]) -> Vec<String> {
    let conditions = parts.iter().flat_map(|part| &part.query.conditions);
    let mut values: Vec<String> =
        conditions.map(|condition| condition.value.clone()).filter(|value| value.contains(' ')).collect();
    values.sort_unstable_by_key(|value| std::cmp::Reverse(value.len()));
    values
}

/// A word by which talk may be more than that: a name, too, may be what is looked at.
fn restricts(talk: &[Word]) -> Option<&str> {
    let has_number = |text: &str| text.chars().any(|c| c.is_ascii_digit());
    let is_clock = |text: &str| text.contains(':');
    let mut words = talk.iter().enumerate();
    let found = words.find(|(at, word)| {
        let text = word.text.as_str();
        let is_name = *at > 0 && word.capital && text.split('\'').next() != Some("i");
        is_in(RESTRICTING, text) || has_number(text) && !is_clock(text) || is_name
    });
    found.map(|(_, word)| word.text.as_str())
}

/// Whether a sentence asks for something.
fn asks(vocabulary: &Vocabulary, sentence: &[Word]) -> bool {
    let means = |(at, word): (usize, &Word)| {
        let next = sentence.get(at + 1).map_or("", |next| next.text.as_str());
        let word = word.text.as_str();
        let end = matches!(word, "first" | "last") && vocabulary.is_thing(next);
        end || is_in(WEIGHTY, word)
            || vocabulary.is_value(word)
            || !vocabulary.is_noun(word) && vocabulary.field(word).is_some()
    };
    sentence.iter().any(|word| word.asks() || is_in(ASKING, &word.text))
        || sentence.first().is_some_and(|word| is_in(OPENING, &word.text))
        || sentence.iter().take(3).any(|word| is_in(ORDERING, &word.text))
        || sentence.iter().enumerate().any(means)
}

/// Whether a word of an asking sentence is said by a part, or says nothing.
fn explains(vocabulary: &Vocabulary, word: &Word, used: &HashSet<String>) -> bool {
    let text = word.text.as_str();
    let may_go = is_in(LOOSE, text) || is_in(ORDERING, text) || vocabulary.counts(text);
    used.contains(&in_singular(text))
        || may_go
        || vocabulary.is_noun(text)
        || vocabulary.field(text).is_some()
}

/// A word of a part that the question does not say.
fn invents<'text>(vocabulary: &Vocabulary, text: &'text [Word], question: &[Word]) -> Option<&'text str> {
    let said: HashSet<String> = question.iter().map(|word| in_singular(&word.text)).collect();
    let mut before = "";
    for word in text {
        let word = word.text.as_str();
        let stands = said.contains(&in_singular(word))
            || is_in(GRAMMAR, word)
            // "How many of theirs": what is counted was said before.
            || vocabulary.is_noun(word)
            || (before == "which" || before == "that") && vocabulary.field(word).is_some();
        if !stands {
            return Some(word);
        }
        before = word;
    }
    None
}

/// Whether parts speak of the records that the question speaks of, in its order. What it leaves out is what it said
/// last.
fn same_nouns(vocabulary: &Vocabulary, asked: &[Word], texts: &[Vec<Word>]) -> bool {
    let is_noun = |word: &&Word| vocabulary.is_noun(&word.text) && !vocabulary.is_value(&word.text);
    let mut wanted: Vec<String> = asked.iter().filter(is_noun).map(|word| in_singular(&word.text)).collect();
    wanted.dedup();
    let mut said: Vec<String> =
        texts.iter().flatten().filter(is_noun).map(|word| in_singular(&word.text)).collect();
    said.dedup();
    said == wanted || wanted.is_empty() && said.len() == 1
}

/// What is wrong with how often is counted, or with what is held against each other.
fn miscounts(vocabulary: &Vocabulary, asked: &[Word], texts: &[Vec<Word>]) -> Option<String> {
    let counting = |words: &[Word]| words.iter().filter(|word| vocabulary.counts(&word.text)).count();
    let saying = |list: &str| asked.iter().filter(|word| is_in(list, &word.text)).count();
    let (counts, counted) = (counting(asked), texts.iter().map(|text| counting(text)).sum::<usize>());
    let room = 2 * saying("more fewer compare") + saying("number count");
    if counted < counts || counted > counts + room {
        return Some(format!("it asks {counts} times how many, {counted} subtasks do"));
    }
    let number =
        |at: usize| asked.get(at).is_some_and(|word| word.text.starts_with(|c: char| c.is_ascii_digit()));
    let compares = asked.iter().enumerate().any(|(at, word)| match word.text.as_str() {
        "compare" => true,
        "than" => !number(at + 1),
        text if is_in(COMPARING, text) => {
            let than = asked.get(at + 1).is_some_and(|word| word.text == "than");
            !number(if than { at + 2 } else { at + 1 })
        }
        _ => false,
    });
    (compares && !texts.windows(2).any(|pair| alike(&pair[0], &pair[1])))
        .then(|| "it holds two things against each other, and no two subtasks are alike".to_owned())
}

/// What is wrong with the order of what they say, or with what they wait for.
fn misfits(vocabulary: &Vocabulary, asked: &[Word], texts: Vec<Vec<Word>>, parts: &[Part]) -> Option<String> {
    let counting = |words: &[Word]| words.iter().filter(|word| vocabulary.counts(&word.text)).count();
    // A comparison asks for counts without saying so.
    let with_counts = counting(asked) == texts.iter().map(|text| counting(text)).sum::<usize>();
    let wanted = tokens(vocabulary, asked, with_counts);
    let fitted: Vec<Fitted> = texts
        .into_iter()
        .zip(parts)
        .map(|(words, part)| {
            let lists = matches!(part.query.reduction, Reduction::List | Reduction::Exists);
            Fitted { tokens: tokens(vocabulary, &words, with_counts), words, lists }
        })
        .collect();
    let places: Vec<usize> = wanted.iter().filter(|token| token.is_before()).map(|token| token.at).collect();
    let waiting = parts.iter().filter(|part| part.needs.is_some()).count();
    let persons = vocabulary.persons();
    let question = Asked { words: asked, tokens: &wanted, vocabulary, persons: &persons };
    if !question.fits(&fitted, 0) {
        let saying = |tokens: &[Token]| {
            tokens.iter().filter(|token| matches!(token.kind, Kind::Says(_) | Kind::Who)).count()
        };
        let as_many = saying(&wanted) == fitted.iter().map(|part| saying(&part.tokens)).sum::<usize>();
        if as_many && places.len() != waiting {
            return Some(not_waiting(places.len(), waiting));
        }
        return Some("not the same values, measures and superlatives in the same order".to_owned());
    }
    if places.len() != waiting {
        return Some(not_waiting(places.len(), waiting));
    }
    unclear(vocabulary, asked, &places, parts).map(|word| format!("\"{word}\" may speak of several"))
}

fn not_waiting(spoken: usize, waiting: usize) -> String {
    format!("it speaks {spoken} times of what was found before, {waiting} subtasks do")
}
