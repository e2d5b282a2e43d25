//! Mailboxes: messages one after the other, each behind a line that begins with `From `.

use super::message::Parsed;
use crate::block::{Kind, Place};
use crate::event::{Refusal, Warning};
use crate::output::Output;

pub(crate) fn mbox(bytes: &[u8], out: &mut Output<'_>) -> Result<(), Refusal> {
    let limit = out.options().limits.pages;
    let mut tables = 0;
    for (index, raw) in messages(bytes).enumerate() {
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        if number > limit {
            return Err(Refusal::too_much("messages", u64::from(limit)));
        }
        let raw = unquoted(raw);
        let Some(parsed) = Parsed::of(&raw) else {
            let name = format!("message {number}");
            out.warn(Warning::Skipped { name, reason: "it has no headers".to_owned() });
            continue;
        };
        let subject = parsed.subject();
        let heading = subject.clone().unwrap_or_else(|| format!("Message {number}"));
        out.block(Kind::Heading(2), &heading, Place::Message { message: number, subject })?;
        parsed.tell(number, &format!("message {number}/"), &mut tables, out)?;
    }
    Ok(())
}

/// The messages, without the lines that separate them.
fn messages(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(bytes);
    std::iter::from_fn(move || {
        let from = rest?;
        let start = if is_separator(from) { line_end(from) } else { 0 };
        let mut at = start;
        let mut after_empty = false;
        while at < from.len() {
            let end = at + line_end(&from[at..]);
            if after_empty && is_separator(&from[at..]) {
                rest = Some(&from[at..]);
                return Some(&from[start..at]);
            }
            after_empty = matches!(&from[at..end], b"\n" | b"\r\n");
            at = end;
        }
        rest = None;
        Some(&from[start..])
    })
}

/// Behind the first line's end.
fn line_end(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| at + 1)
}

/// `From ann@example.org Mon Jan  1 10:00:00 2024`
fn is_separator(bytes: &[u8]) -> bool {
    if !bytes.starts_with(b"From ") {
        return false;
    }
    let line = &bytes[..line_end(bytes).min(300)];
    let has_time = line
        .windows(3)
        .any(|window| window[0].is_ascii_digit() && window[1] == b':' && window[2].is_ascii_digit());
    let has_year = line.split(|byte| !byte.is_ascii_digit()).any(|digits| digits.len() == 4);
    has_time && has_year
}

/// Takes off one `>` where a mailbox put it before a line that begins with `From `.
fn unquoted(message: &[u8]) -> Vec<u8> {
    let mut unquoted = Vec::with_capacity(message.len());
    for line in message.split_inclusive(|byte| *byte == b'\n') {
        let marks = line.iter().take_while(|byte| **byte == b'>').count();
        let quoted = marks > 0 && line[marks..].starts_with(b"From ");
        unquoted.extend_from_slice(&line[usize::from(quoted)..]);
    }
    unquoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_split_at_lines_that_name_sender_and_time() {
        let bytes = b"From a@b Mon Jan  1 10:00:00 2024\nSubject: x\n\nFrom here on.\n\nFrom the start.\n\n\
                      From c@d Tue Jan  2 10:00:00 2024\nSubject: y\n\nFrom a@b Mon Jan  1 10:00:00 2024\n";
        let found: Vec<&[u8]> = messages(bytes).collect();
        assert_eq!(found.len(), 3);
        assert!(found[0].starts_with(b"Subject: x") && found[0].ends_with(b"start.\n\n"));
        assert_eq!(found[1], b"Subject: y\n\n");
    }

    #[test]
    fn quoted_lines_lose_one_mark() {
        assert_eq!(unquoted(b">From x\n>>From y\n> From z\nFrom\n"), b"From x\n>From y\n> From z\nFrom\n");
    }
}
