//! What is said on the run screen. Kinds of events have their names in `events.rs`.

use frlm_client::questions::stage::RunStage;
use frlm_client::scheduler::FailureReason;
use frlm_client::units::{Unit, plural, thousands};
use frlm_client::verifier::validation::Method;
use frlm_client::view::{AttemptEnding, AttemptView, Said, SubtaskState};
use lucide_icons::Icon;

pub use crate::desktop::screens::words::*;
use crate::desktop::widgets::Tone;

words! {
    NO_RUN = "No run yet";
    NO_RUN_THEN = "Ask a question, and watch here how the swarm answers it. Recorded runs open here, too.";

    // How the run stands
    REPLAY = "replay";
    REPLAY_PAUSED = "replay, paused";
    PAUSING = "pausing";
    RESUMING_NOW = "resuming";
    RUNNING = "running";
    READING_NOW = "reading";
    PARTIAL = "partial";
    ANSWERED = "answered";
    PAUSED = "paused";
    NEEDS_DECISION = "needs your decision";
    FAILED = "failed";

    // Buttons of the head
    READ_ANSWER = "Read the answer";
    PAUSE = "Pause";
    PAUSE_HINT = "Verified parts are saved; open jobs are cancelled and cost nothing";
    RAISE_BUDGET = "Raise the budget";
    RAISE_BUDGET_HINT = "The run may spend more in total; sats that are not needed stay yours";
    RESUME = "Resume";
    ASK_OPEN_AGAIN = "Ask the open parts again";

    // Banners
    DAMAGED = "The record of this run is damaged";
    damaged(damage: &str) =
        "{damage}. Everything before that is shown. The ledger keeps its own record: no sats are lost.";
    NOT_RESUMED = "Resuming failed";
    nothing_sent(why: &str) = "{why}. Nothing was sent.";
    RELAY_OFFLINE = "A relay is offline";
    relay_offline(relay: &str, why: &str) =
        "{relay}: {why}. Jobs that were sent stay valid, and nothing is paid twice. FRLM keeps trying to reconnect.";
    PAUSE_UNTIL_BACK = "Pause until it is back";
    RESUMING = "Resuming";
    RESUMING_SAFE = "Verified parts are not asked again. Connecting to relays and providers may take a few seconds.";
    NOTHING_PAID = "Nothing was verified, so nothing was paid.";
    NOTHING_VERIFIED = "Nothing was verified. Payments are listed with the attempts.";
    ONE_SAVED = "1 verified part is saved; you won't pay for it again.";
    saved(parts: usize) = "{} are saved; you won't pay for them again.", plural(parts, "verified part");
    and_saved(why: &str, saved: &str) = "{why}. {saved}";
    TOO_LITTLE = "Too little could be verified";
    DECIDE = "The run needs your decision";
    ACCEPT = "Answer from the verified parts";
    ACCEPT_HINT = "Shows an answer from the verified parts, and says what is missing";
    BUDGET_LOW = "The budget is too low";
    RAISE_AND_RESUME = "Raise the budget and resume";
    to(button: &str, amount: &str) = "{button} (to {amount})";
    NO_PROVIDER = "No provider can be asked";
    NO_ANSWER = "The documents have no answer to this";
    REPHRASE = "Rephrase the question";
    DISK = "The disk is full or cannot be written to";
    RUN_FAILED = "The run failed";

    // The rows
    KEY = "Each row is a part of the run, or a provider, over time. A thin line: the job waits. A bar: a provider \
           works on it, or has worked on it. Violet: at work. Blue: answered, being compared. Green: agreed. \
           Outlined amber: disagreed or too late. Red: failed. Outlined grey: cancelled. A bracket holds the answers \
           to the same part; \"≠\" marks a disputed part.";
    PARTS = "Parts";
    PROVIDERS = "Providers";
    BY_PART = "By part";
    BY_PROVIDER = "By provider";
    ALL = "All";
    OPEN = "Open";
    DISPUTED = "Disputed";
    UNANSWERED = "Unanswered";
    BACK_TO_NOW = "Back to now";
    NO_MATCH = "No part matches.";
    READING_RECORD = "Reading the record…";
    BY_CODE = "Code answered it; no provider was asked.";
    NO_PLAN = "It stopped before there was a plan.";
    PLANNING = "The plan is being made.";
    row(part: &str, state: &str, attempts: usize) = "{part}: {state}, {}", plural(attempts, "attempt");
    VERIFIED_DISPUTED = "verified ≠";
    NOT_ASKED = "No provider was asked yet.";
    NO_PROVIDER_YET = "no provider yet";
    NONE_SEEN = "No provider was seen.";
    NONE_SEEN_YET = "No provider was seen yet.";
    provider(asked: u32, agreed: u32, differed: u32) = "{} asked · {} agreed · {} differed",
        thousands(asked.into()), thousands(agreed.into()), thousands(differed.into());
    offline(provider: &str) = "{provider} (offline)";

    // The chosen part
    CHOOSE = "Choose a part or a provider to see who was asked and what they answered.";
    CANCELLING = "Cancelling…";
    CANCEL_PART = "Cancel this part";
    CANCEL_PART_HINT = "No provider is asked for this part any more; open jobs are cancelled and cost nothing. The \
                        answer will say that the part is missing";
    ASK_PART_AGAIN = "Ask this part again";
    ASK_PART_AGAIN_HINT = "All providers can be asked again for this part, within the budget of the run";
    ASK_OPEN_AGAIN_HINT = "The run has ended: resuming it asks for every open part, and for no verified one";
    HISTORY = "History";
    SENT = "Sent with the question";
    not_shown(why: &str) = "The text cannot be shown: {why}";
    IS_DISPUTED = "disputed";
    OWN_MODEL = "your own model";
    unanswered(why: &str, pay: &str) = "Unanswered: {why}. {pay}";
    PAID_ALL_THE_SAME = "Payments are listed with its attempts.";
    NOT_PAID = "Nothing was paid for it.";
    agreed(share: f64) = "{:.0}% of the answers agreed", share * 100.0;
    likely(model: &str, right: &str) = "{model} likely the claimed model really ran; {right} likely it is right.";
    asked_at(moment: &str) = "asked at {moment}";
    took(time: &str) = "took {time}";
    tokens(count: u64) = "{} tokens", thousands(count);
    paid(amount: &str) = "{amount} paid";
    owed(amount: &str) = "{amount} owed";
    reserved(amount: &str) = "{amount} reserved";
    job(id: &str) = "job {id}…";
    COPY_JOB = "Copy the job's event id";

    // The chosen provider
    ONLINE = "online";
    OFFLINE = "offline";
    claims(model: &str) = "It claims to run {model}.";
    COPY_KEY = "Copy the provider's key";
    newest_jobs(shown: usize, all: usize) = "The newest {shown} of its {} jobs", thousands(all as u64);
    ITS_JOBS = "Its jobs, the newest first";
    NO_JOB = "It got no job yet.";

    // Decisions and the plan
    DECISIONS = "Decisions";
    NO_DECISION = "No decision was needed yet.";
    NOTICE = "notice";
    PROCEEDS = "continues";
    RETRIES = "retries";
    STOPPED = "stopped";
    sample_of(test: u64) = "sample of strategy test {test}";
    more_steps(count: usize) = "and {}", plural(count, "more step");
    score(score: f64, reward: f64) = "Score of this strategy: {score:.2} of 1; reward learned from it: {reward:.2}";
    REPLICA_SET = "replica set";
    together(kind: &str, how: &str) = "together at {kind}: {how}";
    after_part(number: usize) = ", after part {number}";
    step(number: usize, text: &str) = "{number}. {text}";
    step_verified(verified: usize, all: u32, after: &str) =
        "{} of {} verified{after}", thousands(verified as u64), thousands(all.into());
    followed(share: f64, right: f64) =
        "followed for {:.0}% of the parts; it was right for {:.0}%", share * 100.0, right * 100.0;
    FOLLOWED_HINT = "The verification policy decides how many providers answer; the advice does not";
    way(order: &str, phrasing: &str, most: u32) = "The parts are asked {order}, {phrasing}; at most {most} at a time";
    advice(simplicity: f64, why: &str, who: &str, sure: f64) =
        "Simplicity {simplicity:.2} of 1: {why}. Advice: {who}, {:.0}% sure", sure * 100.0;

    // Events
    EVENTS = "Events";
    DETAILS = "Details";
    ALL_EVENTS = "All events";
    PREVIOUS_EVENT = "Previous event";
    NEXT_EVENT = "Next event";
    READING = "Reading…";
    event(number: u64) = "Event {number}";
    EVENT_HINT = "As it is recorded";
    COPY_EVENT = "Copy the event";
    SHOW_PART = "Show its part";
    RECEIPT = "The receipt";
    TEXT_SENT = "Text sent to the provider";
    COPY_TEXT_SENT = "Copy the text sent to the provider";
    DECRYPTED = "Decrypted with the run's own key, which never leaves this machine.";
    NOSTR_EVENT = "The Nostr event, as signed";
    COPY_NOSTR_EVENT = "Copy the Nostr event";
    SIGNED = "FRLM checks id and signature of each event that it receives, and signs each event that it sends. The \
              content is encrypted between the run's key and the provider.";
    NOT_KEPT = "Its signed Nostr event was not kept: the run is from an older version, or had too many events.";

    // The verdict in an event
    VERDICT = "The verdict";
    PASSED = "It passed";
    NOT_PASSED = "It did not pass";
    NO_METHOD = "No method could check it, which only the level critical requires";
    right(share: &str) = "; {share} likely to be right";
    also_tried(methods: &str) = " Also tried: {methods}.";
    verdict(verdict: &str, right: &str, tried: &str) = "{verdict}{right}.{tried}";
    verdict_by(verdict: &str, method: &str, right: &str, tried: &str) = "{verdict}, judged {method}{right}.{tried}";
    no_verdict(why: &str, pay: &str) = "No verdict: {why}. The answer is not used{pay}.";
    BUT_PAID = ", but its provider is paid";
    judged_on_a_part(unread: &str) =
        "Judged on a part, {unread}: the context of your model holds no more. A part can show that an answer is \
         wrong, but not that it is right; a model with more context could tell.";

    // Money
    BUDGET = "Budget";
    spent_of(spent: u64, budget: &str) = "{} of {budget}", thousands(spent);
    refunded(amount: &str) = "{amount} refunded";
    PAID = "paid";
    SPENT = "spent";
    OWED = "owed";
    LOCKED = "locked";
    RESERVED = "reserved";
    AVAILABLE = "available";
    projected(amount: &str) = "about {amount} in total";
    projected_in_short(sats: u64) = "≈ {}", thousands(sats);
    PAID_OR_OWED = "paid or owed";
    curve_spent(amount: &str, word: &str) = "{amount} {word}";
    curve_bound(amount: &str) = "{amount} with what is locked or reserved";
    curve_free(verified: u64, all: u64) =
        "{} of {} parts verified, nothing to pay", thousands(verified), thousands(all);

    // Verification
    VERIFICATION = "Verification";
    policy(word: &str, policy: &str) = "{word} ({policy})";
    FREE = "free";
    YOUR_MODEL = "your model";
    plus(cost: &str) = "+ {cost}";
    FORMAT = "Format";
    FORMAT_HINT = "Whether each answer has the right form, and its quotations and values are in the text";
    AGREEMENT = "Agreement";
    AGREEMENT_HINT = "Whether providers that were asked the same agree; the sats are the cost of asking more than one";
    CONTENT = "Content";
    CONTENT_HINT = "The checks of the verification level: values looked up, calculations repeated, a review by your \
                    own model";
    ARBITRATED = "Arbitrated";
    ARBITRATED_HINT = "Disputed answers that your own model decided";
    AUDITED = "Audited";
    AUDITED_HINT = "Whether the model that a provider claims would have written what it sent";
    CONFIDENCE = "Confidence";
    accepted(answers: u32) = "{} accepted", thousands(answers.into());
    passed(answers: u32) = "{} passed", thousands(answers.into());
    failed(answers: u32) = "{} failed", thousands(answers.into());
    EXTRA = "extra answer";
    EXTRA_HINT = "How often another provider was asked, because an answer was not verified yet";
    NO_FIDELITY = "fidelity –";
    fidelity(least: &str) = "fidelity ≥ {least}";
    fidelity_in_short(least: &str) = "≥ {least}";
    FIDELITY_HINT = "How likely it is that the claimed model really wrote the least certain accepted answer";
    FINAL_PASSED = "final check passed";
    FINAL_FAILED = "final check failed";
    final_check(passed: u32, failed: u32) =
        "Whether every verified part is used, nothing contradicts another, and every figure and quotation is in the \
         sources: {} passed, {} failed; free", thousands(passed.into()), thousands(failed.into());

    // The strip of documents, and the timeline
    DOCUMENTS = "Documents";
    parts_verified(verified: usize, all: usize, unanswered: &str) =
        "{} of {} parts verified{unanswered}", thousands(verified as u64), thousands(all as u64);
    also_unanswered(parts: usize) = " · {} unanswered", thousands(parts as u64);
    strip(words: &str, at: &str) = "{DOCUMENTS}: {words}{at}";
    strip_at(part: &str) = ", at {part}";
    part_state(part: &str, state: &str) = "{part}: {state}";
    strip_key(states: &str) = "Cells, from low to high: {states}";
    TIMELINE = "Timeline";
    live(moment: &str) = "{moment} · live";
    moment_of(moment: &str, end: &str) = "{moment} of {end}";

    // Replay
    PLAY = "Replay";
    PLAY_HINT = "shows the run again, moment by moment";
    PAUSE_REPLAY = "Pause replay";
    PAUSE_REPLAY_HINT = "pauses the replay here";
    RESUME_REPLAY = "Resume replay";
    RESUME_REPLAY_HINT = "resumes the replay from here";
    speed(speed: &str) = "Speed {speed}";
    SPEED_HINT = "as fast as it ran is 1×; press for the next speed";

    // A higher budget
    RAISE_TITLE = "Raise the budget of this run";
    raise_status(spent: u64, budget: &str, bound: u64, holds: &str) =
        "{} of {budget} are spent, {} are reserved or locked for jobs. A higher budget {holds}. Rejected answers are \
         still not paid, and sats that are not needed stay yours.", thousands(spent), thousands(bound);
    HOLDS_NOW = "applies at once";
    HOLDS_LATER = "applies when the run resumes";
    new_budget(unit: Unit) = "New budget in {}", unit.name();
    times(times: u64) = "× {times}";
    more_than_now(amount: &str) = "{amount} more than now";
    raise_to(amount: &str) = "Raise to {amount}";
    RAISE = "Raise";
    resume_with(amount: &str) = "Resume with {amount}";
    not_a_budget(unit: Unit) = "the budget is a whole number of {}", unit.name();
    more_than_exist(unit: Unit) = "that is more {} than exist", unit.name();
    can_only_rise(now: &str) = "it is {now} now and can only rise";
}

