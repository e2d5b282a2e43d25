//! The models of this machine and whether they fit it, in lines for people and as objects for programs.

use std::fmt::Write as _;

use frlm_protocol::printable;
use serde_json::{Value, json};

use super::{Catalog, CatalogEntry, Fit, Place};
use crate::units::bytes;

impl Catalog {
    /// What is here, and which commands use it by the settings.
    pub fn listed(&self) -> String {
        let mut text = String::new();
        for entry in &self.entries {
            let settings = [(&self.own, "ask"), (&self.served, "provide")];
            let naming = settings.iter().filter(|(spec, _)| spec.as_ref() == Some(&entry.spec));
            let by: Vec<&str> = naming.map(|(_, command)| *command).collect();
            let set = if by.is_empty() { String::new() } else { format!(" (set for {})", by.join(", ")) };
            let size = entry.weights_bytes.map_or(String::new(), |size| format!("{}; ", bytes(size)));
            let about = match &entry.problem {
                Some(problem) => format!("cannot be used: {problem}"),
                None => format!("{size}{}", entry.about),
            };
            // Writing into a String cannot fail, here and below.
            let _ = writeln!(text, "{}{set}\n    {about}", printable(&entry.spec));
        }
        text
    }

    /// Whether each fits, and why.
    pub fn fitting(&self) -> String {
        let mut text = String::new();
        for entry in &self.entries {
            let words = match (self.fit_of(entry), entry.place, &entry.problem) {
                (_, _, Some(problem)) => format!("cannot be used: {problem}"),
                (Some((weights, fit)), ..) => {
                    format!("{}: {}", fit.word(), fit.why(weights, self.free_bytes))
                }
                (None, Place::Inside, _) => "fits: it is part of this program".to_owned(),
                (None, Place::Endpoint, _) => "fits: another program runs it".to_owned(),
                (None, Place::File, _) => "unknown: a folder, whose size is not known".to_owned(),
            };
            let _ = writeln!(text, "{}\n    {words}", printable(&entry.spec));
        }
        text
    }

    /// The same for programs.
    pub fn fitting_as_json(&self) -> Value {
        let row = |entry: &CatalogEntry| {
            let fit = self.fit_of(entry);
            json!({
                "model": entry.spec,
                "weights_bytes": entry.weights_bytes,
                "fit": fit.map(|(_, fit)| fit),
                "why": fit.map(|(weights, fit)| fit.why(weights, self.free_bytes)),
                "problem": entry.problem,
            })
        };
        let rows: Vec<_> = self.entries.iter().map(row).collect();
        json!({ "free_bytes": self.free_bytes, "models": rows })
    }

    fn fit_of(&self, entry: &CatalogEntry) -> Option<(u64, Fit)> {
        entry.weights_bytes.map(|weights| (weights, Fit::of(weights, self.free_bytes)))
    }
}
