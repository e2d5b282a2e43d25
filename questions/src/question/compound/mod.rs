//! Questions of several parts, read without a model.
//!
//! "Which user had most failed orders, how many errors did the log show for that user, and was the
//! largest of that user's orders shipped?" is three questions. Each is read by the parser of plain
//! questions over the documents that can answer it; a part that speaks of an earlier one's answer
//! waits for it. This is the deterministic planner of seeds/super-llm-block.md, function 2: like the
//! parser it is made to say no. If one part cannot be read, none is.
//!
//! "Compare the number of failed orders with the number of refunded orders" and "are there more failed than refunded
//! orders?" are two questions, too, whose figures are held against each other (`comparison`).
//!
//! A model may propose the parts where nothing joins them that code knows ([`Compound::of_parts`]); each is read the same
//! way.

mod check;
mod closing;
mod comparison;
mod plan_check;
#[cfg(test)]
mod plan_check_tests;
mod proposed;
mod reference;
mod scope;
mod split;
#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod tests;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use self::closing::Closing;
pub use self::comparison::Contrast;
pub use self::proposed::PartsError;
use super::fields::{FieldHints, field_hints};
use super::parse;
use crate::dialect::{equal, needs_model};
use crate::ingest::Fragment;
use crate::query::{Query, Reduction};
use scope::Documents;

/// Parts that a question may have.
pub const MOST_PARTS: usize = 8;
/// Characters of a question that is read behind its beginning: each word of it has to be accounted for.
const LONGEST_BEHIND: usize = 2_000;

/// A question in parts, in the order in which they were asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compound {
    /// At least two; each needs earlier ones only.
    pub parts: Vec<Part>,
    /// What is asked of the figures of two of them, where they are held against each other.
    pub closings: Vec<Closing>,
}

/// One of the questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// As asked.
    pub text: String,
    /// What is to be found, once [`Part::needs`] is known.
    pub query: Query,
    /// What the found value must be for the answer "yes".
    pub check: Option<String>,
    /// The names of the documents that it is asked of.
    pub documents: Vec<Arc<str>>,
    /// The earlier part whose answer it speaks of.
    pub needs: Option<Need>,
}

/// An answer that a part waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Need {
    /// Position of the earlier part.
    pub part: usize,
    /// Position of the condition that its answer becomes the value of.
    pub condition: usize,
}

impl Compound {
    /// Reads a question over documents in pieces; `None` unless it has several parts and each can be
    /// read in one way only.
    pub fn read(question: &str, fragments: &[Fragment]) -> Option<Self> {
        if comparison::is_one(question)
            && let Some((contrast, parts)) = comparison::read(question, &Documents::of(fragments))
        {
            let closings = vec![Closing { asks: contrast, of: [0, 1], text: None }];
            return Some(Self { parts, closings });
        }
        let texts = split::parts(question);
        if !(2..=MOST_PARTS).contains(&texts.len()) {
            return None;
        }
        let documents = Documents::of(fragments);
        let mut parts: Vec<Part> = Vec::new();
        let mut closings: Vec<Closing> = Vec::new();
        for text in texts {
            match documents.read(text, &parts) {
                Some(part) if closings.is_empty() => parts.push(part),
                Some(_) => return None,
                None => {
                    let closing = closing::read(text, &mut parts, &closings, &documents)?;
                    closings.push(closing);
                }
            }
        }
        Some(Self { parts, closings })
    }

    /// Reads a question that begins with something else: "I am preparing a talk. Which user …, and how many …?" What stands
    /// before the first joint is left out, and what is left must say all that the whole asks, as for
    /// [`Compound::of_close_parts`]: a beginning that asks or restricts anything makes it unreadable, as before.
    pub fn read_behind(question: &str, fragments: &[Fragment]) -> Option<Self> {
        if question.chars().count() > LONGEST_BEHIND {
            return None;
        }
        let texts: Vec<String> = split::parts(question).into_iter().skip(1).map(str::to_owned).collect();
        Self::of_close_parts(question, &texts, fragments).ok()
    }

    /// How many questions a text seems to be, whether each can be read or not; at least one.
    pub fn likely_parts(question: &str) -> usize {
        split::parts(question).len()
    }

