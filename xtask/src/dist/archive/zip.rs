//! Writes zip archives, the format of Python wheels, MCP bundles and archives for Windows.

use std::io::Write as _;

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

use super::{Entry, sorted};
use crate::dist::moment::Moment;

/// Deflate, and "stored" for archives that are not compressed.
const DEFLATE: u16 = 8;
const STORED: u16 = 0;
/// The version of the format that these archives need, and Unix as the system that wrote them.
const VERSION: u16 = 20;
const UNIX: u16 = 3 << 8;

pub fn archive(entries: &[Entry], seconds: u64, level: Compression) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut directory = Vec::new();
    for entry in sorted(entries) {
        let offset = number(bytes.len(), entry)?;
        let member = Member::new(entry, seconds, level)?;
        bytes.extend(b"PK\x03\x04");
        bytes.extend(member.description());
        bytes.extend(0u16.to_le_bytes());
        bytes.extend(entry.path.as_bytes());
        bytes.extend(&member.contents);
        directory.extend(b"PK\x01\x02");
        directory.extend((UNIX | VERSION).to_le_bytes());
        directory.extend(member.description());
        // No extra field, no comment, first disk, no internal attributes.
        directory.extend([0; 8]);
        directory.extend(((0o100_000 | entry.mode()) << 16).to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(entry.path.as_bytes());
    }
    let count = u16::try_from(entries.len()).map_err(|_| "too many files for zip")?;
    let too_large = |_| "too large for zip".to_owned();
    let start = u32::try_from(bytes.len()).map_err(too_large)?;
    let size = u32::try_from(directory.len()).map_err(too_large)?;
    bytes.extend(directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend(count.to_le_bytes());
    bytes.extend(count.to_le_bytes());
    bytes.extend(size.to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend(0u16.to_le_bytes());
    Ok(bytes)
}

/// One file as it is in the archive.
struct Member {
    contents: Vec<u8>,
    method: u16,
    checksum: u32,
    stored_size: u32,
    size: u32,
    name_length: u16,
    moment: Moment,
}

impl Member {
    fn new(entry: &Entry, seconds: u64, level: Compression) -> Result<Self, String> {
        let mut checksum = Crc::new();
        checksum.update(&entry.bytes);
        let (method, contents) = if level == Compression::none() {
            (STORED, entry.bytes.to_vec())
        } else {
            (DEFLATE, deflate(&entry.bytes, level)?)
        };
        Ok(Self {
            method,
            checksum: checksum.sum(),
            stored_size: number(contents.len(), entry)?,
            size: number(entry.bytes.len(), entry)?,
            name_length: u16::try_from(entry.path.len()).map_err(|_| "too long for zip")?,
            contents,
            moment: Moment::new(seconds),
        })
    }

    /// What the header of a file and its entry in the directory have in common.
    fn description(&self) -> Vec<u8> {
        let (date, time) = self.moment.dos();
        let mut bytes = Vec::new();
        for number in [VERSION, 0, self.method, time, date] {
            bytes.extend(number.to_le_bytes());
        }
        for number in [self.checksum, self.stored_size, self.size] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.name_length.to_le_bytes());
        bytes
    }
}

fn deflate(bytes: &[u8], level: Compression) -> Result<Vec<u8>, String> {
    let mut writer = DeflateEncoder::new(Vec::new(), level);
    writer
        .write_all(bytes)
        .and_then(|()| writer.finish())
        .map_err(|problem| format!("deflate: {problem}"))
}

fn number(size: usize, entry: &Entry) -> Result<u32, String> {
    u32::try_from(size).map_err(|_| format!("too large for zip: {}", entry.path))
}
