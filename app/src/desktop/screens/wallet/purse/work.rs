//! Moves sats, as `frlm wallet` does.

use std::time::Duration;

use frlm_client::protocol::printable;
use frlm_client::wallet::cashu::Invoice;
use frlm_client::wallet::escrow::DebtState;
use frlm_client::wallet::seed::{Phrase, vault};
use frlm_client::wallet::{CashuWallet, Money, Msats, Sats, WalletError};

use super::action::{Action, Event};
use super::doubt::{Asked, not_received, not_sent, not_taken_back};
use super::holdings::{Held, Holdings, Mint, Out, Owed, Standing};
use super::payments;
use super::state::{Order, Purse, Receiving, Sending, Words};
use crate::desktop::engine::books::Books;
use crate::desktop::engine::runs::words;
use crate::desktop::engine::{Engine, Event as AppEvent, Outbox};
use crate::desktop::screens::load::Load;
use crate::desktop::screens::wallet;
use frlm_client::failure::Failure;
use frlm_client::home::Home;
use frlm_client::wallet_keeper::WalletKeeper;
use frlm_client::wallet_session;

/// How long an invoice is watched. What is paid later arrives when the wallet is opened again.
const PATIENCE: Duration = Duration::from_mins(10);

/// Everything that a piece of work needs.
#[derive(Clone)]
struct Hands {
    home: Home,
    outbox: Outbox,
    keeper: WalletKeeper,
    books: Books,
}

impl Hands {
    async fn tell(&self, event: Event) {
        self.outbox.send(AppEvent::Wallet(wallet::Event::Purse(event))).await;
    }

    async fn fail(&self, what: &str, error: &anyhow::Error) {
        self.tell(Event::Failed(what.to_owned(), words(error))).await;
    }
}

/// Does what takes time. `shown` is the wallet after the action.
pub fn perform(action: &Action, shown: &Purse, engine: &Engine) {
    let hands = hands(engine);
    let (url, cap) = (shown.url.trim().to_owned(), shown.cap().ok().flatten().map(Sats));
    match action {
        Action::Create => engine.spawn(async move {
            match create(&hands).await {
                Ok(words) => hands.tell(Event::Made(words)).await,
                Err(error) => hands.fail("The wallet was not made", &error).await,
            }
            report(&hands).await;
        }),
        Action::Restore => {
            let typed = shown.restoring.clone().unwrap_or_default();
            engine.spawn(async move {
                match restore(&hands, typed).await {
                    Ok(()) => hands.tell(Event::Restored).await,
                    Err(error) => hands.fail("The wallet was not restored", &error).await,
                }
                report(&hands).await;
            });
        }
        Action::Reveal => engine.spawn(async move {
            match reveal(&hands).await {
                Ok(words) => hands.tell(Event::Made(words)).await,
                Err(error) => hands.fail("The words cannot be shown", &error).await,
            }
        }),
        Action::AddMint => engine.spawn(async move {
            match add(&hands, &url, cap).await {
                Ok(()) => hands.tell(Event::Added).await,
                Err(error) => hands.fail(not_added(&error), &error).await,
            }
            report(&hands).await;
        }),
        Action::RemoveMint(url) => {
            let url = url.clone();
            engine.spawn(async move {
                let removed =
                    async { anyhow::Ok(hands.keeper.need(&hands.home).await?.forbid_mint(&url).await?) };
                if let Err(error) = removed.await {
                    hands.fail("The mint was not removed", &error).await;
                }
                report(&hands).await;
            });
        }
        Action::Receive => {
            let (typed, stop) = (shown.incoming.trim().to_owned(), engine.stop());
            engine.spawn(async move {
                tokio::select! {
                    // An invoice that is paid later arrives when the wallet is opened again.
                    () = stop.cancelled() => {}
                    received = receive(&hands, &typed) => {
                        match received {
                            Ok(sats) => hands.tell(Event::Receiving(Receiving::Done(sats))).await,
                            Err((asked, error)) => hands.tell(not_received(asked, &error)).await,
                        }
                        report(&hands).await;
                    }
                }
            });
        }
        Action::TakeBack(id) => take_back(id.clone(), hands, engine),
        Action::Send => {
            let typed = shown.outgoing.trim().to_owned();
            engine.spawn(async move {
                match quote(&hands, &typed).await {
                    Ok(order) => hands.tell(Event::Sending(Sending::Confirm(order))).await,
                    Err(error) => hands.fail("It cannot be sent like this", &error).await,
                }
            });
        }
        Action::Confirm => {
            let Sending::Busy(order) = shown.sending.clone() else { return };
            engine.spawn(async move {
                match send(&hands, order).await {
                    Ok(sent) => hands.tell(Event::Sending(sent)).await,
                    Err(error) => hands.tell(not_sent(&error)).await,
                }
                report(&hands).await;
            });
        }
        Action::HideWords
        | Action::Quiz(_)
        | Action::Phrase(_)
        | Action::AskReveal(_)
        | Action::AskRemove(_)
        | Action::Url(_)
        | Action::Cap(_)
        | Action::Incoming(_)
        | Action::LeaveInvoice
        | Action::Outgoing(_)
        | Action::Dismiss => {}
    }
}

