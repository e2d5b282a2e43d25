//! What askers get.

use super::*;
use frlm_protocol::{Verdict, verdict};

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
