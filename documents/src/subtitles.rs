//! Subtitles → blocks: what is said, and when.

use crate::block::{Kind, Place};
use crate::event::Refusal;
use crate::format::Format;
use crate::output::Output;
use crate::plain;

/// A block of speech is no longer than this, so that its times stay of use.
const MAX_BLOCK_MS: u64 = 60_000;

/// After a silence as long as this, a new block begins.
const MAX_SILENCE_MS: u64 = 3_000;

/// Subtitles that roll show a line again when the next begins, so soon.
const ROLLING_MS: u64 = 500;

pub(crate) fn read(format: Format, bytes: &[u8], out: &mut Output<'_>) -> Result<(), Refusal> {
    let decoded = plain::decode(bytes);
    plain::warn(&decoded, out);
    let mut speech: Option<Speech> = None;
    let mut last_line: Option<(String, u64)> = None;
    let mut found = false;
    for cue in Cues::of(format, &decoded.text) {
        let mut lines = cue.lines;
        let rolls = |line: &String| {
            last_line
                .as_ref()
                .is_some_and(|(last, end)| last == line && cue.start <= end.saturating_add(ROLLING_MS))
        };
        if lines.first().is_some_and(rolls) {
            lines.remove(0);
        }
        let Some(last) = lines.last() else {
            continue;
        };
        last_line = Some((last.clone(), cue.end));
        found = true;
        let text = lines.join(" ");
        match &mut speech {
            Some(speech) if speech.continues_with(&text, cue.start, cue.end) => {
                speech.text.push(' ');
                speech.text += &text;
                speech.end = speech.end.max(cue.end);
            }
            _ => {
                let next = Speech { text, start: cue.start, end: cue.end };
                if let Some(said) = speech.replace(next) {
                    said.tell(out)?;
                }
            }
        }
    }
    if let Some(said) = speech {
        said.tell(out)?;
    }
    if found { Ok(()) } else { Err(Refusal::Empty) }
}

/// What is said in one go.
struct Speech {
    text: String,
    start: u64,
    end: u64,
}

impl Speech {
    fn continues_with(&self, text: &str, start: u64, end: u64) -> bool {
        let closing = ['"', '\'', '”', '’', ')', ']', '»'];
        let ended =
            self.text.trim_end_matches(closing).ends_with(['.', '!', '?', '…', '。', '！', '？', '♪']);
        let turns = text.starts_with(['-', '–', '—', '[', '(', '♪']) || has_speaker(text);
        let together = start <= self.end.saturating_add(MAX_SILENCE_MS)
            && end.saturating_sub(self.start) <= MAX_BLOCK_MS;
        !ended && !turns && together && start >= self.start
    }

    fn tell(self, out: &mut Output<'_>) -> Result<(), Refusal> {
        out.block(Kind::Paragraph, &self.text, Place::Time { start_ms: self.start, end_ms: self.end })
    }
}

/// Whether a line begins with `Name: `.
fn has_speaker(text: &str) -> bool {
    text.split_once(": ").is_some_and(|(name, _)| {
        let words = name.split(' ').count();
        words <= 3 && name.chars().next().is_some_and(char::is_uppercase)
    })
}

struct Cue {
    start: u64,
    end: u64,
    lines: Vec<String>,
}

/// The cues of a file, in its order.
struct Cues<'a> {
    lines: std::iter::Peekable<std::str::Lines<'a>>,
    web: bool,
}

impl<'a> Cues<'a> {
    fn of(format: Format, text: &'a str) -> Self {
        Self { lines: text.lines().peekable(), web: format == Format::Vtt }
    }
}

impl Iterator for Cues<'_> {
    type Item = Cue;

    fn next(&mut self) -> Option<Cue> {
        let (start, end) = loop {
            let line = self.lines.next()?;
            if self.web && ["NOTE", "STYLE", "REGION"].iter().any(|word| line.starts_with(word)) {
                while self.lines.next_if(|line| !line.trim().is_empty()).is_some() {}
            } else if let Some(times) = times(line) {
                break times;
            }
        };
        let mut lines = Vec::new();
        while let Some(line) = self.lines.next_if(|line| times(line).is_none()) {
            if line.trim().is_empty() {
                break;
            }
            // The number of the next cue, when the empty line before it is missing.
            let is_number = line.trim().bytes().all(|byte| byte.is_ascii_digit());
            if is_number && self.lines.peek().is_some_and(|line| times(line).is_some()) {
                break;
            }
            let said = said(line, self.web);
            if !said.is_empty() {
                lines.push(said);
            }
        }
        Some(Cue { start, end, lines })
    }
}

/// `00:01:02,500 --> 00:01:04,000`, and what may follow, in milliseconds.
fn times(line: &str) -> Option<(u64, u64)> {
    let (start, rest) = line.split_once("-->")?;
    Some((time(start.trim())?, time(rest.split_whitespace().next()?)?))
}

