//! What does not add up, and what cannot be read.

use super::*;

#[test]
fn the_audit_says_each_difference_with_its_remedy() {
    let mut window = window(screen(filled()), Theme::Dark);
    click(&mut window, "Audit");
    assert_eq!(window.state().state().wallet.audit, Some(Load::Busy));
    let what =
        "https://mint.example says that 20 sats that the wallet counts as available are spent".to_owned();
    let differences = vec![Difference { what, remedy: "move what is left to a new wallet" }];
    let unasked = vec!["https://other.example did not answer".to_owned()];
    tell(&mut window, HomeAudit { differences, unasked: unasked.clone(), ..HomeAudit::default() });
    window.get_by_label("The books do not match");
    window.get_by_label_contains("counts as available are spent; move what is left to a new wallet");
    window.get_by_label_contains("not compared: https://other.example");
    tell(&mut window, HomeAudit { unasked, ..HomeAudit::default() });
    window.get_by_label("All balances match, as far as they could be compared");
    window.get_by_label_contains("not compared: https://other.example");
    let compared = Some(Compared { attempts: 3, receipts: 1, proofs: 12, under_way: 0 });
    tell(&mut window, HomeAudit { compared, ..HomeAudit::default() });
    window.get_by_label_contains("3 attempts, 1 receipt and 12 coins at their mints agree with it.");
}

fn tell(window: &mut Harness<'_, Desktop>, audit: HomeAudit) {
    window.state_mut().state_mut().apply(AppEvent::Wallet(Event::Audited(Load::Ready(audit))));
    window.run_ok();
}

#[test]
fn an_audit_of_a_ledger_that_lists_nothing_or_cannot_be_read_is_told_too() {
    let mut empty = Wallet::default();
    empty.apply(Event::Accounts { accounts: Load::Ready(Vec::new()), now_ms: NOW_MS });
    empty.apply(Event::Audited(Load::Ready(HomeAudit::default())));
    window(screen(empty), Theme::Light).get_by_label("All balances match");
    let why = || "cannot read the ledger /home/ada/.local/share/frlm/ledger.db: disk I/O error".to_owned();
    let mut broken = Wallet::default();
    broken.apply(Event::Accounts { accounts: Load::Failed(why()), now_ms: NOW_MS });
    broken.apply(Event::Audited(Load::Failed(why())));
    pictures("wallet_unaudited", &screen(broken.clone()));
    let mut window = window(screen(broken), Theme::Dark);
    window.get_by_label_contains("The audit could not be made either.");
    // Each of them once: in what is said about it.
    for (said, title) in [("Try again", "Refresh"), ("Audit again", "Audit")] {
        assert!(window.query_by_label(said).is_some() && window.query_by_label(title).is_none(), "{title}");
    }
    click(&mut window, "Audit again");
    assert_eq!(window.state().state().wallet.audit, Some(Load::Busy));
    window.get_by_label("Audit");
}

#[test]
fn an_unopenable_wallet_says_so_on_each_tab_with_the_button_that_helps() {
    let mut broken = opened(false);
    let why = Load::Failed("the disk is full".to_owned());
    broken.apply(Event::Balance(balance::Event::Status(why)));
    for tab in [Tab::Balance, Tab::Payments] {
        broken.perform(&Action::Tab(tab));
        let drawn = window(screen(broken.clone()), Theme::Light);
        drawn.get_by_label("The wallet cannot be opened");
        drawn.get_by_label("Try again");
        assert!(drawn.query_by_label("Refresh").is_none(), "{tab:?}");
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
    window.get_by_label("Refresh");
    click(&mut window, "Audit again");
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
    press(&mut window, "Read it again");
    assert_eq!(window.state().state().wallet.history, Load::Busy);
}
