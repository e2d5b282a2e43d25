//! `docs/seeds.md` held against the sources: every file and test that it names is there, and each test says which source
//! document it holds.

use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
/// Settles what the source documents contradict themselves about: a test that holds it holds them.
const ARITHMETIC: &str = "seed-arithmetic.md";

/// What a source document says, where that is implemented, and what holds it.
struct Row {
    document: String,
    section: String,
    files: Vec<String>,
    tests: Vec<String>,
}

/// A test, with what is said above it and at the head of its file.
struct Test {
    name: String,
    said: String,
}

/// The rows of the tables under headings that name a source document.
fn rows(text: &str) -> Vec<Row> {
    let mut document = None;
    let mut rows = Vec::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            document = quoted(heading).into_iter().find(|name| is_a(name.as_ref(), "md"));
        }
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let (Some(document), [section, files, tests]) = (&document, cells.as_slice()) else { continue };
        if *section == "section" || section.starts_with("---") {
            continue;
        }
        rows.push(Row {
            document: document.clone(),
            section: (*section).to_owned(),
            files: quoted(files),
            tests: quoted(tests),
        });
    }
    rows
}

fn is_a(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|extension| extension == wanted)
}

/// What stands between backticks.
fn quoted(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Every test of the workspace.
fn tests() -> Vec<Test> {
    let mut files = Vec::new();
    for folder in fs::read_dir(ROOT).unwrap().map(|entry| entry.unwrap().path()) {
        if folder.join("Cargo.toml").is_file() {
            sources(&folder.join("src"), &mut files);
            sources(&folder.join("tests"), &mut files);
        }
    }
    files.iter().flat_map(|file| tests_of(&fs::read_to_string(file).unwrap())).collect()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    // Not every crate has tests beside its sources.
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            sources(&path, found);
        } else if is_a(&path, "rs") {
            found.push(path);
        }
    }
}

fn tests_of(text: &str) -> Vec<Test> {
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
            tests.push(Test { name, said: format!("{} {of_the_file}", above.concat()) });
        }
    }
    tests
}

/// What a row names and nobody finds.
fn missing(row: &Row, tests: &[Test]) -> Vec<String> {
    let Row { document, section, files, tests: named } = row;
    let mut missing: Vec<String> = Vec::new();
    for file in files.iter().filter(|file| !Path::new(ROOT).join(file).exists()) {
        missing.push(format!("{document}, {section}: there is no file {file}"));
    }
    if files.is_empty() || named.is_empty() {
        missing.push(format!("{document}, {section}: it names no file, or no test"));
    }
    for name in named {
        let found: Vec<&Test> = tests.iter().filter(|test| test.name == *name).collect();
        let names_it = |test: &&Test| test.said.contains(document.as_str()) || test.said.contains(ARITHMETIC);
        if found.is_empty() {
            missing.push(format!("{document}, {section}: there is no test {name}"));
        } else if !found.iter().any(names_it) {
            missing.push(format!("{document}, {section}: {name} does not say that it holds this document"));
        }
    }
    missing
}

#[test]
fn every_file_and_test_in_the_table_of_figures_is_there_and_names_its_document() {
    let rows = rows(&fs::read_to_string(Path::new(ROOT).join("docs/seeds.md")).unwrap());
    let tests = tests();
    for document in [
        "verifier-block.md",
        "llm-reasoning-refactor.md",
        "super-llm-block.md",
        "load-balanced-rl-workflow.md",
        "frlm-architecture.md",
    ] {
        assert!(rows.iter().any(|row| row.document == document), "docs/seeds.md has no rows of {document}");
    }
    let missing: Vec<String> = rows.iter().flat_map(|row| missing(row, &tests)).collect();
    assert!(missing.is_empty(), "mend docs/seeds.md, or what it names:\n{}", missing.join("\n"));
}

#[test]
fn what_a_row_names_and_nobody_finds_is_said() {
    let table = "## `a.md`\n\n| section | in | tests |\n|---|---|---|\n\
                 | one | `docs/seeds.md` | `it_holds` |\n| two | `no/such.rs` | `it_holds`, `gone`, `of_another` |\n\
                 ## Elsewhere\n\n| three | `no` | `no` |\n";
    let rows = rows(table);
    assert_eq!(rows.len(), 2);
    let source = "//! Of nothing.\n/// a.md, section 1.\n#[test]\nfn it_holds() {}\nfn gone() {}\n\
                  /// b.md.\n#[tokio::test]\nasync fn of_another() {}\n";
    let tests = tests_of(source);
    assert!(missing(&rows[0], &tests).is_empty());
    let said = missing(&rows[1], &tests).join("\n");
    for part in ["no file no/such.rs", "no test gone", "of_another does not say"] {
        assert!(said.contains(part), "{said}");
    }
    assert_eq!(said.lines().count(), 3, "a helper is no test, and the test above it is there: {said}");
}
