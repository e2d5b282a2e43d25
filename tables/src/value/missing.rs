//! What people write where there is nothing.

/// Whether a cell of a text column says that there is nothing. `NA` is a region there, so it does not.
pub(crate) fn in_text(cell: &str) -> bool {
    matches!(cell, "" | "-" | "--" | "—" | "–" | "n/a" | "N/A" | "null" | "NULL" | "\\N" | "#N/A" | "(null)")
}

/// The same for a column of numbers, times or yes and no, where more can only mean nothing.
pub(crate) fn in_values(cell: &str) -> bool {
    in_text(cell)
        || matches!(
            cell,
            "NA" | "na" | "nil" | "NaN" | "nan" | "none" | "None" | "NONE" | "?" | "k.A." | "k. A."
        )
}
