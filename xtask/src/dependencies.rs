//! `cargo xtask dependencies`: no crate of the workspace names a dependency that its sources do not use.
//!
//! A dependency counts as used if a source file or the README of its crate has its name as a path (`serde::`) or behind
//! `use`. A file that `#[path = "…"]` takes from another crate counts for both. What is only named to turn a feature on is in
//! [`FOR_FEATURES`].

use std::collections::BTreeSet;
use std::path::Path;

use toml::{Table, Value};

use crate::links::{Repository, is_a, relative};

/// The manifest of the workspace.
const WORKSPACE: &str = "Cargo.toml";

/// Dependencies that no source names: the manifest, and the dependency. One that is listed here and used is a problem, too.
const FOR_FEATURES: &[(&str, &str)] = &[];

/// Checks the manifests of the repository at `root`.
pub fn run(root: &Path) -> Result<(), Vec<String>> {
    let repository = Repository::read(root).map_err(|error| vec![error])?;
    let problems = problems(&repository, FOR_FEATURES).map_err(|error| vec![error])?;
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

fn problems(repository: &Repository, for_features: &[(&str, &str)]) -> Result<Vec<String>, String> {
    let workspace = manifest(repository, WORKSPACE)?;
    let workspace = workspace.get("workspace").ok_or("Cargo.toml has no workspace")?;
    let members = workspace.get("members").and_then(Value::as_array).ok_or("Cargo.toml names no members")?;
    let mut problems = Vec::new();
    let mut named = BTreeSet::new();
    for folder in members.iter().filter_map(Value::as_str) {
        let path = format!("{folder}/{WORKSPACE}");
        let sources = sources(repository, folder);
        for name in dependencies(&manifest(repository, &path)?) {
            let is_for_a_feature = for_features.contains(&(path.as_str(), name.as_str()));
            match (sources.iter().any(|text| uses(text, &name)), is_for_a_feature) {
                (true, false) | (false, true) => {}
                (false, false) => problems.push(format!("{path}: {name} is not used; remove it")),
                (true, true) => {
                    problems.push(format!("{path}: {name} is used; take it out of FOR_FEATURES"));
                }
            }
            named.insert(name);
        }
    }
    let shared = workspace.get("dependencies").and_then(Value::as_table);
    let unnamed = shared.into_iter().flat_map(Table::keys).filter(|name| !named.contains(*name));
    problems.extend(unnamed.map(|name| format!("{WORKSPACE}: no crate depends on {name}; remove it")));
    Ok(problems)
}

fn manifest(repository: &Repository, path: &str) -> Result<Table, String> {
    let text = repository.text(path).ok_or_else(|| format!("{path}: there is no such file"))?;
    text.parse().map_err(|error| format!("{path}: {error}"))
}

/// The names by which sources know the dependencies of a manifest: of tests, builds and single platforms, too.
fn dependencies(manifest: &Table) -> BTreeSet<String> {
    let platforms = manifest.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
    let tables = std::iter::once(manifest).chain(platforms.filter_map(Value::as_table));
    let sections = tables.flat_map(|table| {
        ["dependencies", "dev-dependencies", "build-dependencies"].map(|section| table.get(section))
    });
    sections.flatten().filter_map(Value::as_table).flat_map(Table::keys).cloned().collect()
}

/// The sources below a crate's folder with its README, whose examples are tests, and the files that they take by path.
fn sources<'a>(repository: &'a Repository, folder: &str) -> Vec<&'a str> {
    let below = format!("{folder}/");
    let own: Vec<_> = repository
        .files()
        .filter(|(path, _)| path.starts_with(&below) && (is_a(path, "rs") || path.ends_with("README.md")))
        .collect();
    let mut texts: Vec<_> = own.iter().map(|(_, text)| *text).collect();
    for (path, text) in own {
        for named in text.split("#[path = \"").skip(1) {
            let target = named.split('"').next().unwrap_or_default();
            texts.extend(relative(path, target).and_then(|taken| repository.text(&taken)));
        }
    }
    texts
}

/// Whether a text has `name` as the beginning of a path, or behind `use` or `extern crate`.
fn uses(text: &str, name: &str) -> bool {
    let name = name.replace('-', "_");
    let is_of_a_name = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(&name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        let begins = !before.ends_with(is_of_a_name) && !before.ends_with("::");
        let is_whole = !after.starts_with(is_of_a_name);
        let is_taken = before.ends_with("use ") || before.ends_with("extern crate ");
        begins && is_whole && (after.trim_start().starts_with("::") || is_taken)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dependency_of_this_workspace_is_used() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        if let Err(problems) = run(&root) {
            panic!("{} problems:\n{}", problems.len(), problems.join("\n"));
        }
    }

    const TOP: &str =
        "[workspace]\nmembers = [\"a\", \"b\"]\n[workspace.dependencies]\nhex = \"0.4\"\nurl = \"2\"\n";

    fn found(files: &[(&str, &str)], for_features: &[(&str, &str)]) -> Vec<String> {
        problems(&Repository::of(files), for_features).unwrap()
    }

    #[test]
    fn a_dependency_that_no_source_names_as_a_path_is_a_problem() {
        let files = [
            ("Cargo.toml", TOP),
            (
                "a/Cargo.toml",
                "[dependencies]\nhex = \"0.4\"\nserde-json = \"1\"\n[target.x.dependencies]\nlibc = \"1\"\n",
            ),
            ("a/src/lib.rs", "//! As hex. See also libc.\nuse crate::hex::x;\nuse serde_json::Value;\n"),
            ("b/Cargo.toml", "[dev-dependencies]\nserde-json = \"1\"\nhex = \"0.4\"\n"),
            (
                "b/src/lib.rs",
                "#[path = \"../../a/src/lib.rs\"]\nmod a;\nfn x() { serde_jsonx::y(hex::z()) }\n",
            ),
        ];
        assert_eq!(
            found(&files, &[]),
            [
                "a/Cargo.toml: hex is not used; remove it",
                "a/Cargo.toml: libc is not used; remove it",
                "Cargo.toml: no crate depends on url; remove it",
            ]
        );
        let named = [("a/Cargo.toml", "hex"), ("a/Cargo.toml", "libc"), ("b/Cargo.toml", "hex")];
        assert_eq!(
            found(&files, &named),
            [
                "b/Cargo.toml: hex is used; take it out of FOR_FEATURES",
                "Cargo.toml: no crate depends on url; remove it"
            ]
        );
    }
}
