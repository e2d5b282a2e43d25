use frlm_client::questions::stage::RunStage;
use frlm_questions::answer::{
    BEFORE_YOU_ACT, ClaimsReport, Decision, EarlierClaims, FinalReport, Method, Reading, SubtaskReport,
};
use frlm_questions::plan::Outcome;
use std::sync::Arc;

use egui::Theme;
use egui_kittest::kittest::Queryable as _;
use frlm_client::view::Ending;
use frlm_conductor::trace::TraceEvent;

use super::page::Page;
use super::state::{Context, Event};
use crate::desktop::engine::Event as AppEvent;
use crate::desktop::screens::Screen;
use crate::desktop::screens::run::samples::{Recipe, answer, shown};
use crate::desktop::screens::run::{self, Run};
use crate::desktop::state::State;
use crate::desktop::testing::{click, pictures, press, sizes, window};
use crate::desktop::widgets::Unit;
use frlm_client::ratings::Taught;

fn answered() -> State {
    State { screen: Screen::Answer, run: shown(Recipe::done(41), false), ..State::default() }
}

fn with_source() -> State {
    let mut state = answered();
    state.answer.citation = Some(0);
    let quote = answer().citations[0].quote.clone();
    // The lines beside it are of the same log, and none of them is a failed order.
    let beside = |line: u32| {
        let order = quote.replace("40007", &format!("4{line:04}"));
        order.replace(":17:", &format!(":{}:", line + 10)).replace("failed", "paid")
    };
    let lines = (4..11).map(|line| (line, if line == 7 { quote.clone() } else { beside(line) })).collect();
    state.answer.apply(Event::Context(Context { citation: 0, lines: Ok(lines), page: None }));
    state
}

/// An answer about a contract, with the page that its source stands on.
fn with_page() -> State {
    const QUOTE: &str =
        "The rent is 1,450.00 euros a month, payable in advance on the third working day of each month";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../documents/corpus/pdf/chromium-contract.pdf");
    let bytes = std::fs::read(path).unwrap();
    let options = frlm_documents::Options::default();
    let picture = frlm_documents::page(&bytes, 1, 2.0, &[QUOTE.to_owned()], &options).unwrap();
    assert!(!picture.marks.is_empty(), "the quote is found on the page");
    let mut state = answered();
    state.run.view.start.question = "What is the rent, and when is it due?".to_owned();
    state.run.view.start.documents = vec!["/home/ada/contract.pdf".to_owned()];
    let mut found = answer();
    found.answer =
        "The rent is 1,450.00 euros a month. It is due in advance, on the third working day of each month."
            .to_owned();
    found.citations.truncate(1);
    let citation = &mut found.citations[0];
    citation.file = "contract.pdf".to_owned();
    citation.lines = [9, 9];
    citation.location.page = Some(1);
    citation.location.heading = Some("Tenancy agreement › § 3 Rent".to_owned());
    citation.quote = QUOTE.to_owned();
    state.run.view.ending = Some(Ending::Answered(Box::new(found)));
    state.answer.citation = Some(0);
    let page = Some(Page { number: 1, picture: Arc::new(picture) });
    state.answer.apply(Event::Context(Context { citation: 0, lines: Ok(vec![(9, QUOTE.to_owned())]), page }));
    state
}

