//! Documents with blocks: how they are cut, and what is read of them.

use std::path::PathBuf;
use std::sync::Arc;

use frlm_documents::{Block, Content, Format, IS_LINK, Kind, Place, Refusal, Transcript, Warning};

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

const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

/// A folder with these files, and their paths.
fn folder(files: &[(&str, &[u8])]) -> (tempfile::TempDir, Vec<PathBuf>) {
    let folder = tempfile::tempdir().unwrap();
    let paths = files.iter().map(|(name, bytes)| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    });
    let paths = paths.collect();
    (folder, paths)
}

/// What the record of a run has of what was not read.
fn unread(read: &Ingested) -> Vec<(String, String)> {
    let names = read.documents.iter().map(|document| document.name.clone()).collect();
    let list = DocumentList::of(names, &read.warnings);
    list.unread.into_iter().map(|Unread { path, why }| (path, why)).collect()
}

/// Says what a worker would have found in every file.
struct Finds(Vec<frlm_documents::Document>);

impl DocumentReader for Finds {
    fn read(&self, _name: &str, _bytes: &[u8]) -> Result<Vec<frlm_documents::Document>, String> {
        Ok(self.0.clone())
    }
}

fn found(name: &str, text: &str, ended: Result<(), Refusal>) -> frlm_documents::Document {
    let format = if name.ends_with("zip") { Format::Zip } else { Format::Pdf };
    let (content, warnings) = (Content::Plain(text.to_owned()), Vec::new());
    frlm_documents::Document { name: name.to_owned(), format, title: None, content, warnings, ended }
}

#[test]
fn what_cannot_be_read_is_set_aside_unless_nothing_can() {
    let (_folder, paths) = folder(&[("a.txt", b"words"), ("b.png", PICTURE), ("c.bin", b"\0\x01\x02")]);
    let read = read_documents(&paths, &TextOnly).unwrap();
    assert_eq!(read.documents.len(), 1);
    let told: Vec<String> = read.warnings.iter().map(ToString::to_string).collect();
    assert!(told[0].contains("b.png: not read, a PNG picture: run text recognition"), "{told:?}");
    assert_eq!(unread(&read).into_iter().map(|(path, _)| path).collect::<Vec<_>>(), ["b.png", "c.bin"]);

    let why = |paths: &[PathBuf]| read_documents(paths, &TextOnly).unwrap_err().to_string();
    assert!(
        why(&paths[1..2])
            .ends_with("b.png: a PNG picture: run text recognition (OCR) on it and give the text")
    );
    let both = why(&paths[1..]);
    assert!(both.starts_with("no document can be read:\n  "), "{both}");
    assert!(
        both.contains("b.png: not read, a PNG picture") && both.contains("c.bin: not read, a binary file"),
        "{both}"
    );
    let gone = [paths[0].clone(), paths[0].with_file_name("gone.txt")];
    assert!(why(&gone).ends_with("gone.txt: no such file or folder; check the path"));
}

#[test]
fn a_folder_of_which_nothing_can_be_read_names_each_file() {
    let (folder, paths) = folder(&[("b.png", PICTURE)]);
    let paths = [folder.path().to_owned(), paths[0].clone()];
    for paths in [&paths[..1], &paths[..]] {
        let error = read_documents(paths, &TextOnly).unwrap_err();
        assert_eq!(error.to_string().lines().count(), 2, "{error}");
        assert!(error.to_string().contains("b.png: not read, a PNG picture"), "{error}");
    }
}

#[test]
fn a_refused_file_of_a_folder_is_named_once() {
    let (folder, paths) = folder(&[("a.txt", b"words"), ("scan.pdf", b"%PDF-1.7")]);
    let reader = Finds(vec![found("scan.pdf", "", Err(Refusal::Scan { pages: 1 }))]);
    let all = [folder.path().to_owned(), paths[1].clone()];
    let read = read_documents(&all, &reader).unwrap();
    let told: Vec<String> = read.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with(&*paths[1].display().to_string()), "{told:?}");
    assert_eq!(unread(&read)[0].0, "scan.pdf");

    let locked = Finds(vec![found("scan.pdf", "", Err(Refusal::Encrypted))]);
    let read = read_documents(&all, &locked).unwrap();
    assert!(read.warnings[0].needs_password() && unread(&read)[0].1.contains("--password-file"));
}

