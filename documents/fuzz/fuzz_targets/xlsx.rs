#![no_main]
const PARTS: &[(&str, Option<&str>)] = &[
    (r#"[Content_Types].xml"#, Some(r#"<Types/>"#)),
    (
        r#"_rels/.rels"#,
        Some(
            r#"<Relationships><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#,
        ),
    ),
    (
        r#"xl/workbook.xml"#,
        Some(
            r#"<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>"#,
        ),
    ),
    (
        r#"xl/_rels/workbook.xml.rels"#,
        Some(
            r#"<Relationships><Relationship Id="r1" Type="worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#,
        ),
    ),
    ("xl/worksheets/sheet1.xml", None),
];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| frlm_documents_fuzz::read_packed("a.xlsx", PARTS, bytes));
