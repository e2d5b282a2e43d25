//! The container of the old binary formats, and of encrypted new ones: streams in sectors, chained by a table.
//!
//! Source of the layout: Microsoft's [MS-CFB], version 3 and 4.

const MAGIC: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
const END: u32 = 0xffff_fffe;
/// The first of the numbers that mark the end of a chain, a free sector, or one of the table.
const FIRST_MARK: u32 = 0xffff_fffa;

pub(super) struct Compound<'a> {
    bytes: &'a [u8],
    sector_bytes: usize,
    /// The sector that follows each sector.
    table: Vec<u32>,
    mini_table: Vec<u32>,
    entries: Vec<Entry>,
    /// Streams below this size lie in the small sectors.
    mini_cutoff: u64,
}

struct Entry {
    name: String,
    start: u32,
    bytes: u64,
}

/// It is not such a file, or not all of it.
#[derive(Debug)]
pub(super) struct Broken;

impl<'a> Compound<'a> {
    /// Whether a file begins as one.
    pub fn is_one(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    pub fn open(bytes: &'a [u8]) -> Result<Self, Broken> {
        if !Self::is_one(bytes) || bytes.len() < 512 {
            return Err(Broken);
        }
        let sector_bytes = match u16_at(bytes, 30)? {
            9 => 512,
            12 => 4096,
            _ => return Err(Broken),
        };
        let mut compound = Self {
            bytes,
            sector_bytes,
            table: Vec::new(),
            mini_table: Vec::new(),
            entries: Vec::new(),
            mini_cutoff: u64::from(u32_at(bytes, 56)?),
        };
        compound.table = compound.read_table()?;
        let directory = compound.chain(u32_at(bytes, 48)?, u64::MAX)?;
        compound.entries = directory.chunks_exact(128).filter_map(entry).collect();
        let mini = compound.chain(u32_at(bytes, 60)?, u64::MAX).unwrap_or_default();
        compound.mini_table = words(&mini).collect();
        Ok(compound)
    }

    /// Whether no sector lies outside of the file: a reader that goes to one asks for as much memory as lies before it.
    pub fn is_whole(&self) -> bool {
        let sectors = self.bytes.len().div_ceil(self.sector_bytes);
        let is_inside = |sector: u32| sector >= FIRST_MARK || (sector as usize) + 1 < sectors;
        let starts =
            self.entries.iter().filter(|entry| entry.bytes >= self.mini_cutoff).map(|entry| entry.start);
        self.table.iter().copied().chain(starts).all(is_inside)
    }

    /// Whether there is such a stream.
    pub fn has(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.name == name)
    }

    /// The bytes of a stream.
    pub fn stream(&self, name: &str) -> Result<Vec<u8>, Broken> {
        let entry = self.entries.iter().find(|entry| entry.name == name).ok_or(Broken)?;
        if entry.bytes >= self.mini_cutoff {
            return self.chain(entry.start, entry.bytes);
        }
        // The root entry holds the small sectors of all small streams.
        let root = self.entries.first().ok_or(Broken)?;
        let small = self.chain(root.start, root.bytes)?;
        let mut stream = Vec::new();
        let mut next = entry.start;
        while next < END && (stream.len() as u64) < entry.bytes {
            let begin = next as usize * 64;
            stream.extend_from_slice(small.get(begin..small.len().min(begin + 64)).ok_or(Broken)?);
            if stream.len() > small.len() {
                return Err(Broken);
            }
            next = *self.mini_table.get(next as usize).ok_or(Broken)?;
        }
        truncated(&mut stream, entry.bytes);
        Ok(stream)
    }

    /// The table of sectors; its own sectors are listed in the header, then in sectors of their own.
    fn read_table(&self) -> Result<Vec<u32>, Broken> {
        let sectors = self.bytes.len() / self.sector_bytes;
        let mut listed: Vec<u32> = words(&self.bytes[76..512]).collect();
        let mut next = u32_at(self.bytes, 68)?;
        let mut lists = 0;
        while next < END {
            lists += 1;
            if lists > sectors {
                return Err(Broken);
            }
            let mut more: Vec<u32> = words(self.sector(next)?).collect();
            next = more.pop().ok_or(Broken)?;
            listed.append(&mut more);
        }
        let mut table = Vec::new();
        for sector in listed.into_iter().filter(|sector| *sector < END) {
            table.extend(words(self.sector(sector)?));
            if table.len() > sectors + self.sector_bytes {
                break;
            }
        }
        Ok(table)
    }

