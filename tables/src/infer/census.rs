//! What the cells of one column look like, counted.

use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher, Hasher};

use crate::value::number::{Evidence, Numeral, Separator};
use crate::value::unit::Measure;
use crate::value::{boolean, missing, moment, number, unit};
use crate::vocabulary;
use crate::words;

/// Cells after which a column in which nothing but text was seen is taken as text.
const GIVE_UP_AFTER: u64 = 5_000;

/// Most different values of an enumeration.
pub(super) const MAX_ENUMERATION: usize = 60;

/// Counts over the cells of a column.
#[derive(Debug, Default, Clone)]
pub(crate) struct Census {
    /// Whether the column's name speaks of time, so that plain numbers may be moments.
    named_time: bool,
    /// Whether it speaks of how long something took.
    pub named_length: bool,
    /// Whether it speaks of how large something is, so that `829M` is a size.
    named_size: bool,
    /// Cells that are missing in any column.
    pub blank: u64,
    /// Cells that are missing in a column of values only, such as `NA`.
    pub blank_in_values: u64,
    /// All others.
    pub filled: u64,
    pub numbers: Numbers,
    pub moments: Moments,
    /// Words of each pair of yes and no.
    pub booleans: [u64; boolean::PAIRS.len()],
    pub values: Values,
}

/// Numbers, by what stands beside them and how they are written.
#[derive(Debug, Default, Clone)]
pub(crate) struct Numbers {
    pub bare: u64,
    pub percent: u64,
    pub currencies: BTreeMap<&'static str, u64>,
    pub units: Units,
    pub codes: u64,
    pub too_long: u64,
    pub separators: Separators,
    /// Most decimals and most digits before them, by separator.
    pub shape: [Shape; 2],
    pub rounded: u64,
}

/// Units behind numbers.
#[derive(Debug, Default, Clone)]
pub(crate) struct Units {
    /// Factors of the units of time and size, and how often.
    pub durations: BTreeMap<i64, u64>,
    pub compound_durations: u64,
    /// Whether one of these names a part of a second: `2m27.7s`.
    pub is_of_fractions: bool,
    /// Cells such as `1:10:39` and `24:18`, and how many of them have hours, are no time of a day, and say so by their first digit.
    pub clocks: u64,
    pub clocks_with_hours: u64,
    pub clocks_beyond_a_day: u64,
    pub clocks_without_zero: u64,
    pub clocks_with_zero: u64,
    /// Most digits of a part of a second behind one of them: `8:12.4`.
    pub clock_decimals: u32,
    /// Cells such as `5m`, which may be metres.
    pub may_be_metres: u64,
    pub sizes: BTreeMap<i64, u64>,
    pub others: BTreeMap<String, u64>,
}

/// What the cells say of the sign before decimals.
#[derive(Debug, Default, Clone)]
pub(crate) struct Separators {
    pub point: u64,
    pub comma: u64,
    pub either_by_point: u64,
    pub either_by_comma: u64,
}

/// Dates and times.
#[derive(Debug, Default, Clone)]
pub(crate) struct Moments {
    pub compact_dates: u64,
    pub epochs: u64,
    pub dates: u64,
    pub date_times: u64,
    pub times: u64,
    pub no_year: u64,
    pub zones: Zones,
    pub fraction_digits: u8,
    pub orders: Orders,
}

/// What the cells say of their zone.
#[derive(Debug, Default, Clone)]
pub(crate) struct Zones {
    pub with_offset: u64,
    pub without_offset: u64,
    pub offsets: BTreeMap<i32, u64>,
}

/// What the cells say of whether the day or the month comes first.
#[derive(Debug, Default, Clone)]
pub(crate) struct Orders {
    pub day_first_only: u64,
    pub month_first_only: u64,
    pub either: u64,
}

/// Different values, until there are too many for an enumeration.
#[derive(Debug, Default, Clone)]
pub(crate) struct Values {
    seen: HashSet<u64>,
    hasher: std::hash::RandomState,
    pub are_many: bool,
}

