//! Questions as NIP-90 jobs, over a real relay.

use std::path::Path;

use frlm_protocol::kinds::{ANNOUNCEMENT, JOB_FEEDBACK, JOB_RESULT};
use frlm_protocol::{
    Audience, Feedback, FeedbackStatus, Input, InputSource, JobRequest, JobResult, Mode, ReceivedFeedback,
    RefusalReason, SealedBlob,
};
use frlm_relay::{ConnectOptions, Connection, Incoming, Publisher, RelayMessage};
use frlm_wallet::cashu::{Invoice, PlayMint, PlayMintOptions};
use frlm_wallet::seed::{Phrase, vault};
use frlm_wallet::{CashuWallet, Money, Sats};
use nostr::{Event, EventId, Filter, PublicKey, Timestamp};

use super::*;
use crate::credit::{Bill, Credits};
use crate::nostr_service::NostrService;

/// More than a question can cost here.
const PAID_LATE: Sats = Sats(5_000);

/// Somebody with questions, at the relay of a service.
struct Asker {
    keys: Keys,
    service: PublicKey,
    publisher: Publisher,
    incoming: Incoming,
    serving: AbortOnDropHandle<()>,
}

impl Asker {
    /// The service takes jobs from now on.
    async fn of(endpoint: &Endpoint, relay: &EmbeddedRelay) -> Self {
        Self::with(Keys::generate(), endpoint, relay).await
    }

    async fn with(keys: Keys, endpoint: &Endpoint, relay: &EmbeddedRelay) -> Self {
        let identity = endpoint.home().service_identity().unwrap();
        let service = identity.keys.public_key();
        let relays = [relay.url()];
        let (service_keys, open_jobs) = (identity.keys.clone(), endpoint.takes_open_jobs());
        let (nostr_service, jobs) = NostrService::open(
            endpoint.service.clone(),
            service_keys,
            &relays,
            open_jobs,
            endpoint.stop.clone(),
        )
        .await
        .unwrap();
        let serving = AbortOnDropHandle::new(tokio::spawn(nostr_service.run(jobs)));
        let connected = Connection::connect(&relays, ConnectOptions::default()).await;
        let (publisher, incoming) = connected.unwrap();
        let mine = Filter::new().kinds([JOB_RESULT, JOB_FEEDBACK]).pubkey(keys.public_key());
        publisher.subscribe("mine", vec![mine]).await;
        Self { keys, service, publisher, incoming, serving }
    }

    async fn ask(&self, request: &JobRequest) -> EventId {
        let to = Audience::Directed(self.service);
        let event = request.to_event(to, &self.keys, Timestamp::now()).unwrap();
        self.publisher.publish(&event).await.unwrap();
        event.id
    }

    async fn reply(&mut self) -> Box<Event> {
        let event = async {
            loop {
                if let RelayMessage::Event(event) = self.incoming.recv().await.unwrap() {
                    return event;
                }
            }
        };
        tokio::time::timeout(Duration::from_mins(2), event).await.unwrap()
    }

    async fn feedback(&mut self) -> ReceivedFeedback {
        Feedback::from_event(&*self.reply().await, &self.keys).unwrap()
    }

    async fn result(&mut self) -> JobResult {
        JobResult::from_event(&*self.reply().await, &self.keys).unwrap().result
    }

    /// Why a job is not done; the words quote nothing of it.
    async fn refusal(&mut self) -> Option<RefusalReason> {
        let feedback = self.feedback().await.feedback;
        assert_eq!(feedback.status, FeedbackStatus::Error);
        assert!(!feedback.detail.unwrap().contains("failed"), "relays show it to everybody");
        feedback.reason
    }
}