/// Takes a token back that nobody has taken.
fn take_back(id: String, hands: Hands, engine: &Engine) {
    engine.spawn(async move {
        let taken = async { anyhow::Ok(hands.keeper.need(&hands.home).await?.take_token_back(&id).await?) };
        match taken.await {
            Ok(sats) => hands.tell(Event::Receiving(Receiving::Done(sats.0))).await,
            Err(error) => hands.tell(not_taken_back(&error)).await,
        }
        report(&hands).await;
    });
}

/// Looks what is there.
pub fn look(engine: &Engine) {
    let hands = hands(engine);
    engine.spawn(async move { report(&hands).await });
}

fn hands(engine: &Engine) -> Hands {
    Hands {
        home: engine.home().clone(),
        outbox: engine.outbox(),
        keeper: engine.purse(),
        books: engine.books(),
    }
}

async fn report(hands: &Hands) {
    let standing = Load::from(standing(hands).await);
    hands.tell(Event::Standing(standing)).await;
}

async fn standing(hands: &Hands) -> anyhow::Result<Standing> {
    let Some(wallet) = hands.keeper.open(&hands.home).await? else { return Ok(Standing::None) };
    let mints = wallet.balances().await?.into_iter().map(|mint| Mint {
        on_this_machine: is_on_this_machine(&mint.url),
        url: printable(&mint.url).into_owned(),
        available: mint.available.0,
        pending: mint.pending.0,
        cap: mint.cap.map(|cap| cap.0),
    });
    let held = match hands.books.ledger(&hands.home).await? {
        Some(ledger) => frlm_client::wallet::reconcile(&ledger, Some(&wallet)).await?.waiting,
        None => Vec::new(),
    };
    let (mut still, mut owed) = (Vec::with_capacity(held.len()), Vec::new());
    for (key, until_secs) in held {
        if let Some(row) = wallet.debt_of(&key).await?.filter(|row| row.state == DebtState::Owed) {
            owed.push(Owed {
                run: key.run.to_string(),
                whose: (key.subtask, key.attempt),
                sats: row.debt.price.0,
                since_secs: u64::try_from(row.at_unix_ms / 1_000).unwrap_or(0),
            });
            continue;
        }
        let Some(row) = wallet.lock_of(&key).await? else { continue };
        still.push(Held {
            run: key.run.to_string(),
            whose: (key.subtask, key.attempt),
            sats: row.price().0,
            since_secs: u64::try_from(row.at_unix_ms / 1_000).unwrap_or(0),
            until_secs,
        });
    }
    let out = wallet.tokens_out().await?.into_iter().map(|token| Out {
        id: token.id,
        sats: token.amount.0,
        since_secs: token.at_secs,
    });
    Ok(Standing::Open(Holdings {
        play: wallet.money() == Money::Play,
        mints: mints.collect(),
        held: still,
        owed,
        out: out.collect(),
        payments: payments::read(&wallet).await?,
        now_secs: frlm_client::util::clock::unix_secs(),
    }))
}

/// Plain HTTP is for mints on this machine only; the wallet takes no others.
fn is_on_this_machine(url: &str) -> bool {
    url.starts_with("http://") && !url.contains(".onion")
}

async fn create(hands: &Hands) -> anyhow::Result<Words> {
    wallet_session::may_be_made(&hands.home)?;
    let folder = hands.home.wallet();
    let made = tokio::task::spawn_blocking(move || {
        let phrase = Phrase::generate();
        vault::create(&folder, &phrase, wallet_session::passphrase().as_deref()).map_err(Failure::from)?;
        anyhow::Ok(Words(phrase.reveal()))
    });
    made.await?
}

