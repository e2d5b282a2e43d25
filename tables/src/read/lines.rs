//! Lines without structure: each is a record.

use super::{line_number, log};
use crate::raw::{Gathered, RawTable};

/// Every line that is not blank, with the numbers that stand before a unit in it.
pub(super) fn read(text: &str) -> RawTable {
    let mut gathered = Gathered::default();
    for (index, line) in text.lines().enumerate() {
        if !line.trim().is_empty() {
            let number = line_number(index);
            let mut fields = vec![("text".to_owned(), line.to_owned())];
            fields.extend(log::quantities(line));
            gathered.push((number, number), fields);
        }
    }
    gathered.into_table()
}
