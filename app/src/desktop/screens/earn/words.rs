//! What is said on the earn screen. What became of a job and of its pay has its words in `lists.rs`.

pub use crate::desktop::screens::words::*;
use frlm_client::units::{plural, thousands};

words! {
    TITLE = "Earn";
    SUBTITLE = "This machine answers other people's jobs with your model, under your limits.";

    // Switches
    GO_ONLINE = "Go online";
    GOING_ONLINE = "Going online…";
    RESUME = "Resume now";
    GO_OFFLINE = "Go offline";
    GO_OFFLINE_HINT = "running jobs finish; waiting jobs are refused";
    PAUSE_HOUR = "Pause 1 h";
    PAUSE_QUARTER = "Pause 15 min";
    PAUSE_HINT = "while you need the machine; it resumes by itself";
    STOP_NOW = "Stop at once";
    STOP_NOW_HINT = "drops running jobs and tells their askers";
    NEEDS_SETTINGS_READ = "the settings are being read";
    NEEDS_SETTINGS = "the settings cannot be used";
    NEEDS_RELAY = "add a relay first";
    NEEDS_MINT = "add a mint first: nothing can be paid";
    NEEDS_WALLET = "the wallet cannot be opened";

    // How it stands
    STOPPING = "Going offline";
    STOPPING_SAFE = "Running jobs finish. Waiting jobs are refused, and their askers are told.";
    PAUSED = "Paused";
    paused(minutes: u64) = "It goes online again by itself after {}, with the same offer.",
        plural(usize::try_from(minutes).unwrap_or(usize::MAX), "minute");
    BUSY = "Paused: the machine is busy";
    BUSY_SAFE = "Other programs take more than a third of the processor. It goes online again by itself a minute after \
                 they have stopped, with the same offer.";
    OUT_OF_HOURS = "Out of hours";
    out_of_hours(until: &str) = "It goes online again by itself at {until}, with the same offer.";
    OFFLINE = "Offline";
    no_job_taken(why: &str) = "{why}. No job was taken.";
    STARTING = "going online";
    starting(model: &str, price: &str) = "{model}, {price}";
    LOADING = "Loading the model and connecting… A large model takes minutes the first time.";
    FOR_FREE = "for free";
    IS_ONLINE = "online";
    IS_OFFLINE = "offline";
    serves(model: &str, at_once: u64, price: &str) = "serves {model}, {} at once, {price}", thousands(at_once);
    KEY = "Key";
    unusable(why: &str) = "{why}. No relay was contacted, and no job was taken.";
    NO_RELAY_SAFE = "Jobs come through a relay. FRLM contacts only relays that you add.";

    // Figures since it went online
    ANSWERED = "Answered";
    tokens(count: u64) = "{} tokens", thousands(count);
    IN_PROGRESS = "In progress";
    in_progress(waiting: usize, running: usize) =
        "{} waiting, {} running", thousands(waiting as u64), thousands(running as u64);
    REFUSED = "Refused";
    NONE_REFUSED = "none so far";
    REASONS_BELOW = "reasons below";
    FAILED = "Failed";
    cancelled(count: u64) = "{} cancelled", thousands(count);
    PRICE_OF_ANSWERS = "Price of answers";
    PAID_IF_ACCEPTED = "paid if they are accepted";
    NO_WALLET_YET = "no wallet to be paid into";

    // Pay on every day that the wallet knows of
    EARNED = "Earned";
    EARNED_ABOUT = "in the wallet, after fees";
    OWED = "Owed";
    OWED_ABOUT = "work done before pay";
    PENDING = "Pending";
    PENDING_ABOUT = "locked for this machine";
    RETURNED = "Returned";
    RETURNED_ABOUT = "not needed or not accepted";
    WITHHELD = "Withheld";
    WITHHELD_ABOUT = "the asker never decided";
    jobs(jobs: &str, about: &str) = "{jobs}, {about}";

    // Why there are no jobs
    WHY_NONE = "Why there are no jobs";
    relay_offline(relay: &str, why: &str) = "{relay} is offline: {why}";
    refused(jobs: usize, why: &str) = "{} refused: {why}", plural(jobs, "job");
    NONE_SENT = "no job was sent to this key yet";
    ONLY_FIELDS = "the built-in model only extracts fields from logs and tables; a general model gets more kinds of \
                   work";
    NO_OPEN_JOBS = "open jobs, which anyone can read, are not taken";
    CHEAPEST_FIRST = "askers choose the cheapest first; Providers shows the prices of others";
    CONNECTING = "connecting…";

    // The offer
    OFFER = "The offer";
    NOT_ANNOUNCED = "Not announced anywhere yet";
    announced_at(relays: &str) = "Announced at {relays} while online";
    whole_sats(place: &str) = "{place}. A job costs whole sats, rounded up.";
    PRICE_READ = "Sats per 1,000 tokens read; 0 is free";
    PRICE_BOTH = "Sats per 1,000 tokens read or written; 0 is free";
    NAME = "Name in the directory";
    NAME_EXAMPLE = "frlm provider";
    MODEL = "Model";
    MODEL_EXAMPLE = "PATH.gguf, http://HOST/v1#NAME, or embedded";
    QUEUE = "Queue limit, all askers together";
    QUEUE_NUMBER = "the queue is a whole number of jobs";
    QUEUE_EMPTY = "let at least one job wait";
    NEEDS_MODEL = "name a model";
    PRICE_NUMBER = "the price is a whole number of sats; 0 is free";
    WRITTEN_NUMBER = "the price of tokens written is a whole number of sats, or empty";
    MINIMUM_NUMBER = "the minimum per job is a whole number of sats; 0 is none";
    SURGE_NUMBER = "the surge price is in percent";
    SURGE_FROM_NUMBER = "the surge starts at a whole number";
    FREE_NUMBER = "the number of free jobs is a whole number; 0 is none";
    UNPAID_NUMBER = "the number of unpaid jobs is a whole number; 0 is none";
    UNPAID = "Unpaid jobs per asker (0 = prepaid)";
    OPEN_JOBS = "Also take open jobs, which anyone at the relay can read";
    YIELD = "Pause while other programs need this machine";
    NO_YIELD = "It does not pause for other programs: the model runs outside FRLM.";
    SERVE = "Serve";
    UNTIL_STOPPED = "until I stop it";
    FOR_1_HOUR = "for 1 hour";
    FOR_4_HOURS = "for 4 hours";
    FOR_12_HOURS = "for 12 hours";
    EMBEDDED = "The built-in model only extracts fields from logs and tables.";
    MORE_PRICES = "More about the price";
    MORE_PRICES_ABOUT = "for tokens written, per job, at busy times, and free jobs";
    ONE_PRICE = "One price is enough";
    WRITTEN = "Sats per 1,000 tokens written";
    WRITTEN_EXAMPLE = "as for those read";
    MINIMUM = "Minimum per job, in sats";
    SURGE = "Surge price, in percent";
    SURGE_FROM = "Surge starts at (jobs waiting or running)";
    FREE_JOBS = "Free jobs per asker and day";
    announced(price: &str) = "Announced: {price}.";
    ANNOUNCED_FREE = "Announced: every job is free.";
    not_announced(why: &str) = "Not announced: {why}.";
    CERTAIN_HOURS = "Serve at certain hours only";
    FROM_HOUR = "From hour";
    TO_HOUR = "To hour";
    by_clock(zone: &str) = "by this machine's clock, {zone}";
    BY_UTC = "in UTC: this system does not tell its time zone";
    every_day(hours: &str, clock: &str) = "Every day {hours}, {clock}";
    at_risk(jobs: usize, all: u64) =
        "Jobs done before they are paid, which can be lost: {} per asker, {} for all in a day.",
        plural(jobs, "job"), thousands(all);
    NOTHING_OWED = "Without a price nothing is locked and nothing is owed.";
    PREPAID = "The price is locked in escrow before the work.";

    // In the background
    BACKGROUND = "Keep earning in the background when the window is closed";
    LOOKING_FOR_TRAY = "looking for a tray…";
    TRAY = "the tray's icon brings the window back";
    no_tray(why: &str) = "{why}. When you close the window, FRLM asks and then quits.";

    // How the price is paid
    FREE = "Free: no sats move.";
    OPENING_WALLET = "Opening the wallet…";
    NO_WALLET = "Without a wallet prices are announced, but no sats move.";
    CREATE_WALLET = "Create a wallet";
    NO_MINT = "The wallet has no mint yet, so nobody can pay this price.";
    ADD_MINT = "Add a mint";
    OPEN_WALLET = "Open the wallet screen";
    paid_at(how: &str, mints: &str) = "Paid {how} at {mints}";
    AFTER_VERDICT = "after the verdict or through escrow";
    THROUGH_ESCROW = "through escrow";

    // The lists
    JOBS_NEWEST = "Jobs, newest first";
    JOBS = "Jobs";
    PAY = "Pay, all time";
    NO_JOBS = "No job since this machine went online.";
    NO_PAY = "No job has come with its price yet.";
    not_jobs(count: u64, why: &str) = "{} events were not jobs for this provider; the last: {why}", thousands(count);
    not_shown(count: u64) = "{} reports not shown", thousands(count);
}
