//! Over a real relay, against a wallet service whose sats lie at a mint of play money.

mod any_order;
mod before_work;

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use cdk::lightning_invoice::{Currency, InvoiceBuilder, PaymentSecret};
use cdk::secp256k1::{Secp256k1, SecretKey};
use frlm_relay::{EmbeddedRelay, EmbeddedRelayConfig};
use nostr::hashes::{Hash as _, sha256};
use nostr::{Event, EventBuilder, Keys, Tag, TagKind};
use tokio_util::task::AbortOnDropHandle;

use super::*;
use crate::cashu::tests::{World, available};
use crate::mint::CashuWallet;
use crate::outcome::SettlementOutcome;
use crate::prepay::{PrepayRefusal, Prepayment, prepay_cost};
use crate::{Key, Ledger, Sats, reconcile};

/// For answers that never come.
const SHORT: Duration = Duration::from_millis(700);

/// How a wallet behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Behaviour {
    Honest,
    /// Pays, and its answer is lost.
    PaysSilently,
    /// Pays, and nothing that it says afterwards arrives.
    PaysAndGoesAway,
    /// Pays, and answers with this error.
    PaysAndErrs(&'static str),
    /// Pays, answers with an error, and has no way of looking payments up.
    PaysAndKnowsNoLookup,
    /// Does not pay, and answers with this error.
    Refuses(&'static str),
    /// Takes far more for paying than anybody would expect.
    Dear,
    /// Does not pay and says that it did.
    Lies,
    /// Answers in somebody else's name.
    Impersonated,
    Revoked,
}

/// A wallet service behind a relay.
struct Service {
    keys: Keys,
    client: Keys,
    behaviour: Behaviour,
    mint: String,
    wallet: CashuWallet,
    /// What receivers tell their payers, by payment hash.
    preimages: HashMap<String, String>,
    /// Payment hashes, as often as they were paid.
    paid: Arc<Mutex<Vec<String>>>,
}

impl Service {
    async fn answer(&self, request: &Event) -> Option<Event> {
        let key = self.keys.secret_key();
        let text = Cipher::Nip44.open(key, &request.pubkey, &request.content).unwrap();
        let asked: Value = serde_json::from_str(&text).unwrap();
        let method = asked["method"].as_str().unwrap();
        if self.behaviour == Behaviour::PaysAndGoesAway && method == "lookup_invoice" {
            return None;
        }
        let outcome = match self.behaviour {
            Behaviour::Revoked => Err("UNAUTHORIZED"),
            Behaviour::PaysAndKnowsNoLookup if method == "lookup_invoice" => Err("NOT_IMPLEMENTED"),
            Behaviour::PaysAndKnowsNoLookup if method == "pay_invoice" => {
                self.carry_out(method, &asked["params"]).await.unwrap();
                Err("INTERNAL")
            }
            Behaviour::Refuses(code) if method == "pay_invoice" => Err(code),
            Behaviour::PaysAndErrs(code) if method == "pay_invoice" => {
                self.carry_out(method, &asked["params"]).await.unwrap();
                Err(code)
            }
            _ => self.carry_out(method, &asked["params"]).await,
        };
        let silent = matches!(self.behaviour, Behaviour::PaysSilently | Behaviour::PaysAndGoesAway);
        if silent && method == "pay_invoice" {
            return None;
        }
        let body = match outcome {
            Ok(result) => json!({ "result_type": method, "error": null, "result": result }),
            Err(code) => {
                json!({ "result_type": method, "error": { "code": code, "message": "no" }, "result": null })
            }
        };
        let author =
            if self.behaviour == Behaviour::Impersonated { Keys::generate() } else { self.keys.clone() };
        let content = Cipher::Nip44.seal(author.secret_key(), &request.pubkey, &body.to_string()).unwrap();
        let tags = [Tag::public_key(request.pubkey), Tag::event(request.id)];
        Some(EventBuilder::new(wire::RESPONSE, content).tags(tags).sign_with_keys(&author).unwrap())
    }

    async fn carry_out(&self, method: &str, params: &Value) -> Result<Value, &'static str> {
        match method {
            "get_balance" => Ok(json!({ "balance": available(&self.wallet).await * 1_000 })),
            "make_invoice" => {
                let amount = Msats(params["amount"].as_u64().unwrap()).ceil_to_sats();
                let invoice = self.wallet.invoice(&self.mint, amount).await.map_err(|_| "INTERNAL")?;
                Ok(json!({ "invoice": invoice.bolt11 }))
            }
            "pay_invoice" => {
                let bolt11 = params["invoice"].as_str().unwrap();
                let invoice = Bolt11Invoice::from_str(bolt11).unwrap();
                let hash = invoice.payment_hash().to_string();
                if self.behaviour == Behaviour::Lies {
                    return Ok(json!({ "preimage": "00".repeat(32) }));
                }
                let quote = self.wallet.payment_quote(&self.mint, bolt11, Msats(u64::MAX)).await;
                let quote = quote.map_err(|_| "INSUFFICIENT_BALANCE")?;
                let paid = self.wallet.pay(&quote).await.map_err(|_| "INSUFFICIENT_BALANCE")?;
                self.paid.lock().unwrap().push(hash.clone());
                // An invoice of a mint with faked Lightning has no preimage that anybody knows.
                let preimage = self.preimages.get(&hash).cloned().unwrap_or_default();
                let fees = if self.behaviour == Behaviour::Dear { Sats(20) } else { paid.fee };
                Ok(json!({ "preimage": preimage, "fees_paid": fees.0 * 1_000 }))
            }
            "lookup_invoice" => {
                let hash = params["payment_hash"].as_str().unwrap();
                if self.paid.lock().unwrap().iter().any(|paid| paid == hash) {
                    let preimage = self.preimages.get(hash).cloned().unwrap_or_default();
                    Ok(json!({ "state": "settled", "payment_hash": hash, "preimage": preimage }))
                } else {
                    Err("NOT_FOUND")
                }
            }
            _ => Err("NOT_IMPLEMENTED"),
        }
    }

    async fn serve(self, publisher: Publisher, mut incoming: Incoming) {
        while let Some(message) = incoming.recv().await {
            let RelayMessage::Event(event) = message else { continue };
            if event.kind == wire::REQUEST
                && event.pubkey == self.client.public_key()
                && let Some(answer) = self.answer(&event).await
            {
                publisher.publish(&answer).await.unwrap();
            }
        }
    }
}

