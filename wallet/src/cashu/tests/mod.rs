//! Wallets against a real mint over HTTP: the protocol is real, only its Lightning is faked.

pub(crate) mod at_rest;
pub(crate) mod faulty;
mod foreign;
mod hesitant;
pub(crate) mod place;
mod tokens;

use std::time::Duration;

use self::faulty::{Fault, Line};
use self::place::Place;
use super::*;
use crate::error::WalletError;
use crate::mint::asking::TIMEOUT;
use crate::seed::{Phrase, Seed};
use crate::{Msats, Sats};

/// A mint, a folder and a wallet that trusts the mint.
pub(crate) struct World {
    pub mint: Place,
    /// What lies before the mint; good unless a test says otherwise.
    pub line: Line,
    pub folder: tempfile::TempDir,
    pub seed: Seed,
}

impl World {
    pub async fn new() -> Self {
        Self::with_fee(0).await
    }

    pub async fn with_fee(input_fee_ppk: u64) -> Self {
        let line = Line::seeded(0);
        let mint = Place::behind(&line, input_fee_ppk).await;
        Self { mint, line, folder: tempfile::tempdir().unwrap(), seed: Phrase::generate().seed() }
    }

    /// Another mint than the one that is tested: its invoices are paid over Lightning, not from one of
    /// the mint's books to another.
    pub async fn at_another_mint() -> Self {
        let line = Line::seeded(0);
        let mint = Place::own(&line, 0).await;
        Self { mint, line, folder: tempfile::tempdir().unwrap(), seed: Phrase::generate().seed() }
    }

    /// At a mint that takes so many inputs or outputs in one request, and announces that.
    pub async fn with_limit(most_proofs: usize) -> Self {
        let line = Line::seeded(0);
        let options = PlayMintOptions { most_proofs, ..PlayMintOptions::default() };
        let mint = Place::with(&line, options).await;
        Self { mint, line, folder: tempfile::tempdir().unwrap(), seed: Phrase::generate().seed() }
    }

    pub async fn wallet(&self) -> CashuWallet {
        wallet_in(self.folder.path(), &self.seed, self.mint.url()).await
    }

    /// The same, opened by somebody who waits for mints that rest after a silence, too.
    pub async fn patient_wallet(&self) -> CashuWallet {
        CashuWallet::open_patiently(self.folder.path(), self.seed.clone(), Money::Play).await.unwrap().0
    }

    /// A wallet with sats in it.
    pub async fn funded(&self, sats: u64) -> CashuWallet {
        let wallet = self.wallet().await;
        fund(&wallet, self.mint.url(), sats).await;
        wallet
    }
}

pub(crate) async fn wallet_in(folder: &std::path::Path, seed: &Seed, mint: &str) -> CashuWallet {
    let (wallet, _) = CashuWallet::open(folder, seed.clone(), Money::Play).await.unwrap();
    wallet.allow_mint(mint, None).await.unwrap();
    wallet
}

pub(crate) async fn fund(wallet: &CashuWallet, mint: &str, sats: u64) {
    let invoice = wallet.invoice(mint, Sats(sats)).await.unwrap();
    assert_eq!(wallet.receive_invoice(&invoice, Duration::from_secs(20)).await.unwrap(), Sats(sats));
}

pub(crate) async fn available(wallet: &CashuWallet) -> u64 {
    wallet.available().await.unwrap().0
}

#[tokio::test]
async fn sats_come_in_over_an_invoice_and_go_out_over_another() {
    let world = World::new().await;
    let wallet = world.funded(100).await;
    assert_eq!(available(&wallet).await, 100);

    let other = World::at_another_mint().await;
    let theirs = other.wallet().await.invoice(other.mint.url(), Sats(40)).await.unwrap();
    let quote = wallet.payment_quote(world.mint.url(), &theirs.bolt11, Msats(40_000)).await.unwrap();
    assert_eq!((quote.amount, quote.fee_reserve), (Sats(40), Sats(1)));
    let paid = wallet.pay(&quote).await.unwrap();
    // The faked Lightning takes one sat.
    assert_eq!((paid.amount, paid.fee), (Sats(40), Sats(1)));
    assert_eq!(available(&wallet).await, 59);
}

