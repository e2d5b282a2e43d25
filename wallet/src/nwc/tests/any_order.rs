//! Any order of errors, silence, duplicates and late success: the budget holds, and no invoice is paid twice.
//!
//! Relay, connection, wallet books and ledger are real. The wallet service follows a plan: it does not lie, but it errs,
//! says nothing, says it twice, and pays long after it has said that something went wrong.

use proptest::prelude::*;

use super::*;

/// One payment is 40 sats and 6 for its fees: two of them fit, and a third one only once it is known that one was not made.
const LIMIT: Sats = Sats(130);
const BID: Sats = Sats(40);
/// For answers that may never come. One that is late is as good as none.
const TIMEOUT: Duration = Duration::from_millis(250);
const ROUNDS: usize = 3;

/// Nothing was tried when one of these is answered.
const CERTAIN: [&str; 6] = [
    "INSUFFICIENT_BALANCE",
    "QUOTA_EXCEEDED",
    "RATE_LIMITED",
    "NOT_IMPLEMENTED",
    "RESTRICTED",
    "UNAUTHORIZED",
];
/// These say nothing of the payment.
const UNCERTAIN: [&str; 5] = ["INTERNAL", "OTHER", "PAYMENT_FAILED", "NOT_FOUND", "made up"];

/// What becomes of a payment in truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Truth {
    Never,
    AtOnce,
    /// Before the look-up with this number.
    Late(usize),
}

/// What is answered to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reply {
    /// As it is, with the proof if there is one by now.
    Honest,
    /// The same, twice.
    Twice,
    Code(&'static str),
    Garbage,
    Silence,
}

#[derive(Debug, Clone)]
struct Plan {
    truth: Truth,
    reply: Reply,
    lookups: Vec<Reply>,
}

fn anything() -> impl Strategy<Value = Reply> {
    prop_oneof![
        3 => Just(Reply::Honest),
        1 => Just(Reply::Twice),
        2 => prop::sample::select(&UNCERTAIN[..]).prop_map(Reply::Code),
        1 => Just(Reply::Garbage),
        2 => Just(Reply::Silence),
    ]
}

fn plan() -> impl Strategy<Value = Plan> {
    let truth = prop_oneof![Just(Truth::Never), Just(Truth::AtOnce), (0..=ROUNDS).prop_map(Truth::Late)];
    let certain = prop::sample::select(&CERTAIN[..]).prop_map(Reply::Code);
    let lookup = prop_oneof![6 => anything(), 1 => certain.clone()];
    (truth, anything(), certain, any::<bool>(), prop::collection::vec(lookup, ROUNDS + 1)).prop_map(
        |(truth, reply, certain, refuses, lookups)| {
            // An honest wallet says only of what it will never pay that it has not tried.
            let reply = if refuses && truth == Truth::Never { certain } else { reply };
            Plan { truth, reply, lookups }
        },
    )
}

/// One payment at the service.
struct Account {
    plan: Plan,
    preimage: String,
    /// How often it was to be paid, and to be looked up.
    asked: usize,
    looked_up: usize,
}

impl Account {
    fn is_paid(&self) -> bool {
        match self.plan.truth {
            Truth::Never => false,
            Truth::AtOnce => self.asked > 0,
            Truth::Late(lookups) => self.asked > 0 && self.looked_up > lookups,
        }
    }

    fn answer(&mut self, method: &str) -> (Reply, Value) {
        let reply = if method == "pay_invoice" {
            self.asked += 1;
            self.plan.reply
        } else {
            let reply = self.plan.lookups.get(self.looked_up).copied().unwrap_or(Reply::Silence);
            self.looked_up += 1;
            reply
        };
        let body = match (self.is_paid(), method) {
            (true, "pay_invoice") => json!({ "preimage": self.preimage, "fees_paid": 1_000 }),
            (true, _) => json!({ "state": "settled", "preimage": self.preimage, "fees_paid": 1_000 }),
            (false, "pay_invoice") => json!({ "preimage": "00".repeat(32) }),
            (false, _) if self.plan.truth == Truth::Never => json!({ "state": "failed" }),
            (false, _) => json!({ "state": "pending" }),
        };
        (reply, body)
    }
}

type Accounts = Arc<Mutex<HashMap<String, Account>>>;

async fn serve(keys: Keys, accounts: Accounts, publisher: Publisher, mut incoming: Incoming) {
    while let Some(message) = incoming.recv().await {
        let RelayMessage::Event(request) = message else { continue };
        if request.kind != wire::REQUEST {
            continue;
        }
        let text = Cipher::Nip44.open(keys.secret_key(), &request.pubkey, &request.content).unwrap();
        let asked: Value = serde_json::from_str(&text).unwrap();
        let method = asked["method"].as_str().unwrap();
        let hash = match asked["params"]["invoice"].as_str() {
            Some(invoice) => Bolt11Invoice::from_str(invoice).unwrap().payment_hash().to_string(),
            None => asked["params"]["payment_hash"].as_str().unwrap().to_owned(),
        };
        let (reply, result) = accounts.lock().unwrap().get_mut(&hash).unwrap().answer(method);
        let body = match reply {
            Reply::Silence => continue,
            Reply::Garbage => json!({ "result_type": method, "result": { "nothing": 0 } }),
            Reply::Code(code) => {
                json!({ "result_type": method, "error": { "code": code, "message": "no" } })
            }
            Reply::Honest | Reply::Twice => json!({ "result_type": method, "result": result }),
        };
        for _ in 0..if reply == Reply::Twice { 2 } else { 1 } {
            let content = Cipher::Nip44.seal(keys.secret_key(), &request.pubkey, &body.to_string()).unwrap();
            let tags = [Tag::public_key(request.pubkey), Tag::event(request.id)];
            let answer = EventBuilder::new(wire::RESPONSE, content).tags(tags).sign_with_keys(&keys).unwrap();
            // The other side may be gone by now.
            let _ = publisher.publish(&answer).await;
        }
    }
}

