//! What is said on the ask screen.

pub use crate::desktop::screens::words::*;
use frlm_client::units::{Unit, plural, thousands};
use frlm_client::verifier::request::VerificationLevel;

words! {
    TITLE = "Ask";
    SUBTITLE = "Drop files or folders anywhere on this window, or paste text.";

    // Documents
    DOCUMENTS = "Documents";
    KINDS = "PDF, Word, Excel, PowerPoint, OpenDocument, HTML, e-books, mail, any text, and archives of them. \
             Nothing is sent before you ask.";
    READING = "Reading…";
    reading_file(number: usize) = "Reading file {}…", thousands(number as u64);
    STOP_READING = "Stop reading";
    STOPPED_READING = "reading was stopped";
    UNREADABLE = "These cannot be read";
    PASSWORD = "Password of the encrypted files";
    OPEN_THEM = "Open them";
    remove(file: &str) = "Remove {file}";
    REMOVE_ALL = "Remove all";
    more(count: usize, what: &str) = "and {}", plural(count, &format!("more {what}"));
    ADD_FILES = "Add files";
    ADD_FOLDER = "Add a folder";
    PASTE = "Paste text";
    PASTE_HINT = "The text in the clipboard becomes a document";
    TRY_SAMPLE = "Try the sample";
    CHOOSE = "Documents to ask about";
    NO_CHOOSER = "This desktop showed no file dialog. Drop files on this window, or type the path of a file or folder.";
    PATH = "Path";
    ADD = "Add";
    read(documents: usize, parts: usize, tokens: usize, size: &str) = "{}, {}, about {} tokens, {size}",
        plural(documents, "document"), plural(parts, "part"), thousands(tokens as u64);
    READ_HINT = "A part is what one provider reads at once; a token is about three quarters of a word";

    // Question
    QUESTION = "Question";
    EXAMPLE = "How many orders have status failed?";
    follows(question: &str) = "Follows \"{question}\"";
    FOLLOWS_HINT = "Only your own model sees the earlier answer: it rewrites this question so that it can be \
                    understood without that answer.";
    ASK_SEPARATELY = "Ask separately";
    code_reads(reading: &str) = "Code reads it as {reading}";
    READ_OTHERWISE = "Choose another reading";
    readings(count: usize) = "Code can read this in {count} ways. If you choose one, nothing leaves this machine:";
    reading_found(file: &str, result: &str) = "in {file}: {result}";

    // Answer options
    OPTIONS = "Answer options";
    OPTIONS_EMPTY = "language, style and more";
    OPTIONS_ABOUT = "Only the writer of an answer in words sees these, not the readers of its parts. Answers that \
                     code computes, such as counts and sums, are in English.";
    LANGUAGE = "Language";
    LANGUAGE_EXAMPLE = "German";
    INTERESTS = "Interests";
    INTERESTS_EXAMPLE = "prices, delays";
    interested(interests: &str) = "interested in {interests}";
    STYLE = "Style";
    EXPERTISE = "Your expertise";
    for_level(level: &str) = "for the level \"{level}\"";
    PRIORITY = "Priority";
    of_priority(priority: &str) = "{priority} priority";
    TIME_LIMIT = "Time limit in seconds";
    stop_after(seconds: &str) = "stop after {seconds} s";
    not_a_time(text: &str) = "\"{text}\" is not a time; give seconds, such as 300";
    FRESH = "Read everything again, also what earlier runs verified";
    IS_FRESH = "everything read again";

    // Who answers
    WHO_ANSWERS = "Who answers";
    LOCAL_SWARM = "The local swarm";
    swarm_runs(providers: usize, how: &str) = "{} {how}, for play money, to try it out", plural(providers, "provider");
    SWARM_EMBEDDED = "on this machine";
    SWARM_RECORDED = "on this machine that play a recording";
    SWARM_OWN_MODEL = "on this machine with your own model";
    SWARM_STARTING = "starting…";
    SWARM_OFF = "a relay and three providers on this machine (off)";
    swarm_failed(why: &str) = "it did not start: {why}";
    PUBLIC_SWARM = "Public swarm";
    SETTINGS_UNUSABLE = "the settings cannot be used; see Settings";
    NO_RELAY = "no relay yet; add one in Settings";
    OWN_MODEL = "Your own model";
    NO_MODEL = "no model yet; choose one in Models";
    provider(name: &str, model: &str) = "{name} · {model}";

    // Verification
    VERIFICATION = "Verification";
    AS_IN_SETTINGS = "As in the settings";
    CHECKS = "Checks";

    // Budget
    BUDGET = "Budget";
    budget_in(unit: Unit) = "Budget in {}, fees included", unit.name();
    ASKING_PRICES = "Asking for prices…";
    QUOTE = "Price quote";
    AT_LEAST = "at least";
    EXPECTED = "expected";
    AT_MOST = "at most";
    BUDGET_ENOUGH = "the budget is enough";
    BUDGET_LOW = "the budget is too low";
    OWN_MODEL_FREE = "Your own model costs no sats.";
    PROVIDERS_FREE = "These providers are free.";
    WORST_CASE = "Covers the worst case.";
    covers_most(unit: Unit, high: u64) = "Enough unless many answers are disputed; then up to {}.", unit.amount(high);
    too_low(unit: Unit, expected: u64) = "Too low: {} are expected. The run would not start.", unit.amount(expected);
    far_too_low(unit: Unit, low: u64) = "Too low even for one answer per part ({}).", unit.amount(low);
    given_away(unit: Unit, given: u64) =
        "Providers announce that about {} of it is free. The budget still covers it.", unit.amount(given);
    QUOTE_UNREADABLE = "No price quote while a document cannot be read: read it again, or remove it.";
    QUOTE_NO_SWARM = "The price quote appears when the local swarm runs.";
    QUOTE_EMPTY = "The price quote appears when there are a document and a question.";
    QUOTE_NO_QUESTION = "The price quote appears when there is a question.";
    QUOTE_REFUSED = "No price quote while the question cannot be asked.";
    QUOTE_UNREACHABLE = "No price quote while no relay can be reached. The budget holds in any case.";
    QUOTE_DESERTED = "No provider is online to quote a price. The budget holds in any case.";

    // The foot: the button, why it cannot be pressed, and what leaves this machine
    START = "Ask the swarm";
    START_BY_CODE = "Answer by code";
    START_OWN_MODEL = "Ask your own model";
    STARTING = "Starting…";
    NEEDS_DOCUMENT = "add a document first";
    NEEDS_QUESTION = "type a question first";
    NEEDS_DOCUMENTS_READ = "the documents cannot be read";
    NEEDS_SOLUTION = "solve the problem that is shown first";
    IS_STARTING = "it is starting";
    NEEDS_SWARM = "start the local swarm first";
    SWARM_IS_OFF = "the local swarm is off";
    STAYS = "on this machine";
    ENCRYPTED = "encrypted";
    IN_PLAIN = "readable by the endpoint";
    LEAVES_CODE = "Nothing leaves this machine: code answers this question, and no model is asked.";
    LEAVES_OWN_MODEL_READS = "Nothing leaves this machine: your own model reads the question, and code answers it.";
    leaves_to_who_reads(to: &str) =
        "The question, the names of the table's columns and some of their values go to {to}. Code answers the question.";
    OWN_MODEL_READS = "Your own model reads the question first. If code can answer it then, nobody else is asked. Otherwise: ";
    leaves_for_query(providers: &str, plain: &str) =
        "The question, the names of the table's columns and some of their values go, encrypted, to one of {providers}, which writes \
         the question as a query. Code runs it. Only if nobody writes one, or if it asks what texts mean, do the rows go to providers, in parts.{plain}";
    leaves_nothing(jobs: &str) = "Nothing leaves this machine: your own model does {jobs}.";
    leaves_in_plain(jobs: &str, size: &str, to: &str) =
        "{jobs}: every part ({size}) and the question go to {to}, which can read them.";
    leaves_to_local_swarm(jobs: &str, copies: &str) =
        "Nothing leaves this machine: the local swarm does {jobs}, each by {copies} of its providers.";
    leaves_unreachable(plain: &str) =
        "No relay can be reached, so the providers are not known yet. If you ask, FRLM tries again and sends \
         nothing until it finds one.{plain}";
    leaves_deserted(plain: &str) =
        "No providers online. FRLM waits a few seconds; nothing is sent until one appears.{plain}";
    leaves_to_swarm(jobs: &str, size: &str, copies: &str, providers: &str, plain: &str) =
        "{jobs}: every part ({size}) and the question go to {copies} of {providers}, encrypted so that only they \
         can read them. The relay sees sizes, times and keys.{plain}";
    also_in_plain(readers: &str) = " {readers} can read what is sent there.";

    // What went wrong
    nothing_sent(why: &str) = "{why}. Nothing was sent.";
    nothing_sent_or_paid(why: &str) = "{why}. Nothing was sent and nothing was paid.";
    NOT_STARTED = "The run did not start";
    CANNOT_ASK = "Can't ask yet";
    unreachable(why: &str) = "{UNREACHABLE}: {why}";
    DESERTED = "No providers online";
    DESERTED_LOCAL = "The local swarm has no providers yet. Refresh in a moment.";
    DESERTED_RELAYS = "Wait until one appears at these relays, add another relay, or use the local swarm.";
    CHOOSE_MODEL = "Choose a model";
    CHANGE_SETTINGS = "Change the settings";
    USE_LOCAL_SWARM = "Use the local swarm";
    SAMPLE_NOT_UNPACKED = "The sample could not be unpacked";
    PASTE_NOT_SAVED = "The pasted text could not be saved";
}

