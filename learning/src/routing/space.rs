//! Task types, roles and venues, and the states and actions made of them
//! (seeds/load-balanced-rl-workflow.md, section 2.4).

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::load::LoadState;

/// Position of a task type in its [`Space`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TaskType(pub u16);

/// Position of a role in its [`Space`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RoleId(pub u16);

/// Position of a venue in its [`Space`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct VenueId(pub u16);

/// A role at a venue: role × number of venues + venue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ActionId(pub u32);

/// What can be decided about what: any number of task types, roles and venues.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Names", into = "Names")]
pub struct Space {
    task_types: Vec<String>,
    roles: Vec<String>,
    venues: Vec<String>,
}

/// Why names make no space.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpaceError {
    /// A list is empty.
    #[error("routing needs at least one {0}")]
    Empty(&'static str),
    /// A list is too long.
    #[error("routing knows at most {MOST_NAMES} names of one sort, there are {count} {sort}s")]
    TooMany {
        /// Of what.
        sort: &'static str,
        /// How many.
        count: usize,
    },
    /// A name stands twice.
    #[error("the {sort} \"{name}\" is named twice")]
    Twice {
        /// Of what sort.
        sort: &'static str,
        /// The name.
        name: String,
    },
}

/// Names of one sort; a table of states × actions stays in memory.
const MOST_NAMES: usize = 256;

#[derive(Serialize, Deserialize)]
struct Names {
    task_types: Vec<String>,
    roles: Vec<String>,
    venues: Vec<String>,
}

impl TryFrom<Names> for Space {
    type Error = SpaceError;

    fn try_from(names: Names) -> Result<Self, SpaceError> {
        Self::new(names.task_types, names.roles, names.venues)
    }
}

impl From<Space> for Names {
    fn from(space: Space) -> Self {
        Self { task_types: space.task_types, roles: space.roles, venues: space.venues }
    }
}

impl Space {
    /// A space over distinct names.
    pub fn new(task_types: Vec<String>, roles: Vec<String>, venues: Vec<String>) -> Result<Self, SpaceError> {
        for (sort, names) in [("task type", &task_types), ("role", &roles), ("venue", &venues)] {
            if names.is_empty() {
                return Err(SpaceError::Empty(sort));
            }
            if names.len() > MOST_NAMES {
                return Err(SpaceError::TooMany { sort, count: names.len() });
            }
            let mut seen = HashSet::new();
            if let Some(name) = names.iter().find(|name| !seen.insert(name.as_str())) {
                return Err(SpaceError::Twice { sort, name: name.clone() });
            }
        }
        Ok(Self { task_types, roles, venues })
    }

    /// This space with the names of another behind its own, so that its positions stay.
    pub fn joined(&self, with: &Self) -> Result<Self, SpaceError> {
        let union = |ours: &[String], theirs: &[String]| {
            let new = theirs.iter().filter(|name| !ours.contains(name));
            ours.iter().chain(new).cloned().collect::<Vec<_>>()
        };
        Self::new(
            union(&self.task_types, &with.task_types),
            union(&self.roles, &with.roles),
            union(&self.venues, &with.venues),
        )
    }

    /// The source document's space: 4 task types, 4 roles, 2 venues (sections 1 and 2.4).
    pub fn seed() -> Self {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self {
            task_types: owned(&["analysis", "coding", "research", "validation"]),
            roles: owned(&["analyst", "coder", "researcher", "validator"]),
            venues: owned(&["local", "swarm"]),
        }
    }

    /// Task types in order.
    pub fn task_types(&self) -> &[String] {
        &self.task_types
    }

    /// Roles in order.
    pub fn roles(&self) -> &[String] {
        &self.roles
    }

    /// Venues in order.
    pub fn venues(&self) -> &[String] {
        &self.venues
    }

