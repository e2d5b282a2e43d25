//! Office files that were made to harm their reader: each is refused in words, or read within bounds.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use frlm_documents::{Event, Limits, Options, Refusal, read};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const W: &str = "xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'";

fn packed(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn docx(body: &str) -> Vec<u8> {
    packed(&[(
        "word/document.xml",
        format!("<w:document {W}><w:body>{body}</w:body></w:document>").as_bytes(),
    )])
}

/// The texts of the blocks, and how it ended.
fn outcome(name: &str, bytes: &[u8]) -> (Vec<String>, Result<(), Refusal>) {
    let limits =
        Limits { member_bytes: 8 << 20, unpacked_bytes: 12 << 20, text_bytes: 4 << 20, ..Limits::default() };
    let (mut texts, mut ended) = (Vec::new(), None);
    read(name, bytes, &Options { limits, ..Options::default() }, &mut |event| match event {
        Event::Block(block) => texts.push(block.text),
        Event::End(end) => ended = Some(end),
        _ => {}
    });
    (texts, ended.unwrap())
}

fn refusal(name: &str, bytes: &[u8]) -> String {
    outcome(name, bytes).1.unwrap_err().to_string()
}

#[test]
fn a_zip_bomb_is_refused_by_its_real_size() {
    let bomb = packed(&[("word/document.xml", &vec![b' '; 9 << 20])]);
    assert!(bomb.len() < 64 << 10);
    assert!(refusal("bomb.docx", &bomb).contains("more than 8 MB in one part;"));
    let part = vec![b' '; 7 << 20];
    let sheet = [&b"<worksheet><sheetData>"[..], &part, b"</sheetData></worksheet>"].concat();
    let relations = b"<Relationships><Relationship Id='a' Type='x/worksheet' Target='a.xml'/>\
        <Relationship Id='b' Type='x/worksheet' Target='b.xml'/></Relationships>";
    let bomb = packed(&[
        ("xl/workbook.xml", b"<workbook/>"),
        ("xl/_rels/workbook.xml.rels", relations),
        ("xl/a.xml", &sheet),
        ("xl/b.xml", &sheet),
    ]);
    assert!(refusal("bomb.xlsx", &bomb).contains("more than 12 MB when unpacked;"));
}

#[test]
fn entities_are_never_expanded() {
    let mut laughs = String::from("<!DOCTYPE w [<!ENTITY a0 'ha'>");
    for level in 1..30 {
        write!(laughs, "<!ENTITY a{level} '&a{0};&a{0};'>", level - 1).unwrap();
    }
    let text = format!(
        "{laughs}<!ENTITY file SYSTEM 'file:///etc/passwd'>]><w:document {W}><w:body><w:p><w:r><w:t>one &a29;&file;two\
         </w:t></w:r></w:p></w:body></w:document>"
    );
    let (texts, ended) = outcome("laughs.docx", &packed(&[("word/document.xml", text.as_bytes())]));
    assert_eq!((texts, ended), (vec!["one two".to_owned()], Ok(())));
}

#[test]
fn elements_within_elements_are_bounded() {
    for inner in ["<w:sdt><w:sdtContent>", "<w:tbl><w:tr><w:tc>", "<w:p><w:r><w:drawing><w:txbxContent>"] {
        assert!(refusal("deep.docx", &docx(&inner.repeat(50_000))).contains("256 elements within elements"));
    }
    for (name, inner) in
        [("deep.odt", "<text:section>"), ("deep.odp", "<draw:g>"), ("deep.ods", "<table:table-row-group>")]
    {
        let text = inner.repeat(50_000);
        assert!(
            refusal(name, &packed(&[("content.xml", text.as_bytes())])).contains("elements within elements")
        );
    }
}

#[test]
fn spans_of_a_billion_columns_cost_little() {
    let cell =
        "<w:tc><w:tcPr><w:gridSpan w:val='1000000000'/></w:tcPr><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc>";
    let row = format!("<w:tr><w:trPr><w:gridBefore w:val='4294967295'/></w:trPr>{}</w:tr>", cell.repeat(3));
    let (texts, ended) = outcome("wide.docx", &docx(&format!("<w:tbl>{}</w:tbl>", row.repeat(2))));
    assert_eq!(ended, Ok(()));
    assert!(texts.iter().all(|text| text.len() < 8 << 10));
}

#[test]
fn rows_repeated_without_end_are_bounded() {
    let sheet = |rows: u32, columns: u32, after: &str| {
        let content = format!(
            "<o:document-content xmlns:o='urn:oasis:names:tc:opendocument:xmlns:office:1.0' \
             xmlns:t='urn:oasis:names:tc:opendocument:xmlns:table:1.0' \
             xmlns:x='urn:oasis:names:tc:opendocument:xmlns:text:1.0'><o:body><o:spreadsheet><t:table t:name='s'>\
             <t:table-row t:number-rows-repeated='{rows}'><t:table-cell t:number-columns-repeated='{columns}'>\
             <x:p>x</x:p></t:table-cell></t:table-row>{after}</t:table></o:spreadsheet></o:body></o:document-content>"
        );
        outcome("endless.ods", &packed(&[("content.xml", content.as_bytes())]))
    };
    for (rows, columns) in [(4_000_000_000, 4_000_000_000), (1_048_576, 1), (20, 16_384)] {
        let (texts, ended) = sheet(rows, columns, "");
        let reason = ended.unwrap_err().to_string();
        assert!(reason.contains("cells that only repeat others"), "{reason}");
        assert!(texts.len() <= (1 << 18) + 100, "{}", texts.len());
    }
    // Empty cells are repeated to the sheet's end by every program that writes one.
    let rest = "<t:table-row t:number-rows-repeated='1048000'><t:table-cell t:number-columns-repeated='16384'/></t:table-row>";
    let (texts, ended) = sheet(500, 3, rest);
    assert_eq!((texts.len(), ended), (501, Ok(())));
}

#[test]
fn a_note_that_is_mentioned_often_is_told_once() {
    let note = format!(
        "<w:footnotes {W}><w:footnote w:id='1'><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:footnote></w:footnotes>",
        "note ".repeat(100_000)
    );
    let body = format!("<w:p>{}</w:p>", "<w:r><w:footnoteReference w:id='1'/></w:r>".repeat(10_000));
    let relations =
        "<Relationships><Relationship Id='a' Type='x/footnotes' Target='footnotes.xml'/></Relationships>";
    let document = format!("<w:document {W}><w:body>{body}</w:body></w:document>");
    let file = packed(&[
        ("word/document.xml", document.as_bytes()),
        ("word/_rels/document.xml.rels", relations.as_bytes()),
        ("word/footnotes.xml", note.as_bytes()),
    ]);
    let (texts, ended) = outcome("notes.docx", &file);
    assert_eq!((texts.len(), ended), (2, Ok(())));
}

#[test]
fn encrypted_files_are_told_as_such() {
    let manifest = "<manifest><file-entry><encryption-data/></file-entry></manifest>";
    let file = packed(&[("META-INF/manifest.xml", manifest.as_bytes()), ("content.xml", b"\x01\x02")]);
    for name in ["secret.odt", "secret.ods", "secret.odp"] {
        let words =
            "an OpenDocument file with a password: open it in LibreOffice and save it without a password";
        assert_eq!(refusal(name, &file), words);
    }
}

#[test]
fn encrypted_office_files_say_what_to_do() {
    // The directory of a compound file that names an encrypted package.
    let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut file = vec![0; 2048];
    file[..8].copy_from_slice(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1");
    file[1024..1024 + name.len()].copy_from_slice(&name);
    file[1024 + 64] = u8::try_from(name.len() + 2).unwrap();
    file[1024 + 66] = 2;
    for file_name in ["secret.docx", "secret.xlsx", "secret.pptx"] {
        let words = "an Office file with a password: open it in Office and save it without a password";
        assert_eq!(refusal(file_name, &file), words);
    }
}

#[test]
fn what_is_wrong_is_told_without_the_words_of_a_parser() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/hostile");
    let formats = ["docx", "epub", "odp", "ods", "odt", "pptx", "xls", "xlsx", "zip"];
    let limits =
        Limits { member_bytes: 1 << 20, unpacked_bytes: 2 << 20, text_bytes: 1 << 20, ..Limits::default() };
    let (mut told, mut wrong) = (0, Vec::new());
    let mut check = |name: &str, words: String| {
        told += 1;
        let marks =
            ["rror", "..", "Xml", "xml attribute", "`", "invalid Zip", "i/o", "Unexpected", " bytes when"];
        if marks.iter().any(|mark| words.contains(mark)) {
            wrong.push(format!("{name}: {words}"));
        }
    };
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if !formats.iter().any(|format| name.ends_with(format)) {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        read(name, &bytes, &Options { limits, ..Options::default() }, &mut |event| match event {
            Event::Warning(warning) => check(name, warning.to_string()),
            Event::End(Err(refusal)) => check(name, refusal.to_string()),
            _ => {}
        });
    }
    assert!(told >= 40, "{told}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_cut_short_anywhere_are_refused_or_read_in_part() {
    for name in
        ["contract.docx", "deck.pptx", "costs.xlsx", "old.xls", "tracked.odt", "talk.odp", "costs.ods"]
    {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/office").join(name);
        let whole = std::fs::read(path).unwrap();
        for part in 0..24 {
            let _ = outcome(name, &whole[..whole.len() * part / 24]);
            let mut changed = whole.clone();
            let at = (part * 7919 + 613) % changed.len();
            changed[at] ^= 0x5a;
            let _ = outcome(name, &changed);
        }
        assert!(outcome(name, &whole[..whole.len() / 2]).1.is_err(), "{name}");
    }
}

#[test]
fn xml_cut_short_or_changed_never_panics() {
    let texts = [
        (
            "word/document.xml",
            "x.docx",
            "<w:document xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'><w:body>\
          <w:p><w:pPr><w:outlineLvl w:val='300'/></w:pPr><w:r><w:fldChar w:fldCharType='end'/><w:t>a&#x110000;b</w:t></w:r></w:p>\
          <w:tbl><w:tr><w:tc><w:tbl/></w:tc></w:tr></w:tbl></w:body></w:document>",
        ),
        (
            "content.xml",
            "x.odt",
            "<o:document-content xmlns:o='urn:oasis:names:tc:opendocument:xmlns:office:1.0' \
          xmlns:t='urn:oasis:names:tc:opendocument:xmlns:text:1.0'><o:body><o:text><t:list><t:list-item t:start-value='-9223372036854775808'>\
          <t:p>a<t:s t:c='99999999'/>b<t:note/></t:p></t:list-item></t:list></o:text></o:body></o:document-content>",
        ),
    ];
    for (member, name, text) in texts {
        let (told, ended) = outcome(name, &packed(&[(member, text.as_bytes())]));
        assert!(!told.is_empty(), "{name}");
        assert_eq!(ended, Ok(()), "{name}");
        for end in 0..text.len() {
            let _ = outcome(name, &packed(&[(member, &text.as_bytes()[..end])]));
        }
    }
}