#[test]
fn every_state_has_its_picture() {
    pictures("answer_empty", &State { screen: Screen::Answer, ..State::default() });
    let without = |run| State { screen: Screen::Answer, run, ..State::default() };
    pictures("answer_loading", &without(being_read()));
    pictures("answer_running", &without(shown(Recipe::busy(41), true)));
    pictures("answer_failed", &without(shown(Recipe::over_budget(41), false)));
    pictures("answer_done", &with_source());
    pictures("answer_page", &with_page());
    sizes("answer_done", &with_source());
    let mut partial = answered();
    let mut short = answer();
    // As the run below says of itself: 20 of its parts are verified, two of them by three answers, and 5 sats are left.
    (short.coverage, short.subtasks.verified, short.subtasks.swarm) = (20.0 / 41.0, 20, 20);
    short.subtasks.failed = 21;
    (short.verification.replicas, short.verification.agreement) = (42, 0.97);
    (short.budget.limit_sats, short.budget.spent_sats, short.budget.available_sats) = (125, 120, 5);
    let finding = "21 of 41 parts have no verified answer".to_owned();
    short.verification.final_check = Some(FinalReport { passed: false, claims: 12, findings: vec![finding] });
    short.answer = "At least 12 records match (status = failed).".to_owned();
    partial.run = shown(Recipe::over_budget(41), false);
    partial.run.view.ending = Some(Ending::Answered(Box::new(short)));
    partial.answer.citation = Some(1);
    let why = Err("orders.log is not where it was".to_owned());
    partial.answer.apply(Event::Context(Context { citation: 1, lines: why, page: None }));
    pictures("answer_partial", &partial);
    let mut unsure = answered();
    let mut doubted = answer();
    doubted.confidence = 0.04;
    unsure.run.view.ending = Some(Ending::Answered(Box::new(doubted)));
    pictures("answer_unsure", &unsure);
    pictures("answer_objected", &objected());
    sizes("answer_objected", &objected());
}

/// An answer that code computed, with how it read the question.
pub fn by_code() -> State {
    let mut state = answered();
    let mut found = answer();
    let words = "number of rows where status = failed: 26 rows";
    found.answer = format!("26 ({words})");
    (found.method, found.confidence, found.subtasks) = (Method::Code, 1.0, SubtaskReport::default());
    found.verification.final_check = None;
    found.reading = Some(Reading {
        words: words.to_owned(),
        sql: "SELECT count(*) FROM \"orders\" WHERE \"status\" = 'failed'".to_owned(),
        file: "orders.log".to_owned(),
        rows: 26,
        left_out: 0,
        notes: Vec::new(),
    });
    state.run.view.ending = Some(Ending::Answered(Box::new(found)));
    state
}

/// Whether the window shows this in a state.
pub fn shows(state: &State, label: &str) -> bool {
    window(state.clone(), Theme::Light).query_by_label(label).is_some()
}

/// A recorded run of which nothing is read yet.
fn being_read() -> Run {
    let mut run = Run::default();
    run.apply(run::Event::Opened { id: "5e1f".to_owned(), live: false, unit: Unit::Sats });
    run
}

/// Of the answer and of its trace, which are shown beside each other.
#[test]
fn the_sample_answer_says_what_its_trace_says() {
    let state = answered();
    let (found, view) = (answer(), &state.run.view);
    let outcomes = |event: &TraceEvent| {
        let TraceEvent::Verified { agreement, replicas, outcome, .. } = event else { return None };
        let Outcome::Combined(records) = outcome else { return None };
        Some((*agreement, *replicas as usize, records.parse::<usize>().unwrap()))
    };
    let verified: Vec<_> = Recipe::done(41).iter().filter_map(|record| outcomes(&record.event)).collect();
    assert_eq!((verified.len(), view.progress.verified()), (found.subtasks.verified, 41));
    assert_eq!(verified.iter().map(|(_, replicas, _)| replicas).sum::<usize>(), found.verification.replicas);
    assert_eq!(verified.iter().map(|(_, _, records)| records).sum::<usize>(), found.citations.len());
    let agreement = verified.iter().map(|(agreement, _, _)| agreement).sum::<f64>() / verified.len() as f64;
    assert!((agreement - found.verification.agreement).abs() < 0.005, "{agreement}");
}

#[test]
fn without_an_answer_the_screen_leads_to_what_helps() {
    let leads_to = |run: Run, said: &str, button: &str| {
        let mut window = window(State { screen: Screen::Answer, run, ..State::default() }, Theme::Light);
        window.get_by_label(said);
        click(&mut window, button);
        window.state().state().screen
    };
    assert_eq!(leads_to(Run::default(), "No answer yet", "Ask a question"), Screen::Ask);
    assert_eq!(leads_to(being_read(), "Reading the run…", "See the run"), Screen::Run);
    let running = shown(Recipe::busy(41), true);
    assert_eq!(leads_to(running, "No answer yet", "Watch the run"), Screen::Run);
}

