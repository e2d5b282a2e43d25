//! Moves sats, as `frlm wallet` does.

use std::time::Duration;

use frlm_client::protocol::printable;
use frlm_client::wallet::cashu::Invoice;
use frlm_client::wallet::debts::DebtState;
use frlm_client::wallet::seed::Phrase;
use frlm_client::wallet::{CashuWallet, Money, Msats, Sats, WalletError};

use super::action::{Action, Event};
use super::doubt::{Asked, not_received, not_sent, not_taken_back};
use super::holdings::{Held, Holdings, Mint, Out, Owed, WalletStatus};
use super::payments;
use super::state::{Balance, Receiving, Secret, SendRequest, Sending};
use crate::desktop::engine::books::Books;
use crate::desktop::engine::runs::words;
use crate::desktop::engine::{Engine, Event as AppEvent, Outbox, blocking};
use crate::desktop::screens::load::Load;
use crate::desktop::screens::wallet::{self, words};
use frlm_client::failure::Failure;
use frlm_client::home::Home;
use frlm_client::wallet_manager::WalletManager;
use frlm_client::wallet_session::{self, mint_to_receive_at, mint_to_send_from};

/// How long an invoice is watched. What is paid later arrives when the wallet is opened again.
const TIMEOUT: Duration = Duration::from_mins(10);

/// Everything that a piece of work needs.
#[derive(Clone)]
struct WalletContext {
    home: Home,
    outbox: Outbox,
    manager: WalletManager,
    books: Books,
}

impl WalletContext {
    async fn tell(&self, event: Event) {
        self.outbox.send(AppEvent::Wallet(wallet::Event::Balance(event))).await;
    }

    async fn fail(&self, what: &str, error: &anyhow::Error) {
        self.tell(Event::Failed(what.to_owned(), words(error))).await;
    }
}

/// Does what takes time. `shown` is the wallet after the action.
pub fn perform(action: &Action, shown: &Balance, engine: &Engine) {
    let context = context(engine);
    let (url, limit) = (shown.url.trim().to_owned(), shown.limit().ok().flatten().map(Sats));
    match action {
        Action::Create => engine.spawn(async move {
            match create(&context).await {
                Ok(words) => context.tell(Event::Made(words)).await,
                Err(error) => context.fail(words::NOT_CREATED, &error).await,
            }
            report(&context).await;
        }),
        Action::Restore => {
            let typed = shown.restoring.clone().unwrap_or_default();
            engine.spawn(async move {
                match restore(&context, typed).await {
                    Ok(()) => context.tell(Event::Restored).await,
                    Err(error) => context.fail(words::NOT_RESTORED, &error).await,
                }
                report(&context).await;
            });
        }
        Action::Reveal => engine.spawn(async move {
            match reveal(&context).await {
                Ok(words) => context.tell(Event::Made(words)).await,
                Err(error) => context.fail(words::WORDS_NOT_SHOWN, &error).await,
            }
        }),
        Action::AddMint => engine.spawn(async move {
            match add(&context, &url, limit).await {
                Ok(()) => context.tell(Event::Added).await,
                Err(error) => context.fail(not_added(&error), &error).await,
            }
            report(&context).await;
        }),
        Action::RemoveMint(url) => {
            let url = url.clone();
            engine.spawn(async move {
                let removed =
                    async { anyhow::Ok(context.manager.need(&context.home).await?.forbid_mint(&url).await?) };
                if let Err(error) = removed.await {
                    context.fail(words::MINT_NOT_REMOVED, &error).await;
                }
                report(&context).await;
            });
        }
        Action::Receive => {
            let (typed, stop) = (shown.incoming.trim().to_owned(), engine.stop());
            engine.spawn(async move {
                tokio::select! {
                    // An invoice that is paid later arrives when the wallet is opened again.
                    () = stop.cancelled() => {}
                    received = receive(&context, &typed) => {
                        match received {
                            Ok(sats) => context.tell(Event::Receiving(Receiving::Done(sats))).await,
                            Err((asked, error)) => context.tell(not_received(asked, &error)).await,
                        }
                        report(&context).await;
                    }
                }
            });
        }
        Action::Reclaim(id) => reclaim(id.clone(), context, engine),
        Action::Send => {
            let typed = shown.outgoing.trim().to_owned();
            engine.spawn(async move {
                match quote(&context, &typed).await {
                    Ok(order) => context.tell(Event::Sending(Sending::Confirm(order))).await,
                    Err(error) => context.fail(words::CANNOT_SEND, &error).await,
                }
            });
        }
        Action::Confirm => {
            let Sending::Busy(order) = shown.sending.clone() else { return };
            engine.spawn(async move {
                match send(&context, order).await {
                    Ok(sent) => context.tell(Event::Sending(sent)).await,
                    Err(error) => context.tell(not_sent(&error)).await,
                }
                report(&context).await;
            });
        }
        Action::HideWords
        | Action::Quiz(_)
        | Action::Phrase(_)
        | Action::AskReveal(_)
        | Action::Url(_)
        | Action::Limit(_)
        | Action::AskRemove(_)
        | Action::Incoming(_)
        | Action::LeaveInvoice
        | Action::Outgoing(_)
        | Action::Dismiss => {}
    }
}

/// Takes a token back that nobody has taken.
fn reclaim(id: String, context: WalletContext, engine: &Engine) {
    engine.spawn(async move {
        let taken =
            async { anyhow::Ok(context.manager.need(&context.home).await?.reclaim_token(&id).await?) };
        match taken.await {
            Ok(sats) => context.tell(Event::Receiving(Receiving::Done(sats.0))).await,
            Err(error) => context.tell(not_taken_back(&error)).await,
        }
        report(&context).await;
    });
}

