//! The wallet of this home: opened where there is one, never made by itself.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use frlm_conductor::store::Store;
use frlm_protocol::shown_path;
use frlm_wallet::debts::DebtState;
use frlm_wallet::ledger::{Scheme, State};
use frlm_wallet::nwc::{self, NwcAddress, NwcWallet};
use frlm_wallet::seed::Phrase;
use frlm_wallet::seed::vault::{self, VaultError};
use frlm_wallet::{CashuWallet, Key, Ledger, LedgerError, Money, Sats};
use nostr::Keys;

use crate::failure::{Failure, code};
use crate::home::Home;
use crate::payment::debts;

/// The wallet connection: it is a secret, so that it is no argument that others on this machine see.
pub const CONNECTION: &str = "FRLM_NWC";
/// Seals and opens the seed.
pub(crate) const PASSPHRASE: &str = "FRLM_WALLET_PASSPHRASE";

/// What the owner seals the seed with, if they do.
pub fn passphrase() -> Option<String> {
    std::env::var(PASSPHRASE).ok().filter(|words| !words.is_empty())
}

/// The wallet, or nothing where none was made. What was under way when an earlier process died is
/// looked at first; what that found is said. A mint that says nothing is not waited for.
pub async fn open(home: &Home) -> anyhow::Result<Option<CashuWallet>> {
    open_asking(home, false).await
}

/// As [`open`], for somebody who wants to know what became of everything: all mints are asked and waited for.
pub async fn open_patiently(home: &Home) -> anyhow::Result<Option<CashuWallet>> {
    open_asking(home, true).await
}

async fn open_asking(home: &Home, patiently: bool) -> anyhow::Result<Option<CashuWallet>> {
    let folder = home.wallet();
    if !vault::exists(&folder) {
        return Ok(None);
    }
    let opened = frlm_util::files::make_private(&folder)
        .with_context(|| format!("cannot keep {} from others", shown_path(&folder)))?;
    if opened > 0 {
        notice!(
            "wallet: other users of this machine could read {opened} of its files and folders, and spend its sats; \
             only you can now. If somebody may have read them, send the sats to a new wallet"
        );
    }
    let phrase = phrase(home)?;
    let money = home.money();
    if money == Money::Play {
        notice!("wallet: {}, left by a demo whose mint is gone", money.unit());
    }
    let (wallet, recovery) = if patiently {
        CashuWallet::open_patiently(&folder, phrase.seed(), money).await?
    } else {
        CashuWallet::open(&folder, phrase.seed(), money).await?
    };
    // Another process has it open and recovers nothing of ours; any process may reclaim locks.
    let recovery = match (recovery.busy, patiently) {
        (false, _) => recovery,
        (true, false) => wallet.refund_in_passing().await?,
        (true, true) => {
            wallet.retry_unclear().await?;
            wallet.refund_expired().await?
        }
    };
    for waiting in &recovery.waiting {
        notice!("wallet: {}", frlm_protocol::printable(waiting));
    }
    let arrived = recovery.minted.saturating_add(recovery.refunded);
    if arrived > Sats::ZERO {
        notice!("wallet: {arrived} were refunded or arrived since the last time");
    }
    Ok(Some(wallet))
}

/// Says what should be over by now and is not, where it is and why.
///
/// # Errors
///
/// If anything is: a recovery that leaves something has not done what it was for.
pub async fn nothing_is_stuck(wallet: &CashuWallet) -> anyhow::Result<()> {
    for unknown in wallet.unknown_payments().await? {
        notice!("wallet: {}", frlm_protocol::printable(&unknown.to_string()));
    }
    let stuck = wallet.stuck().await?;
    for each in &stuck {
        notice!("wallet: stuck at {}", frlm_protocol::printable(&each.to_string()));
    }
    let sats: Sats = stuck.iter().map(|each| each.sats).sum();
    if stuck.is_empty() {
        return Ok(());
    }
    let why = format!(
        "{sats} are stuck, as listed above; to move available sats away from a mint that fails: frlm wallet \
         send SATS --mint URL"
    );
    Err(Failure::with_code(code::FAILED, why).into())
}

/// Refuses a wallet of the owner's where there is one, and in a home that a demo left: its sats would be called play
/// money there.
pub fn may_be_made(home: &Home) -> Result<(), Failure> {
    let folder = home.wallet();
    if vault::exists(&folder) {
        return Err(VaultError::Exists(folder).into());
    }
    if home.money() == Money::Play {
        return Err(Failure::usage(format!(
            "{} was left by a demo, and its wallet holds only play money; create a wallet in another home: \
             --home DIR",
            shown_path(home.root())
        )));
    }
    Ok(())
}

