//! Whether the parts say one after the other what the question says.
//!
//! A part begins behind a mark or a joining word and goes on without one, unless it says that word itself. Parts that are
//! alike but for one word may share what the question says once ("the largest and the smallest amount"); what they
//! differ in must stand side by side there, and all else once.

use std::collections::HashSet;

use super::tokens::{Joint, Kind, Token};
use super::vocabulary::Vocabulary;
use super::words::Word;

/// A part as far as it has to fit.
pub struct Fitted {
    pub words: Vec<Word>,
    pub tokens: Vec<Token>,
    /// Whether it lists or tests records: nothing else in it tells it from a condition of the part before.
    pub lists: bool,
}

/// A question, and what the documents say of its words.
pub struct Asked<'run> {
    pub words: &'run [Word],
    pub tokens: &'run [Token],
    pub vocabulary: &'run Vocabulary<'run>,
    /// Fields that "who" may be.
    pub persons: &'run HashSet<String>,
}

impl Asked<'_> {
    /// Whether the parts say all that stands from this token on.
    pub fn fits(&self, parts: &[Fitted], start: usize) -> bool {
        let Some((first, rest)) = parts.split_first() else { return start == self.tokens.len() };
        if self.ends(first, start).into_iter().any(|end| self.fits(rest, end)) {
            return true;
        }
        for count in 2..=parts.len() {
            let (group, rest) = parts.split_at(count);
            if !alike(&group[count - 2].words, &group[count - 1].words) {
                return false;
            }
            if self.shared_ends(group, start).into_iter().any(|end| self.fits(rest, end)) {
                return true;
            }
        }
        false
    }

    /// Where a part that begins with this token may end.
    fn ends(&self, part: &Fitted, start: usize) -> Vec<usize> {
        let awaited: Vec<&Token> = part.tokens.iter().filter(|token| token.is_before()).collect();
        let content: Vec<&Token> = part.tokens.iter().filter(|token| !token.is_before()).collect();
        let (mut ends, mut met, mut next, mut headed) = (Vec::new(), 0, 0, false);
        let mut at = start;
        loop {
            let is_whole = content[next..].iter().all(|token| token.may_lack());
            if is_whole && met == awaited.len() && (headed || !part.lists || at == start) {
                ends.push(at);
            }
            let Some(token) = self.tokens.get(at) else { return ends };
            if at == start && start > 0 && token.joint == Joint::None {
                return ends;
            }
            if let Kind::Before(noun) = &token.kind {
                let same =
                    awaited.get(met).is_some_and(|awaited| noun.is_none() || awaited.kind == token.kind);
                if !same || at > start && token.joint == Joint::Firm {
                    return ends;
                }
                met += 1;
            } else {
                while content.get(next).is_some_and(|said| said.may_lack() && !self.says(token, said)) {
                    next += 1;
                }
                let Some(said) = content.get(next).filter(|said| self.says(token, said)) else { return ends };
                let joined = next > 0 && said.joint == Joint::Firm;
                if at > start && (token.joint == Joint::Firm) != joined {
                    return ends;
                }
                next += 1;
            }
            headed |= token.heads;
            at += 1;
        }
    }

    /// Whether a token of the question says what one of a part says.
    fn says(&self, asked: &Token, said: &Token) -> bool {
        match (&asked.kind, &said.kind) {
            (Kind::Who, Kind::Says(field)) => self.persons.contains(field),
            (asked, said) => asked == said,
        }
    }

    /// Where parts that share may end together.
    fn shared_ends(&self, group: &[Fitted], start: usize) -> Vec<usize> {
        let Some((varying, mut common)) = apart(group) else { return Vec::new() };
        common.sort_unstable();
        let begins = self.tokens.get(start).is_some_and(|token| start == 0 || token.joint != Joint::None);
        if !begins {
            return Vec::new();
        }
        let longest = self.tokens.len().min(start + common.len() + 2 * group.len() + 1);
        (start + group.len()..=longest).filter(|&end| self.shares(start, end, &varying, &common)).collect()
    }

    /// Whether these tokens say what the parts differ in side by side, and what they share once.
    fn shares(&self, start: usize, end: usize, varying: &[&Kind], common: &[&Kind]) -> bool {
        // "Who has more, mara or omar?"
        let region: Vec<&Token> =
            self.tokens[start..end].iter().filter(|token| token.kind != Kind::Who).collect();
        let places: Vec<usize> =
            (0..region.len()).filter(|&at| varying.contains(&&region[at].kind)).collect();
        let in_order = places.len() == varying.len()
            && places.iter().zip(varying).all(|(&at, kind)| region[at].kind == **kind);
        let Some(&first) = places.first().filter(|_| in_order) else { return false };
        // The question may name a field again: "user mara or user omar".
        let leading = first.checked_sub(1).map(|at| &region[at].kind);
        let mut once: Vec<&Kind> = Vec::new();
        for (at, token) in region.iter().enumerate() {
            let is_between = at > first && places.last().is_some_and(|&last| at < last);
            if places.contains(&at) {
                continue;
            }
            if is_between {
                if Some(&token.kind) != leading || !places.contains(&(at + 1)) {
                    return false;
                }
            } else {
                once.push(&token.kind);
            }
        }
        let side_by_side = places.windows(2).all(|pair| region[pair[0] + 1].joint != Joint::None);
        once.sort_unstable();
        side_by_side && once == common && self.nouns(start, end, varying) <= 1
    }

    /// How often these tokens say what is counted, other than before what the parts differ in.
    fn nouns(&self, start: usize, end: usize, varying: &[&Kind]) -> usize {
        let from = start.checked_sub(1).map_or(0, |before| self.tokens[before].at + 1);
        let to = self.tokens.get(end).map_or(self.words.len(), |token| token.at);
        let is_varying = |word: &str| varying.contains(&&Kind::Says(word.to_owned()));
        let counts = |&at: &usize| {
            let word = self.words[at].text.as_str();
            let next = self.words.get(at + 1).map_or("", |word| word.text.as_str());
            self.vocabulary.is_noun(word) && !self.vocabulary.is_value(word) && !is_varying(next)
        };
        (from..to).filter(counts).count()
    }
}

/// What parts differ in, one of each, and what all of them say; `None` unless that is one word at one place.
fn apart<'group>(group: &'group [Fitted]) -> Option<(Vec<&'group Kind>, Vec<&'group Kind>)> {
    let kinds = |part: &'group Fitted| -> Vec<&'group Kind> {
        part.tokens.iter().filter(|token| !token.may_lack()).map(|token| &token.kind).collect()
    };
    let rows: Vec<Vec<&Kind>> = group.iter().map(kinds).collect();
    let (first, others) = rows.split_first()?;
    if others.iter().any(|row| row.len() != first.len()) {
        return None;
    }
    let mut differing = (0..first.len()).filter(|&at| others.iter().any(|row| row[at] != first[at]));
    let place = differing.next()?;
    if differing.next().is_some() {
        return None;
    }
    let varying: Vec<&Kind> = rows.iter().map(|row| row[place]).collect();
    let others = first.iter().enumerate().filter(|(at, _)| *at != place);
    let common: Vec<&Kind> = others.map(|(_, kind)| *kind).collect();
    let is_double = |at: usize| varying[..at].contains(&varying[at]) || common.contains(&varying[at]);
    if (0..varying.len()).any(is_double) {
        return None;
    }
    Some((varying, common))
}

/// Whether two parts are the same but for one word.
pub fn alike(one: &[Word], other: &[Word]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).filter(|(one, other)| one.text != other.text).count() == 1
}
