//! One decision per column, by its census, by the other columns of the file, and by what the user said.

use super::census::{Census, MAX_ENUMERATION, Shape};
use crate::column::{Doubt, Kind, Unit, Zone};
use crate::options::LoadOptions;
use crate::value::boolean;
use crate::value::moment::DateOrder;
use crate::value::number::{EXACT_DIGITS, Separator};
use crate::value::unit::{self, Measure};

/// The least share of a column's cells that its type must fit, in hundredths. Below it a column is text.
const LEAST_FIT_PERCENT: u64 = 80;

/// Decimals that a part of a second is kept with.
const FRACTION_DIGITS: u32 = 3;

/// What was decided about a column.
#[derive(Debug, Clone)]
pub(crate) struct Decided {
    pub kind: Kind,
    pub separator: Separator,
    /// Whether some cells have a decimal point and others a decimal comma, and each tells which.
    pub is_mixed: bool,
    pub order: DateOrder,
    pub doubt: Option<Doubt>,
    /// Whether a point is taken as a decimal one that may part thousands in all numbers.
    pub may_be_thousands: bool,
    pub notes: Vec<String>,
    /// What one of the column's unit is worth in the smallest.
    pub factor: i64,
    /// How plain digits become moments.
    pub digits: Digits,
    /// Whether cells with an offset are the ones that fit, where some have one and some do not.
    pub wants_offset: bool,
}

/// How cells of plain digits are read in a column of moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Digits {
    None,
    CompactDate,
    Epoch,
}

/// Decides all columns of a file.
pub(crate) fn decide(censuses: &[Census], delimiter: Option<char>, options: &LoadOptions) -> Vec<Decided> {
    let separators = file_separators(censuses);
    let orders = file_orders(censuses);
    censuses.iter().map(|census| decide_one(census, delimiter, options, separators, orders)).collect()
}

/// The separator that all telling columns of the file share.
fn file_separators(censuses: &[Census]) -> Option<Separator> {
    let point = censuses
        .iter()
        .any(|census| census.numbers.separators.point > 0 && census.numbers.separators.comma == 0);
    let comma = censuses
        .iter()
        .any(|census| census.numbers.separators.comma > 0 && census.numbers.separators.point == 0);
    match (point, comma) {
        (true, false) => Some(Separator::Point),
        (false, true) => Some(Separator::Comma),
        _ => None,
    }
}

fn file_orders(censuses: &[Census]) -> Option<DateOrder> {
    let day = censuses.iter().any(|census| {
        census.moments.orders.day_first_only > 0 && census.moments.orders.month_first_only == 0
    });
    let month = censuses.iter().any(|census| {
        census.moments.orders.month_first_only > 0 && census.moments.orders.day_first_only == 0
    });
    match (day, month) {
        (true, false) => Some(DateOrder::DayFirst),
        (false, true) => Some(DateOrder::MonthFirst),
        _ => None,
    }
}

