//! A paid swarm: a relay, a mint, somebody with sats there, and providers that want some. The mint's sats are taken for real
//! ones, so that the ledger names the scheme.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use frlm_conductor::payment::PaymentRail;
use frlm_conductor::policy::FrlmPolicy;
use frlm_inference::LanguageModel;
use frlm_provider::{Provider, ProviderConfig, ProviderHandle};
use frlm_questions::ingest::Fragment;
use frlm_relay::EmbeddedRelay;
use frlm_verifier::VerificationPolicy;
use frlm_wallet::SettlementOutcome;
use frlm_wallet::cashu::{PlayMint, PlayMintOptions};
use frlm_wallet::ledger::Scheme;
use frlm_wallet::seed::Phrase;
use frlm_wallet::{CashuWallet, Ledger, Money, Sats};
use nostr::{Keys, RelayUrl};

use super::{Asker, Going, Outcome, engine, orders, relay};

/// What the asker has at first.
pub const FUNDS: u64 = 500;
/// How long anything at a mint may take.
pub const TIMEOUT: Duration = Duration::from_secs(20);

/// A provider that wants pay.
pub struct Paid {
    pub handle: ProviderHandle,
    pub wallet: CashuWallet,
}

/// A relay, a mint, and somebody with sats there.
pub struct Scene {
    _relay: EmbeddedRelay,
    pub url: RelayUrl,
    pub mint: PlayMint,
    pub payer: CashuWallet,
    pub keys: Keys,
    pub home: tempfile::TempDir,
}

impl Scene {
    pub async fn new() -> Self {
        Self::with_fee(100).await
    }

    /// With a mint that takes so many thousandths of a sat for each coin that is spent.
    pub async fn with_fee(input_fee_ppk: u64) -> Self {
        let relay = relay().await;
        let url = frlm_relay::parse_relay_url(&relay.url().to_string()).unwrap();
        let mint =
            PlayMint::start(PlayMintOptions { input_fee_ppk, ..PlayMintOptions::default() }).await.unwrap();
        let home = tempfile::tempdir().unwrap();
        let payer = wallet(&home.path().join("asker"), &mint).await;
        let invoice = payer.invoice(mint.url(), Sats(FUNDS)).await.unwrap();
        payer.receive_invoice(&invoice, TIMEOUT).await.unwrap();
        Self { _relay: relay, url, mint, payer, keys: Keys::generate(), home }
    }

    pub fn run(&self) -> String {
        self.keys.public_key().to_hex()
    }

    pub async fn provider(&self, name: &str, answer: fn(&str) -> String, pay_after_jobs: u32) -> Paid {
        let config = ProviderConfig {
            name: name.to_owned(),
            price_msats_per_1k: 1_000,
            pay_after_jobs,
            ..ProviderConfig::default()
        };
        self.provider_with(config, answer).await
    }

    pub async fn provider_with(&self, config: ProviderConfig, answer: fn(&str) -> String) -> Paid {
        let wallet = self.wallet(&config.name).await;
        self.provider_paid_in(config, answer, wallet).await
    }

    /// A wallet at the scene's mint.
    pub async fn wallet(&self, name: &str) -> CashuWallet {
        wallet(&self.home.path().join(name), &self.mint).await
    }

    pub async fn provider_paid_in(
        &self,
        config: ProviderConfig,
        answer: fn(&str) -> String,
        wallet: CashuWallet,
    ) -> Paid {
        self.start_provider(config, engine(answer, Duration::ZERO), wallet).await
    }

    /// A provider with a general model of its own.
    pub async fn provider_of(&self, name: &str, model: Arc<dyn LanguageModel>) -> Paid {
        let config =
            ProviderConfig { name: name.to_owned(), price_msats_per_1k: 1_000, ..ProviderConfig::default() };
        let wallet = self.wallet(name).await;
        self.start_provider(config, model, wallet).await
    }

    pub async fn start_provider(
        &self,
        config: ProviderConfig,
        model: Arc<dyn LanguageModel>,
        wallet: CashuWallet,
    ) -> Paid {
        let relays = std::slice::from_ref(&self.url);
        let handle =
            Provider::start_paid(config, Keys::generate(), relays, model, wallet.clone()).await.unwrap();
        Paid { handle, wallet }
    }

