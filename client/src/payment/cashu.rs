//! Escrow with Cashu: locks at a mint that payer and provider both trust.

use std::collections::{HashMap, HashSet};
use std::str::FromStr as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use frlm_conductor::payment::{Cost, LockFailed, Payment, PaymentRail, Secured, Unpaid};
use frlm_conductor::swarm::EscrowOffer;
use frlm_wallet::cashu::nuts::PublicKey;
use frlm_wallet::debts::Debt;
use frlm_wallet::escrow::{LockOrder, Returned};
use frlm_wallet::nwc::NwcWallet;
use frlm_wallet::prepay::{Bill, PaidBill, PrepaidEnd, PrepayFailed, Prepayment};
use frlm_wallet::{CashuWallet, Key, Money, Sats};

/// How long a mint that did not answer when it was asked last is waited for.
const SILENT_TIMEOUT: Duration = Duration::from_secs(3);

/// Pays from one wallet.
#[derive(Debug)]
pub struct CashuRail {
    wallet: CashuWallet,
    /// What a price costs at a mint: the same few prices are asked for over and over.
    costs: Mutex<HashMap<(String, Sats), Sats>>,
    /// The locks of this session that are not settled.
    locks: Mutex<Locks>,
    /// Pays invoices instead of a mint, where its owner wants that.
    lightning: Option<Arc<NwcWallet>>,
    /// Whether who names no invoice is given a token.
    tokens: bool,
}

/// Locks by their attempts, and the other way round.
#[derive(Debug, Default)]
struct Locks {
    by_key: HashMap<Key, String>,
    by_lock: HashMap<String, Key>,
}

impl CashuRail {
    /// Takes a wallet into use.
    pub fn new(wallet: CashuWallet) -> Self {
        Self { wallet, costs: Mutex::default(), locks: Mutex::default(), lightning: None, tokens: false }
    }

    /// Pays invoices of foreign providers from a Lightning wallet; escrow stays at the mints.
    #[must_use]
    pub fn with_lightning(self, lightning: Arc<NwcWallet>) -> Self {
        Self { lightning: Some(lightning), ..self }
    }

    /// Gives foreign providers that name no invoice a Cashu token before they work.
    #[must_use]
    pub fn with_tokens(self, tokens: bool) -> Self {
        Self { tokens, ..self }
    }

    fn locks_of(&self, keys: &[Key]) -> Vec<String> {
        let locks = self.locks();
        keys.iter().filter_map(|key| locks.by_key.get(key).cloned()).collect()
    }

    fn key_of(&self, lock: &str) -> Option<Key> {
        self.locks().by_lock.get(lock).cloned()
    }

