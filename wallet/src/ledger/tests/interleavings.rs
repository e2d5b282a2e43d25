//! The equation under random interleavings, against a model that knows nothing of the ledger.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

const KEYS: u32 = 8;

/// Cases unless `PROPTEST_CASES` says otherwise; each is an interleaving of up to forty steps.
const CASES: u32 = 1_000;

#[derive(Debug, Clone)]
enum Step {
    Reserve {
        subtask: u32,
        sats: u64,
    },
    ReserveAll {
        subtasks: Vec<u32>,
        sats: u64,
    },
    /// The asker goes away while the request is under way.
    ReserveAbandoned {
        subtask: u32,
        sats: u64,
    },
    Publish {
        subtask: u32,
    },
    Lock {
        subtask: u32,
    },
    PayOut {
        subtask: u32,
    },
    Settle {
        subtask: u32,
        sats: u64,
        fees: u64,
    },
    /// The settler goes away while the request is under way.
    SettleAbandoned {
        subtask: u32,
        sats: u64,
    },
    Release {
        subtask: u32,
    },
    Drop {
        subtask: u32,
    },
    Attach {
        subtask: u32,
    },
    Reconcile {
        subtask: u32,
        sats: u64,
        fees: u64,
    },
    RaiseLimit {
        sats: u64,
    },
    Crash,
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    let subtask = 0..KEYS;
    let sats = 0_u64..40;
    prop_oneof![
        6 => (subtask.clone(), sats.clone()).prop_map(|(subtask, sats)| Step::Reserve { subtask, sats }),
        2 => (prop::collection::vec(subtask.clone(), 0..4), sats.clone())
            .prop_map(|(subtasks, sats)| Step::ReserveAll { subtasks, sats }),
        1 => (subtask.clone(), sats.clone()).prop_map(|(subtask, sats)| Step::ReserveAbandoned { subtask, sats }),
        3 => subtask.clone().prop_map(|subtask| Step::Publish { subtask }),
        3 => subtask.clone().prop_map(|subtask| Step::Lock { subtask }),
        2 => subtask.clone().prop_map(|subtask| Step::PayOut { subtask }),
        4 => (subtask.clone(), sats.clone(), 0_u64..5)
            .prop_map(|(subtask, sats, fees)| Step::Settle { subtask, sats, fees }),
        1 => (subtask.clone(), sats.clone()).prop_map(|(subtask, sats)| Step::SettleAbandoned { subtask, sats }),
        2 => subtask.clone().prop_map(|subtask| Step::Release { subtask }),
        3 => subtask.clone().prop_map(|subtask| Step::Drop { subtask }),
        3 => subtask.clone().prop_map(|subtask| Step::Attach { subtask }),
        2 => (subtask, sats, 0_u64..5).prop_map(|(subtask, sats, fees)| Step::Reconcile { subtask, sats, fees }),
        1 => (100_u64..200).prop_map(|sats| Step::RaiseLimit { sats }),
        1 => Just(Step::Crash),
        1 => Just(Step::Restart),
    ]
}

/// Where the model thinks an attempt's sats are: amounts per pocket, independent of the states.
#[derive(Debug, Clone, Copy, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "facts that the ledger joins into states; the model must not"
)]
struct Pockets {
    amount: u64,
    spent: u64,
    fees: u64,
    reserved: u64,
    refund: u64,
    published: bool,
    locked: bool,
    paid_out: bool,
    over: bool,
}

impl Pockets {
    fn clear(&mut self) {
        (self.spent, self.fees, self.reserved, self.refund) = (0, 0, 0, 0);
    }

    fn end(&mut self, spent: u64, fees: u64) {
        self.clear();
        (self.spent, self.fees, self.over) = (spent + fees, fees, true);
    }

    fn give_back(&mut self) {
        if self.over || self.paid_out || self.reserved + self.refund + self.spent < self.amount {
            return;
        }
        self.clear();
        if self.locked {
            self.refund = self.amount;
        } else {
            self.over = true;
        }
    }

    fn pay_out(&mut self) {
        self.clear();
        (self.spent, self.paid_out) = (self.amount, true);
    }
}

struct World {
    folder: tempfile::TempDir,
    ledger: Option<Ledger>,
    held: BTreeMap<u32, Reservation>,
    model: BTreeMap<u32, Pockets>,
    limit: u64,
}

