//! The owner's limits: against a model that counts by hand, and as a ledger's users meet them.

use proptest::prelude::*;

use super::*;
use crate::ledger::limits::Limit;
use crate::ledger::requests;
use crate::ledger::store::Store;

const HOUR_MS: i64 = 3_600_000;
/// Hours that count as a day; written out, so that the model does not borrow it.
const DAY_HOURS: i64 = 24;

fn booking(subtask: u32, attempt: u32, sats: u64, provider: Option<&str>, mint: Option<&str>) -> Booking {
    Booking {
        key: Key::new("run", subtask, attempt),
        amount: Sats(sats),
        provider: provider.map(Arc::from),
        mint: mint.map(Arc::from),
        scheme: Scheme::Escrow,
    }
}

#[tokio::test]
async fn a_limit_names_itself_says_what_to_do_and_leaves_nothing_reserved() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(&folder).await;
    ledger.open_run("run", Sats(1_000)).await.unwrap();
    let limits = Limits { per_subtask: Some(Sats(50)), per_provider: Some(Sats(30)), ..Limits::default() };
    ledger.set_limits(limits).await.unwrap();
    let held = ledger.reserve_all(vec![booking(1, 0, 20, Some("aa"), None)]).await.unwrap();
    // The first would fit; the second is beyond what its provider may get in a day.
    let both = vec![booking(2, 0, 20, Some("bb"), None), booking(2, 1, 11, Some("aa"), None)];
    let error = ledger.reserve_all(both).await.unwrap_err();
    assert!(error.is_over());
    assert_eq!(
        error.to_string(),
        "over the limit per provider and day: 11 sats needed, 20 sats of 30 sats used (some of it is available \
         again within 24 h); raise per_provider under [limits] in config.toml"
    );
    assert_eq!(sums(&ledger).await, [0, 0, 20, 0, 980]);
    assert!(matches!(ledger.entry(key(2)).await.unwrap_err(), LedgerError::UnknownKey { .. }));

    let error = ledger.reserve_all(vec![booking(1, 1, 31, Some("bb"), None)]).await.unwrap_err();
    assert!(
        error.to_string().starts_with("over the limit per subtask: 31 sats needed, 20 sats of 50"),
        "{error}"
    );
    // What is refunded is not used any more.
    drop(held);
    drop(ledger.reserve_all(vec![booking(1, 2, 30, Some("aa"), None)]).await.unwrap());
    // Nobody in particular is not limited as somebody.
    drop(ledger.reserve(Key::new("run", 3, 0), Sats(50)).await.unwrap());
    ledger.set_limits(Limits::default()).await.unwrap();
    drop(ledger.reserve_all(vec![booking(4, 0, 900, Some("aa"), None)]).await.unwrap());
    assert!(ledger.audit().await.unwrap().is_clean());
}

#[tokio::test]
async fn play_money_takes_nothing_of_the_limits_and_is_refused_by_none() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(&folder).await;
    ledger.open_run("run", Sats(1_000)).await.unwrap();
    let limits = Limits {
        per_subtask: Some(Sats(10)),
        per_day: Some(Sats(10)),
        per_provider: Some(Sats(10)),
        per_mint: Some(Sats(10)),
    };
    ledger.set_limits(limits).await.unwrap();
    let play = |subtask, sats| Booking {
        scheme: Scheme::Play,
        ..booking(subtask, 0, sats, Some("aa"), Some("mint"))
    };
    let spent = ledger.reserve_all(vec![play(1, 400)]).await.unwrap().remove(0);
    spent.settle(Sats(400), Sats(0)).await.unwrap();
    let held = ledger.reserve_all(vec![play(2, 300)]).await.unwrap();
    let used = |usage: Usage| (usage.day, usage.providers, usage.mints);
    assert_eq!(used(ledger.usage().await.unwrap()), (Sats(0), vec![], vec![]));
    // Nor after a restart; the run's own budget is kept all the same.
    drop(held);
    drop(ledger);
    let ledger = open(&folder).await;
    assert_eq!(used(ledger.usage().await.unwrap()), (Sats(0), vec![], vec![]));
    let error = ledger.reserve_all(vec![play(3, 601)]).await.unwrap_err();
    assert!(matches!(error, LedgerError::BudgetExceeded { .. }), "{error}");
    // What was played away leaves all of the day to real sats, and no more than that.
    let real = ledger.reserve_all(vec![booking(4, 0, 10, Some("aa"), Some("mint"))]).await.unwrap();
    let error = ledger.reserve_all(vec![booking(5, 0, 1, Some("bb"), None)]).await.unwrap_err();
    assert!(matches!(error, LedgerError::LimitReached { limit: Limit::Day, .. }), "{error}");
    drop(real);
}

