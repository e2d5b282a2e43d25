use egui::Theme;
use egui_kittest::kittest::Queryable as _;
use frlm_conductor::brain::account::{Appraisal, Chosen};
use frlm_conductor::brain::decompose::{self, EpisodeId, Pattern};
use frlm_conductor::brain::evaluation::{Batch, evaluate};
use frlm_conductor::brain::hints::HintRecord;
use frlm_conductor::brain::reward::Outcome;
use frlm_conductor::brain::satisfaction::Satisfaction;
use frlm_conductor::scheduler::{AttemptId, SubtaskId};
use frlm_conductor::trace::view::TierView;
use frlm_conductor::trace::{TraceEvent, TraceRecord};
use frlm_verifier::fitness::{ClusterFeedback, ClusterQuality, Performance};
use proptest::prelude::*;

use super::events;
use super::inspect::Behind;
use super::messages::{Action, Event};
use super::recipe::weighed;
use super::samples::{Recipe, shown};
use super::state::{Filter, Grouping, Run, Side, Stage};
use crate::desktop::command::Command;
use crate::desktop::screens::Screen;
use crate::desktop::state::State;
use crate::desktop::testing::{pictures, sizes, window, window_sized};
use crate::desktop::widgets::Unit;

/// The records, and one more thing that happens.
fn then(mut records: Vec<TraceRecord>, event: TraceEvent) -> Vec<TraceRecord> {
    let (seq, at_ms) = (records.len() as u64, records.last().map_or(0, |last| last.at_ms) + 4);
    records.push(TraceRecord { seq, at_ms, event });
    records
}

fn on_screen(run: Run) -> State {
    State { screen: Screen::Run, run, ..State::default() }
}

/// The first event of a kind on the page that is there.
fn first_of(run: &Run, word: &str) -> u64 {
    let found = (128_u64..).zip(&run.events[128..]).find(|(_, event)| events::of(event.kind).0 == word);
    found.unwrap().0
}

/// The same run with a job of ours in the inspector.
fn job_inspected(mut run: Run) -> Run {
    let seq = first_of(&run, "Job sent");
    run.perform(&Action::Event(seq));
    let signed = serde_json::json!({
        "id": "000000000000000000000000000000080", "pubkey": "5e1f0c9a7b3d2468", "kind": 5050,
        "created_at": 1_772_409_600, "tags": [["p", "4f355bdcb7cc0af7"], ["encrypted"]], "content": "AjKq0y9u…",
        "sig": "5b1a…",
    });
    let opened = r#"{"inputs":["2026-03-02T04:17:09Z order=40007 status=failed"],"prompt":"copy status"}"#;
    let behind = Behind {
        events: vec![serde_json::to_string_pretty(&signed).unwrap()],
        opened: Some(opened.to_owned()),
        receipt: Vec::new(),
    };
    run.apply(Event::Raw { id: run.id.clone(), seq, behind: Ok(behind) });
    run
}

/// The same run with a payment in the inspector, of which no Nostr event is kept.
fn receipt_inspected(mut run: Run) -> Run {
    let seq = first_of(&run, "Sats settled");
    run.perform(&Action::Event(seq));
    let receipt = vec![
        "Ledger: 4 sats were set aside, 3 sats were paid, 1 sat in fees, and none came back".to_owned(),
        "Wallet: 3 sats at https://mint.example: 3 sats to the provider, 1 sat to the mint".to_owned(),
    ];
    let behind = Behind { receipt, ..Behind::default() };
    run.apply(Event::Raw { id: run.id.clone(), seq, behind: Ok(behind) });
    run
}

