//! `cargo xtask sizes`: no type of a run is larger than one head holds, the conductor and the front ends do not grow beyond their
//! lines, and no file of Rust has more than 600 lines ([`files`]).
//!
//! A struct has so many fields, a type so many methods, and its `impl` blocks stand in so few files. What is larger today is
//! named with its size: it may shrink, and then its entry shrinks with it, and never grow. Tests do not count, nor do
//! implementations of traits.

mod files;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use crate::links::Repository;
use crate::tokens::{entries, ident, is_punct, is_test, past_item};

/// The crates whose types are measured, each with the lines of code that it may have, if there is a limit.
const CRATES: &[(&str, Option<usize>)] =
    &[("conductor/src", Some(14_670)), ("questions/src", None), ("scheduler/src", None)];

/// Lines of a front end with its tests, at most: a folder without the one below it that is named apart.
const FRONT_ENDS: &[(&str, Option<&str>, usize)] =
    &[("app", Some("src/desktop"), 8_000), ("app/src/desktop", None, 36_000)];

/// How large something is, or may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Size {
    fields: usize,
    methods: usize,
    files: usize,
}

const MOST: Size = Size { fields: 15, methods: 40, files: 3 };

/// What is larger today.
const LARGER: &[(&str, Size)] = &[];

/// What is known of a type.
#[derive(Debug, Default)]
struct Type {
    fields: usize,
    methods: usize,
    files: BTreeSet<String>,
}

impl Type {
    fn size(&self) -> Size {
        Size { fields: self.fields, methods: self.methods, files: self.files.len() }
    }
}

/// The types of a crate, and the lines of it that hold code.
#[derive(Debug, Default)]
struct Measured {
    types: BTreeMap<String, Type>,
    lines: usize,
}

impl Measured {
    fn read(root: &Path, sources: &str) -> Result<Self, String> {
        let mut measured = Self::default();
        let mut folders = vec![root.join(sources)];
        while let Some(folder) = folders.pop() {
            let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
            for entry in std::fs::read_dir(&folder).map_err(failed)? {
                let path = entry.map_err(failed)?.path();
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                if path.is_dir() && name != "tests" {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") && !is_of_tests(&name) {
                    let text = std::fs::read_to_string(&path)
                        .map_err(|error| format!("{}: {error}", path.display()))?;
                    let file = path.strip_prefix(root.join(sources)).unwrap_or(&path).display().to_string();
                    measured.file(&file, &text)?;
                }
            }
        }
        Ok(measured)
    }

    fn file(&mut self, file: &str, text: &str) -> Result<(), String> {
        let stream: TokenStream = text.parse().map_err(|error| format!("{file}: {error}"))?;
        let mut lines = BTreeSet::new();
        self.scan(file, stream, &mut lines);
        self.lines += lines.len();
        Ok(())
    }