#[tokio::test]
async fn limits_hold_over_runs_processes_and_restarts() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(&folder).await;
    let limits = Limits { per_day: Some(Sats(100)), per_mint: Some(Sats(60)), ..Limits::default() };
    ledger.set_limits(limits).await.unwrap();
    ledger.open_run("run", Sats(100)).await.unwrap();
    let spent = ledger.reserve_all(vec![booking(1, 0, 70, Some("aa"), Some("mint"))]).await;
    assert!(matches!(spent, Err(LedgerError::LimitReached { limit: Limit::Mint, .. })));
    let reservation =
        ledger.reserve_all(vec![booking(1, 0, 60, Some("aa"), Some("mint"))]).await.unwrap().remove(0);
    reservation.settle(Sats(50), Sats(1)).await.unwrap();
    crash(ledger).await;

    let ledger = open(&folder).await;
    let usage = ledger.usage().await.unwrap();
    assert_eq!((usage.limits, usage.day, usage.left_today()), (limits, Sats(51), Some(Sats(49))));
    assert_eq!((&*usage.providers[0].0, usage.providers[0].1), ("aa", Sats(51)));
    assert_eq!((&*usage.mints[0].0, usage.mints[0].1), ("mint", Sats(51)));
    ledger.open_run("other", Sats(100)).await.unwrap();
    let error = ledger.reserve(Key::new("other", 1, 0), Sats(50)).await.unwrap_err();
    let LedgerError::LimitReached { limit: Limit::Day, most, used, needed, .. } = error else {
        panic!("{error}")
    };
    assert_eq!((most, used, needed), (Sats(100), Sats(51), Sats(50)));
    let booked = ledger.booked("run").await.unwrap();
    let expected = Booked { provider: Some("aa".into()), mint: Some("mint".into()), scheme: Scheme::Escrow };
    assert_eq!(booked, std::collections::HashMap::from([((1, 0), expected)]));
    assert!(ledger.audit().await.unwrap().is_clean());
}

#[test]
fn what_an_older_version_has_written_counts_for_its_day() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.sqlite");
    let now = crate::ledger::store::now_ms();
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch(crate::ledger::schema::STEPS[0]).unwrap();
    connection
        .execute_batch(&format!(
            "PRAGMA user_version = 1;
             INSERT INTO runs VALUES (1, 'run', 0, 100, 20, 2, 10, 0);
             INSERT INTO entries VALUES (1, 1, 0, 'settled', 1, 30, 18, 2, 1), (1, 2, 0, 'reserved', 0, 10, 0, 0, 1),
                                        (1, 3, 0, 'returned', 0, 40, 0, 0, 1);
             INSERT INTO transitions VALUES (1, {now}, 1, 1, NULL, NULL, 'limit', 100, 0),
                 (2, {now}, 1, 1, 1, 0, 'reserve', 30, 0), (3, {now}, 1, 1, 1, 0, 'publish', 0, 0),
                 (4, {now}, 1, 1, 1, 0, 'settle', 18, 2), (5, {now}, 1, 1, 2, 0, 'reserve', 10, 0),
                 (6, {now}, 1, 1, 3, 0, 'reserve', 40, 0), (7, {now}, 1, 1, 3, 0, 'give_back', 0, 0);"
        ))
        .unwrap();
    drop(connection);
    let mut store = Store::open(&path, Duration::from_millis(10)).unwrap();
    let audit = store.read(crate::ledger::audit::audit).unwrap();
    assert!(audit.is_clean(), "{audit:?}");
    assert_eq!(store.read(|store| store.usage(now)).unwrap().day, Sats(30));
    // And is counted on from there.
    store.write(requests::recover).unwrap();
    assert_eq!(store.read(|store| store.usage(now)).unwrap().day, Sats(20));
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Reserve { subtask: u32, sats: u64, provider: Option<u8>, mint: Option<u8> },
    Settle { which: usize, share: u64 },
    GiveBack { which: usize },
    Pass { minutes: i64 },
}

fn step() -> impl Strategy<Value = Step> {
    let party = || proptest::option::of(0_u8..3);
    prop_oneof![
        6 => (0_u32..4, 0_u64..30, party(), party())
            .prop_map(|(subtask, sats, provider, mint)| Step::Reserve { subtask, sats, provider, mint }),
        3 => (any::<usize>(), 0_u64..=100).prop_map(|(which, share)| Step::Settle { which, share }),
        2 => any::<usize>().prop_map(|which| Step::GiveBack { which }),
        2 => (1_i64..600).prop_map(|minutes| Step::Pass { minutes }),
    ]
}

