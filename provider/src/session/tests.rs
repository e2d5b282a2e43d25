//! The session's states in every order of events that the diagram allows.

mod answers;
mod garbage;
mod guests;
mod orders;
mod paying;
mod turns;

use self::turns::large_job;
use super::*;
use crate::testing::{NOW, model_info, request};
use frlm_inference::Usage;
use frlm_protocol::{Audience, Mode};
use nostr::{EventBuilder, Tag};
use std::time::Duration;

struct Bench {
    session: Session,
    provider: Keys,
}

impl Bench {
    fn new(change: impl FnOnce(&mut ProviderConfig)) -> Self {
        let provider = Keys::generate();
        let mut config = ProviderConfig::default();
        change(&mut config);
        Self { session: Session::new(config, model_info(), provider.clone(), NOW), provider }
    }

    fn job(&self, asker: &Keys, text: &str) -> Event {
        self.job_until(asker, text, later(300))
    }

    fn job_until(&self, asker: &Keys, text: &str, expires_at: Timestamp) -> Event {
        let mut job = request("copy", &[text], Mode::Together);
        job.expires_at = Some(expires_at);
        job.to_event(Audience::Directed(self.provider.public_key()), asker, NOW).unwrap()
    }

    fn receive(&mut self, event: &Event) -> Vec<Effect> {
        self.session.receive(event, NOW)
    }

    fn cancel(&mut self, job: &Event, by: &Keys) -> Vec<Effect> {
        let audience = Audience::Directed(self.provider.public_key());
        let event = Cancellation { job: job.id }.to_event(audience, by, NOW).unwrap();
        self.receive(&event)
    }

    fn answered(&self) -> Outcome {
        let event = EventBuilder::new(kinds::JOB_RESULT, "answer").sign_with_keys(&self.provider).unwrap();
        Outcome::Answered(Box::new(Answered {
            event,
            usage: Usage { prompt_tokens: 10, completion_tokens: 5 },
            amount_msats: 0,
            confidence: Some(0.5),
            duration: Duration::from_secs(1),
            engine_time: Duration::from_secs(1),
            took: None,
            payer: None,
        }))
    }
}

fn later(secs: u64) -> Timestamp {
    Timestamp::from_secs(NOW.as_secs() + secs)
}

fn started(effects: &[Effect]) -> Vec<EventId> {
    effects
        .iter()
        .filter_map(|e| if let Effect::Start(ticket) = e { Some(ticket.job.id) } else { None })
        .collect()
}

fn stopped(effects: &[Effect]) -> Vec<EventId> {
    effects.iter().filter_map(|e| if let Effect::Stop(id) = e { Some(*id) } else { None }).collect()
}

fn delivered(effects: &[Effect]) -> Vec<Event> {
    effects
        .iter()
        .filter_map(|e| if let Effect::Deliver { event, .. } = e { Some(event.clone()) } else { None })
        .collect()
}

fn said(effects: &[Effect]) -> Vec<(EventId, FeedbackStatus, Option<RefusalReason>)> {
    effects
        .iter()
        .filter_map(|e| match e {
            Effect::Say(job, feedback) | Effect::Repeat(job, feedback) => {
                Some((job.id, feedback.status, feedback.reason))
            }
            _ => None,
        })
        .collect()
}

#[test]
fn a_job_starts_on_a_free_slot_and_is_delivered_until_it_expires() {
    let mut bench = Bench::new(|_| {});
    let job = bench.job(&Keys::generate(), "a");
    let effects = bench.receive(&job);
    assert_eq!(started(&effects), [job.id]);
    assert_eq!(said(&effects), [], "a quick answer says it all");
    assert!(effects.iter().any(|effect| matches!(effect, Effect::TellSoon(id) if *id == job.id)));
    let (told, word) = bench.session.status(job.id, NOW).unwrap();
    assert_eq!((told.id, word.status, word.detail), (job.id, FeedbackStatus::Processing, None));

    let outcome = bench.answered();
    let effects = bench.session.finished(job.id, outcome, NOW);
    assert!(bench.session.status(job.id, NOW).is_none());
    assert!(
        matches!(&effects[0], Effect::Deliver { job: id, until, .. } if *id == job.id && *until == later(300))
    );
    let stats = bench.session.stats();
    assert_eq!((stats.received, stats.finished, stats.usage.prompt_tokens, stats.running), (1, 1, 10, 0));
}

