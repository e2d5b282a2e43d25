//! Questions that need no model to be understood.
//!
//! The parser is made to say no. It knows a few sentence patterns; every word of a question must
//! have its place in one of them, every field must be one of the documents', every value must
//! stand in the question, and two readings that differ are no reading. What it refuses goes to a
//! model ([`super::compile`]) or is answered in words: a wrong query would be counted exactly and
//! with citations.

use super::fields::FieldHints;
use super::lexicon::{LARGEST, SMALLEST};
use super::phrase::{Field, Noun, OpenEnd, Phrase};
use super::tokens::tokens;
use crate::query::{Comparison, Condition, Query, Reduction};

/// Conditions that a query may have.
pub const MOST_CONDITIONS: usize = 4;

const GREETINGS: [&str; 12] = [
    "please",
    "can you tell me",
    "could you tell me",
    "can you please tell me",
    "can you",
    "could you",
    "in this file ,",
    "in this file",
    "in this log ,",
    "in this log",
    "in the log ,",
    "from this log :",
];

const ASKING: [&str; 23] = [
    "what is",
    "what's",
    "what 's",
    "what was",
    "what are",
    "what were",
    "which is",
    "which was",
    "which are",
    "show me",
    "show",
    "give me",
    "tell me",
    "find me",
    "find",
    "get",
    "calculate",
    "compute",
    "determine",
    "report",
    "print",
    "name",
    "list",
];

const CLOSINGS: [&str; 27] = [
    ", please",
    "are in the log",
    "are in this log",
    "are in this file",
    "are in the file",
    "in total",
    "altogether",
    "in all",
    "please",
    "are there",
    "were there",
    "there are",
    "do we have",
    "exist",
    "in this file",
    "in the file",
    "in these files",
    "in the files",
    "in this log",
    "in the log",
    "in the logs",
    "in this document",
    "in the document",
    "in these documents",
    "in the documents",
    "in the data",
    "are logged",
];

/// Reads a question; `None` unless it can be read in one way only.
pub fn parse(question: &str, hints: &FieldHints) -> Option<Query> {
    let tokens = tokens(question)?;
    let mut start = Phrase::new(question, &tokens, hints);
    while start.eat_any(&GREETINGS).is_some() {}

    let patterns: [fn(&mut Phrase) -> Option<Query>; 14] = [
        count,
        exists,
        does_any,
        list,
        list_field,
        find,
        find_which,
        total_or_mean,
        extreme,
        extreme_of,
        end,
        end_field,
        most,
        most_common,
    ];
    let mut readings: Vec<Query> = Vec::new();
    for pattern in patterns {
        let mut phrase = start.clone();
        let Some(query) = pattern(&mut phrase) else { continue };
        while phrase.eat_any(&CLOSINGS).is_some() {}
        if phrase.is_done() && !readings.contains(&query) {
            readings.push(query);
        }
    }
    let query = readings.pop().filter(|_| readings.is_empty())?;
    is_sound(&query).then_some(query)
}

/// Whether the conditions can hold together and say something about what is asked.
fn is_sound(query: &Query) -> bool {
    let conditions = &query.conditions;
    let asked = [&query.measure, &query.report];
    let fixed = |field: &str| {
        let equal =
            |condition: &&Condition| condition.field == field && condition.comparison == Comparison::Equal;
        conditions.iter().filter(equal).count()
    };
    let contradictory = conditions.iter().any(|condition| fixed(&condition.field) > 1);
    let begs_the_question = asked.iter().any(|field| field.as_ref().is_some_and(|field| fixed(field) > 0));
    conditions.len() <= MOST_CONDITIONS && !contradictory && !begs_the_question
}

fn query(
    phrase: &mut Phrase,
    reduction: Reduction,
    measure: Option<String>,
    report: Option<String>,
) -> Query {
    Query { reduction, measure, report, conditions: std::mem::take(&mut phrase.conditions) }
}

/// The records that a question counts, lists or tests: not the values of a field that many share.
fn records(phrase: &mut Phrase) -> Option<()> {
    if phrase.attempt(Phrase::level_noun).is_none() {
        match phrase.noun()? {
            Noun::Record | Noun::Key(_) => {}
            Noun::Field(_) => return None,
        }
    }
    phrase.restrictions();
    Some(())
}

/// What stands after a measured field: "of failed orders", "of mara.lindt", "with status failed".
fn among(phrase: &mut Phrase) {
    let whole = phrase.attempt(|phrase| {
        phrase.eat_any(&["of", "among", "for", "in", "across", "over", "from"])?;
        records(phrase)
    });
    if whole.is_none() {
        // "the total amount paid" is not the amount of paid orders.
        phrase.open_end = OpenEnd::Word;
        phrase.restrictions();
    }
}

/// That what is counted stands in the documents.
const FOUND: [&str; 12] = [
    "are there",
    "were there",
    "do we have",
    "did we have",
    "did the log show",
    "does the log show",
    "did the log have",
    "does the log have",
    "did the file show",
    "does the file show",
    "were logged",
    "are logged",
];

