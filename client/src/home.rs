//! The one directory that holds settings, runs, the ledger and keys.
//!
//! Here is where things lie in it; `identity` keeps the keys, and `claim` lets one process at a time carry a run out.

mod claim;
mod identity;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
pub use claim::RunClaim;
use frlm_protocol::shown_path;
use frlm_util::files;
use frlm_wallet::{Ledger, Money};
pub use identity::Identity;

use crate::config::Config;
use crate::failure::Failure;

/// The state directory. Only its owner can read it: it holds secret keys.
#[derive(Debug, Clone)]
pub struct Home {
    root: PathBuf,
}

impl Home {
    /// Opens or creates the directory.
    pub fn open(given: Option<PathBuf>) -> anyhow::Result<Self> {
        let root = match given {
            Some(root) => root,
            None => directories::ProjectDirs::from("", "", "frlm")
                .ok_or_else(|| Failure::usage("no home directory is known; name one with --home DIR"))?
                .data_dir()
                .to_owned(),
        };
        // Messages name files in it, and some of them are made where nobody strips them.
        if root.to_string_lossy().chars().any(char::is_control) {
            return Err(Failure::usage(format!(
                "the name of the state directory {} has a line break or another control character in it; choose \
                 another with --home DIR",
                shown_path(&root)
            ))
            .into());
        }
        files::create_private_folder(&root).with_context(|| {
            format!("cannot create the state directory {}; choose another with --home DIR", root.display())
        })?;
        Ok(Self { root })
    }

    /// Recorded runs.
    pub fn store(&self) -> PathBuf {
        self.private_file("runs.db")
    }

    /// The ledger.
    pub fn ledger(&self) -> PathBuf {
        self.private_file("ledger.db")
    }

    /// The ledger, opened, with the limits of the settings in force.
    pub async fn open_ledger(&self) -> anyhow::Result<Ledger> {
        let limits = self.config()?.limits.into();
        let ledger = Ledger::open(self.ledger()).await?;
        if ledger.usage().await?.limits != limits {
            ledger.set_limits(limits).await?;
        }
        Ok(ledger)
    }

    /// What askers of `frlm serve --nostr` have left of what they paid.
    pub fn service_credit(&self) -> PathBuf {
        self.private_file("service-credit.json")
    }

    /// Documents that were read, for the next time.
    pub fn documents(&self) -> PathBuf {
        self.root.join("documents")
    }

    /// Tables of large documents, for the next question.
    pub fn tables(&self) -> PathBuf {
        self.root.join("tables")
    }

    /// What is known of providers from earlier runs.
    pub fn reputation(&self) -> PathBuf {
        self.private_file("reputation.db")
    }

    /// Who vouches for whom, as relays said it last.
    pub fn vouching(&self) -> PathBuf {
        self.root.join("vouching.json")
    }

    /// Claims that runs verified, for the next time.
    pub fn claims(&self) -> PathBuf {
        self.root.join("claims.db")
    }

    /// The same file, made private if it is new: for writing.
    pub fn claims_to_write(&self) -> PathBuf {
        self.private_file("claims.db")
    }

    /// What the user knows to be true; seldom there.
    pub fn known(&self) -> PathBuf {
        self.root.join("known.db")
    }

    /// The same for a writer: now it is there.
    pub fn known_to_write(&self) -> PathBuf {
        self.private_file("known.db")
    }

    /// What runs have learned of roles and venues.
    pub fn routing(&self) -> PathBuf {
        self.root.join("routing.json")
    }

    /// What runs have taught about plans, and about how well the swarm serves.
    pub fn learner(&self) -> PathBuf {
        self.root.join("brain.json")
    }

    /// The latest training of routing.
    pub fn routing_training(&self) -> PathBuf {
        self.root.join("routing-training.json")
    }

    /// What people thought of answers.
    pub fn ratings(&self) -> PathBuf {
        self.private_file("feedback.jsonl")
    }

    /// The user's own thresholds for what is decided after the stages of a run; seldom there.
    pub fn priors(&self) -> PathBuf {
        self.root.join("priors.json")
    }

    /// A file that only its owner can read, also where the directory was there before us and others may
    /// enter it. SQLite gives its side files the same rights.
    fn private_file(&self, name: &str) -> PathBuf {
        let path = self.root.join(name);
        // The next one to open it reports what is wrong.
        let _ = files::open_private(&path);
        for side in ["", "-wal", "-shm"] {
            if files::make_private(&self.root.join(format!("{name}{side}"))).is_ok_and(|changed| changed > 0)
            {
                notice!(
                    "{name}{side} could be read by other users of this machine; only you can read it now"
                );
            }
        }
        path
    }

    /// The wallet: its sealed seed and its books.
    pub fn wallet(&self) -> PathBuf {
        self.root.join("wallet")
    }

    /// What the sats of its wallet are: play money only where a demo left it and said so.
    pub fn money(&self) -> Money {
        if self.play_money().exists() { Money::Play } else { Money::Real }
    }

    /// Says that the sats of its wallet are play money, before it has any.
    pub fn mark_as_play(&self) -> io::Result<()> {
        files::create_private_folder(&self.wallet())?;
        fs::write(self.play_money(), format!("{}\n", Money::Play.unit()))
    }

    fn play_money(&self) -> PathBuf {
        self.wallet().join("play-money")
    }

    /// Unpacked weights of the embedded model.
    pub fn models(&self) -> PathBuf {
        self.root.join("models")
    }

    /// Text that was pasted as documents, a file for each.
    pub fn pasted(&self) -> PathBuf {
        self.root.join("pasted")
    }

    /// Files that programs uploaded to `frlm serve`, to ask about them by their ids.
    pub fn served_files(&self) -> PathBuf {
        self.root.join("served-files")
    }

    /// The signed events that answered a run, one per line.
    pub fn events_file(&self, run: &str) -> PathBuf {
        self.root.join(format!("run-{run}.events.jsonl"))
    }

    /// Deletes the signed events that answered a run; it may have none.
    pub fn delete_events(&self, run: &str) -> anyhow::Result<()> {
        let path = self.events_file(run);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("cannot delete {}", path.display()))
            }
            _ => Ok(()),
        }
    }

    /// The settings file.
    pub fn config_file(&self) -> PathBuf {
        self.root.join("config.toml")
    }

    /// The settings; an absent file means defaults.
    pub fn config(&self) -> anyhow::Result<Config> {
        Config::load(&self.config_file())
    }

    /// The directory itself.
    pub fn root(&self) -> &Path {
        &self.root
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_directory_whose_name_breaks_lines_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = Home::open(Some(folder.path().join("a\nfrlm: paid"))).unwrap_err().to_string();
        assert!(error.contains("--home DIR") && !error.contains('\n'), "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is made");
    }

    #[cfg(unix)]
    #[test]
    fn records_in_a_directory_that_others_may_enter_are_still_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        for path in
            [home.store(), home.ledger(), home.reputation(), home.known_to_write(), home.claims_to_write()]
        {
            assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn undeletable_events_are_named_and_a_run_without_any_is_no_worse() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        home.delete_events("abc").unwrap();
        fs::write(home.events_file("abc"), "{}").unwrap();
        home.delete_events("abc").unwrap();
        assert!(!home.events_file("abc").exists());
        // No file can be deleted where a folder is.
        fs::create_dir(home.events_file("abc")).unwrap();
        let error = home.delete_events("abc").unwrap_err().to_string();
        assert!(error.contains("run-abc.events.jsonl"), "{error}");
    }
}
