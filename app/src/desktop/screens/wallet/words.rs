//! What is said on the wallet screen, its balance and its payments.

use frlm_client::units::{Unit, plural, thousands};

use super::state::Tab;
pub use crate::desktop::screens::words::*;

words! {
    TITLE = "Wallet";
    SUBTITLE = "Your sats at your mints, and where every sat of every run's budget is.";
    AUDIT = "Audit";
    AUDIT_HINT = "adds up the ledger again and compares it with wallet, receipts and mints";
    OK = "OK";
    nothing_changed(why: &str) = "{why}. Nothing was changed.";
    NOTHING_CHANGED = "Nothing was changed.";

    // Spending: the ledger
    READING_LEDGER = "Reading the ledger…";
    LEDGER_UNREAD = "The ledger cannot be read";
    ledger_unread(why: &str, audit: &str) =
        "{why}. Nothing was spent, and no run can spend while it cannot be read.{audit}";
    NO_AUDIT_EITHER = " The audit could not be made either.";
    AUDIT_AGAIN = "Audit again";
    NO_RUN = "No run has used the ledger yet";
    NO_RUN_THEN = "Each run has a budget that you set. What it reserves, spends or gets refunded is recorded here before \
                   anything leaves this machine.";
    COMPARING = "Comparing ledger, wallet, receipts and mints…";
    NO_AUDIT = "The audit could not be made";
    DIFFERENT = "The books do not match";
    MATCH = "All balances match";
    MATCH_PARTLY = "All balances match, as far as they could be compared";
    WITHOUT_PLAY = "All runs together, without runs in play money, which are listed below.";
    ALL_BUDGETS = "All budgets";
    PAID = "Paid";
    SPENT = "Spent";
    OWED = "Owed";
    OWED_ABOUT = "for accepted work";
    RESERVED = "Reserved";
    RESERVED_ABOUT = "for work in progress";
    REFUNDING = "Being refunded";
    REFUNDING_ABOUT = "refunds";
    AVAILABLE = "Available";
    AVAILABLE_ABOUT = "of all budgets";
    NO_FEES = "no fees";
    fees(fees: u64) = "{} of them for fees", thousands(fees);
    IS_PAID = "paid";
    IS_SPENT = "spent";
    IS_OWED = "owed";
    IS_RESERVED = "reserved";
    IS_REFUNDING = "being refunded";
    IS_AVAILABLE = "available";
    deleted(run: &str) = "run {run}, deleted";
    CHOOSE = "Choose a run to see each step of its money.";
    HISTORY = "History";
    still_owed(amount: &str) = "{amount} counted as spent, but still owed to providers for work done";
    STILL_OWED_HINT = "The rest is paid. FRLM pays what is owed by itself, as soon as mint and relay can be reached.";
    READING_HISTORY = "Reading its history…";
    HISTORY_UNREAD = "Its history cannot be read";
    READ_AGAIN = "Read it again";

    part(part: u32, attempt: u32) = "part {}, attempt {}", part + 1, attempt + 1;
    OF_RUN = "the run";

    // Balance
    OPENING = "Opening the wallet…";
    others_unchanged(why: &str) = "{why}. All other sats are unchanged.";
    QUIT = "Quit FRLM";
    UNOPENED = "The wallet cannot be opened";
    unopened(why: &str) = "{why}. Your sats are unchanged; nothing can be sent until the wallet opens.";
    PLAY = "Play money: worth nothing";
    PLAY_ABOUT = "It is for trying things out. Nobody outside this machine accepts it.";
    PENDING = "Pending";
    PENDING_ABOUT = "in payments that are not complete";
    IN_ESCROW = "In escrow";
    IN_ESCROW_ABOUT = "of earlier runs";

    // Receive and send
    RECEIVE_TITLE = "Receive sats";
    INVOICE_CODE = "The invoice as a QR code";
    COPY_INVOICE = "Copy the invoice";
    WAITING = "waiting for payment";
    STOP_WAITING = "Stop waiting";
    STOP_WAITING_HINT = "if the invoice is paid later, the sats still arrive";
    arrived(unit: Unit, sats: u64) = "{} received", unit.amount(sats);
    INCOMING = "A token, or an amount of sats";
    INCOMING_EXAMPLE = "cashuB… or 1000";
    NEEDS_INCOMING = "paste a token, or type an amount of sats";
    ASKING_MINT = "Asking the mint…";
    RECEIVE = "Receive";
    SEND_TITLE = "Send sats";
    SENDING = "Sending…";
    TOKEN_IS_MONEY = "This text is the money: the first person to redeem it gets it.";
    TOKEN_CODE = "The token as a QR code";
    COPY_TOKEN = "Copy the token";
    DONE = "Done";
    sent(sats: u64, fee: u64) = "paid {} and {} in fees", thousands(sats), thousands(fee);
    OUTGOING = "A Lightning invoice, or an amount of sats";
    OUTGOING_EXAMPLE = "lnbc… or 100";
    NEEDS_OUTGOING = "paste a Lightning invoice, or type an amount of sats for a token";
    SEND = "Send";
    confirm_token(amount: &str) = "This creates a token of {amount}. Anybody who reads it can redeem it.";
    CREATE_TOKEN = "Create the token";
    confirm_payment(amount: &str, fees: u64, mint: &str) =
        "This pays {amount}, and at most {} more in fees, from {mint}.", thousands(fees);
    PAY = "Pay";

    // What waits
    NOTHING_IN_ESCROW = "No payments of earlier runs are pending.";
    IN_ESCROW_WHY = "Locked for answers that were not accepted, and not returned by their providers. FRLM has them \
                     refunded; you need not do anything.";
    locked(amount: &str) = "{amount}, locked";
    LOCKTIME_PASSED = "the locktime has passed: being refunded";
    refunded_in(time: &str) = "refunded in {time} at the latest, or as soon as its provider returns it";
    at(moment: &str) = "At {moment}";
    TOKENS = "Tokens not redeemed yet";
    TOKENS_WHY = "Anybody who has one of these tokens can still redeem it. If you redeem it first, the sats are yours \
                  again, less the mint's fee.";
    made(amount: &str) = "{amount}, made";
    redeem(amount: &str) = "Redeem {amount}";
    OWED_WHY = "For accepted answers of providers that are paid after the work. FRLM pays as soon as mint and relay can \
                be reached. Until then the sats count as spent; you need not do anything.";
    owed(amount: &str) = "{amount} owed for an accepted answer";
    of_run(run: &str, part: &str) = "run {run}, {part}";
    more(count: usize) = "and {}", plural(count, "more payment");

    // A new wallet, and its words
    NO_WALLET = "No wallet yet";
    NO_WALLET_THEN = "Free providers need no wallet. To ask others, create one: its sats are held by mints that you \
                      choose, and go to a provider only after its answer is verified.";
    CREATE = "Create a wallet";
    RESTORE_PHRASE = "Restore from recovery phrase";
    RESTORE_TITLE = "Restore a wallet from its recovery phrase";
    RESTORE_ABOUT = "FRLM looks for its sats at each mint that you add afterwards. Locked payments of its runs can be \
                     refunded only on the machine that made them.";
    PHRASE = "The recovery phrase, in order";
    NEEDS_PHRASE = "12 to 24 words are needed";
    RESTORE = "Restore";
    NOT_NOW = "Not now";
    WRITE_DOWN = "Write these words down, in this order";
    WRITE_DOWN_WHY = "Anybody who has these words has your sats. Without them your sats are lost if this machine is \
                      lost. Paper is safer than a file.";
    WRITTEN_DOWN = "I have written them down";
    QUIZ = "Which words are at these places?";
    QUIZ_WHY = "This makes sure that you have written the words down.";
    word(place: usize) = "Word {place}";
    WRONG_WORDS = "Some of these words are wrong; check them again.";
    CHECK_WORDS = "These are the words";
    SHOW_AGAIN = "Show them again";
    BACKUP = "Backup";
    BACKUP_ABOUT = "The recovery phrase restores everything on any machine, except payments locked by running runs.";
    SHOW_WORDS = "Show the words";
    SHOW_WORDS_SURE = "Make sure that nobody is watching. Anybody who reads the words has your sats.";
    SHOW_NOW = "Show them now";

    // Mints
    MINTS = "Mints";
    MINTS_NO_WALLET = "Mints that you choose hold your sats. There is no wallet yet.";
    MINTS_ABOUT = "Sats at a mint are a claim on its operator. A limit bounds what you can lose there.";
    MINT = "Address of a mint";
    MINT_EXAMPLE = "https://mint.example";
    LIMIT = "Limit in sats";
    LIMIT_EXAMPLE = "none";
    NEEDS_LIMIT = "the limit is a whole number of sats";
    NEEDS_MINT = "type the mint's address";
    NEEDS_MINT_FIRST = "add a mint first";
    ADD_MINT = "Add the mint";
    remove(mint: &str) = "Remove {mint}";
    NO_LIMIT = "no limit";
    limit(sats: u64) = "limit {}", thousands(sats);
    holds(amount: &str, limit: &str) = "{amount} · {limit}";
    pending(sats: u64) = "and {} pending", thousands(sats);
    ON_THIS_MACHINE = "on this machine";
    ON_THIS_MACHINE_ABOUT = "Only this machine can reach this mint, so nobody else accepts its sats.";
    REMOVE_SURE = "Remove this mint?";
    remove_sure(amount: &str) =
        "It holds {amount}. They stay yours, but FRLM pays nothing with them until you add the mint again.";
    REMOVE = "Remove";

    // Payments
    PAYMENTS_ABOUT = "Everything that came in and went out: for answers, to providers and from askers, and what you \
                      moved yourself over Lightning or as a token.";
    NO_PAYMENTS = "No payments yet: nothing was paid, earned, received or sent.";

    // What failed
    NOT_CREATED = "The wallet was not created";
    NOT_RESTORED = "The wallet was not restored";
    WORDS_NOT_SHOWN = "The words cannot be shown";
    MINT_NOT_REMOVED = "The mint was not removed";
    MINT_OFFLINE = "The mint was added, but is offline";
    MINT_NOT_ADDED = "The mint was not added";
    CANNOT_SEND = "Cannot send this";
    RECEIVED_UNCLEAR = "It is not known yet whether the sats were received";
    NOT_RECEIVED = "Nothing was received";
    REDEEMED_UNCLEAR = "It is not known yet whether the token was redeemed";
    NOT_REDEEMED = "The token was not redeemed";
    SENT_UNCLEAR = "It is not known yet whether the sats were sent";
    NOT_SENT = "It was not sent";
    unclear(mint: &str, reason: &str, safe: &str, then: &str) =
        "{mint} did not answer clearly ({reason}). {safe}. Quit FRLM, and open it again when the mint answers. {then}.";
    UNCLEAR_TOKEN = "If the mint has exchanged the token, this wallet gets the sats when it is next opened. If not, the \
                     token is still good. Give it to nobody until then";
    UNCLEAR_TOKEN_THEN = "If no sats arrive, receive the token again";
    UNCLEAR_INVOICE = "If the invoice was paid, this wallet gets the sats when it is next opened. Do not have it paid a \
                       second time";
    UNCLEAR_INVOICE_THEN = "If no sats arrive, the invoice was not paid";
    UNCLEAR_SENT = "The sats stay reserved until it answers, and count neither as sent nor as available. Do not send \
                    them a second time";
    UNCLEAR_SENT_THEN = "Payments then shows what was sent; the rest is available again";
}

/// The parts by their names.
pub const TABS: [(Tab, &str); 3] =
    [(Tab::Runs, "Spending"), (Tab::Balance, "Balance"), (Tab::Payments, "Payments")];
