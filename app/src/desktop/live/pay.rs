//! Sats that move: this window as a provider that is paid, and the swarm on this machine, where
//! everybody is paid in play money.

use std::time::Duration;

use egui_kittest::kittest::Queryable as _;
use frlm_wallet::cashu::{PlayMint, PlayMintOptions};
use frlm_wallet::seed::{Phrase, vault};
use frlm_wallet::{CashuWallet, Money, Sats};

use super::bench::{Live, Swarm, copying};
use crate::desktop::command::Command;
use crate::desktop::screens::earn::PaymentSetup;
use crate::desktop::screens::load::Load;
use crate::desktop::screens::{Screen, ask, earn, run, wallet};
use crate::desktop::state::State;
use crate::desktop::widgets::Unit;
use frlm_client::earnings_report::EarningState;
use frlm_client::home::Home;
use frlm_client::local_swarm::Speaks;
use frlm_client::testing_endpoint::Endpoint;
use frlm_client::wallet_maintenance::testing::Owing;

/// Makes the wallet of a home, with sats at a mint.
async fn fill(home: &Home, mint: &str, sats: u64) {
    let phrase = Phrase::generate();
    vault::create(&home.wallet(), &phrase, None).unwrap();
    let (wallet, _) = CashuWallet::open(&home.wallet(), phrase.seed(), Money::Real).await.unwrap();
    wallet.allow_mint(mint, None).await.unwrap();
    if sats > 0 {
        let invoice = wallet.invoice(mint, Sats(sats)).await.unwrap();
        wallet.receive_invoice(&invoice, Duration::from_secs(30)).await.unwrap();
    }
}

/// A window whose home has a wallet.
fn with_wallet(settings: &str, mint: &PlayMint, sats: u64) -> Live {
    let live = Live::with_settings(settings);
    live.runtime.block_on(fill(&live.home(), mint.url(), sats));
    live
}

