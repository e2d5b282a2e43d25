//! Relative links of Markdown files: the file exists, and so does the heading where an anchor is given.

use super::document::lines;
use super::repository::{Repository, relative};
use super::{is_a, is_seed};

/// The broken links of all Markdown files but the source documents.
pub fn problems(repository: &Repository) -> Vec<String> {
    let mut problems = Vec::new();
    for (path, text) in repository.files().filter(|(path, _)| is_a(path, "md") && !is_seed(path)) {
        for (number, line, _) in lines(text).filter(|(_, _, fenced)| !fenced) {
            for target in targets(line) {
                if let Some(problem) = problem(repository, path, &target) {
                    problems.push(format!("{path}:{number}: {problem}"));
                }
            }
        }
    }
    problems
}

/// What is wrong with a link from the file `from` to `target`.
fn problem(repository: &Repository, from: &str, target: &str) -> Option<String> {
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let file = if file.is_empty() { Some(from.to_owned()) } else { relative(from, file) };
    let Some(file) = file.filter(|file| repository.contains(file)) else {
        return Some(format!("the link to {target} leads nowhere"));
    };
    let has_heading =
        || repository.document(&file).is_some_and(|to| to.anchors().iter().any(|name| name == anchor));
    (!anchor.is_empty() && is_a(&file, "md") && !has_heading())
        .then(|| format!("the link to {target} names a heading that {file} does not have"))
}

/// The relative targets of the inline links, images and link definitions of a line.
fn targets(line: &str) -> Vec<String> {
    // Code is no link.
    let prose: String =
        line.split('`').enumerate().map(|(at, part)| if at % 2 == 0 { part } else { "" }).collect();
    let inline = prose.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    let defined = prose.strip_prefix('[').and_then(|rest| rest.split_once("]: ")).map(|(_, target)| target);
    inline
        .chain(defined)
        .filter_map(|target| target.split_whitespace().next())
        .filter(|target| !target.contains("://") && !target.starts_with("mailto:"))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_to_a_missing_file_or_heading_is_found() {
        let repository = Repository::of(&[
            (
                "docs/map.md",
                "# Map\n\n[up](../README.md#three-commands) [gone](gone.md)\n[folder](decisions)\n",
            ),
            ("docs/decisions/0001-a.md", "[map](../map.md#atlas) ![p](../p.png \"A\") `[no](link.md)`\n"),
            ("docs/p.png", ""),
            (
                "README.md",
                "## Three commands\n[web](https://x.org/y.md) [here](#three-commands)\n```\n[x](y)\n```\n[out](../z)\n",
            ),
        ]);
        assert_eq!(
            problems(&repository),
            [
                "README.md:6: the link to ../z leads nowhere",
                "docs/decisions/0001-a.md:1: the link to ../map.md#atlas names a heading that docs/map.md does not have",
                "docs/map.md:3: the link to gone.md leads nowhere",
            ]
        );
    }
}
