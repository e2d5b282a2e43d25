//! What tokens next to each other mean in Rust.

use proc_macro2::{Delimiter, Group, Literal, TokenTree};

/// The word, if the token is one.
pub fn ident(token: Option<&TokenTree>) -> Option<String> {
    match token {
        Some(TokenTree::Ident(word)) => Some(word.to_string()),
        _ => None,
    }
}

/// Whether the token is this sign.
pub fn is_punct(token: Option<&TokenTree>, sign: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
}

/// Whether `::` stands at `at`.
pub fn is_path_separator(tokens: &[TokenTree], at: usize) -> bool {
    is_punct(tokens.get(at), ':') && is_punct(tokens.get(at + 1), ':')
}

/// Whether `pub` or `pub(…)` stands before `at`.
pub fn is_public(tokens: &[TokenTree], at: usize) -> bool {
    let is_scope = |token: &&TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis);
    let before = tokens[..at].iter().rev().find(|token| !is_scope(token));
    ident(before).as_deref() == Some("pub")
}

/// The text of a string literal without escapes.
pub fn text_of(literal: &Literal) -> Option<String> {
    let literal = literal.to_string();
    Some(literal.strip_prefix('"')?.strip_suffix('"')?.to_owned())
}

/// What commas separate in a group, without what is empty.
pub fn entries(group: &Group) -> Vec<Vec<TokenTree>> {
    let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
    let entries = tokens.split(|token| is_punct(Some(token), ','));
    entries.filter(|entry| !entry.is_empty()).map(<[TokenTree]>::to_vec).collect()
}

/// Whether an attribute leaves its item out of every build but that of tests: `#[test]`, `#[cfg(test)]`,
/// `#[cfg(doctest)]`, `#[cfg(all(test, …))]`.
pub fn is_test(attribute: &Group) -> bool {
    let tokens: Vec<TokenTree> = attribute.stream().into_iter().collect();
    match (ident(tokens.first()).as_deref(), tokens.get(1)) {
        (Some("test"), None) => true,
        (Some("cfg"), Some(TokenTree::Group(predicate))) => needs_test(predicate),
        _ => false,
    }
}

/// Whether all that stands in `predicates` holds only in tests.
fn needs_test(predicates: &Group) -> bool {
    entries(predicates).iter().any(|predicate| {
        match (ident(predicate.first()).as_deref(), predicate.get(1)) {
            (Some("test" | "doctest"), None) => true,
            (Some("all"), Some(TokenTree::Group(inner))) => needs_test(inner),
            _ => false,
        }
    })
}

/// The place after the item, field, arm or statement that begins at `at`.
pub fn past_item(tokens: &[TokenTree], at: usize) -> usize {
    const ITEMS: &[&str] =
        &["const", "enum", "fn", "impl", "mod", "static", "struct", "trait", "type", "use"];
    let mut is_item = false;
    for (place, token) in tokens.iter().enumerate().skip(at) {
        match token {
            TokenTree::Ident(word) => is_item = is_item || ITEMS.contains(&word.to_string().as_str()),
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => return place + 1,
            // Commas of an item stand between its type parameters.
            TokenTree::Punct(punct) if punct.as_char() == ';' || (punct.as_char() == ',' && !is_item) => {
                return place + 1;
            }
            _ => {}
        }
    }
    tokens.len()
}
