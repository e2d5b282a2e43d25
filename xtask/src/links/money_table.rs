//! The table of `docs/money.md` that says who can lose what: each of its rows names tests that exist.

use std::collections::HashSet;

use super::is_a;
use super::repository::Repository;
use super::seed_table::{quoted, tests_of};

const PAGE: &str = "docs/money.md";
/// The head of the column that names tests, the last one of its table.
const COLUMN: &str = "shown by";

/// Rows that name no test, and tests that nobody finds.
pub fn problems(repository: &Repository) -> Vec<String> {
    let Some(page) = repository.text(PAGE) else {
        return vec![format!("there is no {PAGE}")];
    };
    let sources = repository.files().filter(|(path, _)| is_a(path, "rs"));
    let tests: HashSet<String> = sources.flat_map(|(_, text)| tests_of(text)).map(|test| test.name).collect();
    let rows = rows(page);
    if rows.is_empty() {
        return vec![format!("{PAGE}: no table has a column \"{COLUMN}\"")];
    }
    let of_row = |(line, named): (usize, Vec<String>)| {
        let mut problems: Vec<String> = named
            .iter()
            .filter(|name| !tests.contains(*name))
            .map(|name| format!("{PAGE}:{line}: there is no test {name}"))
            .collect();
        if named.is_empty() {
            problems.push(format!("{PAGE}:{line}: the row names no test"));
        }
        problems
    };
    rows.into_iter().flat_map(of_row).collect()
}

/// The lines of the rows, and what each has in the column.
fn rows(page: &str) -> Vec<(usize, Vec<String>)> {
    let mut rows = Vec::new();
    let mut is_within = false;
    for (at, line) in page.lines().enumerate() {
        let Some(cells) = line.strip_prefix('|').and_then(|line| line.strip_suffix('|')) else {
            is_within = false;
            continue;
        };
        let last = cells.rsplit('|').next().unwrap_or_default().trim();
        if last == COLUMN {
            is_within = true;
        } else if is_within && !last.starts_with("---") {
            rows.push((at + 1, quoted(last)));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_without_a_test_and_a_test_that_is_gone_are_found() {
        let page = "| what | else |\n|---|---|\n| a | b |\n\n| who | shown by |\n|---|---|\n| a | `it_holds` |\n\
                    | b | `it_holds`, `gone` |\n| c | |\n";
        let repository =
            Repository::of(&[(PAGE, page), ("wallet/src/a.rs", "#[test]\nfn it_holds() {}\nfn gone() {}\n")]);
        assert_eq!(
            problems(&repository),
            [format!("{PAGE}:8: there is no test gone"), format!("{PAGE}:9: the row names no test"),]
        );
        let without = Repository::of(&[(PAGE, "| what | else |\n")]);
        assert_eq!(problems(&without), [format!("{PAGE}: no table has a column \"{COLUMN}\"")]);
    }
}
