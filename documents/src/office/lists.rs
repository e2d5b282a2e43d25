//! Tests of what lists become, over the formats of Office files.

use std::io::{Cursor, Write as _};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::{Event, Kind, Options, read};

/// The blocks of a file made of these parts.
fn blocks(name: &str, parts: &[(&str, String)]) -> Vec<(Kind, String)> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (part, text) in parts {
        writer.start_file(*part, SimpleFileOptions::default()).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    let bytes = writer.finish().unwrap().into_inner();
    let mut blocks = Vec::new();
    read(name, &bytes, &Options::default(), &mut |event| match event {
        Event::Block(block) => blocks.push((block.kind, block.text)),
        Event::End(end) => assert_eq!(end, Ok(()), "{name}"),
        _ => {}
    });
    blocks
}

fn texts(blocks: &[(Kind, String)]) -> Vec<&str> {
    blocks.iter().map(|(_, text)| text.as_str()).collect()
}

fn odt(body: &str) -> Vec<(Kind, String)> {
    let level = |level: u8, format: &str| {
        format!("<t:list-level-style-number t:level='{level}' s:num-format='{format}' s:num-suffix='.'/>")
    };
    let content = format!(
        "<o:document-content xmlns:o='urn:oasis:names:tc:opendocument:xmlns:office:1.0' \
         xmlns:t='urn:oasis:names:tc:opendocument:xmlns:text:1.0' \
         xmlns:s='urn:oasis:names:tc:opendocument:xmlns:style:1.0'><o:automatic-styles>\
         <t:list-style s:name='N'>{}{}</t:list-style><t:list-style s:name='R'>{}{}</t:list-style>\
         <s:style s:name='P' s:list-style-name='R'/><s:style s:name='Q' s:parent-style-name='P'/>\
         <s:style s:name='H' s:parent-style-name='Heading_20_2'/>\
         </o:automatic-styles><o:body><o:text>{body}</o:text></o:body></o:document-content>",
        level(1, "1"),
        level(2, "a"),
        level(1, "I"),
        level(2, "i"),
    );
    blocks("a.odt", &[("content.xml", content)])
}

#[test]
fn an_item_without_its_list_is_numbered() {
    let item = |level: u8, text: &str| {
        format!(
            "<t:numbered-paragraph t:style-name='N' t:level='{level}'><t:p>{text}</t:p></t:numbered-paragraph>"
        )
    };
    let body = [item(1, "one"), item(2, "two"), "<t:p>between</t:p>".to_owned(), item(1, "three")].concat();
    let read = odt(&body);
    assert_eq!(texts(&read), ["1. one", "a. two", "between", "2. three"]);
    assert_eq!([&read[1].0, &read[3].0], [&Kind::ListItem(1), &Kind::ListItem(0)]);
}

#[test]
fn a_list_is_numbered_as_the_style_of_its_paragraphs_says() {
    let read = odt("<t:list><t:list-item><t:p t:style-name='P'>one</t:p></t:list-item>\
                    <t:list-item><t:p t:style-name='Q'>two</t:p></t:list-item></t:list>");
    assert_eq!(texts(&read), ["I. one", "II. two"]);
}

