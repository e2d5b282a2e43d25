//! The columns of a table that a question means without naming them.

use jiff::civil::DateTime;

use super::frame::{Doubt, Frame};
use super::readings::names_rows;
use crate::column::{Column, Kind};
use crate::query::{Aggregate, Cell, Function, Query};
use crate::read::Format;
use crate::table::Table;
use crate::value::moment::NO_YEAR;
use crate::{vocabulary, words};

impl Table {
    /// The only column of moments.
    pub(super) fn moment_column(&self) -> Option<usize> {
        let mut found =
            self.columns.iter().enumerate().filter(|(_, column)| column.is_moment()).map(|(index, _)| index);
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// The only column of moments, else the first of them, which is a guess.
    pub(super) fn moment_or_first(&self, doubt: &mut Doubt) -> Option<usize> {
        let only = self.moment_column();
        if only.is_some() {
            return only;
        }
        let first = self.columns.iter().position(Column::is_moment)?;
        doubt.guesses += 3;
        doubt.notes.push(format!("of several times, {} was taken", self.columns[first].name));
        Some(first)
    }

    /// The only column of moments that some records do not have yet: when they were paid, returned, closed.
    pub(super) fn end_column(&self) -> Option<usize> {
        let mut found = (0..self.columns.len())
            .filter(|column| self.columns[*column].is_moment() && self.columns[*column].missing > 0);
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// The year that all moments of a column are of.
    pub(super) fn only_year(&self, column: usize) -> Option<i16> {
        let year = |function: Function| {
            let outcome = self.run(&Query::number(Aggregate::of(function, column), None)).ok()?;
            let Cell::Text(text) = outcome.single()? else { return None };
            text.get(..4)?.parse::<i16>().ok()
        };
        if matches!(self.columns[column].kind, Kind::DateTime { has_year: false, .. }) {
            return Some(NO_YEAR);
        }
        year(Function::Min).filter(|first| year(Function::Max) == Some(*first))
    }

    /// Whether cells of a column of numbers say in words why there is no number.
    pub(super) fn says_why_not(&self, column: usize) -> bool {
        let described = &self.columns[column];
        let has_digit = |text: &String| text.bytes().any(|byte| byte.is_ascii_digit());
        described.misfits > 0 && !described.misfit_samples.iter().any(|sample| has_digit(&sample.text))
    }

    /// Whether the smaller is the better: of delays, and of German marks, from 1 to 6.
    pub(super) fn is_better_when_small(&self, column: usize) -> bool {
        const BAD: &str = "delay delayed late lateness latency latenz error errors failure failures fault faults complaint complaints \
            wait waiting absent absence absences lost missed missing defect defects incident incidents fehler fehltage fehlzeiten \
            verspätung wartezeit ausfälle mängel beschwerden reklamationen rank rang platz";
        const MARKS: &str = "note noten zeugnis zensur zensuren schulnoten schulnote klassenarbeit klassenarbeiten klausur schulaufgabe \
            kurzarbeit";
        let is_in = |list: &str, word: &String| list.split_whitespace().any(|other| other == word);
        let parts = words::parts(&self.columns[column].name);
        if !self.columns[column].is_numeric() || parts.iter().any(|part| is_in(BAD, part)) {
            return self.columns[column].is_numeric();
        }
        let end = |function: Function| {
            let outcome = self.run(&Query::number(Aggregate::of(function, column), None)).ok()?;
            match outcome.single()? {
                Cell::Number(number) => Some(*number),
                _ => None,
            }
        };
        self.nouns.iter().chain(&parts).any(|word| is_in(MARKS, word))
            && end(Function::Min).is_some_and(|least| least >= rust_decimal::Decimal::ONE)
            && end(Function::Max).is_some_and(|most| most <= rust_decimal::Decimal::from(6))
    }

    /// The only two columns of numbers of which one is the least and the other the most of the same: `Tmin`, `Tmax`.
    pub(super) fn ends_of_a_range(&self) -> Option<(usize, usize)> {
        const LEAST: &[&str] = &["min", "minimum", "low", "tiefst", "tief"];
        const MOST: &[&str] = &["max", "maximum", "high", "höchst", "hoch"];
        // What is left of a name without the word for its end.
        let rest = |column: usize, ends: &[&str]| {
            let described = &self.columns[column];
            let name = words::parts(&described.name).join(" ");
            let end = ends.iter().filter(|end| name.contains(*end)).max_by_key(|end| end.len())?;
            described
                .is_numeric()
                .then(|| name.replacen(end, "", 1).split_whitespace().collect::<Vec<_>>().join(" "))
        };
        let all = 0..self.columns.len();
        let mut pairs = all.clone().filter_map(|least| {
            let of_least = rest(least, LEAST)?;
            let most =
                all.clone().find(|most| *most != least && rest(*most, MOST).as_ref() == Some(&of_least))?;
            Some((least, most))
        });
        let first = pairs.next()?;
        pairs.next().is_none().then_some(first)
    }

    /// The only column that tells the time of day.
    pub(super) fn clock_column(&self) -> Option<usize> {
        let tells = |column: &Column| matches!(column.kind, Kind::DateTime { .. } | Kind::Time);
        let mut found = (0..self.columns.len()).filter(|column| tells(&self.columns[*column]));
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// Columns of numbers that are amounts, not names.
    pub(super) fn measures(&self) -> Vec<usize> {
        let is_measure = |column: &usize| self.columns[*column].is_numeric() && !self.holds_codes(*column);
        (0..self.columns.len()).filter(is_measure).collect()
    }

    /// Whether a column's numbers are names: it is called so, they run on from row to row, or it is called as the records are, and each
    /// has another one with as many digits.
    pub(super) fn holds_codes(&self, column: usize) -> bool {
        let described = &self.columns[column];
        let parts = words::parts(&described.name);
        if vocabulary::names_codes(&parts) || self.values().running.contains(&column) {
            return true;
        }
        let [part] = parts.as_slice() else { return false };
        let is_noun = self.nouns.iter().any(|noun| words::same_but_plural(noun, part));
        // Numbers of records stand in front.
        if !is_noun || column > 0 || described.scale() != Some(0) || !self.is_unique(column) {
            return false;
        }
        let digits = |function: Function| {
            let outcome = self.run(&Query::number(Aggregate::of(function, column), None)).ok()?;
            outcome.single().map(|cell| cell.to_string().len())
        };
        digits(Function::Min) == digits(Function::Max).filter(|digits| *digits > 2)
    }

    /// Whether a column of texts holds numbers of records: `T-3300`, `SO-7001`.
    pub(super) fn holds_numbered_names(&self, column: usize) -> bool {
        let described = &self.columns[column];
        if vocabulary::names_codes(&words::parts(&described.name)) {
            return true;
        }
        let is_numbered = |text: &String| {
            let has_number = text.as_bytes().windows(2).any(|pair| pair.iter().all(u8::is_ascii_digit));
            has_number && !text.contains(char::is_whitespace)
        };
        let first = if described.is_text() { self.first_texts(column) } else { Vec::new() };
        !first.is_empty() && first.iter().filter(|text| is_numbered(text)).count() * 10 >= first.len() * 9
    }

    /// A moment in the form in which a column holds it.
    pub(super) fn moment_text(&self, column: usize, at: DateTime) -> String {
        let date = format!("{:04}-{:02}-{:02}", at.year(), at.month(), at.day());
        match self.columns[column].kind {
            Kind::DateTime { .. } => format!("{date} {:02}:{:02}:{:02}", at.hour(), at.minute(), at.second()),
            _ => date,
        }
    }

    /// The only column that says how many pieces a row is of.
    pub(super) fn quantity_column(&self) -> Option<usize> {
        let mut found = (0..self.columns.len()).filter(|column| {
            self.columns[*column].is_numeric()
                && vocabulary::names_quantity(&words::parts(&self.columns[*column].name))
        });
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// What `where` asks for: the only column that is called as places are.
    pub(super) fn place_column(&self) -> Option<usize> {
        let mut places = (0..self.columns.len()).filter(|column| {
            self.columns[*column].is_text()
                && vocabulary::names_a_place(&words::parts(&self.columns[*column].name))
        });
        let first = places.next()?;
        places.next().is_none().then_some(first)
    }

    /// What `who` asks for: people, by one name or two, else what each record is called.
    pub(super) fn who_columns(&self, frame: &mut Frame) -> Option<Vec<usize>> {
        if let Some(person) = self.person_column() {
            return Some(vec![person]);
        }
        let called = |concept: &str| {
            let is_called = |column: &Column| {
                column.is_text() && vocabulary::are_synonyms(concept, &words::fold(&column.name))
            };
            self.columns.iter().position(is_called)
        };
        if let (Some(first), Some(last)) = (called("first name"), called("last name")) {
            return Some(vec![first.min(last), first.max(last)]);
        }
        let mut names = (0..self.columns.len())
            .filter(|column| names_rows(self, *column) && !self.holds_numbered_names(*column));
        let only = names.next().filter(|_| names.next().is_none())?;
        frame.doubt.guesses += 2;
        Some(vec![only])
    }

    /// Whether two columns have as many different values.
    fn differ_alike(&self, one: usize, other: usize) -> bool {
        let distinct = &self.values().distinct;
        distinct.get(one).is_some_and(|count| *count > 0 && distinct.get(other) == Some(count))
    }

    /// The only column that holds people.
    pub(super) fn person_column(&self) -> Option<usize> {
        let mut people: Vec<usize> = self
            .columns
            .iter()
            .enumerate()
            .filter(|(_, column)| column.is_text() && vocabulary::names_a_person(&words::parts(&column.name)))
            .map(|(index, _)| index)
            .collect();
        // The agent of a request is a browser.
        people.retain(|column| {
            self.format != Format::AccessLog || words::fold(&self.columns[*column].name) != "agent"
        });
        if people.len() > 1 {
            // Beside a `user`, a `name` is that of something else. Beside the number of one, it is theirs.
            let (names, others): (Vec<usize>, Vec<usize>) =
                people.iter().partition(|column| words::parts(&self.columns[**column].name) == ["name"]);
            people = match (names.as_slice(), others.as_slice()) {
                ([name], [number]) if self.holds_codes(*number) && self.differ_alike(*name, *number) => names,
                _ => others,
            };
        }
        if let [column] = people.as_slice() { Some(*column) } else { None }
    }
}
