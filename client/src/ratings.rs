//! What people thought of answers: one JSON line per rating in `feedback.jsonl`, and what routing and the brain learn
//! from it.
//!
//! The source document of routing (seeds/load-balanced-rl-workflow.md) says nothing of people. A rating is one of the
//! whole answer, so it stands where a judge's score would, for those decisions of the run whose answers nobody checked:
//! the verifier's verdict outranks it, and it enters once. In the reward of the way in which a question was taken apart
//! it takes the place of what was guessed from the user's behaviour, once too (seeds/super-llm-block.md, function 2).

use std::io::Write as _;
use std::path::Path;

use frlm_learning::planning::account::memory::LearnerMemory;
use frlm_learning::planning::satisfaction::{Behaviour, Satisfaction};
use frlm_learning::routing::RoutingMemory;
use frlm_learning::saved;

use crate::home::Home;
use crate::units::plural;

/// A rating of an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rating {
    /// The answer's run.
    pub run_id: String,
    /// 1 to 5.
    pub stars: Option<u8>,
    /// Up or down.
    pub thumbs_up: Option<bool>,
    /// In words.
    pub comment: String,
}

impl Rating {
    /// Whether it says anything, within what can be said.
    pub fn check(&self) -> Result<(), String> {
        if self.stars.is_some_and(|stars| !(1..=5).contains(&stars)) {
            return Err("stars: 1 to 5".to_owned());
        }
        if self.stars.is_none() && self.thumbs_up.is_none() && self.comment.trim().is_empty() {
            return Err("a rating has stars, thumbs_up or a comment".to_owned());
        }
        Ok(())
    }
}

impl Rating {
    /// By the stars, else by the thumbs; a comment alone is no figure.
    fn satisfaction(&self) -> Option<Satisfaction> {
        self.stars.map(Satisfaction::Stars).or(self.thumbs_up.map(Satisfaction::thumbs))
    }
}

/// What was learned from a rating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Taught {
    /// For how many of the run's decisions where a subtask goes it speaks.
    pub decisions: u64,
    /// Whether it entered into what the run's plan was worth.
    pub plan: bool,
}

impl Taught {
    /// Who learned from it, a line each.
    pub fn in_words(self) -> String {
        let routing = match self.decisions {
            0 => "routing learned nothing: every answer of the run was checked, or it was rated before"
                .to_owned(),
            count => {
                let answers = plural(usize::try_from(count).unwrap_or(usize::MAX), "unchecked answer");
                format!("routing learned from it for {answers}")
            }
        };
        let plan = if self.plan {
            "the planner learned from it"
        } else {
            "the planner learned nothing: it has not evaluated the run, or the run was rated before"
        };
        format!("{routing}\n{plan}")
    }
}

/// Keeps a rating, and has routing and the learner learn from it. What they could not learn is no reason to lose the
/// rating. Blocks.
pub fn keep_and_teach(rating: &Rating, home: &Home) -> std::io::Result<Taught> {
    keep(&home.ratings(), rating)?;
    let Some(satisfaction) = rating.satisfaction() else { return Ok(Taught::default()) };
    let plan = LearnerMemory::at(home.learner()).rate(&rating.run_id, satisfaction).unwrap_or_else(|error| {
        tracing::warn!("the rating is saved, but nothing was learned from it: {error}");
        false
    });
    let decisions = teach_routing(rating, satisfaction.share(), home).unwrap_or_else(|error| {
        tracing::warn!("the rating is saved, but routing learned nothing from it: {error}");
        0
    });
    Ok(Taught { decisions, plan })
}

fn teach_routing(rating: &Rating, share: f64, home: &Home) -> anyhow::Result<u64> {
    let settings = home.config()?.routing.into();
    Ok(RoutingMemory::at(home.routing()).rate(&rating.run_id, share, &settings)?)
}

/// Has the learner take in what the user was seen to do with an answer. Blocks.
pub fn observe(run: &str, seen: &Behaviour, home: &Home) {
    if let Err(error) = LearnerMemory::at(home.learner()).observe(run, seen) {
        tracing::warn!("nothing was learned from what was done with an answer: {error}");
    }
}

/// Adds a rating. Blocks.
fn keep(path: &Path, rating: &Rating) -> std::io::Result<()> {
    let Rating { run_id, stars, thumbs_up, comment } = rating;
    let line = serde_json::json!({
        "run_id": run_id, "at_unix_ms": frlm_util::clock::unix_millis(),
        "stars": stars, "thumbs_up": thumbs_up, "comment": comment,
    });
    let _held = hold(path)?;
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(format!("{line}\n").as_bytes())
}

/// A run was deleted: what was said of it in words goes, the figures stay. Blocks.
pub fn forget_words(run: &str, home: &Home) -> std::io::Result<()> {
    let path = home.ratings();
    let _held = hold(&path)?;
    let before = std::fs::read_to_string(&path)?;
    let after: String = before.lines().map(|line| without_words(line, run) + "\n").collect();
    if after == before {
        return Ok(());
    }
    frlm_util::files::replace_under_lock(&path, after.as_bytes())
}

fn without_words(line: &str, run: &str) -> String {
    match serde_json::from_str::<serde_json::Value>(line) {
        Ok(mut rating) if rating["run_id"] == run => {
            rating["comment"] = "".into();
            rating.to_string()
        }
        _ => line.to_owned(),
    }
}

