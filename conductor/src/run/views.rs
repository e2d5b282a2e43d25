//! Parts of a run, borrowed together for what works on them and on nothing else of it.

use std::time::Duration;

use super::claims::Settling;
use super::decide::Change;
use super::driver::Run;
use super::learner::Planning;
use super::prices::Prices;
use super::route::{RouteDesk, Routed};

impl Run {
    /// What planning works on.
    pub(super) fn planning(&mut self) -> Planning<'_> {
        Planning {
            learner: &mut self.learner,
            setup: &mut self.setup,
            journal: &mut self.journal,
            decisions: &self.decisions,
            subtasks: &self.subtasks,
            began: self.began,
        }
    }

    /// What routes, if the run is routed, and what it decides over.
    pub(super) fn routing(&mut self, now: Duration) -> Option<(&mut RouteDesk, Routed<'_>)> {
        let at = Routed {
            setup: &self.setup,
            scheduler: &mut self.scheduler,
            subtasks: &mut self.subtasks,
            journal: &mut self.journal,
            now,
        };
        self.route.as_mut().map(|desk| (desk, at))
    }

    /// What prices follow from.
    pub(super) fn prices(&self) -> Prices<'_> {
        Prices {
            peers: &self.providers.peers,
            policy: &self.setup.policy,
            subtasks: &self.subtasks,
            roles: self.route.as_ref().map_or(&[], RouteDesk::told),
            rail: self.money.rail.as_ref(),
            left: self.money.left.available(),
        }
    }

    /// What claims are settled over.
    pub(super) fn settling(&mut self) -> Settling<'_> {
        Settling {
            desk: &mut self.answers.claims,
            setup: &self.setup,
            peers: &self.providers.peers,
            scheduler: &self.scheduler,
            subtasks: &mut self.subtasks,
            journal: &mut self.journal,
            fresh: &mut self.answers.fresh,
        }
    }

    /// What a retry may change.
    pub(super) fn change(&mut self) -> Change<'_> {
        Change {
            setup: &mut self.setup,
            scheduler: &mut self.scheduler,
            providers: &mut self.providers,
            gauge: &self.decisions.gauge,
            now: self.began.elapsed(),
        }
    }
}
