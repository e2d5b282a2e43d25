//! How a step is put into words, and which way works for which kind of task (seeds/super-llm-block.md,
//! `question_phrasing_rl`, "Learned phrasing strategies").
//!
//! The next one is the one with the highest upper confidence bound of its success (UCB1: Auer et al., 2002):
//! all are tried, and what works is used.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::bounds::bounds;
use super::simplicity::TaskType;

/// A way to put a step into words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Template {
    /// "Given …, … that meets …".
    SpecificWithContext,
    /// "Step 2: …, to …".
    StepByStep,
    /// "Within …: …".
    ConstraintFirst,
    /// "…; answer as …".
    ExpectedOutputFormat,
    /// A model rewrites it.
    Rewrite,
    /// As it is: what the others must be better than.
    AsAsked,
}

/// In the order of the document, and what it does not name.
pub const TEMPLATES: [Template; 6] = [
    Template::SpecificWithContext,
    Template::StepByStep,
    Template::ConstraintFirst,
    Template::ExpectedOutputFormat,
    Template::Rewrite,
    Template::AsAsked,
];

/// What a step is made of. Empty parts are left out of the sentence.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wording<'a> {
    /// Which step it is, from 1.
    pub step: u32,
    /// What is to be done.
    pub task: &'a str,
    /// What the question says around it.
    pub context: &'a str,
    /// Its bounds.
    pub constraints: &'a str,
    /// What it is for.
    pub outcome: &'a str,
    /// What the answer should look like.
    pub format: &'a str,
}

impl Template {
    /// The step in words; `None` where a model has to write it.
    pub fn phrase(self, wording: &Wording) -> Option<String> {
        let Wording { step, task, context, constraints, outcome, format } = *wording;
        let part = |before: &str, text: &str| {
            if text.is_empty() { String::new() } else { format!("{before}{text}") }
        };
        Some(match self {
            Self::SpecificWithContext if context.is_empty() => {
                format!("{task}{}", part(" that meets ", constraints))
            }
            Self::SpecificWithContext => {
                format!("Given {context}, {task}{}", part(" that meets ", constraints))
            }
            Self::StepByStep => format!("Step {step}: {task}{}", part(", to ", outcome)),
            Self::ConstraintFirst if constraints.is_empty() => task.to_owned(),
            Self::ConstraintFirst => format!("Within {constraints}: {task}"),
            Self::ExpectedOutputFormat => format!("{task}{}", part("; answer as ", format)),
            Self::AsAsked => task.to_owned(),
            Self::Rewrite => return None,
        })
    }
}

impl Template {
    /// A question in words as it is put to a reader of one part of a text (`improve_question_phrasing`). It says nothing
    /// that every reader does not know anyway; `None` where a model has to write it, or the question sets no bounds that
    /// could come first.
    pub fn for_reader(self, question: &str) -> Option<String> {
        if self == Self::ConstraintFirst {
            // The question stays whole: what a reader makes of the bounds must not depend on how code cut them off.
            let bounds = bounds(question)?;
            return Some(format!("First the bounds: {bounds}; then the question: {question}"));
        }
        self.phrase(&Wording {
            step: 1,
            task: question,
            context: "one part of a longer text",
            constraints: "",
            outcome: "say what this part has to say of it",
            // Without "and" and "or": by these a question is told to have several clauses.
            format: "full sentences that name who, what, when",
        })
    }

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::SpecificWithContext => "with its context",
            Self::StepByStep => "as a step",
            Self::ConstraintFirst => "with its bounds first",
            Self::ExpectedOutputFormat => "with the form of the answer",
            Self::Rewrite => "as a model puts it",
            Self::AsAsked => "as it was asked",
        }
    }
}

/// How a question was put to readers, and what that was worth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Phrased {
    /// What kind of question it is.
    pub task_type: TaskType,
    /// How it was put.
    pub template: Template,
    /// [`phrasing_reward`] of what came of it.
    pub worth: f64,
}

/// What a phrasing is worth (`phrasing_reward_components`): clarity, answerability, specificity and context,
/// each 0..=1.
pub fn phrasing_reward(clarity: f64, answerability: f64, specificity: f64, context: f64) -> f64 {
    let weighed = 0.30 * clarity + 0.40 * answerability + 0.20 * specificity + 0.10 * context;
    weighed.clamp(0.0, 1.0)
}