#[tokio::test]
async fn a_payment_beyond_the_mints_balance_says_how_much_is_missing() {
    let world = World::new().await;
    let wallet = world.funded(40).await;
    let other = World::at_another_mint().await;
    let theirs = other.wallet().await.invoice(other.mint.url(), Sats(40)).await.unwrap();
    let quote = wallet.payment_quote(world.mint.url(), &theirs.bolt11, Msats(40_000)).await.unwrap();
    let error = wallet.pay(&quote).await.unwrap_err();
    let needed = quote.amount.saturating_add(quote.fee_reserve);
    assert!(
        matches!(&error, WalletError::InsufficientFunds { needed: named, available: Sats(40), .. } if *named == needed),
        "{error}"
    );
    assert_eq!(available(&wallet).await, 40);
}

#[tokio::test]
async fn a_mint_that_is_looked_at_again_makes_nothing_free_that_is_promised() {
    let world = World::new().await;
    let wallet = world.funded(64).await;
    let given = wallet.send_token(world.mint.url(), Sats(20)).await.unwrap();
    // Its maker has nothing clear of a lock: the coin for it stays reserved.
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
    let before = wallet.balances().await.unwrap();
    assert!(before[0].pending > Sats::ZERO, "{before:?}");
    // As when the limit of a mint is changed.
    assert_eq!(wallet.restore(world.mint.url()).await.unwrap(), before[0].available);
    assert_eq!(wallet.balances().await.unwrap(), before);
    assert_eq!(wallet.tokens_out().await.unwrap()[0].text, given);
    assert_eq!(wallet.retry_unclear().await.unwrap(), 1);
    assert_eq!(available(&wallet).await, 64 - 20 - 3);
    assert_eq!(wallet.receive_token(&given).await.unwrap(), Sats(20), "nobody has spent it");
}

#[tokio::test]
async fn a_mint_that_is_not_allowed_gets_nothing() {
    let (world, other) = (World::new().await, World::new().await);
    let token = other.funded(10).await.send_token(other.mint.url(), Sats(5)).await.unwrap();
    let wallet = world.wallet().await;
    let error = wallet.receive_token(&token).await.unwrap_err().to_string();
    assert!(error.contains("frlm wallet mints add"), "{error}");
    let error = wallet.invoice(other.mint.url(), Sats(1)).await.unwrap_err();
    assert!(matches!(error, WalletError::MintNotAllowed { .. }));
    // Allowed, the same token is good.
    wallet.allow_mint(other.mint.url(), None).await.unwrap();
    assert_eq!(wallet.receive_token(&token).await.unwrap(), Sats(5));
    wallet.forbid_mint(other.mint.url()).await.unwrap();
    assert_eq!(available(&wallet).await, 0);
}

#[tokio::test]
async fn a_mint_never_holds_more_than_its_limit() {
    let world = World::new().await;
    let wallet = world.wallet().await;
    wallet.allow_mint(world.mint.url(), Some(Sats(50))).await.unwrap();
    fund(&wallet, world.mint.url(), 40).await;
    let error = wallet.invoice(world.mint.url(), Sats(11)).await.unwrap_err();
    assert!(
        error.to_string().contains("may hold 50 sats; it holds 40 sats and 11 sats would be added"),
        "{error}"
    );
    assert!(
        error.to_string().contains(&format!("frlm wallet mints add {} --limit", world.mint.url())),
        "{error}"
    );
    fund(&wallet, world.mint.url(), 10).await;
}

#[tokio::test]
async fn everything_comes_back_from_the_phrase_alone() {
    let world = World::new().await;
    let wallet = world.funded(77).await;
    wallet.send_token(world.mint.url(), Sats(7)).await.unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let restored = wallet_in(elsewhere.path(), &world.seed, world.mint.url()).await;
    assert_eq!(available(&restored).await, 0);
    // The token was never taken, so that its sats are still there too.
    assert_eq!(restored.restore(world.mint.url()).await.unwrap(), Sats(77));
    assert_eq!(available(&restored).await, 77);
}