fn decide_one(
    census: &Census,
    delimiter: Option<char>,
    options: &LoadOptions,
    file_separator: Option<Separator>,
    file_order: Option<DateOrder>,
) -> Decided {
    let mut decided = Decided {
        kind: text_kind(census),
        separator: Separator::Point,
        is_mixed: false,
        order: DateOrder::DayFirst,
        doubt: None,
        may_be_thousands: false,
        notes: Vec::new(),
        factor: 1,
        digits: Digits::None,
        wants_offset: census.moments.zones.with_offset >= census.moments.zones.without_offset,
    };
    let values = census.filled - census.blank_in_values;
    if values == 0 {
        return decided;
    }
    let fits = |count: u64| count * 100 >= values * LEAST_FIT_PERCENT && count > 0;
    if fits(census.moments.epochs) && census.moments.epochs == census.numbers.bare {
        decided.digits = Digits::Epoch;
        decided.kind = Kind::DateTime { zone: Zone::Fixed(0), fraction_digits: 3, has_year: true };
        decided.notes.push("numbers read as seconds since 1970, shown in UTC".to_owned());
        return decided;
    }
    if fits(census.moments.compact_dates) && census.moments.compact_dates == census.numbers.bare {
        decided.digits = Digits::CompactDate;
        decided.kind = Kind::Date;
        return decided;
    }
    if let Some(unit) = clock_unit(census, &fits) {
        decided.factor = 1_000_000_000;
        decided.notes.push("lengths of time as clocks show them, kept in seconds".to_owned());
        decided.kind = Kind::Duration { unit, scale: census.numbers.units.clock_decimals };
        return decided;
    }
    if let Some(kind) = moment_kind(census, &fits, &mut decided, options, file_order) {
        decided.kind = kind;
        return decided;
    }
    if fits(census.moments.times) {
        decided.kind = Kind::Time;
        return decided;
    }
    let boolean = (0..boolean::PAIRS.len()).find(|pair| fits(census.booleans[*pair]));
    if let Some((yes, no)) = boolean.and_then(|pair| boolean::PAIRS.get(pair)) {
        decided.kind = Kind::Boolean { yes, no };
        return decided;
    }
    if census.numbers.codes > 0 || census.numbers.too_long > 0 {
        return decided;
    }
    if let Some(kind) = number_kind(census, &fits, &mut decided, delimiter, options, file_separator) {
        decided.kind = kind;
    }
    decided
}

/// The unit of a column whose cells are lengths of time as clocks show them, and no times of a day: more than a day has, or
/// hours without a zero in front, or a name that says so.
fn clock_unit(census: &Census, fits: &dyn Fn(u64) -> bool) -> Option<&'static str> {
    let units = &census.numbers.units;
    if units.clock_decimals > 0 && fits(units.clocks) {
        return Some(unit::FINE_CLOCK);
    }
    let has_hours = units.clocks_with_hours > 0;
    let is_length = units.clocks_beyond_a_day > 0
        || units.clocks_without_zero > 0 && units.clocks_with_zero == 0
        || census.named_length && has_hours;
    let is_short = units.clocks_with_hours < units.clocks;
    (fits(units.clocks) && is_length && (has_hours || units.clocks_beyond_a_day > 0)).then_some(if is_short {
        unit::SHORT_CLOCK
    } else {
        unit::CLOCK
    })
}

fn text_kind(census: &Census) -> Kind {
    let few = !census.values.are_many && census.values.len() <= MAX_ENUMERATION;
    Kind::Text { is_enumeration: few && census.filled >= 2 * census.values.len() as u64 && census.filled > 1 }
}

fn moment_kind(
    census: &Census,
    fits: &dyn Fn(u64) -> bool,
    decided: &mut Decided,
    options: &LoadOptions,
    file_order: Option<DateOrder>,
) -> Option<Kind> {
    if !fits(census.moments.dates + census.moments.date_times) {
        return None;
    }
    decide_order(census, decided, options, file_order);
    let has_year = census.moments.no_year == 0;
    if !has_year {
        decided.notes.push("the dates name no year".to_owned());
    }
    if census.moments.date_times == 0 {
        return Some(Kind::Date);
    }
    if census.moments.dates > 0 {
        decided.notes.push(format!("{} dates without a time are taken as midnight", census.moments.dates));
    }
    let zone = match census.moments.zones.offsets.len() {
        0 => Zone::Unknown,
        1 => Zone::Fixed(census.moments.zones.offsets.keys().next().copied().unwrap_or(0)),
        _ => {
            decided.notes.push("times of several zones, all turned into UTC".to_owned());
            Zone::TurnedToUtc
        }
    };
    let zone = if decided.wants_offset { zone } else { Zone::Unknown };
    Some(Kind::DateTime { zone, fraction_digits: census.moments.fraction_digits.min(9), has_year })
}

