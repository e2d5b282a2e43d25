//! The guide's page of error messages: each message stands in the code, so that a search for it finds the page.

use super::is_a;
use super::repository::Repository;

/// Rows of its tables begin with a message as code, in which `…` stands for anything.
const PAGE: &str = "docs/guide/src/troubleshooting.md";

/// The messages that no file of the program holds.
pub fn problems(repository: &Repository) -> Vec<String> {
    let sources: Vec<String> = repository
        .files()
        .filter(|(path, _)| is_a(path, "rs") && !path.contains("tests"))
        .map(|(_, text)| literals_joined(text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default()))
        .collect();
    let page = repository.text(PAGE).unwrap_or_default();
    let rows = page.lines().enumerate().filter_map(|(at, line)| Some((at + 1, line.strip_prefix("| `")?)));
    rows.filter_map(|(number, row)| {
        let (message, _) = row.split_once('`')?;
        let is_said = sources.iter().any(|source| says(source, message));
        (!is_said).then(|| format!("{PAGE}:{number}: no code says `{message}`"))
    })
    .collect()
}

/// Whether the pieces between the `…` of a message stand in this order in one file.
fn says(source: &str, message: &str) -> bool {
    let mut rest = source;
    message.split('…').map(str::trim).all(|piece| match rest.split_once(piece) {
        Some((_, behind)) => {
            rest = behind;
            true
        }
        None => false,
    })
}

/// The text with string literals that go on in the next line in one.
fn literals_joined(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut goes_on = false;
    for line in text.lines() {
        let line = if goes_on { line.trim_start() } else { line };
        goes_on = line.ends_with('\\');
        joined.push_str(line.strip_suffix('\\').unwrap_or(line));
        if !goes_on {
            joined.push('\n');
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_no_code_says_is_found() {
        let code = "fn f() { format!(\"no answer: {} of {whole} parts \\\n            failed ({why})\") }\n\
                    #[cfg(test)]\nmod tests { \"only here\" }";
        let page = "| message | what to do |\n|---|---|\n| `no answer: … of … parts failed …` | a |\n| `only here` | b |\n| `parts … no answer` | c |\n";
        let repository = Repository::of(&[("app/src/a.rs", code), (PAGE, page)]);
        assert_eq!(
            problems(&repository),
            [4, 5].map(|line| {
                let message = if line == 4 { "only here" } else { "parts … no answer" };
                format!("{PAGE}:{line}: no code says `{message}`")
            })
        );
    }
}
