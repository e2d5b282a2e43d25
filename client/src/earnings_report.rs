//! What this home's provider has earned, what is pending and what comes next, what was refused; per hour and per
//! model. It is to a provider what a receipt is to an asker.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use frlm_protocol::printable;
use frlm_wallet::escrow::Earning;
use frlm_wallet::{Money, Sats};
use serde::Serialize;

const MILLISECONDS_PER_HOUR: i64 = 3_600_000;

/// What became of the sats that were locked for a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EarningState {
    /// Worked for before it is paid; the asker has not decided yet, or not paid yet.
    Owed,
    /// Locked; the asker has not decided yet.
    Locked,
    /// The asker has let go of them, and the mint is asked for them.
    Released,
    /// They are in the wallet.
    Earned,
    /// This provider has signed that they go back.
    GivenBack,
    /// The asker never decided, and their time is over.
    Withheld,
}

impl EarningState {
    /// As the book calls it (design.md, section 5). What it does not call by a known name is still
    /// on its way.
    pub fn of(state: &str) -> Self {
        match state {
            "owed" => Self::Owed,
            "redeemed" => Self::Earned,
            "returned" => Self::GivenBack,
            "lost" | "withheld" => Self::Withheld,
            "released" | "redeeming" => Self::Released,
            _ => Self::Locked,
        }
    }
}

/// One job's, in a line.
pub fn line(each: &Earning) -> String {
    format!(
        "{}  {:9}  {} agreed, {} received  {}",
        each.job.get(..8).unwrap_or(&each.job),
        each.state,
        each.price,
        each.received,
        printable(&each.model)
    )
}

/// The same for programs.
pub fn as_json(each: &Earning) -> serde_json::Value {
    serde_json::json!({
        "job": each.job, "asker": each.asker, "model": each.model, "mint": each.mint,
        "state": each.state, "price_sats": each.price.0, "received_sats": each.received.0,
        "locktime": each.locktime, "at_ms": each.at_unix_ms,
    })
}

/// Sats of several jobs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Sums {
    /// Jobs that are paid.
    pub paid_jobs: usize,
    /// What arrived for them.
    pub earned_sats: u64,
    /// Jobs that wait for a verdict, for their pay or for the mint.
    pub pending_jobs: usize,
    /// What was agreed for them.
    pub pending_sats: u64,
    /// Jobs whose answers did not count, or that were cancelled.
    pub refused_jobs: usize,
    /// What was agreed for them.
    pub refused_sats: u64,
    /// Jobs whose answers were kept and never paid.
    pub withheld_jobs: usize,
    /// What was agreed for them.
    pub withheld_sats: u64,
}

impl Sums {
    /// Of everything in a book.
    pub fn of(earnings: &[Earning]) -> Self {
        let mut sums = Self::default();
        for earning in earnings {
            sums.add(earning);
        }
        sums
    }

    /// In a line: arrived, on its way, given back, withheld.
    pub fn describe(&self, money: Money) -> String {
        format!(
            "earned {} for {} jobs, {} pending for {}, {} returned for {}, {} withheld for {}, in {}",
            self.earned_sats,
            self.paid_jobs,
            self.pending_sats,
            self.pending_jobs,
            self.refused_sats,
            self.refused_jobs,
            self.withheld_sats,
            self.withheld_jobs,
            money.unit()
        )
    }

    fn add(&mut self, earning: &Earning) {
        let price = earning.price.0;
        let (jobs, sats, more) = match EarningState::of(&earning.state) {
            EarningState::Earned => (&mut self.paid_jobs, &mut self.earned_sats, earning.received.0),
            EarningState::GivenBack => (&mut self.refused_jobs, &mut self.refused_sats, price),
            EarningState::Withheld => (&mut self.withheld_jobs, &mut self.withheld_sats, price),
            EarningState::Owed | EarningState::Locked | EarningState::Released => {
                (&mut self.pending_jobs, &mut self.pending_sats, price)
            }
        };
        *jobs += 1;
        *sats = sats.saturating_add(more);
    }
}

/// One job that is not over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pending {
    /// The job's event id.
    pub job: String,
    /// What was agreed.
    pub sats: u64,
    /// Seconds since it last changed.
    pub age_secs: u64,
    /// What happens next.
    pub next: String,
}

/// A provider's books.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EarningsReport {
    /// Whether the sats are worth nothing.
    pub play_money: bool,
    /// Everything together.
    pub total: Sums,
    /// By hours since 1970, in which the job last changed.
    pub hours: BTreeMap<i64, Sums>,
    /// By model.
    pub models: BTreeMap<String, Sums>,
    /// Jobs that are not over, oldest first.
    pub pending: Vec<Pending>,
}

impl EarningsReport {
    /// The books at a moment, in milliseconds since 1970.
    pub fn of(earnings: &[Earning], money: Money, now_ms: i64) -> Self {
        let mut report = Self {
            play_money: money == Money::Play,
            total: Sums::default(),
            hours: BTreeMap::new(),
            models: BTreeMap::new(),
            pending: Vec::new(),
        };
        for earning in earnings {
            report.total.add(earning);
            report
                .hours
                .entry(earning.at_unix_ms.div_euclid(MILLISECONDS_PER_HOUR))
                .or_default()
                .add(earning);
            report.models.entry(earning.model.clone()).or_default().add(earning);
            if let Some(next) = next_step(earning) {
                let age_secs = u64::try_from(now_ms.saturating_sub(earning.at_unix_ms) / 1_000).unwrap_or(0);
                let pending = Pending { job: earning.job.clone(), sats: earning.price.0, age_secs, next };
                report.pending.push(pending);
            }
        }
        report.pending.sort_by_key(|pending| std::cmp::Reverse(pending.age_secs));
        report
    }

