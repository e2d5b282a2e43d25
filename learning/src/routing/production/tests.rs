//! Requests as seeds/load-balanced-rl-workflow.md has them (sections 3.5, 8.5 and 9.2).

use super::*;
use crate::routing::coordinator::Coordinator as _;
use crate::routing::judge::Source;
use crate::routing::space::{RoleId, Space, VenueId};
use crate::routing::workers::testing::{Scripted, bank, by_role};
use crate::routing::{Learner, LoadSettings, LoadState, Situation, TaskType};

fn production(settings: ProductionSettings) -> Production {
    let space = Space::seed();
    let learner = Learner::q_table(&space);
    Production::new(Router::new(space, learner, LoadSettings::default()), settings)
}

fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

async fn ask(
    production: &mut Production,
    workers: &Scripted,
    caller: &str,
    at: u64,
) -> Result<Response, RequestError> {
    production.process(caller, &bank().tasks()[0], secs(at), workers, None).await
}

#[tokio::test]
async fn each_caller_has_its_own_limit_and_is_told_when_to_come_again() {
    let mut service = production(ProductionSettings { per_minute: 2, ..ProductionSettings::default() });
    let workers = Scripted::new(by_role);
    for at in [0, 10] {
        ask(&mut service, &workers, "ann", at).await.unwrap();
    }
    let refused = ask(&mut service, &workers, "ann", 20).await.unwrap_err();
    assert!(matches!(refused, RequestError::RateLimited(over) if over.again_in == secs(40)));
    assert!(refused.to_string().contains("come again in 41 s"), "{refused}");
    assert_eq!(workers.calls(), 2, "nothing was sent for the refused one");
    ask(&mut service, &workers, "bob", 20).await.unwrap();
    ask(&mut service, &workers, "ann", 60).await.unwrap();
    let health = service.health();
    assert_eq!((health.answered, health.refused), (4, 1));
}

#[tokio::test]
async fn idle_callers_are_forgotten() {
    let mut service = production(ProductionSettings::default());
    for number in 0..limit::MOST_CALLERS {
        service.admit(&number.to_string(), secs(0)).unwrap();
    }
    service.admit("late", secs(120)).unwrap();
    assert_eq!(service.callers.remembered(), 1);
}

#[tokio::test]
async fn routing_is_greedy_and_its_rewards_are_adjusted_section_3_5() {
    let mut service = production(ProductionSettings::default());
    let workers = Scripted::new(by_role);
    let mut roles = Vec::new();
    for at in 0..40 {
        let response = ask(&mut service, &workers, "ann", at * 10).await.unwrap();
        assert!(!response.decision.explored);
        let entry = &response.entry;
        assert!((entry.adjusted - (entry.raw - entry.penalty).max(0.0)).abs() < 1e-12);
        assert!((0.0..=0.20).contains(&entry.penalty));
        roles.push(response.decision.role);
    }
    assert!(roles.contains(&RoleId(0)) && service.health().epsilon.abs() < 1e-12);
    assert_eq!(service.health().lifetime.iter().map(|(_, count)| count).sum::<u64>(), 40);
}

/// A router that has seen how good each role is at analysis, and what its load costs it: the analyst is always right,
/// the others nine times of ten.
fn taught() -> Router {
    let space = Space::seed();
    let learner = Learner::linear(&space);
    let mut router = Router::new(space.clone(), learner, LoadSettings::default());
    let lessons = (0..20).flat_map(|_| [0.0, 0.05, 0.10, 0.15, 0.20]);
    for penalty in lessons {
        for action in space.action_ids() {
            let (role, venue) = space.parts(action);
            let situation =
                Situation { task_type: TaskType(0), load: LoadState::Balanced, penalties: vec![penalty; 4] };
            let decision = Decision { situation, action, role, venue, explored: false, value: 0.0 };
            let quality = if space.role_name(role) == "analyst" { 1.0 } else { 0.9 };
            let accounted = Accounted { penalty, next_load: LoadState::Balanced };
            router.learn(&decision, accounted, adjusted(quality, penalty), None);
        }
    }
    router
}

