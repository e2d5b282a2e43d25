//! What relays and servers say.

/// Their words, safe to show, on one line and of bearable length.
pub(crate) fn words(text: &str) -> String {
    const MAX_CHARS: usize = 300;
    frlm_protocol::one_line(text).chars().take(MAX_CHARS).collect()
}
