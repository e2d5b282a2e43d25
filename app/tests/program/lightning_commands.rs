//! `frlm wallet fund` and `withdraw` against a NIP-47 wallet service on loopback that keeps its sats at a
//! mint of play money. The service is written from the specification, not with our client's code.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::Output;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::{frlm, stderr, stdout};
use frlm_relay::Publisher;
use frlm_relay::{ConnectOptions, Connection, EmbeddedRelay, EmbeddedRelayConfig, Incoming, RelayMessage};
use frlm_wallet::cashu::{PlayMint, PlayMintOptions};
use frlm_wallet::seed::Phrase;
use frlm_wallet::{CashuWallet, Money, Msats, Sats};
use nostr::nips::nip44;
use nostr::{Event, EventBuilder, Filter, Keys, Kind, Tag, TagKind};
use serde_json::{Value, json};
use tokio_util::task::AbortOnDropHandle;

/// NIP-47: a wallet's description of itself, a request, a response.
const INFO: Kind = Kind::Custom(13194);
const REQUEST: Kind = Kind::Custom(23194);
const RESPONSE: Kind = Kind::Custom(23195);

/// How the service behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Behaviour {
    Honest,
    /// Does what it is asked, and its answers to payments and for invoices are lost.
    Silent,
    /// Answers with something else than it was asked: another invoice, a payment without proof.
    Wrong,
    /// Does not know this connection any more.
    Revoked,
}

/// A wallet service that keeps its sats at a mint.
struct Service {
    keys: Keys,
    client: Keys,
    behaviour: Behaviour,
    mint: String,
    wallet: CashuWallet,
    /// Every method that was asked for, in order.
    asked: Arc<Mutex<Vec<String>>>,
    paid: Mutex<Vec<String>>,
}

impl Service {
    async fn serve(self, publisher: Publisher, mut incoming: Incoming) {
        while let Some(message) = incoming.recv().await {
            let RelayMessage::Event(event) = message else { continue };
            if event.kind == REQUEST
                && event.pubkey == self.client.public_key()
                && let Some(answer) = self.answer(&event).await
            {
                publisher.publish(&answer).await.unwrap();
            }
        }
    }

    async fn answer(&self, request: &Event) -> Option<Event> {
        let secret = self.keys.secret_key();
        let text = nip44::decrypt(secret, &request.pubkey, &request.content).unwrap();
        let asked: Value = serde_json::from_str(&text).unwrap();
        let method = asked["method"].as_str().unwrap().to_owned();
        self.asked.lock().unwrap().push(method.clone());
        let outcome = match self.behaviour {
            Behaviour::Revoked => Err("UNAUTHORIZED"),
            _ => self.carry_out(&method, &asked["params"]).await,
        };
        if self.behaviour == Behaviour::Silent && method != "lookup_invoice" {
            return None;
        }
        let body = match outcome {
            Ok(result) => json!({ "result_type": method, "result": result }),
            Err(code) => json!({ "result_type": method, "error": { "code": code, "message": "no" } }),
        };
        let content = nip44::encrypt(secret, &request.pubkey, body.to_string(), nip44::Version::V2).unwrap();
        let tags = [Tag::public_key(request.pubkey), Tag::event(request.id)];
        Some(EventBuilder::new(RESPONSE, content).tags(tags).sign_with_keys(&self.keys).unwrap())
    }

