//! Conditions on texts: `mention MIT`, `contains "disk full"`.

use super::frame::Parser;
use super::lexicon::Word;
use super::pieces::Meaning;
use crate::query::{Aggregate, Filter, Query, TextTest};
use crate::vocabulary;

impl Parser<'_> {
    pub(super) fn text_at(&self, from: usize) -> Option<(String, usize)> {
        const INTRODUCTIONS: &[&str] =
            &["word", "words", "the word", "text", "the text", "term", "phrase", "wort", "begriff"];
        let is_last = |next: usize| self.at + next + 1 >= self.texts.len();
        let is_filler = |next: usize| {
            let text = self.texts.get(self.at + next).map_or("", String::as_str);
            let is_small = matches!(self.word(next), Some(Word::Noise | Word::Verb))
                && !text.chars().any(char::is_uppercase);
            !is_last(next) && (is_small || INTRODUCTIONS.contains(&text.to_lowercase().as_str()))
        };
        let mut next = from;
        while is_filler(next) {
            next += 1;
        }
        match self.peek(next)? {
            Meaning::Word(Word::Noise | Word::Verb) => {
                Some((self.texts.get(self.at + next)?.clone(), next + 1))
            }
            Meaning::Text(text) => Some((text.clone(), next + 1)),
            Meaning::Unknown
            | Meaning::Value { .. }
            | Meaning::Number(_)
            | Meaning::Column(_)
            | Meaning::Noun
            | Meaning::Hundreds(_) => Some((self.texts.get(self.at + next)?.clone(), next + 1)),
            _ => None,
        }
    }

    /// `mention MIT`: of the line, or of the only column with long texts.
    pub(super) fn free_text(&mut self, test: Word) -> Option<Filter> {
        let (wanted, length) = self.text_at(1)?;
        if self.frame.rows.lines {
            self.at += length;
            let test = if test == Word::Mentions || test == Word::Contains {
                TextTest::Word
            } else {
                text_test(test)
            };
            return Some(Filter::Line { test, text: wanted });
        }
        // `mention a password in the subject`
        let behind = length + self.fillers(length);
        if let Some(Meaning::Column(column)) = self.peek(behind)
            && behind > length
            && self.texts[self.at + length].eq_ignore_ascii_case("in")
            && self.table.columns[*column].is_text()
        {
            self.at += behind + 1;
            return text_filter(*column, test, wanted);
        }
        let of_messages = self.only_column(|column| {
            column.is_text() && vocabulary::are_synonyms("message", &column.name.to_lowercase())
        });
        let column = of_messages.or_else(|| self.text_with(&wanted))?;
        self.at += length;
        text_filter(column, test, wanted)
    }
}

impl Parser<'_> {
    /// The only column of longer texts in which some words stand.
    fn text_with(&mut self, wanted: &str) -> Option<usize> {
        let stands_in = |column: &usize| {
            let text = wanted.to_owned();
            let filter = Filter::Text { column: *column, test: TextTest::Contains, text };
            let count = Query::number(Aggregate::count(), Some(filter));
            self.table.run(&count).is_ok_and(|outcome| outcome.matched > 0)
        };
        let texts = (0..self.table.columns.len()).filter(|column| self.table.columns[*column].is_text());
        let found: Vec<usize> = texts.filter(stands_in).collect();
        self.frame.doubt.guesses += 3;
        let [column] = found[..] else { return None };
        Some(column)
    }
}

fn text_test(word: Word) -> TextTest {
    match word {
        Word::StartsWith => TextTest::StartsWith,
        Word::EndsWith => TextTest::EndsWith,
        Word::Matches => TextTest::Regex,
        Word::Mentions => TextTest::Word,
        _ => TextTest::Contains,
    }
}

pub(super) fn text_filter(column: usize, word: Word, text: String) -> Option<Filter> {
    if word == Word::Matches && crate::sql::functions::compiled(&text).is_err() {
        return None;
    }
    Some(Filter::Text { column, test: text_test(word), text })
}