#[test]
fn load_shifts_work_between_roles_and_back_in_sections_3_2_and_8_5() {
    let settings = ProductionSettings { online_learning: false, ..ProductionSettings::default() };
    let mut service = Production::new(taught(), settings);
    let available = Availability::all(service.space());
    let (mut analyst, mut shifted, mut cooled, mut was_hot) = (0, 0, 0, false);
    for at in 0..80 {
        let begun = service.assign("ann", "analysis", None, secs(at), &available).unwrap();
        let outcome = Outcome { answered: true, cost_msats: 0, latency_secs: 0.0 };
        let entry = service.finish(begun, outcome, Judgement::verified(1.0));
        let (hot, by_analyst) = (entry.load_state == "analyst_hot", entry.role == "analyst");
        analyst += u32::from(by_analyst);
        shifted += u32::from(hot && !by_analyst);
        cooled += u32::from(was_hot && !hot);
        was_hot = hot;
    }
    assert!(analyst > 20, "the best at it gets more than its fair share of 80: {analyst}");
    assert!(analyst < 60 && shifted > 0, "while it is hot others step in: {analyst} and {shifted}");
    assert!(cooled > 0, "and it cools down");
}

#[tokio::test]
async fn learning_can_be_switched_off_and_load_is_tracked_all_the_same() {
    for online_learning in [true, false] {
        let mut service = production(ProductionSettings { online_learning, ..ProductionSettings::default() });
        let before = service.router().learner().clone();
        ask(&mut service, &Scripted::new(by_role), "ann", 0).await.unwrap();
        assert_eq!(service.router().learner() != &before, online_learning);
        assert_eq!(service.router().tracker().lifetime().iter().sum::<u64>(), 1);
    }
}

#[tokio::test]
async fn the_update_is_the_documents_with_no_look_ahead_section_3_5() {
    let mut service = production(ProductionSettings::default());
    let Response { entry, decision, .. } =
        ask(&mut service, &Scripted::new(by_role), "ann", 0).await.unwrap();
    let values = service.router().learner().values(service.space(), &decision.situation);
    let value = values[decision.action.0 as usize];
    assert!((value - 0.15 * entry.adjusted).abs() < 1e-12 && entry.adjusted > 0.0);
}

#[tokio::test]
async fn outages_unknown_types_and_silent_providers_have_their_own_outcomes() {
    let mut service = production(ProductionSettings::default());
    let mut down = Scripted::new(by_role);
    down.down = vec![VenueId(0), VenueId(1)];
    let error = ask(&mut service, &down, "ann", 0).await.unwrap_err();
    assert!(error.to_string().contains("all venues are down"));
    let workers = Scripted::new(by_role);
    let unknown = service.begin("ann", "poetry", None, secs(1), &workers).unwrap_err();
    assert!(unknown.to_string().contains("poetry"));
    let silent = bank().tasks()[4].clone();
    let response = service.process("ann", &silent, secs(2), &workers, None).await.unwrap();
    assert!(response.outcome.unwrap_err().contains("timed out"));
    assert_eq!(response.entry.judgement.source, Source::NoOutput);
    let health = service.health();
    assert_eq!((health.answered, health.failed, health.unroutable), (0, 1, 2));
    assert!((health.error_rate - 1.0).abs() < 1e-12);
    assert!(health.venues.iter().any(|venue| (venue.error_rate - 1.0).abs() < 1e-12));
}

#[tokio::test]
async fn without_a_judge_one_half_counts_and_is_reported() {
    let mut service = production(ProductionSettings::default());
    let task = Task { expected: None, ..bank().tasks()[0].clone() };
    let workers = Scripted::new(by_role);
    let response = service.process("ann", &task, secs(0), &workers, None).await.unwrap();
    assert_eq!(response.entry.judgement.source, Source::NoJudge);
    assert!((response.entry.judgement.quality - 0.5).abs() < 1e-12);
    assert_eq!(service.health().unjudged, 1);
}

#[tokio::test]
async fn the_log_holds_the_latest_requests() {
    let mut service = production(ProductionSettings { log_entries: 3, ..ProductionSettings::default() });
    for at in 0..5 {
        ask(&mut service, &Scripted::new(by_role), "ann", at).await.unwrap();
    }
    let times: Vec<f64> = service.log().map(|entry| entry.at_secs).collect();
    assert_eq!(times, [2.0, 3.0, 4.0]);
}

/// What one run serves, on a file that others may use meanwhile.
async fn run_on(memory: &RoutingMemory, venues: &[&str], requests: u64) -> (Production, Space) {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let seed = Space::seed();
    let space = Space::new(seed.task_types().to_vec(), seed.roles().to_vec(), owned(venues)).unwrap();
    let account = memory.load().unwrap().unwrap_or_else(|| Account::fresh(space.clone()));
    let account = account.joined(&space).unwrap();
    let mut service = Production::going_on(account, ProductionSettings::default());
    for at in 0..requests {
        ask(&mut service, &Scripted::new(by_role), "run", at * 10).await.unwrap();
    }
    (service, space)
}

