//! `cargo xtask links`: every link, citation and explained message of this repository names something that exists.
//!
//! - `markdown`: relative links of Markdown files, and their anchors
//! - `citations`: documents, sections and quotes that comments and documents cite
//! - `messages`: messages that the guide explains, against the code
//! - `seed_table`: `docs/seeds.md` against the source documents, the code and the tests
//! - `money_table`: who can lose what, in `docs/money.md`, against the tests
//! - `document`: headings, sections and quotes of one Markdown file
//! - `repository`: the tracked files and their text

mod citations;
mod document;
mod markdown;
mod messages;
mod money_table;
mod repository;
mod seed_table;

use std::path::Path;

pub use repository::{Repository, relative};

/// The folder of the source documents. They are kept as given, so links inside them are not checked.
const SEEDS: &str = "docs/seeds/";

/// Checks the tracked files of the repository at `root`. Each problem names its file and line.
pub fn run(root: &Path) -> Result<(), Vec<String>> {
    let repository = Repository::read(root).map_err(|error| vec![error])?;
    let mut problems = markdown::problems(&repository);
    problems.extend(citations::problems(&repository));
    problems.extend(messages::problems(&repository));
    problems.extend(seed_table::problems(&repository));
    problems.extend(money_table::problems(&repository));
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// Whether `path` is one of the five source documents.
pub fn is_seed(path: &str) -> bool {
    path.starts_with(SEEDS) && !path.ends_with("README.md")
}

/// Whether `path` ends in `.extension`.
pub fn is_a(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|found| found == extension)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    #[test]
    fn links_and_citations_of_this_repository_name_what_exists() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        if let Err(problems) = super::run(&root) {
            panic!("{} problems:\n{}", problems.len(), problems.join("\n"));
        }
    }
}
