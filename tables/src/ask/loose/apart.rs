//! Values that no row has at once: either is meant, and often each for itself.

use crate::query::{Filter, Literal};
use crate::table::Table;
use crate::words;

/// `sales of Ada and Bob`: no cell says both, so either is meant. The column, if two were told apart.
pub(super) fn either(table: &Table, filter: Filter) -> (Option<Filter>, Option<usize>) {
    let parts = match filter {
        Filter::And(parts) => parts,
        Filter::In { column, ref values } if values.len() == 2 && !are_one(values) => {
            return (Some(filter), Some(column));
        }
        other => return (Some(other), None),
    };
    let mut kept: Vec<Filter> = Vec::new();
    let mut told_apart = None;
    for part in parts {
        if let Filter::In { column, values } = &part
            && let Some(Filter::In { values: earlier, .. }) = kept
                .iter_mut()
                .find(|other| matches!(other, Filter::In { column: same, .. } if same == column))
            && table.columns[*column].is_text()
        {
            earlier.extend(values.iter().cloned());
            told_apart = Some(*column);
            continue;
        }
        kept.push(part);
    }
    (Filter::all(kept), told_apart)
}

/// Whether two texts are one value in two spellings.
fn are_one(values: &[Literal]) -> bool {
    let fold = |value: &Literal| match value {
        Literal::Text(text) => Some(words::fold(text)),
        _ => None,
    };
    values.windows(2).all(|pair| fold(&pair[0]) == fold(&pair[1]))
}
