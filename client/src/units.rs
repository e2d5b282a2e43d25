//! Times, sizes and numbers as people say them, on every surface.

/// How long: "340 ms", "8.1 s", "2 min 05 s", "3 h 07 min".
pub fn lasting(ms: u64) -> String {
    let seconds = ms / 1_000;
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{:.1} s", ms as f64 / 1e3),
        60_000..3_600_000 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3_600, seconds / 60 % 60),
    }
}

/// Bytes in the largest unit that keeps a digit before the point.
pub fn bytes(count: u64) -> String {
    const KIB: f64 = 1_024.0;
    if count < 1_024 {
        return plural(usize::try_from(count).unwrap_or_default(), "byte");
    }
    let count = count as f64;
    if count < KIB * KIB {
        format!("{:.0} KiB", count / KIB)
    } else if count < KIB * KIB * KIB {
        format!("{:.1} MiB", count / (KIB * KIB))
    } else {
        format!("{:.1} GiB", count / (KIB * KIB * KIB))
    }
}

/// 1234567 → "1,234,567".
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A share: "67%". It is "100%" only of all.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    format!("{:.0}%", if share < 1.0 { percent.min(99.0) } else { percent })
}

/// The beginning of a key or an id, enough to tell it from others.
pub fn short(key: &str) -> &str {
    key.get(..8).unwrap_or(key)
}

/// "41 jobs".
pub fn plural(count: usize, what: &str) -> String {
    format!("{} {what}{}", thousands(count as u64), if count == 1 { "" } else { "s" })
}

/// How long ago: "just now", "12 min ago", "3 d ago".
pub fn ago(now_ms: u64, then_ms: u64) -> String {
    let seconds = now_ms.saturating_sub(then_ms) / 1_000;
    match seconds {
        0..60 => "just now".to_owned(),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

/// When that was, of Unix milliseconds: "2027-01-15, 08:00 UTC".
pub fn moment(then_ms: u64) -> String {
    let text = nostr::Timestamp::from_secs(then_ms / 1_000).to_human_datetime();
    match (text.get(..10), text.get(11..16)) {
        (Some(day), Some(minute)) => format!("{day}, {minute} UTC"),
        // After the year 9999.
        _ => text,
    }
}

/// What amounts are counted in. Play money is never called sats alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unit {
    /// Money.
    #[default]
    Sats,
    /// Worth nothing: of a swarm on this machine.
    Play,
}

impl Unit {
    /// Of what is paid in play money, or not.
    pub fn of(play_money: bool) -> Self {
        if play_money { Self::Play } else { Self::Sats }
    }

    /// Several of it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sats => "sats",
            Self::Play => "play sats",
        }
    }

    /// What it is.
    pub fn about(self) -> &'static str {
        match self {
            Self::Sats => "A sat is the hundred-millionth part of a bitcoin",
            Self::Play => "Made up for the swarm on this machine; no sat of yours is touched",
        }
    }

    /// So many of it.
    pub fn amount(self, sats: u64) -> String {
        let name = if sats == 1 { self.name().trim_end_matches('s') } else { self.name() };
        format!("{} {name}", thousands(sats))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_a_kind_is_not_called_several() {
        assert_eq!([0, 1, 2].map(|count| plural(count, "job")), ["0 jobs", "1 job", "2 jobs"]);
    }

    #[test]
    fn a_share_is_whole_only_if_nothing_is_missing() {
        assert_eq!([0.0, 0.667, 0.9999, 1.0].map(percent), ["0%", "67%", "99%", "100%"]);
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_000), "1,000");
        assert_eq!(thousands(1_234_567), "1,234,567");
    }

    #[test]
    fn play_money_is_never_called_sats_alone() {
        assert_eq!((Unit::Sats.amount(1), Unit::Sats.amount(2)), ("1 sat".to_owned(), "2 sats".to_owned()));
        assert_eq!(
            (Unit::Play.amount(1), Unit::Play.amount(2)),
            ("1 play sat".to_owned(), "2 play sats".to_owned())
        );
    }
}
