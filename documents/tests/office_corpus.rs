//! Every file of `corpus/office/` is read, and compared with what stands beside it: words, cells, places.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::collections::HashMap;
use std::path::Path;

use frlm_documents::{Block, Event, Kind, Options, Place, Transcript, Warning, read};
use serde_json::Value;

/// What reading a file told.
#[derive(Default)]
struct Told {
    blocks: Vec<Block>,
    title: Option<String>,
    warnings: Vec<Warning>,
}

fn told(name: &str, bytes: &[u8]) -> Told {
    let mut told = Told::default();
    let mut ended = None;
    read(name, bytes, &Options::default(), &mut |event| match event {
        Event::Block(block) => told.blocks.push(block),
        Event::Title(title) => told.title = Some(title),
        Event::Warning(warning) => told.warnings.push(warning),
        Event::End(end) => ended = Some(end),
        Event::Document { .. } | Event::Plain(_) => {}
    });
    assert_eq!(ended, Some(Ok(())), "{name}");
    told
}

/// Each file with what is expected of it.
fn corpus() -> Vec<(String, Told, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/office");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| Path::new(name).extension().is_none_or(|extension| extension != "json"))
        .collect();
    names.sort();
    assert!(names.len() >= 19, "{names:?}");
    let read = |name: String| {
        let told = told(&name, &std::fs::read(folder.join(&name)).unwrap());
        let expected = std::fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
        (name, told, serde_json::from_str(&expected).unwrap())
    };
    names.into_iter().map(read).collect()
}

fn words(text: &str) -> Vec<&str> {
    text.split(|character: char| character.is_whitespace() || character == '|')
        .filter(|word| !word.is_empty())
        .collect()
}

/// How well words in reading order agree: twice their longest common subsequence over both their numbers.
fn agreement(one: &[&str], other: &[&str]) -> f64 {
    let mut row = vec![0_u32; other.len() + 1];
    for word in one {
        let mut diagonal = 0;
        for (index, against) in other.iter().enumerate() {
            let above = row[index + 1];
            row[index + 1] = if word == against { diagonal + 1 } else { above.max(row[index]) };
            diagonal = above;
        }
    }
    2.0 * f64::from(row[other.len()]) / (one.len() + other.len()) as f64
}

#[test]
fn words_are_read_in_their_order() {
    let mut failed = Vec::new();
    for (name, told, expected) in corpus() {
        let texts: Vec<&str> = told.blocks.iter().map(|block| block.text.as_str()).collect();
        let text = texts.join("\n");
        let found = agreement(&words(&text), &words(expected["text"].as_str().unwrap()));
        println!("{name}: {found:.4}");
        if found < 0.97 {
            failed.push(format!("{name}: {found:.3}\n{text}\n---\n{}", expected["text"]));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

#[test]
fn every_cell_of_every_table_is_read() {
    let mut failed = Vec::new();
    for (name, told, expected) in corpus() {
        let mut tables: Vec<Vec<&Vec<String>>> = Vec::new();
        let mut headers: Vec<Vec<usize>> = Vec::new();
        for block in &told.blocks {
            let Kind::Row { table, header, cells } = &block.kind else { continue };
            if *table as usize > tables.len() {
                tables.push(Vec::new());
                headers.push(Vec::new());
            }
            if *header {
                headers.last_mut().unwrap().push(tables.last().unwrap().len());
            }
            tables.last_mut().unwrap().push(cells);
        }
        for (what, found) in
            [("tables", serde_json::to_value(&tables)), ("headers", serde_json::to_value(&headers))]
        {
            let found = found.unwrap();
            if found != expected[what] {
                failed.push(format!("{name}, {what}:\n{found}\n{}", expected[what]));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

#[test]
fn quotes_stand_where_they_should() {
    let mut failed = Vec::new();
    for (name, told, expected) in corpus() {
        let transcript = Transcript::of(told.blocks);
        for quote in expected["places"].as_array().unwrap() {
            let words = quote["quote"].as_str().unwrap();
            let Some(at) = transcript.text.find(words) else {
                failed.push(format!("{name}: {words:?} is missing"));
                continue;
            };
            let line = transcript.text[..at].matches('\n').count() + 1;
            let entry = transcript.entry(u32::try_from(line).unwrap()).unwrap();
            let place = match &entry.place {
                Place::Slide { slide } => format!("slide {slide}"),
                Place::Cells { sheet, first, last } if first == last => format!("{sheet}!{first}"),
                Place::Cells { sheet, first, last } => format!("{sheet}!{first}:{last}"),
                _ => transcript.headings(entry).join(" > "),
            };
            if place != quote["place"].as_str().unwrap() {
                failed.push(format!("{name}: {words:?} at {place}, not at {}", quote["place"]));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn titles_and_warnings_are_told() {
    let mut failed = Vec::new();
    for (name, told, expected) in corpus() {
        if expected["title"].as_str() != told.title.as_deref() {
            failed.push(format!("{name}: its title is {:?}", told.title));
        }
        let warnings: Vec<String> = told.warnings.iter().map(ToString::to_string).collect();
        let none = Vec::new();
        let expected = expected["warnings"].as_array().unwrap_or(&none);
        let are_there = expected
            .iter()
            .all(|words| warnings.iter().any(|warning| warning.contains(words.as_str().unwrap())));
        if !are_there || warnings.len() != expected.len() {
            failed.push(format!("{name}: it warns {warnings:?}, not {expected:?}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn kinds_of_blocks_are_told_apart() {
    let corpus = corpus();
    let kinds = |name: &str| -> HashMap<String, Kind> {
        let (_, told, _) = corpus.iter().find(|(file, ..)| file == name).unwrap();
        told.blocks.iter().map(|block| (block.text.clone(), block.kind.clone())).collect()
    };
    let contract = kinds("contract.docx");
    assert_eq!(contract["2. Price"], Kind::Heading(1));
    assert_eq!(contract["i. at night,"], Kind::ListItem(3));
    assert_eq!(contract["by wire"], Kind::ListItem(0));
    assert_eq!(contract["[2] Without value added tax."], Kind::Footnote);
    assert_eq!(contract["R. Roe: Too low?"], Kind::Note);
    assert_eq!(contract["let x = 1;\n  print(x);"], Kind::Code);
    let letter = kinds("letter.docx");
    assert_eq!(letter["Late payment"], Kind::Heading(2));
    assert_eq!(letter["Costs of the flat in euros"], Kind::Caption);
    assert_eq!(letter["Header: Harbour Estates Ltd"], Kind::Field);
    let deck = kinds("deck.pptx");
    assert_eq!(deck["Results"], Kind::Heading(2));
    assert_eq!(deck["Norway above all"], Kind::ListItem(2));
    assert_eq!(deck["Plan"], Kind::Paragraph);
    let talk = kinds("talk.odp");
    assert_eq!(talk["Hand out the starter now."], Kind::Note);
}
