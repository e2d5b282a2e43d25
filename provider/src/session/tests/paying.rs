//! What a provider that is paid does first while keys that cost nothing send it jobs.

use super::*;

const FREE_JOBS: u32 = 3;
const PROMPTS: usize = 8;

fn paid_bench() -> Bench {
    Bench::new(|config| {
        (config.price_msats_per_1k, config.free_jobs_per_day) = (1_000, FREE_JOBS);
    })
}

/// A job of so many prompts with its pay, which is not looked at before the work.
fn with_pay(bench: &Bench, asker: &Keys, prompts: usize, expires_at: Timestamp) -> Event {
    let mut job = JobRequest::over("copy", (0..prompts).map(|number| number.to_string()), Mode::Each);
    (job.profile, job.max_tokens, job.expires_at) = (Some("1".to_owned()), Some(24), Some(expires_at));
    (job.bid_msats, job.payment) = (Some(1_000_000), Some("{}".to_owned()));
    job.to_event(Audience::Directed(bench.provider.public_key()), asker, NOW).unwrap()
}

/// Whose prompts are answered, in order, where all jobs that run have the same share of the engine.
pub(super) fn served(bench: &mut Bench, effects: &[Effect]) -> Vec<EventId> {
    let running_since = |effects: &[Effect]| -> Vec<(EventId, usize)> {
        let tickets =
            effects.iter().filter_map(|e| if let Effect::Start(ticket) = e { Some(ticket) } else { None });
        tickets.map(|ticket| (ticket.job.id, ticket.needs.prompts)).collect()
    };
    let (mut running, mut served) = (running_since(effects), Vec::new());
    while !running.is_empty() {
        for (_, left) in &mut running {
            *left -= 1;
        }
        served.extend(running.iter().map(|(job, _)| *job));
        let (over, rest): (Vec<_>, Vec<_>) = running.into_iter().partition(|(_, left)| *left == 0);
        running = rest;
        for (job, _) in over {
            let outcome = bench.answered();
            running.extend(running_since(&bench.session.finished(job, outcome, NOW)));
        }
    }
    served
}

#[test]
fn a_flood_of_free_keys_and_hogs_at_most_doubles_the_work_of_a_paying_run() {
    let mut bench = paid_bench();
    let mut started = Vec::new();
    for _ in 0..2 {
        let hog = large_job(&bench, &Keys::generate(), 300, 24);
        started.extend(bench.receive(&hog));
    }
    for _ in 0..1_000 {
        let key = Keys::generate();
        for _ in 0..5 {
            let job = large_job(&bench, &key, PROMPTS, 24);
            started.extend(bench.receive(&job));
        }
    }
    assert_eq!(bench.session.stats().received, u64::from(FREE_JOBS * crate::quota::FREE_OVERALL));
    let asker = Keys::generate();
    let run: Vec<Event> = (0..40).map(|_| with_pay(&bench, &asker, PROMPTS, later(3_000))).collect();
    for job in &run {
        started.extend(bench.receive(job));
    }
    let served = served(&mut bench, &started);
    let is_paid = |job: &EventId| run.iter().any(|paid| paid.id == *job);
    let until = served.iter().rposition(is_paid).unwrap() + 1;
    let paid = served[..until].iter().filter(|job| is_paid(job)).count();
    assert_eq!((paid, bench.session.is_idle()), (40 * PROMPTS, true), "all are served");
    assert!(until <= 2 * paid, "{until} prompts for {paid}");
}

#[test]
fn what_keys_send_that_pay_is_read_first_until_their_pay_is_none() {
    let mut bench = paid_bench();
    let preferred = |effects: &[Effect]| -> Vec<(PublicKey, bool)> {
        let of = |e: &Effect| if let Effect::Prefer(key, is) = e { Some((*key, *is)) } else { None };
        effects.iter().filter_map(of).collect()
    };
    let guest = large_job(&bench, &Keys::generate(), 1, 24);
    assert_eq!(preferred(&bench.receive(&guest)), []);
    let payer = Keys::generate();
    bench.session.remember_payers([payer.public_key()]);
    assert!(bench.session.known_askers().eq([payer.public_key()]), "after a restart, too");
    let paying = Keys::generate();
    let job = with_pay(&bench, &paying, 1, later(300));
    assert_eq!(preferred(&bench.receive(&job)), [(paying.public_key(), true)]);
    let guest_is_over = bench.answered();
    bench.session.finished(guest.id, guest_is_over, NOW);
    let no_pay = Refusal::new(RefusalReason::Unsupported, "this is no lock");
    let ended = bench.session.finished(job.id, Outcome::Failed(no_pay, String::new()), NOW);
    assert_eq!(preferred(&ended), [(paying.public_key(), false)]);
    let job = with_pay(&bench, &payer, 1, later(300));
    bench.receive(&job);
    let failed = Refusal::new(RefusalReason::EngineFailed, "the engine failed");
    let ended = bench.session.finished(job.id, Outcome::Failed(failed, String::new()), NOW);
    assert_eq!(preferred(&ended), [], "who has paid before stays known");
}

#[test]
fn a_job_that_pays_is_not_late_because_of_guests_and_guests_hear_of_it() {
    let mut bench = paid_bench();
    bench.session.speed.works(NOW);
    bench.session.speed.measured(Duration::from_secs(1));
    for _ in 0..8 {
        let job = large_job(&bench, &Keys::generate(), PROMPTS, 24);
        bench.receive(&job);
    }
    // Eight of its own, and as many of the one that runs.
    let job = with_pay(&bench, &Keys::generate(), PROMPTS, later(17));
    assert_eq!(said(&bench.receive(&job)), []);
    for _ in 0..4 {
        let job = with_pay(&bench, &Keys::generate(), PROMPTS, later(300));
        bench.receive(&job);
    }
    let mut job = JobRequest::over("copy", ["a"], Mode::Each);
    (job.profile, job.expires_at) = (Some("1".to_owned()), Some(later(30)));
    let job = job.to_event(Audience::Directed(bench.provider.public_key()), &Keys::generate(), NOW).unwrap();
    let late = (job.id, FeedbackStatus::Error, Some(RefusalReason::TooLate));
    assert_eq!(said(&bench.receive(&job)), [late], "what is paid goes before its one prompt");
}

#[test]
fn at_a_provider_without_a_price_pay_changes_nothing() {
    let mut bench = Bench::new(|_| {});
    let [first, second] = [0, 1].map(|_| large_job(&bench, &Keys::generate(), 1, 24));
    let third = with_pay(&bench, &Keys::generate(), 1, later(300));
    for job in [&first, &second, &third] {
        bench.receive(job);
    }
    for next in [second, third] {
        let running = *bench.session.running.keys().next().unwrap();
        let outcome = bench.answered();
        assert_eq!(started(&bench.session.finished(running, outcome, NOW)), [next.id]);
    }
}
