//! The run's list of providers: keys outside, small indices inside.

use std::collections::{HashMap, HashSet};

use frlm_protocol::limits::ANNOUNCED_POW_BITS;
use frlm_questions::plan::{Contexts, Skill};
use frlm_scheduler::{Capacity, ProviderIndex, Trust, Venue};
use frlm_wallet::Sats;
use frlm_wallet::escrow::Credit;

use super::pay_after;
use super::route::Venues;
use crate::swarm::{ProviderId, ProviderInfo};

/// Whom a run may ask, and who is vouched for.
#[derive(Debug, Clone, Default)]
pub struct Whom {
    /// The only providers that it asks; empty: all that are seen.
    pub only: Vec<ProviderId>,
    /// Providers that it never asks, whatever `only` says.
    pub blocked: Vec<ProviderId>,
    /// Providers for which a key that the user named vouches: in a crowd they are asked as known ones are.
    pub vouched: HashSet<ProviderId>,
    /// Vouched providers that were there a short while ago: the run waits for them.
    pub vouched_providers: HashSet<ProviderId>,
}

/// Providers that were ever seen in this run.
#[derive(Debug, Default)]
pub(super) struct Peers {
    infos: Vec<ProviderInfo>,
    by_id: HashMap<ProviderId, ProviderIndex>,
    whom: Whom,
    /// Not asked any more, for whatever reason.
    excluded: HashSet<ProviderId>,
    /// Excluded providers that are too expensive for the run's budget, and excluded for no other reason.
    too_dear: Vec<ProviderId>,
    /// Providers that went away and have not announced themselves since.
    away: HashSet<ProviderId>,
    /// How many locks were released to each provider: its credit for unreleased jobs follows from that.
    released: HashMap<ProviderId, u32>,
    /// How much of each provider's credit line is used up for good.
    off_credit: HashMap<ProviderId, u32>,
    /// What is known of the providers that have a record.
    trust: HashMap<ProviderId, Trust>,
    /// The venue of each provider of the user's own, and (`others`) of all other providers; empty if nothing is routed.
    places: HashMap<ProviderId, Venue>,
    others: Option<Venue>,
    /// Reviewers that the user trusts, and whether they do nothing but review.
    trusted_reviewers: HashMap<ProviderId, bool>,
    /// How often each has come back or changed its offer.
    changes: HashMap<ProviderIndex, u32>,
}

/// A provider that may be asked.
#[derive(Debug)]
pub(super) struct Noted {
    /// Its place in the run.
    pub index: ProviderIndex,
    /// What it can take.
    pub capacity: Capacity,
    /// Whether the journal should hold it: one that changes its offer all the time must not fill it.
    pub worth_recording: bool,
}

impl Peers {
    pub fn new(whom: Whom) -> Self {
        Self { whom, ..Self::default() }
    }

    /// A provider of the user's own is a venue by itself; all others are one venue, the swarm.
    pub fn place(&mut self, venues: &Venues) {
        self.places = venues.own().collect();
        self.others = venues.swarm();
    }

    /// Notes a provider; `None` if the run must not ask it.
    pub fn upsert(&mut self, info: ProviderInfo) -> Option<Noted> {
        // Naming a foreign provider is naming it.
        let named = self.whom.only.is_empty()
            || self.whom.only.contains(&info.id)
            || info.flat_price.is_some()
            || self.is_trusted_reviewer(&info.id);
        let wanted = named && !self.whom.blocked.contains(&info.id);
        self.away.remove(&info.id);
        if !info.trusted && (!wanted || self.excluded.contains(&info.id)) {
            // A provider that is asked again later is asked for what it offers by then.
            let index = self.by_id.get(&info.id).copied();
            if let Some(known) = index.and_then(|index| self.infos.get_mut(index.0 as usize)) {
                *known = info;
            }
            return None;
        }
        let capacity = self.capacity(&info);
        let index = match self.by_id.get(&info.id) {
            Some(index) => *index,
            None => ProviderIndex(u32::try_from(self.infos.len()).unwrap_or(u32::MAX)),
        };
        let changes = if let Some(known) = self.infos.get_mut(index.0 as usize) {
            *known = info;
            let changes = self.changes.entry(index).or_default();
            *changes += 1;
            *changes
        } else if self.infos.len() >= MOST_PEERS {
            return None;
        } else {
            self.by_id.insert(info.id.clone(), index);
            self.infos.push(info);
            0
        };
        Some(Noted { index, capacity, worth_recording: changes <= MOST_RECORDED_CHANGES })
    }

