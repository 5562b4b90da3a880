//! Many vectors in a file, one after the other, so that a search goes through memory and not through
//! rows of a database. The file is made from those rows and may be removed at any time.
//!
//! ```text
//! "WLSCAN01"   which model (u64)   how many (u64)   where the numbers of the rows end (i64)
//! for each: number (i64), group (u32), scale (f32), 384 bytes
//! ```

use std::fs::File;
use std::io::{self, BufWriter, IntoInnerError, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use tempfile::NamedTempFile;

use crate::error::{Error, Result};
use crate::scan::Nearest;
use crate::vector::{DIMENSIONS, Vector};

const MAGIC: &[u8; 8] = b"WLSCAN01";
const HEADER: usize = 64;
const RECORD: usize = 16 + DIMENSIONS;

/// A vector with what is known about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    pub number: i64,
    /// What it belongs to: a search can leave out groups.
    pub group: u32,
    pub vector: Vector,
}

/// A file of vectors, mapped into memory.
pub struct ScanFile {
    map: Mmap,
    path: PathBuf,
    count: usize,
    last: i64,
}

impl ScanFile {
    /// Opens the file if it is there and of that model. A file that is damaged is an error.
    pub fn open(path: &Path, model: u64) -> Result<Option<Self>> {
        let file = match File::open(path) {
            Err(problem) if problem.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(Error::of(path))?,
        };
        // SAFETY: the file is only ever replaced by another under its name, never changed in place,
        // so that what is mapped stays as it is.
        #[expect(unsafe_code, reason = "mapping a file; see the line above")]
        let map = unsafe { Mmap::map(&file) }.map_err(Error::of(path))?;
        if map.len() < HEADER || &map[..8] != MAGIC {
            return Err(Error::damaged(path, "it is not a file of vectors"));
        }
        let number = |at: usize| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&map[at..at + 8]);
            u64::from_le_bytes(bytes)
        };
        if number(8) != model {
            return Ok(None);
        }
        let count = usize::try_from(number(16)).unwrap_or(usize::MAX);
        if count
            .checked_mul(RECORD)
            .and_then(|it| it.checked_add(HEADER))
            != Some(map.len())
        {
            return Err(Error::damaged(path, "its length does not fit its content"));
        }
        Ok(Some(Self {
            last: number(24).cast_signed(),
            path: path.to_owned(),
            map,
            count,
        }))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn len(&self) -> usize {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Vectors with greater numbers are not in the file.
    pub fn last(&self) -> i64 {
        self.last
    }

    /// Looks at every vector whose group is wanted.
    pub fn search(&self, nearest: &mut Nearest<'_>, wanted: impl Fn(u32) -> bool) {
        let records = self.map[HEADER..].as_chunks::<RECORD>().0.iter();
        nearest.look_at_all(records.filter_map(|record| {
            let (number, rest) = record.split_first_chunk::<8>()?;
            let (group, rest) = rest.split_first_chunk::<4>()?;
            let (scale, bytes) = rest.split_first_chunk::<4>()?;
            let bytes: &[u8; DIMENSIONS] = bytes.try_into().ok()?;
            wanted(u32::from_le_bytes(*group)).then(|| {
                (
                    i64::from_le_bytes(*number),
                    f32::from_le_bytes(*scale),
                    bytes,
                )
            })
        }));
    }
}

/// Writes a file of vectors one after the other. It gets its name when it is whole.
pub struct ScanWriter {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
    count: u64,
}

impl ScanWriter {
    pub fn new(path: &Path) -> Result<Self> {
        let folder = path.parent().unwrap_or(path);
        let file = NamedTempFile::new_in(folder).map_err(Error::of(path))?;
        let mut file = BufWriter::with_capacity(1 << 16, file);
        file.write_all(&[0; HEADER]).map_err(Error::of(path))?;
        Ok(Self {
            file,
            path: path.to_owned(),
            count: 0,
        })
    }

    pub fn add(&mut self, record: &Record) -> Result<()> {
        let mut bytes = Vec::with_capacity(RECORD);
        bytes.extend(record.number.to_le_bytes());
        bytes.extend(record.group.to_le_bytes());
        bytes.extend(record.vector.to_bytes());
        self.count += 1;
        self.file.write_all(&bytes).map_err(Error::of(&self.path))
    }

    /// Puts the file in its place. `last` is the greatest number that was given when the vectors
    /// were read, whether its vector is among them or not.
    pub fn finish(self, model: u64, last: i64) -> Result<()> {
        let Self { file, path, count } = self;
        let written = || -> io::Result<()> {
            let mut file = file.into_inner().map_err(IntoInnerError::into_error)?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(MAGIC)?;
            file.write_all(&model.to_le_bytes())?;
            file.write_all(&count.to_le_bytes())?;
            file.write_all(&last.to_le_bytes())?;
            file.as_file().sync_all()?;
            file.persist(&path)?;
            Ok(())
        };
        written().map_err(Error::of(&path))
    }
}
