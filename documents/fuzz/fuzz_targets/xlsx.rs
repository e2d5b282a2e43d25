#![no_main]
const GIVEN: &[(&str, &str)] = &[
    (
        "_rels/.rels",
        r#"<Relationships><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#,
    ),
    (
        "xl/workbook.xml",
        r#"<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>"#,
    ),
    (
        "xl/_rels/workbook.xml.rels",
        r#"<Relationships><Relationship Id="r1" Type="worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#,
    ),
];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| frlm_documents_fuzz::read_office(
    "a.xlsx",
    GIVEN,
    "xl/worksheets/sheet1.xml",
    &[],
    bytes
));
