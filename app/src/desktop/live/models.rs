//! Models by their buttons: one behind an address is talked to, one is fetched in two pieces and checked, and one is the
//! user's own no more.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};

use egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;

use super::bench::Live;
use crate::desktop::command::Command;
use crate::desktop::screens::Screen;
use crate::desktop::screens::models::{Action, DownloadStage, Fetch, Opened};
use frlm_client::testing_endpoint::Endpoint;

/// The screen, once models were looked for.
fn looked(settings: &str) -> Live {
    let mut live = Live::with_settings(settings);
    live.perform(&Command::Go(Screen::Models));
    live.until("models are looked for", |state| state.models.found.ready().is_some());
    live
}

#[test]
fn a_model_behind_an_address_answers_and_it_is_said_how_fast() {
    let model = Endpoint::that_says("The Rhine and the Elbe.").model();
    let mut live = looked("");
    live.perform(&Command::Models(Action::Address(model)));
    live.window().step();
    live.window().get_by_role_and_label(Role::Button, "Open").click_accesskit();
    live.until("it is open", |state| matches!(state.models.opened, Opened::Ready { .. }));
    live.perform(&Command::Models(Action::Prompt("Name two rivers.".to_owned())));
    live.press("Send");
    live.until("it has answered", |state| {
        state.models.chat.last().is_some_and(|turn| turn.speed.is_some() || turn.problem.is_some())
    });
    let turn = live.state().models.chat.last().unwrap().clone();
    assert_eq!((turn.text.as_str(), turn.problem.as_deref()), ("The Rhine and the Elbe.", None));
    assert!(turn.speed.is_some_and(|speed| speed.first_ms <= speed.total_ms));
    live.window().get_by_label_contains("first token after");
}

#[test]
fn a_model_is_the_users_own_no_more_once_its_button_says_so() {
    let model = Endpoint::that_says("yes").model();
    let mut live = looked(&format!("# mine\n[ask]\nmodel = \"{model}\"\n"));
    assert_eq!(live.state().models.found.ready().unwrap().own.as_ref(), Some(&model));
    live.press("Stop using for my questions");
    live.until("it is not", |state| state.models.found.ready().is_some_and(|found| found.own.is_none()));
    assert_eq!(live.home().config().unwrap().ask.model, None);
    assert!(std::fs::read_to_string(live.home().config_file()).unwrap().starts_with("# mine\n"));
}

/// What is served over and over, how often, and the sha256 of all of it.
const BLOCK: &[u8; 16] = b"0123456789abcdef";
const BLOCKS: usize = 8_192;
const SHA256: &str = "a2706a20394e48179a86c71e82c360c2960d3652340f9b9fdb355a42e3ac7691";

/// A request for the file gets half of it, and a request for the rest gets that. Serves until the test process
/// ends, which owns its thread.
fn server_that_breaks_off() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            // A client that goes away while it is served has asked for nothing more.
            let _ = serve(&stream);
        }
    });
    format!("http://{address}/half.gguf")
}

fn serve(mut stream: &TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            return Ok(());
        }
    }
    let head = head.to_ascii_lowercase();
    let asked = head
        .lines()
        .find_map(|line| line.strip_prefix("range: bytes=")?.strip_suffix('-')?.parse::<usize>().ok());
    let file = BLOCK.repeat(BLOCKS);
    let (status, from, to) = match asked {
        None => ("200 OK", 0, file.len() / 2),
        Some(from) => ("206 Partial Content", from, file.len()),
    };
    let (promised, last) = (file.len() - from, file.len() - 1);
    write!(
        stream,
        "HTTP/1.1 {status}\r\netag: \"one\"\r\ncontent-length: {promised}\r\ncontent-range: bytes {from}-{last}/{}\r\n\
         connection: close\r\n\r\n",
        file.len()
    )?;
    stream.write_all(&file[from..to])
}

#[test]
fn an_interrupted_model_download_resumes_and_is_checked_as_a_whole() {
    let mut live = looked("");
    for typed in [Fetch::Url(server_that_breaks_off()), Fetch::Sha256(SHA256.to_owned())] {
        live.perform(&Command::Models(Action::Download(typed)));
    }
    live.press("Download");
    live.until("it breaks off", |state| matches!(state.models.download.stage, DownloadStage::Failed(_)));
    live.window().get_by_label("The download failed");
    live.press("Resume");
    live.until("it is there", |state| {
        matches!(state.models.download.stage, DownloadStage::Done { checked: true, .. })
    });
    live.window().get_by_label("Downloaded; the sha256 matches");
    assert!(std::fs::read(live.home().models().join("half.gguf")).unwrap() == BLOCK.repeat(BLOCKS));
    live.until("it is listed", |state| {
        let found = state.models.found.ready();
        found.is_some_and(|found| found.entries.iter().any(|entry| entry.name == "half"))
    });
}
