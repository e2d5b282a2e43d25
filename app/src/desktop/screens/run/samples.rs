//! Runs on screen, for pictures and tests.

pub use frlm_client::testing_traces::{Recipe, answer, job, weighed};

use frlm_client::conductor::trace::TraceRecord;

use super::messages::Event;
use super::state::Run;
use crate::desktop::widgets::Unit;

/// A run on screen.
pub fn shown(records: Vec<TraceRecord>, live: bool) -> Run {
    let mut run = Run::default();
    run.apply(Event::Opened { id: "5e1f0c9a7b3d2468".to_owned(), live, unit: Unit::Sats });
    run.apply(Event::Records { id: "5e1f0c9a7b3d2468".to_owned(), records });
    if !live {
        run.apply(Event::Loaded { id: "5e1f0c9a7b3d2468".to_owned(), damage: None });
    }
    run
}
