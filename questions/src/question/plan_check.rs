//! Whether a model's plan accounts for its question, as far as code can tell.
//!
//! A plan is counted exactly and with citations, so that a wrong one does more harm than none. Code that
//! could not read the question can still see that it says "how many" where the plan looks a value up, that
//! it names a status which the plan left out, or that it asks for reasons, shares or groups, which no
//! [`Query`] expresses. What is left over beyond that only lowers the confidence.

use frlm_util::text::words;

use super::compile::{CompileError, Compiled};
use super::fields::FieldHints;
use super::lexicon::{LARGEST, SMALLEST, in_singular, is_frame, singular};
use crate::query::{Condition, Query, Reduction};

/// Words that ask for what no query over records gives: reasons, texts, forecasts, shares, groups.
const BEYOND: &[&str] = &[
    "why",
    "how come",
    "explain",
    "what caused",
    "reason",
    "reasons",
    "summarise",
    "summarize",
    "summary",
    "overview",
    "compare",
    "compared",
    "comparison",
    "versus",
    "vs",
    "better",
    "worse",
    "translate",
    "rewrite",
    "rephrase",
    "write",
    "draft",
    "compose",
    "script",
    "predict",
    "forecast",
    "recommend",
    "suggest",
    "advise",
    "think",
    "percentage",
    "percent of",
    "share of",
    "proportion",
    "fraction",
    "ratio",
    "median",
    "deviation",
    "variance",
    "correlation",
    "connection between",
    "relation between",
    "difference between",
    "group",
    "grouped",
    "sort",
    "sorted",
    "rank",
    "ranked",
    "most often",
    "least often",
    "the most",
    "the fewest",
    "how many more",
    "how many different",
    "how many distinct",
    "duplicates",
    "trend",
    "pattern",
    "anomalies",
    "unusual",
    "suspicious",
    "and then",
    "over time",
    "convert",
    "continue",
    "never",
    "how can",
    "how could",
    "how do",
    "how does",
    "how did",
];

/// Words that make one figure per group of it.
const GROUPING: &[&str] = &["per", "each", "for every", "by each", "respectively"];

/// Verbs of what is not yet, at the beginning of a question or behind its first word.
const NOT_YET: &[&str] = &["will", "should", "would", "could", "might"];

const COUNTING: &[&str] = &["how many", "number of", "count", "how often", "how frequently", "count of"];
const TOTAL: &[&str] = &["total", "sum", "sums", "combined", "add up", "altogether", "overall"];
const MEAN: &[&str] = &["average", "mean", "on average"];
const EXISTING: &[&str] = &[
    "is there",
    "are there",
    "was there",
    "were there",
    "has there",
    "have there",
    "does any",
    "do any",
    "did any",
    "is any",
    "are any",
    "was any",
    "were any",
    "does the",
    "do we have",
    "do we see",
    "do you see",
    "check whether",
    "check if",
    "see if",
];

/// Ends, and figures, of which a query gives one: who asks for both asks two questions. "min" may be minutes.
const OPPOSITES: [[&[&str]; 2]; 3] = [
    [&LARGEST, &["smallest", "lowest", "minimum"]],
    [&["first", "earliest"], &["last", "latest"]],
    [TOTAL, MEAN],
];

/// Content words that a plan may leave out at no cost: what its records are called.
const FREE_WORDS: usize = 1;
/// What every further one leaves of the confidence.
const PER_WORD: f64 = 0.6;
/// What a measure that no field of the documents answers to leaves of it.
const UNKNOWN_FIELD: f64 = 0.45;

