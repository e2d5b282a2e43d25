//! Server-sent events, with limits on what a server may make us hold.

/// One event may be this long. Real ones are a few hundred bytes; a reasoning step with twenty
/// alternatives per token stays far below.
pub(super) const MAX_LINE_BYTES: usize = 1 << 20;
/// A whole answer may be this long, framing included.
pub(super) const MAX_BODY_BYTES: usize = 64 << 20;

/// Splits arriving bytes into the data of events.
#[derive(Debug, Default)]
pub(super) struct Lines {
    pending: Vec<u8>,
    received: usize,
}

/// The server sent more than the limits allow.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooMuch;

impl Lines {
    /// Takes arriving bytes; returns the data of every event they completed.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<String>, TooMuch> {
        self.received = self.received.saturating_add(bytes.len());
        if self.received > MAX_BODY_BYTES {
            return Err(TooMuch);
        }
        let mut events = Vec::new();
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            if self.pending.len() + part.len() > MAX_LINE_BYTES {
                return Err(TooMuch);
            }
            self.pending.extend_from_slice(part);
            if part.ends_with(b"\n") {
                events.extend(data_of(&std::mem::take(&mut self.pending)));
            }
        }
        Ok(events)
    }

    /// The body ended: a last line may lack its end.
    pub fn finish(&mut self) -> Option<String> {
        data_of(&std::mem::take(&mut self.pending))
    }
}

/// The data of a line; `None` for comments, keep-alives and other fields.
fn data_of(line: &[u8]) -> Option<String> {
    let line = String::from_utf8_lossy(line);
    let data = line.trim_end_matches(['\r', '\n']).strip_prefix("data:")?;
    let data = data.strip_prefix(' ').unwrap_or(data);
    (!data.is_empty()).then(|| data.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_found_however_the_bytes_are_cut() {
        let body = "data: {\"é\":1}\r\n\r\n: keep-alive\nevent: x\ndata:two\n\ndata: last".as_bytes();
        for cut in 1..body.len() {
            let mut lines = Lines::default();
            let mut events = Vec::new();
            for part in body.chunks(cut) {
                events.extend(lines.push(part).expect("small"));
            }
            events.extend(lines.finish());
            assert_eq!(events, ["{\"é\":1}", "two", "last"], "cut every {cut} bytes");
        }
    }

    #[test]
    fn a_line_without_end_is_refused_at_the_limit() {
        let mut lines = Lines::default();
        let block = vec![b'x'; MAX_LINE_BYTES / 4];
        for _ in 0..4 {
            lines.push(&block).expect("within the limit");
        }
        assert_eq!(lines.push(b"x"), Err(TooMuch));
    }

    #[test]
    fn a_body_without_end_is_refused_at_the_limit() {
        let mut lines = Lines::default();
        let block = b": a keep-alive comment of some length, again and again\n".repeat(4096);
        let refused = (0..=MAX_BODY_BYTES / block.len()).any(|_| lines.push(&block).is_err());
        assert!(refused);
    }
}