#[test]
fn an_answer_is_rated_by_stars_thumbs_and_words() {
    let mut window = window(answered(), Theme::Light);
    for name in ["4 stars", "Thumbs up"] {
        // They may lie below what is in sight.
        press(&mut window, name);
    }
    window.get_by_label("Comment").focus();
    window.run_ok();
    window.get_by_label("Comment").type_text("as I counted");
    window.run_ok();
    let rating = &window.state().state().answer;
    assert_eq!((rating.stars, rating.thumbs, rating.comment.as_str()), (4, Some(true), "as I counted"));
    let run = window.state().state().answered().unwrap().run_id.clone();
    window.get_by_label("stays on this machine");
    for (taught, said) in [
        (
            Taught { decisions: 2, plan: true },
            "routing learned from it, for 2 unchecked answers; the planner learned from it",
        ),
        (Taught::default(), "routing learns from verdicts alone here; the planner learned nothing new"),
    ] {
        let event = Event::Rated(taught);
        window.state_mut().state_mut().apply(AppEvent::Answer { run: run.clone(), event });
        window.run_ok();
        window.get_by_label(&format!("saved on this machine; {said}"));
    }
}

#[test]
fn what_earlier_runs_verified_is_counted_beside_the_answer() {
    let (mut state, mut found) = (answered(), answer());
    found.verification.claims = Some(ClaimsReport {
        stated: 2,
        accepted: 2,
        earlier: EarlierClaims { reused: 5, reused_parts: 3, saved_sats: 12 },
        ..ClaimsReport::default()
    });
    state.run.view.ending = Some(Ending::Answered(Box::new(found)));
    let window = window(state, Theme::Light);
    window.get_by_label("7 of 7");
    window.get_by_label_contains("which saved 12 sats; to read all of it again");
}

/// A medical question that strangers alone answered, with an answer that is not the known one.
fn objected() -> State {
    let mut state = with_source();
    state.run.view.start.question = "How many dosage orders have status failed?".to_owned();
    let mut found = answer();
    let finding = "the known answer is \"26 records\", and this is another one";
    found.verification.final_check =
        Some(FinalReport { passed: false, claims: 12, findings: vec![finding.to_owned()] });
    let says = format!("this is a medical question: {BEFORE_YOU_ACT}, ask a model of yours");
    found.decisions.push(Decision::notice(RunStage::Verify, says));
    state.run.view.ending = Some(Ending::Answered(Box::new(found)));
    state
}

#[test]
fn findings_of_the_final_check_and_the_stakes_stand_before_the_answer() {
    let plain = window(answered(), Theme::Light);
    let mut window = window(objected(), Theme::Light);
    window.get_by_label("The final check found problems");
    window.get_by_label_contains("the known answer is \"26 records\"");
    window.get_by_label("has issues");
    window.get_by_label("Do not act on this answer yet");
    window.get_by_label_contains("a medical question");
    click(&mut window, "Choose providers");
    assert_eq!(window.state().state().screen, Screen::Providers);
    for words in ["The final check found problems", "Do not act on this answer yet"] {
        assert!(plain.query_by_label(words).is_none(), "{words}");
    }
    plain.get_by_label("passed");
    plain.get_by_label("3 tests with a known answer, 0 wrong");
}

#[test]
fn the_answer_leads_to_its_sources_and_a_source_to_its_lane() {
    let mut window = window(answered(), Theme::Light);
    click(&mut window, "Show source 2: orders.log, line 23");
    assert_eq!(window.state().state().answer.citation, Some(1));
    click(&mut window, "Show in the run");
    let state = window.state().state();
    assert_eq!((state.screen, state.run.lane), (Screen::Run, Some(1)));
}

