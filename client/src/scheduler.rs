//! What front ends see of `frlm_scheduler`: how subtasks and attempts are named. Items are named one by one.

pub use frlm_scheduler::{AttemptId, FailureReason, SubtaskId};
