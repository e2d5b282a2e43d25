//! Common and combined log format of web servers.

use std::sync::LazyLock;

use regex::Regex;

use super::{key_values, line_number};
use crate::raw::{Gathered, RawTable};

static LINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"^(\S+) (\S+) (.+?) \[([^\]]{10,40})\] "((?:[^"\\]|\\.)*)" (\d{3}) (\d+|-)(?: "((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)")?(?: (.*))?$"#,
    )
    .ok()
});

/// Whether a line is one of a web server.
pub(crate) fn is_line(line: &str) -> bool {
    LINE.as_ref().is_some_and(|pattern| pattern.is_match(line))
}

/// One record per request.
pub(super) fn read(text: &str) -> RawTable {
    let mut gathered = Gathered::default();
    let mut unreadable = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim_end();
        if line.is_empty() {
            continue;
        }
        let number = line_number(index);
        let Some(found) = LINE.as_ref().and_then(|pattern| pattern.captures(line)) else {
            unreadable.push(number);
            continue;
        };
        let part = |index: usize| found.get(index).map_or("", |part| part.as_str());
        let mut request = part(5).split(' ');
        let method = request.next().unwrap_or("");
        let path = request.next().unwrap_or("");
        let protocol = request.next().unwrap_or("");
        let mut fields: Vec<(String, String)> = [
            ("ip", part(1)),
            ("user", part(3)),
            ("time", part(4)),
            ("method", method),
            ("path", path),
            ("protocol", protocol),
            ("status", part(6)),
            ("bytes", part(7)),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec();
        if found.get(8).is_some() {
            fields.push(("referer".to_owned(), part(8).to_owned()));
            fields.push(("agent".to_owned(), part(9).to_owned()));
        }
        fields.extend(key_values::pairs(part(10), false).pairs);
        gathered.push((number, number), fields);
    }
    let mut table = gathered.into_table();
    if let Some(first) = unreadable.first() {
        table.unreadable_lines = unreadable.len() as u64;
        table.notes.push(format!("{} lines are no requests (the first is line {first})", unreadable.len()));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_becomes_fields() {
        let text = concat!(
            "10.0.0.1 - ada [04/Mar/2026:10:11:12 +0000] \"GET /a?b=1 HTTP/1.1\" 200 512 \"-\" \"curl/8 (x)\" rt=0.12\n",
            "10.0.0.2 - - [04/Mar/2026:10:11:13 +0000] \"\\x16\\x03\" 400 -\n",
            "garbage\n",
        );
        let table = read(text);
        assert_eq!(table.names[..8], ["ip", "user", "time", "method", "path", "protocol", "status", "bytes"]);
        assert_eq!((table.len(), table.unreadable_lines), (2, 1));
        let first = table.rows().next().unwrap();
        assert_eq!(
            (first.cell(1), first.cell(4), first.cell(6), first.cell(10)),
            ("ada", "/a?b=1", "200", "0.12")
        );
    }
}
