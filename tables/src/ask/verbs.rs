//! Verbs of a question: which carry nothing, which may hide a condition, and which unknown word stands where a verb stands.
//!
//! `How many notes did ada write?` asks for ada's notes whatever the verb is. `How many orders were returned in March?` may
//! speak of a condition that the file does not know. A verb that is passed over costs confidence unless it says nothing.

use super::conditions::is_money;
use super::frame::Parser;
use super::lexicon::Word;
use super::loose;
use super::pieces::{Meaning, Piece};
use super::recast;
use super::verb_words::{Verb, verb};
use crate::column::Kind;
use crate::table::Table;
use crate::{states, vocabulary, words};

/// What it costs to pass over a verb that says what happened to the records.
const ACTION: u32 = 3;

/// What it costs to take an unknown word for a verb.
const UNKNOWN_VERB: u32 = 4;

/// What it costs to take an unknown word for the name of the records.
const UNKNOWN_NOUN: u32 = 4;

/// Names of columns that say what became of a record. A verb may then speak of it.
const FATES: &[&str] =
    &["status", "state", "action", "event", "type", "result", "outcome", "zustand", "aktion"];

/// Words that stand behind a verb.
const BEHIND_VERBS: &[&str] = &[
    "in", "on", "at", "from", "to", "for", "with", "during", "through", "into", "onto", "by", "via", "over",
    "than", "im", "am", "von", "mit", "bei", "per", "aus", "nach", "für", "zu", "auf", "durch", "über",
];

/// Pronouns that can be a verb's subject.
const PRONOUNS: &[&str] = &["we", "they", "you", "i", "it", "wir", "sie", "man", "everybody", "everyone"];

/// Gives unknown words the part that the question leaves them: one that stands where the records are named, and one that stands
/// where nothing but a verb can. Both cost so much that no answer with them counts as sure.
pub(super) fn place_unknown(table: &Table, pieces: &mut [Piece]) {
    // What says nothing of this table at all is no question about it.
    if !pieces.iter().any(has_content) {
        return;
    }
    let noun = (1..pieces.len())
        .find(|index| pieces[*index].is_unknown() && names_the_records(table, pieces, *index));
    if let Some(index) = noun {
        let note = format!("\"{}\" was taken for the records of the file", pieces[index].text);
        pieces[index].options = vec![(Meaning::Word(Word::Records), UNKNOWN_NOUN)];
        pieces[index].note = Some(note);
    }
    // `how many bytes did [the server] send`: who does it, where nothing of the file says who.
    let actor = (2..pieces.len()).find(|index| {
        let piece = &pieces[*index];
        let has_article = matches!(
            pieces[index - 1].text.to_lowercase().as_str(),
            "the" | "our" | "my" | "der" | "die" | "das" | "unsere" | "unser"
        );
        let acts = pieces.get(index + 1).is_some_and(|next| {
            next.options.first().is_some_and(|(meaning, _)| *meaning == Meaning::Word(Word::Verb))
                || next.is_unknown()
                    && pieces.get(index + 2).is_none_or(|after| after.options.iter().any(is_condition))
        });
        let is_behind_auxiliary = pieces[..index - 1].last().is_some_and(|before| is_auxiliary(&before.text))
            || pieces[..index - 1]
                .last()
                .is_some_and(|before| matches!(before.text.to_lowercase().as_str(), "hat" | "haben"));
        piece.is_unknown() && has_article && acts && is_behind_auxiliary
    });
    if let Some(index) = actor {
        pieces[index].note = Some(format!("\"{}\" was passed over", pieces[index].text));
        pieces[index].options = vec![(Meaning::Word(Word::Noise), UNKNOWN_NOUN)];
    }
    let has_fates = table.columns.iter().any(|column| {
        column.is_text() && words::parts(&column.name).iter().any(|part| FATES.contains(&part.as_str()))
    });
    let auxiliary = pieces.iter().position(|piece| is_auxiliary(&piece.text));
    let verb = (1..pieces.len()).find(|index| {
        let piece = &pieces[*index];
        let is_plain = piece.text.chars().all(char::is_lowercase) && piece.text.chars().count() > 2;
        // `which vet earned the most` asks for an amount.
        let is_of_most = asks_for_the_most(pieces, *index);
        let speaks_of = |column: &usize| loose::speaks_of(table, &piece.text, *column);
        // `which job fails most often` says which rows.
        let is_state = || states::other_states(&piece.text).next().is_some();
        let says_more = is_of_most && (table.measures().iter().any(speaks_of) || is_state());
        if !is_plain || !piece.is_unknown() || says_more {
            return false;
        }
        let next = pieces.get(index + 1);
        let may_follow = next.is_none_or(|next| {
            BEHIND_VERBS.contains(&next.text.to_lowercase().as_str())
                || next.options.iter().any(is_condition)
                || next.options.first() == Some(&(Meaning::Word(Word::Per), 0))
        });
        let behind_auxiliary = !has_fates
            && auxiliary.is_some_and(|auxiliary| auxiliary + 1 < *index)
            && is_subject(&pieces[index - 1])
            && may_follow;
        // `orders [reached] Berlin`: what it says, the condition behind it says again.
        let behind_subject = is_subject(&pieces[index - 1])
            && next.is_some()
            && may_follow
            && pieces[index + 1..].iter().any(|piece| piece.options.iter().any(is_condition));
        behind_auxiliary
            || behind_subject
            || !has_fates && is_participle(pieces, *index)
            || is_of_most
            // `an wie vielen Tagen wurde geliefert` of a file of deliveries
            || next.is_none()
                && ["t", "en", "ed"].iter().any(|end| piece.text.ends_with(end))
                && is_of_the_table(table, &piece.text)
    });
    if let Some(index) = verb {
        pieces[index].options = vec![(Meaning::Word(Word::Verb), UNKNOWN_VERB)];
    }
}

