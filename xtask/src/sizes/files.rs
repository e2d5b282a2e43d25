//! How long files of Rust are. What holds two ideas in one file is hard to find things in.

use crate::links::{Repository, is_a};

/// Lines of a file, at most.
const MOST_LINES: usize = 600;

/// Files that are too long.
pub fn problems(repository: &Repository) -> Vec<String> {
    let files = repository.files().filter(|(path, _)| is_a(path, "rs"));
    let lines = files.map(|(path, text)| (path, text.lines().count()));
    lines
        .filter(|(_, lines)| *lines > MOST_LINES)
        .map(|(path, lines)| {
            format!("{path} has {lines} lines, and at most {MOST_LINES} are allowed: split it by idea")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_of_rust_is_refused() {
        let found = |lines: usize| {
            problems(&Repository::of(&[("a.rs", &"//\n".repeat(lines)), ("a.md", &"\n".repeat(9_000))]))
        };
        assert!(found(600).is_empty());
        assert_eq!(found(601), ["a.rs has 601 lines, and at most 600 are allowed: split it by idea"]);
    }
}
