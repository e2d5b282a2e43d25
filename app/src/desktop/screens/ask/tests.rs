use std::path::{Path, PathBuf};
use std::sync::Arc;

use egui::{Theme, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use frlm_conductor::swarm::Tariff;
use frlm_verifier::request::VerificationLevel;
use frlm_wallet::{Msats, Sats};

use super::state::{Action, Ask, Document, Event, Previewed, Reading, Seen, Venue};
use super::wishes::{Followed, Wish};
use crate::desktop::app::Desktop;
use crate::desktop::command::Command;
use crate::desktop::engine::swarm::LocalSwarm;
use crate::desktop::screens::Screen;
use crate::desktop::state::{Machine, State};
use crate::desktop::testing::{click, pictures, press, sizes, window, window_sized};
use frlm_client::local_swarm::Speaks;
use frlm_client::run::{OtherReading, ReadingChoice};

fn form(ask: Ask) -> State {
    let machine =
        Machine { threads: 8, relays: vec!["wss://relay.example".to_owned()], ..Machine::default() };
    let swarm =
        LocalSwarm::On { relay: "ws://127.0.0.1:40123".to_owned(), providers: 3, speaks: Speaks::Embedded };
    State { screen: Screen::Ask, machine: Some(machine), swarm, ask, ..State::default() }
}

fn filled() -> Ask {
    let mut ask = Ask::default();
    ask.perform(&Action::Add(vec![PathBuf::from("/home/ada/orders.log")]));
    ask.perform(&Action::Question("How many orders have status failed?".to_owned()));
    let documents =
        vec![Document { name: "orders.log".to_owned(), bytes: 61_681, fragments: 41, tokens: 21_900 }];
    let revision = ask.files_revision;
    let reading = Reading::Read { documents, warnings: Vec::new() };
    ask.apply(Event::Reading { revision, reading, locked: false });
    ask
}

fn known(providers: Vec<Seen>, price: u64) -> Previewed {
    Previewed::Known {
        low: 123 * price,
        expected: 246 * price,
        high: 369 * price,
        given: 0,
        subtasks: 41,
        // As the first policy of the form has it.
        replicas: 1,
        most_replicas: 3,
        providers,
        unreachable: None,
        by_code: false,
        own_model_reads: false,
        provider_reads: false,
        bytes: 61_681,
        in_plain: String::new(),
        readings: Vec::new(),
    }
}

fn providers() -> Vec<Seen> {
    ["amber-fox", "slate-heron", "birch-otter"]
        .map(|name| Seen {
            name: name.to_owned(),
            model: "frlm-records".to_owned(),
            tariff: Tariff::per_1k(Msats(4_000)),
        })
        .into()
}

#[test]
fn every_state_has_its_picture() {
    let empty = State { screen: Screen::Ask, ..State::default() };
    pictures("ask_empty", &empty);
    pictures("ask_busy", &form(filled()));
    let mut ask = filled();
    ask.previewed = known(providers(), 1);
    pictures("ask_ready", &form(ask.clone()));
    sizes("ask_ready", &form(ask));
    let mut ask = filled();
    ask.previewed = known(providers(), 1);
    ask.perform(&Action::Wish(Wish::Open(true)));
    ask.perform(&Action::Wish(Wish::Language("German".to_owned())));
    ask.perform(&Action::Wish(Wish::Style("concise")));
    let question = "Which user has the most failed orders?".to_owned();
    ask.perform(&Action::Follow(Some(Followed { run: "abc123".to_owned(), question })));
    ask.previewed = known(providers(), 1);
    pictures("ask_wishes", &form(ask));
    pictures("ask_nobody", &form(not_started()));
    let mut ask = filled();
    let why = "/home/ada/orders.log: cannot be read (permission denied); check its permissions".to_owned();
    ask.reading = Reading::Failed(why);
    ask.previewed = Previewed::Nothing;
    pictures("ask_unreadable", &form(ask));
    let mut ask = filled();
    let why = "no relay is named; name one in Settings, or use the local swarm".to_owned();
    ask.venue = Venue::Relays;
    ask.previewed = Previewed::Failed(why);
    let mut refused = form(ask);
    if let Some(machine) = &mut refused.machine {
        machine.relays.clear();
    }
    pictures("ask_refused", &refused);
}

/// A run that did not start, because nobody is there.
fn not_started() -> Ask {
    let mut ask = filled();
    ask.venue = Venue::Relays;
    ask.previewed = known(Vec::new(), 0);
    ask.refused = Some("no provider answered on wss://relay.example within 5 s".to_owned());
    ask
}

/// A folder of which not everything could be read as it is.
fn partly_read() -> Ask {
    let mut ask = filled();
    ask.perform(&Action::Add(vec![PathBuf::from("/home/ada/notes")]));
    ask.previewed = known(providers(), 1);
    if let Previewed::Known { low, expected, high, subtasks, bytes, .. } = &mut ask.previewed {
        (*low, *expected, *high, *subtasks, *bytes) = (141, 282, 423, 47, 70_801);
    }
    let documents = vec![
        Document { name: "orders.log".to_owned(), bytes: 61_681, fragments: 41, tokens: 21_900 },
        Document { name: "lease.pdf".to_owned(), bytes: 9_120, fragments: 6, tokens: 3_100 },
    ];
    let warnings = [
        "lease.pdf: pages 3, 7-9 have no text layer (scans or pictures)",
        "/home/ada/notes/salary.pdf: not read, it is encrypted; give its password (on the command line with --password-file PATH)",
        "/home/ada/notes/photo.jpg: not read, a JPEG picture: run text recognition (OCR) on it and give the text",
        "/home/ada/notes/.draft: skipped, hidden; name it to have it read",
        "/home/ada/notes/.old: skipped, hidden; name it to have it read",
        "/home/ada/notes/empty.txt: skipped, empty",
    ];
    let reading = Reading::Read { documents, warnings: warnings.map(str::to_owned).into() };
    ask.apply(Event::Reading { revision: ask.files_revision, reading, locked: true });
    ask
}

/// A relay that is not there.
fn unreachable_relay() -> Ask {
    let mut ask = filled();
    ask.venue = Venue::Relays;
    let mut previewed = known(Vec::new(), 0);
    if let Previewed::Known { unreachable, .. } = &mut previewed {
        *unreachable = Some("no relay could be reached: wss://relay.example (connection refused)".to_owned());
    }
    ask.previewed = previewed;
    ask
}

#[test]
fn a_partly_read_document_and_an_absent_relay_have_pictures() {
    pictures("ask_partial", &form(partly_read()));
    pictures("ask_unreachable", &form(unreachable_relay()));
}

#[test]
fn what_was_skipped_or_replaced_is_said_beside_what_was_read() {
    let window = window(form(partly_read()), Theme::Light);
    let sums = "2 documents, 47 parts, about 25,000 tokens, 69 KiB";
    for words in [
        sums,
        "pages 3, 7-9 have no text layer",
        "salary.pdf: not read, it is encrypted",
        "photo.jpg: not read, a JPEG picture",
    ] {
        assert!(window.query_all_by_label_contains(words).next().is_some(), "{words}");
    }
    window.get_by_label("and 3 more notes");
}

#[test]
fn what_cannot_be_read_can_be_read_again_and_is_not_sent() {
    let mut ask = filled();
    ask.reading = Reading::Failed("/home/ada/orders.log: there is no such file".to_owned());
    let before = ask.files_revision;
    let mut window = window(form(ask), Theme::Light);
    window.get_by_label("These cannot be read");
    window.get_by_label_contains("Nothing was sent");
    click(&mut window, "Read them again");
    let ask = &window.state().state().ask;
    assert_eq!((&ask.reading, ask.files_revision), (&Reading::Busy { files: 0 }, before + 1));
}

#[test]
fn where_a_relay_is_away_it_is_named_and_not_said_that_nobody_is_there() {
    let mut window = window(form(unreachable_relay()), Theme::Dark);
    window.get_by_label("No relay can be reached");
    assert!(window.query_by_label("No providers online").is_none());
    window.get_by_label("wss://relay.example (connection refused). Nothing was sent.");
    assert!(window.query_all_by_label_contains("No providers online").next().is_none());
    window.get_by_label("No price quote while no relay can be reached. The budget holds in any case.");
    window.get_by_label_contains("If you ask, FRLM tries again and sends nothing until it finds one.");
    press(&mut window, "Refresh");
    assert_eq!(window.state().state().ask.previewed, Previewed::Busy);
}

#[test]
fn the_form_is_filled_in_by_the_names_of_its_parts() {
    let mut window = window(form(Ask::default()), Theme::Light);
    window.get_by_label("Question").focus();
    window.run_ok();
    window.get_by_label("Question").type_text("How many orders?");
    window.run_ok();
    for name in ["Public swarm", "Two must agree", "Also review with my model"] {
        // Some of them lie below what is in sight.
        press(&mut window, name);
    }
    let ask = &window.state().state().ask;
    assert_eq!((ask.question.as_str(), ask.venue), ("How many orders?", Venue::Relays));
    assert_eq!((ask.verify.as_str(), ask.level), ("redundancy:3/2", VerificationLevel::High));
    window.state_mut().state_mut().ask.perform(&Action::Add(vec![PathBuf::from("a.log")]));
    window.run_ok();
    click(&mut window, "Remove a.log");
    assert!(window.state().state().ask.files.is_empty());
}

#[test]
fn where_nobody_is_there_or_no_relay_is_the_local_swarm_is_a_click_away() {
    let deserted = Ask { venue: Venue::Relays, previewed: known(Vec::new(), 0), ..filled() };
    for (ask, said) in [(deserted, "No providers online"), (unreachable_relay(), "No relay can be reached")] {
        let there = Ask { venue: Venue::LocalSwarm, ..ask.clone() };
        let mut window = window(form(ask), Theme::Light);
        window.get_by_label(said);
        press(&mut window, "Use the local swarm");
        assert_eq!(window.state().state().ask.venue, Venue::LocalSwarm);
        let window = super::tests::window(form(there), Theme::Light);
        window.get_by_label(said);
        assert!(window.query_by_label("Use the local swarm").is_none(), "it is asked already");
    }
}

#[test]
fn one_cause_has_one_banner_with_one_button_that_looks_again() {
    for unreachable in [None, Some("wss://relay.example (connection refused)".to_owned())] {
        let mut ask = not_started();
        if let Previewed::Known { unreachable: why, .. } = &mut ask.previewed {
            why.clone_from(&unreachable);
        }
        let mut window = window(form(ask), Theme::Light);
        window.get_by_label("The run did not start");
        window.get_by_label(if unreachable.is_some() {
            "No relay can be reached: wss://relay.example (connection refused)"
        } else {
            "No providers online"
        });
        assert!(window.query_by_label_contains("Wait until one appears").is_none());
        window.get_by_label("Use the local swarm");
        click(&mut window, "Refresh");
        let ask = &window.state().state().ask;
        assert_eq!((&ask.refused, &ask.previewed), (&None, &Previewed::Busy));
    }
    let why = "no relay is named".to_owned();
    let ask = Ask { previewed: Previewed::Failed(why.clone()), refused: Some(why), ..not_started() };
    let drawn = window(form(ask.clone()), Theme::Light);
    drawn.get_by_label("No price quote while the question cannot be asked.");
    drawn.get_by_label("Refresh");
    // Two causes have two banners, and what helps stands once.
    let ask = Ask { refused: Some("the ledger is in use".to_owned()), ..ask };
    let drawn = window(form(ask), Theme::Light);
    drawn.get_by_label("Can't ask yet");
    drawn.get_by_label("Refresh");
}

#[test]
fn a_quote_that_cannot_be_had_says_what_keeps_it_waiting() {
    let why = "/home/ada/orders.log: there is no such file".to_owned();
    // Looking ahead fails for the same reason, and does not say it a second time.
    for previewed in [Previewed::Nothing, Previewed::Busy, Previewed::Failed(why.clone())] {
        let ask = Ask { reading: Reading::Failed(why.clone()), previewed, ..filled() };
        let window = window(form(ask), Theme::Light);
        window.get_by_label("No price quote while a document cannot be read: read it again, or remove it.");
        assert!(window.query_by_label("Can't ask yet").is_none());
    }
    let mut ask = filled();
    ask.perform(&Action::Question(String::new()));
    window(form(ask), Theme::Light).get_by_label("The price quote appears when there is a question.");
    let off = State { swarm: LocalSwarm::Off, ..form(filled()) };
    let drawn = window(off, Theme::Light);
    drawn.get_by_label("The price quote appears when the local swarm runs.");
    assert!(drawn.query_by_label("Asking for prices…").is_none(), "nobody is asked");
}

#[test]
fn the_button_that_begins_stays_in_sight_however_far_the_form_is_scrolled() {
    let mut ask = filled();
    ask.venue = Venue::Relays;
    ask.previewed = known(providers(), 1);
    let size = vec2(960.0, 600.0);
    let mut window = window_sized(form(ask), Theme::Light, size, 1.0);
    let places = |window: &Harness<'_, Desktop>| {
        let (button, words) =
            (window.get_by_label("Ask the swarm"), window.get_by_label_contains("encrypted so that"));
        assert!(button.rect().bottom().max(words.rect().bottom()) <= size.y, "{:?}", words.rect());
        (button.rect().top(), window.get_by_label("Documents").rect().top())
    };
    let (button, form) = places(&window);
    window.key_press(egui::Key::End);
    window.run_ok();
    let (still, scrolled) = places(&window);
    assert!((button - still).abs() < 0.5, "{button} and {still}");
    assert!(scrolled < form - 100.0, "{form} and {scrolled}");
}

