//! Which part of a page is its content: not the ways to other pages around it.

use std::collections::{HashMap, HashSet};

use dom_query::{Document, NodeId, Tree};
use dom_smoothie::{Config, Readability};

use super::dom;

/// Nodes of the largest page that is searched for an article. The search copies the page several times.
const MAX_SEARCHED_NODES: usize = 60_000;

/// Characters of the smallest page that is searched for an article.
const MIN_SEARCHED_CHARACTERS: usize = 500;

/// Marks elements in the copy of a page in which an article is searched.
const MARK: &str = "data-frlm-node";

/// What is read of a page.
pub(super) struct Shown {
    /// The element that holds it.
    pub root: NodeId,
    /// Elements within that lead to other pages.
    pub left_out: HashSet<NodeId>,
    /// The page's heading, if it stands outside.
    pub heading: Option<String>,
}

/// Chooses what is read: `<main>`, or an article, if most of the text stands in it, else all but navigation and the
/// page's head and foot; and all, if there is hardly anything else.
pub(super) fn choose(document: &Document) -> Shown {
    let tree = &document.tree;
    let body = document.body().map_or(document.root().id, |body| body.id);
    let mut left_out = chrome(tree, body);
    let nothing = HashSet::new();
    let kept = measure(tree, body, &left_out);
    if kept.text * 3 < measure(tree, body, &nothing).text {
        left_out = nothing;
    }
    let kept = measure(tree, body, &left_out);
    let share = |node: NodeId| measure(tree, node, &left_out).prose() * 100 / kept.prose().max(1);
    let mains = elements(tree, body, |name, role| name == "main" || role == "main");
    let main = match mains.as_slice() {
        [main] if share(*main) >= 40 => Some(*main),
        _ => None,
    };
    let searched =
        main.is_none() && kept.prose() >= MIN_SEARCHED_CHARACTERS && tree.len() <= MAX_SEARCHED_NODES;
    let article = searched.then(|| article(document, body)).flatten().filter(|article| share(*article) >= 60);
    let root = main.or(article).unwrap_or(body);
    let heading = heading_outside(tree, body, root, &left_out);
    Shown { root, left_out, heading }
}

/// How much text there is, without white space.
struct Measure {
    text: usize,
    linked: usize,
}

impl Measure {
    /// Text that is no link.
    fn prose(&self) -> usize {
        self.text - self.linked
    }
}

fn measure(tree: &Tree, root: NodeId, left_out: &HashSet<NodeId>) -> Measure {
    let mut measure = Measure { text: 0, linked: 0 };
    let (mut links, mut text) = (0_usize, String::new());
    dom::visit(tree, root, |step| match step {
        dom::Step::Enter(node) if dom::push_text(tree, node, &mut text) => {
            let count = text.chars().filter(|character| !character.is_whitespace()).count();
            measure.text += count;
            measure.linked += if links > 0 { count } else { 0 };
            text.clear();
            false
        }
        dom::Step::Enter(node) => {
            let seen = !left_out.contains(&node) && !dom::is_unseen(tree, node);
            links += usize::from(seen && is_link(tree, node));
            seen
        }
        dom::Step::Leave(node) => {
            links -= usize::from(is_link(tree, node));
            true
        }
    });
    measure
}

fn is_link(tree: &Tree, node: NodeId) -> bool {
    dom::name(tree, node).is_some_and(|name| &*name == "a")
}

/// Navigation, and the head, foot and sides of the page (not of an article on it).
fn chrome(tree: &Tree, body: NodeId) -> HashSet<NodeId> {
    let of_page = |node: NodeId| {
        let mut parent = tree.query_node_or(&node, None, |node| node.parent);
        while let Some(above) = parent {
            let inside = dom::name(tree, above).is_some_and(|name| {
                matches!(&*name, "article" | "main" | "section" | "blockquote" | "figure" | "td")
            });
            if inside {
                return false;
            }
            parent = tree.query_node_or(&above, None, |node| node.parent);
        }
        true
    };
    let found = elements(tree, body, |name, role| {
        // The parts of a book, such as `doc-footnote`, are content.
        matches!(name, "nav" | "header" | "footer" | "aside") && !role.starts_with("doc-")
            || matches!(role, "navigation" | "banner" | "contentinfo" | "complementary" | "search")
    });
    let always = |node: NodeId| {
        let role = dom::attribute(tree, node, "role").unwrap_or_default();
        dom::name(tree, node).is_some_and(|name| &*name == "nav")
            || matches!(role.as_str(), "navigation" | "search")
    };
    found.into_iter().filter(|node| always(*node) || of_page(*node)).collect()
}

/// Visible elements, in their order, by name and role.
fn elements(tree: &Tree, root: NodeId, wanted: impl Fn(&str, &str) -> bool) -> Vec<NodeId> {
    let mut found = Vec::new();
    dom::visit(tree, root, |step| match step {
        dom::Step::Enter(node) if !dom::is_unseen(tree, node) => {
            if let Some(name) = dom::name(tree, node) {
                let role = dom::attribute(tree, node, "role").unwrap_or_default();
                if wanted(&name, &role) {
                    found.push(node);
                }
            }
            true
        }
        dom::Step::Enter(_) => false,
        dom::Step::Leave(_) => true,
    });
    found
}

/// The element in which the article stands that a reader's view would show.
fn article(document: &Document, body: NodeId) -> Option<NodeId> {
    let copy = document.clone();
    let all = elements(&copy.tree, body, |_, _| true);
    for (index, node) in all.iter().enumerate() {
        copy.tree.update_node(node, |node| node.set_attr(MARK, &index.to_string()));
    }
    let config = Config { disable_json_ld: true, ..Config::default() };
    let article = Readability::with_document(copy, None, Some(config)).ok()?.parse().ok()?;
    let marked = article.content.split(MARK).skip(1).filter_map(|rest| {
        let number = rest.strip_prefix("=\"")?.split('"').next()?;
        all.get(number.parse::<usize>().ok()?).copied()
    });
    common_ancestor(&document.tree, marked)
}

/// The deepest node above all of these.
fn common_ancestor(tree: &Tree, mut nodes: impl Iterator<Item = NodeId>) -> Option<NodeId> {
    let above = |node: NodeId| tree.query_node_or(&node, None, |node| node.parent);
    let path: Vec<NodeId> = std::iter::successors(Some(nodes.next()?), |node| above(*node)).collect();
    let index: HashMap<NodeId, usize> = path.iter().enumerate().map(|(index, node)| (*node, index)).collect();
    let highest = nodes.filter_map(|node| {
        std::iter::successors(Some(node), |node| above(*node)).find_map(|node| index.get(&node).copied())
    });
    path.get(highest.max().unwrap_or(0)).copied()
}

/// The first heading of the highest level, if none is read.
fn heading_outside(tree: &Tree, body: NodeId, root: NodeId, left_out: &HashSet<NodeId>) -> Option<String> {
    let mut read = false;
    dom::visit(tree, root, |step| match step {
        dom::Step::Enter(node) => {
            let seen = !left_out.contains(&node) && !dom::is_unseen(tree, node);
            read |= seen && dom::name(tree, node).is_some_and(|name| &*name == "h1");
            seen && !read
        }
        dom::Step::Leave(_) => true,
    });
    if read {
        return None;
    }
    let heading = elements(tree, body, |name, _| name == "h1").into_iter().next()?;
    Some(dom::text(tree, heading))
}
