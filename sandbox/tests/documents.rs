//! Files read in a worker: what is found comes back, and what a worker does or suffers is told in words.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::sync::atomic::{AtomicBool, Ordering};

use frlm_documents::{Event, Format, Options, Refusal};
use frlm_sandbox::{DocumentError, DocumentWorker, Limits};

const LIMITS: Limits = Limits { time_ms: 3_000, memory_bytes: 256 << 20, ..Limits::DOCUMENTS };
static GOES_ON: AtomicBool = AtomicBool::new(false);

fn worker(limits: Limits) -> DocumentWorker {
    DocumentWorker::new(env!("CARGO_BIN_EXE_frlm-sandbox-test-worker"), &[], limits)
}

/// A worker that does what this shell script says.
#[cfg(unix)]
fn shell(script: &str, limits: Limits) -> DocumentWorker {
    DocumentWorker::new("/bin/sh", &["-c", script], limits)
}

fn read(
    worker: &DocumentWorker,
    name: &str,
    bytes: &[u8],
    options: &Options,
) -> (Vec<Event>, Result<(), DocumentError>) {
    let mut events = Vec::new();
    let ended = worker.read(name, bytes, options, &GOES_ON, &mut |event| events.push(event));
    (events, ended)
}

#[test]
fn a_worker_finds_what_the_reader_finds() {
    let files: [(&str, &[u8]); 4] = [
        ("notes.txt", "Rent: 1200 €\nDeposit: 2400 €\n".as_bytes()),
        ("page.html", b"<h1>Lease</h1><p>The rent is 1200 a month.</p>"),
        ("talk.srt", b"1\n00:00:01,000 --> 00:00:02,000\nHello\n"),
        ("empty.txt", b""),
    ];
    for (name, bytes) in files {
        let mut expected = Vec::new();
        frlm_documents::read(name, bytes, &Options::default(), &mut |event| expected.push(event));
        let (events, ended) = read(&worker(LIMITS), name, bytes, &Options::default());
        assert_eq!((events, ended), (expected, Ok(())), "{name}");
    }
}

#[test]
fn a_large_text_comes_back_whole() {
    let text = "every line of it, \"quoted\" or not\n".repeat(1 << 18);
    let (events, ended) = read(&worker(LIMITS), "long.txt", text.as_bytes(), &Options::default());
    assert_eq!(ended, Ok(()));
    assert!(events.contains(&Event::Plain(text)));
}

#[test]
fn options_reach_the_reader() {
    let mut options = Options::default();
    options.limits.text_bytes = 10;
    let (events, ended) = read(&worker(LIMITS), "a.txt", b"more than ten bytes", &options);
    assert_eq!(ended, Ok(()));
    let refused = Refusal::TooMuch { what: "bytes of text".to_owned(), limit: 10 };
    assert_eq!(events.last(), Some(&Event::End(Err(refused))));
}

