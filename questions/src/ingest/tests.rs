//! What must hold for any documents.

use std::fmt::Write as _;
use std::path::PathBuf;

use proptest::prelude::*;
use sha2::{Digest as _, Sha256};

use frlm_documents::text::TextKind;

use super::*;

const NAMES: &[&str] = &["a.txt", "a.md", "a.log", "a.csv", "a.tsv", "a.jsonl", "a.json", "a.rs", "plain"];

fn split_one(name: &str, text: &str, max_tokens: usize, max_records: usize) -> Vec<Fragment> {
    split(&[Document::of_text(name, text)], SplitOptions { max_tokens, max_records })
}

/// Reads a file as one that is too long to be held, and as any other.
fn kept_and_held(name: &str, bytes: &[u8]) -> [Ingested; 2] {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    [7, u64::MAX - 1].map(|held_bytes| {
        let mut reader = read::Reader::new(&TextOnly);
        reader.held_bytes = held_bytes;
        reader.read_path(&path).unwrap();
        reader.ingested
    })
}

#[test]
fn some_lines_alone_are_cut_as_they_stand() {
    let text = "id,city\n1,Rome\n2,Oslo\n\n3,Rome\n4,Oslo";
    for read in kept_and_held("a.csv", text.as_bytes()) {
        let fragments = split_lines(&read.documents[0], &[2, 3, 6].into());
        assert_eq!(record_texts(&fragments), [(2, "1,Rome"), (3, "2,Oslo"), (6, "4,Oslo")]);
        let spans = fragments.iter().map(|fragment| (fragment.id.0, fragment.span.lines.clone()));
        assert_eq!(spans.collect::<Vec<_>>(), [(0, 2..=3), (1, 6..=6)]);
        assert_eq!(&text[fragments[1].span.bytes.clone()], "4,Oslo");
    }
}

fn record_texts(fragments: &[Fragment]) -> Vec<(u32, &str)> {
    fragments
        .iter()
        .flat_map(|fragment| &fragment.records)
        .map(|record| (record.line, &*record.text))
        .collect()
}

/// The invariants of [`split`], on one document.
fn check(name: &str, text: &str, options: SplitOptions) {
    let format = TextKind::detect(name, text);
    let document = Document::of_text(name, text);
    let fragments = split(std::slice::from_ref(&document), options);
    let mut end = 0;
    for (index, fragment) in fragments.iter().enumerate() {
        assert_eq!(fragment.id.0 as usize, index);
        let bytes = fragment.span.bytes.clone();
        assert!(bytes.start >= end, "fragments overlap");
        check_gap(format, &text[end..bytes.start]);
        end = bytes.end;
        assert_eq!(*fragment.text, text[bytes.clone()]);
        assert_eq!(fragment.span.sha256, hex::encode(Sha256::digest(fragment.text.as_bytes())));
        let newlines = |text: &str| u32::try_from(text.matches('\n').count()).unwrap();
        assert_eq!(*fragment.span.lines.start(), newlines(&text[..bytes.start]) + 1);
        let inner = fragment.text.strip_suffix('\n').unwrap_or(&fragment.text);
        assert_eq!(*fragment.span.lines.end(), newlines(&text[..bytes.start]) + 1 + newlines(inner));

        assert!(!fragment.records.is_empty());
        assert_eq!(fragment.text.len(), bytes.len());
        assert_eq!(fragment.records.len(), fragment.records.iter().count());
        if format.is_record_like() {
            assert!(fragment.records.len() <= options.max_records);
        }
        for record in &fragment.records {
            assert!(fragment.span.lines.contains(&record.line));
            assert!(fragment.text.contains(&*record.text));
            assert!(!record.text.trim().is_empty() && !record.text.ends_with('\n'));
            if !matches!(format, TextKind::Table { .. }) {
                let line = text.split('\n').nth(record.line as usize - 1).unwrap();
                assert!(line.contains(&*record.text), "{line:?} {record:?}");
            }
        }
        let whole_lines = fragment.records.len() > 1;
        // A single record may be one character that is dearer than the smallest budget.
        if whole_lines || options.max_tokens >= 50 {
            assert!(estimate_tokens(&fragment.text) <= options.max_tokens.max(MIN_FRAGMENT_TOKENS));
        }
    }
    check_gap(format, &text[end..]);
}