/// Refuses a plan that contradicts its question; a plan for what no query expresses becomes `Free`.
pub fn agreeing(question: &str, compiled: Compiled, hints: &FieldHints) -> Result<Compiled, CompileError> {
    let Compiled::Query(query) = compiled else { return Ok(compiled) };
    let said = Words::of(question, &query);
    let figure = !matches!(query.reduction, Reduction::List | Reduction::Find | Reduction::Exists);
    let not_yet = said.each.iter().take(2).any(|word| NOT_YET.contains(&word.as_str()));
    let both = OPPOSITES.iter().any(|[one, other]| said.say_any(one) && said.say_any(other));
    if not_yet || both || said.say_any(BEYOND) || figure && said.say_any(GROUPING) {
        return Ok(Compiled::Free);
    }
    // "marked as approved" has no status "as"; in quotation marks any word may be a value.
    let quoted = |value: &str| {
        ["\"", "'", "«", "“", "`"].iter().any(|mark| question.contains(&format!("{mark}{value}")))
    };
    let hollow = |value: &str| COMMON.contains(&value) || is_frame(value);
    let mut values = query.conditions.iter().map(|condition| condition.value.to_lowercase());
    if let Some(value) = values.find(|value| hollow(value) && !quoted(value)) {
        return Err(CompileError::HollowValue(value));
    }
    let invented = |condition: &&Condition| {
        let Condition { field, value, .. } = condition;
        !is_told(field, question, hints) && hints.owners(value).is_empty()
    };
    if let Some(condition) = query.conditions.iter().find(invented).filter(|_| !hints.is_empty()) {
        return Err(CompileError::UnknownField(condition.field.clone()));
    }
    let asked = said.reductions();
    if !asked.is_empty() && !asked.contains(&query.reduction) {
        return Err(CompileError::OtherReduction(format!("{:?}", query.reduction).to_lowercase()));
    }
    let held = |word: &str| hints.statuses().contains(word) || !hints.owners(word).is_empty();
    let known = |word: &&String| word.chars().any(|c| c.is_ascii_digit()) || held(word);
    // "Just the paid ones: …" speaks of a status, and of no field "paid" that could be named beside an amount.
    let mistaken = |field: &&String| hints.named(field).is_none() && held(&field.to_lowercase());
    let left = said.left();
    match query.measure.iter().chain(&query.report).find(mistaken).or_else(|| left.iter().find(known)) {
        Some(word) => Err(CompileError::LeftOut(word.clone())),
        None => Ok(Compiled::Query(query)),
    }
}

/// Whether a field's name comes from somewhere: the documents, the question, or what fields are usually called.
fn is_told(field: &str, question: &str, hints: &FieldHints) -> bool {
    let question = question.to_lowercase();
    let words: Vec<String> = words(&question).map(in_singular).collect();
    let field = field.to_lowercase();
    let parts = || field.split([' ', '_', '-', '.']).filter(|part| !part.is_empty());
    hints.named(&field).is_some() || parts().all(|part| is_frame(part) || words.contains(&in_singular(part)))
}

/// What the plan's own confidence is multiplied with, 0..=1.
pub fn trust(question: &str, query: &Query, hints: &FieldHints) -> f64 {
    let left = Words::of(question, query).left().len().saturating_sub(FREE_WORDS);
    let measured = query.measure.as_deref().filter(|_| !hints.is_empty());
    let unknown = measured.is_some_and(|field| field != "line" && hints.named(field).is_none());
    PER_WORD.powi(i32::try_from(left).unwrap_or(i32::MAX)) * if unknown { UNKNOWN_FIELD } else { 1.0 }
}

/// A question's words in lower case, without the values that the plan's conditions took from it.
struct Words {
    each: Vec<String>,
    joined: String,
    /// The words of the plan's fields, in the singular.
    fields: Vec<String>,
}

impl Words {
    fn of(question: &str, query: &Query) -> Self {
        let mut text = format!(" {} ", question.to_lowercase());
        for condition in &query.conditions {
            text = text.replacen(&condition.value.to_lowercase(), " ", 1);
        }
        let apart = |c: char| c.is_whitespace() || "?!,;:()\"'«»“”=<>".contains(c);
        let each: Vec<String> = text
            .split(apart)
            .map(|word| word.trim_matches('.'))
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect();
        let joined = format!(" {} ", each.join(" "));
        let named = query.conditions.iter().map(|condition| &condition.field);
        let fields = named
            .chain(&query.measure)
            .chain(&query.report)
            .flat_map(|field| field.split([' ', '_', '-', '.']))
            .map(|part| in_singular(&part.to_lowercase()))
            .collect();
        Self { each, joined, fields }
    }