/// A connection to a service that knows these payments.
async fn connect(relay: &EmbeddedRelay, accounts: Accounts) -> (NwcWallet, AbortOnDropHandle<()>) {
    let (keys, client) = (Keys::generate(), Keys::generate());
    let urls = [relay.url()];
    let (publisher, incoming) = Connection::connect(&urls, ConnectOptions::default()).await.unwrap();
    let requests = Filter::new().kind(wire::REQUEST).pubkey(keys.public_key());
    publisher.subscribe("requests", vec![requests]).await;
    let info = EventBuilder::new(wire::INFO, "pay_invoice lookup_invoice")
        .tag(Tag::custom(TagKind::custom("encryption"), ["nip44_v2"]))
        .sign_with_keys(&keys)
        .unwrap();
    publisher.publish(&info).await.unwrap();
    let address = format!(
        "nostr+walletconnect://{}?relay={}&secret={}",
        keys.public_key().to_hex(),
        urls[0],
        client.secret_key().to_secret_hex()
    );
    let task = AbortOnDropHandle::new(tokio::spawn(serve(keys, accounts, publisher, incoming)));
    let mut wallet = NwcWallet::connect(address.parse().unwrap(), Duration::from_secs(20)).await.unwrap();
    wallet.timeout = TIMEOUT;
    (wallet, task)
}

/// What was paid in truth is spent in the ledger, and nothing was asked for twice.
async fn holds(ledger: &Ledger, accounts: &Accounts) -> Result<(), TestCaseError> {
    let budget = ledger.budget("run").await.unwrap();
    let accounts = accounts.lock().unwrap();
    let paid = accounts.values().filter(|account| account.is_paid()).count() as u64;
    prop_assert!(BID.0 * paid <= budget.spent.0, "{paid} were paid, {} are spent", budget.spent);
    prop_assert!(budget.spent <= LIMIT);
    prop_assert!(accounts.values().all(|account| account.asked <= 1));
    Ok(())
}

async fn pay_all(plans: Vec<Plan>) -> Result<(), TestCaseError> {
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let relay = EmbeddedRelay::start(EmbeddedRelayConfig::at(listen)).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let seed = crate::seed::Phrase::generate().seed();
    let (books, _) = CashuWallet::open(folder.path(), seed, crate::Money::Play).await.unwrap();
    let ledger = Ledger::open(folder.path().join("ledger.sqlite")).await.unwrap();
    ledger.open_run("run", LIMIT).await.unwrap();
    let accounts = Accounts::default();
    let (lightning, _task) = connect(&relay, Arc::clone(&accounts)).await;
    for (plan, subtask) in plans.into_iter().zip(0..) {
        let key = Key::new("run", subtask, 0);
        let Ok(mut reservation) = ledger.reserve(key.clone(), prepay_cost(BID)).await else { continue };
        let (preimage, bolt11) = invoice(BID.0 * 1_000);
        let hash = Bolt11Invoice::from_str(&bolt11).unwrap().payment_hash().to_string();
        let certain = matches!(plan.reply, Reply::Code(code) if CERTAIN.contains(&code));
        accounts.lock().unwrap().insert(hash, Account { plan, preimage, asked: 0, looked_up: 0 });
        let order = Prepayment {
            key: key.clone(),
            peer: format!("provider {subtask}"),
            bolt11,
            stated: None,
            bid: BID,
            reserved: prepay_cost(BID),
        };
        reservation.publish().await.unwrap();
        let bill = books.bill(order, Some(&lightning)).await.unwrap();
        // As a run does it.
        reservation.pay_out().await.unwrap();
        match books.pay_bill(&bill, Some(&lightning)).await {
            Ok(paid) => reservation.settle(paid.amount, paid.fees).await.unwrap(),
            Err(failed) => {
                drop(reservation);
                if !failed.unclear {
                    ledger.reconcile(key, Sats::ZERO, Sats::ZERO).await.unwrap();
                }
                prop_assert!(failed.unclear || certain || failed.reason.contains("failed"), "{failed}");
            }
        }
        holds(&ledger, &accounts).await?;
        prop_assert!(books.pay_bill(&bill, Some(&lightning)).await.is_err());
        holds(&ledger, &accounts).await?;
    }
    for _ in 0..ROUNDS {
        books.look_up_prepaid(Some(&lightning)).await.unwrap();
        reconcile(&ledger, Some(&books)).await.unwrap();
        holds(&ledger, &accounts).await?;
    }
    prop_assert!(ledger.audit().await.unwrap().is_clean());
    lightning.shutdown().await;
    relay.shutdown().await;
    Ok(())
}

#[test]
fn the_budget_holds_whatever_a_lightning_wallet_answers_and_when() {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(12);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(plans in prop::collection::vec(plan(), 3..6))| {
        runtime.block_on(pay_all(plans))?;
    });
}