/// One at a time: a rewrite of the file would lose what is added meanwhile.
fn hold(path: &Path) -> std::io::Result<std::fs::File> {
    saved::lock(path).map_err(std::io::Error::other)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use frlm_learning::planning::account::Served;
    use frlm_learning::planning::decompose::{Action, Moment};
    use frlm_learning::planning::domain::Domain;
    use frlm_learning::planning::hints::HintRecord;
    use frlm_learning::planning::reward;
    use frlm_learning::routing::judge::{Judgement, Source};
    use frlm_learning::routing::production::Outcome;
    use frlm_learning::routing::{Account, Availability, Production, ProductionSettings, Space};

    use super::*;

    fn rating(stars: Option<u8>, thumbs_up: Option<bool>, comment: &str) -> Rating {
        Rating { run_id: "run".to_owned(), stars, thumbs_up, comment: comment.to_owned() }
    }

    /// An account with one decision of the run, whose answer nobody checked.
    fn unchecked(home: &Home) -> RoutingMemory {
        let (memory, settings) = (RoutingMemory::at(home.routing()), ProductionSettings::default());
        let mut service = Production::going_on(Account::fresh(Space::seed()), settings);
        let available = Availability::all(service.space());
        let begun = service.assign("run", "research", None, Duration::ZERO, &available).unwrap();
        let done = Outcome { answered: true, cost_msats: 0, latency_secs: 0.1 };
        service.finish(begun, done, Judgement::without_judge());
        memory.add(&Space::seed(), &service.take_news(), &settings).unwrap();
        memory
    }

    #[test]
    fn stars_come_before_thumbs_and_words_are_no_figure() {
        let share = |rating: Rating| Some((rating.satisfaction()?.share() * 100.0).round());
        assert_eq!(share(rating(Some(4), Some(false), "")), Some(80.0));
        assert_eq!(share(rating(None, Some(true), "")), Some(100.0));
        assert_eq!(share(rating(None, Some(false), "")), Some(20.0));
        assert_eq!(share(rating(None, None, "fine")), None);
    }

    #[test]
    fn a_rating_is_kept_and_teaches_routing_and_a_second_one_is_only_kept() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        let memory = unchecked(&home);
        assert_eq!(keep_and_teach(&rating(None, None, "fine"), &home).unwrap().decisions, 0);
        assert_eq!(keep_and_teach(&rating(Some(5), None, ""), &home).unwrap().decisions, 1);
        assert_eq!(keep_and_teach(&rating(Some(1), None, ""), &home).unwrap().decisions, 0);
        let account = memory.load().unwrap().unwrap();
        let entry = account.log().next().unwrap();
        assert_eq!((entry.judgement.source, entry.judgement.quality), (Source::Person, 1.0));
        assert_eq!(std::fs::read_to_string(home.ratings()).unwrap().lines().count(), 3);
    }

    /// What a run showed that was answered.
    fn served() -> Served {
        Served {
            run_id: "run".to_owned(),
            question: "How many orders failed?".to_owned(),
            domain: Domain::Logs,
            action: Action::STATIC,
            chosen: None,
            test: None,
            explored: false,
            hints: HintRecord::default(),
            phrased: None,
            correctness: 1.0,
            subtasks: 3,
            providers: 2,
            moment: Moment::default(),
            answered: true,
            outcome: reward::Outcome {
                success: 1.0,
                satisfaction: Satisfaction::Guessed(0.5),
                latency_secs: 2.0,
                simplicity: 0.8,
                coherence: 1.0,
                steps: 1,
                complex: false,
            },
        }
    }

    #[test]
    fn a_rating_enters_the_reward_of_the_plan_once() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        let memory = LearnerMemory::at(home.learner());
        let guessed = memory.add(&served()).unwrap().appraisal.reward;
        let taught = keep_and_teach(&rating(Some(5), None, ""), &home).unwrap();
        assert_eq!(taught, Taught { decisions: 0, plan: true });
        assert!(!keep_and_teach(&rating(Some(1), None, ""), &home).unwrap().plan);
        let account = memory.load().unwrap().unwrap();
        let rated = account.episodes().next().unwrap().reward;
        assert!((rated - guessed - 0.25 * 0.5).abs() < 1e-9, "{guessed} {rated}");
    }

    #[test]
    fn what_was_said_of_a_deleted_run_in_words_goes_and_the_figures_stay() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        forget_words("run", &home).unwrap();
        let other = Rating { run_id: "other".to_owned(), ..rating(None, Some(true), "stays") };
        for rating in [rating(Some(4), None, "it names the patient"), other] {
            keep_and_teach(&rating, &home).unwrap();
        }
        forget_words("run", &home).unwrap();
        let kept = std::fs::read_to_string(home.ratings()).unwrap();
        assert!(
            kept.contains("\"stars\":4") && kept.contains("stays") && !kept.contains("patient"),
            "{kept}"
        );
        keep_and_teach(&rating(Some(2), None, ""), &home).unwrap();
        assert_eq!(std::fs::read_to_string(home.ratings()).unwrap().lines().count(), 3);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(home.ratings()).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn a_rating_outlives_an_account_that_cannot_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        std::fs::write(home.routing(), "{").unwrap();
        assert_eq!(keep_and_teach(&rating(Some(5), None, ""), &home).unwrap(), Taught::default());
        assert!(std::fs::read_to_string(home.ratings()).unwrap().contains("\"stars\":5"));
        assert_eq!(std::fs::read_to_string(home.routing()).unwrap(), "{");
    }
}
