//! What a builder writes, the parser reads back: for every type, under random content.

use frlm_protocol::{
    Announcement, AnswerCommitment, Attestation, Audience, Cancellation, Certificate, CommittedPosition,
    Encryption, Feedback, FeedbackStatus, Heartbeat, Input, InputSource, JobAnswer, JobRequest, JobResult,
    Mode, ModelIdentity, OutputConstraint, RefusalReason, Speed, Validate,
};
use nostr::{EventId, Keys, SecretKey, Timestamp};
use proptest::prelude::*;
use proptest::{collection, option, sample};

use crate::bare_job;

const NOW: u64 = 1_700_000_000;

fn asker() -> Keys {
    keys(1)
}

fn provider() -> Keys {
    keys(2)
}

fn keys(byte: u8) -> Keys {
    Keys::new(SecretKey::from_slice(&[byte; 32]).unwrap())
}

fn now() -> Timestamp {
    Timestamp::from_secs(NOW)
}

fn inputs(max_bytes: usize) -> impl Strategy<Value = Vec<Input>> {
    let source =
        sample::select(vec![InputSource::Text, InputSource::Url, InputSource::Event, InputSource::Job]);
    let data = any::<String>().prop_filter("fits", move |text| text.len() <= max_bytes);
    collection::vec((data, source).prop_map(|(data, source)| Input { data, source }), 0..6)
}

fn constraint() -> impl Strategy<Value = OutputConstraint> {
    prop_oneof![
        ".{0,40}".prop_map(OutputConstraint::Regex),
        any::<String>().prop_map(OutputConstraint::Lark),
        (any::<String>(), any::<i64>()).prop_map(|(title, most)| {
            OutputConstraint::JsonSchema(
                serde_json::json!({"title": title, "maximum": most, "type": "integer"}),
            )
        }),
    ]
}

prop_compose! {
    fn request(max_input_bytes: usize)(
        instruction in any::<String>(),
        inputs in inputs(max_input_bytes),
        mode in sample::select(vec![Mode::Together, Mode::Each]),
        max_tokens in option::of(any::<u32>()),
        temperature in option::of(0.0..2.0),
        top_p in option::of(0.0..1.0),
        top_k in option::of(any::<u32>()),
        model in option::of("[a-z][a-zA-Z0-9/._-]{0,30}"),
        constraint in option::of(constraint()),
        output in option::of("[a-z]{1,8}/[a-z]{1,8}"),
        bid_msats in option::of(any::<u64>()),
        relays in collection::vec("wss?://[a-z]{1,12}\\.example(:[1-9][0-9]{1,3})?(/[a-z]{0,5})?", 0..4),
        lifetime in 1u64..1_000_000,
        validate in option::of(collection::vec(any::<String>(), 0..4)),
    ) -> JobRequest {
        JobRequest {
            // Nothing to do is refused by the builder; its own test says so.
            instruction: if inputs.is_empty() { format!("x{instruction}") } else { instruction },
            inputs, mode, max_tokens, temperature, top_p, top_k, model, constraint, output,
            bid_msats, relays,
            payment: None,
            certificate: None,
            validate: validate.map(|answers| Validate { result: EventId::from_byte_array([7; 32]), answers }),
            expires_at: Some(Timestamp::from_secs(NOW + lifetime)),
            profile: Some("1".to_owned()),
        }
    }
}

fn confidence() -> impl Strategy<Value = Option<f64>> {
    option::of((0u32..=1024).prop_map(|part| f64::from(part) / 1024.0))
}

prop_compose! {
    fn commitment()(
        tokens in collection::vec(any::<u32>(), 0..40),
        positions in collection::vec(
            (any::<u32>(), collection::vec((any::<u32>(), -30.0_f32..=0.0), 0..=5)), 0..=8,
        ),
    ) -> AnswerCommitment {
        let positions = positions.into_iter().map(|(position, top)| CommittedPosition { position, top });
        AnswerCommitment { tokens, positions: positions.collect() }
    }
}