fn decide_order(
    census: &Census,
    decided: &mut Decided,
    options: &LoadOptions,
    file_order: Option<DateOrder>,
) {
    if let Some(order) = options.date_order {
        decided.order = order;
        return;
    }
    match (census.moments.orders.day_first_only, census.moments.orders.month_first_only) {
        (0, 0) => match file_order {
            Some(order) => decided.order = order,
            None if census.moments.orders.either > 0 => {
                decided.doubt = Some(Doubt::DateOrder { assumed: decided.order });
            }
            None => {}
        },
        (_, 0) => decided.order = DateOrder::DayFirst,
        (0, _) => decided.order = DateOrder::MonthFirst,
        (day, month) => {
            decided.order = if day >= month { DateOrder::DayFirst } else { DateOrder::MonthFirst };
            decided.doubt = Some(Doubt::DateOrder { assumed: decided.order });
        }
    }
}

fn number_kind(
    census: &Census,
    fits: &dyn Fn(u64) -> bool,
    decided: &mut Decided,
    delimiter: Option<char>,
    options: &LoadOptions,
    file_separator: Option<Separator>,
) -> Option<Kind> {
    let with_currency: u64 = census.numbers.currencies.values().sum();
    let durations =
        census.numbers.units.durations.values().sum::<u64>() + census.numbers.units.compound_durations;
    let sizes: u64 = census.numbers.units.sizes.values().sum();
    decide_separator(census, decided, delimiter, options, file_separator);
    // `5m` alone may be metres.
    let only_m = durations > 0 && census.numbers.units.may_be_metres == durations;
    if fits(durations) && !only_m {
        let factor = census.numbers.units.durations.keys().next().copied().unwrap_or(1_000_000_000);
        let factor =
            if census.numbers.units.compound_durations > 0 { factor.min(1_000_000_000) } else { factor };
        let least = if census.numbers.units.is_of_fractions { FRACTION_DIGITS } else { 0 };
        decided.factor = factor;
        if census.numbers.units.durations.len() > 1 || census.numbers.units.compound_durations > 0 {
            decided.notes.push(format!(
                "durations of several units, all in {}",
                unit::shown(factor, Measure::Duration)
            ));
        }
        return Some(Kind::Duration {
            unit: unit::shown(factor, Measure::Duration),
            scale: scale_of(census, decided)?.max(least),
        });
    }
    if fits(sizes) {
        let binary = census.numbers.units.sizes.keys().any(|factor| factor % 1024 == 0);
        let decimal = census.numbers.units.sizes.keys().any(|factor| *factor > 1 && factor % 1000 == 0);
        let smallest = census.numbers.units.sizes.keys().next().copied().unwrap_or(1);
        // KiB and MB have no unit in common but the byte.
        let factor = if binary && decimal { 1 } else { smallest };
        decided.factor = factor;
        if census.numbers.units.sizes.len() > 1 {
            let shown = unit::shown(factor, Measure::Size);
            decided.notes.push(format!(
                "sizes of several units, all in {shown} (1 MB is 1,000,000 bytes, 1 MiB is 1,048,576)"
            ));
        }
        return Some(Kind::Size {
            unit: unit::shown(factor, Measure::Size),
            scale: scale_of(census, decided)?,
        });
    }
    let scale = exact_scale(census, decided);
    if fits(census.numbers.percent) {
        return Some(Kind::Number { scale, unit: Unit::Percent });
    }
    if let Some((name, count, decimals)) = common_unit(census)
        && fits(count)
    {
        if census.numbers.units.others.get(&name) != Some(&count) {
            decided.notes.push(format!("numbers of several units, all in {name}"));
        }
        return Some(Kind::Number { scale: scale.map(|scale| scale + decimals), unit: Unit::Other(name) });
    }
    if only_m && fits(durations) {
        return Some(Kind::Number { scale, unit: Unit::Other("m".to_owned()) });
    }
    if !fits(census.numbers.bare + with_currency) {
        return None;
    }
    let unit = match census.numbers.currencies.len() {
        0 => Unit::None,
        1 => {
            let code = census.numbers.currencies.keys().next().copied().unwrap_or("");
            if census.numbers.bare > 0 {
                decided.notes.push(format!(
                    "{} amounts name no currency and are taken as {code}",
                    census.numbers.bare
                ));
            }
            Unit::Currency(code)
        }
        _ => {
            decided.notes.push("amounts in several currencies are kept apart".to_owned());
            Unit::Currencies
        }
    };
    if scale.is_none() {
        decided.notes.push("numbers with more digits than are kept: sums are rounded".to_owned());
    }
    Some(Kind::Number { scale, unit })
}