#[tokio::test]
async fn two_runs_at_once_add_to_one_account_and_none_undoes_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let memory = RoutingMemory::at(folder.path().join("routing.json"));
    assert!(memory.load().unwrap().is_none());
    let (mut first, _) = run_on(&memory, &["local", "swarm"], 5).await;
    let (mut second, _) = run_on(&memory, &["swarm", "office"], 3).await;
    for service in [&mut first, &mut second] {
        let (space, settings) = (service.space().clone(), *service.settings());
        assert!(service.unwritten() > 0);
        memory.add(&space, &service.take_news(), &settings).unwrap();
        assert_eq!(service.unwritten(), 0);
    }
    let account = memory.load().unwrap().unwrap();
    assert_eq!(account.router().space().venues(), ["local", "swarm", "office"]);
    let health = account.health(true, false);
    assert_eq!((health.answered, account.log().len()), (8, 8));
    assert_eq!(health.lifetime.iter().map(|(_, count)| count).sum::<u64>(), 8);
    assert_eq!(health.venues.iter().map(|venue| venue.answered).sum::<u64>(), 8);
}

#[tokio::test]
async fn a_runs_learning_serves_the_next_and_an_absent_venue_is_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let memory = RoutingMemory::at(folder.path().join("routing.json"));
    let (mut first, space) = run_on(&memory, &["local", "swarm"], 12).await;
    let settings = *first.settings();
    memory.add(&space, &first.take_news(), &settings).unwrap();
    let situation = |service: &Production| {
        let router = service.router();
        router.learner().values(router.space(), &router.situation(router.task_type("analysis").unwrap()))
    };
    let learned = situation(&first);
    assert!(learned.iter().any(|value| (value - 0.5).abs() > 0.05), "{learned:?}");
    // The same window, the same values, in another process that knows only one of the venues.
    let (again, _) = run_on(&memory, &["swarm"], 0).await;
    for (before, after) in learned.iter().zip(situation(&again)) {
        assert!((before - after).abs() < 1e-9, "{before} and {after}");
    }
}

#[test]
fn an_account_that_does_not_fit_its_names_is_refused_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("routing.json");
    let memory = RoutingMemory::at(&path);
    memory.add(&Space::seed(), &News::default(), &ProductionSettings::default()).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace(r#"["local","swarm"]"#, r#"["local"]"#)).unwrap();
    assert!(memory.load().unwrap_err().to_string().contains("move it away"));
    assert!(memory.forget().unwrap() && !memory.forget().unwrap());
}

#[test]
fn refusals_of_a_service_join_the_account_of_runs() {
    let folder = tempfile::tempdir().unwrap();
    let memory = RoutingMemory::at(folder.path().join("routing.json"));
    assert!(!memory.add_refused(3).unwrap(), "there is no account to add them to");
    memory.add(&Space::seed(), &News::default(), &ProductionSettings::default()).unwrap();
    assert!(memory.add_refused(3).unwrap() && memory.add_refused(2).unwrap());
    assert_eq!(memory.load().unwrap().unwrap().health(true, false).refused, 5);
}

/// A run of three decisions on an account: one answer checked, one that stands by itself, one that never came.
fn run_of_three(memory: &RoutingMemory, run: &str) {
    let space = Space::seed();
    let account = memory.load().unwrap().unwrap_or_else(|| Account::fresh(space.clone()));
    let mut service = Production::going_on(account, ProductionSettings::default());
    for (kind, answered, judgement) in [
        ("coding", true, Judgement::verified(0.9)),
        ("research", true, Judgement::without_judge()),
        ("analysis", false, Judgement::without_output("it timed out")),
    ] {
        let begun = service.assign(run, kind, None, secs(1), &Availability::all(&space)).unwrap();
        service.finish(begun, Outcome { answered, cost_msats: 500, latency_secs: 1.0 }, judgement);
    }
    memory.add(&space, &service.take_news(), &ProductionSettings::default()).unwrap();
}

