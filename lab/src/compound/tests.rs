//! The experiment on few questions, with engines that copy by code: everything else is real.

use std::sync::Arc;

use frlm_inference::LanguageModel;
use frlm_inference::scripted::ScriptedModel;

use super::*;

fn args() -> LabCompoundArgs {
    LabCompoundArgs {
        questions: 4,
        training: 3,
        seeds: 1,
        seed: 5,
        lines: 24,
        model: None,
        planner: None,
        settings: None,
        fresh: false,
        json: false,
    }
}

/// Copies the asked fields out of every form of document that names them.
fn copy(prompt: &str) -> String {
    let (instruction, record) = prompt.split_once('\n').unwrap_or((prompt, ""));
    let value = |field: &str| {
        let marks = [format!("\"{field}\": "), format!("{field}="), format!("{field} ")];
        let (_, rest) = marks.iter().find_map(|mark| record.split_once(mark.as_str()))?;
        rest.trim_start_matches('"').split([' ', ',', '"', '}']).next()
    };
    let fields = instruction.trim_start_matches("copy ").split(", ");
    fields.fold(String::new(), |text, field| text + value(field).unwrap_or("-") + "\n")
}

async fn swarm(home: &Home) -> LabSwarm {
    let engine: Arc<dyn LanguageModel> = Arc::new(ScriptedModel::new("copying", copy).with_concurrency(8));
    LabSwarm::of(vec![engine; PROVIDERS], home).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_held_out_question_is_asked_in_three_ways_after_learning() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::open(Some(folder.path().join("home"))).unwrap();
    let swarm = swarm(&home).await;
    let kept = Box::pin(experiment(&args(), &swarm, &home)).await.unwrap();
    let trials = kept.trials(0..9);
    assert_eq!(trials.len(), 3 * 4);
    for trial in &trials {
        assert!(trial.right && trial.seed == 5 && trial.sats > 0, "{trial:?}");
        assert!(trial.outcome.steps >= 2 && trial.subtasks >= trial.outcome.steps as usize, "{trial:?}");
        assert_eq!(trial.strategy == strategy_of(None), trial.way == Way::Planner, "{trial:?}");
    }
    // Each question costs about the same under any arrangement: the same parts are asked of the same text.
    let subtasks =
        |way| trials.iter().filter(|trial| trial.way == way).map(|trial| trial.subtasks).sum::<usize>();
    assert_eq!(subtasks(Way::Planner), subtasks(Way::Untrained));
    assert_eq!(subtasks(Way::Planner), subtasks(Way::Trained));
    let account = kept.memory(5).load().unwrap().unwrap();
    assert_eq!((account.policy_so_far(), account.episodes().len()), (Some((0, 3)), 3));
    assert!(account.episodes().all(frlm_learning::planning::account::Episode::is_rated));

    // Asked again, it has all it needs.
    let again = Box::pin(experiment(&args(), &swarm, &home)).await.unwrap();
    let asked = |trials: &[Trial]| -> Vec<(Way, usize, String)> {
        trials.iter().map(|trial| (trial.way, trial.question, trial.strategy.clone())).collect()
    };
    assert_eq!(asked(&again.trials(0..9)), asked(&trials));
    assert_eq!(again.memory(5).load().unwrap().unwrap().policy_so_far(), Some((0, 3)));
    swarm.stop().await;
}

/// Takes a question apart at its joints, behind its first sentence.
fn at_the_joints(prompt: &str) -> String {
    let question = prompt.lines().find_map(|line| line.strip_prefix("Question: "));
    let Some(Ok(question)) = question.map(serde_json::from_str::<String>) else { return String::new() };
    let (_, asked) = question.split_once(". ").unwrap_or_default();
    let asked = asked.replace("? And ", "? ").replace(", and ", ", ").replace(", ", "? ");
    let subtasks: Vec<_> = asked
        .trim_end_matches('?')
        .split("? ")
        .map(|query| serde_json::json!({"query": query, "dependencies": []}))
        .collect();
    serde_json::json!({"subtasks": subtasks, "reasoning": "at the joints"}).to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_planner_the_policies_split_what_code_cannot() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::open(Some(folder.path().join("home"))).unwrap();
    let planner = ScriptedModel::new("planner", at_the_joints).with_dialect(Dialect::Json);
    let swarm = swarm(&home).await.planned_by(Arc::new(planner));
    let args = LabCompoundArgs { questions: 3, training: 1, ..args() };
    let kept = Box::pin(experiment(&args, &swarm, &home)).await.unwrap();
    for trial in kept.trials(0..9) {
        assert_eq!(trial.right, trial.way != Way::Planner, "{trial:?}");
    }
    swarm.stop().await;
}

/// Six orders. Of the failed ones mara has two, and one of hers is shipped.
#[cfg(feature = "embedded")]
const SIX: &str = "order=101 user=mara amount=12.00 status=failed
order=102 user=omar amount=20.00 status=shipped
order=103 user=mara amount=35.50 status=failed
order=104 user=omar amount=8.25 status=failed
order=105 user=mara amount=5.00 status=shipped
order=106 user=ada amount=99.00 status=shipped
";

/// The weights inside the program over sockets: relay, providers, plan, checks and the sentence are those of `frlm ask`.
#[cfg(feature = "embedded")]
#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(debug_assertions, ignore = "the engine is too slow without optimisation")]
async fn the_embedded_model_splits_what_code_cannot_and_sums_up_the_parts() {
    use frlm_learning::planning::account::memory::LearnerMemory;

    use crate::model::documents::Right;

    let folder = tempfile::tempdir().unwrap();
    let home = Home::open(Some(folder.path().join("home"))).unwrap();
    let small = models::small(&home).unwrap();
    let swarm = swarm(&home).await.helped_by(SMALL.to_owned(), small);
    let file = folder.path().join("orders.log");
    std::fs::write(&file, SIX).unwrap();
    let text = Wording::Loose
        .of("Whoever has the most failed orders, how many of their orders are shipped, and what is their largest amount?");
    // Code reads neither the question nor parts of it.
    let asked = swarm::read_loosely(&text, &file).unwrap().unwrap();
    let right = Right::Parts(vec![
        "mara: 2 of 3 records".to_owned(),
        "[mara] 1 record matches".to_owned(),
        "[mara] The largest amount is 35.50 ".to_owned(),
    ]);
    let case = Case { kind: "fan", text, right, file, asked };
    let alone = swarm.ask(&case, Choice::Nobody).await.unwrap();
    assert!(!alone.right, "{:?}", alone.answer);
    let memory = LearnerMemory::at(folder.path().join("brain.json"));
    let helped = swarm.ask(&case, Choice::By(memory)).await.unwrap();
    let answer = helped.answer.unwrap();
    assert!(helped.right, "{}", answer.answer);
    let sentence = "In short: user mara has the most failed orders, 1 order of user mara is shipped, and the largest amount of \
                    user mara is 35.50.";
    assert_eq!(answer.answer.lines().last(), Some(sentence), "{}", answer.answer);
    swarm.stop().await;
}
