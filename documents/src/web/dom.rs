//! HTML → a tree that is no deeper and no larger than is read.
//!
//! The parser's work grows with the square of the depth. Elements that lie too deep are therefore taken out before it
//! sees them; their text stays.

use std::cell::{Cell, RefCell};

use dom_query::{Document, LocalName, NodeData, NodeId, Tree};
use html5ever::TokenizerResult;
use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    EndTag, StartTag, Tag, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};

use super::attributes;
use crate::event::Refusal;

/// Nodes of the largest tree. A node takes about 200 bytes.
const MAX_NODES: usize = 1_500_000;

/// Elements without an end.
const VOID: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr", "frame", "basefont", "bgsound", "keygen",
];

/// Elements that end by themselves, or whose content is no markup: they lie no deeper than what they stand in.
const FLAT: &[&str] = &[
    "html",
    "head",
    "body",
    "p",
    "li",
    "dt",
    "dd",
    "option",
    "optgroup",
    "tr",
    "td",
    "th",
    "thead",
    "tbody",
    "tfoot",
    "colgroup",
    "caption",
    "rt",
    "rp",
    "script",
    "style",
    "title",
    "textarea",
    "noscript",
    "noframes",
    "noembed",
    "iframe",
    "xmp",
    "plaintext",
];

/// What was made of a page.
pub(super) struct Page {
    pub document: Document,
    /// Why its rest is not read, if it is not.
    pub ended: Result<(), Refusal>,
}

/// Whether elements may end in `/>`, as in XHTML.
pub(super) fn looks_like_xml(text: &str) -> bool {
    let front: String = text.trim_start().chars().take(1000).collect();
    front.starts_with("<?xml")
        || front.contains("xmlns=\"http://www.w3.org/1999/xhtml\"")
        || front.contains("DTD XHTML")
}

/// Parses a page. With `xml`, an element that ends in `/>` is empty.
pub(super) fn parse(text: &str, xml: bool, nesting: u32) -> Page {
    let options = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let sink = Shallow {
        builder: TreeBuilder::new(Document::default(), options),
        open: RefCell::default(),
        nesting: nesting as usize,
        xml,
        cut_off: Cell::new(false),
    };
    let wide = attributes::first_with_too_many(text);
    let text = &text[..wide.unwrap_or(text.len())];
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let input = BufferQueue::default();
    // A string as large as a tendril can be is larger than any file that is read.
    if u32::try_from(text.len()).is_ok() {
        input.push_back(StrTendril::from(text));
    }
    while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    tokenizer.end();
    let Shallow { builder, cut_off, .. } = tokenizer.sink;
    let ended = if cut_off.get() {
        Err(Refusal::too_much("elements and texts on one page", MAX_NODES as u64))
    } else if wide.is_some() {
        Err(Refusal::too_much("attributes in one element", attributes::MOST as u64))
    } else {
        Ok(())
    };
    Page { document: builder.sink, ended }
}

/// The page's title in its head.
pub(super) fn title(document: &Document) -> String {
    let Some(head) = document.head() else {
        return String::new();
    };
    let title = head.children_it(false).find(|node| node.has_name("title"));
    title.map(|node| node.text().to_string()).unwrap_or_default()
}

/// One step of a visit.
#[derive(Clone, Copy)]
pub(super) enum Step {
    /// A node begins.
    Enter(NodeId),
    /// A node that was entered ends.
    Leave(NodeId),
}

/// Visits a node and what lies inside, in the order of the document, without recursion. `step` tells whether what lies
/// inside of a node that begins is visited; a node of which nothing is visited does not end.
pub(super) fn visit(tree: &Tree, root: NodeId, mut step: impl FnMut(Step) -> bool) {
    let visited = try_visit(tree, root, |at| Ok::<_, std::convert::Infallible>(step(at)));
    let Ok(()) = visited;
}

/// [`visit`], until a step fails.
pub(super) fn try_visit<E>(
    tree: &Tree,
    root: NodeId,
    mut step: impl FnMut(Step) -> Result<bool, E>,
) -> Result<(), E> {
    let mut node = root;
    loop {
        if step(Step::Enter(node))? {
            if let Some(child) = tree.query_node_or(&node, None, |node| node.first_child) {
                node = child;
                continue;
            }
            step(Step::Leave(node))?;
        }
        loop {
            if node == root {
                return Ok(());
            }
            let (sibling, parent) =
                tree.query_node_or(&node, (None, None), |node| (node.next_sibling, node.parent));
            if let Some(sibling) = sibling {
                node = sibling;
                break;
            }
            let Some(parent) = parent else {
                return Ok(());
            };
            node = parent;
            step(Step::Leave(node))?;
        }
    }
}

