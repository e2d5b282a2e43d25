//! `docs/seeds.md` against the source documents: every section, file and test that it names exists, and each test
//! says which source document it holds.

use super::citations::unknown_places;
use super::repository::Repository;
use super::{SEEDS, is_a, is_seed};

const TABLE: &str = "docs/seeds.md";
/// Settles what the source documents contradict themselves about: a test that holds it holds them.
const ARITHMETIC: &str = "seed-arithmetic.md";

/// A section of a source document, where it is implemented, and what holds it.
struct Row {
    line: usize,
    document: String,
    section: String,
    files: Vec<String>,
    tests: Vec<String>,
}

/// A test, with the comments above it and at the head of its file.
pub(super) struct Test {
    pub name: String,
    comments: String,
}

/// What `docs/seeds.md` names and nobody finds, and source documents that it leaves out.
pub fn problems(repository: &Repository) -> Vec<String> {
    let Some((_, table)) = repository.files().find(|(path, _)| *path == TABLE) else {
        return vec![format!("there is no {TABLE}")];
    };
    let rows = rows(table);
    let sources = repository.files().filter(|(path, _)| is_a(path, "rs"));
    let tests: Vec<Test> = sources.flat_map(|(_, text)| tests_of(text)).collect();
    let seeds = repository.files().filter_map(|(path, _)| path.strip_prefix(SEEDS).filter(|_| is_seed(path)));
    let mut problems: Vec<String> = seeds
        .filter(|seed| rows.iter().all(|row| row.document != *seed))
        .map(|seed| format!("{TABLE}: no row is of {seed}"))
        .collect();
    problems.extend(rows.iter().flat_map(|row| missing(repository, row, &tests)));
    problems
}

/// What a row names and nobody finds.
fn missing(repository: &Repository, row: &Row, tests: &[Test]) -> Vec<String> {
    let Row { line, document, section, files, tests: named } = row;
    let mut missing: Vec<String> = Vec::new();
    match repository.document(&format!("{SEEDS}{document}")) {
        Some(seed) => {
            missing.extend(unknown_places(&seed, section).iter().map(|place| format!("it has no {place}")));
        }
        None => missing.push("there is no such source document".to_owned()),
    }
    let lost = files.iter().filter(|file| !repository.contains(file));
    missing.extend(lost.map(|file| format!("there is no file {file}")));
    if files.is_empty() || named.is_empty() {
        missing.push("the row names no file, or no test".to_owned());
    }
    for name in named {
        let found: Vec<&Test> = tests.iter().filter(|test| test.name == *name).collect();
        let cites = |test: &&Test| test.comments.contains(document) || test.comments.contains(ARITHMETIC);
        if found.is_empty() {
            missing.push(format!("there is no test {name}"));
        } else if !found.iter().any(cites) {
            missing.push(format!("the test {name} does not name this document in a comment"));
        }
    }
    missing.into_iter().map(|problem| format!("{TABLE}:{line}: {document}, {section}: {problem}")).collect()
}

/// The rows of the tables under headings that name a source document.
fn rows(text: &str) -> Vec<Row> {
    let mut document = None;
    let mut rows = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if let Some(heading) = line.strip_prefix("## ") {
            document = quoted(heading).into_iter().find(|name| is_a(name, "md"));
        }
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let (Some(document), [section, files, tests]) = (&document, cells.as_slice()) else { continue };
        if *section == "section" || section.starts_with("---") {
            continue;
        }
        rows.push(Row {
            line: at + 1,
            document: document.clone(),
            section: (*section).to_owned(),
            files: quoted(files),
            tests: quoted(tests),
        });
    }
    rows
}

/// What stands between backticks.
pub(super) fn quoted(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The tests of one Rust file.
pub(super) fn tests_of(text: &str) -> Vec<Test> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let of_the_file: String = lines.iter().copied().filter(|line| line.starts_with("//!")).collect();
    let mut tests = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(rest) = line.strip_prefix("async fn ").or_else(|| line.strip_prefix("fn ")) else {
            continue;
        };
        let above = lines[..at].iter().copied().rev();
        let above: Vec<&str> =
            above.take_while(|line| line.starts_with("//") || line.starts_with("#[")).collect();
        if above.iter().any(|line| line.starts_with("#[test]") || line.starts_with("#[tokio::test")) {
            let name = rest.split('(').next().unwrap_or_default().to_owned();
            tests.push(Test { name, comments: format!("{} {of_the_file}", above.concat()) });
        }
    }
    tests
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_row_names_and_nobody_finds_is_found() {
        let table = "## `a.md`\n\n| section | in | tests |\n|---|---|---|\n| 1, `rates`: .5 | `a.rs` | `it_holds` |\n\
                     | 2 \"Verbs\" | `no/such.rs` | `it_holds`, `gone`, `of_another` |\n| 1 | `a.rs` | |\n\
                     ## Elsewhere\n\n| three | `no` | `no` |\n";
        let source =
            ["//! Of nothing.", "/// a.md, section 1.", "#[test]", "fn it_holds() {}", "fn gone() {}"];
        let other = ["/// b.md.", "#[tokio::test]", "async fn of_another() {}"];
        let source = [source.join("\n"), other.join("\n")].join("\n");
        let repository = Repository::of(&[
            ("docs/seeds.md", table),
            ("docs/seeds/a.md", "# A\n## 1. Rates\n`rates`\n"),
            ("docs/seeds/b.md", "# B\n"),
            ("a.rs", source.as_str()),
        ]);
        assert_eq!(
            problems(&repository),
            [
                "docs/seeds.md: no row is of b.md",
                "docs/seeds.md:6: a.md, 2 \"Verbs\": it has no section 2",
                "docs/seeds.md:6: a.md, 2 \"Verbs\": it has no \"Verbs\"",
                "docs/seeds.md:6: a.md, 2 \"Verbs\": there is no file no/such.rs",
                "docs/seeds.md:6: a.md, 2 \"Verbs\": there is no test gone",
                "docs/seeds.md:6: a.md, 2 \"Verbs\": the test of_another does not name this document in a comment",
                "docs/seeds.md:7: a.md, 1: the row names no file, or no test",
            ]
        );
    }
}
