//! `frlm wallet`.

use clap::Subcommand;

use super::values::{sats, seconds};

/// `frlm wallet`
#[derive(Debug, Subcommand)]
pub enum WalletCommand {
    /// Create this home's wallet. Its recovery phrase is shown once, and you are asked for some of its words.
    /// FRLM_WALLET_PASSPHRASE seals it.
    Create {
        /// Restore a wallet from its recovery phrase (read from stdin).
        #[arg(long)]
        restore: bool,
        /// Skip the word check and print the phrase on stdout, for scripts.
        #[arg(long, conflicts_with = "restore")]
        yes: bool,
    },
    /// The mints that may hold your sats.
    #[command(subcommand)]
    Mints(MintsCommand),
    /// Sats per mint, and per run: budget, spent, reserved, available.
    Balance {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Redeem a Cashu token, or create a Lightning invoice for an amount and wait until it is paid.
    Receive {
        /// A token (cashu…), or an amount in sats.
        #[arg(value_name = "TOKEN|SATS")]
        what: String,
        /// The mint that receives the sats [default: the first].
        #[arg(long, value_name = "URL")]
        mint: Option<String>,
        /// Seconds to wait for the payment.
        #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = seconds)]
        wait: u64,
    },
    /// Create a Cashu token of an amount, or pay a Lightning invoice.
    Send {
        /// A bolt11 invoice, or an amount in sats.
        #[arg(value_name = "INVOICE|SATS")]
        what: String,
        /// The mint that holds the sats [default: the one with most].
        #[arg(long, value_name = "URL")]
        mint: Option<String>,
        /// The most that an invoice may ask for, in sats.
        #[arg(long, value_name = "SATS", value_parser = sats)]
        most: Option<u64>,
        /// Do not ask for confirmation.
        #[arg(long, short = 'y')]
        yes: bool,
    },
    /// Sats received and sent over Lightning and as tokens.
    Transfers {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Tokens that you made and nobody redeemed: show them again, or redeem them yourself.
    Tokens {
        /// Redeem all of them into the wallet; fails if one cannot be redeemed.
        #[arg(long = "take-back")]
        reclaim: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Move sats to a mint from a Lightning wallet over Nostr Wallet Connect (FRLM_NWC).
    Fund {
        /// How many sats.
        #[arg(value_name = "SATS", value_parser = sats)]
        amount: u64,
        /// The mint that receives them [default: the first].
        #[arg(long, value_name = "URL")]
        mint: Option<String>,
        /// Seconds that the Lightning wallet may take for each answer.
        #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = seconds)]
        wait: u64,
        /// Do not ask for confirmation.
        #[arg(long, short = 'y')]
        yes: bool,
    },
    /// Move sats from a mint to a Lightning wallet over Nostr Wallet Connect (FRLM_NWC).
    Withdraw {
        /// How many sats.
        #[arg(value_name = "SATS", value_parser = sats)]
        amount: u64,
        /// The mint that holds them [default: the one with most].
        #[arg(long, value_name = "URL")]
        mint: Option<String>,
        /// Seconds that the Lightning wallet may take for each answer.
        #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = seconds)]
        wait: u64,
        /// Do not ask for confirmation.
        #[arg(long, short = 'y')]
        yes: bool,
    },
    /// Each ledger entry of a run, in order; without a run, what this home's provider earned.
    History {
        /// The run's id or its beginning.
        run: Option<String>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// What a run paid to whom, to the sat.
    Receipt {
        /// The run's id or its beginning.
        run: String,
        /// Print JSON.
        #[arg(long, conflicts_with = "csv")]
        json: bool,
        /// Print CSV.
        #[arg(long)]
        csv: bool,
        /// Publish it: one signed label (NIP-32) for each provider, under the run's own key.
        #[arg(long, conflicts_with_all = ["json", "csv"])]
        publish: bool,
        /// Where to publish it [default: the relays of config.toml]; may be repeated.
        #[arg(long = "relay", short = 'r', value_name = "URL", requires = "publish")]
        relays: Vec<String>,
        /// Do not ask for confirmation.
        #[arg(long, short = 'y', requires = "publish")]
        yes: bool,
    },
    /// What this home's provider has earned, what is pending and why, what was refused, by hour and model.
    Earned {
        /// Print JSON.
        #[arg(long, conflicts_with = "csv")]
        json: bool,
        /// Print CSV.
        #[arg(long)]
        csv: bool,
    },
    /// The spending limits of config.toml per part, day, provider and mint, and what is used of them.
    Limits {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// How much other NIP-90 providers were paid before their work, without escrow, and the outcome.
    Prepaid {
        /// Pay this provider before its work again, even though earlier payments brought no good answer.
        #[arg(long, value_name = "NPUB")]
        forgive: Option<String>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Set, change or drop the passphrase that seals the wallet (FRLM_WALLET_PASSPHRASE). The new one is asked for, or is
    /// FRLM_WALLET_NEW_PASSPHRASE.
    Passphrase {
        /// Seal it with a key beside it instead: anybody who reads the folder has the sats.
        #[arg(long)]
        drop: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Check that all balances match: ledger, wallet, receipts and mints.
    Audit,
    /// Finish payments that a process left open when it died; exit 1 if some are stuck.
    Recover,
}

/// `frlm wallet mints`
#[derive(Debug, Subcommand)]
pub enum MintsCommand {
    /// List the mints.
    List,
    /// Add a mint that may hold your sats.
    Add {
        /// Its address.
        #[arg(value_name = "URL")]
        url: String,
        /// The most sats that it may hold.
        // Its earlier name works for one version.
        #[arg(long, alias = "cap", value_name = "SATS", value_parser = sats)]
        limit: Option<u64>,
    },
    /// Stop using a mint.
    Remove {
        /// Its address.
        #[arg(value_name = "URL")]
        url: String,
    },
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_limit_of_a_mint_is_read_under_its_earlier_name_too() {
        let add = ["frlm", "wallet", "mints", "add", "https://mint.example", "--cap", "5"];
        let read = format!("{:?}", crate::cli::Cli::read(add).unwrap().command);
        assert!(read.contains("limit: Some(5)"), "{read}");
    }
}
