//! How long files of Rust are. What holds two ideas in one file is hard to find things in.

use crate::links::{Repository, is_a};

/// Lines of a file, at most.
const MOST_LINES: usize = 600;

/// What is longer today: it may only shrink.
const LONGER: &[(&str, usize)] = &[("conductor/tests/runs/invariants/world.rs", 637)];

/// Files that are too long, and entries that are higher than they need be.
pub fn problems(repository: &Repository) -> Vec<String> {
    problems_beside(repository, LONGER)
}

fn problems_beside(repository: &Repository, longer: &[(&str, usize)]) -> Vec<String> {
    let mut problems = Vec::new();
    for (path, text) in repository.files().filter(|(path, _)| is_a(path, "rs")) {
        let (lines, listed) = (text.lines().count(), longer.iter().find(|(name, _)| *name == path));
        let most = listed.map_or(MOST_LINES, |(_, most)| *most);
        if lines > most {
            problems
                .push(format!("{path} has {lines} lines, and at most {most} are allowed: split it by idea"));
        } else if listed.is_some() && lines < most {
            let now = if lines > MOST_LINES {
                format!("lower its entry to {lines}")
            } else {
                "remove its entry".into()
            };
            problems.push(format!("{path} has shrunk to {lines} lines: {now} in LONGER"));
        }
    }
    let lost = longer.iter().filter(|(path, _)| repository.text(path).is_none());
    problems.extend(lost.map(|(path, _)| format!("LONGER names {path}, which is no file")));
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_is_refused_unless_it_is_listed_and_has_not_grown() {
        let of = |lines: usize| "//\n".repeat(lines);
        let found = |lines: usize, listed: &[(&str, usize)]| {
            problems_beside(&Repository::of(&[("a.rs", &of(lines)), ("a.md", &of(9_000))]), listed)
        };
        assert!(found(600, &[]).is_empty());
        assert_eq!(found(601, &[]), ["a.rs has 601 lines, and at most 600 are allowed: split it by idea"]);
        assert!(found(650, &[("a.rs", 650)]).is_empty());
        assert!(found(651, &[("a.rs", 650)])[0].contains("at most 650"));
        assert!(found(620, &[("a.rs", 650)])[0].contains("lower its entry to 620"));
        assert!(found(599, &[("a.rs", 650)])[0].contains("remove its entry"));
        assert_eq!(found(1, &[("b.rs", 650)]), ["LONGER names b.rs, which is no file"]);
    }
}
