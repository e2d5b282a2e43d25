//! Whether all books of a home say the same, for `frlm wallet audit` and the window: ledger, journal, receipts and mints.

use std::fmt::Write as _;

use frlm_protocol::one_line;
use frlm_wallet::{CashuWallet, Difference, Ledger};

use crate::failure::{Failure, code, render_error};
use crate::receipt::Receipt;
use crate::units::{plural, thousands};

/// Differences that are listed; one is already one too many.
const MOST_LISTED: usize = 50;

/// What an audit found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HomeAudit {
    /// Rows of the ledger's log that were folded again.
    pub transitions: u64,
    /// Reservations that they belong to.
    pub reservations: u64,
    /// Runs.
    pub runs: u64,
    /// What the ledger was compared with; nothing without a wallet.
    pub compared: Option<Compared>,
    /// Where the books contradict each other, each with its remedy; empty if all is well.
    pub differences: Vec<Difference>,
    /// What could not be compared, and why.
    pub unasked: Vec<String>,
}

/// How much of a wallet was compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Compared {
    /// Attempts in ledger and journal.
    pub attempts: usize,
    /// Receipts that were added up.
    pub receipts: usize,
    /// Receipts that add up once what waits is known.
    pub under_way: usize,
    /// Proofs of which a mint has said where they are.
    pub proofs: usize,
}

/// Folds the ledger's log again, and compares the ledger with the wallet, where one was opened, and that with its mints.
/// A wallet that cannot be opened is not compared, and says why.
///
/// # Errors
///
/// If a file cannot be read.
pub async fn audit(
    ledger: &Ledger,
    opened: &anyhow::Result<Option<CashuWallet>>,
) -> anyhow::Result<HomeAudit> {
    const REMEDY: &str = "keep a copy of ledger.db, and report it; no run was stopped";
    let folded = ledger.audit().await?;
    let of_log = |what: String| Difference { what, remedy: REMEDY };
    let mut found = HomeAudit {
        transitions: folded.transitions,
        reservations: folded.reservations,
        runs: folded.runs,
        differences: folded.mismatches.iter().map(|mismatch| of_log(mismatch.to_string())).collect(),
        ..HomeAudit::default()
    };
    match opened {
        Ok(Some(wallet)) => found.compare(ledger, wallet).await?,
        Ok(None) => {}
        Err(error) => found.unasked.push(render_error(error).0),
    }
    Ok(found)
}

impl HomeAudit {
    async fn compare(&mut self, ledger: &Ledger, wallet: &CashuWallet) -> anyhow::Result<()> {
        const REMEDY: &str = "compare frlm wallet receipt RUN with frlm wallet history RUN: what the receipt lacks is a \
                              payment that the journal does not know";
        let found = frlm_wallet::audit(ledger, wallet).await?;
        self.differences.extend(found.differences);
        self.unasked.extend(found.unasked);
        let mut compared = Compared { attempts: found.attempts, proofs: found.proofs, ..Compared::default() };
        for run in ledger.runs().await? {
            let receipt = Receipt::of(wallet, ledger, &run.run).await?;
            if receipt.lines.is_empty() {
                continue;
            }
            if receipt.is_under_way() {
                compared.under_way += 1;
                continue;
            }
            compared.receipts += 1;
            if !receipt.adds_up {
                let what = format!("the receipt of run {} does not add up to its ledger", run.run);
                self.differences.push(Difference { what, remedy: REMEDY });
            }
        }
        self.compared = Some(compared);
        Ok(())
    }

    /// Each difference with its remedy, then what could not be compared, for people.
    pub fn points(&self) -> Vec<String> {
        let differences = self.differences.iter().map(ToString::to_string);
        let unasked = self.unasked.iter().map(|why| format!("not compared: {why}"));
        let all: Vec<String> =
            differences.chain(unasked).map(|point| one_line(&point).into_owned()).collect();
        let more = all.len().saturating_sub(MOST_LISTED);
        let rest = (more > 0).then(|| format!("and {more} more"));
        all.into_iter().take(MOST_LISTED).chain(rest).collect()
    }