#[test]
fn a_price_per_job_alone_does_not_look_free() {
    let mut ask = filled();
    let mut providers = providers();
    providers[0].tariff = Tariff { least: Sats(3), ..Tariff::FREE };
    ask.previewed = known(providers, 1);
    let window = window(form(ask), Theme::Light);
    window.get_by_label("at least 3 play sats a job");
    assert!(window.query_by_label("free").is_none());
}

#[test]
fn the_question_can_be_sent_once_there_are_documents() {
    let mut ask = Ask::default();
    assert_eq!(ask.ready(), Err("add a document first"));
    ask.perform(&Action::Add(vec![PathBuf::from("a.log")]));
    assert_eq!(ask.ready(), Err("type a question first"));
    ask.perform(&Action::Question("How many?".to_owned()));
    assert_eq!(ask.ready(), Ok(()));
}

#[test]
fn opening_what_can_be_wished_asks_for_no_new_quote_and_a_wish_does() {
    let mut ask = filled();
    ask.previewed = known(providers(), 1);
    let before = ask.revision;
    ask.perform(&Action::Wish(Wish::Open(true)));
    assert_eq!((ask.revision, ask.previewed == known(providers(), 1)), (before, true));
    let mut window = window(form(ask), Theme::Light);
    window.get_by_label_contains("Read everything again").click_accesskit();
    window.run_ok();
    let ask = &window.state().state().ask;
    assert_eq!((ask.wishes.fresh, ask.revision, &ask.previewed), (true, before + 1, &Previewed::Busy));
}