prop_compose! {
    fn result()(
        answers in collection::vec((any::<String>(), option::of(any::<String>()), confidence()), 1..5),
        commitments in collection::vec(option::of(commitment()), 2),
        model in option::of(("[a-z0-9-]{1,20}", option::of("[0-9a-f]{64}"))),
        prompt_tokens in any::<u64>(),
        completion_tokens in any::<u64>(),
        amount_msats in option::of(any::<u64>()),
        attested in option::of((any::<u32>(), any::<u32>())),
    ) -> JobResult {
        JobResult {
            answers: answers.into_iter()
                .zip(commitments.into_iter().chain(std::iter::repeat(None)))
                .map(|((text, reasoning, confidence), commitment)| {
                    JobAnswer { text, reasoning, confidence, commitment }
                })
                .collect(),
            model: model.map(|(name, weights_hash)| ModelIdentity { name, weights_hash }),
            attestation: attested.map(|(confirmed, shown)| Attestation {
                result: EventId::from_byte_array([7; 32]), digest: "ab".repeat(32), confirmed, shown,
            }),
            prompt_tokens, completion_tokens, amount_msats,
        }
    }
}

fn received(request: &JobRequest, audience: Audience) -> frlm_protocol::ReceivedJob {
    let event = request.to_event(audience, &asker(), now()).unwrap();
    JobRequest::from_event(&event, &provider()).unwrap()
}

