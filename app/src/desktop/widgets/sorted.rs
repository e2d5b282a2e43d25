//! In which order the rows of a table stand: of themselves, or by a column whose head the user pressed.

use std::cmp::Ordering;

/// By which column rows stand, and which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// The column, counted from the left.
    pub column: usize,
    /// Whether the largest, the newest, or what comes last in the alphabet stands first.
    pub falls: bool,
}

impl Order {
    /// The newest first, or the largest.
    pub const fn falling(column: usize) -> Self {
        Self { column, falls: true }
    }

    /// The oldest first, or the smallest.
    pub const fn rising(column: usize) -> Self {
        Self { column, falls: false }
    }

    /// What a press on a head leads to, of rows that stand by `now`: the way in which the column stands first, then
    /// the other way, then the order that the rows have of themselves.
    pub(super) fn after(first: Self, now: Option<Self>, own: Option<Self>) -> Option<Self> {
        let other = Self { falls: !first.falls, ..first };
        let next = match now.or(own) {
            Some(order) if order == first => Some(other),
            Some(_) if now == Some(other) => None,
            _ => Some(first),
        };
        next.filter(|_| next != own)
    }
}

/// What a cell counts as when its column is sorted; all cells of a column are of one kind.
#[derive(Debug, Clone, PartialEq)]
pub enum SortKey {
    /// A count, an amount or a time.
    Number(u64),
    /// A share or a score.
    Share(f64),
    /// Words, whatever their letters' size.
    Words(String),
    /// It is empty: below all others, whichever way they stand.
    Nothing,
}

impl SortKey {
    /// Of words, as they are looked for.
    pub fn words(words: &str) -> Self {
        if words.is_empty() { Self::Nothing } else { Self::Words(words.to_lowercase()) }
    }

    /// Of a count that may be missing.
    pub fn number(number: Option<u64>) -> Self {
        number.map_or(Self::Nothing, Self::Number)
    }

    /// Of a share that may be missing.
    pub fn share(share: Option<f64>) -> Self {
        share.map_or(Self::Nothing, Self::Share)
    }

    fn before(&self, other: &Self, falls: bool) -> Ordering {
        let rising = match (self, other) {
            (Self::Nothing, Self::Nothing) => return Ordering::Equal,
            (Self::Nothing, _) => return Ordering::Greater,
            (_, Self::Nothing) => return Ordering::Less,
            (Self::Number(one), Self::Number(other)) => one.cmp(other),
            (Self::Share(one), Self::Share(other)) => one.total_cmp(other),
            (Self::Words(one), Self::Words(other)) => one.cmp(other),
            _ => Ordering::Equal,
        };
        if falls { rising.reverse() } else { rising }
    }
}

/// Rows in the order that the user chose.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sorted {
    chosen: Option<Order>,
    /// The rows, by their places in the order that they have of themselves; empty: they stand in that.
    rows: Vec<usize>,
}

impl Sorted {
    /// The order that was chosen; `None`: the rows' own.
    pub fn chosen(&self) -> Option<Order> {
        self.chosen
    }

    /// Which row stands at this position, by its place in the rows' own order.
    pub fn row(&self, position: usize) -> usize {
        self.rows.get(position).copied().unwrap_or(position)
    }

    /// Chooses an order; [`Self::sort`] makes it.
    pub fn choose(&mut self, order: Option<Order>) {
        self.chosen = order;
    }

    /// Sorts so many rows, which must be done after each change of them. `key` is asked for a row and a column. Rows that
    /// are alike stay as they stand of themselves.
    pub fn sort(&mut self, count: usize, key: impl Fn(usize, usize) -> SortKey) {
        self.rows.clear();
        let Some(order) = self.chosen else { return };
        let mut keys: Vec<(SortKey, usize)> = (0..count).map(|row| (key(row, order.column), row)).collect();
        keys.sort_by(|(one, _), (other, _)| one.before(other, order.falls));
        self.rows.extend(keys.into_iter().map(|(_, row)| row));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(order: Option<Order>, keys: &[SortKey]) -> Vec<usize> {
        let mut sorted = Sorted::default();
        sorted.choose(order);
        sorted.sort(keys.len(), |row, _| keys[row].clone());
        (0..keys.len()).map(|position| sorted.row(position)).collect()
    }

    #[test]
    fn empty_cells_sort_last_in_both_directions_and_equal_ones_keep_order() {
        let keys = [Some(4), None, Some(9), Some(4)].map(SortKey::number);
        assert_eq!(rows(None, &keys), [0, 1, 2, 3]);
        assert_eq!(rows(Some(Order::rising(0)), &keys), [0, 3, 2, 1]);
        assert_eq!(rows(Some(Order::falling(0)), &keys), [2, 0, 3, 1]);
        let names = ["slate", "Amber", "", "birch"].map(SortKey::words);
        assert_eq!(rows(Some(Order::rising(0)), &names), [1, 3, 0, 2]);
        let shares = [Some(0.2), Some(0.9), None].map(SortKey::share);
        assert_eq!(rows(Some(Order::falling(0)), &shares), [1, 0, 2]);
    }

    #[test]
    fn presses_on_a_head_turn_the_order_round_and_lead_back_to_the_rows_own() {
        let newest = Some(Order::falling(0));
        let (largest, smallest) = (Order::falling(4), Order::rising(4));
        assert_eq!(Order::after(largest, None, newest), Some(largest));
        assert_eq!(Order::after(largest, Some(largest), newest), Some(smallest));
        assert_eq!(Order::after(largest, Some(smallest), newest), None);
        // The column by which they stand of themselves is turned round at once.
        let oldest = Some(Order::rising(0));
        assert_eq!(Order::after(Order::falling(0), None, newest), oldest);
        assert_eq!(Order::after(Order::falling(0), oldest, newest), None);
        // So it is where they stand the other way than a column does first.
        let cheapest = Some(smallest);
        assert_eq!(Order::after(largest, None, cheapest), Some(largest));
        assert_eq!(Order::after(largest, Some(largest), cheapest), None);
        assert_eq!(Order::after(largest, None, None), Some(largest));
    }
}
