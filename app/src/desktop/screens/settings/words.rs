//! What is said on the settings screen. What a figure of the thresholds counts is said in `thresholds.rs`.

use frlm_client::units::{plural, thousands};

use super::form::{Field, Flag};
use super::state::Section;
pub use crate::desktop::screens::words::*;

words! {
    TITLE = "Settings";
    // As high as the line with the file's name, so that nothing moves once it is read.
    SAVED_THERE = "Saved in config.toml. Comments and other lines stay.";
    saved_in(path: &str) = "Saved in {path}. Comments and other lines stay.";

    // Saving
    SAVE = "Save";
    SAVING = "Saving…";
    UNCHANGED = "nothing was changed";
    DISCARD = "Discard changes";
    CANNOT_SAVE = "This cannot be saved yet";
    SAVED = "Saved. It applies from the next run on.";
    NOT_SAVED = "The settings were not saved";
    UNUSABLE = "The settings file cannot be used";
    unusable(why: &str) =
        "{why}. The file was not changed. Fix it in an editor, or move it away to use the defaults.";
    READ_AGAIN = "Read it again";
    not_a_number(label: &str, least: i64) = "{label}: a whole number of at least {least}";
    not_between(label: &str, least: u32, most: u32) =
        "{label}: a whole number from {least} to {}", thousands(most.into());
    not_a_share(label: &str) = "{label}: a number between 0 and 1";

    // Relays
    RELAYS = "Relays";
    RELAYS_ABOUT = "Relays pass jobs and answers between askers and providers. FRLM contacts only the relays on this \
                    list. A relay sees sizes, times and keys; jobs are encrypted for the providers that work on them.";
    remove(relay: &str) = "Remove {relay}";
    RELAY = "Another relay";
    RELAY_EXAMPLE = "wss://HOST, or ws://127.0.0.1:7777 for \"frlm relay\" on this machine";
    ADD = "Add";
    LISTED_ALREADY = "it is already on the list";

    // Asking and providing
    ASKING_DEFAULTS = "Defaults of questions";
    ASKING_ABOUT = "The defaults of \"frlm ask\" and of this window. An empty field means the built-in default.";
    POLICIES_ARE = "Verification policies";
    MORE_REPLICAS = "More replicas (the same part asked of more providers) cost more and let fewer wrong answers through.";
    PROVIDING_DEFAULTS = "Defaults of earning";
    PROVIDING_ABOUT = "The defaults of \"frlm provide\" and of Earn. An empty field means the built-in default.";

    // Money
    LIMITS = "Spending limits in sats, fees included";
    LIMITS_ABOUT = "They hold for all runs of this machine together, in addition to each run's own budget, even after a \
                    crash. A day is the current hour and the 23 before it. Play money is not counted. An empty field \
                    means no limit.";
    PAY_BEFORE = "Paid before the work";
    PAY_BEFORE_ABOUT = "Other NIP-90 providers, which you name with \"frlm ask --foreign\" or with foreign = [\"npub1…\"] \
                        under [ask] in config.toml, may ask for pay before the work. That pay is gone, even if no \
                        answer comes. FRLM offers and pays up to this many sats per job without asking you. An empty \
                        field means that nothing is paid before the work.";
    NWC = "FRLM_NWC is an environment variable: set it to the address that your wallet shows under \"Nostr Wallet Connect\".";
    MINTS_AT_ONCE = "Mints are added and removed at once; \"Save\" saves the settings above.";

    // Thresholds
    READING_THRESHOLDS = "Reading the thresholds…";
    THRESHOLDS_DECIDE = "When a run proceeds, retries, or asks you to decide";
    THRESHOLDS_ABOUT = "After each stage, code or your own model compares these figures with their bounds. A good figure: \
                        the run proceeds. An acceptable one: the run retries, with the changes listed. Anything worse \
                        needs your decision. Stricter bounds cost more and stop runs more often. Tighten: require more \
                        agreement. Widen: ask more providers or wait longer. Rerun: ask the same elsewhere. \
                        Investigate: audit first.";
    LIVE_RUNS = "Live runs";
    MIXED_DATA = "Mixed data";
    LAB_AND_GOLD = "Lab and gold";
    AFTER = "After";
    FIGURE = "Figure";
    GOOD = "Good";
    ACCEPTABLE = "Acceptable";
    RETRY = "Retry, and what it changes";
    FROM = "From";
    YOUR_FILE = "your file";
    BUILT_IN = "built in";
    own_thresholds(path: &str) = "Your own thresholds are in {path} and apply from the next run on.";
    CREATE_FILE = "Create my own file";
    CREATE_FILE_HINT = "creates a copy of the built-in thresholds for you to edit; thresholds that you delete from it \
                        keep their built-in values";
    THRESHOLDS_UNUSABLE = "Your thresholds cannot be used";
    thresholds_unusable(why: &str) = "{why}. No run starts until you fix the file or move it away.";
    READ_THEM_AGAIN = "Read them again";
    THRESHOLDS_NOT_WRITTEN = "The thresholds were not written";

    // Identity and privacy
    PRIVACY = "Privacy";
    IDENTITY = "Your identity";
    NO_IDENTITY = "None yet: FRLM creates this machine's key as a provider when it first goes online.";
    PROVIDER_KEY = "The public key of this machine as a provider. Askers name it to ask only this provider (--provider), \
                    or to have it check the answers of others (validated:NPUB). The secret key is in provider.key: keep \
                    a copy, because it cannot be restored. If you move it away, FRLM creates a new one.";
    ASKER_KEY = "As an asker you are anonymous: each run has its own key. If you want to be known for having paid before, \
                 your own key (asker.key) vouches for each run inside the encrypted job. Then a run does not begin as \
                 an unknown key, whose first jobs are sent one by one. Those providers can tell which runs are yours \
                 and can prove it to others. Nobody else is told, and no relay.";
    LEAVES = "What leaves this machine";
    LEAVES_NOTHING = "Nothing: there is no relay yet.";
    leaves(relays: &str) = "Parts of your documents and the question, encrypted for the providers that work on them, \
                            through {relays}. Each run has its own key, so relays cannot link your runs.";
    KEPT = "Files on this machine";
    kept_in(home: &str) = "In {home}, which only you can read:";

    // Appearance
    THEME = "Theme";
    SYSTEM = "Match system";
    SYSTEM_ABOUT = "light by day and dark by night, if the system does that";
    LIGHT = "Light";
    LIGHT_ABOUT = "warm paper";
    DARK = "Dark";
    DARK_ABOUT = "deep slate";
    SIZE = "Size";
    size_keys(larger: &str, smaller: &str, usual: &str) =
        "{larger} and {smaller} do the same on every screen; {usual} resets to 100%.";

    // Diagnostics
    HEALTH_CHECK = "Health check";
    HEALTH_ABOUT = "The same checks as \"frlm doctor\": home folder, settings, runs, ledger, models, relays. FRLM connects \
                    to the relays on your list and publishes nothing.";
    CHECK_NOW = "Check now";
    CHECKING = "Checking…";
    CHECK_OK = "ok";
    CHECK_FAILED = "failed";
    ALL_WELL = "Everything works.";
    checks_failed(failed: usize) = "{} failed; the fix is beside each.", plural(failed, "check");

    // Logs
    SEARCH_LOG = "Search the log";
    SEARCH_LOG_HINT = "a word";
    ALL = "All";
    WARNINGS = "Warnings and errors";
    log_lines(shown: usize, kept: usize, most: usize) =
        "{} of {} lines; the newest {} are kept, in memory only. The log has addresses and keys of peers, but no documents \
         and no secrets.", thousands(shown as u64), thousands(kept as u64), thousands(most as u64);
    NO_LINES = "No line matches.";
    TIME = "Time, UTC";
    LEVEL = "Level";
    WHAT = "What";
    ERROR = "error";
    WARNING = "warning";
    INFO = "info";
    DETAIL = "detail";
}

