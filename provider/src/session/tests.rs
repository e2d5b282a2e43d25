//! The session's states in every order of events that the diagram allows.

mod garbage;
mod guests;
mod orders;
mod paying;

use super::turns::CREDIT_TIMEOUT_SECS;
use super::*;
use crate::testing::{NOW, model_info, request};
use frlm_inference::Usage;
use frlm_protocol::{Audience, Mode, Verdict};
use nostr::{EventBuilder, Tag};

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
fn a_job_that_never_expires_has_its_result_sent_for_a_day_at_most() {
    let mut bench = Bench::new(|_| {});
    let job = bench.job_until(&Keys::generate(), "a", Timestamp::from_secs(u64::MAX));
    bench.receive(&job);
    let outcome = bench.answered();
    let effects = bench.session.finished(job.id, outcome, NOW);
    assert!(
        matches!(&effects[0], Effect::Deliver { until, .. } if *until == later(24 * 3_600)),
        "{effects:?}"
    );
}

#[test]
fn a_verdict_counts_once_and_only_from_the_asker_of_the_job() {
    let mut bench = Bench::new(|_| {});
    let (asker, stranger) = (Keys::generate(), Keys::generate());
    let job = bench.job(&asker, "a");
    let recipient = bench.provider.public_key();
    let says = |author: &Keys, accepted: bool| {
        let feedback = "Correct answer.".to_owned();
        let verdict = Verdict { job: job.id, accepted, fitness: 0.56, change: 0.06, credits: 40, feedback };
        verdict::to_event(&[verdict], recipient, later(60), author, NOW).unwrap()
    };
    let judged = |effects: &[Effect]| {
        effects.iter().filter(|effect| matches!(effect, Effect::Tell(ProviderEvent::Judged { .. }))).count()
    };
    bench.receive(&job);
    assert_eq!(judged(&bench.receive(&says(&asker, true))), 0, "it is not answered yet");
    let event = EventBuilder::new(kinds::JOB_RESULT, "answer")
        .tag(Tag::public_key(asker.public_key()))
        .sign_with_keys(&bench.provider)
        .unwrap();
    let Outcome::Answered(answered) = bench.answered() else { panic!("it is an answer") };
    bench.session.finished(job.id, Outcome::Answered(Box::new(Answered { event, ..*answered })), NOW);
    assert_eq!(judged(&bench.receive(&says(&stranger, false))), 0);
    assert_eq!(judged(&bench.receive(&says(&asker, true))), 1);
    assert_eq!(judged(&bench.receive(&says(&asker, false))), 0, "it was said already");
    let stats = bench.session.stats();
    assert_eq!((stats.accepted, stats.rejected), (1, 0));
}

