//! Words for what the rows are, and names of columns that say more than one word does.

use super::{Recast, TOGETHER};
use crate::ask::lexicon::{self, Word};
use crate::ask::loose;
use crate::ask::pieces::{Meaning, Piece};
use crate::ask::readings::names_rows;
use crate::column::Kind;
use crate::{vocabulary, words};

/// What records of any kind are called.
const RECORDS: &str = "claim claims purchase purchases entry entries booking bookings payment payments donation donations trip trips visit visits ride \
    rides delivery deliveries measurement measurements reading readings observation observations loan loans run runs shift shifts \
    case cases ticket tickets transaction transactions comment comments response responses answer answers submission submissions \
    expense order orders sale sales session sessions attempt attempts backup backups job jobs event events vorgang vorgänge \
    vorgängen eintrag einträge buchung buchungen einkauf einkäufe einkäufen zahlung zahlungen fahrt fahrten lauf läufe läufen \
    messung messungen ausleihe ausleihen besuch besuche fall fälle appointment appointments reservation reservations shipment \
    shipments lesson lessons meeting meetings stay stays rental rentals repair repairs inspection inspections termin termine \
    terminen lieferung lieferungen anruf anrufe spende spenden reparatur reparaturen aufenthalte prüfungen proben behandlungen \
    starter starters finisher finishers participant participants teilnehmer rückmeldungen antworten runner runners pupil pupils kids \
    kid children students kollegen kolleginnen colleagues leute";

/// Whether a word is what records of any kind are called.
pub(in crate::ask) fn names_records(word: &str) -> bool {
    RECORDS.split_whitespace().any(|other| other == word)
}

