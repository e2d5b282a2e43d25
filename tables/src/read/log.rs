//! Lines that begin with a time, a level or both; what follows without one continues the record before, as the lines
//! of a stack trace do.

use std::sync::LazyLock;

use regex::Regex;

use super::{key_values, line_number};
use crate::raw::{Gathered, RawTable};
use crate::value::{moment, unit};

const LEVELS: &[&str] = &[
    "TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "ERR", "CRIT", "CRITICAL", "FATAL",
    "SEVERE", "ALERT", "EMERG", "PANIC",
];

/// Most lines that one record goes on for.
const MAX_CONTINUED_LINES: u32 = 5_000;

/// A number and the word behind it.
static QUANTITY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?:^|[\s(\[:,])(\d+(?:\.\d+)?) ?(ns|µs|us|ms|s|sec|seconds|min|minutes|h|hours|bytes|[kKMGT]i?B)(?:$|[\s).,;\]])").ok()
});

/// A line taken apart.
struct Head<'a> {
    time: &'a str,
    level: &'a str,
    thread: &'a str,
    logger: &'a str,
    message: &'a str,
}

/// Whether a line begins a record.
pub(super) fn is_line(line: &str) -> bool {
    head(line).is_some()
}

/// One record per line that begins one.
pub(super) fn read(text: &str) -> RawTable {
    let mut gathered = Gathered::default();
    let mut before = 0_u64;
    let mut continued = 0;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim_end();
        let number = line_number(index);
        let Some(head) = head(line) else {
            if !line.is_empty() {
                continued += 1;
                let joined =
                    continued <= MAX_CONTINUED_LINES && gathered.continue_last("message", number, line);
                before += u64::from(!joined);
            }
            continue;
        };
        continued = 0;
        let mut fields: Vec<(String, String)> = Vec::new();
        for (name, value) in
            [("time", head.time), ("level", head.level), ("thread", head.thread), ("logger", head.logger)]
        {
            if !value.is_empty() {
                fields.push((name.to_owned(), value.to_owned()));
            }
        }
        fields.push(("message".to_owned(), head.message.to_owned()));
        let pairs = key_values::pairs(head.message, false).pairs;
        let mut taken: Vec<String> = fields.iter().map(|(name, _)| name.clone()).collect();
        for (name, value) in pairs.into_iter().chain(quantities(head.message)) {
            let name = if taken.contains(&name) { format!("message.{name}") } else { name };
            if !taken.contains(&name) {
                taken.push(name.clone());
                fields.push((name, value));
            }
        }
        gathered.push((number, number), fields);
    }
    let mut table = gathered.into_table();
    if before > 0 {
        table.unreadable_lines = before;
        table.notes.push(format!("{before} lines belong to no record"));
    }
    table
}

/// Numbers that stand once before a unit in a message, as fields named by the unit: `finished in 412 ms`.
pub(super) fn quantities(message: &str) -> Vec<(String, String)> {
    let Some(pattern) = QUANTITY.as_ref() else { return Vec::new() };
    let mut found: Vec<(String, String)> = Vec::new();
    let mut twice: Vec<String> = Vec::new();
    let mut rest = 0;
    // Matches may share the space between them, so that each begins where the number before ended.
    while let Some(captures) = pattern.captures_at(message, rest) {
        let (Some(number), Some(name)) = (captures.get(1), captures.get(2)) else { break };
        let unit_name = name.as_str().to_owned();
        if unit::measure_of(&unit_name).is_some() {
            if found.iter().any(|(other, _)| *other == unit_name) {
                twice.push(unit_name);
            } else {
                found.push((unit_name, format!("{} {}", number.as_str(), name.as_str())));
            }
        }
        rest = name.end();
        if rest >= message.len() || found.len() > 20 {
            break;
        }
    }
    found.retain(|(name, _)| !twice.contains(name));
    found
}

fn head(line: &str) -> Option<Head<'_>> {
    if line.starts_with(char::is_whitespace) {
        return None;
    }
    let mut rest = line;
    let mut level = take_level(&mut rest).unwrap_or("");
    let time = take_time(&mut rest).unwrap_or("");
    if level.is_empty() {
        if time.is_empty() {
            return None;
        }
        let mut ahead = rest;
        let mut thread = take_bracketed(&mut ahead).unwrap_or("");
        if let Some(found) = take_level(&mut ahead) {
            level = found;
            rest = ahead;
        } else {
            thread = "";
        }
        if !thread.is_empty() {
            let (logger, message) = split_logger(rest);
            return Some(Head { time, level, thread, logger, message });
        }
    } else if time.is_empty() && !line[level.len()..].starts_with([':', ' ', ']']) {
        return None;
    }
    let thread = if level.is_empty() { "" } else { take_bracketed(&mut rest).unwrap_or("") };
    let (logger, message) = split_logger(rest);
    Some(Head { time, level, thread, logger, message })
}

