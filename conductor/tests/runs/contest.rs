//! Ways to take questions apart that compete: a run is asked by one of two that are tested, its episode is a sample, and
//! the loser is retired.

use std::time::Duration;

use frlm_client::view::RunView;
use frlm_conductor::trace::TraceEvent;
use frlm_learning::planning::account::memory::LearnerMemory;
use frlm_learning::planning::account::{LearnerAccount, Served};
use frlm_learning::planning::decompose::{
    Action, AskingOrder, Dependencies, EpisodeId, LearnerSettings, Moment, Pattern, Strategy,
};
use frlm_learning::planning::domain::Domain;
use frlm_learning::planning::hints::HintRecord;
use frlm_learning::planning::reward::Outcome;
use frlm_learning::planning::satisfaction::Satisfaction;
use frlm_learning::planning::strategies::{FEWEST_SAMPLES, FEWEST_TO_TEST};
use frlm_questions::stage::RunStage;

use crate::common::{Asker, copy, engine, orders, provider, relay};

const QUICK: Duration = Duration::from_millis(1);
const IN_PARTS: &str =
    "Which user has the most failed orders, and how many orders of that user have status shipped?";
/// What the names of the test's documents say.
const DOMAIN: Domain = Domain::Other;

/// Past episodes of one domain.
struct Past {
    account: LearnerAccount,
    runs: u64,
}

impl Past {
    /// So many questions that were asked by a strategy, in this test or in none.
    fn asked(&mut self, strategy: Strategy, test: Option<u64>, success: f64, times: u64) {
        for _ in 0..times {
            self.runs += 1;
            let served = Served {
                run_id: format!("past {}", self.runs),
                question: "How many?".to_owned(),
                domain: DOMAIN,
                action: action(strategy),
                // None that the policy knows.
                chosen: Some(EpisodeId(1_000_000 + self.runs)),
                test,
                explored: false,
                hints: HintRecord::default(),
                phrased: None,
                correctness: success,
                subtasks: 4,
                providers: 2,
                moment: Moment::default(),
                answered: true,
                outcome: Outcome {
                    success,
                    satisfaction: Satisfaction::Guessed(0.5),
                    latency_secs: 1.0,
                    simplicity: 0.8,
                    coherence: 1.0,
                    steps: 2,
                    complex: true,
                },
            };
            self.account.note(&served, self.runs);
        }
    }

    /// The number of the test that runs.
    fn test(&self) -> u64 {
        self.account.contests()[&DOMAIN].test().unwrap().number
    }
}

fn action(strategy: Strategy) -> Action {
    let (pattern, dependencies) = match strategy.order {
        AskingOrder::AllAtOnce => (Pattern::Parallel, Dependencies::Dag),
        AskingOrder::InWaves => (Pattern::Hybrid, Dependencies::Dag),
        AskingOrder::OneByOne => (Pattern::Sequential, Dependencies::Dag),
    };
    Action { steps: 4, pattern, phrasing: strategy.phrasing, dependencies }
}

/// All but two strategies are retired, and the second of the two lacks one sample to be retired, too.
fn nearly_decided() -> (LearnerAccount, [Strategy; 2]) {
    let settings = LearnerSettings { seed: 5, ..LearnerSettings::default() };
    let mut past = Past { account: LearnerAccount::with_policy(settings).unwrap(), runs: 0 };
    let strategies: Vec<Strategy> = Strategy::all().collect();
    let (best, last) = (strategies[0], strategies[8]);
    past.asked(best, None, 0.9, FEWEST_TO_TEST + 1);
    for &strategy in &strategies[1..] {
        past.asked(strategy, None, 0.1, FEWEST_TO_TEST);
        let test = Some(past.test());
        past.asked(best, test, 0.9, FEWEST_SAMPLES);
        past.asked(strategy, test, 0.1, if strategy == last { FEWEST_SAMPLES - 1 } else { FEWEST_SAMPLES });
    }
    (past.account, [best, last])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_samples_one_of_two_tested_strategies_and_may_retire_the_other() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let memory = LearnerMemory::at(home.path().join("brain.json"));
    let (account, [best, last]) = nearly_decided();
    assert_eq!(account.contests()[&DOMAIN].decided().len(), 7);
    assert!(memory.begin(&account).unwrap());
    let ask = || Asker { learner: Some(memory.clone()), question: IN_PARTS, ..Asker::default() };
    let mut ended = None;
    // An even coin: one of twelve falls on the strategy that lacks a sample. The policy's seed is the same each time.
    for _ in 0..12 {
        let outcome = ask().ask(&relay.url(), orders(110, 8), home.path()).await;
        let view = RunView::of(&outcome.trace);
        let chosen = view.plan.chosen.clone().unwrap();
        let strategy = Strategy::of(&chosen.action);
        assert!(strategy == best || strategy == last, "the others are retired: {strategy}");
        assert_eq!(chosen.test, Some(8));
        assert!(chosen.why.contains("an even coin decided between"), "{}", chosen.why);
        assert!(chosen.why.contains("99 of 100 samples"), "{}", chosen.why);
        assert!(chosen.why.contains("retired here: \"all at once, as asked\""), "{}", chosen.why);
        let episode = memory.load().unwrap().unwrap().episodes().next_back().unwrap().clone();
        assert_eq!((episode.test, Strategy::of(&episode.action)), (Some(8), strategy));
        if strategy == last {
            ended = Some(outcome);
            break;
        }
    }
    let outcome = ended.unwrap();
    let said = format!("\"{last}\" is retired for other, against \"{best}\": worth at least");
    let told = outcome.count(|event| {
        matches!(event, TraceEvent::Notice { stage, says }
            if *stage == RunStage::Learn && says.starts_with(&said))
    });
    assert_eq!(told, 1, "{:?}", outcome.result.unwrap().decisions);

    let next = ask().ask(&relay.url(), orders(110, 8), home.path()).await;
    let chosen = RunView::of(&next.trace).plan.chosen.unwrap();
    assert_eq!((Strategy::of(&chosen.action), chosen.test), (best, None), "one strategy is left");
    assert!(next.result.unwrap().answer.contains("12 records match"));
    memory.bring_back(DOMAIN, last).unwrap();
    assert!(memory.bring_back(DOMAIN, last).unwrap_err().to_string().contains("is not retired here"));
    let account = memory.load().unwrap().unwrap();
    assert_eq!(account.contests()[&DOMAIN].field().closed.len(), 7);
}
