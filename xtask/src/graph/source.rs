//! Which top-level modules of a crate name which: the paths from `crate`, `super` and `self` in its sources.
//!
//! The sources are read as tokens. So a path counts wherever it stands: in code, in the arguments of a macro, in its rules,
//! in an attribute. Children belong to their top-level module; items for tests alone are skipped. A name that the root
//! re-exports stands for the module that the root has it from.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::edges::Edges;
use crate::tokens::{entries, ident, is_path_separator, is_public, is_punct, is_test, past_item, text_of};

/// The edges between the top-level modules of the crate in `folder`. What its root file itself holds is a node of that
/// file's name.
pub fn read(root: &Path, folder: &str) -> Result<Edges, String> {
    let (file, name) = ["lib.rs", "main.rs"]
        .map(|name| (format!("{folder}/src/{name}"), name))
        .into_iter()
        .find(|(file, _)| root.join(file).exists())
        .ok_or_else(|| format!("{folder}/src has neither lib.rs nor main.rs"))?;
    let mut reader = Reader { root, file, crate_root: name, ..Reader::default() };
    let tokens = reader.tokens()?;
    reader.scan(&Module::default(), &format!("{folder}/src"), tokens, false)?;
    Ok(reader.edges())
}

/// The names from the top-level module down. Empty for the root.
type Module = Vec<String>;

/// What a module names, as it stands there.
enum Named {
    /// A path from the root of the crate begins with it.
    FromRoot(String),
    /// A word in the root, followed by `::` or not.
    InRoot(String, bool),
    /// A macro is called.
    Macro(String),
}

struct Reference {
    /// `None` for the root.
    module: Option<String>,
    named: Named,
    place: String,
}

struct Reader<'a> {
    root: &'a Path,
    /// The file that is read now, relative to `root`.
    file: String,
    crate_root: &'static str,
    modules: BTreeSet<String>,
    /// A name that the root imports, and with what its path begins.
    imports: BTreeMap<String, String>,
    /// The modules that define a macro of that name.
    macros: BTreeMap<String, BTreeSet<String>>,
    references: Vec<Reference>,
}

impl Default for Reader<'_> {
    fn default() -> Self {
        Self {
            root: Path::new("."),
            file: String::new(),
            crate_root: "lib.rs",
            modules: BTreeSet::new(),
            imports: BTreeMap::new(),
            macros: BTreeMap::new(),
            references: Vec::new(),
        }
    }
}

