use egui::Theme;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use frlm_wallet::cashu::TransferState;

use super::purse::{
    self, Flow, Held, Holdings, Mint, Move, Order, Payment, Receiving, Sending, Standing, Words,
};
use super::state::{Account, Action, Audit, Event, Step, Sums, Tab, Wallet};
use crate::desktop::app::Desktop;
use crate::desktop::engine::Event as AppEvent;
use crate::desktop::screens::Screen;
use crate::desktop::screens::load::Load;
use crate::desktop::state::State;
use crate::desktop::testing::{pictures, sizes, window, window_sized};
use crate::desktop::widgets::Unit;

const NOW_MS: u64 = 1_800_000_000_000;

fn account(run: &str, question: &str, minutes: u64, (limit, spent, reserved): (u64, u64, u64)) -> Account {
    let available = limit - spent - reserved;
    Account {
        run: run.to_owned(),
        question: question.to_owned(),
        opened_at_ms: NOW_MS - minutes * 60_000,
        unit: Unit::Sats,
        sums: Sums { limit, spent, fees: spent / 100, owed: 0, reserved, pending_refund: 0, available },
    }
}

fn filled() -> Wallet {
    let mut wallet = Wallet::default();
    let accounts = vec![
        account("a1b2c3d4e5f60718", "How many orders have status failed?", 3, (1_000, 240, 60)),
        account("b1b2c3d4e5f60718", "Which customer returned the most items?", 64, (2_000, 411, 0)),
        account("c1b2c3d4e5f60718", "", 3_000, (500, 0, 0)),
    ];
    wallet.apply(Event::Accounts { accounts: Load::Ready(accounts), now_ms: NOW_MS });
    wallet
}

/// Of a run that spent 240 of its 1000 sats and has set 60 aside.
fn steps() -> Vec<Step> {
    let step = |sequence, what, whose, sats| Step { sequence, at_ms: NOW_MS - 120_000, what, whose, sats };
    vec![
        step(907, "reserve", Some((1, 1)), Some(60)),
        step(906, "give_back", Some((1, 0)), None),
        step(905, "reserve", Some((1, 0)), Some(60)),
        step(904, "settle", Some((0, 0)), Some(240)),
        step(903, "publish", Some((0, 0)), None),
        step(902, "reserve", Some((0, 0)), Some(250)),
        step(901, "limit", None, Some(1_000)),
    ]
}

fn screen(wallet: Wallet) -> State {
    State { screen: Screen::Wallet, wallet, ..State::default() }
}

#[test]
fn every_state_has_its_picture() {
    pictures("wallet_loading", &screen(Wallet::default()));
    let mut empty = Wallet::default();
    empty.apply(Event::Accounts { accounts: Load::Ready(Vec::new()), now_ms: NOW_MS });
    pictures("wallet_empty", &screen(empty));
    let mut broken = Wallet::default();
    let why = "cannot open the ledger /home/ada/.local/share/frlm/ledger.db: the disk is full".to_owned();
    broken.apply(Event::Accounts { accounts: Load::Failed(why), now_ms: NOW_MS });
    pictures("wallet_error", &screen(broken));
    let mut wallet = filled();
    wallet.perform(&super::Action::Choose("a1b2c3d4e5f60718".to_owned()));
    let steps = Load::Ready(steps());
    wallet.apply(Event::History { run: "a1b2c3d4e5f60718".to_owned(), steps });
    let audit = Audit { transitions: 19, reservations: 8, runs: 3, mismatches: Vec::new() };
    wallet.apply(Event::Audited(Load::Ready(audit)));
    pictures("wallet_history", &screen(wallet.clone()));
    sizes("wallet_history", &screen(wallet));
}

/// The chosen run owes some of what it spent.
fn owing() -> Wallet {
    let mut wallet = Wallet::default();
    let mut owing = account("a1b2c3d4e5f60718", "How many orders have status failed?", 3, (1_000, 240, 60));
    owing.sums.owed = 12;
    let other = account("b1b2c3d4e5f60718", "Which customer returned the most items?", 64, (2_000, 411, 0));
    wallet.apply(Event::Accounts { accounts: Load::Ready(vec![owing, other]), now_ms: NOW_MS });
    wallet.perform(&Action::Choose("a1b2c3d4e5f60718".to_owned()));
    let steps = Load::Ready(steps());
    wallet.apply(Event::History { run: "a1b2c3d4e5f60718".to_owned(), steps });
    wallet
}

