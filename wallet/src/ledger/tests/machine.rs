//! The transition function with a mint that fails, stalls, loses answers and does things twice: ten
//! thousand random interleavings, each to its end. The mint is a model here; the real one is in
//! `escrow/tests/faults.rs`.

use proptest::prelude::*;

use super::*;
use crate::ledger::entry::{Refused, apply};

const ATTEMPTS: usize = 6;
const LIMIT: u64 = 120;
/// Of what is reserved, so much is for fees.
const FEES: u64 = 2;

/// Interleavings unless `PROPTEST_CASES` says otherwise.
const CASES: u32 = 10_000;

/// What became of a request to the mint.
#[derive(Debug, Clone, Copy)]
enum Luck {
    /// Done and answered.
    Good,
    /// Refused; nothing was done.
    Refused,
    /// Done, and the answer is lost.
    Unanswered,
    /// Arrives later, or never.
    Stalled,
    /// Arrives twice.
    Twice,
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Reserve {
        attempt: usize,
        sats: u64,
    },
    Lock {
        attempt: usize,
        luck: Luck,
    },
    Release {
        attempt: usize,
        heard: bool,
    },
    /// The work counts and was not locked for: it is owed, and to be paid.
    Owe {
        attempt: usize,
    },
    /// A debt is locked and released, by the next look.
    Pay {
        attempt: usize,
        luck: Luck,
        heard: bool,
    },
    GiveUp {
        attempt: usize,
    },
    Reclaim {
        attempt: usize,
        luck: Luck,
    },
    /// A stalled request arrives after all.
    Arrive {
        attempt: usize,
    },
    Timeout {
        attempt: usize,
    },
    Crash,
}

fn step() -> impl Strategy<Value = Step> {
    let attempt = 0..ATTEMPTS;
    let luck = prop_oneof![
        4 => Just(Luck::Good),
        1 => Just(Luck::Refused),
        1 => Just(Luck::Unanswered),
        1 => Just(Luck::Stalled),
        1 => Just(Luck::Twice),
    ];
    prop_oneof![
        5 => (attempt.clone(), FEES..60).prop_map(|(attempt, sats)| Step::Reserve { attempt, sats }),
        5 => (attempt.clone(), luck.clone()).prop_map(|(attempt, luck)| Step::Lock { attempt, luck }),
        4 => (attempt.clone(), any::<bool>()).prop_map(|(attempt, heard)| Step::Release { attempt, heard }),
        3 => attempt.clone().prop_map(|attempt| Step::Owe { attempt }),
        4 => (attempt.clone(), luck.clone(), any::<bool>())
            .prop_map(|(attempt, luck, heard)| Step::Pay { attempt, luck, heard }),
        2 => attempt.clone().prop_map(|attempt| Step::GiveUp { attempt }),
        2 => (attempt.clone(), luck).prop_map(|(attempt, luck)| Step::Reclaim { attempt, luck }),
        2 => attempt.clone().prop_map(|attempt| Step::Arrive { attempt }),
        2 => attempt.prop_map(|attempt| Step::Timeout { attempt }),
        1 => Just(Step::Crash),
    ]
}

/// Where an attempt's sats really are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// With the payer, all of them.
    Payer,
    Escrow,
    Provider,
    /// With the payer again, less a fee.
    Back,
}

/// One attempt: what the books say, and what is so.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "facts that are independent of each other")]
struct Attempt {
    entry: Entry,
    /// A process holds the reservation.
    held: bool,
    /// The work counts, and is paid for after that.
    owed: bool,
    place: Place,
    /// A request that nobody has answered.
    lock_stalled: bool,
    reclaim_stalled: bool,
    /// The signature that opens the lock is with the provider.
    opened: bool,
    /// Nothing more will arrive: the locktime and every queue are over.
    over: bool,
}

impl Attempt {
    fn apply(&mut self, transition: Transition) -> Result<(), Refused> {
        self.entry = apply(Some(self.entry), transition)?;
        Ok(())
    }

    /// What the payer is out of.
    fn gone(&self) -> u64 {
        match self.place {
            Place::Payer => 0,
            Place::Back => 1,
            Place::Escrow | Place::Provider => self.entry.amount.0,
        }
    }

