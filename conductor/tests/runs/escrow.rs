//! Paid work over real sockets: relay, providers with wallets, a mint of play money.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use frlm_questions::dialect::Prompt;

use crate::common::{Asker, Outcome, copy, engine, lie, orders, relay};
use frlm_client::payment::cashu::CashuRail;
use frlm_client::swarm::nostr::NostrSwarm;
use frlm_conductor::payment::PaymentRail;
use frlm_conductor::policy::FrlmPolicy;
use frlm_conductor::run::RunError;
use frlm_conductor::swarm::{OutgoingJob, Swarm, Ticket};
use frlm_conductor::trace::TraceEvent;
use frlm_protocol::kinds::{CANCELLATION, JOB_REQUEST, SETTLEMENT};
use frlm_protocol::{Cancellation, Mode, Settlement};
use frlm_provider::{Provider, ProviderConfig, ProviderHandle};
use frlm_relay::{ConnectOptions, Connection, Incoming, Publisher, RelayMessage};
use frlm_verifier::VerificationPolicy;
use frlm_wallet::SettlementOutcome;
use frlm_wallet::cashu::{PlayMint, PlayMintOptions};
use frlm_wallet::escrow::Credit;
use frlm_wallet::ledger::Limits;
use frlm_wallet::seed::Phrase;
use frlm_wallet::{CashuWallet, Ledger, Money, Msats, Sats};
use nostr::{EventBuilder, Filter, Keys, Kind, RelayUrl, Tag, Timestamp};
use tokio::sync::mpsc;

const FUNDS: u64 = 500;

async fn wallet(folder: &std::path::Path, mint: &PlayMint) -> CashuWallet {
    wallet_for(Money::Play, folder, mint).await
}

async fn wallet_for(money: Money, folder: &std::path::Path, mint: &PlayMint) -> CashuWallet {
    let (wallet, _) = CashuWallet::open(folder, Phrase::generate().seed(), money).await.unwrap();
    wallet.allow_mint(mint.url(), None).await.unwrap();
    wallet
}

struct Paid {
    handle: ProviderHandle,
    wallet: CashuWallet,
}

async fn paid_provider(name: &str, url: &RelayUrl, answer: fn(&str) -> String, wallet: CashuWallet) -> Paid {
    let config =
        ProviderConfig { name: name.to_owned(), price_msats_per_1k: 1_000, ..ProviderConfig::default() };
    let model = engine(answer, Duration::ZERO);
    let relays = std::slice::from_ref(url);
    let handle = Provider::start_paid(config, Keys::generate(), relays, model, wallet.clone()).await.unwrap();
    Paid { handle, wallet }
}

/// Waits until a provider has nothing open any more.
async fn books_closed(wallet: &CashuWallet) {
    let closed = async {
        while wallet
            .earnings()
            .await
            .unwrap()
            .iter()
            .any(|earning| ["accepted", "released", "redeeming"].contains(&earning.state.as_str()))
        {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), closed).await.expect("the books close");
}

