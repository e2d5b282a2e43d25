//! What becomes of free jobs while thousands of keys that cost nothing send some: proof of work, and who is vouched for.

use frlm_protocol::work;

use super::paying::served;
use super::*;

const BITS: u8 = 8;
const PROMPTS: usize = 8;
const JOBS: usize = 40;

/// A provider without a price, and a thousand keys that have sent it five jobs each.
fn flooded(change: impl FnOnce(&mut ProviderConfig)) -> (Bench, Vec<Effect>) {
    let mut bench = Bench::new(|config| {
        config.pow_bits = BITS;
        change(config);
    });
    let mut effects = Vec::new();
    for _ in 0..1_000 {
        let key = Keys::generate();
        for _ in 0..5 {
            let job = large_job(&bench, &key, PROMPTS, 24);
            effects.extend(bench.receive(&job));
        }
    }
    (bench, effects)
}

/// The words with which a job was refused.
fn refusal(effects: &[Effect]) -> Option<Feedback> {
    effects.iter().find_map(|effect| match effect {
        Effect::Say(_, word) | Effect::Repeat(_, word) => Some(word.clone()),
        _ => None,
    })
}

/// Prompts that are answered until all of these jobs are, which come after what the flood has started; `None` where some are not.
fn prompts_until(bench: &mut Bench, flood: Vec<Effect>, run: &[Event]) -> Option<usize> {
    let mut started = flood;
    for job in run {
        started.extend(bench.receive(job));
    }
    let served = served(bench, &started);
    let is_of_the_run = |job: &EventId| run.iter().any(|other| other.id == *job);
    let done = served.iter().filter(|job| is_of_the_run(job)).count();
    let last = served.iter().rposition(&is_of_the_run)? + 1;
    (done == run.len() * PROMPTS).then_some(last)
}

#[test]
fn a_free_run_with_work_takes_at_most_four_times_as_long_in_a_flood() {
    let (mut bench, flood) = flooded(|_| {});
    let asker = Keys::generate();
    let mut run: Vec<Event> = (0..JOBS).map(|_| large_job(&bench, &asker, PROMPTS, 24)).collect();
    let refused = refusal(&bench.receive(&run[0])).unwrap();
    assert_eq!((refused.reason, refused.pow_bits), (Some(RefusalReason::Busy), Some(BITS)));
    run[0] = work::mine(&run[0], &asker, BITS, || true).unwrap();
    let until = prompts_until(&mut bench, flood, &run).expect("all of it is served");
    assert!(until <= 4 * JOBS * PROMPTS, "{until} prompts for {}", JOBS * PROMPTS);
}

#[test]
fn a_new_key_without_work_hears_at_once_when_to_come_back() {
    let (mut bench, flood) = flooded(|_| {});
    let asker = Keys::generate();
    let job = large_job(&bench, &asker, PROMPTS, 24);
    let refused = refusal(&bench.receive(&job)).unwrap();
    assert!(refused.retry_after_secs.is_some_and(|secs| secs > 0), "{refused:?}");
    assert_eq!(prompts_until(&mut bench, flood, &[]), None, "the flood is worked off");
    let effects = bench.receive(&job);
    assert_eq!(started(&effects), [job.id]);
}

#[test]
fn one_who_is_vouched_for_needs_no_work() {
    let friend = Keys::generate();
    let (mut bench, flood) = flooded(|config| {
        config.vouched.insert(friend.public_key());
    });
    let run: Vec<Event> = (0..JOBS).map(|_| large_job(&bench, &friend, PROMPTS, 24)).collect();
    let until = prompts_until(&mut bench, flood, &run).expect("all of it is served");
    assert!(until <= 4 * JOBS * PROMPTS, "{until} prompts for {}", JOBS * PROMPTS);
}

#[test]
fn enough_work_counts_for_its_key_for_a_while() {
    let (mut bench, _) = flooded(|_| {});
    let asker = Keys::generate();
    let job = |bench: &Bench, expires: u64| bench.job_until(&asker, "a", later(expires));
    let little = work::mine(&job(&bench, 300), &asker, BITS - 1, || true).unwrap();
    assert_eq!(refusal(&bench.receive(&little)).unwrap().pow_bits, Some(BITS));
    let enough = work::mine(&job(&bench, 300), &asker, BITS, || true).unwrap();
    // It takes a guest's place, and the guest is told what would have kept it.
    let displaced = refusal(&bench.receive(&enough)).unwrap();
    assert_eq!((displaced.reason, displaced.pow_bits), (Some(RefusalReason::Busy), Some(BITS)));
    let next = job(&bench, 301);
    let is_taken = |effects: &[Effect]| {
        effects.iter().any(|effect| matches!(effect, Effect::Tell(ProviderEvent::JobReceived { .. })))
    };
    assert!(is_taken(&bench.session.receive(&next, later(300 - 1))));
    let late = job(&bench, 900);
    assert!(!is_taken(&bench.session.receive(&late, later(700))));
}

