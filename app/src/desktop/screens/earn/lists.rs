//! Draws the jobs since this machine went online, and the pay of every job that ever came with its
//! price.

use egui::Ui;
use lucide_icons::Icon;

use super::jobs::{Job, JobStatus, Jobs};
use super::state::{Action, Earn, Listed};
use super::words;
use crate::desktop::command::Commands;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::words::{lasting, short};
use crate::desktop::widgets::{
    Cell, Column, Row, SortKey, Table, Tone, Touched, amount, card_ui, one_line_ui, soft, tabs_ui, thousands,
};
use frlm_client::earnings_report::EarningState;
use frlm_client::provider_pay::{Paid, Pay};

/// Of the table of jobs.
pub const JOBS: [Column; 7] = [
    Column::fixed("Job", 84.0),
    Column::fixed("Asked by", 84.0),
    Column::figures("Prompts", 72.0),
    Column::figures("Tokens", 76.0),
    Column::figures("Took", 84.0),
    Column::figures("Pay", 84.0),
    Column::rest("Status"),
];

/// Of the table of their pay.
pub const PAY: [Column; 6] = [
    Column::times("Changed", 100.0),
    Column::fixed("Job", 84.0),
    Column::fixed("Asked by", 84.0),
    Column::figures("Agreed", 84.0),
    Column::figures("Arrived", 84.0),
    Column::rest("Status"),
];

/// The tabs above a list.
const HEAD: f32 = 44.0;

/// The card with the list that is chosen, so high.
pub fn lists_ui(ui: &mut Ui, earn: &Earn, height: f32, commands: &mut Commands) {
    if earn.jobs.len() == 0 && earn.pay.count() == 0 {
        return;
    }
    card_ui(ui, |ui| {
        ui.horizontal(|ui| {
            let jobs = if earn.sorted.chosen().is_none() { words::JOBS_NEWEST } else { words::JOBS };
            let tabs = [(Listed::Jobs, jobs), (Listed::Pay, words::PAY)];
            commands.extend(tabs_ui(ui, &tabs, earn.listed).map(Action::List));
            if earn.listed == Listed::Jobs {
                notes_ui(ui, earn);
            }
        });
        let height = height - 2.0 * space::L - HEAD;
        ui.set_min_height(height);
        let touched = match earn.listed {
            Listed::Jobs if earn.jobs.len() == 0 => {
                ui.label(soft(ui, words::NO_JOBS));
                None
            }
            Listed::Pay if earn.pay.count() == 0 => {
                ui.label(soft(ui, words::NO_PAY));
                None
            }
            Listed::Jobs => {
                let row = |position: usize| {
                    let cells = earn.jobs.get(position).map_or_else(Vec::new, |job| job_cells(earn, job));
                    Row { chosen: false, cells }
                };
                table("jobs", &JOBS, earn).show(ui, height, earn.jobs.len(), row)
            }
            Listed::Pay => {
                let row = |position: usize| {
                    let cells = earn.pay.get(position).map_or_else(Vec::new, |paid| pay_cells(earn, paid));
                    Row { chosen: false, cells }
                };
                table("pay", &PAY, earn).show(ui, height, earn.pay.count(), row)
            }
        };
        if let Some(Touched::Sort(order)) = touched {
            commands.push(Action::Sort(order));
        }
    });
}

/// What came last stands first of itself.
fn table<'a>(name: &'a str, columns: &'a [Column<'a>], earn: &'a Earn) -> Table<'a> {
    Table::new(name, columns).sorted(&earn.sorted, None).read_only()
}

/// What a cell of the jobs' table counts as.
pub fn job_key(jobs: &Jobs, pay: &Pay, row: usize, column: usize) -> SortKey {
    let Some(job) = jobs.get(row) else { return SortKey::Nothing };
    let figure = |figure: u64| SortKey::number(Some(figure).filter(|figure| *figure > 0));
    match column {
        0 => SortKey::words(&job.id),
        1 => SortKey::words(&job.asker),
        2 => figure(job.prompts as u64),
        3 => figure(job.tokens),
        4 => figure(job.took_ms),
        5 => SortKey::number(pay.of(&job.id).map(brings)),
        _ => SortKey::words(&became(job).2),
    }
}