#[test]
fn what_is_owed_stands_apart_from_what_is_spent() {
    pictures("wallet_owed", &screen(owing()));
    sizes("wallet_owed", &screen(owing()));
    let drawn = window(screen(owing()), Theme::Light);
    drawn.get_by_label("paid 639");
    drawn.get_by_label("owed 12");
    // Of the same sum, in the same words.
    drawn.get_by_label_contains("counted as spent, part 1, attempt 1, 240");
    drawn.get_by_label_contains("12 sats of what counts as spent are still owed");
    let drawn = window(screen(filled()), Theme::Light);
    assert!(drawn.query_by_label("owed 0").is_none(), "nothing is owed");
}

fn moved(incoming: bool, as_token: bool, state: TransferState) -> Flow {
    Flow::Moved(Move { incoming, as_token, state })
}

fn payments() -> Vec<Payment> {
    let flows = [
        (Flow::Paid, 4, 1),
        (Flow::Back, 4, 2),
        (Flow::Owed, 4, 0),
        (Flow::Locked, 4, 0),
        (Flow::Earned, 12, 1),
        (Flow::Due, 9, 0),
        (Flow::Pending, 9, 0),
        (Flow::GivenBack, 9, 0),
        (Flow::Withheld, 7, 0),
        (moved(true, false, TransferState::Done), 500, 0),
        (moved(false, true, TransferState::Pending), 20, 0),
        (moved(false, false, TransferState::Done), 40, 1),
    ];
    let payment = |(minutes, (flow, sats, fees)): (u64, _)| Payment {
        at_ms: 1_000_000_u64.saturating_sub(minutes * 60_000),
        flow,
        run: if minutes < 3 { "a1b2c3d4e5f60718".to_owned() } else { String::new() },
        peer: match flow {
            Flow::Moved(_) => "https://mint.example/bitcoin".to_owned(),
            _ => "4f355bdcb7cc0af728ef3cceb9615d90".to_owned(),
        },
        sats,
        fees,
    };
    (0..).zip(flows).map(payment).collect()
}

fn holdings(play: bool) -> Holdings {
    let mint = |url: &str, available, pending, cap| Mint {
        url: url.to_owned(),
        available,
        pending,
        cap,
        on_this_machine: url.starts_with("http://"),
    };
    Holdings {
        play,
        mints: vec![
            mint("https://mint.example/bitcoin", 12_400, 60, Some(20_000)),
            mint("http://127.0.0.1:3338", 500, 0, None),
        ],
        held: vec![Held {
            run: "a1b2c3d4e5f60718".to_owned(),
            whose: (3, 1),
            sats: 4,
            since_secs: 640,
            until_secs: 1_240,
        }],
        owed: Vec::new(),
        out: Vec::new(),
        payments: payments(),
        now_secs: 1_000,
    }
}

fn opened(play: bool) -> Wallet {
    let mut wallet = filled();
    wallet.perform(&Action::Tab(Tab::Purse));
    let standing = Load::Ready(Standing::Open(holdings(play)));
    wallet.apply(Event::Purse(purse::Event::Standing(standing)));
    wallet
}