/// How a phrasing did.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Steps that were put this way.
    pub uses: u64,
    /// Sum of their worth, each 0..=1.
    pub worth: f64,
}

impl Tally {
    /// Mean worth; `None` before the first use.
    pub fn mean(&self) -> Option<f64> {
        (self.uses > 0).then(|| self.worth / self.uses as f64)
    }
}

/// What is known of the phrasings by task type.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Phrasings {
    tallies: Vec<(TaskType, BTreeMap<Template, Tally>)>,
}

impl Phrasings {
    /// All that were used, by task type.
    pub fn used(&self) -> impl Iterator<Item = (TaskType, Template, Tally)> {
        self.tallies.iter().flat_map(|(task_type, tallies)| {
            tallies.iter().map(move |(template, tally)| (*task_type, *template, *tally))
        })
    }

    /// What is known of one.
    pub fn tally(&self, task_type: TaskType, template: Template) -> Tally {
        let known = self.tallies.iter().find(|(known, _)| *known == task_type);
        known.and_then(|(_, tallies)| tallies.get(&template)).copied().unwrap_or_default()
    }

    /// The one to use next, among those that can be used.
    pub fn next(&self, task_type: TaskType, can: impl Fn(Template) -> bool) -> Template {
        let among = || TEMPLATES.into_iter().filter(|template| can(*template));
        let all: u64 = among().map(|template| self.tally(task_type, template).uses).sum();
        let bound = |template: Template| {
            let tally = self.tally(task_type, template);
            let mean = tally.mean().unwrap_or(0.0);
            let doubt = 2.0 * (all.max(1) as f64).ln() / tally.uses as f64;
            if tally.uses == 0 { f64::INFINITY } else { mean + doubt.sqrt() }
        };
        // Of equals the first: `max_by` would take the last.
        let best = among().rev().max_by(|one, other| bound(*one).total_cmp(&bound(*other)));
        best.unwrap_or(Template::AsAsked)
    }

    /// What was kept before bounds came first: a question with its constraints first was put as it was asked.
    pub(super) fn before_bounds_came_first(mut self) -> Self {
        for (_, tallies) in &mut self.tallies {
            if let Some(tally) = tallies.remove(&Template::ConstraintFirst) {
                tallies.insert(Template::AsAsked, tally);
            }
        }
        self
    }