    async fn carry_out(&self, method: &str, params: &Value) -> Result<Value, &'static str> {
        match method {
            "make_invoice" => {
                let wanted = Msats(params["amount"].as_u64().unwrap()).ceil_to_sats();
                let more = u64::from(self.behaviour == Behaviour::Wrong);
                let invoice = self.wallet.invoice(&self.mint, Sats(wanted.0 + more)).await.unwrap();
                Ok(json!({ "invoice": invoice.bolt11 }))
            }
            "pay_invoice" if self.behaviour == Behaviour::Wrong => Ok(json!({ "preimage": "00".repeat(32) })),
            "pay_invoice" => {
                let bolt11 = params["invoice"].as_str().unwrap();
                let quote = self.wallet.payment_quote(&self.mint, bolt11, Msats(u64::MAX)).await.unwrap();
                let paid = self.wallet.pay(&quote).await.map_err(|_| "INSUFFICIENT_BALANCE")?;
                self.paid.lock().unwrap().push(bolt11.to_owned());
                // A mint with faked Lightning shows nobody a preimage: the client must ask the mint.
                Ok(json!({ "preimage": paid.preimage.unwrap_or_default(), "fees_paid": paid.fee.0 * 1_000 }))
            }
            "lookup_invoice" => Err("NOT_FOUND"),
            _ => Err("NOT_IMPLEMENTED"),
        }
    }
}

/// A relay, two mints where user and service have their sats, and the user's home.
struct Scene {
    relay: EmbeddedRelay,
    /// The user's mint, and the service's: between them an invoice is paid over the faked Lightning.
    mint: PlayMint,
    their_mint: PlayMint,
    holder: CashuWallet,
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
    folder: tempfile::TempDir,
    _service: AbortOnDropHandle<()>,
}

