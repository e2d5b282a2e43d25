//! What amounts are counted in: money, or the play money of a swarm on this machine.

use egui::Ui;
use lucide_icons::Icon;

use super::{Tone, badge_ui, thousands};
pub use frlm_client::units::Unit;

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
}
