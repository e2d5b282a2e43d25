use egui::Theme;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use frlm_inference::download::Progress;

use super::download;
use super::state::{Action, Event, Info, Models, Opened, Speed};
use crate::desktop::app::Desktop;
use crate::desktop::engine::Event as AppEvent;
use crate::desktop::screens::Screen;
use crate::desktop::screens::load::Load;
use crate::desktop::state::State;
use crate::desktop::testing::{WINDOW, click, pictures, press, sizes, window};
use frlm_client::model_catalog::{Catalog, CatalogEntry, Place};

fn entry(spec: &str, name: &str, place: Place, weights_bytes: Option<u64>, about: &str) -> CatalogEntry {
    let (spec, name, about) = (spec.to_owned(), name.to_owned(), about.to_owned());
    CatalogEntry { spec, name, place, weights_bytes, about, problem: None }
}

fn found() -> Models {
    let mut models = Models::default();
    let mut broken =
        entry("/home/ada/.local/share/frlm/models/half.gguf", "half", Place::File, Some(900_000_000), "");
    broken.problem = Some("this is not a GGUF file".to_owned());
    let entries = vec![
        entry(
            "embedded",
            "frlm-records",
            Place::Inside,
            None,
            "only extracts fields from logs and tables; for the demo and the tests",
        ),
        entry(
            "/home/ada/.local/share/frlm/models/qwen3-4b-q4.gguf",
            "qwen3-4b-q4",
            Place::File,
            Some(2_500_000_000),
            "qwen3, Q4_K_M, 32,768 tokens of context",
        ),
        entry(
            "/home/ada/.local/share/frlm/models/big.gguf",
            "big",
            Place::File,
            Some(48_000_000_000),
            "llama, Q8_0",
        ),
        broken,
    ];
    models.apply(Event::Found(Load::Ready(Catalog {
        entries,
        free_bytes: Some(12_000_000_000),
        own: Some("/home/ada/.local/share/frlm/models/qwen3-4b-q4.gguf".to_owned()),
        served: None,
        folder: "/home/ada/.local/share/frlm/models".to_owned(),
    })));
    models
}

/// No file lies in the folder of models.
fn without_files() -> Models {
    let found = Catalog { folder: "/home/ada/.local/share/frlm/models".to_owned(), ..Catalog::default() };
    Models { found: Load::Ready(found), ..Models::default() }
}

/// A machine on which nobody has added a model.
fn nothing_added() -> Models {
    let mut models = Models::default();
    let about = "only extracts fields from logs and tables; for the demo and the tests";
    models.apply(Event::Found(Load::Ready(Catalog {
        entries: vec![entry("embedded", "frlm-records", Place::Inside, None, about)],
        free_bytes: Some(12_000_000_000),
        folder: "/home/ada/.local/share/frlm/models".to_owned(),
        ..Catalog::default()
    })));
    models
}

/// A file from elsewhere, opened by its path.
fn opened() -> Models {
    let spec = "/home/ada/Downloads/qwen3-4b-q4.gguf".to_owned();
    let mut models = without_files();
    models.address.clone_from(&spec);
    let info = Info {
        name: "qwen3-4b-q4".to_owned(),
        context_tokens: 32_768,
        quantisation: Some("Q4_K_M".to_owned()),
        concurrency: 4,
        records_only: false,
        opening_ms: 1_840,
    };
    models.apply(Event::Opened(Opened::Ready { spec, info }));
    models.perform(&Action::Prompt("Name three rivers.".to_owned()));
    models
}

fn screen(models: Models) -> State {
    State { screen: Screen::Models, models, ..State::default() }
}

#[test]
fn every_state_has_its_picture() {
    pictures("models_loading", &screen(Models::default()));
    pictures("models_empty", &screen(nothing_added()));
    pictures("models_found", &screen(found()));
    let mut chat = opened();
    chat.perform(&Action::Send);
    chat.apply(Event::Text("The Rhine, the Danube and the Elbe.".to_owned()));
    chat.apply(Event::Answered(Speed { first_ms: 210, total_ms: 910, prompt_tokens: 14, tokens: 15 }));
    chat.perform(&Action::Prompt("And the longest of them?".to_owned()));
    chat.perform(&Action::Send);
    pictures("models_chat", &screen(chat));
    let mut opening = without_files();
    opening.address = "/home/ada/Downloads/big.gguf".to_owned();
    opening.perform(&Action::Open(opening.address.clone()));
    pictures("models_opening", &screen(opening));
    let mut failed = Models { found: Load::Busy, ..Models::default() };
    failed.apply(Event::Found(Load::Failed(
        "/home/ada/.local/share/frlm/config.toml is not usable: expected a table".to_owned(),
    )));
    failed.apply(Event::Opened(Opened::Failed {
        spec: "http://127.0.0.1:8080/v1#qwen3".to_owned(),
        why: "http://127.0.0.1:8080/v1 did not answer: connection refused".to_owned(),
    }));
    pictures("models_error", &screen(failed.clone()));
    let drawn = window(screen(failed), Theme::Light);
    // Once below each of the two that failed, and not beside the title, too.
    assert_eq!(drawn.query_all_by_label("Try again").count(), 2);
    assert!(drawn.query_by_label("Refresh").is_none());
    let mut fetching = without_files();
    fetching
        .perform(&Action::Download(download::Action::Url("https://host.example/qwen3-4b.gguf".to_owned())));
    fetching.perform(&Action::Download(download::Action::Start));
    let progress = Progress { done: 900_000_000, total: Some(2_500_000_000), per_second: 11_000_000 };
    fetching.apply(Event::Download(download::DownloadStage::Coming(progress)));
    pictures("models_fetching", &screen(fetching.clone()));
    let why = "https://host.example/qwen3-4b.gguf: connection reset; the part already downloaded is kept, and the download resumes from there";
    fetching.apply(Event::Download(download::DownloadStage::Failed(why.to_owned())));
    pictures("models_fetch_failed", &screen(fetching));
    sizes("models_found", &screen(found()));
}

