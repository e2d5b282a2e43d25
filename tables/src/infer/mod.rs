//! Types by column: a census of all cells first, then one decision per column, then the cells under it.

mod census;
mod convert;
mod decide;

pub(crate) use census::Census;
pub(crate) use convert::{Reader, Stored, currency_of};
pub(crate) use decide::decide;
