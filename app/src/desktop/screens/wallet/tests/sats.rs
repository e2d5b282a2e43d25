//! Sats of one's own: mints, words, tokens, payments.

use super::*;

#[test]
fn every_state_of_the_sats_has_its_picture() {
    let mut none = filled();
    none.perform(&Action::Tab(Tab::Balance));
    none.apply(Event::Balance(balance::Event::Status(Load::Ready(WalletStatus::None))));
    pictures("wallet_none", &screen(none.clone()));
    none.apply(Event::Balance(balance::Event::Made(Secret(WORDS.to_owned()))));
    pictures("wallet_words", &screen(none));
    pictures("wallet_sats", &screen(opened(false)));
    let mut listed = opened(false);
    listed.perform(&Action::Tab(Tab::Payments));
    pictures("wallet_payments", &screen(listed));
    let mut sent = opened(false);
    let token = format!("cashuB{}", "o2F0gaJhaUgA".repeat(20));
    sent.apply(Event::Balance(balance::Event::Sending(Sending::Token(Secret(token)))));
    pictures("wallet_token", &screen(sent));
    let mut removing = opened(false);
    let mint = "https://mint.example/bitcoin".to_owned();
    removing.perform(&Action::Balance(balance::Action::AskRemove(Some(mint))));
    pictures("wallet_remove", &screen(removing));
    let mut restoring = filled();
    restoring.perform(&Action::Tab(Tab::Balance));
    restoring.apply(Event::Balance(balance::Event::Status(Load::Ready(WalletStatus::None))));
    restoring.perform(&Action::Balance(balance::Action::Phrase(Some(Secret("abandon ability".to_owned())))));
    pictures("wallet_restore", &screen(restoring));
    let mut paying = opened(true);
    let bolt11 = format!("lnbc640n1p{}", "q9wh2k".repeat(40));
    let receiving = Receiving::Invoice { bolt11, sats: 64 };
    paying.apply(Event::Balance(balance::Event::Receiving(receiving)));
    paying.apply(Event::Balance(balance::Event::Sending(Sending::Confirm(SendRequest::Token(21)))));
    pictures("wallet_play", &screen(paying));
    sizes("wallet_sats", &screen(opened(false)));
}

const WORDS: &str = "abandon ability able about above absent absorb abstract absurd abuse access accident";

#[test]
fn new_words_stay_visible_until_some_of_them_were_typed() {
    let mut made = filled();
    made.perform(&Action::Tab(Tab::Balance));
    made.apply(Event::Balance(balance::Event::Made(Secret(WORDS.to_owned()))));
    let mut window = window(screen(made), Theme::Light);
    click(&mut window, "I have written them down");
    assert!(window.query_by_label_contains("abandon").is_none(), "they are hidden while they are asked for");
    click(&mut window, "These are the words");
    window.get_by_label_contains("Some of these words are wrong");
    click(&mut window, "Show them again");
    window.get_by_label_contains("abandon");
    click(&mut window, "I have written them down");
    let balance = &mut window.state_mut().state_mut().wallet.balance;
    let asked = balance.quiz.clone().unwrap().asked;
    for (number, (place, _)) in asked.into_iter().enumerate() {
        let word = WORDS.split(' ').nth(place - 1).unwrap().to_uppercase();
        balance.perform(&balance::Action::Quiz(balance::QuizStep::Word(number, Secret(word))));
    }
    window.run_ok();
    click(&mut window, "These are the words");
    let balance = &window.state().state().wallet.balance;
    assert!(balance.words.is_none() && balance.quiz.is_none());
}

#[test]
fn the_words_of_an_existing_wallet_show_without_a_typing_test() {
    let mut opened = opened(false);
    opened.perform(&Action::Balance(balance::Action::AskReveal(true)));
    opened.apply(Event::Balance(balance::Event::Made(Secret(WORDS.to_owned()))));
    let mut window = window(screen(opened), Theme::Light);
    click(&mut window, "I have written them down");
    assert!(window.state().state().wallet.balance.words.is_none());
}

#[test]
fn play_money_is_called_so_wherever_an_amount_stands() {
    let window = window(screen(opened(true)), Theme::Light);
    window.get_by_label("Play money: worth nothing");
    window.get_by_label("12,900 play sats");
}

#[test]
fn a_token_that_nobody_took_can_be_taken_back() {
    let out = balance::Out { id: "7".to_owned(), sats: 20, since_secs: 880 };
    let status = WalletStatus::Open(Holdings { out: vec![out], ..holdings(false) });
    let mut wallet = opened(false);
    wallet.apply(Event::Balance(balance::Event::Status(Load::Ready(status))));
    let window = window(screen(wallet), Theme::Light);
    window.get_by_label("Tokens not redeemed yet");
    window.get_by_label_contains("20 sats, made 2 min ago");
    window.get_by_label("Redeem 20 sats");
}

