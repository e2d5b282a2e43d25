//! Phrases that say nothing of their own, that add up, and that ask for a sum.

use super::Recast;
use crate::ask::lexicon::Word;
use crate::ask::pieces::Meaning;
use crate::query::{Filter, Part};

/// What is said beside a question, wherever it stands.
const SAYING_NOTHING: &[&str] = &[
    "übers ganze jahr gesehen",
    "über das ganze jahr gesehen",
    "das ganze jahr über",
    "über das ganze jahr",
    "übers ganze jahr",
    "im ganzen jahr",
    "im gesamten zeitraum",
    "over the whole year",
    "over the whole period",
    "over the year",
    "in the whole file",
    "at any time",
    "at any point",
    "at some point",
    "at one point",
    "at least once",
    "mindestens einmal",
    "zu irgendeinem zeitpunkt",
    "this term",
    "this season",
    "in diesem jahr",
    "in diesem halbjahr",
    "dieses jahr",
    "on the list",
    "in the list",
    "on file",
    "on record",
    "on our books",
    "auf der liste",
    "in der liste",
    "in the morning",
    "in the afternoon",
    "in the evening",
    "in der nacht",
    "am morgen",
    "am abend",
    "down for",
    "put down for",
    "signed up for",
    "booked in for",
    "scheduled for",
    "lined up for",
    "for us",
    "bei uns",
    "mit dabei",
    "neu dazugekommen",
    "neu hinzugekommen",
    "dazugekommen",
    "hinzugekommen",
    "of the day",
    "of any kind",
    "jeglicher art",
    "if any",
    "if at all",
    "wenn überhaupt",
    "in real terms",
    "as a whole",
    "by any chance",
    "apiece",
    "ein mensch",
];

/// What says that numbers are added up.
const ADDING: &[&str] = &[
    "alles zusammen",
    "alle zusammen",
    "all together",
    "taken together",
    "put together",
    "added together",
    "added up",
    "zusammengerechnet",
    "zusammengezählt",
    "zusammengenommen",
    "aufaddiert",
    "addiert",
    "aufsummiert",
    "im ganzen",
    "in sum",
    "unterm strich",
];

/// Verbs behind which, at the end of a question, `what` asks for a sum.
const COMING_TO: &[&str] = &[
    "come to",
    "came to",
    "comes to",
    "come out at",
    "came out at",
    "add up to",
    "adds up to",
    "added up to",
    "amount to",
    "amounts to",
    "amounted to",
    "sum to",
    "sum up to",
    "bring in",
    "brought in",
    "come in",
    "came in",
    "coming in",
    "taken in",
    "go out",
    "went out",
    "reingekommen",
    "hereingekommen",
    "eingekommen",
    "eingegangen",
    "zusammengekommen",
    "rausgegangen",
    "ausgegeben",
    "eingenommen",
    "gespendet",
    "umgesetzt",
    "eingebracht",
    "zusammen gekommen",
    "eingespielt",
];

/// `im Mittel`
const AVERAGING: &[&str] =
    &["im mittel", "on the average", "in the mean", "durchschnittlich", "im durchschnitt", "class average"];

/// What says that equal values are shown once.
const ONCE: &[&str] = &[
    "each one only once",
    "each only once",
    "each just once",
    "each once",
    "only once each",
    "once each",
    "jede nur einmal",
    "jeden nur einmal",
    "jedes nur einmal",
    "jeweils nur einmal",
    "without repeats",
    "no repeats",
    "without duplicates",
    "ohne wiederholung",
    "ohne doppelte",
    "just once each",
    "only list each once",
];

