//! What code can hold a claim to: its numbers, dates and names.
//!
//! Numbers are compared by value and unit ([`crate::value`]), in digits or in words: "two years" is 24 months, `1.500`
//! may be either number. Dates are read in the notations of three languages. A name is a capitalised word that is no
//! ordinary word of its document ([`Lexicon`]): German writes every noun with a capital letter, and a sentence begins
//! with one everywhere.

use std::collections::{BTreeSet, HashSet};

use rust_decimal::Decimal;

use super::language::{self, Language, Unit};
use super::token::{Kind, Token, tokens};
use crate::value::Quantity;

/// What a number does where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It says how much, or when.
    Plain,
    /// It says which part of a text: "section 4".
    Reference,
    /// It numbers an entry of a list: "(2)".
    Marker,
}

/// A number.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Its value, and a second one where its mark may group or divide.
    pub values: Vec<Decimal>,
    /// What it counts, where that is a unit of measure.
    pub unit: Option<Unit>,
    /// What it does.
    pub role: Role,
    /// As it stands.
    pub text: String,
}

/// A day, a month of a year, or a day of a month.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct When {
    /// The year, with four digits.
    pub year: Option<i32>,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: Option<u8>,
}

/// A date, with a second reading where day and month may be exchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dated {
    /// What it may mean.
    pub readings: Vec<When>,
    /// As it stands.
    pub text: String,
}

/// The facts of a text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// Numbers that are no part of a date.
    pub figures: Vec<Figure>,
    /// Numbers in words of what is no unit of measure, "one of five ways": they bear others out and need not be borne out
    /// themselves, because the reader may have counted the entries of a list.
    pub counts: Vec<Figure>,
    /// Dates.
    pub dates: Vec<Dated>,
    /// Times of day, in minutes.
    pub times: Vec<(u32, String)>,
    /// Names, as they stand, and words with digits in them.
    pub names: Vec<String>,
    /// How many words negate.
    pub negations: usize,
}

/// Which words of a document are ordinary ones.
#[derive(Debug, Clone, Default)]
pub struct Lexicon {
    lower: HashSet<String>,
    /// Capitalised within a sentence.
    capitalised: HashSet<String>,
    /// Capitalised after a German determiner.
    determined: HashSet<String>,
}

impl Lexicon {
    /// Learns from a document.
    pub fn of(text: &str) -> Self {
        let mut lexicon = Self::default();
        let mut last: Option<Token<'_>> = None;
        for token in tokens(text) {
            if matches!(token.kind, Kind::Word | Kind::Mixed) {
                let lower = token.text.to_lowercase();
                if !token.is_capitalised() {
                    lexicon.lower.insert(lower);
                } else if !token.begins && !token.begins_line {
                    if last.is_some_and(|last| language::is_determiner(last.text)) {
                        lexicon.determined.insert(lower.clone());
                    }
                    lexicon.capitalised.insert(lower);
                }
            }
            last = Some(token);
        }
        lexicon
    }

    fn is_name(&self, tokens: &[Token<'_>], at: usize, language: Language) -> bool {
        let token = &tokens[at];
        let lower = token.text.to_lowercase();
        let letters = token.text.chars().filter(|c| c.is_alphabetic()).count();
        if letters < 2 || language::is_function_word(&lower) || language::is_reference(&lower) {
            return false;
        }
        if language::month(token.text).is_some()
            || language::number_word(&lower).is_some()
            || language::unit(token.text).is_some()
        {
            return false;
        }
        let inner_capitals = token.text.chars().skip(1).any(char::is_uppercase);
        if inner_capitals {
            return true;
        }
        if self.lower.contains(&lower) {
            return false;
        }
        let known = self.capitalised.contains(&lower);
        if language == Language::German {
            // A paraphrase may use a noun of its own; only the document's own names are told from nouns.
            return known && !self.determined.contains(&lower) && !language::is_german_noun(&lower);
        }
        let beside = |other: Option<&Token<'_>>| {
            other.is_some_and(|other| other.kind == Kind::Word && other.is_capitalised())
        };
        let is_pair = beside(tokens.get(at + 1)) && !tokens[at + 1].begins;
        !token.begins || known || is_pair
    }
}