    fn costs(&self) -> MutexGuard<'_, HashMap<(String, Sats), Sats>> {
        self.costs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn locks(&self) -> MutexGuard<'_, Locks> {
        // Both maps are changed together without a panic in between.
        self.locks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl PaymentRail for CashuRail {
    fn is_play(&self) -> bool {
        self.wallet.money() == Money::Play
    }

    async fn cost(&self, offer: &EscrowOffer, price: Sats) -> Result<Cost, String> {
        let is_theirs = |url: &str| offer.mints.iter().any(|theirs| theirs.trim_end_matches('/') == url);
        let ours = self.wallet.mints().await.map_err(|error| error.to_string())?;
        let mut common: Vec<String> =
            ours.into_iter().map(|rule| rule.url).filter(|url| is_theirs(url)).collect();
        let silent: HashSet<String> = self.wallet.silent_mints().into_iter().map(|mint| mint.url).collect();
        if common.len() > 1 {
            // Of several that both trust, one that answers, and of those the one with most to spend: counting that takes
            // longer than the rest.
            let ours = self.wallet.balances().await.map_err(|error| error.to_string())?;
            let held = ours.into_iter().filter(|mint| is_theirs(&mint.url));
            let best = held.max_by_key(|mint| (!silent.contains(&mint.url), mint.available));
            common = best.map(|mint| mint.url).into_iter().collect();
        }
        let Some(mint) = common.pop() else {
            return Err(format!(
                "no mint is trusted by both sides; this provider accepts {}",
                if offer.mints.is_empty() { "none".to_owned() } else { offer.mints.join(", ") }
            ));
        };
        // A key that is none would hold up everybody whose pay shares an exchange with it.
        provider_key(&offer.key)?;
        let place = (mint.clone(), price);
        let known = self.costs().get(&place).copied();
        let total = if let Some(total) = known {
            total
        } else {
            let asking = self.wallet.lock_cost(&mint, price);
            let cost = if silent.contains(&mint) {
                // It has just been asked by something else: a run does not wait for it as long again.
                let asked = tokio::time::timeout(SILENT_TIMEOUT, asking).await;
                asked.map_err(|_| format!("{mint} does not answer"))?
            } else {
                asking.await
            };
            let total = cost.map_err(|error| error.to_string())?.total();
            self.costs().insert(place, total);
            total
        };
        Ok(Cost { mint, total })
    }

    async fn lock(&self, mint: &str, orders: Vec<Payment>) -> Result<Vec<Secured>, LockFailed> {
        let mut wanted = Vec::with_capacity(orders.len());
        for order in orders {
            let provider =
                provider_key(&order.offer.key).map_err(|reason| LockFailed { reason, unclear: false })?;
            wanted.push(LockOrder {
                key: order.key,
                peer: order.provider.to_string(),
                provider,
                price: order.price,
                most: order.most,
                locktime: order.locktime,
            });
        }
        let locked = self.wallet.lock_all(mint, wanted).await.map_err(|error| {
            // The mint's fees may have risen: the next try counts them again.
            self.costs().retain(|(at, _), _| at != mint);
            LockFailed { unclear: !error.is_certain(), reason: error.to_string() }
        })?;
        let mut locks = self.locks();
        let secured = locked.into_iter().map(|locked| {
            locks.by_key.insert(locked.key.clone(), locked.lock.id.clone());
            locks.by_lock.insert(locked.lock.id.clone(), locked.key.clone());
            let payload = serde_json::to_string(&locked.lock)
                .map_err(|error| LockFailed { reason: error.to_string(), unclear: true })?;
            Ok(Secured { fees: locked.fees(), key: locked.key, payload })
        });
        secured.collect()
    }

    async fn release(&self, keys: Vec<Key>) -> Result<Vec<(Key, String)>, String> {
        let released = self.wallet.release(self.locks_of(&keys), frlm_util::clock::unix_secs()).await;
        let named = released.map_err(|error| error.to_string())?.into_iter().filter_map(|release| {
            let payload = serde_json::to_string(&release).ok()?;
            Some((self.key_of(&release.lock)?, payload))
        });
        Ok(named.collect())
    }

    async fn record_debts(&self, debts: Vec<Unpaid>) -> Result<(), String> {
        let debts = debts.into_iter().map(|Unpaid { order, job, relays }| {
            let provider = provider_key(&order.offer.key)?;
            let Payment { key, provider: peer, mint, price, .. } = order;
            Ok(Debt { key, peer: peer.to_string(), provider, mint, price, job, relays })
        });
        let debts = debts.collect::<Result<Vec<Debt>, String>>()?;
        self.wallet.record_debts(debts).await.map_err(|error| error.to_string())
    }

    async fn settled(&self, keys: Vec<Key>) -> Result<(), String> {
        let settled = self.locks_of(&keys);
        self.wallet.settled(settled.clone()).await.map_err(|error| error.to_string())?;
        // Nobody asks for them again: a long run does not keep all that it ever locked.
        let mut locks = self.locks();
        for lock in &settled {
            if let Some(key) = locks.by_lock.remove(lock) {
                locks.by_key.remove(&key);
            }
        }
        Ok(())
    }

    async fn bill(&self, order: Prepayment) -> Result<Bill, String> {
        let bill = match (order.bolt11.trim().is_empty(), self.tokens) {
            (false, _) => self.wallet.bill(order, self.lightning.as_deref()).await,
            (true, true) => self.wallet.token_bill(order).await,
            (true, false) => {
                return Err(
                    "it names no invoice, and would be given a Cashu token only with token = true under \
                            [pay_before] in config.toml"
                        .to_owned(),
                );
            }
        };
        bill.map_err(|error| error.to_string())
    }

    async fn pay_bill(&self, bill: &Bill) -> Result<PaidBill, PrepayFailed> {
        self.wallet.pay_bill(bill, self.lightning.as_deref()).await
    }

    async fn give_prepaid(&self, key: &Key) -> Result<bool, String> {
        self.wallet.give_prepaid(key).await.map_err(|error| error.to_string())
    }

    async fn keep_prepaid(&self, key: &Key) -> Result<(), String> {
        self.wallet.keep_prepaid(key).await.map_err(|error| error.to_string())
    }

    async fn end_prepaid(&self, key: &Key, end: PrepaidEnd) -> Result<(), String> {
        self.wallet.end_prepaid(key, end).await.map_err(|error| error.to_string())
    }

    async fn reclaim(&self, payloads: Vec<String>) -> Result<Vec<(Key, Sats)>, String> {
        // A peer's words: what cannot be read is no return.
        let returned: Vec<Returned> =
            payloads.iter().filter_map(|payload| serde_json::from_str(payload).ok()).collect();
        self.wallet.reclaim(returned).await.map_err(|error| error.to_string())
    }
}

/// The key that a provider announced for its pay.
fn provider_key(hex: &str) -> Result<PublicKey, String> {
    PublicKey::from_str(hex).map_err(|_| "the provider's escrow key is no public key".to_owned())
}

#[cfg(test)]
mod tests {
    use frlm_wallet::cashu::{PlayMint, PlayMintOptions};
    use frlm_wallet::seed::Phrase;

    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn fees_are_computed_again_after_a_mint_took_more_than_was_reserved() {
        let folder = tempfile::tempdir().unwrap();
        let options = PlayMintOptions { input_fee_ppk: 100, ..PlayMintOptions::default() };
        let mint = PlayMint::start(options).await.unwrap();
        let (wallet, _) =
            CashuWallet::open(folder.path(), Phrase::generate().seed(), Money::Play).await.unwrap();
        wallet.allow_mint(mint.url(), None).await.unwrap();
        let invoice = wallet.invoice(mint.url(), Sats(100)).await.unwrap();
        wallet.receive_invoice(&invoice, Duration::from_secs(30)).await.unwrap();
        let offer = EscrowOffer {
            key: wallet.provider_key().to_hex(),
            mints: vec![mint.url().to_owned()],
            pay_after_jobs: 0,
        };
        let rail = CashuRail::new(wallet);
        let cost = rail.cost(&offer, Sats(7)).await.unwrap();
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
        let order = |most| Payment {
            key: Key::new("run", 0, 0),
            provider: "npub".into(),
            offer: offer.clone(),
            mint: cost.mint.clone(),
            price: Sats(7),
            most: Some(most),
            locktime: now + 3_600,
        };
        // As if it had taken nothing when it was first asked.
        let place = (cost.mint.clone(), Sats(7));
        rail.costs().insert(place, Sats(7));
        let stale = rail.cost(&offer, Sats(7)).await.unwrap().total;
        let failed = rail.lock(&cost.mint, vec![order(stale)]).await.unwrap_err();
        assert!(!failed.unclear && failed.reason.contains("takes more"), "{failed}");
        assert_eq!(rail.cost(&offer, Sats(7)).await.unwrap(), cost);
        assert_eq!(rail.lock(&cost.mint, vec![order(cost.total)]).await.unwrap().len(), 1);
        mint.shutdown().await;
    }
}