/// The text that is shown of an element, with white space between its blocks.
pub(super) fn text(tree: &Tree, node: NodeId) -> String {
    let mut text = String::new();
    visit(tree, node, |step| match step {
        Step::Enter(inside) if push_text(tree, inside, &mut text) => false,
        Step::Enter(inside) => {
            if is_block(tree, inside) {
                text.push(' ');
            }
            inside == node || !is_unseen(tree, inside)
        }
        Step::Leave(inside) => {
            if is_block(tree, inside) {
                text.push(' ');
            }
            true
        }
    });
    text
}

/// All text of an element, hidden or not.
pub(super) fn raw_text(tree: &Tree, node: NodeId) -> String {
    let mut text = String::new();
    visit(tree, node, |step| {
        if let Step::Enter(inside) = step {
            push_text(tree, inside, &mut text);
        }
        true
    });
    text
}

/// Whether a line ends before and after an element.
pub(super) fn is_block(tree: &Tree, node: NodeId) -> bool {
    name(tree, node).is_some_and(|name| {
        matches!(
            &*name,
            "address"
                | "article"
                | "aside"
                | "blockquote"
                | "body"
                | "br"
                | "caption"
                | "center"
                | "dd"
                | "details"
                | "dialog"
                | "dir"
                | "div"
                | "dl"
                | "dt"
                | "fieldset"
                | "figcaption"
                | "figure"
                | "footer"
                | "form"
                | "h1"
                | "h2"
                | "h3"
                | "h4"
                | "h5"
                | "h6"
                | "header"
                | "hgroup"
                | "hr"
                | "html"
                | "legend"
                | "li"
                | "listing"
                | "main"
                | "menu"
                | "nav"
                | "ol"
                | "p"
                | "pre"
                | "search"
                | "section"
                | "summary"
                | "table"
                | "tbody"
                | "td"
                | "tfoot"
                | "th"
                | "thead"
                | "tr"
                | "ul"
                | "xmp"
        )
    })
}

/// The name of an element.
pub(super) fn name(tree: &Tree, node: NodeId) -> Option<LocalName> {
    tree.query_node_or(&node, None, |node| node.as_element().map(|element| element.name.local.clone()))
}

/// The value of an attribute.
pub(super) fn attribute(tree: &Tree, node: NodeId, name: &str) -> Option<String> {
    tree.query_node_or(&node, None, |node| {
        let attributes = &node.as_element()?.attrs;
        let attribute = attributes.iter().find(|attribute| &*attribute.name.local == name)?;
        Some(attribute.value.to_string())
    })
}

/// Appends a text node's text; `false` if it is none.
pub(super) fn push_text(tree: &Tree, node: NodeId, to: &mut String) -> bool {
    tree.query_node_or(&node, false, |node| match &node.data {
        NodeData::Text { contents } => {
            to.push_str(contents);
            true
        }
        _ => false,
    })
}

/// Whether nothing of an element is shown as text: it is hidden, or it is no text.
pub(super) fn is_unseen(tree: &Tree, node: NodeId) -> bool {
    tree.query_node_or(&node, false, |node| {
        let Some(element) = node.as_element() else {
            return false;
        };
        let unseen = matches!(
            &*element.name.local,
            "head"
                | "script"
                | "style"
                | "template"
                | "noscript"
                | "title"
                | "svg"
                | "iframe"
                | "object"
                | "audio"
                | "video"
                | "canvas"
                | "select"
                | "datalist"
                | "button"
                | "textarea"
                | "input"
                | "rt"
                | "rp"
                | "map"
                | "annotation"
                | "annotation-xml"
                | "noframes"
                | "noembed"
                | "dialog"
                | "meter"
                | "progress"
        );
        unseen
            || element.attrs.iter().any(|attribute| match &*attribute.name.local {
                "hidden" => !attribute.value.eq_ignore_ascii_case("until-found"),
                "aria-hidden" => attribute.value.trim().eq_ignore_ascii_case("true"),
                "style" => is_hidden_style(&attribute.value),
                _ => false,
            })
    })
}

fn is_hidden_style(style: &str) -> bool {
    let mut rules = style.split(';').filter_map(|rule| rule.split_once(':'));
    rules.any(|(property, value)| {
        let value = value.trim().trim_end_matches("!important").trim();
        match property.trim().to_ascii_lowercase().as_str() {
            "display" => value.eq_ignore_ascii_case("none"),
            "visibility" => value.eq_ignore_ascii_case("hidden"),
            _ => false,
        }
    })
}