/// A relay, a mint, a service with 100 sats there, an invoice of somebody who can prove its payment.
struct Scene {
    relay: EmbeddedRelay,
    world: World,
    holder: CashuWallet,
    address: NwcAddress,
    invoice: String,
    preimage: String,
    paid: Arc<Mutex<Vec<String>>>,
    _service: AbortOnDropHandle<()>,
}

impl Scene {
    async fn with(behaviour: Behaviour) -> Self {
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let relay = EmbeddedRelay::start(EmbeddedRelayConfig::at(listen)).await.unwrap();
        let world = World::new().await;
        let holder = world.funded(100).await;
        let (keys, client) = (Keys::generate(), Keys::generate());
        let (preimage, invoice) = invoice(40_000);
        let hash = Bolt11Invoice::from_str(&invoice).unwrap().payment_hash().to_string();
        let paid = Arc::new(Mutex::new(Vec::new()));
        let service = Service {
            keys: keys.clone(),
            client: client.clone(),
            behaviour,
            mint: world.mint.url().to_owned(),
            wallet: holder.clone(),
            preimages: HashMap::from([(hash, preimage.clone())]),
            paid: Arc::clone(&paid),
        };
        let urls = [relay.url()];
        let (publisher, incoming) = Connection::connect(&urls, ConnectOptions::default()).await.unwrap();
        publisher
            .subscribe("requests", vec![Filter::new().kind(wire::REQUEST).pubkey(keys.public_key())])
            .await;
        let info = EventBuilder::new(wire::INFO, "pay_invoice make_invoice lookup_invoice get_balance")
            .tag(Tag::custom(TagKind::custom("encryption"), ["nip44_v2 nip04"]))
            .sign_with_keys(&keys)
            .unwrap();
        publisher.publish(&info).await.unwrap();
        let serving = AbortOnDropHandle::new(tokio::spawn(service.serve(publisher, incoming)));
        let address = format!(
            "nostr+walletconnect://{}?relay={}&secret={}",
            keys.public_key().to_hex(),
            urls[0],
            client.secret_key().to_secret_hex()
        );
        let address = address.parse().unwrap();
        Self { relay, world, holder, address, invoice, preimage, paid, _service: serving }
    }