    fn scan(&mut self, file: &str, stream: TokenStream, lines: &mut BTreeSet<usize>) {
        let tokens: Vec<TokenTree> = stream.into_iter().collect();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            if is_punct(Some(token), '#') {
                let attribute = at + 1 + usize::from(is_punct(tokens.get(at + 1), '!'));
                if let Some(TokenTree::Group(group)) = tokens.get(attribute) {
                    if is_test(group) {
                        at = past_item(&tokens, attribute + 1);
                        continue;
                    }
                    // A comment is an attribute to the compiler.
                    if ident(group.stream().into_iter().next().as_ref()).as_deref() == Some("doc") {
                        at = attribute + 1;
                        continue;
                    }
                }
            }
            lines.insert(token.span().start().line);
            match token {
                TokenTree::Ident(word) if word == "struct" => self.structure(&tokens[at + 1..]),
                TokenTree::Ident(word) if word == "impl" && begins_item(&tokens[..at]) => {
                    self.implementation(file, &tokens[at + 1..]);
                }
                TokenTree::Group(group) => {
                    lines.insert(group.span_close().end().line);
                    self.scan(file, group.stream(), lines);
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// What follows `struct`.
    fn structure(&mut self, tokens: &[TokenTree]) {
        let Some(name) = ident(tokens.first()) else { return };
        if let Some(body) = body(tokens) {
            let fields = entries(&body).iter().filter(|entry| !is_rest_of_a_type(entry)).count();
            self.types.entry(name).or_default().fields = fields;
        }
    }

    /// What follows `impl`, if that is of no trait.
    fn implementation(&mut self, file: &str, tokens: &[TokenTree]) {
        let Some(body) = body(tokens) else { return };
        let head: Vec<&TokenTree> = tokens
            .iter()
            .take_while(|token| !matches!(token, TokenTree::Group(group) if is_body(group)))
            .collect();
        let words: Vec<String> = outside_brackets(&head);
        if words.iter().any(|word| word == "for") {
            return;
        }
        let Some(name) = words.iter().take_while(|word| *word != "where").last() else { return };
        let methods =
            body.stream().into_iter().filter(|token| ident(Some(token)).as_deref() == Some("fn")).count();
        let known = self.types.entry(name.clone()).or_default();
        known.methods += methods;
        known.files.insert(file.to_owned());
    }

    fn problems(&self, folder: &str, larger: &[(&str, Size)], most_lines: Option<usize>) -> Vec<String> {
        let mut problems = Vec::new();
        for (name, known) in &self.types {
            let (size, allowed) = (known.size(), larger.iter().find(|(other, _)| other == name));
            let most = allowed.map_or(MOST, |(_, size)| *size);
            if size.fields > most.fields || size.methods > most.methods || size.files > most.files {
                problems.push(format!("{name} has grown: {size:?}, and at most {most:?} is allowed"));
            } else if allowed.is_some_and(|(_, allowed)| largest(size) != *allowed) {
                problems.push(format!("{name} has shrunk to {:?}: lower its entry in LARGER", largest(size)));
            }
        }
        let lost = larger.iter().filter(|(name, _)| !self.types.contains_key(*name));
        problems.extend(lost.map(|(name, _)| format!("LARGER names {name}, which is no type of {folder}")));
        if let Some(most) = most_lines.filter(|most| self.lines > *most) {
            problems
                .push(format!("{folder} has {} lines of code, and at most {most} are allowed", self.lines));
        }
        problems
    }
}

/// A size as an entry has it: what is within the limit stands at the limit.
fn largest(size: Size) -> Size {
    Size {
        fields: size.fields.max(MOST.fields),
        methods: size.methods.max(MOST.methods),
        files: size.files.max(MOST.files),
    }
}

fn is_of_tests(name: &str) -> bool {
    name == "tests.rs" || name == "testing.rs" || name.ends_with("_tests.rs")
}

fn is_body(group: &Group) -> bool {
    group.delimiter() == Delimiter::Brace
}

/// Whether an item begins after these tokens: `impl` stands before the type of an argument, too.
fn begins_item(before: &[TokenTree]) -> bool {
    match before.last() {
        None => true,
        Some(TokenTree::Group(group)) => group.delimiter() != Delimiter::Parenthesis,
        Some(TokenTree::Punct(punct)) => punct.as_char() == ';',
        Some(TokenTree::Ident(word)) => word == "unsafe",
        Some(TokenTree::Literal(_)) => false,
    }
}

/// The braces of an item, if it has any before its end.
fn body(tokens: &[TokenTree]) -> Option<Group> {
    let mut rest = tokens.iter().take_while(|token| !is_punct(Some(token), ';'));
    rest.find_map(|token| match token {
        TokenTree::Group(group) if is_body(group) => Some(group.clone()),
        _ => None,
    })
}

/// Commas stand between the parameters of a type, too: what they cut off has no colon after its first word.
fn is_rest_of_a_type(entry: &[TokenTree]) -> bool {
    !entry.iter().enumerate().any(|(at, token)| {
        is_punct(Some(token), ':')
            && !is_punct(entry.get(at + 1), ':')
            && (at == 0 || !is_punct(entry.get(at - 1), ':'))
    })
}

/// The words that stand in no angle brackets.
fn outside_brackets(tokens: &[&TokenTree]) -> Vec<String> {
    let (mut depth, mut words) = (0_u32, Vec::new());
    for token in tokens {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '<' => depth += 1,
            TokenTree::Punct(punct) if punct.as_char() == '>' => depth = depth.saturating_sub(1),
            TokenTree::Ident(word) if depth == 0 => words.push(word.to_string()),
            _ => {}
        }
    }
    words
}

/// The lines of Rust below a folder, but for those below `except`.
fn lines_below(folder: &Path, except: Option<&Path>) -> Result<usize, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut lines = 0;
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if Some(path.as_path()) == except {
            continue;
        }
        if path.is_dir() {
            lines += lines_below(&path, except)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).map_err(failed)?;
            lines += text.lines().count();
        }
    }
    Ok(lines)
}

