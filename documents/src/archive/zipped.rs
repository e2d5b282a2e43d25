//! Files in a zip.

use std::io::Cursor;

use zip::ZipArchive;
use zip::read::ZipFile;
use zip::result::ZipError;

use super::bounds::{Trouble, is_litter, safe_name, unpack};
use crate::event::{IS_LINK, Refusal, Warning, amount};
use crate::format::Format;
use crate::options::Limits;
use crate::output::Output;

type Archive<'a> = ZipArchive<Cursor<&'a [u8]>>;

/// What an entry is, before anything of it is unpacked.
struct Entry {
    name: String,
    encrypted: bool,
    link: bool,
}

pub(crate) fn zip(bytes: &[u8], out: &mut Output<'_>) -> Result<(), Refusal> {
    let limits = out.options().limits;
    let mut archive = ZipArchive::new(Cursor::new(bytes))
        .map_err(|_| Refusal::damaged(Format::Zip, "its list of files cannot be read"))?;
    let (mut encrypted, mut wrong, mut by_aes) = (0, false, false);
    for index in 0..archive.len() {
        let Some(entry) = describe(&mut archive, index) else {
            let name =
                archive.name_for_index(index).and_then(safe_name).unwrap_or_else(|| "a file".to_owned());
            out.warn(skipped(name, "its header is damaged"));
            continue;
        };
        let Entry { name, encrypted: locked, link } = entry;
        if link {
            out.warn(skipped(name, IS_LINK));
            continue;
        }
        if name.is_empty() || is_litter(&name) {
            continue;
        }
        if out.inner.len() as u64 >= u64::from(limits.files) {
            return Err(Refusal::too_much("files inside", u64::from(limits.files)));
        }
        if locked && is_by_aes(&mut archive, index) {
            by_aes = true;
            out.warn(skipped(name, "it is encrypted with AES"));
            continue;
        }
        let limit = limits.member_bytes.min(out.unpacked_left);
        let password = out.options().password.as_deref().filter(|_| locked);
        let opened = match password {
            Some(password) => archive.by_index_decrypt(index, password.as_bytes()),
            None => archive.by_index(index),
        };
        let (content, trouble) = match opened {
            Ok(file) => unpack(file, limit),
            Err(error) => {
                encrypted += u32::from(locked);
                wrong |= matches!(error, ZipError::InvalidPassword);
                out.warn(skipped(name, reason(&error, locked)));
                continue;
            }
        };
        match trouble {
            None => out.inner(name, content),
            Some(Trouble::TooLarge) => {
                out.spend(limit);
                out.warn(too_large(name, limit, &limits));
                if out.unpacked_left == 0 {
                    return Err(Refusal::too_much("bytes when unpacked", limits.unpacked_bytes));
                }
            }
            Some(Trouble::Damaged) => {
                out.spend(content.len() as u64);
                // A wrong password shows in one of 256 files only when its content makes no sense.
                wrong |= locked;
                encrypted += u32::from(locked);
                let reason = if locked { "the password does not open it" } else { "it is damaged" };
                out.warn(skipped(name, reason));
            }
        }
    }
    match (encrypted, out.inner.is_empty()) {
        (1.., true) if wrong => Err(Refusal::WrongPassword),
        (1.., true) => Err(Refusal::Encrypted),
        (0, true) if by_aes => Err(Refusal::Unsupported {
            what: "a zip archive encrypted with AES".to_owned(),
            remedy: "unpack it with its password and give the files".to_owned(),
        }),
        _ => Ok(()),
    }
}

/// Whether no password opens it here, because the library reads no AES.
fn is_by_aes(archive: &mut Archive<'_>, index: usize) -> bool {
    let opened = archive.by_index_decrypt(index, b"");
    matches!(opened, Err(ZipError::UnsupportedArchive(what)) if what.starts_with("AES"))
}

/// `None` if its header cannot be read; a folder has an empty name.
fn describe(archive: &mut Archive<'_>, index: usize) -> Option<Entry> {
    let file = archive.by_index_raw(index).ok()?;
    let raw = shown_name(&file);
    let name = safe_name(&raw);
    let is_folder = file.is_dir() || name.is_none() && file.size() == 0;
    let name = if is_folder { String::new() } else { name.unwrap_or_else(|| "file".to_owned()) };
    Some(Entry { name, encrypted: file.encrypted(), link: file.is_symlink() })
}

/// Some programs write UTF-8 without saying so.
fn shown_name(file: &ZipFile<'_, Cursor<&[u8]>>) -> String {
    std::str::from_utf8(file.name_raw()).unwrap_or_else(|_| file.name()).to_owned()
}

fn reason(error: &ZipError, locked: bool) -> &'static str {
    match error {
        ZipError::InvalidPassword => "the password does not open it",
        _ if locked => "it is encrypted",
        ZipError::UnsupportedArchive(_) => "it is compressed in a way that is not read",
        _ => "it is damaged",
    }
}

fn skipped(name: String, reason: &str) -> Warning {
    Warning::Skipped { name, reason: reason.to_owned() }
}

