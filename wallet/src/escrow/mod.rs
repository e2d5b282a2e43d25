//! Escrow: sats that only both parties together, or time, can open.
//!
//! ```text
//!  payer                            mint                             provider
//!    │ lock (2-of-2, n at once)      │                                   │
//!    ├──────── swap ────────────────►│                                   │
//!    ├──────── job with the lock ────┼──────────────────────────────────►│ check: mint, net amount,
//!    │                               │◄───────── unspent? ───────────────┤ keys, locktime, DLEQ
//!    │◄──────── result ──────────────┼───────────────────────────────────┤ work
//!    │ verdict                       │                                   │
//!    │ accepted: co-signature ───────┼──────────────────────────────────►│
//!    │                               │◄───────── swap, both signatures ──┤ redeem
//!    │ rejected, cancelled           │                                   │
//!    │◄──────── provider's signature ┼───────────────────────────────────┤ return
//!    ├──────── swap, both ──────────►│                                   │
//!    │ or nothing: after the locktime│                                   │
//!    ├──────── swap, refund key ────►│                                   │
//! ```
//!
//! The payer's side, in the journal's `locks`, and what follows a crash in each state:
//!
//! ```text
//!  planned ──swap──► locked ──release──► released ──ledger settled──► settled
//!     │                │ │                  │
//!     │ refused        │ └─ returned ─► reclaiming ──swap──► reclaimed
//!     ▼                │                    ▲   ▲
//!   void               └──── locktime ──────┘   └── locktime, never redeemed (released only)
//! ```
//!
//! *planned* and *reclaiming* have a plan of an exchange that is made again; *locked* waits for a
//! verdict or the locktime; *released* may have left, so it counts as spent until the mint says
//! otherwise after the locktime. The provider's side, in `claims`:
//!
//! ```text
//!  accepted ──co-signature──► released ──swap──► redeemed
//!      │                         │ (a replay makes the swap again)
//!      ├── rejected, stopped ──► returned (rejected too often: it waits for the locktime)
//!      └── locktime ───────────► lost
//! ```
//!
//! Small jobs may be paid for after the verdict instead, with such a lock, too: see [`crate::debts`].
//!
//! Free jobs of a provider are in `free_jobs`, for the day on which they count.
//!
//! Who can cheat whom of how much is in `docs/money.md`.

pub(crate) mod book;
pub(crate) mod claims;
mod credit;
mod declined;
mod fees;
mod free_jobs;
mod lock;
mod locking;
pub(crate) mod payer;
mod provider;
mod purpose;
mod redeeming;
pub(crate) mod refund;

#[cfg(test)]
pub(crate) mod tests;

pub use credit::{Credit, FIRST_UNRELEASED, MOST_UNRELEASED};
pub use declined::{DECLINED_A_DAY, PAID_PER_DECLINED};
pub use lock::{Lock, LockProof, Release, Returned};
pub use locking::{LockCost, LockOrder, Locked};
pub use payer::RELEASE_MARGIN_SECS;
pub use provider::{Claim, Claimed, Earning, LockRefusal, Need};
pub(crate) use purpose::Escrow;
pub(crate) use refund::CLOCK_SLACK_SECS;
pub use refund::LockRow;
