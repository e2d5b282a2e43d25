//! What is said of the known answers.

pub use crate::desktop::screens::words::*;
use frlm_client::units::{plural, thousands};

words! {
    READING = "Reading the known answers…";
    UNREAD = "The known answers cannot be read";
    unread(why: &str) = "{why}. Until it is repaired, answers are not compared with known ones.";
    NONE = "No known answers yet";
    NONE_THEN = "Save an answer that you have checked (\"Save as verified\" on Answer), or import a file with one JSON \
                 object per line: {\"question\":\u{a0}\"…\",\u{a0}\"answer\":\u{a0}\"…\"}. A run that answers such a \
                 question differently says so. An answer never becomes known only because providers agree on it.";
    OPEN_RUNS = "Open Runs";

    // The list
    SEARCH = "Search";
    SEARCH_EXAMPLE = "words, in any order";
    IMPORT = "Import a file";
    IMPORT_HINT = "JSON lines with question, answer and optional category; all of them or none";
    EXPORT = "Export to a file";
    EXPORT_HINT = "all of them as JSON lines, for import elsewhere";
    shown_of(shown: usize, all: usize) = "{} of {}", thousands(shown as u64), plural(all, "answer");
    searched(first: usize) = "the first {} are searched", thousands(first as u64);
    imported(added: usize, before: usize) = "imported from the file: {} new, {} already known",
        thousands(added as u64), thousands(before as u64);
    exported(path: &str) = "all were exported to {path}";
    NO_MATCH = "No known answer has all of these words.";
    QUESTION = "Question";
    RIGHT_ANSWER = "Right answer";
    KIND = "Kind";
    FROM = "From";

    // The chosen one
    CHOOSE = "Choose an answer to see all of it, or to forget it.";
    ENTRY = "A known answer";
    FORGET = "Forget";
    FORGET_SURE = "Forget this answer?";
    FORGET_SAFE = "Later runs are not compared with it any more. Runs, answers and sats stay as they are.";

    // Files
    CHOOSE_IMPORT = "Known answers to import";
    JSON_LINES = "JSON lines";
    NOT_IMPORTED = "Nothing was imported";
    CHOOSE_EXPORT = "Known answers";
    NOT_EXPORTED = "The known answers were not exported";
}
