//! What is said on the providers screen.

use frlm_client::units::{Unit, lasting, plural, thousands};

use super::past_jobs::PastJobs;
use super::state::{Offer, Show};
pub use crate::desktop::screens::words::*;
use crate::desktop::widgets::tariff_words;
use crate::desktop::widgets::words::short;

words! {
    TITLE = "Providers";
    SUBTITLE = "The providers at your relays. Models are self-reported; agreement is measured.";
    RECONNECT = "Reconnect";

    // The relays
    settings_unusable(why: &str) = "{why}. No relay was contacted.";
    unreachable(why: &str) = "{why}. Nothing was sent and no sats moved. FRLM tries again every 5 s.";
    TRY_NOW = "Try again now";
    IS_CONNECTING = "connecting";
    ONLINE = "online";
    OFFLINE = "offline";
    LOCAL_SWARM = "the local swarm, paid in";
    says(words: &str) = "says: {words}";
    NO_RELAY_THEN = "FRLM contacts only relays that you add. Add one in Settings: this machine's, a friend's, or a public \
                     one. Or try everything on this machine.";
    STARTING_SWARM = "Starting the local swarm…";

    // The list
    CONNECTING = "Connecting…";
    online(providers: usize) = "{} online", plural(providers, "provider");
    at_relays(relays: usize) = "at {}", plural(relays, "relay");
    only_preferred(providers: usize) = "only {} will be asked", plural(providers, "preferred provider");
    SOON = "Announcements arrive soon after connecting.";
    NONE_SEEN = "No provider can be seen";
    NONE_SEEN_THEN = "Providers appear as soon as a relay can be reached. The local swarm has its own.";
    NONE_ONLINE = "No providers online";
    NONE_ONLINE_THEN = "No provider is online at these relays, so no question would be answered there and nothing would \
                        be spent. Ask somebody to run \"frlm provide\" with one of these relays, start earning \
                        yourself, or try the local swarm.";
    NAME = "Name";
    MODEL = "Model";
    PRICE = "Per 1k tokens";
    ANSWER = "Answer";
    FITNESS = "Fitness";
    FIDELITY = "Fidelity";
    AGREED = "Agreed";
    STATUS = "Status";
    SPENT = "Spent";
    BLOCKED = "blocked";
    PREFERRED = "preferred";
    BIASED = "biased";

    // The chosen one
    CHOOSE = "Choose a provider to see its record, to prefer it or to block it.";
    score(fitness: f64, credits: u64) = "fitness {fitness:.2}, {} credits", thousands(credits);
    SCORE_HINT = "Right, fast and well explained answers raise fitness. It is a score, not sats, and does not decide who is \
                  asked";
    COPIES_FIELDS = "only extracts fields from logs and tables";
    FOLLOWS = "follows instructions";
    weights(hash: &str) = "weights {}…", short(hash);
    NO_WEIGHTS = "weights not named";
    claims(offer: &Offer, does: &str, weights: &str) =
        "Claims to run {} ({weights}), which {does}, {} at once in {} tokens of context. Asks: {}.", offer.model,
        thousands(offer.workers.into()), thousands(offer.context_tokens), tariff_words(Unit::Sats, &offer.tariff);
    IS_OFFLINE = "It is offline at your relays now.";
    more_biases(first: &str, more: usize) = "{first}; and {more} more";
    READING_RUNS = "Reading the recorded runs…";
    unread(why: &str) = "Its record cannot be read: {why}. \"Reconnect\" reads it again.";
    RECORDS_UNREAD = "The records of providers cannot be read";
    NEVER_ASKED = "None of your recorded runs asked it.";
    JOBS = "Jobs";
    JOBS_ABOUT = "in the recorded runs";
    AGREEMENT = "Agreement";
    agreements(record: &PastJobs) = "{} agreed, {} not", thousands(record.agreed), thousands(record.dissented);
    NEWCOMER = "newcomer";
    fidelity_about(status: &str) = "{status}; weakest kind";
    fidelity_hint(kinds: &str) = "Fidelity: how likely it runs the model it claims. By kind of work: {kinds}";
    MEAN = "Mean answer";
    MEAN_ABOUT = "from job to result";
    SPENT_ABOUT = "on its answers";

    // Its buttons
    TEST = "Test";
    TESTING = "Testing…";
    TEST_HINT = "sends one made-up record under a fresh key and pays nothing";
    PREFER = "Prefer";
    STOP_PREFERRING = "Stop preferring";
    PREFER_HINT = "if you prefer any providers, your runs ask only those";
    BLOCK = "Block";
    UNBLOCK = "Unblock";
    BLOCK_HINT = "your runs never ask a blocked provider";
    TEST_SENT = "a small job was sent";
    test_right(ms: u64, said: &str) = "right, after {}: \"{said}\"", lasting(ms);
    test_wrong(ms: u64, said: &str) = "wrong, after {}: \"{said}\"", lasting(ms);
    test_paid(ms: u64) = "online after {}; works only for pay, and a test pays nothing", lasting(ms);
    test_refused(ms: u64, said: &str) = "refused after {}: {said}", lasting(ms);
}

/// Which providers can be listed, by the names of the tabs.
pub const SHOWN: [(Show, &str); 2] = [(Show::Here, "Online"), (Show::Known, "All known")];
