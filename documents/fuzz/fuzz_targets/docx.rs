#![no_main]
const PARTS: &[(&str, Option<&str>)] = &[
    (r#"[Content_Types].xml"#, Some(r#"<Types/>"#)),
    ("word/document.xml", None),
];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| frlm_documents_fuzz::read_packed("a.docx", PARTS, bytes));
