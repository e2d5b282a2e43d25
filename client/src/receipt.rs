//! What a run has cost, per provider; and what a provider has earned.
//!
//! The sums are those of the ledger: a receipt that does not add up says so instead of hiding it.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

use frlm_wallet::SettlementOutcome;
use frlm_wallet::debts::DebtState;
use frlm_wallet::ledger::State;
use frlm_wallet::prepay::{PrepaidEnd, PrepaidState};
use frlm_wallet::{Budget, CashuWallet, Key, Ledger, LedgerError, Money, Sats};
use serde::Serialize;

/// One provider's line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Line {
    /// The provider's key.
    pub provider: String,
    /// Jobs whose pay was locked.
    pub jobs: usize,
    /// Jobs that counted.
    pub accepted: usize,
    /// Millisats that the provider got.
    pub paid_msats: u64,
    /// Millisats that were refunded.
    pub reclaimed_msats: u64,
    /// Millisats in escrow until their locktime.
    pub waiting_msats: u64,
    /// Unix seconds at which the last of them is refunded.
    pub waiting_until: Option<u64>,
    /// Millisats that mints took.
    pub fees_msats: u64,
    /// Of what was paid, millisats that no escrow held: paid before the work.
    pub unescrowed_msats: u64,
    /// Of what was paid, millisats that no escrow held: paid after the verdict.
    pub after_msats: u64,
    /// Millisats that are owed for work that counts, and of which the provider was not told yet.
    pub owed_msats: u64,
}

/// A run's receipt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Receipt {
    /// The run.
    pub run_id: String,
    /// Whether the sats are worth nothing.
    pub play_money: bool,
    /// Per provider.
    pub lines: Vec<Line>,
    /// Millisats that the ledger counts as spent, fees included.
    pub spent_msats: u64,
    /// Millisats of fees in it.
    pub fees_msats: u64,
    /// Millisats in it that stand for what is owed, or may have been paid: all that was reserved for it, until that is
    /// known.
    pub undecided_msats: u64,
    /// Whether the lines add up to the ledger.
    pub adds_up: bool,
}

impl Receipt {
    /// The receipt of a run that was paid from this wallet.
    pub async fn of(wallet: &CashuWallet, ledger: &Ledger, run: &str) -> anyhow::Result<Self> {
        let mut lines: BTreeMap<String, Line> = BTreeMap::new();
        let debts = wallet.debts(Some(run)).await?;
        let after: HashSet<&Key> = debts.iter().map(|row| &row.debt.key).collect();
        let owed: HashSet<&Key> =
            debts.iter().filter(|row| row.state == DebtState::Owed).map(|row| &row.debt.key).collect();
        let prepaid = wallet.prepaid(Some(run)).await?;
        let unknown = prepaid
            .iter()
            .filter(|row| matches!(row.state, PrepaidState::Planned | PrepaidState::Made))
            .map(|row| &row.key);
        let undecided: HashSet<&Key> = owed.iter().copied().chain(unknown).collect();
        let reserved_for = reserved_for(ledger, &undecided).await?;
        let mut known = Known::default();
        let mut locked: HashSet<Key> = HashSet::new();
        for row in wallet.locks(Some(run)).await? {
            // Owed until its provider was told, wherever its sats are meanwhile.
            if owed.contains(&row.key) && matches!(row.outcome(), SettlementOutcome::Waiting { .. }) {
                continue;
            }
            known.add(row.outcome(), undecided.contains(&row.key));
            if row.outcome() != SettlementOutcome::Void {
                locked.insert(row.key.clone());
            }
            let line = lines.entry(row.peer.clone()).or_default();
            line.provider.clone_from(&row.peer);
            line.jobs += 1;
            match row.outcome() {
                SettlementOutcome::Paid { price, fees } => {
                    line.accepted += 1;
                    line.paid_msats += msats(price);
                    line.fees_msats += msats(fees);
                    if after.contains(&row.key) {
                        line.after_msats += msats(price);
                    }
                }
                SettlementOutcome::Back { fees } => {
                    line.reclaimed_msats += msats(row.price());
                    line.fees_msats += msats(fees);
                }
                SettlementOutcome::Waiting { until } => {
                    line.waiting_msats += msats(row.price());
                    line.waiting_until = line.waiting_until.max(Some(until));
                }
                SettlementOutcome::Void => line.jobs -= 1,
            }
        }
        let open = debts.iter().filter(|row| row.state == DebtState::Owed && !locked.contains(&row.debt.key));
        for row in open {
            let line = lines.entry(row.debt.peer.clone()).or_default();
            line.provider.clone_from(&row.debt.peer);
            line.jobs += 1;
            line.accepted += 1;
            line.owed_msats += msats(row.debt.price);
        }
        for paid in &prepaid {
            known.add(paid.outcome(), undecided.contains(&paid.key));
            let line = lines.entry(paid.peer.clone()).or_default();
            line.provider.clone_from(&paid.peer);
            match paid.outcome() {
                SettlementOutcome::Paid { price, fees } => {
                    line.jobs += 1;
                    line.accepted += usize::from(paid.end == PrepaidEnd::Earned);
                    line.paid_msats += msats(price);
                    line.unescrowed_msats += msats(price);
                    line.fees_msats += msats(fees);
                }
                // It may have been paid: nothing is in escrow, and nothing says when it is known.
                SettlementOutcome::Waiting { .. } => {
                    line.jobs += 1;
                    line.waiting_msats += msats(paid.amount);
                }
                // A token that its provider was never given.
                SettlementOutcome::Back { fees } => {
                    line.jobs += 1;
                    line.reclaimed_msats += msats(paid.amount);
                    line.fees_msats += msats(fees);
                }
                SettlementOutcome::Void => {}
            }
        }
        lines.retain(|_, line| line.jobs > 0);
        let budget: Budget = ledger.budget(run).await?;
        let lines: Vec<Line> = lines.into_values().collect();
        Ok(Self {
            run_id: run.to_owned(),
            play_money: wallet.money() == Money::Play,
            // A run without locks was accounted only; then the ledger alone knows.
            adds_up: lines.is_empty()
                || (budget.spent, budget.fees) == (known.spent.saturating_add(reserved_for), known.fees),
            undecided_msats: msats(reserved_for),
            spent_msats: msats(budget.spent),
            fees_msats: msats(budget.fees),
            lines,
        })
    }