#[test]
fn a_quote_for_an_older_form_is_not_shown() {
    let mut ask = filled();
    let old = ask.revision;
    ask.perform(&Action::Question("How many orders?".to_owned()));
    ask.apply(Event::Previewed { revision: old, previewed: known(providers(), 1) });
    assert_eq!(ask.previewed, Previewed::Busy);
}

#[test]
fn a_cap_below_the_quote_is_named_before_anything_is_sent() {
    let mut ask = filled();
    ask.previewed = known(providers(), 1);
    ask.perform(&Action::Budget(130));
    let window = window(form(ask), Theme::Light);
    window.get_by_label("Too low: 246 play sats are expected. The run would not start.");
}

#[test]
fn typing_and_ctrl_enter_start_the_run() {
    let mut ask = filled();
    ask.previewed = known(providers(), 1);
    let mut window = window(form(ask), Theme::Dark);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Enter);
    window.run_ok();
    assert!(window.state().state().ask.starting);
    assert!(!Command::Ask(Action::Start).is_available(window.state().state()));
}

#[derive(Debug)]
struct Notes(PathBuf);

impl egui::DroppedFile for Notes {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        Err("only its path is needed".to_owned())
    }
}

#[test]
fn dropped_files_open_the_form() {
    let mut window = window(State::default(), Theme::Light);
    window.input_mut().dropped_files.push(Arc::new(Notes(PathBuf::from("notes.md"))));
    window.run_ok();
    assert_eq!(window.state().state().screen, Screen::Ask);
    assert_eq!(window.state().state().ask.files, [PathBuf::from("notes.md")]);
}