#[test]
fn a_rating_counts_once_for_unchecked_work_and_a_verdict_outranks_it() {
    let folder = tempfile::tempdir().unwrap();
    let memory = RoutingMemory::at(folder.path().join("routing.json"));
    let settings = ProductionSettings::default();
    assert_eq!(memory.rate("first", 1.0, &settings).unwrap(), 0, "there is no account to teach");
    run_of_three(&memory, "first");
    run_of_three(&memory, "second");
    let before = memory.load().unwrap().unwrap();
    assert_eq!(memory.rate("first", 1.0, &settings).unwrap(), 1);
    let after = memory.load().unwrap().unwrap();
    let of = |account: &Account, run: &str| {
        account.log().filter(|entry| entry.caller == run).cloned().collect::<Vec<_>>()
    };
    assert_eq!(of(&before, "second"), of(&after, "second"), "another run's decisions stay as they are");
    let (was, is) = (of(&before, "first"), of(&after, "first"));
    assert_eq!((&was[0], &was[2]), (&is[0], &is[2]), "the verdict and the missing answer stand");
    assert_eq!((is[1].judgement.source, is[1].judgement.quality), (Source::Person, 1.0));
    assert!((is[1].raw - settings.reward.raw(1.0, 500, 1.0)).abs() < 1e-12);
    assert!((is[1].adjusted - (is[1].raw - is[1].penalty).max(0.0)).abs() < 1e-12);
    let worth = |account: &Account| {
        let (router, space) = (account.router(), account.router().space());
        let situation = router.typical(router.task_type("research").unwrap(), LoadState::Balanced);
        let action = space.action(space.role(&is[1].role).unwrap(), space.venue(&is[1].venue).unwrap());
        router.learner().values(space, &situation)[action.0 as usize]
    };
    assert!(worth(&after) > worth(&before) + 0.05, "{} after {}", worth(&after), worth(&before));
    let (was, is) = (before.health(true, false), after.health(true, false));
    assert_eq!((was.unjudged, is.unjudged, is.rated), (2, 1, 1));
    let quality = |health: &Health| health.venues.iter().map(|venue| venue.mean_quality).sum::<f64>();
    assert!(quality(&is) > quality(&was));
    // It enters once: neither again nor otherwise.
    assert_eq!(memory.rate("first", 0.2, &settings).unwrap(), 0);
    assert_eq!(memory.load().unwrap().unwrap(), after);
}

#[test]
fn with_learning_switched_off_a_rating_is_noted_and_teaches_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let memory = RoutingMemory::at(folder.path().join("routing.json"));
    run_of_three(&memory, "run");
    let before = memory.load().unwrap().unwrap();
    let settings = ProductionSettings { online_learning: false, ..ProductionSettings::default() };
    assert_eq!(memory.rate("run", 0.2, &settings).unwrap(), 1);
    let after = memory.load().unwrap().unwrap();
    assert_eq!(before.router(), after.router());
    assert_eq!(after.health(false, false).rated, 1);
}

#[tokio::test]
async fn a_judges_nonsense_costs_no_answer_and_is_counted_as_unjudged() {
    let mut service = production(ProductionSettings::default());
    let nonsense = frlm_inference::scripted::ScriptedModel::new("judge", |_| "Ten out of ten!".to_owned());
    let judge = Judge::new(std::sync::Arc::new(nonsense));
    let task = Task { expected: None, ..bank().tasks()[0].clone() };
    let workers = Scripted::new(by_role);
    let response = service.process("ann", &task, secs(0), &workers, Some(&judge)).await.unwrap();
    assert!(response.outcome.is_ok(), "the caller has the answer");
    assert_eq!(response.entry.judgement.source, Source::Defaulted);
    assert!((response.entry.judgement.quality - 0.5).abs() < 1e-12);
    assert!(response.entry.judgement.reasoning.contains("no JSON object"));
    assert_eq!((service.health().answered, service.health().unjudged), (1, 1));
}

#[tokio::test]
async fn a_role_without_providers_is_skipped_or_named_if_it_is_the_only_one() {
    let mut service = production(ProductionSettings::default());
    let mut workers = Scripted::new(by_role);
    let roles: Vec<RoleId> = service.space().role_ids().collect();
    workers.unmanned = roles[1..].to_vec();
    for at in 0..10 {
        let response = ask(&mut service, &workers, "ann", at).await.unwrap();
        assert_eq!(response.decision.role, roles[0], "the only role that anybody takes on");
    }
    workers.unmanned = roles;
    let error = ask(&mut service, &workers, "ann", 20).await.unwrap_err();
    assert!(matches!(&error, RequestError::NoRoute(NoRoute::RoleWithoutProviders { .. })), "{error}");
    assert!(error.to_string().contains("start one that announces one of them"), "{error}");
    assert_eq!((workers.calls(), service.health().unroutable), (10, 1), "nothing was sent for it");
}
