//! How long an answer was in front of its reader, and when they first did something with it (seeds/super-llm-block.md,
//! `time_spent_reading`, `time_to_first_interaction`).
//!
//! ```text
//!   the answer screen opens ─► time passes while the window has the focus and somebody is there ─► another screen,
//!   another answer, or the end: what was seen is noted; a user who comes back reads on
//! ```
//!
//! Nobody can see whether eyes rest on a text. A user who touches neither mouse nor keyboard for a while counts as away.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use frlm_learning::planning::satisfaction::Behaviour;

/// Nobody is taken to read longer than this without touching anything.
const STILL_THERE: Duration = Duration::from_mins(1);

/// The answer in front.
#[derive(Debug, Clone, Copy)]
pub struct Front<'state> {
    /// Its run.
    pub run: &'state str,
    /// Whether it was asked since the app began: what was done with others first was perhaps done before.
    pub is_new: bool,
}

/// Looks on.
#[derive(Debug, Default)]
pub struct ReadingTime {
    open: Option<Open>,
    /// How long answers were read that are not in front any more.
    before: HashMap<String, Duration>,
}

#[derive(Debug)]
struct Open {
    run: String,
    /// Whether what is done with it now is the first that is done with it.
    is_first: bool,
    began: Instant,
    counted: Instant,
    touched: Instant,
    focused: bool,
    read: Duration,
    acted: Option<Duration>,
}

impl ReadingTime {
    /// Looks what is in front. `touched`: whether mouse or keyboard were used since the last look. Returns what was seen of
    /// the answer that is not there any more, with its run.
    pub fn look(
        &mut self,
        front: Option<Front<'_>>,
        focused: bool,
        touched: bool,
        now: Instant,
    ) -> Option<(String, Behaviour)> {
        if let Some(open) = &mut self.open {
            open.count(now);
            open.focused = focused;
            if touched {
                open.touched = now;
            }
            if front.is_some_and(|front| front.run == open.run) {
                return None;
            }
        }
        let left = self.leave(now);
        self.open = front.map(|Front { run, is_new }| Open {
            run: run.to_owned(),
            is_first: is_new && !self.before.contains_key(run),
            began: now,
            counted: now,
            touched: now,
            focused,
            read: Duration::ZERO,
            acted: None,
        });
        left
    }

    /// Something was done with the answer in front.
    pub fn acted(&mut self, now: Instant) {
        if let Some(open) = &mut self.open {
            open.acted.get_or_insert(now.saturating_duration_since(open.began));
        }
    }

    /// Nothing is in front any more.
    pub fn leave(&mut self, now: Instant) -> Option<(String, Behaviour)> {
        let mut open = self.open.take()?;
        open.count(now);
        let read = self.before.entry(open.run.clone()).or_default();
        *read += open.read;
        let seen = Behaviour {
            // A window that nobody looked at was not read.
            reading_secs: (!read.is_zero()).then_some(read.as_secs_f64()),
            first_interaction_secs: open.acted.filter(|_| open.is_first).map(|after| after.as_secs_f64()),
            ..Behaviour::default()
        };
        (seen != Behaviour::default()).then_some((open.run, seen))
    }
}

impl Open {
    /// Counts the time since the last look.
    fn count(&mut self, now: Instant) {
        if self.focused {
            self.read += now.min(self.touched + STILL_THERE).saturating_duration_since(self.counted);
        }
        self.counted = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW: Option<Front<'static>> = Some(Front { run: "5e1f", is_new: true });
    const OLD: Option<Front<'static>> = Some(Front { run: "77aa", is_new: false });

    /// Looks at these seconds: what is in front, whether the window has the focus, whether something was touched.
    fn seen(looks: &[(u64, Option<Front<'_>>, bool, bool)]) -> Vec<(String, Behaviour)> {
        let (began, mut reading) = (Instant::now(), ReadingTime::default());
        let look = |&(at, front, focused, touched): &(u64, Option<Front<'_>>, bool, bool)| {
            reading.look(front, focused, touched, began + Duration::from_secs(at))
        };
        looks.iter().filter_map(look).collect()
    }

    fn read(run: &str, secs: f64) -> (String, Behaviour) {
        (run.to_owned(), Behaviour { reading_secs: Some(secs), ..Behaviour::default() })
    }

    #[test]
    fn an_answer_is_read_while_it_is_in_front_and_who_comes_back_reads_on() {
        let looks = [
            (0, None, true, false),
            (10, NEW, true, true),
            (14, NEW, true, false),
            (18, None, true, true),
            (30, NEW, true, true),
            (40, OLD, true, true),
            (42, None, true, true),
        ];
        assert_eq!(seen(&looks), [read("5e1f", 8.0), read("5e1f", 18.0), read("77aa", 2.0)]);
    }

    #[test]
    fn behind_another_window_or_without_anybody_there_nothing_is_read() {
        let behind =
            [(0, NEW, true, true), (7, NEW, false, false), (90, NEW, true, true), (93, None, true, true)];
        assert_eq!(seen(&behind), [read("5e1f", 10.0)]);
        let away =
            [(0, NEW, true, true), (20, NEW, true, true), (900, NEW, true, true), (905, None, true, true)];
        assert_eq!(seen(&away), [read("5e1f", 85.0)], "a minute after the last touch, and what came after");
        let unseen = [(0, NEW, false, false), (50, None, false, false)];
        assert!(seen(&unseen).is_empty(), "it never had the focus");
    }

    #[test]
    fn the_time_to_the_first_action_counts_from_when_the_answer_is_shown() {
        let (began, mut reading) = (Instant::now(), ReadingTime::default());
        let at = |secs| began + Duration::from_secs(secs);
        reading.acted(at(0));
        let mut done = |front, from: u64| {
            reading.look(front, true, true, at(from));
            reading.acted(at(from + 3));
            reading.acted(at(from + 9));
            reading.leave(at(from + 12)).unwrap().1.first_interaction_secs
        };
        assert_eq!(done(NEW, 10), Some(3.0));
        assert_eq!(done(NEW, 50), None, "it is not the first any more");
        assert_eq!(done(OLD, 90), None, "nobody knows what was done with it before");
    }
}
