//! The final sentence of a question in parts, by the small model (function 5).
//!
//! ```text
//!   say                                          5 orders of user mara are shipped
//!   how many orders of user mara are shipped ─►                  │
//!   5                                              code: the same words, the value at its place
//! ```
//!
//! One clause for each part, so that no value can come to stand with another part; code joins them. A clause counts if,
//! but for words of grammar, it is the question's own words in their order with the verified value where such a question
//! has it. If one does not count, there is no sentence, and the answer is shown as it is. The prompt is what
//! `assets/model/training/brain_say.py` writes: the two change together.

use std::time::Duration;

use frlm_inference::GenerationRequest;
use frlm_util::text::collapse_whitespace;
use tokio::time::Instant;

use super::SmallModel;
use crate::question::singular;

/// Tokens of a clause.
const MOST_TOKENS: usize = 96;
/// Characters of a part with its value: it has learned from shorter ones.
const LONGEST: usize = 200;

/// Words that a statement may have and a question not, or the other way round.
const GRAMMAR: [&str; 13] =
    ["is", "are", "was", "were", "there", "the", "do", "did", "does", "we", "have", "has", "had"];

/// The same where "the log" is asked what it shows: somebody else may be called "log".
const OF_THE_LOG: [&str; 3] = ["log", "show", "showed"];

/// Words behind what is counted.
const PREPOSITIONS: [&str; 10] = ["of", "for", "with", "from", "by", "in", "at", "on", "that", "which"];

/// Verbs that stand before the value of "what is …".
const BEFORE_VALUE: [&str; 2] = ["is", "was"];

/// The parts' answers in one sentence: each part in plain words with its one value. All of them together may take as long
/// as `timeout`. The error says which clause does not count, or that none came.
pub async fn sentence(
    model: &SmallModel,
    parts: &[(String, String)],
    timeout: Duration,
) -> Result<String, String> {
    let mut clauses = Vec::with_capacity(parts.len());
    let began = Instant::now();
    for (question, value) in parts {
        // A line break would begin another part of the prompt.
        let (question, value) = (small(&collapse_whitespace(question)), collapse_whitespace(value));
        if question.chars().count() + value.chars().count() > LONGEST {
            return Err("a part is too long for it".to_owned());
        }
        let said = {
            let request = GenerationRequest::greedy(format!("say\n{question}\n{value}"), MOST_TOKENS);
            model.write(request, timeout.saturating_sub(began.elapsed())).await?
        };
        let said = collapse_whitespace(&said);
        if !stands(&question, &value, &said) {
            return Err(format!(
                "\"{}\" is not what was found",
                said.chars().take(LONGEST).collect::<String>()
            ));
        }
        clauses.push(said);
    }
    Ok(format!("In short: {}.", joined(&clauses)))
}

/// `a`, `a, and b`, `a, b, and c`.
fn joined(clauses: &[String]) -> String {
    match clauses {
        [most @ .., last] if !most.is_empty() => format!("{}, and {last}", most.join(", ")),
        few => few.concat(),
    }
}

/// "How many …" begins small within a prompt.
fn small(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_lowercase);
    format!("{}{}", first.into_iter().flatten().collect::<String>(), letters.as_str())
}

/// Whether a clause says that this is the answer to the question, and nothing else.
fn stands(question: &str, value: &str, clause: &str) -> bool {
    let asked: Vec<&str> = question.trim_end_matches(['?', '.', ':']).split(' ').collect();
    let clause: Vec<&str> = clause.split(' ').collect();
    let value: Vec<&str> = value.split(' ').collect();
    match asked.as_slice() {
        ["how", "many", rest @ ..] | ["count", rest @ ..] => counted(rest, &value, &clause),
        // The value stands behind the noun: "user mara has …".
        ["which", noun, rest @ ..] => match clause.as_slice() {
            [first, behind @ ..] if first == noun => {
                behind.strip_prefix(value.as_slice()).is_some_and(|behind| same(rest, behind, false))
            }
            _ => false,
        },
        // At the end: "the status of order 40117 is paid".
        ["what", verb, rest @ ..] if BEFORE_VALUE.contains(verb) => {
            let before = clause.strip_suffix(value.as_slice()).unwrap_or_default();
            before.last().is_some_and(|last| BEFORE_VALUE.contains(last)) && same(rest, before, false)
        }
        _ => false,
    }
}

/// Before what was counted: "there are 5 orders …".
fn counted(rest: &[&str], value: &[&str], clause: &[&str]) -> bool {
    let opens = |word: &str| GRAMMAR.contains(&word) || says_log(rest) && OF_THE_LOG.contains(&word);
    let Some(at) = clause.iter().position(|word| !opens(word)) else { return false };
    let (before, behind) = clause.split_at(at);
    let Some(behind) = behind.strip_prefix(value) else { return false };
    // "5 are orders" would say it, but not well.
    let next = behind.first().is_some_and(|word| !opens(word));
    next && same(rest, &[before, behind].concat(), value == ["1"])
}

/// Whether a question asks what the log shows.
fn says_log(asked: &[&str]) -> bool {
    asked.windows(3).any(|words| words == ["the", "log", "show"])
}

