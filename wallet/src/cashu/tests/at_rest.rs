//! What is spendable stands in no file in the clear, and what earlier versions wrote is sealed by the next opening.

use std::path::Path;

use cdk::nuts::Proof;
use rusqlite::Connection;

use super::*;
use crate::seed::at_rest::{MARK, is_sealed};

/// All that the wallet's files hold, their logs included.
pub(crate) fn bytes_of(folder: &Path) -> Vec<u8> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            all.extend(std::fs::read(path).unwrap());
        }
    }
    all
}

pub(crate) fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// Secrets of all proofs that a wallet has, in the clear.
pub(crate) async fn secrets(wallet: &CashuWallet) -> Vec<String> {
    let proofs = wallet.inner.store.get_proofs(None, None, None, None).await.unwrap();
    proofs.into_iter().map(|info| info.proof.secret.to_string()).collect()
}

/// Writes everything in the clear, as versions before the seal did.
pub(crate) async fn as_before_the_seal(wallet: CashuWallet) {
    let (key, folder) = (wallet.inner.at_rest.clone(), wallet.inner.folder.clone());
    let sagas = wallet.inner.store.get_incomplete_sagas().await.unwrap();
    drop(wallet);
    let store = Connection::open(folder.join("cashu.sqlite")).unwrap();
    let rows: Vec<(Vec<u8>, String)> = {
        let mut statement = store.prepare("SELECT y, secret FROM proof").unwrap();
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    };
    for (y, secret) in rows {
        let bare = key.open(&hex::encode(&y), &secret).unwrap();
        store.execute("UPDATE proof SET secret = ?2 WHERE y = ?1", rusqlite::params![y, bare]).unwrap();
    }
    for saga in sagas {
        let data = serde_json::to_string(&saga.data).unwrap();
        let id = saga.id.to_string();
        store.execute("UPDATE wallet_sagas SET data = ?2 WHERE id = ?1", [id, data]).unwrap();
    }
    let journal = Connection::open(folder.join("journal.sqlite")).unwrap();
    let rows: Vec<(String, String)> = {
        let mut statement =
            journal.prepare("SELECT operation, inputs FROM swaps WHERE inputs <> ''").unwrap();
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    };
    for (operation, inputs) in rows {
        let bare = key.open(&operation, &inputs).unwrap();
        journal.execute("UPDATE swaps SET inputs = ?2 WHERE operation = ?1", [operation, bare]).unwrap();
    }
    journal.execute("DELETE FROM at_rest", []).unwrap();
}

/// A wallet with free sats, a token that nobody has taken, and an exchange of which nobody knows.
async fn busy(world: &World) -> (CashuWallet, String) {
    let wallet = world.funded(100).await;
    let token = wallet.send_token(world.mint.url(), Sats(20)).await.unwrap();
    let order = crate::escrow::LockOrder {
        key: crate::Key::new("run", 1, 0),
        peer: "npub".to_owned(),
        provider: wallet.provider_key(),
        price: Sats(3),
        most: None,
        locktime: crate::Clock::system().now_secs() + 3_600,
    };
    world.line.script("swap", [Fault::Broken]);
    wallet.lock_all(world.mint.url(), vec![order]).await.unwrap_err();
    (wallet, token)
}

/// What must not be read in the files: secrets, the token, and the proofs of the exchange.
async fn spendable(wallet: &CashuWallet, token: &str) -> Vec<String> {
    let mut all = secrets(wallet).await;
    let planned = wallet.planned_exchanges().await.unwrap();
    let inputs = planned.into_iter().flat_map(|planned| planned.plan.inputs);
    all.extend(inputs.map(|proof: Proof| proof.secret.to_string()));
    all.push(token.to_owned());
    assert!(all.len() > 3, "{}", all.len());
    all
}