impl Recast<'_> {
    /// `which errors were there, and how often each`: how many of each.
    fn count_each(&mut self) {
        const EACH: &[&str] = &[
            "and how often each",
            "and how often",
            "and how many times each",
            "and how many times",
            "and how many of each",
            "and how many each",
            "how often each",
            "und wie oft jeweils",
            "und jeweils wie oft",
            "und wie oft",
            "und wie viele jeweils",
            "und jeweils wie viele",
            "with their counts",
            "with counts",
        ];
        let Some(words) = self.any_phrase(EACH).filter(|words| self.is_whole(words)) else { return };
        if !self.asks(|word| matches!(word, Word::Which | Word::List)) || words.start == 0 {
            return;
        }
        let which =
            (0..self.pieces.len()).find(|at| matches!(self.first_word(*at), Some(Word::Which | Word::List)));
        let Some(which) = which else { return };
        let named = (which + 1..self.pieces.len().min(which + 4)).find_map(|at| {
            let column = self.column_of(at).filter(|column| self.table.columns[*column].is_text())?;
            Some((at, column))
        });
        let Some((at, column)) = named else { return };
        self.drop_words(words);
        let text = self.pieces[at].text.clone();
        let instead = vec![
            Piece::of("how many".to_owned(), Meaning::Word(Word::Count), TOGETHER),
            Piece::of("rows".to_owned(), Meaning::Word(Word::Records), 0),
            Piece::of("per".to_owned(), Meaning::Word(Word::Per), 0),
            Piece::of(text, Meaning::Column(column), 0),
        ];
        self.pieces.splice(which..=at, instead);
        self.count_words();
    }

    /// `on which days was there`, `on how many days`, `hours per project`.
    fn name_days_and_lengths(&mut self) {
        let date = self.table.moment_column().filter(|column| self.table.columns[*column].kind == Kind::Date);
        let ranks =
            self.asks(|word| matches!(word, Word::Extreme(..) | Word::Most(_) | Word::Sum | Word::Average));
        let which = self.any_phrase(&[
            "an welchen tagen",
            "an welchem tag",
            "on which days",
            "on what days",
            "which days",
            "welche tage",
        ]);
        if let (Some(date), false, Some(words)) = (date, ranks, which)
            && self.is_whole(&words)
        {
            let which = Piece::of("which".to_owned(), Meaning::Word(Word::Which), 0);
            let named = Piece::of(self.table.columns[date].name.clone(), Meaning::Column(date), TOGETHER);
            self.put(words, vec![which, named]);
            for piece in &mut self.pieces {
                if piece.options.first().is_some_and(|(meaning, _)| *meaning == Meaning::Word(Word::Exists)) {
                    piece.options = vec![(Meaning::Word(Word::Verb), 0)];
                }
            }
        }
        let how_many = self.any_phrase(&[
            "an wie vielen verschiedenen tagen",
            "on how many different days",
            "an wie vielen tagen",
            "on how many days",
            "how many days",
            "wie viele tage",
        ]);
        if let (Some(date), Some(words)) = (date, how_many)
            && self.is_whole(&words)
            && !self.asks(|word| matches!(word, Word::Average | Word::Median))
        {
            let count = Piece::of("how many".to_owned(), Meaning::Word(Word::Count), TOGETHER);
            let days = if self.rows_are_days() {
                vec![count, Piece::of("rows".to_owned(), Meaning::Word(Word::Records), 0)]
            } else {
                let different = Piece::of("different".to_owned(), Meaning::Word(Word::Distinct), 0);
                vec![
                    count,
                    different,
                    Piece::of(self.table.columns[date].name.clone(), Meaning::Column(date), 0),
                ]
            };
            self.put(words, days);
        }
        let mut lengths = (0..self.table.columns.len())
            .filter(|column| matches!(self.table.columns[*column].kind, Kind::Duration { .. }));
        if let (Some(length), None) = (lengths.next(), lengths.next())
            && matches!(self.word(0), "hours" | "stunden" | "minutes" | "minuten")
            && matches!(self.word(1), "per" | "by" | "je" | "pro" | "for" | "nach")
        {
            let text = self.pieces[0].text.clone();
            let total = Piece::of("how much".to_owned(), Meaning::Word(Word::HowMuch), TOGETHER);
            self.put(0..1, vec![total, Piece::of(text, Meaning::Column(length), 0)]);
        }
    }

    /// `worst class first`, `teuerste Artikel zuerst`: the order of all of them.
    fn order_by_superlative(&mut self) {
        let Some(first) =
            self.words.iter().rposition(|(word, _)| matches!(word.as_str(), "first" | "zuerst"))
        else {
            return;
        };
        for at in first.saturating_sub(3)..first.saturating_sub(1) {
            let order = lexicon::meaning(&format!("{} {}", self.word(at), self.word(first)));
            if let Some(word @ (Word::Ascending | Word::Descending)) = order
                && self.is_whole(&(at..first + 1))
            {
                self.take(at..first + 1, Meaning::Word(word), 0);
                return;
            }
        }
    }

    /// `each way of paying`, `the form of transport`: a column of texts that speaks of it.
    fn name_ways(&mut self) {
        let is_way = |word: &str| {
            matches!(
                word,
                "way"
                    | "ways"
                    | "means"
                    | "form"
                    | "forms"
                    | "mode"
                    | "modes"
                    | "method"
                    | "methods"
                    | "art"
                    | "arten"
                    | "weg"
            )
        };
        let Some(way) = (0..self.words.len()).find(|at| {
            is_way(self.word(*at)) && matches!(self.word(at + 1), "of" | "to" | "der" | "des" | "von")
        }) else {
            return;
        };
        let is_kind =
            |column: &usize| self.table.columns[*column].is_text() && !self.table.is_unique(*column);
        let speaks = |word: &str, column: usize| {
            loose::speaks_of(self.table, word, column)
                || words::parts(&self.table.columns[column].name)
                    .iter()
                    .any(|part| words::same_word(part, word))
        };
        let word = self.word(way + 2).to_owned();
        let found = (0..self.table.columns.len()).filter(is_kind).find(|column| speaks(&word, *column));
        if let Some(column) = found
            && self.is_whole(&(way..way + 3))
        {
            self.take(way..way + 3, Meaning::Column(column), 1);
        }
    }

    pub(super) fn name_things(&mut self) {
        self.name_ways();
        self.order_by_superlative();
        self.name_days_and_lengths();
        self.count_each();
        self.name_by_a_phrase();
        self.name_things_asked_for();
        self.name_records();
    }

    /// `hours per week` of the column `Wochenstunden`: a column whose name holds both words.
    fn name_by_a_phrase(&mut self) {
        for at in 0..self.words.len().saturating_sub(2) {
            if !matches!(self.word(at + 1), "per" | "a" | "pro" | "die" | "je" | "in") {
                continue;
            }
            let (first, mut last) = (self.word(at).to_owned(), at + 2);
            if matches!(self.word(last), "the" | "der" | "die") {
                last += 1;
            }
            let second = self.word(last).to_owned();
            let holds = |name: &str, word: &str| {
                let name = words::plain(&words::fold(name));
                let stem = words::stem(word);
                let others: &[&str] = match word {
                    "week" | "woche" => &["week", "woche", "wk"],
                    "hours" | "hour" | "stunden" | "stunde" => &["hour", "stund", "hrs", "std"],
                    "month" | "monat" => &["month", "monat"],
                    "year" | "jahr" => &["year", "jahr", "annual", "annum"],
                    "day" | "tag" => &["day", "tag", "daily"],
                    _ => &[],
                };
                stem.len() > 3 && name.contains(&stem) || others.iter().any(|other| name.contains(other))
            };
            let mut found = (0..self.table.columns.len()).filter(|column| {
                let described = &self.table.columns[*column];
                described.is_numeric() && holds(&described.name, &first) && holds(&described.name, &second)
            });
            if let (Some(column), None) = (found.next(), found.next()) {
                // `less than 35 hours per week`: the number has taken the unit.
                let number = self.pieces.get(self.words[at].1).cloned();
                let mut instead =
                    vec![Piece::of(format!("{first} per {second}"), Meaning::Column(column), TOGETHER)];
                if let Some(mut piece) = number
                    && let Some((Meaning::Number(quantity), _)) = piece.options.first_mut()
                {
                    quantity.unit = None;
                    piece.options.truncate(1);
                    instead.insert(0, piece);
                }
                self.put(at..last + 1, instead);
                return;
            }
        }
    }

    /// `the heaviest thing`, `which devices`: what the rows are called, or what they belong to.
    fn name_things_asked_for(&mut self) {
        if let Some(at) = self.position(&["thing", "things", "stuff"])
            && self.asks(|word| matches!(word, Word::Extreme(..) | Word::Most(_)))
            && let Some(name) = self.name_column()
        {
            let named = Piece::of(self.word(at).to_owned(), Meaning::Column(name), TOGETHER);
            // `what is the heaviest thing`: which one.
            self.put(at..at + 1, vec![named]);
            if matches!(self.word(0), "what" | "whats" | "what's" | "was") {
                let which = Piece::of("which".to_owned(), Meaning::Word(Word::Which), 0);
                self.pieces[0] = which;
                self.count_words();
            }
        }
        // `which devices` of the column `device.id`, though the file is one of sensors.
        for at in 1..self.pieces.len() {
            if self.first_word(at - 1) != Some(Word::Which) {
                continue;
            }
            let is_noun = self.pieces[at].options.iter().any(|(meaning, _)| *meaning == Meaning::Noun);
            if !is_noun {
                continue;
            }
            let text = self.pieces[at].text.to_lowercase();
            let is_called = |column: &usize| {
                self.table.columns[*column].is_text()
                    && !names_rows(self.table, *column)
                    && words::parts(&self.table.columns[*column].name).first().is_some_and(|part| {
                        words::same_but_plural(part, &text)
                            || vocabulary::are_synonyms(part, &text)
                                && words::parts(&self.table.columns[*column].name).len() == 1
                    })
            };
            if let Some(column) = (0..self.table.columns.len()).find(is_called) {
                self.pieces[at] = Piece::of(text, Meaning::Column(column), TOGETHER);
                self.changes += 1;
                self.count_words();
            }
        }
    }

    /// `taxi rides`, `the biggest euro claim`: a word for records that names nothing else.
    fn name_records(&mut self) {
        let has_records = self.pieces.iter().any(|piece| {
            matches!(piece.options.first(), Some((Meaning::Noun | Meaning::Word(Word::Records), _)))
        });
        for at in 0..self.pieces.len() {
            let text = self.pieces[at].text.to_lowercase();
            // `parcel service` is something else.
            let is_alone = !self.pieces.get(at + 1).is_some_and(Piece::is_unknown) || text.ends_with('s');
            if self.pieces[at].is_unknown() && is_alone && names_records(&text) {
                let meaning = if has_records { Word::Noise } else { Word::Records };
                let note = format!("\"{text}\" was taken for the records of the file");
                self.pieces[at] = Piece::of(text, Meaning::Word(meaning), TOGETHER);
                self.pieces[at].note = Some(note);
                self.changes += 1;
            }
        }
        self.count_words();
    }
}