    /// What the run's voucher paid each before counts from the start. Those that know less, or worse,
    /// refuse what is too much.
    pub fn known_to(&mut self, released: impl IntoIterator<Item = (String, u32)>) {
        self.released = released.into_iter().map(|(id, count)| (id.into(), count)).collect();
    }

    /// A provider's pay was released: it takes more work from now on.
    pub fn released(&mut self, id: &ProviderId) -> Option<(ProviderIndex, Capacity)> {
        *self.released.entry(id.clone()).or_default() += 1;
        let index = self.index(id)?;
        Some((index, self.capacity(self.info(index)?)))
    }

    /// A provider lets so much less be owed from now on.
    pub fn credit_line_shrinks(&mut self, id: &ProviderId, by: u32) -> Option<(ProviderIndex, Capacity)> {
        let off_credit = self.off_credit.entry(id.clone()).or_default();
        *off_credit = off_credit.saturating_add(by);
        let index = self.index(id)?;
        Some((index, self.capacity(self.info(index)?)))
    }

    /// What is known of a provider has changed; `None` if that changes nothing, or it is not here.
    pub fn trusted(&mut self, id: &ProviderId, trust: Trust) -> Option<(ProviderIndex, Capacity)> {
        if self.trust.insert(id.clone(), trust) == Some(trust) || self.excluded.contains(id) {
            return None;
        }
        let index = self.index(id)?;
        Some((index, self.capacity(self.info(index)?)))
    }

    /// Whether a provider that is not here would be asked if it came.
    pub fn may_come(&self, id: &str) -> bool {
        let is_named = self.whom.only.is_empty() || self.whom.only.iter().any(|only| **only == *id);
        is_named && !self.whom.blocked.iter().any(|blocked| **blocked == *id)
    }

    /// How many are here of whom something is known, or that somebody vouches for.
    pub fn known_here(&self) -> usize {
        let known = |info: &&ProviderInfo| self.trust_in(info).speaks_for_it();
        self.infos.iter().filter(known).filter(|info| self.may_be_asked(&info.id)).count()
    }

    /// Whether one is here that has these skills and whose word alone is enough.
    pub fn has_one_who_is_enough(&self, skills: u8) -> bool {
        self.infos.iter().any(|info| {
            self.skills(info) & skills == skills
                && !self.excluded.contains(&info.id)
                && self.trust.get(&info.id) == Some(&Trust::Alone)
        })
    }

    /// A provider reviews claims as one whom the user trusts. One that was not here before does nothing else.
    pub fn review_as_trusted(&mut self, info: ProviderInfo) -> Option<Noted> {
        let is_new = self.index(&info.id).is_none();
        *self.trusted_reviewers.entry(info.id.clone()).or_default() |= is_new;
        self.upsert(info)
    }

    /// A provider that reviewed only does all other work, too.
    pub fn does_all_work(&mut self, id: &ProviderId) {
        if let Some(reviews_only) = self.trusted_reviewers.get_mut(id) {
            *reviews_only = false;
        }
    }

    /// Whether a provider reviews claims as one whom the user trusts.
    pub fn is_trusted_reviewer(&self, id: &ProviderId) -> bool {
        self.trusted_reviewers.contains_key(id)
    }

    fn skills(&self, info: &ProviderInfo) -> u8 {
        let usual = Skill::of_dialect(info.dialect);
        match self.trusted_reviewers.get(&info.id) {
            Some(true) => Skill::TrustedReview as u8,
            Some(false) => Skill::TrustedReview as u8 | usual,
            None => usual,
        }
    }

    fn capacity(&self, info: &ProviderInfo) -> Capacity {
        // A provider that is paid refuses more unreleased work than this (design, section 5), beside what it
        // lets us owe.
        let most_unjudged = if let (Some(offer), true) = (&info.escrow, !info.tariff.is_free()) {
            let released = self.released.get(&info.id).copied().unwrap_or(0);
            let off_credit = self.off_credit.get(&info.id).copied().unwrap_or(0);
            let on_credit = pay_after::room(offer).saturating_sub(off_credit);
            Credit { released, ..Credit::default() }.limit().saturating_add(on_credit)
        } else if info.flat_price.is_some() {
            // Paid before the work, one at a time.
            1
        } else {
            u32::MAX
        };
        Capacity {
            workers: info.workers.clamp(1, MOST_WORKERS),
            skills: self.skills(info),
            venue: if info.trusted { self.places.get(&info.id).copied() } else { self.others },
            last_resort: false,
            most_unjudged,
            trust: self.trust_in(info),
        }
    }