#[test]
fn a_run_that_failed_is_not_called_unfinished() {
    let run = shown(Recipe::over_budget(41), false);
    let mut window = window(State { screen: Screen::Answer, run, ..State::default() }, Theme::Light);
    assert!(window.query_by_label("The run is not finished.").is_none());
    click(&mut window, "See what to do");
    assert_eq!(window.state().state().screen, Screen::Run);
}

#[test]
fn a_source_says_who_read_it() {
    let mut window = window(answered(), Theme::Light);
    click(&mut window, "Source 1: orders.log, line 7");
    assert_eq!(window.state().state().answer.citation, Some(0));
    window.get_by_label("Read by amber-fox, birch-otter.");
}

#[test]
fn a_whole_answer_can_be_kept_as_known_once() {
    let mut state = answered();
    let words = |state: &State| {
        let window = window(state.clone(), Theme::Light);
        window.get_by_label("Save as verified");
        ["once you have checked it", "saved; see Learning", "saved before", "cannot be saved"]
            .map(|words| window.query_by_label_contains(words).is_some())
    };
    assert_eq!(words(&state), [true, false, false, false]);
    state.answer.apply(Event::Kept(true));
    assert_eq!(words(&state), [false, true, false, false]);
    state.answer.apply(Event::Kept(false));
    assert_eq!(words(&state), [false, false, true, false]);
    let mut short = answer();
    short.coverage = 0.5;
    state.run.view.ending = Some(Ending::Answered(Box::new(short)));
    assert_eq!(words(&state), [false, false, false, true]);
}

#[test]
fn what_was_kept_can_be_forgotten_by_a_button() {
    let mut state = answered();
    assert!(window(state.clone(), Theme::Light).query_by_label("Forget it").is_none(), "nothing was kept");
    state.answer.apply(Event::Kept(true));
    window(state.clone(), Theme::Light).get_by_label("Forget it");
    state.answer.apply(Event::Forgotten);
    let drawn = window(state, Theme::Light);
    drawn.get_by_label_contains("forgotten: later runs");
    assert!(drawn.query_by_label("Forget it").is_none());

    let mut state = objected();
    let mut asked = window(state.clone(), Theme::Light);
    click(&mut asked, "Forget the known answer");
    asked.get_by_label("Forget it for good");
    asked.key_press(egui::Key::Escape);
    asked.run_ok();
    asked.get_by_label("Forget the known answer");
    state.answer.apply(Event::Forgotten);
    let drawn = window(state, Theme::Light);
    assert!(drawn.query_by_label("Forget the known answer").is_none());
}

#[test]
fn a_context_that_comes_late_is_not_shown_for_another_source() {
    let mut state = with_source();
    state.answer.citation = Some(3);
    state.answer.context = None;
    state.answer.apply(Event::Context(Context { citation: 0, lines: Ok(Vec::new()), page: None }));
    assert_eq!(state.answer.context, None);
}

#[test]
fn copying_the_answer_says_so_until_another_screen_is_opened() {
    let mut window = window(answered(), Theme::Light);
    let copy = "Copy the answer with its sources";
    click(&mut window, copy);
    window.get_by_label("Copied");
    for screen in [egui::Key::Num1, egui::Key::Num4] {
        window.key_press_modifiers(egui::Modifiers::COMMAND, screen);
        window.run_ok();
    }
    window.get_by_label(copy);
}

#[test]
fn an_answer_says_which_files_were_not_read_and_points_at_no_missing_part() {
    let mut state = answered();
    let mut short = answer();
    short.coverage = 2.0 / 3.0;
    short.answer =
        "At least 12 records match.\n\nThe answer says nothing about 1 file:\n- scan.pdf: a scan".to_owned();
    state.run.view.ending = Some(Ending::Answered(Box::new(short)));
    let window = window(state, Theme::Light);
    window.get_by_label("This answer does not cover everything");
    assert!(window.query_all_by_label_contains("scan.pdf: a scan").next().is_some());
    assert!(window.query_by_label("67%").is_some());
    assert!(window.query_by_label_contains("listed on the right").is_none());
}
