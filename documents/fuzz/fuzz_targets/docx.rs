#![no_main]
const PARTS: &[(&str, Option<&str>)] = &[
    ("[Content_Types].xml", Some("<Types/>")),
    ("word/_rels/document.xml.rels", Some(RELATIONS)),
    ("word/document.xml", None),
    ("word/styles.xml", None),
    ("word/numbering.xml", None),
    ("word/notes.xml", None),
    ("word/comments.xml", None),
    ("word/header.xml", None),
    ("word/chart.xml", None),
];

const RELATIONS: &str = r#"<Relationships>
    <Relationship Id="r1" Type="styles" Target="styles.xml"/>
    <Relationship Id="r2" Type="numbering" Target="numbering.xml"/>
    <Relationship Id="r3" Type="footnotes" Target="notes.xml"/>
    <Relationship Id="r4" Type="endnotes" Target="notes.xml"/>
    <Relationship Id="r5" Type="comments" Target="comments.xml"/>
    <Relationship Id="r6" Type="header" Target="header.xml"/>
    <Relationship Id="r7" Type="chart" Target="chart.xml"/>
</Relationships>"#;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| frlm_documents_fuzz::read_packed("a.docx", PARTS, bytes));
