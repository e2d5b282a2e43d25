//! The same rail against a mint and a wallet that share no code with ours. `tests/interop.sh` starts
//! them and runs these; without them they fail, and never pass unseen.

use std::process::Command;

use cdk::nuts::{CurrencyUnit, Proof, SecretKey, TokenV3};
use cdk::wallet::ReceiveOptions;

use super::*;
use crate::Key;
use crate::escrow::{Claim, Lock, LockOrder, Need};
use crate::mint::address::parse_mint;
use crate::outcome::SettlementOutcome;

const WALLET: &str = "FRLM_TEST_FOREIGN_WALLET";
/// A Python that has Nutshell's package.
const PYTHON: &str = "FRLM_TEST_FOREIGN_PYTHON";
/// Where cashu-ts is installed; absent where no Node.js is.
const CASHU_TS: &str = "FRLM_TEST_CASHU_TS";
const HOUR: u64 = 3_600;

fn mint() -> String {
    std::env::var(place::FOREIGN).expect("tests/interop.sh names the mint")
}

fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs()
}

/// Runs Nutshell's own wallet.
fn nutshell(arguments: &[&str]) -> String {
    let program = std::env::var(WALLET).expect("tests/interop.sh names the wallet");
    let output = Command::new(program).args(arguments).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

async fn funded(folder: &tempfile::TempDir, sats: u64) -> CashuWallet {
    let wallet = wallet_in(folder.path(), &Phrase::generate().seed(), &mint()).await;
    if sats > 0 {
        fund(&wallet, &mint(), sats).await;
    }
    wallet
}

#[tokio::test]
#[ignore = "tests/interop.sh runs it"]
async fn a_foreign_mint_takes_part_in_escrow() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let payer = funded(&folders[0], 100).await;
    let provider = funded(&folders[1], 0).await;
    let order = |subtask| LockOrder {
        key: Key::new("run", subtask, 0),
        peer: "npub".to_owned(),
        provider: provider.provider_key(),
        price: Sats(13),
        most: None,
        locktime: now() + HOUR,
    };
    let locked = payer.lock_all(&mint(), vec![order(1), order(2)]).await.unwrap();
    let need = Need { price: Sats(13), earliest_locktime: now() + HOUR / 2 };
    let claim = |index: usize| Claim {
        job: format!("job {index}"),
        asker: format!("asker {index}"),
        model: "model".to_owned(),
    };
    for (index, each) in locked.iter().enumerate() {
        provider.accept(&each.lock, need, claim(index)).await.unwrap();
    }
    // One counts, the other does not.
    let releases = payer.release(vec![locked[0].lock.id.clone()], now()).await.unwrap();
    provider.released(releases).await.unwrap();
    assert!(provider.redeem().await.unwrap() >= Sats(13));
    let returned = provider.decline(&locked[1].lock, claim(1)).await.unwrap();
    payer.reclaim(vec![returned]).await.unwrap();
    assert!(matches!(
        payer.lock_of(&Key::new("run", 2, 0)).await.unwrap().unwrap().outcome(),
        SettlementOutcome::Back { .. }
    ));
    let held = available(&payer).await + available(&provider).await;
    assert!((96..=100).contains(&held), "the mint took more than fees: {held}");
}

#[tokio::test]
#[ignore = "tests/interop.sh runs it"]
async fn tokens_pass_between_a_foreign_wallet_and_ours() {
    let folder = tempfile::tempdir().unwrap();
    let wallet = funded(&folder, 64).await;
    let token = wallet.send_token(&mint(), Sats(21)).await.unwrap();
    nutshell(&["receive", &token]);
    let sent = nutshell(&["send", "8"]);
    let token = sent.split_whitespace().find(|word| word.starts_with("cashu")).expect("it prints a token");
    let before = available(&wallet).await;
    let received = wallet.receive_token(token).await.unwrap();
    assert!(received >= Sats(7) && available(&wallet).await == before + received.0, "{received}");
}

/// A wallet of another make, driven by a script of ours through its public API.
struct Peer {
    name: &'static str,
    command: Vec<String>,
    state: tempfile::TempDir,
}

impl Peer {
    /// Nutshell's, and cashu-ts where it is installed.
    fn all() -> Vec<Self> {
        // Where the sources are now, and not where they were when this was compiled.
        let crate_folder = std::env::var("CARGO_MANIFEST_DIR").expect("cargo names the crate's folder");
        let scripts = std::path::Path::new(&crate_folder).join("tests/interop");
        let script = |name: &str| scripts.join(name).display().to_string();
        let python = std::env::var(PYTHON).expect("tests/interop.sh names the Python");
        let mut all = vec![Self::new("nutshell", vec![python, script("nutshell.py")])];
        if std::env::var_os(CASHU_TS).is_some() {
            all.push(Self::new("cashu-ts", vec!["node".to_owned(), script("cashu_ts.mjs")]));
        }
        all
    }

    fn new(name: &'static str, command: Vec<String>) -> Self {
        Self { name, command, state: tempfile::tempdir().unwrap() }
    }

