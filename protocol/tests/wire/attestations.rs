//! A validator's word counts only with its own signature over exactly what was asked.

use frlm_protocol::{
    Attestation, AttestationError, Audience, Covered, JobAnswer, JobRequest, JobResult, Mode, Validate,
};
use nostr::{Event, EventId, JsonUtil as _, Keys, SecretKey, Timestamp};

const NOW: Timestamp = Timestamp::from_secs(1_790_000_000);

fn keys(byte: u8) -> Keys {
    Keys::new(SecretKey::from_slice(&[byte; 32]).unwrap())
}

fn result_id() -> EventId {
    EventId::from_byte_array([9; 32])
}

fn request(answers: &[&str]) -> JobRequest {
    let answers = answers.iter().map(|text| (*text).to_owned()).collect();
    JobRequest {
        max_tokens: Some(16),
        temperature: Some(0.0),
        validate: Some(Validate { result: result_id(), answers }),
        expires_at: Some(NOW + 60),
        profile: Some("1".to_owned()),
        ..JobRequest::over("copy status", ["a=1 status=failed", "a=2 status=shipped"], Mode::Each)
    }
}

/// The validation job on the wire, and what its result must cover.
fn asked(asker: &Keys, validator: &Keys) -> (Event, Covered) {
    let request = request(&["failed", "shipped"]);
    let event = request.to_event(Audience::Directed(validator.public_key()), asker, NOW).unwrap();
    let covered = Covered {
        validator: validator.public_key(),
        job: event.id,
        result: result_id(),
        digest: request.digest(),
    };
    (event, covered)
}

/// A result signed by `signer` with this attestation.
fn answered(job: &Event, validator: &Keys, signer: &Keys, attestation: Option<Attestation>) -> Event {
    let job = JobRequest::from_event(job, validator).unwrap();
    let answers = vec![JobAnswer { text: "failed".to_owned(), ..JobAnswer::default() }];
    let result = JobResult {
        answers: if attestation.is_some() { Vec::new() } else { answers },
        model: None,
        prompt_tokens: 1,
        completion_tokens: 1,
        attestation,
        amount_msats: None,
    };
    result.to_event(&job, signer, NOW).unwrap()
}

fn honest(covered: &Covered) -> Attestation {
    Attestation { result: covered.result, digest: covered.digest.clone(), confirmed: 2, shown: 2 }
}

#[test]
fn the_validator_reads_task_and_answers_and_its_word_counts() {
    let (asker, validator) = (keys(1), keys(2));
    let (job, covered) = asked(&asker, &validator);
    let received = JobRequest::from_event(&job, &validator).unwrap();
    assert_eq!(received.request.digest(), covered.digest, "both ends hash the same texts");
    assert_eq!(received.request.validate.as_ref().unwrap().answers, ["failed", "shipped"]);
    let word = honest(&covered);
    let event = answered(&job, &validator, &validator, Some(word.clone()));
    assert_eq!(Attestation::from_event(&event, &asker, &covered), Ok(word));
}

#[test]
fn a_word_about_anything_else_does_not_count() {
    let (asker, validator) = (keys(1), keys(2));
    let (job, covered) = asked(&asker, &validator);
    let read = |event: &Event| Attestation::from_event(event, &asker, &covered).unwrap_err();
    let with = |change: fn(&mut Attestation)| {
        let mut word = honest(&covered);
        change(&mut word);
        read(&answered(&job, &validator, &validator, Some(word)))
    };
    assert_eq!(with(|word| word.result = EventId::from_byte_array([8; 32])), AttestationError::Result);
    assert_eq!(with(|word| word.digest = "00".repeat(32)), AttestationError::Digest);
    assert_eq!(with(|word| word.confirmed = 3), AttestationError::Count { confirmed: 3, shown: 2 });
    assert_eq!(with(|word| word.shown = 0), AttestationError::Count { confirmed: 2, shown: 0 });
    assert_eq!(read(&answered(&job, &validator, &validator, None)), AttestationError::Nothing);

    let stranger = keys(3);
    let forged = answered(&job, &validator, &stranger, Some(honest(&covered)));
    assert_eq!(read(&forged), AttestationError::Author(stranger.public_key()));

    let other_job = request(&["failed", "failed"]);
    let other_job = other_job.to_event(Audience::Directed(validator.public_key()), &asker, NOW).unwrap();
    let other = answered(&other_job, &validator, &validator, Some(honest(&covered)));
    assert_eq!(read(&other), AttestationError::Job);
}

#[test]
fn a_changed_event_or_a_borrowed_signature_does_not_count() {
    let (asker, validator) = (keys(1), keys(2));
    let (job, covered) = asked(&asker, &validator);
    let good = answered(&job, &validator, &validator, Some(honest(&covered)));
    let denied = Attestation { confirmed: 0, ..honest(&covered) };
    let bad = answered(&job, &validator, &validator, Some(denied));
    // The verdict of one event under the signature of the other, and under an id of its own.
    for id in [good.id, bad.id] {
        let mut json: serde_json::Value = serde_json::from_str(&bad.as_json()).unwrap();
        json["content"] = good.content.clone().into();
        json["id"] = id.to_hex().into();
        let forged = Event::from_json(json.to_string()).unwrap();
        let error = Attestation::from_event(&forged, &asker, &covered).unwrap_err();
        assert!(matches!(error, AttestationError::Signature(_)), "{error:?}");
    }
    let mut json: serde_json::Value = serde_json::from_str(&good.as_json()).unwrap();
    json["sig"] = bad.sig.to_string().into();
    let forged = Event::from_json(json.to_string()).unwrap();
    let error = Attestation::from_event(&forged, &asker, &covered).unwrap_err();
    assert!(matches!(error, AttestationError::Signature(_)), "{error:?}");
}

#[test]
fn texts_that_only_meet_when_joined_have_digests_of_their_own() {
    let of = |answers: &[&str]| request(answers).digest();
    assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
    assert_ne!(of(&["abc"]), of(&["abc", ""]));
    let mut moved = request(&["a"]);
    moved.inputs.pop();
    moved.validate.as_mut().unwrap().answers.insert(0, "a=2 status=shipped".to_owned());
    assert_ne!(moved.digest(), of(&["a"]));
}

#[test]
fn answers_to_validate_travel_in_encrypted_jobs_alone() {
    let asker = keys(1);
    assert!(request(&["failed"]).to_event(Audience::Open, &asker, NOW).is_err());
}