/// Whether these are the same words in the same order, grammar left aside. `of_one`: "1 order" for orders; nothing that
/// stands behind what is counted may lose its end: "user james" is not "user jame".
fn same(asked: &[&str], said: &[&str], of_one: bool) -> bool {
    let log = says_log(asked);
    let is_grammar = |word: &str| GRAMMAR.contains(&word) || log && OF_THE_LOG.contains(&word);
    let bare = |words: &[&str]| -> Vec<String> {
        words.iter().filter(|word| !is_grammar(word)).map(|word| (*word).to_owned()).collect()
    };
    let counted = asked.iter().skip_while(|word| is_grammar(word));
    let counted = counted.take_while(|word| !is_grammar(word) && !PREPOSITIONS.contains(*word)).count();
    let (asked, said) = (bare(asked), bare(said));
    let fits = |(at, (asked, said)): (usize, (&String, &String))| {
        asked == said || of_one && at < counted && singular(asked).as_ref() == Some(said)
    };
    asked.len() == said.len() && asked.iter().zip(&said).enumerate().all(fits)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use frlm_inference::scripted::ScriptedModel;

    use super::*;

    #[test]
    fn the_questions_words_with_the_value_at_its_place_stand() {
        for (question, value, clause) in [
            ("how many orders of user mara are shipped", "5", "5 orders of user mara are shipped"),
            ("how many orders of user mara are shipped", "1", "1 order of user mara is shipped"),
            ("how many failed orders are there", "12", "there are 12 failed orders"),
            ("how many failed orders are there", "1", "there is 1 failed order"),
            ("how many orders of user james are shipped", "1", "1 order of user james is shipped"),
            ("how many orders of user log are shipped", "5", "5 orders of user log are shipped"),
            ("what is the smallest balance", "-3.50 EUR", "the smallest balance is -3.50 EUR"),
            ("what is the last date", "2026-03-04", "the last date is 2026-03-04"),
            ("what is the city of order 7", "The Hague", "the city of order 7 is The Hague"),
            (
                "which user has the most failed orders",
                "has the floor",
                "user has the floor has the most failed orders",
            ),
            ("how many errors did the log show for user mara", "7", "the log showed 7 errors for user mara"),
            ("count the paid orders", "3", "there are 3 paid orders"),
            ("which user has the most failed orders", "mara", "user mara has the most failed orders"),
            ("what is the status of order 40117", "paid", "the status of order 40117 is paid"),
            ("what was the largest amount", "1,204.50 EUR", "the largest amount was 1,204.50 EUR"),
            ("what is the number of paid orders", "3", "the number of paid orders is 3"),
        ] {
            assert!(stands(question, value, clause), "{clause}");
        }
    }

    #[test]
    fn another_value_another_word_and_another_place_do_not() {
        for (question, value, clause) in [
            ("how many orders of user mara are shipped", "5", "6 orders of user mara are shipped"),
            ("how many orders of user mara are shipped", "5", "5 orders of user omar are shipped"),
            ("how many orders of user mara are shipped", "5", "5 orders of user mara are not shipped"),
            ("how many orders of user mara are shipped", "5", "5 orders of user mara"),
            ("how many orders of user mara are shipped", "5", "orders of user mara 5 are shipped"),
            ("how many orders of user mara are shipped", "5", "5 5 orders of user mara are shipped"),
            ("how many orders of user mara are shipped", "5", "at least 5 orders of user mara are shipped"),
            ("how many orders of user james are shipped", "1", "1 order of user jame is shipped"),
            ("how many orders did user james have", "1", "1 order did user jame have"),
            ("how many orders of user log are shipped", "5", "5 orders of user are shipped"),
            ("what is the smallest balance", "-3.50 EUR", "the smallest balance is 3.50 EUR"),
            ("what is the smallest balance", "3.50 EUR", "the smallest balance is 3.50 USD"),
            ("what is the city of order 7", "The Hague", "the city of order 7 is Hague"),
            ("how many orders of user mara are shipped", "5", ""),
            ("how many orders of user mara are shipped", "5", "5"),
            ("which user has the most failed orders", "mara", "mara has the most failed orders of user"),
            ("which user has the most failed orders", "mara", "user omar has the most failed orders"),
            ("which user has the most failed orders", "mara", "user mara has the most orders"),
            ("what is the status of order 40117", "paid", "the status of order 40118 is paid"),
            ("what is the status of order 40117", "paid", "the status of order paid is 40117"),
            ("what is the status of order 40117", "paid", "the status is paid"),
            ("what is the largest amount", "12.50", "the largest amount is 12.5"),
            ("list the failed orders", "3", "list the failed orders 3"),
        ] {
            assert!(!stands(question, value, clause), "{clause}");
        }
    }

    async fn said(answer: fn(&str) -> String) -> Result<String, String> {
        let model = SmallModel::of(Arc::new(ScriptedModel::new("small", answer)));
        let parts = [
            ("Which user has the most failed orders".to_owned(), "mara".to_owned()),
            ("how many orders of user mara are shipped".to_owned(), "5".to_owned()),
        ];
        sentence(&model, &parts, Duration::from_mins(1)).await
    }

    fn right(prompt: &str) -> String {
        match prompt {
            "say\nwhich user has the most failed orders\nmara" => "user mara has the most failed orders",
            "say\nhow many orders of user mara are shipped\n5" => "5 orders of user mara are shipped",
            other => panic!("{other}"),
        }
        .to_owned()
    }

    #[tokio::test]
    async fn clauses_that_stand_are_joined_and_one_that_does_not_leaves_none() {
        let sentence = said(right).await.unwrap();
        assert_eq!(
            sentence,
            "In short: user mara has the most failed orders, and 5 orders of user mara are shipped."
        );
        let error = said(|prompt| right(prompt).replace('5', "50")).await.unwrap_err();
        assert!(error.contains("50 orders"), "{error}");
        assert!(said(|_| String::new()).await.is_err());
    }
}
