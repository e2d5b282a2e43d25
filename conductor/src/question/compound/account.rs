//! Whether parts that a small model proposes ask what the question asks: word for word, as far as words matter.
//!
//! [`super::proposed`] sees to it that each part can be read and that no value is invented or left out. A model that is too
//! small to be believed may still give one part's value to another, turn a superlative round or lose the one of whom a
//! part speaks, and its plan would be answered exactly and with citations. So here everything that bears meaning must
//! come back in its order:
//!
//! ```text
//!   question: for the user who has the most failed orders, how many of theirs are paid?
//!                                   ▔▔▔▔ ▔▔▔▔▔▔                   ▔▔▔▔▔▔     ▔▔▔▔
//!   parts:    which user has the most failed orders │ how many orders of that user are paid
//! ```
//!
//! - values, superlatives, negations and measures: the same ones in the same order. Parts that are alike but for one word
//!   («the largest amount of paid orders», «the smallest amount …») may share what the question says once;
//! - a word that speaks of somebody before («theirs») makes a part that waits, and nothing else does;
//! - as many counts and lists as were asked for;
//! - in a sentence that asks, no word is left over that is not known to say nothing; one that does not ask may not
//!   restrict («only», «ignore»).
//!
//! It is made to say no. What it turns down is asked as if nobody had proposed anything.

use std::collections::HashSet;

use super::super::fields::FieldHints;
use super::super::lexicon::{LARGEST, SMALLEST, singular};
use super::Part;

/// Words that bear meaning wherever they stand.
const WEIGHTY: &str = "most least fewest common frequent commonest total sum average mean median not no without except \
    excluding never neither nor other different exactly distinct errors warnings error warning highest \
    lowest longest shortest";

/// Those that do so before a number or a date.
const BOUNDS: &str = "over above under below exceeding before after since until than least from to between";

/// Those that do so before one of these and «than».
const COMPARING: &str =
    "more less fewer greater higher lower larger smaller bigger later earlier longer shorter";

/// Words of a question that may go: they ask, join or are polite.
const LOOSE: &str = "a an the and or of for by with to in on at as well also then plus besides along finally next after that \
    first last lastly all begin please can could would should you i we me us let know like want need learn find finds out \
    tell say give show list count whoever whichever who whom whose which what what's how high many much are is was were be \
    been do does did has have had having there it its they them their theirs this these those one ones take look more fewer \
    higher lower greater than compare number so well hello hi quick check wonder help addition together moreover furthermore \
    another my our about said same any log show shows placed made mine now";

/// Words by which a sentence asks.
const ASKING: &str = "which what what's who whom whose whoever whichever how count compare many whether if";

/// Words by which it does at its very beginning, and behind a word or two that join: «Then, list …».
const OPENING: &str = "is are was were does did do";
const ORDERING: &str = "list show name find give";

/// Words that make a sentence more than talk.
const RESTRICTING: &str = "only just ignore ignoring consider considering exclude excluding except without limit limited \
    restrict restricted skip skipping leave within during from until since before after between not \
    never no count treat assume suppose instead unless";

/// Words that speak of somebody or something before.
const SPEAKING: &str = "their theirs them they it its";
/// Those that do so before a noun.
const POINTING: &str = "that this said same";

/// A word in lower case, without the marks around it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    text: String,
    ends_sentence: bool,
    asks: bool,
}

/// What the question or the parts say, as far as it counts.
struct Said<'hints> {
    hints: &'hints FieldHints,
    /// Fields that parts find somebody by («which user») or wait for («that order»): the question may call them otherwise.
    found: HashSet<String>,
}

