//! What amounts are counted in: money, or the play money of a swarm on this machine.

use egui::Ui;
use lucide_icons::Icon;

use super::{Tone, badge_ui, thousands};

/// An amount with its unit.
pub fn amount(sats: u64) -> String {
    Unit::Sats.amount(sats)
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

    /// So many of it.
    pub fn amount(self, sats: u64) -> String {
        let name = if sats == 1 { self.name().trim_end_matches('s') } else { self.name() };
        format!("{} {name}", thousands(sats))
    }
}

/// Says that amounts beside it are worth nothing, where they are.
pub fn play_ui(ui: &mut Ui, unit: Unit) {
    if unit == Unit::Play {
        let hint = "made up for the swarm on this machine; no sat of yours is touched";
        badge_ui(ui, Tone::Warn, Icon::Dices, "play money, worth nothing").on_hover_text(hint);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn play_money_is_never_called_sats_alone() {
        assert_eq!((amount(1), amount(2)), ("1 sat".to_owned(), "2 sats".to_owned()));
        assert_eq!(
            (Unit::Play.amount(1), Unit::Play.amount(2)),
            ("1 play sat".to_owned(), "2 play sats".to_owned())
        );
    }
}
