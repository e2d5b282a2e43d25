#![no_main]
const GIVEN: &[(&str, &str)] = &[
    (
        "ppt/presentation.xml",
        r#"<p:presentation xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><p:sldIdLst><p:sldId r:id="rId1"/></p:sldIdLst></p:presentation>"#,
    ),
    (
        "ppt/_rels/presentation.xml.rels",
        r#"<Relationships><Relationship Id="rId1" Type="slide" Target="slides/slide1.xml"/></Relationships>"#,
    ),
];
const RELATED: &[(&str, &str)] = &[
    ("notesSlide", "notes.xml"),
    ("chart", "chart.xml"),
    ("diagramData", "data.xml"),
    ("comments", "comments.xml"),
];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| frlm_documents_fuzz::read_office(
    "a.pptx",
    GIVEN,
    "ppt/slides/slide1.xml",
    RELATED,
    bytes
));