/// Why the parts are not the question, in a few words; `None` if nothing speaks against them.
pub fn differs(question: &str, parts: &[Part], hints: &FieldHints) -> Option<String> {
    let asked = words(question);
    let texts: Vec<Vec<Word>> = parts.iter().map(|part| words(&part.text)).collect();
    let mut said = Said { hints, found: HashSet::new() };
    for text in &texts {
        said.note_found(text);
    }
    let sentences: Vec<&[Word]> = asked.split_inclusive(|word| word.ends_sentence).collect();
    let asking: Vec<&[Word]> = sentences.iter().copied().filter(|sentence| said.asks(sentence)).collect();
    if let Some(word) =
        sentences.iter().filter(|sentence| !said.asks(sentence)).find_map(|talk| restricts(talk))
    {
        return Some(format!("«{word}» may restrict what is asked"));
    }
    let used: HashSet<String> = texts.iter().flatten().map(|word| one(&word.text)).collect();
    if let Some(word) = asking.iter().copied().flatten().find(|word| !said.explains(word, &used)) {
        return Some(format!("no subtask says «{}»", word.text));
    }
    if let Some(word) = texts.iter().find_map(|text| said.invents(text, &asked)) {
        return Some(format!("«{word}» does not stand in it"));
    }
    let times = |among: &[&[Word]], wanted: &[&str]| {
        among.iter().copied().flatten().filter(|word| wanted.contains(&word.text.as_str())).count()
    };
    let each: Vec<&[Word]> = texts.iter().map(Vec::as_slice).collect();
    let compares = times(&asking, &["more", "fewer", "compare", "number", "count"]) > 0;
    let (counts, counted) = (times(&asking, &["many"]), times(&each, &["many"]));
    if counted < counts || counted > counts && !compares {
        return Some(format!("it asks {counts} times how many, {counted} subtasks do"));
    }
    // Where one part begins and the next ends shows there too, unless a comparison asks for counts without saying so.
    let with_counts = counted == counts;
    let wanted = said.content(&asked, with_counts);
    let contents: Vec<Vec<String>> = texts.iter().map(|text| said.content(text, with_counts)).collect();
    if !fits(&contents, &texts, &wanted) {
        return Some("not the same values, measures and superlatives in the same order".to_owned());
    }
    let speaking: usize = asking.iter().map(|sentence| said.speaking(sentence)).sum();
    let waiting = parts.iter().filter(|part| part.needs.is_some()).count();
    if speaking != waiting {
        return Some(format!("it speaks {speaking} times of what was found before, {waiting} subtasks do"));
    }
    let lists = ["list", "show", "name"];
    let any = times(&asking, &["any"]) != times(&each, &["any"]);
    (times(&each, &lists) > times(&asking, &lists) || any)
        .then(|| "other lists than were asked for".to_owned())
}

fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}

fn restricts(talk: &[Word]) -> Option<&str> {
    let has_number = |text: &str| text.chars().any(|c| c.is_ascii_digit());
    let is_clock = |text: &str| text.contains(':');
    talk.iter()
        .map(|word| word.text.as_str())
        .find(|text| is_in(RESTRICTING, text) || has_number(text) && !is_clock(text))
}

