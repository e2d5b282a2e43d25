//! Homes that a demo leaves: one for the asker and one for each provider, with their books. The mint is gone
//! with the demo, so that nothing can be spent there; everything can be read.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use frlm_protocol::shown_path;
use frlm_wallet::seed::{Phrase, vault};

use crate::failure::Failure;
use crate::home::Home;

/// Whose home it is that pays.
pub const ASKER: &str = "asker";

/// A folder with homes in it.
#[derive(Debug, Clone)]
pub struct DemoHomes {
    folder: PathBuf,
}

impl DemoHomes {
    /// Takes a folder that is not there yet, or empty: wallets of another demo know a mint that is gone.
    pub fn make(folder: &Path) -> anyhow::Result<Self> {
        let context = || format!("cannot keep anything in {}", folder.display());
        std::fs::create_dir_all(folder).with_context(context)?;
        let mut entries = std::fs::read_dir(folder).with_context(context)?;
        if entries.next().is_some() {
            let why = format!(
                "--keep {}: this folder is not empty, and each demo needs its own; name a new one",
                shown_path(folder)
            );
            return Err(Failure::usage(why).into());
        }
        Ok(Self { folder: std::path::absolute(folder).with_context(context)? })
    }

    /// Somebody's home.
    pub fn home(&self, name: &str) -> anyhow::Result<Home> {
        Home::open(Some(self.folder.join(name)))
    }

    /// Somebody's home with a new wallet of play money in it, and its words.
    pub fn with_new_wallet(&self, name: &str) -> anyhow::Result<(Home, Phrase)> {
        let (home, phrase) = (self.home(name)?, Phrase::generate());
        // Before there is a wallet: a demo that is killed leaves none that could be taken for a real one.
        home.mark_as_play().with_context(|| format!("cannot keep anything in {}", home.root().display()))?;
        // Without a passphrase: it is worth nothing, and a look at it should need none.
        vault::create(&home.wallet(), &phrase, None)?;
        Ok((home, phrase))
    }

    /// The commands that show the books of a run on both sides.
    pub fn commands(&self, run: &str, providers: &[&str]) -> String {
        let mut text =
            format!("kept in {}, whose mint is gone; the books of both sides:", self.folder.display());
        let mut line = |name: &str, what: &str| {
            // Writing into a String cannot fail.
            let _ = write!(text, "\n  frlm --home {} wallet {what}", quoted(&self.folder.join(name)));
        };
        line(ASKER, &format!("receipt {run}"));
        line(ASKER, &format!("history {run}"));
        for name in providers {
            line(name, "history");
            line(name, "earned");
        }
        text
    }
}

/// A path as one word of a shell.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/\\:._-+".contains(c);
    if text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::{code, render_error};
    use frlm_wallet::Money;

    #[test]
    fn homes_are_kept_in_a_folder_that_holds_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let kept = DemoHomes::make(&folder.path().join("new")).unwrap();
        let (home, phrase) = kept.with_new_wallet("somebody").unwrap();
        assert_eq!(home.money(), Money::Play);
        assert!(vault::open(&home.wallet(), None).unwrap() == phrase);
        assert_eq!(kept.home("nobody").unwrap().money(), Money::Real);
        let (words, exit) = render_error(&DemoHomes::make(&folder.path().join("new")).unwrap_err());
        assert_eq!(exit, code::USAGE);
        assert!(words.contains("is not empty") && words.contains("name a new one"), "{words}");
    }

    #[test]
    fn a_folder_is_one_word_of_the_commands_whatever_it_is_called() {
        assert_eq!(quoted(Path::new("/tmp/demo-1")), "/tmp/demo-1");
        assert_eq!(quoted(Path::new("/tmp/my demo's")), r"'/tmp/my demo'\''s'");
    }
}