    async fn connect(&self, timeout: Duration) -> NwcWallet {
        let address = self.address.clone();
        let mut wallet = NwcWallet::connect(address, Duration::from_secs(20)).await.unwrap();
        wallet.timeout = timeout;
        wallet
    }

    fn times_paid(&self) -> usize {
        self.paid.lock().unwrap().len()
    }

    async fn end(self) {
        self.relay.shutdown().await;
        self.world.mint.shutdown().await;
    }
}

/// An invoice of somebody whose node would show this preimage to its payer.
fn invoice(msats: u64) -> (String, String) {
    let preimage: [u8; 32] = rand::random();
    let key = SecretKey::from_slice(&[7; 32]).unwrap();
    let invoice = InvoiceBuilder::new(Currency::Bitcoin)
        .description("work".to_owned())
        .payment_hash(sha256::Hash::hash(&preimage))
        .payment_secret(PaymentSecret([9; 32]))
        .amount_milli_satoshis(msats)
        .current_timestamp()
        .min_final_cltv_expiry_delta(144)
        .build_signed(|hash| Secp256k1::new().sign_ecdsa_recoverable(hash, &key))
        .unwrap();
    (hex::encode(preimage), invoice.to_string())
}

const PATIENT: Duration = Duration::from_secs(20);
const MOST: Msats = Msats(40_000);

/// A foreign provider's invoice, paid before its work from this Lightning wallet.
fn prepayment(scene: &Scene) -> Prepayment {
    Prepayment {
        key: Key::new("run", 1, 0),
        peer: "provider".to_owned(),
        bolt11: scene.invoice.clone(),
        stated: Some(MOST),
        bid: Sats(40),
        reserved: prepay_cost(Sats(40)),
    }
}

/// The wallet that keeps the books of such payments; it has a mint and no sats there.
async fn books(scene: &Scene) -> (tempfile::TempDir, CashuWallet) {
    let folder = tempfile::tempdir().unwrap();
    let seed = crate::seed::Phrase::generate().seed();
    let wallet = crate::cashu::tests::wallet_in(folder.path(), &seed, scene.world.mint.url()).await;
    (folder, wallet)
}

#[tokio::test]
async fn a_payment_is_proven_by_its_preimage() {
    let scene = Scene::with(Behaviour::Honest).await;
    let wallet = scene.connect(PATIENT).await;
    assert_eq!(wallet.balance().await.unwrap(), Msats(100_000));
    let paid = wallet.pay(&scene.invoice, MOST).await.unwrap();
    // The faked Lightning takes one sat.
    let expected = NwcPaid { amount: MOST, fees: Msats(1_000), preimage: scene.preimage.clone() };
    assert_eq!(paid, expected);
    assert_eq!(wallet.balance().await.unwrap(), Msats(59_000));

    wallet.shutdown().await;
    scene.end().await;
}

#[tokio::test]
async fn sats_go_to_a_mint_and_back() {
    let scene = Scene::with(Behaviour::Honest).await;
    let wallet = scene.connect(PATIENT).await;
    let other = World::at_another_mint().await;
    let (ours, mint) = (other.wallet().await, other.mint.url());
    assert_eq!(fund(&wallet, &ours, mint, Sats(50)).await.unwrap(), Sats(50));
    assert_eq!((available(&ours).await, available(&scene.holder).await), (50, 49));
    let quote = quote_withdrawal(&wallet, &ours, mint, Sats(30)).await.unwrap();
    assert_eq!(ours.pay(&quote).await.unwrap().amount, Sats(30));
    assert_eq!(available(&ours).await, 19);
    wallet.shutdown().await;
    scene.end().await;
}

#[tokio::test]
async fn an_invoice_over_more_than_agreed_is_not_even_asked_for() {
    let scene = Scene::with(Behaviour::Honest).await;
    let wallet = scene.connect(PATIENT).await;
    let refused = wallet.pay(&scene.invoice, Msats(39_999)).await.unwrap_err();
    assert!(matches!(refused, NwcError::Invoice(_)), "{refused}");
    assert_eq!((scene.times_paid(), available(&scene.holder).await), (0, 100));
    wallet.shutdown().await;
    scene.end().await;
}

