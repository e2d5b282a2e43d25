#![no_main]
const PARTS: &[(&str, Option<&str>)] = &[
    (r#"mimetype"#, Some(r#"application/epub+zip"#)),
    (
        r#"META-INF/container.xml"#,
        Some(r#"<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>"#),
    ),
    (
        r#"a.opf"#,
        Some(
            r#"<package><manifest><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="c"/></spine></package>"#,
        ),
    ),
    ("c.xhtml", None),
];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| frlm_documents_fuzz::read_packed("a.epub", PARTS, bytes));