/// Whether a piece names something of this table.
fn has_content(piece: &Piece) -> bool {
    piece.options.iter().any(|(meaning, _)| {
        !matches!(meaning, Meaning::Unknown | Meaning::Number(_) | Meaning::Text(_) | Meaning::Word(_))
    })
}

fn is_condition((meaning, _): &(Meaning, u32)) -> bool {
    matches!(
        meaning,
        Meaning::Value { .. }
            | Meaning::InText { .. }
            | Meaning::Time(_)
            | Meaning::Hundreds(_)
            | Meaning::Absent(_)
            | Meaning::Holds(_)
            | Meaning::Word(Word::Compare(_) | Word::Between)
    )
}

/// `how many [parcels] from Berlin`, `which [parcels]`, `the Berlin [parcels]`: where the records are named, if nothing else names them.
fn names_the_records(table: &Table, pieces: &[Piece], index: usize) -> bool {
    let piece = &pieces[index];
    let low = piece.text.to_lowercase();
    let is_plural = low.ends_with('s') || ["people", "men", "women", "children"].contains(&low.as_str());
    let is_german_noun = piece.text.starts_with(char::is_uppercase);
    // `a ticket`, `per inspection`, `the high priority ticket`
    let may_be_one = index > 0
        && (matches!(
            pieces[index - 1].text.to_lowercase().as_str(),
            "a" | "an" | "per" | "each" | "every" | "pro" | "je" | "which"
        ) || matches!(pieces[index - 1].options.first(), Some((Meaning::Word(Word::Most(_)), _)))
            || pieces[index - 1].options.iter().any(|(meaning, _)| matches!(meaning, Meaning::Column(_)))
                && index > 1
                && pieces[index - 2]
                    .options
                    .iter()
                    .any(|(meaning, _)| matches!(meaning, Meaning::Value { .. })));
    if low.chars().count() < 3
        || !low.chars().all(char::is_alphabetic)
        || !is_plural && !is_german_noun && !may_be_one
    {
        return false;
    }
    // `which antibiotic is she on` asks for something that no column holds, unless the question ranks: `which parcel was the heaviest`.
    let is_which = index > 0
        && pieces[index - 1]
            .options
            .first()
            .is_some_and(|(meaning, _)| *meaning == Meaning::Word(Word::Which));
    let ranks = pieces.iter().any(|piece| {
        piece.options.iter().any(|(meaning, _)| {
            matches!(meaning, Meaning::Word(Word::Extreme(..) | Word::Most(_) | Word::Count))
        })
    });
    if is_which && !is_plural && (!ranks || vocabulary::names_columns(&low)) && !recast::names_records(&low) {
        return false;
    }
    // `how many juniors` of a column that says of each whether he is one, `how many visitors` of one that counts them.
    let says_which = |column: &usize| {
        matches!(table.columns[*column].kind, Kind::Boolean { .. }) || loose::counts_things(table, *column)
    };
    if low.chars().count() > 5 && loose::columns_of(table, &low).iter().any(says_which) {
        return false;
    }
    // `how many calories`: a quantity is no record.
    if loose::is_quantity(&low) {
        return false;
    }
    let names_them = |piece: &Piece| {
        piece.options.iter().any(|(meaning, _)| {
            matches!(meaning, Meaning::Noun | Meaning::Word(Word::Records | Word::People))
        })
    };
    if pieces.iter().any(names_them) {
        return false;
    }
    // An unknown word before a name is a condition.
    // But `cars entered in May` says when, and `cars parked` whether.
    let is_named_behind = |next: &Piece| {
        let is_name = |(meaning, _): &(Meaning, u32)| {
            matches!(meaning, Meaning::Column(column)
                if !table.columns[*column].is_moment() && !matches!(table.columns[*column].kind, Kind::Boolean { .. }))
        };
        next.is_unknown() && !may_be_one || next.options.iter().any(is_name)
    };
    if pieces.get(index + 1).is_some_and(is_named_behind) {
        return false;
    }
    let is = |piece: &Piece, test: fn(&Meaning) -> bool| {
        piece.options.first().is_some_and(|(meaning, _)| test(meaning))
    };
    let before = pieces[..index]
        .iter()
        .rev()
        .find(|piece| !is(piece, |meaning| *meaning == Meaning::Word(Word::Noise)));
    let is_singular_of_many = || {
        let article = pieces[index - 1].text.to_lowercase();
        matches!(article.as_str(), "a" | "an" | "ein" | "eine" | "einer" | "einem" | "einen")
    };
    before.is_some_and(|before| {
        is(before, |meaning| {
            matches!(
                meaning,
                Meaning::Word(Word::Count | Word::Which | Word::List | Word::Most(_) | Word::Per)
            )
        }) || is_singular_of_many()
            || may_be_one
            || is(before, |meaning| matches!(meaning, Meaning::Value { .. } | Meaning::InText { .. }))
    })
}

