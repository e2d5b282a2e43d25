//! Words of questions that compare, negate and join, name records and times, or say nothing.

use super::lexicon::Word;
use super::verb_words::{Verb, verb};
use crate::query::{Bucket, Comparison};

/// What a phrase of folded words does.
#[expect(clippy::too_many_lines, reason = "one table, by what the words are")]
pub(super) fn meaning(phrase: &str) -> Option<Word> {
    use Comparison::{AtLeast, AtMost, Equal, Greater, Less, NotEqual};
    Some(match phrase {
        "over" | "above" | "more than" | "greater than" | "higher than" | "larger than" | "exceeding"
        | "exceeds" | "exceed" | "exceeded" | "bigger than" | ">" | "über" | "mehr als" | "größer als"
        | "höher als" | "longer than" | "länger als" | "older than" | "älter als" | "slower than"
        | "oberhalb" | "is over" | "übersteigt" | "greater" | "heavier than" | "teurer als" => {
            Word::Compare(Greater)
        }
        "under" | "below" | "less than" | "fewer than" | "lower than" | "smaller than" | "<" | "unter"
        | "weniger als" | "kleiner als" | "niedriger als" | "shorter than" | "kürzer als"
        | "younger than" | "jünger als" | "faster than" | "cheaper than" | "unterhalb" | "less"
        | "lighter than" | "billiger als" => Word::Compare(Less),
        "at least"
        | "no less than"
        | "not less than"
        | ">="
        | "≥"
        | "mindestens"
        | "or more"
        | "wenigstens"
        | "greater than or equal to" => Word::Compare(AtLeast),
        "at most"
        | "no more than"
        | "not more than"
        | "<="
        | "≤"
        | "höchstens"
        | "up to"
        | "bis zu"
        | "less than or equal to" => Word::Compare(AtMost),
        "exactly" | "equal to" | "equals" | "equal" | "=" | "==" | "genau" | "gleich" => Word::Compare(Equal),
        "!=" | "<>" | "≠" | "not equal to" | "different from" | "other than" | "ungleich" => {
            Word::Compare(NotEqual)
        }
        "between" | "zwischen" => Word::Between,
        "have the substring"
        | "has the substring"
        | "contain the substring"
        | "contains the substring"
        | "contain the text"
        | "contains the text"
        | "contain"
        | "contains"
        | "containing"
        | "enthält"
        | "enthalten"
        | "include"
        | "includes"
        | "including" => Word::Contains,
        "mention"
        | "mentions"
        | "mentioning"
        | "erwähnt"
        | "erwähnen"
        | "with the word"
        | "with the text"
        | "mentioned"
        | "has the word"
        | "have the word"
        | "contain the word"
        | "contains the word"
        | "containing the word" => Word::Mentions,
        "start with" | "starts with" | "starting with" | "begin with" | "begins with" | "beginning with"
        | "beginnt mit" | "beginnen mit" => Word::StartsWith,
        "end with" | "ends with" | "ending with" | "ending in" | "end in" | "ends in" | "endet auf"
        | "enden auf" | "endet mit" => Word::EndsWith,
        "match" | "matches" | "matching" => Word::Matches,
        "before" | "earlier than" | "vor" | "prior to" | "vor dem" => Word::Before,
        "after" | "later than" | "nach dem" => Word::After,
        "since" | "seit" | "from" | "ab" | "starting" | "starting from" | "as of" => Word::Since,
        "until" | "till" | "bis" | "through" | "to" => Word::Until,
        "not" | "isn't" | "aren't" | "don't" | "doesn't" | "didn't" | "wasn't" | "weren't" | "haven't"
        | "hasn't" | "nicht" | "except" | "excluding" | "außer" | "never" | "except for" | "apart from"
        | "non" | "ausgenommen" => Word::Not,
        "or" | "oder" => Word::Or,
        "and" | "und" | "," | "along with" | "as well as" | "sowie" | "&" | "but" | "aber" => Word::And,
        "without" | "no" | "ohne" | "kein" | "keine" | "keinen" | "keiner" | "lacking" | "lack" | "lacks"
        | "without a" | "without any" | "without an" | "have no" | "has no" => Word::Without,
        "missing" | "empty" | "blank" | "fehlt" | "fehlend" | "fehlende" | "fehlen" | "leer" | "leere"
        | "null" | "unknown" | "not filled" => Word::Missing,
        "record" | "records" | "row" | "rows" | "entry" | "entries" | "datensatz" | "datensätze"
        | "eintrag" | "einträge" | "einträgen" | "datensätzen" | "messages" | "events" | "requests"
        | "zeile der tabelle" | "log entries" | "log lines" | "request" | "anfragen" | "logs" | "event"
        | "meldungen" | "ereignisse" | "hits" | "calls" | "objects" | "items in the file" | "jobs"
        | "cases" | "readings" | "responses" | "buchungen" | "files" | "dateien" => Word::Records,
        "line" | "lines" | "zeile" | "zeilen" => Word::Lines,
        "hour of the day" | "hour of day" | "stunde des tages" => Word::Unit(Bucket::HourOfDay),
        "year" | "years" | "jahr" | "yearly" | "jahre" => Word::Unit(Bucket::Year),
        "quarter" | "quarters" | "quartal" | "quarterly" => Word::Unit(Bucket::Quarter),
        "month" | "months" | "monat" | "monthly" | "monate" => Word::Unit(Bucket::Month),
        "week" | "weeks" | "woche" | "weekly" | "wochen" => Word::Unit(Bucket::Week),
        "day" | "days" | "tag" | "daily" | "tage" | "date" => Word::Unit(Bucket::Day),
        "hour" | "hours" | "stunde" | "hourly" | "stunden" => Word::Unit(Bucket::Hour),
        "minute" | "minutes" => Word::Unit(Bucket::Minute),
        "weekday" | "weekdays" | "day of the week" | "day of week" | "wochentag" => {
            Word::Unit(Bucket::Weekday)
        }
        "in total" | "altogether" | "insgesamt" | "all in all" | "in summe" => Word::InTotal,
        "negative" | "negativ" | "below zero" | "unter null" => Word::Negative(true),
        "positive" | "positiv" | "above zero" | "über null" => Word::Negative(false),
        "today" | "yesterday" | "heute" | "gestern" | "tomorrow" | "why" | "warum" | "this year"
        | "this month" | "this week" | "now" | "recently" | "ago" | "predict" | "forecast" | "should"
        | "last month" | "last year" | "next" => Word::Beyond,
        "the" | "a" | "an" | "of" | "in" | "at" | "on" | "for" | "with" | "der" | "die" | "das" | "den"
        | "dem" | "des" | "ein" | "eine" | "einen" | "einer" | "eines" | "im" | "am" | "an der" | "bei"
        | "beim" | "mit" | "von" | "vom" | "für" | "aus" | "auf" | "zu" | "zum" | "zur" | "please"
        | "bitte" | "that" | "this" | "these" | "those" | "it" | "its" | "their" | "his" | "her" | "me"
        | "us" | "all" | "alle" | "aller" | "allen" | "any" | "file" | "the file" | "in the file"
        | "in this file" | "in the table" | "table" | "still" | "noch" | "already" | "schon" | "bereits"
        | "currently" | "both" | "either" | "across" | "among" | "different kinds of" | "einem"
        | "corresponding" | "respective" | "details" | "something" | "anything" | "etwas" | "everybody"
        | "everyone" | "man" | "wir" | "in the log" | "log" | "the log" | "datei" | "in der datei"
        | "tabelle" | "so" | "es" | "da" | "dort" | "als" | "as" | "whole" | "entire" | "along" | "i"
        | "can" | "you" | "kannst" | "du" | "them" | "they" | "we" | "sich" | "could" | "value"
        | "values" | "wert" | "werte" | "named" | "called" | "namens" | "one" | "ones" | "only" | "nur"
        | "just" | "in the data" | "data" | "daten" | "durch" | "euch" | "ihr" | "ihre" | "ihren"
        | "seine" | "seinen" | "mir" | "denn" | "eigentlich" | "there are" | "then" | "off" | "up"
        | "out" | "when it comes to" | "overall in" | "dabei" | "dazu" | "davon" | "uns" | "sie" | "er"
        | "found" | "stehen" | "steht" | "together" | "zusammen" | "column" | "spalte" | "field" | "feld"
        | "listed" | "time" => {
            if phrase == "time" {
                return None;
            }
            Word::Noise
        }
        "two" | "zwei" => Word::Small(2),
        "three" | "drei" => Word::Small(3),
        "four" | "vier" => Word::Small(4),
        "five" | "fünf" => Word::Small(5),
        "six" | "sechs" => Word::Small(6),
        "seven" | "sieben" => Word::Small(7),
        "eight" | "acht" => Word::Small(8),
        "nine" | "neun" => Word::Small(9),
        "ten" | "zehn" => Word::Small(10),
        _ if verb(phrase) != Verb::Unknown => Word::Verb,
        _ => return None,
    })
}
