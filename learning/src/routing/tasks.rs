//! Tasks to train on (seeds/load-balanced-rl-workflow.md, section 2.1): the source document's bank of
//! 11 tasks in 4 types, and files of one's own.
//!
//! The document names the count and the types of its tasks, not their words; those are ours.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Unique in its bank.
    pub id: String,
    /// Its type.
    #[serde(rename = "type")]
    pub task_type: String,
    /// What is to be done.
    pub description: String,
    /// How hard it is, 0..=1; for people.
    #[serde(default = "middling")]
    pub complexity: f64,
    /// How much it matters, 0..=1; for people.
    #[serde(default = "middling")]
    pub priority: f64,
    /// The lines of the right answer, where there is exactly one: then nobody need judge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Vec<String>>,
}

fn middling() -> f64 {
    0.5
}

impl Task {
    /// The share of the expected lines that the output has in their places, where a right answer is
    /// known: 1 is right, 0 is wrong. More lines than expected count as wrong ones.
    pub fn check(&self, output: &str) -> Option<f64> {
        let expected = self.expected.as_ref()?;
        let lines: Vec<&str> = output.trim().lines().map(str::trim).collect();
        let right = lines.iter().zip(expected).filter(|(line, expected)| **line == expected.trim()).count();
        Some(right as f64 / lines.len().max(expected.len()).max(1) as f64)
    }
}

/// Why a file is no task bank.
#[derive(Debug, thiserror::Error)]
pub enum BankError {
    /// A line is no task.
    #[error(
        "line {line} is no task: {source}; write one JSON object per line: {{\"id\":\"…\",\"type\":\"…\",\
         \"description\":\"…\"}}"
    )]
    Line {
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// Two tasks have one name.
    #[error("the task \"{0}\" stands there twice; give each its own id")]
    Twice(String),
    /// There is nothing in it.
    #[error("there are no tasks in it")]
    Empty,
}

/// Tasks in order.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskBank {
    tasks: Vec<Task>,
}

/// Type, complexity and words of the source document's bank.
const SEED: [(&str, f64, &str); 11] = [
    (
        "analysis",
        0.6,
        "Compare the running costs of two delivery routes and say which one is cheaper and why.",
    ),
    ("analysis", 0.7, "Explain what a rising error rate together with a falling load tells about a service."),
    ("analysis", 0.5, "List the three strongest arguments for and against a four-day week."),
    ("coding", 0.5, "Write a function that returns the median of a list of numbers."),
    ("coding", 0.7, "Write a function that finds the first character of a text that occurs only once."),
    ("coding", 0.8, "Write a rate limiter that allows at most N calls in any 60 seconds."),
    ("research", 0.4, "Summarise how public-key signatures work in five sentences."),
    ("research", 0.6, "Name the main causes of coral bleaching and what is known about each."),
    ("research", 0.7, "Describe how consensus protocols deal with nodes that lie."),
    ("validation", 0.5, "Check this claim and correct it if needed: \"A leap year comes every four years.\""),
    ("validation", 0.6, "Check this sum and show your work: 17 + 28 + 46 = 92."),
];

impl TaskBank {
    /// The source document's: 11 tasks in 4 types.
    pub fn seed() -> Self {
        let task = |(number, (task_type, complexity, description)): (usize, (&str, f64, &str))| Task {
            id: format!("seed-{number}"),
            task_type: task_type.to_owned(),
            description: description.to_owned(),
            complexity,
            priority: middling(),
            expected: None,
        };
        Self { tasks: (1..).zip(SEED).map(task).collect() }
    }

    /// A bank from JSON lines; empty lines are passed over.
    pub fn read(text: &str) -> Result<Self, BankError> {
        let mut tasks: Vec<Task> = Vec::new();
        for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
            let task: Task = serde_json::from_str(text).map_err(|source| BankError::Line { line, source })?;
            if tasks.iter().any(|known| known.id == task.id) {
                return Err(BankError::Twice(task.id));
            }
            tasks.push(task);
        }
        if tasks.is_empty() { Err(BankError::Empty) } else { Ok(Self { tasks }) }
    }

    /// Never empty.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// The types in the order in which they first occur.
    pub fn types(&self) -> Vec<String> {
        let mut types: Vec<String> = Vec::new();
        for task in &self.tasks {
            if !types.contains(&task.task_type) {
                types.push(task.task_type.clone());
            }
        }
        types
    }

    /// Names this bank: sha256 over its tasks, hex. A training goes on only with the bank it began with.
    pub fn fingerprint(&self) -> String {
        let mut hasher = Sha256::new();
        for task in &self.tasks {
            for part in [&task.id, &task.task_type, &task.description] {
                hasher.update((part.len() as u64).to_le_bytes());
                hasher.update(part);
            }
            for line in task.expected.iter().flatten() {
                hasher.update((line.len() as u64).to_le_bytes());
                hasher.update(line);
            }
        }
        format!("{:x}", hasher.finalize())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documents_bank_has_11_tasks_in_4_types_sections_2_1_and_10() {
        let bank = TaskBank::seed();
        assert_eq!(bank.tasks().len(), 11);
        assert_eq!(bank.types(), ["analysis", "coding", "research", "validation"]);
    }

    #[test]
    fn a_file_of_ones_own_is_read_and_its_faults_are_named() {
        let bank = TaskBank::read(
            "{\"id\":\"a\",\"type\":\"copy\",\"description\":\"d\",\"expected\":[\"x\",\"y\"]}\n\n\
             {\"id\":\"b\",\"type\":\"plan\",\"description\":\"e\"}\n",
        )
        .unwrap();
        assert_eq!(bank.types(), ["copy", "plan"]);
        let broken = TaskBank::read("{\"id\":\"a\",\"type\":\"t\",\"description\":\"d\"}\n{\"id\":1}");
        assert!(broken.unwrap_err().to_string().starts_with("line 2 "));
        let line = "{\"id\":\"a\",\"type\":\"t\",\"description\":\"d\"}";
        assert!(matches!(TaskBank::read(&format!("{line}\n{line}")), Err(BankError::Twice(id)) if id == "a"));
        assert!(matches!(TaskBank::read("\n"), Err(BankError::Empty)));
    }

    #[test]
    fn answers_are_checked_line_by_line_where_the_right_one_is_known() {
        let task = |expected: Option<Vec<String>>| Task { expected, ..TaskBank::seed().tasks()[0].clone() };
        let known = task(Some(vec!["42".to_owned(), "JPY".to_owned()]));
        let share = |output: &str| known.check(output).unwrap();
        assert!((share(" 42\nJPY \n") - 1.0).abs() < 1e-12);
        assert!((share("42\nEUR") - 0.5).abs() < 1e-12);
        assert!((share("42\nJPY\nand more\nand more") - 0.5).abs() < 1e-12);
        assert!(share("").abs() < 1e-12 && share("JPY\n42").abs() < 1e-12);
        assert_eq!(task(None).check("42"), None);
    }

    #[test]
    fn another_task_is_another_fingerprint() {
        let mut bank = TaskBank::seed();
        let before = bank.fingerprint();
        assert_eq!(before, TaskBank::seed().fingerprint());
        bank.tasks[3].description.push('!');
        assert_ne!(before, bank.fingerprint());
    }
}
