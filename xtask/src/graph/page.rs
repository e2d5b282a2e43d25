//! The graphs as a Markdown page with Mermaid drawings.

use std::fmt::Write;

use super::edges::Edges;
use super::{Known, Repository, listed};

/// The whole page.
pub fn draw(repository: &Repository, known: &[Known]) -> String {
    let mut page = String::from(
        "# Modules\n\n\
         `cargo xtask graph --write` draws this page from the manifests and the sources; `cargo xtask graph` holds both to the rules of\n\
         [decision 0072](decisions/0072-a-check-for-module-cycles.md). An arrow leads from what names to what is named. An arrow is left\n\
         out if a longer path says the same. `lib.rs` or `main.rs` stands for that file's own code.\n\n\
         ## Crates\n\n",
    );
    draw_graph(&mut page, &repository.crates.dependencies);
    for (folder, modules) in &repository.modules {
        let _ = write!(
            page,
            "\n## {folder}\n\nThe top-level modules of `{}`.\n\n",
            repository.crates.name(folder)
        );
        draw_graph(&mut page, modules);
        for entry in known.iter().filter(|entry| entry.folder == folder) {
            let modules = listed(&entry.modules.iter().copied().collect());
            let _ = write!(page, "\nA cycle: {modules} ({}).\n", entry.reason);
        }
    }
    page
}

fn draw_graph(page: &mut String, edges: &Edges) {
    let edges = edges.reduced();
    page.push_str("```mermaid\nflowchart TD\n");
    for node in edges.nodes() {
        let _ = writeln!(page, "  {}[{node}]", id(node));
    }
    for node in edges.nodes() {
        let to: Vec<String> = edges.from(node).map(id).collect();
        if !to.is_empty() {
            let _ = writeln!(page, "  {} --> {}", id(node), to.join(" & "));
        }
    }
    page.push_str("```\n");
}

/// A name that is no word of Mermaid's own, as `graph` and `end` are.
fn id(node: &str) -> String {
    format!("{}_", node.replace('.', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_named_like_a_word_of_mermaid_is_drawn_under_another_name() {
        let mut edges = Edges::default();
        edges.add("main.rs", "graph", String::new());
        edges.add("main.rs", "end", String::new());
        let mut page = String::new();
        draw_graph(&mut page, &edges);
        let expected = "```mermaid\nflowchart TD\n  end_[end]\n  graph_[graph]\n  main_rs_[main.rs]\n  main_rs_ --> end_ & graph_\n```\n";
        assert_eq!(page, expected);
    }
}