impl Said<'_> {
    fn note_found(&mut self, text: &[Word]) {
        for pair in text.windows(2) {
            if (pair[0].text == "which" || is_in(POINTING, &pair[0].text))
                && let Some(field) = self.field(&pair[1].text)
            {
                self.found.insert(field);
            }
        }
    }

    /// The field that a word names.
    fn field(&self, word: &str) -> Option<String> {
        let named = self.hints.named(word).or_else(|| self.hints.named(&singular(word)?));
        named.map(|hint| hint.name.clone())
    }

    fn is_noun(&self, word: &str) -> bool {
        let one = singular(word).unwrap_or_else(|| word.to_owned());
        let many = format!("{one}s");
        self.hints.is_record_noun(&one, if word == one { many.as_str() } else { word })
    }

    fn is_value(&self, word: &str) -> bool {
        word.chars().any(|c| c.is_ascii_digit())
            || self.hints.statuses().contains(word)
            || !self.hints.owners(word).is_empty()
    }

    /// What bears meaning, in its order; `with_counts`: «how many» too.
    fn content(&self, text: &[Word], with_counts: bool) -> Vec<String> {
        let mut content = Vec::new();
        for (at, word) in text.iter().enumerate() {
            let next = text.get(at + 1).map_or("", |word| word.text.as_str());
            let word = word.text.as_str();
            let known = |word: &str| self.is_value(word) || self.is_noun(word) || self.field(word).is_some();
            let weighty = is_in(WEIGHTY, word) || LARGEST.contains(&word) || SMALLEST.contains(&word);
            let end = matches!(word, "first" | "last") && known(next);
            let bounded = text.get(at + if next == "than" { 2 } else { 1 });
            let is_number = bounded.is_some_and(|word| word.text.starts_with(|c: char| c.is_ascii_digit()));
            let bound = is_number && (is_in(BOUNDS, word) || is_in(COMPARING, word));
            let count = with_counts && word == "many";
            if weighty || end || bound || count || self.is_value(word) {
                content.push(word.to_owned());
            } else if let Some(field) = self.field(word).filter(|field| !self.found.contains(field))
                && !self.is_noun(word)
            {
                content.push(field);
            }
        }
        content
    }

    /// Whether a sentence asks for something.
    fn asks(&self, sentence: &[Word]) -> bool {
        sentence.iter().any(|word| word.asks || is_in(ASKING, &word.text))
            || sentence.first().is_some_and(|word| is_in(OPENING, &word.text))
            || sentence.iter().take(3).any(|word| is_in(ORDERING, &word.text))
            || !self.content(sentence, false).is_empty()
    }

    /// Whether a word of an asking sentence is said by a part, or says nothing.
    fn explains(&self, word: &Word, used: &HashSet<String>) -> bool {
        let text = word.text.as_str();
        used.contains(&one(text)) || is_in(LOOSE, text) || self.is_noun(text) || self.field(text).is_some()
    }

    /// A word of a part that the question does not say.
    fn invents<'text>(&self, text: &'text [Word], question: &[Word]) -> Option<&'text str> {
        let said: HashSet<String> = question.iter().map(|word| one(&word.text)).collect();
        let grammar = [
            "which", "what", "how", "many", "is", "are", "was", "were", "the", "of", "that", "there", "has",
            "had", "have",
        ];
        let mut before = "";
        for word in text {
            let word = word.text.as_str();
            let stands = said.contains(&one(word))
                || grammar.contains(&word)
                // «How many of theirs»: any record will do.
                || self.is_noun(word)
                || (before == "which" || before == "that") && self.field(word).is_some();
            if !stands {
                return Some(word);
            }
            before = word;
        }
        None
    }

    /// How often a sentence speaks of what was found before.
    fn speaking(&self, sentence: &[Word]) -> usize {
        let points = |at: usize| {
            sentence
                .get(at + 1)
                .is_some_and(|next| self.is_noun(&next.text) || self.field(&next.text).is_some())
        };
        let speaks = |(at, word): (usize, &Word)| {
            let word = word.text.as_str();
            is_in(SPEAKING, word) || is_in(POINTING, word) && points(at)
        };
        sentence.iter().enumerate().filter(|found| speaks(*found)).count()
    }
}

/// Whether the parts say one after the other what the question says: each in its order, and those that are alike together.
fn fits(contents: &[Vec<String>], texts: &[Vec<Word>], wanted: &[String]) -> bool {
    let Some(first) = contents.first() else { return wanted.is_empty() };
    if wanted.strip_prefix(first.as_slice()).is_some_and(|rest| fits(&contents[1..], &texts[1..], rest)) {
        return true;
    }
    let mut shared = first.clone();
    for end in 2..=contents.len() {
        if !alike(&texts[end - 2], &texts[end - 1]) {
            return false;
        }
        for word in &contents[end - 1] {
            if !shared.contains(word) {
                shared.push(word.clone());
            }
        }
        // The question may name a field twice where they do once: «user mara or user omar».
        let longest = wanted.len().min(2 * shared.len());
        for taken in shared.len()..=longest {
            let same = distinct(&wanted[..taken]) == distinct(&shared);
            if same && fits(&contents[end..], &texts[end..], &wanted[taken..]) {
                return true;
            }
        }
    }
    false
}

fn distinct(words: &[String]) -> HashSet<&String> {
    words.iter().collect()
}

/// Whether two parts are the same but for one word.
fn alike(one: &[Word], other: &[Word]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).filter(|(one, other)| one.text != other.text).count() == 1
}

fn one(word: &str) -> String {
    singular(word).unwrap_or_else(|| word.to_owned())
}

fn words(text: &str) -> Vec<Word> {
    let around = |c: char| ",;()\"'«»“”=<>?!.:".contains(c);
    let mut words: Vec<Word> = Vec::new();
    for raw in text.split_whitespace() {
        let ends_sentence = raw.ends_with(['.', '?', '!', ':', ';']);
        let lower = raw.to_lowercase().replace('’', "'");
        let bare = lower.trim_matches(around);
        let bare = if bare == "what's" { bare } else { bare.strip_suffix("'s").unwrap_or(bare) };
        if bare.is_empty() {
            if let Some(last) = words.last_mut() {
                last.ends_sentence |= ends_sentence;
                last.asks |= raw.contains('?');
            }
            continue;
        }
        words.push(Word { text: bare.to_owned(), ends_sentence, asks: raw.ends_with('?') });
    }
    words
}
