//! Formulas of a Word file as a line of text: `x=(a+b)/2`.

use crate::event::Refusal;
use crate::office::xml::{Element, Space, Xml};

/// The text of the formula that is open.
pub(super) fn read(xml: &mut Xml<'_>) -> Result<String, Refusal> {
    let mut text = String::new();
    children(xml, &mut text)?;
    Ok(text)
}

fn children(xml: &mut Xml<'_>, text: &mut String) -> Result<(), Refusal> {
    while let Some(element) = xml.child()? {
        part(&element, xml, text)?;
    }
    Ok(())
}

fn part(element: &Element<'_>, xml: &mut Xml<'_>, text: &mut String) -> Result<(), Refusal> {
    if element.space != Space::M {
        return xml.skip();
    }
    match element.name() {
        b"t" => xml.text_into(text),
        b"num" => grouped(xml, text, ""),
        b"den" => grouped(xml, text, "/"),
        b"sup" => grouped(xml, text, "^"),
        b"sub" => grouped(xml, text, "_"),
        b"rad" => {
            text.push('√');
            while let Some(element) = xml.child()? {
                if element.name() == b"e" { grouped(xml, text, "")? } else { xml.skip()? }
            }
            Ok(())
        }
        b"d" => delimited(xml, text),
        b"nary" => nary(xml, text),
        b"mr" => {
            if !text.ends_with(['(', ' ']) {
                text.push_str("; ");
            }
            children(xml, text)
        }
        b"deg" | b"rPr" | b"ctrlPr" | b"fPr" | b"sSupPr" | b"sSubPr" | b"sSubSupPr" | b"radPr"
        | b"funcPr" | b"mPr" | b"accPr" | b"barPr" | b"limLowPr" | b"limUppPr" | b"oMathParaPr"
        | b"boxPr" | b"eqArrPr" | b"groupChrPr" => xml.skip(),
        _ => children(xml, text),
    }
}

/// A part behind its sign, in parentheses if it is more than a number or a letter.
fn grouped(xml: &mut Xml<'_>, text: &mut String, sign: &str) -> Result<(), Refusal> {
    let inner = read(xml)?;
    let inner = inner.trim();
    if inner.is_empty() {
        return Ok(());
    }
    text.push_str(sign);
    if inner.chars().all(char::is_alphanumeric) {
        text.push_str(inner);
    } else {
        text.push('(');
        text.push_str(inner);
        text.push(')');
    }
    Ok(())
}

/// Parentheses or what else stands around a part.
fn delimited(xml: &mut Xml<'_>, text: &mut String) -> Result<(), Refusal> {
    let (mut begin, mut end) = ("(".to_owned(), ")".to_owned());
    let mut parts = Vec::new();
    while let Some(element) = xml.child()? {
        match element.name() {
            b"dPr" => {
                while let Some(element) = xml.child()? {
                    let value = || element.attr(b"val").unwrap_or_default().chars().take(1).collect();
                    match element.name() {
                        b"begChr" => begin = value(),
                        b"endChr" => end = value(),
                        _ => {}
                    }
                    xml.skip()?;
                }
            }
            b"e" => parts.push(read(xml)?),
            _ => xml.skip()?,
        }
    }
    text.push_str(&begin);
    text.push_str(&parts.join("|"));
    text.push_str(&end);
    Ok(())
}

/// A sum, a product, an integral, with its bounds.
fn nary(xml: &mut Xml<'_>, text: &mut String) -> Result<(), Refusal> {
    let mut sign = "∫".to_owned();
    let mut rest = String::new();
    while let Some(element) = xml.child()? {
        if element.name() == b"naryPr" {
            while let Some(element) = xml.child()? {
                if element.name() == b"chr" {
                    sign = element.attr(b"val").unwrap_or_default().chars().take(1).collect();
                }
                xml.skip()?;
            }
        } else {
            let begin = rest.len();
            part(&element, xml, &mut rest)?;
            if element.name() == b"e" && begin < rest.len() {
                rest.insert(begin, ' ');
            }
        }
    }
    text.push_str(&sign);
    text.push_str(&rest);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;

    fn formula(inner: &str) -> String {
        let text = format!(
            "<m:oMath xmlns:m='http://schemas.openxmlformats.org/officeDocument/2006/math'>{inner}</m:oMath>"
        );
        let mut xml = Xml::new(&text, Format::Docx, 64);
        xml.child().unwrap();
        read(&mut xml).unwrap()
    }

    fn run(text: &str) -> String {
        format!("<m:r><m:t>{text}</m:t></m:r>")
    }

    #[test]
    fn formulas_become_a_line_of_text() {
        let fraction = format!("<m:f><m:num>{}</m:num><m:den>{}</m:den></m:f>", run("a+b"), run("2"));
        assert_eq!(formula(&(run("x=") + &fraction)), "x=(a+b)/2");
        let power = format!("<m:sSup><m:e>{}</m:e><m:sup>{}</m:sup></m:sSup>", run("c"), run("2"));
        let root = format!("<m:rad><m:deg/><m:e>{power}</m:e></m:rad>");
        assert_eq!(formula(&root), "√(c^2)");
        let sum = format!(
            "<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:sub>{}</m:sub><m:sup>{}</m:sup><m:e>{}</m:e></m:nary>",
            run("i=1"),
            run("n"),
            run("i")
        );
        assert_eq!(formula(&sum), "∑_(i=1)^n i");
        let vector = format!(
            "<m:d><m:dPr><m:begChr m:val='['/><m:endChr m:val=']'/></m:dPr><m:e>{}</m:e></m:d>",
            run("v")
        );
        assert_eq!(formula(&vector), "[v]");
    }
}
