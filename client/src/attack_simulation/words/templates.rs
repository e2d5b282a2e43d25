//! What simulated documents are made of: contracts, minutes and incident reports in three languages.
//!
//! `{N}`, `{M}` are people, `{E}`, `{F}` amounts, `{T}`, `{U}` small numbers, `{D}`, `{G}` dates. Each sentence holds two values of a kind,
//! so that a lie can take one that stands in the same lines.

use super::contracts::CONTRACTS;
use super::incidents::INCIDENTS;
use super::minutes::MINUTES;

/// A sentence that states a fact, and two ways in which a reader may put it.
pub struct FactTemplate {
    /// As the document has it.
    pub line: &'static str,
    /// As readers have it.
    pub claims: [&'static str; 2],
}

/// Kind of document, language, its facts, and sentences beside the point.
pub struct Genre {
    /// The name of such documents, with `{T}` for a number.
    pub name: &'static str,
    /// The headings above a part.
    pub headings: [&'static str; 2],
    /// What is asked.
    pub question: &'static str,
    /// What it states.
    pub facts: [FactTemplate; 4],
    /// What nobody asks for.
    pub filler: [&'static str; 5],
}

/// Names of people.
pub const NAMES: [&str; 16] = [
    "Weber",
    "Patel",
    "Durand",
    "Okafor",
    "Lindqvist",
    "Moreau",
    "Tanaka",
    "Alvarez",
    "Novak",
    "Brandt",
    "Rossi",
    "Haddad",
    "Kowalski",
    "Fischer",
    "Laurent",
    "Nakamura",
];

/// Months in English, German and French.
pub const MONTHS: [[&str; 6]; 3] = [
    ["January", "March", "May", "July", "September", "November"],
    ["Januar", "März", "Mai", "Juli", "September", "November"],
    ["janvier", "mars", "mai", "juillet", "septembre", "novembre"],
];

/// Three kinds of documents.
pub const KINDS: [[Genre; 3]; 3] = [CONTRACTS, MINUTES, INCIDENTS];
