//! Whatever a stranger signs, the session takes the next job.

use super::*;
use proptest::prelude::*;

fn tag() -> impl Strategy<Value = Vec<String>> {
    let name = prop_oneof![
        Just("i".to_owned()),
        Just("param".to_owned()),
        Just("params".to_owned()),
        Just("e".to_owned()),
        Just("k".to_owned()),
        Just("encrypted".to_owned()),
        Just("expiration".to_owned()),
        Just("bid".to_owned()),
        Just("frlm".to_owned()),
        "[a-z]{0,4}",
    ];
    let value =
        prop_oneof![".{0,40}", "-?[0-9]{1,25}", Just("max_tokens".to_owned()), Just("mode".to_owned())];
    (name, proptest::collection::vec(value, 0..4)).prop_map(|(name, mut values)| {
        values.insert(0, name);
        values
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn no_event_breaks_the_session(
        kind in prop_oneof![Just(5050_u16), Just(5), Just(7000), any::<u16>()],
        content in prop_oneof![".{0,200}", "A[A-Za-z0-9+/]{140,300}", "[A-Za-z0-9+/]{20,40}\\?iv=[A-Za-z0-9+/]{22}=="],
        tags in proptest::collection::vec(tag(), 0..12),
        created_at in any::<u64>(),
        now in any::<u64>(),
    ) {
        let mut bench = Bench::new(|config| config.accept_open_jobs = true);
        let tags = tags.into_iter().filter_map(|tag| nostr::Tag::parse(tag).ok());
        let event = EventBuilder::new(nostr::Kind::from_u16(kind), content)
            .tags(tags)
            .tag(nostr::Tag::public_key(bench.provider.public_key()))
            .custom_created_at(Timestamp::from_secs(created_at))
            .sign_with_keys(&Keys::generate())
            .unwrap();
        bench.session.receive(&event, Timestamp::from_secs(now));

        let job = bench.job(&Keys::generate(), "afterwards");
        let taken = bench.receive(&job);
        prop_assert!(!taken.is_empty());
    }
}