#[test]
fn the_form_says_what_must_be_right_about_an_answer() {
    let drawn = window(form(filled()), Theme::Light);
    for words in ["Checks", "Quotes and calculations", "Every check must pass"] {
        assert!(drawn.query_all_by_label_contains(words).next().is_some(), "{words}");
    }
}

#[test]
fn many_documents_can_be_removed_at_once() {
    let mut ask = Ask::default();
    ask.perform(&Action::Add((0..9).map(|number| PathBuf::from(format!("{number}.log"))).collect()));
    let mut window = window(form(ask), Theme::Light);
    window.get_by_label("and 3 more files");
    click(&mut window, "Remove all");
    let ask = &window.state().state().ask;
    assert!(ask.files.is_empty() && ask.reading == Reading::Nothing);
}

#[test]
fn the_sample_is_asked_about_by_itself() {
    let mut ask = filled();
    ask.perform(&Action::Sample(Speaks::Embedded));
    assert!(ask.files.is_empty(), "its own document is on its way");
    ask.perform(&Action::Add(vec![PathBuf::from("samples/orders.log")]));
    assert_eq!(ask.ready(), Ok(()));
}

#[test]
fn without_a_file_dialog_a_path_can_be_typed() {
    let mut state = State { screen: Screen::Ask, ..State::default() };
    state.ask.apply(Event::NoChooser);
    let mut window = window(state, Theme::Light);
    window.get_by_label_contains("showed no file dialog");
    window.get_by_label("Path").focus();
    window.run_ok();
    window.get_by_label("Path").type_text("/home/ada/lease.pdf");
    window.run_ok();
    press(&mut window, "Add");
    let ask = &window.state().state().ask;
    assert_eq!(ask.files, [std::path::PathBuf::from("/home/ada/lease.pdf")]);
    assert_eq!(ask.typed_path.as_deref(), Some(""));
}

