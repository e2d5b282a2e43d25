//! What the parts of a question came to, in one sentence (function 5).

use frlm_questions::plan::said_parts;
use frlm_questions::small_model::clause;

use super::Planning;
use crate::run::finish::answered;

/// The sentence; `None` without a small model, where a part has no single verified value, where what the model
/// writes does not stand, or where the user wants to wait no longer. The answer says all of it without that sentence
/// too.
pub(in crate::run) async fn in_short(run: &mut Planning<'_>) -> Option<String> {
    let small = run.learner.small.clone()?;
    let compound = run.setup.compound.as_deref()?;
    let said = said_parts(compound, &run.setup.fragments, answered(run.subtasks))?;
    let (timeout, stop) = (run.timeout(), run.learner.stop.clone());
    match stop.run_until_cancelled(clause::sentence(&small, &said, timeout)).await? {
        Ok(sentence) => Some(sentence),
        Err(why) => {
            tracing::info!(%why, "the answer is shown without a sentence over its parts");
            None
        }
    }
}
