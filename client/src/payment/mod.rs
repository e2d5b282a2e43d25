//! How a run pays: Cashu escrow ([`cashu`]), and what earlier processes owed ([`debts`]).

pub mod cashu;
pub mod debts;
