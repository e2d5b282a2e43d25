#![no_main]
const RELATED: &[(&str, &str)] = &[
    ("styles", "styles.xml"),
    ("numbering", "numbering.xml"),
    ("footnotes", "notes.xml"),
    ("endnotes", "notes.xml"),
    ("comments", "comments.xml"),
    ("header", "header.xml"),
    ("chart", "chart.xml"),
];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| frlm_documents_fuzz::read_office(
    "a.docx",
    &[],
    "word/document.xml",
    RELATED,
    bytes
));
