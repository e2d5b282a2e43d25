//! What is said beside what is asked: `cancelled ones count too`, `with their number of hits`, `loans and total fines`, `the nightly rate`.

use super::{Recast, TOGETHER};
use crate::ask::lexicon::Word;
use crate::ask::pieces::{Meaning, Piece};
use crate::{vocabulary, words};

/// What says that others are counted as well, behind them.
const INCLUDED: &[&str] = &[
    "count too",
    "count as well",
    "counted too",
    "counted as well",
    "are included",
    "included too",
    // A slip is seen in `included`.
    "include",
    "includes",
    "included",
    "are counted",
    "as well",
    "too",
    "zählen mit",
    "zählen auch mit",
    "zählen auch",
    "mitgezählt",
    "eingeschlossen",
    "inbegriffen",
    "mitgerechnet",
    "eingerechnet",
    "inkludiert",
];

/// And before them.
const INCLUDING: &[&str] = &[
    "including",
    "incl",
    "also counting",
    "counting also",
    "counting",
    "inklusive",
    "einschließlich",
    "inkl",
    "samt",
    "auch",
    "even",
    "also",
    "plus",
];

/// What may stand between.
const BETWEEN: &[&str] = &[
    "ones", "one", "are", "also", "auch", "should", "be", "the", "die", "der", "den", "any", "sind",
    "werden", "those", "that", "were", "please", "bitte", "even", "sollen",
];

/// Who the records may be of.
const MEMBERS: &[&str] = &[
    "members",
    "mitglieder",
    "customers",
    "kunden",
    "patients",
    "patienten",
    "guests",
    "gäste",
    "players",
    "spieler",
    "users",
    "nutzer",
    "benutzer",
    "visitors",
    "besucher",
    "volunteers",
    "helfer",
    "donors",
    "spender",
    "tenants",
    "mieter",
    "drivers",
    "fahrer",
    "items",
    "artikel",
    "products",
    "produkte",
    "cars",
    "autos",
    "books",
    "bücher",
    "invoices",
    "rechnungen",
    "aufträge",
    "tickets",
];