fn small_job() -> JobRequest {
    JobRequest {
        instruction: "count".to_owned(),
        expires_at: Some(Timestamp::from_secs(NOW + 60)),
        profile: Some("1".to_owned()),
        ..bare_job()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_directed_job_survives_the_wire(request in request(2000)) {
        let provider = provider();
        let event = request.to_event(Audience::Directed(provider.public_key()), &asker(), now()).unwrap();
        event.verify().unwrap();
        let job = JobRequest::from_event(&event, &provider).unwrap();
        prop_assert_eq!(&job.request, &request);
        prop_assert_eq!(job.id, event.id);
        prop_assert_eq!(job.asker, asker().public_key());
        prop_assert_eq!(job.audience, Audience::Directed(provider.public_key()));
        prop_assert_eq!(job.encryption, Encryption::Nip44);
        prop_assert_eq!(job.request_json, None);
    }

    #[test]
    fn an_open_job_survives_the_wire(request in request(1024)) {
        let request = JobRequest { validate: None, ..request };
        let event = request.to_event(Audience::Open, &asker(), now()).unwrap();
        let job = JobRequest::from_event(&event, &provider()).unwrap();
        prop_assert_eq!(&job.request, &request);
        prop_assert_eq!(job.audience, Audience::Open);
        prop_assert_eq!(job.encryption, Encryption::None);
    }

    #[test]
    fn a_result_survives_the_wire(result in result(), open in any::<bool>()) {
        let audience = if open { Audience::Open } else { Audience::Directed(provider().public_key()) };
        let job = received(&small_job(), audience);
        let event = result.to_event(&job, &provider(), now()).unwrap();
        prop_assert!(event.content.is_empty() || !event.content.contains("answers"), "never in the clear");
        let back = JobResult::from_event(&event, &asker()).unwrap();
        prop_assert_eq!(back.result, result);
        prop_assert_eq!(back.job, job.id);
        prop_assert_eq!(back.provider, provider().public_key());
        prop_assert_eq!(back.encryption, Encryption::Nip44);
    }

    #[test]
    fn feedback_survives_the_wire(
        status in sample::select(vec![
            FeedbackStatus::PaymentRequired, FeedbackStatus::Processing, FeedbackStatus::Error,
            FeedbackStatus::Success, FeedbackStatus::Partial, FeedbackStatus::Cancelled,
        ]),
        detail in "\\PC{1,60}",
        reason in option::of(sample::select(RefusalReason::ALL.to_vec())),
        partial in "\\PC{1,200}",
        amount_msats in option::of(any::<u64>()),
    ) {
        let output = matches!(status, FeedbackStatus::Partial | FeedbackStatus::Success);
        let feedback = Feedback {
            status,
            detail: Some(detail),
            reason: reason.filter(|_| status != FeedbackStatus::Cancelled),
            partial: output.then_some(partial),
            amount_msats,
            retry_after_secs: amount_msats.map(|msats| u32::try_from(msats % 10_000).unwrap()),
            pow_bits: amount_msats.map(|msats| u8::try_from(msats % 255 + 1).unwrap()),
        };
        let job = received(&small_job(), Audience::Directed(provider().public_key()));
        let event = feedback.to_event(&job, &provider(), now()).unwrap();
        let back = Feedback::from_event(&event, &asker()).unwrap();
        prop_assert_eq!(back.feedback, feedback);
        prop_assert_eq!(back.job, job.id);
        prop_assert_eq!(back.provider, provider().public_key());
    }

    #[test]
    fn an_announcement_survives_the_wire(
        name in "\\PC{0,40}",
        model in "[a-z0-9-]{1,20}",
        weights_hash in option::of("[0-9a-f]{64}"),
        quantisation in option::of("[a-z0-9_]{1,8}"),
        context_tokens in any::<u32>(),
        tenths_per_sec in option::of((1u32..=10_000_000, 1u32..=10_000_000)),
        prices in (any::<u64>(), option::of(any::<u64>()), any::<u64>()),
        concurrency in any::<u32>(),
        roles in collection::vec("[a-z]{1,9}", 0..4),
        mints in collection::vec("https://[a-z]{1,9}\\.example", 0..4),
        escrow_key in option::of("0[23][0-9a-f]{64}"),
        without_pay in (any::<u32>(), any::<u32>()),
        (accepts_open_jobs, blob_bytes) in (any::<bool>(), any::<u32>()),
    ) {
        let (price_msats_per_1k, written_msats_per_1k, least_msats) = prices;
        let (pay_after_jobs, free_jobs_per_day) = without_pay;
        let per_sec = |tenths: u32| f64::from(tenths) / 10.0;
        let speed = tenths_per_sec.and_then(|(read, written)| Speed::new(per_sec(read), per_sec(written)));
        prop_assert_eq!(speed.is_some(), tenths_per_sec.is_some());
        let announcement = Announcement {
            name, model, weights_hash, quantisation, context_tokens, speed, price_msats_per_1k,
            written_msats_per_1k, least_msats,
            dialect: "records".to_owned(), concurrency, roles, mints, escrow_key, pay_after_jobs,
            free_jobs_per_day, accepts_open_jobs, blob_bytes,
        };
        let expires_at = Timestamp::from_secs(NOW + 120);
        let event = announcement.to_event(expires_at, &provider(), now()).unwrap();
        let back = Announcement::from_event(&event).unwrap();
        prop_assert_eq!(back.announcement, announcement);
        prop_assert_eq!(back.provider, provider().public_key());
        prop_assert_eq!(back.profile.as_deref(), Some("1"));
        prop_assert_eq!(back.expires_at, Some(expires_at));
        prop_assert!(back.supports_encryption);
        prop_assert_eq!(back.flat_price_msats, None);
    }

    #[test]
    fn a_heartbeat_survives_the_wire(queue_length in any::<u32>(), lifetime in 1u64..=600) {
        let heartbeat = Heartbeat { queue_length, expires_at: Timestamp::from_secs(NOW + lifetime) };
        let back = Heartbeat::from_event(&heartbeat.to_event(&provider(), now()).unwrap()).unwrap();
        prop_assert_eq!(back.heartbeat, heartbeat);
        prop_assert_eq!(back.provider, provider().public_key());
    }
}

/// A result whose answers come with these commitments, as the asker reads it.
fn sent_with(commitments: &[Option<AnswerCommitment>], text: &str) -> JobResult {
    let job = received(&small_job(), Audience::Directed(provider().public_key()));
    let answer = |commitment: &Option<AnswerCommitment>| JobAnswer {
        text: text.to_owned(),
        commitment: commitment.clone(),
        ..JobAnswer::default()
    };
    let result = JobResult {
        answers: commitments.iter().map(answer).collect(),
        model: None,
        prompt_tokens: 1,
        completion_tokens: 1,
        attestation: None,
        amount_msats: None,
    };
    let event = result.to_event(&job, &provider(), now()).unwrap();
    JobResult::from_event(&event, &asker()).unwrap().result
}

#[test]
fn commitments_beyond_all_bounds_are_left_out_and_their_answers_are_not() {
    let good = AnswerCommitment {
        tokens: vec![7; 512],
        positions: vec![CommittedPosition { position: 3, top: vec![(7, -0.5); 5] }; 8],
    };
    let with = |change: fn(&mut AnswerCommitment)| {
        let mut odd = good.clone();
        change(&mut odd);
        Some(odd)
    };
    let odd = [
        with(|it| it.tokens.push(1)),
        with(|it| it.positions.push(CommittedPosition::default())),
        with(|it| it.positions[0].top.push((1, -1.0))),
        with(|it| it.positions[0].top[0].1 = f32::NEG_INFINITY),
        with(|it| it.positions[0].top[0].1 = f32::NAN),
    ];
    let read = sent_with(&odd, "42");
    assert!(read.answers.iter().all(|answer| answer.text == "42" && answer.commitment.is_none()));
    let read = sent_with(&vec![Some(good.clone()); 3], "42");
    let kept: Vec<bool> = read.answers.iter().map(|answer| answer.commitment.is_some()).collect();
    assert_eq!(kept, [true, true, false]);
    // Alone it fits into one event, with what it could be audited by it does not.
    let read = sent_with(&[Some(good)], &"x".repeat(31 * 1024));
    assert_eq!((read.answers[0].text.len(), &read.answers[0].commitment), (31 * 1024, &None));
}

#[test]
fn an_answer_whose_commitment_cannot_be_read_counts_without_it() {
    let read = |commitment: &str| {
        let body = format!(r#"{{"answers":[{{"text":"42","commitment":{commitment}}}]}}"#);
        serde_json::from_str::<JobResult>(&body).unwrap().answers.remove(0)
    };
    let good = read(r#"{"form":1,"tokens":[5,9],"positions":[[0,[[5,-0.1],[7,-2.5]]]]}"#).commitment.unwrap();
    assert_eq!((good.tokens, good.positions[0].top[1]), (vec![5, 9], (7, -2.5)));
    for odd in [
        "null",
        "7",
        "[]",
        "{}",
        r#"{"form":2,"tokens":[5],"positions":[]}"#,
        r#"{"form":1,"tokens":[-5],"positions":[]}"#,
        r#"{"form":1,"tokens":[5],"positions":[[0,[[5,null]]]]}"#,
        r#"{"form":1,"tokens":[5],"positions":[[0,[[5,-1e300]]]]}"#,
    ] {
        let answer = read(odd);
        assert_eq!((answer.text.as_str(), answer.commitment), ("42", None), "{odd}");
    }
}

#[test]
fn a_payment_travels_in_directed_jobs_only() {
    let job = JobRequest { payment: Some("{}".to_owned()), ..small_job() };
    let directed = received(&job, Audience::Directed(provider().public_key()));
    assert_eq!(directed.request.payment.as_deref(), Some("{}"));
    let refused = job.to_event(Audience::Open, &asker(), now()).unwrap_err();
    assert!(refused.to_string().contains("cannot carry a payment"), "{refused}");
}

#[test]
fn who_asks_is_said_in_directed_jobs_only() {
    let (identity, run) = (Keys::generate(), asker().public_key());
    let certificate = Certificate::sign(&identity, &run, Timestamp::from_secs(NOW + 60));
    let job = JobRequest { certificate: Some(certificate.clone()), ..small_job() };
    let directed = received(&job, Audience::Directed(provider().public_key()));
    assert_eq!(directed.request.certificate, Some(certificate));
    let known = directed.request.certificate.unwrap().vouches_for(&directed.asker, now());
    assert_eq!(known, Some(identity.public_key()));
    let refused = job.to_event(Audience::Open, &asker(), now()).unwrap_err();
    assert!(refused.to_string().contains("cannot say who asks"), "{refused}");
}

#[test]
fn a_cancellation_names_its_job_and_only_its_author_can_cancel() {
    let job = received(&small_job(), Audience::Open);
    let event = Cancellation { job: job.id }
        .to_event(Audience::Directed(provider().public_key()), &asker(), now())
        .unwrap();
    let back = Cancellation::from_event(&event).unwrap();
    assert_eq!(back.jobs, [job.id]);
    assert!(back.cancels(&job.id, &job.asker));

    let forged = Cancellation { job: job.id }.to_event(Audience::Open, &keys(9), now()).unwrap();
    assert!(!Cancellation::from_event(&forged).unwrap().cancels(&job.id, &job.asker));
}

#[test]
fn asker_and_provider_may_share_a_key() {
    let both = asker();
    let event = small_job().to_event(Audience::Directed(both.public_key()), &both, now()).unwrap();
    let job = JobRequest::from_event(&event, &both).unwrap();
    let result = JobResult {
        answers: vec![JobAnswer { text: "42".to_owned(), ..JobAnswer::default() }],
        model: None,
        prompt_tokens: 1,
        completion_tokens: 1,
        attestation: None,
        amount_msats: None,
    };
    let back = JobResult::from_event(&result.to_event(&job, &both, now()).unwrap(), &both).unwrap();
    assert_eq!(back.result, result);
}

#[test]
fn a_bill_names_its_job_the_amount_and_the_invoice() {
    let job = received(&small_job(), Audience::Directed(provider().public_key()));
    let event = Feedback::bill(&job, 21_000, "lnbc210n1", &provider(), now()).unwrap();
    let back = Feedback::from_event(&event, &asker()).unwrap();
    assert_eq!((back.job, back.feedback.status), (job.id, FeedbackStatus::PaymentRequired));
    assert_eq!(back.feedback.amount_msats, Some(21_000));
    assert_eq!(back.invoice.as_deref(), Some("lnbc210n1"));
}
