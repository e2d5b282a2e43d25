//! Whose turn it is.

use super::*;
use crate::session::turns::CREDIT_TIMEOUT_SECS;

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

/// A job of so many prompts, each with a bound on its answer.
pub(super) fn large_job(bench: &Bench, asker: &Keys, prompts: usize, max_tokens: u32) -> Event {
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
