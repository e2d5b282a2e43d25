use std::time::Duration;

use egui::Theme;
use egui_kittest::kittest::Queryable as _;
use frlm_learning::planning::account::memory::LearnerMemory;
use frlm_learning::planning::account::{LearnerAccount, Served};
use frlm_learning::planning::decompose as plan;
use frlm_learning::planning::domain::Domain;
use frlm_learning::planning::hints::{HintRecord, Suggested};
use frlm_learning::planning::performance::{Synthesis, Work};
use frlm_learning::planning::reward;
use frlm_learning::planning::satisfaction::Satisfaction;
use frlm_learning::planning::strategies::FEWEST_TO_TEST;
use frlm_learning::routing::judge::Judgement;
use frlm_learning::routing::production::Outcome;
use frlm_learning::routing::{Account, Availability, Production, ProductionSettings, RoutingMemory, Space};

use super::state::{Action, Event, Learning, Source, Stored};
use super::work::{brought_back, read};
use crate::desktop::command::Command;
use crate::desktop::screens::Screen;
use crate::desktop::screens::load::Load;
use crate::desktop::state::State;
use crate::desktop::testing::{WINDOW, click, pictures, sizes, window, window_sized};
use crate::desktop::theme::tokens::space;
use frlm_client::attack_simulation::{Against, Answers, Line, Measure, Simulation};
use frlm_client::home::Home;
use frlm_client::learned_plans;
use frlm_client::routing_picture::of_account;
use frlm_client::strategies::testing::{retired_one, served, taught_one};

/// An account that production mode wrote, of work whose outcomes are SIMULATED: the coder is good at coding and
/// middling at all else, the swarm is right more often and costs something, and answers seldom do not come.
fn account() -> Account {
    let settings = ProductionSettings { explore: true, ..ProductionSettings::default() };
    let mut production = Production::going_on(Account::fresh(Space::seed()), settings);
    let types = ["analysis", "coding", "research", "validation"];
    for number in 0..240_u32 {
        let available = Availability::all(production.space());
        let kind = types[(number as usize * 7 + number as usize / 9) % types.len()];
        let begun =
            production.assign("run", kind, None, Duration::from_secs(u64::from(number)), &available).unwrap();
        let space = production.space();
        let role = space.role_name(begun.decision.role).to_owned();
        let swarm = space.venue_name(begun.decision.venue) == "swarm";
        let suits = kind.get(..3) == role.get(..3);
        let wobble = f64::from(number * 37 % 11) / 100.0;
        let quality = if suits { 0.85 } else { 0.5 } + if swarm { 0.06 } else { 0.0 } - wobble;
        let answered = number % 23 != 5;
        let outcome = Outcome {
            answered,
            cost_msats: if swarm { 420 } else { 0 },
            latency_secs: if swarm { 0.6 } else { 1.9 } + wobble,
        };
        let judgement =
            if answered { Judgement::verified(quality) } else { Judgement::without_output("it timed out") };
        production.finish(begun, outcome, judgement);
    }
    production.account().clone()
}

fn state(stored: Load<Box<Stored>>, source: Source) -> State {
    let mut learning = Learning { source, ..Learning::default() };
    learning.apply(Event::Stored(stored));
    State { screen: Screen::Learning, learning, ..State::default() }
}

fn learned() -> State {
    let runs = of_account(&account(), &ProductionSettings::default());
    state(Load::Ready(Box::new(Stored { runs, ..Stored::default() })), Source::Runs)
}

#[test]
fn pictures_of_what_was_learned_and_of_nothing() {
    pictures("learning_empty", &state(Load::Ready(Box::default()), Source::Runs));
    pictures("learning_loading", &state(Load::Busy, Source::Runs));
    let why = "/home/ada/.local/share/frlm/routing.json: it was written by a newer FRLM".to_owned();
    pictures("learning_failed", &state(Load::Failed(why), Source::Runs));
    pictures("learning_routing", &learned());
    sizes("learning_routing", &learned());
}

#[test]
fn nothing_moves_where_a_page_is_longer_than_the_window() {
    let right = |shown: State| {
        let drawn = window(shown, Theme::Light);
        drawn.get_by_label("Refresh").rect().right()
    };
    let (short, long) = (right(state(Load::Ready(Box::default()), Source::Runs)), right(learned()));
    assert!((short - long).abs() < 0.5, "{short} and {long}");
}

