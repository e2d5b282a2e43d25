//! Policy and baseline: two small networks of one hidden layer each, on candle.
//!
//! ```text
//! policy:    features ─► tanh ─► 6 + 3 + 3 + 3 logits, a softmax per head
//! baseline:  features ─► tanh ─► expected reward
//! ```

use candle_core::{D, DType, Device, Result, Tensor, Var};
use candle_nn::optim::{AdamW, Optimizer as _, ParamsAdamW};
use rand::Rng as _;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::action::HEADS;
use super::state::FEATURES;

/// Logits of all heads.
const LOGITS: usize = 15;
const _: () = assert!(LOGITS == HEADS[0] + HEADS[1] + HEADS[2] + HEADS[3]);

/// A layer: `x · weight + bias`.
#[derive(Debug)]
struct Layer {
    weight: Var,
    bias: Var,
}

impl Layer {
    /// Weights even within ±√(3 / inputs), scaled; no bias.
    fn new(inputs: usize, outputs: usize, scale: f32, rng: &mut ChaCha8Rng) -> Result<Self> {
        let bound = scale * (3.0 / inputs as f32).sqrt();
        let weights: Vec<f32> = (0..inputs * outputs).map(|_| rng.random_range(-bound..=bound)).collect();
        Ok(Self {
            weight: Var::from_vec(weights, (inputs, outputs), &Device::Cpu)?,
            bias: Var::zeros(outputs, DType::F32, &Device::Cpu)?,
        })
    }

    fn of(&self, input: &Tensor) -> Result<Tensor> {
        input.matmul(&self.weight)?.broadcast_add(&self.bias)
    }
}

/// Weights as they are stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Weights(Vec<Vec<f32>>);

impl Weights {
    /// Whether they are of networks with so many units between features and logits, and all of them numbers.
    pub fn fit(&self, hidden: usize) -> bool {
        let layers = [(FEATURES, hidden), (hidden, LOGITS), (FEATURES, hidden), (hidden, 1)];
        // A layer's weights, then its bias. A damaged file may name any number of units.
        let lengths =
            layers.into_iter().flat_map(|(inputs, outputs)| [inputs.saturating_mul(outputs), outputs]);
        lengths.eq(self.0.iter().map(Vec::len)) && self.0.iter().flatten().all(|weight| weight.is_finite())
    }
}

/// What one step learns from, one row per experience.
pub(super) struct Batch {
    pub features: Vec<[f32; FEATURES]>,
    pub choices: Vec<[usize; 4]>,
    pub rewards: Vec<f32>,
    /// With which probability each was chosen then.
    pub probabilities: Vec<f32>,
}

/// Both networks.
#[derive(Debug)]
pub(super) struct Networks {
    policy: [Layer; 2],
    baseline: [Layer; 2],
}

impl Networks {
    /// Networks that prefer nothing yet.
    pub fn new(hidden: usize, rng: &mut ChaCha8Rng) -> Result<Self> {
        // A policy that is even at first tries everything.
        Ok(Self {
            policy: [Layer::new(FEATURES, hidden, 1.0, rng)?, Layer::new(hidden, LOGITS, 0.1, rng)?],
            baseline: [Layer::new(FEATURES, hidden, 1.0, rng)?, Layer::new(hidden, 1, 0.1, rng)?],
        })
    }

    fn variables(&self) -> impl Iterator<Item = &Var> {
        self.policy.iter().chain(&self.baseline).flat_map(|layer| [&layer.weight, &layer.bias])
    }

    /// The weights, to be stored.
    pub fn weights(&self) -> Result<Weights> {
        self.variables().map(|variable| variable.flatten_all()?.to_vec1()).collect::<Result<_>>().map(Weights)
    }

    /// Takes stored weights over, which must fit these networks.
    pub fn set_weights(&self, Weights(stored): &Weights) -> Result<()> {
        for (variable, values) in self.variables().zip(stored) {
            variable.set(&Tensor::from_slice(values, variable.shape(), &Device::Cpu)?)?;
        }
        Ok(())
    }

    /// Logarithms of the probabilities of each head's choices; one row per row of features.
    fn log_probabilities(&self, features: &Tensor) -> Result<Vec<Tensor>> {
        let logits = self.policy[1].of(&self.policy[0].of(features)?.tanh()?)?;
        let mut from = 0;
        let mut heads = Vec::with_capacity(HEADS.len());
        for choices in HEADS {
            heads.push(candle_nn::ops::log_softmax(&logits.narrow(1, from, choices)?, D::Minus1)?);
            from += choices;
        }
        Ok(heads)
    }

