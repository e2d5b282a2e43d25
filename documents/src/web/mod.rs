//! HTML, and the books that are made of it, → blocks.

mod article;
mod attributes;
mod dom;
mod encoding;
mod epub;
mod package;
mod table;
mod walk;

use std::collections::HashSet;

use crate::block::Place;
use crate::event::Refusal;
use crate::output::Output;

pub(crate) use epub::epub;

/// A page: its main content, without what leads to other pages.
pub(crate) fn html(bytes: &[u8], out: &mut Output<'_>) -> Result<(), Refusal> {
    let decoded = encoding::decode(bytes);
    crate::plain::warn(&decoded, out);
    let page = dom::parse(&decoded.text, dom::looks_like_xml(&decoded.text), out.options().limits.nesting);
    out.title(&dom::title(&page.document));
    let shown = article::choose(&page.document);
    let mut tables = 0;
    let mut walker = walk::Walker::new(&page.document, &Place::Text, &mut tables, out);
    if let Some(heading) = &shown.heading {
        walker.heading(heading)?;
    }
    walker.walk(shown.root, &shown.left_out)?;
    page.ended
}

/// A piece of HTML inside of something else, all of it.
pub(crate) fn fragment(
    text: &str,
    place: &Place,
    tables: &mut u32,
    out: &mut Output<'_>,
) -> Result<(), Refusal> {
    let page = dom::parse(text, dom::looks_like_xml(text), out.options().limits.nesting);
    let root = page.document.root().id;
    walk::Walker::new(&page.document, place, tables, out).walk(root, &HashSet::new())?;
    page.ended
}
