//! Talks to a program beside the run: what it says lies in a box until the plan takes it up.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use tokio::sync::Notify;

use super::{Broken, Reply, Said, Script};

/// What a program said last, until it is taken.
#[derive(Default)]
struct Mailbox {
    said: Mutex<Option<Result<Said, Broken>>>,
    woken: Arc<Notify>,
}

impl Mailbox {
    fn said(&self) -> MutexGuard<'_, Option<Result<Said, Broken>>> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A program that has begun. Dropped, it is stopped.
pub(super) struct Conversation {
    mailbox: Arc<Mailbox>,
    replies: Option<Sender<Reply>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Conversation {
    /// Begins it.
    pub fn begin(script: Box<dyn Script>) -> Self {
        let (mailbox, stop) = (Arc::<Mailbox>::default(), Arc::<AtomicBool>::default());
        let (replies, inbox) = channel();
        let (theirs, stops) = (Arc::clone(&mailbox), Arc::clone(&stop));
        let thread = std::thread::spawn(move || talk(script, &theirs, &inbox, &stops));
        Self { mailbox, replies: Some(replies), stop, thread: Some(thread) }
    }

    /// Takes what it has said, if it has said something.
    pub fn heard(&self) -> Option<Result<Said, Broken>> {
        self.mailbox.said().take()
    }

    /// Whether it has said something.
    pub fn has_news(&self) -> bool {
        self.mailbox.said().is_some()
    }

    /// Notified whenever it says something.
    pub fn woken(&self) -> Arc<Notify> {
        Arc::clone(&self.mailbox.woken)
    }

    /// Answers its call.
    pub fn reply(&mut self, reply: Reply) {
        // A thread that is gone has said why before.
        let _ = self.replies.as_ref().map(|replies| replies.send(reply));
    }
}

fn talk(mut script: Box<dyn Script>, mailbox: &Mailbox, inbox: &Receiver<Reply>, stop: &AtomicBool) {
    let mut reply = None;
    loop {
        let said = script.go_on(reply.take(), stop);
        let waits = matches!(said, Ok(Said::Calls(_)));
        *mailbox.said() = Some(said);
        mailbox.woken.notify_one();
        if !waits {
            return;
        }
        match inbox.recv() {
            Ok(answer) => reply = Some(answer),
            // Nobody wants it to go on.
            Err(_) => return,
        }
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.replies = None;
        if let Some(thread) = self.thread.take() {
            // It looks at the flag every few milliseconds; a panic of its own has nobody to tell any more.
            let _ = thread.join();
        }
    }
}
