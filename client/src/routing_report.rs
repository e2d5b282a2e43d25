//! What runs have learned of roles and venues, and how things stand, in words
//! (seeds/load-balanced-rl-workflow.md, section 2.6: `health()`).

use std::fmt::Write as _;

use frlm_learning::routing::Account;
use frlm_learning::routing::production::{Entry, Health, VenueHealth};
use frlm_protocol::printable;

/// The latest decisions, oldest first.
pub fn latest(account: &Account, most: usize) -> Vec<&Entry> {
    let log = account.log();
    let before = log.len().saturating_sub(most);
    log.skip(before).collect()
}

/// Health and these decisions, for people.
pub fn describe(health: &Health, latest: &[&Entry]) -> String {
    // Writing into a String cannot fail, here and below.
    let mut text = format!(
        "Subtasks     {} answered, {} not ({:.1} % errors), {} that nobody could be asked about\n\
         Unchecked    {} answers count one half: nothing was held against them\n\
         Cost         {}\n\
         Learner      {}, learning from runs is {}, {}\n\
         Load         {}, imbalance {:.3} (0 is even)\n",
        health.answered,
        health.failed,
        health.error_rate * 100.0,
        health.unroutable,
        health.unjudged,
        sats(health.cost_msats),
        health.learner,
        if health.online_learning { "on" } else { "off" },
        match (health.explore, health.epsilon) {
            (false, _) => "the best known choice is always taken (ε 0)".to_owned(),
            (true, epsilon) if epsilon > 0.0 => format!("others are tried (ε {epsilon:.2})"),
            (true, _) => "others are tried if little is known of them".to_owned(),
        },
        health.load_state,
        health.imbalance,
    );
    if health.rated > 0 {
        let _ = writeln!(
            text,
            "Rated        {} answers that nobody checked count as their run was rated",
            health.rated
        );
    }
    if health.refused > 0 {
        let _ = writeln!(text, "Refused      {} beyond a caller's limit", health.refused);
    }
    text += "\nrole          share of the latest  of all\n";
    let all: u64 = health.lifetime.iter().map(|(_, count)| count).sum();
    for ((role, share), (_, count)) in health.utilization.iter().zip(&health.lifetime) {
        let of_all = *count as f64 / all.max(1) as f64;
        let _ =
            writeln!(text, "{:12}  {:>17.0} %  {:>4.0} %", printable(role), share * 100.0, of_all * 100.0);
    }
    text += "\nvenue         answered  not  quality   time, s  cost\n";
    for venue in &health.venues {
        text += &venue_line(venue);
    }
    if !latest.is_empty() {
        text += "\nlatest decisions\n";
    }
    for entry in latest {
        text += &entry_line(entry);
    }
    text
}

fn venue_line(venue: &VenueHealth) -> String {
    format!(
        "{:12}  {:>8}  {:>3}  {:>7.3}  {:>8.3}  {}\n",
        printable(&venue.name),
        venue.answered,
        venue.failed,
        venue.mean_quality,
        venue.mean_latency_secs,
        sats(venue.cost_msats)
    )
}

fn entry_line(entry: &Entry) -> String {
    format!(
        "  run {} {}: {}@{} ({}{}), expected {:.2}, quality {:.2}, {}, {:.3} s, reward {:.3} − {:.3}\n",
        printable(entry.caller.get(..8).unwrap_or(&entry.caller)),
        printable(&entry.task_type),
        printable(&entry.role),
        printable(&entry.venue),
        printable(&entry.load_state),
        if entry.explored { ", a try" } else { "" },
        entry.value,
        entry.judgement.quality,
        if entry.answered { sats(entry.cost_msats) } else { "no answer".to_owned() },
        entry.latency_secs,
        entry.raw,
        entry.penalty,
    )
}

fn sats(msats: u64) -> String {
    format!("{}.{:03} sats", msats / 1_000, msats % 1_000)
}

#[cfg(test)]
mod tests {
    use frlm_learning::routing::judge::Judgement;
    use frlm_learning::routing::production::Outcome;
    use frlm_learning::routing::{Availability, Production, ProductionSettings, RoutingMemory, Space};

    use super::*;

    fn account(folder: &std::path::Path) -> Account {
        let memory = RoutingMemory::at(folder.join("routing.json"));
        let settings = ProductionSettings::default();
        let mut production = Production::going_on(Account::fresh(Space::seed()), settings);
        for number in 0..12_u32 {
            let available = Availability::all(production.space());
            let now = std::time::Duration::from_secs(u64::from(number));
            let begun = production.assign("0123456789abcdef", "coding", None, now, &available).unwrap();
            let answered = number % 4 != 0;
            let outcome = Outcome { answered, cost_msats: 1_500, latency_secs: 0.25 };
            let judgement =
                if answered { Judgement::verified(1.0) } else { Judgement::without_output("it timed out") };
            production.finish(begun, outcome, judgement);
        }
        memory.add(&Space::seed(), &production.take_news(), &settings).unwrap();
        memory.load().unwrap().unwrap()
    }

    #[test]
    fn health_says_load_costs_errors_and_the_latest_decisions() {
        let folder = tempfile::tempdir().unwrap();
        let account = account(folder.path());
        let health = account.health(true, false);
        let text = describe(&health, &latest(&account, 2));
        assert!(text.contains("9 answered, 3 not (25.0 % errors)"), "{text}");
        assert!(text.contains("18.000 sats") && text.contains("(ε 0)"), "{text}");
        assert_eq!(text.matches("  run 01234567 coding:").count(), 2, "{text}");
        assert!(text.contains(&format!("Load         {}", health.load_state)), "{text}");
    }
}
