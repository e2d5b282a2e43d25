//! The crates of the workspace, what each depends on, and the order of layers (`docs/design.md` section 2).

use std::collections::BTreeMap;
use std::path::Path;

use toml::{Table, Value};

use super::edges::Edges;

/// Folders of the crates, first layer first. A crate depends only on crates of earlier layers. One that stands in no
/// layer depends on none, and none on it. `docs/design.md` section 2 shows the same table.
const LAYERS: &[&[&str]] = &[
    &["protocol", "documents", "util"],
    &["relay", "inference", "sandbox", "tables"],
    &["verifier", "wallet", "learning"],
    &["scheduler", "provider"],
    &["questions"],
    &["conductor"],
    &["client"],
    &["serve"],
    &["app", "lab"],
];

const DESIGN: &str = "docs/design.md";

/// The crates by folder, and what their manifests name. What only tests need does not count.
pub struct Crates {
    /// Folder to name.
    names: BTreeMap<String, String>,
    /// Between folders.
    pub dependencies: Edges,
}

impl Crates {
    /// Reads the manifests of the workspace at `root`.
    pub fn read(root: &Path) -> Result<Self, String> {
        let workspace = manifest(root, "Cargo.toml")?;
        let members =
            workspace.get("workspace").and_then(|table| table.get("members")).and_then(Value::as_array);
        let members = members.ok_or("Cargo.toml names no members")?;
        let mut manifests = BTreeMap::new();
        for folder in members.iter().filter_map(Value::as_str) {
            manifests.insert(folder.to_owned(), manifest(root, &format!("{folder}/Cargo.toml"))?);
        }
        let mut names = BTreeMap::new();
        for (folder, manifest) in &manifests {
            let name =
                manifest.get("package").and_then(|package| package.get("name")).and_then(Value::as_str);
            names.insert(
                folder.clone(),
                name.ok_or_else(|| format!("{folder}/Cargo.toml has no name"))?.to_owned(),
            );
        }
        let mut dependencies = Edges::default();
        for (folder, manifest) in &manifests {
            dependencies.add_node(folder);
            for named in named_by(manifest) {
                if let Some((other, _)) = names.iter().find(|(_, name)| **name == named) {
                    dependencies.add(folder, other, format!("{folder}/Cargo.toml"));
                }
            }
        }
        Ok(Self { names, dependencies })
    }

    pub fn folders(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    pub fn name(&self, folder: &str) -> &str {
        &self.names[folder]
    }
}

/// Crates that depend on one of their own or a later layer, and a design that shows other layers than these.
pub fn problems(root: &Path, crates: &Crates) -> Vec<String> {
    let mut problems = order_problems(&crates.dependencies);
    let design = std::fs::read_to_string(root.join(DESIGN)).unwrap_or_default();
    if !design.contains(&table()) {
        problems.push(format!("{DESIGN}, section 2, does not show these layers:\n{}", table()));
    }
    problems
}

fn order_problems(dependencies: &Edges) -> Vec<String> {
    let layer = |folder: &str| LAYERS.iter().position(|layer| layer.contains(&folder));
    let mut problems = Vec::new();
    for folder in dependencies.nodes() {
        for other in dependencies.from(folder) {
            let earlier = layer(folder).zip(layer(other)).is_some_and(|(own, other)| other < own);
            if !earlier {
                problems
                    .push(format!("{folder}/Cargo.toml: {other} stands in no earlier layer than {folder}"));
            }
        }
    }
    problems
}

/// The layers as the rows of a Markdown table.
fn table() -> String {
    let row = |(index, layer): (usize, &&[&str])| {
        let folders: Vec<_> = layer.iter().map(|folder| format!("`{folder}`")).collect();
        format!("| {} | {} |\n", index + 1, folders.join(" "))
    };
    LAYERS.iter().enumerate().map(row).collect()
}

fn manifest(root: &Path, path: &str) -> Result<Table, String> {
    let text = std::fs::read_to_string(root.join(path)).map_err(|error| format!("{path}: {error}"))?;
    text.parse().map_err(|error| format!("{path}: {error}"))
}

/// The packages that a manifest names, those of one platform and optional ones included.
fn named_by(manifest: &Table) -> Vec<String> {
    let platforms = manifest
        .get("target")
        .and_then(Value::as_table)
        .into_iter()
        .flat_map(Table::values)
        .filter_map(Value::as_table);
    let tables = std::iter::once(manifest).chain(platforms);
    let sections =
        tables.flat_map(|table| ["dependencies", "build-dependencies"].map(|section| table.get(section)));
    let dependencies = sections.flatten().filter_map(Value::as_table).flatten();
    dependencies
        .map(|(key, value)| value.get("package").and_then(Value::as_str).unwrap_or(key).to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_on_the_same_or_a_later_layer_is_a_problem() {
        let mut dependencies = Edges::default();
        for (from, to) in
            [("relay", "protocol"), ("relay", "inference"), ("protocol", "relay"), ("xtask", "util")]
        {
            dependencies.add(from, to, String::new());
        }
        assert_eq!(
            order_problems(&dependencies),
            [
                "protocol/Cargo.toml: relay stands in no earlier layer than protocol",
                "relay/Cargo.toml: inference stands in no earlier layer than relay",
                "xtask/Cargo.toml: util stands in no earlier layer than xtask",
            ]
        );
    }

    #[test]
    fn optional_and_platform_dependencies_count_and_those_of_tests_do_not() {
        let manifest = "
            [dependencies]
            one = { workspace = true, optional = true }
            [target.'cfg(unix)'.dependencies]
            renamed = { package = \"two\", version = \"1\" }
            [dev-dependencies]
            three = \"1\"
        ";
        assert_eq!(named_by(&manifest.parse().unwrap()), ["one", "two"]);
    }
}