#[test]
fn an_encrypted_file_is_opened_with_the_password_that_is_typed() {
    let mut window = window(form(partly_read()), Theme::Light);
    window.get_by_label_contains("Password of the encrypted files").focus();
    window.run_ok();
    window.get_by_label_contains("Password of the encrypted files").type_text("correct horse");
    window.run_ok();
    press(&mut window, "Open them");
    let ask = &window.state().state().ask;
    assert_eq!(ask.reading, Reading::Busy { files: 0 }, "they are read again");
    assert!(!format!("{ask:?}").contains("correct horse"), "nothing prints it");
}

#[test]
fn readings_are_offered_and_a_chosen_one_goes_with_the_question() {
    let reading = |file: &str, sum: &str| OtherReading {
        words: format!("total of amount in {file}: 3 rows"),
        text: sum.to_owned(),
        confidence: 0.5,
        choice: ReadingChoice {
            file: file.to_owned(),
            sql: "SELECT exact_sum(\"amount\", 2) FROM \"x\"".to_owned(),
        },
    };
    let mut ask = filled();
    let mut previewed = known(providers(), 1);
    if let Previewed::Known { readings, .. } = &mut previewed {
        *readings = vec![reading("may.csv", "1600"), reading("june.csv", "1601")];
    }
    ask.apply(Event::Previewed { revision: ask.revision, previewed });
    let mut window = window(form(ask), Theme::Light);
    window.get_by_label("Code can read this in 2 ways. If you choose one, nothing leaves this machine:");
    press(&mut window, "total of amount in june.csv: 3 rows");
    window.get_by_label("Code reads it as total of amount in june.csv: 3 rows");
    let state = window.state_mut().state_mut();
    assert_eq!(state.ask.read_as, Some(reading("june.csv", "1601")));
    state.perform(&Command::Ask(Action::Verify("none".to_owned())));
    assert!(state.ask.read_as.is_some());
    state.perform(&Command::Ask(Action::Question("How many?".to_owned())));
    assert_eq!(state.ask.read_as, None);
}
