//! The export format of systemd's journal: `NAME=value` lines, a blank line behind each entry.

use super::{line_number, syslog};
use crate::raw::{Gathered, RawTable};

/// Fields under the names that other logs use.
const NAMES: &[(&str, &str)] = &[
    ("__REALTIME_TIMESTAMP", "timestamp"),
    ("PRIORITY", "severity"),
    ("_HOSTNAME", "host"),
    ("_SYSTEMD_UNIT", "unit"),
    ("SYSLOG_IDENTIFIER", "program"),
    ("_PID", "pid"),
    ("MESSAGE", "message"),
];

/// Whether a text is an export: its first entry names its place in the journal.
pub(super) fn is_export(sample: &[&str]) -> bool {
    sample.first().is_some_and(|line| field(line).is_some())
        && sample.iter().take(40).any(|line| line.starts_with("__REALTIME_TIMESTAMP="))
}

/// One record per entry.
pub(super) fn read(text: &str) -> RawTable {
    let mut gathered = Gathered::default();
    let mut entry: Vec<(String, String)> = Vec::new();
    let mut first = 1;
    let mut unreadable = 0_u64;
    for (index, line) in text.lines().enumerate() {
        let number = line_number(index);
        if line.is_empty() {
            if !entry.is_empty() {
                gathered.push((first, number - 1), std::mem::take(&mut entry));
            }
            first = number + 1;
            continue;
        }
        match field(line) {
            // Where the place in the journal is, says nothing of the entry.
            Some(("__CURSOR" | "__MONOTONIC_TIMESTAMP" | "__SEQNUM" | "__SEQNUM_ID", _)) => {}
            Some((name, value)) => entry.push(renamed(name, value)),
            // A value of several lines is written in binary, which a text does not keep.
            None => unreadable += 1,
        }
    }
    if !entry.is_empty() {
        gathered.push((first, line_number(text.lines().count().saturating_sub(1))), entry);
    }
    let mut table = gathered.into_table();
    if unreadable > 0 {
        table.unreadable_lines = unreadable;
        table.notes.push(format!("{unreadable} lines of binary values were left out"));
    }
    table
}

fn field(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let fits = !name.is_empty()
        && name.len() <= 64
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    fits.then_some((name, value))
}

fn renamed(name: &str, value: &str) -> (String, String) {
    let known = NAMES.iter().find(|(journal, _)| *journal == name).map(|(_, known)| *known);
    let value = match (known, value.parse::<usize>()) {
        (Some("severity"), Ok(priority)) => syslog::SEVERITIES.get(priority).copied().unwrap_or(value),
        _ => value,
    };
    let name = known.map_or_else(|| name.trim_start_matches('_').to_ascii_lowercase(), str::to_owned);
    (name, value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_end_at_blank_lines() {
        let text = "__CURSOR=s=1;i=2\n__REALTIME_TIMESTAMP=1772618400000000\nPRIORITY=3\nMESSAGE=a = b\n\n__CURSOR=s=1;i=3\n__REALTIME_TIMESTAMP=1772618460000000\nMESSAGE\nx\n_CAP_EFFECTIVE=0\n";
        let lines: Vec<&str> = text.lines().collect();
        assert!(is_export(&lines));
        let table = read(text);
        assert_eq!(table.len(), 2);
        let column = |name: &str| table.names.iter().position(|other| other == name).unwrap();
        let rows: Vec<_> = table.rows().collect();
        assert_eq!(rows[0].lines(), (1, 4));
        assert_eq!(rows[0].cell(column("severity")), "error");
        assert_eq!(rows[0].cell(column("message")), "a = b");
        assert_eq!(rows[1].cell(column("cap_effective")), "0");
        assert_eq!(table.unreadable_lines, 2);
    }

    #[test]
    fn pairs_of_other_programs_are_no_journal() {
        assert!(!is_export(&["A=1", "B=2"]));
        assert!(!is_export(&[]));
    }
}