/// Looks what is there.
pub fn look(engine: &Engine) {
    let context = context(engine);
    engine.spawn(async move { report(&context).await });
}

fn context(engine: &Engine) -> WalletContext {
    WalletContext {
        home: engine.home().clone(),
        outbox: engine.outbox(),
        manager: engine.wallet_manager(),
        books: engine.books(),
    }
}

async fn report(context: &WalletContext) {
    let status = Load::from(status(context).await);
    context.tell(Event::Status(status)).await;
}

async fn status(context: &WalletContext) -> anyhow::Result<WalletStatus> {
    let Some(wallet) = context.manager.open(&context.home).await? else { return Ok(WalletStatus::None) };
    let mints = wallet.balances().await?.into_iter().map(|mint| Mint {
        on_this_machine: is_on_this_machine(&mint.url),
        url: printable(&mint.url).into_owned(),
        available: mint.available.0,
        pending: mint.pending.0,
        limit: mint.limit.map(|limit| limit.0),
    });
    let held = match context.books.ledger(&context.home).await? {
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
    Ok(WalletStatus::Open(Holdings {
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

async fn create(context: &WalletContext) -> anyhow::Result<Secret> {
    wallet_session::may_be_made(&context.home)?;
    let home = context.home.clone();
    let create = move || {
        let phrase = Phrase::generate();
        wallet_session::create(&home, &phrase)?;
        Ok(Secret(phrase.reveal()))
    };
    blocking(create).await
}

/// Takes a wallet up again from its words; its sats are found when a mint is added.
async fn restore(context: &WalletContext, typed: String) -> anyhow::Result<()> {
    wallet_session::may_be_made(&context.home)?;
    let home = context.home.clone();
    blocking(move || wallet_session::create(&home, &Phrase::parse(&typed).map_err(Failure::usage)?)).await
}

async fn reveal(context: &WalletContext) -> anyhow::Result<Secret> {
    let home = context.home.clone();
    blocking(move || Ok(Secret(wallet_session::phrase(&home)?.reveal()))).await
}

/// What an error in adding a mint comes to: it may be on the list all the same.
fn not_added(error: &anyhow::Error) -> &'static str {
    match error.downcast_ref::<WalletError>() {
        Some(WalletError::NotSearched { .. }) => words::MINT_OFFLINE,
        _ => words::MINT_NOT_ADDED,
    }
}

async fn add(context: &WalletContext, url: &str, limit: Option<Sats>) -> anyhow::Result<()> {
    let wallet = context.manager.need(&context.home).await?;
    wallet.add_mint(url, limit).await?;
    Ok(())
}

async fn receive(context: &WalletContext, typed: &str) -> Result<u64, (Option<Asked>, anyhow::Error)> {
    if typed.starts_with("cashu") {
        let wallet = context.manager.need(&context.home).await.map_err(|error| (None, error))?;
        let received = wallet.receive_token(typed).await;
        return received.map(|sats| sats.0).map_err(|error| (Some(Asked::Token), error.into()));
    }
    let (wallet, invoice) = invoice(context, typed).await.map_err(|error| (None, error))?;
    let received = wallet.receive_invoice(&invoice, TIMEOUT).await;
    received.map(|sats| sats.0).map_err(|error| (Some(Asked::Invoice), error.into()))
}

/// Asks for an invoice, and shows it.
async fn invoice(context: &WalletContext, typed: &str) -> anyhow::Result<(CashuWallet, Invoice)> {
    let wallet = context.manager.need(&context.home).await?;
    let amount: Sats = typed.parse().map_err(Failure::usage)?;
    let mint = mint_to_receive_at(&wallet, None).await?;
    let invoice = wallet.invoice(&mint, amount).await?;
    let shown = Receiving::Invoice { bolt11: printable(&invoice.bolt11).into_owned(), sats: amount.0 };
    context.tell(Event::Receiving(shown)).await;
    Ok((wallet, invoice))
}

async fn quote(context: &WalletContext, typed: &str) -> anyhow::Result<SendRequest> {
    if let Ok(sats) = typed.parse::<u64>() {
        return Ok(SendRequest::Token(sats));
    }
    let wallet = context.manager.need(&context.home).await?;
    let mint = mint_to_send_from(&wallet, None).await?;
    Ok(SendRequest::Payment(wallet.payment_quote(&mint, typed, Msats(u64::MAX)).await?))
}

async fn send(context: &WalletContext, order: SendRequest) -> anyhow::Result<Sending> {
    let wallet = context.manager.need(&context.home).await?;
    match order {
        SendRequest::Token(sats) => {
            let mint = mint_to_send_from(&wallet, None).await?;
            Ok(Sending::Token(Secret(wallet.send_token(&mint, Sats(sats)).await?)))
        }
        SendRequest::Payment(quote) => {
            let paid = wallet.pay(&quote).await?;
            Ok(Sending::Paid { sats: paid.amount.0, fee: paid.fee.0 })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mint_that_is_on_the_list_is_not_said_to_be_off_it() {
        let (mint, reason) = ("https://mint.example".to_owned(), "timeout".to_owned());
        let words = |error: WalletError| not_added(&error.into());
        let offline = WalletError::NotSearched { mint: mint.clone(), reason: reason.clone() };
        assert_eq!(words(offline), "The mint was added, but is offline");
        assert_eq!(words(WalletError::NotAdded { mint, reason }), "The mint was not added");
    }
}
