//! What a provider asks, in words: a price per token is not all of it.

use frlm_client::conductor::swarm::Tariff;

use super::{Unit, in_sats};

/// Whole: "2 sats per 1,000 tokens read and 6 written, at least 3 a job".
pub fn tariff_words(unit: Unit, tariff: &Tariff) -> String {
    let mut parts = Vec::new();
    let (read, written) = (tariff.read_per_1k.0, tariff.written_per_1k.0);
    if read == written {
        if read > 0 {
            parts.push(format!("{} per 1,000 tokens", amount(unit, read)));
        }
    } else {
        let read = amount(unit, read);
        parts.push(format!("{read} per 1,000 tokens read and {} written", in_sats(written)));
    }
    match (tariff.least.0, parts.is_empty()) {
        (0, true) => return "free".to_owned(),
        (0, false) => {}
        (least, true) => parts.push(format!("at least {} a job", unit.amount(least))),
        (least, false) => parts.push(format!("at least {} a job", super::thousands(least))),
    }
    if tariff.free_jobs > 0 {
        let jobs = super::words::plural(tariff.free_jobs as usize, "job");
        parts.push(format!("{jobs} free per asker and day"));
    }
    parts.join(", ")
}

/// For a column of prices per 1,000 tokens: "2 to 6 sats, min 3", "min 3 sats".
pub fn tariff_in_short(tariff: &Tariff) -> String {
    let (read, written) = (tariff.read_per_1k.0, tariff.written_per_1k.0);
    let (low, high) = (read.min(written), read.max(written));
    let tokens = match (low, high) {
        (_, 0) => String::new(),
        (low, high) if low == high => amount(Unit::Sats, high),
        (low, high) => format!("{} to {}", in_sats(low), amount(Unit::Sats, high)),
    };
    match (tokens.is_empty(), tariff.least.0) {
        (true, 0) => "free".to_owned(),
        (true, least) => format!("min {}", Unit::Sats.amount(least)),
        (false, 0) => tokens,
        (false, least) => format!("{tokens}, min {}", super::thousands(least)),
    }
}

/// With what is below a sat where there is something.
fn amount(unit: Unit, msats: u64) -> String {
    if msats.is_multiple_of(1_000) {
        unit.amount(msats / 1_000)
    } else {
        format!("{} {}", in_sats(msats), unit.name())
    }
}

#[cfg(test)]
mod tests {
    use frlm_wallet::{Msats, Sats};

    use super::*;

    fn tariff(read: u64, written: u64, least: u64) -> Tariff {
        let (read_per_1k, written_per_1k) = (Msats(read), Msats(written));
        Tariff { read_per_1k, written_per_1k, least: Sats(least), free_jobs: 0 }
    }

    #[test]
    fn a_provider_with_a_price_per_job_is_not_called_free() {
        assert_eq!(tariff_in_short(&tariff(0, 0, 3)), "min 3 sats");
        assert_eq!(tariff_words(Unit::Sats, &tariff(0, 0, 3)), "at least 3 sats a job");
        assert_eq!(tariff_in_short(&Tariff::FREE), "free");
        assert_eq!(tariff_words(Unit::Play, &Tariff { free_jobs: 9, ..Tariff::FREE }), "free");
    }

    #[test]
    fn each_price_is_told_apart_and_none_is_rounded_away() {
        assert_eq!(tariff_in_short(&tariff(2_000, 2_000, 0)), "2 sats");
        assert_eq!(tariff_in_short(&tariff(1_250, 1_250, 0)), "1.25 sats");
        assert_eq!(tariff_in_short(&tariff(2_000, 6_000, 3)), "2 to 6 sats, min 3");
        let words = tariff_words(Unit::Play, &Tariff { free_jobs: 1, ..tariff(2_000, 500, 3) });
        let expected = "2 play sats per 1,000 tokens read and 0.5 written, at least 3 a job, 1 job free per asker \
                        and day";
        assert_eq!(words, expected);
    }
}
