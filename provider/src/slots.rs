//! The engine's slots, and who takes the next one.
//!
//! Each turn in a slot is one handful of a job's prompts. At a provider with a price, guests have one turn of
//! [`PER_GUEST_TURN`] while a job that pays is worked on, and what slots it leaves idle.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{Notify, Semaphore, SemaphorePermit};

/// While a job that pays is worked on, guests have one turn of so many.
const PER_GUEST_TURN: usize = 8;

#[derive(Debug)]
pub(crate) struct Slots {
    permits: Semaphore,
    /// Guests that wait for a slot or have one: as many as there are slots, so that no crowd of them waits before others.
    guests: Semaphore,
    /// Jobs that pay and are worked on.
    paid: AtomicUsize,
    /// Turns that those have had since a guest's last one.
    turns: AtomicUsize,
    changed: Notify,
}

/// A slot of the engine; dropping it is the end of the turn.
#[derive(Debug)]
pub(crate) struct EngineTurn<'a> {
    slots: &'a Slots,
    permit: Option<SemaphorePermit<'a>>,
    guest: Option<SemaphorePermit<'a>>,
}

/// A job that pays, while it is worked on.
#[derive(Debug)]
pub(crate) struct PaidJob<'a>(&'a Slots);

impl Slots {
    pub(crate) fn new(slots: usize) -> Self {
        Self {
            permits: Semaphore::new(slots),
            guests: Semaphore::new(slots),
            paid: AtomicUsize::new(0),
            turns: AtomicUsize::new(0),
            changed: Notify::new(),
        }
    }

    pub(crate) fn idle(&self) -> usize {
        self.permits.available_permits()
    }

    /// Work on a job begins that pays.
    pub(crate) fn begin_paid(&self) -> PaidJob<'_> {
        self.paid.fetch_add(1, Ordering::Relaxed);
        PaidJob(self)
    }

    /// Waits for a slot; `None` if the engine is gone.
    pub(crate) async fn take(&self) -> Option<EngineTurn<'_>> {
        let permit = self.permits.acquire().await.ok()?;
        if self.paid.load(Ordering::Relaxed) > 0 {
            self.turns.fetch_add(1, Ordering::Relaxed);
        }
        Some(EngineTurn { slots: self, permit: Some(permit), guest: None })
    }

    /// The same for a prompt of a guest's job.
    pub(crate) async fn take_as_guest(&self) -> Option<EngineTurn<'_>> {
        let guest = self.guests.acquire().await.ok()?;
        loop {
            let changed = self.changed.notified();
            if self.is_guest_s_turn() {
                break;
            }
            changed.await;
        }
        let permit = self.permits.acquire().await.ok()?;
        Some(EngineTurn { slots: self, permit: Some(permit), guest: Some(guest) })
    }

    fn is_guest_s_turn(&self) -> bool {
        let paid = self.paid.load(Ordering::Relaxed);
        let of_turns = |turns: usize| turns.checked_sub(PER_GUEST_TURN - 1);
        // One that takes several turns is between two of them for a moment, and needs its slot again.
        paid == 0
            || self.idle() > paid
            || self.turns.fetch_update(Ordering::Relaxed, Ordering::Relaxed, of_turns).is_ok()
    }
}

impl Drop for EngineTurn<'_> {
    fn drop(&mut self) {
        drop((self.permit.take(), self.guest.take()));
        self.slots.changed.notify_waiters();
    }
}

impl Drop for PaidJob<'_> {
    fn drop(&mut self) {
        if self.0.paid.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.0.turns.store(0, Ordering::Relaxed);
        }
        self.0.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use super::*;

    const TURN: Duration = Duration::from_millis(30);

    #[tokio::test(start_paused = true)]
    async fn a_job_that_pays_has_seven_turns_of_eight_among_many_guests() {
        let (slots, order) = (Arc::new(Slots::new(1)), Arc::new(Mutex::new(Vec::new())));
        let mut guests = tokio::task::JoinSet::new();
        for _ in 0..5 {
            let (slots, order) = (Arc::clone(&slots), Arc::clone(&order));
            guests.spawn(async move {
                loop {
                    let _slot = slots.take_as_guest().await.unwrap();
                    tokio::time::sleep(TURN).await;
                    order.lock().unwrap().push("guest");
                }
            });
        }
        tokio::time::sleep(TURN * 3).await;
        assert!(order.lock().unwrap().len() >= 2, "nobody else is there");
        order.lock().unwrap().clear();
        let paid = slots.begin_paid();
        for _ in 0..70 {
            let _slot = slots.take().await.unwrap();
            tokio::time::sleep(TURN).await;
            order.lock().unwrap().push("paid");
        }
        drop(paid);
        let guests_had = order.lock().unwrap().iter().filter(|turn| **turn == "guest").count();
        assert!((8..=12).contains(&guests_had), "{guests_had} turns beside 70");
        tokio::time::sleep(TURN * 4).await;
        assert!(order.lock().unwrap().len() >= 70 + guests_had + 3, "they go on");
    }

    #[tokio::test(start_paused = true)]
    async fn a_slot_that_a_job_that_pays_leaves_idle_is_a_guest_s() {
        let slots = Slots::new(4);
        let _paid = slots.begin_paid();
        let _its = slots.take().await.unwrap();
        let guest = tokio::time::timeout(TURN, slots.take_as_guest()).await;
        assert!(guest.unwrap().is_some());
    }
}
