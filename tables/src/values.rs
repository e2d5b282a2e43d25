//! Which values stand in which columns: how a question's words find them.

use std::collections::HashMap;

use rusqlite::Connection;

use crate::column::Column;
use crate::sql::identifier;
use crate::words;

/// Most different values that are indexed. Beyond that a value is found by its whole text only in the columns before.
const MAX_VALUES: usize = 400_000;

/// Longest value that is one a question would name.
const MAX_VALUE_CHARS: usize = 100;

/// Most words of a value that a question names by a part of it.
const MAX_WORDS: usize = 8;

/// Most different values that are looked through for one that begins with a word.
const MAX_BEGINNINGS: usize = 20_000;

/// Values of text columns by their words.
#[derive(Debug, Default)]
pub(crate) struct ValueIndex {
    /// Words joined by spaces → where they are a whole value.
    whole: HashMap<String, Vec<Hit>>,
    /// One word → the columns in which it is part of a longer value.
    partial: HashMap<String, Vec<(usize, u32)>>,
    /// The stem of a value of one word → the value's words.
    stems: HashMap<String, Vec<String>>,
    /// Columns with values that differ by case only.
    pub case_variants: Vec<bool>,
    /// Different values per column, under case folding.
    pub distinct: Vec<usize>,
    /// Most words of a whole value.
    pub longest: usize,
    /// Columns whose values were too many.
    pub cut: Vec<usize>,
}

/// A value as it stands in a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hit {
    pub column: usize,
    /// All spellings that are this value under case folding, with how often each stands there.
    pub spellings: Vec<(String, u64)>,
}

impl ValueIndex {
    /// Reads the different values of all text columns.
    pub fn of(name: &str, columns: &[Column], connection: &Connection) -> Self {
        let mut index = Self {
            case_variants: vec![false; columns.len()],
            distinct: vec![0; columns.len()],
            ..Self::default()
        };
        let mut total = 0;
        for (column, described) in columns.iter().enumerate() {
            if !described.is_text() {
                continue;
            }
            let room = MAX_VALUES.saturating_sub(total);
            let sql = format!(
                "SELECT {0}, count(*) FROM {1} WHERE {0} IS NOT NULL GROUP BY {0} ORDER BY 2 DESC, 1 LIMIT {2}",
                identifier(&described.name),
                identifier(name),
                room + 1
            );
            let read = || -> rusqlite::Result<Vec<(String, u64)>> {
                connection.prepare(&sql)?.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
            };
            let values = read().unwrap_or_default();
            if values.len() > room {
                index.cut.push(column);
                continue;
            }
            total += values.len();
            index.add(column, values);
        }
        index
    }

    fn add(&mut self, column: usize, values: Vec<(String, u64)>) {
        let mut folded: std::collections::HashSet<String> = std::collections::HashSet::new();
        for (value, count) in values {
            if !folded.insert(words::fold(&value)) {
                self.case_variants[column] = true;
            }
            if value.chars().count() > MAX_VALUE_CHARS {
                // A message or a note: found by its words, never as a whole.
                continue;
            }
            let parts = words::value_words(&value);
            if parts.is_empty() {
                continue;
            }
            if parts.len() > 1 && parts.len() <= MAX_WORDS {
                for part in &parts {
                    let columns = self.partial.entry(part.clone()).or_default();
                    match columns.iter_mut().find(|(other, _)| *other == column) {
                        Some((_, count)) => *count += 1,
                        None => columns.push((column, 1)),
                    }
                }
            }
            if let [part] = parts.as_slice()
                && part.chars().count() > 3
            {
                // `warn` itself would be cut to `war`.
                for stem in [words::stem(part), part.clone()] {
                    let words = self.stems.entry(stem).or_default();
                    if !words.contains(part) {
                        words.push(part.clone());
                    }
                }
            }
            self.longest = self.longest.max(parts.len());
            let hits = self.whole.entry(parts.join(" ")).or_default();
            match hits.iter_mut().find(|hit| hit.column == column) {
                Some(hit) => hit.spellings.push((value, count)),
                None => hits.push(Hit { column, spellings: vec![(value, count)] }),
            }
        }
        self.distinct[column] = folded.len();
    }

