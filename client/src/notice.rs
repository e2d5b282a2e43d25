//! What a user should hear while something goes on: sats that arrived, a program's own output, an invoice that could not
//! be made. Each is a `tracing` event with [`TARGET`]; a front end prints or shows those.

/// The target of such events.
pub const TARGET: &str = "frlm::notice";

/// Tells the user, through the front end.
#[macro_export]
macro_rules! notice {
    ($($text:tt)*) => { $crate::notice::tell(format_args!($($text)*)) };
}

/// Sends a notice; [`notice!`] formats it.
pub fn tell(text: std::fmt::Arguments<'_>) {
    tracing::info!(target: TARGET, "{text}");
}
