//! What is reported of a run becomes what is known of it: pure, and the same in any batches.

use frlm_client::conductor::trace::{TraceEvent, TraceRecord};
use frlm_client::view::Ending;

use super::messages::Event;
use super::posterior::Posterior;
use super::state::{PAGE, Run, Side, Stage, Stub};
use super::tiers::Tiers;

/// Pages that are kept.
const MOST_PAGES: usize = 24;

impl Run {
    /// Folds a report.
    pub fn apply(&mut self, event: Event) {
        let counts = matches!(
            event,
            Event::Opened { .. } | Event::Records { .. } | Event::Loaded { .. } | Event::Ended { .. }
        );
        self.take(event);
        if counts {
            self.count();
        }
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Opened { id, live, unit } => {
                let stage = if live { Stage::Live } else { Stage::Reading };
                let plays_when_read = self.plays_when_read && !live;
                // How it is looked at stays as it was; the lane is another run's.
                let grouping = self.grouping;
                let side = if self.side == Side::Lane { Side::default() } else { self.side };
                *self = Self { id, stage, unit, plays_when_read, grouping, side, ..Self::default() };
            }
            Event::Resumed { id } if id == self.id => {
                (self.stage, self.refused) = (Stage::Live, None);
                self.hint_records.clear();
            }
            Event::Records { id, records } if id == self.id => {
                for record in &records {
                    self.fold(record);
                }
            }
            Event::Loaded { id, damage } if id == self.id => {
                (self.stage, self.damage) = (Stage::Recorded, damage);
                self.weigh_advice();
                if std::mem::take(&mut self.plays_when_read) {
                    self.play_or_hold();
                }
            }
            Event::Ended { id, error } if id == self.id => {
                self.stage = Stage::Recorded;
                self.ordered.clear();
                self.raising = None;
                self.weigh_advice();
                if let (None, Some((error, exit_code))) = (&self.view.ending, error) {
                    self.view.ending = Some(Ending::Failed { error, exit_code });
                }
                if !self.can_raise() {
                    self.budget_typed = None;
                }
            }
            Event::NotResumed { id, why } if id == self.id => {
                (self.stage, self.refused) = (Stage::Recorded, Some(why));
            }
            Event::NotOrdered { id, lane } if id == self.id => self.ordered.retain(|each| *each != lane),
            Event::NotRaised { id } if id == self.id => self.raising = None,
            Event::Text { id, lane, text } if id == self.id && self.lane == Some(lane) => {
                self.text = Some(text);
            }
            Event::Raw { id, seq, behind } if id == self.id && self.event == Some(seq) => {
                self.raw = Some(behind);
            }
            Event::Page { id, from_seq, lines } if id == self.id => {
                self.awaited.retain(|awaited| *awaited != from_seq);
                if self.pages.len() >= MOST_PAGES {
                    self.pages.clear();
                }
                self.pages.insert(from_seq, lines);
            }
            Event::Resumed { .. }
            | Event::NotResumed { .. }
            | Event::Records { .. }
            | Event::Loaded { .. }
            | Event::Ended { .. }
            | Event::NotOrdered { .. }
            | Event::NotRaised { .. }
            | Event::Text { .. }
            | Event::Raw { .. }
            | Event::Page { .. } => {}
        }
    }

    /// Folds one event. Events that came before, as after a reconnect, are not folded twice.
    pub fn fold(&mut self, record: &TraceRecord) {
        if record.seq != self.events.len() as u64 {
            return;
        }
        self.view.apply(record);
        if let TraceEvent::BudgetSettle { refunded_sats: back @ 1.., .. } = &record.event {
            let before = self.came_back.last().map_or(0, |(_, sum)| *sum);
            self.came_back.push((record.at_ms, before.saturating_add(*back)));
        }
        if let TraceEvent::Posterior { subtask, step, fidelity, correctness } = &record.event {
            let posterior = Posterior { fidelity: *fidelity, correctness: *correctness };
            self.posteriors.take(subtask.0, *step, posterior);
        }
        self.tiers.note(Tiers::now(&self.view, &self.posteriors));
        if matches!(record.event, TraceEvent::BudgetRaised { .. }) {
            self.raising = None;
        }
        let (kind, subtask) = super::events::kind(&record.event);
        self.counted.note(&self.view, &record.event, subtask);
        if let TraceEvent::GaveUp { subtask, .. }
        | TraceEvent::Verified { subtask, .. }
        | TraceEvent::SubQuerySubmit { subtask, .. } = &record.event
        {
            self.ordered.retain(|lane| *lane != subtask.0);
        }
        if subtask.is_some() && subtask == self.lane {
            self.linked.push(record.seq);
        }
        self.events.push(Stub { at_ms: record.at_ms, kind, subtask });
        // The page that holds it, if it is there, is not complete any more.
        self.pages.remove(&(record.seq / PAGE * PAGE));
        if let TraceEvent::SubQuerySubmit { subtask, attempt, .. } = &record.event
            && let Some(lane) = self.view.subtasks.get(subtask.0 as usize)
            // Sats may be reserved for the next attempt already: the one that is meant need not be the last.
            && let Some(position) = lane.attempts.iter().rposition(|each| each.id == attempt.0)
            && let Some(provider) = lane.attempts[position].provider
        {
            let provider = provider as usize;
            if self.by_provider.len() <= provider {
                self.by_provider.resize_with(provider + 1, Vec::new);
            }
            self.by_provider[provider].push((subtask.0, u32::try_from(position).unwrap_or(u32::MAX)));
        }
    }
}
