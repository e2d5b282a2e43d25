//! What a job asks, and what is said to it: words that relays may show to everybody.

use std::time::Duration;

use frlm_client::protocol::limits::MAX_BLOB_BYTES;
use frlm_client::protocol::{
    InputSource, JobAnswer, JobResult, Mode, ModelIdentity, ReceivedJob, RefusalReason,
};
use frlm_client::questions::answer::Answer;
use frlm_client::questions::asker::Preferences;
use nostr::{Event, Keys, Timestamp};

use super::super::chat::answer::Answered;
use super::super::chat::{Asked, MODEL};
use super::super::refusal::Refusal;
use super::super::uploads::Upload;
use super::{CLOCK_SLACK_SECS, LONGEST};
use frlm_client::output;

/// Bytes that an answer in words is cut to where all of it does not fit into an event; the least leaves room for every
/// byte to be escaped.
const SHORTER: [usize; 2] = [24 * 1024, 4 * 1024];

/// Why a job is not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobRejection(pub RefusalReason, pub &'static str);

/// When a job is over, whatever it says: a relay may show it again for ever.
pub fn last_moment(job: &ReceivedJob) -> Timestamp {
    job.created_at + LONGEST.as_secs() + CLOCK_SLACK_SECS
}

/// How long somebody waits for the answer.
pub fn left(job: &ReceivedJob) -> Duration {
    let now = Timestamp::now();
    // A clock that is far ahead would make a job last for ever, too.
    if job.created_at > now + CLOCK_SLACK_SECS {
        return Duration::ZERO;
    }
    let last = last_moment(job);
    let end = job.request.expires_at.map_or(last, |at| at.min(last));
    Duration::from_secs(end.as_secs().saturating_sub(now.as_secs())).min(LONGEST)
}

/// The question and its documents, as foreign clients put them, too: the last text is the question where none is named.
pub fn asked_by(job: &ReceivedJob) -> Result<Asked, JobRejection> {
    const FORM: &str = "send documents as inputs of type text, and the question as the parameter \"instruction\" or as the \
                        last input; nothing is fetched";
    let request = &job.request;
    if left(job).is_zero() {
        return Err(JobRejection(RefusalReason::TooLate, "the job is over, or its clock is not ours"));
    }
    // An asker that wants one of these would take the answer for what it is not.
    if request.constraint.is_some() || request.validate.is_some() || request.mode == Mode::Each {
        let words =
            "whole questions are answered here: send no constraint, no mode \"each\" and nothing to validate";
        return Err(JobRejection(RefusalReason::Unsupported, words));
    }
    let has_token = job.raw_tags.iter().any(|tag| tag.first().is_some_and(|name| name == "cashu"));
    if has_token || request.payment.is_some() {
        let words = "no token and no lock is taken: ask without one, and pay the invoice that comes";
        return Err(JobRejection(RefusalReason::Unsupported, words));
    }
    if request.inputs.iter().any(|input| input.source != InputSource::Text) {
        return Err(JobRejection(RefusalReason::Unsupported, FORM));
    }
    // What comes encrypted, or in a blob, cannot be longer; relays let more through in plain sight.
    if request.inputs.iter().map(|input| input.data.len()).sum::<usize>() > MAX_BLOB_BYTES {
        return Err(JobRejection(RefusalReason::TooLarge, "the documents are too long for a job"));
    }
    let mut texts: Vec<String> = request.inputs.iter().map(|input| input.data.clone()).collect();
    let question = match request.instruction.trim() {
        "" => texts.pop().unwrap_or_default().trim().to_owned(),
        named => named.to_owned(),
    };
    if question.is_empty() || texts.is_empty() {
        return Err(JobRejection(RefusalReason::Unsupported, FORM));
    }
    Ok(Asked {
        question,
        documents: texts.into_iter().map(Upload::text).collect(),
        budget_sats: None,
        verify: None,
        timeout_secs: None,
        preferences: Preferences::default(),
        priority: None,
        conversation: Vec::new(),
        level: None,
    })
}

/// What everybody may read of a refusal; the operator reads all of it.
pub fn said(refusal: &Refusal) -> JobRejection {
    frlm_client::notice!("serve: a question over Nostr got no answer: {}", refusal.message());
    match refusal.code() {
        "busy" => JobRejection(RefusalReason::Busy, "too many questions are being asked; come again later"),
        "invalid_request" => {
            JobRejection(RefusalReason::Unsupported, "the question or a document cannot be read")
        }
        "over_budget" => JobRejection(RefusalReason::BidTooLow, "the answer costs more than was quoted"),
        "no_providers" => {
            JobRejection(RefusalReason::Busy, "no provider is online to work on it; try again later")
        }
        "not_verified" => {
            JobRejection(RefusalReason::SelfCheckFailed, "no answer was found that can be verified")
        }
        "stopping" => JobRejection(RefusalReason::ShuttingDown, "the service ends"),
        _ => JobRejection(RefusalReason::EngineFailed, "the run failed"),
    }
}