#[test]
fn every_state_has_its_picture() {
    pictures("run_empty", &State { screen: Screen::Run, ..State::default() });
    pictures("run_busy", &on_screen(shown(Recipe::busy(41), true)));
    let mut done = shown(Recipe::done(41), false);
    done.perform(&Action::Lane(4));
    pictures("run_done", &on_screen(done.clone()));
    sizes("run_done", &on_screen(done));
    let mut believed = shown(Recipe::adaptive(41), false);
    believed.perform(&Action::Lane(7));
    pictures("run_adaptive", &on_screen(believed.clone()));
    sizes("run_adaptive", &on_screen(believed));
    let mut audited = shown(Recipe::adaptive(41), false);
    audited.view.audited = TierView { passed: 12, failed: 1, cost_sats: 0 };
    pictures("run_audited", &on_screen(audited.clone()));
    sizes("run_audited", &on_screen(audited.clone()));
    let mut judged = audited;
    judged.view.judged = TierView { passed: 80, failed: 2, cost_sats: 0 };
    judged.view.arbitrated = TierView { passed: 1, failed: 0, cost_sats: 0 };
    pictures("run_judged", &on_screen(judged.clone()));
    sizes("run_judged", &on_screen(judged));
    let planned = on_screen(shown(of_three_parts(), false));
    pictures("run_planned", &planned);
    sizes("run_planned", &planned);
    let mut play = shown(Recipe::busy(41), true);
    play.unit = Unit::Play;
    pictures("run_play", &on_screen(play));
    let mut lane = shown(Recipe::busy(41), true);
    lane.perform(&Action::Lane(26));
    pictures("run_lane", &on_screen(lane));
    let mut inspected = shown(Recipe::done(41), false);
    let came = (128_u64..)
        .zip(&inspected.events[128..])
        .find(|(_, event)| events::of(event.kind).0 == "Answer came");
    let came = came.unwrap().0;
    inspected.perform(&Action::Event(came));
    inspected.perform(&Action::Beside(Side::Events));
    let page: Vec<String> = Recipe::done(41)
        .iter()
        .skip(128)
        .take(128)
        .map(|record| serde_json::to_string(record).unwrap())
        .collect();
    inspected.apply(Event::Page { id: inspected.id.clone(), from_seq: 128, lines: page });
    let signed = serde_json::json!({
        "id": "9c1185a5c5e9fc54612808977ee8f548b2258d31c5c6e7b8a1e0d1f2c3b4a596",
        "pubkey": "4f355bdcb7cc0af728ef3cceb9615d90684bb5b2ca5f859ab0f0b704075871aa",
        "created_at": 1_772_409_601, "kind": 6050,
        "tags": [["e", "000000000000000000000000000000080"], ["p", "5e1f0c9a7b3d2468"], ["encrypted"]],
        "content": "AlVk0y9u…", "sig": "7d0c…",
    });
    let events = vec![serde_json::to_string_pretty(&signed).unwrap()];
    let behind = Ok(Behind { events, ..Behind::default() });
    inspected.apply(Event::Raw { id: inspected.id.clone(), seq: came, behind });
    pictures("run_event", &on_screen(inspected.clone()));
    sizes("run_event", &on_screen(inspected.clone()));
    pictures("run_job", &on_screen(job_inspected(inspected.clone())));
    pictures("run_receipt", &on_screen(receipt_inspected(inspected)));
    pictures("run_left_to_a_person", &on_screen(shown(Recipe::left_to_a_person(41), false)));
    pictures("run_over_budget", &on_screen(shown(Recipe::over_budget(41), false)));
    let gone = TraceEvent::RelayOffline {
        relay: "ws://127.0.0.1:40123".to_owned(),
        reason: "connection refused".to_owned(),
    };
    pictures("run_relay_gone", &on_screen(shown(then(Recipe::busy(41), gone), true)));
    let full = TraceEvent::RunFailed {
        error: "cannot write to the run store: database or disk is full".to_owned(),
        exit_code: 1,
    };
    pictures("run_disk_full", &on_screen(shown(then(Recipe::busy(41), full), false)));
    let owed = TraceEvent::Owed { subtask: SubtaskId(24), attempt: AttemptId(0), sats: 4 };
    let mut owing = shown(then(Recipe::busy(41), owed), true);
    owing.perform(&Action::Lane(24));
    pictures("run_owed", &on_screen(owing.clone()));
    sizes("run_owed", &on_screen(owing));
    let mut raised = shown(Recipe::busy(41), true);
    raised.perform(&Action::AskCap(true));
    pictures("run_cap", &on_screen(raised));
    let mut replayed = shown(Recipe::adaptive(41), false);
    replayed.perform(&Action::Play);
    replayed.perform(&Action::Advance(replayed.view.at_ms * 600));
    replayed.perform(&Action::Play);
    pictures("run_replay", &on_screen(replayed));
    let mut damaged = shown(Recipe::busy(41), false);
    damaged.damage = Some("event 612 is missing".to_owned());
    damaged.perform(&Action::Beside(Side::Events));
    damaged.perform(&Action::Group(Grouping::Provider));
    pictures("run_damaged", &on_screen(damaged));
}