#[tokio::test(flavor = "multi_thread")]
async fn three_providers_are_paid_a_liar_is_not_and_all_books_agree_to_the_sat() {
    let relay = relay().await;
    let url = frlm_relay::parse_relay_url(&relay.url().to_string()).unwrap();
    let mint =
        PlayMint::start(PlayMintOptions { input_fee_ppk: 100, ..PlayMintOptions::default() }).await.unwrap();
    let home = tempfile::tempdir().unwrap();
    let payer = wallet(&home.path().join("asker"), &mint).await;
    let invoice = payer.invoice(mint.url(), Sats(FUNDS)).await.unwrap();
    payer.receive_invoice(&invoice, Duration::from_secs(20)).await.unwrap();
    let mut providers = Vec::new();
    for (name, answer) in [("a", copy as fn(&str) -> String), ("b", copy), ("liar", lie)] {
        let wallet = wallet(&home.path().join(name), &mint).await;
        providers.push(paid_provider(name, &url, answer, wallet).await);
    }

    let keys = Keys::generate();
    let run = keys.public_key().to_hex();
    let mut policy = FrlmPolicy::standard();
    policy.budget = Sats(FUNDS);
    let rail = Arc::new(CashuRail::new(payer.clone()));
    let asker = Asker { keys, policy, rail: Some(rail), ..Asker::default() };
    let outcome = asker.ask(&url, orders(60, 10), home.path()).await;
    let answer = outcome.result.expect("the honest two agree");
    assert!(answer.answer.contains("12"), "{}", answer.answer);
    for paid in &providers {
        books_closed(&paid.wallet).await;
        paid.handle.shutdown().graceful.cancel();
        paid.handle.stopped().await;
    }

    // What it would cost was said before anything left.
    let submitted = |event: &TraceEvent| matches!(event, TraceEvent::SubQuerySubmit { .. });
    let mut before = outcome.trace.iter().map(|record| &record.event).take_while(|event| !submitted(event));
    let quoted =
        before.find(|event| matches!(event, TraceEvent::Quoted { .. })).expect("before the first job");
    let TraceEvent::Quoted { low_sats, expected_sats, high_sats, fees_sats, left_sats, play_money } = quoted
    else {
        unreachable!("it is one");
    };
    assert!(0 < *low_sats && low_sats <= expected_sats && expected_sats <= high_sats, "{quoted:?}");
    assert!(fees_sats.is_some_and(|fees| fees > 0) && *left_sats == FUNDS && *play_money, "{quoted:?}");

    // The ledger's sums are those of the locks.
    let ledger = Ledger::open(home.path().join("ledger.db")).await.unwrap();
    let budget = ledger.budget(run.as_str()).await.unwrap();
    let (mut prices, mut fees, mut waiting) = (Sats::ZERO, Sats::ZERO, Sats::ZERO);
    for row in payer.locks(Some(&run)).await.unwrap() {
        match row.outcome() {
            SettlementOutcome::Paid { price, fees: fee } => {
                prices = prices.saturating_add(price);
                fees = fees.saturating_add(fee);
            }
            SettlementOutcome::Back { fees: fee } => fees = fees.saturating_add(fee),
            SettlementOutcome::Waiting { .. } => waiting = waiting.saturating_add(row.price()),
            SettlementOutcome::Void => {}
        }
    }
    assert_eq!(waiting, Sats::ZERO, "everybody gave back what they did not earn");
    assert_eq!((budget.spent, budget.fees), (prices.saturating_add(fees), fees));
    assert_eq!((budget.reserved, budget.pending_refund), (Sats::ZERO, Sats::ZERO));
    assert_eq!(payer.available().await.unwrap(), Sats(FUNDS).saturating_sub(budget.spent));
    assert!(ledger.audit().await.unwrap().is_clean());

    // And those of the providers: they have at least their prices, the liar has nothing.
    let mut received = Vec::new();
    for paid in &providers {
        let booked: Sats = paid.wallet.earnings().await.unwrap().iter().map(|each| each.received).sum();
        assert_eq!(paid.wallet.available().await.unwrap(), booked);
        received.push(booked);
    }
    assert_eq!(received[2], Sats::ZERO, "a lie earns nothing");
    assert!(received[0] > Sats::ZERO && received[1] > Sats::ZERO, "{received:?}");
    let sum: Sats = received.iter().copied().sum();
    assert!(sum >= prices && sum <= budget.spent, "{sum} of {prices} and {fees}");
    mint.shutdown().await;
}