    /// How much was added up and agrees, in sentences for people.
    pub fn agreement(&self) -> String {
        let [steps, reservations, runs] = [self.transitions, self.reservations, self.runs].map(thousands);
        let mut text = format!(
            "{steps} entries of {reservations} reservations in {runs} runs rechecked; balances match the \
             ledger."
        );
        if let Some(Compared { attempts, receipts, proofs, .. }) = self.compared {
            let (attempts, receipts) = (plural(attempts, "attempt"), plural(receipts, "receipt"));
            let coins = plural(proofs, "coin");
            let _ = write!(text, " {attempts}, {receipts} and {coins} at their mints agree with it.");
        }
        text
    }

    /// In lines, for people.
    pub fn describe(&self) -> String {
        let Self { transitions, reservations, runs, .. } = self;
        let mut text =
            format!("{transitions} entries of {reservations} reservations in {runs} runs rechecked\n");
        // Writing into a String cannot fail.
        if let Some(Compared { attempts, receipts, under_way, proofs }) = self.compared {
            let _ = writeln!(
                text,
                "{attempts} attempts compared in ledger and journal, {receipts} receipts added up ({under_way} are not over), \
                 {proofs} proofs asked about at their mints"
            );
        }
        for point in self.points() {
            let _ = writeln!(text, "{point}");
        }
        if self.differences.is_empty() {
            let rest = if self.unasked.is_empty() { "" } else { ", as far as they could be compared" };
            let _ = writeln!(text, "all balances match{rest}");
        }
        text
    }

    /// That nothing contradicts anything.
    ///
    /// # Errors
    ///
    /// If there is a difference; what that is has been said.
    pub fn agrees(&self) -> Result<(), Failure> {
        if self.differences.is_empty() {
            return Ok(());
        }
        let why = "ledger, journal, receipts and mints do not match, as listed above";
        Err(Failure::with_code(code::FAILED, why))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use frlm_wallet::cashu::{PlayMint, PlayMintOptions};
    use frlm_wallet::escrow::LockOrder;
    use frlm_wallet::seed::Phrase;
    use frlm_wallet::{Key, Money, Sats};

    use super::*;

    #[tokio::test]
    async fn sats_that_no_ledger_counts_are_named_with_what_to_do() {
        let mint = PlayMint::start(PlayMintOptions::default()).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let (wallet, _) =
            CashuWallet::open(folder.path(), Phrase::generate().seed(), Money::Play).await.unwrap();
        wallet.allow_mint(mint.url(), None).await.unwrap();
        let invoice = wallet.invoice(mint.url(), Sats(50)).await.unwrap();
        wallet.receive_invoice(&invoice, Duration::from_secs(20)).await.unwrap();
        let ledger = Ledger::open(folder.path().join("ledger.db")).await.unwrap();
        ledger.open_run("run", Sats(20)).await.unwrap();
        let opened = Ok(Some(wallet.clone()));
        let clean = audit(&ledger, &opened).await.unwrap();
        assert!(clean.agrees().is_ok() && clean.compared.unwrap().proofs > 0, "{clean:?}");
        assert!(clean.describe().ends_with("at their mints\nall balances match\n"), "{}", clean.describe());

        let order = LockOrder {
            key: Key::new("run", 1, 0),
            peer: "npub".to_owned(),
            provider: wallet.provider_key(),
            price: Sats(13),
            most: None,
            locktime: frlm_util::clock::unix_secs() + 3_600,
        };
        wallet.lock_all(mint.url(), vec![order]).await.unwrap();
        let found = audit(&ledger, &opened).await.unwrap();
        let [point] = &found.points()[..] else { panic!("one difference: {found:?}") };
        assert!(
            point.contains("the ledger does not know it") && point.contains("frlm wallet recover"),
            "{point}"
        );
        assert!(found.agrees().is_err() && !found.describe().contains("add up"), "{}", found.describe());

        let unopened = Err(anyhow::anyhow!("the disk is full"));
        let found = audit(&ledger, &unopened).await.unwrap();
        assert_eq!(found.points(), ["not compared: the disk is full"]);
        assert!(found.agrees().is_ok() && found.describe().contains("as far as they could be compared"));
        mint.shutdown().await;
    }

    #[test]
    fn a_thousand_differences_are_counted_and_fifty_listed() {
        let one = Difference { what: "a\nb".to_owned(), remedy: "mend it" };
        let points = HomeAudit { differences: vec![one; 1_000], ..HomeAudit::default() }.points();
        assert_eq!((points.len(), &*points[50]), (51, "and 950 more"));
        assert!(!points[0].contains('\n'), "{}", points[0]);
    }
}