    /// For people.
    pub fn describe(&self) -> String {
        let unit = if self.play_money { Money::Play } else { Money::Real }.unit();
        let mut text = format!("in {unit}\nin all         {}\n", in_words(&self.total));
        // Writing into a String cannot fail.
        for (model, sums) in &self.models {
            let _ = writeln!(text, "{:13}  {}", frlm_protocol::printable(model), in_words(sums));
        }
        for (hour, sums) in &self.hours {
            let _ = writeln!(text, "{:13}  {}", hour_in_words(*hour), in_words(sums));
        }
        for pending in &self.pending {
            let job = pending.job.get(..8).unwrap_or(&pending.job);
            let _ = writeln!(
                text,
                "job {job}  {} pending for {} s: {}",
                Sats(pending.sats),
                pending.age_secs,
                pending.next
            );
        }
        text
    }

    /// For spreadsheets: one row per hour, then one per model.
    pub fn csv(&self) -> String {
        let mut text = String::from(
            "by,what,paid_jobs,earned_sats,pending_jobs,pending_sats,refused_jobs,refused_sats,withheld_jobs,\
             withheld_sats\n",
        );
        let mut row = |by: &str, what: &str, sums: &Sums| {
            // Writing into a String cannot fail.
            let _ = writeln!(
                text,
                "{by},{what},{},{},{},{},{},{},{},{}",
                sums.paid_jobs,
                sums.earned_sats,
                sums.pending_jobs,
                sums.pending_sats,
                sums.refused_jobs,
                sums.refused_sats,
                sums.withheld_jobs,
                sums.withheld_sats
            );
        };
        for (hour, sums) in &self.hours {
            row("hour", &hour_in_words(*hour), sums);
        }
        for (model, sums) in &self.models {
            row("model", &quoted(model), sums);
        }
        text
    }
}

/// What happens next with a job that is not over.
fn next_step(earning: &Earning) -> Option<String> {
    let until = earning.locktime;
    match earning.state.as_str() {
        "accepted" => Some(format!("the asker's verdict, at the latest at {until} (Unix time)")),
        "owed" => Some(format!("its pay, at the latest at {until} (Unix time)")),
        "released" => Some("it is redeemed within a minute while frlm provide runs".to_owned()),
        "redeeming" => Some("the mint is asked again: frlm wallet recover".to_owned()),
        _ => None,
    }
}

fn in_words(sums: &Sums) -> String {
    format!(
        "earned {} for {} jobs, {} pending for {}, {} refused for {}, {} withheld for {}",
        sums.earned_sats,
        sums.paid_jobs,
        sums.pending_sats,
        sums.pending_jobs,
        sums.refused_sats,
        sums.refused_jobs,
        sums.withheld_sats,
        sums.withheld_jobs
    )
}

/// The beginning of an hour, as `2026-11-21T10Z`.
fn hour_in_words(hour: i64) -> String {
    let seconds = u64::try_from(hour.saturating_mul(3_600)).unwrap_or(0);
    let text = nostr::Timestamp::from_secs(seconds).to_human_datetime();
    text.get(..13).map_or_else(|| hour.to_string(), |date| format!("{date}Z"))
}

/// A name that somebody chose, as one field.
fn quoted(text: &str) -> String {
    format!("\"{}\"", frlm_protocol::printable(text).replace('"', "\"\"").replace(['\n', '\r'], " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn earning(job: &str, model: &str, state: &str, hour: i64) -> Earning {
        Earning {
            job: job.to_owned(),
            asker: "asker".to_owned(),
            model: model.to_owned(),
            mint: "https://mint.example".to_owned(),
            state: state.to_owned(),
            price: Sats(5),
            received: if state == "redeemed" { Sats(5) } else { Sats::ZERO },
            locktime: 2_000_000_000,
            at_unix_ms: hour * MILLISECONDS_PER_HOUR,
        }
    }

    #[test]
    fn the_mirror_adds_up_by_hour_and_by_model_and_says_what_comes_next() {
        let earnings = [
            earning("a", "small", "redeemed", 497_000),
            earning("b", "small", "accepted", 497_000),
            earning("c", "large, \"new\"", "redeemed", 497_001),
            earning("d", "large, \"new\"", "lost", 497_001),
            earning("e", "small", "returned", 497_001),
            earning("f", "small", "owed", 497_001),
        ];
        let report = EarningsReport::of(&earnings, Money::Real, 497_002 * MILLISECONDS_PER_HOUR);
        assert_eq!((report.total.earned_sats, report.total.pending_sats), (10, 10));
        assert_eq!((report.total.refused_jobs, report.total.withheld_sats), (1, 5));
        let of = |sums: &dyn Fn(&Sums) -> u64| -> (u64, u64) {
            (report.hours.values().map(sums).sum(), report.models.values().map(sums).sum())
        };
        assert_eq!(of(&|sums| sums.earned_sats), (10, 10));
        assert_eq!(of(&|sums| sums.pending_sats), (10, 10));
        assert_eq!(report.pending.len(), 2);
        assert_eq!((report.pending[0].job.as_str(), report.pending[0].age_secs), ("b", 7_200));
        assert!(report.pending[0].next.contains("verdict"));
        let csv = report.csv();
        assert_eq!(csv.lines().count(), 1 + 2 + 2);
        assert!(csv.contains("hour,2026-09-12T08Z,1,5,1,5,0,0,0,0"), "{csv}");
        assert!(csv.contains("model,\"large, \"\"new\"\"\",1,5,0,0,0,0,1,5"), "{csv}");
        assert!(
            report.describe().contains("earned 10 for 2 jobs, 10 pending for 2"),
            "{}",
            report.describe()
        );
    }
}