    /// What is known of a provider, or said of it.
    fn trust_in(&self, info: &ProviderInfo) -> Trust {
        match self.trust.get(&info.id).copied().unwrap_or(Trust::Newcomer) {
            Trust::Newcomer if self.whom.vouched.contains(&info.id) => Trust::Vouched,
            Trust::Newcomer if info.pow_bits >= ANNOUNCED_POW_BITS => Trust::Worked,
            known => known,
        }
    }

    /// Leaves a provider out from now on.
    pub fn leave_out(&mut self, id: &ProviderId) {
        self.excluded.insert(id.clone());
        self.too_dear.retain(|dear| dear != id);
    }

    /// Whether a provider is not asked any more.
    pub fn is_excluded(&self, id: &ProviderId) -> bool {
        self.excluded.contains(id)
    }

    /// Whether a provider is here, and nothing stands against asking it.
    pub fn may_be_asked(&self, id: &ProviderId) -> bool {
        !self.excluded.contains(id) && !self.away.contains(id)
    }

    /// Leaves a provider out until the run may spend more.
    pub fn leave_out_as_too_dear(&mut self, id: &ProviderId) {
        if self.excluded.insert(id.clone()) {
            self.too_dear.push(id.clone());
        }
    }

    /// A provider has gone: what its price was says nothing of what it asks when it comes back. Whether the journal should
    /// hold that.
    pub fn gone(&mut self, id: &ProviderId) -> bool {
        let changes = self.by_id.get(id).map_or(0, |index| {
            let changes = self.changes.entry(*index).or_default();
            *changes += 1;
            *changes
        });
        self.away.insert(id.clone());
        if let Some(at) = self.too_dear.iter().position(|dear| dear == id) {
            self.too_dear.swap_remove(at);
            self.excluded.remove(id);
        }
        changes <= MOST_RECORDED_CHANGES
    }

    /// Takes back that providers are left out for their price; what those offer that are here.
    pub fn readmit_too_dear(&mut self) -> Vec<(ProviderIndex, Capacity)> {
        let dear = std::mem::take(&mut self.too_dear);
        dear.iter().filter_map(|id| self.readmit(id)).collect()
    }

    /// Takes back that a provider is left out; what it offers now, if it is here. One that went away meanwhile is asked
    /// once it is announced.
    pub fn readmit(&mut self, id: &ProviderId) -> Option<(ProviderIndex, Capacity)> {
        self.excluded.remove(id);
        let index = self.index(id).filter(|_| !self.away.contains(id))?;
        Some((index, self.capacity(self.info(index)?)))
    }

    /// The lowest cost of a job among those that are not left out and are paid by the token.
    pub fn cheapest(&self, cost: impl Fn(&ProviderInfo) -> Sats) -> Option<Sats> {
        let by_token = |info: &&ProviderInfo| info.flat_price.is_none() && !self.excluded.contains(&info.id);
        self.infos.iter().filter(by_token).map(cost).min()
    }

    pub fn index(&self, id: &str) -> Option<ProviderIndex> {
        self.by_id.get(id).copied()
    }

    pub fn info(&self, index: ProviderIndex) -> Option<&ProviderInfo> {
        self.infos.get(index.0 as usize)
    }

    /// Providers that have all these skills. Those that left count until the run notices.
    pub fn capable(&self, skills: u8) -> usize {
        self.infos.iter().filter(|info| self.skills(info) & skills == skills).count()
    }

    /// Whether the user's own machine can do this: its word alone is enough.
    pub fn is_own_machine_among(&self, skills: u8) -> bool {
        self.infos.iter().any(|info| info.trusted && self.skills(info) & skills == skills)
    }

    /// How much those read and write at once who have these skills, so many of whom must agree; `None` where nobody has.
    pub fn contexts(&self, skills: u8, enough: usize) -> Option<Contexts> {
        let has = |info: &&ProviderInfo| self.skills(info) & skills == skills;
        let able: Vec<&ProviderInfo> =
            self.infos.iter().filter(has).filter(|info| !self.excluded.contains(&info.id)).collect();
        let own = able.iter().filter(|info| info.trusted).map(|info| info.context_tokens).max();
        Contexts::among(able.iter().map(|info| info.context_tokens).collect(), enough, own)
    }

    pub fn all(&self) -> &[ProviderInfo] {
        &self.infos
    }
}

/// Keys cost nothing: a run looks at no more of them than this.
const MOST_PEERS: usize = 50_000;
/// Changes of one provider's offer that are recorded.
const MOST_RECORDED_CHANGES: u32 = 16;
/// An announcement that claims more workers than this is taken for this many.
const MOST_WORKERS: u32 = 256;

#[cfg(test)]
mod tests {
    use super::*;
    use frlm_inference::Dialect;

