//! Pictures of every state, and the inspector.

use egui::Theme;
use egui_kittest::kittest::Queryable as _;
use frlm_client::questions::stage::RunStage;
use frlm_client::verifier::decisions::Verb;
use frlm_client::view::TierView;
use frlm_conductor::trace::{TraceEvent, TraceRecord};
use frlm_scheduler::{AttemptId, FailureReason, SubtaskId};
use frlm_verifier::consensus::Unread;
use frlm_verifier::validation::Method;

use super::super::events;
use super::super::inspect::Behind;
use super::super::messages::{Action, Event};
use super::super::samples::{Recipe, job, shown};
use super::super::state::{Grouping, Run, Side, Stage};
use super::{of_three_parts, on_screen, then};
use crate::desktop::screens::Screen;
use crate::desktop::state::State;
use crate::desktop::testing::{click, compare, pictures, sizes, window, window_sized};
use crate::desktop::widgets::Unit;

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
        "id": job(8, 0), "pubkey": "5e1f0c9a7b3d2468", "kind": 5050,
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
    let seq = first_of(&run, "Sats spent");
    run.perform(&Action::Event(seq));
    let receipt = vec![
        "Ledger: 4 sats were reserved, 3 sats were paid, 0 sats in fees, 1 sat refunded".to_owned(),
        "Wallet: 3 sats at https://mint.example: 3 sats to the provider, 0 sats to the mint".to_owned(),
    ];
    let behind = Behind { receipt, ..Behind::default() };
    run.apply(Event::Raw { id: run.id.clone(), seq, behind: Ok(behind) });
    run
}

/// A run that could pay nobody any more, and then ran out of providers.
fn mint_down() -> Vec<TraceRecord> {
    let unpaid = "cobalt-wren is not paid and excluded: https://mint.example did not answer clearly (connection \
                  refused); the sats stay reserved until it does: frlm wallet recover";
    let missing = "24 of 41 parts were verified; the others: no further provider was there to ask";
    let records =
        then(Recipe::busy(41), TraceEvent::Notice { stage: RunStage::Dispatch, says: unpaid.to_owned() });
    let given_up =
        (24..41).map(|lane| TraceEvent::GaveUp { subtask: SubtaskId(lane), why: FailureReason::NobodyLeft });
    let records = given_up.fold(records, then);
    let records = then(
        records,
        TraceEvent::Decision {
            stage: RunStage::Collect,
            decision: Verb::Escalate,
            reasoning: missing.to_owned(),
            basis: None,
        },
    );
    let error =
        "no answer: 17 of 41 parts could not be verified (no further provider was there to ask)".to_owned();
    then(records, TraceEvent::RunFailed { error, exit_code: 5 })
}

#[test]
fn every_state_has_its_picture() {
    pictures("run_empty", &State { screen: Screen::Run, ..State::default() });
    let mut reading = Run::default();
    reading.apply(Event::Opened { id: "5e1f".to_owned(), live: false, unit: Unit::Sats });
    pictures("run_reading", &on_screen(reading));
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
    audited.view.checks.audited = TierView { passed: 12, failed: 1, cost_sats: 0 };
    pictures("run_audited", &on_screen(audited.clone()));
    sizes("run_audited", &on_screen(audited.clone()));
    let mut judged = audited;
    judged.view.checks.judged = TierView { passed: 80, failed: 2, cost_sats: 0 };
    judged.view.checks.arbitrated = TierView { passed: 1, failed: 0, cost_sats: 0 };
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
        .find(|(_, event)| events::of(event.kind).0 == "Answer received");
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
        "tags": [["e", job(8, 0)], ["p", "5e1f0c9a7b3d2468"], ["encrypted"]],
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
    let mut going_on = shown(Recipe::over_budget(41), false);
    pictures("run_over_budget", &on_screen(going_on.clone()));
    going_on.perform(&Action::GoOn(Some(250)));
    pictures("run_going_on", &on_screen(going_on));
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
    raised.perform(&Action::AskBudget(true));
    pictures("run_cap", &on_screen(raised));
    let mut replayed = shown(Recipe::adaptive(41), false);
    replayed.perform(&Action::Play);
    replayed.perform(&Action::Advance(replayed.view.at_ms * 600));
    replayed.perform(&Action::Play);
    pictures("run_replay", &on_screen(replayed));
    let readable = Recipe::busy(41);
    let hole = format!("event {} is missing", readable.len());
    let mut damaged = shown(readable, false);
    damaged.damage = Some(hole);
    damaged.perform(&Action::Beside(Side::Events));
    damaged.perform(&Action::Group(Grouping::Provider));
    pictures("run_damaged", &on_screen(damaged));
}

