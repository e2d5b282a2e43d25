//! Texts that have a form: mail, web pages, subtitles.

use crate::format::Format;
use crate::plain;

/// How much of the front is looked at.
const PROBE_BYTES: usize = 64 << 10;

/// Text in these is shown to people as it is, although it may begin like a page.
const SOURCES: &[&str] = &[
    "md", "markdown", "mdx", "rst", "adoc", "php", "vue", "svelte", "js", "jsx", "ts", "tsx", "py", "rs",
    "erb", "ejs", "hbs", "j2", "tmpl", "csv", "tsv", "json", "jsonl", "log",
];

/// What a text is. `utf16` says that its bytes are to be decoded first.
pub(super) fn detect(extension: &str, bytes: &[u8], utf16: bool) -> Format {
    let front = &bytes[..bytes.len().min(PROBE_BYTES)];
    let decoded;
    let front = if utf16 {
        decoded = plain::decode(front).text;
        decoded.as_bytes()
    } else {
        front.strip_prefix(b"\xef\xbb\xbf").unwrap_or(front)
    };
    if is_vtt(front) {
        return Format::Vtt;
    }
    if is_srt(front) {
        return Format::Srt;
    }
    if SOURCES.contains(&extension) {
        return Format::Plain;
    }
    if is_html(extension, front) {
        return Format::Html;
    }
    if !utf16 && is_mailbox(front) {
        return Format::Mbox;
    }
    if !utf16 && is_message(extension, front) {
        return Format::Eml;
    }
    Format::Plain
}

fn is_vtt(front: &[u8]) -> bool {
    front
        .strip_prefix(b"WEBVTT")
        .is_some_and(|rest| matches!(rest.first(), None | Some(b' ' | b'\t' | b'\n' | b'\r')))
}

/// A number and a line of times, or the times alone.
fn is_srt(front: &[u8]) -> bool {
    let lines = front.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let mut lines = lines.filter(|line| !line.is_empty());
    let Some(first) = lines.next() else {
        return false;
    };
    is_srt_time(first) || first.iter().all(u8::is_ascii_digit) && lines.next().is_some_and(is_srt_time)
}

/// `00:00:01,000 --> 00:00:02,500`
fn is_srt_time(line: &[u8]) -> bool {
    let Some(arrow) = line.windows(3).position(|window| window == b"-->") else {
        return false;
    };
    let time = line[..arrow].trim_ascii();
    let digits = time.iter().filter(|byte| byte.is_ascii_digit()).count();
    let colons = time.split(|byte| *byte == b':').count() - 1;
    let only = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b':' | b',' | b'.' | b' ');
    digits >= 6 && colons == 2 && time.iter().all(only)
}

fn is_html(extension: &str, front: &[u8]) -> bool {
    let mut rest = front.trim_ascii_start();
    loop {
        let end: &[u8] = if rest.starts_with(b"<!--") {
            b"-->"
        } else if rest.starts_with(b"<?xml") {
            b"?>"
        } else {
            break;
        };
        let Some(at) = rest.windows(end.len()).position(|window| window == end) else {
            break;
        };
        rest = rest[at + end.len()..].trim_ascii_start();
    }
    let begins = |tag: &str| {
        let found = rest.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag.as_bytes()));
        found && rest.get(tag.len()).is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'-')
    };
    if ["<!doctype html", "<html", "<head", "<body"].into_iter().any(begins) {
        return true;
    }
    let tags = rest.windows(2).any(|pair| pair[0] == b'<' && pair[1].is_ascii_alphabetic());
    matches!(extension, "html" | "htm" | "xhtml" | "xht") && tags
}

/// `From sender@host Mon Jan  1 …`, and a header after it.
fn is_mailbox(front: &[u8]) -> bool {
    let mut lines = front.split(|byte| *byte == b'\n');
    let first = lines.next().unwrap_or_default();
    let has_time = first.contains(&b':') && first.iter().any(u8::is_ascii_digit);
    let second = lines.next().unwrap_or_default();
    first.starts_with(b"From ")
        && has_time
        && (header_name(second).is_some() || second.starts_with(b">From "))
}