#[test]
fn every_state_of_the_sats_has_its_picture() {
    let mut none = filled();
    none.perform(&Action::Tab(Tab::Purse));
    none.apply(Event::Purse(purse::Event::Standing(Load::Ready(Standing::None))));
    pictures("wallet_none", &screen(none.clone()));
    none.apply(Event::Purse(purse::Event::Made(Words(WORDS.to_owned()))));
    pictures("wallet_words", &screen(none));
    pictures("wallet_sats", &screen(opened(false)));
    let mut listed = opened(false);
    listed.perform(&Action::Tab(Tab::Payments));
    pictures("wallet_payments", &screen(listed));
    let mut sent = opened(false);
    let token = format!("cashuB{}", "o2F0gaJhaUgA".repeat(20));
    sent.apply(Event::Purse(purse::Event::Sending(Sending::Token(token))));
    pictures("wallet_token", &screen(sent));
    let mut removing = opened(false);
    let mint = "https://mint.example/bitcoin".to_owned();
    removing.perform(&Action::Purse(purse::Action::AskRemove(Some(mint))));
    pictures("wallet_remove", &screen(removing));
    let mut restoring = filled();
    restoring.perform(&Action::Tab(Tab::Purse));
    restoring.apply(Event::Purse(purse::Event::Standing(Load::Ready(Standing::None))));
    restoring.perform(&Action::Purse(purse::Action::Phrase(Some("abandon ability".to_owned()))));
    pictures("wallet_restore", &screen(restoring));
    let mut paying = opened(true);
    let bolt11 = format!("lnbc640n1p{}", "q9wh2k".repeat(40));
    let receiving = Receiving::Invoice { bolt11, sats: 64 };
    paying.apply(Event::Purse(purse::Event::Receiving(receiving)));
    paying.apply(Event::Purse(purse::Event::Sending(Sending::Confirm(Order::Token(21)))));
    pictures("wallet_play", &screen(paying));
    sizes("wallet_sats", &screen(opened(false)));
}

const WORDS: &str = "abandon ability able about above absent absorb abstract absurd abuse access accident";

#[test]
fn new_words_are_gone_once_some_of_them_were_typed_and_can_be_looked_at_until_then() {
    let mut made = filled();
    made.perform(&Action::Tab(Tab::Purse));
    made.apply(Event::Purse(purse::Event::Made(Words(WORDS.to_owned()))));
    let mut window = window(screen(made), Theme::Light);
    window.get_by_label("I have written them down").click();
    window.run_ok();
    assert!(window.query_by_label_contains("abandon").is_none(), "they are hidden while they are asked for");
    window.get_by_label("These are the words").click();
    window.run_ok();
    window.get_by_label_contains("Not all of these are the words");
    window.get_by_label("Show them again").click();
    window.run_ok();
    window.get_by_label_contains("abandon");
    window.get_by_label("I have written them down").click();
    window.run_ok();
    let purse = &mut window.state_mut().state_mut().wallet.purse;
    let asked = purse.quiz.clone().unwrap().asked;
    for (number, (place, _)) in asked.into_iter().enumerate() {
        let word = WORDS.split(' ').nth(place - 1).unwrap().to_uppercase();
        purse.perform(&purse::Action::Quiz(purse::QuizStep::Word(number, word)));
    }
    window.run_ok();
    window.get_by_label("These are the words").click();
    window.run_ok();
    let purse = &window.state().state().wallet.purse;
    assert!(purse.words.is_none() && purse.quiz.is_none());
}

#[test]
fn the_words_of_a_wallet_that_is_there_are_looked_at_without_being_asked_for() {
    let mut opened = opened(false);
    opened.perform(&Action::Purse(purse::Action::AskReveal(true)));
    opened.apply(Event::Purse(purse::Event::Made(Words(WORDS.to_owned()))));
    let mut window = window(screen(opened), Theme::Light);
    window.get_by_label("I have written them down").click();
    window.run_ok();
    assert!(window.state().state().wallet.purse.words.is_none());
}

#[test]
fn play_money_is_called_so_wherever_an_amount_stands() {
    let window = window(screen(opened(true)), Theme::Light);
    window.get_by_label("Play money: worth nothing");
    window.get_by_label("12\u{2009}900 play sats (worth nothing)");
}

#[test]
fn what_earlier_runs_owe_is_told_from_what_is_in_escrow() {
    let owed = purse::Owed { run: "b1b2c3d4e5f60718".to_owned(), whose: (0, 2), sats: 13, since_secs: 880 };
    let standing = Standing::Open(Holdings { owed: vec![owed], ..holdings(false) });
    let mut wallet = opened(false);
    wallet.apply(Event::Purse(purse::Event::Standing(Load::Ready(standing))));
    let window = window(screen(wallet), Theme::Light);
    window.get_by_label("Owed");
    window.get_by_label_contains("13 sats owed, for an answer that counted 2 min ago");
    window.get_by_label_contains("part 1, attempt 3");
    window.get_by_label("4 sats, locked 6 min ago");
    window.get_by_label_contains("back in 4 min 00 s at the latest");
}

