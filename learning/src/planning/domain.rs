//! What a question is about, as far as that decides how it is best taken apart: by the kind of its documents.
//!
//! The source document names domains by topic ("trip planning"), which takes a model to tell. What a document is made
//! of is known before anybody is asked.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The kind of documents that a question is asked of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Domain {
    /// Lines with a time.
    Logs,
    /// Rows under a heading.
    Tables,
    /// Nested records.
    Records,
    /// Programs.
    Code,
    /// Running text.
    Prose,
    /// Laid out pages.
    Papers,
    /// Documents of several kinds.
    Mixed,
    /// Anything else.
    Other,
}

const KINDS: [(Domain, &[&str]); 6] = [
    (Domain::Logs, &["log", "out", "err"]),
    (Domain::Tables, &["csv", "tsv", "xlsx"]),
    (Domain::Records, &["json", "jsonl", "ndjson", "yaml", "yml", "toml", "xml"]),
    (Domain::Code, &["rs", "py", "js", "ts", "c", "h", "cpp", "go", "java", "sh", "sql"]),
    (Domain::Prose, &["txt", "md", "rst", "adoc", "org"]),
    (Domain::Papers, &["pdf", "docx", "html", "htm", "epub"]),
];

impl Domain {
    /// All of them, by their place in what the policy sees.
    pub const ALL: [Self; 8] = [
        Self::Logs,
        Self::Tables,
        Self::Records,
        Self::Code,
        Self::Prose,
        Self::Papers,
        Self::Mixed,
        Self::Other,
    ];

    /// The domain of documents with these names.
    pub fn of<Name: AsRef<str>>(documents: &[Name]) -> Self {
        let mut kinds = documents.iter().map(|name| Self::of_one(name.as_ref()));
        let Some(first) = kinds.next() else { return Self::Other };
        if kinds.all(|kind| kind == first) { first } else { Self::Mixed }
    }

    fn of_one(name: &str) -> Self {
        let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let Some((_, extension)) = file.rsplit_once('.') else { return Self::Other };
        let extension = extension.to_lowercase();
        let kind = KINDS.iter().find(|(_, extensions)| extensions.contains(&extension.as_str()));
        kind.map_or(Self::Other, |(domain, _)| *domain)
    }

    /// The one of this name, as it is shown.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|domain| domain.to_string() == name)
    }

    /// Its place in what the policy sees.
    pub fn number(self) -> u8 {
        self as u8
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Logs => "logs",
            Self::Tables => "tables",
            Self::Records => "records",
            Self::Code => "code",
            Self::Prose => "prose",
            Self::Papers => "papers",
            Self::Mixed => "mixed",
            Self::Other => "other",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planning::decompose::state::DOMAINS;

    #[test]
    fn documents_of_one_kind_are_a_domain_and_of_several_are_mixed() {
        assert_eq!(Domain::of(&["orders.log", "more/SHOP.LOG"]), Domain::Logs);
        assert_eq!(Domain::of(&["orders.log", "orders.csv"]), Domain::Mixed);
        assert_eq!(Domain::of(&["notes.md", "chronicle-0.txt"]), Domain::Prose);
        assert_eq!((Domain::of::<&str>(&[]), Domain::of(&["Makefile"])), (Domain::Other, Domain::Other));
    }

    #[test]
    fn the_policy_tells_all_of_them_apart() {
        assert_eq!(usize::from(Domain::Other.number()), DOMAINS - 1);
        assert!(Domain::ALL.iter().enumerate().all(|(at, domain)| usize::from(domain.number()) == at));
        assert!(Domain::ALL.iter().all(|domain| Domain::named(&domain.to_string()) == Some(*domain)));
        assert_eq!((Domain::ALL.len(), Domain::named("novels")), (DOMAINS, None));
    }
}