#[test]
fn a_single_key_that_fills_the_queue_makes_no_crowd() {
    let mut bench = Bench::new(|config| config.pow_bits = BITS);
    let greedy = Keys::generate();
    for _ in 0..100 {
        let job = large_job(&bench, &greedy, PROMPTS, 24);
        bench.receive(&job);
    }
    let modest = bench.job(&Keys::generate(), "a");
    let refused = refusal(&bench.receive(&modest)).unwrap();
    assert_eq!(refused.reason, Some(RefusalReason::Busy), "it is the greedy one who gives way");
    assert!(bench.session.status(modest.id, NOW).is_some());
}

/// A job that cannot be opened: its refusal says whether that was tried.
fn unopenable(bench: &Bench, asker: &Keys, expires_at: Timestamp) -> Event {
    let encrypted = Tag::parse(["encrypted"]).unwrap();
    EventBuilder::new(kinds::JOB_REQUEST, "sealed for nobody")
        .tags([Tag::public_key(bench.provider.public_key()), Tag::expiration(expires_at), encrypted])
        .custom_created_at(NOW)
        .sign_with_keys(asker)
        .unwrap()
}

#[test]
fn a_crowded_provider_without_a_price_refuses_guests_unopened() {
    let (mut bench, _) = flooded(|_| {});
    let asker = Keys::generate();
    let job = unopenable(&bench, &asker, later(300));
    let refused = refusal(&bench.receive(&job)).unwrap();
    assert_eq!((refused.reason, refused.pow_bits), (Some(RefusalReason::Busy), Some(BITS)));
    assert!(refused.retry_after_secs.is_some());
    let with_work = work::mine(&job, &asker, BITS, || true).unwrap();
    let refused = refusal(&bench.receive(&with_work)).unwrap();
    assert_eq!(refused.reason, Some(RefusalReason::Unsupported), "a place would be found for it");
}

#[test]
fn a_full_queue_refuses_the_key_that_fills_it_unopened_and_no_other() {
    let mut bench = Bench::new(|_| {});
    let (greedy, modest) = (Keys::generate(), Keys::generate());
    for number in 0..100 {
        let job = bench.job(&greedy, &number.to_string());
        bench.receive(&job);
    }
    let mut reason_for = |asker| {
        let job = unopenable(&bench, asker, later(300));
        refusal(&bench.receive(&job)).unwrap().reason
    };
    assert_eq!(reason_for(&greedy), Some(RefusalReason::Busy));
    assert_eq!(reason_for(&modest), Some(RefusalReason::Unsupported));
}

#[test]
fn pay_and_certificates_are_looked_for_inside_however_crowded_it_is() {
    let with_a_price = |config: &mut ProviderConfig| {
        (config.price_msats_per_1k, config.free_jobs_per_day) = (1_000, 1_000);
    };
    let vouching = |config: &mut ProviderConfig| {
        config.vouched.insert(Keys::generate().public_key());
    };
    for change in [with_a_price as fn(&mut ProviderConfig), vouching] {
        let (mut bench, _) = flooded(change);
        let asker = Keys::generate();
        let job = large_job(&bench, &asker, PROMPTS, 24);
        assert_eq!(refusal(&bench.receive(&job)).unwrap().reason, Some(RefusalReason::Busy));
        let job = unopenable(&bench, &asker, later(300));
        assert_eq!(refusal(&bench.receive(&job)).unwrap().reason, Some(RefusalReason::Unsupported));
    }
}

#[test]
fn a_job_that_has_expired_is_ignored_unopened() {
    let mut bench = Bench::new(|config| config.price_msats_per_1k = 1_000);
    let job = unopenable(&bench, &Keys::generate(), NOW);
    assert_eq!(said(&bench.receive(&job)), []);
    let stats = bench.session.stats();
    assert_eq!((stats.ignored, stats.refused), (1, 0));
}
