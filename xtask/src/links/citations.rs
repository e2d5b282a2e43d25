//! Citations in comments and documents: a file, then the places in it that are meant.
//!
//! The file is looked for from the root, from `docs/`, `docs/seeds/` and `docs/decisions/`, and from the folder of
//! the file that cites it. What follows it, as long as it is a section, a numbered thing ("step 4") or a quote, has
//! to be in that file; quotes after a section, in that section. So does a quote in front of "(FILE, section N)".
//! Rust files that documents name in backticks have to exist, too. Records of decisions may name what is gone.

use super::document::{Document, lines, says};
use super::repository::{Repository, relative};
use super::{is_a, is_seed};

/// A file that is cited, and the places in it that are named.
#[derive(Debug, PartialEq)]
struct Citation {
    /// Byte offset in the text that cites.
    at: usize,
    file: String,
    places: Vec<Place>,
}

#[derive(Debug, PartialEq)]
enum Place {
    /// "section 3.2"
    Section(String),
    /// "function 7", "step 4"
    Numbered(String, String),
    /// Between quotation marks or backticks.
    Quote(String),
}

/// The citations of all comments and documents that name what does not exist.
pub fn problems(repository: &Repository) -> Vec<String> {
    let mut problems = Vec::new();
    for (path, text) in repository.files().filter(|(path, _)| !is_seed(path)) {
        let is_map = is_a(path, "md") && !path.starts_with("docs/decisions/");
        for (first, block) in blocks(path, text) {
            let line = |at: usize| first + block[..at].matches('\n').count();
            for (at, file) in lost_sources(repository, path, &block).filter(|_| is_map) {
                problems.push(format!("{path}:{}: there is no file {file}", line(at)));
            }
            for citation in citations(&block) {
                for problem in wrong(repository, path, &citation) {
                    problems.push(format!("{path}:{}: {problem}", line(citation.at)));
                }
            }
        }
    }
    problems
}

/// The Rust files that a block of the file `path` names by their whole path and that do not exist, each with its offset.
fn lost_sources<'a>(
    repository: &'a Repository,
    path: &'a str,
    block: &'a str,
) -> impl Iterator<Item = (usize, &'a str)> {
    let mut at = 0;
    let names = block.split('`').enumerate().map(move |(number, name)| {
        let start = at;
        at += name.len() + 1;
        (number, start, name)
    });
    let codes = names.filter(|(number, ..)| number % 2 == 1).map(|(_, start, name)| (start, name));
    codes.filter(move |(_, name)| {
        let in_crate = name.split_once('/').is_some_and(|(folder, _)| repository.contains(folder));
        let found = || {
            repository.contains(name) || relative(path, name).is_some_and(|path| repository.contains(&path))
        };
        is_a(name, "rs") && in_crate && !found()
    })
}

/// What a citation in the file `path` names and nobody finds.
fn wrong(repository: &Repository, path: &str, Citation { file, places, .. }: &Citation) -> Vec<String> {
    let roots = ["", "docs/", "docs/seeds/", "docs/decisions/"];
    let found = roots.iter().map(|root| format!("{root}{file}")).chain(relative(path, file));
    let Some(document) = found.into_iter().find_map(|path| repository.document(&path)) else {
        return vec![format!("there is no file {file}")];
    };
    missing(&document, places).into_iter().map(|place| format!("{file} has no {place}")).collect()
}

/// The places that `document` does not have, in words.
fn missing(document: &Document, places: &[Place]) -> Vec<String> {
    let mut missing = Vec::new();
    let mut sections = String::new();
    for place in places {
        match place {
            Place::Section(number) => match document.section(number) {
                Some(text) => sections.push_str(&text),
                None => missing.push(format!("section {number}")),
            },
            Place::Numbered(word, number) if !document.names(word, number) => {
                missing.push(format!("{word} {number}"));
            }
            Place::Quote(quote) if !document.says(quote) => missing.push(format!("\"{quote}\"")),
            Place::Quote(quote) if !sections.is_empty() && !says(&sections, quote) => {
                missing.push(format!("\"{quote}\" in the section that is named"));
            }
            Place::Numbered(..) | Place::Quote(_) => {}
        }
    }
    missing
}

