//! Pay that is locked for jobs, and a provider that goes away.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use frlm_inference::ModelError;
use frlm_protocol::{JobRequest, RefusalReason, Settlement, kinds};
use frlm_provider::{Provider, ProviderConfig};
use frlm_wallet::cashu::{PlayMint, PlayMintOptions};
use frlm_wallet::escrow::{Lock, LockOrder, Returned};
use frlm_wallet::seed::Phrase;
use frlm_wallet::{CashuWallet, Key, Money, Sats};
use nostr::{Event, Filter, Keys, Timestamp};

use crate::engine::{GatedModel, NEVER};
use crate::relay::TestRelay;
use crate::world::{Asker, TIMEOUT, patiently, request};

const FUNDS: Sats = Sats(50);

async fn wallet(folder: &Path, mint: &PlayMint) -> CashuWallet {
    let (wallet, _) = CashuWallet::open(folder, Phrase::generate().seed(), Money::Play).await.unwrap();
    wallet.allow_mint(mint.url(), None).await.unwrap();
    wallet
}

/// A job that costs a sat, which is locked for it.
fn paid(text: &str, lock: &Lock) -> JobRequest {
    JobRequest {
        bid_msats: Some(1_000),
        payment: Some(serde_json::to_string(lock).unwrap()),
        expires_at: Some(Timestamp::now() + 300_u64),
        ..request("copy", &[text])
    }
}

fn returned(event: &Event, asker: &Asker) -> Option<Returned> {
    match Settlement::from_event(event, &asker.keys).unwrap().settlement {
        Settlement::Returned(payload) => serde_json::from_str(&payload).ok(),
        _ => None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whose_jobs_end_with_the_provider_have_their_sats_back_at_once() {
    let (relay, home) = (TestRelay::start().await, tempfile::tempdir().unwrap());
    let mint = PlayMint::start(PlayMintOptions::default()).await.unwrap();
    let payer = wallet(&home.path().join("asker"), &mint).await;
    let invoice = payer.invoice(mint.url(), FUNDS).await.unwrap();
    payer.receive_invoice(&invoice, TIMEOUT).await.unwrap();
    let earner = wallet(&home.path().join("provider"), &mint).await;
    let order = |subtask: u32| LockOrder {
        key: Key::new("run", subtask, 0),
        peer: "npub".to_owned(),
        provider: earner.provider_key(),
        price: Sats(1),
        most: None,
        locktime: Timestamp::now().as_secs() + 3_600,
    };
    let locked = payer.lock_all(mint.url(), vec![order(0), order(1)]).await.unwrap();

    let keys = Keys::generate();
    let model = GatedModel::closed().answering(|_| Err(ModelError::Failed("it is out of order".to_owned())));
    let config =
        ProviderConfig { price_msats_per_1k: 1_000, graceful_limit: NEVER, ..ProviderConfig::default() };
    let (relays, engine) = ([relay.url()], Arc::new(model.clone()));
    let provider = Provider::start_paid(config, keys.clone(), &relays, engine, earner.clone()).await.unwrap();
    let mut asker = Asker::connect(&relay.url(), keys.public_key()).await;
    asker.ask(&paid("runs", &locked[0].lock)).await;
    model.until_running(1).await;
    let waits = asker.ask(&paid("waits", &locked[1].lock)).await;
    let mut stats = provider.watch_stats();
    patiently("one waits", stats.wait_for(|stats| stats.queued == 1)).await.unwrap();

    provider.shutdown().graceful.cancel();
    assert_eq!(asker.refusal(&waits).await, RefusalReason::ShuttingDown);
    model.let_pass(1);
    patiently("the stop", provider.stopped()).await;

    let said = Filter::new().kind(kinds::SETTLEMENT).author(keys.public_key());
    let said = asker.publisher.fetch(vec![said], Duration::from_secs(10)).await;
    let back: Vec<Returned> = said.iter().filter_map(|event| returned(event, &asker)).collect();
    assert_eq!(back.len(), 2, "nobody waits for a locktime");
    payer.reclaim(back).await.unwrap();
    assert_eq!(payer.available().await.unwrap(), FUNDS);
    mint.shutdown().await;
}