impl Facts {
    /// Reads a claim, whose names are told by the document's words.
    pub fn of(text: &str, lexicon: &Lexicon) -> Self {
        let tokens = tokens(text);
        let language = Language::of(text);
        let mut facts = Self::default();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            if let Some(used) = facts.read_date(&tokens, at).or_else(|| facts.read_figure(&tokens, at)) {
                at += used;
                continue;
            }
            facts.negations += usize::from(language::is_negation(token.text));
            let is_name = match token.kind {
                Kind::Mixed => true,
                Kind::Word => token.is_capitalised() && lexicon.is_name(&tokens, at, language),
                Kind::Digits | Kind::Sign => false,
            };
            if is_name {
                facts.names.push(token.text.to_owned());
            }
            at += 1;
        }
        facts
    }

    fn read_date(&mut self, tokens: &[Token<'_>], at: usize) -> Option<usize> {
        let token = tokens[at];
        if token.kind == Kind::Digits {
            if let Some(minutes) = clock(tokens, at) {
                self.times.push((minutes.0, token.text.to_owned()));
                return Some(minutes.1);
            }
            let readings = numeric_date(token.text);
            if !readings.is_empty() {
                self.dates.push(Dated { readings, text: token.text.to_owned() });
                return Some(1);
            }
        }
        // `3 March 2026`, `1er mars`, `the 28th of March, 2007`, `March 28, 2007`, `mars 2007`.
        let mut day = None;
        let mut next = at;
        if let Some(number) = day_of(token) {
            day = Some(number);
            next += 1;
            if tokens.get(next).is_some_and(|word| word.attached && is_ordinal(word.text)) {
                next += 1;
            }
            if tokens.get(next).is_some_and(|word| matches!(word.text, "of" | "de")) {
                next += 1;
            }
        }
        let month = tokens
            .get(next)
            .filter(|word| word.kind == Kind::Word)
            .and_then(|word| language::month(word.text))?;
        next += 1;
        if day.is_none()
            && let Some(number) = tokens.get(next).and_then(|token| day_of(*token))
        {
            day = Some(number);
            next += 1;
            if tokens.get(next).is_some_and(|word| word.attached && is_ordinal(word.text)) {
                next += 1;
            }
        }
        let year = tokens.get(next).and_then(|token| year_of(*token));
        next += usize::from(year.is_some());
        if day.is_none() && year.is_none() {
            return None;
        }
        let when = When { year, month, day };
        // `3 to 5 March`: the first day has the same month.
        if let Some(first) = at.checked_sub(2).and_then(|first| day_of(tokens[first]))
            && matches!(tokens[at - 1].text, "to" | "and" | "bis" | "und" | "au" | "et" | "until" | "or")
            && day.is_some()
        {
            self.figures.pop();
            let readings = vec![When { day: Some(first), ..when.clone() }];
            self.dates.push(Dated { readings, text: format!("{first} {}", tokens[at + 1].text) });
        }
        let text = tokens[at..next].iter().map(|token| token.text).collect::<Vec<_>>().join(" ");
        self.dates.push(Dated { readings: vec![when], text });
        Some(next - at)
    }

    fn read_figure(&mut self, tokens: &[Token<'_>], at: usize) -> Option<usize> {
        let token = tokens[at];
        let mut used = 1;
        let mut text = token.text.to_owned();
        let mut values = match token.kind {
            Kind::Digits => values_of(token),
            Kind::Word => vec![Decimal::from(language::number_word(token.text)?)],
            Kind::Mixed | Kind::Sign => return None,
        };
        if values.is_empty() {
            // `1887-1889`, `10.0.0.1`: several numbers.
            for part in token.text.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty()) {
                let values = Decimal::from_str_exact(part).ok().into_iter().collect();
                self.figures.push(Figure { values, unit: None, role: Role::Plain, text: part.to_owned() });
            }
            return Some(1);
        }
        // `thirty (30) days`: the number in words is repeated, and the unit follows the brackets.
        let mut next = at + 1;
        if token.kind == Kind::Word
            && let [open, number, close, ..] = tokens.get(next..).unwrap_or_default()
            && (open.text, close.text) == ("(", ")")
            && values_of(*number) == values
        {
            next += 3;
            used += 3;
        }
        if tokens.get(next).is_some_and(|word| word.attached && is_ordinal(word.text)) {
            next += 1;
            used += 1;
        }
        if let Some(factor) = tokens.get(next).and_then(|word| language::magnitude(word.text)) {
            values
                .iter_mut()
                .for_each(|value| *value = value.checked_mul(Decimal::from(factor)).unwrap_or(*value));
            text = format!("{text} {}", tokens[next].text);
            next += 1;
            used += 1;
        }
        // The unit may follow brackets: "thirty (30) days".
        let after = tokens
            .get(next)
            .filter(|word| !word.begins || word.kind == Kind::Sign || tokens[next - 1].text == ")");
        let is_unit = |token: &&Token<'_>| matches!(token.kind, Kind::Word | Kind::Sign);
        let mut unit = after.filter(is_unit).and_then(|word| language::unit(word.text));
        // `30 calendar days`, `drei volle Monate`.
        if unit.is_none()
            && after.is_some_and(|word| word.kind == Kind::Word && !language::is_function_word(word.text))
            && let Some(second) = tokens.get(next + 1).filter(|word| word.kind == Kind::Word && !word.begins)
        {
            unit = language::unit(second.text);
        } else if unit.is_some() {
            text = format!("{text} {}", tokens[next].text);
        }
        if unit.is_none() && at > 0 && "$€£¥₿".contains(tokens[at - 1].text)
            || at > 0 && is_code(tokens[at - 1].text)
        {
            unit = unit.or_else(|| language::unit(tokens[at - 1].text));
        }
        if token.kind == Kind::Word && unit.is_none() {
            self.counts.push(Figure { values, unit, role: Role::Plain, text });
            return Some(used);
        }
        let role = role(tokens, at, used, unit.is_some());
        self.figures.push(Figure { values, unit, role, text });
        Some(used)
    }
}

