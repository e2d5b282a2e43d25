//! The load-aware Q-table (seeds/load-balanced-rl-workflow.md, sections 2.4, 3.2, 3.4 and 6).
//!
//! One row per (task type, load state), one column per (role, venue). Selection is ε-greedy; the update
//! is `Q ← Q + lr × (reward + γ × max Q(next) − Q)`, and ε shrinks by a factor per iteration.
//!
//! One thing is ours: a row that was never updated says nothing, and its first column would win every
//! time. For the *choice* such a row borrows the balanced row of its task type, less the load penalties
//! of the moment. The table itself and its updates are untouched by that.

use rand::{Rng as _, RngCore};
use serde::{Deserialize, Serialize};

use super::{Choice, Coordinator, Experience, Mode, Situation, best, common_actions};
use crate::routing::load::LoadState;
use crate::routing::space::{ActionId, Space};

/// The learner's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QSettings {
    /// How far a value moves towards its target per update (section 2.4).
    pub learning_rate: f64,
    /// How much the next state counts, γ (section 2.4).
    pub discount: f64,
    /// ε before the first iteration. The document names no figure; at first everything is a try.
    pub epsilon: f64,
    /// ε never falls below this. The document names no figure.
    pub epsilon_min: f64,
    /// Factor per iteration (section 2.4).
    pub epsilon_decay: f64,
}

impl Default for QSettings {
    fn default() -> Self {
        Self { learning_rate: 0.15, discount: 0.95, epsilon: 1.0, epsilon_min: 0.05, epsilon_decay: 0.98 }
    }
}

/// Values and visits per state and action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QTable {
    settings: QSettings,
    epsilon: f64,
    /// Row by row: states × actions.
    values: Vec<f64>,
    /// Updates per cell.
    visits: Vec<u32>,
}

impl QTable {
    /// A table of zeros.
    pub fn new(space: &Space, settings: QSettings) -> Self {
        let cells = space.states() * space.actions();
        let epsilon = settings.epsilon.clamp(0.0, 1.0);
        Self { settings, epsilon, values: vec![0.0; cells], visits: vec![0; cells] }
    }

    /// Whether the table has the shape of this space.
    pub fn fits(&self, space: &Space) -> bool {
        let cells = space.states() * space.actions();
        self.values.len() == cells
            && self.visits.len() == cells
            && (0.0..=1.0).contains(&self.epsilon)
            && self.values.iter().all(|value| value.is_finite())
    }

    /// The learner's numbers.
    pub fn settings(&self) -> QSettings {
        self.settings
    }

    /// A row of the table as it is.
    pub fn row(&self, space: &Space, state: usize) -> &[f64] {
        let actions = space.actions();
        self.values.get(state * actions..(state + 1) * actions).unwrap_or(&[])
    }

    /// Updates per cell of a row.
    pub fn row_visits(&self, space: &Space, state: usize) -> &[u32] {
        let actions = space.actions();
        self.visits.get(state * actions..(state + 1) * actions).unwrap_or(&[])
    }

    fn cell(space: &Space, state: usize, action: ActionId) -> usize {
        state * space.actions() + action.0 as usize
    }
}