/// Passes tags on to the tree's builder, but for those that lie too deep.
struct Shallow {
    builder: TreeBuilder<NodeId, Document>,
    /// Elements that were begun and not ended. Those behind the limit were not passed on.
    open: RefCell<Vec<LocalName>>,
    nesting: usize,
    xml: bool,
    cut_off: Cell<bool>,
}

impl TokenSink for Shallow {
    type Handle = NodeId;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<NodeId> {
        if self.cut_off.get() && !matches!(token, Token::EOFToken) {
            return TokenSinkResult::Continue;
        }
        self.cut_off.set(self.builder.sink.tree.len() > MAX_NODES);
        match token {
            Token::TagToken(mut tag) => {
                if self.xml && tag.kind == StartTag && tag.self_closing && !VOID.contains(&&*tag.name) {
                    tag.self_closing = false;
                    return self.empty(tag, line);
                }
                if self.passes(&tag) {
                    self.builder.process_token(Token::TagToken(tag), line)
                } else {
                    TokenSinkResult::Continue
                }
            }
            // What is wrong with a page is not told.
            Token::ParseError(_) => TokenSinkResult::Continue,
            token => self.builder.process_token(token, line),
        }
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

impl Shallow {
    /// Begins an element and ends it. The tokenizer must not look for the end of a script that has ended.
    fn empty(&self, tag: Tag, line: u64) -> TokenSinkResult<NodeId> {
        let end = Tag { kind: EndTag, attrs: Vec::new(), ..tag.clone() };
        for tag in [tag, end] {
            if self.passes(&tag) {
                let _ = self.builder.process_token(Token::TagToken(tag), line);
            }
        }
        TokenSinkResult::Continue
    }

    fn passes(&self, tag: &Tag) -> bool {
        let name = &*tag.name;
        if VOID.contains(&name) || FLAT.contains(&name) {
            return true;
        }
        let mut open = self.open.borrow_mut();
        if tag.kind == StartTag {
            let passes = open.len() < self.nesting;
            // What lies deeper than twice the limit is not remembered, so that the list stays short.
            if open.len() < self.nesting * 2 {
                open.push(tag.name.clone());
            }
            return passes;
        }
        match open.iter().rposition(|open| *open == tag.name) {
            Some(at) => {
                open.truncate(at);
                at < self.nesting
            }
            None => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_thousand_elements_within_each_other_are_read() {
        let depth = 100_000;
        let page = format!("{}deep{}<p>after", "<div>".repeat(depth), "</div>".repeat(depth));
        let page = parse(&page, false, 256);
        assert_eq!(page.document.text().to_string(), "deepafter");
        assert!(page.document.tree.len() < 1000);
        for tag in
            ["<b>", "<table><tr><td>", "<ul><li>", "<svg><g>", "<a href=x>", "<x-y>", "<blockquote><p>"]
        {
            let page = parse(&tag.repeat(depth / 10), false, 256);
            assert!(page.document.tree.len() < depth / 3, "{tag} {}", page.document.tree.len());
        }
    }

    #[test]
    fn a_page_is_read_up_to_an_element_with_too_many_attributes() {
        let names: Vec<String> = (0..5000).map(|number| format!(" a{number}")).collect();
        let page = parse(&format!("<p>before<p{}>after", names.concat()), false, 256);
        assert_eq!(page.document.text().to_string(), "before");
        assert_eq!(page.ended, Err(Refusal::too_much("attributes in one element", 1000)));
    }

    #[test]
    fn elements_in_xhtml_may_be_empty() {
        let text = "<html><head><script src='x'/><title/></head><body><a id='x'/><p>seen</p></body></html>";
        assert_eq!(parse(text, true, 256).document.text().to_string(), "seen");
    }

    #[test]
    fn styles_and_attributes_hide() {
        assert!(is_hidden_style("color:red; DISPLAY : none !important"));
        assert!(!is_hidden_style("display:block"));
        let page = parse("<p hidden>a<p style='display:none'>b<p aria-hidden=true>c<p>d", false, 256);
        let tree = &page.document.tree;
        let mut seen = Vec::new();
        let root = page.document.root().id;
        visit(tree, root, |step| {
            if let Step::Enter(node) = step
                && name(tree, node).is_some_and(|name| &*name == "p")
            {
                seen.push(!is_unseen(tree, node));
            }
            true
        });
        assert_eq!(seen, [false, false, false, true]);
    }
}