impl Figure {
    /// Whether this number of a document bears `claimed` out.
    pub fn bears_out(&self, claimed: &Self) -> bool {
        let equal = |ours: Decimal, theirs: Decimal| {
            self.values.iter().any(|value| {
                claimed.values.iter().any(|other| {
                    value.checked_mul(ours).is_some_and(|value| other.checked_mul(theirs) == Some(value))
                })
            })
        };
        match (self.unit, claimed.unit) {
            (Some(ours), Some(theirs)) => ours.base == theirs.base && equal(ours.factor, theirs.factor),
            (None, Some(_)) => self.role == Role::Plain && equal(Decimal::ONE, Decimal::ONE),
            (_, None) => equal(Decimal::ONE, Decimal::ONE),
        }
    }
}

impl When {
    /// Whether this date of a document bears `claimed` out; a year that it lacks may stand among `years`.
    pub fn bears_out(&self, claimed: &Self, years: &BTreeSet<i32>) -> bool {
        let year = |year: i32| self.year.map_or_else(|| years.contains(&year), |ours| ours == year);
        self.month == claimed.month
            && claimed.day.is_none_or(|day| self.day == Some(day))
            && claimed.year.is_none_or(year)
    }
}

/// The value of digits, and the other one where a single mark may group or divide.
fn values_of(token: Token<'_>) -> Vec<Decimal> {
    let Some(first) = Quantity::parse(token.text).map(|quantity| quantity.amount) else { return Vec::new() };
    let sign = if matches!(token.before, Some('-' | '−')) && !token.attached {
        -Decimal::ONE
    } else {
        Decimal::ONE
    };
    let mut values = vec![first * sign];
    let marks: Vec<char> = token.text.chars().filter(|c| !c.is_ascii_digit()).collect();
    if let ['.' | ','] = marks[..]
        && let Some((whole, rest)) = token.text.split_once(['.', ','])
        && rest.len() == 3
        && (1..=3).contains(&whole.len())
    {
        for text in [format!("{whole}{rest}"), format!("{whole}.{rest}")] {
            values.extend(Decimal::from_str_exact(&text).ok().filter(|value| *value != first));
        }
    }
    values
}

