//! Jobs whose texts are in a blob: what is known without them decides whether the blob is fetched at all.
//!
//! A blob costs this provider a request to a server, and memory. So there are few at a time, and few of one asker; each is
//! bounded; and a job that is over, or that nobody could do, has none fetched.

use std::sync::Arc;

use frlm_protocol::{ReceivedJob, RefusalReason};
use nostr::{EventId, Timestamp};

use super::unread::why_unread;
use super::{Effect, Session};
use crate::admission::Refusal;

/// Blobs that are fetched, or wait to be, at a time.
const MOST_FETCHING: usize = 64;
/// The same of one asker.
const MOST_OF_ONE: usize = 16;
/// When an asker may come back for whose blob there was no place.
const RETRY_SECS: f64 = 2.0;

impl Session {
    /// Has the blob of a job fetched, or says why not.
    pub(super) fn fetch(&mut self, job: Arc<ReceivedJob>, now: Timestamp) -> Vec<Effect> {
        if let Some(refusal) = self.why_unfetched(&job) {
            return self.turn_away(&job, refusal, now);
        }
        self.fetching.insert(job.id, Arc::clone(&job));
        vec![Effect::Fetch(job)]
    }

    /// The blob of a job came, or did not.
    pub(crate) fn fetched(
        &mut self,
        id: EventId,
        outcome: Result<String, Refusal>,
        now: Timestamp,
    ) -> Vec<Effect> {
        // Cancelled or turned away meanwhile.
        let Some(job) = self.fetching.remove(&id) else { return Vec::new() };
        let plaintext = match outcome {
            Ok(plaintext) => plaintext,
            Err(refusal) => return self.turn_away(&job, refusal, now),
        };
        let mut whole = ReceivedJob::clone(&job);
        if let Err(error) = whole.complete(&plaintext) {
            return self.turn_away(&job, why_unread(&error), now);
        }
        if job.request.expires_at.is_some_and(|expires_at| expires_at <= now) {
            let late = Refusal::new(RefusalReason::TooLate, "the job expired while its blob was fetched");
            return self.turn_away(&job, late, now);
        }
        self.admit(Arc::new(whole), now)
    }

    fn why_unfetched(&self, job: &ReceivedJob) -> Option<Refusal> {
        let (size, most) = (job.blob.as_ref()?.size(), self.config.max_blob_bytes);
        if self.stopping {
            return Some(super::shutting_down());
        }
        if most == 0 {
            let detail = "this provider fetches no blobs; send the texts in the job";
            return Some(Refusal::new(RefusalReason::Unsupported, detail));
        }
        if size > most {
            let detail = format!("the blob has {size} bytes; this provider fetches at most {most}");
            return Some(Refusal::new(RefusalReason::TooLarge, detail));
        }
        let of_asker = self.fetching.values().filter(|other| other.asker == job.asker).count();
        if self.fetching.len() >= MOST_FETCHING || of_asker >= MOST_OF_ONE {
            let busy = Refusal::new(RefusalReason::Busy, "too many blobs are being fetched; come back soon");
            return Some(busy.until(RETRY_SECS));
        }
        // It would be found out only after the fetch.
        let other = job.request.model.as_ref().filter(|model| !model.eq_ignore_ascii_case(&self.model.name));
        other.map(|_| {
            let detail = format!("this provider runs {}; name that or no model", self.model.name);
            Refusal::new(RefusalReason::WrongModel, detail)
        })
    }
}

#[cfg(test)]
mod tests {
    use frlm_protocol::{Audience, Cancellation, JobRequest, Mode, SealedBlob};
    use nostr::{Event, Keys};

    use super::*;
    use crate::config::ProviderConfig;
    use crate::events::ProviderEvent;
    use crate::testing::{NOW, model_info, request};

    struct World {
        session: Session,
        provider: Keys,
        asker: Keys,
    }

    fn world(change: impl FnOnce(&mut ProviderConfig)) -> World {
        let mut config = ProviderConfig::default();
        change(&mut config);
        let (provider, asker) = (Keys::generate(), Keys::generate());
        let session = Session::new(config, model_info(), provider.clone(), NOW);
        World { session, provider, asker }
    }

    impl World {
        /// A job beside a blob, dated `at`.
        fn job(&self, text: &str, at: u64) -> (Event, String) {
            let wanted =
                JobRequest { expires_at: Some(NOW + 60_u64), ..request("sum up", &[text], Mode::Together) };
            let apart = wanted.apart();
            let pointer = SealedBlob::seal(&apart).unwrap().at(Vec::new());
            let to = self.provider.public_key();
            (wanted.to_event_beside(&pointer, to, &self.asker, NOW + at).unwrap(), apart)
        }

