//! What is said on the answer screen. A chart is described in `table/chart.rs`.

pub use crate::desktop::screens::words::*;
use frlm_client::ratings::Taught;
use frlm_client::units::{Unit, plural, thousands};

words! {
    // Without an answer
    NO_ANSWER = "No answer";
    no_answer(why: &str) = "The run ended without an answer: {}.", why.trim_end_matches('.');
    SEE_WHAT_TO_DO = "See what to do";
    READING_RUN = "Reading the run…";
    READING_RUN_THEN = "The answer appears here once the record of the run is read.";
    SEE_RUN = "See the run";
    NO_ANSWER_YET = "No answer yet";
    NOT_FINISHED = "The run is not finished.";
    WATCH_RUN = "Watch the run";
    NONE_ASKED = "Ask a question, or open a recorded run.";

    // The head
    about(documents: &str) = "about {documents}";
    and_more(named: &str, more: usize) = "{named} and {} more", thousands(more as u64);
    FOLLOW_UP = "Ask a follow-up";
    SAVE_JSON = "Save as JSON";
    SAVE_MARKDOWN = "Save as Markdown";
    COPY = "Copy the answer with its sources";
    SAVE_TITLE = "Save the answer";
    SAVED = "The answer was saved";
    NOT_SAVED = "The answer was not saved; it stays in Runs";
    NOT_FOLLOWED = "The documents of this run can no longer be found";

    // Before the text
    RECORDING = "The providers play a recording";
    DO_NOT_RELY = "Do not rely on this answer";
    DO_NOT_ACT = "Do not act on this answer yet";
    do_not_act(domain: &str) = "This is a {domain} question, and no provider of your choice answered it or reviewed the \
                                answers. Prefer providers that you know, name a validator, or use a model of your own.";
    CHOOSE_PROVIDERS = "Choose providers";
    PARTIAL = "This answer does not cover everything";
    PARTIAL_SAFE = "Where that matters, it says \"at least\" or \"at most\". Everything in it was verified.";
    PROBLEMS = "The final check found problems";
    PROBLEMS_SAFE = "The parts of the answer are verified and paid.";
    more_findings(more: usize) = "and {} more, in the answer saved as JSON", thousands(more as u64);
    MISSING_ON_RIGHT = "What is missing is listed on the right.";
    FORGOTTEN = "Forgotten: later runs are not compared with it.";
    FORGET_FOR_GOOD = "Forget it for good";
    FORGET_KNOWN = "Forget the known answer";
    FORGET_KNOWN_HINT = "if the documents have changed, or if the known answer was wrong";

    // Trust
    TRUST = "Trust";
    COVERAGE = "Coverage";
    parts(verified: usize, all: usize) = "{} of {}", thousands(verified as u64), plural(all, "part");
    CONFIDENCE = "Confidence";
    OF_WEAKEST = "of its weakest part";
    AGREEMENT = "Agreement";
    share(share: f64) = "{:.0}%", share * 100.0;
    compared(answers: usize) = "{} compared", plural(answers, "answer");
    COST = "Cost";
    of_budget(unit: Unit, budget: u64) = "of {}", unit.amount(budget);
    CLAIMS_USED = "Claims used";
    claims(used: usize, all: usize) = "{} of {}", thousands(used as u64), thousands(all as u64);
    reused(saved: &str) = ". {saved}; to read all of it again, choose \"Read everything again\" on Ask";
    FINAL_CHECK = "Final check";
    PASSED = "passed";
    INCOMPLETE = "incomplete";
    HAS_ISSUES = "has issues";
    in_sources(claims: usize) = "{} found in the sources", plural(claims, "claim");
    SPOT_CHECKS = "Spot checks";
    AT_RANDOM = "answers, at random or when in doubt";
    known_tests(known: usize, failed: usize) =
        "{} with a known answer, {} wrong", plural(known, "test"), thousands(failed as u64);
    FIDELITY = "Fidelity";
    FIDELITY_ABOUT = "the claimed model really ran; weakest part";
    CORRECTNESS = "Correctness";
    CORRECTNESS_ABOUT = "it is right; weakest part";
    MISSING = "What is missing";
    more(count: usize) = "and {} more", thousands(count as u64);

    // Rating
    RATE_TITLE = "Rate this answer";
    THUMBS_UP = "Thumbs up";
    THUMBS_DOWN = "Thumbs down";
    COMMENT = "Comment";
    COMMENT_EXAMPLE = "A comment (optional)";
    RATE = "Save the rating";
    NOT_RATED = "The rating was not saved";
    STAYS_HERE = "stays on this machine";
    rated(routing: &str, planner: &str) = "saved on this machine; {routing}; {planner}";
    ROUTING_KNOWS = "routing learns from verdicts alone here";
    routing_learned(answers: usize) = "routing learned from it, for {}", plural(answers, "unchecked answer");
    PLANNER_LEARNED = "the planner learned from it";
    PLANNER_KNOWS = "the planner learned nothing new";
    KEEP = "Save as verified";
    KEEP_WHOLE = "an answer about a part of the documents cannot be saved";
    KEEP_FORGOTTEN = "forgotten: later runs are not compared with it";
    KEEP_ABOUT = "once you have checked it: later runs are compared with it";
    KEPT = "saved; see Learning, Known answers";
    KEPT_BEFORE = "it was saved before";
    NOT_KEPT = "The answer was not saved";

    // Sources
    SOURCE = "Source";
    SOURCES = "Sources";
    sources(count: usize) = "Sources ({})", thousands(count as u64);
    NO_SOURCES = "Code counted all records; no single line proves the answer.";
    show_source(number: usize, place: &str) = "Show source {number}: {place}";
    source(number: usize, place: &str) = "Source {number}: {place}";
    more_below(count: usize) = "and {} more below", thousands(count as u64);
    OWN_MODEL = "your own model";
    CHOOSE = "Choose a source to see the lines around it, who read them, and the verdict.";
    READING_DOCUMENT = "Reading the document…";
    NOT_SHOWN = "The document cannot be shown";
    not_shown(why: &str) = "{why}. The quote below was checked when the run read it.";
    DISPUTED = "verified, disputed";
    VERIFIED = "verified";
    agreed(share: f64) = "{:.0}% agreed", share * 100.0;
    read_by(who: &str) = "Read by {who}.";
    SHOW_IN_RUN = "Show in the run";
    page(number: u32) = "Page {}", thousands(number.into());
    ZOOM_OUT = "Zoom out";
    ZOOM_IN = "Zoom in";

    // How code read the question
    READING = "How code read the question";
    BY_CODE = "Computed by code on this machine; no provider was asked.";
    READ_BY_PROVIDER = "A provider read the question. Code on this machine computed the answer.";
    AS_MEANT = "that it is what you meant";
    BASED_ON = "Based on";
    NONE_SKIPPED = "none skipped";
    skipped(rows: u64) = "{} skipped", thousands(rows);
    OTHERWISE = "It could also mean";
    ASK_THIS_WAY = "Ask it this way";
    found_in(file: &str, result: &str) = "in {file}: {result}";
    REPHRASE = "If this is not what you meant, rephrase the question.";
    NOT_ASKED = "The question was not asked by this reading";

    // The table behind it
    reading_table(file: &str) = "Reading {file}…";
    rows_of(file: &str) = "Rows of {file}";
    no_table(why: &str) = "The table cannot be shown: {why}.";
    ANOTHER_TABLE = "another table is open; go to Runs and open this answer again";
    only_cited(rows: usize) = "Only the {}", plural(rows, "cited row");
    FILTER_ROWS = "Filter the rows";
    FILTER_RESULT = "Filter the result";
    FILTER_EXAMPLE = "Only rows with…";
    rows(shown: usize, all: u64) = "{} of {} rows", thousands(shown as u64), thousands(all);
    NO_ROW = "No row matches.";
    ROWS_UNREAD = "Rows of the table could not be read";
    LINE = "Line";
    cited(line: &str) = "{line} cited";
    EARLIER_COLUMNS = "Earlier columns";
    columns(first: usize, last: usize, all: usize) = "Columns {first} to {last} of {all}";
    LATER_COLUMNS = "Later columns";
    SAVE_CSV = "Save as CSV";
    SAVE_ROWS = "Save the rows as CSV";
    ROWS_SAVED = "The rows were saved";
    ROWS_NOT_SAVED = "The rows were not saved";
    RESULT = "Result";
    RESULT_OF_SQL = "Result of your SQL";
    CUT = "There are more rows; these are the first.";
    series(measure: &str, group: &str) = "{measure} per {group}";
    SQL = "SQL";
    SHOW_SQL = "Show the SQL";
    HIDE_SQL = "Hide the SQL";
    RUN_SQL = "Run the SQL";
    RUN_SQL_HINT = "It can only read; nothing leaves this machine";
    RUNNING = "Running…";
    RESTORE = "Restore";
    RESTORE_HINT = "Back to the query of the answer";
    COPY_SQL = "Copy the SQL";
    not_run(why: &str) = "It was not run: {why}";
    JOINED = "This reading joins two tables. Your SQL runs over the one below alone.";
}

/// What became of a rating.
pub fn taught(taught: Option<Taught>) -> String {
    let Some(Taught { decisions, plan }) = taught else { return STAYS_HERE.to_owned() };
    let routing = match decisions {
        0 => ROUTING_KNOWS.to_owned(),
        some => routing_learned(usize::try_from(some).unwrap_or(usize::MAX)),
    };
    // It hears the first one of a run that it has evaluated.
    rated(&routing, if plan { PLANNER_LEARNED } else { PLANNER_KNOWS })
}
