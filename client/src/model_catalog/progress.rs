//! How far a download is, in words.

use frlm_inference::download::Progress;

use crate::units::{bytes, lasting};

/// "1.2 GiB of 2.4 GiB, 12.0 MiB/s, 1 min 42 s left".
pub fn progress_in_words(progress: &Progress) -> String {
    let mut words = vec![match progress.total {
        Some(total) => format!("{} of {}", bytes(progress.done), bytes(total)),
        None => bytes(progress.done),
    }];
    words.push(format!("{}/s", bytes(progress.per_second)));
    let rest = progress.total.map(|total| total.saturating_sub(progress.done));
    if let Some(left_ms) = rest.and_then(|rest| rest.saturating_mul(1_000).checked_div(progress.per_second)) {
        words.push(format!("{} left", lasting(left_ms)));
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_told_with_what_is_left() {
        let progress = Progress { done: 1 << 30, total: Some(3 << 30), per_second: 1 << 24 };
        assert_eq!(progress_in_words(&progress), "1.0 GiB of 3.0 GiB, 16.0 MiB/s, 2 min 08 s left");
        let unknown = Progress { done: 512, total: None, per_second: 0 };
        assert_eq!(progress_in_words(&unknown), "512 bytes, 0 bytes/s");
    }
}
