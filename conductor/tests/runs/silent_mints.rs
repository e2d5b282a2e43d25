//! Mints that never say anything again: a run is stopped all the same, and providers that are paid elsewhere go on.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use frlm_client::payment::cashu::CashuRail;
use frlm_conductor::payment::{Cost, LockFailed, Payment, PaymentRail, Secured, Unpaid};
use frlm_conductor::run::RunError;
use frlm_conductor::swarm::EscrowOffer;
use frlm_conductor::trace::TraceEvent;
use frlm_provider::ProviderConfig;
use frlm_verifier::VerificationPolicy;
use frlm_wallet::cashu::{PlayMint, PlayMintOptions};
use frlm_wallet::{Key, Sats};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::common::scene::{Paid, Scene};
use crate::common::{copy, lie};

/// What the mint never answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// What a price costs with this provider.
    Cost,
    /// To lock the pay of jobs.
    Lock,
    /// To lock what is owed.
    Owed,
    /// To reclaim what was not earned.
    Back,
}

/// Pays like [`CashuRail`], with a mint that says nothing to one kind of question until it is let.
#[derive(Debug)]
struct Silent {
    rail: CashuRail,
    at: Asked,
    /// The escrow key of the provider whose cost is not said.
    key: String,
    asked: Notify,
    speaks: CancellationToken,
}

impl Silent {
    fn new(scene: &Scene, at: Asked, provider: &Paid) -> Arc<Self> {
        let (rail, key) = (CashuRail::new(scene.payer.clone()), provider.wallet.provider_key().to_hex());
        Arc::new(Self { rail, at, key, asked: Notify::new(), speaks: CancellationToken::new() })
    }

    async fn silent(&self, at: Asked) {
        if self.at == at {
            self.asked.notify_one();
            self.speaks.cancelled().await;
        }
    }

    /// Waits until the mint is asked what it does not answer.
    async fn asked(&self) {
        let asked = tokio::time::timeout(Duration::from_mins(1), self.asked.notified()).await;
        asked.expect("it is asked within a minute");
    }
}

#[async_trait]
impl PaymentRail for Silent {
    async fn cost(&self, offer: &EscrowOffer, price: Sats) -> Result<Cost, String> {
        if offer.key == self.key {
            self.silent(Asked::Cost).await;
            if self.at == Asked::Cost {
                return Err("its mint does not answer".to_owned());
            }
        }
        self.rail.cost(offer, price).await
    }

    async fn lock(&self, mint: &str, orders: Vec<Payment>) -> Result<Vec<Secured>, LockFailed> {
        let is_owed = orders.iter().any(|order| order.most.is_none());
        self.silent(if is_owed { Asked::Owed } else { Asked::Lock }).await;
        self.rail.lock(mint, orders).await
    }

    async fn release(&self, keys: Vec<Key>) -> Result<Vec<(Key, String)>, String> {
        self.rail.release(keys).await
    }

    async fn record_debts(&self, debts: Vec<Unpaid>) -> Result<(), String> {
        self.rail.record_debts(debts).await
    }

    async fn settled(&self, keys: Vec<Key>) -> Result<(), String> {
        self.rail.settled(keys).await
    }

    async fn reclaim(&self, payloads: Vec<String>) -> Result<Vec<(Key, Sats)>, String> {
        self.silent(Asked::Back).await;
        self.rail.reclaim(payloads).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_stopped_whatever_its_mint_does_not_say() {
    for at in [Asked::Cost, Asked::Lock, Asked::Owed, Asked::Back] {
        let scene = Scene::new().await;
        let is_owed = u32::from(at == Asked::Owed);
        let mut providers = vec![scene.provider("a", copy, is_owed).await];
        let mut verification = VerificationPolicy::None;
        if at == Asked::Back {
            // Two must agree, and one of three gives back what it has not earned.
            providers.push(scene.provider("b", copy, 0).await);
            providers.push(scene.provider("liar", lie, 0).await);
            verification = VerificationPolicy::TWO_OF_THREE;
        }
        let silent = Silent::new(&scene, at, &providers[0]);
        let mut asker = scene.asker(Arc::clone(&silent) as Arc<dyn PaymentRail>, verification);
        let stop = asker.stop.clone();
        asker.policy.timeout.total = Duration::from_hours(1);
        let going = scene.start(asker).await;
        silent.asked().await;
        stop.cancel();
        let outcome = going.end().await;
        match outcome.result {
            Err(RunError::Interrupted(_)) => {}
            // All that it asks may be answered by the time that something is given back.
            Ok(_) if at == Asked::Back => {}
            other => panic!("{at:?}: {other:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn while_one_mint_says_nothing_others_work_and_are_paid() {
    let scene = Scene::new().await;
    let _a = scene.provider("a", copy, 0).await;
    let dear =
        ProviderConfig { name: "b".to_owned(), price_msats_per_1k: 1_100, ..ProviderConfig::default() };
    // It takes sats of another mint, too: what it costs is asked for apart from the first one's.
    let other = PlayMint::start(PlayMintOptions::default()).await.unwrap();
    let wallet = scene.wallet("b").await;
    wallet.allow_mint(other.url(), None).await.unwrap();
    let b = scene.provider_paid_in(dear, copy, wallet).await;
    let silent = Silent::new(&scene, Asked::Cost, &b);
    let mut asker = scene.asker(Arc::clone(&silent) as Arc<dyn PaymentRail>, VerificationPolicy::None);
    asker.enough = 2;
    let mut going = scene.start(asker).await;
    silent.asked().await;
    going
        .until(|event| matches!(event, TraceEvent::BudgetSettle { spent_sats, .. } if *spent_sats > 0))
        .await;
    silent.speaks.cancel();
    let outcome = going.end().await;
    let answer = outcome.result.as_ref().expect("the other one answers");
    assert!(answer.answer.contains("12"));
    let left_out = |event: &TraceEvent| matches!(event, TraceEvent::Notice { says, .. } if says.contains("its mint does not answer"));
    assert_eq!(outcome.count(left_out), 1, "it is said once");
    scene.all_books_agree().await;
    other.shutdown().await;
}