/// Headers at the front, up to an empty line, with those that every message has.
fn is_message(extension: &str, front: &[u8]) -> bool {
    let mut found = Vec::new();
    let mut has_address = false;
    let mut ended = front.len() < PROBE_BYTES;
    for line in front.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            ended = true;
            break;
        }
        if matches!(line[0], b' ' | b'\t') && !found.is_empty() {
            continue;
        }
        let Some(name) = header_name(line) else {
            return false;
        };
        if name == "from" {
            has_address = line.contains(&b'@');
        }
        if !found.contains(&name) {
            found.push(name);
        }
    }
    let has = |name: &str| found.iter().any(|found| found == name);
    let known = ["from", "to", "date", "subject", "message-id", "mime-version", "received", "return-path"];
    let count = known.into_iter().filter(|name| has(name)).count();
    let technical = has("message-id") || has("mime-version") || has("received") || has("return-path");
    if extension == "eml" {
        return ended && count >= 1;
    }
    ended && count >= 3 && (technical || has("from") && has_address && (has("date") || has("subject")))
}

/// The name of a header, in small letters.
fn header_name(line: &[u8]) -> Option<String> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let name = &line[..colon];
    let is_name = (1..=60).contains(&colon)
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    is_name.then(|| String::from_utf8_lossy(name).to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, text: &str) -> Format {
        Format::detect(name, text.as_bytes()).unwrap()
    }

    #[test]
    fn pages_are_told_by_their_first_tag_or_by_name_and_tags() {
        assert_eq!(of("x", "\u{feff} <!-- saved --><HTML lang=de>"), Format::Html);
        assert_eq!(of("x.txt", "<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC>"), Format::Html);
        assert_eq!(of("lease.html", "<h1>Lease</h1>"), Format::Html);
        assert_eq!(of("lease.html", "a < b, nothing else"), Format::Plain);
        assert_eq!(of("x.txt", "<h1>Lease</h1>"), Format::Plain);
        assert_eq!(of("x", "<header-list>"), Format::Plain);
        assert_eq!(of("x.xml", "<?xml version='1.0'?><data/>"), Format::Plain);
    }

    #[test]
    fn a_page_within_markdown_or_code_stays_text() {
        assert_eq!(of("a.md", "# Title\n\n```html\n<!doctype html><body>\n```\n"), Format::Plain);
        assert_eq!(of("a.md", "<body>\n# x"), Format::Plain);
        assert_eq!(of("a.py", "print('<html>')\n"), Format::Plain);
        assert_eq!(of("a.php", "<html><?php echo 1 ?>"), Format::Plain);
    }

    #[test]
    fn subtitles_are_told_by_their_times() {
        assert_eq!(of("a", "WEBVTT - title\n\n00:01.000 --> 00:02.000\nx"), Format::Vtt);
        assert_eq!(of("a.txt", "\r\n1\r\n00:00:01,000 --> 00:00:02,000\r\nHi\r\n"), Format::Srt);
        assert_eq!(of("a", "00:00:01.000 --> 00:00:02.000\nHi\n"), Format::Srt);
        assert_eq!(of("a.srt", "no subtitles at all"), Format::Plain);
        assert_eq!(of("a", "WEBVTTX"), Format::Plain);
        assert_eq!(of("a", "1\n2\n3\n"), Format::Plain);
    }

    #[test]
    fn messages_are_told_by_their_headers() {
        let mail = "Received: from a\r\n by b\r\nFrom: A <a@example.org>\r\nSubject: x\r\n\r\nHi";
        assert_eq!(of("a", mail), Format::Eml);
        assert_eq!(of("a.txt", "From: a@b.c\nDate: x\nSubject: y\n\nHi"), Format::Eml);
        assert_eq!(of("a.eml", "Subject: y\n\nHi"), Format::Eml);
        assert_eq!(of("a.txt", "From: Bob\nTo: Alice\nSubject: y\n\nHi"), Format::Plain);
        assert_eq!(of("a.txt", "Subject: y\nDate: today\n\nHi"), Format::Plain);
        assert_eq!(of("a.txt", "name: x\nversion: 1\n"), Format::Plain);
        assert_eq!(of("a", &format!("From a@b.c Mon Jan  1 00:00:00 2024\n{mail}")), Format::Mbox);
        assert_eq!(of("a", "From 9:00 on we work.\nIt is fine.\n"), Format::Plain);
    }

    #[test]
    fn everything_else_is_text() {
        for (name, text) in [
            ("a.csv", "item,price\nRent,1200\n"),
            ("a.json", "{\"a\": \"<html>\"}"),
            ("a.log", "2024-01-01 00:00:00 INFO started\n"),
            ("a.rs", "//! Text.\nfn main() {}\n"),
            ("a.svg", "<svg xmlns='http://www.w3.org/2000/svg'></svg>"),
            ("README", "Read me.\n"),
        ] {
            assert_eq!(of(name, text), Format::Plain, "{name}");
        }
    }
}
