//! What would happen, in words.

use super::state::{Ask, Previewed, Venue};
use crate::desktop::widgets::{Unit, thousands};

/// What leaves this machine, to whom.
pub fn leaves(ask: &Ask) -> String {
    let Previewed::Known { subtasks, replicas, most_replicas, providers, by_code, .. } = &ask.previewed
    else {
        return String::new();
    };
    if *by_code {
        return "Nothing leaves: code answers this question, no model is asked.".to_owned();
    }
    let fragments = plural(*subtasks, "job");
    match ask.venue {
        Venue::OwnModel => format!("Nothing leaves this machine: your own model does {fragments}."),
        Venue::LocalSwarm => format!(
            "Nothing leaves this machine: the local swarm does {fragments}, each on {}.",
            copies(*replicas, *most_replicas)
        ),
        Venue::Relays if providers.is_empty() => {
            "Nobody is there to read it now. If you ask nevertheless, providers are awaited for a few seconds \
             before anything is sent."
                .to_owned()
        }
        Venue::Relays => format!(
            "{fragments}: every fragment and the question go to {} of {} providers, encrypted so that only \
             they can read them. The relay sees sizes, times and keys.",
            copies(*replicas, *most_replicas),
            providers.len()
        ),
    }
}

fn copies(replicas: u32, most: u32) -> String {
    if replicas == most { format!("{replicas}") } else { format!("{replicas} to {most}") }
}

/// «41 jobs».
pub fn plural(count: usize, what: &str) -> String {
    format!("{} {what}{}", thousands(count as u64), if count == 1 { "" } else { "s" })
}

/// What the cap means for the quote.
pub fn cap_verdict(unit: Unit, cap: u64, low: u64, expected: u64, high: u64) -> (bool, String) {
    if high == 0 {
        return (true, "These providers work for nothing.".to_owned());
    }
    if cap >= high {
        return (true, "Enough even if every answer is disputed.".to_owned());
    }
    if cap >= expected {
        return (true, format!("Enough unless much is disputed; then up to {}.", unit.amount(high)));
    }
    if cap >= low {
        return (false, format!("Too little: expected are {}. It would not start.", unit.amount(expected)));
    }
    (false, format!("Too little even for one answer per fragment ({}).", unit.amount(low)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cap_is_judged_against_the_whole_range() {
        assert!(cap_verdict(Unit::Sats, 300, 100, 200, 300).0);
        assert!(cap_verdict(Unit::Sats, 200, 100, 200, 300).1.contains("300 sats"));
        assert!(!cap_verdict(Unit::Sats, 150, 100, 200, 300).0);
        assert!(cap_verdict(Unit::Sats, 50, 100, 200, 300).1.contains("even for one"));
        assert!(cap_verdict(Unit::Play, 0, 0, 0, 0).0);
    }
}
