//! Files that try to harm their reader, each in a worker as it ships: it is read or refused in words, within its limits, and
//! the caller goes on. What each of them cost is printed: `cargo test -p frlm-sandbox --test hostile -- --nocapture`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod recipes;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use frlm_documents::{Event, Options, Refusal, Warning};
use frlm_sandbox::{DocumentError, DocumentWorker, Limits};

/// Less than what ships, which is 30 s and 1 GiB: what keeps to these keeps to those, and all together take less time.
const LIMITS: Limits = Limits { time_ms: 1_000, memory_bytes: 512 << 20, ..Limits::DOCUMENTS };
/// The corpus has at least so many files, recipes included.
const FEWEST: usize = 150;
static GOES_ON: AtomicBool = AtomicBool::new(false);

/// What became of one file.
#[derive(Default)]
struct Read {
    /// Names that are open, and not ended.
    open: usize,
    documents: usize,
    text_bytes: usize,
    /// Refusals and reasons for what was skipped.
    reasons: Vec<String>,
}

impl Read {
    fn hear(&mut self, event: &Event) {
        match event {
            Event::Document { .. } => {
                self.open += 1;
                self.documents += 1;
            }
            Event::End(ended) => {
                self.open -= 1;
                self.reasons.extend(ended.as_ref().err().map(ToString::to_string));
            }
            Event::Warning(Warning::Skipped { reason, .. }) => self.reasons.push(reason.clone()),
            Event::Block(block) => self.text_bytes += block.text.len(),
            Event::Plain(text) => self.text_bytes += text.len(),
            Event::Warning(_) | Event::Title(_) => {}
        }
    }
}

fn worker() -> DocumentWorker {
    DocumentWorker::new(env!("CARGO_BIN_EXE_frlm-sandbox-test-worker"), &[], LIMITS)
}

fn read(name: &str, bytes: &[u8]) -> (Read, Result<(), DocumentError>) {
    let mut read = Read::default();
    let ended = worker().read(name, bytes, &Options::default(), &GOES_ON, &mut |event| read.hear(&event));
    (read, ended)
}

/// A file by its name, made when its turn comes.
type File = (String, Box<dyn Fn() -> Vec<u8> + Send + Sync>);

fn files() -> Vec<File> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../documents/corpus/hostile");
    let mut files: Vec<File> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let make: Box<dyn Fn() -> Vec<u8> + Send + Sync> =
                Box::new(move || std::fs::read(&path).unwrap());
            (name, make)
        })
        .collect();
    for (name, make) in recipes::RECIPES {
        files.push((name.to_owned(), Box::new(make)));
    }
    files.sort_by(|(one, _), (other, _)| one.cmp(other));
    files
}

#[test]
fn each_hostile_file_is_read_or_refused_in_words() {
    let files = files();
    assert!(files.len() >= FEWEST, "{} files", files.len());
    let next = AtomicUsize::new(0);
    let began = Instant::now();
    std::thread::scope(|threads| {
        for _ in 0..2 {
            threads.spawn(|| {
                while let Some((name, make)) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(name, &make());
                }
            });
        }
    });
    println!("{} files in {:.1} s", files.len(), began.elapsed().as_secs_f32());
}

fn check(name: &str, bytes: &[u8]) {
    let began = Instant::now();
    let (told, ended) = read(name, bytes);
    report(name, bytes.len(), began.elapsed(), &told, &ended);
    assert_eq!(told.open, 0, "{name}: a document was begun and never ended");
    assert!(told.documents > 0, "{name}: it was not even begun");
    if let Err(error) = ended {
        // Its words stand in the events, too, if a document was open: a worker may end between two of one file.
        assert!(error.is_the_files() && is_for_people(&error.to_string()), "{name}: {error}");
    }
    for reason in &told.reasons {
        assert!(is_for_people(reason), "{name}: {reason}");
    }
    if Path::new(name).extension().is_some_and(|extension| extension == "pdf") {
        draw(name, bytes);
    }
    let (good, ended) = read("lease.txt", b"The rent is 1200.");
    assert_eq!((good.documents, good.text_bytes, ended), (1, 17, Ok(())), "after {name}");
}

fn draw(name: &str, bytes: &[u8]) {
    let began = Instant::now();
    let drawn = worker().page(bytes, 1, 1.0, &["Nothing runs here".to_owned()], None, &GOES_ON);
    let words = match drawn {
        Ok(image) => format!("{} × {}, {} marks", image.width, image.height, image.marks.len()),
        Err(error) => {
            assert!(error.is_the_files() && is_for_people(&error.to_string()), "{name}, drawn: {error}");
            error.to_string()
        }
    };
    println!("{name:36} drawn in {:>6} ms: {words}", began.elapsed().as_millis());
}

fn report(name: &str, bytes: usize, took: Duration, told: &Read, ended: &Result<(), DocumentError>) {
    let words = told.reasons.last().map_or("read", String::as_str);
    let died = if ended.is_err() { "worker ended" } else { "" };
    println!(
        "{name:36} {bytes:>9} B {:>6} ms {:>10} B of text {:>5} documents {died:12} {words}",
        took.as_millis(),
        told.text_bytes,
        told.documents,
    );
}

/// Words that a program's author did not mean for another program.
fn is_for_people(words: &str) -> bool {
    let debug =
        ["::", "Some(", "None", "Ok(", "Err(", "Error(", "Error {", " { ", "\\u{", "panicked", "unwrap()"];
    words.chars().filter(|character| character.is_alphabetic()).count() >= 8
        && words.chars().count() <= 400
        && !words.chars().any(char::is_control)
        && !debug.iter().any(|mark| words.contains(mark))
}

#[test]
fn words_for_programs_are_told_from_words_for_people() {
    assert!(is_for_people(&Refusal::Encrypted.to_string()));
    assert!(is_for_people(&DocumentError::Memory(1 << 30).to_string()));
    for words in [
        "",
        "no",
        "InvalidXref { offset: 3 }",
        "called `Option::unwrap()` on a `None` value",
        "broken\u{1b}[2J here",
    ] {
        assert!(!is_for_people(words), "{words}");
    }
}