    fn chain(&self, start: u32, bytes: u64) -> Result<Vec<u8>, Broken> {
        let mut stream = Vec::new();
        let mut next = start;
        while next < END && (stream.len() as u64) < bytes {
            stream.extend_from_slice(self.sector(next)?);
            // A chain that is longer than the file runs in a circle.
            if stream.len() > self.bytes.len() {
                return Err(Broken);
            }
            next = *self.table.get(next as usize).ok_or(Broken)?;
        }
        truncated(&mut stream, bytes);
        Ok(stream)
    }

    fn sector(&self, number: u32) -> Result<&'a [u8], Broken> {
        let begin = (number as usize).checked_add(1).and_then(|n| n.checked_mul(self.sector_bytes));
        let begin = begin.ok_or(Broken)?;
        // The last sector may be cut short.
        let end = self.bytes.len().min(begin.saturating_add(self.sector_bytes));
        self.bytes.get(begin..end).filter(|sector| !sector.is_empty()).ok_or(Broken)
    }
}

fn truncated(stream: &mut Vec<u8>, bytes: u64) {
    stream.truncate(usize::try_from(bytes).unwrap_or(usize::MAX));
}

fn entry(bytes: &[u8]) -> Option<Entry> {
    let name_bytes = usize::from(u16_at(bytes, 64).ok()?).checked_sub(2).filter(|bytes| *bytes <= 62)?;
    let units = bytes[..name_bytes].chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
    let name = char::decode_utf16(units).map(|unit| unit.unwrap_or('\u{fffd}')).collect();
    let size = u32_at(bytes, 120).ok()?;
    Some(Entry { name, start: u32_at(bytes, 116).ok()?, bytes: u64::from(size) })
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
}

fn u16_at(bytes: &[u8], at: usize) -> Result<u16, Broken> {
    let word = bytes.get(at..at + 2).ok_or(Broken)?;
    Ok(u16::from_le_bytes([word[0], word[1]]))
}

fn u32_at(bytes: &[u8], at: usize) -> Result<u32, Broken> {
    words(bytes.get(at..at + 4).ok_or(Broken)?).next().ok_or(Broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header, a table, and one sector of directory with these names.
    fn made(names: &[&str]) -> Vec<u8> {
        let mut bytes = vec![0; 512];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[30] = 9;
        bytes[48..52].copy_from_slice(&1_u32.to_le_bytes());
        bytes[60..64].copy_from_slice(&END.to_le_bytes());
        bytes[68..72].copy_from_slice(&END.to_le_bytes());
        bytes[76..80].copy_from_slice(&0_u32.to_le_bytes());
        bytes[80..512].fill(0xff);
        let mut table = vec![0xff_u8; 512];
        table[..4].copy_from_slice(&0xffff_fffd_u32.to_le_bytes());
        table[4..8].copy_from_slice(&END.to_le_bytes());
        bytes.extend(table);
        let mut directory = vec![0; 512];
        for (index, name) in names.iter().enumerate() {
            let units: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
            directory[index * 128..][..units.len()].copy_from_slice(&units);
            let length = u16::try_from(units.len() + 2).unwrap();
            directory[index * 128 + 64..][..2].copy_from_slice(&length.to_le_bytes());
        }
        bytes.extend(directory);
        bytes
    }

    #[test]
    fn streams_are_known_by_name() {
        let bytes = made(&["Root Entry", "EncryptedPackage"]);
        let compound = Compound::open(&bytes).unwrap();
        assert!(compound.has("EncryptedPackage") && !compound.has("WordDocument"));
    }

    #[test]
    fn a_sector_outside_of_the_file_is_noticed() {
        let mut bytes = made(&["Root Entry"]);
        assert!(Compound::open(&bytes).unwrap().is_whole());
        bytes[520..524].copy_from_slice(&0x00ff_ffff_u32.to_le_bytes());
        assert!(!Compound::open(&bytes).unwrap().is_whole());
    }

    #[test]
    fn a_chain_in_a_circle_is_broken() {
        let mut bytes = made(&["Root Entry"]);
        bytes[516..520].copy_from_slice(&1_u32.to_le_bytes());
        assert!(Compound::open(&bytes).is_err());
    }
}
