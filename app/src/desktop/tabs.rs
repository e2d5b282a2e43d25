//! The tabs of all screens and the orders of their tables as they were left, remembered between starts.

use std::fmt::Debug;

use super::command::Command;
use super::orders;
use super::screens::{earn, learning, providers, run, runs, settings, wallet};
use super::state::State;
use frlm_client::attack_simulation::Answers;

/// What a line about the order of a table begins with.
const ORDER: &str = "order";

/// As they are written down: a line for each.
pub fn written(state: &State) -> String {
    let tabs: [(&str, &dyn Debug); 8] = [
        ("lanes", &state.run.grouping),
        ("beside", &state.run.side),
        ("runs", &state.runs.show),
        ("providers", &state.providers.show),
        ("earn", &state.earn.listed),
        ("wallet", &state.wallet.tab),
        ("learning", &state.learning.source),
        ("settings", &state.settings.section),
    ];
    let tabs = tabs.map(|(place, tab)| format!("{place} {tab:?}\n")).concat();
    // Behind the tabs: another tab may begin in an order of its own.
    let orders = orders::written(state).into_iter().map(|order| format!("{ORDER} {order}\n"));
    std::iter::once(tabs).chain(orders).collect()
}

/// What opens them again. A line that this version does not know opens nothing.
pub fn opening(written: &str) -> Vec<Command> {
    written.lines().filter_map(|line| open(line.split_once(' ')?)).collect()
}

fn open((place, tab): (&str, &str)) -> Option<Command> {
    use earn::Listed;
    use learning::Source;
    use run::{Grouping, Side};

    Some(match place {
        "lanes" => Command::Run(run::Action::Group(one([Grouping::Subtask, Grouping::Provider], tab)?)),
        // A lane is not remembered, and so the panel about it is not.
        "beside" => Command::Run(run::Action::Beside(one([Side::Decisions, Side::Events], tab)?)),
        "runs" => {
            let all = runs::SHOWN.map(|(show, _)| show);
            Command::Runs(runs::Action::Show(one(all, tab)?))
        }
        "providers" => {
            let all = providers::SHOWN.map(|(show, _)| show);
            Command::Providers(providers::Action::Show(one(all, tab)?))
        }
        "earn" => Command::Earn(earn::Action::List(one([Listed::Jobs, Listed::Pay], tab)?)),
        "wallet" => Command::Wallet(wallet::Action::Tab(one(wallet::TABS.map(|(tab, _)| tab), tab)?)),
        "learning" => {
            let liars = [Answers::Records, Answers::Words].map(Source::RedTeam);
            let all = [Source::Runs, Source::Training, liars[0], liars[1], Source::Known];
            Command::Learning(learning::Action::Show(one(all, tab)?))
        }
        "settings" => {
            let all = settings::SECTIONS.map(|(section, _)| section);
            Command::Settings(settings::Action::Open(one(all, tab)?))
        }
        ORDER => orders::opening(tab)?,
        _ => return None,
    })
}

fn one<T: Debug, const COUNT: usize>(all: [T; COUNT], word: &str) -> Option<T> {
    all.into_iter().find(|tab| format!("{tab:?}") == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tab_is_found_as_it_was_left() {
        let left = [
            "lanes Provider",
            "beside Events",
            "runs Answered",
            "providers Known",
            "earn Pay",
            "wallet Payments",
            "learning RedTeam(Words)",
            "settings Logs",
            "order Runs falling Spent",
            "order Pay rising Agreed",
            "order Payments rising Changed",
        ];
        let left = left.map(|line| format!("{line}\n")).concat();
        let mut state = State::default();
        for command in opening(&left) {
            state.perform(&command);
        }
        assert_eq!(written(&state), left);
        assert_eq!(opening(&written(&State::default())).len(), 8, "each has a beginning");
    }

    #[test]
    fn what_this_version_does_not_know_opens_nothing() {
        assert!(opening("wallet Casino\nattic All\nsettings\n\nbeside Lane\n").is_empty());
    }
}