impl Values {
    fn see(&mut self, cell: &str) {
        if self.are_many {
            return;
        }
        let mut hasher = self.hasher.build_hasher();
        hasher.write(cell.as_bytes());
        self.seen.insert(hasher.finish());
        self.are_many = self.seen.len() > MAX_ENUMERATION;
    }

    pub fn len(&self) -> usize {
        self.seen.len()
    }
}

/// Room that the numbers of a column need.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Shape {
    pub scale: u32,
    pub whole_digits: u32,
}

impl Census {
    pub fn new(name: &str) -> Self {
        const LENGTHS: &[&str] = &[
            "finish", "half", "net", "chip", "gun", "duration", "dauer", "elapsed", "took", "runtime",
            "laufzeit", "split", "lap", "pace", "length", "länge", "ergebnis", "result", "zeit",
        ];
        const SIZES: &[&str] = &[
            "size",
            "größe",
            "bytes",
            "mem",
            "memory",
            "rss",
            "disk",
            "used",
            "avail",
            "swap",
            "data",
            "transferred",
            "written",
        ];
        let parts = words::parts(name);
        let says = |list: &[&str]| parts.iter().any(|part| list.contains(&part.as_str()));
        let named_time = parts.iter().any(|word| vocabulary::names_time(word));
        Self { named_time, named_length: says(LENGTHS), named_size: says(SIZES), ..Self::default() }
    }

    /// Cells that look like something other than text.
    fn typed(&self) -> u64 {
        self.numbers.count()
            + self.numbers.units.compound_durations
            + self.moments.dates
            + self.moments.date_times
            + self.moments.times
            + self.booleans.iter().max().copied().unwrap_or(0)
    }

    /// Counts a cell.
    pub fn see(&mut self, cell: &str) {
        if cell.is_empty() || missing::in_text(cell) {
            self.blank += 1;
            return;
        }
        if missing::in_values(cell) {
            self.blank_in_values += 1;
        }
        self.filled += 1;
        self.values.see(cell);
        if self.filled > GIVE_UP_AFTER && self.typed() == 0 {
            return;
        }
        self.see_type(cell);
    }

    /// Counts cells in which nothing stands.
    pub fn see_blank(&mut self, count: u64) {
        self.blank += count;
    }

    fn see_type(&mut self, cell: &str) {
        if let Some(written) = number::written(cell) {
            if self.named_size
                && let Some(factor) = written.unit.and_then(unit::size_letter)
            {
                *self.numbers.units.sizes.entry(factor).or_default() += 1;
                self.numbers.see_shape(&written);
                return;
            }
            self.numbers.see(cell, &written, self.named_time.then_some(&mut self.moments));
            return;
        }
        if let Some((nanos, has_hours)) = unit::clock(cell) {
            let units = &mut self.numbers.units;
            units.clocks += 1;
            units.clocks_with_hours += u64::from(has_hours);
            let decimals = cell.split_once(['.', ',']).map_or(0, |(_, digits)| digits.len());
            units.clock_decimals = units.clock_decimals.max(u32::try_from(decimals).unwrap_or(0));
            let beyond = if has_hours { nanos >= 86_400_000_000_000 } else { nanos >= 24 * 60_000_000_000 };
            units.clocks_beyond_a_day += u64::from(beyond);
            let first = cell.split(':').next().unwrap_or("");
            units.clocks_without_zero += u64::from(first.len() == 1 && has_hours);
            units.clocks_with_zero += u64::from(first.len() > 1 && first.starts_with('0'));
        }
        if let Some(nanos) = unit::compound(cell) {
            self.numbers.units.compound_durations += 1;
            self.numbers.units.is_of_fractions |= nanos % 1_000_000_000 != 0;
            return;
        }
        if let Some(written) = moment::written(cell) {
            self.moments.see(&written);
            return;
        }
        let pairs = boolean::pairs_of(cell);
        if pairs != 0 {
            for (index, count) in self.booleans.iter_mut().enumerate() {
                *count += u64::from(pairs >> index & 1);
            }
        }
    }
}

