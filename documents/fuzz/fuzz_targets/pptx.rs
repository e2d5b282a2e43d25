#![no_main]
const PARTS: &[(&str, Option<&str>)] = &[
    (r#"[Content_Types].xml"#, Some(r#"<Types/>"#)),
    (
        r#"ppt/presentation.xml"#,
        Some(
            r#"<p:presentation xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><p:sldIdLst><p:sldId r:id="r1"/></p:sldIdLst></p:presentation>"#,
        ),
    ),
    (
        r#"ppt/_rels/presentation.xml.rels"#,
        Some(
            r#"<Relationships><Relationship Id="r1" Type="slide" Target="slides/slide1.xml"/></Relationships>"#,
        ),
    ),
    ("ppt/slides/slide1.xml", None),
    ("ppt/slides/_rels/slide1.xml.rels", Some(RELATIONS)),
    ("ppt/slides/notes.xml", None),
    ("ppt/slides/comments.xml", None),
    ("ppt/slides/chart.xml", None),
    ("ppt/slides/data.xml", None),
];

const RELATIONS: &str = r#"<Relationships>
    <Relationship Id="rId1" Type="notesSlide" Target="notes.xml"/>
    <Relationship Id="rId2" Type="chart" Target="chart.xml"/>
    <Relationship Id="rId3" Type="diagramData" Target="data.xml"/>
    <Relationship Id="rId4" Type="comments" Target="comments.xml"/>
</Relationships>"#;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| frlm_documents_fuzz::read_packed("a.pptx", PARTS, bytes));
