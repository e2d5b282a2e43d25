use std::sync::Mutex;

use frlm_inference::scripted::ScriptedModel;
use frlm_inference::{Generation, ModelInfo};
use futures::executor::block_on;
use proptest::prelude::*;

use super::*;
use crate::normalise::ExpectedFormat;
use crate::request::{TaskType, VerificationLevel};
use crate::testing::task;

fn judge(answer: impl Fn(&str) -> String + Send + Sync + 'static) -> ModelJudge {
    ModelJudge::new(Arc::new(ScriptedModel::new("judge", answer)))
}

/// A judge with so much context.
fn reading(tokens: usize, answer: impl Fn(&str) -> String + Send + Sync + 'static) -> ModelJudge {
    ModelJudge::new(Arc::new(ScriptedModel::new("judge", answer).with_context_tokens(tokens)))
}

fn rating(figure: f64) -> String {
    json!({"correctness": figure, "completeness": figure, "clarity": figure, "format": figure,
        "reasoning": "it adds up", "overall": figure})
    .to_string()
}

fn asked_for(query: &str) -> OriginalTask {
    task(query, TaskType::FactualQa, ExpectedFormat::Explanation)
}

#[test]
fn the_shipped_templates_have_the_slots_that_code_fills() {
    let slots = |template: &Template| template.slots().map(str::to_owned).collect::<Vec<_>>().join(" ");
    assert_eq!(slots(&SIMILARITY), "first second");
    assert_eq!(slots(&PHRASING), "answers");
    assert_eq!(slots(&ARBITRATION), "task answers");
    assert_eq!(slots(&ASSESSMENT), "task task_type domain answer");
    assert_eq!(slots(&ASSESSMENT_OF_A_PART), "task_part task task_type domain answer_part answer");
}

/// seeds/verifier-block.md, `calculate_semantic_similarity` (six steps from 1.0 to 0.0), `llm_validation` (four criteria and the
/// whole, from 0.0 to 1.0), `aggregate_similar_answers` and `llm_arbitration` (what is weighed; by seed-arithmetic.md neither
/// fitness nor confidence).
#[test]
fn the_prompts_have_the_documents_scales_and_criteria() {
    let text = |template: &Template| template.fixed_text().collect::<Vec<_>>().concat().replace('\n', " ");
    let similarity = text(&SIMILARITY);
    for step in [
        "1.0 identical meaning",
        "0.9 very similar meaning",
        "0.7 somewhat similar",
        "0.5 related but different",
        "0.3 different",
        "0.0 completely different",
    ] {
        assert!(similarity.contains(step), "{step}");
    }
    for assessment in [text(&ASSESSMENT), text(&ASSESSMENT_OF_A_PART)] {
        assert!(assessment.contains("Rate each from 0.0 to 1.0"));
        for figure in ["correctness", "completeness", "clarity", "format", "overall"] {
            assert!(assessment.contains(&format!("\"{figure}\": N")), "{figure}");
        }
    }
    assert!(text(&PHRASING).contains("most clear and precise, most complete and best formatted"));
    assert!(text(&ARBITRATION).contains("Weigh correctness first, then the quality of the reasoning"));
}

#[test]
fn neither_place_of_a_pair_is_favoured() {
    // Likes whatever stands first to be "a".
    let judge = judge(|prompt| {
        let biased = prompt.contains("First answer: \"a\"");
        format!("{{\"similarity\": {}}}", if biased { 1.0 } else { 0.6 })
    });
    let forth = block_on(judge.similarity("a", "b")).unwrap();
    let back = block_on(judge.similarity("b", "a")).unwrap();
    assert!((forth - 0.8).abs() < 1e-9 && (forth - back).abs() < f64::EPSILON);
}

#[test]
fn what_a_judge_cannot_read_to_its_end_means_nothing_the_same() {
    let judge = reading(1_024, |_| "{\"similarity\": 1.0}".to_owned());
    // Each character is a token, the quotation marks are four, and "short" is two.
    let read = "ö".repeat(judge.room(&SIMILARITY, NUMBER_TOKENS) - 6);
    assert_eq!(block_on(judge.similarity("short", &read)), Ok(1.0));
    let with_a_lie_behind = format!("{read} and none of that is so");
    assert_eq!(block_on(judge.similarity("short", &with_a_lie_behind)), Ok(0.0));
    assert_eq!(block_on(judge.similarity(&with_a_lie_behind, "short")), Ok(0.0));
}

