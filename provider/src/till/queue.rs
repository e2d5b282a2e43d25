//! The way of orders to the till: in their order, and bounded without losing what is worth sats.
//!
//! The till takes its orders in handfuls; while it writes, others wait here. A release that nobody hears is pay that
//! nobody redeems, and its asker does not say it twice. So when too many wait, words of other kinds go first.

use std::collections::VecDeque;

use frlm_protocol::{ReceivedSettlement, Settlement};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use super::Order;

/// Orders that wait at most: of words of four kilobytes these are 64 MiB.
const MOST_WAITING: usize = 16_384;

/// Orders on their way to the till.
#[derive(Debug)]
pub(crate) struct PayQueue {
    till: mpsc::Sender<Order>,
    waiting: VecDeque<Order>,
    most: usize,
}

impl PayQueue {
    pub(crate) fn new(till: mpsc::Sender<Order>) -> Self {
        Self { till, waiting: VecDeque::new(), most: MOST_WAITING }
    }

    /// Gives an order to the till, or has it wait; says whether one was lost for it.
    pub(crate) fn push(&mut self, order: Order) -> bool {
        if self.waiting.is_empty() {
            match self.till.try_send(order) {
                Ok(()) => return false,
                Err(TrySendError::Full(order)) => self.waiting.push_back(order),
                Err(TrySendError::Closed(_)) => return true,
            }
        } else {
            self.waiting.push_back(order);
        }
        if self.waiting.len() <= self.most {
            return false;
        }
        // The latest of the least: a lock that is not given back opens by itself at its locktime.
        let least = self.waiting.iter().rposition(|order| !is_worth_sats(order));
        match least {
            Some(index) => drop(self.waiting.remove(index)),
            None => drop(self.waiting.pop_back()),
        }
        true
    }

    /// Passes one order on that waits, as soon as the till takes one. For ever pending where none waits.
    pub(crate) async fn pass_on(&mut self) {
        if self.waiting.is_empty() {
            return std::future::pending().await;
        }
        match self.till.reserve().await {
            Ok(place) => {
                if let Some(order) = self.waiting.pop_front() {
                    place.send(order);
                }
            }
            Err(_) => self.waiting.clear(),
        }
    }
}

/// What a provider loses with an order: pay, or its last words to whoever asks when it is done.
fn is_worth_sats(order: &Order) -> bool {
    let settled =
        |settlement: &Settlement| matches!(settlement, Settlement::Released(_) | Settlement::Paid { .. });
    match order {
        Order::Settle(ReceivedSettlement { settlement, .. }) => settled(settlement),
        Order::Done(_) => true,
        Order::GiveBack(_) | Order::CalledOff(_) | Order::Gave { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use nostr::{EventId, Keys};

    use super::*;

    fn settle(number: u8, settlement: Settlement) -> Order {
        let job = EventId::from_byte_array([number; 32]);
        Order::Settle(ReceivedSettlement { settlement, author: Keys::generate().public_key(), job })
    }

    fn number(order: &Order) -> u8 {
        match order {
            Order::Settle(ReceivedSettlement { job, .. }) => job.as_bytes()[0],
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn releases_come_through_in_order_however_many_other_words_wait() {
        let (till, mut heard) = mpsc::channel(1);
        let mut queue = PayQueue { most: 4, ..PayQueue::new(till) };
        let released = |number| settle(number, Settlement::Released("{}".to_owned()));
        let mut lost = 0;
        for index in 0..10 {
            lost += usize::from(queue.push(released(2 * index)));
            lost += usize::from(queue.push(settle(2 * index + 1, Settlement::Declined)));
        }
        // One is with the till and four wait: all of the others are lost, the last releases among them.
        assert_eq!(lost, 15);
        let mut numbers = Vec::new();
        while let Ok(order) = heard.try_recv() {
            numbers.push(number(&order));
            if !queue.waiting.is_empty() {
                queue.pass_on().await;
            }
        }
        assert_eq!(numbers, [0, 2, 4, 6, 8]);
    }
}