#[test]
fn where_no_model_was_added_it_is_said_and_what_to_do() {
    let says_so = |models: Models| {
        let drawn = window(screen(models), Theme::Light);
        drawn.get_by_label("Download");
        drawn.query_all_by_label_contains("No model of your own yet").next().is_some()
    };
    assert!(says_so(nothing_added()));
    assert!(!says_so(found()));
}

#[test]
fn a_message_is_sent_and_the_answer_streams_in() {
    let mut window = window(screen(opened()), Theme::Light);
    click(&mut window, "Send");
    window.get_by_label("Writing…");
    for text in ["The Rhine", ", the Danube"] {
        window.state_mut().state_mut().apply(AppEvent::Models(Event::Text(text.to_owned())));
    }
    let speed = Speed { first_ms: 100, total_ms: 600, prompt_tokens: 5, tokens: 6 };
    window.state_mut().state_mut().apply(AppEvent::Models(Event::Answered(speed)));
    window.run_ok();
    window.get_by_label("The Rhine, the Danube");
    window.get_by_label_contains("then 10.0 tokens/s");
}

#[test]
fn a_typed_address_can_be_tried_and_a_broken_file_cannot() {
    let mut window = window(screen(found()), Theme::Dark);
    click(&mut window, "Try half");
    assert_eq!(window.state().state().models.opened, Opened::Nothing);
    click(&mut window, "Try qwen3-4b-q4");
    let opened = Opened::Busy("/home/ada/.local/share/frlm/models/qwen3-4b-q4.gguf".to_owned());
    assert_eq!(window.state().state().models.opened, opened);
}

#[test]
fn a_model_that_only_copies_brings_a_message_that_it_understands() {
    let mut models = Models::default();
    let info = Info {
        name: "frlm-records".to_owned(),
        context_tokens: 512,
        quantisation: None,
        concurrency: 1,
        records_only: true,
        opening_ms: 12,
    };
    models.apply(Event::Opened(Opened::Ready { spec: "embedded".to_owned(), info }));
    assert!(models.can_send() && models.prompt.starts_with("copy status"));
}

#[test]
fn an_answer_of_a_mad_model_does_not_fill_memory() {
    let mut models = opened();
    models.perform(&Action::Send);
    for _ in 0..40 {
        models.apply(Event::Text("x".repeat(4_096)));
    }
    assert!(models.chat[1].text.len() <= 64 * 1_024);
}

#[test]
fn a_talk_is_as_high_as_it_is_worth_wherever_the_page_ends() {
    let mut models = opened();
    for number in 0..8 {
        models.perform(&Action::Prompt(format!("River {number}?")));
        models.perform(&Action::Send);
        models.apply(Event::Text("The Rhine, the Danube and the Elbe.".to_owned()));
        models.apply(Event::Answered(Speed { first_ms: 210, total_ms: 910, prompt_tokens: 14, tokens: 15 }));
    }
    let window = window(screen(models), Theme::Light);
    let (above, below) = (window.get_by_label("qwen3-4b-q4").rect(), window.get_by_label("Message").rect());
    assert!(below.top() - above.bottom() > 300.0, "from {above:?} to {below:?}");
}

#[test]
fn the_page_goes_to_what_was_pressed_for_and_stays_there_while_it_opens() {
    let mut window = window(screen(found()), Theme::Light);
    let in_sight = |window: &Harness<'_, Desktop>, word: &str| {
        let place = window.get_by_label(word).rect();
        place.top() > 0.0 && place.bottom() <= WINDOW.y
    };
    window.get_by_label("Try qwen3-4b-q4").click();
    for _ in 0..4 {
        // The page scrolls there within some frames.
        window.run_ok();
    }
    assert!(in_sight(&window, "Cancel"));
    window.state_mut().state_mut().models.apply(Event::Opened(opened().opened));
    for _ in 0..4 {
        window.run_ok();
    }
    assert!(in_sight(&window, "Send"));
}

#[test]
fn a_model_that_takes_long_to_open_need_not_be_waited_for() {
    let mut models = found();
    models.perform(&Action::Open("/home/ada/.local/share/frlm/models/big.gguf".to_owned()));
    let mut window = window(screen(models), Theme::Light);
    window.get_by_label_contains("Opening /home/ada/.local/share/frlm/models/big.gguf…");
    // It lies below what is in sight.
    press(&mut window, "Cancel");
    assert_eq!(window.state().state().models.opened, Opened::Nothing);
}
