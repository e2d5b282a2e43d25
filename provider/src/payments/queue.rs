//! The queue of commands about pay: in their order, and bounded without losing what is worth sats.
//!
//! The payments task takes commands in batches; while it writes, others wait here. A release that nobody hears is pay that
//! nobody redeems, and its asker does not say it twice. So when too many wait, words of other kinds go first.

use std::collections::VecDeque;

use frlm_protocol::{ReceivedSettlement, Settlement};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use super::PaymentCommand;

/// Orders that wait at most: of words of four kilobytes these are 64 MiB.
const MOST_WAITING: usize = 16_384;

/// Commands on their way to the payments task.
#[derive(Debug)]
pub(crate) struct PayQueue {
    payments: mpsc::Sender<PaymentCommand>,
    waiting: VecDeque<PaymentCommand>,
    most: usize,
}

impl PayQueue {
    pub(crate) fn new(payments: mpsc::Sender<PaymentCommand>) -> Self {
        Self { payments, waiting: VecDeque::new(), most: MOST_WAITING }
    }

    /// Gives the payments task a command, or has it wait; says whether one was lost for it.
    pub(crate) fn push(&mut self, command: PaymentCommand) -> bool {
        if self.waiting.is_empty() {
            match self.payments.try_send(command) {
                Ok(()) => return false,
                Err(TrySendError::Full(command)) => self.waiting.push_back(command),
                Err(TrySendError::Closed(_)) => return true,
            }
        } else {
            self.waiting.push_back(command);
        }
        if self.waiting.len() <= self.most {
            return false;
        }
        // The latest of the least: a lock that is not given back opens by itself at its locktime.
        let least = self.waiting.iter().rposition(|command| !is_worth_sats(command));
        match least {
            Some(index) => drop(self.waiting.remove(index)),
            None => drop(self.waiting.pop_back()),
        }
        true
    }

    /// Passes one waiting command on, as soon as the payments task takes one. For ever pending where none waits.
    pub(crate) async fn pass_on(&mut self) {
        if self.waiting.is_empty() {
            return std::future::pending().await;
        }
        match self.payments.reserve().await {
            Ok(place) => {
                if let Some(command) = self.waiting.pop_front() {
                    place.send(command);
                }
            }
            Err(_) => self.waiting.clear(),
        }
    }
}

/// What a provider loses with an order: pay, or the reply that everything is done.
fn is_worth_sats(command: &PaymentCommand) -> bool {
    let settled =
        |settlement: &Settlement| matches!(settlement, Settlement::Released(_) | Settlement::Paid { .. });
    match command {
        PaymentCommand::Settle(ReceivedSettlement { settlement, .. }) => settled(settlement),
        PaymentCommand::Done(_) => true,
        PaymentCommand::GiveBack(_) | PaymentCommand::Cancelled(_) | PaymentCommand::Gave { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use nostr::{EventId, Keys};

    use super::*;

    fn settle(number: u8, settlement: Settlement) -> PaymentCommand {
        let job = EventId::from_byte_array([number; 32]);
        PaymentCommand::Settle(ReceivedSettlement { settlement, author: Keys::generate().public_key(), job })
    }

    fn number(command: &PaymentCommand) -> u8 {
        match command {
            PaymentCommand::Settle(ReceivedSettlement { job, .. }) => job.as_bytes()[0],
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn releases_come_through_in_order_however_many_other_words_wait() {
        let (payments, mut heard) = mpsc::channel(1);
        let mut queue = PayQueue { most: 4, ..PayQueue::new(payments) };
        let released = |number| settle(number, Settlement::Released("{}".to_owned()));
        let mut lost = 0;
        for index in 0..10 {
            lost += usize::from(queue.push(released(2 * index)));
            lost += usize::from(queue.push(settle(2 * index + 1, Settlement::Declined)));
        }
        // One is taken and four wait: all of the others are lost, the last releases among them.
        assert_eq!(lost, 15);
        let mut numbers = Vec::new();
        while let Ok(command) = heard.try_recv() {
            numbers.push(number(&command));
            if !queue.waiting.is_empty() {
                queue.pass_on().await;
            }
        }
        assert_eq!(numbers, [0, 2, 4, 6, 8]);
    }
}