#[test]
fn nothing_is_sent_before_the_user_has_agreed() {
    let mut wallet = opened(false);
    wallet.perform(&Action::Balance(balance::Action::Outgoing(Secret("21".to_owned()))));
    wallet.apply(Event::Balance(balance::Event::Sending(Sending::Confirm(SendRequest::Token(21)))));
    let mut window = window(screen(wallet), Theme::Light);
    click(&mut window, "Cancel");
    assert_eq!(window.state().state().wallet.balance.sending, Sending::Idle);
}

#[test]
fn neither_words_nor_tokens_nor_what_is_typed_reach_a_log() {
    let mut wallet = opened(false);
    wallet.apply(Event::Balance(balance::Event::Made(Secret("abandon ability".to_owned()))));
    wallet.perform(&Action::Balance(balance::Action::Incoming(Secret("cashuBsecret".to_owned()))));
    wallet.apply(Event::Balance(balance::Event::Sending(Sending::Token(Secret("cashuBsecret".to_owned())))));
    let action = Action::Balance(balance::Action::Incoming(Secret("cashuBsecret".to_owned())));
    let said = format!("{wallet:?} {action:?} {:?}", Secret("abandon ability".to_owned()));
    assert!(!said.contains("secret") && !said.contains("abandon"), "{said}");
}

#[test]
fn a_mint_that_holds_sats_goes_off_the_list_only_after_a_question() {
    let mut window = window(screen(opened(false)), Theme::Light);
    click(&mut window, "Remove https://mint.example/bitcoin");
    window.get_by_label("Remove this mint?");
    window.get_by_label_contains("It holds 12,460 sats.");
    window.key_press(egui::Key::Escape);
    window.run_ok();
    assert!(window.query_by_label("Remove this mint?").is_none());
    click(&mut window, "Remove https://mint.example/bitcoin");
    // It may lie below what is in sight.
    press(&mut window, "Remove");
    assert!(window.state().state().wallet.balance.removing.is_none());
}

/// An invoice waits to be paid.
fn receiving(play: bool) -> Wallet {
    let mut wallet = opened(play);
    let receiving = Receiving::Invoice { bolt11: format!("lnbc640n1p{}", "q9wh2k".repeat(20)), sats: 64 };
    wallet.apply(Event::Balance(balance::Event::Receiving(receiving)));
    wallet
}

#[test]
fn an_invoice_of_play_money_is_shown_to_no_lightning_wallet() {
    for play in [false, true] {
        let window = window(screen(receiving(play)), Theme::Light);
        for invites in ["Pay this invoice of 64 sats with any", "The invoice as a QR code", "lnbc640n1p"] {
            assert_eq!(window.query_all_by_label_contains(invites).count() > 0, !play, "{invites}");
        }
        window.get_by_label("waiting for payment");
    }
}

#[test]
fn nobody_has_to_wait_for_an_invoice_to_be_paid() {
    let wallet = receiving(false);
    let mut window = window(screen(wallet), Theme::Light);
    // It may lie below what is in sight.
    press(&mut window, "Stop waiting");
    window.get_by_label("Receive");
    // It is paid after all.
    let done = Event::Balance(balance::Event::Receiving(Receiving::Done(64)));
    window.state_mut().state_mut().wallet.apply(done);
    window.run_ok();
    window.get_by_label("64 sats received");
}

/// A token was given to a mint, and nobody knows what it did.
fn in_doubt() -> Wallet {
    let mut wallet = opened(false);
    let what = "It is not known yet whether the sats were received".to_owned();
    let why = "https://mint.example/bitcoin did not answer clearly (it timed out). If the mint has exchanged the token, \
               this wallet gets the sats when it is next opened. If not, the token is still good. Give it to nobody until \
               then. Quit FRLM, and open it again when the mint answers. If no sats arrive, receive the token again."
        .to_owned();
    wallet.perform(&Action::Balance(balance::Action::Incoming(Secret("cashuBo2F0".to_owned()))));
    wallet.perform(&Action::Balance(balance::Action::Receive));
    wallet.apply(Event::Balance(balance::Event::Unclear(what, why)));
    wallet
}

#[test]
fn what_nobody_knows_of_sats_that_may_come_in_stays_until_it_was_read() {
    pictures("wallet_unclear", &screen(in_doubt()));
    let mut window = window(screen(in_doubt()), Theme::Light);
    let what = "It is not known yet whether the sats were received";
    window.get_by_label(what);
    assert!(window.query_by_label("Nothing was received").is_none());
    window.get_by_label("Quit FRLM");
    let balance = &mut window.state_mut().state_mut().wallet.balance;
    assert_eq!((&balance.receiving, balance.incoming.as_str()), (&Receiving::Idle, "cashuBo2F0"));
    balance.perform(&balance::Action::Outgoing(Secret("5".to_owned())));
    window.run_ok();
    window.get_by_label(what);
    click(&mut window, "OK");
    assert!(window.query_by_label(what).is_none());
}
