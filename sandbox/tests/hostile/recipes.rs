//! Hostile files that are too large to be kept: how each is made.

/// The head of a message that holds another one.
const MESSAGE: &str = "From: a@b\nMIME-Version: 1.0\nContent-Type: message/rfc822\n\n";

/// How a file is made.
pub type Make = fn() -> Vec<u8>;

/// Files by name.
pub const RECIPES: [(&str, Make); 20] = [
    ("pdf-nested-dictionaries.pdf", || pdf("/A ", &nested("<</A ", "null", ">>", 100_000))),
    ("pdf-nested-arrays.pdf", || pdf("/A ", &nested("[", "null", "]", 100_000))),
    ("pdf-nested-without-end.pdf", || pdf("/A ", &"<</A ".repeat(100_000))),
    ("pdf-page-again-and-again.pdf", || pdf("/Pages 2 0 R /A [] >> endobj 2 0 obj << /Kids ", &again())),
    ("zip-65535-entries.zip", zip_of_nothing),
    ("html-nested-tags.html", || nested("<div>", "a", "</div>", 100_000).into_bytes()),
    ("html-nested-quotes.html", || nested("<blockquote><b>", "a", "", 100_000).into_bytes()),
    ("html-attribute.html", || format!("<p title=\"{}\">a</p>", "b".repeat(32 << 20)).into_bytes()),
    ("html-attributes.html", || format!("<p {}>a</p>", numbered("a", 200_000)).into_bytes()),
    ("html-entities.html", || "&amp;&NotEqualTilde;&#65;".repeat(500_000).into_bytes()),
    ("html-cells.html", || format!("<table>{}", "<tr>".to_owned() + &"<td>a".repeat(1_000_000)).into_bytes()),
    ("eml-nested-parts.eml", nested_parts),
    ("eml-nested-messages.eml", || nested(MESSAGE, "text\n", "", 10_000).into_bytes()),
    ("eml-header.eml", || {
        format!("From: a@b\nMIME-Version: 1.0\nSubject: {}\n\ntext\n", "word ".repeat(4 << 20)).into_bytes()
    }),
    ("eml-headers.eml", || {
        format!("From: a@b\nMIME-Version: 1.0\n{}\ntext\n", "Received: from a by b\n".repeat(500_000))
            .into_bytes()
    }),
    ("mbox-million-messages.mbox", || {
        "From a@b Thu Jan  1 00:00:00 1970\nFrom: a@b\n\n".repeat(1_000_000).into_bytes()
    }),
    ("srt-million-lines.srt", || "1\n00:00:01,000 --> 00:00:02,000\na\n\n".repeat(1_000_000).into_bytes()),
    ("srt-one-line.srt", || {
        format!("1\n00:00:01,000 --> 00:00:02,000\n{}", "a".repeat(32 << 20)).into_bytes()
    }),
    ("text-one-line.txt", || vec![b'a'; 64 << 20]),
    ("text-latin-1-long.txt", || b"caf\xe9 ".repeat(4 << 20)),
];

fn nested(begin: &str, inside: &str, end: &str, times: usize) -> String {
    begin.repeat(times) + inside + &end.repeat(times)
}

fn numbered(name: &str, count: usize) -> String {
    (0..count).map(|number| format!("{name}{number}=b ")).collect::<Vec<_>>().concat()
}

/// A PDF whose table has to be rebuilt, with something in its catalog.
fn pdf(key: &str, value: &str) -> Vec<u8> {
    format!(
        "%PDF-1.7\n3 0 obj << /Type /Page /Parent 2 0 R >> endobj 1 0 obj << /Type /Catalog {key}{value} >> endobj\n\
         trailer << /Root 1 0 R /Size 9 >>\nstartxref\n0\n%%EOF\n"
    )
    .into_bytes()
}

fn again() -> String {
    format!("[{}] /Type /Pages /Count 200000 /MediaBox [0 0 612 792]", "3 0 R ".repeat(200_000))
}

/// As many entries as a zip without extensions can have, each of them empty.
fn zip_of_nothing() -> Vec<u8> {
    let (mut entries, mut directory) = (Vec::new(), Vec::new());
    for number in 0..65_535_u32 {
        let name = format!("{number}.txt");
        let length = u16::try_from(name.len()).unwrap().to_le_bytes();
        let offset = u32::try_from(entries.len()).unwrap().to_le_bytes();
        entries.extend_from_slice(b"PK\x03\x04\x14\0\0\0\0\0\0\0\x21\0");
        entries.extend_from_slice(&[0; 12]);
        entries.extend_from_slice(&length);
        entries.extend_from_slice(&[0; 2]);
        entries.extend_from_slice(name.as_bytes());
        directory.extend_from_slice(b"PK\x01\x02\x14\0\x14\0\0\0\0\0\0\0\x21\0");
        directory.extend_from_slice(&[0; 12]);
        directory.extend_from_slice(&length);
        directory.extend_from_slice(&[0; 12]);
        directory.extend_from_slice(&offset);
        directory.extend_from_slice(name.as_bytes());
    }
    let (length, offset) = (u32::try_from(directory.len()).unwrap(), u32::try_from(entries.len()).unwrap());
    entries.extend(directory);
    entries.extend_from_slice(b"PK\x05\x06\0\0\0\0\xff\xff\xff\xff");
    entries.extend_from_slice(&length.to_le_bytes());
    entries.extend_from_slice(&offset.to_le_bytes());
    entries.extend_from_slice(&[0; 2]);
    entries
}

fn nested_parts() -> Vec<u8> {
    let part = |number| format!("Content-Type: multipart/mixed; boundary=b{number}\n\n--b{number}\n");
    let parts = (0..10_000).map(part).collect::<Vec<_>>().concat();
    format!("From: a@example.org\nMIME-Version: 1.0\n{parts}\ntext\n").into_bytes()
}