    /// Whether the question says one of these, other than in a field's name.
    fn say_any(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|words| {
            self.joined.contains(&format!(" {words} ")) && !self.fields.iter().any(|part| part == words)
        })
    }

    /// The reductions that the question's words speak of; none where they speak of none.
    fn reductions(&self) -> Vec<Reduction> {
        use Reduction as R;
        if self.say_any(COUNTING) {
            // "The number of order 7" is a field.
            return vec![R::Count, R::Find];
        }
        if EXISTING.iter().any(|words| self.joined.starts_with(&format!(" {words} "))) {
            return vec![R::Exists];
        }
        let spoken: [(&[&str], &[R]); 8] = [
            // A field may be called "total".
            (TOTAL, &[R::Sum, R::Find, R::List]),
            (MEAN, &[R::Average]),
            (&LARGEST, &[R::Max]),
            (&SMALLEST, &[R::Min]),
            (&["latest"], &[R::Last, R::Max]),
            (&["earliest"], &[R::First, R::Min]),
            (&["first"], &[R::First]),
            (&["last"], &[R::Last]),
        ];
        let said = spoken.iter().filter(|(phrases, _)| self.say_any(phrases));
        said.flat_map(|(_, reductions)| reductions.iter().copied()).collect()
    }

    /// Content words that neither the frame of questions nor the plan's fields account for.
    fn left(&self) -> Vec<String> {
        let in_field = |word: &str| self.fields.iter().any(|part| *part == in_singular(word));
        let accounted = |word: &String| {
            is_frame(word)
                || singular(word).is_some_and(|one| is_frame(&one))
                || COMMON.contains(&word.as_str())
                || word.split(['_', '-']).all(in_field)
        };
        self.each.iter().filter(|word| !accounted(word)).cloned().collect()
    }
}

