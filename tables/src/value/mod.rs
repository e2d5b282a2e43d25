//! Cells as people write them: numbers with their locale, durations, sizes, moments, yes and no.

pub(crate) mod boolean;
pub(crate) mod missing;
pub(crate) mod moment;
pub(crate) mod number;
pub(crate) mod unit;