    /// Load states: balanced, and one per role that is hot.
    pub fn load_states(&self) -> impl Iterator<Item = LoadState> + '_ {
        std::iter::once(LoadState::Balanced).chain(self.role_ids().map(LoadState::Hot))
    }

    /// Task types × load states.
    pub fn states(&self) -> usize {
        self.task_types.len() * (self.roles.len() + 1)
    }

    /// Roles × venues.
    pub fn actions(&self) -> usize {
        self.roles.len() * self.venues.len()
    }

    /// Row of a state in a table.
    pub fn state(&self, task_type: TaskType, load: LoadState) -> usize {
        usize::from(task_type.0) * (self.roles.len() + 1) + load.index()
    }

    /// The role at the venue.
    pub fn action(&self, role: RoleId, venue: VenueId) -> ActionId {
        ActionId(u32::from(role.0) * u32::try_from(self.venues.len()).unwrap_or(1) + u32::from(venue.0))
    }

    /// Role and venue of an action.
    pub fn parts(&self, action: ActionId) -> (RoleId, VenueId) {
        let venues = u32::try_from(self.venues.len()).unwrap_or(1);
        let small = |number: u32| u16::try_from(number).unwrap_or(u16::MAX);
        (RoleId(small(action.0 / venues)), VenueId(small(action.0 % venues)))
    }

    /// All actions in order.
    pub fn action_ids(&self) -> impl Iterator<Item = ActionId> {
        (0..u32::try_from(self.actions()).unwrap_or(u32::MAX)).map(ActionId)
    }

    /// All roles in order.
    pub fn role_ids(&self) -> impl Iterator<Item = RoleId> + use<> {
        (0..u16::try_from(self.roles.len()).unwrap_or(u16::MAX)).map(RoleId)
    }

    /// A task type by its name.
    pub fn task_type(&self, name: &str) -> Option<TaskType> {
        position(&self.task_types, name).map(TaskType)
    }

    /// A role by its name.
    pub fn role(&self, name: &str) -> Option<RoleId> {
        position(&self.roles, name).map(RoleId)
    }

    /// A venue by its name.
    pub fn venue(&self, name: &str) -> Option<VenueId> {
        position(&self.venues, name).map(VenueId)
    }

    /// A task type's name.
    pub fn task_type_name(&self, task_type: TaskType) -> &str {
        self.task_types.get(usize::from(task_type.0)).map_or("?", String::as_str)
    }

    /// A role's name.
    pub fn role_name(&self, role: RoleId) -> &str {
        self.roles.get(usize::from(role.0)).map_or("?", String::as_str)
    }

    /// A venue's name.
    pub fn venue_name(&self, venue: VenueId) -> &str {
        self.venues.get(usize::from(venue.0)).map_or("?", String::as_str)
    }

    /// `balanced` or `coder_hot` (section 2.4).
    pub fn load_name(&self, load: LoadState) -> String {
        match load {
            LoadState::Balanced => "balanced".to_owned(),
            LoadState::Hot(role) => format!("{}_hot", self.role_name(role)),
        }
    }

    /// A load state by its name.
    pub fn load_state(&self, name: &str) -> Option<LoadState> {
        self.load_states().find(|load| self.load_name(*load) == name)
    }

    /// `coder@swarm`
    pub fn action_name(&self, action: ActionId) -> String {
        let (role, venue) = self.parts(action);
        format!("{}@{}", self.role_name(role), self.venue_name(venue))
    }
}

fn position(names: &[String], name: &str) -> Option<u16> {
    names.iter().position(|known| known == name).and_then(|at| u16::try_from(at).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documents_space_has_20_states_8_actions_and_160_cells_section_2_4() {
        let space = Space::seed();
        assert_eq!((space.states(), space.actions()), (20, 8));
        assert_eq!(space.states() * space.actions(), 160);
        let names: Vec<String> = space.load_states().map(|load| space.load_name(load)).collect();
        assert_eq!(names, ["balanced", "analyst_hot", "coder_hot", "researcher_hot", "validator_hot"]);
        assert!(space.load_states().all(|load| space.load_state(&space.load_name(load)) == Some(load)));
        assert_eq!(space.load_state("poet_hot"), None);
    }

    #[test]
    fn states_and_actions_are_numbered_without_gaps() {
        let space = Space::seed();
        let mut rows = Vec::new();
        for task_type in 0..4 {
            rows.extend(space.load_states().map(|load| space.state(TaskType(task_type), load)));
        }
        assert_eq!(rows, (0..20).collect::<Vec<_>>());
        for action in space.action_ids() {
            let (role, venue) = space.parts(action);
            assert_eq!(space.action(role, venue), action);
        }
        assert_eq!(space.action_name(ActionId(3)), "coder@swarm");
    }

    #[test]
    fn names_that_make_no_space_are_refused_with_their_reason() {
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(Space::new(list(&["a"]), list(&[]), list(&["v"])), Err(SpaceError::Empty("role")));
        let twice = Space::new(list(&["a"]), list(&["r", "r"]), list(&["v"]));
        assert!(twice.unwrap_err().to_string().contains("\"r\""));
        assert!(serde_json::from_str::<Space>(r#"{"task_types":[],"roles":["r"],"venues":["v"]}"#).is_err());
    }
}
