//! Times and sizes as people say them.

pub use frlm_client::units::{ago, bytes, lasting, moment, plural};

/// Words as a sentence begins.
pub fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// The same for words that may begin with a name, a path or an address: those stay as they are.
pub fn told(words: &str) -> String {
    let first = words.split_whitespace().next().unwrap_or_default();
    let is_word = first.trim_end_matches([',', ':']).chars().all(char::is_alphabetic);
    if is_word { sentence(words) } else { words.to_owned() }
}

/// Which relays were missed and why, for where a title says that none can be reached: an error says that first, too.
pub fn relays_missed(why: &str) -> &str {
    why.strip_prefix("no relay could be reached: ").unwrap_or(why)
}

/// The beginning of a key or an id, enough to tell it from others.
pub fn short(key: &str) -> &str {
    key.get(..8).unwrap_or(key)
}

#[cfg(test)]
mod tests {
    use frlm_relay::{ConnectError, RelayStatus};

    use super::*;

    #[test]
    fn an_error_below_a_title_does_not_repeat_that_no_relay_answers() {
        let relay = RelayStatus {
            url: nostr::RelayUrl::parse("wss://relay.example").unwrap(),
            connected: false,
            last_message: Some("connection refused".to_owned()),
        };
        let why = ConnectError::Unreachable { relays: vec![relay] }.to_string();
        assert!(relays_missed(&why).starts_with("wss://relay.example"), "{why}");
        assert_eq!(relays_missed("the settings are none"), "the settings are none");
    }

    #[test]
    fn times_and_sizes_read_as_people_say_them() {
        assert_eq!(ago(1_000_000, 990_000), "just now");
        assert_eq!(ago(10_000_000, 2_800_000), "2 h ago");
        assert_eq!(ago(5, 900_000), "just now");
        assert_eq!(moment(1_800_000_000_000), "2027-01-15, 08:00 UTC");
        assert_eq!(moment(u64::MAX), "Unavailable");
        assert_eq!(lasting(340), "340 ms");
        assert_eq!(lasting(125_400), "2 min 05 s");
        assert_eq!(bytes(4_509_715_661), "4.2 GiB");
        assert_eq!(plural(1, "run"), "1 run");
        assert_eq!(told("no relay is named. Nothing was sent."), "No relay is named. Nothing was sent.");
        for name in ["wss://relay.example: gone", "orders.log is not there", "/tmp/a: full", "b2 is new", ""]
        {
            assert_eq!(told(name), name);
        }
        assert_eq!((sentence("ärger, event 3"), sentence("")), ("Ärger, event 3".to_owned(), String::new()));
    }
}