/// The places that a text names first: "3.2 and 4: what …", "`name`, "Title"".
pub fn unknown_places(document: &Document, text: &str) -> Vec<String> {
    let numbers = if document.is_numbered() { numbers(text, true) } else { (Vec::new(), text) };
    let mut places: Vec<Place> = numbers.0.into_iter().map(Place::Section).collect();
    places.extend(read_places(numbers.1));
    missing(document, &places)
}

/// Paragraphs of comments or prose, each with the number of its first line. Marks of comments are gone.
fn blocks(path: &str, text: &str) -> Vec<(usize, String)> {
    let mut blocks: Vec<(usize, String)> = Vec::new();
    let mut last = None;
    let all: Vec<(usize, &str, bool)> = if is_a(path, "md") {
        lines(text).collect()
    } else {
        text.lines().enumerate().map(|(at, line)| (at + 1, line, false)).collect()
    };
    for (number, line, fenced) in all {
        let line = line.trim_start();
        let said = if is_a(path, "rs") {
            line.strip_prefix("//").map(|rest| rest.trim_start_matches(['/', '!']))
        } else {
            Some(line.trim_start_matches(['#', '/']))
        };
        let Some(said) = said.filter(|said| !fenced && !said.trim().is_empty()) else { continue };
        // Rows of a table are paragraphs of their own.
        if last == Some(number - 1) && !line.starts_with('|') {
            if let Some((_, block)) = blocks.last_mut() {
                block.push('\n');
                block.push_str(said);
            }
        } else {
            blocks.push((number, said.to_owned()));
        }
        last = Some(number);
    }
    blocks
}

/// The Markdown files that a text names, but for links and addresses, which are not citations.
fn citations(text: &str) -> Vec<Citation> {
    let mut citations = Vec::new();
    for (end, _) in text.match_indices(".md") {
        let end = end + ".md".len();
        if text[end..].starts_with(|next: char| next.is_alphanumeric() || matches!(next, '/' | '_')) {
            continue;
        }
        let start = text[..end]
            .rfind(|character: char| !in_path(character))
            .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
        let (before, file) = (&text[..start], &text[start..end]);
        if before.ends_with("](") || before.ends_with(':') || file.starts_with(['/', '.']) {
            continue;
        }
        let mut places = read_places(text[end..].strip_prefix('`').unwrap_or(&text[end..]));
        // Without a section the quote may be an example of what the file is about.
        if places.iter().any(|place| matches!(place, Place::Section(_))) {
            places.extend(quote_before(before).map(Place::Quote));
        }
        citations.push(Citation { at: start, file: file.to_owned(), places });
    }
    citations
}

fn in_path(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.' | '/')
}

/// The quote of `"quote" (FILE`.
fn quote_before(before: &str) -> Option<String> {
    let before = before.strip_suffix('(')?.trim_end().strip_suffix('"')?;
    Some(before.rsplit_once('"')?.1.to_owned())
}

/// Sections, numbered things and quotes, up to the first thing that is none of these.
fn read_places(text: &str) -> Vec<Place> {
    let mut places = Vec::new();
    let mut rest = text;
    loop {
        rest =
            rest.trim_start_matches(|character: char| character.is_whitespace() || ",:(".contains(character));
        rest = rest.strip_prefix("and ").unwrap_or(rest);
        if let Some((quote, after)) = quote(rest) {
            if is_a(quote, "md") {
                return places;
            }
            places.push(Place::Quote(quote.trim_end_matches("()").to_owned()));
            rest = after;
            continue;
        }
        let (word, after) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
        let one = word.strip_suffix('s').unwrap_or(word).to_lowercase();
        let known = ["section", "function", "step", "phase", "tier", "scenario"].contains(&one.as_str());
        let (numbers, after) = numbers(after, word.ends_with('s'));
        if !known || numbers.is_empty() {
            return places;
        }
        places.extend(numbers.into_iter().map(|number| match one.as_str() {
            "section" => Place::Section(number),
            _ => Place::Numbered(one.clone(), number),
        }));
        rest = after;
    }
}

