//! What front ends see of `frlm_util`: text, files and clocks. Items are named one by one.

/// As [`frlm_util::clock`].
pub mod clock {
    pub use frlm_util::clock::{unix_millis, unix_millis_signed, unix_secs};
}

/// As [`frlm_util::files`].
pub mod files {
    pub use frlm_util::files::{Access, create_private_folder, replace};
}

/// As [`frlm_util::text`].
pub mod text {
    pub use frlm_util::text::{shortened, words};
}