#[test]
fn a_serving_window_earns_for_verified_work_and_the_asker_sees_its_sats() {
    let swarm = Swarm::start(0, Duration::ZERO, 0);
    let mint = swarm.runtime.block_on(PlayMint::start(PlayMintOptions::default())).unwrap();
    let model = Endpoint::that_says(r#"{"matches":[]}"#).model();
    let offer = format!("{}[provide]\nmodel = \"{model}\"\nprice = 2\n", swarm.settings());
    let mut provider = with_wallet(&offer, &mint, 0);
    provider.perform(&Command::Go(Screen::Earn));
    provider.until("the offer is read and the wallet open", |state| {
        matches!(state.earn.payment_setup, PaymentSetup::Open(_)) && state.earn.ready().is_ok()
    });
    provider.window().get_by_label_contains("Paid through escrow at http://127.0.0.1");
    provider.click("Go online");
    provider.until("it is online", |state| state.earn.is_on());

    let mut asker = with_wallet(&swarm.settings(), &mint, 500);
    asker.perform(&Command::Ask(ask::Action::Verify("none".to_owned())));
    asker.fill_in(40);
    asker.perform(&Command::Ask(ask::Action::Start));
    asker.until("an answer", |state| state.answered().is_some());
    let budget = asker.state().answered().unwrap().budget.clone();
    assert!(budget.spent_sats > 0, "{budget:?}");
    let money = asker.state().run.view.money.clone();
    assert!(money.steps().iter().any(|point| point.locked > 0), "sats were locked before they were paid");
    assert_eq!(money.now().spent, budget.spent_sats + budget.pending_refund_sats);
    assert_eq!(asker.state().run.unit, Unit::Sats);

    // The signed event behind an answer is kept, and anybody can check it again.
    let came = asker.state().run.view.subtasks[0].attempts[0].job.to_string();
    let answer = |event: &run::Stub| event.kind == 12;
    let seq = asker.state().run.events.iter().position(answer).unwrap() as u64;
    asker.perform(&Command::Run(run::Action::Event(seq)));
    asker.until("the signed event is read", |state| state.run.raw.is_some());
    let raw = asker.state().run.raw.clone().unwrap().unwrap();
    let signed: nostr::Event = serde_json::from_str(&raw.events[0]).unwrap();
    assert!(signed.verify().is_ok() && signed.kind == frlm_protocol::kinds::JOB_RESULT, "{came}");

    // So is our job, which is opened with the run's own key, and the receipt of its pay.
    let first = |asker: &mut Live, kind: u8| {
        let found = asker.state().run.events.iter().position(|event| event.kind == kind).unwrap() as u64;
        asker.perform(&Command::Run(run::Action::Event(found)));
        asker.until("what is behind it is read", |state| state.run.raw.is_some());
        asker.state().run.raw.clone().unwrap().unwrap()
    };
    let job = first(&mut asker, 10);
    let sent: nostr::Event = serde_json::from_str(&job.events[0]).unwrap();
    let jobs: Vec<String> = asker
        .state()
        .run
        .view
        .subtasks
        .iter()
        .flat_map(|lane| &lane.attempts)
        .map(|attempt| attempt.job.to_string())
        .collect();
    assert!(sent.verify().is_ok() && jobs.contains(&sent.id.to_hex()), "{job:?}");
    assert!(job.opened.unwrap().contains("order="), "the document is in it");
    let settled = first(&mut asker, 8);
    assert!(settled.receipt[0].starts_with("Ledger: ") && settled.receipt[1].contains("to the provider"));
    let word: nostr::Event = serde_json::from_str(&settled.events[0]).unwrap();
    assert_eq!(word.kind, frlm_protocol::kinds::SETTLEMENT);
    assert!(settled.opened.is_none(), "a word that pays is not shown opened");

    provider.until("it is paid", |state| {
        state.earn.pay.sum(EarningState::Earned).sats > 0 && state.earn.pay.pending().jobs == 0
    });
    let earned = provider.state().earn.pay.sum(EarningState::Earned);
    // What the mints took of it is the rest.
    assert!(earned.sats <= budget.spent_sats && earned.sats + budget.fees_sats >= earned.jobs, "{earned:?}");
    provider.perform(&Command::Earn(earn::Action::List(earn::Listed::Pay)));
    provider.window().step();
    assert!(provider.window().query_all_by_label_contains("earned").count() > 0);

    // It is in the wallet, and still in the book when the screen is opened again.
    provider.perform(&Command::Go(Screen::Wallet));
    provider.perform(&Command::Wallet(wallet::Action::Reload));
    provider.until("the wallet holds it", |state| {
        state.wallet.balance.holdings().is_some_and(|holdings| holdings.available() == earned.sats)
    });
    provider.perform(&Command::Earn(earn::Action::StopNow));
    swarm.runtime.block_on(mint.shutdown());
}

#[test]
fn a_window_pays_what_a_dead_run_owes_and_says_it_until_then() {
    let mut swarm = Swarm::start(0, Duration::ZERO, 0);
    swarm.lose_relay();
    let Owing { folder, mint, wallet: payer, ledger, .. } = swarm.runtime.block_on(Owing::at(swarm.address));
    drop((payer, ledger));
    let mut live = Live::in_folder(folder, "");
    let says = |words: &'static str| {
        move |state: &State| state.notices.iter().any(|notice| notice.what.contains(words))
    };
    live.until("what waits is said", says("still owed"));
    live.perform(&Command::Go(Screen::Wallet));
    live.perform(&Command::Wallet(wallet::Action::Tab(wallet::Tab::Balance)));
    live.until("it is listed", |state| {
        state.wallet.balance.holdings().is_some_and(|holdings| holdings.owed.len() == 1)
    });
    live.window().get_by_label_contains("13 sats owed");
    swarm.bring_relay_back();
    live.until("it is paid", says("Debts of earlier runs are paid"));
    live.perform(&Command::Wallet(wallet::Action::Reload));
    live.until("nothing is owed any more", |state| {
        let holdings = state.wallet.balance.holdings();
        holdings.is_some_and(|holdings| holdings.owed.is_empty() && holdings.available() == 87)
    });
    live.click("Audit");
    live.until("all books are compared", |state| {
        let audit = state.wallet.audit.as_ref().and_then(Load::ready);
        audit.is_some_and(|audit| audit.agrees().is_ok() && audit.compared.is_some_and(|all| all.proofs > 0))
    });
    swarm.runtime.block_on(mint.shutdown());
}