#[test]
fn files_in_an_archive_are_missing_by_their_own_names() {
    let (_folder, paths) = folder(&[("z.zip", b"PK\x03\x04")]);
    let program = || Refusal::Unsupported {
        what: "a program".to_owned(),
        remedy: "it holds no text to read; leave it out".to_owned(),
    };
    let mut archive = found("z.zip", "", Ok(()));
    archive.warnings = [("d.txt", "it is damaged"), ("link", IS_LINK)]
        .map(|(name, reason)| Warning::Skipped { name: name.to_owned(), reason: reason.to_owned() })
        .into();
    let mut all = vec![
        archive.clone(),
        found("z.zip/b.pdf", "", Err(Refusal::Encrypted)),
        found("z.zip/c.exe", "", Err(program())),
        found("z.zip/e.pdf", "Its first words", Err(Refusal::TooMuch { what: "pages".to_owned(), limit: 3 })),
    ];
    let read = read_documents(&paths, &Finds(all.clone())).unwrap();
    let missing: Vec<String> = unread(&read).into_iter().map(|(path, _)| path).collect();
    assert_eq!(missing, ["z.zip/d.txt", "z.zip/b.pdf", "z.zip/e.pdf"]);
    let told: Vec<String> = read.warnings.iter().map(ToString::to_string).collect();
    assert!(told.iter().any(|told| {
        told.ends_with("z.zip/c.exe: skipped, a program: it holds no text to read; leave it out")
    }));
    assert!(
        told.iter().any(|told| told.ends_with("z.zip/link: skipped, it is a link or a device")),
        "{told:?}"
    );

    all.pop();
    let error = read_documents(&paths, &Finds(all)).unwrap_err();
    assert!(error.needs_password() && error.to_string().contains("z.zip/b.pdf: not read"), "{error}");
    archive.ended = Err(Refusal::WrongPassword);
    let error = read_documents(&paths, &Finds(vec![archive])).unwrap_err().to_string();
    assert!(error.ends_with("z.zip: the password does not open it"), "one reason is enough: {error}");
}

#[cfg(unix)]
#[test]
fn a_pipe_in_a_folder_is_named() {
    let (folder, _) = folder(&[("a.txt", b"words")]);
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("socket")).unwrap();
    let read = read_documents(&[folder.path().to_owned()], &TextOnly).unwrap();
    let told: Vec<String> = read.warnings.iter().map(ToString::to_string).collect();
    let named = |name: &str| {
        format!("{}: skipped, a pipe, a socket or a device, and no file", folder.path().join(name).display())
    };
    assert_eq!(told, [named("pipe"), named("socket")]);
    assert!(unread(&read).is_empty(), "nothing is missing without them");
}

#[test]
fn an_answer_names_so_many_files_and_counts_the_others() {
    let unread = |count: u32| {
        let each =
            (1..=count).map(|number| Unread { path: format!("{number}.pdf"), why: "a\nscan".to_owned() });
        DocumentList { names: vec!["a.txt".to_owned()], unread: each.collect() }
    };
    assert_eq!((unread(0).bound(), unread(0).share_read()), (None, 1.0));
    assert_eq!(unread(1).bound().unwrap(), "The answer says nothing about 1 file:\n- 1.pdf: a\\nscan");
    assert!((unread(1).share_read() - 0.5).abs() < 1e-9);
    let many = unread(22).bound().unwrap();
    assert!(
        many.starts_with("The answer says nothing about 22 files:\n- 1.pdf")
            && many.ends_with("\n- and 2 files more")
    );
    assert_eq!(many.lines().count(), 22);
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