/// `were [shelved] in March`, `wurden von Ada [gegossen]`: behind a form of be or have, with a condition beside it.
fn is_participle(pieces: &[Piece], index: usize) -> bool {
    const ENDINGS: &[&str] = &["ed", "en", "t"];
    let text = &pieces[index].text;
    ENDINGS.iter().any(|ending| text.ends_with(ending))
        && pieces[..index].iter().any(|piece| verb(&piece.text.to_lowercase()) == Verb::Auxiliary)
        && pieces.iter().any(|piece| {
            piece.options.iter().any(|option| is_condition(option) || option.0 == Meaning::Word(Word::Per))
        })
        && pieces.get(index + 1).is_none_or(|next| {
            BEHIND_VERBS.contains(&next.text.to_lowercase().as_str()) || next.options.iter().any(is_condition)
        })
}

fn is_auxiliary(text: &str) -> bool {
    matches!(text.to_lowercase().as_str(), "did" | "does" | "do" | "didn't" | "doesn't" | "don't")
}

fn is_subject(piece: &Piece) -> bool {
    PRONOUNS.contains(&piece.text.to_lowercase().as_str())
        || piece.options.iter().any(|(meaning, _)| {
            matches!(
                meaning,
                Meaning::Value { .. }
                    | Meaning::Column(_)
                    | Meaning::Noun
                    | Meaning::Word(Word::People | Word::Records)
            )
        })
}

