//! A question that follows an earlier run's (seeds/super-llm-block.md, function 1).
//!
//! ```text
//!   --after RUN ─► recall: its question and answer, and what it followed; its documents
//!               ─► prepare: code reads the question, alone or together with the one before ─┬─► asked
//!                                        neither ─► start: the own model rewrites it, or not ┘
//!                                                          └─ stopped meanwhile: no run begins
//! ```
//!
//! The record of the run holds the question that was asked in the end: it goes on with that.

use std::time::Duration;

use frlm_questions::ingest::Fragment;
use frlm_questions::question::follow_up::{MOST_TURNS, Turn, joined, rewrite};

use crate::view::{Ending, RunView};
use frlm_conductor::store::Store;
use frlm_inference::{Dialect, LanguageModel};
use frlm_learning::planning::account::memory::LearnerMemory;
use frlm_learning::planning::satisfaction::Behaviour;
use frlm_protocol::printable;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::{Prepared, RunRequest};
use crate::failure::{Failure, code};
use crate::home::Home;

/// How long the own model may think about the question.
const TIMEOUT: Duration = Duration::from_secs(20);

/// What a question follows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Follows {
    /// The run before; empty where a caller sent what was said along.
    pub run: String,
    /// What was said, the latest last; kept here and told to the user's own model at most.
    #[serde(default)]
    pub conversation: Vec<Turn>,
    /// Whether the question stands on its own now, or is asked as it stands.
    #[serde(default)]
    pub settled: bool,
    /// Whether code found that it does.
    #[serde(default)]
    pub by_code: bool,
}

impl Follows {
    /// A run by its id, or how that begins.
    pub fn run(id: &str) -> Self {
        Self { run: id.trim().to_owned(), conversation: Vec::new(), settled: false, by_code: false }
    }

    /// What a caller says was asked and answered before; `None` if that is nothing.
    pub fn said(mut conversation: Vec<Turn>) -> Option<Self> {
        conversation.drain(..conversation.len().saturating_sub(MOST_TURNS));
        (!conversation.is_empty()).then(|| Self { conversation, ..Self::run("") })
    }

    /// What it follows, for people.
    fn what(&self) -> String {
        if self.run.is_empty() { "what was asked before".to_owned() } else { format!("run {}", self.run) }
    }

    /// Settles what code can: a question that it reads stands on its own; one that points at the answer before is asked
    /// together with the question before. Returns that, in the second case.
    pub fn settle_by_code(&mut self, stands: bool, question: &str, fragments: &[Fragment]) -> Option<String> {
        let together = if stands { None } else { joined(question, self.conversation.last()?, fragments) };
        self.by_code = stands || together.is_some();
        self.settled = self.by_code;
        together
    }

    /// What becomes of the question, and who is told what was said before.
    pub fn in_words(&self, request: &RunRequest) -> String {
        let what = self.what();
        match (self.by_code, &request.model) {
            (true, _) => format!(
                "{what}: asked is \"{}\"; nothing else that was said leaves this machine",
                request.question
            ),
            (false, Some(model)) => format!(
                "{what}: your own model ({model}) reads the earlier questions and answers and rewrites this question; \
                 what it writes is asked, and nobody else sees the earlier ones"
            ),
            (false, None) => format!(
                "{what}: asked unchanged, for providers do not see earlier questions and answers; your own model \
                 (--model) can rewrite it so that it needs no context"
            ),
        }
    }
}

/// Looks up what a question follows, and takes its documents where none are named.
pub fn recall(request: &mut RunRequest, home: &Home) -> anyhow::Result<()> {
    let Some(follows) = request.follows.as_mut().filter(|follows| !follows.settled) else { return Ok(()) };
    let store = Store::open(&home.store())?;
    let run = store.find(&follows.run).map_err(Failure::from)?;
    let loaded = store.trace(&run.id)?;
    let view = RunView::of(&loaded.records);
    let Some(Ending::Answered(answer)) = &view.ending else {
        return Err(Failure::usage(format!(
            "--after {}: that run has no answer yet; frlm runs resume {} continues it",
            run.id, run.id
        ))
        .into());
    };
    let before: RunRequest = serde_json::from_value(run.request).map_err(|_| {
        Failure::usage(format!("--after {}: it was recorded by another version; ask without --after", run.id))
    })?;
    let mut conversation = before.follows.map_or_else(Vec::new, |follows| follows.conversation);
    conversation.push(Turn::new(&before.question, &answer.answer).of(&run.id));
    conversation.drain(..conversation.len().saturating_sub(MOST_TURNS));
    follows.run = run.id;
    follows.conversation = conversation;
    if request.files.is_empty() {
        request.files = before.files;
    }
    Ok(())
}

