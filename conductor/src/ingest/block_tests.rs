//! Documents with blocks: how they are cut, and what is read of them.

use std::sync::Arc;

use frlm_documents::{Block, Kind, Place, Transcript};

use super::*;

fn block(kind: Kind, text: &str, page: u32) -> Block {
    Block { kind, text: text.to_owned(), place: Place::Page { page, bounds: None } }
}

fn row(header: bool, cells: &[&str], page: u32) -> Block {
    let cells: Vec<String> = cells.iter().map(|cell| (*cell).to_owned()).collect();
    let text = cells.join(" | ");
    block(Kind::Row { table: 1, header, cells }, &text, page)
}

fn document(blocks: Vec<Block>) -> Document {
    let transcript = Transcript::of(blocks);
    let text: Arc<str> = transcript.text.as_str().into();
    Document { transcript: Some(Arc::new(transcript)), ..Document::of_text("lease.pdf", text) }
}

fn lease() -> Document {
    let mut blocks = vec![block(Kind::Heading(1), "Lease", 1)];
    for section in 1..=6 {
        blocks.push(block(Kind::Heading(2), &format!("{section} Section"), section));
        for paragraph in 0..4 {
            blocks.push(block(
                Kind::Paragraph,
                &format!("Paragraph {paragraph}. {}", "Words. ".repeat(9)),
                section,
            ));
        }
    }
    blocks.push(row(true, &["item", "amount"], 7));
    blocks.push(row(false, &["Rent", "1200"], 7));
    blocks.push(row(false, &["Heating", "80"], 8));
    document(blocks)
}

#[test]
fn a_heading_stays_with_what_follows_if_both_fit() {
    let lease = lease();
    for max_tokens in 60..200 {
        let fragments = split(std::slice::from_ref(&lease), SplitOptions { max_tokens, max_records: 16 });
        let together: String = fragments.iter().map(|fragment| &*fragment.text).collect();
        assert_eq!(together, lease.text.whole(), "nothing is lost at {max_tokens}");
        for fragment in &fragments {
            let last = fragment.text.trim_end().lines().last().unwrap();
            assert!(!last.starts_with('#'), "{max_tokens}: {last}");
            assert!(!last.starts_with("item |"), "{max_tokens}: {last}");
        }
    }
}

#[test]
fn a_fragment_tells_what_its_reader_must_know_and_where_its_lines_stand() {
    let fragments = split(&[lease()], SplitOptions { max_tokens: 60, max_records: 16 });
    let fragment = fragments.iter().find(|fragment| fragment.text.contains("1200")).unwrap();
    assert_eq!(fragment.context().unwrap(), "lease.pdf, from page 6; under: Lease › 6 Section");
    let rent = fragment.records.iter().find(|record| record.text.contains("1200")).unwrap();
    assert_eq!(rent.prompt_text(), "item=Rent, amount=1200");
    let location = fragment.location(rent.line);
    assert_eq!((location.page, location.heading.as_deref()), (Some(7), Some("Lease › 6 Section")));
}

#[test]
fn rows_of_tables_are_records_by_themselves() {
    let fragments = split_rows(&[lease()], SplitOptions { max_tokens: 2_000, max_records: 16 });
    let shown: Vec<_> =
        fragments.iter().flat_map(|fragment| &fragment.records).map(Record::prompt_text).collect();
    assert_eq!(shown, ["item=Rent, amount=1200", "item=Heating, amount=80"]);
    let pages: Vec<_> =
        fragments[0].records.iter().map(|record| fragments[0].location(record.line).page).collect();
    assert_eq!(pages, [Some(7), Some(8)]);
}

#[test]
fn what_cannot_be_read_is_set_aside_unless_nothing_can() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let (good, bad) = (write("a.txt", b"words"), write("b.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"));
    let read = read_what_can_be(&[good, bad.clone()], &TextOnly).unwrap();
    assert_eq!(read.documents.len(), 1);
    assert!(read.warnings[0].to_string().contains("b.png: skipped"), "{:?}", read.warnings);
    assert!(read_what_can_be(&[bad], &TextOnly).is_err());
}

#[test]
fn a_reading_ends_when_its_reader_is_told_to_stop() {
    struct Stopped;
    impl DocumentReader for Stopped {
        fn read(&self, _name: &str, _bytes: &[u8]) -> Result<Vec<frlm_documents::Document>, String> {
            Ok(Vec::new())
        }
        fn begins(&self, name: &str) -> bool {
            name != "b.txt"
        }
    }
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.txt", "b.txt", "c.txt"] {
        std::fs::write(folder.path().join(name), "words").unwrap();
    }
    let error = read_documents(&[folder.path().to_owned()], &Stopped).unwrap_err();
    assert!(matches!(error, IngestError::Stopped));
}