#[test]
fn in_a_small_window_the_chosen_event_stands_alone_with_a_way_back_to_the_others() {
    let mut run = shown(Recipe::done(41), false);
    run.perform(&Action::Event(130));
    run.perform(&Action::Beside(Side::Events));
    let small = egui::vec2(960.0, 600.0);
    let mut window = window_sized(on_screen(run), Theme::Light, small, 1.0);
    window.get_by_label("The event after").click();
    window.run_ok();
    assert_eq!(window.state().state().run.event, Some(131));
    window.get_by_label("The event before").click();
    window.run_ok();
    assert_eq!(window.state().state().run.event, Some(130));
    window.get_by_label("All events").click();
    window.run_ok();
    assert_eq!(window.state().state().run.event, None);
    assert!(window.query_by_label("All events").is_none());
}

/// The end of a run whose question had three parts, which the policy had asked in waves.
fn of_three_parts() -> Vec<TraceRecord> {
    let chosen = Chosen {
        practices: Vec::new(),
        episode: EpisodeId(7),
        action: decompose::Action { pattern: Pattern::Hybrid, ..decompose::Action::STATIC },
        explored: false,
        test: None,
        updates: 3,
        why: "drawn by a policy that has learned 3 times".to_owned(),
    };
    let steps = [
        (0, 15, "Which user has the most failed orders", (0, None)),
        (15, 11, "how many errors did the log show for user ines.costa", (1, Some(0))),
        (26, 15, "was the largest of orders of user ines.costa shipped", (2, Some(0))),
    ];
    let batch = Batch { correctness: 0.97, expected_secs: 40.0, real_secs: 52.0, routing_accuracy: 0.88 };
    let evaluated = TraceEvent::Evaluated {
        appraisal: Box::new(Appraisal {
            evaluation: evaluate(&batch, 0.61),
            expected_secs: 40.0,
            reward: 0.66,
        }),
        outcome: Outcome {
            success: 1.0,
            satisfaction: Satisfaction::Guessed(0.5),
            latency_secs: 52.0,
            simplicity: 0.78,
            coherence: 1.0,
            steps: 3,
            complex: true,
        },
        hints: HintRecord::default(),
        kept: true,
    };
    let mut records = then(Recipe::done(41), TraceEvent::Chosen(Box::new(chosen)));
    for (first, count, text, place) in steps {
        records = then(records, weighed(first, count, text, Some(place)));
    }
    then(records, evaluated)
}

#[test]
fn the_plan_says_how_simple_a_step_is_who_should_answer_it_and_whether_that_was_right() {
    let mut run =
        shown(then(Recipe::done(41), weighed(0, 41, "How many orders have status failed", None)), false);
    // Every ninth lane from the fifth on is disputed, and the policy asked two at least.
    let fate = run.view.fate_of(&run.view.steps[0]);
    assert_eq!((fate.given(), fate.follow_rate(), fate.accuracy()), (41, Some(0.0), Some(36.0 / 41.0)));
    let drawn = window(on_screen(run.clone()), Theme::Light);
    for words in ["1. How many orders have status failed", "41 of 41 verified", "simplicity 0.80", "% sure"] {
        assert!(drawn.query_all_by_label_contains(words).next().is_some(), "{words}");
    }
    run.perform(&Action::Lane(4));
    let drawn = window(on_screen(run), Theme::Light);
    assert!(drawn.query_all_by_label_contains("one provider is enough").next().is_some());
}

#[test]
fn those_who_answered_one_kind_of_task_are_told_of_together_once_the_run_has_ended() {
    let quality = ClusterQuality { consensus_quality: 0.98, average_node_quality: 0.71, consistency: 0.93 };
    let feedback = ClusterFeedback {
        overall_performance: Performance::Good,
        cluster_quality: quality,
        recommendations: vec!["Prefer faster providers: most answers were slow".to_owned()],
    };
    let told = TraceEvent::Clustered { kind: "extract".to_owned(), sets: 41, feedback: Box::new(feedback) };
    let planned = then(Recipe::done(41), weighed(0, 41, "How many orders have status failed", None));
    let drawn = window(on_screen(shown(then(planned, told), false)), Theme::Light);
    assert!(drawn.query_all_by_label_contains("together at extract: good").next().is_some());
}

