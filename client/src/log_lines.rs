//! The newest lines of the log in memory, for a front end to show.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use frlm_protocol::printable;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// Lines that are kept; older ones go.
pub const MOST_LINES: usize = 2_000;
/// The longest line that is kept, in bytes.
const LONGEST_LINE: usize = 2_000;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Unix milliseconds.
    pub at_ms: u64,
    /// How serious it is.
    pub level: Level,
    /// Which part of the program says it.
    pub target: String,
    /// What it says; printable.
    pub text: String,
}

#[derive(Debug, Default)]
struct Lines {
    newest: VecDeque<Arc<Line>>,
    count: u64,
}

/// The program has one log.
static LINES: LazyLock<Mutex<Lines>> = LazyLock::new(Mutex::default);

/// Keeps lines in memory.
#[derive(Debug, Clone, Copy, Default)]
pub struct KeepLines;

impl<S: Subscriber> Layer<S> for KeepLines {
    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        let mut words = Words(String::new());
        event.record(&mut words);
        keep(Line {
            at_ms: frlm_util::clock::unix_millis(),
            level: *event.metadata().level(),
            target: event.metadata().target().to_owned(),
            text: printable(&words.0).into_owned(),
        });
    }
}

fn keep(line: Line) {
    let mut lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
    if lines.newest.len() == MOST_LINES {
        lines.newest.pop_front();
    }
    lines.newest.push_back(Arc::new(line));
    lines.count += 1;
}

/// The lines that are kept, oldest first, if there are others than after `known` lines; with the
/// count of all lines so far.
pub fn newer_than(known: u64) -> Option<(u64, Vec<Arc<Line>>)> {
    let lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
    (lines.count != known).then(|| (lines.count, lines.newest.iter().cloned().collect()))
}

/// An event's message and fields in one line.
struct Words(String);

impl Words {
    fn add(&mut self, field: &Field, value: std::fmt::Arguments<'_>) {
        if self.0.len() > LONGEST_LINE {
            return;
        }
        if !self.0.is_empty() {
            self.0.push_str("  ");
        }
        // Writing into a String cannot fail.
        let _ = match field.name() {
            "message" => write!(self.0, "{value}"),
            name => write!(self.0, "{name}={value}"),
        };
        if self.0.len() > LONGEST_LINE {
            self.0.truncate(self.0.floor_char_boundary(LONGEST_LINE));
            self.0.push('…');
        }
    }
}

impl Visit for Words {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.add(field, format_args!("{value:?}"));
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    #[test]
    fn the_log_keeps_its_newest_lines_and_nothing_that_controls_a_screen() {
        let subscriber = tracing_subscriber::registry().with(KeepLines);
        tracing::subscriber::with_default(subscriber, || {
            for number in 0..MOST_LINES + 5 {
                tracing::info!(number, "a peer says {}", "\u{1b}[31mred");
            }
        });
        let (count, lines) = newer_than(0).unwrap();
        assert!(count >= MOST_LINES as u64 + 5 && lines.len() == MOST_LINES);
        let last = lines.last().unwrap();
        assert!(last.text.contains("number=2004") && !last.text.contains('\u{1b}'), "{}", last.text);
        assert!(newer_than(count).is_none());
    }

    #[test]
    fn a_line_has_an_end() {
        let subscriber = tracing_subscriber::registry().with(KeepLines);
        tracing::subscriber::with_default(subscriber, || tracing::warn!("{}", "é".repeat(5_000)));
        let (_, lines) = newer_than(0).unwrap();
        assert!(lines.iter().all(|line| line.text.len() <= LONGEST_LINE + 3));
    }
}
