//! What is said on the runs screen.

use frlm_client::units::{plural, thousands};

use super::state::Show;
pub use crate::desktop::screens::words::*;

words! {
    TITLE = "Runs";
    SUBTITLE = "Every question asked on this machine, with all its events.";
    READING = "Reading the recorded runs…";
    UNREAD = "The recorded runs cannot be read";
    unread(why: &str) = "{why}. Nothing was changed, and the ledger is a file of its own.";
    NONE = "No questions yet";
    NONE_THEN = "Every run is recorded, so that you can replay, compare and resume it.";

    // The list
    SEARCH = "Search";
    SEARCH_EXAMPLE = "words of the question, a document, an id";
    runs_of(shown: usize, all: usize) = "{} of {}", thousands(shown as u64), plural(all, "run");
    NO_MATCH = "No run matches. Search for less, or show all.";
    STARTED = "Started";
    QUESTION = "Question";
    STATE = "State";
    DOCUMENTS = "Documents";
    SPENT = "Spent";
    ANSWERED = "answered";
    FAILED = "failed";
    PAUSED = "paused";
    UNFINISHED = "unfinished";
    THIS_MACHINE = "this machine";

    // The chosen run
    CHOOSE = "Choose a run to see its answer, replay it, compare it, export it or delete it.";
    READING_RUN = "Reading what happened…";
    RUN_UNREAD = "What happened cannot be read";
    run_unread(why: &str) = "{why}. Nothing was changed, and its cost is in the ledger.";
    damaged(damage: &str) = "The record is damaged: {damage}. It is shown as far as it goes.";
    NOT_ENDED = "It has not ended: it is running, or its process was stopped.";
    VERIFIED = "Verified";
    parts(verified: usize, all: usize) = "{} of {}", thousands(verified as u64), thousands(all as u64);
    VERIFIED_ABOUT = "parts";
    COVERAGE = "Coverage";
    COVERAGE_ABOUT = "of the documents";
    CONFIDENCE = "Confidence";
    CONFIDENCE_ABOUT = "of the answer";
    of_budget(budget: &str) = "of {budget}";
    TOOK = "Took";
    OPEN = "Open";
    OPEN_HINT = "its parts, its decisions and its answer";
    OPEN_TO_RESUME = "Open to resume";
    OPEN_TO_RESUME_HINT = "verified parts are not asked again; the run has a button \"Resume\"";
    REPLAY = "Replay";
    REPLAY_HINT = "plays the run again, at a speed that you choose";
    COMPARE = "Compare with another";
    CHOOSE_SECOND = "Choose the run to compare with in the table";
    EXPORT_LINES = "Export JSON lines";
    EXPORT_LINES_HINT = "one event per line";
    EXPORT_PERFETTO = "Export for Perfetto";
    EXPORT_PERFETTO_HINT = "open it at ui.perfetto.dev";
    NOT_EXPORTED = "The run was not exported; it is still recorded";
    WRITTEN = "written";
    written_to(path: &str) = "Written to {path}";
    COPY_PATH = "Copy the path";
    DELETE = "Delete";
    DELETE_SURE = "Delete this run?";
    DELETE_SAFE = "Its events and its answer cannot be restored. Its cost stays in the ledger.";
    DELETE_RUN = "Delete the run";
    NOT_DELETED = "The run was not deleted";
    COPIES_REMAIN = "The run was deleted, but copies of its text may remain elsewhere";

    // Two runs
    COMPARED = "Two runs side by side";
    BACK = "Back to all runs";
    ONE_UNREAD = "One of them cannot be read";
    FIRST = "First run";
    SECOND = "Second run";
    DIFFERS = "differs";
    SAME = "same";
    ANSWER = "Answer";
    AGREEMENT = "Agreement";
    ASKED_AT = "Asked at";
    VERIFICATION = "Verification";
    BUDGET = "Budget";
    DISPUTED = "Disputed";
    PROVIDERS = "Providers";
}

/// Which runs can be listed, by the names of the tabs.
pub const SHOWN: [(Show, &str); 4] =
    [(Show::All, "All"), (Show::Answered, "Answered"), (Show::Open, "Resumable"), (Show::Failed, "Failed")];
