//! Zips and compound files, which hold documents of many kinds.

use crate::archive::list_zip;
use crate::event::{LEAVE_OUT, Refusal};
use crate::format::Format;

/// What a zip is: a document, if it has the parts of one.
pub(super) fn zip(extension: &str, bytes: &[u8]) -> Result<Format, Refusal> {
    if let Some(format) = declared(bytes)? {
        return Ok(format);
    }
    // Some programs write the separator of their system.
    let names: Vec<String> = list_zip(bytes).into_iter().map(|name| name.replace('\\', "/")).collect();
    let has = |name: &str| names.iter().any(|found| found == name);
    let under = |folder: &str| names.iter().any(|found| found.starts_with(folder));
    // Some leave the list of types out; the relations of the package are there in any case.
    if has("[Content_Types].xml") || has("_rels/.rels") {
        if has("xl/workbook.bin") {
            return Err(unsupported("a binary Excel workbook (.xlsb)", "save it as .xlsx"));
        }
        if under("word/") {
            return Ok(Format::Docx);
        }
        if under("ppt/") {
            return Ok(Format::Pptx);
        }
        if under("xl/") {
            return Ok(Format::Xlsx);
        }
        if under("visio/") {
            return Err(unsupported("a Visio drawing", "export it as PDF"));
        }
    }
    if has("META-INF/container.xml") {
        return Ok(Format::Epub);
    }
    if has("content.xml") && has("META-INF/manifest.xml") {
        return Ok(match extension {
            "odp" | "otp" => Format::Odp,
            "ods" | "ots" => Format::Ods,
            _ => Format::Odt,
        });
    }
    let iwork = |name: &String| {
        name.rsplit_once('.').is_some_and(|(_, extension)| extension == "iwa") || name == "index.apxl"
    };
    if names.iter().any(iwork) || has("Index.zip") && under("Metadata/") {
        return Err(unsupported("a Pages, Numbers or Keynote document", "export it as .docx, .xlsx or PDF"));
    }
    if has("AndroidManifest.xml") {
        return Err(unsupported("an Android program", LEAVE_OUT));
    }
    if has("FixedDocumentSequence.fdseq") || has("FixedDocSeq.fdseq") {
        return Err(unsupported("an XPS document", "save it as PDF"));
    }
    // Parts may be missing, and the list of a damaged zip lost. The reader of the format says what is wrong.
    Ok(match extension {
        "docx" | "docm" | "dotx" => Format::Docx,
        "pptx" | "pptm" | "ppsx" => Format::Pptx,
        "xlsx" | "xlsm" | "xltx" => Format::Xlsx,
        "odt" | "ott" => Format::Odt,
        "odp" | "otp" => Format::Odp,
        "ods" | "ots" => Format::Ods,
        "epub" => Format::Epub,
        _ => Format::Zip,
    })
}

/// What the first entry says, if it is named `mimetype` and not compressed.
fn declared(bytes: &[u8]) -> Result<Option<Format>, Refusal> {
    let at = |range: std::ops::Range<usize>| bytes.get(range).unwrap_or_default();
    let (Some(length), Some(extra)) = (bytes.get(26..28), bytes.get(28..30)) else {
        return Ok(None);
    };
    let length = usize::from(u16::from_le_bytes([length[0], length[1]]));
    let extra = usize::from(u16::from_le_bytes([extra[0], extra[1]]));
    if at(8..10) != [0, 0] || at(30..30 + length) != b"mimetype" {
        return Ok(None);
    }
    let start = 30 + length + extra;
    let content = bytes.get(start..).unwrap_or_default();
    let content = &content[..content.len().min(100)];
    if content.starts_with(b"application/epub+zip") {
        return Ok(Some(Format::Epub));
    }
    let Some(kind) = content.strip_prefix(b"application/vnd.oasis.opendocument.") else {
        if content.starts_with(b"application/vnd.sun.xml.") {
            return Err(unsupported("an OpenOffice 1 document", "save it as .odt, .ods or .odp"));
        }
        return Ok(None);
    };
    if kind.starts_with(b"text") {
        Ok(Some(Format::Odt))
    } else if kind.starts_with(b"spreadsheet") {
        Ok(Some(Format::Ods))
    } else if kind.starts_with(b"presentation") {
        Ok(Some(Format::Odp))
    } else {
        Err(unsupported("an OpenDocument drawing, formula or database", "export it as PDF"))
    }
}

