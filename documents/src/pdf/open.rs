//! Bytes → pages, or the reason why not.

use hayro_interpret::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};

use crate::event::Refusal;
use crate::format::Format;
use crate::options::Options;

/// Opens a file, with the password if it needs one.
pub(super) fn open(bytes: &[u8], options: &Options) -> Result<Pdf, Refusal> {
    check_nesting(bytes, options.limits.nesting)?;
    let password = options.password.as_deref().unwrap_or_default();
    match Pdf::new_with_password(bytes.to_vec(), password) {
        Ok(pdf) if pdf.pages().is_empty() => Err(Refusal::damaged(Format::Pdf, "it has no pages")),
        Ok(pdf) => Ok(pdf),
        Err(LoadPdfError::Decryption(DecryptionError::PasswordProtected)) if password.is_empty() => {
            Err(Refusal::Encrypted)
        }
        Err(LoadPdfError::Decryption(DecryptionError::PasswordProtected)) => Err(Refusal::WrongPassword),
        Err(LoadPdfError::Decryption(DecryptionError::UnsupportedAlgorithm)) => Err(Refusal::Unsupported {
            what: "a PDF encrypted in a way that is not read".to_owned(),
            remedy: "save it without encryption".to_owned(),
        }),
        Err(LoadPdfError::Decryption(_)) => Err(Refusal::damaged(Format::Pdf, "its encryption is not valid")),
        Err(LoadPdfError::Invalid) => Err(Refusal::damaged(Format::Pdf, "no list of its pages is found")),
    }
}

/// Refuses dictionaries and arrays within each other without end, which take long to read and tell nothing.
fn check_nesting(bytes: &[u8], deepest: u32) -> Result<(), Refusal> {
    let mut depth = 0_u32;
    let mut index = 0;
    while let Some(rest) = bytes.get(index..).filter(|rest| !rest.is_empty()) {
        match rest {
            [b'<', b'<', ..] => {
                depth += 1;
                index += 1;
            }
            [b'>', b'>', ..] => {
                depth = depth.saturating_sub(1);
                index += 1;
            }
            [b'[', ..] => depth += 1,
            [b']', ..] => depth = depth.saturating_sub(1),
            [b'e', ..] if rest.starts_with(b"endobj") => depth = 0,
            [b's', ..] if rest.starts_with(b"stream") => {
                depth = 0;
                index += end_of_stream(rest).unwrap_or(6);
                continue;
            }
            _ => {}
        }
        if depth > deepest {
            return Err(Refusal::too_much("elements within elements", u64::from(deepest)));
        }
        index += 1;
    }
    Ok(())
}

fn end_of_stream(stream: &[u8]) -> Option<usize> {
    stream.windows(9).position(|window| window == b"endstream").map(|at| at + 9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dictionaries_within_each_other_without_end_are_refused() {
        let nested = "<<".repeat(1000);
        let refusal = check_nesting(nested.as_bytes(), 256).unwrap_err();
        assert!(matches!(refusal, Refusal::TooMuch { limit: 256, .. }));
        let flat = format!("stream {nested} endstream {}", "<< [ ] >>".repeat(1000));
        assert_eq!(check_nesting(flat.as_bytes(), 256), Ok(()));
        // A stream that never ends is no way around.
        assert!(check_nesting(format!("stream {nested}").as_bytes(), 256).is_err());
    }

    #[test]
    fn what_is_no_pdf_is_damaged() {
        let opened = open(b"%PDF-1.7\nnothing else", &Options::default());
        assert!(matches!(opened.err(), Some(Refusal::Damaged { .. })));
    }
}
