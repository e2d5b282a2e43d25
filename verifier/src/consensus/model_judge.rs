//! A [`Judge`] over any [`LanguageModel`].

use std::fmt::Write as _;
use std::sync::{Arc, LazyLock};

use async_trait::async_trait;
use frlm_inference::{Constraint, GenerationRequest, LanguageModel, Sampling};
use serde_json::{Value, json};

use super::judge::{Arbitration, Assessment, Judge, JudgeError};
use crate::request::OriginalTask;
use crate::template::{Template, quoted};

/// A text longer than this is cut before a judge reads it.
const MOST_CHARS: usize = 4_000;
/// So much of a task is read: the text that a fragment's answer is about belongs to it.
const MOST_TASK_CHARS: usize = 12_000;
/// The temperature of comparisons (seeds/verifier-block.md, `calculate_semantic_similarity`).
const COMPARING: f64 = 0.1;
/// The temperature of assessments (`llm_validation`).
const ASSESSING: f64 = 0.2;
/// The temperature of arbitration (`llm_arbitration`).
const ARBITRATING: f64 = 0.3;

static SIMILARITY: LazyLock<Template> =
    LazyLock::new(|| shipped(include_str!("../../prompts/similarity.txt")));
static PHRASING: LazyLock<Template> = LazyLock::new(|| shipped(include_str!("../../prompts/phrasing.txt")));
static ARBITRATION: LazyLock<Template> =
    LazyLock::new(|| shipped(include_str!("../../prompts/arbitration.txt")));
static ASSESSMENT: LazyLock<Template> =
    LazyLock::new(|| shipped(include_str!("../../prompts/assessment.txt")));

fn shipped(text: &str) -> Template {
    Template::parse(text).expect("the shipped templates are read by a test")
}

/// A judge that asks a model. Answers come back under a JSON schema where the engine enforces one,
/// and are read leniently where it does not.
#[derive(Debug, Clone)]
pub struct ModelJudge {
    model: Arc<dyn LanguageModel>,
}

impl ModelJudge {
    /// A judge over this model.
    pub fn new(model: Arc<dyn LanguageModel>) -> Self {
        Self { model }
    }

    async fn ask(
        &self,
        template: &Template,
        values: &[(&str, &str)],
        temperature: f64,
        max_tokens: usize,
        schema: Value,
    ) -> Result<Value, JudgeError> {
        let prompt = template.fill(values).map_err(|error| JudgeError::Unusable(error.to_string()))?;
        let mut request = GenerationRequest::greedy(prompt, max_tokens);
        request.sampling = Sampling { temperature, top_p: None, top_k: None };
        if self.model.info().constraints {
            request.constraint = Some(Constraint::JsonSchema(schema));
        }
        let answer =
            self.model.generate(request).await.map_err(|error| JudgeError::Model(error.to_string()))?;
        read_object(&answer.text)
    }

    async fn one_way(&self, first: &str, second: &str) -> Result<f64, JudgeError> {
        let (first, second) = (quoted(first, MOST_CHARS), quoted(second, MOST_CHARS));
        let ruling = self
            .ask(
                &SIMILARITY,
                &[("first", &first), ("second", &second)],
                COMPARING,
                24,
                scores(&["similarity"]),
            )
            .await?;
        score(&ruling, "similarity")
    }
}

#[async_trait]
impl Judge for ModelJudge {
    async fn similarity(&self, left: &str, right: &str) -> Result<f64, JudgeError> {
        // What is cut before the end may say the opposite there: nobody has read that it means the same.
        if is_cut(left) || is_cut(right) {
            return Ok(0.0);
        }
        // Models favour what stands first: both orders are asked and the mean is taken.
        let forth = self.one_way(left, right).await?;
        let back = self.one_way(right, left).await?;
        Ok(f64::midpoint(forth, back))
    }

    async fn best_phrasing(&self, answers: &[&str]) -> Result<usize, JudgeError> {
        let listed = numbered(answers.iter().map(|answer| quoted(answer, MOST_CHARS)));
        let schema = json!({"type": "object", "required": ["best"], "additionalProperties": false,
            "properties": {"best": {"type": "integer", "minimum": 1, "maximum": answers.len()}}});
        let ruling = self.ask(&PHRASING, &[("answers", &listed)], COMPARING, 24, schema).await?;
        position(&ruling, "best", answers.len())
    }