    /// Probabilities of each head's choices.
    pub fn probabilities(&self, features: &[f32; FEATURES]) -> Result<[Vec<f64>; 4]> {
        let row = Tensor::from_slice(features, (1, FEATURES), &Device::Cpu)?;
        let mut all = [const { Vec::new() }; 4];
        for (head, logarithms) in all.iter_mut().zip(self.log_probabilities(&row)?) {
            let logarithms: Vec<f32> = logarithms.flatten_all()?.to_vec1()?;
            *head = logarithms.into_iter().map(|logarithm| f64::from(logarithm).exp()).collect();
        }
        Ok(all)
    }

    /// What the baseline expects of each row.
    pub fn expectations(&self, rows: &[[f32; FEATURES]]) -> Result<Vec<f64>> {
        let flat: Vec<f32> = rows.iter().flatten().copied().collect();
        let expected = self.expected(&Tensor::from_vec(flat, (rows.len(), FEATURES), &Device::Cpu)?)?;
        Ok(expected.to_vec1::<f32>()?.into_iter().map(f64::from).collect())
    }

    fn expected(&self, features: &Tensor) -> Result<Tensor> {
        self.baseline[1].of(&self.baseline[0].of(features)?.tanh()?)?.squeeze(1)
    }
}

/// Learns step by step: ∇ log π(a|s) · (reward − baseline) for the policy, the squared error for the
/// baseline (seeds/super-llm-block.md, `update_policy`).
pub(super) struct Trainer<'a> {
    networks: &'a Networks,
    policy: AdamW,
    baseline: AdamW,
    entropy: f64,
    most_importance: f64,
}

impl<'a> Trainer<'a> {
    /// A trainer with fresh momentum: nothing of it outlives an update, so that a restart changes nothing.
    pub fn new(
        networks: &'a Networks,
        learning_rate: f64,
        entropy: f64,
        most_importance: f64,
    ) -> Result<Self> {
        let optimiser = |layers: &[Layer; 2]| {
            let variables = layers.iter().flat_map(|layer| [layer.weight.clone(), layer.bias.clone()]);
            AdamW::new(
                variables.collect(),
                ParamsAdamW { lr: learning_rate, weight_decay: 0.0, ..ParamsAdamW::default() },
            )
        };
        Ok(Self {
            networks,
            policy: optimiser(&networks.policy)?,
            baseline: optimiser(&networks.baseline)?,
            entropy,
            most_importance,
        })
    }

    /// One step; the policy's loss.
    pub fn step(&mut self, batch: &Batch) -> Result<f64> {
        let rows = batch.features.len();
        let device = &Device::Cpu;
        let flat: Vec<f32> = batch.features.iter().flatten().copied().collect();
        let features = Tensor::from_vec(flat, (rows, FEATURES), device)?;
        let rewards = Tensor::from_slice(&batch.rewards, rows, device)?;
        let expected = self.networks.expected(&features)?;

        let advantages = (&rewards - expected.detach())?;
        let spread = advantages.sqr()?.mean_all()?.sqrt()?.to_scalar::<f32>()?.max(1e-3);
        let advantages = (advantages / f64::from(spread))?;
        let heads = self.networks.log_probabilities(&features)?;
        let mut chosen = Tensor::zeros(rows, DType::F32, device)?;
        let mut entropy = Tensor::zeros(rows, DType::F32, device)?;
        for (at, logarithms) in heads.iter().enumerate() {
            let choices = batch.choices.iter().map(|choices| u32::try_from(choices[at]).unwrap_or(0));
            let choices = Tensor::from_vec(choices.collect(), (rows, 1), device)?;
            chosen = (chosen + logarithms.gather(&choices, 1)?.squeeze(1)?)?;
            entropy = (entropy - (logarithms.exp()? * logarithms)?.sum(1)?)?;
        }
        // How probable each is now against then, capped.
        let before = Tensor::from_slice(&batch.probabilities, rows, device)?;
        let importance = (chosen.detach().exp()? / before)?.minimum(self.most_importance)?;
        let gained = ((chosen * advantages)? * importance)?;
        let loss = (gained + (entropy * self.entropy)?)?.mean_all()?.neg()?;
        self.policy.backward_step(&loss)?;
        self.baseline.backward_step(&(expected - rewards)?.sqr()?.mean_all()?)?;
        loss.to_scalar::<f32>().map(f64::from)
    }
}
