//! RFC 3164 and RFC 5424, with and without the priority in front.

use std::sync::LazyLock;

use regex::Regex;

use super::{key_values, line_number, log};
use crate::raw::{Gathered, RawTable};

/// `<34>Oct 11 22:14:15 host su[12]: message`, and the same with an ISO time.
static OLD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(?:<(\d{1,3})>)?([A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*) (\S+) ([^\s:\[]+)(?:\[(\d+)\])?: ?(.*)$",
    )
    .ok()
});

/// `<34>1 2026-03-04T10:11:12Z host app 12 ID47 [data k="v"] message`
static NEW: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^<(\d{1,3})>1 (\S+) (\S+) (\S+) (\S+) (\S+) (.*)$").ok());

/// Whom a message names: `Failed password for invalid user pi from`, `session opened for user ada(uid=0)`, `ada : TTY=pts/0`.
static USER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?:^|\b)(?:[Ii]nvalid user|for user|authenticating user|for) ([A-Za-z_][\w.-]*)(?: from|\(uid=| by|$| \d)|^\s*([a-z_][\w.-]*) : TTY=",
    )
    .ok()
});

/// The address that a message names.
static ADDRESS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?:^|[^\d.])(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})(?:[^\d.]|$)").ok());

pub(super) const SEVERITIES: [&str; 8] =
    ["emergency", "alert", "critical", "error", "warning", "notice", "info", "debug"];

const FACILITIES: [&str; 12] =
    ["kern", "user", "mail", "daemon", "auth", "syslog", "lpr", "news", "uucp", "cron", "authpriv", "ftp"];

/// Whether a line is one of syslog.
pub(super) fn is_line(line: &str) -> bool {
    NEW.as_ref().is_some_and(|pattern| pattern.is_match(line))
        || OLD.as_ref().is_some_and(|pattern| pattern.is_match(line))
}

/// One record per message.
pub(super) fn read(text: &str) -> RawTable {
    let mut gathered = Gathered::default();
    let mut unreadable = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim_end();
        if line.is_empty() {
            continue;
        }
        let number = line_number(index);
        if let Some(fields) = new_fields(line).or_else(|| old_fields(line)) {
            gathered.push((number, number), fields);
        } else if !gathered.continue_last("message", number, line) {
            unreadable.push(number);
        }
    }
    let mut table = gathered.into_table();
    if let Some(first) = unreadable.first() {
        table.unreadable_lines = unreadable.len() as u64;
        table.notes.push(format!("{} lines are no messages (the first is line {first})", unreadable.len()));
    }
    table
}

fn old_fields(line: &str) -> Option<Vec<(String, String)>> {
    let found = OLD.as_ref()?.captures(line)?;
    let part = |index: usize| found.get(index).map_or("", |part| part.as_str());
    let mut fields = Vec::new();
    push(&mut fields, "time", part(2));
    push_priority(&mut fields, part(1));
    push(&mut fields, "host", part(3));
    push(&mut fields, "program", part(4));
    push(&mut fields, "pid", part(5));
    push(&mut fields, "message", part(6));
    push_details(&mut fields, part(6));
    Some(fields)
}

fn new_fields(line: &str) -> Option<Vec<(String, String)>> {
    let found = NEW.as_ref()?.captures(line)?;
    let part = |index: usize| found.get(index).map_or("", |part| part.as_str());
    let nothing = |text: &'_ str| if text == "-" { String::new() } else { text.to_owned() };
    let mut fields = Vec::new();
    push(&mut fields, "time", part(2));
    push_priority(&mut fields, part(1));
    for (name, index) in [("host", 3), ("program", 4), ("pid", 5), ("message id", 6)] {
        push(&mut fields, name, &nothing(part(index)));
    }
    let (data, message) = structured(part(7));
    push(&mut fields, "message", message);
    for (name, value) in key_values::pairs(data, false).pairs {
        push_new(&mut fields, name, value);
    }
    push_details(&mut fields, message);
    Some(fields)
}

/// The structured data in front of a message, without its brackets and identifiers.
fn structured(text: &str) -> (&str, &str) {
    if let Some(message) = text.strip_prefix('-') {
        return ("", message.trim_start());
    }
    let mut quoted = false;
    let mut escaped = false;
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => quoted = !quoted,
            b']' if !quoted && !text[index + 1..].starts_with('[') => {
                return (text[..index].trim_start_matches('['), text[index + 1..].trim_start());
            }
            _ => {}
        }
    }
    ("", text)
}

