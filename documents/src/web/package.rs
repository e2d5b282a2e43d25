//! What lies in a book: its chapters in reading order, and what they are called.
//!
//! The lists of a book are XML. They are read as pages are, so that no entity, nesting or damage in them can do harm.

use std::collections::HashMap;

use dom_query::{NodeId, Tree};

use super::dom;

/// The list of a book's files.
pub(super) struct Package {
    pub title: String,
    /// Paths of the chapters, in reading order.
    pub spine: Vec<String>,
    /// Paths of the lists of contents.
    pub contents: Vec<String>,
}

/// The path of the package that `META-INF/container.xml` names.
pub(super) fn root_file(container: &str) -> Option<String> {
    let page = dom::parse(container, true, 256);
    let tree = &page.document.tree;
    let file = named(tree, page.document.root().id, "rootfile").into_iter().next()?;
    Some(resolved("", &dom::attribute(tree, file, "full-path")?))
}

impl Package {
    /// Reads the package that lies at `path`.
    pub fn of(path: &str, text: &str) -> Self {
        let page = dom::parse(text, true, 256);
        let (tree, root) = (&page.document.tree, page.document.root().id);
        let attribute = |node: NodeId, name: &str| dom::attribute(tree, node, name).unwrap_or_default();
        let mut items = HashMap::new();
        let mut contents = Vec::new();
        for item in named(tree, root, "item") {
            let kind = attribute(item, "media-type");
            let path = resolved(path, &attribute(item, "href"));
            let is_contents = attribute(item, "properties").split_whitespace().any(|word| word == "nav");
            if is_contents || kind == "application/x-dtbncx+xml" {
                contents.push(path.clone());
            }
            let is_page =
                matches!(kind.as_str(), "application/xhtml+xml" | "text/html" | "text/x-oeb1-document" | "");
            items.insert(attribute(item, "id"), (path, is_page && !is_contents));
        }
        let references = named(tree, root, "itemref");
        let chapters =
            references.into_iter().filter_map(|reference| items.get(&attribute(reference, "idref")));
        let spine = chapters.filter(|(_, is_page)| *is_page).map(|(path, _)| path.clone()).collect();
        let title = named(tree, root, "title").into_iter().next();
        let title = title.map(|title| dom::raw_text(tree, title)).unwrap_or_default();
        Self { title, spine, contents }
    }
}

/// The titles of chapters by path, from a list of contents (a page, or NCX) that lies at `path`.
pub(super) fn titles(path: &str, text: &str) -> HashMap<String, String> {
    let page = dom::parse(text, true, 256);
    let (tree, root) = (&page.document.tree, page.document.root().id);
    let mut titles = HashMap::new();
    let mut add = |link: &str, title: String| {
        let title = crate::output::collapsed(&title);
        if !title.is_empty() {
            titles.entry(resolved(path, link)).or_insert(title);
        }
    };
    for link in named(tree, root, "a") {
        if let Some(href) = dom::attribute(tree, link, "href") {
            add(&href, dom::raw_text(tree, link));
        }
    }
    for point in named(tree, root, "navpoint") {
        let first = |name: &str| child_named(tree, point, name);
        let link = first("content").and_then(|content| dom::attribute(tree, content, "src"));
        if let Some((link, label)) = link.zip(first("navlabel")) {
            add(&link, dom::raw_text(tree, label));
        }
    }
    titles
}

/// Whether anything but fonts is encrypted.
pub(super) fn is_encrypted(encryption: &str) -> bool {
    let page = dom::parse(encryption, true, 256);
    let (tree, root) = (&page.document.tree, page.document.root().id);
    let methods = named(tree, root, "encryptionmethod").into_iter();
    methods.filter_map(|method| dom::attribute(tree, method, "algorithm")).any(|algorithm| {
        let obfuscated = ["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"];
        !obfuscated.contains(&algorithm.as_str())
    })
}

