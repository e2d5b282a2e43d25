//! What documents are called.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The names that are taken.
#[derive(Debug, Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    /// What a document is called: as little of its path as tells it from the others, and so many components at least.
    /// Providers read it, and where the asker keeps a document is none of their business.
    pub fn of(&self, path: &Path, least: usize) -> String {
        let components: Vec<_> = path.components().collect();
        let name = |count: usize| {
            components[components.len() - count..].iter().collect::<PathBuf>().display().to_string()
        };
        let counts = least.clamp(1, components.len().max(1))..=components.len();
        counts.map(name).find(|name| !self.0.contains(name)).unwrap_or_else(|| path.display().to_string())
    }

    pub fn take(&mut self, name: &str) {
        self.0.insert(name.to_owned());
    }
}
