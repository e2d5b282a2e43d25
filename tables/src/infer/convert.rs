//! The cells of a column under its decision.

use std::fmt::Write as _;

use jiff::civil::{DateTime, Time};

use super::decide::{Decided, Digits};
use crate::column::{Kind, Unit, Zone};
use crate::value::number::{Evidence, Numeral, Separator, Written};
use crate::value::unit::{self, Measure};
use crate::value::{boolean, missing, moment, number};

/// Powers of ten that are exact as doubles.
const POWERS: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// What a cell becomes in the database.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Stored<'a> {
    Missing,
    Misfit,
    Integer(i64),
    Real(f64),
    Text(&'a str),
}

/// Reads the cells of one column.
#[derive(Debug)]
pub(crate) struct Reader {
    kind: Kind,
    separator: Separator,
    is_mixed: bool,
    order: moment::DateOrder,
    factor: i64,
    digits: Digits,
    wants_offset: bool,
    /// Whether all numbers of the column are whole.
    whole: bool,
    buffer: String,
}

impl Reader {
    pub fn new(decided: &Decided, kind: &Kind) -> Self {
        let whole = match kind {
            Kind::Number { scale, .. } => *scale == Some(0),
            Kind::Duration { scale, .. } | Kind::Size { scale, .. } => *scale == 0,
            _ => false,
        };
        Self {
            kind: kind.clone(),
            separator: decided.separator,
            is_mixed: decided.is_mixed,
            order: decided.order,
            factor: decided.factor,
            digits: decided.digits,
            wants_offset: decided.wants_offset,
            whole,
            buffer: String::new(),
        }
    }

    /// The cell as it is stored.
    pub fn read<'a>(&'a mut self, cell: &'a str) -> Stored<'a> {
        if let Kind::Text { .. } = self.kind {
            return if missing::in_text(cell) { Stored::Missing } else { Stored::Text(cell) };
        }
        if missing::in_values(cell) {
            return Stored::Missing;
        }
        match &self.kind {
            Kind::Number { unit, .. } => self.number(cell, unit).unwrap_or(Stored::Misfit),
            Kind::Duration { .. } => self.quantity(cell, Measure::Duration).unwrap_or(Stored::Misfit),
            Kind::Size { .. } => self.quantity(cell, Measure::Size).unwrap_or(Stored::Misfit),
            Kind::Boolean { yes, .. } => boolean::PAIRS
                .iter()
                .enumerate()
                .filter(|(_, (other, _))| other == yes)
                .find_map(|(pair, _)| boolean::read(cell, pair))
                .map_or(Stored::Misfit, |says| Stored::Integer(i64::from(says))),
            Kind::Date | Kind::DateTime { .. } | Kind::Time => {
                if self.moment(cell).is_some() {
                    Stored::Text(&self.buffer)
                } else {
                    Stored::Misfit
                }
            }
            Kind::Text { .. } => Stored::Text(cell),
        }
    }

    /// A cell that reads in one way only is read so, where others of its column are written otherwise.
    fn numeral(&self, written: &Written<'_>) -> Option<Numeral> {
        let separator = match written.evidence {
            Evidence::Point if self.is_mixed => Separator::Point,
            Evidence::Comma if self.is_mixed => Separator::Comma,
            _ => self.separator,
        };
        written.read(separator)
    }

    fn number<'a>(&self, cell: &str, unit: &Unit) -> Option<Stored<'a>> {
        let written = number::written(cell)?;
        if let (Unit::Other(name), Some(other)) = (unit, written.unit)
            && name != other
        {
            let power = unit::power_between(other, name)?;
            let ten = 10_i64.pow(power.unsigned_abs());
            let (times, by) = if power < 0 { (1, ten) } else { (ten, 1) };
            return self.stored(self.numeral(&written)?.scaled(times, by)?);
        }
        let fits = match unit {
            Unit::Percent => written.percent,
            Unit::Other(name) => written.unit == Some(name),
            Unit::None => written.unit.is_none() && !written.percent && written.currency.is_none(),
            Unit::Currency(_) => written.unit.is_none() && !written.percent,
            Unit::Currencies => written.unit.is_none() && !written.percent && written.currency.is_some(),
        };
        if !fits {
            return None;
        }
        self.stored(self.numeral(&written)?)
    }