    /// The last word that it prints.
    fn says(&self, arguments: &[&str]) -> String {
        let output = Command::new(&self.command[0])
            .args(&self.command[1..])
            .args(arguments)
            .current_dir(self.state.path())
            .env("FRLM_TEST_PEER_STATE", self.state.path())
            .env("FRLM_TEST_PEER_MINT", mint())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{} {arguments:?}: {text}{errors}", self.name);
        text.split_whitespace().last().unwrap_or_default().to_owned()
    }

    fn receives(&self, token: &str, key: &SecretKey) -> u64 {
        self.says(&["receive", token, &key.to_secret_hex()]).parse().unwrap()
    }

    /// A lock of its own for a public key and one of its own, opened to `refund` after its time.
    fn locks(&self, sats: u64, key: &SecretKey, locktime: u64, refund: &SecretKey, signs: bool) -> String {
        let (sats, locktime) = (sats.to_string(), locktime.to_string());
        let cosign = SecretKey::generate().to_secret_hex();
        let (key, refund) = (key.public_key().to_hex(), refund.public_key().to_hex());
        let mut arguments = vec!["lock", &sats, &key, &cosign, &locktime, &refund];
        arguments.extend(signs.then_some("sign"));
        self.says(&arguments)
    }
}

/// A token with signatures in it, in the older form (`cashuA`): in the newer one cdk 0.18.3 writes and reads signatures as
/// `witness`, where NUT-00, cashu-ts 4.8.0 and Nutshell 0.20.2 have `w`, so that neither side finds those of the other.
fn token_of(proofs: Vec<Proof>) -> String {
    let token = TokenV3::new(parse_mint(&mint()).unwrap(), proofs, None, Some(CurrencyUnit::Sat));
    token.unwrap().to_string()
}

/// A lock of ours over 13 sats.
async fn locked(payer: &CashuWallet, provider: &CashuWallet, subtask: u32, locktime: u64) -> Lock {
    let order = LockOrder {
        key: Key::new("run", subtask, 0),
        peer: "npub".to_owned(),
        provider: provider.provider_key(),
        price: Sats(13),
        most: None,
        locktime,
    };
    payer.lock_all(&mint(), vec![order]).await.unwrap().remove(0).lock
}

#[tokio::test]
#[ignore = "tests/interop.sh runs it"]
async fn tokens_pass_both_ways_between_ours_and_other_wallets() {
    for peer in Peer::all() {
        let folder = tempfile::tempdir().unwrap();
        let wallet = funded(&folder, 64).await;
        peer.says(&["fund", "32"]);
        let token = wallet.send_token(&mint(), Sats(21)).await.unwrap();
        assert_eq!(peer.says(&["receive", &token]), "21", "{}", peer.name);
        let token = peer.says(&["send", "8"]);
        assert_eq!(wallet.receive_token(&token).await.unwrap(), Sats(8), "{}", peer.name);
        assert_eq!(available(&wallet).await, 64 - 21 + 8, "{}", peer.name);
    }
}

#[tokio::test]
#[ignore = "tests/interop.sh runs it"]
async fn our_locks_are_released_to_other_wallets_and_refunded_by_them() {
    for peer in Peer::all() {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let (payer, provider) = (funded(&folders[0], 64).await, funded(&folders[1], 0).await);
        let (payers, providers) = (&payer.inner.escrow, &provider.inner.escrow);
        // The payer's signature is in the token, and the provider's key at another library.
        let lock = locked(&payer, &provider, 1, now() + HOUR).await;
        let released = lock.sign(&payers.cosign_key(&lock.id)).unwrap();
        let token = token_of(lock.signed_proofs(&[&released]).unwrap());
        assert_eq!(peer.receives(&token, &providers.provider_lock_key(&lock.id)), 13, "{}", peer.name);
        // Its time is over, and the refund key alone opens it.
        let lock = locked(&payer, &provider, 2, now() - HOUR).await;
        let token = token_of(lock.to_proofs().unwrap());
        assert_eq!(peer.receives(&token, &payers.refund_key(&lock.id)), 13, "{}", peer.name);
    }
}

#[tokio::test]
#[ignore = "tests/interop.sh runs it"]
async fn locks_of_other_wallets_are_released_to_ours_and_refunded_to_them() {
    for peer in Peer::all() {
        let folder = tempfile::tempdir().unwrap();
        let wallet = funded(&folder, 0).await;
        let library = wallet.known_mint(&parse_mint(&mint()).unwrap()).unwrap();
        let (key, refund) = (SecretKey::generate(), SecretKey::generate());
        let with_key =
            || ReceiveOptions { p2pk_signing_keys: vec![key.clone()], ..ReceiveOptions::default() };
        peer.says(&["fund", "64"]);
        let unsigned = peer.locks(13, &key, now() + HOUR, &refund, false);
        library.receive(&unsigned, with_key()).await.expect_err("one signature of two opens nothing");
        let released = peer.locks(13, &key, now() + HOUR, &refund, true);
        let received = library.receive(&released, with_key()).await.unwrap();
        assert_eq!(received.to_u64(), 13, "{}", peer.name);
        let expired = peer.locks(13, &key, now() - HOUR, &refund, false);
        assert_eq!(peer.receives(&expired, &refund), 13, "{}", peer.name);
        assert_eq!(available(&wallet).await, 13, "{}", peer.name);
    }
}
