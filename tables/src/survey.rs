//! The first look at all records: which columns there are, and what stands in each.

use std::collections::HashMap;

use crate::infer::Census;
use crate::raw::{MAX_COLUMNS, RawTable};
use crate::read::{delimited, unreadable_note};

/// What all records of a file have in common, put together from its parts.
#[derive(Default)]
pub(crate) struct Survey {
    /// Names, notes and flaws of the whole; no rows.
    pub whole: RawTable,
    pub rows: u64,
    pub censuses: Vec<Census>,
    /// The names as the file has them → columns.
    places: HashMap<String, usize>,
    /// Columns that found no room.
    dropped: bool,
}

impl Survey {
    /// Takes in all records at once.
    pub fn of(raw: &RawTable) -> Self {
        let mut survey = Self::default();
        survey.add(raw, 0);
        survey.whole.notes.clone_from(&raw.notes);
        survey
    }

    /// Takes in the records of a part, which begins behind so many lines.
    pub fn add(&mut self, raw: &RawTable, lines_before: u32) {
        let places = self.places(raw);
        for (column, place) in places.iter().enumerate() {
            let Some(place) = place else { continue };
            let census = &mut self.censuses[*place];
            for row in raw.rows() {
                census.see(row.cell(column));
            }
        }
        for (place, census) in self.censuses.iter_mut().enumerate() {
            if !places.contains(&Some(place)) {
                census.see_blank(raw.len() as u64);
            }
        }
        self.rows += raw.len() as u64;
        let whole = &mut self.whole;
        whole.delimiter = raw.delimiter;
        whole.header_is_doubtful |= raw.header_is_doubtful;
        whole.has_total_row |= raw.has_total_row;
        whole.extra_rows += raw.extra_rows;
        whole.short_rows += raw.short_rows;
        whole.unreadable_lines += raw.unreadable_lines;
        if whole.wide_lines.len() < 5 {
            whole.wide_lines.extend(raw.wide_lines.iter().map(|line| line.saturating_add(lines_before)));
            whole.wide_lines.truncate(5);
        }
        whole.total_line = raw.total_line.map(|line| line.saturating_add(lines_before)).or(whole.total_line);
    }

    /// Says what is odd about a file that was read in parts.
    pub fn note(&mut self, first: Vec<String>) {
        let rows = delimited::row_notes(&self.whole);
        self.whole.notes.extend(first);
        self.whole.notes.extend(rows);
        if self.whole.unreadable_lines > 0 {
            self.whole.notes.push(unreadable_note(self.whole.unreadable_lines));
        }
        if self.dropped {
            self.whole.notes.push("values of further columns were left out".to_owned());
        }
    }

    /// The columns of the whole for those of a part.
    pub fn places(&mut self, raw: &RawTable) -> Vec<Option<usize>> {
        // Rows between signs have the same columns throughout; fields are found by their names.
        if raw.delimiter.is_some() || self.rows == 0 {
            while self.whole.names.len() < raw.names.len() {
                self.add_column(&raw.given[self.whole.names.len()]);
            }
            return (0..raw.names.len()).map(Some).collect();
        }
        raw.given
            .iter()
            .map(|name| match self.places.get(name) {
                Some(place) => Some(*place),
                None if self.whole.names.len() < MAX_COLUMNS => Some(self.add_column(name)),
                None => {
                    self.dropped = true;
                    None
                }
            })
            .collect()
    }

    fn add_column(&mut self, name: &str) -> usize {
        let place = self.whole.add_column(name);
        self.places.entry(name.to_owned()).or_insert(place);
        let mut census = Census::new(&self.whole.names[place]);
        census.see_blank(self.rows);
        self.censuses.push(census);
        place
    }
}