/// Verbs and courtesies of questions that say nothing of their own.
const COMMON: &[&str] = &[
    "tell",
    "give",
    "find",
    "get",
    "look",
    "up",
    "return",
    "print",
    "display",
    "report",
    "determine",
    "compute",
    "calculate",
    "name",
    "see",
    "want",
    "need",
    "know",
    "exist",
    "exists",
    "occur",
    "occurs",
    "appear",
    "appears",
    "happen",
    "happened",
    "found",
    "seen",
    "placed",
    "made",
    "make",
    "belong",
    "belongs",
    "belonging",
    "marked",
    "set",
    "with",
    "number",
    "often",
    "frequently",
    "times",
    "thanks",
    "thank",
    "hello",
    "hi",
    "hey",
    "question",
    "quick",
    "file",
    "files",
    "log",
    "logs",
    "data",
    "document",
    "documents",
    "based",
    "using",
    "combined",
    "add",
    "overall",
    "altogether",
    "whether",
    "out",
    "anywhere",
    "somewhere",
    "exactly",
    "greater",
    "larger",
    "higher",
    "bigger",
    "smaller",
    "lower",
    "exceeding",
    "whole",
    "present",
    "mentioned",
    "okay",
    "ones",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::testing::fragment;
    use crate::query::Comparison;
    use crate::question::field_hints;

    const LOG: &str = "order=40117 user=user3 amount=118.40 status=failed\norder=40118 user=ida amount=7.00 status=shipped\n\
        order=40119 user=user3 amount=9.10 status=shipped\norder=40120 user=ida amount=4.00 status=failed";

    fn plan(reduction: Reduction, measure: Option<&str>, conditions: &[(&str, &str)]) -> Query {
        let conditions = conditions
            .iter()
            .map(|(field, value)| Condition {
                field: (*field).to_owned(),
                comparison: Comparison::Equal,
                value: (*value).to_owned(),
            })
            .collect();
        Query { reduction, measure: measure.map(str::to_owned), report: None, conditions }
    }

    fn checked(question: &str, query: Query) -> Result<Compiled, CompileError> {
        agreeing(question, Compiled::Query(Box::new(query)), &field_hints(&[fragment("a.log", LOG)]))
    }

    #[test]
    fn a_plan_that_leaves_a_known_status_or_a_number_out_is_refused() {
        let lost = plan(Reduction::Count, None, &[("user", "user3")]);
        assert_eq!(
            checked("How many orders of user3 failed?", lost.clone()),
            Err(CompileError::LeftOut("failed".into()))
        );
        assert_eq!(
            checked("How many orders of user3 were over 100?", lost.clone()),
            Err(CompileError::LeftOut("100".into()))
        );
        assert!(matches!(checked("How many orders of user3 are there?", lost), Ok(Compiled::Query(_))));
    }

    #[test]
    fn a_status_that_a_plan_takes_for_a_field_is_left_out() {
        let mut largest = plan(Reduction::Max, Some("amount"), &[]);
        largest.report = Some("failed".into());
        assert_eq!(
            checked("Just for the failed ones: who has the largest amount?", largest),
            Err(CompileError::LeftOut("failed".into()))
        );
        let mut whose = plan(Reduction::Max, Some("amount"), &[]);
        whose.report = Some("user".into());
        assert!(matches!(checked("Which user has the largest amount?", whose), Ok(Compiled::Query(_))));
    }

    #[test]
    fn both_ends_and_two_figures_are_no_single_query() {
        let largest = plan(Reduction::Max, Some("amount"), &[]);
        for question in [
            "What are the largest and the smallest amount?",
            "Who has the first order and who has the last?",
            "What is the total amount and what is it on average?",
        ] {
            assert_eq!(checked(question, largest.clone()), Ok(Compiled::Free), "{question}");
        }
        let longest = plan(Reduction::Max, Some("amount"), &[]);
        assert!(matches!(
            checked("What is the largest amount in 5 min?", longest),
            Err(CompileError::LeftOut(_))
        ));
    }

    #[test]
    fn a_plan_over_a_field_that_nobody_has_spoken_of_is_refused() {
        let count = |field, value| plan(Reduction::Count, None, &[(field, value)]);
        let question = "How many orders have colour blue?";
        assert_eq!(
            checked(question, count("lour", "colour")),
            Err(CompileError::UnknownField("lour".into()))
        );
        assert!(checked(question, count("colour", "blue")).is_ok(), "the question names it");
        assert!(
            checked("How many are ida's?", count("owner", "ida")).is_ok(),
            "the documents hold the value"
        );
        assert!(checked("How many were refunded?", count("status", "refunded")).is_ok());
    }

    #[test]
    fn a_plan_with_another_reduction_than_the_questions_words_is_refused() {
        let find = plan(Reduction::Find, Some("amount"), &[("user", "ida")]);
        assert_eq!(
            checked(
                "What is the total amount of ida?",
                plan(Reduction::Max, Some("amount"), &[("user", "ida")])
            ),
            Err(CompileError::OtherReduction("max".into()))
        );
        assert_eq!(
            checked("Is there any order of ida?", find.clone()),
            Err(CompileError::OtherReduction("find".into()))
        );
        assert!(checked("What is the amount of ida?", find).is_ok());
        let hollow = plan(Reduction::Count, None, &[("status", "as")]);
        assert_eq!(
            checked("How many orders marked as failed are there?", hollow),
            Err(CompileError::HollowValue("as".into()))
        );
        let first = plan(Reduction::First, None, &[("status", "failed")]);
        assert!(checked("Show me the earliest failed order", first).is_ok());
    }

    #[test]
    fn reasons_shares_groups_and_forecasts_are_no_queries() {
        let count = plan(Reduction::Count, None, &[("status", "failed")]);
        for question in [
            "Why did so many orders fail?",
            "What percentage of the orders failed?",
            "How many orders failed per user?",
            "Which user has the most failed orders?",
            "How many different users have failed orders?",
            "Will more orders be failed tomorrow?",
        ] {
            assert_eq!(checked(question, count.clone()), Ok(Compiled::Free), "{question}");
        }
        let quoted = plan(Reduction::Exists, None, &[("line", "why not")]);
        assert!(matches!(
            checked("Is there any line that mentions «why not»?", quoted),
            Ok(Compiled::Query(_))
        ));
    }

    #[test]
    fn words_that_nothing_accounts_for_lower_the_trust() {
        let hints = field_hints(&[fragment("a.log", LOG)]);
        let count = plan(Reduction::Count, None, &[("status", "failed")]);
        let trust = |question: &str, query: &Query| trust(question, query, &hints);
        assert!((trust("How many orders have status failed?", &count) - 1.0).abs() < 1e-9);
        assert!((trust("How many logins have status failed?", &count) - 1.0).abs() < 1e-9);
        assert!(trust("How many angry customers in Spain have status failed?", &count) < 0.5);
        let phone = plan(Reduction::Find, Some("phone number"), &[("user", "ida")]);
        assert!(trust("What is the phone number of ida?", &phone) < 0.5);
    }
}