#[test]
fn a_live_run_can_be_paused_once() {
    let mut window = window(on_screen(shown(Recipe::busy(41), true)), Theme::Light);
    window.get_by_label("Pause").click();
    window.run_ok();
    assert_eq!(window.state().state().run.stage, Stage::Pausing);
    assert!(!Command::Run(Action::Pause).is_available(window.state().state()));
}

#[test]
fn a_run_that_ran_out_of_sats_offers_a_higher_cap() {
    let mut window = window(on_screen(shown(Recipe::over_budget(41), false)), Theme::Light);
    window.get_by_label("Raise the cap and go on (to 2\u{2009}000 sats)").click();
    window.run_ok();
    assert_eq!(window.state().state().run.stage, Stage::Resuming);
}

#[test]
fn the_cap_of_a_run_under_way_can_be_raised_and_what_would_be_none_cannot_be_said() {
    let mut window = window(on_screen(shown(Recipe::busy(41), true)), Theme::Light);
    window.get_by_label("Raise the cap").click();
    window.run_ok();
    for (typed, why) in [
        ("900", "it is 1\u{2009}000 sats now and can only rise"),
        ("much", "the cap is a whole number of sats"),
        ("9999999999999999", "that is more sats than there are"),
    ] {
        window.state_mut().state_mut().run.perform(&Action::TypeCap(typed.to_owned()));
        window.run_ok();
        window.get_by_label(why);
        window.get_by_label("Raise it").click();
        window.run_ok();
        assert_eq!(window.state().state().run.raising, None, "{typed}");
    }
    window.get_by_label("× 5").click();
    window.run_ok();
    window.get_by_label("Raise it to 5\u{2009}000 sats").click();
    window.run_ok();
    let run = &window.state().state().run;
    assert_eq!((run.raising, run.cap_typed.as_deref(), run.view.limit_sats), (Some(5_000), None, 1_000));
    assert!(!Command::Run(Action::RaiseCap(9_000)).is_available(window.state().state()), "one at a time");
    let record = then(Recipe::busy(41), TraceEvent::CapRaised { limit_sats: 5_000 }).pop().unwrap();
    let run = &mut window.state_mut().state_mut().run;
    run.fold(&record);
    assert_eq!((run.raising, run.view.limit_sats), (None, 5_000));
    // Before it was raised, it was lower.
    let moment = record.at_ms - 1;
    run.perform(&Action::Scrub(Some(moment)));
    assert_eq!(run.view.limit_at(run.moment()), 1_000);
}

#[test]
fn keys_pressed_in_a_dialogue_do_nothing_to_the_run_behind_it() {
    let mut run = shown(Recipe::busy(41), true);
    run.perform(&Action::Scrub(Some(20)));
    run.perform(&Action::AskCap(true));
    let mut window = window(on_screen(run), Theme::Light);
    window.key_press(egui::Key::Space);
    window.run_ok();
    assert_eq!(window.state().state().run.stage, Stage::Live, "it is not paused");
    window.key_press(egui::Key::Escape);
    window.run_ok();
    let run = &window.state().state().run;
    assert_eq!((run.cap_typed.as_deref(), run.cursor), (None, Some(20)), "only the dialogue is closed");
    window.key_press(egui::Key::Space);
    window.run_ok();
    assert_eq!(window.state().state().run.stage, Stage::Pausing);
}

#[test]
fn a_paused_run_goes_on_with_the_cap_that_is_typed() {
    let mut window = window(on_screen(shown(Recipe::busy(41), false)), Theme::Dark);
    window.get_by_label("Raise the cap").click();
    window.run_ok();
    window.get_by_label("Go on with 2\u{2009}000 sats").click();
    window.run_ok();
    let run = &window.state().state().run;
    assert_eq!((run.stage, run.cap_typed.as_deref()), (Stage::Resuming, None));
}