#[test]
fn a_token_that_nobody_took_can_be_taken_back() {
    let out = purse::Out { id: "7".to_owned(), sats: 20, since_secs: 880 };
    let standing = Standing::Open(Holdings { out: vec![out], ..holdings(false) });
    let mut wallet = opened(false);
    wallet.apply(Event::Purse(purse::Event::Standing(Load::Ready(standing))));
    let window = window(screen(wallet), Theme::Light);
    window.get_by_label("Tokens that nobody has taken");
    window.get_by_label_contains("20 sats, made 2 min ago");
    window.get_by_label("Take 20 sats back");
}

#[test]
fn nothing_is_sent_before_the_user_has_agreed() {
    let mut wallet = opened(false);
    wallet.perform(&Action::Purse(purse::Action::Outgoing("21".to_owned())));
    wallet.apply(Event::Purse(purse::Event::Sending(Sending::Confirm(Order::Token(21)))));
    let mut window = window(screen(wallet), Theme::Light);
    window.get_by_label("Send nothing").click();
    window.run_ok();
    assert_eq!(window.state().state().wallet.purse.sending, Sending::Idle);
}

#[test]
fn neither_words_nor_tokens_nor_what_is_typed_reach_a_log() {
    let mut wallet = opened(false);
    wallet.apply(Event::Purse(purse::Event::Made(Words("abandon ability".to_owned()))));
    wallet.perform(&Action::Purse(purse::Action::Incoming("cashuBsecret".to_owned())));
    wallet.apply(Event::Purse(purse::Event::Sending(Sending::Token("cashuBsecret".to_owned()))));
    let action = Action::Purse(purse::Action::Incoming("cashuBsecret".to_owned()));
    let said = format!("{wallet:?} {action:?} {:?}", Words("abandon ability".to_owned()));
    assert!(!said.contains("secret") && !said.contains("abandon"), "{said}");
}

#[test]
fn choosing_a_run_shows_its_history_and_late_histories_of_others_do_not() {
    let mut window = window(screen(filled()), Theme::Light);
    window.get_by_label_contains("How many orders").click();
    window.run_ok();
    let late = Event::History { run: "b1b2c3d4e5f60718".to_owned(), steps: Load::Ready(Vec::new()) };
    window.state_mut().state_mut().apply(AppEvent::Wallet(late));
    assert_eq!(window.state().state().wallet.history, Load::Busy);
    let steps = Load::Ready(steps());
    let event = Event::History { run: "a1b2c3d4e5f60718".to_owned(), steps };
    window.state_mut().state_mut().apply(AppEvent::Wallet(event));
    window.run_ok();
    window.get_by_label_contains("set aside, part 2, attempt 2, 60");
}

#[test]
fn in_a_small_window_there_is_room_for_the_questions_of_runs() {
    let has_free = |size| {
        let drawn = window_sized(screen(filled()), Theme::Light, size, 1.0);
        drawn.query_by_label("Sort by Free").is_some()
    };
    assert!(has_free(egui::vec2(1280.0, 800.0)) && !has_free(egui::vec2(960.0, 600.0)));
}

#[test]
fn the_audit_says_what_does_not_add_up() {
    let mut window = window(screen(filled()), Theme::Dark);
    window.get_by_label("Audit").click();
    window.run_ok();
    assert_eq!(window.state().state().wallet.audit, Some(Load::Busy));
    let mismatches = vec!["run a1b2: spent is 241, the log says 240".to_owned()];
    let audit = Audit { transitions: 9, reservations: 3, runs: 1, mismatches };
    window.state_mut().state_mut().apply(AppEvent::Wallet(Event::Audited(Load::Ready(audit))));
    window.run_ok();
    window.get_by_label("Some sums do not follow from the log");
}

