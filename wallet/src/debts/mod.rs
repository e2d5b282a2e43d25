//! Pay after the verdict: small jobs that are paid for once their answers count, if their provider offers that.
//!
//! - [`payer`]: what an asker owes, and pays with a lock of escrow that it makes and releases at once
//! - [`credit_line`]: work that a provider does before it is paid

mod credit_line;
mod payer;

#[cfg(test)]
mod tests;

pub(crate) use credit_line::unpaid_where;
pub use credit_line::{CREDIT_LINES_OVERALL, CreditLine};
pub use payer::{DEBT_LOCK_SECS, Debt, DebtPayment, DebtRow, DebtState, DebtsPaid};
