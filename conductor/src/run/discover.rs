//! Before the first job: are there enough providers, and is there enough money?

use std::sync::Arc;
use std::time::Duration;

use frlm_wallet::Sats;
use tokio_util::sync::CancellationToken;

use super::driver::Run;
use super::quote::Quote;
use super::subtasks::Progress;
use super::{RunError, quote};
use crate::plan::{Skill, Subtask};
use crate::swarm::Swarm;

/// How long a slow relay may take to send the providers that it knows.
const SLOWEST_RELAY: Duration = Duration::from_secs(30);

impl Run {
    /// Waits until enough providers are there for the first subtask.
    pub(super) async fn discover(&mut self, stop: &CancellationToken) -> Result<(), RunError> {
        let until = self.began + self.setup.candidates.discovery;
        let at_most = until.max(self.began + SLOWEST_RELAY);
        // Thinking about the question may have taken all of that time: who came meanwhile is here, all the same.
        self.take_up_what_came();
        let recorded = self.providers.recorded_to_wait_for(&self.setup, &self.subtasks);
        let mut is_early = true;
        while self.setup.hopes_for_more(&self.providers.peers, &self.subtasks)
            || self.prices().lacks_affordable()
            || self.answers.validation.is_missing()
            || is_early && self.providers.heard.looking && self.providers.peers.known_here() < recorded
        {
            tokio::select! {
                () = stop.cancelled() => return Err(RunError::Interrupted(self.setup.id.clone())),
                () = tokio::time::sleep_until(until), if !self.providers.heard.looking => break,
                () = tokio::time::sleep_until(at_most) => break,
                () = tokio::time::sleep_until(until), if is_early => is_early = false,
                event = self.ports.events.recv() => match event {
                    Some(event) => self.on_event(event),
                    None => break,
                },
            }
        }
        self.learner.found(self.providers.peers.all());
        if self.setup.cannot_begin(&self.providers.peers, &self.subtasks) {
            let reason = self
                .providers
                .heard
                .with_complaints(self.setup.too_few(&self.providers.peers, &self.subtasks));
            let reason = with_other_relays(self.ports.swarm.clone(), reason).await;
            let skills = self.subtasks.iter().fold(0, |skills, record| skills | record.subtask.skill() as u8);
            let own = self.setup.candidates.fallback.as_ref().map_or(0, |own| Skill::of_dialect(own.dialect));
            if own & skills != skills || !self.fall_back(&reason, false) {
                return Err(RunError::NoProviders(reason));
            }
        }
        let own_machine = self.providers.peers.all().iter().any(|info| info.trusted);
        if self.answers.validation.is_missing() && !own_machine {
            return Err(RunError::NoProviders(self.answers.validation.without_validator(&self.setup)));
        }
        self.check_budget().await
    }

    async fn check_budget(&mut self) -> Result<(), RunError> {
        let open = self.subtasks.iter().filter(|record| matches!(record.state, Progress::Open));
        let open: Vec<Subtask> =
            open.map(|record| record.subtask.clone()).chain(self.setup.plan.to_come()).collect();
        let (quote, fees, limit) = self.quote_for(&open).await?;
        let Quote { low, expected, high, .. } = quote;
        if expected > limit {
            return Err(RunError::OverBudget {
                expected,
                most: high,
                most_number: high.0,
                unverified: low,
                limit,
            });
        }
        let usage = self.money.ledger().usage().await?;
        self.prices().check_limits(&open, expected, &usage)?;
        if let Some(quoted) = self.prices().quoted(quote, fees) {
            self.journal.emit(quoted);
        }
        Ok(())
    }

    /// What subtasks will cost, how much of what is expected a mint takes, if one could be asked, and what is left of the budget:
    /// a resumed run has spent some of it already.
    async fn quote_for(&mut self, open: &[Subtask]) -> Result<(Quote, Option<Sats>, Sats), RunError> {
        let left = self.money.left.available();
        let usual = self.prices().usual_quote(open);
        let each = match self.prices().fee_of_a_job(usual, open.len()) {
            Some(asking) => {
                let each = self.learner.stop.run_until_cancelled(asking).await;
                each.ok_or_else(|| RunError::Interrupted(self.setup.id.clone()))?
            }
            None => None,
        };
        let quote = quote::with_fees(usual, open.len(), &self.setup.policy, each.unwrap_or(Sats::ZERO));
        Ok((quote, each.map(|_| quote.expected.saturating_sub(usual.expected)), left))
    }
}

/// Why a run cannot begin, with relays that its user may want to name.
async fn with_other_relays(swarm: Option<Arc<dyn Swarm>>, reason: String) -> String {
    let found = match swarm {
        Some(swarm) => swarm.other_relays().await,
        None => Vec::new(),
    };
    if found.is_empty() {
        return reason;
    }
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    let found = found.join(", ");
    format!(
        "{reason}. Those that you named or asked before say that they are also at {found}: name a relay with --relay to ask there"
    )
}
