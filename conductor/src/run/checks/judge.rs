//! The user's own model as a judge of answers. Before anything rests on its word in a duty, it is examined in it, once in a
//! run (`verifier/src/consensus/exam.rs`).

use std::sync::Arc;
use std::time::Duration;

use frlm_inference::{Dialect, LanguageModel};
use frlm_verifier::consensus::exam::{self, Unfit};
use frlm_verifier::consensus::{JudgeError, ModelJudge};
use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore};

/// How much longer than for a verdict the run is patient with the examination before the first one.
const EXAM_TIMEOUT: u32 = 3;
/// Failures in a row after which the model is left alone.
const MOST_FAILURES: u32 = 3;

/// What the model is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Duty {
    /// What to think of one answer.
    Assess,
    /// Whether lines bear claims out.
    Review,
}

/// Why there is no word of the model's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::run) enum Silence {
    /// It did not answer: whether it may judge is as open as before.
    Away(String),
    /// It did not pass its examination.
    Unfit(String),
}

/// What an examination showed, once that is known.
type Examined = OnceCell<Result<(), String>>;

/// The model in one of its duties. Clones share it.
#[derive(Clone)]
pub(super) struct Judging {
    duty: Duty,
    model: ModelJudge,
    /// The same, as it is asked to review.
    reviewer: Arc<dyn LanguageModel>,
    /// As many at once as the model takes, in all duties together.
    room: Arc<Semaphore>,
    examined: Arc<Examined>,
}

impl Judging {
    /// The model, once it has passed the examination of this duty: by what is known, or by one that is held now. Afterwards it
    /// waits for its turn, which lasts as long as the permit.
    pub async fn ready(&self, timeout: Duration) -> Result<OwnedSemaphorePermit, Silence> {
        let exam = async {
            match self.duty {
                Duty::Assess => exam::examine_assessor(&self.model).await,
                Duty::Review => exam::examine_reviewer(&*self.reviewer).await,
            }
        };
        examined(&self.examined, exam, timeout).await?;
        Ok(self.turn().await)
    }

    /// Waits for a turn: who waits for those before it does not wait for the model.
    pub async fn turn(&self) -> OwnedSemaphorePermit {
        Arc::clone(&self.room).acquire_owned().await.expect("nobody closes the room")
    }

    /// The model of this duty, examined or not.
    pub fn model(&self) -> &ModelJudge {
        &self.model
    }

    /// One that has passed, with room for so many at once.
    #[cfg(test)]
    pub fn passed(duty: Duty, model: Arc<dyn LanguageModel>, room: usize) -> Self {
        let examined = Arc::new(OnceCell::new_with(Some(Ok(()))));
        let reviewer = Arc::clone(&model);
        let model = ModelJudge::new(model);
        Self { duty, model, reviewer, room: Arc::new(Semaphore::new(room)), examined }
    }
}

/// Whether a model passed its examination: by what is known, or by this.
async fn examined(
    known: &Examined,
    exam: impl Future<Output = Result<(), Unfit>>,
    timeout: Duration,
) -> Result<(), Silence> {
    let examining = known.get_or_try_init(|| async move {
        match exam.await {
            Ok(()) => Ok(Ok(())),
            Err(Unfit::Judge(gone @ JudgeError::Model(_))) => Err(gone.to_string()),
            Err(why) => Ok(Err(why.to_string())),
        }
    });
    let longer = timeout.saturating_mul(EXAM_TIMEOUT);
    match tokio::time::timeout(longer, examining).await {
        Err(_) => Err(Silence::Away(format!("no answer within {} s", longer.as_secs()))),
        Ok(Err(gone)) => Err(Silence::Away(gone)),
        Ok(Ok(Err(why))) => Err(Silence::Unfit(why.clone())),
        Ok(Ok(Ok(()))) => Ok(()),
    }
}

/// The user's model in the duties that it has, none where there is no model.
#[derive(Default)]
pub(super) struct OwnJudge {
    duties: Vec<Judging>,
    /// In a row, in whatever duty.
    failures: u32,
}

impl OwnJudge {
    /// This model in all duties. One that only copies fields has none.
    pub fn of(model: Arc<dyn LanguageModel>) -> Self {
        if model.info().dialect != Dialect::Json {
            return Self::default();
        }
        let room = Arc::new(Semaphore::new(model.info().in_flight.max(1)));
        let reviewer = Arc::clone(&model);
        let model = ModelJudge::new(model);
        let judging = |duty| Judging {
            duty,
            model: model.clone(),
            reviewer: Arc::clone(&reviewer),
            room: Arc::clone(&room),
            examined: Arc::default(),
        };
        Self { duties: [Duty::Assess, Duty::Review].map(judging).to_vec(), failures: 0 }
    }

    /// The model in a duty, if it has it.
    pub fn in_duty(&self, duty: Duty) -> Option<Judging> {
        self.duties.iter().find(|one| one.duty == duty).cloned()
    }

    /// Whether it has a duty.
    pub fn has(&self, duty: Duty) -> bool {
        self.duties.iter().any(|one| one.duty == duty)
    }

    /// Takes a duty from it; whether it had it.
    pub fn relieve(&mut self, duty: Duty) -> bool {
        let before = self.duties.len();
        self.duties.retain(|one| one.duty != duty);
        self.duties.len() < before
    }

