//! A question in parts, by the small model (function 2).
//!
//! ```text
//!   split user, order, amount, status
//!   Whoever has the most failed orders, how many errors did the log show for them?
//!   ─►
//!   [["which user has the most failed orders",0],["how many errors did the log show for that user",1]]
//! ```
//!
//! The number is that of the part that one waits for. The prompt is what `assets/model/training/brain_split.py` writes: the
//! two change together.

use std::time::Duration;

use frlm_inference::{GenerationRequest, Sampling};
use frlm_util::text::collapse_whitespace;
use tokio::time::Instant;

use super::SmallModel;
use crate::ingest::Fragment;
use crate::question::FieldHints;
use crate::question::compile::named_fields;
use crate::question::compound::{Compound, MOST_PARTS};

/// Characters of a question that it is asked about: it has learned from shorter ones.
const LONGEST_QUESTION: usize = 700;
/// Names of fields that it is told.
const MOST_FIELDS: usize = 10;
/// Tokens of a plan.
const MOST_TOKENS: usize = 400;
/// How often it is asked: told why not, it could make nothing of that, but of several tries one may be right, and code
/// can tell.
const ATTEMPTS: usize = 6;
/// How the tries after the first are drawn.
const DRAWN: Sampling = Sampling { temperature: 0.6, top_p: Some(0.95), top_k: None };

/// What the model proposes, if that stands every check; otherwise what is wrong with its likeliest proposal.
pub async fn split(
    model: &SmallModel,
    question: &str,
    fragments: &[Fragment],
    hints: &FieldHints,
    timeout: Duration,
) -> Result<Compound, String> {
    let prompt = prompt(question, hints).ok_or_else(|| "the question is too long for it".to_owned())?;
    let mut request = GenerationRequest::greedy(prompt, MOST_TOKENS);
    let mut wrong: Vec<(String, String)> = Vec::new();
    let began = Instant::now();
    for _ in 0..ATTEMPTS {
        let text = match model.write(request.clone(), timeout.saturating_sub(began.elapsed())).await {
            Ok(text) => text,
            Err(silent) if wrong.is_empty() => return Err(silent),
            Err(_) => break,
        };
        request.sampling = DRAWN;
        if wrong.iter().any(|(before, _)| *before == text) {
            continue;
        }
        match checked(&text, question, fragments) {
            Ok(compound) => return Ok(compound),
            Err(why) => wrong.push((text, why)),
        }
    }
    let likeliest = wrong.into_iter().next().map(|(_, why)| why);
    Err(likeliest.unwrap_or_else(|| "it says nothing".to_owned()))
}

/// A plan in the model's words, if nothing is wrong with it.
fn checked(text: &str, question: &str, fragments: &[Fragment]) -> Result<Compound, String> {
    let parts = read(text)?;
    let texts: Vec<String> = parts.iter().map(|(text, _)| text.clone()).collect();
    let compound =
        Compound::of_close_parts(question, &texts, fragments).map_err(|error| error.to_string())?;
    for ((number, part), (_, said)) in (1..).zip(&compound.parts).zip(&parts) {
        let found = part.needs.as_ref().map_or(0, |need| need.part + 1);
        if found != *said {
            return Err(format!(
                "it has subtask {number} wait for {}, by its words that is {}",
                named(*said),
                named(found)
            ));
        }
    }
    Ok(compound)
}

fn named(part: usize) -> String {
    if part == 0 { "none".to_owned() } else { format!("subtask {part}") }
}

/// `None` where there is too much of it.
fn prompt(question: &str, hints: &FieldHints) -> Option<String> {
    // A line break would begin another part of the prompt.
    let question = collapse_whitespace(question);
    if question.chars().count() > LONGEST_QUESTION {
        return None;
    }
    let mut names = named_fields(hints);
    names.truncate(MOST_FIELDS);
    Some(format!("split {}\n{question}", names.join(", ")))
}

