//! Foreign NIP-90 providers that want their pay before they work: relay, wallets and mint are real, the
//! provider is written here from what such providers do.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::common::{Asker, Outcome, orders, relay};
use frlm_client::payment::cashu::CashuRail;
use frlm_conductor::policy::FrlmPolicy;
use frlm_conductor::trace::TraceEvent;
use frlm_protocol::kinds::{JOB_FEEDBACK, JOB_REQUEST, JOB_RESULT};
use frlm_relay::{ConnectOptions, Connection, EmbeddedRelay, Incoming, Publisher, RelayMessage};
use frlm_wallet::cashu::{PlayMint, PlayMintOptions};
use frlm_wallet::ledger::Scheme;
use frlm_wallet::prepay::{PrepaidEnd, PrepaidState};
use frlm_wallet::seed::Phrase;
use frlm_wallet::{CashuWallet, Ledger, Money, Sats};
use nostr::nips::nip44;
use nostr::{Event, EventBuilder, EventId, Filter, Keys, RelayUrl, Tag, TagKind};
use tokio_util::task::AbortOnDropHandle;

const FUNDS: u64 = 200;
const PRICE: u64 = 20;
const BID: Sats = Sats(21);

/// How the provider behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Behaviour {
    /// Works once it has its pay.
    Honest,
    /// Takes its pay and is not heard of again.
    TakesAndGoes,
    /// Writes an invoice over more than was offered.
    Greedy,
    /// Names its price and no invoice, and works for a token that comes with the job.
    TakesTokens,
    /// Takes such a token and is not heard of again.
    TakesTokensAndGoes,
}

/// A provider of another kind: a job comes, an invoice goes, and after the pay an answer.
struct Foreigner {
    keys: Keys,
    behaviour: Behaviour,
    /// Its own wallet, that writes its invoices.
    earner: CashuWallet,
    mint: String,
    /// Its Lightning node's view: whether an invoice of the payer's books was paid.
    payer: CashuWallet,
    jobs: Arc<AtomicUsize>,
}

impl Foreigner {
    async fn serve(self, publisher: Publisher, mut incoming: Incoming) {
        while let Some(message) = incoming.recv().await {
            let RelayMessage::Event(event) = message else { continue };
            if event.kind != JOB_REQUEST {
                continue;
            }
            self.jobs.fetch_add(1, Ordering::SeqCst);
            let text = nip44::decrypt(self.keys.secret_key(), &event.pubkey, &event.content).unwrap();
            let tags: Vec<Vec<String>> = serde_json::from_str(&text).unwrap();
            let input = tags.iter().find(|tag| tag[0] == "i").expect("the whole prompt is its input");
            assert!(input[1].contains("order="), "{input:?}");
            if matches!(self.behaviour, Behaviour::TakesTokens | Behaviour::TakesTokensAndGoes) {
                match tags.iter().find(|tag| tag[0] == "cashu") {
                    None => {
                        let wants = self.wants(&event, vec![(PRICE * 1_000).to_string()]);
                        publisher.publish(&wants).await.unwrap();
                    }
                    Some(token) => {
                        self.earner.receive_token(&token[1]).await.unwrap();
                        if self.behaviour == Behaviour::TakesTokens {
                            publisher.publish(&self.answer(&event)).await.unwrap();
                        }
                    }
                }
                continue;
            }
            let price = if self.behaviour == Behaviour::Greedy { PRICE * 2 } else { PRICE };
            let invoice = self.earner.invoice(&self.mint, Sats(price)).await.unwrap();
            let amount = (price * 1_000).to_string();
            let wants = self.wants(&event, vec![amount, invoice.bolt11.clone()]);
            publisher.publish(&wants).await.unwrap();
            if self.behaviour == Behaviour::Honest {
                self.paid(&event).await;
                publisher.publish(&self.answer(&event)).await.unwrap();
            }
        }
    }

