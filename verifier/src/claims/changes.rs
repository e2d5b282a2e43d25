//! What makes a verified claim false, done by code (docs/claims.md, section 3).
//!
//! What is exchanged is taken from the quoted lines where they have another value: claims that passed the code checks have
//! no figure that stands nowhere, and gold must look like them.

use super::claim::{Claim, LineRange, Quote};
use super::draws::Draws;
use super::facts::Facts;
use super::gold::Change;
use super::language;
use super::text::Text;
use super::token::{Kind, Token, tokens};

/// The claim with a change; `None` where it does not fit.
pub(super) fn changed(verified: &Claim, text: &Text, change: Change, draws: &mut Draws) -> Option<Claim> {
    Some(match change {
        Change::Unchanged | Change::FoundFalse => verified.clone(),
        Change::OtherLines => with_other_lines(verified, text, draws)?,
        Change::Figure => with(verified, exchanged_figure(verified, text, draws)?),
        Change::Date => with(verified, exchanged_date(verified, text, draws)?),
        Change::Name => with(verified, exchanged_name(verified, text, draws)?),
        Change::Negation => with(verified, negated(&verified.text)?),
        Change::Qualification => with(verified, unqualified(&verified.text)?),
    })
}

fn with(verified: &Claim, text: String) -> Claim {
    Claim { text, quotes: verified.quotes.clone() }
}

fn replaced(text: &str, token: &Token<'_>, by: &str) -> String {
    format!("{}{by}{}", &text[..token.start], &text[token.start + token.text.len()..])
}

fn exchanged_figure(verified: &Claim, text: &Text, draws: &mut Draws) -> Option<String> {
    let claimed = tokens(&verified.text);
    let plain = |token: &&Token<'_>| {
        token.kind == Kind::Digits && token.text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_date = |at: usize| {
        at.checked_sub(1).is_some_and(|before| language::month(claimed[before].text).is_some())
            || claimed.get(at + 1).is_some_and(|after| language::month(after.text).is_some())
    };
    let figures: Vec<&Token<'_>> = claimed
        .iter()
        .enumerate()
        .filter(|(at, token)| plain(token) && !is_date(*at))
        .map(|(_, token)| token)
        .collect();
    let figure = draws.pick(&figures)?;
    let quoted = text.quoted(verified);
    let quoted = tokens(&quoted);
    let others: Vec<&Token<'_>> = quoted
        .iter()
        .filter(plain)
        .filter(|other| {
            other.text.len() == figure.text.len() && claimed.iter().all(|token| token.text != other.text)
        })
        .collect();
    if let Some(other) = draws.pick(&others) {
        return Some(replaced(&verified.text, figure, other.text));
    }
    let value: u64 = figure.text.parse().ok()?;
    let step = (value / 10).max(1) * (1 + draws.below(4) as u64);
    let other = if draws.chance(0.5) && value > step { value - step } else { value.checked_add(step)? };
    Some(replaced(&verified.text, figure, &other.to_string()))
}

fn exchanged_date(verified: &Claim, text: &Text, draws: &mut Draws) -> Option<String> {
    let claimed = tokens(&verified.text);
    let month = claimed.iter().find(|token| language::month(token.text).is_some())?;
    let number = language::month(month.text)?;
    let quoted = text.quoted(verified);
    let quoted = tokens(&quoted);
    let is_other = |token: &&Token<'_>| language::month(token.text).is_some_and(|other| other != number);
    if let Some(other) = quoted.iter().find(is_other) {
        return Some(replaced(&verified.text, month, other.text));
    }
    let all: Vec<String> = text
        .lines()
        .flat_map(|(_, line)| {
            let found: Vec<String> =
                tokens(line).iter().filter(is_other).map(|token| token.text.to_owned()).collect();
            found
        })
        .collect();
    draws.pick(&all).map(|other| replaced(&verified.text, month, other))
}

fn exchanged_name(verified: &Claim, text: &Text, draws: &mut Draws) -> Option<String> {
    let names = Facts::of(&verified.text, text.lexicon()).names;
    let name = draws.pick(&names)?;
    let claimed = tokens(&verified.text);
    let token = claimed.iter().find(|token| token.text == name)?;
    let names_in = |words: &str| {
        let mut others = Facts::of(words, text.lexicon()).names;
        others.retain(|other| claimed.iter().all(|token| !token.text.eq_ignore_ascii_case(other)));
        others
    };
    let mut others = names_in(&text.quoted(verified));
    if others.is_empty() {
        others = text.lines().flat_map(|(_, line)| names_in(line)).collect();
    }
    draws.pick(&others).map(|other| replaced(&verified.text, token, other))
}