/// The parts by their names.
pub const SECTIONS: [(Section, &str); 9] = [
    (Section::Relays, RELAYS),
    (Section::Asking, "Asking"),
    (Section::Providing, "Providing"),
    (Section::Money, "Money"),
    (Section::Thresholds, "Thresholds"),
    (Section::Privacy, "Identity and privacy"),
    (Section::Appearance, "Appearance"),
    (Section::Diagnostics, "Diagnostics"),
    (Section::Logs, "Logs"),
];

/// The label of a setting, and what an empty field stands for.
pub fn field(field: Field) -> (&'static str, &'static str) {
    match field {
        Field::Budget => ("Budget in sats, fees included", "1000"),
        Field::Verify => ("Verification", "adaptive"),
        Field::Level => ("Checks: standard, high or critical", "standard"),
        Field::Quorum => ("Least share of verified parts for a partial answer", "all"),
        Field::Timeout => ("Time limit in seconds", "300"),
        Field::Discovery => ("Seconds to wait for providers", "5"),
        Field::FragmentLines => ("Most lines per part", "16"),
        Field::AskModel => ("Your own model, for answers in words and when no provider is online", "none"),
        Field::Name => ("Name in the directory", "frlm provider"),
        Field::ProvideModel => ("Model used for earning", "embedded"),
        Field::Price => ("Sats per 1,000 tokens read", "0 (free)"),
        Field::PriceWritten => ("Sats per 1,000 tokens written", "as for those read"),
        Field::Minimum => ("Minimum per job, in sats", "0 (none)"),
        Field::Surge => ("Surge price, in percent", "100 (the usual price)"),
        Field::SurgeFrom => ("Surge starts at (jobs waiting)", "16"),
        Field::Free => ("Free jobs per asker and day", "0"),
        Field::Queue => ("Queue limit", "64"),
        Field::PayAfter => ("Unpaid jobs per asker", "0 = prepaid"),
        Field::PerSubtask => ("All attempts at one part", "no limit"),
        Field::PerDay => ("All runs, in a day", "no limit"),
        Field::PerProvider => ("One provider, in a day", "no limit"),
        Field::PerMint => ("Through one mint, in a day", "no limit"),
        Field::PerJob => {
            ("One job paid before the work, without asking you", "nothing is paid before the work")
        }
    }
}

