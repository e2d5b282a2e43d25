//! What queries and tables share of SQLite: names, functions, and what a statement may do.

pub(crate) mod functions;
pub(crate) mod guard;

/// A name in double quotes.
pub(crate) fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