fn role(tokens: &[Token<'_>], at: usize, used: usize, has_unit: bool) -> Role {
    let before = at.checked_sub(1).map(|before| tokens[before]);
    let in_brackets = before.is_some_and(|before| before.text == "(")
        && tokens.get(at + used).is_some_and(|after| after.text == ")");
    let opens_line = tokens[at].begins_line && matches!(tokens[at].after, Some('.' | ')'));
    if has_unit {
        Role::Plain
    } else if in_brackets || opens_line {
        Role::Marker
    } else if before.is_some_and(|before| language::is_reference(before.text)) {
        Role::Reference
    } else {
        Role::Plain
    }
}

fn is_code(text: &str) -> bool {
    text.len() == 3 && text.chars().all(|c| c.is_ascii_uppercase()) && crate::value::measure(text).is_some()
}

fn is_ordinal(text: &str) -> bool {
    matches!(text, "st" | "nd" | "rd" | "th" | "er" | "re" | "e" | "ème")
}

fn day_of(token: Token<'_>) -> Option<u8> {
    token.text.parse().ok().filter(|day| token.kind == Kind::Digits && (1..=31).contains(day))
}

fn year_of(token: Token<'_>) -> Option<i32> {
    token.text.parse().ok().filter(|year| token.kind == Kind::Digits && (1000..=2999).contains(year))
}

/// Minutes since midnight, and the tokens that say so: `14:30`, `14h30`, `14.30 Uhr`, `2:30 pm`.
fn clock(tokens: &[Token<'_>], at: usize) -> Option<(u32, usize)> {
    let token = tokens[at];
    let next = tokens.get(at + 1);
    if let Some(rest) = next.filter(|next| next.attached).and_then(|next| next.text.strip_prefix(['h', 'H']))
    {
        let minutes = if rest.is_empty() { "0" } else { rest };
        return minutes_of(token.text, minutes).map(|minutes| (minutes, 2));
    }
    let oclock = next.is_some_and(|next| next.text == "Uhr");
    let (hour, minute) = match token.text.split_once(':') {
        Some(parts) => parts,
        None if oclock => token.text.split_once('.').unwrap_or((token.text, "0")),
        None => return None,
    };
    let minute = minute.split(':').next()?;
    let minutes = minutes_of(hour, minute)?;
    let half = next.map(|next| next.text.to_lowercase());
    match half.as_deref() {
        Some("pm") if minutes < 12 * 60 => Some((minutes + 12 * 60, 2)),
        Some("am" | "pm") => Some((minutes, 2)),
        _ => Some((minutes, 1 + usize::from(oclock))),
    }
}

fn minutes_of(hour: &str, minute: &str) -> Option<u32> {
    let (hour, minute): (u32, u32) = (hour.parse().ok()?, minute.parse().ok()?);
    (hour < 25 && minute < 60).then_some(hour * 60 + minute)
}

/// `2026-03-02`, `2026/03/02`, `02.03.2026`, `2.3.26`, `02/03/2026` (both ways).
fn numeric_date(text: &str) -> Vec<When> {
    let parts: Vec<&str> = text.split(['-', '/', '.']).collect();
    let marks: Vec<char> = text.chars().filter(|c| !c.is_ascii_digit()).collect();
    let ([one, two, three], [mark, other]) = (&parts[..], &marks[..]) else { return Vec::new() };
    let (Ok(one_number), Ok(two_number), Ok(three_number)) =
        (one.parse::<i32>(), two.parse::<i32>(), three.parse::<i32>())
    else {
        return Vec::new();
    };
    if mark != other {
        return Vec::new();
    }
    let when = |year: i32, month: i32, day: i32| {
        let (month, day) = (u8::try_from(month).ok()?, u8::try_from(day).ok()?);
        ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some(When {
            year: Some(year),
            month,
            day: Some(day),
        })
    };
    if one.len() == 4 {
        return when(one_number, two_number, three_number).into_iter().collect();
    }
    let year = match three.len() {
        4 => three_number,
        2 if *mark == '.' || *mark == '/' => 2000 + three_number,
        _ => return Vec::new(),
    };
    let mut readings: Vec<When> = when(year, two_number, one_number).into_iter().collect();
    if *mark == '/' {
        readings.extend(when(year, one_number, two_number).filter(|_| one != two));
    }
    readings
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn dates(text: &str) -> Vec<(Option<i32>, u8, Option<u8>)> {
        let facts = Facts::of(text, &Lexicon::default());
        facts
            .dates
            .iter()
            .map(|date| (date.readings[0].year, date.readings[0].month, date.readings[0].day))
            .collect()
    }

    fn figures(text: &str) -> Vec<(String, Option<&'static str>)> {
        let facts = Facts::of(text, &Lexicon::default());
        facts
            .figures
            .iter()
            .map(|figure| (figure.values[0].normalize().to_string(), figure.unit.map(|unit| unit.base)))
            .collect()
    }

    #[test]
    fn dates_are_read_in_any_notation() {
        for text in [
            "28 March 2007",
            "28. März 2007",
            "28 mars 2007",
            "March 28, 2007",
            "the 28th of March 2007",
            "2007-03-28",
            "28.03.2007",
            "28.3.07",
            "28/03/2007",
        ] {
            assert_eq!(dates(text), [(Some(2007), 3, Some(28))], "{text}");
        }
        assert_eq!(dates("from 3 to 5 May 2026"), [(Some(2026), 5, Some(3)), (Some(2026), 5, Some(5))]);
        assert_eq!(dates("le 1er mai"), [(None, 5, Some(1))]);
        assert_eq!(dates("in May 2026"), [(Some(2026), 5, None)]);
        assert_eq!(dates("you may 30 days after"), []);
    }

    #[test]
    fn numbers_are_read_with_their_units_in_digits_and_words() {
        let of = |number: &str, unit| vec![(number.to_owned(), unit)];
        assert_eq!(figures("valid two years"), of("2", Some("months")));
        assert_eq!(figures("eine Frist von drei Monaten"), of("3", Some("months")));
        assert_eq!(figures("thirty (30) days"), of("30", Some("ns")));
        assert_eq!(figures("30 calendar days"), of("30", Some("ns")));
        assert_eq!(figures("€ 1 200,50"), of("1200.5", Some("EUR")));
        assert_eq!(figures("3,5 Millionen Euro"), of("3500000", Some("EUR")));
        assert_eq!(figures("in one of five ways"), []);
        assert_eq!(figures("12 %"), of("12", Some("%")));
    }

    #[test]
    fn a_value_is_the_same_in_other_units_and_spellings() {
        let bears = |quote: &str, claim: &str| {
            let figure = |text: &str| Facts::of(text, &Lexicon::default()).figures.remove(0);
            figure(quote).bears_out(&figure(claim))
        };
        assert!(bears("twelve months", "one year"));
        assert!(bears("2 Wochen", "14 jours"));
        assert!(bears("1.500 Euro", "1500 EUR"));
        assert!(bears("a fee of 40", "40 dollars"));
        assert!(!bears("section 10", "10 years"), "a reference is no amount");
        assert!(!bears("(2) access", "2 years"), "the number of an entry is none");
        assert!(!bears("30 days", "30 months"));
    }

    #[test]
    fn names_are_told_from_nouns_and_from_first_words() {
        let names = |document: &str, claim: &str| Facts::of(claim, &Lexicon::of(document)).names;
        let english = "The lease was signed by Anna Weber. Later, Weber left; duties ended.";
        assert_eq!(names(english, "Weber has duties to Miller & Sons."), ["Weber", "Miller", "Sons"]);
        assert_eq!(names(english, "Duties end. Signatures too."), Vec::<String>::new());
        let german = "Die Miete wird an Weber gezahlt. Der Mieter und Schulze haften.";
        assert_eq!(
            names(german, "Die Zahlung der Miete geht vom Mieter an Weber und die GmbH."),
            ["Weber", "GmbH"]
        );
        assert_eq!(names("Madame Durand habite à Lyon.", "Le loyer est dû à Durand."), ["Durand"]);
    }

    #[test]
    fn times_of_day_are_one_in_all_notations() {
        for text in ["at 14:30", "um 14.30 Uhr", "à 14h30", "at 2:30 pm"] {
            assert_eq!(Facts::of(text, &Lexicon::default()).times[0].0, 870, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[-0-9., :/h€%§()a-zA-Zäß\\n]{0,60}|(?s:.{0,40})") {
            let _ = Facts::of(&text, &Lexicon::of(&text));
        }
    }
}