/// A file that is more than is read, or more than is left to read of its archive.
pub(super) fn too_large(name: String, limit: u64, limits: &Limits) -> Warning {
    let reason = if limit < limits.member_bytes {
        format!("all files together have more than {}", amount(limits.unpacked_bytes, "bytes when unpacked"))
    } else {
        format!("it has more than {}", amount(limit, "bytes when unpacked"))
    };
    skipped(name, &reason)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use zip::unstable::write::FileOptionsExt as _;
    use zip::write::SimpleFileOptions;

    use super::*;
    use crate::{Event, Limits, Options, read};

    fn told(bytes: &[u8], options: &Options) -> Vec<String> {
        let mut told = Vec::new();
        read("z.zip", bytes, options, &mut |event| match event {
            Event::Document { name, .. } => told.push(name),
            Event::Plain(text) => told.push(format!("text {text}")),
            Event::Warning(warning) => told.push(format!("warning {warning}")),
            Event::End(Err(refusal)) => told.push(format!("refused {refusal}")),
            _ => {}
        });
        told
    }

    fn with(limits: Limits) -> Options {
        Options { limits, ..Options::default() }
    }

    fn packed(files: &[(&str, &[u8])], options: SimpleFileOptions) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in files {
            writer.start_file(*name, options).unwrap();
            writer.write_all(content).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    #[test]
    fn files_are_read_under_safe_names_and_litter_is_not() {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default();
        writer.add_directory("folder", options).unwrap();
        for name in ["folder/a.txt", "../../b.txt", "__MACOSX/._a.txt", "folder/.DS_Store"] {
            writer.start_file(name, options).unwrap();
            writer.write_all(b"text").unwrap();
        }
        writer.add_symlink("link", "/etc/passwd", options).unwrap();
        let told = told(&writer.finish().unwrap().into_inner(), &Options::default());
        assert_eq!(told[0..2], ["z.zip", "warning link: skipped, it is a link or a device"]);
        assert_eq!(told[2..], ["z.zip/folder/a.txt", "text text", "z.zip/b.txt", "text text"]);
    }

    #[test]
    fn a_bomb_is_skipped_and_the_others_are_read() {
        let bomb = vec![b'a'; 50_000];
        let files: &[(&str, &[u8])] = &[("bomb.txt", &bomb), ("small.txt", b"text")];
        let bytes = packed(files, SimpleFileOptions::default());
        let limits = Limits { member_bytes: 1000, ..Limits::default() };
        let told = told(&bytes, &with(limits));
        assert_eq!(told[1], "warning bomb.txt: skipped, it has more than 1000 bytes when unpacked");
        assert_eq!(told[2..], ["z.zip/small.txt", "text text"]);
    }

    #[test]
    fn all_files_together_are_bounded() {
        let content = [b'a'; 600];
        let bytes =
            packed(&[("1", &content), ("2", &content), ("3", &content)], SimpleFileOptions::default());
        let limits = Limits { unpacked_bytes: 1000, ..Limits::default() };
        let told = told(&bytes, &with(limits));
        assert!(told.contains(&"z.zip/1".to_owned()) && !told.contains(&"z.zip/2".to_owned()));
        assert!(told[2].starts_with("refused it has more than 1000 bytes when unpacked"), "{}", told[2]);
        let limits = Limits { files: 2, ..Limits::default() };
        let told = self::told(&bytes, &with(limits));
        assert!(told[1].starts_with("refused it has more than 2 files inside"), "{}", told[1]);
        assert_eq!(told.iter().filter(|line| line.starts_with("z.zip/")).count(), 2);
    }

    #[test]
    fn an_encrypted_zip_wants_its_password() {
        let secret: &[u8] = b"the rent is 1200";
        let locked = SimpleFileOptions::default().with_deprecated_encryption(b"swordfish").unwrap();
        let bytes = packed(&[("a.txt", secret)], locked);
        let told = |password: Option<&str>| {
            self::told(&bytes, &Options { password: password.map(str::to_owned), ..Options::default() })
        };
        assert_eq!(
            told(None)[1..],
            ["warning a.txt: skipped, it is encrypted", "refused it is encrypted; give its password"]
        );
        assert_eq!(told(Some("tuna"))[2], "refused the password does not open it");
        assert_eq!(told(Some("swordfish"))[1..], ["z.zip/a.txt", "text the rent is 1200"]);
    }

    /// A list of one file, `a.txt`, that says it is encrypted with AES.
    fn locked_by_aes() -> Vec<u8> {
        let described = b"\x01\0\x63\0\0\0\x21\0\0\0\0\0\x26\0\0\0\x05\0\0\0\x05\0\x0b\0";
        let name = b"a.txt\x01\x99\x07\0\x02\0AE\x03\x08\0";
        let local = [b"PK\x03\x04\x33\0", &described[..], name, &[0x11; 38]].concat();
        let central = [b"PK\x01\x02\x33\0\x33\0", &described[..], &[0; 14], name].concat();
        let sizes = [central.len(), local.len()].map(|size| u32::try_from(size).unwrap().to_le_bytes());
        let end = [b"PK\x05\x06\0\0\0\0\x01\0\x01\0", &sizes.concat()[..], b"\0\0"].concat();
        [local, central, end].concat()
    }

    #[test]
    fn a_zip_that_no_password_opens_here_asks_for_none() {
        for password in [None, Some("swordfish".to_owned())] {
            let told = told(&locked_by_aes(), &Options { password, ..Options::default() });
            assert_eq!(
                told[1..],
                [
                    "warning a.txt: skipped, it is encrypted with AES",
                    "refused a zip archive encrypted with AES: unpack it with its password and give the files"
                ]
            );
        }
    }

    #[test]
    fn a_damaged_file_is_skipped_and_a_damaged_list_refused() {
        let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        let mut bytes = packed(&[("a.txt", b"first text"), ("b.txt", b"second text")], stored);
        let at = bytes.windows(5).position(|window| window == b"first").unwrap();
        bytes[at] = b'F';
        let told = told(&bytes, &Options::default());
        assert_eq!(told[1..], ["warning a.txt: skipped, it is damaged", "z.zip/b.txt", "text second text"]);
        let told = self::told(&bytes[..40], &Options::default());
        assert!(told[1].starts_with("refused the zip file is damaged"), "{}", told[1]);
    }
}