/// "How many orders failed?"
fn count(phrase: &mut Phrase) -> Option<Query> {
    const HEADS: [&str; 9] = [
        "how many",
        "what is the number of",
        "what is the total number of",
        "the number of",
        "number of",
        "total number of",
        "count of",
        "count the",
        "count",
    ];
    phrase.eat_any(&["tell me", "show me", "give me"]);
    phrase.eat_any(&HEADS)?;
    records(phrase)?;
    if phrase.eat_any(&FOUND).is_some() {
        phrase.restrictions();
    }
    Some(query(phrase, Reduction::Count, None, None))
}

/// "Are there any refunded orders?"
fn exists(phrase: &mut Phrase) -> Option<Query> {
    const HEADS: [&str; 10] = [
        "is there any",
        "are there any",
        "was there any",
        "were there any",
        "is there an",
        "is there a",
        "was there a",
        "was there an",
        "are there",
        "were there",
    ];
    phrase.eat_any(&HEADS)?;
    records(phrase)?;
    Some(query(phrase, Reduction::Exists, None, None))
}

/// "Does any line mention timeout?", "Was any order refunded?"
fn does_any(phrase: &mut Phrase) -> Option<Query> {
    const HEADS: [&str; 10] = [
        "does any", "do any", "did any", "is any", "are any", "was any", "were any", "has any", "have any",
        "does a",
    ];
    phrase.eat_any(&HEADS)?;
    match phrase.noun()? {
        Noun::Record | Noun::Key(_) => {}
        Noun::Field(_) => return None,
    }
    (phrase.restrictions() > 0).then(|| query(phrase, Reduction::Exists, None, None))
}

/// "List all failed orders", "Which users have failed orders?"
fn list(phrase: &mut Phrase) -> Option<Query> {
    let head = phrase.eat_any(&["list", "show me", "show", "give me", "print", "find", "which", "what"])?;
    let all = phrase.eat_any(&["all the", "all", "every", "the"]).is_some();
    let measure = match phrase.noun()? {
        Noun::Record => None,
        Noun::Key(field) | Noun::Field(field) => Some(field.name),
    };
    // "users have failed orders" before "users have failed"
    let whose = phrase.attempt(|phrase| {
        phrase.eat_any(&["have", "had", "with", "placed", "made"])?;
        records(phrase)
    });
    if whose.is_none() {
        phrase.restrictions();
    }
    let said = phrase.conditions.len();
    let asks = matches!(head, "which" | "what");
    // "Which order …" with a fixed key is another pattern's: it finds one value.
    let says_enough = said > 0 || all && !asks;
    (says_enough && !names_a_record(phrase)).then(|| query(phrase, Reduction::List, measure, None))
}

/// "List the users of failed orders", "What are the amounts of the refunded orders?"
fn list_field(phrase: &mut Phrase) -> Option<Query> {
    phrase.eat_any(&["list", "show me", "show", "give me", "print", "what are", "what were"])?;
    phrase.eat_any(&["all the", "all", "the"]);
    let field = phrase.field()?;
    phrase.eat_any(&["of", "for", "from", "in"])?;
    records(phrase)?;
    (!names_a_record(phrase)).then(|| query(phrase, Reduction::List, Some(field.name), None))
}

/// "What is the status of order 40117?"
fn find(phrase: &mut Phrase) -> Option<Query> {
    phrase.eat_any(&ASKING)?;
    let field = phrase.attempt(|phrase| {
        phrase.eat("the");
        let field = phrase.field()?;
        (phrase.restrictions() > 0).then_some(field)
    });
    let field = field.or_else(|| {
        // "order 40117's status"
        fixed_key(phrase)?;
        phrase.eat("'s").then(|| phrase.field()).flatten()
    })?;
    names_a_record(phrase).then(|| query(phrase, Reduction::Find, Some(field.name), None))
}

/// "Which user has order 40117?", "What status does order 40117 have?"
fn find_which(phrase: &mut Phrase) -> Option<Query> {
    phrase.eat_any(&["which", "what"])?;
    let field = phrase.field()?;
    if phrase.eat_any(&["does", "did"]).is_some() {
        fixed_key(phrase)?;
        phrase.eat_any(&["have", "belong to"])?;
    } else {
        phrase.eat_any(&["placed", "made", "has", "had"])?;
        fixed_key(phrase)?;
    }
    names_a_record(phrase).then(|| query(phrase, Reduction::Find, Some(field.name), None))
}

/// "order 40117"
fn fixed_key(phrase: &mut Phrase) -> Option<()> {
    let key = phrase.field()?;
    let value = phrase.value(Some(&key))?;
    phrase.conditions.push(Condition { field: key.name, comparison: Comparison::Equal, value });
    Some(())
}

/// Whether a condition fixes the field that tells the records apart.
fn names_a_record(phrase: &Phrase) -> bool {
    phrase
        .conditions
        .iter()
        .any(|condition| condition.comparison == Comparison::Equal && phrase.is_key(&condition.field))
}

