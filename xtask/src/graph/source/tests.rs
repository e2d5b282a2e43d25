use super::*;

/// The edges of a crate with these files, without their places.
fn edges(files: &[(&str, &str)]) -> Vec<String> {
    let edges = places(files).unwrap();
    let edge = |from| edges.from(from).map(move |to| format!("{from} -> {to}"));
    edges.nodes().flat_map(edge).collect()
}

fn places(files: &[(&str, &str)]) -> Result<Edges, String> {
    let root = tempfile::tempdir().unwrap();
    for (file, text) in files {
        let path = root.path().join("x/src").join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    read(root.path(), "x")
}

const ROOT: &str = "mod book; mod page; mod word; pub use word::{Letter, ink::Colour as Paint}; pub use std::fmt::Debug; pub struct Shelf;";

/// The edges of a crate whose module `book` holds this, and whose other modules are empty.
fn edges_of_book(book: &str) -> Vec<String> {
    edges(&[("lib.rs", ROOT), ("book.rs", book), ("page.rs", ""), ("word.rs", "")])
}

#[test]
fn a_path_is_an_edge_wherever_it_stands() {
    for book in [
        "use crate::page::Sheet;",
        "use super::page;",
        "use super::{page::Sheet, std};",
        "use crate::{\n    page::{Sheet, back::Side},\n};",
        "fn a() -> u8 { crate::page::count() }",
        "fn a(_: &[super::page::Sheet]) {}",
        "fn a() { assert!(x, \"{}\", vec![crate::page::count()].len()) }",
        "macro_rules! sheet { () => { $crate::page::count() } }",
        "#[serde(with = \"crate::page::hex\")] struct A;",
        "#[arg(value_parser = crate::page::hex)] struct A;",
        "mod a { fn b() { super::super::page::count() } }",
        "#[cfg(any(test, feature = \"testing\"))] use crate::page::Sheet;",
        "#[cfg(not(test))] use crate::page::Sheet;",
    ] {
        let found = edges_of_book(book);
        assert!(found.contains(&"book -> page".to_owned()), "{book}: {found:?}");
    }
}

#[test]
fn test_code_comments_and_visibility_make_no_edges() {
    for book in [
        "#[cfg(test)] mod tests { use crate::page::Sheet; }",
        "#[cfg(test)] mod tests;",
        "#[cfg(all(test, unix))] use crate::page::Sheet;",
        "impl A { #[cfg(test)] fn a<B, C>(b: B) -> C { crate::page::count() } }",
        "struct A { #[cfg(test)] sheet: crate::page::Sheet, other: u8 }",
        "#![cfg(test)] use crate::page::Sheet;",
        "/// See [`crate::page`].\nstruct A;",
        "fn a() -> &'static str { \"crate::page\" }",
        "mod a { pub(in crate::page) struct A; pub(super) struct B; pub(crate) struct C; }",
        "mod a { use super::A; } struct A;",
        "use self::page::A; mod page { pub struct A; }",
        "use frlm_x::page;",
        "use crate::Debug;",
    ] {
        assert_eq!(edges_of_book(book), Vec::<String>::new(), "{book}");
    }
}

#[test]
fn a_name_of_the_root_stands_for_the_module_that_the_root_has_it_from() {
    assert_eq!(edges_of_book("use crate::Letter;"), ["book -> word"]);
    assert_eq!(edges_of_book("use super::Paint;"), ["book -> word"]);
    assert_eq!(edges_of_book("use crate::Shelf;"), ["book -> lib.rs"]);
}

#[test]
fn children_belong_to_their_top_level_module_and_an_edge_says_where_it_is() {
    let files = [
        ("lib.rs", "mod book; mod page;"),
        ("book.rs", "mod cover;"),
        ("book/cover.rs", "mod back;"),
        ("book/cover/back.rs", "\nuse super::super::Other;\n\nuse crate::page::Sheet;"),
        ("page.rs", "pub struct Sheet;"),
    ];
    let edges = places(&files).unwrap();
    let both = BTreeSet::from(["book", "page"]);
    let found: Vec<_> = edges.within(&both).collect();
    assert_eq!(found, [(("book", "page"), "x/src/book/cover/back.rs:4")]);
}

#[test]
fn the_root_names_modules_without_crate() {
    let root = "mod book; mod page; use page::Sheet; pub use book::Book; fn a() { Sheet::new() }";
    assert_eq!(edges(&[("main.rs", root), ("book.rs", ""), ("page.rs", "")]), ["main.rs -> page"]);
    let root = "mod book; pub use book::Book; fn a() { Book::new() }";
    assert_eq!(edges(&[("lib.rs", root), ("book.rs", "")]), ["lib.rs -> book"]);
}

#[test]
fn a_macro_of_another_module_is_an_edge() {
    let root = "#[macro_use] mod word; mod book; mod page;";
    let files = [
        ("lib.rs", root),
        ("word.rs", "#[macro_export] macro_rules! say { () => {} }"),
        ("book.rs", "fn a() { say!() }"),
        ("page.rs", "fn a() { crate::say!() }"),
    ];
    assert_eq!(edges(&files), ["book -> word", "page -> word"]);
}

#[test]
fn what_hides_its_names_is_an_error() {
    for book in ["use crate::*;", "use super::*;", "use crate::{self as whole};"] {
        let files = [("lib.rs", ROOT), ("book.rs", book), ("page.rs", ""), ("word.rs", "")];
        let error = places(&files).err().unwrap();
        assert!(error.starts_with("x/src/book.rs:1: names everything"), "{error}");
    }
    let error = places(&[("lib.rs", "mod book; pub use book::*;"), ("book.rs", "")]).err().unwrap();
    assert!(error.starts_with("x/src/lib.rs:1: the root re-exports everything"), "{error}");
}