/// Has the own model rewrite the question so that it needs no context, unless code found that it needs none. Returns what
/// became of it; `None` where there was nothing to do. A user who cancels meanwhile waits for no model: that is the error.
pub async fn stand_alone(
    prepared: &mut Prepared,
    model: Option<&dyn LanguageModel>,
    stop: &CancellationToken,
) -> Result<Option<String>, Failure> {
    let question = prepared.request.question.clone();
    let Some(follows) = prepared.request.follows.as_mut() else { return Ok(None) };
    if std::mem::replace(&mut follows.settled, true) {
        return Ok(None);
    }
    // A model that copies fields writes no questions.
    let model = model.filter(|model| model.info().dialect == Dialect::Json);
    let rewritten = match model {
        None => Err("there is no model of your own that could rewrite it".to_owned()),
        Some(model) => stop
            .run_until_cancelled(rewrite(model, &question, &follows.conversation, TIMEOUT))
            .await
            .ok_or_else(nothing_sent)?,
    };
    let what = follows.what();
    Ok(Some(match rewritten {
        Ok(text) => {
            let words =
                format!("the question follows {what}; your own model put it as \"{}\"", printable(&text));
            prepared.reread(text);
            words
        }
        Err(why) => format!(
            "the question follows {what} and is asked unchanged: {}; providers do not see earlier questions and answers",
            printable(&why)
        ),
    }))
}

/// That it was stopped before there was a run.
pub fn nothing_sent() -> Failure {
    Failure::with_code(code::INTERRUPTED, "stopped; nothing was sent, and no run was started")
}

/// Tells the learner that another question followed an answer (seeds/super-llm-block.md, `follow_up_questions`), wherever
/// it is asked. What it cannot note is no reason not to ask.
pub async fn note(request: &RunRequest, learner: Option<&LearnerMemory>) {
    let followed = request.follows.as_ref().map(|follows| follows.run.clone()).filter(|run| !run.is_empty());
    let (Some(run), Some(memory)) = (followed, learner.cloned()) else { return };
    let seen = Behaviour { follow_ups: 1, ..Behaviour::default() };
    let noted = tokio::task::spawn_blocking(move || memory.observe(&run, &seen)).await;
    if let Ok(Err(error)) = noted {
        tracing::warn!("the planner was not told of the follow-up: {error}");
    }
}

#[cfg(test)]
mod tests {
    use frlm_conductor::store::NewRun;
    use frlm_conductor::trace::{TraceEvent, TraceRecord};
    use frlm_inference::scripted::ScriptedModel;
    use frlm_learning::planning::account::Served;
    use frlm_learning::planning::decompose::Action;
    use frlm_questions::answer::Answer;
    use serde_json::json;
    use tokio::sync::Notify;

    use super::*;
    use crate::config::Config;
    use crate::documents::Documents;
    use crate::failure::render_error;
    use crate::local_swarm::ORDERS;
    use crate::run::RunSpec;
    use crate::run::prepare;
    use crate::strategies::testing::served;

    const BEFORE: &str = "Which user has the most failed orders?";