    /// Whether something in it waits for a locktime, is owed, or is not known yet.
    pub fn is_under_way(&self) -> bool {
        let waits = |line: &Line| line.waiting_msats > 0 || line.owed_msats > 0;
        self.undecided_msats > 0 || self.lines.iter().any(waits)
    }

    /// For people.
    pub fn describe(&self) -> String {
        let unit = if self.play_money { Money::Play } else { Money::Real }.unit();
        let mut text = format!("receipt of run {} in {unit}\n", self.run_id);
        // Writing into a String cannot fail.
        for line in &self.lines {
            let _ = write!(
                text,
                "  {}  {} of {} jobs counted: {} paid, {} back, {} fees",
                line.provider.get(..8).unwrap_or(&line.provider),
                line.accepted,
                line.jobs,
                line.paid_msats / 1_000,
                line.reclaimed_msats / 1_000,
                line.fees_msats / 1_000
            );
            if line.unescrowed_msats > 0 {
                let _ = write!(text, " ({} paid before, unescrowed)", line.unescrowed_msats / 1_000);
            }
            if line.after_msats > 0 {
                let _ = write!(text, " ({} paid after, unescrowed)", line.after_msats / 1_000);
            }
            if line.owed_msats > 0 {
                let _ = write!(text, ", {} owed: frlm wallet recover pays it", line.owed_msats / 1_000);
            }
            match line.waiting_until {
                Some(until) => {
                    let _ = writeln!(
                        text,
                        ", {} in escrow, back at {until} (Unix time)",
                        line.waiting_msats / 1_000
                    );
                }
                None => text.push('\n'),
            }
        }
        let _ = write!(
            text,
            "  in all  {} spent, {} of it fees{}{}",
            self.spent_msats / 1_000,
            self.fees_msats / 1_000,
            match self.undecided_msats / 1_000 {
                0 => String::new(),
                sats => format!(", {sats} reserved for debts or not known yet"),
            },
            if self.adds_up {
                ""
            } else {
                "; this does not add up: frlm wallet recover, then frlm wallet audit"
            }
        );
        text
    }

