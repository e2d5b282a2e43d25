//! Where the citations of a run stand: the lines around them, and the page that they are on.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use frlm_conductor::store::Store;
use frlm_protocol::{one_line, printable, shown_path};
use frlm_questions::answer::Citation;
use frlm_questions::ingest::Document;

use super::request::RunRequest;
use crate::documents::{Documents, PageImage};
use crate::home::Home;

/// Lines shown before and after a citation.
const AROUND: u32 = 2;
/// Characters of a line that are shown.
const LONGEST_LINE: usize = 400;

/// The lines around a citation, from the document that the run read. Blocks.
pub fn lines_around(
    reader: &Documents,
    home: &Home,
    run: &str,
    citation: &Citation,
) -> anyhow::Result<Vec<(u32, String)>> {
    let text = document(reader, home, run, &citation.file)?.text;
    let [first, last] = citation.lines;
    let (from, to) = (first.saturating_sub(AROUND).max(1), last.saturating_add(AROUND));
    let lines = (1_u32..)
        .zip(text.lines())
        .skip_while(|(number, _)| *number < from)
        .take_while(|(number, _)| *number <= to);
    Ok(lines.map(|(number, line)| (number, printable(&line).chars().take(LONGEST_LINE).collect())).collect())
}

/// The page that a citation stands on, drawn with the quoted words marked, and its number; `None` where there is none to draw. The lines
/// are shown in any case. Blocks.
pub fn cited_page(
    reader: &Documents,
    home: &Home,
    run: &str,
    citation: &Citation,
) -> Option<(u32, PageImage)> {
    let number = citation.location.page?;
    let path = path(&request(home, run).ok()?, &citation.file)?;
    let drawn = reader.page(&path, number, std::slice::from_ref(&citation.quote));
    match drawn {
        Ok(picture) => Some((number, picture)),
        Err(error) => {
            tracing::debug!("page {number} of {} cannot be drawn: {error:#}", shown_path(&path));
            None
        }
    }
}

pub(super) fn request(home: &Home, run: &str) -> anyhow::Result<RunRequest> {
    Ok(serde_json::from_value(Store::open(&home.store())?.find(run)?.request)?)
}

/// The file of a document by the name that citations use, unless it lies in another.
fn path(request: &RunRequest, name: &str) -> Option<PathBuf> {
    let named = Path::new(name);
    let direct = request.files.iter().find(|file| file.ends_with(named) && file.is_file());
    direct
        .cloned()
        .or_else(|| request.files.iter().map(|folder| folder.join(named)).find(|file| file.is_file()))
}

/// A document of a run by the name that citations use.
fn document(reader: &Documents, home: &Home, run: &str, name: &str) -> anyhow::Result<Document> {
    let request = request(home, run)?;
    let gone = || format!("{} is not where it was", one_line(name));
    if let Some(path) = path(&request, name) {
        return reader.read(&[path])?.documents.into_iter().next().with_context(gone);
    }
    // It lies in an archive or a mail.
    let read = reader.read(&request.files).map_err(|_| anyhow::anyhow!(gone()))?;
    read.documents.into_iter().find(|document| document.name == name).with_context(gone)
}