#[tokio::test]
async fn a_lost_answer_is_looked_up_and_never_paid_again() {
    let scene = Scene::with(Behaviour::PaysSilently).await;
    let wallet = scene.connect(Duration::from_secs(3)).await;
    let paid = wallet.pay(&scene.invoice, MOST).await.unwrap();
    assert_eq!(paid.preimage, scene.preimage);
    assert_eq!((scene.times_paid(), available(&scene.holder).await), (1, 59));
    wallet.shutdown().await;
    scene.end().await;
}

#[tokio::test]
async fn a_wallet_that_went_away_leaves_it_unclear_and_says_what_to_look_for() {
    let scene = Scene::with(Behaviour::PaysAndGoesAway).await;
    let wallet = scene.connect(Duration::from_secs(3)).await;
    let error = wallet.pay(&scene.invoice, MOST).await.unwrap_err();
    let hash = Bolt11Invoice::from_str(&scene.invoice).unwrap().payment_hash().to_string();
    assert!(matches!(&error, NwcError::Unclear { payment_hash } if *payment_hash == hash), "{error}");
    assert_eq!(scene.times_paid(), 1);
    wallet.shutdown().await;
    scene.end().await;
}

#[tokio::test]
async fn an_error_after_paying_is_looked_up_and_what_was_paid_is_spent() {
    for code in ["INTERNAL", "OTHER", "PAYMENT_FAILED", "NOT_FOUND", "made up"] {
        let scene = Scene::with(Behaviour::PaysAndErrs(code)).await;
        let wallet = scene.connect(PATIENT).await;
        let paid = wallet.pay(&scene.invoice, MOST).await.unwrap();
        assert_eq!((paid.preimage.as_str(), scene.times_paid()), (scene.preimage.as_str(), 1), "{code}");
        wallet.shutdown().await;
        scene.end().await;
    }
}

#[tokio::test]
async fn only_an_error_that_excludes_an_attempt_proves_that_nothing_moved() {
    for (code, is_certain) in [
        ("INSUFFICIENT_BALANCE", true),
        ("QUOTA_EXCEEDED", true),
        ("RATE_LIMITED", true),
        ("NOT_IMPLEMENTED", true),
        ("RESTRICTED", true),
        ("UNAUTHORIZED", true),
        ("PAYMENT_FAILED", false),
        ("INTERNAL", false),
    ] {
        let scene = Scene::with(Behaviour::Refuses(code)).await;
        let (lightning, (_folder, wallet)) = (scene.connect(PATIENT).await, books(&scene).await);
        let bill = wallet.bill(prepayment(&scene), Some(&lightning)).await.unwrap();
        let failed = wallet.pay_bill(&bill, Some(&lightning)).await.unwrap_err();
        assert_eq!(failed.unclear, !is_certain, "{code}: {failed}");
        let row = wallet.prepaid_of(&prepayment(&scene).key).await.unwrap().unwrap();
        assert_eq!(matches!(row.outcome(), SettlementOutcome::Void), is_certain, "{code}: {row:?}");
        lightning.shutdown().await;
        scene.end().await;
    }
}

#[tokio::test]
async fn an_answer_without_proof_is_no_payment() {
    let scene = Scene::with(Behaviour::Lies).await;
    let wallet = scene.connect(PATIENT).await;
    let error = wallet.pay(&scene.invoice, MOST).await.unwrap_err();
    assert!(matches!(error, NwcError::Unclear { .. }), "{error}");
    wallet.shutdown().await;
    scene.end().await;

    let scene = Scene::with(Behaviour::Impersonated).await;
    let wallet = scene.connect(SHORT).await;
    let error = wallet.balance().await.unwrap_err();
    assert!(matches!(error, NwcError::Silent(_)), "{error}");
    wallet.shutdown().await;
    scene.end().await;
}

#[tokio::test]
async fn a_revoked_connection_says_what_to_do() {
    let scene = Scene::with(Behaviour::Revoked).await;
    let wallet = scene.connect(PATIENT).await;
    for error in [wallet.balance().await.unwrap_err(), wallet.pay(&scene.invoice, MOST).await.unwrap_err()] {
        assert!(matches!(error, NwcError::Revoked(_)), "{error}");
        assert!(error.to_string().contains("connect it again"), "{error}");
    }
    assert_eq!((scene.times_paid(), available(&scene.holder).await), (0, 100));
    wallet.shutdown().await;
    scene.end().await;
}