/// "What is the total amount of failed orders?", "average latency"
fn total_or_mean(phrase: &mut Phrase) -> Option<Query> {
    const HEADS: [(&str, Reduction); 13] = [
        ("sum of all the", Reduction::Sum),
        ("sum of all", Reduction::Sum),
        ("sum of the", Reduction::Sum),
        ("sum of", Reduction::Sum),
        ("sum the", Reduction::Sum),
        ("total of the", Reduction::Sum),
        ("total of all", Reduction::Sum),
        ("total of", Reduction::Sum),
        ("total", Reduction::Sum),
        ("average of the", Reduction::Average),
        ("average", Reduction::Average),
        ("mean of the", Reduction::Average),
        ("mean", Reduction::Average),
    ];
    phrase.eat_any(&ASKING);
    phrase.eat("the");
    let &(_, reduction) = HEADS.iter().find(|(head, _)| phrase.eat(head))?;
    let field = phrase.field().filter(Field::can_be_added)?;
    among(phrase);
    Some(query(phrase, reduction, Some(field.name), None))
}

/// "What is the largest amount?"
fn extreme(phrase: &mut Phrase) -> Option<Query> {
    phrase.eat_any(&ASKING);
    let (reduction, measure) = superlative(phrase)?;
    among(phrase);
    Some(query(phrase, reduction, Some(measure), None))
}

/// "Which user has the largest amount?"
fn extreme_of(phrase: &mut Phrase) -> Option<Query> {
    let asks = phrase.eat_any(&ASKING).is_none() && phrase.eat_any(&["which", "what"]).is_some();
    phrase.eat("the");
    let report = match phrase.noun()? {
        Noun::Record => None,
        Noun::Key(field) | Noun::Field(field) => Some(field.name),
    };
    phrase.eat_any(if asks { &["has", "had", "have", "shows"] } else { &["with"] })?;
    let (reduction, measure) = superlative(phrase)?;
    among(phrase);
    (report.as_ref() != Some(&measure)).then(|| query(phrase, reduction, Some(measure), report))
}

fn superlative(phrase: &mut Phrase) -> Option<(Reduction, String)> {
    phrase.eat("the");
    let reduction = match phrase.eat_any(&LARGEST) {
        Some(_) => Reduction::Max,
        None => phrase.eat_any(&SMALLEST).map(|_| Reduction::Min)?,
    };
    let field = phrase.field().filter(Field::can_be_added)?;
    Some((reduction, field.name))
}

/// "What is the first failed order?"
fn end(phrase: &mut Phrase) -> Option<Query> {
    phrase.eat_any(&ASKING);
    let (reduction, noun) = first_or_last(phrase)?;
    let measure = match noun {
        Noun::Record => None,
        Noun::Key(field) | Noun::Field(field) => Some(field.name),
    };
    Some(query(phrase, reduction, measure, None))
}

/// "What is the amount of the last refunded order?", "Which user has the first refunded order?"
fn end_field(phrase: &mut Phrase) -> Option<Query> {
    let asks = phrase.eat_any(&["which", "what"]).is_some_and(|_| !phrase.eat("is") && !phrase.eat("was"));
    if !asks {
        phrase.eat_any(&ASKING);
        phrase.eat("the");
    }
    let field = phrase.field()?;
    phrase.eat_any(if asks { &["has", "had", "placed", "made"] } else { &["of", "in"] })?;
    match first_or_last(phrase)? {
        (reduction, Noun::Record | Noun::Key(_)) => Some(query(phrase, reduction, Some(field.name), None)),
        (_, Noun::Field(_)) => None,
    }
}

/// "Which user has the most failed orders?"
fn most(phrase: &mut Phrase) -> Option<Query> {
    phrase.eat_any(&["which", "what"])?;
    let Noun::Field(field) = phrase.noun()? else { return None };
    phrase.eat_any(&["has", "had", "have", "made", "placed", "shows", "with"])?;
    phrase.eat("the");
    phrase.eat_any(&["most", "largest number of", "highest number of", "greatest number of"])?;
    records(phrase)?;
    Some(query(phrase, Reduction::Most, Some(field.name), None))
}

/// "What is the most common status of refunded orders?", "Which status is the most common?"
fn most_common(phrase: &mut Phrase) -> Option<Query> {
    const COMMON: [&str; 3] = ["most common", "most frequent", "commonest"];
    let asks = phrase.eat_any(&ASKING).is_none() && phrase.eat_any(&["which", "what"]).is_some();
    phrase.eat("the");
    let field = if asks {
        let Noun::Field(field) = phrase.noun()? else { return None };
        phrase.eat_any(&["is", "was"])?;
        phrase.eat("the");
        phrase.eat_any(&COMMON)?;
        field
    } else {
        phrase.eat_any(&COMMON)?;
        let Noun::Field(field) = phrase.noun()? else { return None };
        field
    };
    among(phrase);
    Some(query(phrase, Reduction::Most, Some(field.name), None))
}

fn first_or_last<'run>(phrase: &mut Phrase<'run>) -> Option<(Reduction, Noun<'run>)> {
    phrase.eat("the");
    let reduction = match phrase.eat_any(&["first", "last"])? {
        "first" => Reduction::First,
        _ => Reduction::Last,
    };
    let noun = phrase.noun()?;
    phrase.restrictions();
    Some((reduction, noun))
}