#[tokio::test]
async fn invoices_that_must_not_be_paid_are_refused_before_anything_moves() {
    let world = World::new().await;
    let wallet = world.funded(100).await;
    let invoice = wallet.invoice(world.mint.url(), Sats(20)).await.unwrap().bolt11;
    let refused = |most: u64, text: String| {
        let wallet = wallet.clone();
        let mint = world.mint.url().to_owned();
        async move { wallet.payment_quote(&mint, &text, Msats(most)).await.unwrap_err().to_string() }
    };
    let error = refused(19_999, invoice.clone()).await;
    assert!(error.contains("asks for 20,000 msats, at most 19,999 msats were agreed"), "{error}");
    assert!(refused(20_000, "lnbc1nonsense".to_owned()).await.contains("cannot be paid"));
    // Written in 2017 (BOLT 11's own example), over 2,500 µBTC, for 60 seconds.
    let expired = "lnbc2500u1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdq5xysxxatsyp3k7enxv4jsxqzpu9qrsgquk0rl77nj30yxdy8j9vdx85fkpmdla2087ne0xh8nhedh8w27kyke0lp53ut353s06fv3qfegext0eh0ymjpf39tuven09sam30g4vgpfna3rh";
    assert!(refused(u64::MAX, expired.to_owned()).await.contains("has expired"));
    assert_eq!(available(&wallet).await, 100);
}

#[tokio::test]
async fn the_play_mint_says_what_it_is() {
    let world = World::new().await;
    let wallet = world.wallet().await;
    let info = wallet.mint(world.mint.url()).await.unwrap().fetch_mint_info().await.unwrap().unwrap();
    assert_eq!(info.name.as_deref(), Some(crate::mint::play_mint::PLAY_MONEY));
    assert_eq!(info.motd.as_deref(), Some(crate::mint::play_mint::PLAY_MONEY));
}

#[tokio::test]
async fn a_mint_that_is_gone_is_named_and_nothing_is_lost() {
    let world = World::new().await;
    let wallet = world.funded(10).await;
    let World { mint, folder, seed, .. } = world;
    let url = mint.url().to_owned();
    mint.shutdown().await;
    let error = wallet.invoice(&url, Sats(3)).await.unwrap_err().to_string();
    assert!(error.contains(&url), "{error}");
    drop(wallet);
    // The wallet opens without its mint: what it holds is known here.
    let (wallet, _) = CashuWallet::open(folder.path(), seed, Money::Play).await.unwrap();
    let balances = wallet.balances().await.unwrap();
    assert_eq!(balances[0].available.saturating_add(balances[0].pending), Sats(10));
}

#[tokio::test]
async fn a_closed_wallet_is_free_even_while_a_child_process_holds_its_files() {
    let world = World::new().await;
    let wallet = world.funded(10).await;
    // As a child process holds them between its birth and the start of its program.
    let inherited = wallet.inner.presence.0.try_clone().unwrap();
    drop(wallet);
    let (_wallet, recovery) =
        CashuWallet::open(world.folder.path(), world.seed.clone(), Money::Play).await.unwrap();
    assert!(!recovery.busy, "nobody has it open: what was under way is looked at now");
    drop(inherited);
}

#[tokio::test]
async fn who_opens_a_wallet_that_another_one_recovers_waits_and_holds_up_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("play");
    std::fs::create_dir_all(&place).unwrap();
    let recovering = std::fs::File::create(place.join("in-use")).unwrap();
    recovering.lock().unwrap();
    let mut opening = CashuWallet::open(folder.path(), Phrase::generate().seed(), Money::Play);
    let until_it_waits = async {
        while !place.join("journal.sqlite").exists() {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        biased;
        _ = &mut opening => panic!("another one recovers it"),
        () = until_it_waits => {}
    }
    recovering.unlock().unwrap();
    let (_, recovery) = opening.await.unwrap();
    assert!(recovery.busy);
}