    /// Reads parts that somebody proposes for a question, in an order in which each needs earlier ones only.
    pub fn of_parts(question: &str, texts: &[String], fragments: &[Fragment]) -> Result<Self, PartsError> {
        proposed::read(question, texts, fragments)
    }

    /// The same for parts of a model that is too small to be believed: they must say what the question says, in its order.
    pub fn of_close_parts(
        question: &str,
        texts: &[String],
        fragments: &[Fragment],
    ) -> Result<Self, PartsError> {
        let compound = proposed::read(question, texts, fragments)?;
        match plan_check::differs(question, &compound.parts, &field_hints(fragments)) {
            Some(why) => Err(PartsError::Differs(why)),
            None => Ok(compound),
        }
    }

    /// How many questions its text consists of: one of them may ask for no part of its own.
    pub fn questions(&self) -> usize {
        self.parts.len() + self.closings.iter().filter(|closing| closing.asks_for_no_part()).count()
    }

    /// Whether code alone answers every part, so that nobody need be asked.
    pub fn by_code(&self) -> bool {
        self.parts.iter().all(|part| !needs_model(&part.query))
    }

    /// The parts and what they wait for, in a sentence.
    pub fn describe(&self) -> String {
        let waits: Vec<String> = (1..)
            .zip(&self.parts)
            .filter_map(|(number, part)| {
                let need = part.needs.as_ref()?;
                Some(format!("part {number} needs the answer to part {}", need.part + 1))
            })
            .collect();
        let parts = format!("the question has {} parts", self.parts.len());
        let told = match self.closings.first() {
            Some(Closing { of: [one, other], text: Some(_), .. }) => {
                format!(
                    "; what is asked of parts {} and {} together code tells from their answers",
                    one + 1,
                    other + 1
                )
            }
            _ => String::new(),
        };
        if waits.is_empty() {
            format!("{parts}, none waits for another{told}")
        } else {
            format!("{parts}: {}{told}", waits.join(", "))
        }
    }
}

impl Part {
    /// The field of which a single answer to this part is a value.
    fn answers_with(&self) -> Option<&str> {
        let Query { reduction, measure, report, .. } = &self.query;
        match reduction {
            Reduction::Min | Reduction::Max => report.as_deref(),
            Reduction::Most | Reduction::Find | Reduction::First | Reduction::Last => measure.as_deref(),
            _ => None,
        }
    }

    /// The text as a sentence that an answer can follow.
    pub fn heading(&self) -> String {
        heading(&self.text)
    }

    /// The query, given the answer that it waits for; `None` if that is not there.
    pub fn query_given(&self, answer: Option<&str>) -> Option<Query> {
        let mut query = self.query.clone();
        if let Some(need) = &self.needs {
            answer?.clone_into(&mut query.conditions.get_mut(need.condition)?.value);
        }
        Some(query)
    }

    /// The text with the answer that it waits for in the place of the words that point at it; `None` if none do.
    pub fn text_given(&self, answer: &str) -> Option<String> {
        reference::spelled_out(&self.text, answer)
    }

    /// Whether the value that was found is the one asked after.
    pub fn holds(&self, found: &str) -> Option<bool> {
        self.check.as_deref().map(|wanted| equal(found, wanted))
    }
}

fn heading(text: &str) -> String {
    const ORDERS: [&str; 9] = ["list", "show", "name", "count", "find", "give", "tell", "calculate", "the"];
    let first = text.split_whitespace().next().unwrap_or_default().to_lowercase();
    let mark = if ORDERS.contains(&first.as_str()) { ':' } else { '?' };
    let mut letters = text.chars();
    let capital = letters.next().map(char::to_uppercase);
    format!("{}{}{mark}", capital.into_iter().flatten().collect::<String>(), letters.as_str())
}

/// Reads one part over the fields of some documents, as the parser reads a whole question.
fn read_plain(text: &str, hints: &FieldHints) -> Option<(Query, Option<String>)> {
    match parse(text, hints) {
        Some(query) => Some((query, None)),
        None => check::read(text, hints).map(|(query, wanted)| (query, Some(wanted))),
    }
}
