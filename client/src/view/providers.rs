//! Providers that a run has heard of.

use std::collections::BTreeMap;
use std::ops::Deref;

use frlm_protocol::printable;
use nostr::{PublicKey, ToBech32 as _};

/// A provider as screens show it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ProviderView {
    /// Its key.
    pub key: String,
    /// What it calls itself.
    pub name: String,
    /// The model it claims to run.
    pub model: String,
    /// Its price.
    pub price_msats_per_1k: u64,
    /// Whether it can be asked now.
    pub here: bool,
    /// Jobs it got.
    pub asked: u32,
    /// Answers of it that were accepted.
    pub agreed: u32,
    /// Answers of it that were not.
    pub dissented: u32,
}

impl ProviderView {
    /// Its name for people, or the beginning of its key.
    pub fn display_name(&self) -> String {
        if self.name.is_empty() { self.key.chars().take(8).collect() } else { self.name.clone() }
    }

    /// The beginning of its key, for names that say too little.
    pub fn short_key(&self) -> String {
        let npub = PublicKey::parse(&self.key).ok().and_then(|key| key.to_bech32().ok());
        npub.as_deref().unwrap_or(&self.key).chars().take(13).collect()
    }
}

/// Providers in the order in which they were first heard of.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ProvidersView {
    all: Vec<ProviderView>,
    /// Keys → positions. Ordered: a view reads the same wherever it is printed.
    positions: BTreeMap<String, u32>,
}

impl Deref for ProvidersView {
    type Target = [ProviderView];

    fn deref(&self) -> &[ProviderView] {
        &self.all
    }
}

impl ProvidersView {
    /// A provider's name for people, or the beginning of its key.
    pub fn name(&self, key: &str) -> String {
        match self.positions.get(key).and_then(|position| self.all.get(*position as usize)) {
            Some(provider) => self.name_of(provider),
            None => key.chars().take(8).collect(),
        }
    }

    /// A provider's name for people, with the beginning of its key where another one shows the same name: anybody
    /// may call itself anything.
    pub fn name_of(&self, provider: &ProviderView) -> String {
        let name = provider.display_name();
        let shown = printable(&provider.name);
        let namesake = |other: &ProviderView| other.key != provider.key && printable(&other.name) == shown;
        if provider.name.is_empty() || !self.all.iter().any(namesake) {
            return name;
        }
        format!("{name} ({})", provider.short_key())
    }

    /// The position of a provider, which is heard of now if it was not before.
    pub(super) fn position(&mut self, key: &str) -> u32 {
        if let Some(position) = self.positions.get(key) {
            return *position;
        }
        let position = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        self.all.push(ProviderView { key: key.to_owned(), ..ProviderView::default() });
        self.positions.insert(key.to_owned(), position);
        position
    }

    /// What is known of a provider, to be changed.
    pub(super) fn of_mut(&mut self, key: &str) -> (u32, &mut ProviderView) {
        let position = self.position(key);
        (position, &mut self.all[position as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_of_one_name_are_told_apart_by_their_keys() {
        // A key of the protocol's own examples; the other one is none.
        let known = "7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e";
        let mut providers = ProvidersView::default();
        for (key, name) in [(known, "frlm"), ("bb", "fr\u{200b}lm"), ("cc", "other"), ("bb", "fr\u{200b}lm")]
        {
            name.clone_into(&mut providers.of_mut(key).1.name);
        }
        let names: Vec<_> = providers.iter().map(|each| providers.name_of(each)).collect();
        assert_eq!(names, ["frlm (npub10elfcs4f)", "fr\u{200b}lm (bb)", "other"]);
        assert_eq!((providers.name("cc"), providers.name("0123456789")), ("other".into(), "01234567".into()));
    }
}
