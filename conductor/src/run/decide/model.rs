//! The question to the user's own model: nothing in it but numbers and names of this program's making,
//! so that no document and no provider can talk to the one who decides.

use std::sync::Arc;
use std::time::Duration;

use frlm_inference::{Constraint, GenerationRequest, LanguageModel, ModelError, object_with};
use frlm_verifier::decisions::{Outcome, StageDecision, StepPriors, Suggestions, prompt};
use frlm_verifier::template::Template;
use tokio_util::task::AbortOnDropHandle;

use crate::trace::RunStage;

/// Room for a decision with a reasoning of 500 characters.
const MOST_TOKENS: usize = 512;

/// A decision that a model thinks about while the run goes on.
#[derive(Debug)]
pub(super) struct Asked {
    pub stage: RunStage,
    pub outcome: Outcome,
    answer: AbortOnDropHandle<Result<String, String>>,
}

impl Asked {
    /// Asks. The model is left alone after `timeout`.
    pub fn begin(
        stage: RunStage,
        outcome: Outcome,
        (priors, suggestions): (&StepPriors, &Suggestions),
        model: Arc<dyn LanguageModel>,
        timeout: Duration,
    ) -> Self {
        let template = Template::parse(prompt::DECISION).expect("the shipped template is checked by a test");
        let question =
            prompt::fill(&template, &outcome, priors, suggestions).map_err(|error| error.to_string());
        let asking = async move {
            match tokio::time::timeout(timeout, ask(&*model, question?)).await {
                Ok(answer) => answer,
                Err(_) => Err(format!("no answer within {} s", timeout.as_secs())),
            }
        };
        Self { stage, outcome, answer: AbortOnDropHandle::new(tokio::spawn(asking)) }
    }

    /// The model's text, or why there is none.
    pub async fn answer(&mut self) -> Result<String, String> {
        (&mut self.answer).await.map_err(|error| error.to_string())?
    }
}

async fn ask(model: &dyn LanguageModel, question: String) -> Result<String, String> {
    let mut request = GenerationRequest::greedy(question, MOST_TOKENS);
    let constrained = model.info().constraints;
    request.constraint = constrained.then(|| Constraint::Lark(StageDecision::GRAMMAR.to_owned()));
    let answer = match model.generate(request.clone()).await {
        // Models over HTTP know schemas alone, and say so before anything is sent.
        Err(ModelError::Unsupported { .. }) if constrained => {
            request.constraint = Some(Constraint::JsonSchema(StageDecision::schema()));
            model.generate(request).await
        }
        answer => answer,
    };
    let answer = answer.map_err(|error| error.to_string())?;
    // Engines that do not decode under the schema put words and fences around it.
    let object = object_with("decision", &answer.text).map_err(|error| error.to_string())?;
    Ok(serde_json::Value::Object(object).to_string())
}
