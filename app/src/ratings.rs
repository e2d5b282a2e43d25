//! What people thought of answers: one JSON line per rating in `feedback.jsonl`.

use std::io::Write as _;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// A rating of an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rating {
    /// The answer's run.
    pub run_id: String,
    /// 1 to 5.
    pub stars: Option<u8>,
    /// Up or down.
    pub thumbs_up: Option<bool>,
    /// In words.
    pub comment: String,
}

impl Rating {
    /// Whether it says anything, within what can be said.
    pub fn check(&self) -> Result<(), String> {
        if self.stars.is_some_and(|stars| !(1..=5).contains(&stars)) {
            return Err("stars: 1 to 5".to_owned());
        }
        if self.stars.is_none() && self.thumbs_up.is_none() && self.comment.trim().is_empty() {
            return Err("a rating has stars, thumbs_up or a comment".to_owned());
        }
        Ok(())
    }
}

/// Adds a rating. Blocks.
pub fn keep(path: &Path, rating: &Rating) -> std::io::Result<()> {
    let at_unix_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    let Rating { run_id, stars, thumbs_up, comment } = rating;
    let line = serde_json::json!({
        "run_id": run_id, "at_unix_ms": u64::try_from(at_unix_ms).unwrap_or(u64::MAX),
        "stars": stars, "thumbs_up": thumbs_up, "comment": comment,
    });
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(format!("{line}\n").as_bytes())
}