/// Takes a wallet up again from its words; its sats are found when a mint is added.
async fn restore(hands: &Hands, typed: String) -> anyhow::Result<()> {
    wallet_session::may_be_made(&hands.home)?;
    let folder = hands.home.wallet();
    let made = tokio::task::spawn_blocking(move || {
        let phrase = Phrase::parse(&typed).map_err(Failure::usage)?;
        anyhow::Ok(
            vault::create(&folder, &phrase, wallet_session::passphrase().as_deref())
                .map_err(Failure::from)?,
        )
    });
    made.await?
}

async fn reveal(hands: &Hands) -> anyhow::Result<Words> {
    let folder = hands.home.wallet();
    let opened = tokio::task::spawn_blocking(move || {
        let phrase = vault::open(&folder, wallet_session::passphrase().as_deref()).map_err(Failure::from)?;
        anyhow::Ok(Words(phrase.reveal()))
    });
    opened.await?
}

/// What an error in adding a mint comes to: it may be on the list all the same.
fn not_added(error: &anyhow::Error) -> &'static str {
    match error.downcast_ref::<WalletError>() {
        Some(WalletError::NotSearched { .. }) => "The mint is on the list, but away",
        _ => "The mint was not added",
    }
}

async fn add(hands: &Hands, url: &str, cap: Option<Sats>) -> anyhow::Result<()> {
    let wallet = hands.keeper.need(&hands.home).await?;
    wallet.add_mint(url, cap).await?;
    Ok(())
}

async fn receive(hands: &Hands, typed: &str) -> Result<u64, (Option<Asked>, anyhow::Error)> {
    if typed.starts_with("cashu") {
        let wallet = hands.keeper.need(&hands.home).await.map_err(|error| (None, error))?;
        let received = wallet.receive_token(typed).await;
        return received.map(|sats| sats.0).map_err(|error| (Some(Asked::Token), error.into()));
    }
    let (wallet, invoice) = invoice(hands, typed).await.map_err(|error| (None, error))?;
    let received = wallet.receive_invoice(&invoice, PATIENCE).await;
    received.map(|sats| sats.0).map_err(|error| (Some(Asked::Invoice), error.into()))
}

/// Asks for an invoice, and shows it.
async fn invoice(hands: &Hands, typed: &str) -> anyhow::Result<(CashuWallet, Invoice)> {
    let wallet = hands.keeper.need(&hands.home).await?;
    let amount: Sats = typed.parse().map_err(Failure::usage)?;
    let mints = wallet.mints().await?;
    let mint = mints.first().ok_or_else(|| Failure::usage("the wallet trusts no mint yet"))?;
    let invoice = wallet.invoice(&mint.url, amount).await?;
    let shown = Receiving::Invoice { bolt11: printable(&invoice.bolt11).into_owned(), sats: amount.0 };
    hands.tell(Event::Receiving(shown)).await;
    Ok((wallet, invoice))
}

async fn quote(hands: &Hands, typed: &str) -> anyhow::Result<Order> {
    if let Ok(sats) = typed.parse::<u64>() {
        return Ok(Order::Token(sats));
    }
    let wallet = hands.keeper.need(&hands.home).await?;
    let mint = richest(&wallet).await?;
    Ok(Order::Payment(wallet.payment_quote(&mint, typed, Msats(u64::MAX)).await?))
}

async fn send(hands: &Hands, order: Order) -> anyhow::Result<Sending> {
    let wallet = hands.keeper.need(&hands.home).await?;
    match order {
        Order::Token(sats) => {
            let mint = richest(&wallet).await?;
            Ok(Sending::Token(wallet.send_token(&mint, Sats(sats)).await?))
        }
        Order::Payment(quote) => {
            let paid = wallet.pay(&quote).await?;
            Ok(Sending::Paid { sats: paid.amount.0, fee: paid.fee.0 })
        }
    }
}

async fn richest(wallet: &CashuWallet) -> anyhow::Result<String> {
    let richest = wallet.balances().await?.into_iter().max_by_key(|mint| mint.available);
    Ok(richest.ok_or_else(|| Failure::usage("the wallet trusts no mint yet"))?.url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mint_that_is_on_the_list_is_not_said_to_be_off_it() {
        let (mint, reason) = ("https://mint.example".to_owned(), "timeout".to_owned());
        let words = |error: WalletError| not_added(&error.into());
        assert_eq!(
            words(WalletError::NotSearched { mint: mint.clone(), reason: reason.clone() }),
            "The mint is on the list, but away"
        );
        assert_eq!(words(WalletError::NotAdded { mint, reason }), "The mint was not added");
    }
}