    /// The mint does what a request wants; a second copy changes nothing.
    fn mint_locks(&mut self) {
        if self.place == Place::Payer {
            self.place = Place::Escrow;
        }
    }

    fn mint_gives_back(&mut self) {
        if self.place == Place::Escrow {
            self.place = Place::Back;
        }
    }

    /// The provider redeems what was opened, if it is still there.
    fn redeem(&mut self) {
        if self.opened && self.place == Place::Escrow {
            self.place = Place::Provider;
        }
    }

    /// Locks what is owed, signs it over, and settles if the provider was told.
    fn pay(&mut self, luck: Luck, heard: bool) {
        if self.place == Place::Payer {
            match luck {
                Luck::Good | Luck::Twice => {
                    self.mint_locks();
                    self.mint_locks();
                }
                Luck::Unanswered => return self.mint_locks(),
                Luck::Stalled => return self.lock_stalled = true,
                Luck::Refused => return,
            }
        }
        if !heard || self.place != Place::Escrow {
            return self.reconcile();
        }
        self.opened = true;
        self.redeem();
        if std::mem::take(&mut self.held) {
            let (actual, fees) = (Sats(self.entry.amount.0 - FEES), Sats(FEES));
            self.apply(Transition::Settle { actual, fees }).unwrap();
        } else {
            self.reconcile();
        }
    }

    /// What is known for certain is written down.
    fn reconcile(&mut self) {
        if self.held || !matches!(self.entry.state, State::Released | State::Doubtful | State::Reclaimed) {
            return;
        }
        let (actual, fees) = match self.place {
            // It will be paid.
            Place::Payer if self.owed => return,
            Place::Payer if self.over || !self.lock_stalled => (0, 0),
            Place::Back => (0, 1),
            Place::Provider => (self.entry.amount.0 - FEES, FEES),
            Place::Payer | Place::Escrow => return,
        };
        self.apply(Transition::Reconcile { actual: Sats(actual), fees: Sats(fees) }).unwrap();
    }
}

struct Books {
    attempts: [Option<Attempt>; ATTEMPTS],
    /// Of attempts whose number was used again.
    spent: u64,
}

impl Books {
    fn taken(&self) -> u64 {
        let shares = self.attempts.iter().flatten().map(|attempt| attempt.entry.share());
        self.spent + shares.map(|share| share.taken().unwrap().0).sum::<u64>()
    }

