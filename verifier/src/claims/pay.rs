//! What a review pays, and a reading. It reproduces the document's example (docs/claims.md, section 3): no run calls it.
//!
//! ```text
//!   pay = R · n · clamp( (ĝ − a₀) / (a_h − σ − a₀), 0, 1 )
//! ```
//!
//! R is the price of one claim, n how many were reviewed. ĝ is the class-balanced accuracy on the reviewer's last 32 gold
//! claims over a prior worth eight. a_h is what its family reaches, a₀ what the best constant verdict does, and
//! σ = √(a_h(1−a_h)/32): an honest reviewer of the family is nearly always paid in full, a rubber stamp nearly nothing.
//! Agreement with others pays nobody.
//!
//! The prior lies midway between a₀ and a_h. At a_h, as the literature has it, a rubber stamp that takes another name whenever
//! it is found would earn more than honest work does after its cost.
//!
//! Of a reading, each claim that fell costs itself and one that stood: who lies in half of its claims earns nothing on average
//! but what chance leaves, who errs in three of a hundred loses six. What was left out as disputed counts neither way, and so
//! does what was not mentioned.
//!
//! The share is rounded down to millionths and the amount down to whole msats: no float leaves this file.

use std::collections::VecDeque;

use super::reviewer::Verdict;

/// Gold claims that pay looks back on.
const WINDOW: usize = 32;
/// What the prior is worth, in gold claims.
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
    pub fn accuracy(&self, honest: f64, constant: f64) -> f64 {
        let prior = f64::midpoint(honest, constant);
        let of = |wanted: bool| {
            let (mut right, mut all) = (prior * PRIOR_WEIGHT / 2.0, PRIOR_WEIGHT / 2.0);
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
    let share = ((gold.accuracy(honest, constant) - constant) / full).clamp(0.0, 1.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 1,000,000")]
    let ppm = (share * WHOLE_PPM as f64) as u64;
    ppm
}

/// The share of its price that a reading earns, in millionths, rounded down: by how many of its claims were accepted, and how
/// many fell to code checks or reviews. A reading that found nothing is paid in full.
pub fn reading_share_ppm(accepted: u64, fallen: u64) -> u64 {
    let all = u128::from(accepted) + u128::from(fallen);
    if all == 0 {
        return WHOLE_PPM;
    }
    let left = u128::from(accepted.saturating_sub(fallen)) * u128::from(WHOLE_PPM) / all;
    u64::try_from(left).unwrap_or(WHOLE_PPM)
}

/// What `claims` reviewed claims pay at `price_msats` each, rounded down.
pub fn pay_msats(price_msats: u64, claims: u64, share_ppm: u64) -> u64 {
    let full = u128::from(price_msats) * u128::from(claims);
    let paid = full * u128::from(share_ppm.min(WHOLE_PPM)) / u128::from(WHOLE_PPM);
    u64::try_from(paid).unwrap_or(u64::MAX)
}

#[cfg(test)]
#[path = "pay_tests.rs"]
mod tests;