/// What a cell of the table of pay counts as.
pub fn pay_key(pay: &Pay, row: usize, column: usize) -> SortKey {
    let Some(paid) = pay.get(row) else { return SortKey::Nothing };
    match column {
        0 => SortKey::Number(paid.at_ms),
        1 => SortKey::words(&paid.job),
        2 => SortKey::words(&paid.asker),
        3 => SortKey::Number(paid.price),
        4 => SortKey::number((paid.status == EarningState::Earned).then_some(paid.received)),
        // In the order in which it comes about.
        _ => SortKey::Number(paid.status as u64),
    }
}

fn notes_ui(ui: &mut Ui, earn: &Earn) {
    if let Some((why, count)) = &earn.jobs.ignored {
        one_line_ui(ui, soft(ui, &words::not_jobs(*count, why)));
    }
    if earn.missed > 0 {
        ui.label(soft(ui, &words::not_shown(earn.missed)));
    }
}

fn job_cells(earn: &Earn, job: &Job) -> Vec<Cell> {
    let figure = |number: u64| if number == 0 { "–".to_owned() } else { thousands(number) };
    let took = if job.took_ms == 0 { "–".to_owned() } else { lasting(job.took_ms) };
    let asker = if job.asker.is_empty() { "–" } else { short(&job.asker) };
    let (tone, icon, words) = became(job);
    vec![
        Cell::mono(short(&job.id)),
        Cell::mono(asker),
        Cell::text(figure(job.prompts as u64)),
        Cell::text(figure(job.tokens)),
        Cell::text(took),
        earn.pay.of(&job.id).map_or_else(|| Cell::soft("–"), pay_cell),
        Cell::mark(tone, icon, words),
    ]
}

/// What became of a job, as icon, colour and words.
fn became(job: &Job) -> (Tone, Icon, String) {
    match &job.status {
        JobStatus::Waiting => (Tone::Plain, Icon::Clock, "waiting".to_owned()),
        JobStatus::Working => (Tone::Busy, Icon::LoaderCircle, "in progress".to_owned()),
        JobStatus::Answered => (Tone::Busy, Icon::Send, "answered, being delivered".to_owned()),
        JobStatus::Delivered => (Tone::Good, Icon::CircleCheck, "answered and delivered".to_owned()),
        JobStatus::Accepted(words) => (Tone::Good, Icon::ShieldCheck, format!("accepted: {words}")),
        JobStatus::Rejected(words) => (Tone::Warn, Icon::ShieldX, format!("rejected: {words}")),
        JobStatus::Refused(why) => (Tone::Warn, Icon::Ban, format!("refused: {why}")),
        JobStatus::Failed(why) => (Tone::Bad, Icon::CircleX, format!("failed: {why}")),
        JobStatus::Cancelled => (Tone::Plain, Icon::Undo2, "cancelled".to_owned()),
        JobStatus::Undelivered(why) => (Tone::Bad, Icon::CloudOff, format!("not delivered: {why}")),
    }
}

/// What a job brings or may bring, in sats.
fn brings(paid: &Paid) -> u64 {
    match paid.status {
        EarningState::Earned => paid.received,
        EarningState::Owed | EarningState::Locked | EarningState::Released => paid.price,
        EarningState::GivenBack | EarningState::Withheld => 0,
    }
}

/// What a job brings, in a cell.
fn sats(paid: &Paid) -> String {
    match paid.status {
        EarningState::Earned => amount(paid.received),
        EarningState::Owed | EarningState::Locked | EarningState::Released => {
            format!("({})", amount(paid.price))
        }
        EarningState::GivenBack | EarningState::Withheld => "0 sats".to_owned(),
    }
}

