//! The simulated swarm: subtasks, honest models, what a provider sees. No transport, no inference.

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

/// Subjects that questions are about; none of them is medical, legal or financial.
pub const TOPICS: [&str; 4] = ["harvests", "shipping", "weather", "sports"];
/// Different weights among the honest providers.
pub const MODELS: u64 = 5;
/// The weights of the validator, where a policy has one: nobody else's.
pub const VALIDATOR: u64 = MODELS;
/// Share of the subtasks whose answer the asker's own code could compute: an assumption.
const KNOWN_TO_CODE: f64 = 0.5;
/// Sats for a job in ten, where the others cost 1.
pub const EXPENSIVE: u32 = 5;

/// A question with one right number.
#[derive(Debug, Clone, Copy)]
pub struct Subtask {
    /// Counts up.
    pub number: u64,
    /// What it is about.
    pub topic: usize,
    /// What it pays.
    pub price: u32,
    /// The right amount in cents.
    pub truth: i64,
    /// Other amounts in the text.
    pub decoys: [i64; 3],
    /// How long the text is.
    pub bytes: u32,
    /// Whether the asker's code could answer it: then it may serve as a gold task. Nothing on the wire
    /// depends on it.
    pub known_to_code: bool,
}

impl Subtask {
    /// Draws a subtask.
    pub fn draw(number: u64, seed: u64) -> Self {
        let mut lot = SmallRng::seed_from_u64(mix(seed, number));
        Self {
            number,
            topic: lot.random_range(0..TOPICS.len()),
            price: if lot.random_bool(0.1) { EXPENSIVE } else { 1 },
            truth: lot.random_range(100..10_000_000),
            decoys: [(); 3].map(|()| lot.random_range(100..10_000_000)),
            bytes: lot.random_range(400..4_000),
            known_to_code: lot.random_bool(KNOWN_TO_CODE),
        }
    }

    /// What the wire shows a provider: the text with its numbers, the topic, the price. Not which number
    /// is right, not who else is asked or what they say.
    pub fn on_the_wire(&self) -> Wire {
        let [first, second, third] = self.decoys;
        let mut numbers = [self.truth, first, second, third];
        numbers.rotate_left(usize::try_from(self.number % 4).unwrap_or(0));
        Wire { number: self.number, topic: self.topic, price: self.price, numbers, bytes: self.bytes }
    }
}

/// A job as its provider sees it.
#[derive(Debug, Clone, Copy)]
pub struct Wire {
    /// Names the text: who sees it twice knows.
    pub number: u64,
    /// What it is about.
    pub topic: usize,
    /// What it pays.
    pub price: u32,
    /// Amounts in the text, one of them the right one.
    pub numbers: [i64; 4],
    /// How long the text is.
    pub bytes: u32,
}

/// What a provider sends back.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The text.
    pub text: String,
    /// Its own confidence.
    pub confidence: f64,
}

/// What given weights answer, always the same for the same text: greedy decoding. They err on their own
/// subtasks, so that providers with the same weights err alike and others hardly ever.
///
/// An error comes with a confidence under 0.75 in 60 % of cases, a right answer in 4 %: an assumption.
pub fn model_answer(subtask: &Subtask, weights: u64, error_rate: f64) -> (i64, f64) {
    let mut lot = SmallRng::seed_from_u64(mix(subtask.number, 0x5eed_0000 + weights));
    let errs = lot.random_bool(error_rate);
    let amount = if errs { subtask.decoys[lot.random_range(0..3)] } else { subtask.truth };
    let unsure = lot.random_bool(if errs { 0.60 } else { 0.04 });
    let confidence = if unsure { lot.random_range(0.40..0.75) } else { lot.random_range(0.75..1.0) };
    (amount, confidence)
}

/// An amount as models write it: five spellings of one value.
pub fn spelled(cents: i64, style: u64) -> String {
    let (whole, part) = (cents / 100, cents % 100);
    match style % 5 {
        0 => format!("{whole}.{part:02}"),
        1 => format!("${}.{part:02}", grouped(whole, ',')),
        2 => format!("{},{part:02} USD", grouped(whole, ' ')),
        3 => format!("The total is ${}.{part:02}.", grouped(whole, ',')),
        _ => format!("USD {whole}.{part:02}"),
    }
}

fn grouped(whole: i64, mark: char) -> String {
    let digits = whole.to_string();
    let mut grouped = String::with_capacity(digits.len() + 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(mark);
        }
        grouped.push(digit);
    }
    grouped
}

/// Mixes two numbers into a seed (the finaliser of SplitMix64).
pub fn mix(left: u64, right: u64) -> u64 {
    let mut mixed = left.wrapping_add(right.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use frlm_verifier::consensus::equal_answers;
    use frlm_verifier::normalise::{ExpectedFormat, Normalised};

    use super::*;

    #[test]
    fn all_spellings_of_an_amount_are_one_answer_and_a_cent_more_is_another() {
        let of = |cents: i64, style| Normalised::of(&spelled(cents, style), ExpectedFormat::NumericalAnswer);
        for cents in [100, 628_895, 9_999_999, 100_000_000] {
            assert_eq!(equal_answers((0..5).map(|style| of(cents, style)).collect()).len(), 1, "{cents}");
            assert_eq!(equal_answers(vec![of(cents, 1), of(cents + 1, 1)]).len(), 2);
        }
    }

    #[test]
    fn weights_err_at_their_rate_and_on_subtasks_of_their_own() {
        let subtasks: Vec<Subtask> = (0..20_000).map(|number| Subtask::draw(number, 1)).collect();
        let wrong = |weights: u64| {
            let errs = |subtask: &&Subtask| model_answer(subtask, weights, 0.02).0 != subtask.truth;
            subtasks.iter().filter(errs).map(|subtask| subtask.number).collect::<Vec<_>>()
        };
        let (one, other) = (wrong(1), wrong(2));
        assert!((300..500).contains(&one.len()), "{}", one.len());
        assert!(one.iter().filter(|number| other.contains(number)).count() < 30);
    }
}