/// What a yes means.
pub fn flag(flag: Flag) -> &'static str {
    match flag {
        Flag::Local => "Use only your own model: nothing goes to a relay",
        Flag::NoConfirmation => "On the command line, do not ask before a run that may cost sats",
        Flag::Certificate => "Tell providers that I pay in escrow which runs are mine",
        Flag::OpenJobs => "When serving, also take open jobs, which anyone can read",
        Flag::PayByLightning => {
            "A Lightning wallet that you have connected (FRLM_NWC) pays them, instead of a mint"
        }
        Flag::PayByToken => {
            "If a provider names no invoice, send it a Cashu token: anybody who reads it has the sats"
        }
    }
}

/// What may stand in "Verification", in the words of `--verify`.
pub const POLICIES: [(&str, &str); 5] = [
    ("adaptive", "more providers are asked until an answer is verified"),
    ("none", "one provider's answer counts; its quotes are still checked"),
    (
        "redundancy:REPLICAS/AGREE",
        "REPLICAS providers are asked and AGREE of them must agree, as in redundancy:3/2",
    ),
    ("objective:FILE", "the answer must pass the JSON schema or the Python check in this file"),
    ("validated:NPUB", "a provider that you trust, named by its public key (npub1…), does the task again"),
];

/// Everything that a home may hold, with what it is.
pub const FILES: [(&str, &str); 22] = [
    ("runs.db", "every run with its events, its answer and its key; you can delete them one by one in Runs"),
    (
        "run-….events.jsonl",
        "what a run and its providers sent each other, signed and encrypted; it goes with its run",
    ),
    ("ledger.db", "every movement of every sat"),
    ("wallet", "your sats, and the encrypted recovery phrase"),
    ("reputation.db", "the record of each provider from earlier runs"),
    ("brain.json", "what runs taught about taking questions apart"),
    ("routing.json", "what runs taught about routing"),
    ("routing-training.json", "the latest training of routing"),
    ("known.db", "answers that you have confirmed"),
    ("feedback.jsonl", "your ratings of answers"),
    ("pasted", "text that you pasted as a document"),
    ("samples", "the sample document, once it was tried"),
    ("models", "models that you downloaded, and the built-in one, unpacked"),
    ("provider.key", "the key that this machine earns under, readable only by you"),
    ("asker.key", "the key that vouches for your runs, if you want that"),
    ("service.key", "the key that \"frlm serve --nostr\" answers whole questions under"),
    ("service-credit.json", "per asker's key: payments, remaining credit and open bills"),
    ("asked-…", "documents that were sent to \"frlm serve\", until their question is done"),
    ("config.toml", "these settings"),
    ("priors.json", "your own thresholds, if you wrote any"),
    ("desktop.ron", "the size and appearance of this window"),
    ("exports", "what you exported"),
];