/// The same in a table, with why it is less than was agreed under the pointer.
fn pay_cell(paid: &Paid) -> Cell {
    let cell = Cell::text(sats(paid));
    match kept(paid) {
        Some(fee) => cell.telling(format!("{} agreed; {fee}", amount(paid.price))),
        None => cell,
    }
}

/// Why less arrived than was agreed, where it did: what comes in is made new at its mint, which takes a fee for that.
fn kept(paid: &Paid) -> Option<String> {
    let fee = paid.price.checked_sub(paid.received).filter(|fee| *fee > 0)?;
    (paid.status == EarningState::Earned).then(|| format!("its mint kept {} as a fee", amount(fee)))
}

/// How long something still has: minutes are counted whole, the one under way among them.
fn left_in_words(seconds: u64) -> String {
    match seconds {
        60..3_600 => format!("{} min", seconds.div_ceil(60)),
        _ => lasting(seconds.saturating_mul(1_000)),
    }
}

fn pay_cells(earn: &Earn, paid: &Paid) -> Vec<Cell> {
    let left = paid.until_secs.saturating_sub(earn.pay_secs);
    let (tone, icon, words) = match paid.status {
        EarningState::Earned => {
            let fee = kept(paid).map_or(String::new(), |fee| format!("; {fee}"));
            (Tone::Good, Icon::CircleCheck, format!("earned{fee}"))
        }
        EarningState::Released => {
            (Tone::Busy, Icon::LockOpen, "released, being redeemed at the mint".to_owned())
        }
        EarningState::Owed if left == 0 => (Tone::Warn, Icon::Handshake, "owed, overdue".to_owned()),
        EarningState::Owed => {
            let left = left_in_words(left);
            (Tone::Busy, Icon::Handshake, format!("owed for work done, due within {left}"))
        }
        EarningState::Locked if left == 0 => {
            (Tone::Warn, Icon::Lock, "locked, and its locktime has passed".to_owned())
        }
        EarningState::Locked => {
            let left = left_in_words(left);
            (Tone::Busy, Icon::Lock, format!("pending: locked, the asker decides within {left}"))
        }
        EarningState::GivenBack => {
            let words = "returned: cancelled, not accepted, or not answered";
            (Tone::Plain, Icon::Undo2, words.to_owned())
        }
        EarningState::Withheld => {
            (Tone::Bad, Icon::CircleX, "withheld: the asker did not decide before the locktime".to_owned())
        }
    };
    let received = if paid.status == EarningState::Earned { amount(paid.received) } else { "–".to_owned() };
    vec![
        Cell::ago(earn.pay_secs.saturating_mul(1_000), paid.at_ms),
        Cell::mono(short(&paid.job)),
        Cell::mono(short(&paid.asker)),
        Cell::text(amount(paid.price)),
        Cell::text(received),
        Cell::mark(tone, icon, words),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_less_than_was_agreed_says_who_kept_the_rest() {
        let paid = |status, received| Paid {
            job: String::new(),
            asker: String::new(),
            model: String::new(),
            price: 4,
            received,
            until_secs: 0,
            at_ms: 0,
            status,
        };
        let fee = |status, received| kept(&paid(status, received));
        assert_eq!(fee(EarningState::Earned, 3).as_deref(), Some("its mint kept 1 sat as a fee"));
        assert_eq!((fee(EarningState::Earned, 4), fee(EarningState::Locked, 0)), (None, None));
    }

    #[test]
    fn what_is_left_is_told_in_whole_minutes_and_never_too_short() {
        let told = [0, 59, 60, 61, 600, 3_599, 3_660].map(left_in_words);
        assert_eq!(told, ["0 ms", "59.0 s", "1 min", "2 min", "10 min", "60 min", "1 h 01 min"]);
    }
}
