#![no_main]
const PARTS: &[(&str, Option<&str>)] = &[
    ("mimetype", Some("application/epub+zip")),
    ("META-INF/container.xml", None),
    ("META-INF/encryption.xml", None),
    ("a.opf", None),
    ("toc.ncx", None),
    ("nav.xhtml", None),
    ("c.xhtml", Some("<html><body><h1>One</h1><p>The rent is 1200.</p></body></html>")),
];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| frlm_documents_fuzz::read_packed("a.epub", PARTS, bytes));
