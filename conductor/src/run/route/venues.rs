//! The venues of a run: the swarm, and engines and endpoints of the user's own.

use std::sync::Arc;

use frlm_inference::Dialect;
use frlm_questions::plan::Subtask;
use frlm_scheduler::Venue;
use frlm_wallet::Sats;

use crate::route::roles::Role;
use crate::run::quote::{self, Extent};
use crate::swarm::{ProviderId, ProviderInfo, Swarm, Tariff};

/// The swarm, as a venue.
pub const SWARM: &str = "swarm";
/// Venues of the user's own that a run can tell apart: the swarm is one, too.
pub const MOST_OWN_VENUES: usize = Venue::MOST - 1;

/// An engine in this process or an endpoint of the user's, trusted as the user's own.
#[derive(Clone)]
pub struct OwnVenue {
    /// How it is seen: its id is the venue's name.
    pub provider: ProviderInfo,
    /// Where its jobs go.
    pub engine: Arc<dyn Swarm>,
}

/// What is known of a venue as a whole; it only ever grows, and each job is looked at again when it leaves.
#[derive(Clone, Copy)]
struct Terms {
    /// The longest context that anybody here reads.
    context_tokens: usize,
    /// Somebody and their price, the cheapest of each dialect.
    cheapest: [Option<Tariff>; 2],
    /// Whether anybody wants pay.
    priced: bool,
}

struct Known {
    name: String,
    engine: Option<OwnVenue>,
    terms: Terms,
}

/// What a subtask takes in each dialect that somebody speaks.
#[derive(Clone, Copy, Default)]
pub(in crate::run) struct Takes([Option<Extent>; 2]);

impl Takes {
    /// Counts what has not been counted yet. `told`: the roles that a general model may be told.
    pub fn count(&mut self, subtask: &Subtask, venues: &Venues, told: &[Role]) {
        for dialect in [Dialect::Json, Dialect::Records].into_iter().filter(|dialect| venues.speak(*dialect))
        {
            self.0[place(dialect)]
                .get_or_insert_with(|| Extent::of(&quote::foreseen(subtask, dialect, told)));
        }
    }
}

/// All venues of a run, the swarm first.
pub(in crate::run) struct Venues(Vec<Known>);

impl Venues {
    /// The swarm and these; of two with one name, and beyond [`MOST_OWN_VENUES`], the first count.
    pub fn new(own: Vec<OwnVenue>) -> Self {
        let terms = Terms { context_tokens: 0, cheapest: [None; 2], priced: false };
        let mut venues = vec![Known { name: SWARM.to_owned(), engine: None, terms }];
        for own in own {
            let name = own.provider.id.to_string();
            if venues.len() <= MOST_OWN_VENUES && venues.iter().all(|venue| venue.name != name) {
                venues.push(Known { name, engine: Some(own), terms });
            }
        }
        Self(venues)
    }

    /// In order.
    pub fn names(&self) -> Vec<String> {
        self.0.iter().map(|venue| venue.name.clone()).collect()
    }

    /// The venue of a name; `None` for one that this run does not have.
    pub fn named(&self, name: &str) -> Option<Venue> {
        Venue::at(self.0.iter().position(|venue| venue.name == name)?)
    }

    pub fn swarm(&self) -> Option<Venue> {
        self.named(SWARM)
    }

    pub fn all(&self) -> impl Iterator<Item = Venue> + use<> {
        (0..self.0.len()).filter_map(Venue::at)
    }

    /// Those of the user's own, and who is behind each.
    pub fn own(&self) -> impl Iterator<Item = (ProviderId, Venue)> {
        self.0
            .iter()
            .enumerate()
            .filter_map(|(at, venue)| Some((Arc::clone(&venue.engine.as_ref()?.provider.id), Venue::at(at)?)))
    }

    /// Their engines, by the provider that stands for each.
    pub fn engines(&self) -> impl Iterator<Item = (ProviderId, Arc<dyn Swarm>)> {
        let own = self.0.iter().filter_map(|venue| venue.engine.as_ref());
        own.map(|own| (Arc::clone(&own.provider.id), Arc::clone(&own.engine)))
    }

    /// Somebody came to a venue, or changed an offer.
    pub fn meet(&mut self, info: &ProviderInfo) {
        let at = if info.trusted { self.0.iter().position(|venue| venue.name == *info.id) } else { Some(0) };
        let Some(terms) = at.and_then(|at| self.0.get_mut(at)).map(|venue| &mut venue.terms) else { return };
        // What a foreign provider costs is not known before it asks for it.
        let tariff = info.flat_price.map_or(info.tariff, |_| Tariff::FREE);
        let known = &mut terms.cheapest[place(info.dialect)];
        if known.is_none_or(|known| tariff.usual() < known.usual()) {
            *known = Some(tariff);
        }
        terms.context_tokens = terms.context_tokens.max(info.context_tokens);
        terms.priced |= !tariff.is_free();
    }

    /// Whether work costs anything anywhere.
    pub fn any_price(&self) -> bool {
        self.0.iter().any(|venue| venue.terms.priced)
    }

    /// Whether somebody at the venue runs a general model, to which a role can be told.
    pub fn hears_roles(&self, name: &str) -> bool {
        self.terms(name).is_some_and(|terms| terms.cheapest[place(Dialect::Json)].is_some())
    }

    /// Why a subtask that takes this cannot be done by any provider of a venue: context and price are hard limits.
    pub fn obstacle(&self, name: &str, takes: &Takes, left: Sats) -> Option<&'static str> {
        let terms = self.terms(name)?;
        let (mut fits, mut affordable) = (false, false);
        for (tariff, extent) in terms.cheapest.iter().zip(takes.0) {
            let (Some(tariff), Some(extent)) = (tariff, extent) else { continue };
            fits |= extent.longest <= terms.context_tokens as u64;
            affordable |= tariff.is_free() || extent.most(*tariff) <= left;
        }
        match (fits, affordable) {
            (false, _) => Some("reads less at once than this takes"),
            (_, false) => Some("costs more than is left of the budget"),
            _ => None,
        }
    }

    /// Whether anybody anywhere has a model of this dialect.
    fn speak(&self, dialect: Dialect) -> bool {
        self.0.iter().any(|venue| venue.terms.cheapest[place(dialect)].is_some())
    }

    fn terms(&self, name: &str) -> Option<&Terms> {
        self.0.iter().find(|venue| venue.name == name).map(|venue| &venue.terms)
    }
}

fn place(dialect: Dialect) -> usize {
    match dialect {
        Dialect::Json => 0,
        Dialect::Records => 1,
    }
}
