//! A directed graph of names, with one place per edge that shows why the edge is there.

use std::collections::{BTreeMap, BTreeSet};

/// Nodes and edges, ordered by name so that what is drawn from them is always the same.
#[derive(Clone, Default)]
pub struct Edges {
    nodes: BTreeSet<String>,
    edges: BTreeMap<(String, String), String>,
}

impl Edges {
    /// A node that may stay without edges.
    pub fn add_node(&mut self, name: &str) {
        self.nodes.insert(name.to_owned());
    }

    /// An edge, unless it is there or leads back to its own node. The first `place` is kept.
    pub fn add(&mut self, from: &str, to: &str, place: String) {
        if from != to {
            self.add_node(from);
            self.add_node(to);
            self.edges.entry((from.to_owned(), to.to_owned())).or_insert(place);
        }
    }

    pub fn nodes(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().map(String::as_str)
    }

    /// The nodes to which an edge leads from `from`.
    pub fn from<'a>(&'a self, from: &'a str) -> impl Iterator<Item = &'a str> {
        self.edges.keys().filter(move |(start, _)| start == from).map(|(_, to)| to.as_str())
    }

    /// The edges between the nodes of `names`, each with its place.
    pub fn within<'a>(
        &'a self,
        names: &'a BTreeSet<&str>,
    ) -> impl Iterator<Item = ((&'a str, &'a str), &'a str)> {
        self.edges
            .iter()
            .filter(|((from, to), _)| names.contains(from.as_str()) && names.contains(to.as_str()))
            .map(|((from, to), place)| ((from.as_str(), to.as_str()), place.as_str()))
    }

    /// The sets of two or more nodes that reach each other.
    pub fn cycles(&self) -> Vec<BTreeSet<&str>> {
        let reached: BTreeMap<&str, BTreeSet<&str>> =
            self.nodes().map(|node| (node, self.reached_from(node))).collect();
        let mut cycles: Vec<BTreeSet<&str>> = Vec::new();
        for node in self.nodes() {
            if reached[node].contains(node) && !cycles.iter().any(|cycle| cycle.contains(node)) {
                cycles.push(
                    reached[node].iter().copied().filter(|other| reached[other].contains(node)).collect(),
                );
            }
        }
        cycles
    }

    /// The same graph without the edges that a longer way stands for. Edges of a cycle all stay.
    pub fn reduced(&self) -> Self {
        let cycles = self.cycles();
        let in_cycle =
            |from: &str, to: &str| cycles.iter().any(|cycle| cycle.contains(from) && cycle.contains(to));
        let mut reduced = self.clone();
        for (edge, place) in &self.edges {
            if in_cycle(&edge.0, &edge.1) {
                continue;
            }
            reduced.edges.remove(edge);
            if !reduced.reached_from(&edge.0).contains(edge.1.as_str()) {
                reduced.edges.insert(edge.clone(), place.clone());
            }
        }
        reduced
    }

    /// What one or more edges lead to. Holds `start` only where it stands in a cycle.
    fn reached_from<'a>(&'a self, start: &'a str) -> BTreeSet<&'a str> {
        let mut reached = BTreeSet::new();
        let mut next = vec![start];
        while let Some(node) = next.pop() {
            next.extend(self.from(node).filter(|to| reached.insert(*to)));
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(&str, &str)]) -> Edges {
        let mut graph = Edges::default();
        for (from, to) in edges {
            graph.add(from, to, String::new());
        }
        graph
    }

    #[test]
    fn a_cycle_is_what_reaches_each_other_and_no_more() {
        let graph = graph(&[("a", "b"), ("b", "c"), ("c", "b"), ("c", "d"), ("e", "f"), ("f", "e")]);
        assert_eq!(graph.cycles(), [BTreeSet::from(["b", "c"]), BTreeSet::from(["e", "f"])]);
    }

    #[test]
    fn an_edge_implied_by_a_longer_path_is_dropped_unless_it_is_in_a_cycle() {
        let graph =
            graph(&[("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("d", "c"), ("a", "d")]).reduced();
        let drawn: Vec<_> = graph.edges.keys().map(|(from, to)| (from.as_str(), to.as_str())).collect();
        assert_eq!(drawn, [("a", "b"), ("b", "c"), ("c", "d"), ("d", "c")]);
    }
}
