mod audit;
mod sats;

use egui::Theme;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use frlm_client::wallet_audit::{Compared, HomeAudit};
use frlm_wallet::Difference;
use frlm_wallet::cashu::TransferState;

use super::balance::{
    self, Flow, Held, Holdings, Mint, Move, Payment, Receiving, Secret, SendRequest, Sending, WalletStatus,
};
use super::state::{Account, Action, Event, Step, Sums, Tab, Wallet};
use crate::desktop::app::Desktop;
use crate::desktop::engine::Event as AppEvent;
use crate::desktop::screens::Screen;
use crate::desktop::screens::load::Load;
use crate::desktop::state::State;
use crate::desktop::testing::{click, pictures, press, sizes, window, window_sized};
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
    let audit = HomeAudit { transitions: 19, reservations: 8, runs: 3, ..HomeAudit::default() };
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
    drawn.get_by_label_contains("12 sats counted as spent, but still owed");
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
        peer: if matches!(flow, Flow::Moved(_)) {
            "https://mint.example/bitcoin".to_owned()
        } else {
            "4f355bdcb7cc0af728ef3cceb9615d90".to_owned()
        },
        sats,
        fees,
    };
    (0..).zip(flows).map(payment).collect()
}

fn holdings(play: bool) -> Holdings {
    let mint = |url: &str, available, pending, limit| Mint {
        url: url.to_owned(),
        available,
        pending,
        limit,
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
    wallet.perform(&Action::Tab(Tab::Balance));
    let status = Load::Ready(WalletStatus::Open(holdings(play)));
    wallet.apply(Event::Balance(balance::Event::Status(status)));
    wallet
}

#[test]
fn what_earlier_runs_owe_is_told_from_what_is_in_escrow() {
    let owed = balance::Owed { run: "b1b2c3d4e5f60718".to_owned(), whose: (0, 2), sats: 13, since_secs: 880 };
    let status = WalletStatus::Open(Holdings { owed: vec![owed], ..holdings(false) });
    let mut wallet = opened(false);
    wallet.apply(Event::Balance(balance::Event::Status(Load::Ready(status))));
    let window = window(screen(wallet), Theme::Light);
    window.get_by_label("Owed");
    window.get_by_label_contains("13 sats owed for an accepted answer 2 min ago");
    window.get_by_label_contains("part 1, attempt 3");
    window.get_by_label("4 sats, locked 6 min ago");
    window.get_by_label_contains("refunded in 4 min 00 s at the latest");
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
    window.get_by_label_contains("reserved, part 2, attempt 2, 60");
}

#[test]
fn in_a_small_window_there_is_room_for_the_questions_of_runs() {
    let has_free = |size| {
        let drawn = window_sized(screen(filled()), Theme::Light, size, 1.0);
        drawn.query_by_label("Sort by Available").is_some()
    };
    assert!(has_free(egui::vec2(1280.0, 800.0)) && !has_free(egui::vec2(960.0, 600.0)));
}

#[test]
fn the_total_is_the_sum_of_all_accounts() {
    let total = filled().total;
    assert_eq!((total.limit, total.spent, total.reserved, total.available), (3_500, 651, 60, 2_789));
}

#[test]
fn accounts_history_and_payments_are_sorted_by_their_heads() {
    let mut wallet = filled();
    wallet.perform(&Action::Choose("a1b2c3d4e5f60718".to_owned()));
    let steps = Load::Ready(steps());
    wallet.apply(Event::History { run: "a1b2c3d4e5f60718".to_owned(), steps });
    let mut window = window(screen(wallet), Theme::Light);
    let top = |window: &Harness<'_, Desktop>, words: &str| window.get_by_label_contains(words).rect().top();
    click(&mut window, "Sort by Budget");
    let (dear, usual, deleted) =
        ("Which customer returned", "3 min ago, How many orders", "c1b2c3d4, deleted");
    assert!(top(&window, dear) < top(&window, usual) && top(&window, usual) < top(&window, deleted));
    click(&mut window, "Sort by Entry, now largest first");
    assert!(top(&window, "901, 2 min ago, budget set") < top(&window, "902, 2 min ago, reserved"));
    let status = Load::Ready(WalletStatus::Open(holdings(false)));
    let wallet = &mut window.state_mut().state_mut().wallet;
    wallet.apply(Event::Balance(balance::Event::Status(status)));
    wallet.perform(&Action::Tab(Tab::Payments));
    window.run_ok();
    click(&mut window, "Sort by Sats");
    assert!(top(&window, "received over Lightning") < top(&window, "sent over Lightning"));
    assert!(top(&window, "sent over Lightning") < top(&window, "a token not redeemed yet"));
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
    assert!(window.get_by_label_contains("sent over Lightning").is_focused());
}