/// One attempt as the model remembers it.
struct Attempt {
    key: Key,
    hour: i64,
    reserved: u64,
    taken: u64,
    provider: Option<u8>,
    mint: Option<u8>,
    open: bool,
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// The model adds up every attempt by hand. What it allows is granted, what it does not is refused,
    /// and whatever happens no limit is ever exceeded and the file's sums follow from its log.
    #[test]
    fn limits_are_those_of_a_model_that_counts_by_hand(
        steps in proptest::collection::vec(step(), 1..60),
        per_subtask in proptest::option::of(10_u64..80),
        per_day in proptest::option::of(20_u64..120),
        per_provider in proptest::option::of(10_u64..80),
        per_mint in proptest::option::of(10_u64..80),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("ledger.sqlite"), Duration::from_millis(10)).unwrap();
        let limits = Limits {
            per_subtask: per_subtask.map(Sats), per_day: per_day.map(Sats),
            per_provider: per_provider.map(Sats), per_mint: per_mint.map(Sats),
        };
        let run: Arc<str> = "run".into();
        store.write(|store| { store.open_run(&run, Sats(1_000_000))?; store.set_limits(&limits) }).unwrap();
        let mut now = 1_790_000_000_000_i64;
        let mut attempts: Vec<Attempt> = Vec::new();
        for step in steps {
            match step {
                Step::Pass { minutes } => now += minutes * 60_000,
                Step::Reserve { subtask, sats, provider, mint } => {
                    let number = u32::try_from(attempts.len()).unwrap();
                    let (named, at) = (provider.map(|p| format!("p{p}")), mint.map(|m| format!("m{m}")));
                    let booking = booking(subtask, number, sats, named.as_deref(), at.as_deref());
                    let today = |attempt: &&Attempt| attempt.hour > now / HOUR_MS - DAY_HOURS;
                    let sum = |counts: &dyn Fn(&&Attempt) -> bool| -> u64 {
                        attempts.iter().filter(|attempt| counts(attempt)).map(|attempt| attempt.taken).sum()
                    };
                    let used = [
                        (per_subtask, Some(sum(&|a| a.key.subtask == subtask))),
                        (per_day, Some(sum(&|a| today(a)))),
                        (per_provider, provider.map(|p| sum(&|a| today(a) && a.provider == Some(p)))),
                        (per_mint, mint.map(|m| sum(&|a| today(a) && a.mint == Some(m)))),
                    ];
                    let fits = sats == 0 || used.iter().all(|(most, used)| {
                        most.zip(*used).is_none_or(|(most, used)| used + sats <= most)
                    });
                    let booked = store.write(|store| store.book(std::slice::from_ref(&booking), now));
                    prop_assert_eq!(booked.is_ok(), fits, "{:?}: {:?}", step, booked);
                    if fits {
                        attempts.push(Attempt {
                            key: booking.key, hour: now / HOUR_MS, reserved: sats, taken: sats, provider, mint,
                            open: true,
                        });
                    }
                }
                Step::Settle { which, share } => {
                    let count = attempts.len().max(1);
                    let Some(attempt) = attempts.get_mut(which % count).filter(|attempt| attempt.open) else {
                        continue;
                    };
                    attempt.taken = attempt.reserved * share / 100;
                    attempt.open = false;
                    let settle = Transition::Settle { actual: Sats(attempt.taken), fees: Sats(0) };
                    store.write(|store| store.apply_at(&attempt.key, settle, now)).unwrap();
                }
                Step::GiveBack { which } => {
                    let count = attempts.len().max(1);
                    let Some(attempt) = attempts.get_mut(which % count).filter(|attempt| attempt.open) else {
                        continue;
                    };
                    (attempt.taken, attempt.open) = (0, false);
                    store.write(|store| store.apply_at(&attempt.key, Transition::GiveBack, now)).unwrap();
                }
            }
            let usage = store.read(|store| store.usage(now)).unwrap();
            prop_assert!(per_day.is_none_or(|most| usage.day.0 <= most));
            for (used, most) in [(&usage.providers, per_provider), (&usage.mints, per_mint)] {
                prop_assert!(used.iter().all(|(_, sats)| most.is_none_or(|most| sats.0 <= most)));
            }
        }
        let audit = store.read(crate::ledger::audit::audit).unwrap();
        prop_assert!(audit.is_clean(), "{:?}", audit.mismatches);
    }
}
