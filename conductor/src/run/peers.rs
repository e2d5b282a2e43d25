//! The run's list of providers: keys outside, small indices inside.

use std::collections::HashMap;

use crate::plan::Skill;
use crate::scheduler::{Capacity, ProviderIndex};
use crate::swarm::{ProviderId, ProviderInfo};

/// Providers that were ever seen in this run.
#[derive(Debug, Default)]
pub(super) struct Peers {
    infos: Vec<ProviderInfo>,
    by_id: HashMap<ProviderId, ProviderIndex>,
    /// Empty: everyone.
    only: Vec<ProviderId>,
}

impl Peers {
    pub fn new(only: Vec<ProviderId>) -> Self {
        Self { only, ..Self::default() }
    }

    /// Notes a provider; `None` if the run must not ask it.
    pub fn upsert(&mut self, info: ProviderInfo) -> Option<(ProviderIndex, Capacity)> {
        if !info.trusted && !self.only.is_empty() && !self.only.contains(&info.id) {
            return None;
        }
        let capacity = Capacity {
            workers: info.workers.clamp(1, MOST_WORKERS),
            skills: Skill::of_dialect(info.dialect),
        };
        let index = match self.by_id.get(&info.id) {
            Some(index) => *index,
            None => ProviderIndex(u32::try_from(self.infos.len()).unwrap_or(u32::MAX)),
        };
        if let Some(known) = self.infos.get_mut(index.0 as usize) {
            *known = info;
        } else {
            self.by_id.insert(info.id.clone(), index);
            self.infos.push(info);
        }
        Some((index, capacity))
    }

    pub fn index(&self, id: &str) -> Option<ProviderIndex> {
        self.by_id.get(id).copied()
    }

    pub fn info(&self, index: ProviderIndex) -> Option<&ProviderInfo> {
        self.infos.get(index.0 as usize)
    }

    /// Providers that have all these skills. Those that left count until the run notices.
    pub fn capable(&self, skills: u8) -> usize {
        self.infos.iter().filter(|info| Skill::of_dialect(info.dialect) & skills == skills).count()
    }

    /// Whether the user's own machine can do this: its word alone is enough.
    pub fn is_own_machine_among(&self, skills: u8) -> bool {
        self.infos.iter().any(|info| info.trusted && Skill::of_dialect(info.dialect) & skills == skills)
    }

    pub fn all(&self) -> &[ProviderInfo] {
        &self.infos
    }
}

/// An announcement that claims more workers than this is taken for this many.
const MOST_WORKERS: u32 = 256;