/// The unit of most cells, how many cells are of it or can be turned into it, and how many more decimals these then have.
fn common_unit(census: &Census) -> Option<(String, u64, u32)> {
    let units = &census.numbers.units;
    let (name, _) = units.others.iter().max_by_key(|(_, count)| **count)?;
    let (mut all, mut decimals) = (0, 0);
    let metres = (units.may_be_metres > 0).then_some(("m", units.may_be_metres));
    let others = units.others.iter().map(|(unit, count)| (unit.as_str(), *count));
    for (unit, count) in others.chain(metres) {
        let power = if unit == name { Some(0) } else { unit::power_between(unit, name) };
        if let Some(power) = power {
            all += count;
            decimals = decimals.max((-power).max(0).unsigned_abs());
        }
    }
    Some((name.clone(), all, decimals))
}

/// Decimals that a column of units needs after all are in one. `None` if they do not fit.
fn scale_of(census: &Census, decided: &Decided) -> Option<u32> {
    (census.numbers.rounded == 0).then(|| shape(census, decided).scale)
}

/// Decimals of a column whose numbers are exact.
fn exact_scale(census: &Census, decided: &Decided) -> Option<u32> {
    let shape = shape(census, decided);
    let most = if shape.scale == 0 { 18 } else { EXACT_DIGITS };
    (census.numbers.rounded == 0 && shape.scale + shape.whole_digits <= most).then_some(shape.scale)
}

/// Room that the numbers of a column need as they are read.
fn shape(census: &Census, decided: &Decided) -> Shape {
    let [point, comma] = census.numbers.shape;
    match decided.separator {
        _ if decided.is_mixed => Shape {
            scale: point.scale.max(comma.scale),
            whole_digits: point.whole_digits.max(comma.whole_digits),
        },
        Separator::Point => point,
        Separator::Comma => comma,
    }
}

fn decide_separator(
    census: &Census,
    decided: &mut Decided,
    delimiter: Option<char>,
    options: &LoadOptions,
    file_separator: Option<Separator>,
) {
    if let Some(separator) = options.separator {
        decided.separator = separator;
        return;
    }
    let doubted = |separator| Some(Doubt::Separator { assumed: separator });
    match (census.numbers.separators.point > 0, census.numbers.separators.comma > 0) {
        (true, false) => decided.separator = Separator::Point,
        (false, true) => decided.separator = Separator::Comma,
        (true, true) => {
            decided.separator = if census.numbers.separators.point >= census.numbers.separators.comma {
                Separator::Point
            } else {
                Separator::Comma
            };
            let separators = &census.numbers.separators;
            if separators.either_by_point == 0 && separators.either_by_comma == 0 {
                decided.is_mixed = true;
                decided.notes.push("some numbers have a decimal point and others a decimal comma".to_owned());
            } else {
                decided.doubt = doubted(decided.separator);
            }
        }
        (false, false) => {
            let by_point = census.numbers.separators.either_by_point > 0;
            let by_comma = census.numbers.separators.either_by_comma > 0;
            match (by_point, by_comma) {
                (false, false) => {}
                (true, true) => decided.doubt = doubted(Separator::Point),
                _ => {
                    decided.separator = file_separator.unwrap_or(Separator::Point);
                    // `109,000` in a file of decimal commas, and any such sign between semicolons.
                    let odd = by_comma && file_separator == Some(Separator::Comma);
                    if odd || (file_separator.is_none() && delimiter == Some(';')) {
                        decided.doubt = doubted(decided.separator);
                    }
                    decided.may_be_thousands = by_point && decided.separator == Separator::Point;
                }
            }
        }
    }
}