#[test]
fn a_page_is_drawn_with_its_quotes_marked() {
    let bytes = include_bytes!("../../documents/corpus/hostile/pdf-actions.pdf");
    let quotes = ["Nothing runs here".to_owned()];
    let expected = frlm_documents::page(bytes, 1, 1.5, &quotes, &Options::default()).unwrap();
    assert_eq!((expected.width, expected.height, expected.marks.len()), (918, 1_188, 1));
    let image = worker(LIMITS).page(bytes, 1, 1.5, &quotes, None, &GOES_ON);
    assert_eq!(image, Ok(expected));
    for (bytes, number) in [(&bytes[..], 2), (&bytes[..], 0), (b"no pages", 1)] {
        let none = worker(LIMITS).page(bytes, number, 1.5, &quotes, None, &GOES_ON);
        assert!(matches!(none, Err(DocumentError::Refused(_))), "{none:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_picture_that_comes_in_short_is_none() {
    let short = r#"echo '{"image":{"width":9,"height":9,"marks":[]}}'; echo half"#;
    let image = shell(short, LIMITS).page(b"%PDF-", 1, 1.0, &[], None, &GOES_ON);
    assert!(matches!(image, Err(DocumentError::Crashed(_))), "{image:?}");
    let large = r#"echo '{"image":{"width":4294967295,"height":4294967295,"marks":[]}}'; yes"#;
    let limits = Limits { output_bytes: 1 << 20, ..LIMITS };
    let image = shell(large, limits).page(b"%PDF-", 1, 1.0, &[], None, &GOES_ON);
    assert_eq!(image, Err(DocumentError::Output(1 << 20)));
}

/// No reader offers any of this; its process would not do it either.
#[cfg(target_os = "linux")]
#[test]
fn a_worker_whose_reader_is_broken_out_of_can_still_do_nothing() {
    let program = env!("CARGO_BIN_EXE_frlm-sandbox-test-worker");
    let by_hand = DocumentWorker::new(program, &["try-by-hand"], LIMITS);
    let (events, ended) = read(&by_hand, "a.pdf", b"%PDF-", &Options::default());
    assert_eq!(ended, Ok(()));
    let [Event::Plain(tried)] = events.as_slice() else { panic!("{events:?}") };
    let tried: Vec<&str> = tried.lines().collect();
    assert_eq!(
        tried,
        [
            "read a file: refused",
            "write a file: refused",
            "open a socket: refused",
            "start a program: refused",
            "start a thread: refused",
            "read what is open: refused",
            "write elsewhere: refused",
            "read the environment: empty",
        ]
    );
}

#[test]
fn more_than_may_be_told_is_told_by_its_limit() {
    let limits = Limits { output_bytes: 100_000, ..LIMITS };
    let (events, ended) = read(&worker(limits), "a.txt", &vec![b'a'; 200_000], &Options::default());
    assert_eq!(ended, Err(DocumentError::Output(100_000)));
    let [Event::Document { format: Format::Plain, .. }, Event::End(Err(refused))] = events.as_slice() else {
        panic!("{events:?}")
    };
    assert_eq!(refused.to_string(), DocumentError::Output(100_000).to_string());
}

#[test]
fn a_reader_without_memory_says_so() {
    // More than the worker may take, to copy the text alone.
    let limits = Limits { memory_bytes: 8 << 20, ..LIMITS };
    let (events, ended) = read(&worker(limits), "a.txt", &vec![b'a'; 64 << 20], &Options::default());
    assert_eq!(ended, Err(DocumentError::Memory(8 << 20)));
    assert!(ended.unwrap_err().to_string().contains("8 MiB of memory"));
    assert!(matches!(events.last(), Some(Event::End(Err(Refusal::Reader(_))))), "{events:?}");
}

#[cfg(unix)]
#[test]
fn what_was_told_before_a_worker_died_holds() {
    let document = |name| format!(r#"{{"event":{{"document":{{"name":"{name}","format":"plain"}}}}}}"#);
    let (first, second) = (document("box.zip/a.txt"), document("box.zip/b.txt"));
    let script = format!(
        "echo '{first}'; echo '{{\"event\":{{\"end\":{{\"Ok\":null}}}}}}'; echo '{second}'; kill -SEGV $$"
    );
    let (events, ended) = read(&shell(&script, LIMITS), "box.zip", b"", &Options::default());
    let error = ended.unwrap_err();
    assert!(matches!(error, DocumentError::Crashed(_)) && error.is_the_files(), "{error}");
    let Event::End(Err(refused)) = events.last().unwrap() else { panic!("{events:?}") };
    assert_eq!((events.len(), refused), (4, &Refusal::Reader(error.to_string())));
    assert_eq!(events[1], Event::End(Ok(())));
}

#[cfg(unix)]
#[test]
fn each_death_is_told_in_words() {
    let deaths = [
        ("kill -XCPU $$", DocumentError::Time(3_000)),
        ("echo 'memory allocation of 9 bytes failed' >&2; kill -ABRT $$", DocumentError::Memory(256 << 20)),
        ("echo \"thread 'reader' has overflowed its stack\" >&2; kill -ABRT $$", DocumentError::TooDeep),
        ("exit 77", DocumentError::NotConfined),
        ("exit 78", DocumentError::Output(1 << 30)),
        ("echo nonsense", DocumentError::Crashed("it spoke nonsense".to_owned())),
        ("yes | head -c 9999999", DocumentError::Crashed("it spoke nonsense".to_owned())),
        ("exit 3", DocumentError::Crashed("exit status: 3".to_owned())),
    ];
    for (script, expected) in deaths {
        let (events, ended) = read(&shell(script, LIMITS), "a.pdf", b"%PDF-", &Options::default());
        assert_eq!((events, ended), (Vec::new(), Err(expected)), "{script}");
    }
    let none = DocumentWorker::new("/nowhere/at-all", &[], LIMITS);
    let (_, ended) = read(&none, "a.pdf", b"%PDF-", &Options::default());
    assert!(matches!(ended, Err(DocumentError::Start(_))), "{ended:?}");
}

#[cfg(unix)]
#[test]
fn a_line_without_end_is_not_heard_to_its_end() {
    let limits = Limits { output_bytes: 1 << 20, ..LIMITS };
    let endless = shell("yes | tr -d '\\n'", limits);
    let (_, ended) = read(&endless, "a.pdf", b"%PDF-", &Options::default());
    assert_eq!(ended, Err(DocumentError::Output(1 << 20)));
}

#[cfg(unix)]
#[test]
fn reading_is_cancelled_while_a_worker_says_nothing() {
    let stop = AtomicBool::new(false);
    let silent = shell("exec sleep 600", LIMITS);
    let ended = std::thread::scope(|threads| {
        let reading = threads
            .spawn(|| silent.read("a.pdf", &vec![0; 1 << 20], &Options::default(), &stop, &mut |_| ()));
        stop.store(true, Ordering::Relaxed);
        reading.join().unwrap()
    });
    assert_eq!(ended, Err(DocumentError::Stopped));
}
