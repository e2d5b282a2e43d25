//! What front ends see of `frlm_provider`: providing. Items are named one by one.

pub use frlm_provider::{ProviderEvent, ProviderHandle, ProviderStats};
