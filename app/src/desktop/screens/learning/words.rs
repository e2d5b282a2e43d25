//! What is said on the learning screen.

pub use crate::desktop::screens::words::*;
use frlm_client::units::thousands;

words! {
    TITLE = "Learning";
    // One line in the smallest window, too: the tabs stand still below it.
    SUBTITLE = "Which role does which work best for its price in the swarm.";
    LIARS = "How well each verification policy holds against liars, and what it costs.";
    KNOWN = "Answers you've confirmed; contradictions are flagged.";
    FROM_RUNS = "From your runs";
    FROM_TRAINING = "From the latest training";
    ATTACKS = "Attack simulation";
    KNOWN_ANSWERS = "Known answers";
    READING = "Reading what was learned…";
    UNREAD = "What was learned cannot be read";
    unread(why: &str) = "{why}. Runs continue without this experience; no answer and no sat depends on it.";
    PLANS_UNREAD = "What was learned about plans cannot be read";
    plans_unread(why: &str) = "{why}. Questions are taken apart as before; no answer depends on it.";

    // Nothing yet
    UNROUTED = "No run has routed anything yet";
    ONCE_ROUTED = "Each run decides where its parts are answered and learns from the verdict on every answer. Ask a \
                   question, and the results are drawn here.";
    NOT_KEPT = "These runs did not record where their parts were answered. The next run decides again and learns from \
                the verdict on every answer; the results are drawn here.";
    UNTRAINED = "No training on this machine yet";
    UNTRAINED_THEN = "Training is part of the laboratory, which is built from the sources of FRLM: cargo run --release -p \
                      frlm-lab -- learn route. It trains on 50 tasks with real inference on an embedded swarm, and what \
                      it learned is drawn here.";

    // How it stands
    now(state: &str, imbalance: f64, more: &str) =
        "Now {state}: imbalance {imbalance:.2} (0: all roles do the same share){more}";
    experiments(share: f64) = ", {:.0}% of the decisions are experiments", share * 100.0;
    mean_of(decisions: usize) = "; a point of a curve is the mean of {} decisions", thousands(decisions as u64);
    NOW_HINT = "Imbalance: how much the roles' shares of the latest work differ (standard deviation divided by mean). \
                Hot: a role that does much more than its share";
    SINCE = "Since the beginning";
    learns(runs: &str, tries: &str) = "{runs} what is known here ([routing] online_learning); {tries}.";
    UPDATE = "Runs update";
    NO_UPDATE = "Runs do not update";
    TRY = "they also experiment";
    NO_TRY = "they take the best known choice";
    always(load: &str) = "Value while {load}";
    VALUES = "Value of role and venue, by load state";
    VALUES_ABOUT = "Hot: this role does much more than its share. Percent: share of the decisions made in this state. –: \
                    never tried in it.";
    POLICY = "Policy, and where load shifts it";
    ALWAYS_SAME = "always the same";
    COST = "Cost";

    // Panels
    REWARD = "Reward";
    RAW = "raw";
    ADJUSTED = "adjusted for load";
    QUALITY = "Quality";
    OF_EACH = "of each answer, 0 without one";
    SHARES = "Share of all work";
    FAIR = "fair share";
    BY_TYPE = "Reward by task type";
    MEAN_ADJUSTED = "mean, adjusted for load";
    LATEST = "Share of the latest work";
    LOAD = "Load";
    PENALTY = "load penalty";
    IMBALANCE = "imbalance";

    // Plans
    PLANS = "How questions are taken apart, and the results";
    PLAN_REWARDS = "Rewards of taking questions apart";
    PLAN_REWARD = "reward, question by question";
    PLAN_RESULTS = "Results by kind of document";
    COMPONENTS = "Components of the rewards, 0 to 1 each";
    STAGES = "Time of an answer by stage, in seconds";
    SYNTHESES = "How the answers of several parts were combined";
    BEST = "Best";
    WORST = "Worst";
    tested(strategy: &str, of: &str, against: &str) =
        "\"{strategy}\" is tested for {of} against \"{against}\": each question uses one of the two at random.";
    won(strategy: &str, of: &str, against: &str) = "\"{strategy}\" won for {of} against \"{against}\".";
    retired(strategy: &str, of: &str, why: &str) = "\"{strategy}\" is retired for {of}, {why}.";
    USE_AGAIN = "Use it again";

    // Attack simulation
    RECORDS = "Records";
    WORDS = "Words";
    BY_POLICY = "Attack simulation by policy";
    SIMULATE = "Simulate a swarm";
    SIMULATING = "Simulating a swarm for every policy…";
    NOT_SIMULATED = "The swarm could not be simulated";
    not_simulated(why: &str) = "{why}. Nothing but this page depends on it.";
    NEW_SIMULATION = "New simulation";
    against(whom: &str) = "Against {whom}";
    measured(measure: &str, most: f64) = "{measure}, 0 to {most:.0}% liars";
    liars(share: f64) = "{:.0}% liars", share * 100.0;
    ONE_POLICY = "Policy";
}

/// The columns of the tables.
pub const STATUS: [&str; 6] = [
    "Answered",
    "Without an answer",
    "No provider to ask",
    "Refused, over limit",
    "Unchecked",
    "Rated by you",
];
pub const SHIFTS: [&str; 4] = ["Task type", "While balanced", "Value", "Different while"];
pub const COSTS: [&str; 6] =
    ["Venue", "Decisions", "Without an answer", "Mean quality", "Mean time, s", "Sats"];
pub const DOMAINS: [&str; 6] =
    ["Documents", "Questions", "Answered", "Mean reward", "Steps answered", "Satisfaction"];
pub const STRATEGIES: [&str; 6] =
    ["Strategy", "Documents", "Questions", "Answered", "Mean reward", "Test, samples"];
pub const PHRASINGS: [&str; 4] = ["Readers asked", "Kind of question", "Questions", "Mean reward"];
