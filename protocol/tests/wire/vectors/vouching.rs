//! Work that a job shows, and who is vouched for.

use frlm_protocol::{Audience, JobRequest, Vouching, kinds, vouching, work};
use nostr::{Event, EventBuilder, Kind, Tag};

use super::{Case, keys, later, open_job, plain};

pub fn cases() -> Vec<Case> {
    const BITS: u8 = 12;
    let (asker, identity) = (keys("asker"), keys("identity"));
    let open = open_job().to_event(Audience::Open, &asker, later(7)).unwrap();
    let mined = work::mine(&open, &asker, BITS, || true).unwrap();
    let provider = keys("provider").public_key();
    let hex = provider.to_hex();
    let said = |kind: Kind, tags: &[&[&str]]| {
        let tags = tags.iter().map(|tag| Tag::parse(tag.iter().copied()).unwrap());
        let event = EventBuilder::new(kind, "").tags(tags).custom_created_at(later(8));
        event.sign_with_keys(&identity).unwrap()
    };
    let namespace = vouching::PROVIDER_NAMESPACE;
    let label = [&["L", namespace][..], &["l", vouching::RECOMMENDED, namespace], &["p", &hex]];
    let vouches = move |event: &Event| {
        let named = [keys("identity").public_key()];
        assert!(Vouching::of([event], &named).by(&provider).eq(&named));
        assert!(Vouching::of([event], &[keys("asker").public_key()]).by(&provider).next().is_none());
    };
    vec![
        plain("open job with work", "asker", mined, |event| {
            assert_eq!(work::shown(event), BITS);
            assert_eq!(JobRequest::from_event(event, &keys("provider")).unwrap().request, open_job());
        }),
        plain("follow list", "identity", said(kinds::FOLLOW_LIST, &[&["p", &hex]]), vouches),
        plain("label", "identity", said(kinds::LABEL, &label), vouches),
    ]
}