impl Recast<'_> {
    pub(super) fn tell_beside(&mut self) {
        self.pass_over_included();
        self.count_with();
        self.count_beside();
        self.name_by_adverbs();
        self.pass_over_pieces();
    }

    fn is_sign(&self, at: usize) -> bool {
        matches!(self.word(at), "" | "," | "?" | ";" | "." | "-")
    }

    fn holds_value(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(|(_, piece)| {
            self.value_of(*piece).is_some()
                || self.pieces[*piece].is_unknown()
                    && crate::states::other_states(self.word(at)).next().is_some()
        })
    }

    fn names_records_at(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(|(_, piece)| {
            matches!(
                self.pieces[*piece].options.first(),
                Some((Meaning::Noun | Meaning::Word(Word::Records | Word::People), _))
            )
        })
    }

    /// `, cancelled ones included`, `auch stornierte`: nothing is left out.
    fn pass_over_included(&mut self) {
        let fills =
            |recast: &Self, at: usize| BETWEEN.contains(&recast.word(at)) || recast.names_records_at(at);
        if let Some(words) = self.any_phrase(INCLUDED)
            && words.start > 0
            && self.is_sign(words.end)
        {
            let mut start = words.start;
            while start > 0 && fills(self, start - 1) {
                start -= 1;
            }
            let values = start;
            let has_fill = start < words.start || words.len() > 1;
            while start > 0
                && (self.holds_value(start - 1)
                    || matches!(self.word(start - 1), "and" | "or" | "und" | "oder"))
            {
                start -= 1;
            }
            // `who drinks coffee, too`
            let is_apart = start > 0 && matches!(self.word(start - 1), "," | "the" | "die");
            if start < values && (has_fill || is_apart) {
                while start > 0
                    && (BETWEEN.contains(&self.word(start - 1))
                        || matches!(self.word(start - 1), "," | "and" | "und"))
                {
                    start -= 1;
                }
                // `are cancelled ones included` alone asks for them.
                if start > 1 {
                    self.drop_words(start..words.end);
                    return;
                }
            }
        }
        for including in INCLUDING {
            let Some(words) = self.phrase(including).filter(|words| words.start > 1 && self.is_whole(words))
            else {
                continue;
            };
            let mut end = words.end;
            while fills(self, end) {
                end += 1;
            }
            let first = end;
            while self.holds_value(end)
                || end > first && matches!(self.word(end), "and" | "or" | "und" | "oder")
            {
                end += 1;
            }
            let values = end;
            while values > first && fills(self, end) {
                end += 1;
            }
            let has_sign = self.word(words.start - 1) == "," || end > values;
            if values > first && has_sign && self.is_sign(end) {
                let start = if self.word(words.start - 1) == "," { words.start - 1 } else { words.start };
                self.drop_words(start..end);
                return;
            }
        }
    }

    /// `the top 3 pages with their number of hits`, `which tags are there, with counts`: how many of each.
    fn count_with(&mut self) {
        const THEIR: &[&str] = &[
            "their",
            "the",
            "its",
            "respective",
            "der",
            "die",
            "ihrer",
            "ihre",
            "jeweiliger",
            "jeweiligen",
            "a",
        ];
        const NUMBERS: &[&str] = &["number", "numbers", "count", "counts", "anzahl", "anzahlen", "total"];
        let start = (1..self.words.len()).find(|at| {
            matches!(self.word(*at), "with" | "and" | "mit" | "und" | "samt" | "plus") && {
                let mut next = at + 1;
                while THEIR.contains(&self.word(next)) {
                    next += 1;
                }
                NUMBERS.contains(&self.word(next)) && next > *at
                    || self.word(at + 1) == "how" && self.word(at + 2) == "many"
                    || self.word(at + 1) == "wie" && self.word(at + 2) == "viele"
            }
        });
        let Some(start) = start else { return };
        if !self.asks(|word| matches!(word, Word::Top)) || self.asks(|word| word == Word::By) {
            return;
        }
        // Only words for how many there are of what stand behind.
        let is_said_of_them = |at: usize| {
            THEIR.contains(&self.word(at))
                || NUMBERS.contains(&self.word(at))
                || self.names_records_at(at)
                || matches!(
                    self.word(at),
                    "of" | "each"
                        | "jeweils"
                        | "how"
                        | "many"
                        | "wie"
                        | "viele"
                        | "?"
                        | "von"
                        | "an"
                        | "hits"
                        | "times"
                        | "occurrences"
                        | "it"
                        | "they"
                        | "got"
                        | "had"
                        | "have"
                        | "visits"
                        | "views"
                        | "aufrufe"
                        | "zugriffe"
                        | "treffer"
                        | "vorkommen"
                        | "there"
                )
        };
        if !(start + 1..self.words.len()).all(is_said_of_them) || !self.is_whole(&(start..self.words.len())) {
            return;
        }
        let end = self.words.len();
        self.put(
            start..end,
            vec![
                Piece::of("by".to_owned(), Meaning::Word(Word::By), TOGETHER),
                Piece::of("number of".to_owned(), Meaning::Word(Word::Count), 0),
                Piece::of("rows".to_owned(), Meaning::Word(Word::Records), 0),
            ],
        );
    }

    /// `loans and total fines per branch`, `average fee and number of visits per vet`: two numbers of the same rows.
    fn count_beside(&mut self) {
        if self.asks(|word| {
            matches!(word, Word::Share | Word::Extreme(..) | Word::Most(_) | Word::Top | Word::Difference(_))
        }) {
            return;
        }
        let is = |at: usize, test: fn(Word) -> bool| self.first_word(at).is_some_and(test);
        let skips = |from: usize| {
            (from..self.pieces.len())
                .find(|at| !is(*at, |word| matches!(word, Word::Noise | Word::List | Word::Which)))
        };
        let names = |at: usize| {
            matches!(self.pieces.get(at).and_then(|piece| piece.options.first()), Some((Meaning::Noun | Meaning::Word(Word::Records), _)))
                || self.pieces.get(at).is_some_and(|piece| {
                    MEMBERS.contains(&piece.text.to_lowercase().as_str())
                        || vocabulary::means_people(&piece.text.to_lowercase())
                        || super::names_records(&piece.text.to_lowercase())
                        || matches!(piece.options.first(), Some((Meaning::Column(column), _))
                            if self.table.nouns.iter().any(|noun| words::same_word(noun, &piece.text.to_lowercase()))
                                || crate::ask::readings::names_rows(self.table, *column))
                })
        };
        let measures = |at: usize| is(at, |word| matches!(word, Word::Sum | Word::Average | Word::Median));
        // `loans and total fines`, `number of loans and total fines`
        let Some(mut first) = skips(0) else { return };
        let start = first;
        // `Anzahl und Summe der Rechnungen`
        if is(first, |word| word == Word::Count)
            && is(first + 1, |word| word == Word::And)
            && let Some(function) = skips(first + 2)
            && measures(function)
        {
            let piece = Piece::of("how many".to_owned(), Meaning::Word(Word::CountToo(true)), TOGETHER);
            self.pieces.splice(start..function, [piece]);
            self.changes += 1;
            self.count_words();
            return;
        }
        if is(first, |word| word == Word::Count) {
            let Some(next) = skips(first + 1) else { return };
            first = next;
        }
        let and = |at: usize| is(at, |word| word == Word::And);
        if names(first)
            && and(first + 1)
            && let Some(function) = skips(first + 2)
            && measures(function)
        {
            let piece = Piece::of("how many".to_owned(), Meaning::Word(Word::CountToo(true)), TOGETHER);
            self.pieces.splice(start..function, [piece]);
            self.changes += 1;
            self.count_words();
            return;
        }
        // `total fines and number of loans`
        let behind = (1..self.pieces.len().saturating_sub(2)).find_map(|at| {
            let count = skips(at + 1)?;
            let counted = skips(count + 1)?;
            (and(at) && is(count, |word| word == Word::Count) && names(counted) && (0..at).any(measures))
                .then_some((at, counted))
        });
        if let Some((at, counted)) = behind {
            let piece = Piece::of("how many".to_owned(), Meaning::Word(Word::CountToo(false)), TOGETHER);
            self.pieces.splice(at..=counted, [piece]);
            self.changes += 1;
            self.count_words();
        }
    }

    /// `the nightly rate` of `Rate per night`, `die monatliche Miete` of `Miete pro Monat`.
    fn name_by_adverbs(&mut self) {
        const ADVERBS: &[(&[&str], &[&str])] = &[
            (&["nightly"], &["night", "nacht"]),
            (&["hourly", "stündliche", "stündlichen", "stündlicher"], &["hour", "hr", "stunde", "std"]),
            (&["daily", "tägliche", "täglichen", "täglicher"], &["day", "tag"]),
            (&["weekly", "wöchentliche", "wöchentlichen", "wöchentlicher"], &["week", "woche"]),
            (&["monthly", "monatliche", "monatlichen", "monatlicher"], &["month", "monat", "pcm"]),
            (
                &["yearly", "annual", "jährliche", "jährlichen", "jährlicher"],
                &["year", "annum", "jahr", "pa"],
            ),
        ];
        for (adverbs, units) in ADVERBS {
            let Some(at) = self.position(adverbs) else { continue };
            let Some((_, piece)) = self.words.get(at) else { continue };
            if matches!(self.pieces[*piece].options.first(), Some((Meaning::Column(_), _))) {
                continue;
            }
            let noun = self.word(at + 1).to_owned();
            let is_per = |column: &usize| {
                let parts = words::parts(&self.table.columns[*column].name);
                let has_unit = parts.iter().skip(1).any(|part| units.contains(&part.as_str()));
                self.table.columns[*column].is_numeric() && has_unit
            };
            let mut found: Vec<usize> = (0..self.table.columns.len()).filter(is_per).collect();
            if found.len() > 1 {
                found.retain(|column| {
                    words::parts(&self.table.columns[*column].name)
                        .iter()
                        .any(|part| words::same_word(part, &noun) || vocabulary::are_synonyms(part, &noun))
                });
            }
            let [column] = found[..] else { continue };
            let is_noun = words::parts(&self.table.columns[column].name)
                .iter()
                .any(|part| words::same_word(part, &noun) || vocabulary::are_synonyms(part, &noun))
                || matches!(
                    noun.as_str(),
                    "rate"
                        | "rates"
                        | "price"
                        | "prices"
                        | "cost"
                        | "charge"
                        | "fee"
                        | "preis"
                        | "rent"
                        | "miete"
                        | "pay"
                        | "wage"
                        | "satz"
                );
            let words = if is_noun { at..at + 2 } else { at..at + 1 };
            if self.is_whole(&words) {
                let name = self.table.columns[column].name.clone();
                self.put(words, vec![Piece::of(name, Meaning::Column(column), TOGETHER)]);
            }
            return;
        }
    }

    /// `the most expensive item per unit`, where a column says what one costs.
    fn pass_over_pieces(&mut self) {
        const EACH: &[&str] = &[
            "per unit",
            "per item",
            "per piece",
            "per single item",
            "a unit",
            "a piece",
            "pro stück",
            "je stück",
            "pro einheit",
            "per one",
        ];
        let says_price = |column: &crate::column::Column| {
            let parts = words::parts(&column.name);
            column.is_numeric()
                && (vocabulary::names_unit_price(&parts)
                    || vocabulary::names_money(&parts) && parts.iter().any(|part| part == "unit"))
        };
        if !self.table.columns.iter().any(says_price)
            || !self.asks(|word| matches!(word, Word::Extreme(..) | Word::How(_)))
        {
            return;
        }
        if let Some(words) = self.any_phrase(EACH).filter(|words| self.is_whole(words)) {
            self.drop_words(words);
        }
    }
}
