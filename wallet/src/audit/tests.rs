//! Books that contradict each other, each in one way.

use cdk::nuts::SwapRequest;

use super::*;
use crate::Clock;
use crate::cashu::tests::{World, available, wallet_in};
use crate::escrow::{Claim, LockOrder, Need};
use crate::ledger::Booking;
use crate::mint::swap::Kind;
use crate::seed::Phrase;

const PRICE: Sats = Sats(13);

/// A payer with a ledger, one lock, and the provider that has accepted it.
struct Scene {
    world: World,
    payer: CashuWallet,
    provider: CashuWallet,
    ledger: Ledger,
    lock: crate::escrow::Lock,
    folder: tempfile::TempDir,
}

fn key() -> Key {
    Key::new("run", 1, 0)
}

impl Scene {
    async fn new() -> Self {
        Self::with_locktime(Clock::system().now_secs() + 3_600).await
    }

    /// As [`Self::new`]; a lock whose time is over is accepted by nobody.
    async fn with_locktime(locktime: u64) -> Self {
        let world = World::new().await;
        let payer = world.funded(100).await;
        let folder = tempfile::tempdir().unwrap();
        let seed = Phrase::generate().seed();
        let provider = wallet_in(&folder.path().join("provider"), &seed, world.mint.url()).await;
        let ledger = Ledger::open(folder.path().join("ledger.sqlite")).await.unwrap();
        ledger.open_run("run", Sats(60)).await.unwrap();
        let booking =
            Booking { key: key(), amount: PRICE, provider: None, mint: None, scheme: Scheme::Escrow };
        let mut reservation = ledger.reserve_all(vec![booking]).await.unwrap().remove(0);
        reservation.lock().await.unwrap();
        let order = LockOrder {
            key: key(),
            peer: "npub".to_owned(),
            provider: provider.provider_key(),
            price: PRICE,
            most: None,
            locktime,
        };
        let lock = payer.lock_all(world.mint.url(), vec![order]).await.unwrap().remove(0).lock;
        let claim = Claim { job: "job".to_owned(), asker: "asker".to_owned(), model: "model".to_owned() };
        if locktime > Clock::system().now_secs() {
            provider.accept(&lock, Need { price: PRICE, earliest_locktime: 0 }, claim).await.unwrap();
        }
        reservation.release().await.unwrap();
        Self { world, payer, provider, ledger, lock, folder }
    }

    /// Spends proofs of the lock, as somebody does who has read both signatures.
    async fn spend(&self, which: impl Fn(&Proof) -> bool) {
        let cosign = self.lock.sign(&self.payer.inner.escrow.cosign_key(&self.lock.id)).unwrap();
        let own = self.lock.sign(&self.provider.inner.escrow.provider_lock_key(&self.lock.id)).unwrap();
        let mut proofs = self.lock.signed_proofs(&[&own, &cosign]).unwrap();
        proofs.retain(which);
        let (url, subjects) = (self.world.mint.url(), vec![self.lock.id.clone()]);
        let planned =
            self.provider.plan_own(Kind::Redeem, url, self.lock.keyset, proofs.clone(), subjects).await;
        let outputs = self.provider.blinded(&planned.unwrap()).unwrap();
        let mint = self.provider.known_mint(&parse_mint(url).unwrap()).unwrap();
        mint.mint_connector().post_swap(SwapRequest::new(proofs, outputs)).await.unwrap();
    }

    /// The audit of the payer's side, in words.
    async fn found(&self) -> Vec<String> {
        let found = audit(&self.ledger, &self.payer).await.unwrap();
        assert!(found.unasked.is_empty(), "{found:?}");
        assert_eq!(found.attempts, 1);
        found.differences.iter().map(ToString::to_string).collect()
    }

    /// Only one difference, with these words in it.
    async fn finds(&self, words: &[&str]) {
        let found = self.found().await;
        assert_eq!(found.len(), 1, "{found:?}");
        for word in words {
            assert!(found[0].contains(word), "{word}: {found:?}");
        }
    }
}

#[tokio::test]
async fn books_that_agree_are_clean_whatever_became_of_the_lock() {
    let scene = Scene::new().await;
    assert_eq!(scene.found().await, Vec::<String>::new());
    let releases =
        scene.payer.release(vec![scene.lock.id.clone()], Clock::system().now_secs()).await.unwrap();
    scene.provider.released(releases).await.unwrap();
    assert_eq!(scene.provider.redeem().await.unwrap(), PRICE);
    scene.payer.settled(vec![scene.lock.id.clone()]).await.unwrap();
    crate::reconcile(&scene.ledger, Some(&scene.payer)).await.unwrap();
    assert_eq!(scene.ledger.budget("run").await.unwrap().spent, PRICE);
    assert_eq!(scene.found().await, Vec::<String>::new());
}

