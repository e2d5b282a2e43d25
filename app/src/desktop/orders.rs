//! The orders that the user chose for tables, remembered between starts. A column is remembered by its name, so that
//! another version, whose tables have other columns, opens none or the right one.

use super::command::Command;
use super::screens::{earn, providers, runs, wallet};
use super::state::State;
use super::widgets::{Column, Order, Sorted};

/// A table that can be sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SortedTable {
    Runs,
    Providers,
    Jobs,
    Pay,
    Accounts,
    Steps,
    Payments,
}

impl SortedTable {
    const ALL: [Self; 7] =
        [Self::Runs, Self::Providers, Self::Jobs, Self::Pay, Self::Accounts, Self::Steps, Self::Payments];

    fn columns(self) -> &'static [Column<'static>] {
        match self {
            Self::Runs => &runs::COLUMNS,
            Self::Providers => &providers::COLUMNS,
            Self::Jobs => &earn::JOBS,
            Self::Pay => &earn::PAY,
            Self::Accounts => &wallet::ACCOUNTS,
            Self::Steps => &wallet::STEPS,
            Self::Payments => &wallet::balance::PAYMENTS,
        }
    }

    /// How it stands; `None`: its tab shows another table in its place.
    fn sorted(self, state: &State) -> Option<&Sorted> {
        let of_earn = |listed: earn::Listed| (state.earn.listed == listed).then_some(&state.earn.sorted);
        match self {
            Self::Runs => Some(&state.runs.sorted),
            Self::Providers => Some(&state.providers.sorted),
            Self::Jobs => of_earn(earn::Listed::Jobs),
            Self::Pay => of_earn(earn::Listed::Pay),
            Self::Accounts => Some(&state.wallet.by_account),
            Self::Steps => Some(&state.wallet.by_step),
            Self::Payments => Some(&state.wallet.by_payment),
        }
    }

    fn sort(self, order: Order) -> Command {
        use wallet::Listed;

        let of_wallet = |listed| Command::Wallet(wallet::Action::Sort(listed, Some(order)));
        match self {
            Self::Runs => Command::Runs(runs::Action::Sort(Some(order))),
            Self::Providers => Command::Providers(providers::Action::Sort(Some(order))),
            Self::Jobs | Self::Pay => Command::Earn(earn::Action::Sort(Some(order))),
            Self::Accounts => of_wallet(Listed::Accounts),
            Self::Steps => of_wallet(Listed::Steps),
            Self::Payments => of_wallet(Listed::Payments),
        }
    }
}

const FALLING: &str = "falling";
const RISING: &str = "rising";

/// The orders that differ from the tables' own: "Runs falling Spent".
pub fn written(state: &State) -> Vec<String> {
    SortedTable::ALL.into_iter().filter_map(|table| in_words(table, state)).collect()
}

fn in_words(table: SortedTable, state: &State) -> Option<String> {
    let order = table.sorted(state)?.chosen()?;
    let title = table.columns().get(order.column)?.title();
    Some(format!("{table:?} {} {title}", if order.falls { FALLING } else { RISING }))
}

/// What makes an order again.
pub fn opening(words: &str) -> Option<Command> {
    let (table, rest) = words.split_once(' ')?;
    let (way, title) = rest.split_once(' ')?;
    let table = SortedTable::ALL.into_iter().find(|known| format!("{known:?}") == table)?;
    // A column without a name is for marks.
    let named = |column: &Column<'_>| !title.is_empty() && column.title() == title;
    let column = table.columns().iter().position(named)?;
    match way {
        FALLING => Some(table.sort(Order::falling(column))),
        RISING => Some(table.sort(Order::rising(column))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_order_is_found_as_it_was_left() {
        for table in SortedTable::ALL {
            for (column, title) in table.columns().iter().map(|column| column.title()).enumerate() {
                let left = [Order::falling(column), Order::rising(column)];
                for order in left.into_iter().filter(|_| !title.is_empty()) {
                    let mut state = State::default();
                    if table == SortedTable::Pay {
                        state.perform(&Command::Earn(earn::Action::List(earn::Listed::Pay)));
                    }
                    let before = state.clone();
                    state.perform(&table.sort(order));
                    let lines = written(&state);
                    let [words] = lines.as_slice() else { panic!("{table:?} {order:?}: {lines:?}") };
                    let mut later = before;
                    later.perform(&opening(words).unwrap());
                    assert_eq!(table.sorted(&later).unwrap().chosen(), Some(order), "{words}");
                }
            }
        }
    }

    #[test]
    fn the_columns_of_a_table_have_names_of_their_own() {
        for table in SortedTable::ALL {
            let titles: Vec<&str> = table.columns().iter().map(|column| column.title()).collect();
            assert_eq!(titles.iter().collect::<BTreeSet<_>>().len(), titles.len(), "{table:?}: {titles:?}");
        }
    }

    #[test]
    fn tables_in_default_order_and_unknown_entries_are_left_alone() {
        assert!(written(&State::default()).is_empty());
        for words in
            ["Runs falling Colour", "Runs sideways Spent", "Attic falling Spent", "Runs falling ", "Runs"]
        {
            assert!(opening(words).is_none(), "{words}");
        }
    }
}
