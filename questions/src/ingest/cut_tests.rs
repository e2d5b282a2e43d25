//! A line that comes, goes or changes leaves the parts of a long text alone, but for those around it.

use std::collections::HashSet;

use frlm_documents::{Block, Kind, Place, Transcript};
use rand::seq::IndexedRandom as _;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use std::sync::Arc;

use super::*;

const WORDS: [&str; 24] = [
    "the",
    "tenant",
    "pays",
    "rent",
    "before",
    "third",
    "day",
    "of",
    "each",
    "month",
    "unless",
    "landlord",
    "agrees",
    "otherwise",
    "repairs",
    "roof",
    "garden",
    "notice",
    "deposit",
    "heating",
    "winter",
    "keys",
    "returned",
    "weeks",
];
/// As questions are asked.
const BUDGET: usize = 2_000;

#[derive(Clone, Copy)]
enum Edit {
    Insert,
    Delete,
    Change,
}

fn line(random: &mut ChaCha8Rng) -> String {
    let count = random.random_range(6..14);
    (0..count).map(|_| *WORDS.choose(random).unwrap()).collect::<Vec<_>>().join(" ")
}

/// Paragraphs of one to eight lines, some of them under a heading.
fn prose(random: &mut ChaCha8Rng, lines: usize) -> Vec<String> {
    let mut text = Vec::new();
    while text.len() < lines {
        if random.random_range(0..6) == 0 {
            text.extend([format!("## {}", line(random)), String::new()]);
        }
        let count = random.random_range(1..9);
        text.extend((0..count).map(|_| line(random)));
        text.push(String::new());
    }
    text
}

fn edited(text: &[String], edit: Edit, random: &mut ChaCha8Rng) -> Vec<String> {
    let mut text = text.to_vec();
    let at = random.random_range(0..text.len());
    match edit {
        Edit::Insert => text.insert(at, line(random)),
        Edit::Delete => drop(text.remove(at)),
        Edit::Change => text[at] = line(random),
    }
    text
}

fn cut(document: Document, max_tokens: usize) -> Vec<Fragment> {
    split(&[document], SplitOptions { max_tokens, max_records: 16 })
}

fn parts(name: &str, text: &[String], max_tokens: usize) -> Vec<String> {
    cut(Document::of_text(name, text.join("\n")), max_tokens)
        .iter()
        .map(|part| part.text.trim().to_owned())
        .collect()
}

/// How often so many parts are new after an edit, of `tries` edits of texts of some twenty parts.
fn new_parts(name: &str, edit: Edit, tries: usize, max_tokens: usize) -> Vec<usize> {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut counts = vec![0; 6];
    for _ in 0..tries / 40 {
        let text = prose(&mut random, max_tokens * 6 / 5);
        let old = parts(name, &text, max_tokens);
        assert!(old.len() > 10, "{}", old.len());
        let old: HashSet<String> = old.into_iter().collect();
        for _ in 0..40 {
            let new = parts(name, &edited(&text, edit, &mut random), max_tokens);
            counts[new.iter().filter(|part| !old.contains(*part)).count().min(5)] += 1;
        }
    }
    counts
}

/// What a part of a long text has of the budget on average, in percent.
fn fullness(max_tokens: usize) -> usize {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let text = prose(&mut random, max_tokens * 12).join("\n");
    let parts = cut(Document::of_text("lease.txt", text.as_str()), max_tokens).len();
    100 * estimate_tokens(&text) / parts / max_tokens
}

#[test]
fn a_new_line_changes_one_part_or_two_and_hardly_ever_three() {
    for name in ["lease.txt", "lease.md"] {
        let counts = new_parts(name, Edit::Insert, 200, BUDGET);
        let (three, more) = (counts[3], counts[4..].iter().sum::<usize>());
        assert!(three <= 1 && more == 0, "{name}: {counts:?}");
    }
}

#[test]
fn a_line_that_goes_or_changes_seldom_changes_three() {
    for edit in [Edit::Delete, Edit::Change] {
        let counts = new_parts("lease.txt", edit, 200, BUDGET);
        let (three, more) = (counts[3], counts[4..].iter().sum::<usize>());
        assert!(three <= 4 && more == 0, "{counts:?}");
    }
}

#[test]
fn parts_of_prose_are_more_than_half_full() {
    assert!(fullness(BUDGET) > 50, "{}", fullness(BUDGET));
}

#[test]
#[ignore = "it measures the table of decision 0081, for some minutes"]
fn how_many_parts_an_edit_changes() {
    for max_tokens in [BUDGET, 400] {
        println!("{max_tokens} tokens, {} % full", fullness(max_tokens));
        for (edit, what) in [(Edit::Insert, "insert"), (Edit::Delete, "delete"), (Edit::Change, "change")] {
            println!("{what}: {:?}", new_parts("lease.txt", edit, 1_200, max_tokens));
        }
    }
}

#[test]
fn a_new_block_of_a_document_with_places_changes_two_parts_at_most() {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let place = || Place::Page { page: 1, bounds: None };
    let mut blocks = Vec::new();
    for _ in 0..300 {
        let kind = if random.random_range(0..8) == 0 { Kind::Heading(1) } else { Kind::Paragraph };
        blocks.push(Block { kind, text: line(&mut random), place: place() });
    }
    let parts = |blocks: &[Block]| -> HashSet<String> {
        let transcript = Transcript::of(blocks.to_vec());
        let text = transcript.text.clone();
        let document =
            Document { transcript: Some(Arc::new(transcript)), ..Document::of_text("a.pdf", text) };
        cut(document, 400).iter().map(|part| part.text.trim().to_owned()).collect()
    };
    let old = parts(&blocks);
    for _ in 0..100 {
        let mut new = blocks.clone();
        let at = random.random_range(0..new.len());
        new.insert(at, Block { kind: Kind::Paragraph, text: line(&mut random), place: place() });
        assert!(parts(&new).difference(&old).count() <= 2, "before block {at}");
    }
}
