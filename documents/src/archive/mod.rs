//! Archives: files inside, with bounds on how many and how large.

mod bounds;
mod directory;
mod tarball;
mod zipped;

use std::io::Read as _;

use flate2::read::MultiGzDecoder;

use crate::event::{Refusal, Warning};
use crate::format::Format;
use crate::output::Output;

pub(crate) use bounds::{Trouble, safe_name, unpack};
pub(crate) use directory::list_zip;
pub(crate) use zipped::zip;

/// The length of a tar's header.
const TAR_HEADER_BYTES: usize = 512;

pub(crate) fn tar(bytes: &[u8], out: &mut Output<'_>) -> Result<(), Refusal> {
    tarball::read(bytes, out)
}

/// Whether the first 512 bytes are the header of a tar.
pub(crate) fn is_tar(bytes: &[u8]) -> bool {
    let Some(header) = bytes.get(..512) else {
        return false;
    };
    if &header[257..262] == b"ustar" {
        return true;
    }
    // Older tars have a checksum alone: the sum of all bytes, with spaces in its own place.
    let digits = header[148..156].iter().copied().filter(|byte| !matches!(byte, 0 | b' '));
    let written = digits.clone().try_fold(0_u32, |sum, digit| match digit {
        b'0'..=b'7' => sum.checked_mul(8)?.checked_add(u32::from(digit - b'0')),
        _ => None,
    });
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    let own: u32 = header[148..156].iter().map(|byte| u32::from(*byte)).sum();
    header[0] != 0 && digits.count() > 0 && written == Some(sum - own + 8 * u32::from(b' '))
}

/// One compressed file; the files of a tar, if it is one.
pub(crate) fn gzip(name: &str, bytes: &[u8], out: &mut Output<'_>) -> Result<(), Refusal> {
    let mut decoder = MultiGzDecoder::new(bytes);
    let mut front = Vec::new();
    let started = decoder.by_ref().take(TAR_HEADER_BYTES as u64).read_to_end(&mut front);
    if started.is_ok() && is_tar(&front) {
        return tarball::read(front.chain(decoder), out);
    }
    let inside = inner_name(name, bytes);
    let limit = out.options().limits.member_bytes.min(out.unpacked_left);
    let (content, trouble) = unpack(MultiGzDecoder::new(bytes), limit);
    match trouble {
        None => {}
        Some(Trouble::TooLarge) => {
            out.spend(limit);
            return Err(Refusal::too_much("bytes when unpacked", limit));
        }
        Some(Trouble::Damaged) if content.is_empty() => {
            return Err(Refusal::damaged(Format::Gzip, "it cannot be unpacked"));
        }
        // What was unpacked before the damage is read.
        Some(Trouble::Damaged) => out.warn(Warning::Other(format!(
            "{inside}: its end is damaged or cut off; what lies before it was read"
        ))),
    }
    out.inner(inside, content);
    Ok(())
}

/// What the compressed file is called: the archive's name without `.gz`, else what the archive says.
fn inner_name(name: &str, bytes: &[u8]) -> String {
    let file = name.rsplit(['/', '\\']).next().unwrap_or_default();
    match file.rsplit_once('.') {
        Some((stem, extension)) if extension.eq_ignore_ascii_case("tgz") => return format!("{stem}.tar"),
        Some((stem, extension)) if extension.eq_ignore_ascii_case("gz") && !stem.is_empty() => {
            return stem.to_owned();
        }
        _ => {}
    }
    let decoder = flate2::read::GzDecoder::new(bytes);
    let named = decoder.header().and_then(|header| header.filename()).map(String::from_utf8_lossy);
    safe_name(&named.unwrap_or_default()).unwrap_or_else(|| "content".to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn an_old_tar_is_told_by_its_checksum() {
        let mut header = [0_u8; 1024];
        header[..5].copy_from_slice(b"a.txt");
        header[124..135].copy_from_slice(b"00000000005");
        let sum: u32 = header[..512].iter().map(|byte| u32::from(*byte)).sum::<u32>() + 8 * 32;
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        assert!(is_tar(&header));
        header[0] = b'b';
        assert!(!is_tar(&header));
        assert!(!is_tar(&[0; 512]));
    }
    use crate::{Event, Limits, Options, read};

    fn gz(content: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    fn told(name: &str, bytes: &[u8], limits: Limits) -> Vec<String> {
        let mut told = Vec::new();
        read(name, bytes, &Options { limits, ..Options::default() }, &mut |event| match event {
            Event::Document { name, .. } => told.push(name),
            Event::Plain(text) => told.push(format!("text {text}")),
            Event::Warning(warning) => told.push(format!("warning {warning}")),
            Event::End(Err(refusal)) => told.push(format!("refused {refusal}")),
            _ => {}
        });
        told
    }

    #[test]
    fn a_compressed_file_is_read_under_its_own_name() {
        let told = told("logs/app.log.gz", &gz(b"started\n"), Limits::default());
        assert_eq!(told, ["logs/app.log.gz", "logs/app.log.gz/app.log", "text started\n"]);
        assert_eq!(inner_name("box.TGZ", b""), "box.tar");
        assert_eq!(inner_name("strange", &gz(b"x")), "content");
    }

    #[test]
    fn a_bomb_is_refused_in_words() {
        let limits = Limits { member_bytes: 1000, ..Limits::default() };
        let told = told("bomb.gz", &gz(&vec![b'a'; 100_000]), limits);
        assert_eq!(
            told[1],
            "refused it has more than 1000 bytes when unpacked; split it, or take out what is not needed"
        );
        assert_eq!(told.len(), 2);
    }

    #[test]
    fn what_lies_before_the_damage_is_read() {
        let packed = gz("line of a log\n".repeat(10_000).as_bytes());
        let told = told("a.log.gz", &packed[..packed.len() - 10], Limits::default());
        assert!(told[1].starts_with("warning a.log: its end is damaged"), "{}", told[1]);
        assert!(told[3].starts_with("text line of a log\n"));
        let told = self::told("a.log.gz", &packed[..5], Limits::default());
        assert!(told[1].starts_with("refused the gzip file is damaged"), "{}", told[1]);
    }
}