/// What stands between the marks that a text begins with, and the rest.
fn quote(text: &str) -> Option<(&str, &str)> {
    let mark = text.chars().next().filter(|first| matches!(first, '"' | '`'))?;
    text[mark.len_utf8()..].split_once(mark)
}

/// The numbers ("3", "2.6") that a text begins with: one, or with `several` a list of them. And the rest.
fn numbers(text: &str, several: bool) -> (Vec<String>, &str) {
    let mut numbers = Vec::new();
    let mut rest = text;
    loop {
        let start = rest.trim_start_matches([' ', '\n', ',']);
        let start = start.strip_prefix("and ").or(start.strip_prefix("to ")).unwrap_or(start).trim_start();
        let end = start.find(|character: char| !character.is_ascii_digit() && character != '.');
        let number = start[..end.unwrap_or(start.len())].trim_end_matches('.');
        if !number.starts_with(|first: char| first.is_ascii_digit()) {
            return (numbers, rest);
        }
        numbers.push(number.to_owned());
        rest = &start[number.len()..];
        if !several {
            return (numbers, rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: &str = "# Seed\n\n## 2. Flow\n\n`derive_rates`\n\n### 2.1 Rates\n\nStep 4: join.\n\n## 3. Verbs\n\nproceed\n";

    fn found(comment: &str) -> Vec<String> {
        let code = comment.lines().fold(String::new(), |code, line| format!("{code}/// {line}\n"));
        let files = [
            ("docs/seeds/flow-block.md", SEED),
            ("docs/design.md", "## 1. Pipeline\n"),
            ("docs/decisions/0001-first.md", "# First\n"),
            ("app/src/main.rs", code.as_str()),
        ];
        problems(&Repository::of(&files))
    }

    #[test]
    fn what_exists_is_cited_without_a_word() {
        for good in [
            "seeds/flow-block.md, section 2, \"Rates\"; design.md, section 1, and what\nno section says",
            "See docs/decisions/0001-first.md, `0001-first.md` and\nflow-block.md, sections 2.1 and\n3: \"proceed\" counts.",
            "(seeds/flow-block.md, `derive_rates()`, step 4.) 7 of <https://x.org/docs/y.md>",
            "\"proceed\" (flow-block.md, section 3). \"How many?\" (flow-block.md).",
        ] {
            assert_eq!(found(good), Vec::<String>::new(), "{good}");
        }
    }

    #[test]
    fn a_wrong_file_section_number_or_quote_is_found() {
        for (bad, said) in [
            ("Seen.\nseeds/flow-blok.md, section 2", "2: there is no file seeds/flow-blok.md"),
            ("docs/decisions/0002-second.md", "1: there is no file docs/decisions/0002-second.md"),
            ("design.md,\nsection 2", "1: design.md has no section 2"),
            ("seeds/flow-block.md, sections 2 and 2.2", "1: seeds/flow-block.md has no section 2.2"),
            ("seeds/flow-block.md, step 5", "1: seeds/flow-block.md has no step 5"),
            ("seeds/flow-block.md, `derive`, `integrate`", "1: seeds/flow-block.md has no \"integrate\""),
            (
                "flow-block.md, section 3: \"Rates\"",
                "1: flow-block.md has no \"Rates\" in the section that is named",
            ),
            ("\"retry\" (flow-block.md, section 3)", "1: flow-block.md has no \"retry\""),
        ] {
            assert_eq!(found(bad), [format!("app/src/main.rs:{said}")], "{bad}");
        }
    }

    #[test]
    fn a_document_that_names_a_lost_source_is_found() {
        let map = "`app/src/a.rs`,\n`app/src/b.rs`, `b.rs` there, `x/y.rs`\n";
        let files = [("docs/map.md", map), ("docs/decisions/0001-a.md", map), ("app/src/a.rs", "")];
        assert_eq!(problems(&Repository::of(&files)), ["docs/map.md:2: there is no file app/src/b.rs"]);
    }

    #[test]
    fn strings_of_the_code_are_no_citations() {
        assert!(problems(&Repository::of(&[("a.rs", "let file = \"notes/gone.md\";\n")])).is_empty());
    }
}