#[cfg(unix)]
#[tokio::test]
async fn the_files_are_their_owners_alone_from_their_first_moment_on() {
    use std::os::unix::fs::PermissionsExt as _;
    // In a home that was there before, and that everybody may look into.
    let world = World::new().await;
    std::fs::set_permissions(world.folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let _wallet = world.funded(10).await;
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let place = world.folder.path().join("play");
    assert_eq!(mode(&place), 0o700);
    let files: Vec<_> = std::fs::read_dir(&place).unwrap().map(|entry| entry.unwrap().path()).collect();
    let named = |name: &str| files.iter().any(|file| file.ends_with(name));
    assert!(
        ["cashu.sqlite", "cashu.sqlite-wal", "journal.sqlite", "journal.sqlite-wal"].into_iter().all(named)
    );
    for file in files.iter().filter(|file| file.is_file()) {
        assert_eq!(mode(file), 0o600, "{}", file.display());
    }
}

#[tokio::test]
async fn what_is_spendable_stands_in_no_file_in_the_clear() {
    let world = World::new().await;
    let (wallet, token) = busy(&world).await;
    let bytes = bytes_of(&wallet.inner.folder);
    for text in spendable(&wallet, &token).await {
        assert!(!is_sealed(&text) && !holds(&bytes, &text));
    }
    assert!(holds(&bytes, MARK));
    assert_eq!(wallet.tokens_out().await.unwrap()[0].text, token);
}

#[tokio::test]
async fn files_of_earlier_versions_are_sealed_by_the_next_opening() {
    let world = World::new().await;
    let (wallet, token) = busy(&world).await;
    let folder = wallet.inner.folder.clone();
    let texts = spendable(&wallet, &token).await;
    let before = wallet.balances().await.unwrap();
    as_before_the_seal(wallet).await;
    let bytes = bytes_of(&folder);
    assert!(texts.iter().all(|text| holds(&bytes, text)), "all of it was in the clear");
    // Nobody looks at the exchange meanwhile, so that it is still there to be read.
    world.line.cut();
    let wallet = world.wallet().await;
    let bytes = bytes_of(&folder);
    assert!(texts.iter().all(|text| !holds(&bytes, text)), "none of it is, not even in free pages or logs");
    assert_eq!(wallet.balances().await.unwrap(), before);
    assert_eq!(wallet.tokens_out().await.unwrap()[0].text, token);
    drop(wallet);
    world.line.set_faults(0);
    let wallet = world.wallet().await;
    assert_eq!(available(&wallet).await, 100 - 20 - 3);
    assert_eq!(wallet.reclaim_token(&wallet.tokens_out().await.unwrap()[0].id).await.unwrap(), Sats(20));
}

#[tokio::test]
async fn a_wallet_of_other_words_reads_nothing_of_it_and_says_so() {
    let world = World::new().await;
    drop(world.funded(64).await);
    let seed = Phrase::generate().seed();
    let (stranger, _) = CashuWallet::open(world.folder.path(), seed, Money::Play).await.unwrap();
    let error = stranger.send_token(world.mint.url(), Sats(5)).await.unwrap_err().to_string();
    assert!(error.contains("sealed by another seed"), "{error}");
}

#[tokio::test]
async fn a_strangers_secret_that_looks_sealed_harms_nobody() {
    let world = World::new().await;
    let wallet = world.funded(64).await;
    let info = wallet.inner.store.get_proofs(None, None, None, None).await.unwrap().remove(0);
    let secret = cdk::secret::Secret::new(format!("{MARK}00"));
    let proof = Proof { secret, ..info.proof.clone() };
    let y = proof.y().unwrap();
    let strange = cdk::wallet::types::ProofInfo { proof: proof.clone(), y, ..info };
    wallet.inner.store.update_proofs(vec![strange], Vec::new()).await.unwrap();
    let read = wallet.inner.store.get_proofs_by_ys(vec![y]).await.unwrap().remove(0);
    assert_eq!(read.proof, proof);
}