fn front_ends(root: &Path) -> Result<Vec<String>, String> {
    let mut problems = Vec::new();
    for (folder, except, most) in FRONT_ENDS {
        let folder = root.join(folder);
        let lines = lines_below(&folder, except.map(|except| folder.join(except)).as_deref())?;
        if lines > *most {
            let folder = folder.display();
            problems.push(format!("{folder} has {lines} lines, and at most {most} are allowed"));
        }
    }
    Ok(problems)
}

/// Checks the repository at `root`.
pub fn run(root: &Path) -> Result<(), Vec<String>> {
    let mut problems = Vec::new();
    for (folder, most_lines) in CRATES {
        let measured = Measured::read(root, folder).map_err(|error| vec![error])?;
        problems.extend(measured.problems(folder, LARGER, *most_lines));
    }
    problems.extend(front_ends(root).map_err(|error| vec![error])?);
    problems.extend(files::problems(&Repository::read(root).map_err(|error| vec![error])?));
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// Prints what is larger than the limit, and how many lines there are; then checks as `run` does.
pub fn print(root: &Path) -> Result<(), Vec<String>> {
    for (folder, _) in CRATES {
        let measured = Measured::read(root, folder).map_err(|error| vec![error])?;
        println!("{folder}: {} lines of code", measured.lines);
        for (name, known) in &measured.types {
            let size = largest(known.size());
            if size != MOST {
                println!("  {name}: {size:?}");
            }
        }
    }
    run(root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_type_and_no_crate_has_grown() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        if let Err(problems) = run(&root) {
            panic!("{}", problems.join("\n"));
        }
    }

    fn measured(text: &str) -> Measured {
        let mut measured = Measured::default();
        measured.file("a.rs", text).unwrap();
        measured
    }

    #[test]
    fn lines_are_counted_below_a_folder_but_for_one_that_is_named_apart() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("src/window")).unwrap();
        for (name, text) in
            [("a.rs", "1\n2\n"), ("src/b.rs", "3\n"), ("src/window/c.rs", "4\n"), ("d.md", "5\n")]
        {
            std::fs::write(root.join(name), text).unwrap();
        }
        assert_eq!(lines_below(root, None), Ok(4));
        assert_eq!(lines_below(root, Some(&root.join("src/window"))), Ok(3));
    }

    #[test]
    fn fields_methods_and_lines_are_counted_without_those_of_tests_and_traits() {
        let text = "
            /// A desk.
            pub struct Bench<'a, T> {
                /// By name.
                pub by_name: HashMap<String, Vec<T>>,
                place: (u32, u32), // the second
                path: std::path::PathBuf,
                of: &'a str,
            }
            impl<'a, T: Into<String>> Bench<'a, T> where T: Clone {
                pub fn open(&self) { fn inner() {} }
                async fn close(&self) {}
            }
            impl<T> std::fmt::Debug for Bench<'_, T> { fn fmt(&self) {} }
            #[cfg(test)]
            mod tests { impl Bench { fn other() {} } }
        ";
        let measured = measured(text);
        assert_eq!(measured.types["Bench"].size(), Size { fields: 4, methods: 2, files: 1 });
        assert_eq!(measured.lines, 11);
    }

    #[test]
    fn what_grows_is_a_problem_and_so_is_an_entry_for_what_has_shrunk() {
        let fields = |count: usize| {
            let fields = (0..count).map(|at| format!("field_{at}: u32")).collect::<Vec<_>>().join(", ");
            measured(&format!("struct Run {{ {fields} }}"))
        };
        let allowed = [("Run", Size { fields: 20, ..MOST })];
        assert!(
            fields(15).problems("src", &[], Some(9)).is_empty()
                && fields(20).problems("src", &allowed, Some(9)).is_empty()
        );
        assert!(fields(16).problems("src", &[], Some(9))[0].contains("grown"));
        assert!(fields(21).problems("src", &allowed, Some(9))[0].contains("grown"));
        assert!(fields(19).problems("src", &allowed, Some(9))[0].contains("shrunk"));
        assert!(measured("").problems("src", &allowed, Some(9))[0].contains("no type"));
        assert!(fields(1).problems("src", &[], Some(0))[0].contains("1 lines of code"));
    }
}