    /// Notes whether it gave its word; why it is not asked any more, once that is so. What an answer may have made it say is
    /// no failure: no answer may silence the model.
    pub fn note(&mut self, word: Result<(), Silence>) -> Option<String> {
        match word {
            Ok(()) => {
                self.failures = 0;
                None
            }
            Err(Silence::Unfit(why)) => Some(why),
            Err(Silence::Away(why)) => {
                self.failures += 1;
                (self.failures >= MOST_FAILURES).then_some(why)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::sync::atomic::{AtomicBool, Ordering};

    use async_trait::async_trait;
    use frlm_inference::scripted::ScriptedModel;
    use frlm_inference::{Generation, GenerationRequest, ModelError, ModelInfo};
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn who_was_away_or_slow_is_examined_again_and_who_failed_or_passed_is_not() {
        let timeout = Duration::from_millis(1);
        let fit = Examined::new();
        let gone = ready(Err(JudgeError::Model("it restarts".to_owned()).into()));
        assert!(
            matches!(examined(&fit, gone, timeout).await, Err(Silence::Away(why)) if why.contains("restarts"))
        );
        assert!(matches!(examined(&fit, pending(), timeout).await, Err(Silence::Away(_))));
        let timeout = Duration::from_secs(20);
        assert_eq!(examined(&fit, ready(Ok(())), timeout).await, Ok(()));
        assert_eq!(examined(&fit, ready(Err(Unfit::Rejects(0))), timeout).await, Ok(()), "it has passed");
        let fit = Examined::new();
        let failed = Err(Silence::Unfit(Unfit::Rejects(0).to_string()));
        assert_eq!(examined(&fit, ready(Err(Unfit::Rejects(0))), timeout).await, failed);
        assert_eq!(examined(&fit, ready(Ok(())), timeout).await, failed);
    }

    /// Passes the examination, but is away when it is asked for the first time.
    #[derive(Debug)]
    struct BackSoon {
        model: ScriptedModel,
        was_asked: AtomicBool,
    }

    #[async_trait]
    impl LanguageModel for BackSoon {
        fn info(&self) -> &ModelInfo {
            self.model.info()
        }

        async fn stream(&self, request: GenerationRequest) -> Result<Generation, ModelError> {
            if !self.was_asked.swap(true, Ordering::SeqCst) {
                return Err(ModelError::Failed("it restarts".to_owned()));
            }
            self.model.stream(request).await
        }
    }

    #[tokio::test]
    async fn a_model_that_is_away_when_it_is_examined_is_examined_again() {
        let answer = |prompt: &str| {
            let given = prompt.lines().find(|line| line.starts_with("Answer: ")).unwrap_or_default();
            let overall = if given.contains(exam::GRADED.right) { 0.9 } else { 0.1 };
            json!({"correctness": overall, "completeness": overall, "clarity": overall, "format": overall,
                "overall": overall, "reasoning": "so it seems"})
            .to_string()
        };
        let model = ScriptedModel::new("judge", answer).with_dialect(Dialect::Json);
        let judge = OwnJudge::of(Arc::new(BackSoon { model, was_asked: AtomicBool::new(false) }));
        let (judging, timeout) = (judge.in_duty(Duty::Assess).unwrap(), Duration::from_secs(20));
        let first = judging.ready(timeout).await.map(drop);
        assert!(matches!(&first, Err(Silence::Away(why)) if why.contains("it restarts")), "{first:?}");
        assert!(judging.ready(timeout).await.is_ok());
    }

    #[tokio::test]
    async fn who_waits_for_those_before_it_does_not_run_out_of_patience() {
        let model = Arc::new(ScriptedModel::new("judge", |_: &str| String::new()));
        let judging = Judging::passed(Duty::Assess, model, 1);
        let before = judging.turn().await;
        let mut waiting = std::pin::pin!(judging.ready(Duration::ZERO));
        assert!(
            tokio::time::timeout(Duration::from_millis(50), &mut waiting).await.is_err(),
            "it waits for its turn, however long ago its timeout would have ended"
        );
        drop(before);
        assert!(waiting.await.is_ok());
    }

    #[test]
    fn a_model_that_keeps_failing_is_left_alone_unless_it_answers_between() {
        let away = || Err(Silence::Away("no answer within 20 s".to_owned()));
        let mut judge = OwnJudge::default();
        assert_eq!((judge.note(away()), judge.note(away()), judge.note(Ok(()))), (None, None, None));
        assert_eq!((judge.note(away()), judge.note(away())), (None, None), "it had answered");
        assert_eq!(judge.note(away()), Some("no answer within 20 s".to_owned()));
        let unfit = Err(Silence::Unfit("it is no judge".to_owned()));
        assert_eq!(OwnJudge::default().note(unfit), Some("it is no judge".to_owned()));
    }

    #[test]
    fn a_taken_duty_leaves_the_others_and_a_field_copier_has_none() {
        let model =
            |dialect| Arc::new(ScriptedModel::new("judge", |_: &str| String::new()).with_dialect(dialect));
        let mut judge = OwnJudge::of(model(Dialect::Json));
        assert!(judge.relieve(Duty::Assess) && !judge.relieve(Duty::Assess));
        assert!(!judge.has(Duty::Assess) && judge.has(Duty::Review));
        assert!(!OwnJudge::of(model(Dialect::Records)).has(Duty::Review));
    }
}