fn push(fields: &mut Vec<(String, String)>, name: &str, value: &str) {
    fields.push((name.to_owned(), value.to_owned()));
}

/// A field of a message never hides one of the format.
fn push_new(fields: &mut Vec<(String, String)>, name: String, value: String) {
    let name = if fields.iter().any(|(other, _)| *other == name) { format!("message.{name}") } else { name };
    if !fields.iter().any(|(other, _)| *other == name) {
        fields.push((name, value));
    }
}

fn push_priority(fields: &mut Vec<(String, String)>, priority: &str) {
    let Ok(priority) = priority.parse::<usize>() else { return };
    push(fields, "severity", SEVERITIES[priority % 8]);
    let facility = priority / 8;
    let local = format!("local{}", facility.saturating_sub(16));
    push(fields, "facility", FACILITIES.get(facility).copied().unwrap_or(&local));
}

fn push_details(fields: &mut Vec<(String, String)>, message: &str) {
    for (name, pattern) in [("user", &USER), ("ip", &ADDRESS)] {
        let found = pattern.as_ref().and_then(|pattern| pattern.captures(message));
        if let Some(found) = found.and_then(|found| found.get(1).or_else(|| found.get(2))) {
            push_new(fields, name.to_owned(), found.as_str().to_owned());
        }
    }
    // `PWD=/home/ada ; COMMAND=/usr/bin/apt update`: a value ends where the sign stands.
    let is_parted = message.contains(" ; ");
    let mut pairs = key_values::pairs(message, is_parted).pairs;
    for (_, value) in &mut pairs {
        let length = value.trim_end_matches([' ', ';']).len();
        value.truncate(length);
    }
    let units = log::quantities(message);
    for (name, value) in pairs.into_iter().chain(units) {
        push_new(fields, name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_formats_are_read() {
        let text = concat!(
            "<34>Oct 11 22:14:15 mymachine su[230]: failed for user=lonvick on /dev/pts/8\n",
            "<165>1 2026-03-04T10:11:12Z host evntslog 12 ID47 [a@1 iut=\"3\" src=\"App [x]\"] An event took 12 ms\n",
            "Oct  1 02:04:05 h sshd[1]: ok\n",
        );
        let table = read(text);
        assert_eq!(table.len(), 3);
        let column = |name: &str| table.names.iter().position(|other| other == name).unwrap();
        let rows: Vec<_> = table.rows().collect();
        assert_eq!(rows[0].cell(column("severity")), "critical");
        assert_eq!(rows[0].cell(column("user")), "lonvick");
        assert_eq!(rows[1].cell(column("facility")), "local4");
        assert_eq!(rows[1].cell(column("src")), "App [x]");
        assert_eq!(rows[1].cell(column("message")), "An event took 12 ms");
        assert_eq!(rows[1].cell(column("ms")), "12 ms");
        assert_eq!(rows[2].cell(column("program")), "sshd");
    }

    #[test]
    fn a_message_tells_whom_and_which_address_it_names() {
        let text = concat!(
            "Mar 14 22:01:19 gate sshd[1]: Failed password for invalid user pi from 198.51.100.77 port 57788 ssh2\n",
            "Mar 14 22:02:07 gate sshd[2]: Accepted publickey for ada from 10.20.0.5 port 40964 ssh2\n",
            "Mar 14 22:02:56 gate kernel: [96536.678462] e1000e eth0: NIC Link is Up\n",
            "Mar 14 22:27:05 gate sudo:   ada : TTY=pts/3 ; PWD=/home/ada ; USER=root ; COMMAND=/usr/bin/apt update\n",
        );
        let table = read(text);
        let column = |name: &str| table.names.iter().position(|other| other == name).unwrap();
        let cells = |name: &str| -> Vec<&str> { table.rows().map(|row| row.cell(column(name))).collect() };
        assert_eq!(cells("user"), ["pi", "ada", "", "ada"]);
        assert_eq!(cells("COMMAND")[3], "/usr/bin/apt update");
        assert_eq!(cells("ip"), ["198.51.100.77", "10.20.0.5", "", ""]);
    }
}