/// Elements of this name, whatever stands before its colon.
fn named(tree: &Tree, root: NodeId, wanted: &str) -> Vec<NodeId> {
    let mut found = Vec::new();
    dom::visit(tree, root, |step| {
        if let dom::Step::Enter(node) = step
            && is_named(tree, node, wanted)
        {
            found.push(node);
        }
        true
    });
    found
}

fn child_named(tree: &Tree, node: NodeId, wanted: &str) -> Option<NodeId> {
    tree.child_ids_of_it(&node, false).find(|child| is_named(tree, *child, wanted))
}

fn is_named(tree: &Tree, node: NodeId, wanted: &str) -> bool {
    dom::name(tree, node).is_some_and(|name| name.rsplit(':').next() == Some(wanted))
}

/// The path of a link in the file at `base`, without what follows `#`.
pub(super) fn resolved(base: &str, link: &str) -> String {
    let link = link.split(['#', '?']).next().unwrap_or_default();
    let link = unescaped(link.trim());
    let folder = base.rsplit_once('/').map_or("", |(folder, _)| folder);
    let folder = if link.starts_with('/') { "" } else { folder };
    let mut path: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(link.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                path.pop();
            }
            part => path.push(part),
        }
    }
    path.join("/")
}

/// `%20` and the like.
fn unescaped(link: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = link.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let digits = behind.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let escaped =
            digits.filter(|_| *first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chapters_are_listed_in_reading_order_with_their_titles() {
        let package = Package::of(
            "OEBPS/book.opf",
            "<?xml version='1.0'?><package><metadata><dc:title>A &amp; B</dc:title><meta name='x' content='y'/></metadata>\
             <manifest><item id='n' href='nav.xhtml' properties='nav' media-type='application/xhtml+xml'/>\
             <item id='b' href='t/b%201.xhtml' media-type='application/xhtml+xml'/><item id='p' href='p.png' media-type='image/png'/>\
             <opf:item id='a' href='a.xhtml' media-type='application/xhtml+xml'/></manifest>\
             <spine><itemref idref='n'/><itemref idref='b'/><itemref idref='p'/><itemref idref='a'/><itemref idref='?'/></spine></package>",
        );
        assert_eq!(package.title, "A & B");
        assert_eq!(package.spine, ["OEBPS/t/b 1.xhtml", "OEBPS/a.xhtml"]);
        assert_eq!(package.contents, ["OEBPS/nav.xhtml"]);
        let ncx = "<ncx><head/><navMap><navPoint><navLabel><text>One</text></navLabel><content src='a.xhtml#x'/>\
                   <navPoint><navLabel><text>Part</text></navLabel><content src='a.xhtml#y'/></navPoint></navPoint></navMap></ncx>";
        assert_eq!(titles("OEBPS/toc.ncx", ncx)["OEBPS/a.xhtml"], "One");
        let nav = "<nav><ol><li><a href='../a.xhtml'>Two</a></li></ol></nav>";
        assert_eq!(titles("OEBPS/t/nav.xhtml", nav)["OEBPS/a.xhtml"], "Two");
    }

    #[test]
    fn paths_cannot_lead_out_of_the_book() {
        assert_eq!(resolved("OEBPS/x.opf", "../../../etc/passwd"), "etc/passwd");
        assert_eq!(resolved("", "/a/./b%zz"), "a/b%zz");
        assert_eq!(
            root_file("<container><rootfiles><rootfile full-path='O/b.opf'/>"),
            Some("O/b.opf".to_owned())
        );
    }

    #[test]
    fn hidden_fonts_are_no_encryption() {
        let of = |method: &str| {
            is_encrypted(&format!(
                "<encryption><enc:EncryptedData><enc:EncryptionMethod Algorithm='{method}'/>"
            ))
        };
        assert!(!of("http://www.idpf.org/2008/embedding"));
        assert!(of("http://www.w3.org/2001/04/xmlenc#aes128-cbc"));
    }
}