#[test]
fn items_without_a_word_are_counted() {
    let read = odt(
        "<t:list t:style-name='N'><t:list-item><t:p>one</t:p></t:list-item><t:list-item><t:p/></t:list-item>\
                    <t:list-item><t:p>three</t:p></t:list-item></t:list>",
    );
    assert_eq!(texts(&read), ["1. one", "3. three"]);

    let word = "xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'";
    let numbering = format!(
        "<w:numbering {word}><w:abstractNum w:abstractNumId='0'><w:lvl w:ilvl='0'><w:numFmt w:val='decimal'/>\
         <w:lvlText w:val='%1)'/></w:lvl></w:abstractNum><w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num></w:numbering>"
    );
    let item = |text: &str| {
        format!("<w:p><w:pPr><w:numPr><w:ilvl w:val='0'/><w:numId w:val='1'/></w:numPr></w:pPr>{text}</w:p>")
    };
    let body = [item("<w:r><w:t>one</w:t></w:r>"), item(""), item("<w:r><w:t>three</w:t></w:r>")].concat();
    let relations =
        "<Relationships><Relationship Id='a' Type='x/numbering' Target='numbering.xml'/></Relationships>";
    let read = blocks(
        "a.docx",
        &[
            ("word/document.xml", format!("<w:document {word}><w:body>{body}</w:body></w:document>")),
            ("word/_rels/document.xml.rels", relations.to_owned()),
            ("word/numbering.xml", numbering),
        ],
    );
    assert_eq!(texts(&read), ["1) one", "3) three"]);
}

#[test]
fn a_list_within_an_item_begins_again_also_in_a_style_of_its_own() {
    let inner = "<t:list t:style-name='R'><t:list-item><t:p>x</t:p></t:list-item><t:list-item><t:p>y</t:p></t:list-item></t:list>";
    let item = format!("<t:list-item><t:p>outer</t:p>{inner}</t:list-item>");
    let read = odt(&format!("<t:list t:style-name='N'>{item}{item}</t:list>"));
    assert_eq!(texts(&read), ["1. outer", "i. x", "ii. y", "2. outer", "i. x", "ii. y"]);
}

#[test]
fn a_paragraph_in_the_style_of_a_heading_is_one() {
    assert_eq!(odt("<t:p t:style-name='H'>Rent</t:p>"), [(Kind::Heading(2), "Rent".to_owned())]);
}

#[test]
fn a_shape_says_how_its_levels_are_numbered() {
    let presentation = "xmlns:p='http://schemas.openxmlformats.org/presentationml/2006/main' \
                        xmlns:a='http://schemas.openxmlformats.org/drawingml/2006/main' \
                        xmlns:r='http://schemas.openxmlformats.org/officeDocument/2006/relationships'";
    let paragraph =
        |properties: &str, text: &str| format!("<a:p><a:pPr {properties}<a:r><a:t>{text}</a:t></a:r></a:p>");
    let paragraphs = [
        paragraph("/>", "one"),
        paragraph("lvl='1'/>", "two"),
        paragraph("/>", "three"),
        paragraph("><a:buNone/></a:pPr>", "four"),
        paragraph("><a:buChar char='-'/></a:pPr>", "five"),
    ];
    let slide = format!(
        "<p:sld {presentation}><p:cSld><p:spTree><p:sp><p:txBody><a:lstStyle>\
         <a:lvl1pPr><a:buAutoNum type='arabicParenR' startAt='4'/></a:lvl1pPr>\
         <a:lvl2pPr><a:buAutoNum type='romanLcPeriod'/></a:lvl2pPr></a:lstStyle>{}</p:txBody></p:sp>\
         </p:spTree></p:cSld></p:sld>",
        paragraphs.concat()
    );
    let show = format!(
        "<p:presentation {presentation}><p:sldIdLst><p:sldId id='1' r:id='s'/></p:sldIdLst></p:presentation>"
    );
    let relations =
        "<Relationships><Relationship Id='s' Type='x/slide' Target='slides/slide1.xml'/></Relationships>";
    let read = blocks(
        "a.pptx",
        &[
            ("ppt/presentation.xml", show),
            ("ppt/_rels/presentation.xml.rels", relations.to_owned()),
            ("ppt/slides/slide1.xml", slide),
        ],
    );
    let told: Vec<&str> = texts(&read).into_iter().filter(|text| !text.starts_with("Slide")).collect();
    assert_eq!(told, ["4) one", "i. two", "5) three", "four", "five"]);
    let kinds: Vec<&Kind> = read.iter().rev().take(2).map(|(kind, _)| kind).collect();
    assert_eq!(kinds, [&Kind::ListItem(0), &Kind::Paragraph]);
}