#[test]
fn a_run_that_is_left_to_a_person_offers_what_is_verified_and_to_ask_again() {
    for button in ["Go on with what is verified", "Ask the open parts again"] {
        let mut window = window(on_screen(shown(Recipe::left_to_a_person(41), false)), Theme::Light);
        window.get_by_label("A person has to decide");
        assert!(window.query_by_label_contains("frlm runs resume").is_none(), "no word of the command line");
        window.get_by_label_contains("A dissent rate of 0.07");
        assert_eq!(window.get_all_by_label(button).count(), 1, "it is offered in one place");
        window.get_by_label(button).click();
        window.run_ok();
        assert_eq!(window.state().state().run.stage, Stage::Resuming, "{button}");
    }
    let mut none = shown(Recipe::left_to_a_person(3), false);
    assert!(none.awaits_person().is_some() && !none.can_be_accepted(), "nothing is verified");
    none.stage = Stage::Live;
    assert!(none.awaits_person().is_none());
}

#[test]
fn the_cursor_shows_an_earlier_moment_and_escape_comes_back() {
    let mut run = shown(Recipe::done(41), false);
    run.perform(&Action::Scrub(Some(run.view.at_ms / 2)));
    let half = run.view.verified_at(run.moment());
    assert!(half > 5 && half < 40, "{half}");
    run.perform(&Action::Show(Filter::Open));
    assert!(run.shown_lanes().unwrap().len() > 5);
    let mut window = window(on_screen(run), Theme::Light);
    window.key_press(egui::Key::Escape);
    window.run_ok();
    assert_eq!(window.state().state().run.cursor, None);
}

#[test]
fn a_recorded_run_is_played_held_and_sped_up_by_its_buttons_and_is_marked_meanwhile() {
    let mut window = window(on_screen(shown(Recipe::done(400), false)), Theme::Light);
    window.get_by_label("answered");
    window.get_by_label("Replay").click();
    window.step();
    window.step();
    let shown = window.state().state().run.cursor.expect("it is played");
    window.step();
    assert!(window.state().state().run.cursor > Some(shown), "time passes");
    window.get_by_label("replay");
    assert!(window.query_by_label("answered").is_none(), "not yet, at this moment");
    window.get_by_label("Hold").click();
    window.run_ok();
    let held = window.state().state().run.cursor;
    window.get_by_label("replay, held");
    window.get_by_label("Speed 1×").click();
    window.run_ok();
    window.get_by_label("Speed 4×");
    assert!(held.is_some());
    assert_eq!(window.state().state().run.cursor, held);
    window.get_by_label("Back to now").click();
    window.run_ok();
    window.get_by_label("answered");
    assert_eq!(window.state().state().run.replay, None);
}

#[test]
fn at_an_earlier_moment_nothing_is_said_of_what_came_after_it() {
    let mut run = shown(Recipe::left_to_a_person(41), false);
    assert_eq!(run.gave_up(), 3);
    // The last answer of the fifth lane had not come, and nothing was compared.
    let lane = run.view.subtasks[4].clone();
    let last = lane.attempts.iter().filter_map(|attempt| attempt.ended_ms).max().unwrap();
    run.perform(&Action::Lane(4));
    run.perform(&Action::Scrub(Some(last - 1)));
    assert_eq!(run.gave_up(), 0);
    let stood: Vec<_> = lane.attempts.iter().filter_map(|attempt| run.as_it_stood(attempt)).collect();
    assert!(stood.iter().any(|attempt| attempt.ending.is_none() && attempt.summary.is_empty()));
    let disputed = Run { filter: Filter::Disputed, ..run.clone() };
    assert!(!disputed.shown_lanes().unwrap().contains(&4), "nobody knew yet that it would be");
    let disputed = Run { cursor: None, ..disputed };
    assert!(disputed.shown_lanes().unwrap().contains(&4));
    let drawn = window(on_screen(run.clone()), Theme::Light);
    assert!(drawn.query_by_label("disputed").is_none());
    assert!(drawn.query_all_by_label_contains("· 3 given up").next().is_none());
    run.perform(&Action::Scrub(None));
    assert_eq!(
        lane.attempts.iter().filter_map(|attempt| run.as_it_stood(attempt)).count(),
        lane.attempts.len()
    );
    let drawn = window(on_screen(run), Theme::Light);
    drawn.get_by_label("disputed");
    assert!(drawn.query_all_by_label_contains("· 3 given up").next().is_some());
}

