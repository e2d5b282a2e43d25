//! A wallet gets a passphrase, another one, or none any more: what `frlm wallet passphrase` does.

use std::fmt;

use frlm_wallet::seed::vault;

use crate::failure::Failure;
use crate::home::Home;
use crate::wallet_session::{self, PASSPHRASE};

/// The new passphrase where nobody can be asked: it is a secret, so that it is no argument that others on this machine see.
const NEW_PASSPHRASE: &str = "FRLM_WALLET_NEW_PASSPHRASE";

/// What became of the passphrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resealed {
    /// The wallet had none.
    Set,
    /// It had another one.
    Changed,
    /// It has none any more.
    Dropped,
}

impl Resealed {
    /// One JSON object.
    pub fn as_json(self) -> serde_json::Value {
        let word = match self {
            Self::Set => "set",
            Self::Changed => "changed",
            Self::Dropped => "dropped",
        };
        serde_json::json!({ "passphrase": word })
    }
}

impl fmt::Display for Resealed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set => {
                write!(formatter, "the wallet has a passphrase: set {PASSPHRASE} to it from now on")?;
            }
            Self::Changed => {
                write!(formatter, "the wallet has another passphrase: set {PASSPHRASE} to it from now on")?;
            }
            Self::Dropped => formatter.write_str(
                "the wallet has no passphrase any more: anybody who reads its folder has the sats",
            )?,
        }
        formatter.write_str(
            ". Older copies of the folder still open as before; if somebody else may have one, send the sats \
             to a new wallet",
        )
    }
}

/// Seals the wallet of a home again. What `FRLM_WALLET_PASSPHRASE` and `FRLM_WALLET_NEW_PASSPHRASE` do not tell is asked for;
/// `ask` answers with nothing where nobody can be asked, or has typed nothing.
///
/// # Errors
///
/// If there is no wallet, the old passphrase is not the right one, there is no new one, or the file system refuses. Nothing
/// is changed then.
pub fn change(home: &Home, drop: bool, ask: impl Fn(&str) -> Option<String>) -> Result<Resealed, Failure> {
    let new = std::env::var(NEW_PASSPHRASE).ok().filter(|words| !words.is_empty());
    change_to(home, wallet_session::passphrase(), (drop, new), ask)
}

fn change_to(
    home: &Home,
    old: Option<String>,
    wanted: (bool, Option<String>),
    ask: impl Fn(&str) -> Option<String>,
) -> Result<Resealed, Failure> {
    let folder = home.wallet();
    let had_one = vault::has_passphrase(&folder)?;
    let old =
        old.filter(|_| had_one).or_else(|| if had_one { ask("the passphrase of the wallet") } else { None });
    // Nobody thinks of a new one in vain.
    vault::open(&folder, old.as_deref())?;
    let new = match wanted {
        (true, Some(_)) => {
            let why = format!("--drop takes no new passphrase: unset {NEW_PASSPHRASE}, or leave --drop out");
            return Err(Failure::usage(why));
        }
        (true, None) if !had_one => {
            return Err(Failure::usage("the wallet has no passphrase to drop"));
        }
        (true, None) => None,
        (false, Some(named)) => Some(named),
        (false, None) => Some(typed_twice(ask)?),
    };
    vault::change(&folder, old.as_deref(), new.as_deref())?;
    Ok(match (had_one, new) {
        (_, None) => Resealed::Dropped,
        (true, Some(_)) => Resealed::Changed,
        (false, Some(_)) => Resealed::Set,
    })
}

fn typed_twice(ask: impl Fn(&str) -> Option<String>) -> Result<String, Failure> {
    let Some(new) = ask("the new passphrase") else {
        return Err(Failure::usage(format!(
            "no new passphrase: type one on a terminal, set {NEW_PASSPHRASE}, or remove the present one: \
             --drop"
        )));
    };
    if ask("the new passphrase once more").as_ref() == Some(&new) {
        Ok(new)
    } else {
        Err(Failure::usage("those were two different passphrases; nothing was changed"))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use frlm_wallet::seed::Phrase;

    use super::*;
    use crate::failure::code;

    /// Whether to drop it, and the new one that is named.
    type Wanted = (bool, Option<&'static str>);
    const ANOTHER: Wanted = (false, None);
    const NONE: Wanted = (true, None);

    /// Answers what is asked, in turn, and says how often that was.
    struct Person(RefCell<Vec<&'static str>>);

    impl Person {
        fn who_types(words: &[&'static str]) -> Self {
            Self(RefCell::new(words.iter().rev().copied().collect()))
        }

        fn change(&self, home: &Home, old: Option<&str>, wanted: Wanted) -> Result<Resealed, Failure> {
            let wanted = (wanted.0, wanted.1.map(str::to_owned));
            change_to(home, old.map(str::to_owned), wanted, |_| self.0.borrow_mut().pop().map(str::to_owned))
        }
    }

    fn wallet() -> (tempfile::TempDir, Home, Phrase) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        let phrase = Phrase::generate();
        vault::create(&home.wallet(), &phrase, None).unwrap();
        (folder, home, phrase)
    }

    #[test]
    fn a_passphrase_is_typed_twice_and_the_old_one_first() {
        let (_folder, home, phrase) = wallet();
        let set = Person::who_types(&["one", "one"]).change(&home, None, ANOTHER);
        assert_eq!(set.unwrap(), Resealed::Set);
        let changed = Person::who_types(&["one", "two", "two"]).change(&home, None, ANOTHER);
        assert_eq!(changed.unwrap(), Resealed::Changed);
        assert_eq!(vault::open(&home.wallet(), Some("two")).unwrap(), phrase);
    }

    #[test]
    fn a_slip_changes_nothing_and_a_wrong_passphrase_asks_for_no_new_one() {
        let (_folder, home, phrase) = wallet();
        let fails = |person: &Person, old: Option<&str>, wanted: Wanted, says: &str| {
            let failure = person.change(&home, old, wanted).unwrap_err();
            assert!(failure.code == code::USAGE && failure.message.contains(says), "{failure}");
        };
        fails(&Person::who_types(&["one", "eno"]), None, ANOTHER, "two different");
        fails(&Person::who_types(&[]), None, ANOTHER, NEW_PASSPHRASE);
        fails(&Person::who_types(&[]), None, NONE, "no passphrase to drop");
        vault::change(&home.wallet(), None, Some("one")).unwrap();
        let person = Person::who_types(&["two", "two"]);
        fails(&person, Some("other"), ANOTHER, "frlm wallet create --restore");
        assert_eq!(person.0.borrow().len(), 2, "nothing was asked");
        fails(&Person::who_types(&[]), None, NONE, PASSPHRASE);
        assert_eq!(vault::open(&home.wallet(), Some("one")).unwrap(), phrase);
    }
}