#[test]
fn a_price_that_nobody_could_pay_is_not_announced() {
    let swarm = Swarm::start(0, Duration::ZERO, 0);
    let mut live = Live::with_settings(&format!("{}[provide]\nprice = 2\n", swarm.settings()));
    vault::create(&live.home().wallet(), &Phrase::generate(), None).unwrap();
    live.perform(&Command::Go(Screen::Earn));
    live.until("the offer was read and the wallet looked at", |state| {
        state.earn.payment_setup == PaymentSetup::NoMint && !state.earn.form.relays.is_empty()
    });
    live.click("Go online");
    assert!(!live.state().earn.is_on() && live.state().earn.can_start());
    live.click("Add a mint");
    assert_eq!((live.state().screen, live.state().wallet.tab), (Screen::Wallet, wallet::Tab::Balance));
}

/// Waits until the local swarm has quoted a price for its sample.
fn has_quote(live: &mut Live, sample: Speaks) {
    live.until("the swarm serves", |state| state.swarm.is_on());
    live.perform(&Command::Ask(ask::Action::Sample(sample)));
    live.perform(&Command::Go(Screen::Ask));
    live.until(
        "there is a quote",
        |state| matches!(&state.ask.previewed, ask::Previewed::Known { expected, .. } if *expected > 0),
    );
}

#[test]
fn the_local_swarm_is_paid_in_play_money_that_is_labelled_everywhere() {
    let mut live = Live::with_settings("");
    let models = std::array::from_fn(|_| copying(Duration::from_millis(2)));
    live.window().state().engine().serve_here(models);
    has_quote(&mut live, Speaks::Embedded);
    live.window().get_by_label("play money, worth nothing");
    live.perform(&Command::Ask(ask::Action::Start));
    live.until("an answer", |state| state.answered().is_some());
    let answer = live.state().answered().unwrap().clone();
    assert!(answer.answer.contains("48"), "{}", answer.answer);
    assert!(answer.budget.spent_sats > 0);
    assert_eq!(live.state().run.unit, Unit::Play);
    live.window().get_by_label("play money, worth nothing");

    // The record knows it too.
    live.open_again();
    assert_eq!(live.state().run.unit, Unit::Play);
    live.perform(&Command::Go(Screen::Wallet));
    live.until("its account is there", |state| {
        state.wallet.accounts.ready().is_some_and(|all| all.len() == 1)
    });
    let wallet = &live.state().wallet;
    let account = &wallet.accounts.ready().unwrap()[0];
    assert_eq!((account.unit, account.sums.spent), (Unit::Play, answer.budget.spent_sats));
    assert_eq!(wallet.total.spent, 0, "play money is no money");
}

#[test]
fn a_recording_answers_in_words_and_every_screen_labels_it() {
    let mut live = Live::with_settings("");
    live.perform(&Command::StartLocalSwarm(Speaks::Recording));
    has_quote(&mut live, Speaks::Recording);
    live.perform(&Command::Ask(ask::Action::Start));
    live.until("an answer", |state| state.answered().is_some());
    let answer = live.state().answered().unwrap().clone();
    let is_whole = (answer.coverage - 1.0).abs() < 1e-9;
    assert!(is_whole && answer.verification.claims.is_some(), "{}", answer.answer);
    live.perform(&Command::Go(Screen::Answer));
    live.until("it is drawn", |state| state.screen == Screen::Answer);
    live.window().get_by_label_contains("The providers play a recording");

    // The record knows it too.
    live.open_again();
    live.perform(&Command::Go(Screen::Answer));
    live.until("it is drawn", |state| state.screen == Screen::Answer);
    live.window().get_by_label_contains("The providers play a recording");
}
