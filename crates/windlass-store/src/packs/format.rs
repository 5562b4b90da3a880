//! The bytes of a pack. The same content always has the same bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufWriter, Read as _, Write};

use sha2::{Digest as _, Sha256};
use windlass_core::{EntityId, Error, Result, hexadecimal};
use zstd::zstd_safe::CParameter;

use crate::journal::JournalEntry;
use crate::packs::PackName;
use crate::packs::reader::Bytes;

/// The version that this binary writes. It reads this one and all before it.
pub const PACK_VERSION: u32 = 1;
/// A longer file is not a pack of ours, and is not read.
pub const MAX_PACK_BYTES: usize = 256 << 20;

/// Like the signature of PNG: a transfer as text, or of seven bits, changes it.
const MAGIC: &[u8; 8] = b"\x89WLP\r\n\x1a\n";
/// Magic, version, length of the body, SHA-256 of what follows.
const HEADER_BYTES: usize = 8 + 4 + 8 + 32;
/// The most that a body may take.
pub(crate) const MAX_BODY_BYTES: usize = 512 << 20;
/// The memory that decompression may take for what it looks back at: 2^23 bytes, which every level
/// up to 19 stays below.
const LARGEST_WINDOW_LOG: u32 = 23;
const LEVEL: i32 = 3;
/// A first sync of many entities is long, and somebody waits for it: it is compressed faster. All that
/// comes later is short, and is what a repository grows by.
const LONG: usize = 2 << 20;
const LEVEL_OF_LONG: i32 = 1;
/// What one thread compresses at a time. It changes the bytes, the number of threads does not.
const PIECE: u32 = 1 << 20;
const THREADS: u32 = 2;
/// What the compressor gets at a time.
const WRITTEN_AT_ONCE: usize = 64 << 10;

/// What is in a pack.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Content {
    /// Packs that this one contains.
    pub(crate) replaces: BTreeSet<PackName>,
    /// Loro updates by entity, in the order in which they are imported.
    pub(crate) entities: BTreeMap<EntityId, Vec<Vec<u8>>>,
    pub(crate) journal: BTreeSet<JournalEntry>,
}

/// Why a pack cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unreadable {
    Foreign(String),
    Newer(u32),
    Damaged(String),
}

fn damaged<T>(reason: impl Into<String>) -> Result<T, Unreadable> {
    Err(Unreadable::Damaged(reason.into()))
}

pub(crate) fn encode(content: &Content) -> Result<Vec<u8>> {
    pack_of(|body| write_body(content, body))
}

/// A pack with the body that is written. It is written twice, because its length is needed first.
pub(crate) fn pack_of(write: impl Fn(&mut BodyWriter<'_>) -> Result<()>) -> Result<Vec<u8>> {
    let mut length = Length(0);
    write(&mut BodyWriter(&mut length))?;
    let Length(length) = length;
    if length > MAX_BODY_BYTES {
        return Err(Error::storage(format!(
            "A pack of {length} bytes would be larger than the {MAX_BODY_BYTES} that can be read"
        )));
    }
    let declared = u64::try_from(length).unwrap_or(u64::MAX);
    let mut bytes = Vec::with_capacity(HEADER_BYTES + length / 2);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&PACK_VERSION.to_le_bytes());
    bytes.extend_from_slice(&declared.to_le_bytes());
    let checksum = bytes.len()..HEADER_BYTES;
    bytes.resize(HEADER_BYTES, 0);
    let mut compressed = Summed {
        bytes,
        sum: Sha256::new(),
    };
    if length < LONG {
        let mut body = Vec::with_capacity(length);
        write(&mut BodyWriter(&mut body))?;
        let body = compress(&body).map_err(not_compressed)?;
        compressed.write_all(&body).map_err(not_compressed)?;
    } else {
        compressed = compress_while(write, declared, compressed)?;
    }
    let Summed { mut bytes, sum } = compressed;
    bytes[checksum].copy_from_slice(&sum.finalize());
    Ok(bytes)
}