#[test]
fn many_strange_verdicts_in_one_event_are_one_thing_ignored() {
    let mut bench = Bench::new(|_| {});
    let stranger = Keys::generate();
    let verdict = |at: u8| Verdict {
        job: EventId::from_byte_array([at; 32]),
        accepted: true,
        fitness: 1.0,
        change: 1.0,
        credits: u32::MAX,
        feedback: String::new(),
    };
    let verdicts: Vec<Verdict> = (0..32).map(verdict).collect();
    let event = verdict::to_event(&verdicts, bench.provider.public_key(), later(60), &stranger, NOW).unwrap();
    let effects = bench.receive(&event);
    assert_eq!(effects.len(), 1, "{effects:?}");
    let stats = bench.session.stats();
    assert_eq!((stats.ignored, stats.accepted), (1, 0));
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
fn a_second_job_waits_for_the_slot() {
    let mut bench = Bench::new(|_| {});
    let asker = Keys::generate();
    let (first, second) = (bench.job(&asker, "a"), bench.job(&asker, "b"));
    bench.receive(&first);
    assert_eq!(started(&bench.receive(&second)), []);
    let outcome = bench.answered();
    assert_eq!(started(&bench.session.finished(first.id, outcome, NOW)), [second.id]);
}

#[test]
fn a_repeated_job_is_ignored_while_running_then_gets_the_same_result() {
    let mut bench = Bench::new(|_| {});
    let asker = Keys::generate();
    let (running, waiting) = (bench.job(&asker, "a"), bench.job(&asker, "b"));
    bench.receive(&running);
    bench.receive(&waiting);
    for job in [&running, &waiting] {
        let effects = bench.receive(job);
        assert!(matches!(effects[..], [Effect::Tell(ProviderEvent::Ignored { .. })]), "{effects:?}");
    }
    let outcome = bench.answered();
    let first = delivered(&bench.session.finished(running.id, outcome, NOW));
    let again = bench.receive(&running);
    assert_eq!(delivered(&again), first);
    assert_eq!(started(&again), []);
    assert!(delivered(&bench.session.receive(&running, later(301))).is_empty());
}

#[test]
fn a_thousand_fresh_keys_leave_places_to_those_who_have_paid() {
    let mut bench = Bench::new(|config| (config.max_queue, config.price_msats_per_1k) = (16, 1_000));
    let paying = |bench: &Bench, asker: &Keys, text: &str| {
        let mut job = request("copy", &[text], Mode::Together);
        (job.expires_at, job.bid_msats) = (Some(later(300)), Some(1_000_000));
        job.to_event(Audience::Directed(bench.provider.public_key()), asker, NOW).unwrap()
    };
    let [payer, newcomer] = [Keys::generate(), Keys::generate()];
    let first = paying(&bench, &payer, "first");
    bench.receive(&first);
    let Outcome::Answered(mut answered) = bench.answered() else { unreachable!() };
    answered.payer = Some(payer.public_key());
    bench.session.finished(first.id, Outcome::Answered(answered), NOW);
    for _ in 0..1_000 {
        let flood = paying(&bench, &Keys::generate(), "flood");
        bench.receive(&flood);
    }
    let mut takes = |asker: &Keys, text: &str| {
        let job = paying(&bench, asker, &text.repeat(100));
        let effects = bench.receive(&job);
        effects
            .iter()
            .any(|e| matches!(e, Effect::Tell(ProviderEvent::JobReceived { job: id, .. }) if *id == job.id))
    };
    assert!(!takes(&newcomer, "a long one"), "nothing is known of it");
    assert!(takes(&payer, "a long one") && takes(&payer, "and another"));
}

#[test]
fn a_full_queue_refuses_with_busy() {
    let mut bench = Bench::new(|config| config.max_queue = 1);
    let asker = Keys::generate();
    let jobs = ["a", "b", "c"].map(|text| bench.job(&asker, text));
    bench.receive(&jobs[0]);
    bench.receive(&jobs[1]);
    let effects = bench.receive(&jobs[2]);
    assert_eq!(said(&effects), [(jobs[2].id, FeedbackStatus::Error, Some(RefusalReason::Busy))]);
}

#[test]
fn an_asker_with_a_full_line_gives_way_to_another() {
    let mut bench = Bench::new(|config| config.max_queue = 3);
    let (greedy, modest) = (Keys::generate(), Keys::generate());
    let jobs: Vec<Event> = (0..4).map(|n| bench.job(&greedy, &format!("job {n}"))).collect();
    for job in &jobs {
        bench.receive(job);
    }
    let single = bench.job(&modest, "mine");
    let effects = bench.receive(&single);
    assert_eq!(said(&effects), [(jobs[3].id, FeedbackStatus::Error, Some(RefusalReason::Busy))]);

    let mut order = Vec::new();
    let mut current = jobs[0].id;
    for _ in 0..3 {
        let outcome = bench.answered();
        let next = started(&bench.session.finished(current, outcome, NOW));
        current = next[0];
        order.push(current);
    }
    assert!(order.iter().position(|id| *id == single.id).unwrap() <= 1, "the single job takes the next turn");
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
fn a_flood_of_refusable_jobs_gets_a_bounded_number_of_words() {
    let mut bench = Bench::new(|config| config.jobs_per_minute_per_asker = 3);
    let asker = Keys::generate();
    let mut told = 0;
    for n in 0..20 {
        let mut job = request("copy", &[&n.to_string()], Mode::Together);
        job.model = Some("another".to_owned());
        let audience = Audience::Directed(bench.provider.public_key());
        told += said(&bench.receive(&job.to_event(audience, &asker, NOW).unwrap())).len();
    }
    assert_eq!(told, 3);
    assert_eq!(bench.session.stats().refused, 20);
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
fn a_job_that_expires_while_it_waits_is_not_started() {
    let mut bench = Bench::new(|_| {});
    let asker = Keys::generate();
    let (running, waiting) = (bench.job(&asker, "a"), bench.job(&asker, "b"));
    bench.receive(&running);
    bench.receive(&waiting);
    let outcome = bench.answered();
    let effects = bench.session.finished(running.id, outcome, later(300));
    assert!(started(&effects).is_empty());
    assert!(said(&effects).contains(&(waiting.id, FeedbackStatus::Error, Some(RefusalReason::TooLate))));
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
fn after_a_load_peak_an_idle_engine_takes_one_job_as_a_probe() {
    let mut bench = Bench::new(|_| {});
    let asker = Keys::generate();
    let jobs: Vec<Event> = (0..5).map(|n| bench.job(&asker, &n.to_string())).collect();
    bench.receive(&jobs[0]);
    let Outcome::Answered(answered) = bench.answered() else { panic!("it is an answer") };
    let slow = Answered { engine_time: Duration::from_secs(10_000), ..*answered };
    bench.session.finished(jobs[0].id, Outcome::Answered(Box::new(slow)), NOW);
    let too_late = |job: &Event| vec![(job.id, FeedbackStatus::Error, Some(RefusalReason::TooLate))];
    assert_eq!(said(&bench.receive(&jobs[1])), too_late(&jobs[1]));

    assert_eq!(started(&bench.session.receive(&jobs[1], later(60))), [jobs[1].id]);
    assert_eq!(said(&bench.session.receive(&jobs[2], later(60))), too_late(&jobs[2]), "one is enough");
    let refusal = Refusal::new(RefusalReason::TooLate, "the job expired while it ran");
    bench.session.finished(jobs[1].id, Outcome::Failed(refusal, String::new()), later(70));
    assert_eq!(said(&bench.session.receive(&jobs[2], later(110))), too_late(&jobs[2]), "it waits longer now");

    assert_eq!(started(&bench.session.receive(&jobs[2], later(140))), [jobs[2].id]);
    let outcome = bench.answered();
    bench.session.finished(jobs[2].id, outcome, later(141));
    assert_eq!(started(&bench.session.receive(&jobs[3], later(170))), [jobs[3].id]);
    let outcome = bench.answered();
    bench.session.finished(jobs[3].id, outcome, later(171));
    assert_eq!(
        started(&bench.session.receive(&jobs[4], later(172))),
        [jobs[4].id],
        "in time by what is known"
    );
}

#[test]
fn a_failed_job_may_be_tried_again() {
    let mut bench = Bench::new(|_| {});
    let job = bench.job(&Keys::generate(), "a");
    bench.receive(&job);
    let refusal = Refusal::new(RefusalReason::EngineFailed, "the engine failed");
    let effects = bench.session.finished(job.id, Outcome::Failed(refusal, "details".to_owned()), NOW);
    assert_eq!(said(&effects), [(job.id, FeedbackStatus::Error, Some(RefusalReason::EngineFailed))]);
    assert_eq!(started(&bench.receive(&job)), [job.id]);
}

#[test]
fn jobs_for_others_and_refused_open_jobs_get_no_word() {
    let mut bench = Bench::new(|_| {});
    let asker = Keys::generate();
    let job = request("copy", &["a"], Mode::Together);
    let other = Audience::Directed(Keys::generate().public_key());
    for audience in [other, Audience::Open] {
        let event = job.to_event(audience, &asker, NOW).unwrap();
        let effects = bench.receive(&event);
        assert!(started(&effects).is_empty() && said(&effects).is_empty(), "{effects:?}");
    }
    let mut open = Bench::new(|config| config.accept_open_jobs = true);
    let event = job.to_event(Audience::Open, &asker, NOW).unwrap();
    assert_eq!(started(&open.receive(&event)), [event.id]);
}

#[test]
fn a_result_from_before_a_restart_answers_the_job() {
    let mut bench = Bench::new(|_| {});
    let job = bench.job(&Keys::generate(), "a");
    let result = EventBuilder::new(kinds::JOB_RESULT, "answer")
        .tag(nostr::Tag::event(job.id))
        .custom_created_at(NOW)
        .sign_with_keys(&bench.provider)
        .unwrap();
    let forged = EventBuilder::new(kinds::JOB_RESULT, "another answer")
        .tag(nostr::Tag::event(job.id))
        .sign_with_keys(&Keys::generate())
        .unwrap();
    bench.session.remember_result(result.clone());
    bench.session.remember_result(forged);
    let effects = bench.receive(&job);
    assert_eq!((delivered(&effects), started(&effects)), (vec![result], vec![]));
}

#[test]
fn only_recent_results_are_repeated_to_a_relay_that_comes_back() {
    for (age_secs, repeated) in [(0, 1), (119, 1), (121, 0)] {
        let mut bench = Bench::new(|_| {});
        let job = bench.job(&Keys::generate(), "a");
        let result = EventBuilder::new(kinds::JOB_RESULT, "answer")
            .tag(nostr::Tag::event(job.id))
            .custom_created_at(Timestamp::from_secs(NOW.as_secs() - age_secs))
            .sign_with_keys(&bench.provider)
            .unwrap();
        bench.session.remember_result(result);
        assert_eq!(bench.session.repeat_results(NOW).len(), repeated, "{age_secs} s");
    }
}

#[test]
fn debug_output_shows_no_secret_key() {
    let bench = Bench::new(|_| {});
    let shown = format!("{:?}", bench.session);
    assert!(!shown.contains(&bench.provider.secret_key().to_secret_hex()));
}

fn no_credit() -> Refusal {
    Refusal::new(RefusalReason::Busy, "unreleased work: 1 jobs are out, 1 are allowed until more is released")
}

/// The one job that these effects start.
fn ticket(effects: Vec<Effect>) -> Box<Ticket> {
    let mut tickets =
        effects.into_iter().filter_map(|e| if let Effect::Start(ticket) = e { Some(ticket) } else { None });
    let ticket = tickets.next().unwrap();
    assert!(tickets.next().is_none());
    Box::new(ticket)
}

#[test]
fn a_job_that_waits_for_credit_holds_no_slot() {
    let mut bench = Bench::new(|_| {});
    let (greedy, modest) = (Keys::generate(), Keys::generate());
    let (first, second) = (bench.job(&greedy, "a"), bench.job(&modest, "b"));
    let start = ticket(bench.receive(&first));
    assert_eq!(started(&bench.receive(&second)), [], "there is one slot");
    let parked = bench.session.finished(first.id, Outcome::Waits(start, no_credit()), NOW);
    assert_eq!(started(&parked), [second.id]);
    assert!(bench.session.has_parked());
    assert_eq!(started(&bench.session.unpark(NOW)), [], "it waits for its turn like any other");
    let outcome = bench.answered();
    let next = bench.session.finished(second.id, outcome, NOW);
    assert_eq!((started(&next), said(&next)), (vec![first.id], Vec::new()), "it was told before");
    let outcome = bench.answered();
    assert_eq!(delivered(&bench.session.finished(first.id, outcome, NOW)).len(), 1);
    assert!(bench.session.is_idle());
}

#[test]
fn a_job_without_credit_is_refused_after_a_while_or_cancelled_before() {
    let mut bench = Bench::new(|_| {});
    let asker = Keys::generate();
    let job = bench.job(&asker, "a");
    let start = ticket(bench.receive(&job));
    assert_eq!(said(&bench.session.finished(job.id, Outcome::Waits(start, no_credit()), NOW)), []);
    let start = ticket(bench.session.unpark(later(CREDIT_TIMEOUT_SECS)));
    let over = bench.session.finished(job.id, Outcome::Waits(start, no_credit()), later(CREDIT_TIMEOUT_SECS));
    assert_eq!(said(&over), [(job.id, FeedbackStatus::Error, Some(RefusalReason::Busy))]);
    assert!(bench.session.is_idle());

    let job = bench.job(&asker, "b");
    let start = ticket(bench.receive(&job));
    bench.session.finished(job.id, Outcome::Waits(start, no_credit()), NOW);
    let cancelled = bench.cancel(&job, &asker);
    assert_eq!(said(&cancelled), [(job.id, FeedbackStatus::Cancelled, None)]);
    assert!(bench.session.is_idle());
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

#[test]
fn unreadable_jobs_for_us_get_an_answer_without_quotes_others_get_none() {
    let mut bench = Bench::new(|config| config.jobs_per_minute_per_asker = 8);
    let asker = Keys::generate();
    let tag = |values: &[&str]| Tag::parse(values.iter().copied()).unwrap();
    let deep = format!("{{\"type\":\"json_schema\",\"value\":{}{}}}", "[".repeat(300), "]".repeat(300));
    let job = |content: &str, tags: Vec<Tag>, to: PublicKey| {
        let builder = EventBuilder::new(kinds::JOB_REQUEST, content).tags(tags).tag(Tag::public_key(to));
        builder.custom_created_at(NOW).sign_with_keys(&asker).unwrap()
    };
    let ours = |constraint: &str| {
        vec![tag(&["frlm", "1"]), tag(&["i", "a", "text"]), tag(&["param", "constraint", constraint])]
    };
    let us = bench.provider.public_key();
    for (content, tags) in [
        ("secret nonsense", vec![tag(&["encrypted"])]),
        ("", ours(&deep)),
        ("", ours("{\"type\":\"secret\",\"value\":1}")),
        ("", vec![tag(&["i", "a", "text"]); 1_025]),
    ] {
        let event = job(content, tags, us);
        let effects = bench.receive(&event);
        let words: Vec<_> = effects
            .iter()
            .filter_map(|effect| match effect {
                Effect::Say(job, feedback) | Effect::Repeat(job, feedback) if job.id == event.id => {
                    feedback.detail.clone()
                }
                _ => None,
            })
            .collect();
        assert!(words.len() == 1 && !words[0].contains("secret"), "{words:?}");
    }
    let elsewhere = job("nonsense", vec![tag(&["encrypted"])], Keys::generate().public_key());
    assert!(said(&bench.receive(&elsewhere)).is_empty());
    let words = (0..100).map(|number| {
        let event = job(&number.to_string(), vec![tag(&["encrypted"])], us);
        said(&bench.receive(&event)).len()
    });
    assert!(words.sum::<usize>() <= 8, "nobody makes us talk without end");
}

/// A job of so many prompts, each with a bound on its answer.
fn large_job(bench: &Bench, asker: &Keys, prompts: usize, max_tokens: u32) -> Event {
    let texts: Vec<String> = (0..prompts).map(|number| number.to_string()).collect();
    let mut job = JobRequest::over("copy", texts, Mode::Each);
    job.profile = Some("1".to_owned());
    job.max_tokens = Some(max_tokens);
    job.expires_at = Some(later(300));
    job.to_event(Audience::Directed(bench.provider.public_key()), asker, NOW).unwrap()
}

#[test]
fn a_small_job_does_not_wait_for_the_end_of_a_large_one() {
    let mut bench = Bench::new(|_| {});
    let (hogs, modest) = ([Keys::generate(), Keys::generate()], Keys::generate());
    let first = large_job(&bench, &hogs[0], 300, 400);
    assert_eq!(started(&bench.receive(&first)), [first.id]);
    for asker in &hogs {
        let more = large_job(&bench, asker, 301, 400);
        assert!(started(&bench.receive(&more)).is_empty(), "large ones wait for each other");
    }
    let small = large_job(&bench, &modest, 8, 24);
    assert_eq!(started(&bench.receive(&small)), [small.id]);
    let second = large_job(&bench, &modest, 9, 24);
    assert!(started(&bench.receive(&second)).is_empty(), "one of each asker");
    let outcome = bench.answered();
    assert_eq!(started(&bench.session.finished(small.id, outcome, NOW)), [second.id]);
}

#[test]
fn thousands_of_one_asker_s_jobs_make_nobody_else_s_late() {
    let mut bench = Bench::new(|config| config.max_queue = 64);
    let (hog, modest) = (Keys::generate(), Keys::generate());
    bench.session.speed.works(NOW);
    bench.session.speed.measured(Duration::from_secs(1));
    for number in 0..60 {
        let job = bench.job(&hog, &number.to_string());
        bench.receive(&job);
    }
    // Its own turn, and one of the other's before it: far less than the sixty seconds of all that waits.
    let job = bench.job_until(&modest, "a", later(10));
    assert_eq!(said(&bench.receive(&job)), []);
    let own = bench.job_until(&hog, "61", later(10));
    let effects = bench.receive(&own);
    assert_eq!(said(&effects), [(own.id, FeedbackStatus::Error, Some(RefusalReason::TooLate))]);
}

#[test]
fn a_job_that_waits_is_told_for_how_long() {
    let mut bench = Bench::new(|_| {});
    bench.session.speed.works(NOW);
    bench.session.speed.measured(Duration::from_secs(2));
    bench.receive(&large_job(&bench, &Keys::generate(), 20, 24));
    let job = large_job(&bench, &Keys::generate(), 6, 24);
    bench.receive(&job);
    let (_, word) = bench.session.status(job.id, NOW).unwrap();
    let detail = word.detail.unwrap();
    assert!(word.status == FeedbackStatus::Processing && detail.contains("waits for its turn"), "{detail}");
}

#[test]
fn in_a_flood_of_many_keys_first_words_are_told_apart_from_repetitions() {
    let mut bench = Bench::new(|config| config.max_queue = 8);
    let hogs: Vec<Keys> = std::iter::repeat_with(Keys::generate).take(100).collect();
    let (mut first, mut again) = (0, 0);
    let mut hear = |effects: &[Effect]| {
        first += effects.iter().filter(|effect| matches!(effect, Effect::Say(..))).count();
        again += effects.iter().filter(|effect| matches!(effect, Effect::Repeat(..))).count();
    };
    for number in 0..5 {
        for hog in &hogs {
            let job = bench.job(hog, &number.to_string());
            hear(&bench.receive(&job));
        }
    }
    assert!(first <= hogs.len() && again >= 3 * hogs.len(), "{first} first words, {again} repetitions");
    let newcomer = bench.job(&Keys::generate(), "a");
    let effects = bench.receive(&newcomer);
    let hears = |effect: &Effect| match effect {
        Effect::Say(job, feedback) => job.id == newcomer.id && feedback.retry_after_secs.is_some(),
        Effect::TellSoon(job) => *job == newcomer.id,
        _ => false,
    };
    assert!(effects.iter().any(hears), "{effects:?}");
}

#[test]
fn a_directed_job_of_another_kind_is_refused_with_the_kind_that_is_served() {
    let mut bench = Bench::new(|_| {});
    let asker = Keys::generate();
    let job = |kind: u16, to: PublicKey| {
        let builder = EventBuilder::new(nostr::Kind::from_u16(kind), "").tag(Tag::public_key(to));
        builder.custom_created_at(NOW).sign_with_keys(&asker).unwrap()
    };
    let us = bench.provider.public_key();
    for kind in [5000, 5001, 5002] {
        let event = job(kind, us);
        let effects = bench.receive(&event);
        assert_eq!(said(&effects), [(event.id, FeedbackStatus::Error, Some(RefusalReason::Unsupported))]);
    }
    assert_eq!(said(&bench.receive(&job(5001, Keys::generate().public_key()))), []);
    assert_eq!(said(&bench.receive(&job(5999, us))), []);
}

#[test]
fn who_finds_no_place_is_told_when_there_may_be_one() {
    let mut bench = Bench::new(|config| config.max_queue = 20);
    bench.session.speed.works(NOW);
    bench.session.speed.measured(Duration::from_secs(2));
    let mut last = Vec::new();
    for number in 0..22 {
        let job = bench.job_until(&Keys::generate(), &number.to_string(), later(3_000));
        last = bench.receive(&job);
    }
    let retry_after = last.iter().find_map(|effect| match effect {
        Effect::Say(_, feedback) => Some((feedback.reason, feedback.retry_after_secs)),
        _ => None,
    });
    assert_eq!(retry_after, Some((Some(RefusalReason::Busy), Some(20))), "half of twenty prompts of 2 s");
}
