//! A [`Judge`] over any [`LanguageModel`].

#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::sync::{Arc, LazyLock};

use async_trait::async_trait;
use frlm_inference::tokens::estimate_tokens;
use frlm_inference::{Constraint, GenerationRequest, LanguageModel, ModelError, Sampling};
use serde_json::{Value, json};

use super::judge::{Arbitration, Assessment, Judge, JudgeError};
use super::reading::{Unread, shared};
use crate::request::OriginalTask;
use crate::template::{Template, quoted};

/// What an engine's chat template puts around a prompt, and more.
const CHAT_TOKENS: usize = 64;
/// Tokens for a number, and the JSON around it.
const NUMBER_TOKENS: usize = 24;
/// Tokens of an assessment (seeds/verifier-block.md, `llm_validation`).
const ASSESSMENT_TOKENS: usize = 256;
/// Tokens of a ruling (`llm_arbitration`).
const ARBITRATION_TOKENS: usize = 512;
/// A subject is named in one or two words.
const MOST_DOMAIN_CHARS: usize = 100;
/// How often what a model found too long is made shorter: tokens are estimated.
const MOST_CUTS: usize = 2;
/// What a token is drawn from (seeds/verifier-block.md, `validation_sampling`).
const NUCLEUS: f64 = 0.9;
const MOST_LIKELY: usize = 40;
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
static ASSESSMENT_OF_A_PART: LazyLock<Template> =
    LazyLock::new(|| shipped(include_str!("../../prompts/assessment_of_a_part.txt")));

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
        // Not in OpenAI's own protocol: an endpoint may refuse what it does not know.
        let in_process = self.model.info().weights_hash.is_some();
        let top_k = in_process.then_some(MOST_LIKELY);
        request.sampling = Sampling { temperature, top_p: Some(NUCLEUS), top_k };
        if self.model.info().constraints {
            request.constraint = Some(Constraint::JsonSchema(schema));
        }
        let answer = self.model.generate(request).await.map_err(|error| match error {
            ModelError::TooLong { needed, available } => JudgeError::TooLong { needed, available },
            error => JudgeError::Model(error.to_string()),
        })?;
        read_object(&answer.text)
    }

    /// Tokens that the model has room for beside a template's own text and its answer.
    fn room(&self, template: &Template, answer_tokens: usize) -> usize {
        let fixed: usize = template.fixed_text().map(estimate_tokens).sum();
        self.model.info().context_tokens.saturating_sub(fixed + answer_tokens + CHAT_TOKENS)
    }

    /// Texts, quoted, that the model reads to their ends.
    fn whole(
        &self,
        texts: impl IntoIterator<Item = impl AsRef<str>>,
        template: &Template,
        answer_tokens: usize,
    ) -> Result<Vec<String>, JudgeError> {
        let texts: Vec<String> = texts.into_iter().map(|text| quoted(text.as_ref(), usize::MAX)).collect();
        let needed: usize = texts.iter().map(|text| estimate_tokens(text)).sum();
        let available = self.room(template, answer_tokens);
        if needed > available { Err(JudgeError::TooLong { needed, available }) } else { Ok(texts) }
    }

    async fn one_way(&self, first: &str, second: &str) -> Result<f64, JudgeError> {
        let texts = self.whole([first, second], &SIMILARITY, NUMBER_TOKENS)?;
        let values = [("first", texts[0].as_str()), ("second", &texts[1])];
        let schema = scores(&["similarity"]);
        let ruling = self.ask(&SIMILARITY, &values, COMPARING, NUMBER_TOKENS, schema).await?;
        score(&ruling, "similarity")
    }

    /// Models favour what stands first: both orders are asked and the mean is taken.
    async fn both_ways(&self, left: &str, right: &str) -> Result<f64, JudgeError> {
        let forth = self.one_way(left, right).await?;
        let back = self.one_way(right, left).await?;
        Ok(f64::midpoint(forth, back))
    }

    /// Has as much of a task and its answer assessed as so many tokens hold.
    async fn assess_within(
        &self,
        task: &OriginalTask,
        answer: &str,
        tokens: usize,
    ) -> Result<Assessment, JudgeError> {
        const FIGURES: [&str; 5] = ["correctness", "completeness", "clarity", "format", "overall"];
        let (shown_task, shown_answer) = shared(&task.query, answer, tokens);
        if shown_task.is_nothing() || shown_answer.is_nothing() {
            let needed = estimate_tokens(&task.query) + estimate_tokens(answer);
            return Err(JudgeError::TooLong { needed, available: tokens });
        }
        let unread = Unread { task_chars: shown_task.unread_chars, answer_chars: shown_answer.unread_chars };
        let template: &Template = if unread.is_nothing() { &ASSESSMENT } else { &ASSESSMENT_OF_A_PART };
        let (task_type, domain) = (format!("{:?}", task.task_type), quoted(&task.domain, MOST_DOMAIN_CHARS));
        let values = [
            ("task", shown_task.quoted.as_str()),
            ("task_part", shown_task.extent()),
            ("task_type", &task_type),
            ("domain", &domain),
            ("answer", &shown_answer.quoted),
            ("answer_part", shown_answer.extent()),
        ];
        let mut schema = scores(&FIGURES);
        schema["properties"]["reasoning"] = json!({"type": "string", "maxLength": 500});
        let ruling = self.ask(template, &values, ASSESSING, ASSESSMENT_TOKENS, schema).await?;
        Ok(Assessment {
            correctness: score(&ruling, "correctness")?,
            completeness: score(&ruling, "completeness")?,
            clarity: score(&ruling, "clarity")?,
            format: score(&ruling, "format")?,
            overall: score(&ruling, "overall")?,
            reasoning: words(&ruling),
            unread,
        })
    }
}

