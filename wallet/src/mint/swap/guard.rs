//! An exchange that somebody drives.
//!
//! Futures are dropped: a run is stopped, a time limit is over, somebody presses Ctrl-C in a program
//! that goes on. What was planned is then still in the journal, and may have reached the mint. It goes
//! back to those that nobody has answered clearly, so that the next look finishes it and not only the
//! next start of the program.

use std::ops::Deref;

use super::{Asked, Planned};
use crate::journal::now_ms;
use crate::mint::CashuWallet;

/// A planned exchange; dropped before it is over, it is kept for
/// [`CashuWallet::retry_unclear`].
#[must_use = "an exchange waits for the next attempt"]
pub(crate) struct SwapGuard<'a> {
    wallet: &'a CashuWallet,
    /// Nothing only while it ends.
    planned: Option<Planned>,
}

impl<'a> SwapGuard<'a> {
    pub(crate) fn new(wallet: &'a CashuWallet, planned: Planned) -> Self {
        Self { wallet, planned: Some(planned) }
    }

    /// The mint is about to be asked.
    pub(super) fn ask(&mut self) {
        self.change(|asked| match asked {
            Asked::Never | Asked::Now => Asked::Now,
            Asked::At(before) | Asked::Again(before) => Asked::Again(before),
        });
    }

    /// The mint has not answered clearly.
    pub(super) fn unanswered(&mut self) {
        self.change(|_| Asked::At(now_ms()));
    }

    /// The mint has answered what it was asked last, and an earlier copy may still arrive.
    pub(super) fn answered(&mut self) {
        self.change(|asked| if let Asked::Again(before) = asked { Asked::At(before) } else { asked });
    }

    fn change(&mut self, to: impl FnOnce(Asked) -> Asked) {
        if let Some(planned) = &mut self.planned {
            planned.asked = to(planned.asked);
        }
    }

    /// The journal says how it ended.
    pub(super) fn complete(mut self) {
        self.planned = None;
    }
}

impl Deref for SwapGuard<'_> {
    type Target = Planned;

    fn deref(&self) -> &Planned {
        self.planned.as_ref().expect("only `complete` takes it, and that takes all of it")
    }
}

impl Drop for SwapGuard<'_> {
    fn drop(&mut self) {
        if let Some(mut planned) = self.planned.take() {
            if matches!(planned.asked, Asked::Now | Asked::Again(_)) {
                planned.asked = Asked::At(now_ms());
            }
            self.wallet.unclear().push(planned);
        }
    }
}