/// Jobs that were submitted before the first answer came.
fn at_once(outcome: &Outcome) -> usize {
    let returned = |event: &TraceEvent| matches!(event, TraceEvent::SubQueryReturn { .. });
    let before = outcome.trace.iter().take_while(|record| !returned(&record.event));
    before.filter(|record| matches!(record.event, TraceEvent::SubQuerySubmit { .. })).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_providers_record_of_an_asker_counts_only_for_certified_runs() {
    let relay = relay().await;
    let url = frlm_relay::parse_relay_url(&relay.url().to_string()).unwrap();
    let mint = PlayMint::start(PlayMintOptions::default()).await.unwrap();
    let home = tempfile::tempdir().unwrap();
    let payer = wallet(&home.path().join("asker"), &mint).await;
    let invoice = payer.invoice(mint.url(), Sats(FUNDS)).await.unwrap();
    payer.receive_invoice(&invoice, Duration::from_secs(20)).await.unwrap();
    let provider = paid_provider("a", &url, copy, wallet(&home.path().join("a"), &mint).await).await;
    let ask = async |keys: Keys, identity: Option<(Keys, Vec<(String, u32)>)>| {
        let mut policy = FrlmPolicy::standard();
        policy.budget = Sats(FUNDS / 4);
        policy.verification = VerificationPolicy::None;
        let rail = Some(Arc::new(CashuRail::new(payer.clone())) as Arc<dyn PaymentRail>);
        let discovery = Duration::from_secs(1);
        let asker = Asker { keys, policy, discovery, rail, identity, ..Asker::default() };
        let outcome = asker.ask(&url, orders(60, 10), home.path()).await;
        outcome.result.as_ref().expect("it is answered and paid for");
        books_closed(&provider.wallet).await;
        outcome
    };
    let credit = async |keys: &Keys| provider.wallet.credit(&keys.public_key().to_hex()).await.unwrap();
    let (first, second, stranger) = (Keys::generate(), Keys::generate(), Keys::generate());
    let identity = Keys::generate();

    let outcome = ask(first.clone(), Some((identity.clone(), Vec::new()))).await;
    assert_eq!(at_once(&outcome), 1, "nobody knows it yet");
    let known = credit(&identity).await;
    assert!(known.released > 1 && known.withheld == 0, "{known:?}");
    assert_eq!(credit(&first).await, Credit::default());

    let released = payer.released_since(0).await.unwrap();
    assert_eq!(released.iter().map(|(_, count)| *count).collect::<Vec<_>>(), [known.released]);
    let outcome = ask(second.clone(), Some((identity.clone(), released))).await;
    assert!(at_once(&outcome) > 1, "it is no stranger any more");
    assert!(credit(&identity).await.released > known.released);
    assert_eq!(credit(&second).await, Credit::default());

    let known = credit(&identity).await;
    let outcome = ask(stranger.clone(), None).await;
    assert_eq!(at_once(&outcome), 1);
    assert_eq!(credit(&identity).await, known, "a run that is not to be known is not counted");
    assert!(credit(&stranger).await.released > 0);
    mint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_nobody_can_pay_is_left_out_and_nothing_is_locked() {
    let relay = relay().await;
    let url = frlm_relay::parse_relay_url(&relay.url().to_string()).unwrap();
    let (ours, theirs) = (
        PlayMint::start(PlayMintOptions::default()).await.unwrap(),
        PlayMint::start(PlayMintOptions::default()).await.unwrap(),
    );
    let home = tempfile::tempdir().unwrap();
    let payer = wallet(&home.path().join("asker"), &ours).await;
    let invoice = payer.invoice(ours.url(), Sats(50)).await.unwrap();
    payer.receive_invoice(&invoice, Duration::from_secs(20)).await.unwrap();
    let provider = paid_provider("a", &url, copy, wallet(&home.path().join("a"), &theirs).await).await;
    let mut policy = FrlmPolicy::standard();
    policy.verification = frlm_verifier::VerificationPolicy::None;
    policy.timeout.total = Duration::from_secs(20);
    let rail = Arc::new(CashuRail::new(payer.clone()));
    let outcome =
        Asker { policy, rail: Some(rail), ..Asker::default() }.ask(&url, orders(10, 10), home.path()).await;
    let error = outcome.result.unwrap_err().to_string();
    assert!(error.contains("no answer"), "{error}");
    assert_eq!(payer.available().await.unwrap(), Sats(50));
    assert!(payer.locks(None).await.unwrap().is_empty());
    provider.handle.shutdown().immediate.cancel();
    provider.handle.stopped().await;
}

/// Somebody who sees every job that goes through a relay.
struct Onlooker {
    publisher: Publisher,
    incoming: Incoming,
}

impl Onlooker {
    async fn at(url: &RelayUrl) -> Self {
        let (publisher, incoming) =
            Connection::connect(std::slice::from_ref(url), ConnectOptions::default()).await.unwrap();
        let kinds = [frlm_protocol::kinds::JOB_REQUEST, Kind::TextNote];
        publisher.subscribe("jobs", vec![Filter::new().kinds(kinds)]).await;
        Self { publisher, incoming }
    }

    /// Jobs since the last look. Each key has its turn: a note of our own may be read before what came before it.
    async fn jobs(&mut self) -> usize {
        let note = EventBuilder::text_note("so far").sign_with_keys(&Keys::generate()).unwrap();
        self.publisher.publish(&note).await.unwrap();
        let (mut jobs, mut patience) = (0, Duration::from_secs(20));
        while let Ok(message) = tokio::time::timeout(patience, self.incoming.recv()).await {
            match message.unwrap() {
                RelayMessage::Event(event) if event.id == note.id => patience = Duration::ZERO,
                RelayMessage::Event(event) if event.kind != Kind::TextNote => jobs += 1,
                _ => {}
            }
        }
        assert!(patience.is_zero(), "the note did not come");
        jobs
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_that_is_too_small_names_the_cost_and_publishes_nothing() {
    let relay = relay().await;
    let url = frlm_relay::parse_relay_url(&relay.url().to_string()).unwrap();
    let mut onlooker = Onlooker::at(&url).await;
    let mint = PlayMint::start(PlayMintOptions::default()).await.unwrap();
    let home = tempfile::tempdir().unwrap();
    let payer = wallet(&home.path().join("asker"), &mint).await;
    let invoice = payer.invoice(mint.url(), Sats(FUNDS)).await.unwrap();
    payer.receive_invoice(&invoice, Duration::from_secs(20)).await.unwrap();
    let mut providers = Vec::new();
    for name in ["a", "b", "c"] {
        let wallet = wallet(&home.path().join(name), &mint).await;
        providers.push(paid_provider(name, &url, copy, wallet).await);
    }
    let ask = async |limit: u64| {
        let mut policy = FrlmPolicy::standard();
        policy.budget = Sats(limit);
        let rail = Arc::new(CashuRail::new(payer.clone()));
        let discovery = Duration::from_secs(2);
        let asker = Asker { policy, rail: Some(rail), discovery, ..Asker::default() };
        asker.ask(&url, orders(600, 40), home.path()).await.result
    };

    let error = ask(1).await.expect_err("600 lines cost more than a sat");
    assert_eq!(error.exit_code(), 3, "{error}");
    let RunError::OverBudget { expected, most, limit, .. } = error.clone() else { panic!("{error}") };
    assert!(expected > Sats(1) && most >= expected && limit == Sats(1), "{error}");
    assert!(error.to_string().contains(&format!("would cost about {expected}")), "{error}");
    assert_eq!(onlooker.jobs().await, 0, "nothing has left");
    assert!(payer.locks(None).await.unwrap().is_empty());
    assert_eq!(payer.available().await.unwrap(), Sats(FUNDS));

    // With what it said, the same question is answered.
    let answer = ask(most.0 + 100).await.expect("the budget is enough now");
    assert!(answer.answer.contains("120"), "{}", answer.answer);
    assert!(onlooker.jobs().await > 0);
    for paid in &providers {
        paid.handle.shutdown().immediate.cancel();
        paid.handle.stopped().await;
    }
    mint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daily_limit_refuses_a_run_early_and_a_provider_limit_stops_one() {
    let relay = relay().await;
    let url = frlm_relay::parse_relay_url(&relay.url().to_string()).unwrap();
    let mut onlooker = Onlooker::at(&url).await;
    let mint = PlayMint::start(PlayMintOptions::default()).await.unwrap();
    let home = tempfile::tempdir().unwrap();
    // Limits count real sats alone; here the mint's are taken for such.
    let payer = wallet_for(Money::Real, &home.path().join("asker"), &mint).await;
    let invoice = payer.invoice(mint.url(), Sats(FUNDS)).await.unwrap();
    payer.receive_invoice(&invoice, Duration::from_secs(20)).await.unwrap();
    let provider = paid_provider("a", &url, copy, wallet(&home.path().join("a"), &mint).await).await;
    let ledger = Ledger::open(home.path().join("ledger.db")).await.unwrap();
    let ask = async |limits: Limits| {
        ledger.set_limits(limits).await.unwrap();
        let mut policy = FrlmPolicy::standard();
        policy.budget = Sats(FUNDS);
        policy.verification = frlm_verifier::VerificationPolicy::None;
        policy.timeout.total = Duration::from_mins(1);
        let rail = Arc::new(CashuRail::new(payer.clone()));
        let asker = Asker { policy, rail: Some(rail), ..Asker::default() };
        asker.ask(&url, orders(100, 10), home.path()).await
    };

    let error = ask(Limits { per_day: Some(Sats(3)), ..Limits::default() }).await.result.unwrap_err();
    assert_eq!(error.exit_code(), 3);
    let said = error.to_string();
    assert!(said.contains("limit per day") && said.contains("per_day under [limits]"), "{said}");
    assert_eq!(onlooker.jobs().await, 0, "nothing has left");

    // One provider does all the work, and may not have all the pay.
    let outcome = ask(Limits { per_provider: Some(Sats(4)), ..Limits::default() }).await;
    let error = outcome.result.unwrap_err();
    assert_eq!(error.exit_code(), 3, "{error}");
    let said = error.to_string();
    assert!(said.contains("per provider and day") && said.contains("per_provider under [limits]"), "{said}");
    let usage = ledger.usage().await.unwrap();
    assert!(usage.providers.iter().all(|(_, sats)| *sats <= Sats(4)), "{usage:?}");

    // Without limits the same question is answered, and what it took is named by provider and mint.
    ask(Limits::default()).await.result.expect("it is answered");
    let usage = ledger.usage().await.unwrap();
    assert_eq!(&*usage.providers[0].0, provider.handle.public_key().to_hex());
    assert_eq!((usage.providers[0].1, &*usage.mints[0].0), (usage.day, mint.url()));
    assert!(ledger.audit().await.unwrap().is_clean());
    provider.handle.shutdown().immediate.cancel();
    provider.handle.stopped().await;
    mint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_becomes_of_a_job_is_said_behind_the_job_however_soon() {
    const JOBS: u32 = 200;
    let relay = relay().await;
    let url = frlm_relay::parse_relay_url(&relay.url().to_string()).unwrap();
    let relays = std::slice::from_ref(&url);
    let provider = Keys::generate();
    let (listening, mut heard) = Connection::connect(relays, ConnectOptions::default()).await.unwrap();
    let to_it = Filter::new().kinds([JOB_REQUEST, CANCELLATION, SETTLEMENT]).pubkey(provider.public_key());
    listening.subscribe("jobs", vec![to_it]).await;
    // A relay sends what it stores in an order of its own: the subscription stands before anything is sent.
    let first = EventBuilder::new(JOB_REQUEST, "").tag(Tag::public_key(provider.public_key()));
    let first = first.sign_with_keys(&Keys::generate()).unwrap();
    listening.publish(&first).await.unwrap();
    while !matches!(heard.recv().await, Some(RelayMessage::Event(event)) if event.id == first.id) {}

    let (publisher, incoming) = Connection::connect(relays, ConnectOptions::default()).await.unwrap();
    let (events_in, _events) = mpsc::channel(1_024);
    let swarm =
        NostrSwarm::start(Keys::generate(), publisher, incoming, events_in, Timestamp::now(), &[]).await;
    let prompt = Arc::new(Prompt {
        instruction: "copy status".to_owned(),
        inputs: vec!["order=1 user=u1 status=failed".to_owned()],
        mode: Mode::Each,
        max_tokens: 24,
        constraint: None,
    });
    for subtask in 0..JOBS {
        let ticket = Ticket::at(subtask, 0);
        let job = OutgoingJob {
            ticket,
            provider: provider.public_key().to_hex().into(),
            prompt: Arc::clone(&prompt),
            bid: Msats(1_000),
            payment: None,
            foreign: false,
            expires_in_secs: 60,
            shown: None,
        };
        swarm.submit(job).await;
        swarm.cancel(ticket).await;
        swarm.settle(ticket, Settlement::Declined).await;
    }
    let listening = async {
        let (mut jobs, mut words) = (HashSet::new(), 0);
        while words < 2 * JOBS {
            let Some(RelayMessage::Event(event)) = heard.recv().await else { continue };
            if event.kind == JOB_REQUEST {
                jobs.insert(event.id);
                continue;
            }
            let about = match Settlement::from_event(&event, &provider) {
                Ok(settlement) => settlement.job,
                Err(_) => Cancellation::from_event(&event).unwrap().jobs[0],
            };
            assert!(jobs.contains(&about), "word {words} is about a job that the provider does not know");
            words += 1;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), listening).await.expect("all of it arrives");
    swarm.shutdown().await;
}
