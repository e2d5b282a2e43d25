//! What amounts are counted in: money, or the play money of a swarm on this machine.

use egui::Ui;
use lucide_icons::Icon;

use super::{Tone, badge_ui, thousands};

/// An amount with its unit.
pub fn amount(sats: u64) -> String {
    Unit::Sats.amount(sats)
}

/// Millisats in sats, without zeros that say nothing: 1500 → "1.5".
pub fn in_sats(msats: u64) -> String {
    let (sats, rest) = (thousands(msats / 1_000), format!("{:03}", msats % 1_000));
    match rest.trim_end_matches('0') {
        "" => sats,
        rest => format!("{sats}.{rest}"),
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

/// Says that amounts beside it are worth nothing, where they are.
pub fn play_ui(ui: &mut Ui, unit: Unit) {
    if unit == Unit::Play {
        badge_ui(ui, Tone::Warn, Icon::Dices, "play money, worth nothing").on_hover_text(unit.about());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_below_a_sat_cannot_be_taken_for_thousands() {
        assert_eq!((in_sats(1_500), in_sats(1_025)), ("1.5".to_owned(), "1.025".to_owned()));
        assert_eq!((in_sats(2_000), in_sats(40)), ("2".to_owned(), "0.04".to_owned()));
    }

    #[test]
    fn play_money_is_never_called_sats_alone() {
        assert_eq!((amount(1), amount(2)), ("1 sat".to_owned(), "2 sats".to_owned()));
        assert_eq!(
            (Unit::Play.amount(1), Unit::Play.amount(2)),
            ("1 play sat".to_owned(), "2 play sats".to_owned())
        );
    }
}