/// Bytes, and the checksum of those that were written behind the first.
struct Summed {
    bytes: Vec<u8>,
    sum: Sha256,
}

impl Write for Summed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.sum.update(bytes);
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// How much is written.
struct Length(usize);

impl Write for Length {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 = self.0.saturating_add(bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn not_compressed(error: std::io::Error) -> Error {
    Error::storage(format!("A pack could not be compressed: {error}"))
}

/// The number of threads changes the bytes only if it is none, so that it is the same everywhere.
fn compress(body: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
    compressor.set_parameter(CParameter::NbWorkers(THREADS))?;
    compressor.compress(body)
}

/// Compresses a long body behind these bytes while it is written, so that it is never in memory as a
/// whole.
fn compress_while(
    write: impl Fn(&mut BodyWriter<'_>) -> Result<()>,
    declared: u64,
    compressed: Summed,
) -> Result<Summed> {
    let encoder = || {
        let mut encoder = zstd::stream::write::Encoder::new(compressed, LEVEL_OF_LONG)?;
        encoder.set_parameter(CParameter::NbWorkers(THREADS))?;
        encoder.set_parameter(CParameter::JobSize(PIECE))?;
        encoder.set_pledged_src_size(Some(declared))?;
        Ok(BufWriter::with_capacity(WRITTEN_AT_ONCE, encoder))
    };
    let mut encoder = encoder().map_err(not_compressed)?;
    write(&mut BodyWriter(&mut encoder))?;
    let ended = encoder
        .into_inner()
        .map_err(std::io::IntoInnerError::into_error);
    ended
        .and_then(zstd::stream::write::Encoder::finish)
        .map_err(not_compressed)
}

/// Reads a pack of any version that this binary knows.
pub(crate) fn decode(bytes: &[u8]) -> Result<Content, Unreadable> {
    if bytes.len() > MAX_PACK_BYTES {
        return damaged(format!(
            "it has {} bytes, and at most {MAX_PACK_BYTES} are read",
            bytes.len()
        ));
    }
    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        return Err(Unreadable::Foreign("it is not a pack".to_owned()));
    };
    let mut header = Bytes::new(rest);
    match header.number()? {
        1 => decode_version_1(rest),
        0 => damaged("it has no version"),
        newer => Err(Unreadable::Newer(newer)),
    }
}

fn decode_version_1(rest: &[u8]) -> Result<Content, Unreadable> {
    let mut header = Bytes::new(rest);
    header.number()?;
    let declared = u64::from_le_bytes(header.array()?);
    let checksum: [u8; 32] = header.array()?;
    let compressed = rest.get(HEADER_BYTES - MAGIC.len()..).unwrap_or_default();
    if Sha256::digest(compressed)[..] != checksum {
        return damaged("its checksum does not match");
    }
    content_of(&decompress(compressed, declared)?)
}

/// Grows with what comes out, and stops after one byte more than declared.
fn decompress(compressed: &[u8], declared: u64) -> Result<Vec<u8>, Unreadable> {
    let longest = u64::try_from(MAX_BODY_BYTES).unwrap_or(u64::MAX);
    if declared > longest {
        return damaged(format!(
            "it declares {declared} bytes, and at most {MAX_BODY_BYTES} are read"
        ));
    }
    let cannot =
        |error: std::io::Error| Unreadable::Damaged(format!("it cannot be decompressed: {error}"));
    let mut decoder = zstd::stream::read::Decoder::with_buffer(compressed)
        .map_err(cannot)?
        .single_frame();
    decoder.window_log_max(LARGEST_WINDOW_LOG).map_err(cannot)?;
    let mut body = Vec::new();
    (&mut decoder)
        .take(declared.saturating_add(1))
        .read_to_end(&mut body)
        .map_err(cannot)?;
    if u64::try_from(body.len()) != Ok(declared) {
        return damaged("its length is not the declared one");
    }
    if !decoder.finish().is_empty() {
        return damaged("bytes follow its end");
    }
    Ok(body)
}

fn write_body(content: &Content, body: &mut BodyWriter<'_>) -> Result<()> {
    body.replaces(&content.replaces)?;
    body.count(content.entities.len())?;
    for (id, updates) in &content.entities {
        let id = uuid::Uuid::parse_str(id.as_str())
            .map_err(|_| Error::internal(format!("{id} is not an id")))?;
        body.entity(id, updates.iter().map(Vec::as_slice))?;
    }
    body.journal(&content.journal)
}

/// Writes a body: the packs that it replaces, how many entities there are, each of them, the journal.
/// All of it is sorted, and nothing comes twice.
pub(crate) struct BodyWriter<'w>(&'w mut dyn Write);

impl BodyWriter<'_> {
    pub(crate) fn replaces<'a, I>(&mut self, names: I) -> Result<()>
    where
        I: IntoIterator<Item = &'a PackName, IntoIter: ExactSizeIterator>,
    {
        let names = names.into_iter();
        self.count(names.len())?;
        for name in names {
            self.put(&bytes_of(name.as_str())?)?;
        }
        Ok(())
    }

