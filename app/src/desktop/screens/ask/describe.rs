//! What would happen, in words.

use super::state::{Ask, Previewed, Venue};
use crate::desktop::widgets::Unit;
use frlm_client::units::plural;

/// What leaves this machine, to whom.
pub fn leaves(ask: &Ask) -> String {
    let Previewed::Known {
        subtasks,
        replicas,
        most_replicas,
        providers,
        unreachable,
        by_code,
        bytes,
        in_plain,
        ..
    } = &ask.previewed
    else {
        return String::new();
    };
    if *by_code {
        return "Nothing leaves: code answers this question, no model is asked.".to_owned();
    }
    let jobs = plural(*subtasks, "job");
    let plain =
        if in_plain.is_empty() { String::new() } else { format!(" {in_plain} can read what is sent there.") };
    match ask.venue {
        Venue::OwnModel if in_plain.is_empty() => {
            format!("Nothing leaves this machine: your own model does {jobs}.")
        }
        Venue::OwnModel => format!(
            "{jobs}: every part ({}) and the question go to {in_plain}, which can read them.",
            size(*bytes)
        ),
        Venue::LocalSwarm => format!(
            "Nothing leaves this machine: the local swarm does {jobs}, each by {} of its providers.",
            copies(*replicas, *most_replicas, providers.len())
        ),
        Venue::Relays if unreachable.is_some() => {
            format!(
                "No relay can be reached, so the providers are not known yet. If you ask, FRLM tries again and \
                 sends nothing until it finds one.{plain}"
            )
        }
        Venue::Relays if providers.is_empty() => {
            format!(
                "No providers online. FRLM waits a few seconds; nothing is sent until one appears.{plain}"
            )
        }
        Venue::Relays => format!(
            "{jobs}: every part ({}) and the question go to {} of {} providers, encrypted so that only \
             they can read them. The relay sees sizes, times and keys.{plain}",
            size(*bytes),
            copies(*replicas, *most_replicas, providers.len()),
            providers.len()
        ),
    }
}

/// Whether anything of the question and its documents may leave this machine.
pub fn leaves_machine(ask: &Ask) -> bool {
    match &ask.previewed {
        Previewed::Known { by_code, in_plain, .. } => {
            !by_code && (ask.venue == Venue::Relays || !in_plain.is_empty())
        }
        _ => false,
    }
}

/// "60 KiB".
pub fn size(bytes: usize) -> String {
    if bytes < 1 << 10 {
        plural(bytes, "byte")
    } else if bytes < 1 << 20 {
        format!("{:.0} KiB", bytes as f64 / 1_024.0)
    } else {
        format!("{:.1} MiB", bytes as f64 / 1_048_576.0)
    }
}

fn copies(replicas: u32, most: u32, here: usize) -> String {
    // No provider is asked the same twice.
    let most = most.min(u32::try_from(here).unwrap_or(u32::MAX)).max(1);
    let replicas = replicas.min(most);
    if replicas == most { format!("{replicas}") } else { format!("{replicas} to {most}") }
}

/// What the providers say they give away of what is expected; empty: nothing.
pub fn given_away(unit: Unit, given: u64) -> String {
    if given == 0 {
        return String::new();
    }
    format!("Providers announce that about {} of it is free. The budget still covers it.", unit.amount(given))
}

/// What the budget means for the quote.
pub fn budget_verdict(unit: Unit, budget: u64, low: u64, expected: u64, high: u64) -> (bool, String) {
    if high == 0 {
        return (true, "These providers are free.".to_owned());
    }
    if budget >= high {
        return (true, "Covers the worst case.".to_owned());
    }
    if budget >= expected {
        return (true, format!("Enough unless many answers are disputed; then up to {}.", unit.amount(high)));
    }
    if budget >= low {
        return (false, format!("Too low: {} are expected. The run would not start.", unit.amount(expected)));
    }
    (false, format!("Too low even for one answer per part ({}).", unit.amount(low)))
}

#[cfg(test)]
mod tests {
    use frlm_conductor::swarm::Tariff;

    use super::super::state::Seen;
    use super::*;

    fn previewed(venue: Venue, in_plain: &str) -> Ask {
        let previewed = Previewed::Known {
            low: 0,
            expected: 0,
            high: 0,
            given: 0,
            subtasks: 3,
            replicas: 2,
            most_replicas: 3,
            providers: vec![Seen { name: "a".to_owned(), model: "m".to_owned(), tariff: Tariff::FREE }],
            unreachable: None,
            by_code: false,
            bytes: 61_681,
            in_plain: in_plain.to_owned(),
            readings: Vec::new(),
        };
        Ask { venue, previewed, ..Ask::default() }
    }

    #[test]
    fn a_model_elsewhere_is_no_machine_of_yours() {
        let here = previewed(Venue::OwnModel, "");
        assert!(leaves(&here).starts_with("Nothing leaves this machine") && !leaves_machine(&here));
        let elsewhere = previewed(Venue::OwnModel, "api.example.org (your own model)");
        assert!(leaves_machine(&elsewhere));
        let words = leaves(&elsewhere);
        assert!(
            words.contains("60 KiB")
                && words.contains("api.example.org (your own model), which can read them"),
            "{words}"
        );
        assert!(!words.contains("Nothing leaves"), "{words}");
    }

    #[test]
    fn beside_the_swarm_every_reader_in_plain_is_named() {
        let swarm = leaves(&previewed(Venue::Relays, ""));
        assert!(swarm.contains("1 of 1 providers") && !swarm.contains("can read what is sent"), "{swarm}");
        let beside = leaves(&previewed(Venue::Relays, "10.0.0.5 (office)"));
        assert!(
            beside.contains("encrypted") && beside.contains("10.0.0.5 (office) can read what is sent there"),
            "{beside}"
        );
    }

    #[test]
    fn the_cap_is_judged_against_the_whole_range() {
        assert!(budget_verdict(Unit::Sats, 300, 100, 200, 300).0);
        assert!(budget_verdict(Unit::Sats, 200, 100, 200, 300).1.contains("300 sats"));
        assert!(!budget_verdict(Unit::Sats, 150, 100, 200, 300).0);
        assert!(budget_verdict(Unit::Sats, 50, 100, 200, 300).1.contains("even for one"));
        assert!(budget_verdict(Unit::Play, 0, 0, 0, 0).0);
    }

    #[test]
    fn what_is_given_away_is_said_to_be_a_word() {
        assert_eq!(given_away(Unit::Sats, 0), "");
        let words = given_away(Unit::Sats, 30);
        assert!(words.contains("30 sats") && words.contains("Providers announce"), "{words}");
    }
}
