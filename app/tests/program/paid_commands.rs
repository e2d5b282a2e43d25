//! Paid work as commands: real processes, a real relay, a mint of play money on loopback.

use crate::common::paid_swarm::{PaidSwarm, TIMEOUT, command, done, parsed, sum};
use crate::common::{json, stderr, stdout};
use frlm_relay::{ConnectOptions, Connection, Incoming, Publisher, RelayMessage};
use nostr::{Event, EventBuilder, Filter, Keys, Kind};
use serde_json::Value;

/// Somebody who sees every job that goes through a relay.
struct Onlooker {
    publisher: Publisher,
    incoming: Incoming,
}

impl Onlooker {
    async fn at(url: &str) -> Self {
        let url = frlm_relay::parse_relay_url(url).unwrap();
        let (publisher, incoming) = Connection::connect(&[url], ConnectOptions::default()).await.unwrap();
        let kinds = [frlm_protocol::kinds::JOB_REQUEST, frlm_protocol::kinds::LABEL, Kind::TextNote];
        publisher.subscribe("jobs", vec![Filter::new().kinds(kinds)]).await;
        Self { publisher, incoming }
    }

    /// Jobs since the last look.
    async fn jobs(&mut self) -> usize {
        let seen = self.seen().await;
        seen.iter().filter(|event| event.kind == frlm_protocol::kinds::JOB_REQUEST).count()
    }