/// Nothing that a question could be about stands outside the fragments.
fn check_gap(format: TextKind, gap: &str) {
    match format {
        // One header at most; a blank row of a table may be made of quotes.
        TextKind::Table { .. } => {
            assert!(gap.lines().filter(|line| !line.trim().is_empty()).count() <= 1, "{gap:?}");
        }
        TextKind::JsonArray => {
            assert!(gap.lines().all(|line| ["", "[", "]"].contains(&line.trim())), "{gap:?}");
        }
        _ => assert!(gap.trim().is_empty(), "{gap:?}"),
    }
}

fn any_text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        "[a-z ,]{0,40}",
        "[a-z0-9]{1,5},[a-z0-9 ]{0,9},\"[a-z,]{0,9}\"",
        "\\PC{0,80}",
        "[ \t]{0,9}",
        Just("# Heading".to_owned()),
        Just("```".to_owned()),
        Just("2026-11-20T12:00:00Z INFO started".to_owned()),
        Just("{\"a\": 1},".to_owned()),
        Just("[".to_owned()),
        Just("]".to_owned()),
        Just("\"open quote, no end".to_owned()),
        "[a-z]{200,900}",
        "([a-z]{1,9} ){50,200}",
    ];
    let ending = prop_oneof![Just("\n"), Just("\r\n"), Just("\n\n"), Just("\r"), Just("")];
    prop::collection::vec((line, ending), 0..30)
        .prop_map(|lines| lines.into_iter().map(|(line, ending)| line + ending).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fragments_tile_any_document(
        text in any_text(),
        name in prop::sample::select(NAMES),
        max_tokens in 1_usize..300,
        max_records in 1_usize..10,
    ) {
        check(name, &text, SplitOptions { max_tokens, max_records });
    }

    #[test]
    fn no_bytes_make_it_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        name in prop::sample::select(NAMES),
    ) {
        let decoded = frlm_documents::decode(&bytes);
        check(name, &decoded.text, SplitOptions { max_tokens: 10, max_records: 3 });
    }
}

#[test]
fn a_log_is_cut_at_the_number_of_records() {
    let mut text = String::new();
    for line in 1..=10 {
        writeln!(text, "12:00:{line:02} INFO event {line}").unwrap();
    }
    let fragments = split_one("server.log", &text, 1_000, 4);
    let lines: Vec<_> = fragments.iter().map(|fragment| fragment.span.lines.clone()).collect();
    assert_eq!(lines, [1..=4, 5..=8, 9..=10]);
    assert_eq!(record_texts(&fragments)[4], (5, "12:00:05 INFO event 5"));
}

#[test]
fn line_endings_are_no_part_of_a_record() {
    let fragments = split_one("a.log", "one\r\n\r\ntwo\r\n", 1_000, 10);
    assert_eq!(record_texts(&fragments), [(1, "one"), (3, "two")]);
    assert_eq!(&*fragments[0].text, "one\r\n\r\ntwo\r\n");
}

#[test]
fn a_table_has_rows_as_records_and_its_header_only_as_names() {
    let text = "id,name,amount\n1,\"Doe, Jane\",20\n2,\"two\nlines\",30\n3,Max,40\n";
    let fragments = split_one("a.csv", text, 1_000, 2);
    assert_eq!(
        record_texts(&fragments),
        [(2, "1,\"Doe, Jane\",20"), (3, "2,\"two\nlines\",30"), (5, "3,Max,40")]
    );
    assert_eq!(fragments[0].records[0].prompt_text(), "id=1, name=Doe, Jane, amount=20");
    assert_eq!(fragments[0].records[1].prompt_text(), "id=2, name=two lines, amount=30");
    assert_eq!(fragments[0].span.lines, 1..=4);
    assert_eq!(fragments[1].span.lines, 5..=5);
}

