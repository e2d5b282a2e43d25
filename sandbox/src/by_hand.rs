//! What a program or a document could try if it got out of its interpreter or reader, tried by hand in a worker that is
//! confined like any other. For tests.

use std::fs::File;
use std::io::{BufRead as _, Read as _, Write as _};
use std::process::ExitCode;

use frlm_documents::Event;

use crate::confine::{Confined, confine};
use crate::reading::confined;
use crate::wire::{Comes, DocumentLine, End, NOT_CONFINED, Ran, Request, Turn, Word, Work};

/// Serves one request by trying everything that is forbidden, and says what came of each.
pub fn serve() -> ExitCode {
    match answer() {
        Ok(()) => ExitCode::SUCCESS,
        Err(End::NotConfined) => ExitCode::from(NOT_CONFINED),
        Err(End::Broken) => ExitCode::FAILURE,
    }
}

fn answer() -> Result<(), End> {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).map_err(|_| End::Broken)?;
    let Request { limits, work } = serde_json::from_str(&line).map_err(|_| End::Broken)?;
    let left_open = LeftOpen::new();
    let given = |printed| Word::Gave(Ran { printed, value: None, truth: None });
    let within = |walls| confine(&limits, walls).map_err(|_| End::NotConfined);
    match work {
        Work::Talk(_) => {
            within(Confined::Conversation)?;
            let printed = tried(left_open, Confined::Conversation);
            say(&Turn { printed: printed.clone(), comes: Comes::End(given(printed)) })
        }
        Work::Run(_) | Work::Read(_) => {
            within(Confined::Program)?;
            say(&given(tried(left_open, Confined::Program)))
        }
        Work::Document(_) | Work::Page(_) => confined(limits, move || {
            say(&DocumentLine::Event(Event::Plain(tried(left_open, Confined::Documents))))?;
            say(&DocumentLine::Done)
        }),
    }
}

/// What the process that started a worker may have left open in it.
struct LeftOpen {
    to_read: Option<File>,
    to_write: Option<File>,
}

impl LeftOpen {
    fn new() -> Self {
        let to_write = File::options().write(true).open("/dev/null");
        Self { to_read: File::open("/etc/passwd").ok(), to_write: to_write.ok() }
    }
}

fn tried(left_open: LeftOpen, walls: Confined) -> String {
    let told = |refused: bool| if refused { "refused" } else { "done" };
    let file = std::env::temp_dir().join("frlm-escaped-by-hand");
    let empty = std::env::vars_os().next().is_none();
    let open_is_refused = left_open.to_read.is_none_or(|mut open| open.read(&mut [0]).is_err());
    // Where it is answered there, nobody has said anything, and it would wait.
    let input_is_refused =
        walls == Confined::Conversation || std::io::stdin().read_line(&mut String::new()).is_err();
    // How a reader of documents died stands on standard error; a program has nothing to say there.
    let error_is_refused = walls == Confined::Documents || std::io::stderr().write_all(b"out").is_err();
    let elsewhere_is_refused = left_open.to_write.is_none_or(|mut open| open.write_all(b"out").is_err());
    [
        format!("read a file: {}", told(std::fs::read("/etc/passwd").is_err())),
        format!("write a file: {}", told(std::fs::write(file, "out").is_err())),
        format!("open a socket: {}", told(std::net::TcpListener::bind("127.0.0.1:0").is_err())),
        format!("start a program: {}", told(std::process::Command::new("/bin/true").status().is_err())),
        format!("start a thread: {}", told(std::thread::Builder::new().spawn(|| ()).is_err())),
        format!("read what is open: {}", told(input_is_refused && open_is_refused)),
        format!("write elsewhere: {}", told(error_is_refused && elsewhere_is_refused)),
        format!("read the environment: {}", if empty { "empty" } else { "full" }),
    ]
    .join("\n")
}

fn say(line: &impl serde::Serialize) -> Result<(), End> {
    let mut line = serde_json::to_vec(line).map_err(|_| End::Broken)?;
    line.push(b'\n');
    let mut output = std::io::stdout().lock();
    output.write_all(&line).and_then(|()| output.flush()).map_err(|_| End::Broken)
}