    /// What was published since the last look. Each key has its turn: a note of our own may be read before what came before it.
    async fn seen(&mut self) -> Vec<Event> {
        let note = EventBuilder::text_note("so far").sign_with_keys(&Keys::generate()).unwrap();
        self.publisher.publish(&note).await.unwrap();
        let (mut seen, mut patience) = (Vec::new(), TIMEOUT);
        while let Ok(message) = tokio::time::timeout(patience, self.incoming.recv()).await {
            match message.unwrap() {
                RelayMessage::Event(event) if event.id == note.id => patience = std::time::Duration::ZERO,
                RelayMessage::Event(event) if event.kind != Kind::TextNote => seen.push(*event),
                _ => {}
            }
        }
        assert!(patience.is_zero(), "the note did not come");
        seen
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_of_one_sat_for_600_lines_exits_three_and_publishes_nothing() {
    let swarm = PaidSwarm::open(&["a", "b", "c"], "5").await;
    let mut onlooker = Onlooker::at(&swarm.relay.1).await;
    let output = swarm.ask(&swarm.document(600), "1").await;
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    let told = json(&output);
    assert!(told["answer"].is_null() && told["exit_code"] == 3, "no answer was made up: {told}");
    let cost: u64 = said
        .split_once("would cost about ")
        .and_then(|(_, rest)| rest.split(' ').next()?.replace(',', "").parse().ok())
        .unwrap_or_else(|| panic!("no cost in: {said}"));
    assert!(cost > 1 && said.contains("--budget"), "{said}");
    assert_eq!(onlooker.jobs().await, 0, "nothing was published");
    assert_eq!(swarm.available().await, 500, "nothing was locked");
    assert!(done(&swarm.asker(), &["wallet", "audit"]).await.contains("all balances match"));
    swarm.mint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_terminal_the_quote_is_on_stderr_and_the_answer_on_stdout() {
    let swarm = PaidSwarm::open(&["a", "b"], "5").await;
    let (document, relay) = (swarm.document(20), swarm.relay.1.clone());
    let words = [
        "ask",
        "How many lines have status failed?",
        "--by",
        "swarm",
        "--file",
        &document,
        "--relay",
        &relay,
    ];
    let words = [&words[..], &["--budget", "400", "--verify", "none", "--json"]].concat();
    let output = command(&swarm.asker(), &words).await;
    let said = stderr(&output);
    assert!(output.status.success(), "{said}");
    let quote = said.lines().find(|line| line.starts_with("quote: ")).unwrap_or_else(|| panic!("{said}"));
    assert!(quote.contains("sats expected") && quote.ends_with("never more than 400"), "{quote}");
    let expected: u64 = quote.split(' ').nth(1).unwrap().parse().unwrap();
    let spent = parsed(&stdout(&output))["budget"]["spent_sats"].as_u64().unwrap();
    assert!(0 < spent && spent <= expected, "{spent} of {quote}");
    swarm.mint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_of_the_settings_are_shown_and_refuse_a_run_by_name() {
    let swarm = PaidSwarm::open(&["a", "b"], "5").await;
    let mut onlooker = Onlooker::at(&swarm.relay.1).await;
    let asker = swarm.asker();
    std::fs::write(asker.join("config.toml"), "[limits]\nper_day = 4\nper_mint = 100\n").unwrap();
    let shown = done(&asker, &["wallet", "limits"]).await;
    assert!(shown.contains("per day       4 sats  used 0 sats"), "{shown}");
    assert!(shown.contains("per mint      100 sats") && shown.contains("per subtask   no limit"), "{shown}");
    let output = swarm.ask(&swarm.document(100), "400").await;
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("over the limit per day") && said.contains("per_day under [limits]"), "{said}");
    assert_eq!((onlooker.jobs().await, swarm.available().await), (0, 500));
    swarm.mint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn receipt_and_earnings_match_the_ledger_and_are_published_on_request() {
    let swarm = PaidSwarm::open(&["a", "b"], "5").await;
    let mut onlooker = Onlooker::at(&swarm.relay.1).await;
    let asker = swarm.asker();
    let output = swarm.ask_with(&swarm.document(100), "400", &["--verify", "none"]).await;
    assert!(output.status.success(), "{}", stderr(&output));
    let answer = parsed(&stdout(&output));
    let run = answer["run_id"].as_str().unwrap();
    let spent = 500 - swarm.available().await;
    assert!(spent > 0, "somebody was paid");

    // As JSON, to the millisat what the ledger says and what is gone from the mint.
    let receipt = parsed(&done(&asker, &["wallet", "receipt", run, "--json"]).await);
    let lines = receipt["lines"].as_array().unwrap();
    assert_eq!((&receipt["adds_up"], &receipt["play_money"]), (&Value::Bool(true), &Value::Bool(false)));
    assert_eq!(receipt["spent_msats"].as_u64().unwrap(), spent * 1_000);
    let paid = sum(lines, "paid_msats");
    assert_eq!(paid + sum(lines, "fees_msats"), spent * 1_000);
    assert_eq!(sum(lines, "waiting_msats"), 0);

    // As CSV, the same rows.
    let csv = done(&asker, &["wallet", "receipt", run, "--csv"]).await;
    let mut rows = csv.lines().map(|row| row.split(',').collect::<Vec<_>>());
    let head = rows.next().unwrap();
    let column = |name: &str| head.iter().position(|column| *column == name).unwrap();
    let (provider, msats) = (column("provider"), column("paid_msats"));
    let rows: Vec<(String, u64)> =
        rows.map(|row| (row[provider].to_owned(), row[msats].parse().unwrap())).collect();
    let named: Vec<(String, u64)> = lines
        .iter()
        .map(|line| (line["provider"].as_str().unwrap().to_owned(), line["paid_msats"].as_u64().unwrap()))
        .collect();
    assert_eq!(rows, named);

    // What the providers have earned, in every form.
    let mut earned = 0;
    for name in ["a", "b"] {
        let home = swarm.folder.path().join(name);
        // It redeems what was released in a moment, many at once.
        let report = async {
            loop {
                let report = parsed(&done(&home, &["wallet", "earned", "--json"]).await);
                if report["total"]["pending_jobs"] == 0 {
                    return report;
                }
            }
        };
        let report = tokio::time::timeout(TIMEOUT, report).await.expect("everything is redeemed");
        let sats = report["total"]["earned_sats"].as_u64().unwrap();
        let csv = done(&home, &["wallet", "earned", "--csv"]).await;
        assert!(csv.starts_with("by,what,paid_jobs,earned_sats,"), "{csv}");
        let by_hour: u64 = csv
            .lines()
            .filter(|row| row.starts_with("hour,"))
            .map(|row| row.split(',').nth(3).unwrap().parse::<u64>().unwrap())
            .sum();
        assert_eq!(by_hour, sats);
        assert!(done(&home, &["wallet", "earned"]).await.starts_with("in sats\n"));
        earned += sats;
    }
    assert_eq!(earned * 1_000, paid, "this mint takes no fees");

    // Published only when told, signed by the run's own key, one label for each provider.
    let labels = |seen: Vec<Event>| -> Vec<Event> {
        seen.into_iter().filter(|event| event.kind == frlm_protocol::kinds::LABEL).collect()
    };
    let publish = ["wallet", "receipt", run, "--publish", "--relay", &swarm.relay.1];
    let refused = command(&asker, &publish).await;
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("--yes"), "{}", stderr(&refused));
    assert!(labels(onlooker.seen().await).is_empty(), "nobody was told anything");
    done(&asker, &[&publish[..], &["--yes"]].concat()).await;
    let labels = labels(onlooker.seen().await);
    assert_eq!(labels.len(), lines.len());
    for label in labels {
        let received = frlm_protocol::receipt::ReceiptLabel::from_event(&label).unwrap();
        // A run is named after the key that signs for it.
        assert!(received.asker.to_hex().starts_with(run), "{run}");
        assert_eq!(received.receipt.run, run);
        let line = named.iter().find(|(provider, _)| *provider == received.receipt.provider.to_hex());
        assert_eq!(received.receipt.paid_msats, line.unwrap().1);
    }
    swarm.mint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_nobody_took_is_shown_again_and_taken_back() {
    let swarm = PaidSwarm::open(&[], "5").await;
    let asker = swarm.asker();
    let token = done(&asker, &["wallet", "send", "20", "--yes"]).await;
    assert_eq!(swarm.available().await, 480);
    let balance = done(&asker, &["wallet", "balance"]).await;
    assert!(balance.contains("in tokens not redeemed yet  20 sats"), "{balance}");
    let shown = parsed(&done(&asker, &["wallet", "tokens", "--json"]).await);
    assert_eq!(shown["token"].as_str().unwrap(), token.trim());
    let back = parsed(&done(&asker, &["wallet", "tokens", "--take-back", "--json"]).await);
    assert_eq!(back["taken_back_sats"], 20, "{back}");
    assert_eq!(swarm.available().await, 500);
    assert_eq!(done(&asker, &["wallet", "tokens"]).await, "", "nothing is out any more");
    let transfers = done(&asker, &["wallet", "transfers", "--json"]).await;
    let transfers: Vec<Value> = transfers.lines().map(parsed).collect();
    let funded = |each: &&Value| each["direction"] == "in" && each["way"] == "lightning";
    assert_eq!(transfers.iter().find(funded).unwrap()["sats"], 500);
    assert_eq!(transfers.len(), 3, "funded, made a token, took it back: {transfers:?}");
    swarm.mint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_whose_mint_is_gone_does_not_come_back_and_the_command_fails() {
    let swarm = PaidSwarm::open(&[], "5").await;
    let asker = swarm.asker();
    done(&asker, &["wallet", "send", "20", "--yes"]).await;
    swarm.mint.shutdown().await;
    let away = command(&asker, &["wallet", "tokens", "--take-back"]).await;
    assert_eq!(away.status.code(), Some(1), "{}", stderr(&away));
    assert!(stdout(&away).contains("were not redeemed"), "{}", stdout(&away));
    // What was not redeemed is listed still, and can be tried again.
    let output = command(&asker, &["wallet", "tokens", "--take-back", "--json"]).await;
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let token = parsed(&stdout(&output));
    assert!(token["failed"].is_string() && token["taken_back_sats"].is_null(), "{token}");
    assert!(stderr(&output).contains("1 of 1 tokens were not redeemed"), "{}", stderr(&output));
}
