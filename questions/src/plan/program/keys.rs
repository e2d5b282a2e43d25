//! What a subtask of a program's is known by: what it asks of which text, whichever call asked it.

use sha2::{Digest as _, Sha256};

use crate::plan::Task;
use crate::plan::fragment_map::map_key;
use crate::question::compile::json_prompt;

/// Hex digits of a digest that tell questions apart.
const DIGITS: usize = 32;

/// Stable over resumes. Begins as the keys of other plans do, so that what is read in those is found in these.
pub(in crate::plan) fn key_of_asked(task: &Task, plain: &str) -> String {
    match task {
        Task::Compile(task) => {
            // With the fields that it names.
            let prompt = json_prompt(&task.question, &task.hints);
            format!("{plain}:asked:{}", digest([task.question.as_str(), &prompt.instruction]))
        }
        Task::Map { task, fragment } => {
            let query = serde_json::to_string(&task.query).unwrap_or_default();
            let asked = digest([task.question.as_str(), &query, &task.manner]);
            format!("{}:asked:{asked}", map_key(fragment))
        }
        Task::Plan(_) | Task::Reread { .. } | Task::Review(_) => plain.to_owned(),
        Task::Combine(task) => {
            let remarks = task.remarks();
            let notes = task.answers.iter().map(|(at, answer)| {
                let said = serde_json::to_string(answer).unwrap_or_default();
                format!("{} {} {said}", at.id.0, at.file)
            });
            let said: Vec<String> = [task.question.clone(), remarks]
                .into_iter()
                .chain(notes)
                .chain(task.batch.digests.clone())
                .collect();
            let digest = digest(said.iter().map(String::as_str));
            // What stands behind the last @ of a digest's key is read there.
            format!("combine:asked:{digest}:{}", plain.trim_start_matches("combine").trim_start_matches(':'))
        }
    }
}

fn digest<'text>(parts: impl IntoIterator<Item = &'text str>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let mut digits = hex::encode(hasher.finalize());
    digits.truncate(DIGITS);
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_kept_apart() {
        assert_eq!(digest(["a", "b"]), digest(["a", "b"]));
        assert_ne!(digest(["ab", ""]), digest(["a", "b"]));
        assert_eq!(digest(["a"]).len(), DIGITS);
    }
}