#[test]
fn elements_of_a_json_array_are_shown_without_their_comma() {
    let fragments = split_one("a.json", "[\n  {\"a\": 1},\n  {\"a\": 2}\n]\n", 1_000, 10);
    let shown: Vec<_> =
        fragments[0].records.iter().map(|record| (record.line, record.prompt_text())).collect();
    assert_eq!(shown, [(2, "{\"a\": 1}"), (3, "{\"a\": 2}")]);
}

#[test]
fn a_line_beyond_the_budget_is_cut_and_keeps_its_number() {
    let long = "word ".repeat(200);
    let text = format!("12:00 short\n{long}\n12:01 short\n");
    let fragments = split_one("a.log", &text, 50, 10);
    assert!(fragments.len() > 4);
    let pieces: String =
        record_texts(&fragments).into_iter().filter(|(line, _)| *line == 2).map(|(_, text)| text).collect();
    assert_eq!(pieces, long);
    assert_eq!(fragments.last().unwrap().span.lines, 3..=3);
}

#[test]
fn prose_keeps_its_paragraphs_together() {
    let paragraph = "Some words that make up a paragraph\nof two lines.\n\n";
    let text = paragraph.repeat(6);
    let fragments = split_one("a.txt", &text, 40, 1);
    for fragment in &fragments {
        assert!(fragment.text.trim_end().ends_with("of two lines."), "{:?}", fragment.text);
        assert!(fragment.text.starts_with("Some words"));
    }
}

#[test]
fn a_folder_is_read_without_what_is_ignored_hidden_or_binary() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    };
    write("b.txt", b"second");
    write("a.txt", b"first");
    write("sub/c.txt", b"third");
    write(".gitignore", b"*.tmp\n");
    write("d.tmp", b"ignored");
    write(".secret", b"hidden");
    write("e.bin", b"\x7fELF\0\0");
    write("f.txt", b"");
    let found = read_documents(&[folder.path().to_owned()], &TextOnly).unwrap();
    let names: Vec<_> = found.documents.iter().map(|document| document.name.as_str()).collect();
    assert_eq!(names, ["a.txt", "b.txt", "sub/c.txt"]);
    let warnings: Vec<String> = found.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    for expected in [".secret: skipped, hidden", "e.bin: skipped, a program", "f.txt: skipped, empty"] {
        assert!(warnings.iter().any(|warning| warning.contains(expected)), "{expected} not in {warnings:?}");
    }
}

#[test]
fn a_path_named_twice_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.txt");
    std::fs::write(&file, "hello").unwrap();
    let paths = [file.clone(), folder.path().to_owned(), folder.path().join(".").join("a.txt")];
    assert_eq!(read_documents(&paths, &TextOnly).unwrap().documents.len(), 1);
}

#[test]
fn a_named_file_that_cannot_be_used_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let message = |path: PathBuf| read_documents(&[path], &TextOnly).unwrap_err().to_string();
    assert!(
        message(folder.path().join("gone.txt")).ends_with("gone.txt: no such file or folder; check the path")
    );
    assert!(message(path("empty.txt", b" \n")).contains("empty.txt: the file holds no text"));
    assert!(message(path("a.bin", b"\0\x01")).contains("a.bin: a binary file"));
    assert!(message(path("a.pdf", b"%PDF-1.4")).contains("reads text alone"));
    let nothing = folder.path().join("nothing");
    std::fs::create_dir(&nothing).unwrap();
    assert!(message(nothing).contains("no readable documents"));
    #[cfg(unix)]
    assert!(message(PathBuf::from("/dev/zero")).contains("not a regular file"));
}

#[test]
fn replaced_bytes_are_counted_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("latin.txt");
    std::fs::write(&path, b"\xef\xbb\xbfcaf\xe9 costs twelve euros").unwrap();
    let found = read_documents(std::slice::from_ref(&path), &TextOnly).unwrap();
    assert_eq!(found.documents[0].text.whole(), "caf\u{fffd} costs twelve euros");
    assert_eq!(found.documents[0].replaced_sequences, 1);
    assert!(found.warnings[0].to_string().contains("1 invalid byte sequence replaced"));
}