/// `com.example.Store: message` or `com.example.Store - message`
fn split_logger(rest: &str) -> (&str, &str) {
    let rest = rest.trim_start_matches([' ', '-', ':', '|']);
    for separator in [" - ", ": "] {
        if let Some((name, message)) = rest.split_once(separator) {
            let is_name = name.contains('.')
                && !name.contains(' ')
                && name.chars().all(|letter| letter.is_alphanumeric() || "._$-".contains(letter));
            if is_name && name.starts_with(char::is_alphabetic) {
                return (name, message);
            }
        }
    }
    ("", rest)
}

fn take_level<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let start = rest.trim_start_matches([' ', '[', '-', '|', ':', '\t']);
    let end = start.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(start.len());
    let word = &start[..end];
    let known = LEVELS.contains(&word)
        || (word.len() > 2
            && LEVELS.contains(&word.to_ascii_uppercase().as_str())
            && start[end..].starts_with([']', ':', ' '])
            && rest.len() != start.len());
    if !known {
        return None;
    }
    *rest = start[end..].trim_start_matches([']', ':', ' ', '|', '\t']);
    Some(word)
}

/// A time of one to four words, the longest that is one.
fn take_time<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let (start, closing) = match rest.strip_prefix('[') {
        Some(inner) => (inner, Some(']')),
        None => (*rest, None),
    };
    if let Some(closing) = closing {
        let end = start.find(closing)?;
        moment::written(&start[..end]).filter(|moment| moment.time.is_some())?;
        *rest = start[end + 1..].trim_start();
        return Some(&start[..end]);
    }
    let mut ends: Vec<usize> = start
        .char_indices()
        .filter(|(_, letter)| letter.is_whitespace())
        .map(|(index, _)| index)
        .take(5)
        .collect();
    if ends.len() < 5 {
        ends.push(start.len());
    }
    for end in ends.into_iter().rev() {
        let candidate = start[..end].trim_end_matches([':', ',', '|']);
        if moment::written(candidate).is_some_and(|moment| moment.time.is_some()) {
            *rest = start[end..].trim_start();
            return Some(candidate);
        }
    }
    None
}

fn take_bracketed<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let start = rest.trim_start();
    let inner = start.strip_prefix('[')?;
    let end = inner.find(']').filter(|end| *end <= 60)?;
    *rest = inner[end + 1..].trim_start();
    Some(&inner[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stack_traces_belong_to_their_record() {
        let text = concat!(
            "2026-03-04 10:11:12,345 [main] ERROR com.example.Store - lost key=7\n",
            "java.lang.IllegalStateException: no\n",
            "\tat com.example.Store.get(Store.java:12)\n",
            "2026-03-04 10:11:13,001 INFO user=ada latency=5s finished in 412 ms\n",
        );
        let table = read(text);
        assert_eq!(table.len(), 2);
        let rows: Vec<_> = table.rows().collect();
        let column = |name: &str| table.names.iter().position(|other| other == name).unwrap();
        assert_eq!(rows[0].lines(), (1, 3));
        assert_eq!(rows[0].cell(column("thread")), "main");
        assert_eq!(rows[0].cell(column("logger")), "com.example.Store");
        assert_eq!(rows[0].cell(column("key")), "7");
        assert!(rows[0].cell(column("message")).contains("Store.java:12"));
        assert_eq!(rows[1].cell(column("level")), "INFO");
        assert_eq!(rows[1].cell(column("latency")), "5s");
        assert_eq!(rows[1].cell(column("ms")), "412 ms");
    }

    #[test]
    fn heads_of_many_programs_are_found() {
        for line in [
            "[2026-03-04 10:11:12] INFO ready",
            "ERROR: disk full",
            "2026-03-04T10:11:12Z WARN low",
            "10:11:12 INFO ready",
            "[INFO] 2026-03-04 10:11:12 ready",
            "2026/03/04 10:11:12 [error] 12#0: open() failed",
        ] {
            assert!(is_line(line), "{line}");
        }
        for line in ["Errors happen", "The 10:11:12 train", " at x", "", "a,b,c"] {
            assert!(!is_line(line), "{line}");
        }
    }

    #[test]
    fn a_unit_that_stands_twice_names_no_field() {
        assert_eq!(quantities("took 3 ms of 5 ms and 2 MB"), [("MB".to_owned(), "2 MB".to_owned())]);
    }
}