#[test]
fn who_cannot_read_an_answer_to_its_end_does_not_say_that_it_is_right() {
    let judge = reading(2_048, |_| "{\"chosen\": 1, \"reasoning\": \"\", \"confidence\": 1.0}".to_owned());
    let ruled = |query: &str, answer: &str, reasoning: &str| {
        block_on(judge.arbitrate(query, &[(answer, reasoning), ("snow", "")]))
    };
    let read = "ö".repeat(judge.room(&ARBITRATION, ARBITRATION_TOKENS) - 40);
    let longer = format!("{read} {}", "and none of that is so ".repeat(10));
    assert!(ruled("Why?", &read, "").is_ok() && ruled(&read, "ice", "").is_ok());
    for (query, answer, reasoning) in
        [("Why?", longer.as_str(), ""), ("Why?", "ice", &longer), (&longer, "ice", "")]
    {
        let ruling = ruled(query, answer, reasoning);
        assert!(matches!(ruling, Err(JudgeError::TooLong { .. })), "{ruling:?}");
    }
}

#[test]
fn a_judge_with_room_reads_a_long_text_and_a_long_answer_to_their_ends() {
    let seen = Arc::new(Mutex::new(String::new()));
    let prompt = Arc::clone(&seen);
    let judge = reading(32_768, move |text| {
        text.clone_into(&mut prompt.lock().unwrap());
        rating(1.0)
    });
    let text = format!("Why? Text: {}\nhere it ends.", "The river rose and fell. ".repeat(800));
    let answer = format!("{}So much for the mill.", "The wheel broke. ".repeat(400));
    let found = block_on(judge.assess(&asked_for(&text), &answer)).unwrap();
    assert_eq!((found.unread, found.told(VerificationLevel::Critical)), (Unread::default(), Some(1.0)));
    let prompt = seen.lock().unwrap();
    assert!(prompt.contains("here it ends.") && prompt.contains("So much for the mill."));
    assert!(!prompt.contains("beginning"), "{prompt}");
}

#[test]
fn what_was_judged_on_a_part_says_so_and_is_never_right() {
    let seen = Arc::new(Mutex::new(String::new()));
    let long = |end: &str| format!("{}{end}", "The wheel of the mill broke. ".repeat(400));
    let assessed = |query: &str, answer: &str, figure: f64| {
        let prompt = Arc::clone(&seen);
        let judge = reading(2_048, move |text| {
            text.clone_into(&mut prompt.lock().unwrap());
            rating(figure)
        });
        let found = block_on(judge.assess(&asked_for(query), answer)).unwrap();
        (found, seen.lock().unwrap().clone())
    };
    let levels = |found: &Assessment| VerificationLevel::ALL.map(|level| found.told(level));

    let (found, prompt) = assessed("Why?", &long("And none of that is so."), 1.0);
    assert!(prompt.contains("Task, whole: \"Why?\"") && prompt.contains("Answer, only its beginning: "));
    assert!(prompt.contains("mill broke.\"") && !prompt.contains("none of that"), "cut at a sentence");
    assert!(found.unread.task_chars == 0 && found.unread.answer_chars > 4_000, "{found:?}");
    assert_eq!(levels(&found), [None; 3], "who has not read the end cannot call it right");
    let words = found.in_words();
    assert!(words.starts_with("judged on a part, without the last") && words.ends_with("it adds up"));
    let (found, _) = assessed("Why?", &long(""), 0.2);
    assert_eq!(levels(&found), [Some(0.2); 3], "what begins wrongly is wrong");

    let (found, prompt) = assessed(&long("Or so they said."), "The wheel.", 1.0);
    assert!(prompt.contains("Task, only its beginning: ") && prompt.contains("Answer, whole: "));
    assert_eq!((levels(&found), found.unread.answer_chars), ([None; 3], 0));
    let (found, _) = assessed(&long(""), "The wheel.", 0.2);
    assert_eq!(levels(&found), [None, None, Some(0.2)], "it may stand in the rest; critical wants no doubt");
}

/// Notes how it was asked.
#[derive(Debug)]
struct Noting {
    model: ScriptedModel,
    asked: Arc<Mutex<Vec<(Sampling, usize)>>>,
}