#[cfg(unix)]
#[test]
fn a_line_break_in_a_file_name_breaks_no_message() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("a\nfrlm: paid\x1b[2J.log");
    let error = read_documents(&[missing], &TextOnly).unwrap_err().to_string();
    assert!(error.contains(r"a\nfrlm: paid.log: no such file"), "{error}");

    std::fs::write(folder.path().join("b\nc.bin"), b"\x7fELF\0\0").unwrap();
    std::fs::write(folder.path().join("d.log"), "one line\n").unwrap();
    let read = read_documents(&[folder.path().to_owned()], &TextOnly).unwrap();
    let warnings: Vec<_> = read.warnings.iter().map(ToString::to_string).collect();
    assert!(warnings.len() == 1 && warnings[0].contains(r"b\nc.bin: skipped"), "{warnings:?}");
    assert!(warnings.iter().all(|warning| !warning.contains('\n')), "{warnings:?}");
}

#[test]
fn a_long_text_is_kept_and_is_the_same_document() {
    for (name, bytes) in [
        ("a.log", "12:00 one\n12:01 two \u{20ac}\n".as_bytes()),
        ("a.log", b"caf\xe9 na\xefve\n"),
        ("a.txt", b"\xef\xbb\xbfone\n\ntwo"),
        ("a.csv", b"id,name\n1,\"two\nlines\"\n2,Max\n"),
        ("a.json", b"[\n  {\"a\": 1},\n  {\"a\": 2}\n]\n"),
    ] {
        let [kept, held] = kept_and_held(name, bytes);
        let (kept_document, held_document) = (&kept.documents[0], &held.documents[0]);
        assert!(kept_document.text.kept().is_some() && held_document.text.kept().is_none());
        assert_eq!(kept_document.text.whole(), held_document.text.whole());
        assert_eq!(kept_document.sha256, held_document.sha256);
        assert_eq!(kept.warnings, held.warnings);
        let options = SplitOptions { max_tokens: 100, max_records: 2 };
        let [kept, held] = [kept, held].map(|read| split(&read.documents, options));
        assert_eq!(format!("{kept:?}"), format!("{held:?}"), "{name}");
    }
}

#[test]
fn a_kept_text_of_many_windows_has_the_same_records() {
    let mut text = String::new();
    for line in 0..120_000 {
        let blank = if line % 7 == 0 { "\n" } else { "" };
        writeln!(text, "{blank}12:00:00 INFO event {line} with some words behind it").unwrap();
    }
    let long = "one more sentence. ".repeat(500_000);
    text.push_str(&long);
    let [kept, held] = kept_and_held("a.log", text.as_bytes());
    assert!(kept.documents[0].text.windows().count() > 2);
    let options = SplitOptions { max_tokens: 500, max_records: 16 };
    let [kept, held] = [kept, held].map(|read| split(&read.documents, options));
    let of_lines = |fragments: &[Fragment]| {
        let records = fragments.iter().flat_map(|fragment| &fragment.records);
        let texts = records.filter(|record| record.line <= 137_143);
        texts.map(|record| (record.line, record.text.to_string())).collect::<Vec<_>>()
    };
    assert_eq!(of_lines(&kept), of_lines(&held));
    let last: String = kept
        .iter()
        .flat_map(|fragment| &fragment.records)
        .filter(|record| record.line == 137_144)
        .map(|record| record.text.to_string())
        .collect();
    assert_eq!(last, long);
}

#[test]
fn a_fragment_can_be_had_as_if_nobody_had_looked_at_it() {
    let fragments = split_one("a.log", "one\ntwo\n", 100, 10);
    assert_eq!(record_texts(&fragments), [(1, "one"), (2, "two")]);
    let unread = [fragments[0].unread()];
    assert_eq!(record_texts(&unread), record_texts(&fragments));
    assert_eq!(format!("{unread:?}"), format!("{fragments:?}"));
}
