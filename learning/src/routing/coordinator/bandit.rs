//! A linear contextual bandit with upper confidence bounds (disjoint LinUCB: Li, Chu, Langford and
//! Schapire, 2010), the Q-table's rival.
//!
//! Per action a ridge regression from the situation to the adjusted reward. The situation is the task
//! type as indicators and the role's load penalty at the moment of choice. Evidence fades a little with
//! every update of the same action, so that a venue that becomes slow is noticed. It looks no step
//! ahead: what a choice does to the next state is left to the load penalty.

use rand::RngCore;
use serde::{Deserialize, Serialize};

use super::{Choice, Coordinator, Experience, Mode, Situation, best, common_actions};
use crate::routing::space::{ActionId, Space};

/// The bandit's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BanditSettings {
    /// Width of the confidence bound in training; production uses none. With `prior + alpha` at the top
    /// of the reward range no untried action is ever written off.
    pub alpha: f64,
    /// Strength of the pull towards [`BanditSettings::prior`] while there is little evidence.
    pub ridge: f64,
    /// What an action is worth before anything is known of it.
    pub prior: f64,
    /// What evidence is worth after one more update of its action, 0..=1.
    pub memory: f64,
}

impl Default for BanditSettings {
    fn default() -> Self {
        Self { alpha: 0.5, ridge: 1.0, prior: 0.5, memory: 0.995 }
    }
}

/// Evidence of one action: Σ x xᵀ and Σ x (reward − prior), faded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Arm {
    /// Row by row, d × d, without the ridge.
    gram: Vec<f64>,
    moment: Vec<f64>,
}

impl Arm {
    fn new(dimensions: usize) -> Self {
        Self { gram: vec![0.0; dimensions * dimensions], moment: vec![0.0; dimensions] }
    }

    fn fits(&self, dimensions: usize) -> bool {
        self.gram.len() == dimensions * dimensions
            && self.moment.len() == dimensions
            && self.gram.iter().chain(&self.moment).all(|number| number.is_finite())
    }
}

/// One regression per action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinearBandit {
    settings: BanditSettings,
    arms: Vec<Arm>,
}

impl LinearBandit {
    /// A bandit that knows nothing.
    pub fn new(space: &Space, settings: BanditSettings) -> Self {
        let settings = BanditSettings { ridge: settings.ridge.max(1e-6), ..settings };
        Self { settings, arms: vec![Arm::new(dimensions(space)); space.actions()] }
    }

    /// Whether it has the shape of this space.
    pub fn fits(&self, space: &Space) -> bool {
        self.arms.len() == space.actions() && self.arms.iter().all(|arm| arm.fits(dimensions(space)))
    }

    /// Expected reward of an action, and the standard width of its uncertainty.
    fn estimate(&self, space: &Space, situation: &Situation, action: ActionId) -> (f64, f64) {
        let features = features(space, situation, action);
        let Some(arm) = self.arms.get(action.0 as usize) else { return (0.0, 0.0) };
        let size = features.len();
        let mut matrix = arm.gram.clone();
        for diagonal in 0..size {
            matrix[diagonal * size + diagonal] += self.settings.ridge;
        }
        let factor = cholesky(matrix, size);
        let weights = solve(&factor, &arm.moment);
        let spread = solve(&factor, &features);
        let mean = self.settings.prior + dot(&weights, &features);
        (mean, dot(&spread, &features).max(0.0).sqrt())
    }
}