    fn quantity<'a>(&self, cell: &str, measure: Measure) -> Option<Stored<'a>> {
        if measure == Measure::Duration
            && let Some(nanos) = unit::compound(cell).or_else(|| unit::clock(cell).map(|(nanos, _)| nanos))
        {
            return self.stored(Numeral::Exact { mantissa: nanos, scale: 0 }.scaled(1, self.factor)?);
        }
        let written = number::written(cell)?;
        if written.percent || written.currency.is_some() {
            return None;
        }
        let read = self.numeral(&written)?;
        match written.unit {
            Some(name) => {
                let letter = (measure == Measure::Size).then(|| unit::size_letter(name)).flatten();
                self.stored(read.scaled(letter.or_else(|| unit::factor(name, measure))?, self.factor)?)
            }
            // Nothing of any unit is nothing.
            None if matches!(read, Numeral::Exact { mantissa: 0, .. }) => {
                self.stored(Numeral::Exact { mantissa: 0, scale: 0 })
            }
            None => None,
        }
    }

    fn stored<'a>(&self, numeral: Numeral) -> Option<Stored<'a>> {
        match numeral {
            Numeral::Exact { mantissa, scale: 0 } if self.whole => Some(Stored::Integer(mantissa)),
            Numeral::Exact { mantissa, scale } => {
                // A quotient of two doubles that are exact is the double nearest to it.
                if mantissa.unsigned_abs() < 1 << 53
                    && let Some(power) = POWERS.get(scale as usize)
                {
                    #[expect(clippy::cast_precision_loss, reason = "it is smaller than 2^53")]
                    let exact = mantissa as f64;
                    return Some(Stored::Real(exact / power));
                }
                // The shortest decimal text gives the nearest double, a division of larger numbers might not.
                let text = rust_decimal::Decimal::try_new(mantissa, scale).ok()?.to_string();
                text.parse().ok().map(Stored::Real)
            }
            Numeral::Rounded(value) => Some(Stored::Real(value)),
        }
    }

    /// Writes the moment of a cell into the buffer, in the one form of the column.
    fn moment(&mut self, cell: &str) -> Option<()> {
        self.buffer.clear();
        match self.digits {
            Digits::Epoch => {
                let moment = moment::epoch(cell)?;
                return self.write(moment);
            }
            Digits::CompactDate => {
                let date = moment::compact_date(cell)?;
                return self.write(date.to_datetime(Time::midnight()));
            }
            Digits::None => {}
        }
        let written = moment::written(cell)?;
        if let Kind::Time = self.kind {
            if written.date.is_some() {
                return None;
            }
            let time = written.time?;
            return write!(self.buffer, "{:02}:{:02}:{:02}", time.hour(), time.minute(), time.second()).ok();
        }
        let mut moment = written.date_time(self.order)?;
        if let Kind::DateTime { zone, .. } = self.kind {
            let has_time = written.time.is_some();
            match zone {
                Zone::Unknown if written.offset.is_some() && has_time && !self.wants_offset => return None,
                Zone::Fixed(_) | Zone::TurnedToUtc
                    if written.offset.is_none() && has_time && self.wants_offset =>
                {
                    return None;
                }
                Zone::TurnedToUtc => {
                    let offset = i64::from(written.offset.unwrap_or(0));
                    moment = moment.checked_sub(jiff::SignedDuration::from_secs(offset)).ok()?;
                }
                _ => {}
            }
        } else if written.time.is_some() {
            return None;
        }
        self.write(moment)
    }

    fn write(&mut self, moment: DateTime) -> Option<()> {
        write!(self.buffer, "{:04}-{:02}-{:02}", moment.year(), moment.month(), moment.day()).ok()?;
        if let Kind::DateTime { fraction_digits, .. } = self.kind {
            write!(self.buffer, " {:02}:{:02}:{:02}", moment.hour(), moment.minute(), moment.second())
                .ok()?;
            if fraction_digits > 0 {
                let nanos = format!("{:09}", moment.subsec_nanosecond());
                write!(self.buffer, ".{}", &nanos[..usize::from(fraction_digits.min(9))]).ok()?;
            }
        }
        Some(())
    }
}

/// The currency of a cell, for the column that keeps currencies apart.
pub(crate) fn currency_of(cell: &str) -> Option<&'static str> {
    number::written(cell)?.currency
}
