//! The wallet with a real mint of play money: made, filled, spent from, all by its buttons.

use egui_kittest::kittest::Queryable as _;
use frlm_wallet::cashu::{PlayMint, PlayMintOptions};

use super::bench::Live;
use crate::desktop::command::Command;
use crate::desktop::screens::Screen;
use crate::desktop::screens::wallet::balance::{self, QuizStep, Receiving, Secret, Sending};
use crate::desktop::screens::wallet::{Action, Tab};
use crate::desktop::state::State;

fn act(live: &mut Live, action: balance::Action) {
    live.perform(&Command::Wallet(Action::Balance(action)));
}

fn available(sats: u64) -> impl Fn(&State) -> bool {
    move |state| state.wallet.balance.holdings().is_some_and(|holdings| holdings.available() == sats)
}

fn failed(what: &'static str) -> impl Fn(&State) -> bool {
    move |state| state.wallet.balance.failed.as_ref().is_some_and(|(named, _)| named == what)
}

/// Makes the home's wallet by the buttons for it.
fn make_wallet(live: &mut Live) {
    live.perform(&Command::Go(Screen::Wallet));
    live.perform(&Command::Wallet(Action::Tab(Tab::Balance)));
    live.until("there is no wallet", |state| state.wallet.balance.status.is_some());
    live.click("Create a wallet");
    live.until("the words are shown", |state| state.wallet.balance.words.is_some());
    let words = live.state().wallet.balance.words.clone().unwrap();
    live.click("I have written them down");
    live.until("some of them are asked for", |state| state.wallet.balance.quiz.is_some());
    let asked = live.state().wallet.balance.quiz.clone().expect("some of them are asked for").asked;
    for (number, (place, _)) in asked.into_iter().enumerate() {
        let word = words.0.split_whitespace().nth(place - 1).unwrap().to_owned();
        act(live, balance::Action::Quiz(QuizStep::Word(number, Secret(word))));
    }
    live.click("These are the words");
    live.until("it is open", |state| state.wallet.balance.holdings().is_some());
}

#[test]
fn a_wallet_is_made_filled_and_spent_from_by_its_buttons() {
    let mut live = Live::with_settings("");
    let mint = live.runtime.block_on(PlayMint::start(PlayMintOptions::default())).unwrap();
    make_wallet(&mut live);
    assert!(live.state().wallet.balance.words.is_none(), "they are shown once");

    act(&mut live, balance::Action::Url(mint.url().to_owned()));
    act(&mut live, balance::Action::Limit("500".to_owned()));
    live.click("Add the mint");
    live.until("the mint is there", |state| {
        state.wallet.balance.holdings().is_some_and(|holdings| holdings.mints.len() == 1)
    });
    live.window().get_by_label("on this machine");

    // Its Lightning is made up: every invoice is paid after a moment.
    act(&mut live, balance::Action::Incoming(Secret("64".to_owned())));
    live.click("Receive");
    live.until("the sats arrive", |state| matches!(state.wallet.balance.receiving, Receiving::Done(64)));
    live.until("they are shown", available(64));

    act(&mut live, balance::Action::Outgoing(Secret("20".to_owned())));
    live.click("Send");
    live.until("the user is asked", |state| matches!(state.wallet.balance.sending, Sending::Confirm(_)));
    assert!(available(64)(live.state()), "nothing has moved before");
    live.click("Create the token");
    live.until("the token is there", |state| matches!(state.wallet.balance.sending, Sending::Token(_)));
    live.until("its sats are gone", available(44));
    let Sending::Token(token) = live.state().wallet.balance.sending.clone() else { panic!("a token") };

    act(&mut live, balance::Action::Incoming(token.clone()));
    live.click("Receive");
    live.until("the token is redeemed", available(64));

    // Taken back by its button, it needs no text.
    live.click("Done");
    act(&mut live, balance::Action::Outgoing(Secret("12".to_owned())));
    live.click("Send");
    live.until("the user is asked", |state| matches!(state.wallet.balance.sending, Sending::Confirm(_)));
    live.click("Create the token");
    live.until("it is listed", |state| {
        state.wallet.balance.holdings().is_some_and(|holdings| holdings.out.len() == 1)
    });
    assert!(available(52)(live.state()));
    live.press("Redeem 12 sats");
    live.until("it is back", |state| {
        available(64)(state)
            && state.wallet.balance.holdings().is_some_and(|holdings| holdings.out.is_empty())
    });

    // What was moved is listed beside what was paid.
    let payments = live.state().wallet.balance.holdings().unwrap().payments.clone();
    let moved = |sats, as_token| {
        let is = |flow| matches!(flow, balance::Flow::Moved(moved) if moved.as_token == as_token);
        payments.iter().any(|payment| payment.sats == sats && is(payment.flow))
    };
    assert!(moved(64, false) && moved(20, true), "{payments:?}");

    // A second time it is worth nothing, and says so.
    act(&mut live, balance::Action::Incoming(token));
    live.click("Receive");
    live.until("the mint refuses it", |state| state.wallet.balance.failed.is_some());
    live.window().get_by_label("Nothing was received");
    assert!(available(64)(live.state()));
    live.runtime.block_on(mint.shutdown());
}

#[test]
fn too_few_sats_and_an_absent_mint_are_named_and_the_balance_stays() {
    let mut live = Live::with_settings("");
    let mint = live.runtime.block_on(PlayMint::start(PlayMintOptions::default())).unwrap();
    make_wallet(&mut live);
    act(&mut live, balance::Action::Url(mint.url().to_owned()));
    live.click("Add the mint");
    live.until("the mint is there", |state| {
        state.wallet.balance.holdings().is_some_and(|holdings| holdings.mints.len() == 1)
    });
    act(&mut live, balance::Action::Incoming(Secret("64".to_owned())));
    live.click("Receive");
    live.until("they are shown", available(64));
    let why = |live: &mut Live| live.state().wallet.balance.failed.clone().unwrap().1;

    act(&mut live, balance::Action::Outgoing(Secret("100".to_owned())));
    live.click("Send");
    live.until("the user is asked", |state| matches!(state.wallet.balance.sending, Sending::Confirm(_)));
    live.click("Create the token");
    live.until("it is refused", failed("It was not sent"));
    live.window().get_by_label("It was not sent");
    let named = why(&mut live);
    assert!(named.contains("100 sats needed, 64 sats available"), "{named}");
    assert!(available(64)(live.state()));

    let url = mint.url().to_owned();
    live.runtime.block_on(mint.shutdown());
    act(&mut live, balance::Action::Incoming(Secret("5".to_owned())));
    live.click("Receive");
    live.until("the mint is missed", failed("Nothing was received"));
    live.window().get_by_label("Nothing was received");
    let named = why(&mut live);
    assert!(named.contains(&url), "{named}");
    assert!(available(64)(live.state()), "what it holds is still shown");
}

#[test]
fn a_remote_unencrypted_mint_is_refused_with_the_reason() {
    let mut live = Live::with_settings("");
    make_wallet(&mut live);
    act(&mut live, balance::Action::Url("http://mint.example".to_owned()));
    live.click("Add the mint");
    live.until("it is refused", |state| state.wallet.balance.failed.is_some());
    live.window().get_by_label("The mint was not added");
    assert!(live.state().wallet.balance.holdings().unwrap().mints.is_empty());
}
