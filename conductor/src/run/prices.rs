//! What work costs with the providers that are here.

use std::future::Future;
use std::sync::Arc;

use frlm_inference::Dialect;
use frlm_questions::plan::{Skill, Subtask};
use frlm_scheduler::SubtaskId;
use frlm_wallet::ledger::{Limit, Usage};
use frlm_wallet::{LedgerError, Sats};

use super::quote::Quote;
use super::route::RouteDesk;
use super::work::Work;
use super::{RunError, quote};
use crate::payment::PaymentRail;
use crate::route::roles::Role;
use crate::swarm::ProviderInfo;
use crate::trace::TraceEvent;

impl Work {
    /// The roles that a general model may be told before a subtask.
    fn roles_told(&self) -> &'static [Role] {
        self.route.as_ref().map_or(&[], RouteDesk::told)
    }

    /// What subtasks will cost, without what a mint takes.
    pub fn usual_quote(&self, open: &[Subtask]) -> Quote {
        quote::quote(open, self.providers.peers.all(), &self.setup.policy, self.roles_told())
    }

    /// Asks a mint for its fee on a usual job; `None` if no provider here is paid through a mint. If the mint cannot be asked now,
    /// the future gives `None`: every reservation computes its fees again.
    pub fn fee_of_a_job(
        &self,
        quote: Quote,
        subtasks: usize,
        rail: Option<&Arc<dyn PaymentRail>>,
    ) -> Option<impl Future<Output = Option<Sats>> + Send + use<>> {
        let (offer, price) = quote::payee(quote, subtasks, self.providers.peers.all(), &self.setup.policy)?;
        let rail = rail.cloned()?;
        Some(async move { quote::fee_of_a_job(rail.as_ref(), &offer, price).await })
    }

    /// Whether fewer providers than must agree could do the open work within the budget: cheaper ones may
    /// still come.
    pub fn lacks_affordable(&self) -> bool {
        let limit = self.setup.policy.budget;
        let open: Vec<&Subtask> = self.open().map(|record| &record.subtask).collect();
        let told = self.roles_told();
        let affordable =
            self.providers.peers.all().iter().filter(|info| {
                quote::total(open.iter().copied(), (info.tariff, info.dialect), told) <= limit
            });
        !open.is_empty()
            && !self.providers.peers.all().iter().any(|info| info.trusted)
            && affordable.count() < self.setup.policy.verification.first_replicas() as usize
    }

    /// Whether the owner's limits cover the work. What they still allow may change before it is done;
    /// every reservation asks again.
    pub fn check_limits(&self, open: &[Subtask], expected: Sats, usage: &Usage) -> Result<(), RunError> {
        let over = |limit, most, used, needed| {
            RunError::Ledger(LedgerError::LimitReached { limit, most, used, needed, free_in_hours: None })
        };
        if let (Some(most), Some(left)) = (usage.limits.per_day, usage.left_today())
            && expected > left
        {
            return Err(over(Limit::Day, most, usage.day, expected));
        }
        let Some(most) = usage.limits.per_subtask else { return Ok(()) };
        let dearest = open.iter().map(|subtask| {
            let one = std::slice::from_ref(subtask);
            self.usual_quote(one).expected
        });
        match dearest.max() {
            Some(needed) if needed > most => Err(over(Limit::Subtask, most, Sats::ZERO, needed)),
            _ => Ok(()),
        }
    }

    /// Whether this subtask costs less with somebody who may be asked. Prices alone do not say: one reads cheaply,
    /// another writes cheaply, a third asks much for the shortest job.
    pub fn somebody_is_cheaper(&self, id: SubtaskId, provider: &ProviderInfo) -> bool {
        let Some(record) = self.subtasks.of(id) else { return false };
        let prompts = [Dialect::Json, Dialect::Records]
            .map(|dialect| (dialect, quote::foreseen(&record.subtask, dialect, self.roles_told())));
        let cost = |info: &ProviderInfo| {
            let prompt = prompts.iter().find(|(dialect, _)| *dialect == info.dialect);
            prompt.map_or(Sats(u64::MAX), |(_, prompt)| quote::most(prompt, info.tariff))
        };
        self.providers.peers.cheapest(cost).is_some_and(|cheapest| cheapest < cost(provider))
    }

    /// What is said of the price of the work, where somebody here wants to be paid for it. `fees`: how much of what is expected a
    /// mint takes.
    pub fn quoted(
        &self,
        quote: Quote,
        fees: Option<Sats>,
        left: Sats,
        rail: Option<&Arc<dyn PaymentRail>>,
    ) -> Option<TraceEvent> {
        let is_paid = |info: &ProviderInfo| {
            !info.trusted && info.flat_price.map_or(!info.tariff.is_free(), |price| price > Sats::ZERO)
        };
        // Nothing is left to do where the run goes on and all is known.
        let is_worth_saying = quote.high > Sats::ZERO && self.providers.peers.all().iter().any(is_paid);
        is_worth_saying.then(|| TraceEvent::Quoted {
            low_sats: quote.low.0,
            expected_sats: quote.expected.0,
            high_sats: quote.high.0,
            fees_sats: fees.map(|sats| sats.0),
            left_sats: left.0,
            play_money: rail.is_some_and(|rail| rail.is_play()),
        })
    }

    /// Whether what is left of the budget pays for a text, by the cheapest provider that can write it; if not, why.
    pub fn pays_for_text(&self, text: &Subtask, left: Sats) -> Result<(), String> {
        let skill = text.skill() as u8;
        let able =
            self.providers.peers.all().iter().filter(|info| Skill::of_dialect(info.dialect) & skill == skill);
        let Some(offer) = able.min_by_key(|info| info.tariff.usual()) else {
            return Err("no provider is online to write it again".to_owned());
        };
        let answers = u64::from(self.setup.policy.verification.first_replicas());
        let price = quote::total([text], (offer.tariff, offer.dialect), self.roles_told());
        if price.0.saturating_mul(answers) > left.0 {
            return Err("the budget does not pay for another text".to_owned());
        }
        Ok(())
    }

    /// As many of them as the budget pays for, at the cheapest price and with the answers that must agree.
    pub fn affordable(&self, lost: Vec<SubtaskId>, mut left: Sats) -> Result<Vec<SubtaskId>, String> {
        if lost.is_empty() {
            return Err("no provider is left to ask again".to_owned());
        }
        let answers = u64::from(self.setup.policy.verification.first_replicas());
        let cheapest = self.providers.peers.all().iter().min_by_key(|info| info.tariff.usual());
        let Some(offer) = cheapest.map(|info| (info.tariff, info.dialect)) else {
            return Err("nobody is here".to_owned());
        };
        let told = self.roles_told();
        let price = |subtask: &Subtask| quote::total([subtask], offer, told).0.saturating_mul(answers);
        let wanted = lost.len();
        let paid: Vec<SubtaskId> = lost
            .into_iter()
            .filter(|id| {
                let Some(record) = self.subtasks.of(*id) else { return false };
                match left.0.checked_sub(price(&record.subtask)) {
                    Some(rest) => {
                        left.0 = rest;
                        true
                    }
                    None => false,
                }
            })
            .collect();
        if paid.is_empty() {
            return Err(format!("the budget does not pay for another try at {wanted} parts"));
        }
        Ok(paid)
    }
}