#[test]
fn tabs_stand_still_when_another_is_chosen_and_match_other_screens() {
    let size = egui::vec2(960.0, 600.0);
    let top = |source: Source| {
        let shown = state(Load::Ready(Box::default()), source);
        window_sized(shown, Theme::Light, size, 1.0).get_by_label("Attack simulation").rect().top()
    };
    let first = top(Source::Runs);
    for source in [Source::Training, Source::RedTeam(Answers::Words), Source::Known] {
        assert!((top(source) - first).abs() < 0.5, "{source:?}: {} and {first}", top(source));
    }
    let wide = |shown: State, tab: &str| window(shown, Theme::Light).get_by_label(tab).rect().top();
    let here = wide(state(Load::Ready(Box::default()), Source::Runs), "Attack simulation");
    let there = wide(State { screen: Screen::Wallet, ..State::default() }, "Spending");
    assert!((here - there).abs() < 0.5, "{here} and {there}");
}

#[test]
fn a_picture_shows_what_the_account_holds() {
    let account = account();
    let settings = ProductionSettings { explore: true, ..ProductionSettings::default() };
    let picture = of_account(&account, &settings).unwrap();
    assert_eq!((picture.steps.len(), picture.roles.len(), picture.actions.len()), (240, 4, 8));
    let shares: f64 = picture.heat.iter().map(|heat| heat.share).sum();
    assert!((shares - 1.0).abs() < 1e-9);
    assert!((picture.shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    let health = account.health(true, true);
    let (jobs, msats) =
        picture.costs.iter().fold((0, 0), |(jobs, msats), row| (jobs + row.jobs, msats + row.msats));
    assert_eq!((jobs, msats), (health.answered + health.failed, health.cost_msats));
    assert_eq!(picture.heat[0].load_state, "balanced");
    assert!(picture.heat[1].load_state.ends_with(" hot"), "{}", picture.heat[1].load_state);
    assert!(picture.heat.iter().all(|heat| heat.cells.len() == 4 * 8));
    let coding = picture.policy.iter().find(|row| row.task_type == "coding").unwrap();
    assert!(coding.balanced.starts_with("coder@"), "{coding:?}");
    let status = picture.status.unwrap();
    assert_eq!((status.answered, status.failed), (health.answered, health.failed));
    assert!(status.failed > 0 && (status.error_rate - health.error_rate).abs() < 1e-12);
    assert!(of_account(&Account::fresh(Space::seed()), &settings).is_none());
}

#[test]
fn figures_and_learner_are_said_in_words() {
    let drawn = window(learned(), Theme::Light);
    drawn.get_by_label_contains("decisions of your runs, by an estimate of the reward of each choice; each");
    drawn.get_by_label_contains("(0: all roles do the same share)");
    for words in ["linucb", "exploration"] {
        assert!(drawn.query_by_label_contains(words).is_none(), "{words}");
    }
}

#[test]
fn missing_data_says_how_to_get_it_and_damaged_data_says_what_is_safe() {
    let window = window(state(Load::Ready(Box::default()), Source::Training), Theme::Light);
    assert!(window.query_by_label_contains("frlm-lab -- learn route").is_some());
    let folder = tempfile::tempdir().unwrap();
    let home = Home::open(Some(folder.path().to_owned())).unwrap();
    assert_eq!(read(&home).unwrap(), Stored::default());
    std::fs::write(home.routing(), "{").unwrap();
    let failed = state(Load::from(read(&home).map(Box::new)), Source::Runs);
    let window = super::tests::window(failed, Theme::Light);
    assert!(window.query_by_label("Try again").is_some() && window.query_by_label("Refresh").is_none());
    assert!(window.query_by_label_contains("move it away").is_some());
    assert!(window.query_by_label_contains("no answer and no sat depends on it").is_some());
}

#[test]
fn another_load_state_and_another_source_are_a_click_away() {
    let mut window = window(learned(), Theme::Light);
    let hot = window.state().state().learning.picture().unwrap().heat[1].load_state.clone();
    // In view at 1280 × 800, without scrolling.
    window.get_by_label_contains(&format!("{hot} ")).click();
    window.run_ok();
    assert_eq!(window.state().state().learning.load_state, 1);
    click(&mut window, "From the latest training");
    assert_eq!(window.state().state().learning.source, Source::Training);
    assert!(Command::Go(Screen::Learning).is_available(window.state().state()));
}

#[test]
fn errors_refusals_and_ratings_stand_below_the_values() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::open(Some(folder.path().to_owned())).unwrap();
    let memory = RoutingMemory::at(home.routing());
    let settings = ProductionSettings::default();
    let mut production = Production::going_on(Account::fresh(Space::seed()), settings);
    for number in 0..8_u64 {
        let available = Availability::all(production.space());
        let at = Duration::from_secs(number);
        let begun = production.assign("run", "coding", None, at, &available).unwrap();
        let answered = number > 0;
        let judgement =
            if answered { Judgement::without_judge() } else { Judgement::without_output("it timed out") };
        production.finish(begun, Outcome { answered, cost_msats: 0, latency_secs: 0.1 }, judgement);
    }
    memory.add(&Space::seed(), &production.take_news(), &settings).unwrap();
    memory.add_refused(3).unwrap();
    memory.rate("run", 0.8, &settings).unwrap();
    std::fs::write(home.config_file(), "[routing]\nonline_learning = false\n").unwrap();
    let state = state(Load::from(read(&home).map(Box::new)), Source::Runs);
    let status = state.learning.picture().unwrap().status.clone().unwrap();
    assert_eq!((status.answered, status.failed, status.refused), (7, 1, 3));
    assert_eq!((status.unjudged, status.rated), (0, 7));
    let window = window(state, Theme::Light);
    for words in ["1 (12.5%)", "Refused, over limit", "Runs do not update what is known here"] {
        assert!(window.query_all_by_label_contains(words).next().is_some(), "{words}");
    }
}

#[test]
fn what_runs_have_taught_about_plans_stands_below() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::open(Some(folder.path().to_owned())).unwrap();
    let memory = LearnerMemory::at(home.learner());
    for number in 0..6_u8 {
        let success = f64::from(number) / 5.0;
        let mut hints = HintRecord::default();
        hints.note(Suggested::One, Suggested::Several, Suggested::One);
        let served = Served {
            run_id: format!("run {number}"),
            question: format!("How many orders of day {number} failed?"),
            domain: if number % 2 == 0 { Domain::Logs } else { Domain::Tables },
            action: plan::Action::STATIC,
            chosen: None,
            test: None,
            explored: false,
            hints,
            phrased: None,
            correctness: success,
            subtasks: 4,
            providers: 3,
            moment: plan::Moment::default(),
            answered: number > 2,
            outcome: reward::Outcome {
                success,
                satisfaction: Satisfaction::Guessed(0.5),
                latency_secs: 3.0,
                simplicity: 0.8,
                coherence: 1.0,
                steps: 1,
                complex: false,
            },
        };
        // The others were shown side by side, or had no answer.
        let pattern = [Synthesis::Aggregative, Synthesis::Comparative].get(usize::from(number) / 5).copied();
        let secs = Some([0.1, 0.2, 0.3, f64::from(number), 0.4]);
        memory.add_work(&served, &Work { secs, pattern: pattern.filter(|_| number > 3) }).unwrap();
    }
    let state = state(Load::from(read(&home).map(Box::new)), Source::Runs);
    let plans = state.learning.stored.ready().unwrap().plans.clone().unwrap().unwrap();
    assert_eq!((plans.rewards.len(), plans.domains.len(), plans.strategies.len()), (6, 2, 2));
    assert!(plans.best[0].question.contains("day 5") && plans.worst[0].question.contains("day 0"));
    assert_eq!(plans.sizes, "Of the newest 6: 6 took one step, 0 two to five, 0 six to ten, 0 more.");
    assert_eq!(
        plans.history,
        "On average 50% correct, 100% as fast as expected, 100% of the advice right; clearly better than before 3 \
         times, about the same 3, worse 0."
    );
    assert!(plans.hints.contains("0% were followed and 100% were right"), "{}", plans.hints);
    let figures = |rows: &[(&str, String)]| rows.iter().map(|(_, figure)| figure.clone()).collect::<Vec<_>>();
    // Of the three that were answered.
    assert_eq!(figures(&plans.phases), ["0.10", "0.20", "0.30", "4.00", "0.40", "5.00"]);
    assert_eq!(figures(&plans.syntheses), ["50%", "0%", "50%", "0%"]);
    // Answered: 0, .2 to 1; nobody said anything; quick by 1 / (1 + 3 s / 30 s).
    assert_eq!(figures(&plans.components), ["0.50", "0.50", "0.45", "0.80", "1.00"]);
    pictures("learning_plans", &state);
    sizes("learning_plans", &state);
    let window = window(state, Theme::Light);
    for words in [
        "6 runs were evaluated",
        "all at once, specific",
        "Waiting for answers",
        "Parts fit together",
        "Compared",
        "How many orders of day 5 failed?",
        "logs",
    ] {
        assert!(window.query_all_by_label_contains(words).next().is_some(), "{words}");
    }
    // Their decisions on where to answer are not kept here, which is not to say that there was no run.
    assert!(window.query_by_label_contains("No run has routed anything yet").is_none());
    window
        .get_by_label_contains("did not record where their parts were answered. The next run decides again");
    std::fs::write(home.learner(), "{").unwrap();
    let damaged = super::tests::state(Load::from(read(&home).map(Box::new)), Source::Runs);
    let window = super::tests::window(damaged, Theme::Light);
    assert!(window.query_by_label_contains("is set aside as").is_some());
}

