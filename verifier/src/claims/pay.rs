//! What a review pays (docs/claims.md, section 3).
//!
//! ```text
//!   pay = R · n · clamp( (ĝ − a₀) / (a_h − σ − a₀), 0, 1 )
//! ```
//!
//! R is the price of one claim, n how many were reviewed. ĝ is the class-balanced accuracy on the reviewer's last 32 gold
//! claims with its family's accuracy a_h as a prior worth eight. a₀ is what the best constant verdict reaches, and
//! σ = √(a_h(1−a_h)/32): an honest reviewer of the family is nearly always paid in full, a rubber stamp nothing. Agreement
//! with others pays nobody.
//!
//! The share is rounded down to millionths and the amount down to whole msats: no float leaves this file.

use std::collections::VecDeque;

use super::record::Verdict;

/// Gold claims that pay looks back on.
const WINDOW: usize = 32;
/// What the family's accuracy is worth as a prior, in gold claims.
const PRIOR_WEIGHT: f64 = 8.0;
/// A share of one.
const WHOLE_PPM: u64 = 1_000_000;

/// A reviewer's last gold claims, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GoldWindow {
    /// Whether the claim was false, and whether the verdict was right.
    last: VecDeque<(bool, bool)>,
}

impl GoldWindow {
    /// Takes in a verdict on a gold claim.
    pub fn observe(&mut self, is_false: bool, verdict: Verdict) {
        if self.last.len() == WINDOW {
            self.last.pop_front();
        }
        self.last.push_back((is_false, verdict.rejects() == is_false));
    }

    /// ĝ: the mean of the accuracies on true and on false claims, each over a prior of half the weight.
    pub fn accuracy(&self, honest: f64) -> f64 {
        let of = |wanted: bool| {
            let (mut right, mut all) = (honest * PRIOR_WEIGHT / 2.0, PRIOR_WEIGHT / 2.0);
            for (_, is_right) in self.last.iter().filter(|(is_false, _)| *is_false == wanted) {
                right += f64::from(u8::from(*is_right));
                all += 1.0;
            }
            right / all
        };
        f64::midpoint(of(false), of(true))
    }
}

/// The share of the full price that a reviewer earns, in millionths, rounded down. `honest` is the family's balanced
/// accuracy on gold, `constant` what the best constant verdict reaches: one half.
pub fn share_ppm(gold: &GoldWindow, honest: f64, constant: f64) -> u64 {
    let spread = (honest * (1.0 - honest) / WINDOW as f64).sqrt();
    let full = honest - spread - constant;
    // A family that is no better than a constant verdict earns nothing.
    if full.is_nan() || full <= 0.0 {
        return 0;
    }
    let share = ((gold.accuracy(honest) - constant) / full).clamp(0.0, 1.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 1,000,000")]
    let ppm = (share * WHOLE_PPM as f64) as u64;
    ppm
}

/// What `claims` reviewed claims pay at `price_msats` each, rounded down.
pub fn pay_msats(price_msats: u64, claims: u64, share_ppm: u64) -> u64 {
    let full = u128::from(price_msats) * u128::from(claims);
    let paid = full * u128::from(share_ppm.min(WHOLE_PPM)) / u128::from(WHOLE_PPM);
    u64::try_from(paid).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn window(verdicts: impl IntoIterator<Item = (bool, Verdict)>) -> GoldWindow {
        let mut window = GoldWindow::default();
        verdicts.into_iter().for_each(|(is_false, verdict)| window.observe(is_false, verdict));
        window
    }

    #[test]
    fn honest_work_is_paid_in_full_and_a_rubber_stamp_almost_nothing() {
        let honest = |at: u32| {
            let is_false = at.is_multiple_of(2);
            let errs = at % 7 == 3;
            (is_false, if is_false == errs { Verdict::Supported } else { Verdict::Contradicted })
        };
        assert_eq!(share_ppm(&window((0..32).map(honest)), 0.85, 0.5), 1_000_000);
        let stamp = share_ppm(&window((0..32).map(|at| (at % 2 == 0, Verdict::Supported))), 0.85, 0.5);
        assert_eq!(stamp, 244_006, "the prior of eight claims is all that it has");
        let always_no = share_ppm(&window((0..32).map(|at| (at % 2 == 0, Verdict::NotStated))), 0.85, 0.5);
        assert_eq!(always_no, stamp);
    }

    #[test]
    fn a_newcomer_is_paid_like_its_family_and_then_like_itself() {
        assert_eq!(share_ppm(&GoldWindow::default(), 0.85, 0.5), 1_000_000);
        let lies: Vec<u64> = (0..=32)
            .step_by(8)
            .map(|gold| share_ppm(&window((0..gold).map(|at| (at % 2 == 0, Verdict::Supported))), 0.85, 0.5))
            .collect();
        assert!(lies.windows(2).all(|pair| pair[0] > pair[1]), "{lies:?}");
    }

    #[test]
    fn a_family_no_better_than_chance_earns_nothing() {
        for honest in [0.0, 0.5, 0.55, f64::NAN] {
            assert_eq!(share_ppm(&GoldWindow::default(), honest, 0.5), 0, "{honest}");
        }
    }

    #[test]
    fn amounts_are_rounded_down_to_whole_msats() {
        assert_eq!(pay_msats(333, 3, 1_000_000), 999);
        assert_eq!(pay_msats(333, 3, 333_333), 332);
        assert_eq!(pay_msats(1, 1, 999_999), 0);
        assert_eq!(pay_msats(u64::MAX, u64::MAX, u64::MAX), u64::MAX);
    }

    proptest! {
        #[test]
        fn nobody_is_paid_more_than_the_price(price in 0_u64..1_000_000, claims in 0_u64..1_000, share in 0_u64..2_000_000) {
            prop_assert!(pay_msats(price, claims, share) <= price * claims);
        }
    }
}
