//! Stop texts in a stream.
//!
//! A stop text may arrive split over several tokens, and no part of it may reach the caller. So the
//! scanner holds back the longest tail that could still become a stop text, and nothing more.

/// What may be passed on after a piece of text arrived.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Released {
    /// Text that is certainly part of the answer.
    pub text: String,
    /// A stop text was met: the answer ends with `text`.
    pub stopped: bool,
}

/// Looks for stop texts in a growing text.
#[derive(Debug)]
pub(crate) struct StopScanner {
    stops: Vec<String>,
    held: String,
}

impl StopScanner {
    /// A scanner for these stop texts, none of them empty.
    pub fn new(stops: Vec<String>) -> Self {
        Self { stops, held: String::new() }
    }

    /// Takes the next piece of text.
    pub fn push(&mut self, piece: &str) -> Released {
        if self.stops.is_empty() {
            return Released { text: piece.to_owned(), stopped: false };
        }
        self.held.push_str(piece);
        let first_stop = self.stops.iter().filter_map(|stop| self.held.find(stop.as_str())).min();
        if let Some(at) = first_stop {
            self.held.truncate(at);
            return Released { text: std::mem::take(&mut self.held), stopped: true };
        }
        let keep_from = self.held.len() - self.longest_possible_start();
        let kept = self.held.split_off(keep_from);
        Released { text: std::mem::replace(&mut self.held, kept), stopped: false }
    }

    /// The text ended: what was held back is part of the answer after all.
    pub fn finish(&mut self) -> String {
        std::mem::take(&mut self.held)
    }

    /// Bytes at the end of `held` that a stop text could begin with.
    fn longest_possible_start(&self) -> usize {
        self.stops
            .iter()
            .filter_map(|stop| {
                (1..stop.len().min(self.held.len() + 1))
                    .rev()
                    .filter(|&length| stop.is_char_boundary(length))
                    .find(|&length| self.held.ends_with(&stop[..length]))
            })
            .max()
            .unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(stops: &[&str], pieces: &[&str]) -> (String, bool) {
        let mut scanner = StopScanner::new(stops.iter().map(|&stop| stop.to_owned()).collect());
        let mut text = String::new();
        for piece in pieces {
            let released = scanner.push(piece);
            text.push_str(&released.text);
            if released.stopped {
                return (text, true);
            }
        }
        text.push_str(&scanner.finish());
        (text, false)
    }

    #[test]
    fn a_stop_text_split_over_pieces_never_shows() {
        assert_eq!(run(&["\n\n"], &["one\n", "two\n", "\nthree"]), ("one\ntwo".to_owned(), true));
        assert_eq!(run(&["END"], &["aE", "N", "D", "b"]), ("a".to_owned(), true));
    }

    #[test]
    fn an_unfinished_stop_text_is_given_back_at_the_end() {
        assert_eq!(run(&["END"], &["aE", "N"]), ("aEN".to_owned(), false));
        assert_eq!(run(&[], &["a", "b"]), ("ab".to_owned(), false));
    }

    #[test]
    fn the_earliest_of_several_stop_texts_wins() {
        assert_eq!(run(&["cd", "b"], &["abcd"]), ("a".to_owned(), true));
    }

    #[test]
    fn letters_of_several_bytes_are_never_cut() {
        assert_eq!(run(&["é!"], &["caf", "é", "?"]), ("café?".to_owned(), false));
        assert_eq!(run(&["é!"], &["caf", "é", "!"]), ("caf".to_owned(), true));
    }
}