/// How far a part is, as icon, word and meaning.
pub fn describe(state: SubtaskState) -> (Icon, &'static str, Tone) {
    match state {
        SubtaskState::Queued => (Icon::CircleDashed, "queued", Tone::Plain),
        SubtaskState::Asked => (Icon::Send, "asked", Tone::Plain),
        SubtaskState::Processing => (Icon::Activity, "at work", Tone::Busy),
        SubtaskState::Returned => (Icon::Scale, "comparing", Tone::Accent),
        SubtaskState::Verified => (Icon::CircleCheck, "verified", Tone::Good),
        SubtaskState::GaveUp(_) => (Icon::CircleX, "unanswered", Tone::Bad),
    }
}

/// Why a part has no answer.
pub fn why(gave_up: FailureReason) -> &'static str {
    match gave_up {
        FailureReason::Split => "too few answers agree",
        FailureReason::Exhausted => "every allowed attempt failed",
        FailureReason::NobodyLeft => "every provider was asked already",
        FailureReason::OutOfTime => "time ran out",
        FailureReason::OverBudget => "no sats are left for another attempt",
        FailureReason::Cancelled => "you cancelled it",
        FailureReason::NoVerdict => "there was no verdict about its answers",
    }
}

/// How an attempt ended, or how it stands.
pub fn ending(attempt: &AttemptView) -> (&'static str, Tone) {
    match (attempt.ending, attempt.said) {
        (Some(AttemptEnding::Answered), Some(Said::Same)) => ("agreed", Tone::Good),
        (Some(AttemptEnding::Answered), Some(Said::Else)) => ("disagreed", Tone::Warn),
        (Some(AttemptEnding::Answered), Some(Said::Nothing)) => ("answered, no verdict", Tone::Plain),
        (Some(AttemptEnding::Answered), None) => ("answered", Tone::Accent),
        (Some(AttemptEnding::Failed), _) => ("failed", Tone::Bad),
        (Some(AttemptEnding::TimedOut), _) => ("no answer in time", Tone::Warn),
        (Some(AttemptEnding::Cancelled), _) => ("cancelled", Tone::Plain),
        (Some(AttemptEnding::Lost), _) => ("lost in a pause", Tone::Plain),
        (None, _) if attempt.processing_ms.is_some() => ("at work", Tone::Busy),
        (None, _) => ("asked", Tone::Plain),
    }
}

/// By what a method tells.
pub fn by(method: Method) -> &'static str {
    match method {
        Method::ProgrammaticExecution => "by running it again",
        Method::GroundTruth => "by an answer that is known to be right",
        Method::LlmValidation => "by your own model",
        Method::CrossReference => "by finding its values in the documents",
        Method::None => "by no method",
    }
}

/// What a stage of a run is about, shortly: it stands beside decisions and notices.
pub const fn about(stage: RunStage) -> &'static str {
    match stage {
        RunStage::Analyse => "the question",
        RunStage::Plan => "the plan",
        RunStage::Discover => "who is there",
        RunStage::Route => "whom to ask",
        RunStage::Dispatch => "asking",
        RunStage::Verify => "checking",
        RunStage::Collect => "gathering",
        RunStage::Synthesise => "the answer",
        RunStage::Program => "the program",
        RunStage::Learn => "what it taught",
        RunStage::Control => "your request",
        RunStage::Record => "the record",
    }
}