impl World {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let ledger = open(&folder).await;
        ledger.open_run("run", Sats(100)).await.unwrap();
        Self { folder, ledger: Some(ledger), held: BTreeMap::new(), model: BTreeMap::new(), limit: 100 }
    }

    fn ledger(&self) -> &Ledger {
        self.ledger.as_ref().unwrap()
    }

    fn taken(&self) -> u64 {
        self.model.values().map(|pockets| pockets.spent + pockets.reserved + pockets.refund).sum()
    }

    fn reserved(&mut self, subtask: u32, sats: u64) {
        let before =
            self.model.insert(subtask, Pockets { amount: sats, reserved: sats, ..Pockets::default() });
        assert!(before.is_none(), "a key was reserved twice");
    }

    #[expect(clippy::too_many_lines, reason = "one arm per step")]
    async fn take(&mut self, step: Step) {
        match step {
            Step::Reserve { subtask, sats } => {
                let fits = self.taken() + sats <= self.limit && !self.model.contains_key(&subtask);
                let result = self.ledger().reserve(key(subtask), Sats(sats)).await;
                assert_eq!(result.is_ok(), fits);
                if let Ok(reservation) = result {
                    self.held.insert(subtask, reservation);
                    self.reserved(subtask, sats);
                }
            }
            Step::ReserveAll { subtasks, sats } => {
                let distinct: std::collections::BTreeSet<_> = subtasks.iter().copied().collect();
                let fits = self.taken() + sats * subtasks.len() as u64 <= self.limit
                    && distinct.len() == subtasks.len()
                    && subtasks.iter().all(|subtask| !self.model.contains_key(subtask));
                let items = subtasks.iter().map(|subtask| (key(*subtask), Sats(sats))).collect();
                let result = self.ledger().reserve_all(items).await;
                assert_eq!(result.is_ok(), fits);
                for (subtask, reservation) in subtasks.into_iter().zip(result.into_iter().flatten()) {
                    self.held.insert(subtask, reservation);
                    self.reserved(subtask, sats);
                }
            }
            Step::ReserveAbandoned { subtask, sats } => {
                let fits = self.taken() + sats <= self.limit && !self.model.contains_key(&subtask);
                poll_once(self.ledger().reserve(key(subtask), Sats(sats))).await;
                // Whatever was granted gives itself back in the commit after the one that granted it.
                self.ledger().activity().await.unwrap();
                if fits {
                    self.model.insert(subtask, Pockets { over: true, ..Pockets::default() });
                }
            }
            Step::Publish { subtask } => {
                let Some(held) = self.held.get(&subtask) else { return };
                let pockets = self.model.get_mut(&subtask).unwrap();
                assert_eq!(held.publish().await.is_ok(), !pockets.paid_out);
                pockets.published |= !pockets.paid_out;
            }
            Step::Lock { subtask } => {
                let Some(held) = self.held.get_mut(&subtask) else { return };
                let pockets = self.model.get_mut(&subtask).unwrap();
                assert_eq!(held.lock().await.is_ok(), !pockets.locked && !pockets.paid_out);
                pockets.locked |= !pockets.paid_out;
            }
            Step::PayOut { subtask } => {
                let Some(held) = self.held.get_mut(&subtask) else { return };
                let pockets = self.model.get_mut(&subtask).unwrap();
                assert_eq!(held.pay_out().await.is_ok(), !pockets.paid_out);
                pockets.pay_out();
            }
            Step::Settle { subtask, sats, fees } => {
                let Some(held) = self.held.remove(&subtask) else { return };
                let pockets = self.model.get_mut(&subtask).unwrap();
                let fits = sats + fees <= pockets.amount;
                let result = held.settle(Sats(sats), Sats(fees)).await;
                assert_eq!(result.is_ok(), fits);
                if fits {
                    pockets.end(sats, fees);
                } else {
                    pockets.pay_out();
                }
            }
            Step::SettleAbandoned { subtask, sats } => {
                let Some(held) = self.held.remove(&subtask) else { return };
                let pockets = self.model.get_mut(&subtask).unwrap();
                poll_once(held.settle(Sats(sats), Sats(0))).await;
                // The channel has room, so that the request was under way when it was abandoned.
                if sats <= pockets.amount {
                    pockets.end(sats, 0);
                } else {
                    pockets.pay_out();
                }
            }
            Step::Release { subtask } => {
                let Some(held) = self.held.remove(&subtask) else { return };
                let pockets = self.model.get_mut(&subtask).unwrap();
                assert_eq!(held.release().await.is_ok(), !pockets.paid_out);
                pockets.give_back();
            }
            Step::Drop { subtask } => {
                if self.held.remove(&subtask).is_some() {
                    self.model.get_mut(&subtask).unwrap().give_back();
                }
            }
            Step::Attach { subtask } => {
                let held = self.held.contains_key(&subtask);
                let result = self.ledger().attach(key(subtask)).await;
                let Some(pockets) = self.model.get_mut(&subtask) else {
                    assert!(result.is_err());
                    return;
                };
                assert_eq!(result.is_ok(), !held && !pockets.over, "{result:?} {pockets:?}");
                if let Ok(reservation) = result {
                    if !pockets.paid_out {
                        pockets.clear();
                        pockets.reserved = pockets.amount;
                    }
                    self.held.insert(subtask, reservation);
                }
            }
            Step::Reconcile { subtask, sats, fees } => {
                let held = self.held.contains_key(&subtask);
                let result = self.ledger().reconcile(key(subtask), Sats(sats), Sats(fees)).await;
                let Some(pockets) = self.model.get_mut(&subtask) else { return };
                let fits = sats + fees <= pockets.amount && !held && !pockets.over;
                let again = pockets.over && (pockets.spent, pockets.fees) == (sats + fees, fees);
                assert_eq!(result.is_ok(), fits || again, "{result:?} {pockets:?}");
                if fits {
                    pockets.end(sats, fees);
                }
            }
            Step::RaiseLimit { sats } => {
                let rises = sats >= self.limit;
                assert_eq!(self.ledger().raise_limit("run", Sats(sats)).await.is_ok(), rises);
                self.limit = self.limit.max(sats);
            }
            Step::Crash => {
                crash(self.ledger.take().unwrap()).await;
                for (subtask, reservation) in std::mem::take(&mut self.held) {
                    let pockets = self.model.get_mut(&subtask).unwrap();
                    if pockets.published && pockets.amount > 0 && !pockets.locked && !pockets.paid_out {
                        pockets.clear();
                        pockets.spent = pockets.amount;
                    } else {
                        pockets.give_back();
                    }
                    drop(reservation);
                }
                self.ledger = Some(open(&self.folder).await);
            }
            Step::Restart => {
                for (subtask, reservation) in std::mem::take(&mut self.held) {
                    self.model.get_mut(&subtask).unwrap().give_back();
                    drop(reservation);
                }
                self.ledger = None;
                self.ledger = Some(open(&self.folder).await);
            }
        }
    }

    async fn check(&self) {
        let sum = |pocket: fn(&Pockets) -> u64| self.model.values().map(pocket).sum::<u64>();
        let expected = [
            sum(|pockets| pockets.spent),
            sum(|pockets| pockets.fees),
            sum(|pockets| pockets.reserved),
            sum(|pockets| pockets.refund),
            self.limit - self.taken(),
        ];
        assert_eq!(sums(self.ledger()).await, expected);
    }
}