        fn receives(&mut self, event: &Event) -> Vec<Effect> {
            self.session.receive(event, NOW)
        }
    }

    fn refusals(effects: &[Effect]) -> Vec<(RefusalReason, String)> {
        let refused = effects.iter().filter_map(|effect| match effect {
            Effect::Tell(ProviderEvent::Refused { reason, detail, .. }) => Some((*reason, detail.clone())),
            _ => None,
        });
        refused.collect()
    }

    fn starts(effects: &[Effect]) -> Option<String> {
        effects.iter().find_map(|effect| match effect {
            Effect::Start(ticket) => Some(ticket.job.request.inputs[0].data.clone()),
            _ => None,
        })
    }

    #[test]
    fn a_job_begins_once_its_blob_is_here_and_its_blob_is_fetched_once() {
        let mut world = world(|_| {});
        let (event, apart) = world.job("a text", 0);
        assert!(matches!(world.receives(&event).as_slice(), [Effect::Fetch(job)] if job.id == event.id));
        assert_eq!((world.session.load(), world.session.is_idle()), (1, false));
        assert!(!world.receives(&event).iter().any(|effect| matches!(effect, Effect::Fetch(_))));
        let effects = world.session.fetched(event.id, Ok(apart), NOW);
        assert_eq!(starts(&effects).as_deref(), Some("a text"));
        assert!(world.session.fetched(event.id, Ok("[]".to_owned()), NOW).is_empty());
    }

    #[test]
    fn what_is_too_large_is_refused_unfetched() {
        for (most, reason, words) in
            [(0, RefusalReason::Unsupported, "no blobs"), (4_096, RefusalReason::TooLarge, "at most 4096")]
        {
            let mut world = world(|config| config.max_blob_bytes = most);
            let (event, _) = world.job("a text", 0);
            let effects = world.receives(&event);
            assert!(!effects.iter().any(|effect| matches!(effect, Effect::Fetch(_))));
            let told = refusals(&effects);
            assert!(matches!(&told[..], [(why, said)] if *why == reason && said.contains(words)), "{told:?}");
            assert!(effects.iter().any(|effect| matches!(effect, Effect::Say(..))), "its asker is told");
        }
    }

    #[test]
    fn nobody_has_more_than_a_few_blobs_fetched_at_a_time() {
        let mut world = world(|_| {});
        let jobs: Vec<_> = (0..=MOST_OF_ONE).map(|at| world.job("a text", at as u64).0).collect();
        let told: Vec<_> = jobs.iter().flat_map(|job| refusals(&world.receives(job))).collect();
        assert!(matches!(&told[..], [(RefusalReason::Busy, _)]), "{told:?}");
        // One place is free again, for this asker and for others.
        world.session.fetched(jobs[0].id, Err(Refusal::new(RefusalReason::Unsupported, "gone")), NOW);
        assert!(refusals(&world.receives(&jobs[MOST_OF_ONE])).is_empty());
    }

    #[test]
    fn a_cancelled_job_has_no_use_for_its_blob() {
        let mut world = world(|_| {});
        let (event, apart) = world.job("a text", 0);
        world.receives(&event);
        let to = Audience::Directed(world.provider.public_key());
        let cancel = |keys: &Keys| Cancellation { job: event.id }.to_event(to, keys, NOW).unwrap();
        world.receives(&cancel(&Keys::generate()));
        assert_eq!(world.session.load(), 1, "somebody else's word");
        let asker = world.asker.clone();
        world.receives(&cancel(&asker));
        assert!(world.session.is_idle());
        assert!(world.session.fetched(event.id, Ok(apart), NOW).is_empty());
    }

    #[test]
    fn nonsense_in_a_blob_and_a_blob_that_comes_too_late_are_refused() {
        let mut world = world(|_| {});
        let (event, apart) = world.job("a text", 0);
        world.receives(&event);
        let told = refusals(&world.session.fetched(event.id, Ok("nonsense".to_owned()), NOW));
        assert!(
            matches!(&told[..], [(RefusalReason::Unsupported, words)] if words.contains("blob")),
            "{told:?}"
        );
        let (late, _) = world.job("a text", 1);
        world.receives(&late);
        let told = refusals(&world.session.fetched(late.id, Ok(apart), NOW + 60_u64));
        assert!(matches!(&told[..], [(RefusalReason::TooLate, _)]), "{told:?}");
    }

    #[test]
    fn a_provider_that_shuts_down_fetches_nothing_more() {
        let mut world = world(|_| {});
        let (event, apart) = world.job("a text", 0);
        world.receives(&event);
        let told = refusals(&world.session.drain());
        assert!(matches!(&told[..], [(RefusalReason::ShuttingDown, _)]), "{told:?}");
        assert!(world.session.fetched(event.id, Ok(apart), NOW).is_empty());
    }
}
