use async_trait::async_trait;
use frlm_learning::routing::{
    Availability, Execution, Learner, NoAnswer, Production, ProductionSettings, Space, Task, TaskBank,
    Training, TrainingSettings, Workers,
};

use super::*;

/// Right at the swarm, wrong on this machine, silent for one task.
struct Scripted;

#[async_trait]
impl Workers for Scripted {
    fn available(&self, space: &Space) -> Availability {
        Availability::all(space)
    }

    async fn execute(&self, task: &Task, _role: &str, venue: &str) -> Result<Execution, NoAnswer> {
        if task.id == "copy-2" {
            return Err(NoAnswer { venue: venue.to_owned(), reason: "it \u{1b}[31mtimed out".to_owned() });
        }
        let right = task.expected.clone().unwrap_or_default().join("\n");
        let swarm = venue == "swarm";
        Ok(Execution {
            output: if swarm { right } else { String::new() },
            by: venue.to_owned(),
            cost_msats: if swarm { 700 } else { 0 },
            latency_secs: 0.5,
            measured_secs: 0.25,
        })
    }
}

async fn trained(learner: fn(&Space) -> Learner) -> (Training, TaskBank) {
    let bank = TaskBank::read(super::super::train::RECORD_TASKS).unwrap();
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let roles = names(&["copier", "planner", "comparer", "chooser"]);
    let space = Space::new(bank.types(), roles, names(&["local", "swarm"])).unwrap();
    let learner = learner(&space);
    let mut training = Training::new(TrainingSettings::default(), &bank, space, learner);
    while !training.is_done() {
        training.advance(&bank, &Scripted, None).await.unwrap();
    }
    (training, bank)
}

#[tokio::test]
async fn a_training_is_shown_with_its_policy_its_costs_and_its_name() {
    for learner in [Learner::q_table, Learner::linear] {
        let (training, _) = trained(learner).await;
        let text = tables(&training);
        assert!(text.starts_with("50 iterations of "), "{text}");
        assert!(text.contains(&format!("result {}", training.fingerprint().unwrap())));
        for name in ["| copy |", "| plan |", "| same |", "| better |", "| copier |", "| local |", "| swarm |"]
        {
            assert!(text.contains(name), "{name} in {text}");
        }
        assert!(!text.contains("NaN"));
        let jobs =
            training.log().iter().filter(|one| one.decision.venue.0 == 1 && one.outcome.is_ok()).count();
        let row = text.lines().find(|line| line.starts_with("| swarm |")).unwrap();
        assert!(row.contains(&format!("| {} |", jobs * 700)), "{row}");
    }
}

#[tokio::test]
async fn six_panels_the_load_states_and_a_map_for_each_state_that_was_met() {
    let (training, _) = trained(Learner::q_table).await;
    let dashboard = dashboard(&training);
    // Raw, adjusted, quality, four roles, penalty, imbalance.
    assert_eq!(dashboard.matches("<polyline").count(), 9);
    for panel in 1..=6 {
        assert!(dashboard.contains(&format!(">{panel}. ")), "panel {panel}");
    }
    let met = training.router().space().load_states();
    let met = met.filter(|load| training.log().iter().any(|one| one.load() == *load)).count();
    // Four task types and eight actions in each map, and the page behind them.
    let frames = met + 1;
    assert_eq!(heat_maps(&training).matches("<rect").count(), met * 32 + frames);
    let folder = tempfile::tempdir().unwrap();
    let written = write_plots(&training, &folder.path().join("plots")).unwrap();
    assert!(written.len() == 2 && written.iter().all(|path| path.exists()));
}

#[tokio::test]
async fn a_line_names_who_did_what_and_a_peers_words_cannot_change_the_terminal() {
    let (training, _) = trained(Learner::q_table).await;
    let silent = training.log().iter().find(|one| one.task == "copy-2").unwrap();
    let line = line(&training, silent);
    assert!(line.contains("copy-2 → ") && line.contains("timed out"), "{line}");
    assert!(!line.contains('\u{1b}'));
}

#[tokio::test]
async fn health_after_production_adds_up() {
    let (training, bank) = trained(Learner::linear).await;
    let mut production = Production::new(training.router().clone(), ProductionSettings::default());
    for task in bank.tasks() {
        production.process("lab", task, std::time::Duration::ZERO, &Scripted, None).await.unwrap();
    }
    let text = super::production(&production);
    assert!(text.contains("11 requests answered, 1 failed, 0 refused"), "{text}");
}