#[test]
fn the_learned_policy_lists_its_best_choice_by_kind_of_document() {
    let about = |account: &LearnerAccount| learned_plans::of_account(account).unwrap().policy;
    let before = about(&retired_one());
    assert!(before.starts_with("No choice yet") && !before.ends_with(' '), "{before}");
    let learned = about(&taught_one());
    assert!(learned.contains("learned once") && learned.contains("Best choice now: for logs \""));
}

#[test]
fn tested_and_retired_strategies_say_why_and_one_click_restores_one() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::open(Some(folder.path().to_owned())).unwrap();
    let memory = LearnerMemory::at(home.learner());
    let mut account = retired_one();
    // Over the same documents the next one is tested already.
    let next = plan::Action { pattern: plan::Pattern::Sequential, ..plan::Action::STATIC };
    for number in 0..FEWEST_TO_TEST {
        account.note(&served(1_000 + number, next, None, 0.7), 0);
    }
    for number in 0..7 {
        account.note(&served(2_000 + number, next, Some(2), 0.7), 0);
    }
    assert!(memory.begin(&account).unwrap());
    let state = state(Load::from(read(&home).map(Box::new)), Source::Runs);
    let plans = state.learning.stored.ready().unwrap().plans.clone().unwrap().unwrap();
    assert_eq!(plans.hints, "No advice on who should answer was given yet.");
    assert!(!plans.history.contains("hints"), "{}", plans.history);
    pictures("learning_strategies", &state);
    sizes("learning_strategies", &state);
    let mut window = window(state, Theme::Light);
    for words in [
        "running, 7 of 100",
        "running, 0 of 100",
        "is tested for logs against",
        "\"in waves, specific\" is retired for logs, against \"all at once, specific\": worth at least",
    ] {
        assert!(window.query_all_by_label_contains(words).next().is_some(), "{words}");
    }
    // What can be done stands in what is in sight.
    let button = window.get_by_label("Use it again");
    assert!(button.rect().bottom() <= WINDOW.y, "{:?}", button.rect());
    button.click();
    window.run_ok();
    let (domain, strategy) = window.state().state().learning.bringing_back.unwrap();
    assert_eq!((domain, strategy.to_string().as_str()), (Domain::Logs, "in waves, specific"));
    for _ in 0..2 {
        // Twice is no failure.
        let again = brought_back(&home, domain, strategy).map(Box::new);
        let mut learning = window.state().state().learning.clone();
        learning.apply(Event::Stored(Load::from(again)));
        assert_eq!(learning.bringing_back, None);
        let shown = State { screen: Screen::Learning, learning, ..State::default() };
        let window = super::tests::window(shown, Theme::Light);
        assert!(window.query_by_label("Use it again").is_none());
        assert!(window.query_all_by_label_contains("running, 7 of 100").next().is_some());
    }
}