fn job(question: &str) -> JobRequest {
    let expires_at = Some(Timestamp::now() + 120_u64);
    JobRequest { expires_at, ..JobRequest::over(question, [orders()], Mode::Together) }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_comes_as_a_job_is_answered_by_the_swarm() {
    let (relay, providers) = swarm().await;
    let endpoint = Endpoint::start(&format!("relays = [\"{}\"]\n", relay.url())).await;
    let mut asker = Asker::of(&endpoint, &relay).await;
    asker.ask(&job(BY_THE_SWARM)).await;
    assert_eq!(asker.feedback().await.feedback.status, FeedbackStatus::Processing);
    let result = asker.result().await;
    assert!(result.answers[0].text.starts_with("8 "), "{result:?}");
    assert!(result.completion_tokens >= 40, "what the providers read and wrote: {result:?}");
    // As every job, it can be had as the object that frlm ask prints.
    asker.ask(&JobRequest { output: Some("application/json".to_owned()), ..job(BY_THE_SWARM) }).await;
    assert_eq!(asker.feedback().await.feedback.status, FeedbackStatus::Processing);
    let object: Value = serde_json::from_str(&asker.result().await.answers[0].text).unwrap();
    assert_eq!(object["coverage"], 1.0);
    endpoint.stop.cancel();
    asker.serving.await.unwrap();
    ProviderHandle::stop_all(&providers).await;
    relay.shutdown().await;
}

/// A question over more than an event holds.
fn large(question: &str) -> JobRequest {
    let filler = "a line about nothing\n".repeat(10_000);
    let expires_at = Some(Timestamp::now() + 120_u64);
    JobRequest { expires_at, ..JobRequest::over(question, [orders() + &filler], Mode::Together) }
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_that_fit_into_no_event_come_as_a_blob() {
    let relay = EmbeddedRelay::start(EmbeddedRelayConfig::at(([127, 0, 0, 1], 0).into())).await.unwrap();
    let endpoint = Endpoint::start("relays = ['ws://127.0.0.1:1']\n").await;
    let mut asker = Asker::of(&endpoint, &relay).await;
    let request = large(BY_CODE);
    assert!(!request.fits_into_event());
    let blob = SealedBlob::seal(&request.apart()).unwrap();
    let looking = async {
        while !asker.publisher.takes_blobs(blob.bytes().len()) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), looking).await.unwrap();
    let pointer = asker.publisher.upload(&blob, Timestamp::now() + 60_u64, &asker.keys).await.unwrap();
    let beside =
        |pointer| request.to_event_beside(pointer, asker.service, &asker.keys, Timestamp::now()).unwrap();
    let (event, lost) = (beside(&pointer), beside(&SealedBlob::seal("[]").unwrap().at(Vec::new())));
    asker.publisher.publish(&event).await.unwrap();
    assert_eq!(asker.feedback().await.feedback.status, FeedbackStatus::Processing);
    assert!(asker.result().await.answers[0].text.starts_with("8 "));
    asker.publisher.publish(&lost).await.unwrap();
    assert_eq!(asker.refusal().await, Some(RefusalReason::Unsupported));
    relay.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_asked_in_a_job_is_refused_in_words_that_quote_nothing() {
    let relay = EmbeddedRelay::start(EmbeddedRelayConfig::at(([127, 0, 0, 1], 0).into())).await.unwrap();
    let endpoint = Endpoint::start("relays = ['ws://127.0.0.1:1']\n").await;
    let mut asker = Asker::of(&endpoint, &relay).await;
    let bare = JobRequest { inputs: Vec::new(), ..job(BY_CODE) };
    let mut fetched = job(BY_CODE);
    fetched.inputs[0].source = InputSource::Url;
    for request in [bare, fetched] {
        asker.ask(&request).await;
        assert_eq!(asker.refusal().await, Some(RefusalReason::Unsupported));
    }
    // Foreign clients name no instruction: the last text is the question.
    let mut foreign = job("");
    foreign.inputs.push(Input { data: BY_CODE.to_owned(), source: InputSource::Text });
    asker.ask(&foreign).await;
    assert_eq!(asker.feedback().await.feedback.status, FeedbackStatus::Processing);
    assert!(asker.result().await.answers[0].text.starts_with("8 "));
    relay.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_keys_cannot_use_up_the_limit_of_an_asker_that_has_paid() {
    let relay = EmbeddedRelay::start(EmbeddedRelayConfig::at(([127, 0, 0, 1], 0).into())).await.unwrap();
    let endpoint = Endpoint::start("relays = ['ws://127.0.0.1:1']\n[serve]\nper_minute = 1\n").await;
    let keys = Keys::generate();
    let (mint, quote) = ("https://mint".to_owned(), "paid".to_owned());
    let invoice = Invoice { mint, quote, bolt11: String::new(), amount: Sats(1), expires_at: 0 };
    let bill = Bill::of(keys.public_key(), &invoice);
    let credits = Credits::open(endpoint.home().service_credit()).unwrap();
    credits.billed(bill.clone()).await.unwrap();
    credits.paid(&bill).await.unwrap();
    let mut payer = Asker::with(keys, &endpoint, &relay).await;
    for stranger in [Keys::generate(), Keys::generate()] {
        let to = Audience::Directed(payer.service);
        let event = job(BY_CODE).to_event(to, &stranger, Timestamp::now()).unwrap();
        payer.publisher.publish(&event).await.unwrap();
    }
    payer.ask(&job(BY_CODE)).await;
    assert_eq!(payer.feedback().await.feedback.status, FeedbackStatus::Processing);
    assert!(payer.result().await.answers[0].text.starts_with("8 "));
    assert_eq!(endpoint.health().await["refused"], 1, "the second stranger");
    relay.shutdown().await;
}

async fn wallet(folder: &Path, phrase: &Phrase, mint: &PlayMint) -> CashuWallet {
    let (wallet, _) = CashuWallet::open(folder, phrase.seed(), Money::Real).await.unwrap();
    wallet.allow_mint(mint.url(), None).await.unwrap();
    wallet
}

/// A service whose wallet has sats, and a provider that wants some.
struct Scene {
    relay: EmbeddedRelay,
    mint: PlayMint,
    provider: ProviderHandle,
    endpoint: Endpoint,
    _earner: TempDir,
}

impl Scene {
    /// `late`: an asker has paid an invoice of the service's when it waited no more.
    async fn open(late: Option<PublicKey>) -> Self {
        let relay = EmbeddedRelay::start(EmbeddedRelayConfig::at(([127, 0, 0, 1], 0).into())).await.unwrap();
        let mint = PlayMint::start(PlayMintOptions::default()).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let earner = wallet(&folder.path().join("earner"), &Phrase::generate(), &mint).await;
        let config = ProviderConfig { price_msats_per_1k: 1_000, ..ProviderConfig::default() };
        let model = Arc::new(ScriptedModel::new("scripted", copy).with_dialect(Dialect::Records));
        let relays = [relay.url()];
        let provider = Provider::start_paid(config, Keys::generate(), &relays, model, earner).await.unwrap();
        let own = tempfile::tempdir().unwrap();
        let (home, phrase) = (Home::open(Some(own.path().to_owned())).unwrap(), Phrase::generate());
        vault::create(&home.wallet(), &phrase, None).unwrap();
        let payer = wallet(&home.wallet(), &phrase, &mint).await;
        // The mint's Lightning is play: it pays by itself.
        let receive = async |amount: Sats| {
            let invoice = payer.invoice(mint.url(), amount).await.unwrap();
            payer.receive_invoice(&invoice, Duration::from_secs(30)).await.unwrap();
            invoice
        };
        receive(Sats(500)).await;
        if let Some(late) = late {
            let bill = Bill::of(late, &receive(PAID_LATE).await);
            Credits::open(home.service_credit()).unwrap().billed(bill).await.unwrap();
        }
        drop(payer);
        let settings = format!("relays = [\"{}\"]\n[ask]\nverify = \"none\"\n", relay.url());
        let endpoint = Endpoint::at(own, &settings).await;
        Self { relay, mint, provider, endpoint, _earner: folder }
    }

    async fn close(self, asker: Asker) {
        self.endpoint.stop.cancel();
        asker.serving.await.unwrap();
        self.endpoint.service.shut_down().await;
        ProviderHandle::stop_all(&[self.provider]).await;
        self.mint.shutdown().await;
        self.relay.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paid_answer_is_quoted_and_costs_no_more_than_was_paid() {
    let scene = Scene::open(None).await;
    let endpoint = &scene.endpoint;
    let mut asker = Asker::of(endpoint, &scene.relay).await;

    asker.ask(&JobRequest { bid_msats: Some(1), ..job(BY_THE_SWARM) }).await;
    assert_eq!(asker.refusal().await, Some(RefusalReason::BidTooLow));
    asker.ask(&job(BY_THE_SWARM)).await;
    let bill = asker.feedback().await;
    assert_eq!(bill.feedback.status, FeedbackStatus::PaymentRequired);
    assert!(bill.invoice.is_some_and(|invoice| invoice.starts_with("ln")));
    let paid = Sats(bill.feedback.amount_msats.unwrap() / 1_000);
    // The mint's Lightning is play: it pays by itself.
    assert_eq!(asker.feedback().await.feedback.status, FeedbackStatus::Processing);
    assert!(asker.result().await.answers[0].text.starts_with("8 "));
    let runs = endpoint.home().open_ledger().await.unwrap().runs().await.unwrap();
    let budgets: Vec<_> = runs.iter().map(|run| run.budget).collect();
    assert_eq!(budgets.iter().map(|budget| budget.limit).collect::<Vec<_>>(), [paid]);
    assert!(budgets[0].spent > Sats::ZERO && budgets[0].spent <= paid, "{budgets:?}");
    scene.close(asker).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bill_paid_late_counts_for_the_payers_next_question() {
    let keys = Keys::generate();
    let scene = Scene::open(Some(keys.public_key())).await;
    let endpoint = &scene.endpoint;
    let mut asker = Asker::with(keys, endpoint, &scene.relay).await;
    asker.ask(&job(BY_THE_SWARM)).await;
    // No bill comes.
    assert_eq!(asker.feedback().await.feedback.status, FeedbackStatus::Processing);
    assert!(asker.result().await.answers[0].text.starts_with("8 "));
    let runs = endpoint.home().open_ledger().await.unwrap().runs().await.unwrap();
    let limits: Vec<Sats> = runs.iter().map(|run| run.budget.limit).collect();
    // What the run was allowed is spent before its answer is given, the rest is there still.
    let (credits, payer) =
        (Credits::open(endpoint.home().service_credit()).unwrap(), asker.keys.public_key());
    scene.close(asker).await;
    assert_eq!(limits.len(), 1);
    let left = PAID_LATE.0 - limits[0].0;
    assert!(credits.claim(payer, Sats(left + 1)).is_none() && credits.claim(payer, Sats(left)).is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_service_announces_itself_and_answers_open_questions_only_if_told() {
    for told_so in [true, false] {
        let relay = EmbeddedRelay::start(EmbeddedRelayConfig::at(([127, 0, 0, 1], 0).into())).await.unwrap();
        let settings = format!("relays = ['ws://127.0.0.1:1']\n[serve]\nopen_jobs = {told_so}\n");
        let endpoint = Endpoint::start(&settings).await;
        let mut asker = Asker::of(&endpoint, &relay).await;
        let announced = Filter::new().kind(ANNOUNCEMENT).identifier("frlm-questions").author(asker.service);
        let mut found = Vec::new();
        while found.is_empty() {
            found = asker.publisher.fetch(vec![announced.clone()], Duration::from_secs(5)).await;
        }
        let offer: Value = serde_json::from_str(&found[0].content).unwrap();
        assert_eq!(offer["openJobs"], told_so);
        let poem = JobRequest { instruction: "Write a poem".to_owned(), inputs: Vec::new(), ..job(BY_CODE) };
        // Plain inputs are short: relays refuse longer tags.
        let mut open = job(BY_CODE);
        open.inputs[0].data = orders().lines().take(20).collect::<Vec<_>>().join("\n");
        for request in [poem, open] {
            let event = request.to_event(Audience::Open, &asker.keys, Timestamp::now()).unwrap();
            asker.publisher.publish(&event).await.unwrap();
        }
        if told_so {
            assert_eq!(asker.feedback().await.feedback.status, FeedbackStatus::Processing);
            assert!(asker.result().await.answers[0].text.contains("records match"));
        }
        // What is put to it by name is answered at any time, and nothing was said before of what is not for it.
        let named = asker.ask(&job(BY_CODE)).await;
        assert_eq!(asker.feedback().await.job, named, "a poem gets no word");
        assert!(asker.result().await.answers[0].text.starts_with("8 "));
        endpoint.stop.cancel();
        asker.serving.await.unwrap();
        let ended = asker.publisher.fetch(vec![announced], Duration::from_secs(5)).await;
        assert!(ended.iter().all(|event| event.created_at > found[0].created_at), "{ended:?}");
        relay.shutdown().await;
    }
}
