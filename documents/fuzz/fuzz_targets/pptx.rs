#![no_main]
const PARTS: &[(&str, Option<&str>)] = &[
    (r#"[Content_Types].xml"#, Some(r#"<Types/>"#)),
    (r#"ppt/presentation.xml"#, Some(r#"<p:presentation xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><p:sldIdLst><p:sldId r:id="r1"/></p:sldIdLst></p:presentation>"#)),
    (r#"ppt/_rels/presentation.xml.rels"#, Some(r#"<Relationships><Relationship Id="r1" Type="slide" Target="slides/slide1.xml"/></Relationships>"#)),
    ("ppt/slides/slide1.xml", None),
];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| frlm_documents_fuzz::read_packed("a.pptx", PARTS, bytes));
