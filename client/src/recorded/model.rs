//! The recording, and what each of the three says from it.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use frlm_inference::scripted::ScriptedModel;
use frlm_inference::{Dialect, LanguageModel};
use frlm_util::text::collapse_whitespace;
use frlm_verifier::claims::Verdict;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::prompt::Asked;

/// How long an answer takes, so that the jobs go to all three, and not to the quickest each time.
const LATENCY: Duration = Duration::from_millis(60);
/// What is said where nothing is recorded.
const NOTHING: &str = "The recording says nothing about this.";

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Role {
    /// An honest reader.
    A,
    /// Another one.
    B,
    /// Who mixes false claims among true ones, and supports every claim of others.
    Liar,
}

impl Role {
    pub(super) const ALL: [Self; 3] = [Self::A, Self::B, Self::Liar];

    /// The name of its model. All three are of one family, as nobody has recorded that they are of several: a run then counts
    /// their verdicts as alike, and asks for more of them.
    pub(super) fn model_name(self) -> &'static str {
        match self {
            Self::A => "recorded-a",
            Self::B => "recorded-b",
            Self::Liar => "recorded-c",
        }
    }
}

/// A claim of a reader.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Statement {
    /// Who states it.
    pub reader: Role,
    /// What.
    pub claim: String,
    /// First and last of the lines that it rests on.
    pub lines: Vec<[u32; 2]>,
}

/// A verdict on a claim.
#[derive(Debug, Deserialize)]
struct Reviewed {
    claim: String,
    verdict: Verdict,
}

/// A sentence of the written answer: the claims that say it, in the words of one reader or the other.
#[derive(Debug, Deserialize)]
struct Sentence {
    claims: Vec<String>,
}

/// Everything that is recorded about one document.
#[derive(Debug)]
pub(super) struct Recording {
    statements: Vec<Statement>,
    verdicts: HashMap<String, Verdict>,
    answer: Vec<Sentence>,
}

/// A model that says what is recorded of this role.
pub(super) fn model(role: Role, recording: Arc<Recording>) -> Arc<dyn LanguageModel> {
    let model = ScriptedModel::new(role.model_name(), move |prompt| recording.says(role, prompt));
    Arc::new(model.with_dialect(Dialect::Json).with_weights_hash(None).with_latency(LATENCY))
}

impl Recording {
    /// The one about the GPL-3.
    pub fn gpl3() -> anyhow::Result<Self> {
        let verdicts: Vec<Reviewed> = rows(include_str!("../../../assets/recorded/gpl3/reviews.jsonl"))?;
        Ok(Self {
            statements: rows(include_str!("../../../assets/recorded/gpl3/readers.jsonl"))?,
            verdicts: verdicts
                .into_iter()
                .map(|row| (collapse_whitespace(&row.claim), row.verdict))
                .collect(),
            answer: rows(include_str!("../../../assets/recorded/gpl3/answer.jsonl"))?,
        })
    }

    /// What a role answers to a prompt.
    pub fn says(&self, role: Role, prompt: &str) -> String {
        match Asked::of(prompt) {
            Asked::Query => {
                json!({"reduction": "free", "measure": null, "report": null, "conditions": []}).to_string()
            }
            Asked::Reading(lines) => self.claims(role, &lines),
            Asked::Review(claims) => self.review(role, &claims),
            Asked::Writing(notes) => self.text(&notes),
            Asked::Unknown => NOTHING.to_owned(),
        }
    }

    /// A reader's claims that rest on these lines alone.
    fn claims(&self, role: Role, lines: &BTreeSet<u32>) -> String {
        let is_shown = |statement: &&Statement| {
            let mut ranges = statement.lines.iter();
            statement.reader == role
                && ranges.all(|[first, last]| (*first..=*last).all(|line| lines.contains(&line)))
        };
        let claims: Vec<_> = self
            .statements
            .iter()
            .filter(is_shown)
            .map(|statement| json!({"lines": statement.lines, "claim": statement.claim}))
            .collect();
        json!({ "claims": claims }).to_string()
    }

    fn review(&self, role: Role, claims: &[(String, Option<BTreeSet<u32>>)]) -> String {
        let recorded = |(claim, lines): &(String, Option<BTreeSet<u32>>)| {
            let claim = collapse_whitespace(claim);
            // What is recorded is true of its own lines, and gold may have others.
            let is_shown = lines.as_ref().is_none_or(|lines| self.rests_on(&claim, lines));
            self.verdicts.get(&claim).copied().filter(|_| is_shown).unwrap_or(Verdict::NotStated)
        };
        let verdicts: Vec<Verdict> = match role {
            Role::A | Role::B => claims.iter().map(recorded).collect(),
            Role::Liar => vec![Verdict::Supported; claims.len()],
        };
        json!({ "verdicts": verdicts }).to_string()
    }

    /// Whether a claim rests on these lines.
    fn rests_on(&self, claim: &str, lines: &BTreeSet<u32>) -> bool {
        let mut stated =
            self.statements.iter().filter(|statement| collapse_whitespace(&statement.claim) == claim);
        stated.any(|statement| {
            statement.lines.iter().all(|[first, last]| (*first..=*last).all(|line| lines.contains(&line)))
        })
    }

    /// The notes that are recorded as the answer, a sentence each; then which others there are, so that none is passed over.
    fn text(&self, notes: &[(usize, &str)]) -> String {
        let mut text = String::new();
        let mut rest: Vec<usize> = notes.iter().map(|(number, _)| *number).collect();
        for sentence in &self.answer {
            let says_it = |note: &&(usize, &str)| {
                let words = collapse_whitespace(note.1);
                sentence.claims.iter().any(|claim| collapse_whitespace(claim) == words)
            };
            let saying: Vec<&(usize, &str)> = notes.iter().filter(says_it).collect();
            let Some((_, words)) = saying.first() else { continue };
            let numbers: Vec<usize> = saying.iter().map(|(number, _)| *number).collect();
            // Writing into a String cannot fail.
            let _ = write!(text, "{} [{}]. ", words.trim_end_matches('.'), listed(&numbers));
            rest.retain(|number| !numbers.contains(number));
        }
        match (text.is_empty(), rest.is_empty()) {
            (true, true) => NOTHING.to_owned(),
            (true, false) => format!("The notes do not answer the question [{}].", listed(&rest)),
            (false, true) => text.trim_end().to_owned(),
            (false, false) => {
                format!(
                    "{text}The notes [{}] say more of the licence and are not repeated here.",
                    listed(&rest)
                )
            }
        }
    }
}

#[cfg(test)]
impl Recording {
    /// Every claim of every reader.
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// Whether a claim is recorded as false.
    pub fn is_false(&self, statement: &Statement) -> bool {
        self.verdicts[&statement.claim].rejects()
    }

    /// Claims that the answer is written from.
    pub fn used(&self) -> impl Iterator<Item = &String> {
        self.answer.iter().flat_map(|sentence| &sentence.claims)
    }
}

fn listed(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// The objects of a file, one a line.
fn rows<T: DeserializeOwned>(file: &str) -> anyhow::Result<Vec<T>> {
    let row = |line: &str| {
        serde_json::from_str(line).with_context(|| format!("the recording has a line that is no row: {line}"))
    };
    file.lines().map(row).collect()
}
