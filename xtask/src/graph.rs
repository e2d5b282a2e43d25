//! `cargo xtask graph`: no cycle among the top-level modules of a crate, and no crate that depends on a later layer.
//!
//! - `source`: the references between the top-level modules of one crate, read from its tokens
//! - `layers`: the crates, what each depends on, and the order of layers
//! - `edges`: a graph with one place per edge, its cycles and its transitive reduction
//! - `page`: both graphs as Mermaid, for `docs/modules.md`
//!
//! Tests do not count: they may look at whatever they like.

mod edges;
mod layers;
mod page;
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use edges::Edges;
use layers::Crates;

/// Where the graphs are drawn.
const PAGE: &str = "docs/modules.md";

/// A cycle that is allowed: exactly these top-level modules reach each other.
struct Known {
    /// Folder of the crate.
    folder: &'static str,
    modules: &'static [&'static str],
    reason: &'static str,
}

/// The cycles that are allowed. One that is named here and gone is a problem as well.
const KNOWN: &[Known] = &[];

/// What the sources and manifests say.
struct Repository {
    crates: Crates,
    /// By folder of the crate.
    modules: BTreeMap<String, Edges>,
}

impl Repository {
    fn read(root: &Path) -> Result<Self, String> {
        let crates = Crates::read(root)?;
        let mut modules = BTreeMap::new();
        for folder in crates.folders() {
            modules.insert(folder.to_owned(), source::read(root, folder)?);
        }
        Ok(Self { crates, modules })
    }

    fn problems(&self, known: &[Known]) -> Vec<String> {
        let mut problems = Vec::new();
        for (folder, modules) in &self.modules {
            problems.extend(cycle_problems(folder, modules, known));
        }
        let lost = known.iter().filter(|entry| !self.modules.contains_key(entry.folder));
        problems.extend(lost.map(|entry| format!("KNOWN names {}, which is no crate", entry.folder)));
        problems
    }
}

/// Checks the repository at `root`, and that the page shows it as it is.
pub fn run(root: &Path) -> Result<(), Vec<String>> {
    let repository = Repository::read(root).map_err(|error| vec![error])?;
    let mut problems = repository.problems(KNOWN);
    problems.extend(layers::problems(root, &repository.crates));
    let page = std::fs::read_to_string(root.join(PAGE)).unwrap_or_default();
    if page != page::draw(&repository, KNOWN) {
        problems.push(format!("{PAGE} is out of date: `cargo xtask graph --write` draws it again"));
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// Draws the page, then checks as `run` does.
pub fn write(root: &Path) -> Result<(), Vec<String>> {
    let repository = Repository::read(root).map_err(|error| vec![error])?;
    std::fs::write(root.join(PAGE), page::draw(&repository, KNOWN))
        .map_err(|error| vec![format!("{PAGE}: {error}")])?;
    run(root)
}

/// Cycles that `known` does not name, and names in `known` that are no cycle.
fn cycle_problems(folder: &str, modules: &Edges, known: &[Known]) -> Vec<String> {
    let mut named: Vec<(&Known, BTreeSet<&str>)> = known
        .iter()
        .filter(|entry| entry.folder == folder)
        .map(|entry| (entry, entry.modules.iter().copied().collect()))
        .collect();
    let mut problems = Vec::new();
    for cycle in modules.cycles() {
        let before = named.len();
        named.retain(|(_, modules)| *modules != cycle);
        if named.len() < before {
            continue;
        }
        problems.push(format!("{folder}: these top-level modules reach each other: {}", listed(&cycle)));
        for ((from, to), place) in modules.within(&cycle) {
            problems.push(format!("  {place}: {from} names {to}"));
        }
    }
    for (entry, modules) in named {
        problems.push(format!(
            "{folder}: KNOWN has a cycle that is gone: {} ({})",
            listed(&modules),
            entry.reason
        ));
    }
    problems
}

fn listed(names: &BTreeSet<&str>) -> String {
    names.iter().copied().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_crate_has_a_cycle_of_modules_or_depends_on_a_later_layer() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        if let Err(problems) = run(&root) {
            panic!("{}", problems.join("\n"));
        }
    }

    fn two_that_name_each_other() -> Edges {
        let mut modules = Edges::default();
        modules.add("book", "page", "x/src/book.rs:3".into());
        modules.add("page", "book", "x/src/page.rs:7".into());
        modules.add("page", "word", "x/src/page.rs:8".into());
        modules
    }

    #[test]
    fn a_cycle_that_nobody_named_is_a_problem_with_its_edges() {
        assert_eq!(
            cycle_problems("x", &two_that_name_each_other(), &[]),
            [
                "x: these top-level modules reach each other: book, page",
                "  x/src/book.rs:3: book names page",
                "  x/src/page.rs:7: page names book",
            ]
        );
    }

    #[test]
    fn a_known_cycle_is_allowed_as_long_as_it_is_there() {
        let known = [Known { folder: "x", modules: &["page", "book"], reason: "to be broken" }];
        assert!(cycle_problems("x", &two_that_name_each_other(), &known).is_empty());
        let gone = cycle_problems("x", &Edges::default(), &known);
        assert_eq!(gone, ["x: KNOWN has a cycle that is gone: book, page (to be broken)"]);
    }
}