    /// A new attempt, in the place of one that is over.
    fn reserve(&mut self, attempt: usize, sats: u64) {
        if let Some(old) = self.attempts[attempt] {
            let quiet = !old.lock_stalled && !old.reclaim_stalled && old.place != Place::Escrow;
            if !old.entry.state.is_final() || !quiet {
                return;
            }
            self.spent += old.entry.share().spent.0;
            self.attempts[attempt] = None;
        }
        if self.taken() + sats > LIMIT {
            return;
        }
        let mut entry = apply(None, Transition::Reserve(Sats(sats))).unwrap();
        entry = apply(Some(entry), Transition::Publish).unwrap();
        self.attempts[attempt] = Some(Attempt {
            entry,
            held: true,
            owed: false,
            place: Place::Payer,
            lock_stalled: false,
            reclaim_stalled: false,
            opened: false,
            over: false,
        });
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Reserve { attempt, sats } => self.reserve(attempt, sats),
            Step::Lock { attempt, luck } => {
                let Some(attempt) = &mut self.attempts[attempt] else { return };
                if !attempt.held || attempt.entry.state != State::Reserved {
                    return;
                }
                // Durable before the mint sees anything.
                attempt.apply(Transition::Lock).unwrap();
                match luck {
                    Luck::Good | Luck::Twice => {
                        attempt.mint_locks();
                        attempt.mint_locks();
                        return;
                    }
                    Luck::Unanswered => attempt.mint_locks(),
                    Luck::Stalled => attempt.lock_stalled = true,
                    Luck::Refused => {}
                }
                attempt.held = false;
                attempt.apply(Transition::GiveBack).unwrap();
            }
            Step::Release { attempt, heard } => {
                let Some(attempt) = &mut self.attempts[attempt] else { return };
                if !attempt.held || attempt.entry.state != State::Locked {
                    return;
                }
                attempt.apply(Transition::PayOut).unwrap();
                if heard {
                    attempt.opened = true;
                    attempt.redeem();
                    let (actual, fees) = (Sats(attempt.entry.amount.0 - FEES), Sats(FEES));
                    attempt.apply(Transition::Settle { actual, fees }).unwrap();
                }
                attempt.held = false;
            }
            Step::Owe { attempt } => {
                let Some(attempt) = &mut self.attempts[attempt] else { return };
                if attempt.held && attempt.entry.state == State::Reserved {
                    attempt.apply(Transition::PayOut).unwrap();
                    attempt.owed = true;
                }
            }
            Step::Pay { attempt, luck, heard } => {
                let Some(attempt) = &mut self.attempts[attempt] else { return };
                if attempt.owed && attempt.entry.state == State::Released {
                    attempt.pay(luck, heard);
                }
            }
            Step::GiveUp { attempt } => {
                let Some(attempt) = &mut self.attempts[attempt] else { return };
                if attempt.owed {
                    // It was dropped; a later look pays.
                    attempt.held = false;
                } else if attempt.held {
                    attempt.apply(Transition::GiveBack).unwrap();
                    attempt.held = false;
                }
            }
            Step::Reclaim { attempt, luck } => {
                let Some(attempt) = &mut self.attempts[attempt] else { return };
                if attempt.entry.state != State::Reclaimed || attempt.place != Place::Escrow {
                    return;
                }
                match luck {
                    Luck::Good | Luck::Twice | Luck::Unanswered => attempt.mint_gives_back(),
                    Luck::Stalled => attempt.reclaim_stalled = true,
                    Luck::Refused => {}
                }
                if matches!(luck, Luck::Good | Luck::Twice) {
                    attempt.reconcile();
                }
            }
            Step::Arrive { attempt } => {
                let Some(attempt) = &mut self.attempts[attempt] else { return };
                if std::mem::take(&mut attempt.lock_stalled) {
                    attempt.mint_locks();
                } else if std::mem::take(&mut attempt.reclaim_stalled) {
                    attempt.mint_gives_back();
                }
            }
            Step::Timeout { attempt } => {
                let Some(attempt) = &mut self.attempts[attempt] else { return };
                if !attempt.held {
                    attempt.mint_gives_back();
                    attempt.reconcile();
                }
            }
            Step::Crash => {
                for attempt in self.attempts.iter_mut().flatten() {
                    if std::mem::take(&mut attempt.held) {
                        let before = attempt.entry.state;
                        let recovered = attempt.apply(Transition::Recover);
                        assert_eq!(recovered.is_err(), before == State::Released, "{before:?}");
                    }
                    attempt.reconcile();
                }
            }
        }
    }

    fn check(&self) {
        assert!(self.taken() <= LIMIT, "more is taken than there is");
        for attempt in self.attempts.iter().flatten() {
            let accounted = attempt.entry.share().taken().unwrap().0;
            // The fees of a lock that was paid out are the only difference a settlement may make.
            assert!(attempt.gone() <= accounted, "{attempt:?}");
        }
    }

    /// Every queue is drained and every locktime passes.
    fn end(&mut self) {
        for attempt in 0..ATTEMPTS {
            self.take(Step::GiveUp { attempt });
            self.take(Step::Arrive { attempt });
            self.take(Step::Arrive { attempt });
        }
        for attempt in self.attempts.iter_mut().flatten() {
            attempt.over = true;
            if attempt.owed && attempt.entry.state == State::Released {
                attempt.pay(Luck::Good, true);
            }
            attempt.redeem();
            if !attempt.entry.state.is_final() {
                attempt.mint_gives_back();
            }
            attempt.reconcile();
        }
    }
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(CASES)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_books_never_say_less_than_is_gone_and_end_with_exactly_that(
        steps in prop::collection::vec(step(), 1..80),
    ) {
        let mut books = Books { attempts: [None; ATTEMPTS], spent: 0 };
        for step in steps {
            books.take(step);
            books.check();
        }
        books.end();
        books.check();
        for attempt in books.attempts.iter().flatten() {
            prop_assert!(attempt.entry.state.is_final(), "{attempt:?}");
            prop_assert_eq!(attempt.entry.share().spent.0, attempt.gone(), "{:?}", attempt);
        }
    }
}