/// Makes the wallet of these words. Blocks.
pub fn create(home: &Home, phrase: &Phrase) -> anyhow::Result<()> {
    Ok(vault::create(&home.wallet(), phrase, passphrase().as_deref()).map_err(Failure::from)?)
}

/// The words of the wallet. Blocks.
pub fn phrase(home: &Home) -> anyhow::Result<Phrase> {
    Ok(vault::open(&home.wallet(), passphrase().as_deref()).map_err(Failure::from)?)
}

/// The wallet, or how to make one.
pub async fn need(home: &Home) -> anyhow::Result<CashuWallet> {
    open(home).await?.ok_or_else(|| {
        Failure::usage("this home has no wallet yet; make one with: frlm wallet create").into()
    })
}

/// What to say of an invoice over so many sats, and whether it is shown: one of play money invites no Lightning wallet,
/// whose sats would be lost on it.
pub fn invitation(money: Money, sats: &str) -> (String, bool) {
    let unit = money.unit();
    match money {
        Money::Real => (format!("Pay this invoice of {sats} {unit} with any Lightning wallet."), true),
        Money::Play => {
            let why = "Do not pay it with a Lightning wallet: the sats would be lost.";
            (format!("Its mint pays the invoice of {sats} {unit} itself. {why}"), false)
        }
    }
}

/// How foreign providers are paid before they work.
#[derive(Clone, Default)]
pub struct PayBefore {
    /// What pays their invoices instead of a mint, if the settings want that.
    pub lightning: Option<Arc<NwcWallet>>,
    /// Whether those that name no invoice are given tokens.
    pub tokens: bool,
}

impl PayBefore {
    /// As the settings say. The Lightning wallet is connected to, if they name one.
    pub async fn of(home: &Home) -> anyhow::Result<Self> {
        let settings = home.config()?.pay_before;
        let lightning =
            if settings.lightning { Some(Arc::new(connect_lightning(nwc::TIMEOUT).await?)) } else { None };
        Ok(Self { lightning, tokens: settings.token })
    }

    /// The same beside a wallet of this money: nobody takes play money before it works, and what a Lightning wallet pays
    /// would be counted as worth nothing there, and against no limit.
    #[must_use]
    pub fn beside(self, money: Money) -> Self {
        match money {
            Money::Real => self,
            Money::Play => Self::default(),
        }
    }
}

/// The Lightning wallet of `FRLM_NWC`.
pub async fn connect_lightning(timeout: Duration) -> anyhow::Result<NwcWallet> {
    let address = std::env::var(CONNECTION).map_err(|_| {
        Failure::usage(format!(
            "no wallet connection: set {CONNECTION} to what your Lightning wallet shows for Nostr Wallet Connect \
             (nostr+walletconnect://…)"
        ))
    })?;
    let address: NwcAddress = address.parse().map_err(Failure::usage)?;
    Ok(NwcWallet::connect(address, timeout).await?)
}

/// What runs can be paid from.
#[derive(Clone, Default)]
pub struct Wallets {
    /// This home's own, if one was made.
    pub own: Option<CashuWallet>,
    /// The play money of a swarm on this machine, while there is one.
    pub play: Option<CashuWallet>,
    /// How foreign providers are paid before they work.
    pub before: PayBefore,
    /// Whether somebody looks after the own one for longer than a run lasts (`wallet_maintenance`).
    pub kept: bool,
}

impl Wallets {
    /// This home's own alone.
    pub async fn of(home: &Home) -> anyhow::Result<Self> {
        Ok(Self { own: open(home).await?, before: PayBefore::of(home).await?, ..Self::default() })
    }

    /// Sees to what earlier runs left, before another one begins: as [`reconcile_previous_runs`]. Where the wallet is kept,
    /// nobody waits for what is owed.
    pub async fn reconcile_previous_runs(&self, ledger: &Ledger, home: &Home) -> anyhow::Result<()> {
        match &self.own {
            Some(wallet) if self.kept => decide_the_past(ledger, wallet).await,
            own => reconcile_previous_runs(ledger, own.as_ref(), home).await,
        }
    }

