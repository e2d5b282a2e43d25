//! Files in a tar.

use std::io::Read;

use tar::{Archive, EntryType};

use super::bounds::{Trouble, is_litter, safe_name, unpack};
use crate::event::{IS_LINK, Refusal, Warning};
use crate::format::Format;
use crate::output::Output;

/// Reads a tar from its first byte. What lies before damage is read.
pub(super) fn read(from: impl Read, out: &mut Output<'_>) -> Result<(), Refusal> {
    let limits = out.options().limits;
    let mut archive = Archive::new(from);
    let damaged = |_| Refusal::damaged(Format::Tar, "it is cut off, or a header is wrong");
    for entry in archive.entries().map_err(damaged)? {
        let mut entry = entry.map_err(damaged)?;
        let kind = entry.header().entry_type();
        let raw = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let name = safe_name(&raw).unwrap_or_else(|| "file".to_owned());
        if kind == EntryType::Directory || is_litter(&name) || kind.is_pax_global_extensions() {
            continue;
        }
        if !matches!(kind, EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse) {
            let reason = IS_LINK.to_owned();
            out.warn(Warning::Skipped { name, reason });
            continue;
        }
        if out.inner.len() as u64 >= u64::from(limits.files) {
            return Err(Refusal::too_much("files inside", u64::from(limits.files)));
        }
        let limit = limits.member_bytes.min(out.unpacked_left);
        let size = entry.size();
        let (content, trouble) = unpack(&mut entry, limit);
        let cut_off = trouble.is_none() && kind == EntryType::Regular && (content.len() as u64) < size;
        let trouble = if cut_off { Some(Trouble::Damaged) } else { trouble };
        match trouble {
            None => out.inner(name, content),
            Some(Trouble::TooLarge) => {
                out.spend(limit);
                out.warn(super::zipped::too_large(name, limit, &limits));
                if out.unpacked_left == 0 {
                    return Err(Refusal::too_much("bytes when unpacked", limits.unpacked_bytes));
                }
            }
            Some(Trouble::Damaged) => {
                return Err(damaged(std::io::Error::from(std::io::ErrorKind::UnexpectedEof)));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::{Event, Limits, Options, read};

    fn told(bytes: &[u8], limits: Limits) -> Vec<String> {
        let mut told = Vec::new();
        read("t.tar", bytes, &Options { limits, ..Options::default() }, &mut |event| match event {
            Event::Document { name, .. } => told.push(name),
            Event::Warning(warning) => told.push(format!("warning {warning}")),
            Event::End(Err(refusal)) => told.push(format!("refused {refusal}")),
            _ => {}
        });
        told
    }

    fn packed(files: &[(&str, &[u8])]) -> tar::Builder<Vec<u8>> {
        let mut builder = tar::Builder::new(Vec::new());
        for (name, content) in files {
            let mut header = tar::Header::new_gnu();
            // The writer refuses names that lead outside.
            header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
            header.set_size(content.len() as u64);
            header.set_cksum();
            builder.append(&header, *content).unwrap();
        }
        builder
    }

    #[test]
    fn files_are_read_under_safe_names() {
        let bytes = packed(&[("a/b.txt", b"text"), ("../../c.txt", b"text"), ("a/.DS_Store", b"x")]);
        let told = told(&bytes.into_inner().unwrap(), Limits::default());
        assert_eq!(told, ["t.tar", "t.tar/a/b.txt", "t.tar/c.txt"]);
    }

    #[test]
    fn links_and_large_files_are_skipped_and_named() {
        let mut builder = packed(&[("big.txt", &[b'x'; 900]), ("small.txt", b"text")]);
        let mut link = tar::Header::new_gnu();
        link.set_entry_type(tar::EntryType::Symlink);
        link.set_size(0);
        builder.append_link(&mut link, "link", "/etc/passwd").unwrap();
        let limits = Limits { member_bytes: 500, ..Limits::default() };
        let told = told(&builder.into_inner().unwrap(), limits);
        assert_eq!(told[1], "warning big.txt: skipped, it has more than 500 bytes when unpacked");
        assert_eq!(told[2], "warning link: skipped, it is a link or a device");
        assert_eq!(told[3..], ["t.tar/small.txt"]);
    }

    #[test]
    fn what_lies_before_the_damage_is_read() {
        let bytes = packed(&[("a.txt", b"text"), ("b.txt", &[b'x'; 5000])]).into_inner().unwrap();
        let told = told(&bytes[..4000], Limits::default());
        assert!(told[1].starts_with("refused the tar file is damaged"));
        assert_eq!(told[2..], ["t.tar/a.txt"]);
    }
}