    pub(crate) fn count(&mut self, number: usize) -> Result<()> {
        let number = u32::try_from(number)
            .map_err(|_| Error::storage("A change is too large for a pack".to_owned()))?;
        self.put(&number.to_le_bytes())
    }

    pub(crate) fn entity<'a, I>(&mut self, id: uuid::Uuid, updates: I) -> Result<()>
    where
        I: IntoIterator<Item = &'a [u8], IntoIter: ExactSizeIterator>,
    {
        let updates = updates.into_iter();
        self.put(id.as_bytes())?;
        self.count(updates.len())?;
        for update in updates {
            self.block(update)?;
        }
        Ok(())
    }

    pub(crate) fn journal<'a, I>(&mut self, entries: I) -> Result<()>
    where
        I: IntoIterator<Item = &'a JournalEntry, IntoIter: ExactSizeIterator>,
    {
        let entries = entries.into_iter();
        self.count(entries.len())?;
        for entry in entries {
            for part in [entry.kind.name(), entry.at.as_str(), &entry.text] {
                self.block(part.as_bytes())?;
            }
        }
        Ok(())
    }

    fn block(&mut self, block: &[u8]) -> Result<()> {
        self.count(block.len())?;
        self.put(block)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.0.write_all(bytes).map_err(not_compressed)
    }
}

fn bytes_of(hexadecimal: &str) -> Result<Vec<u8>> {
    let pairs = hexadecimal.as_bytes().chunks(2);
    pairs
        .map(|pair| {
            std::str::from_utf8(pair)
                .ok()
                .and_then(|pair| u8::from_str_radix(pair, 16).ok())
                .ok_or_else(|| Error::internal("a pack has no valid name"))
        })
        .collect()
}

fn content_of(body: &[u8]) -> Result<Content, Unreadable> {
    let mut bytes = Bytes::new(body);
    let mut content = Content::default();
    let mut last_name = None;
    for _ in 0..bytes.number()? {
        let name: [u8; 32] = bytes.array()?;
        in_order(&mut last_name, name)?;
        content.replaces.insert(PackName(hexadecimal(&name)));
    }
    let mut last_id = None;
    for _ in 0..bytes.number()? {
        let id: [u8; 16] = bytes.array()?;
        in_order(&mut last_id, id)?;
        let mut updates = Vec::new();
        for _ in 0..bytes.number()? {
            updates.push(bytes.block()?.to_vec());
        }
        let id = EntityId::from_stored(uuid::Uuid::from_bytes(id).to_string());
        content.entities.insert(id, updates);
    }
    let mut last_entry = None;
    for _ in 0..bytes.number()? {
        let entry = JournalEntry::from_pack(bytes.text()?, bytes.text()?, bytes.text()?)
            .map_err(Unreadable::Damaged)?;
        in_order(&mut last_entry, entry.clone())?;
        content.journal.insert(entry);
    }
    bytes.end()?;
    Ok(content)
}