impl Coordinator for LinearBandit {
    fn name(&self) -> &'static str {
        "linucb"
    }

    fn select(
        &self,
        space: &Space,
        situation: &Situation,
        allowed: &[bool],
        mode: Mode,
        _rng: &mut dyn RngCore,
    ) -> Option<Choice> {
        let (mut means, mut bounds) = (Vec::new(), Vec::new());
        for action in space.action_ids() {
            let (mean, width) = self.estimate(space, situation, action);
            means.push(mean);
            bounds.push(mean + self.settings.alpha * width);
        }
        let sure = best(&means, allowed)?;
        let action = match mode {
            Mode::Greedy => sure,
            Mode::Explore => best(&bounds, allowed)?,
        };
        Some(Choice { action, explored: action != sure })
    }

    fn learn(&mut self, space: &Space, experience: &Experience<'_>) {
        let features = features(space, experience.situation, experience.action);
        let Some(arm) = self.arms.get_mut(experience.action.0 as usize) else { return };
        let size = features.len();
        for (row, left) in features.iter().enumerate() {
            arm.moment[row] =
                arm.moment[row] * self.settings.memory + left * (experience.reward - self.settings.prior);
            for (column, right) in features.iter().enumerate() {
                let cell = &mut arm.gram[row * size + column];
                *cell = *cell * self.settings.memory + left * right;
            }
        }
    }

    /// Its confidence bounds narrow by themselves.
    fn end_iteration(&mut self) {}

    fn values(&self, space: &Space, situation: &Situation) -> Vec<f64> {
        space.action_ids().map(|action| self.estimate(space, situation, action).0).collect()
    }

    fn exploration(&self) -> f64 {
        0.0
    }

    fn adapted(&self, from: &Space, to: &Space) -> Self {
        let mut adapted = Self::new(to, self.settings);
        // Features are the task types in order and then the penalty.
        let places: Vec<(usize, usize)> = from
            .task_types()
            .iter()
            .enumerate()
            .filter_map(|(here, name)| to.task_type(name).map(|there| (here, usize::from(there.0))))
            .chain(std::iter::once((from.task_types().len(), to.task_types().len())))
            .collect();
        let (size, size_there) = (dimensions(from), dimensions(to));
        for (action, action_there) in common_actions(from, to) {
            let (arm, arm_there) = (&self.arms[action], &mut adapted.arms[action_there]);
            for (row, row_there) in &places {
                arm_there.moment[*row_there] = arm.moment[*row];
                for (column, column_there) in &places {
                    arm_there.gram[row_there * size_there + column_there] = arm.gram[row * size + column];
                }
            }
        }
        adapted
    }
}

fn dimensions(space: &Space) -> usize {
    space.task_types().len() + 1
}

/// The largest load penalty becomes 1, so that no feature outweighs the others.
const PENALTY_SCALE: f64 = 5.0;