/// Lets a request leave, and then forgets about it.
async fn poll_once(future: impl Future) {
    let mut future = std::pin::pin!(future);
    std::future::poll_fn(|context| {
        let _ = future.as_mut().poll(context);
        std::task::Poll::Ready(())
    })
    .await;
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(CASES)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_equation_is_exact_after_every_step(steps in prop::collection::vec(step(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let mut world = World::new().await;
            for step in steps {
                world.take(step).await;
                world.check().await;
            }
            let audit = world.ledger().audit().await.unwrap();
            assert!(audit.is_clean(), "{audit:?}");
        });
    }
}

/// Many tasks at once, some of which give up: what is left must still add up.
#[tokio::test(flavor = "multi_thread")]
async fn the_equation_is_exact_under_concurrency() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(&folder).await;
    ledger.open_run("run", Sats(500)).await.unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    for subtask in 0..2_000 {
        let ledger = ledger.clone();
        tasks.spawn(async move {
            let Ok(mut reservation) = ledger.reserve(key(subtask), Sats(u64::from(subtask) % 7)).await else {
                return 0;
            };
            match subtask % 5 {
                0 => drop(reservation),
                1 => reservation.release().await.unwrap(),
                2 => {
                    reservation.publish().await.unwrap();
                    let cost = reservation.amount();
                    reservation.settle(cost.saturating_sub(Sats(1)), Sats(0)).await.unwrap();
                    return cost.0.saturating_sub(1);
                }
                3 => {
                    let _ = tokio::time::timeout(Duration::from_micros(50), reservation.lock()).await;
                    drop(reservation);
                    // Either it was locked and is refunded, or it was not.
                    let _ = ledger.reconcile(key(subtask), Sats(0), Sats(0)).await;
                }
                _ => {
                    let _ = tokio::time::timeout(Duration::from_micros(50), reservation.release()).await;
                }
            }
            0
        });
    }
    let spent: u64 = tasks.join_all().await.into_iter().sum();
    let [found, fees, reserved, _, _] = sums(&ledger).await;
    assert_eq!((found, fees, reserved), (spent, 0, 0));
    assert!(ledger.audit().await.unwrap().is_clean());
}