#[test]
fn an_audit_of_a_ledger_that_lists_nothing_or_cannot_be_read_is_told_too() {
    let mut empty = Wallet::default();
    empty.apply(Event::Accounts { accounts: Load::Ready(Vec::new()), now_ms: NOW_MS });
    let audit = Audit { transitions: 0, reservations: 0, runs: 0, mismatches: Vec::new() };
    empty.apply(Event::Audited(Load::Ready(audit)));
    window(screen(empty), Theme::Light).get_by_label("All sums add up");
    let why = || "cannot read the ledger /home/ada/.local/share/frlm/ledger.db: disk I/O error".to_owned();
    let mut broken = Wallet::default();
    broken.apply(Event::Accounts { accounts: Load::Failed(why()), now_ms: NOW_MS });
    broken.apply(Event::Audited(Load::Failed(why())));
    pictures("wallet_unaudited", &screen(broken.clone()));
    let mut window = window(screen(broken), Theme::Dark);
    window.get_by_label_contains("The audit could not be made either.");
    // Each of them once: in what is said about it.
    for (said, title) in [("Try again", "Look again"), ("Audit again", "Audit")] {
        assert!(window.query_by_label(said).is_some() && window.query_by_label(title).is_none(), "{title}");
    }
    window.get_by_label("Audit again").click();
    window.run_ok();
    assert_eq!(window.state().state().wallet.audit, Some(Load::Busy));
    window.get_by_label("Audit");
}

#[test]
fn a_wallet_that_cannot_be_opened_any_more_says_so_on_each_of_its_tabs_with_the_button_that_helps() {
    let mut broken = opened(false);
    let why = Load::Failed("the disk is full".to_owned());
    broken.apply(Event::Purse(purse::Event::Standing(why)));
    for tab in [Tab::Purse, Tab::Payments] {
        broken.perform(&Action::Tab(tab));
        let drawn = window(screen(broken.clone()), Theme::Light);
        drawn.get_by_label("The wallet cannot be opened");
        drawn.get_by_label("Try again");
        assert!(drawn.query_by_label("Look again").is_none(), "{tab:?}");
    }
}

#[test]
fn while_the_ledger_is_read_again_an_audit_that_failed_can_still_be_made() {
    let mut broken = Wallet::default();
    broken.apply(Event::Accounts { accounts: Load::Failed("the disk is full".to_owned()), now_ms: NOW_MS });
    broken.apply(Event::Audited(Load::Failed("the disk is full".to_owned())));
    broken.perform(&Action::Reload);
    window(screen(broken), Theme::Light).get_by_label("Audit");
}

#[test]
fn an_audit_that_failed_for_a_reason_of_its_own_says_so() {
    let mut audited = filled();
    audited.apply(Event::Audited(Load::Failed("the log ends in the middle".to_owned())));
    let mut window = window(screen(audited), Theme::Light);
    window.get_by_label("The audit could not be made");
    window.get_by_label("Look again");
    window.get_by_label("Audit again").click();
    window.run_ok();
    assert_eq!(window.state().state().wallet.audit, Some(Load::Busy));
}

#[test]
fn a_history_that_cannot_be_read_can_be_read_again() {
    let mut wallet = filled();
    wallet.perform(&Action::Choose("a1b2c3d4e5f60718".to_owned()));
    let steps = Load::Failed("cannot read the ledger: disk I/O error".to_owned());
    wallet.apply(Event::History { run: "a1b2c3d4e5f60718".to_owned(), steps });
    let mut window = window(screen(wallet), Theme::Light);
    window.get_by_label("Its history cannot be read");
    window.get_by_label("Read it again").click_accesskit();
    window.run_ok();
    assert_eq!(window.state().state().wallet.history, Load::Busy);
}

#[test]
fn the_total_is_the_sum_of_all_accounts() {
    let total = filled().total;
    assert_eq!((total.limit, total.spent, total.reserved, total.available), (3_500, 651, 60, 2_789));
}

#[test]
fn a_mint_that_holds_sats_goes_off_the_list_only_after_a_question() {
    let mut window = window(screen(opened(false)), Theme::Light);
    window.get_by_label("Remove https://mint.example/bitcoin").click();
    window.run_ok();
    window.get_by_label("Take this mint off the list?");
    window.get_by_label_contains("12\u{2009}460 sats lie there.");
    window.key_press(egui::Key::Escape);
    window.run_ok();
    assert!(window.query_by_label("Take this mint off the list?").is_none());
    window.get_by_label("Remove https://mint.example/bitcoin").click();
    window.run_ok();
    // It may lie below what is in sight.
    window.get_by_label("Take it off").click_accesskit();
    window.run_ok();
    assert!(window.state().state().wallet.purse.removing.is_none());
}

