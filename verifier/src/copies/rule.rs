//! Where a field stands in a line: after this text, up to that text.

/// Where a value begins.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Start {
    /// At the beginning of the line.
    Line,
    /// After a text, at its `nth` place from the left or from the right.
    After {
        /// The text.
        text: Box<str>,
        /// Places before it in that direction.
        nth: usize,
        /// Counted from the end of the line.
        from_end: bool,
    },
    /// After a key with its separator (`user=`, `"user": `). The key stands as a word of its own, and a
    /// quotation mark before the value is not part of it.
    Key(Box<str>),
}

/// Where a value ends.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum End {
    /// With the line.
    Line,
    /// Before this text, which must follow.
    Before(Box<str>),
    /// Before this text, or with the line where it does not follow.
    BeforeOrLine(Box<str>),
    /// Before this text at the end of the line.
    Suffix(Box<str>),
}

/// A place in the lines of one template.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rule {
    pub start: Start,
    pub end: End,
}

impl Rule {
    /// The text at the rule's place with its first byte; `None` where the line has no such place.
    pub fn extract<'text>(&self, text: &'text str) -> Option<(usize, &'text str)> {
        let (start, quote) = self.start.find(text)?;
        let rest = &text[start..];
        let length = match quote {
            Some(quote) => rest.find(quote)?,
            None => self.end.find(rest)?,
        };
        let value = &rest[..length];
        let bare = value.trim();
        Some((start + (value.len() - value.trim_start().len()), bare))
    }

    /// Whether the value stands between like marks: two bars, two quotation marks, a pair of brackets.
    pub fn is_column(&self) -> bool {
        let (
            Start::After { text: before, .. },
            End::Before(after) | End::BeforeOrLine(after) | End::Suffix(after),
        ) = (&self.start, &self.end)
        else {
            return false;
        };
        let opens = before.trim_end().chars().next_back();
        let closes = after.trim_start().chars().next();
        match (opens, closes) {
            (Some('['), Some(']')) | (Some('('), Some(')')) | (Some('<'), Some('>')) => true,
            (Some(left), Some(right)) => left == right && "|;,\"'/".contains(left),
            _ => false,
        }
    }
}

impl Start {
    /// The first byte of the value, and the mark that closes it if it is quoted.
    fn find(&self, text: &str) -> Option<(usize, Option<char>)> {
        match self {
            Self::Line => Some((0, None)),
            Self::After { text: before, nth, from_end } => {
                let at = if *from_end {
                    text.rmatch_indices(&**before).nth(*nth)?.0
                } else {
                    text.match_indices(&**before).nth(*nth)?.0
                };
                Some((at + before.len(), None))
            }
            Self::Key(key) => {
                let at = text
                    .match_indices(&**key)
                    .map(|(at, _)| at)
                    .find(|&at| !text[..at].ends_with(|c: char| c.is_alphanumeric() || "_-.".contains(c)))?;
                let start = at + key.len();
                let quote = text[start..].chars().next().filter(|c| matches!(c, '"' | '\''));
                Some((start + quote.map_or(0, char::len_utf8), quote))
            }
        }
    }

    /// Whether a key stands in a text no more than once.
    pub fn is_once_in(&self, text: &str) -> bool {
        matches!(self, Self::Key(key) if text.matches(&**key).nth(1).is_none())
    }

    /// How much the place says about itself: keys and words before bare positions.
    pub fn weight(&self) -> i64 {
        match self {
            Self::Line => 0,
            Self::After { text, .. } => {
                let wordy = text.chars().any(char::is_alphabetic);
                i64::from(wordy) * 30 + i64::try_from(text.len().min(20)).unwrap_or(0)
            }
            Self::Key(_) => 60,
        }
    }
}

impl End {
    fn find(&self, rest: &str) -> Option<usize> {
        match self {
            Self::Line => Some(rest.len()),
            Self::Before(text) => rest.find(&**text),
            Self::BeforeOrLine(text) => Some(rest.find(&**text).unwrap_or(rest.len())),
            Self::Suffix(text) => rest.strip_suffix(&**text).map(str::len),
        }
    }

    /// Whether the end is only a space: values of several words would be cut.
    pub fn is_space(&self) -> bool {
        matches!(self, Self::Before(text) | Self::BeforeOrLine(text) if text.trim().is_empty())
    }
}

/// The rules that find `text[start..end]`.
pub fn rules_for(text: &str, start: usize, end: usize) -> impl Iterator<Item = Rule> {
    let starts = starts(text, start);
    let ends = ends(text, start, end);
    starts
        .into_iter()
        .flat_map(move |start| ends.clone().into_iter().map(move |end| Rule { start: start.clone(), end }))
}