impl Recast<'_> {
    pub(super) fn pass_over_phrases(&mut self) {
        self.tell_times_of_day();
        while let Some(words) = self.any_phrase(SAYING_NOTHING) {
            let is_whole = self.is_whole(&words);
            // A phrase that a value or a column holds says something.
            if !is_whole || words.len() == self.words.len() || self.is_named(&words) {
                break;
            }
            self.drop_words(words);
        }
        if let Some(words) = self.any_phrase(ONCE)
            && self.is_whole(&words)
        {
            self.drop_words(words);
            self.pieces.insert(
                0,
                super::Piece::of("different".to_owned(), Meaning::Word(Word::Distinct), super::TOGETHER),
            );
            self.count_words();
        }
        // `bookings, cancelled or not,`
        if let Some(words) = self.any_phrase(&["or not", "oder nicht", "or otherwise"])
            && words.start > 0
            && self.word(words.start - 1) != "whether"
        {
            let start = if words.start > 1 && self.word(words.start - 2) == "," {
                words.start - 2
            } else {
                words.start - 1
            };
            let end = if self.word(words.end) == "," { words.end + 1 } else { words.end };
            self.drop_words(start..end);
        }
        if let Some(words) = self.any_phrase(AVERAGING)
            && !self.asks(|word| word == Word::Average)
        {
            self.take(words, Meaning::Word(Word::Average), 0);
        }
        // `vom 10. bis 16. April`: from the tenth.
        if let Some(at) = (0..self.words.len()).find(|at| {
            matches!(self.word(*at), "vom" | "von")
                && self.word(at + 1).trim_end_matches('.').parse::<u8>().is_ok()
                && self.words[at + 2..].iter().take(2).any(|(word, _)| word == "bis")
        }) {
            self.take(at..at + 1, Meaning::Word(Word::Since), 0);
        }
        // `average sunshine per day`, where each row is a day.
        if self.asks(|word| word == Word::Average)
            && self.rows_are_days()
            && let Some(words) =
                self.any_phrase(&["per day", "a day", "pro tag", "am tag", "täglich", "daily"])
            && self.is_whole(&words)
        {
            self.drop_words(words);
        }
        // `2:00 - 5:00 Uhr - how many?`
        while let Some(at) = self.position(&["-", "–", "—"]) {
            self.take(at..at + 1, Meaning::Word(Word::And), 0);
            self.pieces
                .iter_mut()
                .filter(|piece| piece.text == "-" || piece.text == "–" || piece.text == "—")
                .for_each(|piece| ",".clone_into(&mut piece.text));
            self.count_words();
        }
    }

    /// `in the morning`, where a column tells the time of day: the hours of it.
    fn tell_times_of_day(&mut self) {
        const TIMES: &[(&[&str], std::ops::Range<i64>)] = &[
            (&["in the morning", "in the mornings", "am vormittag", "vormittags", "am morgen"], 0..12),
            (&["in the afternoon", "in the afternoons", "am nachmittag", "nachmittags"], 12..18),
            (&["in the evening", "in the evenings", "am abend", "abends"], 18..24),
        ];
        let Some(column) = self.table.clock_column() else { return };
        for (phrases, hours) in TIMES {
            let Some(words) = self.any_phrase(phrases).filter(|words| self.is_whole(words)) else { continue };
            // `at 8 in the morning`
            let is_of_an_hour = words.start > 0
                && self.word(words.start - 1).starts_with(|first: char| first.is_ascii_digit());
            if !is_of_an_hour && self.value_of(self.words[words.start].1).is_none() {
                let filter = Filter::Part { column, part: Part::Hour, values: hours.clone().collect() };
                self.hold(words, filter, 1);
            }
        }
    }

    /// `what did the orders come to`, `was ist insgesamt reingekommen`: how much it is.
    pub(super) fn ask_for_sums(&mut self) {
        if self.asks(|word| {
            matches!(
                word,
                Word::Average | Word::Median | Word::Extreme(..) | Word::Most(_) | Word::Count | Word::Share
            )
        }) {
            return;
        }
        if let Some(words) = self.any_phrase(ADDING)
            && !self.asks(|word| word == Word::Sum)
        {
            self.take(words, Meaning::Word(Word::InTotal), 0);
        }
        // `wie hoch waren die Ausgaben zusammen`
        if let Some(at) = self.position(&["zusammen", "together"])
            && self.is_whole(&(at..at + 1))
            && !self.asks(|word| word == Word::Sum)
        {
            self.take(at..at + 1, Meaning::Word(Word::InTotal), 0);
        }
        let asks_what = matches!(self.word(0), "what" | "was" | "wieviel");
        let Some(words) = self.any_phrase(COMING_TO) else { return };
        if !asks_what || words.start < 2 || self.first_word(0) != Some(Word::Which) {
            return;
        }
        let is_german = self.is_german;
        // The verb may speak of a column of its own: `was wurde ausgegeben` of `Ausgaben`.
        if !is_german {
            self.pass_over(words);
        }
        self.take(0..1, Meaning::Word(Word::HowMuch), 1);
    }

    /// Whether some words are whole pieces.
    pub(super) fn is_whole(&self, words: &std::ops::Range<usize>) -> bool {
        let piece = |at: usize| self.words.get(at).map(|(_, piece)| *piece);
        let begins = words.start == 0 || piece(words.start - 1) != piece(words.start);
        let ends = words.end >= self.words.len() || piece(words.end) != piece(words.end - 1);
        begins && ends
    }

    fn is_named(&self, words: &std::ops::Range<usize>) -> bool {
        words.clone().any(|at| {
            self.pieces[self.words[at].1].options.iter().any(|(meaning, penalty)| {
                *penalty == 0 && matches!(meaning, Meaning::Column(_) | Meaning::Value { .. })
            })
        })
    }

    /// Takes words out altogether.
    pub(super) fn drop_words(&mut self, words: std::ops::Range<usize>) {
        self.put(words, Vec::new());
    }

    /// Whether each row is of another day.
    pub(super) fn rows_are_days(&self) -> bool {
        self.table.moment_column().is_some_and(|column| {
            self.table.columns[column].kind == crate::column::Kind::Date && self.table.is_unique(column)
        })
    }
}