/// Entries are sorted, and none comes twice.
fn in_order<T: PartialOrd>(last: &mut Option<T>, next: T) -> Result<(), Unreadable> {
    if last.as_ref().is_some_and(|last| *last >= next) {
        return damaged("its entries are not in order");
    }
    *last = Some(next);
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use windlass_core::Timestamp;

    use super::*;
    use crate::document::Document;
    use crate::journal::JournalKind;

    const VECTOR: &[u8] = include_bytes!("../../tests/packs/version-1.pack");
    const VECTOR_NAME: &str = include_str!("../../tests/packs/version-1.name");

    fn entry(text: &str) -> JournalEntry {
        let at = Timestamp::from_millis(1_700_000_000_000);
        JournalEntry::new(JournalKind::Progress, text, &at).expect("valid")
    }

    fn sample() -> Content {
        let id = |digit: u8| EntityId::from_stored(uuid::Uuid::from_bytes([digit; 16]).to_string());
        Content {
            replaces: [PackName::of(b"one"), PackName::of(b"two")].into(),
            entities: [
                (id(1), vec![vec![1, 2, 3], vec![]]),
                (id(2), vec![vec![7; 300]]),
            ]
            .into(),
            journal: [entry("began"), entry("ended")].into(),
        }
    }

    fn body_of(content: &Content) -> Vec<u8> {
        let mut body = Vec::new();
        write_body(content, &mut BodyWriter(&mut body)).expect("written");
        body
    }

    /// A pack with any body.
    fn declaring(body: &[u8], declared: u64) -> Vec<u8> {
        let compressed = zstd::bulk::compress(body, 1).expect("compressed");
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&1_u32.to_le_bytes());
        bytes.extend_from_slice(&declared.to_le_bytes());
        bytes.extend_from_slice(&Sha256::digest(&compressed));
        bytes.extend_from_slice(&compressed);
        bytes
    }

    #[test]
    fn the_vector_of_version_1_is_read_and_written() {
        assert_eq!(PackName::of(VECTOR).as_str(), VECTOR_NAME.trim());
        let content = decode(VECTOR).expect("readable");
        let replaced: Vec<&str> = content.replaces.iter().map(PackName::as_str).collect();
        assert_eq!(replaced, ["11".repeat(32), "ab".repeat(32)]);
        let entities: Vec<(&EntityId, &Vec<Vec<u8>>)> = content.entities.iter().collect();
        let [(id, updates)] = entities.as_slice() else {
            panic!("{} entities", entities.len());
        };
        assert_eq!(id.as_str(), "11111111-2222-4333-8444-555555555555");
        let document = Document::load(&updates[0], &updates[1..], 1).expect("loaded");
        let entity = document.record().expect("read").entity;
        assert_eq!(entity.id, **id);
        assert_eq!(
            (entity.number, entity.title.as_str()),
            (7, "Write the pack")
        );
        assert_eq!(entity.content.as_deref(), Some("One file, never changed."));
        assert_eq!(entity.text("status"), Some("in_progress"));
        let journal: Vec<(&str, &str, &str)> = content
            .journal
            .iter()
            .map(|it| (it.kind.name(), it.at.as_str(), it.text.as_str()))
            .collect();
        assert_eq!(
            journal,
            [
                (
                    "learnings",
                    "2026-01-30T12:00:00.000Z",
                    "Packs do not conflict."
                ),
                (
                    "progress",
                    "2026-01-30T12:00:01.000Z",
                    "The format is done."
                ),
            ]
        );
        assert_eq!(encode(&content).expect("written"), VECTOR);
    }

    #[test]
    fn what_is_written_is_read() {
        let content = sample();
        let bytes = encode(&content).expect("written");
        assert_eq!(decode(&bytes), Ok(content.clone()));
        assert_eq!(encode(&content).expect("written"), bytes, "the same bytes");
        let nothing = encode(&Content::default()).expect("written");
        assert_eq!(decode(&nothing), Ok(Content::default()));
    }

    #[test]
    fn a_long_pack_is_read_and_has_the_same_bytes_again() {
        let id = EntityId::from_stored(uuid::Uuid::from_bytes([3; 16]).to_string());
        let text = |seed: usize| format!("change {} of {seed} ", seed * 7_919).into_bytes();
        let updates: Vec<Vec<u8>> = (0..200_000).map(text).collect();
        let content = Content {
            entities: [(id, updates)].into(),
            ..Content::default()
        };
        assert!(body_of(&content).len() > LONG);
        let bytes = encode(&content).expect("written");
        assert_eq!(encode(&content).expect("written"), bytes);
        assert_eq!(decode(&bytes), Ok(content));
    }

    #[test]
    fn a_bomb_is_stopped_at_its_declared_length() {
        let zeros = vec![0; 64 << 20];
        for declared in [0, 100, u64::MAX, u64::from(u32::MAX)] {
            let bytes = declaring(&zeros, declared);
            assert!(bytes.len() < 1 << 20);
            assert!(matches!(decode(&bytes), Err(Unreadable::Damaged(_))));
        }
    }

    #[test]
    fn lengths_that_are_only_declared_are_not_believed() {
        let most = u32::MAX.to_le_bytes();
        let none = 0_u32.to_le_bytes();
        let one = 1_u32.to_le_bytes();
        let bodies = [
            vec![],
            most.to_vec(),
            [none, most].concat(),
            [none, none, most].concat(),
            [&none[..], &one[..], &[9; 16], &most[..]].concat(),
            [&none[..], &one[..], &[9; 16], &one[..], &most[..]].concat(),
            [none, none, none, none].concat(),
        ];
        for body in bodies {
            let declared = u64::try_from(body.len()).expect("short");
            let read = decode(&declaring(&body, declared));
            assert!(matches!(read, Err(Unreadable::Damaged(_))), "{body:?}");
        }
    }

    #[test]
    fn entries_come_once_and_in_order() {
        let name = |digit: u8| [digit; 32].to_vec();
        let body = |names: &[Vec<u8>]| {
            let count = u32::try_from(names.len()).expect("few").to_le_bytes();
            let mut body = count.to_vec();
            body.extend(names.concat());
            body.extend([0; 8]);
            let declared = u64::try_from(body.len()).expect("short");
            decode(&declaring(&body, declared))
        };
        assert!(body(&[name(1), name(2)]).is_ok());
        assert!(body(&[name(2), name(1)]).is_err());
        assert!(body(&[name(1), name(1)]).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn no_bytes_make_the_reader_panic(
            body in prop::collection::vec(any::<u8>(), 0..400),
            declared in prop_oneof![Just(None), any::<u64>().prop_map(Some)],
        ) {
            let length = u64::try_from(body.len()).expect("short");
            let _ = decode(&declaring(&body, declared.unwrap_or(length)));
            let _ = decode(&body);
            let with_magic = [&MAGIC[..], &body].concat();
            let _ = decode(&with_magic);
        }

        /// Changes inside the body, under a right checksum.
        #[test]
        fn no_change_to_a_body_makes_the_reader_panic(
            at in any::<prop::sample::Index>(),
            value in any::<u8>(),
            cut in any::<prop::sample::Index>(),
        ) {
            let mut body = body_of(&sample());
            let place = at.index(body.len());
            body[place] = value;
            body.truncate(cut.index(body.len()) + 1);
            let declared = u64::try_from(body.len()).expect("short");
            if let Ok(content) = decode(&declaring(&body, declared)) {
                // What is read can be written, and is the same then.
                let again = decode(&encode(&content).expect("written"));
                prop_assert_eq!(again, Ok(content));
            }
        }
    }
}
