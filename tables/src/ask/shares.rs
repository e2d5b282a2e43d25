//! Questions for a share: of which rows it is, of how many of them or of how much.

use super::conditions::Conditions;
use super::frame::Frame;
use super::readings::{grouped, likely_amount, named_numbers};
use crate::query::{Aggregate, Function, Query};
use crate::table::Table;

/// The share of the rows, or of an amount, that some conditions have in those of which it is.
pub(super) fn share(table: &Table, frame: &mut Frame) -> Option<Query> {
    let parts = frame.conditions.parts();
    // Said behind the verb is what the share is of; what stands before it says of which rows.
    let parted = parts.iter().any(|part| part.after_verb) && parts.iter().any(|part| !part.after_verb);
    let (base, only): (Vec<_>, Vec<_>) = if parted {
        parts.iter().cloned().partition(|part| !part.after_verb)
    } else if let ([base @ .., last], true) = (parts, parts.len() > 1 && frame.rows.records) {
        // `the share of the mails to gmx.de that bounced`: what is said last is the share.
        frame.doubt.guesses += 3;
        (base.to_vec(), vec![last.clone()])
    } else {
        (Vec::new(), parts.to_vec())
    };
    let base = Conditions::joined(&base)?;
    let only = Conditions::joined(&only)??;
    // `the share of the loans` weighs no loan's number.
    let (codes, measured): (Vec<usize>, Vec<usize>) =
        named_numbers(table, frame).into_iter().partition(|column| table.holds_codes(*column));
    frame.named.columns.retain(|column| !codes.contains(column));
    frame.named.asked.retain(|column| !codes.contains(column));
    frame.doubt.guesses += u32::from(!codes.is_empty());
    let column = match measured.as_slice() {
        // `what percentage of orders were paid by card` weighs no order.
        [_, ..] if frame.said.of_records => {
            frame.doubt.guesses += 3;
            frame.named.columns.retain(|column| !measured.contains(column));
            frame.named.asked.retain(|column| !measured.contains(column));
            None
        }
        [] if frame.said.everything && !frame.rows.records => {
            // `of everything we took`: not of the rows, where there are amounts.
            frame.doubt.guesses += 3;
            Some(likely_amount(table)?)
        }
        [] => None,
        [column] => Some(*column),
        _ => return None,
    };
    frame.named.columns.retain(|other| Some(*other) != column);
    frame.named.asked.retain(|other| Some(*other) != column);
    if frame.measure.function.as_ref().is_some_and(|function| *function != Function::Sum)
        || frame.rank.extreme.is_some()
        || frame.rank.most.is_some()
    {
        return None;
    }
    grouped(table, frame, Aggregate { function: Function::Share, column, only: Some(only) }, base)
}