/// Policies that the form offers, with what they mean.
pub const POLICIES: [(&str, &str, &str); 4] = [
    (
        "adaptive",
        "Adaptive (recommended)",
        "each part goes to one provider with a good record, or to two newcomers; more are asked until the \
         answer is verified. Every run makes the next one cheaper",
    ),
    (
        "none",
        "One answer",
        "each part goes to one provider, and to two more if code finds a different value; quotes are still \
         checked",
    ),
    ("redundancy:3/2", "Two must agree", "each part goes to two providers, to a third if they differ"),
    ("redundancy:5/3", "Three must agree", "each part goes to three providers, to five at most"),
];

/// By how many methods an answer must be right, and what that means (seeds/verifier-block.md, `verification_level`).
pub const LEVELS: [(VerificationLevel, &str, &str); 3] = [
    (
        VerificationLevel::Standard,
        "Quotes and calculations",
        "quotes and copied values must be in the text, and calculations must be right",
    ),
    (
        VerificationLevel::High,
        "Also review with my model",
        "in addition, your own model must accept each answer in words, and records must match what code reads",
    ),
    (
        VerificationLevel::Critical,
        "Every check must pass",
        "every method that applies must agree, another provider checks every answer, and an answer that no \
         method can check does not count",
    ),
];

/// How an answer can be written, by names on the command line; empty: as in the settings.
pub const STYLES: [(&str, &str); 4] =
    [("", "Default"), ("concise", "Concise"), ("detailed", "Detailed"), ("conversational", "Conversational")];
/// What readers may know.
pub const EXPERTISES: [(&str, &str); 4] =
    [("", "Default"), ("beginner", "Beginner"), ("intermediate", "Intermediate"), ("expert", "Expert")];
/// How much time may matter.
pub const PRIORITIES: [(&str, &str); 3] = [("", "Default"), ("normal", "Normal"), ("high", "High")];
