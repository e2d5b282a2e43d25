//! Lines without structure: each is a record, and what their templates tell are its fields.

use super::templates::Templates;
use super::{line_number, log};
use crate::raw::{Gathered, RawTable};

/// Every line that is not blank, with the fields of its template and the numbers that stand before a unit in it.
pub(super) fn read(text: &str) -> RawTable {
    let filled = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let templates = Templates::of(filled.clone().map(|(_, line)| line));
    let mut gathered = Gathered::default();
    for (index, line) in filled {
        let number = line_number(index);
        let mut fields = vec![("text".to_owned(), line.to_owned())];
        let found = templates.as_ref().map_or_else(Vec::new, |templates| templates.fields(line));
        for (name, value) in found.into_iter().chain(log::quantities(line)) {
            if !fields.iter().any(|(other, _)| *other == name) {
                fields.push((name, value));
            }
        }
        gathered.push((number, number), fields);
    }
    gathered.into_table()
}