/// Figures of docs/benchmarks.md.
fn simulation() -> Simulation {
    let line = |policy: &str, right: [f64; 6], jobs: [f64; 6]| Line {
        policy: policy.to_owned(),
        about: Answers::Records.about_policy(policy),
        values: [right.map(|percent| percent / 100.0).to_vec(), jobs.to_vec()],
    };
    let independent = vec![
        line("none", [99.02, 91.42, 84.01, 77.98, 70.43, 62.26], [1.0; 6]),
        line("objective", [99.02, 91.42, 85.78, 77.98, 72.11, 64.75], [1.0, 1.0, 1.02, 1.0, 1.02, 1.04]),
        line(
            "validated:honest",
            [98.96, 98.87, 98.58, 98.00, 96.42, 93.51],
            [2.07, 2.23, 2.42, 2.58, 2.81, 3.09],
        ),
        line(
            "redundancy:5/3",
            [99.75, 99.16, 96.79, 92.33, 83.26, 70.30],
            [3.03, 3.29, 3.55, 3.78, 4.03, 4.30],
        ),
        line("adaptive", [99.37, 99.42, 99.23, 99.36, 99.16, 99.37], [1.28, 1.42, 1.50, 1.47, 1.63, 1.62]),
    ];
    let clique = vec![
        line("none", [98.91, 89.84, 79.84, 69.69, 59.42, 49.88], [1.0; 6]),
        line("objective", [98.91, 89.84, 79.84, 69.69, 59.42, 49.88], [1.0; 6]),
        line(
            "validated:honest",
            [98.91, 98.72, 98.13, 96.41, 92.60, 87.29],
            [2.07, 2.12, 2.18, 2.26, 2.34, 2.42],
        ),
        line(
            "redundancy:5/3",
            [99.73, 98.83, 94.12, 84.46, 68.93, 49.07],
            [3.03, 3.11, 3.20, 3.26, 3.31, 3.31],
        ),
        line("adaptive", [99.31, 99.24, 99.28, 99.12, 97.23, 95.00], [1.28, 1.29, 1.38, 1.30, 1.60, 1.48]),
    ];
    let measures = [("Accepted and right", 1.0, true), ("Jobs, relative to no verification", 5.0, false)];
    let measures = measures.map(|(name, top, is_share)| Measure { name, top, is_share });
    let against = |(whom, lines)| Against { whom, measures, lines };
    Simulation {
        about: "SIMULATED: 50 providers, 2 000 parts for each figure, one world.".to_owned(),
        shares: vec![0.0, 0.1, 0.2, 0.3, 0.4, 0.5],
        against: [
            ("eleven kinds of liars, each on its own", independent),
            ("a clique with one lie, on its topic", clique),
        ]
        .map(against)
        .to_vec(),
    }
}