/// `01:02:03,500`, `02:03.500`
fn time(text: &str) -> Option<u64> {
    let (clock, fraction) = text.split_once([',', '.']).unwrap_or((text, "0"));
    let mut seconds = 0_u64;
    for part in clock.split(':') {
        seconds = seconds.checked_mul(60)?.checked_add(part.trim().parse().ok()?)?;
    }
    let digits: String = fraction.chars().take(3).collect();
    let milliseconds: u64 = format!("{digits:0<3}").parse().ok()?;
    seconds.checked_mul(1000)?.checked_add(milliseconds)
}

/// A line without its tags; a voice is told before what it says.
fn said(line: &str, web: bool) -> String {
    let mut said = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(['<', '{']) {
        said += &rest[..at];
        let tag = &rest[at..];
        let close = if tag.starts_with('<') { '>' } else { '}' };
        let is_tag = tag.starts_with("{\\")
            || tag.starts_with('<')
                && tag[1..].starts_with(|first: char| first.is_ascii_alphanumeric() || first == '/');
        let end = tag.find(close).filter(|_| is_tag);
        let Some(end) = end else {
            said += &tag[..1];
            rest = &tag[1..];
            continue;
        };
        let inside = &tag[1..end];
        let voice =
            inside.split_once(char::is_whitespace).filter(|(name, _)| *name == "v" || name.starts_with("v."));
        if let Some((_, name)) = voice {
            said += name.trim();
            said += ": ";
        }
        rest = &tag[end + 1..];
    }
    said += rest;
    if web {
        for (escape, character) in
            [("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", " "), ("&lrm;", ""), ("&rlm;", ""), ("&amp;", "&")]
        {
            said = said.replace(escape, character);
        }
    }
    said.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Event, Options, read};

    fn told(name: &str, text: &str) -> Vec<(u64, u64, String)> {
        let mut told = Vec::new();
        read(name, text.as_bytes(), &Options::default(), &mut |event| {
            if let Event::Block(block) = event
                && let Place::Time { start_ms, end_ms } = block.place
            {
                told.push((start_ms, end_ms, block.text));
            }
        });
        told
    }

    #[test]
    fn cues_that_continue_a_sentence_are_joined() {
        let text = "1\r\n00:00:01,000 --> 00:00:02,500\r\nThe rent is\r\n\r\n2\r\n00:00:02,600 --> 00:00:04,000\r\n\
                    <i>1200</i> a month.\r\n\r\n3\r\n00:00:05,000 --> 00:00:06,000\r\n{\\an8}Really?\r\n";
        assert_eq!(
            told("a.srt", text),
            [(1000, 4000, "The rent is 1200 a month.".to_owned()), (5000, 6000, "Really?".to_owned())]
        );
    }

    #[test]
    fn voices_notes_and_escapes_of_webvtt_are_read() {
        let text = "WEBVTT\n\nNOTE not\nsaid\n\nSTYLE\n::cue {}\n\nintro\n00:01.000 --> 00:02.000 align:start\n\
                    <v.loud Ann Lee>Tom &amp; I\n\n01:00:00.000 --> 01:00:01.5\n<c.x>left</c>\n";
        assert_eq!(
            told("a.vtt", text),
            [(1000, 2000, "Ann Lee: Tom & I".to_owned()), (3_600_000, 3_601_500, "left".to_owned())]
        );
    }

    #[test]
    fn lines_that_roll_are_told_once_and_blocks_are_short() {
        let text = "WEBVTT\n\n00:01.000 --> 00:02.000\none\n\n00:02.000 --> 00:03.000\none\ntwo\n";
        assert_eq!(told("a.vtt", text), [(1000, 3000, "one two".to_owned())]);
        let time = |seconds: u32| format!("00:{:02}:{:02},000", seconds / 60, seconds % 60);
        let cue = |at: u32| format!("{at}\n{} --> {}\nword{at}\n\n", time(at * 2), time(at * 2 + 2));
        let long = (0..100).map(cue).collect::<Vec<_>>().concat();
        let told = told("a.srt", &long);
        assert!(
            told.len() == 4 && told.iter().all(|(start, end, _)| end - start <= MAX_BLOCK_MS),
            "{told:?}"
        );
    }

    #[test]
    fn times_at_the_end_of_all_numbers_are_compared_like_others() {
        let last = "5124095576030:25:51,615 --> 5124095576030:25:51,615";
        let text = format!("1\n{last}\none\n\n2\n{last}\none\ntwo\n");
        assert_eq!(told("a.srt", &text), [(u64::MAX, u64::MAX, "one two".to_owned())]);
    }

    #[test]
    fn times_are_read_in_every_way_they_are_written() {
        assert_eq!(
            [time("01:02:03,5"), time("02:03.500"), time("1:00:00")],
            [Some(3_723_500), Some(123_500), Some(3_600_000)]
        );
        assert_eq!(time("99999999999999999999:00"), None);
        assert_eq!([said("a < b {x}", false), said("<b", false)], ["a < b {x}", "<b"]);
    }
}