    /// Notes what a phrasing was worth, 0..=1.
    pub fn note(&mut self, task_type: TaskType, template: Template, worth: f64) {
        if !worth.is_finite() {
            return;
        }
        let at = self.tallies.iter().position(|(known, _)| *known == task_type).unwrap_or_else(|| {
            self.tallies.push((task_type, BTreeMap::new()));
            self.tallies.len() - 1
        });
        let tally = self.tallies[at].1.entry(template).or_default();
        tally.uses += 1;
        tally.worth += worth.clamp(0.0, 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDING: Wording = Wording {
        step: 2,
        task: "find flights",
        context: "a budget of 3000 dollars",
        constraints: "800 dollars",
        outcome: "book them",
        format: "a table",
    };

    #[test]
    fn the_templates_of_learned_phrasing_strategies() {
        let phrase = |template: Template| template.phrase(&WORDING);
        let expected = [
            Some("Given a budget of 3000 dollars, find flights that meets 800 dollars"),
            Some("Step 2: find flights, to book them"),
            Some("Within 800 dollars: find flights"),
            Some("find flights; answer as a table"),
            None,
            Some("find flights"),
        ];
        for (template, expected) in TEMPLATES.into_iter().zip(expected) {
            assert_eq!(phrase(template).as_deref(), expected);
        }
        let bare = Wording { step: 1, task: "count", ..Wording::default() };
        let phrases: Vec<String> =
            TEMPLATES.into_iter().filter_map(|template| template.phrase(&bare)).collect();
        assert_eq!(phrases, ["count", "Step 1: count", "count", "count", "count"]);
    }

    /// seeds/super-llm-block.md, `learned_phrasings` and "Learned Phrasing Strategies": four with a template; where none of them
    /// is used a model writes it.
    #[test]
    fn templates_have_the_documents_names() {
        let names = [
            "specific_with_context",
            "step_by_step",
            "constraint_first",
            "expected_output_format",
            "rewrite",
            "as_asked",
        ];
        assert_eq!(serde_json::to_value(TEMPLATES).unwrap(), serde_json::json!(names));
    }

    #[test]
    fn the_weights_of_phrasing_reward_components() {
        let near = |left: f64, right: f64| (left - right).abs() < 1e-9;
        assert!(near(phrasing_reward(1.0, 0.0, 0.0, 0.0), 0.30));
        assert!(near(phrasing_reward(0.0, 1.0, 0.0, 0.0), 0.40));
        assert!(near(phrasing_reward(0.0, 0.0, 1.0, 0.0), 0.20));
        assert!(near(phrasing_reward(0.0, 0.0, 0.0, 1.0), 0.10));
    }

    #[test]
    fn all_are_tried_and_then_the_best_is_used_most_by_task_type() {
        let mut phrasings = Phrasings::default();
        for round in 0..1_000_u32 {
            for (task_type, best) in [
                (TaskType::Calculation, Template::StepByStep),
                (TaskType::FactualSearch, Template::ConstraintFirst),
            ] {
                let with_model = |template: Template| template != Template::AsAsked;
                let alone = |template: Template| with_model(template) && template != Template::Rewrite;
                let template = if round % 2 == 0 {
                    phrasings.next(task_type, with_model)
                } else {
                    phrasings.next(task_type, alone)
                };
                phrasings.note(task_type, template, if template == best { 0.95 } else { 0.6 });
            }
        }
        for (task_type, best) in [
            (TaskType::Calculation, Template::StepByStep),
            (TaskType::FactualSearch, Template::ConstraintFirst),
        ] {
            let uses = |template| phrasings.tally(task_type, template).uses;
            assert!(uses(best) > 500, "{}", uses(best));
            assert!(TEMPLATES[..5].iter().all(|template| uses(*template) > 5));
        }
        assert_eq!(phrasings.tally(TaskType::Analysis, Template::Rewrite), Tally::default());
    }

    #[test]
    fn a_reader_is_asked_the_question_however_it_is_put() {
        const QUESTION: &str = "Why was the mill closed before 1912?";
        let mut said = std::collections::HashSet::new();
        for template in TEMPLATES {
            let put = template.for_reader(QUESTION);
            assert_eq!(put.is_none(), template == Template::Rewrite);
            if let Some(put) = put {
                assert!(put.contains(QUESTION), "{put}");
                said.insert(put);
            }
        }
        assert_eq!(said.len(), 5, "each is another way");
        assert!(said.contains(&format!("First the bounds: before 1912; then the question: {QUESTION}")));
    }

    #[test]
    fn a_question_without_bounds_is_not_put_with_its_bounds_first() {
        let question = "Why was the mill closed?";
        assert_eq!(Template::ConstraintFirst.for_reader(question), None);
        let mut phrasings = Phrasings::default();
        for _ in 0..200 {
            let can = |template: Template| template.for_reader(question).is_some();
            let template = phrasings.next(TaskType::Analysis, can);
            assert_ne!(template, Template::ConstraintFirst);
            phrasings.note(TaskType::Analysis, template, 0.5);
        }
    }

    #[test]
    fn the_former_constraint_first_phrasing_reads_as_the_original_question() {
        let mut phrasings = Phrasings::default();
        for worth in [0.4, 0.8] {
            phrasings.note(TaskType::Analysis, Template::ConstraintFirst, worth);
        }
        let tally = phrasings.tally(TaskType::Analysis, Template::ConstraintFirst);
        let phrasings = phrasings.before_bounds_came_first();
        assert_eq!(phrasings.tally(TaskType::Analysis, Template::AsAsked), tally);
        assert_eq!(phrasings.tally(TaskType::Analysis, Template::ConstraintFirst), Tally::default());
    }

    #[test]
    fn without_a_model_nothing_is_rewritten() {
        let mut phrasings = Phrasings::default();
        for _ in 0..200 {
            let template = phrasings.next(TaskType::Other, |template| template != Template::Rewrite);
            assert_ne!(template, Template::Rewrite);
            phrasings.note(TaskType::Other, template, 0.0);
        }
        phrasings.note(TaskType::Other, Template::StepByStep, f64::NAN);
        assert!(phrasings.tally(TaskType::Other, Template::StepByStep).mean().is_some_and(f64::is_finite));
    }
}