fn features(space: &Space, situation: &Situation, action: ActionId) -> Vec<f64> {
    let mut features = vec![0.0; dimensions(space)];
    if let Some(indicator) = features.get_mut(usize::from(situation.task_type.0)) {
        *indicator = 1.0;
    }
    let (role, _) = space.parts(action);
    if let (Some(last), Some(penalty)) = (features.last_mut(), situation.penalties.get(usize::from(role.0))) {
        *last = penalty * PENALTY_SCALE;
    }
    features
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

/// The lower factor of a symmetric, positive definite matrix, row by row. The ridge on the diagonal
/// keeps every pivot positive; rounding is kept from breaking that.
fn cholesky(mut matrix: Vec<f64>, size: usize) -> Vec<f64> {
    for row in 0..size {
        for column in 0..=row {
            let mut sum = matrix[row * size + column];
            for inner in 0..column {
                sum -= matrix[row * size + inner] * matrix[column * size + inner];
            }
            matrix[row * size + column] =
                if row == column { sum.max(1e-12).sqrt() } else { sum / matrix[column * size + column] };
        }
    }
    matrix
}

/// Solves L Lᵀ x = b.
fn solve(factor: &[f64], right: &[f64]) -> Vec<f64> {
    let size = right.len();
    let mut solution = right.to_vec();
    for row in 0..size {
        for inner in 0..row {
            solution[row] -= factor[row * size + inner] * solution[inner];
        }
        solution[row] /= factor[row * size + row];
    }
    for row in (0..size).rev() {
        for inner in row + 1..size {
            solution[row] -= factor[inner * size + row] * solution[inner];
        }
        solution[row] /= factor[row * size + row];
    }
    solution
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::routing::load::LoadState;
    use crate::routing::space::TaskType;
    use crate::seeded::{Purpose, stream};

    fn at(task_type: u16, penalty: f64) -> Situation {
        Situation {
            task_type: TaskType(task_type),
            load: LoadState::Balanced,
            penalties: vec![penalty, 0.0, 0.0, 0.0],
        }
    }

    fn teach(bandit: &mut LinearBandit, space: &Space, action: u32, situation: &Situation, reward: f64) {
        bandit.learn(space, &Experience { situation, action: ActionId(action), reward, next: None });
    }

    #[test]
    fn what_is_not_known_is_tried_and_what_is_known_to_be_best_is_kept() {
        let space = Space::seed();
        let mut bandit = LinearBandit::new(&space, BanditSettings::default());
        let mut rng = stream(0, 0, Purpose::Action);
        let mut taken = vec![0; space.actions()];
        for _ in 0..400 {
            let situation = at(1, 0.0);
            let choice = bandit.select(&space, &situation, &[true; 8], Mode::Explore, &mut rng).unwrap();
            taken[choice.action.0 as usize] += 1;
            let reward = if choice.action == ActionId(6) { 0.9 } else { 0.4 };
            teach(&mut bandit, &space, choice.action.0, &situation, reward);
        }
        assert!(taken.iter().all(|count| *count > 0), "every action was tried: {taken:?}");
        assert!(taken[6] > 300, "{taken:?}");
        let sure = bandit.select(&space, &at(1, 0.0), &[true; 8], Mode::Greedy, &mut rng).unwrap();
        assert_eq!((sure.action, sure.explored), (ActionId(6), false));
    }

    #[test]
    fn it_learns_that_a_busy_role_pays_a_penalty() {
        let space = Space::seed();
        let mut bandit = LinearBandit::new(&space, BanditSettings::default());
        for _ in 0..200 {
            teach(&mut bandit, &space, 0, &at(0, 0.0), 0.85);
            teach(&mut bandit, &space, 0, &at(0, 0.2), 0.65);
            teach(&mut bandit, &space, 2, &at(0, 0.0), 0.75);
        }
        let best_of = |situation: &Situation| {
            let values = bandit.values(&space, situation);
            if values[0] > values[2] { 0 } else { 2 }
        };
        assert_eq!(best_of(&at(0, 0.0)), 0);
        assert_eq!(best_of(&at(0, 0.2)), 2);
    }

    #[test]
    fn old_evidence_fades() {
        let space = Space::seed();
        let mut bandit = LinearBandit::new(&space, BanditSettings::default());
        for _ in 0..500 {
            teach(&mut bandit, &space, 3, &at(2, 0.0), 0.9);
        }
        for _ in 0..500 {
            teach(&mut bandit, &space, 3, &at(2, 0.0), 0.2);
        }
        let value = bandit.values(&space, &at(2, 0.0))[3];
        assert!((0.2..0.35).contains(&value), "{value}");
    }

    #[test]
    fn adapting_keeps_what_names_in_common_have_learned() {
        let from = Space::seed();
        let mut bandit = LinearBandit::new(&from, BanditSettings::default());
        for _ in 0..50 {
            teach(&mut bandit, &from, 2, &at(1, 0.1), 0.9);
        }
        let mut types = from.task_types().to_vec();
        types.reverse();
        let to = Space::new(types, from.roles().to_vec(), vec!["local".into(), "other".into()]).unwrap();
        let adapted = bandit.adapted(&from, &to);
        assert!(adapted.fits(&to));
        let there = Situation { task_type: to.task_type("coding").unwrap(), ..at(1, 0.1) };
        let (before, after) = (bandit.values(&from, &at(1, 0.1))[2], adapted.values(&to, &there)[2]);
        assert!((before - after).abs() < 1e-12 && before > 0.8, "{before} and {after}");
    }

    proptest! {
        #[test]
        fn estimates_stay_finite_and_near_the_reward_range(
            steps in proptest::collection::vec((0_u16..4, 0_u32..8, 0.0_f64..=1.0, 0.0_f64..=0.2), 0..200)
        ) {
            let space = Space::seed();
            let mut bandit = LinearBandit::new(&space, BanditSettings::default());
            for (task_type, action, reward, penalty) in steps {
                teach(&mut bandit, &space, action, &at(task_type, penalty), reward);
            }
            for task_type in 0..4 {
                for value in bandit.values(&space, &at(task_type, 0.1)) {
                    prop_assert!(value.is_finite() && (-1.0..=2.0).contains(&value), "{value}");
                }
            }
        }
    }
}
