//! Who carries out a task in a role at a venue: what training and production need of the world.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::judge::{Judge, Judgement, Work};
use super::router::Availability;
use super::space::Space;
use super::tasks::Task;

/// What came of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Execution {
    /// The answer.
    pub output: String,
    /// Who gave it: a provider, a model.
    pub by: String,
    /// What it cost.
    pub cost_msats: u64,
    /// The time that counts in the reward: measured, or the venue's nominal one where runs must repeat.
    pub latency_secs: f64,
    /// The time it really took.
    pub measured_secs: f64,
}

/// A task came to nothing at a venue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{venue} gave no answer: {reason}")]
pub struct NoAnswer {
    /// Where.
    pub venue: String,
    /// Why.
    pub reason: String,
}

/// Roles at venues at work.
#[async_trait]
pub trait Workers: Send + Sync {
    /// What is possible now.
    fn available(&self, space: &Space) -> Availability;

    /// Has the role at the venue do the task.
    async fn execute(&self, task: &Task, role: &str, venue: &str) -> Result<Execution, NoAnswer>;
}

/// What an outcome is worth: nothing without an answer; the check's verdict where the right answer is
/// known; else the judge's opinion, or its defaults where there is no judge.
pub async fn judgement(
    task: &Task,
    role: &str,
    outcome: &Result<Execution, String>,
    judge: Option<&Judge>,
) -> Judgement {
    let execution = match outcome {
        Ok(execution) => execution,
        Err(reason) => return Judgement::without_output(reason),
    };
    if let Some(share) = task.check(&execution.output) {
        return Judgement::verified(share);
    }
    let work = Work { task: &task.description, task_type: &task.task_type, role, output: &execution.output };
    match judge {
        Some(judge) => judge.judge(work).await,
        None => Judgement::without_judge(),
    }
}

#[cfg(test)]
pub(super) mod testing {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::routing::space::{RoleId, VenueId};

    /// Workers that answer from a function and count their calls.
    pub struct Scripted {
        pub calls: AtomicUsize,
        pub down: Vec<VenueId>,
        /// Roles that nobody takes on.
        pub unmanned: Vec<RoleId>,
        pub answer: fn(&Task, &str, &str) -> Result<Execution, NoAnswer>,
    }

    impl Scripted {
        pub fn new(answer: fn(&Task, &str, &str) -> Result<Execution, NoAnswer>) -> Self {
            Self { calls: AtomicUsize::new(0), down: Vec::new(), unmanned: Vec::new(), answer }
        }

        pub fn calls(&self) -> usize {
            self.calls.load(Ordering::SeqCst)
        }
    }

    #[async_trait]
    impl Workers for Scripted {
        fn available(&self, space: &Space) -> Availability {
            let mut available = Availability::all(space);
            for venue in &self.down {
                available.close_venue(space, *venue);
            }
            for role in &self.unmanned {
                for venue in (0..).map(VenueId).take(space.venues().len()) {
                    available.close(space, *role, venue);
                }
            }
            available
        }

        async fn execute(&self, task: &Task, role: &str, venue: &str) -> Result<Execution, NoAnswer> {
            self.calls.fetch_add(1, Ordering::SeqCst);
            (self.answer)(task, role, venue)
        }
    }

    /// Right where the role's name begins like the type's, dearer at the swarm, silent for one task.
    pub fn by_role(task: &Task, role: &str, venue: &str) -> Result<Execution, NoAnswer> {
        if task.id == "silent" {
            return Err(NoAnswer { venue: venue.to_owned(), reason: "it timed out".to_owned() });
        }
        let suits = task.task_type.get(..3) == role.get(..3);
        let swarm = venue == "swarm";
        Ok(Execution {
            output: if suits { "right" } else { "wrong" }.to_owned(),
            by: venue.to_owned(),
            cost_msats: if swarm { 800 } else { 0 },
            latency_secs: if swarm { 0.5 } else { 2.0 },
            measured_secs: 0.0,
        })
    }

    /// Tasks of the four types whose right answer is "right".
    pub fn bank() -> crate::routing::tasks::TaskBank {
        let line = |id: &str, task_type: &str| {
            format!(
                "{{\"id\":\"{id}\",\"type\":\"{task_type}\",\"description\":\"d\",\"expected\":[\"right\"]}}\n"
            )
        };
        let types = ["analysis", "coding", "research", "validation"];
        let lines: String = types.iter().map(|name| line(name, name)).collect();
        crate::routing::tasks::TaskBank::read(&(lines + &line("silent", "coding"))).expect("tasks")
    }
}
