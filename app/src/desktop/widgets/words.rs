//! Times and sizes as people say them.

pub use frlm_client::units::{ago, lasting, moment, plural, short};

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

/// What a message says to do on the command line, as it is done with this window: the wallet goes on with what was left
/// unclear when it is opened again.
pub fn in_window(told: &str) -> String {
    const HERE: [(&str, &str); 7] = [
        ("add one: frlm wallet mints add URL", "add one in Settings, Money"),
        ("until it does: frlm wallet recover", "until it does; FRLM asks it again when you restart FRLM"),
        ("once it is: frlm wallet recover", "once it is, restart FRLM"),
        ("at once by: frlm wallet recover", "at once when you restart FRLM"),
        ("run frlm wallet recover first", "restart FRLM first"),
        ("frlm wallet recover, then frlm wallet audit", "restart FRLM, then press Audit on Wallet"),
        ("frlm wallet recover", "a restart of FRLM"),
    ];
    HERE.iter().fold(told.to_owned(), |told, (command, here)| told.replace(command, here))
}

/// Which relays were missed and why, for where a title says that none can be reached: an error says that first, too.
pub fn relays_missed(why: &str) -> &str {
    why.strip_prefix("no relay could be reached: ").unwrap_or(why)
}

#[cfg(test)]
mod tests {
    use frlm_relay::{ConnectError, RelayStatus};
    use frlm_wallet::WalletError;

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
    fn a_window_names_no_command_for_what_a_restart_does() {
        let (mint, reason) = ("https://mint.example".to_owned(), "refused".to_owned());
        for error in [WalletError::Unclear { mint, reason }, WalletError::NotPaid] {
            let told = in_window(&error.to_string());
            assert!(told.contains("restart FRLM") && !told.contains("frlm wallet"), "{told}");
        }
        assert_eq!(in_window("frlm wallet recover refunds the rest"), "a restart of FRLM refunds the rest");
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
        assert_eq!(plural(1, "run"), "1 run");
        assert_eq!(told("no relay is named. Nothing was sent."), "No relay is named. Nothing was sent.");
        for name in ["wss://relay.example: gone", "orders.log is not there", "/tmp/a: full", "b2 is new", ""]
        {
            assert_eq!(told(name), name);
        }
        assert_eq!((sentence("ärger, event 3"), sentence("")), ("Ärger, event 3".to_owned(), String::new()));
    }
}