impl Coordinator for QTable {
    fn name(&self) -> &'static str {
        "q-table"
    }

    fn select(
        &self,
        space: &Space,
        situation: &Situation,
        allowed: &[bool],
        mode: Mode,
        rng: &mut dyn RngCore,
    ) -> Option<Choice> {
        let open: Vec<u32> =
            (0..).zip(allowed).filter(|(_, allowed)| **allowed).map(|(action, _)| action).collect();
        if open.is_empty() {
            return None;
        }
        if mode == Mode::Explore && rng.random::<f64>() < self.epsilon {
            return Some(Choice { action: ActionId(open[rng.random_range(0..open.len())]), explored: true });
        }
        let action = best(&self.values(space, situation), allowed)?;
        Some(Choice { action, explored: false })
    }

    fn learn(&mut self, space: &Space, experience: &Experience<'_>) {
        let Situation { task_type, load, .. } = *experience.situation;
        let cell = Self::cell(space, space.state(task_type, load), experience.action);
        let best_next = experience.next.map_or(0.0, |(task_type, load)| {
            let row = self.row(space, space.state(task_type, load));
            row.iter().copied().fold(f64::NEG_INFINITY, f64::max)
        });
        let Some(value) = self.values.get_mut(cell) else { return };
        let target = experience.reward + self.settings.discount * best_next;
        *value += self.settings.learning_rate * (target - *value);
        self.visits[cell] = self.visits[cell].saturating_add(1);
    }

    fn end_iteration(&mut self) {
        self.epsilon = (self.epsilon * self.settings.epsilon_decay).max(self.settings.epsilon_min);
    }

    fn values(&self, space: &Space, situation: &Situation) -> Vec<f64> {
        let state = space.state(situation.task_type, situation.load);
        if self.row_visits(space, state).iter().any(|visits| *visits > 0) {
            return self.row(space, state).to_vec();
        }
        let balanced = self.row(space, space.state(situation.task_type, LoadState::Balanced));
        (0..)
            .zip(balanced)
            .map(|(action, value)| {
                let (role, _) = space.parts(ActionId(action));
                value - situation.penalties.get(usize::from(role.0)).copied().unwrap_or(0.0)
            })
            .collect()
    }

    fn exploration(&self) -> f64 {
        self.epsilon
    }

    fn adapted(&self, from: &Space, to: &Space) -> Self {
        let mut adapted = Self::new(to, self.settings);
        adapted.epsilon = self.epsilon;
        for (there, name) in (0..).zip(to.task_types()) {
            let Some(here) = from.task_type(name) else { continue };
            for load in from.load_states() {
                let load_there = match load {
                    LoadState::Balanced => Some(LoadState::Balanced),
                    LoadState::Hot(role) => to.role(from.role_name(role)).map(LoadState::Hot),
                };
                let Some(load_there) = load_there else { continue };
                let (row, row_there) =
                    (from.state(here, load), to.state(crate::routing::space::TaskType(there), load_there));
                for (action, action_there) in common_actions(from, to) {
                    let cell = row * from.actions() + action;
                    let cell_there = row_there * to.actions() + action_there;
                    adapted.values[cell_there] = self.values[cell];
                    adapted.visits[cell_there] = self.visits[cell];
                }
            }
        }
        adapted
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::routing::space::{RoleId, TaskType};
    use crate::seeded::{Purpose, stream};

    const CODING: TaskType = TaskType(1);
    const CODER: RoleId = RoleId(1);

    fn at(task_type: TaskType, load: LoadState) -> Situation {
        Situation { task_type, load, penalties: vec![0.0; 4] }
    }

    fn learned(table: &mut QTable, space: &Space, action: u32, reward: f64) {
        let situation = at(CODING, LoadState::Balanced);
        table.learn(
            space,
            &Experience { situation: &situation, action: ActionId(action), reward, next: None },
        );
    }

    #[test]
    fn the_learners_numbers_are_the_documents_section_2_4() {
        let settings = QSettings::default();
        assert_eq!((settings.learning_rate, settings.discount, settings.epsilon_decay), (0.15, 0.95, 0.98));
    }

    #[test]
    fn epsilon_decays_by_a_factor_down_to_its_floor_section_3_4() {
        let space = Space::seed();
        let mut table = QTable::new(&space, QSettings::default());
        table.end_iteration();
        assert!((table.exploration() - 0.98).abs() < 1e-12);
        for _ in 1..50 {
            table.end_iteration();
        }
        assert!((table.exploration() - 0.98_f64.powi(50)).abs() < 1e-12, "after 50 iterations");
        for _ in 0..1_000 {
            table.end_iteration();
        }
        assert!((table.exploration() - 0.05).abs() < 1e-12);
    }

    #[test]
    fn the_update_of_section_3_4_moves_towards_reward_plus_discounted_best() {
        let space = Space::seed();
        let mut table = QTable::new(&space, QSettings::default());
        learned(&mut table, &space, 2, 0.8);
        let state = space.state(CODING, LoadState::Balanced);
        assert!((table.row(&space, state)[2] - 0.12).abs() < 1e-12, "0 + .15 × .8");
        let hot = at(CODING, LoadState::Hot(CODER));
        let next = Some((CODING, LoadState::Balanced));
        table.learn(&space, &Experience { situation: &hot, action: ActionId(0), reward: 0.5, next });
        let value = table.row(&space, space.state(CODING, LoadState::Hot(CODER)))[0];
        assert!((value - 0.15 * (0.5 + 0.95 * 0.12)).abs() < 1e-12, "the next state's best counts by γ");
    }

    #[test]
    fn a_hot_coder_sends_coding_elsewhere_once_that_was_learned_section_6() {
        let space = Space::seed();
        let mut table = QTable::new(&space, QSettings::default());
        let (coder, analyst) = (ActionId(2), ActionId(0));
        let mut rng = stream(1, 0, Purpose::Action);
        let hot = at(CODING, LoadState::Hot(CODER));
        for _ in 0..20 {
            learned(&mut table, &space, coder.0, 0.9);
            learned(&mut table, &space, analyst.0, 0.75);
            for (action, reward) in [(coder, 0.9 - 0.2), (analyst, 0.75)] {
                table.learn(&space, &Experience { situation: &hot, action, reward, next: None });
            }
        }
        let mut choose = |situation: &Situation| {
            table.select(&space, situation, &[true; 8], Mode::Greedy, &mut rng).map(|choice| choice.action)
        };
        assert_eq!(choose(&at(CODING, LoadState::Balanced)), Some(coder));
        assert_eq!(choose(&hot), Some(analyst));
    }

    #[test]
    fn a_row_without_a_visit_borrows_the_balanced_row_less_the_penalties() {
        let space = Space::seed();
        let mut table = QTable::new(&space, QSettings::default());
        for _ in 0..40 {
            learned(&mut table, &space, 2, 0.9);
            learned(&mut table, &space, 0, 0.8);
        }
        let mut hot = at(CODING, LoadState::Hot(CODER));
        hot.penalties[1] = 0.2;
        let mut rng = stream(1, 0, Purpose::Action);
        let choice = table.select(&space, &hot, &[true; 8], Mode::Greedy, &mut rng).unwrap();
        assert_eq!(choice.action, ActionId(0));
        assert!(table.row(&space, space.state(CODING, LoadState::Hot(CODER))).iter().all(|q| *q == 0.0));
    }

    #[test]
    fn greedy_never_explores_and_a_closed_action_is_never_chosen() {
        let space = Space::seed();
        let table = QTable::new(&space, QSettings::default());
        let mut allowed = [false; 8];
        allowed[5] = true;
        for draw in 0..200 {
            let mut rng = stream(3, draw, Purpose::Action);
            let situation = at(CODING, LoadState::Balanced);
            let tried = table.select(&space, &situation, &allowed, Mode::Explore, &mut rng).unwrap();
            assert_eq!(tried.action, ActionId(5));
            let sure = table.select(&space, &situation, &[true; 8], Mode::Greedy, &mut rng).unwrap();
            assert!(!sure.explored);
            assert_eq!(table.select(&space, &situation, &[false; 8], Mode::Explore, &mut rng), None);
        }
    }

    #[test]
    fn a_new_role_starts_at_zero_and_the_others_keep_what_they_learned() {
        let from = Space::seed();
        let mut table = QTable::new(&from, QSettings::default());
        learned(&mut table, &from, 2, 1.0);
        let mut roles = from.roles().to_vec();
        roles.insert(0, "archivist".to_owned());
        let to = Space::new(from.task_types().to_vec(), roles, vec!["swarm".into(), "local".into()]).unwrap();
        let adapted = table.adapted(&from, &to);
        assert!(adapted.fits(&to));
        let row = adapted.row(&to, to.state(CODING, LoadState::Balanced));
        let coder_local = to.action(to.role("coder").unwrap(), to.venue("local").unwrap());
        assert!((row[coder_local.0 as usize] - 0.15).abs() < 1e-12);
        assert_eq!(row.iter().filter(|value| **value != 0.0).count(), 1);
    }

    proptest! {
        #[test]
        fn values_stay_within_the_reward_range_over_one_minus_gamma(
            steps in proptest::collection::vec(
                (0_u16..4, 0_u16..5, 0_u32..8, 0.0_f64..=1.0, proptest::option::of((0_u16..4, 0_u16..5))),
                0..300,
            )
        ) {
            let space = Space::seed();
            let mut table = QTable::new(&space, QSettings::default());
            let load = |index: u16| match index {
                0 => LoadState::Balanced,
                hot => LoadState::Hot(RoleId(hot - 1)),
            };
            for (task_type, state, action, reward, next) in steps {
                let situation = at(TaskType(task_type), load(state));
                let next = next.map(|(task_type, state)| (TaskType(task_type), load(state)));
                let experience =
                    Experience { situation: &situation, action: ActionId(action), reward, next };
                table.learn(&space, &experience);
            }
            let most = 1.0 / (1.0 - 0.95);
            for state in 0..space.states() {
                for value in table.row(&space, state) {
                    prop_assert!((0.0..=most).contains(value));
                }
            }
        }
    }
}