#[test]
fn a_run_that_is_opened_for_it_is_played_once_it_is_read() {
    let mut run = Run::default();
    run.perform(&Action::Replay("5e1f".to_owned()));
    run.apply(Event::Opened { id: "5e1f".to_owned(), live: false, unit: Unit::Sats });
    run.apply(Event::Records { id: "5e1f".to_owned(), records: Recipe::done(3) });
    assert!(!run.is_playing());
    run.apply(Event::Loaded { id: "5e1f".to_owned(), damage: None });
    assert!(run.is_playing());
    run.perform(&Action::Open("5e1f".to_owned()));
    run.apply(Event::Opened { id: "5e1f".to_owned(), live: false, unit: Unit::Sats });
    run.apply(Event::Loaded { id: "5e1f".to_owned(), damage: None });
    assert!(!run.is_playing());
}

#[test]
fn what_is_owed_stands_apart_from_what_is_settled() {
    let busy = shown(Recipe::busy(41), true);
    let spent = busy.view.money.now().spent;
    let drawn = window(on_screen(busy), Theme::Light);
    assert!(drawn.query_by_label("owed 0").is_none(), "nothing is owed");
    let owed = TraceEvent::Owed { subtask: SubtaskId(24), attempt: AttemptId(0), sats: 4 };
    let drawn = window(on_screen(shown(then(Recipe::busy(41), owed), true)), Theme::Light);
    drawn.get_by_label(&format!("settled {spent}"));
    drawn.get_by_label("owed 4");
    drawn.get_by_label(&format!("{} of 1\u{2009}000 sats", spent + 4));
}

#[test]
fn the_look_at_the_whole_answer_is_a_tier_of_its_own_from_its_moment_on() {
    let mut run = shown(Recipe::done(41), false);
    let whole = "checked as a whole";
    assert!(window(on_screen(run.clone()), Theme::Light).query_by_label(whole).is_some());
    let last = run.events.iter().rev().find(|event| events::of(event.kind).0 == "Whole answer checked");
    let at_ms = last.unwrap().at_ms;
    run.perform(&Action::Scrub(Some(at_ms - 1)));
    assert!(window(on_screen(run), Theme::Light).query_by_label(whole).is_none(), "it comes last");
    let findings = vec!["note 2 is not used".to_owned()];
    let doubted = TraceEvent::FinalCheck { passed: false, parts: 3, claims: 9, findings };
    let drawn = window(on_screen(shown(then(Recipe::busy(41), doubted), true)), Theme::Light);
    drawn.get_by_label("doubted as a whole");
}

#[test]
fn choosing_a_lane_shows_who_was_asked() {
    let mut window = window(on_screen(shown(Recipe::done(41), false)), Theme::Light);
    window.get_by_label("lines 65–80 of orders.log: verified, 3 attempts").click();
    window.run_ok();
    assert_eq!(window.state().state().run.side, Side::Lane);
    window.get_by_label("said something else");
}

#[test]
fn another_run_is_looked_at_in_the_same_way_but_without_a_lane() {
    let mut run = shown(Recipe::done(3), false);
    run.perform(&Action::Group(Grouping::Provider));
    run.perform(&Action::Lane(1));
    run.apply(Event::Opened { id: "other".to_owned(), live: false, unit: Unit::Sats });
    assert_eq!((run.grouping, run.side, run.lane), (Grouping::Provider, Side::Decisions, None));
    run.perform(&Action::Beside(Side::Events));
    run.apply(Event::Opened { id: "third".to_owned(), live: false, unit: Unit::Sats });
    assert_eq!(run.side, Side::Events);
}

#[test]
fn keys_lead_from_the_first_lane_to_the_last_and_enter_chooses_it() {
    let mut window = window(on_screen(shown(Recipe::done(41), false)), Theme::Light);
    let first = "lines 1–16 of orders.log: verified, 2 attempts";
    window.get_by_label(first).focus();
    window.run_ok();
    window.key_press(egui::Key::End);
    window.run_ok();
    assert!(window.query_by_label(first).is_none(), "only lanes in sight are drawn");
    window.key_press(egui::Key::Enter);
    window.run_ok();
    assert_eq!(window.state().state().run.lane, Some(40));
}