    /// That a run which is paid like this can be paid at all.
    pub fn check(&self, play_money: bool) -> anyhow::Result<()> {
        if play_money && self.play.is_none() {
            let why = "this run is paid in play money of a swarm on this machine, and that swarm has ended \
                       with its mint; ask the question again";
            return Err(Failure::usage(why).into());
        }
        Ok(())
    }
}

/// How long a mint may take to pay out play money.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Puts so much more play money into a wallet, from the mint that it trusts.
pub async fn fund(wallet: &CashuWallet, amount: Sats) -> anyhow::Result<()> {
    let mints = wallet.mints().await?;
    let mint = mints.first().context("a wallet of play money has no mint")?;
    let invoice = wallet.invoice(&mint.url, amount).await?;
    wallet.receive_invoice(&invoice, TIMEOUT).await?;
    Ok(())
}

/// Pays what runs that are over owe for work that counts.
pub async fn pay_debts(wallet: &CashuWallet, home: &Home) -> anyhow::Result<debts::Outcome> {
    let owed = wallet.debts(None).await?;
    if !owed.iter().any(|row| row.state == DebtState::Owed) {
        return Ok(debts::Outcome::default());
    }
    let store = Store::open(&home.store())?;
    let is_over = |run: &str| !home.is_under_way(run);
    let keys_of = |run: &str| Keys::parse(&store.find(run).ok()?.secret_key).ok();
    Ok(debts::pay_debts_of(wallet, is_over, keys_of).await?)
}

/// Tells the user what became of what runs that are over owed.
pub fn notice_debts(found: &debts::Outcome) {
    if found.told > 0 {
        notice!("wallet: paid {} of debts for {} jobs", found.sats, found.told);
    }
    for waiting in &found.waiting {
        notice!("wallet: {}", frlm_protocol::printable(waiting));
    }
}

