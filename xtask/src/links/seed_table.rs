//! `docs/seeds.md` against the source documents: every section, file and test that it names exists, and each test
//! says which source document it holds. Each row says who reaches its figures, and what only tests reach says so itself.

use super::citations::unknown_places;
use super::repository::Repository;
use super::{SEEDS, is_a, is_seed};

const TABLE: &str = "docs/seeds.md";
/// Settles what the source documents contradict themselves about: a test that holds it holds them.
const ARITHMETIC: &str = "seed-arithmetic.md";

const COLUMNS: [&str; 4] = ["section", "in", "reached by", "tests"];
/// Who may reach a figure.
const REACHED_BY: [&str; 4] = ["ask", "provide", "lab", TEST_ONLY];
const TEST_ONLY: &str = "test only";
/// What a module says in its doc that nothing but tests calls.
const REPRODUCES: &str = "reproduces the document's example";

/// A section of a source document, where it is implemented, who reaches that, and what holds it.
struct Row {
    line: usize,
    document: String,
    section: String,
    files: Vec<String>,
    reached_by: Vec<String>,
    tests: Vec<String>,
    has_all_columns: bool,
}

/// A test, with the comments above it and at the head of its file.
pub(super) struct Test {
    pub name: String,
    comments: String,
}

/// What `docs/seeds.md` names and nobody finds, and source documents that it leaves out.
pub fn problems(repository: &Repository) -> Vec<String> {
    let Some(table) = repository.text(TABLE) else {
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
    let Row { line, document, section, files, reached_by, tests: named, has_all_columns } = row;
    if !has_all_columns {
        let columns = COLUMNS.join(", ");
        return vec![format!("{TABLE}:{line}: {document}, {section}: the columns are not {columns}")];
    }
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
    let unknown = reached_by.iter().filter(|word| !REACHED_BY.contains(&word.as_str()));
    let known = REACHED_BY.join(", ");
    missing.extend(unknown.map(|word| format!("it is reached by \"{word}\", which is none of {known}")));
    let is_for_tests =
        |file: &String| reproduces(repository, file) || is_compiled_for_tests(repository, file);
    if reached_by.iter().any(|word| word == TEST_ONLY) && !files.iter().any(is_for_tests) {
        missing.push(format!("none of its files is compiled for tests only, or says that it {REPRODUCES}"));
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
        let (Some(document), Some(cells)) = (&document, line.strip_prefix('|')) else { continue };
        let cells = cells.strip_suffix('|').unwrap_or(cells);
        let cells: Vec<&str> = cells.split('|').map(str::trim).collect();
        if cells == COLUMNS || cells.iter().all(|cell| cell.starts_with("---")) {
            continue;
        }
        let cell = |column: usize| cells.get(column).copied().unwrap_or_default();
        rows.push(Row {
            line: at + 1,
            document: document.clone(),
            section: cell(0).to_owned(),
            files: quoted(cell(1)),
            reached_by: cell(2).split(", ").map(str::to_owned).collect(),
            tests: quoted(cell(3)),
            has_all_columns: cells.len() == COLUMNS.len() && cell(0) != COLUMNS[0],
        });
    }
    rows
}

/// Whether the doc of a module says that it reproduces an example.
fn reproduces(repository: &Repository, path: &str) -> bool {
    let text = repository.text(path).unwrap_or_default();
    let doc: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("//!")).map(str::trim).collect();
    doc.join(" ").contains(REPRODUCES)
}

/// Whether a module is declared for tests only, or lies in one that is.
fn is_compiled_for_tests(repository: &Repository, path: &str) -> bool {
    let Some(module) = path.strip_suffix(".rs") else { return false };
    let Some((folder, name)) = module.strip_suffix("/mod").unwrap_or(module).rsplit_once('/') else {
        return false;
    };
    // These are declared nowhere.
    if ["lib", "main"].contains(&name) {
        return false;
    }
    let parents = ["/mod.rs", ".rs", "/lib.rs", "/main.rs"].map(|end| format!("{folder}{end}"));
    parents.iter().any(|parent| {
        repository.text(parent).is_some_and(|text| {
            is_declared_for_tests(text, name) || is_compiled_for_tests(repository, parent)
        })
    })
}

fn is_declared_for_tests(text: &str, name: &str) -> bool {
    let declaration = format!("mod {name};");
    let mut for_tests = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with("#[") {
            for_tests |= line == "#[cfg(test)]";
        } else if for_tests && line.ends_with(&declaration) {
            return true;
        } else {
            for_tests = false;
        }
    }
    false
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
        let table = "## `a.md`\n\n| section | in | reached by | tests |\n|---|---|---|---|\n\
                     | 1, `rates`: .5 | `a.rs` | ask | `it_holds` |\n\
                     | 2 \"Verbs\" | `no/such.rs` | lab | `it_holds`, `gone`, `of_another` |\n\
                     | 1 | `a.rs` | ask | |\n\
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
    #[test]
    fn a_row_says_who_reaches_it_and_so_does_what_only_tests_reach() {
        let table = "## `a.md`\n\n| section | in | tests |\n|---|---|---|\n| 1 | `a.rs` | `it_holds` |\n\
                     | 1 | `a.rs` | ask, provide, lab | `it_holds` |\n\
                     | 1 | `a.rs` | ask, window | `it_holds` |\n| 1 | `a.rs` | | `it_holds` |\n\
                     | 1 | `a.rs` | test only | `it_holds` |\n| 1 | `b.rs` | test only | `it_holds` |\n\
                     | 1 | `c/d/mod.rs` | test only | `it_holds` |\n\
                     | 1 | `a.rs`, `c/d/e.rs` | ask, test only | `it_holds` |\n\
                     | 1 | `c/f.rs` | test only | `it_holds` |\n";
        let repository = Repository::of(&[
            ("docs/seeds.md", table),
            ("docs/seeds/a.md", "# A\n## 1. Rates\n"),
            ("a.rs", "/// a.md, section 1.\n#[test]\nfn it_holds() {}\n"),
            ("b.rs", "//! A module that reproduces the\n//! document's example.\n"),
            ("c/lib.rs", "mod f;\n\n#[cfg(test)]\n#[path = \"d/mod.rs\"]\nmod d;\nmod f;\n"),
            ("c/d/mod.rs", "mod e;\n"),
            ("c/d/e.rs", ""),
            ("c/f.rs", "// It reproduces the document's example.\n"),
        ]);
        let columns = "the columns are not section, in, reached by, tests";
        let none = "which is none of ask, provide, lab, test only";
        let unsaid =
            "none of its files is compiled for tests only, or says that it reproduces the document's example";
        assert_eq!(
            problems(&repository),
            [
                format!("docs/seeds.md:3: a.md, section: {columns}"),
                format!("docs/seeds.md:5: a.md, 1: {columns}"),
                format!("docs/seeds.md:7: a.md, 1: it is reached by \"window\", {none}"),
                format!("docs/seeds.md:8: a.md, 1: it is reached by \"\", {none}"),
                format!("docs/seeds.md:9: a.md, 1: {unsaid}"),
                format!("docs/seeds.md:13: a.md, 1: {unsaid}"),
            ]
        );
    }
}