#[test]
fn the_days_free_jobs_need_no_bid_and_those_after_them_do() {
    let mut bench = Bench::new(|config| {
        config.price_msats_per_1k = 1_000;
        config.free_jobs_per_day = 1;
    });
    let asker = Keys::generate();
    let (first, second) = (bench.job(&asker, "a"), bench.job(&asker, "b"));
    let effects = bench.receive(&first);
    assert_eq!(started(&effects), [first.id]);
    let kept =
        |effect: &&Effect| matches!(effect, Effect::Gave { asker: key, .. } if *key == asker.public_key());
    assert_eq!(effects.iter().filter(kept).count(), 1, "it is written down");
    assert_eq!(started(&bench.receive(&first)), [], "the same job takes nothing more of the share");
    let too_low = (second.id, FeedbackStatus::Error, Some(RefusalReason::BidTooLow));
    assert_eq!(said(&bench.receive(&second)), [too_low]);
    let others = bench.job(&Keys::generate(), "c");
    assert_eq!(said(&bench.receive(&others)), [], "it waits for the slot");
}

#[test]
fn a_restart_gives_nothing_that_was_given_today() {
    let mut bench = Bench::new(|config| {
        config.price_msats_per_1k = 1_000;
        config.free_jobs_per_day = 1;
    });
    let asker = Keys::generate();
    bench.session.remember_given([(asker.public_key(), 1)]);
    let job = bench.job(&asker, "a");
    let too_low = (job.id, FeedbackStatus::Error, Some(RefusalReason::BidTooLow));
    assert_eq!(said(&bench.receive(&job)), [too_low]);
}

#[test]
fn an_asker_over_its_rate_is_told_when_to_come_back() {
    let mut bench = Bench::new(|config| config.jobs_per_minute_per_asker = 2);
    let (hasty, calm) = (Keys::generate(), Keys::generate());
    for n in 0..2 {
        let job = bench.job(&hasty, &n.to_string());
        bench.receive(&job);
    }
    let job = bench.job(&hasty, "third");
    let effects = bench.receive(&job);
    assert_eq!(said(&effects)[0].2, Some(RefusalReason::RateLimited));
    let job = bench.job(&calm, "first");
    assert!(said(&bench.receive(&job)).is_empty(), "it waits");
    let job = bench.job(&hasty, "fourth");
    assert!(said(&bench.session.receive(&job, later(30))).is_empty(), "half a minute is one job");
}

#[test]
fn a_cancelled_running_job_is_confirmed_once_the_engine_has_stopped() {
    let mut bench = Bench::new(|_| {});
    let asker = Keys::generate();
    let job = bench.job(&asker, "a");
    bench.receive(&job);
    let effects = bench.cancel(&job, &asker);
    assert_eq!(stopped(&effects), [job.id]);
    assert!(said(&effects).is_empty(), "not before it has stopped");
    assert!(stopped(&bench.cancel(&job, &asker)).is_empty(), "stopping once is enough");

    let effects = bench.session.finished(job.id, Outcome::Stopped, NOW);
    assert_eq!(said(&effects), [(job.id, FeedbackStatus::Cancelled, None)]);
    assert!(started(&bench.receive(&job)).is_empty(), "a cancelled job does not come back");
}

#[test]
fn an_answer_that_crosses_its_cancellation_is_dropped() {
    let mut bench = Bench::new(|_| {});
    let asker = Keys::generate();
    let job = bench.job(&asker, "a");
    bench.receive(&job);
    bench.cancel(&job, &asker);
    let outcome = bench.answered();
    let effects = bench.session.finished(job.id, outcome, NOW);
    assert!(delivered(&effects).is_empty());
    assert_eq!(said(&effects), [(job.id, FeedbackStatus::Cancelled, None)]);
}

#[test]
fn a_waiting_job_is_taken_back_at_once() {
    let mut bench = Bench::new(|_| {});
    let asker = Keys::generate();
    let (running, waiting) = (bench.job(&asker, "a"), bench.job(&asker, "b"));
    bench.receive(&running);
    bench.receive(&waiting);
    assert_eq!(said(&bench.cancel(&waiting, &asker)), [(waiting.id, FeedbackStatus::Cancelled, None)]);
    let outcome = bench.answered();
    assert!(started(&bench.session.finished(running.id, outcome, NOW)).is_empty());
}

#[test]
fn a_cancellation_that_overtakes_its_job_still_counts() {
    let mut bench = Bench::new(|_| {});
    let asker = Keys::generate();
    let job = bench.job(&asker, "a");
    bench.cancel(&job, &asker);
    assert!(started(&bench.receive(&job)).is_empty());
}