    async fn arbitrate(&self, query: &str, answers: &[(&str, &str)]) -> Result<Arbitration, JudgeError> {
        // Nor that it is right.
        if answers.iter().any(|(answer, _)| is_cut(answer)) {
            return Err(JudgeError::Unusable("an answer is too long to be read to its end".to_owned()));
        }
        let listed = numbered(answers.iter().map(|(answer, reasoning)| {
            format!("{} Reasoning: {}", quoted(answer, MOST_CHARS), quoted(reasoning, MOST_CHARS))
        }));
        let task = quoted(query, MOST_CHARS);
        let schema = json!({"type": "object", "required": ["chosen", "reasoning", "confidence"],
            "additionalProperties": false, "properties": {
                "chosen": {"type": "integer", "minimum": 1, "maximum": answers.len()},
                "reasoning": {"type": "string", "maxLength": 500},
                "confidence": {"type": "number", "minimum": 0, "maximum": 1}}});
        let ruling = self
            .ask(&ARBITRATION, &[("task", &task), ("answers", &listed)], ARBITRATING, 512, schema)
            .await?;
        Ok(Arbitration {
            chosen: position(&ruling, "chosen", answers.len())?,
            reasoning: words(&ruling),
            confidence: score(&ruling, "confidence")?,
        })
    }

    async fn assess(&self, task: &OriginalTask, answer: &str) -> Result<Assessment, JudgeError> {
        const FIGURES: [&str; 5] = ["correctness", "completeness", "clarity", "format", "overall"];
        let (query, domain) = (quoted(&task.query, MOST_TASK_CHARS), quoted(&task.domain, 100));
        let answer = quoted(answer, MOST_CHARS);
        let task_type = format!("{:?}", task.task_type);
        let values =
            [("task", query.as_str()), ("task_type", &task_type), ("domain", &domain), ("answer", &answer)];
        let mut schema = scores(&FIGURES);
        schema["properties"]["reasoning"] = json!({"type": "string", "maxLength": 500});
        let ruling = self.ask(&ASSESSMENT, &values, ASSESSING, 256, schema).await?;
        Ok(Assessment {
            correctness: score(&ruling, "correctness")?,
            completeness: score(&ruling, "completeness")?,
            clarity: score(&ruling, "clarity")?,
            format: score(&ruling, "format")?,
            overall: score(&ruling, "overall")?,
            reasoning: words(&ruling),
        })
    }
}

/// Whether a judge would not read a text to its end.
fn is_cut(text: &str) -> bool {
    text.chars().nth(MOST_CHARS).is_some()
}

fn numbered(answers: impl Iterator<Item = String>) -> String {
    let mut listed = String::new();
    for (number, answer) in (1..).zip(answers) {
        // Writing to a string cannot fail.
        let _ = writeln!(listed, "Answer {number}: {answer}");
    }
    listed.trim_end().to_owned()
}

fn scores(names: &[&str]) -> Value {
    let properties: serde_json::Map<String, Value> = names
        .iter()
        .map(|name| ((*name).to_owned(), json!({"type": "number", "minimum": 0, "maximum": 1})))
        .collect();
    json!({"type": "object", "required": names, "properties": properties, "additionalProperties": false})
}

/// The only JSON object in a model's text. Several are a fake verdict waiting to be believed.
pub(crate) fn read_object(text: &str) -> Result<Value, JudgeError> {
    let unusable = |why: &str| JudgeError::Unusable(format!("{why}: {}", quoted(text, 120)));
    let from = text.find('{').ok_or_else(|| unusable("no JSON object"))?;
    let mut objects = serde_json::Deserializer::from_str(&text[from..]).into_iter::<Value>();
    let object = match objects.next() {
        Some(Ok(object)) => object,
        Some(Err(error)) => return Err(unusable(&error.to_string())),
        None => return Err(unusable("no JSON object")),
    };
    if text[from + objects.byte_offset()..].contains('{') {
        return Err(unusable("more than one JSON object"));
    }
    Ok(object)
}

fn score(ruling: &Value, name: &str) -> Result<f64, JudgeError> {
    ruling
        .get(name)
        .and_then(Value::as_f64)
        .filter(|score| (0.0..=1.0).contains(score))
        .ok_or_else(|| JudgeError::Unusable(format!("{name} is not a number from 0 to 1")))
}

fn position(ruling: &Value, name: &str, count: usize) -> Result<usize, JudgeError> {
    ruling
        .get(name)
        .and_then(Value::as_u64)
        .and_then(|number| usize::try_from(number).ok())
        .filter(|number| (1..=count).contains(number))
        .map(|number| number - 1)
        .ok_or_else(|| JudgeError::Unusable(format!("{name} is not one of 1 to {count}")))
}