/// What a compound file is (Office 97 and others), by the names in its directory.
pub(super) fn compound(extension: &str, bytes: &[u8]) -> Result<Format, Refusal> {
    let mut found = Vec::new();
    // Entries of 128 bytes each stand in sectors anywhere in the file.
    for entry in bytes.get(512..).unwrap_or_default().as_chunks::<128>().0 {
        if let Some(kind) = entry_name(entry).as_deref().and_then(kind_of)
            && !found.contains(&kind)
        {
            found.push(kind);
        }
    }
    if found.contains(&Kind::Encrypted) {
        return Err(Refusal::locked("an Office file", "Office"));
    }
    if found.contains(&Kind::Message) {
        return Err(unsupported("an Outlook message (.msg)", "save it as .eml"));
    }
    // A document may have others embedded in it: then its name decides.
    let named = match extension {
        "xls" | "xlt" => Some(Kind::Excel),
        "doc" | "dot" => Some(Kind::Word),
        "ppt" | "pps" => Some(Kind::PowerPoint),
        _ => None,
    };
    let kind = named.filter(|kind| found.contains(kind)).or(found.first().copied());
    match kind {
        Some(Kind::Excel) => Ok(Format::Xls),
        Some(Kind::Word) => Err(unsupported("a Word 97 document", "save it as .docx")),
        Some(Kind::PowerPoint) => Err(unsupported("a PowerPoint 97 presentation", "save it as .pptx")),
        Some(Kind::Visio) => Err(unsupported("a Visio drawing", "export it as PDF")),
        _ if extension == "xls" => Ok(Format::Xls),
        _ => Err(unsupported(
            "a document of an older program (a compound file)",
            "save it as .docx, .xlsx, .pptx or PDF with that program",
        )),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Excel,
    Word,
    PowerPoint,
    Visio,
    Message,
    Encrypted,
}

fn kind_of(name: &str) -> Option<Kind> {
    Some(match name {
        "Workbook" | "Book" => Kind::Excel,
        "WordDocument" => Kind::Word,
        "PowerPoint Document" => Kind::PowerPoint,
        "VisioDocument" => Kind::Visio,
        "__properties_version1.0" => Kind::Message,
        "EncryptedPackage" => Kind::Encrypted,
        _ => return None,
    })
}

/// The name of a stream or a storage, if the bytes look like one's entry in a directory.
fn entry_name(entry: &[u8; 128]) -> Option<String> {
    let length = usize::from(u16::from_le_bytes([entry[64], entry[65]]));
    let is_entry = matches!(entry[66], 1 | 2) && entry[67] <= 1 && (4..=64).contains(&length);
    if !is_entry || length % 2 != 0 {
        return None;
    }
    let units = entry[..length - 2].as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit));
    char::decode_utf16(units).collect::<Result<String, _>>().ok()
}

fn unsupported(what: &str, remedy: &str) -> Refusal {
    Refusal::Unsupported { what: what.to_owned(), remedy: remedy.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write as _};

    use super::*;

    fn packed(names: &[(&str, &str)]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let options =
            zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        for (name, content) in names {
            writer.start_file(*name, options).unwrap();
            writer.write_all(content.as_bytes()).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn compound_of(names: &[&str]) -> Vec<u8> {
        let mut bytes = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec();
        bytes.resize(512, 0);
        for name in names {
            let mut entry = [0; 128];
            for (index, unit) in name.encode_utf16().enumerate() {
                entry[2 * index..2 * index + 2].copy_from_slice(&unit.to_le_bytes());
            }
            entry[64] = u8::try_from(2 * name.len() + 2).unwrap();
            entry[66] = 2;
            bytes.extend(entry);
        }
        bytes
    }

    fn detected(name: &str, bytes: &[u8]) -> Result<Format, String> {
        Format::detect(name, bytes).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn zips_are_told_by_what_lies_inside() {
        let of = |names: &[(&str, &str)]| detected("x.bin", &packed(names));
        let types = ("[Content_Types].xml", "");
        assert_eq!(of(&[types, ("word/document.xml", "")]), Ok(Format::Docx));
        assert_eq!(of(&[types, ("ppt/presentation.xml", "")]), Ok(Format::Pptx));
        assert_eq!(of(&[types, ("xl/workbook.xml", "")]), Ok(Format::Xlsx));
        assert_eq!(of(&[("mimetype", "application/epub+zip")]), Ok(Format::Epub));
        assert_eq!(of(&[("a", ""), ("META-INF/container.xml", "")]), Ok(Format::Epub));
        let odf = |kind: &str| of(&[("mimetype", &format!("application/vnd.oasis.opendocument.{kind}"))]);
        assert_eq!(odf("text"), Ok(Format::Odt));
        assert_eq!(odf("spreadsheet"), Ok(Format::Ods));
        assert_eq!(odf("presentation-template"), Ok(Format::Odp));
        assert!(odf("graphics").unwrap_err().contains("export it as PDF"));
        assert_eq!(of(&[("report.docx", ""), ("word/x.txt", "")]), Ok(Format::Zip));
        assert_eq!(
            of(&[types, ("xl/workbook.bin", "")]).unwrap_err(),
            "a binary Excel workbook (.xlsb): save it as .xlsx"
        );
        assert!(of(&[("Index/Document.iwa", "")]).unwrap_err().starts_with("a Pages"));
        assert_eq!(detected("x.docx", b"PK\x03\x04broken"), Ok(Format::Docx));
        assert_eq!(detected("x.bin", &packed(&[])), Ok(Format::Zip));
    }

    #[test]
    fn compound_files_are_told_by_their_streams() {
        let of = |name: &str, streams: &[&str]| detected(name, &compound_of(streams));
        assert_eq!(of("a", &["Root Entry", "Workbook"]), Ok(Format::Xls));
        assert_eq!(of("a", &["Book"]), Ok(Format::Xls));
        assert_eq!(
            of("a.doc", &["Workbook", "WordDocument"]).unwrap_err(),
            "a Word 97 document: save it as .docx"
        );
        assert_eq!(of("a.xls", &["WordDocument", "Workbook"]), Ok(Format::Xls));
        assert!(of("a", &["PowerPoint Document"]).unwrap_err().contains(".pptx"));
        assert!(of("a", &["__properties_version1.0"]).unwrap_err().contains(".eml"));
        assert_eq!(
            of("a.docx", &["EncryptionInfo", "EncryptedPackage"]).unwrap_err(),
            "an Office file with a password: open it in Office and save it without a password"
        );
        assert!(of("a", &["Contents"]).unwrap_err().contains("older program"));
    }
}