/// Verbs after which, or around which, a negation goes, with what they become.
const NEGATED: [(&str, &str); 31] = [
    ("is", "is not"),
    ("are", "are not"),
    ("was", "was not"),
    ("were", "were not"),
    ("must", "need not"),
    ("may", "may not"),
    ("can", "cannot"),
    ("shall", "shall not"),
    ("will", "will not"),
    ("has", "has not"),
    ("have", "have not"),
    ("does", "does not"),
    ("ist", "ist nicht"),
    ("sind", "sind nicht"),
    ("wurde", "wurde nicht"),
    ("wurden", "wurden nicht"),
    ("wird", "wird nicht"),
    ("werden", "werden nicht"),
    ("darf", "darf nicht"),
    ("kann", "kann nicht"),
    ("muss", "muss nicht"),
    ("war", "war nicht"),
    ("hat", "hat nicht"),
    ("est", "n'est pas"),
    ("sont", "ne sont pas"),
    ("doit", "ne doit pas"),
    ("peut", "ne peut pas"),
    ("était", "n'était pas"),
    ("a", "n'a pas"),
    ("sera", "ne sera pas"),
    ("doivent", "ne doivent pas"),
];

fn negated(text: &str) -> Option<String> {
    let all = tokens(text);
    // A claim that negates once loses its negation.
    for (before, after) in [
        (" is not ", " is "),
        (" are not ", " are "),
        (" may not ", " may "),
        (" must not ", " must "),
        (" nicht ", " "),
        (" kein ", " ein "),
        (" keine ", " eine "),
        (" keinen ", " einen "),
        (" ne doit pas ", " doit "),
        (" n'est pas ", " est "),
    ] {
        if text.matches(before).count() == 1 {
            return Some(text.replacen(before, after, 1));
        }
    }
    if all.iter().any(language::negates) {
        return None;
    }
    let language = language::Language::of(text);
    all.iter().find_map(|token| {
        // "a" is a verb in French alone.
        let fits = token.text != "a" || language == language::Language::French;
        let (_, negated) = NEGATED.iter().find(|(verb, _)| fits && *verb == token.text)?;
        Some(replaced(text, token, negated))
    })
}

/// What limits a statement: up to the next comma or the end, or the word alone.
const QUALIFICATIONS: [&str; 22] = [
    " unless ",
    " except ",
    " provided that ",
    " only if ",
    " to the extent ",
    " if ",
    " after ",
    " es sei denn",
    " sofern ",
    " außer ",
    " soweit ",
    " wenn ",
    " falls ",
    " sauf ",
    " à condition ",
    " à moins ",
    " si ",
    " pourvu ",
    " without ",
    " ohne ",
    " sans ",
    " nur wenn ",
];
const LIMITS: [&str; 5] = [" only ", " nur ", " uniquement ", " seulement ", " ausschließlich "];

fn unqualified(text: &str) -> Option<String> {
    let dropped = QUALIFICATIONS.iter().find_map(|start| {
        let at = text.find(start)?;
        let rest = &text[at + start.len()..];
        let end =
            rest.find([',', ';']).map_or(text.trim_end_matches('.').len(), |comma| at + start.len() + comma);
        let kept = format!("{}{}", text[..at].trim_end_matches(','), &text[end.max(at)..]);
        (kept.split_whitespace().count() > 3).then_some(kept)
    });
    dropped.or_else(|| {
        let limit = LIMITS.iter().find(|limit| text.contains(*limit))?;
        Some(text.replacen(limit, " ", 1))
    })
}

fn with_other_lines(verified: &Claim, text: &Text, draws: &mut Draws) -> Option<Claim> {
    const APART: u32 = 4;
    let taken =
        |range: LineRange| verified.quotes.iter().any(|quote| quote.lines.widened(APART).overlaps(range));
    let claimed = Facts::of(&verified.text, text.lexicon());
    let mut quotes = Vec::new();
    for quote in &verified.quotes {
        let length = quote.lines.len() - 1;
        let places: Vec<LineRange> = text
            .lines()
            .map(|(number, _)| LineRange::new(number, number.saturating_add(length)))
            .filter(|range| !taken(*range) && text.copy(*range).is_some())
            .collect();
        let lines = *draws.pick(&places)?;
        quotes.push(Quote { lines, words: text.copy(lines)? });
    }
    let other = Claim { text: verified.text.clone(), quotes };
    // Lines that have the same facts may bear it out.
    let there = text.quoted(&other);
    let bears_out = super::check::bears_out(&other.text, &there, text).is_ok();
    let has_facts = !claimed.figures.is_empty() || !claimed.dates.is_empty() || !claimed.names.is_empty();
    (!(bears_out && has_facts)).then_some(other)
}