fn words(ruling: &Value) -> String {
    ruling.get("reasoning").and_then(Value::as_str).unwrap_or_default().chars().take(500).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use frlm_inference::scripted::ScriptedModel;
    use futures::executor::block_on;
    use proptest::prelude::*;

    use super::super::CachedJudge;
    use super::*;

    fn judge(answer: impl Fn(&str) -> String + Send + Sync + 'static) -> ModelJudge {
        ModelJudge::new(Arc::new(ScriptedModel::new("judge", answer)))
    }

    #[test]
    fn the_shipped_templates_have_the_slots_that_code_fills() {
        let slots = |template: &Template| template.slots().map(str::to_owned).collect::<Vec<_>>().join(" ");
        assert_eq!(slots(&SIMILARITY), "first second");
        assert_eq!(slots(&PHRASING), "answers");
        assert_eq!(slots(&ARBITRATION), "task answers");
        assert_eq!(slots(&ASSESSMENT), "task task_type domain answer");
    }

    #[test]
    fn order_bias_is_cancelled_and_a_pair_is_asked_about_once() {
        let asked = Arc::new(Mutex::new(0));
        let count = Arc::clone(&asked);
        // Likes whatever stands first to be «a».
        let judge = CachedJudge::new(judge(move |prompt| {
            *count.lock().unwrap() += 1;
            let biased = prompt.contains("First answer: \"a\"");
            format!("{{\"similarity\": {}}}", if biased { 1.0 } else { 0.6 })
        }));
        let forth = block_on(judge.similarity("a", "b")).unwrap();
        let back = block_on(judge.similarity("b", "a")).unwrap();
        assert!((forth - 0.8).abs() < 1e-9 && (forth - back).abs() < f64::EPSILON);
        assert_eq!((*asked.lock().unwrap(), judge.hits(), judge.misses()), (2, 1, 1));
    }

    #[test]
    fn what_a_judge_cannot_read_to_its_end_means_nothing_the_same() {
        let judge = judge(|_| "{\"similarity\": 1.0}".to_owned());
        let read = "ö".repeat(MOST_CHARS);
        assert_eq!(block_on(judge.similarity("short", &read)), Ok(1.0));
        let with_a_lie_behind = format!("{read} and none of that is so");
        assert_eq!(block_on(judge.similarity(&read, &with_a_lie_behind)), Ok(0.0));
        assert_eq!(block_on(judge.similarity(&with_a_lie_behind, &read)), Ok(0.0));
    }

    #[test]
    fn who_cannot_read_an_answer_to_its_end_does_not_say_that_it_is_right() {
        let judge = judge(|_| "{\"chosen\": 1, \"reasoning\": \"\", \"confidence\": 1.0}".to_owned());
        let read = "ö".repeat(MOST_CHARS);
        assert!(block_on(judge.arbitrate("Why?", &[(&read, ""), ("snow", "")])).is_ok());
        let with_a_lie_behind = format!("{read} and none of that is so");
        let ruling = block_on(judge.arbitrate("Why?", &[(&with_a_lie_behind, ""), ("snow", "")]));
        assert!(matches!(ruling, Err(JudgeError::Unusable(_))));
    }

    #[test]
    fn a_ruling_outside_its_bounds_is_no_ruling() {
        for text in [
            "",
            "0.9",
            "{\"similarity\": 2}",
            "{\"similarity\": \"1\"}",
            "{\"similarity\": 1} {\"similarity\": 0}",
        ] {
            let text = text.to_owned();
            let judge = judge(move |_| text.clone());
            assert!(matches!(block_on(judge.similarity("a", "b")), Err(JudgeError::Unusable(_))));
        }
        let judge = judge(|_| "{\"best\": 3}".to_owned());
        assert!(block_on(judge.best_phrasing(&["a", "b"])).is_err());
    }

    #[test]
    fn an_arbiter_is_not_told_who_is_confident_or_fit() {
        let seen = Arc::new(Mutex::new(String::new()));
        let prompt = Arc::clone(&seen);
        let judge = judge(move |text| {
            text.clone_into(&mut prompt.lock().unwrap());
            "{\"chosen\": 2, \"reasoning\": \"it adds up\", \"confidence\": 0.7}".to_owned()
        });
        let ruling = block_on(judge.arbitrate("6 x 7?", &[("41", "guess"), ("42", "6 x 7")])).unwrap();
        assert_eq!((ruling.chosen, ruling.reasoning.as_str()), (1, "it adds up"));
        let prompt = seen.lock().unwrap().to_lowercase();
        assert!(!prompt.contains("fitness") && !prompt.contains("node_type"), "{prompt}");
    }

    proptest! {
        #[test]
        fn no_model_output_panics(text in "\\PC{0,120}", json in "[{}\\[\\]\":,a-z0-9. ]{0,60}") {
            for output in [text, json] {
                let judge = judge(move |_| output.clone());
                let _ = block_on(judge.similarity("a", "b"));
                let _ = block_on(judge.best_phrasing(&["a", "b"]));
                let _ = block_on(judge.arbitrate("q", &[("a", ""), ("b", "")]));
            }
        }
    }
}
