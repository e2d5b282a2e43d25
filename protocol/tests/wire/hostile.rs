//! No event, however odd, makes a parser panic, and what a parser quotes cannot hurt a terminal.

use frlm_protocol::{Announcement, Audience, Cancellation, Feedback, Heartbeat, JobRequest, JobResult, Mode};
use nostr::nips::{nip04, nip44};
use nostr::{Event, EventBuilder, Keys, Kind, SecretKey, Tag, Timestamp};
use proptest::prelude::*;
use proptest::{collection, sample};

fn keys(byte: u8) -> Keys {
    Keys::new(SecretKey::from_slice(&[byte; 32]).unwrap())
}

/// Names that parsers look for, and anything else.
fn tag() -> impl Strategy<Value = Vec<String>> {
    let us = keys(2).public_key().to_hex();
    let known = sample::select(vec![
        "i",
        "p",
        "e",
        "k",
        "d",
        "param",
        "params",
        "output",
        "bid",
        "relays",
        "encrypted",
        "expiration",
        "status",
        "amount",
        "reason",
        "queue",
        "frlm",
        "request",
    ]);
    let name = prop_oneof![4 => known.prop_map(str::to_owned), 1 => any::<String>()];
    let value = prop_oneof![
        3 => any::<String>(),
        1 => Just(us),
        1 => Just("ab".repeat(32)),
        1 => sample::select(vec![
            "text", "prompt", "url", "job", "top-k", "max_tokens", "mode", "each", "constraint", "instruction",
            "error", "partial", "cancelled", "5050", "18446744073709551616", "-1", "1e400", "NaN", "{\"a\":1}",
            "[\"wss://a\",\"wss://b\"]", "free", "{", "9".repeat(400).leak(),
        ]).prop_map(str::to_owned),
    ];
    (name, collection::vec(value, 0..4))
        .prop_map(|(name, values)| std::iter::once(name).chain(values).collect())
}

fn content() -> impl Strategy<Value = String> {
    let (asker, us) = (keys(1), keys(2));
    let inner = prop_oneof![
        any::<String>(),
        collection::vec(tag(), 0..6).prop_map(|tags| serde_json::to_string(&tags).unwrap()),
        Just("[[],[1,null,{}],\"x\",[\"i\"],[\"param\",\"top_k\",7]]".to_owned()),
        Just(format!("{}{}", "[".repeat(5000), "]".repeat(5000))),
    ];
    let sealed = (inner, any::<bool>()).prop_map(move |(text, old)| {
        if old || text.is_empty() {
            nip04::encrypt(asker.secret_key(), &us.public_key(), text).unwrap()
        } else {
            nip44::encrypt(asker.secret_key(), &us.public_key(), text, nip44::Version::V2).unwrap()
        }
    });
    let json = sample::select(vec![
        r#"{"answers":[]}"#,
        r#"{"answers":[{"text":"x","confidence":1e308}],"prompt_tokens":1}"#,
        r#"{"answers":{"text":1}}"#,
        r#"{"answers":[{"text":"x","commitment":{"form":1,"tokens":[1],"positions":[[4294967295,[[0,1e38]]]]}}]}"#,
        r#"{"answers":[{"text":"x","commitment":{"form":1,"tokens":"many","positions":{}}}]}"#,
        r#"{"frlm":{"price_msats_per_1k":-1,"roles":[1,null,"x"],"context_tokens":1e99},"name":7}"#,
        r#"{"frlm":{"written_msats_per_1k":"dear","least_msats":-1,"free_jobs_per_day":1e99},"name":"x"}"#,
        r#"{"nip90Params":{"model":{"values":[]}},"amount":"free"}"#,
        r#"{"nip90Params":[]}"#,
        "[]",
        "null",
    ]);
    prop_oneof![
        any::<String>(),
        sealed,
        json.prop_map(str::to_owned),
        "[A-Za-z0-9+/]{130,200}={0,2}",
        "A[A-Za-z0-9+/]{150,200}\\?iv=[A-Za-z0-9+/=]{0,30}",
    ]
}

fn event(kind: u16, content: &str, tags: &[Vec<String>]) -> Event {
    EventBuilder::new(Kind::Custom(kind), content)
        .tags(tags.iter().filter_map(|tag| Tag::parse(tag).ok()))
        .allow_self_tagging()
        .custom_created_at(Timestamp::from_secs(1_700_000_000))
        .sign_with_keys(&keys(1))
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn parsers_never_panic(
        kind in sample::select(vec![5050u16, 5050, 5050, 6050, 7000, 31990, 31991, 5, 1]),
        content in content(),
        tags in collection::vec(tag(), 0..8),
    ) {
        let us = keys(2);
        let event = event(kind, &content, &tags);
        let errors = [
            JobRequest::from_event(&event, &us).err(),
            JobResult::from_event(&event, &us).err(),
            Feedback::from_event(&event, &us).err(),
            Announcement::from_event(&event).err(),
            Heartbeat::from_event(&event).err(),
            Cancellation::from_event(&event).err(),
        ];
        for error in errors.into_iter().flatten() {
            let words = error.to_string();
            prop_assert!(words.len() < 1000, "{}", words);
            prop_assert!(!words.chars().any(char::is_control), "{:?}", words);
        }
    }

    #[test]
    fn builders_never_panic(
        instruction in any::<String>(),
        data in any::<String>(),
        numbers in (any::<f64>(), any::<f64>()),
        relay in any::<String>(),
        created_at in any::<u64>(),
        expires_at in proptest::option::of(any::<u64>()),
        open in any::<bool>(),
    ) {
        let job = JobRequest {
            temperature: Some(numbers.0),
            top_p: Some(numbers.1),
            relays: vec![relay],
            expires_at: expires_at.map(Timestamp::from_secs),
            ..JobRequest::over(&instruction, [data], Mode::Each)
        };
        let audience = if open { Audience::Open } else { Audience::Directed(keys(2).public_key()) };
        let _ = job.to_event(audience, &keys(1), Timestamp::from_secs(created_at));
    }
}