    /// What it says to a job that came without its pay.
    fn wants(&self, job: &Event, amount: Vec<String>) -> Event {
        let tags = [
            Tag::custom(TagKind::custom("status"), ["payment-required", "pay first"]),
            Tag::custom(TagKind::custom("amount"), amount),
            Tag::event(job.id),
            Tag::public_key(job.pubkey),
        ];
        EventBuilder::new(JOB_FEEDBACK, "").tags(tags).sign_with_keys(&self.keys).unwrap()
    }

    /// Waits until its pay is there.
    async fn paid(&self, job: &Event) {
        let _: EventId = job.id;
        let before = self.jobs.load(Ordering::SeqCst);
        loop {
            let paid = self.payer.prepaid(None).await.unwrap();
            if paid.iter().filter(|each| each.state == PrepaidState::Paid).count() >= before {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn answer(&self, job: &Event) -> Event {
        let words = r#"{"matches":[]}"#;
        let sealed = nip44::encrypt(self.keys.secret_key(), &job.pubkey, words, nip44::Version::V2).unwrap();
        let tags = [
            Tag::event(job.id),
            Tag::public_key(job.pubkey),
            Tag::custom(TagKind::custom("encrypted"), Vec::<String>::new()),
        ];
        EventBuilder::new(JOB_RESULT, sealed).tags(tags).sign_with_keys(&self.keys).unwrap()
    }
}

/// A relay, a mint, somebody with sats there and one foreign provider.
struct Scene {
    _relay: EmbeddedRelay,
    url: RelayUrl,
    mint: PlayMint,
    _their_mint: PlayMint,
    payer: CashuWallet,
    /// What the provider earns into.
    earner: CashuWallet,
    provider: String,
    jobs: Arc<AtomicUsize>,
    home: tempfile::TempDir,
    _foreigner: AbortOnDropHandle<()>,
}

impl Scene {
    async fn with(behaviour: Behaviour) -> Self {
        let relay = relay().await;
        let url = frlm_relay::parse_relay_url(&relay.url().to_string()).unwrap();
        // Two mints: between them an invoice is paid over the faked Lightning.
        let mint = PlayMint::start(PlayMintOptions::default()).await.unwrap();
        let their_mint = PlayMint::start(PlayMintOptions::default()).await.unwrap();
        let home = tempfile::tempdir().unwrap();
        let wallet = async |name: &str, mint: &PlayMint| {
            let folder = home.path().join(name);
            // On loopback the mint's sats are taken for real ones, so that limits and labels count them.
            let (wallet, _) =
                CashuWallet::open(&folder, Phrase::generate().seed(), Money::Real).await.unwrap();
            wallet.allow_mint(mint.url(), None).await.unwrap();
            wallet
        };
        let (payer, earner) = (wallet("asker", &mint).await, wallet("foreigner", &their_mint).await);
        let invoice = payer.invoice(mint.url(), Sats(FUNDS)).await.unwrap();
        payer.receive_invoice(&invoice, Duration::from_secs(20)).await.unwrap();
        // It takes tokens of the payer's mint, too.
        earner.allow_mint(mint.url(), None).await.unwrap();
        let keys = Keys::generate();
        let (publisher, incoming) =
            Connection::connect(std::slice::from_ref(&url), ConnectOptions::default()).await.unwrap();
        publisher.subscribe("jobs", vec![Filter::new().kind(JOB_REQUEST).pubkey(keys.public_key())]).await;
        let jobs = Arc::new(AtomicUsize::new(0));
        let provider = keys.public_key().to_hex();
        let foreigner = Foreigner {
            keys,
            behaviour,
            earner: earner.clone(),
            mint: their_mint.url().to_owned(),
            payer: payer.clone(),
            jobs: Arc::clone(&jobs),
        };
        let serving = AbortOnDropHandle::new(tokio::spawn(foreigner.serve(publisher, incoming)));
        Self {
            _relay: relay,
            url,
            mint,
            _their_mint: their_mint,
            payer,
            earner,
            provider,
            jobs,
            home,
            _foreigner: serving,
        }
    }

    async fn ask(&self, keys: Keys, agreed_before: Sats) -> Outcome {
        self.ask_through(CashuRail::new(self.payer.clone()), keys, agreed_before).await
    }

    async fn ask_through(&self, rail: CashuRail, keys: Keys, agreed_before: Sats) -> Outcome {
        let mut policy = FrlmPolicy::standard();
        policy.budget = Sats(FUNDS);
        policy.verification = frlm_verifier::VerificationPolicy::None;
        policy.timeout.per_query = Duration::from_secs(5);
        policy.timeout.total = Duration::from_mins(1);
        let asker = Asker {
            keys,
            policy,
            rail: Some(Arc::new(rail)),
            discovery: Duration::from_secs(1),
            foreign: vec![(self.provider.clone(), BID)],
            agreed_before,
            ..Asker::default()
        };
        // Two fragments, so that there is a second job to be paid for.
        asker.ask(&self.url, orders(20, 10), self.home.path()).await
    }

    async fn ledger(&self) -> Ledger {
        Ledger::open(self.home.path().join("ledger.db")).await.unwrap()
    }

    async fn left(&self) -> u64 {
        self.payer.available().await.unwrap().0
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_provider_is_prepaid_and_the_run_calls_it_unescrowed() {
    let scene = Scene::with(Behaviour::Honest).await;
    let keys = Keys::generate();
    let run = keys.public_key().to_hex();
    let outcome = scene.ask(keys, BID).await;
    let told =
        outcome.count(|event| matches!(event, TraceEvent::PaidUnescrowed { sats: PRICE, fees_sats: 1, .. }));
    let answer = outcome.result.expect("it answers what it was paid for");
    assert_eq!(told, 2, "one for each of the two jobs");

    // The faked Lightning takes one sat for each.
    let spent = 2 * (PRICE + 1);
    assert_eq!((scene.left().await, answer.budget.spent_sats), (FUNDS - spent, spent));
    assert_eq!((answer.budget.fees_sats, answer.budget.reserved_sats), (2, 0));
    let paid = scene.payer.prepaid(Some(&run)).await.unwrap();
    assert!(
        paid.iter().all(|each| each.end == PrepaidEnd::Earned && each.peer == scene.provider),
        "{paid:?}"
    );
    let ledger = scene.ledger().await;
    let booked = ledger.booked(run.as_str()).await.unwrap();
    assert!(booked.values().all(|booked| booked.scheme == Scheme::Before), "{booked:?}");
    assert!(ledger.audit().await.unwrap().is_clean());
    scene.mint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_consent_nobody_is_prepaid_and_the_reason_says_how_to_agree() {
    let scene = Scene::with(Behaviour::Honest).await;
    let error = scene.ask(Keys::generate(), Sats(PRICE - 1)).await.result.unwrap_err().to_string();
    assert!(error.contains("unescrowed") && error.contains("--yes"), "{error}");
    assert_eq!(scene.left().await, FUNDS);
    assert!(scene.payer.prepaid(None).await.unwrap().is_empty());
    scene.mint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invoice_above_the_bid_is_not_paid_and_its_writer_left_out() {
    let scene = Scene::with(Behaviour::Greedy).await;
    let error = scene.ask(Keys::generate(), Sats(1_000)).await.result.unwrap_err().to_string();
    assert!(error.contains("the bid was 21 sats"), "{error}");
    assert_eq!((scene.left().await, scene.jobs.load(Ordering::SeqCst)), (FUNDS, 1));
    scene.mint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_keeps_the_money_gets_one_jobs_price_and_never_again() {
    let scene = Scene::with(Behaviour::TakesAndGoes).await;
    scene.ask(Keys::generate(), BID).await.result.unwrap_err();
    let once = FUNDS - PRICE - 1;
    assert_eq!(scene.left().await, once, "two jobs were to be done; one was paid for");
    let paid = scene.payer.prepaid(None).await.unwrap();
    assert_eq!((paid.len(), paid[0].end), (1, PrepaidEnd::Silent));

    let error = scene.ask(Keys::generate(), BID).await.result.unwrap_err().to_string();
    assert!(error.contains("sent nothing"), "{error}");
    assert_eq!(scene.left().await, once);
    assert!(scene.ledger().await.audit().await.unwrap().is_clean());
    scene.mint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_names_no_invoice_is_paid_by_a_token_that_comes_with_its_job() {
    let scene = Scene::with(Behaviour::TakesTokens).await;
    let keys = Keys::generate();
    let run = keys.public_key().to_hex();
    let rail = CashuRail::new(scene.payer.clone()).with_tokens(true);
    let outcome = scene.ask_through(rail, keys, BID).await;
    let told = outcome.count(|event| matches!(event, TraceEvent::PaidUnescrowed { sats: PRICE, .. }));
    let answer = outcome.result.expect("it answers what it was paid for");
    assert_eq!(told, 2, "one for each of the two jobs");
    assert_eq!(scene.jobs.load(Ordering::SeqCst), 4, "each came without its pay and once more with it");

    let spent = 2 * PRICE + answer.budget.fees_sats;
    assert_eq!((scene.left().await, answer.budget.spent_sats), (FUNDS - spent, spent));
    assert_eq!(scene.earner.available().await.unwrap(), Sats(2 * PRICE), "what was paid has arrived");
    let paid = scene.payer.prepaid(Some(&run)).await.unwrap();
    assert!(
        paid.len() == 2
            && paid.iter().all(|each| each.end == PrepaidEnd::Earned && each.peer == scene.provider),
        "{paid:?}"
    );
    let ledger = scene.ledger().await;
    let booked = ledger.booked(run.as_str()).await.unwrap();
    assert!(booked.values().all(|booked| booked.scheme == Scheme::Before), "{booked:?}");
    assert!(ledger.audit().await.unwrap().is_clean());
    scene.mint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_given_only_where_settings_allow_it_and_the_reason_says_so() {
    let scene = Scene::with(Behaviour::TakesTokens).await;
    let error = scene.ask(Keys::generate(), BID).await.result.unwrap_err().to_string();
    assert!(error.contains("token = true") && error.contains("[pay_before]"), "{error}");
    let rail = CashuRail::new(scene.payer.clone()).with_tokens(true);
    let outcome = scene.ask_through(rail, Keys::generate(), Sats(PRICE - 1)).await;
    let error = outcome.result.unwrap_err().to_string();
    assert!(error.contains("unescrowed") && error.contains("--yes"), "{error}");
    assert_eq!(scene.left().await, FUNDS);
    assert!(scene.payer.prepaid(None).await.unwrap().is_empty());
    scene.mint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_keeps_a_token_gets_one_jobs_price_and_no_other() {
    let scene = Scene::with(Behaviour::TakesTokensAndGoes).await;
    let tokens = || CashuRail::new(scene.payer.clone()).with_tokens(true);
    scene.ask_through(tokens(), Keys::generate(), BID).await.result.unwrap_err();
    let paid = scene.payer.prepaid(None).await.unwrap();
    assert_eq!((paid.len(), paid[0].end), (1, PrepaidEnd::Silent));
    let once = FUNDS - PRICE - paid[0].fees.0;
    assert_eq!(scene.left().await, once, "two jobs were to be done; one was paid for");
    let error = scene.ask_through(tokens(), Keys::generate(), BID).await.result.unwrap_err().to_string();
    assert!(error.contains("sent nothing"), "{error}");
    assert_eq!(scene.left().await, once);
    assert!(scene.ledger().await.audit().await.unwrap().is_clean());
    scene.mint.shutdown().await;
}