/// The answer in words, or as `frlm ask --json` prints it for askers that want JSON. It is paid for: what does not fit into
/// an event comes with less around it, and at last cut.
pub fn result_event(
    job: &ReceivedJob,
    Answered { answer, warnings, .. }: &Answered,
    keys: &Keys,
) -> Result<Event, JobRejection> {
    let words = warnings.iter().fold(answer.answer.clone(), |text, warning| text + "\nnote: " + warning);
    let mut texts = Vec::new();
    if job.request.output.as_deref() == Some("application/json") {
        let bare = Answer { citations: Vec::new(), decisions: Vec::new(), ..answer.clone() };
        texts.extend([output::json(answer), output::json(&bare)]);
    }
    let shorter = SHORTER.map(|bytes| cut(&words, bytes));
    texts.push(words);
    texts.extend(shorter);
    let result = |text| JobResult {
        answers: vec![JobAnswer { text, confidence: Some(answer.confidence), ..JobAnswer::default() }],
        model: Some(ModelIdentity { name: MODEL.to_owned(), weights_hash: None }),
        prompt_tokens: answer.usage.prompt_tokens,
        completion_tokens: answer.usage.completion_tokens,
        attestation: None,
        amount_msats: None,
    };
    first_that_fits(texts.into_iter().map(result), job, keys)
}

fn first_that_fits(
    results: impl Iterator<Item = JobResult>,
    job: &ReceivedJob,
    keys: &Keys,
) -> Result<Event, JobRejection> {
    let mut events = results.map(|result| result.to_event(job, keys, Timestamp::now()));
    let found = events.find_map(Result::ok);
    found.ok_or(JobRejection(RefusalReason::TooLarge, "the answer cannot be put into an event"))
}

fn cut(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let (mut kept, note) = (text.to_owned(), "\nnote: the rest of the answer is too long for an event");
    kept.truncate(text.floor_char_boundary(bytes));
    kept + note
}

#[cfg(test)]
mod tests {
    use frlm_protocol::{Audience, Encryption, JobRequest, OutputConstraint};

    use super::*;

    fn job(
        asker: &Keys,
        service: &Keys,
        created_at: Timestamp,
        expires_at: Option<Timestamp>,
    ) -> ReceivedJob {
        let bare = JobRequest::over("", ["a document", " How long? "], Mode::Together);
        let request = JobRequest { expires_at, ..bare };
        let to = Audience::Directed(service.public_key());
        let event = request.to_event(to, asker, created_at).unwrap();
        let job = JobRequest::from_event(&event, service).unwrap();
        assert_eq!(job.encryption, Encryption::Nip44);
        job
    }

    #[test]
    fn a_job_lasts_no_longer_than_ten_minutes_whatever_it_and_its_clock_say() {
        let (asker, service, now) = (Keys::generate(), Keys::generate(), Timestamp::now());
        let left_of = |created_at, expires_at| left(&job(&asker, &service, created_at, expires_at));
        let long = 10 * LONGEST.as_secs();
        assert_eq!(left_of(now, Some(now + long)), LONGEST);
        assert!(left_of(now, Some(now + 60_u64)) <= Duration::from_mins(1));
        assert!(left_of(now - 60_u64, None) <= LONGEST);
        // Shown again by a relay, or dated so that it could be.
        assert_eq!(left_of(now - long, Some(now + long)), Duration::ZERO);
        assert_eq!(left_of(now + long, Some(now + 2 * long)), Duration::ZERO);
    }

    #[test]
    fn a_job_that_wants_something_else_than_an_answer_is_refused() {
        let (asker, service) = (Keys::generate(), Keys::generate());
        let plain = job(&asker, &service, Timestamp::now(), None);
        assert_eq!(asked_by(&plain).unwrap().question, "How long?");
        let mut long = plain.clone();
        long.request.inputs[0].data = "a".repeat(MAX_BLOB_BYTES);
        assert_eq!(asked_by(&long).unwrap_err().0, RefusalReason::TooLarge);
        let (mut each, mut constrained, mut paid) = (plain.clone(), plain.clone(), plain);
        each.request.mode = Mode::Each;
        constrained.request.constraint = Some(OutputConstraint::Regex("a".to_owned()));
        paid.raw_tags.push(vec!["cashu".to_owned(), "cashuB…".to_owned()]);
        for (job, expected) in
            [(each, "no constraint"), (constrained, "no constraint"), (paid, "pay the invoice")]
        {
            let JobRejection(reason, words) = asked_by(&job).unwrap_err();
            assert_eq!(reason, RefusalReason::Unsupported);
            assert!(words.contains(expected), "{words}");
        }
    }

    #[test]
    fn an_answer_that_does_not_fit_into_an_event_comes_cut_and_says_so() {
        let (asker, service) = (Keys::generate(), Keys::generate());
        let job = job(&asker, &service, Timestamp::now(), None);
        let long = "ä\"".repeat(40 * 1024);
        let texts = std::iter::once(long.clone()).chain(SHORTER.map(|bytes| cut(&long, bytes)));
        let result = |text| JobResult {
            answers: vec![JobAnswer { text, ..JobAnswer::default() }],
            model: None,
            prompt_tokens: 0,
            completion_tokens: 0,
            attestation: None,
            amount_msats: None,
        };
        let event = first_that_fits(texts.map(result), &job, &service).unwrap();
        let text = JobResult::from_event(&event, &asker).unwrap().result.answers.remove(0).text;
        assert!(text.starts_with("ä\"ä") && text.ends_with("too long for an event"), "{}", text.len());
        assert_eq!(cut("short", 5), "short");
    }
}