    /// For spreadsheets.
    pub fn csv(&self) -> String {
        let mut text = String::from(
            "run,provider,jobs,accepted,paid_msats,reclaimed_msats,waiting_msats,waiting_until,fees_msats,unescrowed_msats,\
             after_msats,owed_msats\n",
        );
        for line in &self.lines {
            // Run ids and keys are hex: nothing needs quoting.
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{},{},{},{},{},{}",
                self.run_id,
                line.provider,
                line.jobs,
                line.accepted,
                line.paid_msats,
                line.reclaimed_msats,
                line.waiting_msats,
                line.waiting_until.map_or(String::new(), |until| until.to_string()),
                line.fees_msats,
                line.unescrowed_msats,
                line.after_msats,
                line.owed_msats
            );
        }
        text
    }
}

/// What the ledger has settled, by the wallet's books.
#[derive(Debug, Default)]
struct Known {
    /// Fees included.
    spent: Sats,
    fees: Sats,
}

impl Known {
    fn add(&mut self, outcome: SettlementOutcome, undecided: bool) {
        let (price, fees) = match outcome {
            SettlementOutcome::Paid { price, fees } if !undecided => (price, fees),
            SettlementOutcome::Back { fees } if !undecided => (Sats::ZERO, fees),
            _ => return,
        };
        self.spent = self.spent.saturating_add(price).saturating_add(fees);
        self.fees = self.fees.saturating_add(fees);
    }
}

/// What the ledger counts as spent for these attempts until it is known what they cost.
async fn reserved_for(ledger: &Ledger, attempts: &HashSet<&Key>) -> Result<Sats, LedgerError> {
    let mut sum = Sats::ZERO;
    for key in attempts {
        match ledger.entry((*key).clone()).await {
            Ok(entry) if matches!(entry.state, State::Released | State::Doubtful) => {
                sum = sum.saturating_add(entry.amount);
            }
            Ok(_) | Err(LedgerError::UnknownKey { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(sum)
}

fn msats(sats: Sats) -> u64 {
    sats.to_msats().map_or(u64::MAX, |msats| msats.0)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use frlm_wallet::Msats;
    use frlm_wallet::cashu::{PlayMint, PlayMintOptions};
    use frlm_wallet::prepay::{Prepayment, prepay_cost};
    use frlm_wallet::seed::Phrase;

    use super::*;

    #[tokio::test]
    async fn an_undelivered_token_is_refunded_and_the_receipt_adds_up_throughout() {
        let mint = PlayMint::start(PlayMintOptions { input_fee_ppk: 100, ..PlayMintOptions::default() });
        let mint = mint.await.unwrap();
        let home = tempfile::tempdir().unwrap();
        let (wallet, _) =
            CashuWallet::open(home.path(), Phrase::generate().seed(), Money::Play).await.unwrap();
        wallet.allow_mint(mint.url(), None).await.unwrap();
        let invoice = wallet.invoice(mint.url(), Sats(100)).await.unwrap();
        wallet.receive_invoice(&invoice, Duration::from_secs(20)).await.unwrap();
        let ledger = Ledger::open(home.path().join("ledger.db")).await.unwrap();
        ledger.open_run("run", Sats(90)).await.unwrap();
        let (key, reserved) = (Key::new("run", 1, 0), prepay_cost(Sats(40)));
        let mut reservation = ledger.reserve(key.clone(), reserved).await.unwrap();
        reservation.pay_out().await.unwrap();
        let order = Prepayment {
            key: key.clone(),
            peer: "provider".to_owned(),
            bolt11: String::new(),
            stated: Some(Msats(30_000)),
            bid: Sats(40),
            reserved,
        };
        let bill = wallet.token_bill(order).await.unwrap();
        let paid = wallet.pay_bill(&bill, None).await.unwrap();
        assert!(paid.fees > Sats::ZERO);
        let receipt = Receipt::of(&wallet, &ledger, "run").await.unwrap();
        assert!(receipt.adds_up, "{receipt:?}");
        assert_eq!(receipt.undecided_msats, msats(reserved), "it may still be given away");

        wallet.keep_prepaid(&key).await.unwrap();
        reservation.settle(Sats::ZERO, paid.fees).await.unwrap();
        let receipt = Receipt::of(&wallet, &ledger, "run").await.unwrap();
        assert!(receipt.adds_up, "{receipt:?}");
        assert_eq!((receipt.spent_msats, receipt.undecided_msats), (msats(paid.fees), 0));
        let [line] = &receipt.lines[..] else { panic!("one provider: {receipt:?}") };
        assert_eq!((line.jobs, line.accepted, line.paid_msats), (1, 0, 0));
        assert_eq!((line.reclaimed_msats, line.fees_msats), (30_000, msats(paid.fees)));
        mint.shutdown().await;
    }
}