#[async_trait]
impl LanguageModel for Noting {
    fn info(&self) -> &ModelInfo {
        self.model.info()
    }

    async fn stream(&self, request: GenerationRequest) -> Result<Generation, ModelError> {
        self.asked.lock().unwrap().push((request.sampling, request.max_tokens));
        self.model.stream(request).await
    }
}

/// seeds/verifier-block.md, `validation_sampling`: top_p .9, top_k 40, at most 512 tokens; temperatures and tokens of
/// `calculate_semantic_similarity` (.1), `aggregate_similar_answers` (.1), `llm_arbitration` (.3, 512) and `llm_validation`
/// (.2, 256). For a number the document has 10 and 5 tokens: ours come as JSON, and take 24.
#[test]
fn the_judge_samples_as_the_document_has_it() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let judge = |hash: Option<String>| {
        let model = ScriptedModel::new("judge", |_| {
            json!({"similarity": 1.0, "best": 1, "chosen": 1, "confidence": 1.0, "correctness": 1.0,
                "completeness": 1.0, "clarity": 1.0, "format": 1.0, "overall": 1.0, "reasoning": ""})
            .to_string()
        });
        ModelJudge::new(Arc::new(Noting { model: model.with_weights_hash(hash), asked: Arc::clone(&asked) }))
    };
    let here = judge(Some("aa".to_owned()));
    block_on(here.similarity("a", "b")).unwrap();
    block_on(here.best_phrasing(&["a", "b"])).unwrap();
    block_on(here.arbitrate("Why?", &[("a", ""), ("b", "")])).unwrap();
    block_on(here.assess(&asked_for("Why?"), "a")).unwrap();
    let of =
        |temperature, max_tokens| (Sampling { temperature, top_p: Some(0.9), top_k: Some(40) }, max_tokens);
    let wanted = [of(0.1, 24), of(0.1, 24), of(0.1, 24), of(0.3, 512), of(0.2, 256)];
    assert_eq!(asked.lock().unwrap().as_slice(), wanted);
    let elsewhere = judge(None);
    block_on(elsewhere.best_phrasing(&["a", "b"])).unwrap();
    let last = asked.lock().unwrap().last().map(|(sampling, _)| *sampling).unwrap();
    assert_eq!(
        last,
        Sampling { temperature: 0.1, top_p: Some(0.9), top_k: None },
        "an endpoint may not know it"
    );
}

/// Reads fewer words than it claims.
#[derive(Debug)]
struct Boastful {
    model: ScriptedModel,
    words: usize,
}

#[async_trait]
impl LanguageModel for Boastful {
    fn info(&self) -> &ModelInfo {
        self.model.info()
    }

    async fn stream(&self, request: GenerationRequest) -> Result<Generation, ModelError> {
        let words: usize = request.messages.iter().map(|message| message.content.split(' ').count()).sum();
        if words > self.words {
            return Err(ModelError::TooLong { needed: words, available: self.words });
        }
        self.model.stream(request).await
    }
}

#[test]
fn a_judge_that_overstates_its_context_is_shown_less_without_failing() {
    let boastful = |words| {
        let model = ScriptedModel::new("judge", |_| rating(1.0)).with_context_tokens(100_000);
        ModelJudge::new(Arc::new(Boastful { model, words }))
    };
    let text = "The wheel of the mill broke. ".repeat(1_000);
    let found = block_on(boastful(1_500).assess(&asked_for(&text), "The wheel.")).unwrap();
    assert!(found.unread.task_chars > 0 && found.unread.answer_chars == 0, "{found:?}");
    let nothing = block_on(boastful(10).assess(&asked_for(&text), "The wheel."));
    assert!(matches!(nothing, Err(JudgeError::TooLong { .. })), "{nothing:?}");
    assert_eq!(block_on(boastful(10).similarity("a", "b")), Ok(0.0));
}

/// seeds/verifier-block.md, `calculate_semantic_similarity`, moves a similarity into 0.0 to 1.0, and what is no number to 0.0.
/// A model that leaves the scale has not understood it: nothing is joined by such a word, as by 0.0.
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

/// seed-arithmetic.md, rules: arbitration does not show the arbiter the providers' own confidence and fitness, as
/// `llm_arbitration` does.
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
            let _ = block_on(judge.assess(&asked_for("q"), "a"));
        }
    }
}