impl Scene {
    async fn with(behaviour: Behaviour) -> Self {
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let relay = EmbeddedRelay::start(EmbeddedRelayConfig::at(listen)).await.unwrap();
        let mint = PlayMint::start(PlayMintOptions::default()).await.unwrap();
        let their_mint = PlayMint::start(PlayMintOptions::default()).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let (holder, _) =
            CashuWallet::open(&folder.path().join("holder"), Phrase::generate().seed(), Money::Play)
                .await
                .unwrap();
        holder.allow_mint(their_mint.url(), None).await.unwrap();
        let invoice = holder.invoice(their_mint.url(), Sats(200)).await.unwrap();
        holder.receive_invoice(&invoice, Duration::from_secs(20)).await.unwrap();
        let (keys, client) = (Keys::generate(), Keys::generate());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (publisher, incoming) =
            Connection::connect(&[relay.url()], ConnectOptions::default()).await.unwrap();
        publisher.subscribe("requests", vec![Filter::new().kind(REQUEST).pubkey(keys.public_key())]).await;
        let info = EventBuilder::new(INFO, "pay_invoice make_invoice lookup_invoice")
            .tag(Tag::custom(TagKind::custom("encryption"), ["nip44_v2"]))
            .sign_with_keys(&keys)
            .unwrap();
        publisher.publish(&info).await.unwrap();
        let address = format!(
            "nostr+walletconnect://{}?relay={}&secret={}",
            keys.public_key().to_hex(),
            relay.url(),
            client.secret_key().to_secret_hex()
        );
        let service = Service {
            keys,
            client,
            behaviour,
            mint: their_mint.url().to_owned(),
            wallet: holder.clone(),
            asked: Arc::clone(&asked),
            paid: Mutex::default(),
        };
        let serving = AbortOnDropHandle::new(tokio::spawn(service.serve(publisher, incoming)));
        let scene = Self { relay, mint, their_mint, holder, address, asked, folder, _service: serving };
        scene.done(&["wallet", "create", "--yes"]).await;
        scene.done(&["wallet", "mints", "add", scene.mint.url()]).await;
        scene.done(&["wallet", "receive", "100"]).await;
        scene
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    async fn command(&self, args: &[&str]) -> Output {
        let (home, address) = (self.home(), self.address.clone());
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        let ran =
            tokio::task::spawn_blocking(move || frlm(&home).args(args).env("FRLM_NWC", address).output());
        ran.await.unwrap().unwrap()
    }

    async fn done(&self, args: &[&str]) -> String {
        let output = self.command(args).await;
        assert!(output.status.success(), "{args:?}: {}", stderr(&output));
        stdout(&output)
    }

    /// What the user has at the mint, and the service.
    async fn sats(&self) -> (u64, u64) {
        let balance: Value =
            serde_json::from_str(&self.done(&["wallet", "balance", "--json"]).await).unwrap();
        (balance["mints"][0]["available_sats"].as_u64().unwrap(), self.holder.available().await.unwrap().0)
    }

    fn times(&self, method: &str) -> usize {
        self.asked.lock().unwrap().iter().filter(|asked| *asked == method).count()
    }

    async fn end(self) {
        self.relay.shutdown().await;
        self.mint.shutdown().await;
        self.their_mint.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sats_come_from_a_lightning_wallet_and_go_back_to_it() {
    let scene = Scene::with(Behaviour::Honest).await;
    let said = scene.done(&["wallet", "fund", "50", "--yes", "--wait", "5"]).await;
    assert!(said.contains("50 sats received"), "{said}");
    // The faked Lightning takes one sat from each payer.
    assert_eq!(scene.sats().await, (150, 149));
    let said = scene.done(&["wallet", "withdraw", "30", "--yes", "--wait", "5"]).await;
    assert!(said.contains("sent 30 sats and 1 sat in fees"), "{said}");
    assert_eq!(scene.sats().await.0, 119);
    assert_eq!((scene.times("pay_invoice"), scene.times("make_invoice")), (1, 1));
    // Without a yes nothing is even asked for.
    let output = scene.command(&["wallet", "withdraw", "30"]).await;
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("--yes"), "{}", stderr(&output));
    assert_eq!(scene.sats().await.0, 119);
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_response_is_looked_up_and_the_payment_never_asked_for_twice() {
    let scene = Scene::with(Behaviour::Silent).await;
    let said = scene.done(&["wallet", "fund", "50", "--yes", "--wait", "2"]).await;
    assert!(said.contains("50 sats received"), "the mint's word decides: {said}");
    assert_eq!(scene.sats().await, (150, 149));
    assert_eq!((scene.times("pay_invoice"), scene.times("lookup_invoice")), (1, 1));

    let output = scene.command(&["wallet", "withdraw", "30", "--yes", "--wait", "2"]).await;
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("did not answer within 2 s"), "{}", stderr(&output));
    assert_eq!(scene.sats().await.0, 150, "without an invoice nothing leaves");
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_response_moves_nothing_out_and_is_no_proof_of_payment() {
    let scene = Scene::with(Behaviour::Wrong).await;
    let output = scene.command(&["wallet", "withdraw", "30", "--yes", "--wait", "2"]).await;
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("at most 30,000 msats were agreed"), "{}", stderr(&output));
    assert_eq!(scene.sats().await, (100, 200));
    // It says that it has paid and cannot prove it: it is not asked again, and the service still has all.
    scene.command(&["wallet", "fund", "50", "--yes", "--wait", "2"]).await;
    assert_eq!((scene.times("pay_invoice"), scene.times("lookup_invoice")), (1, 1));
    assert_eq!(scene.holder.available().await.unwrap(), Sats(200));
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_connection_says_what_to_do_and_nothing_moves() {
    let scene = Scene::with(Behaviour::Revoked).await;
    for command in ["withdraw", "fund"] {
        let output = scene.command(&["wallet", command, "30", "--yes", "--wait", "2"]).await;
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        assert!(stderr(&output).contains("connect it again"), "{}", stderr(&output));
        assert!(!stderr(&output).contains(&scene.address), "a connection is a secret");
        // What the mint of play money says of its own invoices is no measure: it calls all of them paid.
        assert_eq!(scene.holder.available().await.unwrap(), Sats(200));
        if command == "withdraw" {
            assert_eq!(scene.sats().await, (100, 200));
        }
    }
    let home = scene.home();
    let bare = tokio::task::spawn_blocking(move || {
        frlm(&home).args(["wallet", "fund", "1", "--yes"]).env_remove("FRLM_NWC").output().unwrap()
    });
    let bare = bare.await.unwrap();
    assert_eq!(bare.status.code(), Some(2));
    assert!(stderr(&bare).contains("FRLM_NWC"), "{}", stderr(&bare));
    scene.end().await;
}