#[test]
fn nobody_has_to_wait_for_an_invoice_to_be_paid() {
    let mut wallet = opened(false);
    let receiving = Receiving::Invoice { bolt11: format!("lnbc640n1p{}", "q9wh2k".repeat(20)), sats: 64 };
    wallet.apply(Event::Purse(purse::Event::Receiving(receiving)));
    let mut window = window(screen(wallet), Theme::Light);
    // It may lie below what is in sight.
    window.get_by_label("Wait no longer").click_accesskit();
    window.run_ok();
    window.get_by_label("Receive");
    // It is paid after all.
    let done = Event::Purse(purse::Event::Receiving(Receiving::Done(64)));
    window.state_mut().state_mut().wallet.apply(done);
    window.run_ok();
    window.get_by_label("64 sats have arrived");
}

#[test]
fn accounts_history_and_payments_are_sorted_by_their_heads() {
    let mut wallet = filled();
    wallet.perform(&Action::Choose("a1b2c3d4e5f60718".to_owned()));
    let steps = Load::Ready(steps());
    wallet.apply(Event::History { run: "a1b2c3d4e5f60718".to_owned(), steps });
    let mut window = window(screen(wallet), Theme::Light);
    let top = |window: &Harness<'_, Desktop>, words: &str| window.get_by_label_contains(words).rect().top();
    window.get_by_label("Sort by Limit").click();
    window.run_ok();
    let (dear, usual, deleted) =
        ("Which customer returned", "3 min ago, How many orders", "c1b2c3d4, deleted");
    assert!(top(&window, dear) < top(&window, usual) && top(&window, usual) < top(&window, deleted));
    window.get_by_label("Sort by Entry, now largest first").click();
    window.run_ok();
    assert!(top(&window, "901, 2 min ago, limit set") < top(&window, "902, 2 min ago, set aside"));
    let standing = Load::Ready(Standing::Open(holdings(false)));
    let wallet = &mut window.state_mut().state_mut().wallet;
    wallet.apply(Event::Purse(purse::Event::Standing(standing)));
    wallet.perform(&Action::Tab(Tab::Payments));
    window.run_ok();
    window.get_by_label("Sort by Sats").click();
    window.run_ok();
    assert!(top(&window, "came in over Lightning") < top(&window, "paid over Lightning"));
    assert!(top(&window, "paid over Lightning") < top(&window, "a token that nobody has taken"));
}

#[test]
fn rows_that_do_nothing_cannot_be_pressed_and_are_read_by_the_keys() {
    let mut wallet = opened(false);
    wallet.perform(&Action::Tab(Tab::Payments));
    let mut window = window(screen(wallet), Theme::Light);
    let row = window.get_by_label_contains("paid to a provider");
    assert!(!row.accesskit_node().data().supports_action(egui::accesskit::Action::Click));
    row.focus();
    window.run_ok();
    window.key_press(egui::Key::End);
    window.run_ok();
    assert!(window.get_by_label_contains("paid over Lightning").is_focused());
}

/// A token was given to a mint, and nobody knows what it did.
fn in_doubt() -> Wallet {
    let mut wallet = opened(false);
    let what = "It is not known yet whether the sats were received".to_owned();
    let why = "https://mint.example/bitcoin did not answer clearly (it timed out). If it has exchanged the token, its sats \
               are kept for this wallet and come in when it is opened the next time; if it has not, the token is worth \
               what it was. Give it to nobody meanwhile. Quit FRLM, and open it again once the mint answers. If nothing \
               has come in then, receive the token again."
        .to_owned();
    wallet.perform(&Action::Purse(purse::Action::Incoming("cashuBo2F0".to_owned())));
    wallet.perform(&Action::Purse(purse::Action::Receive));
    wallet.apply(Event::Purse(purse::Event::Unclear(what, why)));
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
    let purse = &mut window.state_mut().state_mut().wallet.purse;
    assert_eq!((&purse.receiving, purse.incoming.as_str()), (&Receiving::Idle, "cashuBo2F0"));
    purse.perform(&purse::Action::Outgoing("5".to_owned()));
    window.run_ok();
    window.get_by_label(what);
    window.get_by_label("Understood").click();
    window.run_ok();
    assert!(window.query_by_label(what).is_none());
}
