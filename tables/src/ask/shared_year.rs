//! Alternatives that share a year: `in March or April 2024`.

use jiff::ToSpan as _;
use jiff::civil::{Date, Time};

use super::frame::Parser;
use crate::query::{Filter, Literal, Part};
use crate::table::Table;

/// What is noted of a month or a day of any year.
pub(super) const NO_YEAR_NAMED: &str = "no year was named";

impl Parser<'_> {
    /// Completes the alternatives before the next condition.
    pub(super) fn share_year(&mut self, next: &Filter) {
        let conditions = &mut self.frame.conditions;
        let mut is_joined = conditions.pending_or;
        for part in conditions.parts.iter_mut().rev() {
            let completed = self.table.in_the_year_of(&part.filter, next).filter(|_| is_joined);
            let Some(completed) = completed else { break };
            (part.filter, is_joined) = (completed, part.or);
            self.frame.doubt.notes.retain(|note| !note.starts_with(NO_YEAR_NAMED));
        }
    }
}

impl Table {
    /// A month, a quarter or a day of no year, as that of the year of the alternative behind it.
    fn in_the_year_of(&self, earlier: &Filter, later: &Filter) -> Option<Filter> {
        let Filter::Between { column, from: Literal::Moment(from), to: Literal::Moment(to), .. } = later
        else {
            return None;
        };
        let is_new_year = |text: &str| text.get(4..10) == Some("-01-01");
        // `in March or 2023`: of no month.
        if earlier.column() != Some(*column) || is_new_year(from) && is_new_year(to) {
            return None;
        }
        let year: i16 = from.get(..4)?.parse().ok()?;
        let small = |value: i64| i8::try_from(value).ok();
        let (first, end) = match earlier {
            Filter::Part { part: Part::Month, values, .. } => {
                let [month] = values.as_slice() else { return None };
                let first = Date::new(year, small(*month)?, 1).ok()?;
                (first, first.checked_add(1.month()).ok()?)
            }
            Filter::Part { part: Part::Quarter, values, .. } => {
                let [quarter] = values.as_slice() else { return None };
                let first = Date::new(year, small(quarter * 3 - 2)?, 1).ok()?;
                (first, first.checked_add(3.months()).ok()?)
            }
            Filter::And(parts) => {
                let [
                    Filter::Part { part: Part::Month, values: months, .. },
                    Filter::Part { part: Part::Day, values: days, .. },
                ] = parts.as_slice()
                else {
                    return None;
                };
                let ([month], [day]) = (months.as_slice(), days.as_slice()) else { return None };
                let first = Date::new(year, small(*month)?, small(*day)?).ok()?;
                (first, first.tomorrow().ok()?)
            }
            _ => return None,
        };
        let moment =
            |date: Date| Literal::Moment(self.moment_text(*column, date.to_datetime(Time::midnight())));
        Some(Filter::Between { column: *column, from: moment(first), to: moment(end), includes_end: false })
    }
}