impl Numbers {
    fn count(&self) -> u64 {
        self.bare
            + self.percent
            + self.currencies.values().sum::<u64>()
            + self.units.durations.values().sum::<u64>()
            + self.units.sizes.values().sum::<u64>()
            + self.units.others.values().sum::<u64>()
    }

    /// Counts how a number is written.
    fn see_shape(&mut self, written: &number::Written<'_>) {
        match written.evidence {
            Evidence::None => {}
            Evidence::Point => self.separators.point += 1,
            Evidence::Comma => self.separators.comma += 1,
            Evidence::EitherByPoint => self.separators.either_by_point += 1,
            Evidence::EitherByComma => self.separators.either_by_comma += 1,
        }
        self.see_room(written);
    }

    /// The room that a number needs.
    fn see_room(&mut self, written: &number::Written<'_>) {
        for (index, separator) in [Separator::Point, Separator::Comma].into_iter().enumerate() {
            match written.read(separator) {
                Some(Numeral::Exact { mantissa, scale }) => {
                    let shape = &mut self.shape[index];
                    shape.scale = shape.scale.max(scale);
                    let digits = number::digits_at(mantissa, scale, scale);
                    shape.whole_digits = shape.whole_digits.max(digits.saturating_sub(scale));
                }
                Some(Numeral::Rounded(_)) if separator == Separator::Point => self.rounded += 1,
                _ => {}
            }
        }
    }

    /// Counts a number. `moments`: where plain digits may be a moment.
    fn see(&mut self, cell: &str, written: &number::Written<'_>, moments: Option<&mut Moments>) {
        self.see_shape(written);
        if written.is_code {
            self.codes += 1;
        }
        if let Some(code) = written.currency {
            *self.currencies.entry(code).or_default() += 1;
        } else if written.percent {
            self.percent += 1;
        } else if let Some(name) = written.unit {
            match unit::measure_of(name).and_then(|measure| Some((measure, unit::factor(name, measure)?))) {
                Some((Measure::Duration, factor)) => {
                    *self.units.durations.entry(factor).or_default() += 1;
                    self.units.may_be_metres += u64::from(name == "m");
                }
                Some((Measure::Size, factor)) => *self.units.sizes.entry(factor).or_default() += 1,
                None if self.units.others.len() < 20 => {
                    *self.units.others.entry(name.to_owned()).or_default() += 1;
                }
                None => {}
            }
        } else {
            self.bare += 1;
            let all_digits = cell.bytes().all(|byte| byte.is_ascii_digit());
            if all_digits && cell.len() > 18 {
                self.too_long += 1;
            }
            if let Some(moments) = moments {
                moments.compact_dates += u64::from(moment::compact_date(cell).is_some());
                moments.epochs += u64::from(moment::epoch(cell).is_some());
            }
        }
    }
}

impl Moments {
    fn see(&mut self, written: &moment::WrittenMoment) {
        match (written.date, written.time) {
            (None, _) => self.times += 1,
            (Some(_), None) => self.dates += 1,
            (Some(_), Some(_)) => self.date_times += 1,
        }
        self.fraction_digits = self.fraction_digits.max(written.fraction_digits);
        if matches!(written.date, Some(moment::DatePart::NoYear { .. })) {
            self.no_year += 1;
        }
        if written.date.is_some() && written.time.is_some() {
            match written.offset {
                Some(offset) => {
                    self.zones.with_offset += 1;
                    if self.zones.offsets.len() < 50 {
                        *self.zones.offsets.entry(offset).or_default() += 1;
                    }
                }
                None => self.zones.without_offset += 1,
            }
        }
        match written.orders() {
            Some((true, false)) => self.orders.day_first_only += 1,
            Some((false, true)) => self.orders.month_first_only += 1,
            Some((true, true)) => {
                let same =
                    written.date(moment::DateOrder::DayFirst) == written.date(moment::DateOrder::MonthFirst);
                self.orders.either += u64::from(!same);
            }
            _ => {}
        }
    }
}
