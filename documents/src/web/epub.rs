//! EPUB: the chapters of a book, in reading order.

use std::collections::{HashMap, HashSet};
use std::io::Cursor;

use dom_query::Document;
use zip::ZipArchive;

use super::package::{self, Package};
use super::{dom, encoding, walk};
use crate::archive::unpack;
use crate::block::Place;
use crate::event::{Refusal, Warning};
use crate::format::Format;
use crate::output::Output;

type Archive<'a> = ZipArchive<Cursor<&'a [u8]>>;

pub(crate) fn epub(bytes: &[u8], out: &mut Output<'_>) -> Result<(), Refusal> {
    let damaged = |what: &str| Refusal::damaged(Format::Epub, what);
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| damaged("its zip cannot be read"))?;
    if text(&mut archive, "META-INF/encryption.xml", out).is_ok_and(|list| package::is_encrypted(&list)) {
        return Err(Refusal::Unsupported {
            what: "a book with copy protection (DRM)".to_owned(),
            remedy: "only the program it was bought for opens it; use a copy without protection".to_owned(),
        });
    }
    let container = text(&mut archive, "META-INF/container.xml", out);
    let root = container.ok().and_then(|container| package::root_file(&container));
    let root = root.or_else(|| {
        archive.file_names().find(|name| name.rsplit('.').next() == Some("opf")).map(str::to_owned)
    });
    let root = root.ok_or_else(|| damaged("it names no package"))?;
    let list = text(&mut archive, &root, out).map_err(|_| damaged("its package cannot be read"))?;
    let book = Package::of(&root, &list);
    out.title(&book.title);
    let mut titles = HashMap::new();
    for path in &book.contents {
        if let Ok(list) = text(&mut archive, path, out) {
            for (path, title) in package::titles(path, &list) {
                titles.entry(path).or_insert(title);
            }
        }
    }
    chapters(&mut archive, &book.spine, &titles, out)
}

fn chapters(
    archive: &mut Archive<'_>,
    spine: &[String],
    titles: &HashMap<String, String>,
    out: &mut Output<'_>,
) -> Result<(), Refusal> {
    let limits = out.options().limits;
    let (mut chapter, mut tables) = (0, 0);
    for path in spine {
        let content = match text(archive, path, out) {
            Ok(content) => content,
            Err(reason) => {
                out.warn(Warning::Skipped { name: path.clone(), reason: reason.to_owned() });
                if out.unpacked_left == 0 {
                    return Err(Refusal::too_much("bytes when unpacked", limits.unpacked_bytes));
                }
                continue;
            }
        };
        let page = dom::parse(&content, true, limits.nesting);
        let root = page.document.root().id;
        // A cover without words is no chapter.
        if dom::text(&page.document.tree, root).trim().is_empty() {
            continue;
        }
        if chapter >= limits.pages {
            return Err(Refusal::too_much("chapters", u64::from(limits.pages)));
        }
        chapter += 1;
        let title = titles.get(path).cloned().or_else(|| first_heading(&page.document));
        let place = Place::Chapter { chapter, title };
        walk::Walker::new(&page.document, &place, &mut tables, out).walk(root, &HashSet::new())?;
        if let Err(reason) = page.ended {
            out.warn(Warning::Other(format!("{path}: only its beginning was read; {reason}")));
        }
    }
    if chapter == 0 { Err(Refusal::Empty) } else { Ok(()) }
}

fn first_heading(document: &Document) -> Option<String> {
    let mut found = None;
    dom::visit(&document.tree, document.root().id, |step| {
        if let dom::Step::Enter(node) = step
            && found.is_none()
            && dom::name(&document.tree, node).is_some_and(|name| matches!(&*name, "h1" | "h2" | "h3"))
        {
            let heading = crate::output::collapsed(&dom::text(&document.tree, node));
            found = (!heading.is_empty()).then_some(heading);
        }
        found.is_none()
    });
    found
}

/// The text of a file in the book; or why it is not read.
fn text(archive: &mut Archive<'_>, path: &str, out: &mut Output<'_>) -> Result<String, &'static str> {
    let limit = out.options().limits.member_bytes.min(out.unpacked_left);
    let file = archive.by_name(path).map_err(|_| "it is missing, or cannot be unpacked")?;
    match unpack(file, limit) {
        (bytes, None) => {
            out.spend(bytes.len() as u64);
            Ok(encoding::decode(&bytes).text)
        }
        (_, Some(crate::archive::Trouble::TooLarge)) => {
            out.spend(limit);
            Err("it has more bytes than are unpacked")
        }
        (_, Some(crate::archive::Trouble::Damaged)) => Err("it is damaged"),
    }
}
