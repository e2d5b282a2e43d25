//! What people say beside their question: a remark in parentheses, a greeting, a second sentence, what explains the first.
//!
//! A question that has no reading as it stands may have one without them. What is left out is said and costs as much as it says
//! of this table, so that a remark that holds a condition is not lost.

use super::tokens;
use crate::words;

/// A question without some of its words.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cut {
    pub question: String,
    /// What was left out.
    pub dropped: String,
}

/// Signs between a question and what explains it.
const DASHES: &[&str] = &[
    " – ",
    " — ",
    " - ",
    ", i.e. ",
    ", also ",
    ", d.h. ",
    ", sprich ",
    "; ",
    "... ",
    ", whether ",
    ", egal ",
    ", regardless ",
    ", no matter ",
    ", not counting ",
    ", counting ",
    ", including ",
    ", meaning ",
    ", das heißt ",
    ", und zwar ",
    ", ohne zu ",
    ", auch wenn ",
    ", even if ",
];

/// Fewest words of a question.
const FEWEST_WORDS: usize = 2;

/// The question without its asides, from the fewest left out to the most.
pub(super) fn cuts(question: &str) -> Vec<Cut> {
    let mut cuts: Vec<Cut> = Vec::new();
    cuts.extend(with_condition(question.trim()));
    let mut left = question.trim().to_owned();
    let mut dropped: Vec<String> = Vec::new();
    for cut in [without_parentheses, without_address, main_sentence, before_dash] {
        let Some((shorter, gone)) = cut(&left) else { continue };
        if words::value_words(&shorter).len() < FEWEST_WORDS {
            continue;
        }
        dropped.push(gone);
        left = shorter;
        cuts.push(Cut { question: left.clone(), dropped: dropped.join(" ") });
    }
    cuts
}

/// `runs per host (all of them)`
fn without_parentheses(text: &str) -> Option<(String, String)> {
    let open = text.find(" (")?;
    let close = open + text[open..].find(')')?;
    let left = format!("{}{}", &text[..open], &text[close + 1..]);
    Some((left, text[open + 2..close].to_owned()))
}

/// `hey, how much`, `ok for the report: how many`
fn without_address(text: &str) -> Option<(String, String)> {
    let (address, rest) = match text.split_once(": ") {
        Some((address, rest)) if words::value_words(rest).len() > 2 => (address, rest),
        _ => text.split_once(", ").filter(|(address, _)| words::value_words(address).len() == 1)?,
    };
    Some((rest.trim().to_owned(), address.to_owned()))
}

/// Of several sentences the first that asks, else the first.
fn main_sentence(text: &str) -> Option<(String, String)> {
    let sentences = sentences(text);
    if sentences.len() < 2 {
        return None;
    }
    let main = sentences.iter().position(|sentence| sentence.ends_with('?')).unwrap_or(0);
    let others: Vec<&str> =
        sentences.iter().enumerate().filter(|(at, _)| *at != main).map(|(_, other)| *other).collect();
    Some((sentences[main].to_owned(), others.join(" ")))
}

/// Beginnings of a sentence that says of what another asks.
const ONLY: &[&str] = &[
    "only count ",
    "count only ",
    "please only count ",
    "just count ",
    "count just ",
    "only include ",
    "include only ",
    "only consider ",
    "consider only ",
    "only look at ",
    "only those ",
    "only the ones ",
    "only the ",
    "only ",
    "just the ",
    "i only mean ",
    "i mean only ",
    "bitte nur ",
    "zähle nur ",
    "nur diejenigen, ",
    "nur die, ",
    "nur die ",
    "nur ",
];

/// Words of it behind which the condition stands.
const RELATIVES: &[&str] =
    &[" who ", " that ", " which ", " whose ", " with ", " where ", ", die ", ", der ", ", das ", " mit "];

/// `How many minutes did it take? Only count the patients who attended.`: the question with that condition.
fn with_condition(text: &str) -> Option<Cut> {
    let sentences = sentences(text);
    let [main, condition] = sentences.as_slice() else { return None };
    let bare = condition.trim_end_matches(['.', '!', '?']);
    let low = bare.to_lowercase();
    let only = ONLY.iter().find(|only| low.starts_with(**only))?;
    let rest = bare.get(only.len()..)?;
    let behind =
        RELATIVES.iter().filter_map(|relative| rest.find(relative).map(|at| at + relative.len())).min();
    let said = rest[behind.unwrap_or(0)..].trim();
    let question = format!("{}, {said}", main.trim_end_matches(['.', '!', '?']));
    let is_enough = !said.is_empty() && words::value_words(main).len() >= FEWEST_WORDS;
    is_enough.then(|| Cut { question, dropped: String::new() })
}

/// Sentences end where a sign is followed by a capital letter, unless a short word with a point stands there: `Mr. Donnelly`.
fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let signs = text.char_indices().filter(|(_, letter)| matches!(letter, '.' | '?' | '!'));
    for (at, sign) in signs {
        let before = text[start..at].rsplit(' ').next().unwrap_or("");
        let mut after = text[at + 1..].chars();
        let is_end = after.next() == Some(' ')
            && (sign != '.'
                || before.chars().count() > 3 && !before.ends_with(|last: char| last.is_ascii_digit()))
            && (sign != '.' || after.next().is_some_and(char::is_uppercase));
        if is_end {
            found.push(text[start..=at].trim());
            start = at + 1;
        }
    }
    if !text[start..].trim().is_empty() {
        found.push(text[start..].trim());
    }
    found
}

/// `how many missed it – number of pupils`: what stands before, unless the question only begins behind.
fn before_dash(text: &str) -> Option<(String, String)> {
    let (at, sign) = DASHES.iter().filter_map(|sign| Some((text.find(sign)?, sign))).min()?;
    let (before, after) = (&text[..at], &text[at + sign.len()..]);
    let asks = |part: &str| part.ends_with('?') && tokens::asks(part);
    if asks(after) && !tokens::asks(before) {
        return Some((after.to_owned(), before.to_owned()));
    }
    Some((before.to_owned(), after.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(question: &str) -> Vec<String> {
        cuts(question).into_iter().map(|cut| cut.question).collect()
    }

    #[test]
    fn a_question_loses_its_asides_one_after_the_other() {
        assert_eq!(
            left("Which members have no subs at all? I need to chase them."),
            ["Which members have no subs at all?"]
        );
        assert_eq!(left("hey, how much did we pay in total?"), ["how much did we pay in total?"]);
        assert_eq!(left("lines per program (sshd, CRON and so on)"), ["lines per program"]);
        assert_eq!(
            left("Revenue per city – I mean net (without tax)"),
            ["Revenue per city – I mean net", "Revenue per city"]
        );
        assert_eq!(
            left("How long did it take? Only count the patients who attended.")[0],
            "How long did it take, attended"
        );
        assert_eq!(left("What did Mr. Donnelly pay?"), Vec::<String>::new());
        assert_eq!(left("How many were sold on 3. March?"), Vec::<String>::new());
    }
}
