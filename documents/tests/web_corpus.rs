//! The corpus of pages, books, mail, archives, subtitles and texts: what is read of each file is what was written.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use frlm_documents::{Event, Kind, Options, Place, Warning, read};
use serde_json::Value;

/// What was read of a file, over all documents in it.
#[derive(Default)]
struct Told {
    text: String,
    places: Vec<(String, Place)>,
    tables: Vec<Vec<Vec<String>>>,
    headings: Vec<String>,
    lists: Vec<(u8, String)>,
    documents: Vec<String>,
    titles: Vec<String>,
    guessed: Vec<String>,
}

fn told(path: &Path) -> Told {
    let name = path.file_name().unwrap().to_string_lossy();
    let mut told = Told::default();
    read(&name, &std::fs::read(path).unwrap(), &Options::default(), &mut |event| match event {
        Event::Document { name, .. } => told.documents.push(name),
        Event::Title(title) => told.titles.push(title),
        Event::Plain(text) => told.text += &(text + " "),
        Event::Warning(Warning::GuessedEncoding { encoding }) => told.guessed.push(encoding),
        Event::Block(block) => {
            told.text += &match &block.kind {
                Kind::Row { cells, .. } => cells.join(" ") + " ",
                _ => block.text.clone() + " ",
            };
            match block.kind {
                Kind::Row { table, cells, .. } => {
                    let table = table as usize;
                    told.tables.resize(told.tables.len().max(table), Vec::new());
                    told.tables[table - 1].push(cells);
                }
                Kind::Heading(_) => told.headings.push(block.text.clone()),
                Kind::ListItem(depth) => told.lists.push((depth, block.text.clone())),
                _ => {}
            }
            told.places.push((block.text, block.place));
        }
        _ => {}
    });
    told
}

fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let folders = ["web", "text"].into_iter().map(|folder| root.join(folder));
    let files = folders.flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let files = files.map(|file| file.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().unwrap() != "json").collect();
    files.sort();
    files
}

fn expected(path: &Path) -> Value {
    let path = format!("{}.json", path.display());
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Words, and single characters where words have no spaces between them.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for word in text.split_whitespace() {
        if word.chars().any(|character| character > '\u{2e7f}') {
            words.extend(word.chars().map(String::from));
        } else {
            words.push(word.to_owned());
        }
    }
    words
}

fn f1(read: &str, expected: &str) -> f64 {
    let (read, expected) = (words(read), words(expected));
    let mut counts: HashMap<&str, i64> = HashMap::new();
    for word in &expected {
        *counts.entry(word).or_default() += 1;
    }
    let mut shared = 0;
    for word in &read {
        let left = counts.entry(word).or_default();
        shared += u32::from(*left > 0);
        *left -= 1;
    }
    2.0 * f64::from(shared) / (read.len() + expected.len()) as f64
}

/// The words, without how they are spread over lines.
fn order(text: &str) -> String {
    words(text).join(" ")
}

#[test]
fn the_corpus_is_large_enough_and_small_enough() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let (mut expected, mut hostile, mut bytes) = (0, 0, 0);
    for folder in ["hostile", "office", "pdf", "report", "text", "web"] {
        for file in std::fs::read_dir(root.join(folder)).unwrap() {
            let file = file.unwrap();
            bytes += file.metadata().unwrap().len();
            let has_text = file.path().extension().is_some_and(|extension| extension == "json");
            expected += u32::from(has_text);
            hostile += u32::from(folder == "hostile");
        }
    }
    assert!(expected >= 60 && hostile >= 40, "{expected} files with expected text, {hostile} hostile ones");
    assert!(bytes <= 5 << 20, "{bytes} bytes");
}

#[test]
fn the_words_of_every_file_are_read_in_order() {
    for path in files() {
        let (told, expected) = (told(&path), expected(&path));
        let text = expected["text"].as_str().unwrap();
        let score = f1(&told.text, text);
        assert!(score >= 0.97, "{} {score}\n{}\n{text}", path.display(), told.text);
        assert_eq!(order(&told.text), order(text), "{}", path.display());
    }
}

#[test]
fn every_cell_heading_and_item_is_read_exactly() {
    for path in files() {
        let (told, expected) = (told(&path), expected(&path));
        let name = path.display();
        if let Some(tables) = expected.get("tables") {
            assert_eq!(&serde_json::to_value(&told.tables).unwrap(), tables, "{name}");
        }
        if let Some(headings) = expected.get("headings") {
            assert_eq!(&serde_json::to_value(&told.headings).unwrap(), headings, "{name}");
        }
        if let Some(lists) = expected.get("lists") {
            assert_eq!(&serde_json::to_value(&told.lists).unwrap(), lists, "{name}");
        }
    }
}

#[test]
fn places_documents_titles_and_guesses_are_told() {
    for path in files() {
        let (told, expected) = (told(&path), expected(&path));
        let name = path.display();
        for pair in expected["places"].as_array().into_iter().flatten() {
            let quote = pair[0].as_str().unwrap();
            let found = told.places.iter().find(|(text, _)| text.contains(quote));
            let place = found.map(|(_, place)| serde_json::to_value(place).unwrap());
            assert_eq!(place.as_ref(), Some(&pair[1]), "{name}: {quote}");
        }
        if let Some(documents) = expected.get("documents") {
            assert_eq!(&serde_json::to_value(&told.documents).unwrap(), documents, "{name}");
        }
        if let Some(title) = expected.get("title") {
            assert_eq!(&Value::from(told.titles.clone()), &Value::from(vec![title.clone()]), "{name}");
        }
        let guessed: Vec<Value> = expected.get("guessed").cloned().into_iter().collect();
        assert_eq!(Value::from(told.guessed), Value::from(guessed), "{name}");
    }
}