/// `who [wrote] the most`, `which path [produced] the most`.
fn asks_for_the_most(pieces: &[Piece], index: usize) -> bool {
    let is = |piece: &Piece, test: fn(Word) -> bool| {
        piece.options.iter().any(|(meaning, _)| matches!(meaning, Meaning::Word(word) if test(*word)))
    };
    let asked = is(&pieces[index - 1], |word| word == Word::Who)
        || index >= 2 && is(&pieces[index - 2], |word| word == Word::Which) && is_subject(&pieces[index - 1]);
    let next = pieces[index + 1..].iter().find(|piece| !is(piece, |word| word == Word::Noise));
    asked && next.is_some_and(|next| is(next, |word| matches!(word, Word::Most(_) | Word::Extreme(..))))
}

impl Parser<'_> {
    /// Counts the verbs that were passed over though they may say something.
    pub(super) fn doubt_verbs(&mut self) {
        let says_nothing =
            |meaning: &Meaning| matches!(meaning, Meaning::Word(Word::Noise | Word::Verb | Word::InTotal));
        let last = self.pieces.iter().rposition(|meaning| !says_nothing(meaning)).map_or(0, |last| last + 1);
        let is_active = self.texts.iter().any(|text| is_auxiliary(text));
        for index in 0..self.pieces.len() {
            if self.pieces[index] != Meaning::Word(Word::Verb) {
                continue;
            }
            let word = words::fold(&self.texts[index]);
            let spoken_of = self.measured_by(&word);
            if !spoken_of.is_empty() {
                self.frame.measure.by_verb.extend(spoken_of);
                continue;
            }
            // `who paid the most`: of money, and not how often.
            let is_paid = |column: &usize| {
                is_money(&self.table.columns[*column]) && loose::speaks_of(self.table, &word, *column)
            };
            if self.frame.rank.most.is_some() {
                let paid: Vec<usize> = self.table.measures().into_iter().filter(is_paid).collect();
                self.frame.measure.by_verb.extend(paid);
            }
            let is_bare = index >= last;
            let of_a_number =
                matches!(self.pieces.get(index + 1), Some(Meaning::Number(_) | Meaning::Hundreds(_)));
            let cost = match verb(&word) {
                _ if is_of_the_table(self.table, &word) => continue,
                Verb::Auxiliary => continue,
                Verb::Action if of_a_number => continue,
                Verb::Plain if !is_bare || is_active => continue,
                // With nothing behind it, a verb may be a condition that the file does not know.
                Verb::Action if !is_bare => ACTION,
                Verb::Action | Verb::Plain => ACTION + 1,
                Verb::Unknown => 0,
            };
            self.frame.doubt.notes.push(format!("\"{}\" was not taken as a condition", self.texts[index]));
            self.frame.doubt.guesses += cost;
        }
    }
}

impl Parser<'_> {
    /// The columns of numbers of which a verb speaks: `use` of `usage`, `verbraucht` of `Verbrauch`.
    fn measured_by(&self, verb: &str) -> Vec<usize> {
        let root = words::verb_root(verb);
        let speaks_of = |part: &String| {
            vocabulary::are_synonyms(verb, part)
                || root == words::verb_root(part)
                || root.len() >= 5 && part.starts_with(&root)
        };
        (0..self.table.columns.len())
            .filter(|column| self.table.columns[*column].is_numeric())
            .filter(|column| words::parts(&self.table.columns[*column].name).iter().any(speaks_of))
            .collect()
    }
}

/// Whether a verb is what every record of the file is about: bookings are `booked`, downloads `downloaded`.
fn is_of_the_table(table: &Table, verb: &str) -> bool {
    let verb = verb.split(' ').next().unwrap_or(verb);
    verb.chars().count() > 3
        && table.nouns.iter().any(|noun| {
            words::same_word(noun, verb)
                || vocabulary::are_synonyms(noun, verb)
                || words::verb_root(noun) == words::verb_root(verb)
        })
}