    pub async fn ask(&self, rail: Arc<dyn PaymentRail>, verification: VerificationPolicy) -> Outcome {
        self.ask_within(Sats(FUNDS), rail, verification).await
    }

    pub async fn ask_within(
        &self,
        limit: Sats,
        rail: Arc<dyn PaymentRail>,
        verification: VerificationPolicy,
    ) -> Outcome {
        let mut asker = self.asker(rail, verification);
        asker.policy.budget = limit;
        if limit < Sats(FUNDS) {
            // Every provider here is too dear: the rest of this is waited out, for somebody cheaper.
            asker.discovery = Duration::from_secs(2);
        }
        self.start(asker).await.end().await
    }

    /// Somebody who asks and pays by this rail.
    pub fn asker(&self, rail: Arc<dyn PaymentRail>, verification: VerificationPolicy) -> Asker {
        let mut policy = FrlmPolicy::standard();
        policy.budget = Sats(FUNDS);
        policy.verification = verification;
        policy.timeout.total = Duration::from_mins(1);
        Asker { keys: self.keys.clone(), policy, rail: Some(rail), ..Asker::default() }
    }

    /// Starts to ask about 60 orders.
    pub async fn start(&self, asker: Asker) -> Going {
        self.start_over(orders(60, 10), asker).await
    }

    pub async fn start_over(&self, fragments: Vec<Arc<Fragment>>, asker: Asker) -> Going {
        asker.start(&self.url, fragments, self.home.path()).await
    }

    /// What became of the sats of each attempt, by subtask and provider.
    pub async fn outcomes(&self) -> Vec<(u32, String, SettlementOutcome)> {
        let locks = self.payer.locks(Some(&self.run())).await.unwrap();
        locks.iter().map(|row| (row.key.subtask, row.peer.clone(), row.outcome())).collect()
    }

    pub async fn ledger(&self) -> Ledger {
        Ledger::open(self.home.path().join("ledger.db")).await.unwrap()
    }

    /// The schemes that attempts were booked under.
    pub async fn schemes(&self) -> Vec<Scheme> {
        let booked: HashMap<_, _> = self.ledger().await.booked(self.run()).await.unwrap();
        booked.into_values().map(|booked| booked.scheme).collect()
    }

    /// Every sat is where the books say: the ledger's sums are those of the locks and of the wallet.
    pub async fn all_books_agree(&self) {
        let ledger = self.ledger().await;
        let budget = ledger.budget(self.run()).await.unwrap();
        let (mut prices, mut fees) = (Sats::ZERO, Sats::ZERO);
        for row in self.payer.locks(Some(&self.run())).await.unwrap() {
            match row.outcome() {
                SettlementOutcome::Paid { price, fees: fee } => {
                    prices = prices.saturating_add(price);
                    fees = fees.saturating_add(fee);
                }
                SettlementOutcome::Back { fees: fee } => fees = fees.saturating_add(fee),
                SettlementOutcome::Waiting { .. } => panic!("{row:?} waits"),
                SettlementOutcome::Void => {}
            }
        }
        assert_eq!((budget.spent, budget.fees), (prices.saturating_add(fees), fees));
        assert_eq!((budget.reserved, budget.pending_refund), (Sats::ZERO, Sats::ZERO));
        assert_eq!(self.payer.available().await.unwrap(), Sats(FUNDS).saturating_sub(budget.spent));
        assert!(ledger.audit().await.unwrap().is_clean());
    }
}

async fn wallet(folder: &std::path::Path, mint: &PlayMint) -> CashuWallet {
    let (wallet, _) = CashuWallet::open(folder, Phrase::generate().seed(), Money::Real).await.unwrap();
    wallet.allow_mint(mint.url(), None).await.unwrap();
    wallet
}

/// Waits until a provider has nothing open any more, then ends it.
pub async fn books_closed(paid: &Paid) {
    let closed = async {
        while paid.wallet.earnings().await.unwrap().iter().any(frlm_wallet::escrow::Earning::is_open) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(TIMEOUT, closed).await.expect("the books close");
    paid.handle.shutdown().graceful.cancel();
    paid.handle.stopped().await;
}

/// What it has taken in.
pub async fn received(paid: &Paid) -> Sats {
    paid.wallet.earnings().await.unwrap().iter().map(|each| each.received).sum()
}
