#![no_main]
const PARTS: &[(&str, Option<&str>)] = &[
    (r#"mimetype"#, Some(r#"application/vnd.oasis.opendocument.presentation"#)),
    ("content.xml", None),
    ("styles.xml", None),
];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| frlm_documents_fuzz::read_packed("a.odp", PARTS, bytes));