    /// A home with a run that was asked this of the sample, and its answer, if it has one.
    async fn recorded(answered: bool) -> (tempfile::TempDir, Home) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        let orders = ORDERS.unpack(&home).unwrap();
        let args = RunSpec {
            relays: vec!["ws://127.0.0.1:1".to_owned()],
            ..RunSpec::over(BEFORE.to_owned(), vec![orders])
        };
        let request = RunRequest::from_spec(&args, &Config::default()).unwrap();
        let store = Store::open(&home.store()).unwrap();
        let run = NewRun {
            id: "abc123".to_owned(),
            started_at_ms: 1,
            question: BEFORE.to_owned(),
            request: serde_json::to_value(&request).unwrap(),
            secret_key: String::new(),
        };
        store.begin(run).await.unwrap();
        if answered {
            let answer: Answer = serde_json::from_value(json!({
                "run_id": "abc123", "answer": "ida.holm: 3 of 48.", "method": "map_reduce", "confidence": 1.0,
                "coverage": 1.0, "citations": [], "budget": {"limit_sats": 0, "spent_sats": 0, "fees_sats": 0,
                "reserved_sats": 0, "pending_refund_sats": 0, "available_sats": 0, "refund_at": null},
                "subtasks": {"total": 0, "verified": 0, "failed": 0, "timed_out": 0, "cached": 0, "local": 0, "swarm": 0},
                "verification": {"policy": "none", "replicas": 0, "agreement": 1.0, "spot_checks": 0, "gold_failed": 0},
                "decisions": [], "duration_ms": 1
            }))
            .unwrap();
            let event = TraceEvent::RunDone { answer: Box::new(answer) };
            store.append("abc123", vec![TraceRecord { seq: 0, at_ms: 1, event }]).await.unwrap();
            store.flush("abc123").await.unwrap();
        }
        (folder, home)
    }

    fn following(question: &str, home: &Home) -> anyhow::Result<RunRequest> {
        let args = RunSpec {
            relays: vec!["ws://127.0.0.1:1".to_owned()],
            after: Some("abc".to_owned()),
            ..RunSpec::over(question.to_owned(), Vec::new())
        };
        let mut request = RunRequest::from_spec(&args, &Config::default())?;
        recall(&mut request, home)?;
        Ok(request)
    }

    #[tokio::test]
    async fn a_follow_up_is_asked_of_the_same_documents_with_what_it_refers_to() {
        let (_folder, home) = recorded(true).await;
        let request = following("How many orders of that user have status shipped?", &home).unwrap();
        assert_eq!(request.files.len(), 1);
        let prepared = prepare(request, &Documents::default()).unwrap();
        let together =
            "Which user has the most failed orders, and how many orders of that user have status shipped?";
        assert_eq!(prepared.request.question, together);
        assert_eq!(prepared.compound.as_ref().unwrap().parts.len(), 2);
        // Its record goes on with the same question.
        let recorded = serde_json::to_value(&prepared.request).unwrap();
        let again = prepare(serde_json::from_value(recorded).unwrap(), &Documents::default()).unwrap();
        assert_eq!(again.request.question, together);
    }

    #[tokio::test]
    async fn the_own_model_rewrites_a_follow_up_and_without_one_it_goes_as_written() {
        let (_folder, home) = recorded(true).await;
        let vague = "And what did they do then?";
        let mut alone = prepare(following(vague, &home).unwrap(), &Documents::default()).unwrap();
        assert!(alone.compound.is_none() && alone.query.is_none());
        let go_on = CancellationToken::new();
        let words = stand_alone(&mut alone, None, &go_on).await.unwrap().unwrap();
        assert!(words.contains("is asked unchanged") && alone.request.question == vague, "{words}");
        assert!(stand_alone(&mut alone, None, &go_on).await.unwrap().is_none(), "that is settled");

        let mut prepared = prepare(following(vague, &home).unwrap(), &Documents::default()).unwrap();
        let says = json!({"question": "How many orders have status failed?"}).to_string();
        let model = ScriptedModel::new("own", move |_| says.clone()).with_dialect(Dialect::Json);
        let words = stand_alone(&mut prepared, Some(&model), &go_on).await.unwrap().unwrap();
        assert!(words.contains("How many orders have status failed?"), "{words}");
        assert!(prepared.query.is_some(), "code reads what the model wrote");
        assert!(prepared.reading_is_unsure, "and is not sure that this was asked");
    }

    #[tokio::test]
    async fn who_stops_while_the_model_thinks_of_the_question_waits_for_no_answer() {
        let (_folder, home) = recorded(true).await;
        let mut prepared =
            prepare(following("And what did they do then?", &home).unwrap(), &Documents::default()).unwrap();
        let asked = std::sync::Arc::new(Notify::new());
        let told = std::sync::Arc::clone(&asked);
        let model = ScriptedModel::new("own", move |_| {
            told.notify_one();
            String::new()
        })
        .with_latency(Duration::from_hours(24))
        .with_dialect(Dialect::Json);
        let stop = CancellationToken::new();
        let (stopped, ()) = tokio::join!(stand_alone(&mut prepared, Some(&model), &stop), async {
            asked.notified().await;
            stop.cancel();
        });
        let (words, exit) = render_error(&stopped.unwrap_err().into());
        assert!(exit == code::INTERRUPTED && words.contains("nothing was sent"), "{words}");
        assert_eq!(model.running(), 0, "it is let go");
    }

    #[tokio::test]
    async fn the_answer_before_hears_that_a_question_followed_it() {
        let (_folder, home) = recorded(true).await;
        let memory = LearnerMemory::at(home.learner());
        memory.add(&Served { run_id: "abc123".to_owned(), ..served(1, Action::STATIC, None, 1.0) }).unwrap();
        let follow_ups = || {
            let account = memory.load().unwrap().unwrap();
            account.episodes().next().unwrap().behaviour.follow_ups
        };
        let request = following("How many orders of that user have status shipped?", &home).unwrap();
        note(&request, Some(&memory)).await;
        note(&request, Some(&memory)).await;
        assert_eq!(follow_ups(), 2);
        // Nothing learns, nothing follows, or a caller said what was said before, of no run.
        note(&request, None).await;
        note(&RunRequest { follows: None, ..request.clone() }, Some(&memory)).await;
        let said = Follows::said(vec![Turn::new("Who?", "ida.holm")]);
        note(&RunRequest { follows: said, ..request }, Some(&memory)).await;
        assert_eq!(follow_ups(), 2);
    }

    #[tokio::test]
    async fn a_run_without_an_answer_cannot_be_followed() {
        let (_folder, home) = recorded(false).await;
        let (words, code) = render_error(&following("And then?", &home).unwrap_err());
        assert_eq!(code, 2);
        assert!(words.contains("frlm runs resume abc123"), "{words}");
    }
}
