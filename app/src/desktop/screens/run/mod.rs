//! Run: the swarm at work. Live and recorded runs are the same view.

mod budget;
mod counted;
mod decisions;
mod events;
mod fold;
mod gauges;
mod inspect;
mod lane;
mod lanes;
mod layout;
mod messages;
mod minimap;
mod moment;
mod options;
mod plan;
mod player;
mod posterior;
mod provider;
mod reasons;
mod replay;
mod side;
mod state;
mod tiers;
mod timeline;
mod verdict;
mod view;
mod words;
pub mod work;

#[cfg(test)]
pub mod samples;
#[cfg(test)]
mod tests;

pub use budget::field_id as budget_field_id;
pub use gauges::policy_in_words;
pub use lanes::{provider_name, short_label};
pub use messages::{Action, Event};
pub use posterior::percent;
pub use reasons::plainly;
#[cfg(test)]
pub use state::Stub;
pub use state::{Grouping, INTERRUPTED, Run, Side, Stage};
pub use view::run_ui;
