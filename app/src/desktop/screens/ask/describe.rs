//! What would happen, in words.

use super::state::{Ask, Previewed, Venue};
use super::words;
use crate::desktop::widgets::Unit;
use frlm_client::units::{bytes as size, plural};

/// What leaves this machine, to whom.
pub fn leaves(ask: &Ask) -> String {
    let Previewed::Known {
        subtasks,
        replicas,
        most_replicas,
        providers,
        unreachable,
        by_code,
        own_model_reads,
        provider_reads,
        bytes,
        in_plain,
        ..
    } = &ask.previewed
    else {
        return String::new();
    };
    if *by_code {
        return match (own_model_reads, in_plain.as_str()) {
            (false, _) => words::LEAVES_CODE.to_owned(),
            (true, "") => words::LEAVES_OWN_MODEL_READS.to_owned(),
            (true, to) => words::leaves_to_who_reads(to),
        };
    }
    let (jobs, size) = (plural(*subtasks, "job"), size(*bytes as u64));
    let plain = if in_plain.is_empty() { String::new() } else { words::also_in_plain(in_plain) };
    let copies = copies(*replicas, *most_replicas, providers.len());
    let first = if *own_model_reads { words::OWN_MODEL_READS } else { "" };
    let others = match ask.venue {
        Venue::OwnModel if in_plain.is_empty() => words::leaves_nothing(&jobs),
        Venue::OwnModel => words::leaves_in_plain(&jobs, &size, in_plain),
        Venue::LocalSwarm => words::leaves_to_local_swarm(&jobs, &copies),
        Venue::Relays if unreachable.is_some() => words::leaves_unreachable(&plain),
        Venue::Relays if providers.is_empty() => words::leaves_deserted(&plain),
        Venue::Relays if *provider_reads => {
            words::leaves_for_query(&plural(providers.len(), "provider"), &plain)
        }
        Venue::Relays => {
            words::leaves_to_swarm(&jobs, &size, &copies, &plural(providers.len(), "provider"), &plain)
        }
    };
    format!("{first}{others}")
}

/// Whether anything of the question and its documents may leave this machine.
pub fn leaves_machine(ask: &Ask) -> bool {
    let Previewed::Known { by_code, in_plain, .. } = &ask.previewed else { return false };
    !in_plain.is_empty() || !by_code && ask.venue == Venue::Relays
}

fn copies(replicas: u32, most: u32, here: usize) -> String {
    // No provider is asked the same twice.
    let most = most.min(u32::try_from(here).unwrap_or(u32::MAX)).max(1);
    let replicas = replicas.min(most);
    if replicas == most { format!("{replicas}") } else { format!("{replicas} to {most}") }
}

/// What the budget means for the quote.
pub fn budget_verdict(unit: Unit, budget: u64, low: u64, expected: u64, high: u64) -> (bool, String) {
    if high == 0 {
        return (true, words::PROVIDERS_FREE.to_owned());
    }
    if budget >= high {
        return (true, words::WORST_CASE.to_owned());
    }
    if budget >= expected {
        return (true, words::covers_most(unit, high));
    }
    if budget >= low {
        return (false, words::too_low(unit, expected));
    }
    (false, words::far_too_low(unit, low))
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
            own_model_reads: false,
            provider_reads: false,
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
        assert!(words.contains("60 KiB"), "{words}");
        assert!(words.contains("api.example.org (your own model), which can read them"), "{words}");
        assert!(!words.contains("Nothing leaves"), "{words}");
    }

    #[test]
    fn beside_the_swarm_every_reader_in_plain_is_named() {
        let swarm = leaves(&previewed(Venue::Relays, ""));
        assert!(swarm.contains("1 of 1 provider, encrypted"), "{swarm}");
        assert!(!swarm.contains("can read what is sent"), "{swarm}");
        let beside = leaves(&previewed(Venue::Relays, "10.0.0.5 (office)"));
        assert!(beside.contains("encrypted"), "{beside}");
        assert!(beside.contains("10.0.0.5 (office) can read what is sent there"), "{beside}");
    }

    #[test]
    fn what_the_own_model_is_told_to_read_a_question_is_said() {
        let asks = |by_code: bool, in_plain: &str| {
            let mut ask = previewed(Venue::Relays, in_plain);
            let Previewed::Known { by_code: code, own_model_reads, .. } = &mut ask.previewed else {
                panic!("{:?}", ask.previewed)
            };
            (*code, *own_model_reads) = (by_code, true);
            (leaves(&ask), leaves_machine(&ask))
        };
        let (here, leaves) = asks(true, "");
        assert!(!leaves && here.starts_with("Nothing leaves") && !here.contains("no model"), "{here}");
        let (elsewhere, leaves) = asks(true, "api.example.org (your own model)");
        assert!(leaves && elsewhere.contains("some of their values go to api.example.org"), "{elsewhere}");
        let (swarm, leaves) = asks(false, "");
        assert!(leaves && swarm.starts_with("Your own model reads the question first"), "{swarm}");
        assert!(swarm.contains("encrypted"), "{swarm}");
    }

    #[test]
    fn what_a_provider_is_told_to_write_a_query_is_said() {
        let mut ask = previewed(Venue::Relays, "");
        let Previewed::Known { provider_reads, .. } = &mut ask.previewed else {
            panic!("{:?}", ask.previewed)
        };
        *provider_reads = true;
        let words = leaves(&ask);
        assert!(
            leaves_machine(&ask)
                && words.contains("some of their values go, encrypted, to one of 1 provider"),
            "{words}"
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
}
