//! A subtask as a job event.

use frlm_conductor::swarm::OutgoingJob;
use frlm_protocol::kinds::PROFILE_VERSION;
use frlm_protocol::{
    Audience, BlobPointer, Certificate, Covered, Input, InputSource, JobRequest, Mode, Validate,
};
use nostr::{Event, EventId, Keys, PublicKey, Timestamp};

/// A job event, for whom it is, and what its result must attest, if it is a validator's.
pub(super) struct Built {
    pub event: Event,
    pub provider: PublicKey,
    pub covered: Option<Covered>,
}

/// Signs a job, with its texts in this blob if it has one.
pub(super) fn build(
    keys: &Keys,
    certificate: Option<&Certificate>,
    job: &OutgoingJob,
    blob: Option<&BlobPointer>,
) -> Result<Built, String> {
    let provider = PublicKey::from_hex(&job.provider)
        .map_err(|_| "the provider's key is not a public key".to_owned())?;
    let now = Timestamp::now();
    let request = request(certificate, job, now)?;
    let event = match blob {
        Some(blob) => request.to_event_beside(blob, provider, keys, now),
        None => request.to_event(Audience::Directed(provider), keys, now),
    };
    let event = event.map_err(|error| error.to_string())?;
    let covered = request.validate.as_ref().map(|validate| Covered {
        validator: provider,
        job: event.id,
        result: validate.result,
        digest: request.digest(),
    });
    Ok(Built { event, provider, covered })
}

/// What a job asks for.
pub(super) fn request(
    certificate: Option<&Certificate>,
    job: &OutgoingJob,
    now: Timestamp,
) -> Result<JobRequest, String> {
    let prompt = &job.prompt;
    let text = |data: String| Input { data, source: InputSource::Text };
    // Foreign providers read inputs and know nothing of our parameters: the whole prompt is one input.
    let (instruction, inputs, mode) = if job.foreign {
        (String::new(), vec![text(prompt.texts().join("\n\n"))], Mode::Together)
    } else {
        (prompt.instruction.clone(), prompt.inputs.iter().cloned().map(text).collect(), prompt.mode)
    };
    let validate = match &job.shown {
        None => None,
        Some(shown) => {
            let result = EventId::from_hex(&shown.result)
                .map_err(|_| "an answer that came over no relay cannot be shown to a validator".to_owned())?;
            Some(Validate { result, answers: shown.answers.clone() })
        }
    };
    Ok(JobRequest {
        instruction,
        inputs,
        mode,
        max_tokens: Some(prompt.max_tokens),
        // Ours are greedy where nothing is said.
        temperature: job.foreign.then_some(0.0),
        top_p: None,
        top_k: None,
        model: None,
        constraint: prompt.constraint.clone().filter(|_| !job.foreign),
        output: None,
        bid_msats: Some(job.bid.0).filter(|bid| job.foreign || *bid > 0),
        payment: job.payment.clone(),
        certificate: certificate.filter(|_| job.payment.is_some() && !job.foreign).cloned(),
        validate,
        relays: Vec::new(),
        expires_at: Some(now + job.expires_in_secs),
        profile: Some(PROFILE_VERSION.to_owned()),
    })
}