    /// Where these words are a whole value, by column.
    pub fn whole(&self, words: &[String]) -> &[Hit] {
        self.whole.get(&words.join(" ")).map_or(&[], Vec::as_slice)
    }

    /// The whole values of one word that have the stem of another: `warnings` and `WARN`.
    pub fn by_stem(&self, word: &str) -> Vec<Hit> {
        let found = self.stems.get(&words::stem(word));
        found
            .into_iter()
            .flatten()
            .flat_map(|value| self.whole(std::slice::from_ref(value)))
            .cloned()
            .collect()
    }

    /// The whole values of a column that hold a word among others.
    pub fn with_word(&self, column: usize, word: &str) -> Vec<String> {
        let mut found: Vec<String> = self
            .whole
            .iter()
            .filter(|(joined, _)| joined.split(' ').any(|part| part == word))
            .flat_map(|(_, hits)| hits)
            .filter(|hit| hit.column == column)
            .flat_map(|hit| hit.spellings.iter().map(|(spelling, _)| spelling.clone()))
            .collect();
        found.sort_unstable();
        found
    }

    /// The values of one word that begin with another, at most two of them; none where there are too many to look at.
    pub fn beginning_with(&self, word: &str) -> Vec<&Hit> {
        if self.whole.len() > MAX_BEGINNINGS {
            return Vec::new();
        }
        let begins = |value: &String| value.starts_with(word) && !value.contains(' ');
        self.whole.iter().filter(|(value, _)| begins(value)).flat_map(|(_, hits)| hits).take(2).collect()
    }

    /// Whether a value stands in other cells of its column as one of several, or with a mark of a footnote: `Pashto` in
    /// `Dari, Pashto`, `1958` in `1958*`.
    pub fn is_one_of_several(&self, column: usize, value: &str) -> bool {
        let wanted = words::fold(value);
        let is_marked = |(spelling, _): &(String, u64)| {
            let bare = spelling.trim_end_matches(['*', '†', '‡', '§']);
            bare.len() < spelling.len() && words::fold(bare) == wanted
        };
        let whole = self.whole(&words::value_words(value));
        if whole.iter().any(|hit| hit.column == column && hit.spellings.iter().any(is_marked)) {
            return true;
        }
        let Some(first) = words::value_words(value).into_iter().next() else { return false };
        if self.partial(&first).iter().all(|(other, _)| *other != column) {
            return false;
        }
        self.with_word(column, &first).iter().any(|cell| {
            let mut parts = cell.split([',', ';', '/', '|', '\n', '&']).map(words::fold);
            words::fold(cell) != wanted && parts.any(|part| part == wanted)
        })
    }

    /// The columns in which a word is part of a longer value, and of how many values.
    pub fn partial(&self, word: &str) -> &[(usize, u32)] {
        self.partial.get(word).map_or(&[], Vec::as_slice)
    }

    /// Whole values of a column that are this word but for a plural ending.
    pub fn plural(&self, word: &str) -> Vec<Hit> {
        let mut found: Vec<Hit> = Vec::new();
        let mut candidates = vec![format!("{word}s")];
        for (ending, instead) in [("ies", "y"), ("es", ""), ("s", ""), ("e", ""), ("en", "e"), ("n", "")] {
            if let Some(rest) = word.strip_suffix(ending).filter(|rest| rest.chars().count() >= 3) {
                candidates.push(format!("{rest}{instead}"));
            }
        }
        for candidate in candidates {
            if words::same_but_plural(&candidate, word)
                || word.strip_suffix("en").is_some()
                || word.ends_with('e')
                || word.ends_with('n')
            {
                for hit in self.whole(std::slice::from_ref(&candidate)) {
                    if !found.contains(hit) {
                        found.push(hit.clone());
                    }
                }
            }
        }
        found
    }
}