#[test]
fn policies_against_liars_are_simulated_on_demand_and_say_that_they_are() {
    let mut state = learned();
    state.learning.perform(&Action::Show(Source::RedTeam(Answers::Records)));
    pictures("learning_red_team_none", &state);
    let mut window = window(state.clone(), Theme::Light);
    click(&mut window, "Words");
    window.get_by_label_contains("review each other's claims");
    click(&mut window, "Simulate a swarm");
    assert_eq!(window.state().state().learning.red_team, [None, Some(Load::Busy)]);
    state.learning.apply(Event::Simulated(Answers::Records, Load::Ready(simulation())));
    pictures("learning_red_team", &state);
    sizes("learning_red_team", &state);
    let window = super::tests::window(state.clone(), Theme::Light);
    for words in [
        "SIMULATED: 50 providers",
        "validated: a trusted provider does the task again",
        "99.4 · 1.47",
        "Against a clique with one lie",
    ] {
        assert!(window.query_all_by_label_contains(words).next().is_some(), "{words}");
    }
    // In a small window its tables are as wide as their cards.
    let small = window_sized(state.clone(), Theme::Light, egui::vec2(960.0, 600.0), 1.0);
    let ends: Vec<f32> = small.query_all_by_label("50% liars").map(|title| title.rect().right()).collect();
    assert!(!ends.is_empty());
    assert!(ends.iter().all(|end| *end <= 960.0 - space::XXL - space::L), "{ends:?}");
    // A small world: as quick as it is coarse.
    let words = frlm_client::attack_simulation::words::by_policy(300, 3).unwrap();
    state.learning.perform(&Action::Show(Source::RedTeam(Answers::Words)));
    state.learning.apply(Event::Simulated(Answers::Words, Load::Ready(words)));
    pictures("learning_red_team_words", &state);
    let window = super::tests::window(state.clone(), Theme::Light);
    for words in ["SIMULATED: 40 providers", "must support it", "Liars found, 0 to 50% liars"] {
        assert!(window.query_all_by_label_contains(words).next().is_some(), "{words}");
    }
    state.learning.perform(&Action::Show(Source::RedTeam(Answers::Records)));
    state.learning.apply(Event::Simulated(Answers::Records, Load::Failed("out of memory".to_owned())));
    let window = super::tests::window(state, Theme::Dark);
    assert!(window.query_by_label_contains("Out of memory").is_some());
}