/// The keyed rules for a field that a line names itself: `status=`, `"userName": `, `Order Id: `.
pub fn named_rules(text: &str, field: &str) -> Vec<Rule> {
    let wanted = folded_name(field);
    let mut rules = Vec::new();
    for (at, separator) in text.match_indices(['=', ':']) {
        let head = &text[..at];
        let key_end = head.trim_end_matches([' ', '"', '\'']).len();
        let mut from = key_end;
        // A key may have several words; the shortest run of words that is the field's name counts.
        while let Some(c) = text[..from].chars().next_back() {
            if !(c.is_alphanumeric() || "_-. ".contains(c)) {
                break;
            }
            from -= c.len_utf8();
            let key = &text[from..key_end];
            let whole = !text[..from].ends_with(|c: char| c.is_alphanumeric() || "_-.".contains(c));
            if whole && !key.starts_with(' ') && folded_name(key) == wanted {
                let after = &text[at + separator.len()..];
                let value = at + separator.len() + (after.len() - after.trim_start_matches(' ').len());
                let start = Start::Key(text[from..value].into());
                let before = text[..from].trim_end_matches(['"', '\'']);
                rules.extend(
                    separators(before, text, value).into_iter().map(|end| Rule { start: start.clone(), end }),
                );
                break;
            }
            if folded_name(key).len() > wanted.len() {
                break;
            }
        }
    }
    rules
}

/// The rules for a field whose name stands as a word before its value: `by user mara amount 8`. Less than a
/// key, for the word may also just occur.
pub fn worded_rules(text: &str, field: &str) -> Vec<Rule> {
    let wanted = folded_name(field);
    let mut from = 0;
    for word in text.split(' ') {
        let value = from + word.len() + 1;
        let followed = text.get(value..).is_some_and(|rest| rest.starts_with(in_word));
        if followed && word.chars().all(in_word) && folded_name(word) == wanted {
            // One word: where a longer value ends, the word does not say.
            let start = Start::Key(text[from..value].into());
            return vec![Rule { start, end: End::BeforeOrLine(" ".into()) }];
        }
        from = value;
    }
    Vec::new()
}

/// A name without regard to case, separators and a plural's s.
pub fn folded_name(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
    letters.collect::<String>().trim_end_matches('s').to_owned()
}

/// How the value of a key may end, judged by what stands before the key and what a value holds.
fn separators(before: &str, text: &str, value: usize) -> Vec<End> {
    let run = before.len() - before.trim_end_matches(|c: char| !in_word(c)).len();
    let between = before[before.len() - run..].trim_end_matches(['{', '[', '(']);
    let mut ends = Vec::new();
    if !between.is_empty() {
        ends.push(End::BeforeOrLine(between.into()));
    }
    let first = text[value..].find([' ', ',', ';', '|', '}', '\t']);
    if let Some(c) = first.and_then(|at| text[value + at..].chars().next()) {
        ends.push(End::BeforeOrLine(c.to_string().into()));
    }
    ends.push(End::Line);
    ends
}

fn starts(text: &str, at: usize) -> Vec<Start> {
    let before = &text[..at];
    if before.is_empty() {
        return vec![Start::Line];
    }
    let mut literals: Vec<&str> = Vec::new();
    let gap = before.trim_end_matches(|c: char| !in_word(c)).len();
    let word = before[..gap].trim_end_matches(in_word).len();
    let wider = before[..word].trim_end_matches(|c: char| !in_word(c)).len();
    let last = before.char_indices().next_back().map_or(0, |(at, _)| at);
    for from in [last, gap, word, wider] {
        let literal = &before[from..];
        if !literal.is_empty() && !literals.contains(&literal) {
            literals.push(literal);
        }
    }
    let mut starts = Vec::new();
    for literal in literals {
        let place = at - literal.len();
        let left = text.match_indices(literal).position(|(at, _)| at == place);
        let right = text.rmatch_indices(literal).position(|(at, _)| at == place);
        let after = |nth, from_end| Start::After { text: literal.into(), nth, from_end };
        starts.extend(left.map(|nth| after(nth, false)));
        starts.extend(right.map(|nth| after(nth, true)));
    }
    // `key=value`, `"key": "value"`
    let separated = before[gap..].trim_start_matches(['"', '\'']).trim_start();
    if gap > word && separated.starts_with(['=', ':']) {
        let unquoted = before.strip_suffix(['"', '\'']).unwrap_or(before);
        starts.push(Start::Key(unquoted[word..].into()));
    }
    starts
}

fn ends(text: &str, start: usize, at: usize) -> Vec<End> {
    let after = &text[at..];
    if after.is_empty() {
        return vec![End::Line];
    }
    let gap = after.find(in_word).unwrap_or(after.len());
    let word = after[gap..].find(|c| !in_word(c)).map_or(after.len(), |length| gap + length);
    let first = after.chars().next().map_or(0, char::len_utf8);
    let mut ends: Vec<End> = Vec::new();
    for length in [first, gap, word] {
        let literal = &after[..length];
        // The text must not occur inside the value.
        if length > 0 && text[start..].find(literal) == Some(at - start) {
            for end in [End::Before(literal.into()), End::BeforeOrLine(literal.into())] {
                if !ends.contains(&end) {
                    ends.push(end);
                }
            }
        }
    }
    if word == after.len() {
        ends.push(End::Suffix(after.into()));
    }
    ends
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