#[test]
fn a_refusal_that_comes_late_is_not_taken_for_that_of_another_run() {
    let mut run = shown(Recipe::busy(41), true);
    let refused = |id: &str| Event::NotResumed { id: id.to_owned(), why: "the mint is away".to_owned() };
    run.apply(refused("another"));
    assert_eq!((run.stage, run.refused.as_deref()), (Stage::Live, None));
    let id = run.id.clone();
    run.apply(refused(&id));
    assert_eq!((run.stage, run.refused.as_deref()), (Stage::Recorded, Some("the mint is away")));
}

#[test]
fn a_provider_has_its_job_in_its_lane_even_where_sats_for_the_next_were_set_aside_before() {
    let mut records = Recipe::busy(3);
    let (subtask, provider) = (SubtaskId(3), "f00d".to_owned());
    for attempt in [0, 1] {
        let attempt = AttemptId(attempt);
        records = then(records, TraceEvent::BudgetReserve { subtask, attempt, sats: 2 });
    }
    let submit = TraceEvent::SubQuerySubmit {
        subtask,
        attempt: AttemptId(0),
        provider: provider.clone(),
        hedge: false,
    };
    let run = shown(then(records, submit), true);
    let position = run.view.providers.iter().position(|each| each.key == provider).unwrap();
    assert_eq!(run.by_provider[position], [(3, 0)]);
}

#[test]
fn arrows_lead_through_the_strip_and_enter_chooses_a_lane() {
    let mut window = window(on_screen(shown(Recipe::done(41), false)), Theme::Light);
    window.get_by_label("Documents: 41 of 41 parts verified").focus();
    window.run_ok();
    for _ in 0..3 {
        window.key_press(egui::Key::ArrowRight);
        window.run_ok();
    }
    window.get_by_label("Documents: 41 of 41 parts verified, at lines 49–64 of orders.log: verified");
    window.key_press(egui::Key::ArrowLeft);
    window.run_ok();
    window.key_press(egui::Key::Enter);
    window.run_ok();
    assert_eq!(window.state().state().run.lane, Some(2));
}

#[test]
fn a_pointer_on_one_lane_and_the_focus_on_another_let_the_window_come_to_rest() {
    let mut window = window(on_screen(shown(Recipe::done(41), false)), Theme::Light);
    window.get_by_label("Documents: 41 of 41 parts verified").focus();
    window.run_ok();
    window.get_by_label_contains("Documents: 41 of 41 parts verified").hover();
    for _ in 0..4 {
        // Its words appear beside the pointer.
        window.run_ok();
    }
    assert!(window.run_ok().is_some(), "nothing changes any more, and yet it is drawn again and again");
}

#[test]
fn arrows_move_the_timeline_and_leave_the_focus_where_it_is() {
    let mut window = window(on_screen(shown(Recipe::done(41), false)), Theme::Light);
    window.get_by_label("Timeline").focus();
    window.run_ok();
    for _ in 0..3 {
        window.key_press(egui::Key::ArrowLeft);
        window.run_ok();
    }
    let run = &window.state().state().run;
    let step = run.view.at_ms / 100;
    assert_eq!(run.cursor, Some(run.view.at_ms - 3 * step));
    assert!(window.get_by_label("Timeline").is_focused());
}

#[test]
fn records_that_came_before_are_not_folded_twice() {
    let records = Recipe::done(41);
    let mut run = shown(records.clone(), false);
    let before = run.clone();
    run.apply(Event::Records { id: run.id.clone(), records });
    assert_eq!(run, before);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Live events come in other batches than stored ones; what is on screen is the same.
    #[test]
    fn batches_do_not_matter(cuts in prop::collection::vec(1..200_usize, 1..40)) {
        let records = Recipe::done(41);
        let whole = shown(records.clone(), false);
        let mut run = Run::default();
        run.apply(Event::Opened { id: whole.id.clone(), live: false, unit: Unit::Sats });
        let mut rest = records.as_slice();
        for cut in cuts.into_iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (batch, after) = rest.split_at(cut.min(rest.len()));
            run.apply(Event::Records { id: whole.id.clone(), records: batch.to_vec() });
            rest = after;
        }
        run.apply(Event::Loaded { id: whole.id.clone(), damage: None });
        prop_assert_eq!(run, whole);
    }
}