/// Whether something of a run may be owed still, by the ledger alone: then its wallet is worth opening, which may take
/// a passphrase.
pub async fn may_owe(home: &Home, run: &str) -> anyhow::Result<bool> {
    if !vault::exists(&home.wallet()) || !home.ledger().exists() {
        return Ok(false);
    }
    let ledger = home.open_ledger().await?;
    let booked = match ledger.booked(run).await {
        Ok(booked) => booked,
        Err(LedgerError::UnknownRun { .. }) => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    for ((subtask, attempt), _) in booked.iter().filter(|(_, booked)| booked.scheme == Scheme::After) {
        let entry = ledger.entry(Key::new(run, *subtask, *attempt)).await?;
        // What is settled was told, and what was given back was never owed.
        if !matches!(entry.state, State::Settled | State::Returned) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Refuses while a run owes for work that counts: only its key, which is deleted with it, can tell whom.
pub async fn owes_nothing(wallet: &CashuWallet, run: &str) -> anyhow::Result<()> {
    let debts = wallet.debts(Some(run)).await?;
    let owed: Sats = debts.iter().filter(|row| row.state == DebtState::Owed).map(|row| row.debt.price).sum();
    if owed == Sats::ZERO {
        return Ok(());
    }
    let why = format!(
        "this run owes {owed} for accepted work, and only its key can send the pay: run frlm wallet recover \
         first, then delete the run"
    );
    Err(Failure::with_code(code::FAILED, why).into())
}

/// Pays what earlier runs owe, decides in the ledger what earlier runs left in doubt, and says what still waits.
pub async fn reconcile_previous_runs(
    ledger: &Ledger,
    wallet: Option<&CashuWallet>,
    home: &Home,
) -> anyhow::Result<()> {
    let Some(wallet) = wallet else { return Ok(()) };
    notice_debts(&pay_debts(wallet, home).await?);
    decide_the_past(ledger, wallet).await
}

/// Decides in the ledger what earlier runs left in doubt, and says what still waits.
async fn decide_the_past(ledger: &Ledger, wallet: &CashuWallet) -> anyhow::Result<()> {
    let reconciled = frlm_wallet::reconcile(ledger, Some(wallet)).await?;
    if !reconciled.waiting.is_empty() {
        notice!(
            "{} payments of earlier runs are still in escrow: frlm wallet recover",
            reconciled.waiting.len()
        );
    }
    Ok(())
}

/// The mints of a wallet, for people.
pub async fn names(wallet: &CashuWallet) -> anyhow::Result<String> {
    let mints = wallet.mints().await?;
    if mints.is_empty() {
        return Err(no_mint().into());
    }
    Ok(mints.iter().map(|rule| rule.url.as_str()).collect::<Vec<_>>().join(", "))
}

/// Where sats come in: at the mint that was named, else at the first of the list.
pub async fn mint_to_receive_at(wallet: &CashuWallet, named: Option<&str>) -> anyhow::Result<String> {
    if let Some(named) = named {
        return Ok(named.to_owned());
    }
    let mints = wallet.mints().await?;
    Ok(mints.first().ok_or_else(no_mint)?.url.clone())
}

/// Where sats go out: from the mint that was named, else from the one with most of them.
pub async fn mint_to_send_from(wallet: &CashuWallet, named: Option<&str>) -> anyhow::Result<String> {
    if let Some(named) = named {
        return Ok(named.to_owned());
    }
    let richest = wallet.balances().await?.into_iter().max_by_key(|mint| mint.available);
    Ok(richest.ok_or_else(no_mint)?.url)
}

/// What a wallet that trusts no mint needs.
pub fn no_mint() -> Failure {
    Failure::usage("the wallet has no mint yet; add one: frlm wallet mints add URL")
}

#[cfg(test)]
mod tests {
    use frlm_wallet::ledger::Booking;

    use super::*;
    use crate::failure::render_error;

    #[test]
    fn a_home_that_a_demo_left_gets_no_wallet_of_its_owners() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        may_be_made(&home).unwrap();
        home.mark_as_play().unwrap();
        let (words, exit) = render_error(&may_be_made(&home).unwrap_err().into());
        assert_eq!(exit, code::USAGE);
        assert!(words.contains("play money") && words.contains("--home DIR"), "{words}");
        vault::create(&home.wallet(), &Phrase::generate(), None).unwrap();
        let (words, exit) = render_error(&may_be_made(&home).unwrap_err().into());
        assert_eq!(exit, code::USAGE);
        assert!(words.contains("there is a wallet here already"), "{words}");
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn spending_keys_are_private_even_in_a_home_that_others_may_enter() {
        use std::os::unix::fs::PermissionsExt as _;
        let set = |path: &std::path::Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        let folder = tempfile::tempdir().unwrap();
        set(folder.path(), 0o755);
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        vault::create(&home.wallet(), &Phrase::generate(), None).unwrap();
        drop(open(&home).await.unwrap().unwrap());
        assert_eq!(frlm_util::files::make_private(&home.wallet()).unwrap(), 0, "it is made so");
        let books = home.wallet().join("real");
        for (path, mode) in [(home.wallet(), 0o755), (books.join("cashu.sqlite"), 0o644)] {
            set(&path, mode);
        }
        drop(open(&home).await.unwrap().unwrap());
        assert_eq!(frlm_util::files::make_private(&home.wallet()).unwrap(), 0, "it is made so again");
    }

    #[test]
    fn an_invoice_of_play_money_is_not_shown_and_invites_no_payment() {
        let (words, is_shown) = invitation(Money::Play, "64");
        assert!(
            !is_shown && !words.contains("any Lightning wallet") && words.contains("play sats"),
            "{words}"
        );
        let (words, is_shown) = invitation(Money::Real, "64");
        assert!(is_shown && words.contains("64 sats with any Lightning wallet"), "{words}");
    }

    #[test]
    fn beside_play_money_nobody_is_paid_before_the_work() {
        let before = || PayBefore { lightning: None, tokens: true };
        assert!(before().beside(Money::Real).tokens && !before().beside(Money::Play).tokens);
    }

    #[tokio::test]
    async fn only_a_run_that_was_to_be_paid_after_and_is_not_settled_may_owe() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        vault::create(&home.wallet(), &Phrase::generate(), None).unwrap();
        let ledger = home.open_ledger().await.unwrap();
        assert!(!may_owe(&home, "unknown").await.unwrap());
        for (run, scheme, owes) in [("escrowed", Scheme::Escrow, false), ("after", Scheme::After, true)] {
            ledger.open_run(run, Sats(10)).await.unwrap();
            let key = Key::new(run, 0, 0);
            let booking = Booking { key, amount: Sats(5), provider: None, mint: None, scheme };
            let mut reservation = ledger.reserve_all(vec![booking]).await.unwrap().remove(0);
            reservation.publish().await.unwrap();
            reservation.pay_out().await.unwrap();
            assert_eq!(may_owe(&home, run).await.unwrap(), owes, "{run}");
            reservation.settle(Sats(5), Sats::ZERO).await.unwrap();
            assert!(!may_owe(&home, run).await.unwrap(), "{run} is settled");
        }
    }
}