#[test]
fn nobody_cancels_another_askers_job() {
    let mut bench = Bench::new(|_| {});
    let (asker, stranger) = (Keys::generate(), Keys::generate());
    let (running, waiting) = (bench.job(&asker, "a"), bench.job(&asker, "b"));
    let early = bench.job(&asker, "c");
    bench.receive(&running);
    bench.receive(&waiting);
    for job in [&running, &waiting, &early] {
        let effects = bench.cancel(job, &stranger);
        assert!(stopped(&effects).is_empty() && said(&effects).is_empty());
    }
    let outcome = bench.answered();
    assert_eq!(started(&bench.session.finished(running.id, outcome, NOW)), [waiting.id]);
    let effects = bench.receive(&early);
    assert!(matches!(effects[..], [Effect::Tell(ProviderEvent::JobReceived { .. }), Effect::TellSoon(_)]));
}

#[test]
fn expired_and_old_jobs_are_ignored_without_a_word() {
    let mut bench = Bench::new(|_| {});
    let asker = Keys::generate();
    let expired = bench.job(&asker, "a");
    assert!(said(&bench.session.receive(&expired, later(300))).is_empty());

    // A foreign job without an expiration, from an hour before the start.
    let tags = [
        nostr::Tag::parse(["i", "who?", "text"]).unwrap(),
        nostr::Tag::public_key(bench.provider.public_key()),
    ];
    let foreign = |created_at| {
        EventBuilder::new(kinds::JOB_REQUEST, "")
            .tags(tags.clone())
            .custom_created_at(created_at)
            .sign_with_keys(&asker)
            .unwrap()
    };
    let old = foreign(Timestamp::from_secs(NOW.as_secs() - 3600));
    assert!(started(&bench.receive(&old)).is_empty());
    let recent = foreign(Timestamp::from_secs(NOW.as_secs() - 60));
    assert_eq!(started(&bench.receive(&recent)), [recent.id]);
}

#[test]
fn stopping_refuses_what_waits_and_what_comes_and_lets_the_rest_finish() {
    let mut bench = Bench::new(|_| {});
    let asker = Keys::generate();
    let jobs = ["a", "b", "c"].map(|text| bench.job(&asker, text));
    bench.receive(&jobs[0]);
    bench.receive(&jobs[1]);
    let refused = |id| (id, FeedbackStatus::Error, Some(RefusalReason::ShuttingDown));
    assert_eq!(said(&bench.session.drain()), [refused(jobs[1].id)]);
    assert_eq!(said(&bench.receive(&jobs[2])), [refused(jobs[2].id)]);
    assert!(!bench.session.is_idle());
    let outcome = bench.answered();
    assert_eq!(delivered(&bench.session.finished(jobs[0].id, outcome, NOW)).len(), 1);
    assert!(bench.session.is_idle());
}

#[test]
fn stopping_at_once_tells_the_askers_of_running_jobs() {
    let mut bench = Bench::new(|_| {});
    let job = bench.job(&Keys::generate(), "a");
    bench.receive(&job);
    assert_eq!(stopped(&bench.session.stop_running()), [job.id]);
    let effects = bench.session.finished(job.id, Outcome::Stopped, NOW);
    assert_eq!(said(&effects), [(job.id, FeedbackStatus::Error, Some(RefusalReason::ShuttingDown))]);
}

#[test]
fn debug_output_shows_no_secret_key() {
    let bench = Bench::new(|_| {});
    let shown = format!("{:?}", bench.session);
    assert!(!shown.contains(&bench.provider.secret_key().to_secret_hex()));
}

#[test]
fn a_job_from_the_future_is_refused_with_the_reason_and_never_worked_on() {
    let mut bench = Bench::new(|_| {});
    let asker = Keys::generate();
    let at = |ahead: u64| {
        let mut job = request("copy", &["a"], Mode::Together);
        job.expires_at = Some(later(ahead + 300));
        job.to_event(Audience::Directed(bench.provider.public_key()), &asker, later(ahead)).unwrap()
    };
    let (tomorrow, soon) = (at(24 * 3_600), at(CLOCK_SLACK_SECS));
    let effects = bench.receive(&tomorrow);
    assert!(started(&effects).is_empty());
    assert_eq!(said(&effects), [(tomorrow.id, FeedbackStatus::Error, Some(RefusalReason::Unsupported))]);
    assert_eq!(started(&bench.receive(&soon)), [soon.id], "clocks differ a little");
}