/// The parts, and the number of the one that each waits for.
fn read(text: &str) -> Result<Vec<(String, usize)>, String> {
    let parts: Vec<(String, usize)> =
        serde_json::from_str(text.trim()).map_err(|_| "what it says is no plan".to_owned())?;
    if !(2..=MOST_PARTS).contains(&parts.len()) {
        return Err(format!("a plan has 2 to {MOST_PARTS} subtasks, and this one has {}", parts.len()));
    }
    match (1..).zip(&parts).find(|(number, (_, needs))| needs >= number) {
        Some((number, (_, needs))) => {
            Err(format!("subtask {number} waits for subtask {needs}, which is not before it"))
        }
        None => Ok(parts),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use frlm_inference::scripted::ScriptedModel;

    use super::*;
    use crate::dialect::testing::{ORDERS, SHOP, fragment};
    use crate::question::field_hints;

    const QUESTION: &str = "Whoever has the most failed orders,\nhow many errors did the log show for them?";
    const PLAN: &str = r#"[["which user has the most failed orders",0],["how many errors did the log show for that user",1]]"#;

    async fn proposed(question: &str, says: &'static str) -> (Result<Compound, String>, Vec<String>) {
        let prompts: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = Arc::clone(&prompts);
        let model = SmallModel::of(Arc::new(ScriptedModel::new("small", move |prompt| {
            seen.lock().unwrap().push(prompt.to_owned());
            says.to_owned()
        })));
        let fragments = [fragment("orders.log", ORDERS), fragment("shop.log", SHOP)];
        let hints = field_hints(&fragments);
        let compound = split(&model, question, &fragments, &hints, Duration::from_mins(1)).await;
        let prompts = prompts.lock().unwrap().clone();
        (compound, prompts)
    }

    #[tokio::test]
    async fn a_plan_that_asks_what_the_question_asks_counts() {
        let (compound, prompts) = proposed(QUESTION, PLAN).await;
        let compound = compound.unwrap();
        assert_eq!(compound.parts[1].needs.as_ref().map(|need| need.part), Some(0));
        let [prompt] = prompts.as_slice() else { panic!("it was right at once: {prompts:?}") };
        let (first, second) = prompt.split_once('\n').unwrap();
        assert!(first.starts_with("split ") && first.contains("status") && first.contains("user"), "{first}");
        assert_eq!(second, "Whoever has the most failed orders, how many errors did the log show for them?");
    }

    #[tokio::test]
    async fn what_is_no_plan_is_named_and_does_not_count() {
        for (says, why) in [
            ("", "no plan"),
            ("which user has the most failed orders", "no plan"),
            (r#"[["which user has the most failed orders",0]]"#, "has 1"),
            (
                r#"[["how many errors did the log show for that user",2],["which user has the most failed orders",0]]"#,
                "not before",
            ),
            (
                r#"[["which user has the most failed orders",1],["how many errors did the log show for that user",1]]"#,
                "not before",
            ),
            (
                r#"[["which user has the most failed orders",0],["how many errors did the log show for that user",0]]"#,
                "by its words that is subtask 1",
            ),
            (
                r#"[["which user has the most refunded orders",0],["how many errors did the log show for that user",1]]"#,
                "refunded",
            ),
            (
                r#"[["which user has the most failed orders",0],["how many errors did the log show",0]]"#,
                "not what the question asks",
            ),
        ] {
            let (error, prompts) = proposed(QUESTION, says).await;
            let error = error.unwrap_err();
            assert_eq!(prompts.len(), ATTEMPTS);
            assert!(error.contains(why), "{says}: {error}");
        }
    }

    #[tokio::test]
    async fn of_several_tries_the_first_that_stands_counts() {
        let tries = Arc::new(Mutex::new(vec![PLAN, "no plan", "none either"]));
        let model = SmallModel::of(Arc::new(ScriptedModel::new("small", move |_| {
            tries.lock().unwrap().pop().unwrap_or_default().to_owned()
        })));
        let fragments = [fragment("orders.log", ORDERS), fragment("shop.log", SHOP)];
        let hints = field_hints(&fragments);
        let compound = split(&model, QUESTION, &fragments, &hints, Duration::from_mins(1)).await;
        assert_eq!(compound.unwrap().parts.len(), 2);
    }

    #[tokio::test]
    async fn a_question_longer_than_it_has_learned_from_is_not_put_to_it() {
        let long = format!("{QUESTION} {}", "Please. ".repeat(100));
        let (compound, prompts) = proposed(&long, PLAN).await;
        assert!(compound.unwrap_err().contains("too long") && prompts.is_empty());
    }
}