    fn info(id: &str) -> ProviderInfo {
        ProviderInfo { flat_price: None, ..ProviderInfo::foreign(id.into(), Sats::ZERO) }
    }

    #[test]
    fn one_that_is_vouched_for_is_so_until_it_has_a_record() {
        let mut peers = Peers::new(Whom { vouched: HashSet::from(["a".into()]), ..Whom::default() });
        let trust = |peers: &mut Peers, id: &str| peers.upsert(info(id)).unwrap().capacity.trust;
        assert_eq!((trust(&mut peers, "a"), trust(&mut peers, "b")), (Trust::Vouched, Trust::Newcomer));
        let worked = ProviderInfo { pow_bits: ANNOUNCED_POW_BITS, ..info("c") };
        assert_eq!(peers.upsert(worked).unwrap().capacity.trust, Trust::Worked);
        assert_eq!(peers.known_here(), 1);
        peers.trusted(&"a".into(), Trust::Known);
        assert_eq!(trust(&mut peers, "a"), Trust::Known);
    }

    #[test]
    fn one_that_comes_and_goes_all_the_time_does_not_fill_the_journal() {
        let (mut peers, id) = (Peers::default(), ProviderId::from("a"));
        let recorded = (0..1_000).map(|_| {
            let came = peers.upsert(info("a")).is_some_and(|noted| noted.worth_recording);
            usize::from(came) + usize::from(peers.gone(&id))
        });
        let recorded: usize = recorded.sum();
        assert!((4..=20).contains(&recorded), "{recorded}");
    }

    #[test]
    fn a_blocked_provider_is_never_asked_even_if_it_is_named() {
        let mut peers = Peers::new(Whom {
            only: vec!["a".into(), "b".into()],
            blocked: vec!["a".into()],
            ..Whom::default()
        });
        assert!(peers.upsert(info("a")).is_none());
        assert!(peers.upsert(info("b")).is_some());
        assert!(peers.upsert(info("c")).is_none());
    }

    #[test]
    fn the_contexts_are_those_of_providers_that_can_and_may_be_asked() {
        let words = Skill::Words as u8;
        let reading = |id, context_tokens| ProviderInfo { context_tokens, ..info(id) };
        let mut peers = Peers::default();
        assert_eq!(peers.contexts(words, 1), None);
        let copies = ProviderInfo { dialect: Dialect::Records, ..reading("copies", 1_000_000) };
        for info in [copies, reading("a", 4_096), reading("b", 8_192), reading("liar", 500_000)] {
            peers.upsert(info).unwrap();
        }
        peers.leave_out(&"liar".into());
        let contexts = Contexts { with_one_to_spare: 4_096, of_enough: 8_192 };
        assert_eq!(peers.contexts(words, 1), Some(contexts));
        peers.upsert(ProviderInfo { trusted: true, ..reading("own", 32_768) }).unwrap();
        assert_eq!(peers.contexts(words, 2).map(|contexts| contexts.of_enough), Some(32_768));
    }

    #[test]
    fn a_readmitted_provider_is_asked_if_present_or_once_it_is_announced() {
        let (mut peers, id) = (Peers::default(), ProviderId::from("a"));
        peers.upsert(info("a")).unwrap();
        peers.leave_out(&id);
        peers.gone(&id);
        assert!(peers.readmit(&id).is_none(), "it went away");
        assert!(peers.upsert(info("a")).is_some(), "and came back");
        // It comes back while it is left out, and offers something else.
        peers.leave_out(&id);
        peers.gone(&id);
        assert!(peers.upsert(ProviderInfo { workers: 3, ..info("a") }).is_none());
        assert_eq!(peers.readmit(&id).map(|(_, capacity)| capacity.workers), Some(3));
    }

    #[test]
    fn a_higher_budget_readmits_only_those_excluded_as_too_expensive() {
        let mut peers = Peers::default();
        for id in ["dear", "liar", "gone"] {
            peers.upsert(info(id)).unwrap();
        }
        peers.leave_out_as_too_dear(&"dear".into());
        peers.leave_out_as_too_dear(&"liar".into());
        peers.leave_out(&"liar".into());
        peers.leave_out_as_too_dear(&"gone".into());
        peers.gone(&"gone".into());
        let back: Vec<ProviderIndex> = peers.readmit_too_dear().into_iter().map(|(index, _)| index).collect();
        assert_eq!(back, [ProviderIndex(0)]);
        assert!(peers.upsert(info("dear")).is_some() && peers.upsert(info("liar")).is_none());
        assert!(peers.readmit_too_dear().is_empty());
    }
}