#[async_trait]
impl Judge for ModelJudge {
    async fn similarity(&self, left: &str, right: &str) -> Result<f64, JudgeError> {
        match self.both_ways(left, right).await {
            // What is not read to its end may say the opposite there: nobody has read that it means the same.
            Err(JudgeError::TooLong { .. }) => Ok(0.0),
            ruled => ruled,
        }
    }

    async fn best_phrasing(&self, answers: &[&str]) -> Result<usize, JudgeError> {
        let listed = numbered(self.whole(answers, &PHRASING, NUMBER_TOKENS)?.into_iter());
        let schema = json!({"type": "object", "required": ["best"], "additionalProperties": false,
            "properties": {"best": {"type": "integer", "minimum": 1, "maximum": answers.len()}}});
        let ruling = self.ask(&PHRASING, &[("answers", &listed)], COMPARING, NUMBER_TOKENS, schema).await?;
        position(&ruling, "best", answers.len())
    }

    async fn arbitrate(&self, query: &str, answers: &[(&str, &str)]) -> Result<Arbitration, JudgeError> {
        // Nobody is right by a part of what was said.
        let texts = answers.iter().flat_map(|(answer, reasoning)| [*answer, *reasoning]);
        let texts = self.whole(texts.chain([query]), &ARBITRATION, ARBITRATION_TOKENS)?;
        let (contenders, rest) = texts.as_chunks::<2>();
        let listed =
            numbered(contenders.iter().map(|[answer, reasoning]| format!("{answer} Reasoning: {reasoning}")));
        let task = rest.concat();
        let schema = json!({"type": "object", "required": ["chosen", "reasoning", "confidence"],
            "additionalProperties": false, "properties": {
                "chosen": {"type": "integer", "minimum": 1, "maximum": answers.len()},
                "reasoning": {"type": "string", "maxLength": 500},
                "confidence": {"type": "number", "minimum": 0, "maximum": 1}}});
        let ruling = self
            .ask(
                &ARBITRATION,
                &[("task", &task), ("answers", &listed)],
                ARBITRATING,
                ARBITRATION_TOKENS,
                schema,
            )
            .await?;
        Ok(Arbitration {
            chosen: position(&ruling, "chosen", answers.len())?,
            reasoning: words(&ruling),
            confidence: score(&ruling, "confidence")?,
        })
    }

    async fn assess(&self, task: &OriginalTask, answer: &str) -> Result<Assessment, JudgeError> {
        let takes = |text: &str, most_chars| estimate_tokens(&quoted(text, most_chars)) + 2;
        let room = self.room(&ASSESSMENT_OF_A_PART, ASSESSMENT_TOKENS);
        let room = room.saturating_sub(takes(&task.domain, MOST_DOMAIN_CHARS));
        let mut room = room.min(takes(&task.query, usize::MAX) + takes(answer, usize::MAX));
        for _ in 0..MOST_CUTS {
            match self.assess_within(task, answer, room).await {
                Err(JudgeError::TooLong { needed, available }) => {
                    room = room.saturating_mul(available) / needed.max(1) * 9 / 10;
                }
                ruled => return ruled,
            }
        }
        self.assess_within(task, answer, room).await
    }
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