impl Reader<'_> {
    fn edges(&self) -> Edges {
        let mut edges = Edges::default();
        for module in &self.modules {
            edges.add_node(module);
        }
        for reference in &self.references {
            let from = reference.module.as_deref().unwrap_or(self.crate_root);
            let to = match &reference.named {
                Named::FromRoot(name) => self.module_of(name),
                Named::InRoot(name, before_path) => {
                    let is_module = *before_path && self.modules.contains(name);
                    if is_module || self.imports.contains_key(name) { self.module_of(name) } else { None }
                }
                Named::Macro(name) => {
                    let defined = self.macros.get(name).filter(|modules| !modules.contains(from));
                    defined.and_then(|modules| modules.first()).map(String::as_str)
                }
            };
            if let Some(to) = to {
                edges.add(from, to, reference.place.clone());
            }
        }
        edges
    }

    /// Where a name of the root comes from: a module, the root itself, or `None` for another crate.
    fn module_of<'s>(&'s self, name: &'s str) -> Option<&'s str> {
        if self.modules.contains(name) {
            return Some(name);
        }
        if let Some(modules) = self.macros.get(name) {
            return modules.first().map(String::as_str);
        }
        match self.imports.get(name) {
            Some(first) if first == name => None,
            Some(first) if self.modules.contains(first) || self.imports.contains_key(first) => {
                self.module_of(first)
            }
            Some(_) => None,
            None => Some(self.crate_root),
        }
    }

    fn tokens(&self) -> Result<TokenStream, String> {
        let text = std::fs::read_to_string(self.root.join(&self.file))
            .map_err(|error| format!("{}: {error}", self.file))?;
        text.parse().map_err(|error| format!("{}: {error}", self.file))
    }

    fn refer(&mut self, module: &Module, named: Named, line: usize) {
        let place = format!("{}:{line}", self.file);
        self.references.push(Reference { module: module.first().cloned(), named, place });
    }

    /// Reads what stands in `module`, whose children lie in the folder `children`. `in_attribute`: a text may be a path.
    fn scan(
        &mut self,
        module: &Module,
        children: &str,
        stream: TokenStream,
        in_attribute: bool,
    ) -> Result<(), String> {
        let tokens: Vec<TokenTree> = stream.into_iter().collect();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let line = token.span().start().line;
            match token {
                TokenTree::Punct(punct) if punct.as_char() == '#' => {
                    let inner = is_punct(tokens.get(at + 1), '!');
                    let attribute = at + 1 + usize::from(inner);
                    if let Some(TokenTree::Group(group)) = tokens.get(attribute)
                        && group.delimiter() == Delimiter::Bracket
                    {
                        if is_test(group) {
                            if inner {
                                return Ok(());
                            }
                            at = past_item(&tokens, attribute + 1);
                            continue;
                        }
                        match ident(group.stream().into_iter().next().as_ref()).as_deref() {
                            // A file of another folder: of none of the crate's modules.
                            Some("path") => {
                                at = past_item(&tokens, attribute + 1);
                                continue;
                            }
                            Some("doc") => {}
                            _ => self.scan(module, children, group.stream(), true)?,
                        }
                        at = attribute;
                    }
                }
                TokenTree::Group(group) => {
                    // What an item is visible to is no use of it.
                    let visibility = group.delimiter() == Delimiter::Parenthesis
                        && at > 0
                        && ident(tokens.get(at - 1)).as_deref() == Some("pub");
                    if !visibility {
                        self.scan(module, children, group.stream(), in_attribute)?;
                    }
                }
                TokenTree::Literal(literal) => {
                    if let Some(path) = text_of(literal).filter(|_| in_attribute)
                        && let Ok(stream) = path.parse::<TokenStream>()
                    {
                        let path: Vec<TokenTree> = stream.into_iter().collect();
                        self.path(module, module, &path, line)?;
                    }
                }
                TokenTree::Ident(word) => at = self.word(module, children, &tokens, at, &word.to_string())?,
                TokenTree::Punct(_) => {}
            }
            at += 1;
        }
        Ok(())
    }

    /// Reads what begins with the word at `at`. Returns the place of the last token that it read.
    fn word(
        &mut self,
        module: &Module,
        children: &str,
        tokens: &[TokenTree],
        at: usize,
        word: &str,
    ) -> Result<usize, String> {
        let line = tokens[at].span().start().line;
        let next = ident(tokens.get(at + 1));
        match word {
            "mod" => {
                let Some(name) = next else { return Ok(at) };
                match tokens.get(at + 2) {
                    Some(TokenTree::Punct(punct)) if punct.as_char() == ';' => {
                        self.child_in_file(module, children, &name)?;
                    }
                    Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                        self.child(module, &name, &format!("{children}/{name}"), group.stream())?;
                    }
                    _ => return Ok(at),
                }
                Ok(at + 2)
            }
            "crate" | "super" | "self" if is_path_separator(tokens, at + 1) => {
                let read = self.path(module, module, &tokens[at..], line)?;
                Ok(at + read - 1)
            }
            "use" if module.is_empty() => {
                let end = tokens[at..]
                    .iter()
                    .position(|token| is_punct(Some(token), ';'))
                    .map_or(tokens.len(), |length| at + length);
                self.import(&tokens[at + 1..end], None)?;
                // A re-export is no use of the module that it stands for.
                Ok(if is_public(tokens, at) { end } else { at })
            }
            "macro_rules" if is_punct(tokens.get(at + 1), '!') => {
                if let (Some(name), Some(top)) = (ident(tokens.get(at + 2)), module.first()) {
                    self.macros.entry(name).or_default().insert(top.clone());
                }
                Ok(at)
            }
            _ => {
                let is_first =
                    at == 0 || !(is_punct(tokens.get(at - 1), ':') || is_punct(tokens.get(at - 1), '.'));
                if is_first && is_punct(tokens.get(at + 1), '!') {
                    self.refer(module, Named::Macro(word.to_owned()), line);
                } else if is_first && module.is_empty() {
                    self.refer(
                        module,
                        Named::InRoot(word.to_owned(), is_path_separator(tokens, at + 1)),
                        line,
                    );
                }
                Ok(at)
            }
        }
    }

    fn child_in_file(&mut self, module: &Module, children: &str, name: &str) -> Result<(), String> {
        let folder = format!("{children}/{name}");
        let file = [format!("{folder}.rs"), format!("{folder}/mod.rs")]
            .into_iter()
            .find(|file| self.root.join(file).exists())
            .ok_or_else(|| format!("{}: no file holds the module {name}", self.file))?;
        let parent = std::mem::replace(&mut self.file, file);
        let tokens = self.tokens()?;
        self.child(module, name, &folder, tokens)?;
        self.file = parent;
        Ok(())
    }

    fn child(
        &mut self,
        module: &Module,
        name: &str,
        children: &str,
        tokens: TokenStream,
    ) -> Result<(), String> {
        if module.is_empty() {
            self.modules.insert(name.to_owned());
        }
        let mut child = module.clone();
        child.push(name.to_owned());
        self.scan(&child, children, tokens, false)
    }

    /// Reads the path that `tokens` begin with, which stands in `module` and starts from `base`. Returns how many tokens
    /// it read, at least one.
    fn path(
        &mut self,
        module: &Module,
        base: &Module,
        tokens: &[TokenTree],
        line: usize,
    ) -> Result<usize, String> {
        let mut base = base.clone();
        let mut at = 0;
        while let Some(step @ ("crate" | "super" | "self")) = ident(tokens.get(at)).as_deref() {
            if !is_path_separator(tokens, at + 1) {
                return Ok(at.max(1));
            }
            match step {
                "crate" => base.clear(),
                "super" => drop(base.pop()),
                _ => {}
            }
            at += 3;
        }
        if at == 0 {
            return Ok(1);
        }
        if let Some(top) = base.first() {
            self.refer(module, Named::FromRoot(top.clone()), line);
            return Ok(at + 1);
        }
        match tokens.get(at) {
            Some(TokenTree::Group(group)) => {
                for entry in entries(group) {
                    let line = entry[0].span().start().line;
                    match ident(entry.first()) {
                        Some(name) if name == "super" => drop(self.path(module, &base, &entry, line)?),
                        Some(name) if name != "self" => self.refer(module, Named::FromRoot(name), line),
                        _ => return Err(self.names_all(line)),
                    }
                }
            }
            Some(TokenTree::Ident(name)) => self.refer(module, Named::FromRoot(name.to_string()), line),
            _ => return Err(self.names_all(line)),
        }
        Ok(at + 1)
    }

    fn names_all(&self, line: usize) -> String {
        format!(
            "{}:{line}: names everything in the root of the crate, so that nobody sees what it uses",
            self.file
        )
    }

    /// Notes the names that a `use` in the root brings there. `first`: with what the path around `tree` begins.
    fn import(&mut self, tree: &[TokenTree], first: Option<&str>) -> Result<(), String> {
        let mut first = first.map(str::to_owned);
        let mut last = None;
        let mut at = 0;
        while let Some(token) = tree.get(at) {
            match token {
                TokenTree::Ident(word) if word == "as" => {
                    last = ident(tree.get(at + 1));
                    at += 1;
                }
                TokenTree::Ident(word) => {
                    let word = word.to_string();
                    // `{self}` at the end is the name before it, which the root can only import as it is.
                    if first.is_none() && word != "crate" && word != "self" {
                        first = Some(word.clone());
                    }
                    last = Some(word);
                }
                TokenTree::Group(group) => {
                    for entry in entries(group) {
                        self.import(&entry, first.as_deref())?;
                    }
                    return Ok(());
                }
                TokenTree::Punct(punct) if punct.as_char() == '*' => {
                    if first.as_ref().is_some_and(|first| self.modules.contains(first)) {
                        let line = punct.span().start().line;
                        return Err(format!(
                            "{}:{line}: the root re-exports everything of a module, so that nobody sees what",
                            self.file
                        ));
                    }
                    return Ok(());
                }
                _ => {}
            }
            at += 1;
        }
        if let (Some(first), Some(last)) = (first, last) {
            self.imports.insert(last, first);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
