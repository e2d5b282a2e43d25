//! What is said on the start screen.

pub use crate::desktop::screens::words::*;
use frlm_client::local_swarm::CAVEAT;
use frlm_client::units::plural;

words! {
    TITLE = "Ask documents that are too long to read";
    SUBTITLE = "A swarm of other people's GPUs reads them for you. You set a budget, and every claim in the answer leads to \
                the line it came from.";
    unusable(why: &str) = "{why}. Until then nothing is asked or served. The file was not changed.";

    // Three ways in
    COPY = "Copy a command";

    // The local swarm
    TRY = "Try it now on a local swarm";
    try_about() = "A relay (which passes questions and answers on), three providers (which answer) and a mint of play money, \
                   all on this machine: {CAVEAT}. It costs no real sats (hundred-millionths of a bitcoin).";
    START_SWARM_HINT = "Small models extract fields from logs and tables";
    RECORDING = "With a recording, for prose";
    RECORDING_HINT = "A question in words about a licence. The three models play a recording, and one of them lies";
    OWN_MODEL = "With your own model";
    OWN_MODEL_HINT = "The model in your settings speaks for all three providers";
    NOT_STARTED = "The local swarm did not start";
    not_started(why: &str) = "{why}. Nothing was sent.";
    STARTING = "Starting…";
    online(providers: usize, relay: &str) = "{} online at {relay}", plural(providers, "provider");
    TRY_SAMPLE = "Try the sample document";
    STOP_SWARM = "Stop the local swarm";

    // This machine
    MACHINE = "This machine";
    LOOKING = "Looking at what this machine can do…";
    THREADS = "Processor threads";
    THREADS_ABOUT = "for models without a GPU";
    MEMORY = "Free memory";
    memory(mib: u64) = "{:.1} GiB", mib as f64 / 1_024.0;
    UNKNOWN = "unknown";
    MEMORY_ABOUT = "a model must fit into it";
    MODEL = "Model";
    MODEL_OWN = "your own, from the settings";
    MODEL_BUILT_IN = "built in: only extracts fields from logs and tables";
    NONE = "none";
    MODEL_NONE = "add one in Models";
    YES = "yes";
    PARTLY = "partly";
    NOT_YET = "not yet";
    CAN_ASK = "Ask a swarm";
    LOCAL_ONLY = "the local swarm only: no relay yet";
    at_relay(relay: &str) = "providers at {relay}";
    at_relays(relays: usize) = "providers at {}", plural(relays, "relay");
    CAN_ANSWER = "Answer locally";
    answers_here(model: &str) = "{model}, and nothing leaves this machine";
    answers_there(model: &str, host: &str) = "{model}; {host} can read what you ask";
    NEEDS_OWN = "needs a model of your own";
    SEE_MODELS = "See what fits this machine";
    earns(model: &str, threads: usize) = "{model}, on {} or what its endpoint has", plural(threads, "thread");
    earns_built_in(threads: usize) =
        "the built-in model on {}: only extracts fields from logs and tables", plural(threads, "thread");
    NEEDS_MODEL = "needs a model";
    ADD_MODEL = "Add a model";

    // Setup
    SETUP = "Setup";
    DISMISS = "Dismiss the checklist";
    DONE = "done";
    OPEN = "open";
    FIRST_QUESTION = "Ask a first question";
    FIRST_QUESTION_HOW = "the local swarm answers in seconds and costs nothing";
    recorded(runs: usize) = "{} recorded", plural(runs, "run");
    CHOOSE_RELAY = "Choose a relay";
    CHOOSE_RELAY_HOW = "add one in Settings: this machine's, a friend's, or a public one";
    OWN_MODEL_TOO = "Add a model of your own";
    OWN_MODEL_HOW = "optional: a GGUF file or an endpoint, for answers in words and when no provider is online";
}

/// Three people use the program: what each of them does with it.
pub const PATHS: [(&str, &str); 3] = [
    ("Ask", "Drop documents on this window, type a question, see the price quote, and press Ctrl+Enter."),
    ("Earn", "Let this machine answer other people's questions at your price while you do not need it."),
    (
        "Develop",
        "Everything a button does, a command does. Jobs are NIP-90, Nostr's standard for paid work: scripts can ask, \
         too.",
    ),
];