#[tokio::test]
async fn free_coins_that_the_mint_calls_spent_are_named_with_what_to_do() {
    let scene = Scene::new().await;
    // Somebody has read the files and builds a token of them.
    let folder = tempfile::tempdir().unwrap();
    let thief = wallet_in(folder.path(), &scene.world.seed, scene.world.mint.url()).await;
    thief.restore(scene.world.mint.url()).await.unwrap();
    let token = thief.send_token(scene.world.mint.url(), Sats(20)).await.unwrap();
    let other = tempfile::tempdir().unwrap();
    let taker = wallet_in(other.path(), &Phrase::generate().seed(), scene.world.mint.url()).await;
    taker.receive_token(&token).await.unwrap();
    assert_eq!(available(&scene.payer).await, 87, "it does not know yet");
    scene
        .finds(&[scene.world.mint.url(), "the wallet counts as available are spent", "frlm wallet mints add"])
        .await;
}

#[tokio::test]
async fn coins_in_escrow_that_are_spent_are_named_on_both_sides() {
    let scene = Scene::new().await;
    scene.spend(|_| true).await;
    scene.finds(&["13 sats that are in escrow for run/1.0 are spent", "frlm wallet recover"]).await;
    let theirs = audit(&scene.ledger, &scene.provider).await.unwrap().differences;
    assert!(theirs.iter().any(|each| each.what.contains("promised for job job are spent")), "{theirs:?}");
}

#[tokio::test]
async fn a_ledger_that_calls_free_what_is_in_escrow_is_found_out() {
    let scene = Scene::new().await;
    scene.ledger.reconcile(key(), Sats::ZERO, Sats::ZERO).await.unwrap();
    scene.finds(&["run/1.0", "counts its sats as available", "in escrow"]).await;
}

#[tokio::test]
async fn a_damaged_journal_is_named() {
    let Scene { world, payer, ledger, folder: _folder, .. } = Scene::new().await;
    drop(payer);
    // The head of the file says that five pages are free, and there are none (SQLite's file format, section 1.3).
    let file = world.folder.path().join("play").join("journal.sqlite");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[36..40].copy_from_slice(&5_u32.to_be_bytes());
    std::fs::write(&file, bytes).unwrap();
    let found = audit(&ledger, &world.wallet().await).await.unwrap();
    let damaged = |each: &Difference| each.what.contains("the journal is damaged") && each.remedy == FILE;
    assert!(found.differences.iter().any(damaged), "{found:?}");
}

#[tokio::test]
async fn a_payment_that_the_journal_does_not_know_is_found_out() {
    let scene = Scene::new().await;
    scene.ledger.reconcile(key(), PRICE, Sats::ZERO).await.unwrap();
    let forget = |transaction: &rusqlite::Transaction<'_>| transaction.execute("DELETE FROM locks", []);
    assert_eq!(scene.payer.inner.journal.write(forget).await.unwrap(), 1);
    scene.finds(&["run/1.0", "13 sats were paid", "no such payment", "backups"]).await;
}

#[tokio::test]
async fn a_ledger_that_does_not_know_what_is_in_escrow_is_found_out() {
    let scene = Scene::new().await;
    let other = Ledger::open(scene.folder.path().join("other.sqlite")).await.unwrap();
    let found = audit(&other, &scene.payer).await.unwrap();
    assert_eq!((found.attempts, found.differences.len()), (0, 1), "{found:?}");
    let words = found.differences[0].to_string();
    assert!(words.contains("run/1.0") && words.contains("restore ledger.db"), "{words}");
}

#[tokio::test]
async fn what_was_paid_before_the_work_is_compared_too() {
    let scene = Scene::new().await;
    let before = Key::new("run", 2, 0);
    let booking =
        Booking { key: before.clone(), amount: PRICE, provider: None, mint: None, scheme: Scheme::Before };
    let mut reservation = scene.ledger.reserve_all(vec![booking]).await.unwrap().remove(0);
    reservation.pay_out().await.unwrap();
    reservation.settle(PRICE, Sats::ZERO).await.unwrap();
    let found = audit(&scene.ledger, &scene.payer).await.unwrap();
    assert_eq!((found.attempts, found.differences.len()), (2, 1), "{found:?}");
    assert!(found.differences[0].what.contains("run/2.0"), "{found:?}");
}

#[tokio::test]
async fn a_partly_spent_lock_is_named_settled_proof_by_proof_and_then_clean() {
    let scene = Scene::with_locktime(Clock::system().now_secs() - 3_600).await;
    // 13 sats are coins of 8, 4 and 1.
    scene.spend(|proof| proof.amount.to_u64() == 8).await;
    scene.finds(&["8 sats that are in escrow for run/1.0 are spent", "refunds the rest"]).await;
    assert_eq!(scene.payer.refund_expired().await.unwrap().refunded, Sats(5));
    crate::reconcile(&scene.ledger, Some(&scene.payer)).await.unwrap();
    assert_eq!(scene.found().await, Vec::<String>::new());
    assert_eq!(scene.ledger.budget("run").await.unwrap().spent, Sats(8));
    assert_eq!(available(&scene.payer).await, 100 - 8);
}

#[tokio::test]
async fn a_mint_that_cannot_be_asked_is_named_and_accuses_nobody() {
    let scene = Scene::new().await;
    scene.world.line.cut();
    let found = audit(&scene.ledger, &scene.payer).await.unwrap();
    assert_eq!((found.differences, found.unasked.len()), (Vec::new(), 1));
    assert!(found.unasked[0].contains(scene.world.mint.url()));
}