#[test]
fn a_run_that_is_being_read_tells_nothing_as_none() {
    let mut reading = Run::default();
    reading.apply(Event::Opened { id: "5e1f".to_owned(), live: false, unit: Unit::Sats });
    let drawn = window(on_screen(reading), Theme::Light);
    for told in ["passed", "spent", "No decision was needed"] {
        assert!(drawn.query_all_by_label_contains(told).next().is_none(), "{told}: nobody knows yet");
    }
}

#[test]
fn a_chosen_provider_and_a_mint_that_is_down_have_their_pictures() {
    let mut provider = shown(Recipe::done(41), false);
    provider.perform(&Action::Group(Grouping::Provider));
    provider.perform(&Action::Provider(1));
    pictures("run_provider", &on_screen(provider.clone()));
    sizes("run_provider", &on_screen(provider));
    pictures("run_mint_down", &on_screen(shown(mint_down(), false)));
}

#[test]
fn a_run_that_could_not_go_on_has_its_picture_and_its_button_tries_again() {
    let mut refused = shown(Recipe::busy(41), false);
    let why = "no relay could be reached: wss://relay.example (connection refused)".to_owned();
    refused.apply(Event::NotResumed { id: refused.id.clone(), why });
    pictures("run_refused", &on_screen(refused.clone()));
    let mut window = window(on_screen(refused), Theme::Light);
    window.get_by_label("Resuming failed");
    window.get_by_label_contains("Nothing was sent");
    click(&mut window, "Resume");
    let run = &window.state().state().run;
    assert_eq!((run.stage, run.refused.as_deref()), (Stage::Resuming, None));
}

#[test]
fn hovering_an_event_marks_its_subject_in_the_strip_and_the_parts() {
    compare([(Theme::Light, "run_hover_light"), (Theme::Dark, "run_hover_dark")].map(|(theme, name)| {
        let mut run = shown(Recipe::done(41), false);
        run.perform(&Action::Beside(Side::Events));
        let mut window = window(on_screen(run), theme);
        window.get_all_by_label_contains("Sats reserved lines 1–16").next().unwrap().hover();
        for _ in 0..4 {
            // What was drawn before it in a frame is marked in the next one.
            window.run_ok();
        }
        (window, name.to_owned())
    }));
}

#[test]
fn a_verdict_on_a_part_says_so_in_the_inspector() {
    // Of a part that is being compared: one that is verified did pass.
    let verdict = TraceEvent::Validated {
        subtask: SubtaskId(24),
        attempt: AttemptId(0),
        method: Method::LlmValidation,
        correctness: Some(0.62),
        passed: Some(false),
        methods: vec![Method::CrossReference, Method::LlmValidation],
        unread: Some(Unread { task_chars: 1_200, answer_chars: 700 }),
    };
    let records = then(Recipe::busy(41), verdict);
    let (seq, page) = (records.len() - 1, (records.len() - 1) / 128 * 128);
    let lines = records[page..].iter().map(|record| serde_json::to_string(record).unwrap()).collect();
    let mut run = shown(records, true);
    run.perform(&Action::Event(seq as u64));
    run.perform(&Action::Beside(Side::Events));
    run.apply(Event::Page { id: run.id.clone(), from_seq: page as u64, lines });
    pictures("run_verdict", &on_screen(run.clone()));
    sizes("run_verdict", &on_screen(run.clone()));
    let drawn = window(on_screen(run), Theme::Light);
    drawn.get_by_label_contains("It did not pass, judged by your own model; 62.0% likely to be right.");
    drawn.get_by_label_contains(
        "without the last 1200 characters of the text and the last 700 characters of the answer",
    );
}

#[test]
fn in_a_small_window_the_chosen_event_stands_alone_with_a_way_back() {
    let mut run = shown(Recipe::done(41), false);
    run.perform(&Action::Event(130));
    run.perform(&Action::Beside(Side::Events));
    let small = egui::vec2(960.0, 600.0);
    let mut window = window_sized(on_screen(run), Theme::Light, small, 1.0);
    click(&mut window, "Next event");
    assert_eq!(window.state().state().run.event, Some(131));
    click(&mut window, "Previous event");
    assert_eq!(window.state().state().run.event, Some(130));
    click(&mut window, "All events");
    assert_eq!(window.state().state().run.event, None);
    assert!(window.query_by_label("All events").is_none());
}
