//! The file of the weights: vocabulary and matrices in a fixed order, mapped into memory, so that
//! processes share it and none reads what it does not need.
//!
//! ```text
//! "WLMODEL1"  checksum of the rest (u64)  bytes of a weight (u32: 1, or 4 for comparisons)
//! bytes of the vocabulary (u32)
//! vocabulary: where each piece starts (u32), ids in the order of the pieces (u32), the pieces
//! matrices: a scale for each row (f32), then the rows;   vectors: f32
//! ```
//!
//! All numbers are little-endian, and each part begins at a multiple of 64.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use crate::checksum::checksum;
use crate::error::{Error, Result};
use crate::vector::DIMENSIONS;

pub(crate) const VOCABULARY: usize = 30_522;
pub(crate) const POSITIONS: usize = 512;
pub(crate) const LAYERS: usize = 6;
pub(crate) const INNER: usize = 1_536;

const MAGIC: &[u8; 8] = b"WLMODEL1";
const HEADER: usize = 24;
const ALIGNMENT: usize = 64;
/// What the checksum is about begins here.
const CHECKED: usize = 16;

/// How a weight is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// One byte, in units of its row.
    Byte,
    /// As the original has it. Only to find out what the bytes cost.
    Whole,
}

impl Precision {
    pub(crate) const fn bytes(self) -> usize {
        match self {
            Self::Byte => 1,
            Self::Whole => 4,
        }
    }
}

/// A part of the model, in the order of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Matrix { rows: usize, columns: usize },
    Vector(usize),
}

const fn square() -> Shape {
    Shape::Matrix {
        rows: DIMENSIONS,
        columns: DIMENSIONS,
    }
}

const NORM: Shape = Shape::Vector(DIMENSIONS);

/// The parts before the layers, with the names that the original gives them.
pub(crate) const EMBEDDINGS: [(&str, Shape); 5] = [
    (
        "word_embeddings.weight",
        Shape::Matrix {
            rows: VOCABULARY,
            columns: DIMENSIONS,
        },
    ),
    (
        "position_embeddings.weight",
        Shape::Matrix {
            rows: POSITIONS,
            columns: DIMENSIONS,
        },
    ),
    (
        "token_type_embeddings.weight",
        Shape::Matrix {
            rows: 2,
            columns: DIMENSIONS,
        },
    ),
    ("LayerNorm.weight", NORM),
    ("LayerNorm.bias", NORM),
];

/// The parts of each layer.
pub(crate) const LAYER: [(&str, Shape); 16] = [
    ("attention.self.query.weight", square()),
    ("attention.self.query.bias", NORM),
    ("attention.self.key.weight", square()),
    ("attention.self.key.bias", NORM),
    ("attention.self.value.weight", square()),
    ("attention.self.value.bias", NORM),
    ("attention.output.dense.weight", square()),
    ("attention.output.dense.bias", NORM),
    ("attention.output.LayerNorm.weight", NORM),
    ("attention.output.LayerNorm.bias", NORM),
    (
        "intermediate.dense.weight",
        Shape::Matrix {
            rows: INNER,
            columns: DIMENSIONS,
        },
    ),
    ("intermediate.dense.bias", Shape::Vector(INNER)),
    (
        "output.dense.weight",
        Shape::Matrix {
            rows: DIMENSIONS,
            columns: INNER,
        },
    ),
    ("output.dense.bias", NORM),
    ("output.LayerNorm.weight", NORM),
    ("output.LayerNorm.bias", NORM),
];

/// A matrix in the file.
pub(crate) struct Matrix {
    start: usize,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) scales: Vec<f32>,
}

/// A matrix with what is added to each of its results.
pub(crate) struct Linear {
    pub(crate) matrix: Matrix,
    pub(crate) bias: Vec<f32>,
}

/// What brings numbers back to a common size.
pub(crate) struct Norm {
    pub(crate) weight: Vec<f32>,
    pub(crate) bias: Vec<f32>,
}

pub(crate) struct Layer {
    pub(crate) query: Linear,
    pub(crate) key: Linear,
    pub(crate) value: Linear,
    pub(crate) attended: Linear,
    pub(crate) attended_norm: Norm,
    pub(crate) widen: Linear,
    pub(crate) narrow: Linear,
    pub(crate) norm: Norm,
}

/// The model, in a file that is mapped into memory.
pub struct Weights {
    precision: Precision,
    starts: usize,
    order: usize,
    pieces: usize,
    pub(crate) words: Matrix,
    pub(crate) positions: Matrix,
    pub(crate) types: Matrix,
    pub(crate) norm: Norm,
    pub(crate) layers: Vec<Layer>,
    map: Mmap,
}

impl Weights {
    /// Opens a file, and checks that it is whole.
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(Error::of(path))?;
        // SAFETY: the file is only ever replaced by another under its name, never changed in place,
        // so that what is mapped stays as it is.
        #[expect(unsafe_code, reason = "mapping a file; see the line above")]
        let map = unsafe { Mmap::map(&file) }.map_err(Error::of(path))?;
        let damaged = |problem: &str| Error::damaged(path, problem);
        if map.len() < HEADER || &map[..8] != MAGIC {
            return Err(damaged("it is not a file of weights"));
        }
        if checksum(&map[CHECKED..]) != u64::from_le_bytes(array(&map, 8)) {
            return Err(damaged("its checksum does not fit its content"));
        }
        let precision = match u32::from_le_bytes(array(&map, 16)) {
            1 => Precision::Byte,
            4 => Precision::Whole,
            _ => return Err(damaged("its precision is unknown")),
        };
        let text = u32::from_le_bytes(array(&map, 20)) as usize;
        let mut cursor = Cursor {
            map: &map,
            at: HEADER,
            precision,
        };
        let starts = cursor.skip(4 * (VOCABULARY + 1));
        let order = cursor.skip(4 * VOCABULARY);
        let pieces = cursor.skip(text);
        // The length is checked before anything is read at a place that follows from it.
        if cursor.aligned() + tensors_length(precision) != map.len() {
            return Err(damaged("its length does not fit its content"));
        }
        let words = cursor.matrix(EMBEDDINGS[0].1);
        let positions = cursor.matrix(EMBEDDINGS[1].1);
        let types = cursor.matrix(EMBEDDINGS[2].1);
        let norm = cursor.norm();
        let layers = (0..LAYERS).map(|_| cursor.layer()).collect();
        Ok(Self {
            precision,
            starts,
            order,
            pieces,
            words,
            positions,
            types,
            norm,
            layers,
            map,
        })
    }

    /// The id of a piece of a word.
    pub(crate) fn token(&self, piece: &str) -> Option<u16> {
        let id_at = |place: usize| self.number(self.order, place);
        let (mut low, mut high) = (0, VOCABULARY);
        while low < high {
            let middle = usize::midpoint(low, high);
            let id = id_at(middle);
            match self.piece(id).cmp(piece.as_bytes()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return u16::try_from(id).ok(),
            }
        }
        None
    }

    fn piece(&self, id: usize) -> &[u8] {
        let start = self.number(self.starts, id);
        let end = self.number(self.starts, id + 1);
        &self.map[self.pieces + start..self.pieces + end]
    }

    fn number(&self, part: usize, place: usize) -> usize {
        u32::from_le_bytes(array(&self.map, part + 4 * place)) as usize
    }

    /// A row of a matrix as numbers that its scale is still to be applied to.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the vectorised loop")]
    pub(crate) fn unscaled_row(&self, matrix: &Matrix, row: usize, out: &mut [f32]) {
        let length = matrix.columns * self.precision.bytes();
        let start = matrix.start + row * length;
        let bytes = &self.map[start..start + length];
        match self.precision {
            Precision::Byte => {
                for (out, byte) in out.iter_mut().zip(bytes) {
                    *out = f32::from(byte.cast_signed());
                }
            }
            Precision::Whole => {
                for (out, bytes) in out.iter_mut().zip(bytes.as_chunks::<4>().0) {
                    *out = f32::from_le_bytes(*bytes);
                }
            }
        }
    }
}

fn array<const N: usize>(map: &[u8], at: usize) -> [u8; N] {
    let mut out = [0; N];
    out.copy_from_slice(&map[at..at + N]);
    out
}

const fn align(at: usize) -> usize {
    at.next_multiple_of(ALIGNMENT)
}

/// How many bytes the parts after the vocabulary take.
fn tensors_length(precision: Precision) -> usize {
    let layers = (0..LAYERS).flat_map(|_| LAYER);
    EMBEDDINGS
        .into_iter()
        .chain(layers)
        .fold(0, |length, (_, shape)| match shape {
            Shape::Vector(count) => align(length) + 4 * count,
            Shape::Matrix { rows, columns } => {
                align(align(length) + 4 * rows) + rows * columns * precision.bytes()
            }
        })
}

/// Walks through the parts of the file.
struct Cursor<'m> {
    map: &'m [u8],
    at: usize,
    precision: Precision,
}

impl Cursor<'_> {
    fn aligned(&self) -> usize {
        align(self.at)
    }

    /// The place of the next part, which has so many bytes.
    fn skip(&mut self, bytes: usize) -> usize {
        let start = self.aligned();
        self.at = start + bytes;
        start
    }

    fn vector(&mut self, count: usize) -> Vec<f32> {
        let start = self.skip(4 * count);
        let bytes = &self.map[start..start + 4 * count];
        let numbers = bytes.as_chunks::<4>().0.iter();
        numbers.map(|bytes| f32::from_le_bytes(*bytes)).collect()
    }

    fn matrix(&mut self, shape: Shape) -> Matrix {
        let (rows, columns) = match shape {
            Shape::Matrix { rows, columns } => (rows, columns),
            Shape::Vector(count) => (1, count),
        };
        let scales = self.vector(rows);
        let start = self.skip(rows * columns * self.precision.bytes());
        Matrix {
            start,
            rows,
            columns,
            scales,
        }
    }

    fn linear(&mut self, shape: Shape) -> Linear {
        let matrix = self.matrix(shape);
        let bias = self.vector(matrix.rows);
        Linear { matrix, bias }
    }

    fn norm(&mut self) -> Norm {
        Norm {
            weight: self.vector(DIMENSIONS),
            bias: self.vector(DIMENSIONS),
        }
    }

    fn layer(&mut self) -> Layer {
        Layer {
            query: self.linear(LAYER[0].1),
            key: self.linear(LAYER[2].1),
            value: self.linear(LAYER[4].1),
            attended: self.linear(LAYER[6].1),
            attended_norm: self.norm(),
            widen: self.linear(LAYER[10].1),
            narrow: self.linear(LAYER[12].1),
            norm: self.norm(),
        }
    }
}

/// Writes the file part by part, under another name until it is whole.
pub(crate) struct WeightsFile {
    bytes: Vec<u8>,
    precision: Precision,
}

impl WeightsFile {
    /// Begins with the pieces of the vocabulary, by id.
    pub(crate) fn new(pieces: &[String], precision: Precision) -> Self {
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes();
        let text: usize = pieces.iter().map(String::len).sum();
        let mut bytes = Vec::with_capacity(32 << 20);
        bytes.extend(MAGIC);
        bytes.extend([0; 8]);
        bytes.extend(number(precision.bytes()));
        bytes.extend(number(text));
        let mut file = Self { bytes, precision };
        let mut start = 0;
        let mut starts = number(0).to_vec();
        for piece in pieces {
            start += piece.len();
            starts.extend(number(start));
        }
        file.part(&starts);
        let mut order: Vec<usize> = (0..pieces.len()).collect();
        order.sort_by_key(|id| pieces[*id].as_bytes());
        file.part(&order.into_iter().flat_map(number).collect::<Vec<u8>>());
        file.part(pieces.concat().as_bytes());
        file
    }

    fn part(&mut self, bytes: &[u8]) {
        self.bytes.resize(align(self.bytes.len()), 0);
        self.bytes.extend(bytes);
    }

    /// Adds a part of the model.
    pub(crate) fn add(&mut self, shape: Shape, numbers: &[f32]) {
        let plain = |numbers: &[f32]| -> Vec<u8> {
            numbers.iter().flat_map(|it| it.to_le_bytes()).collect()
        };
        let Shape::Matrix { rows, columns } = shape else {
            return self.part(&plain(numbers));
        };
        if self.precision == Precision::Whole {
            self.part(&plain(&vec![1.0; rows]));
            return self.part(&plain(numbers));
        }
        let mut scales = Vec::with_capacity(rows);
        let mut bytes = Vec::with_capacity(numbers.len());
        for row in numbers.chunks_exact(columns) {
            let largest = row.iter().fold(0_f32, |most, it| most.max(it.abs()));
            let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
            scales.push(scale);
            #[expect(clippy::cast_possible_truncation, reason = "rounded, and at most 127")]
            bytes.extend(
                row.iter()
                    .map(|it| ((it / scale).round() as i8).cast_unsigned()),
            );
        }
        self.part(&plain(&scales));
        self.part(&bytes);
    }

    /// Puts the file in its place. It is whole and on disk when it gets its name.
    pub(crate) fn save(mut self, path: &Path) -> Result<()> {
        let sum = checksum(&self.bytes[CHECKED..]);
        self.bytes[8..16].copy_from_slice(&sum.to_le_bytes());
        save_whole(path, &self.bytes)
    }
}

/// Replaces a file as a whole or not at all.
fn save_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder: PathBuf = path.parent().map_or_else(PathBuf::new, Path::to_owned);
    let mut file = tempfile::NamedTempFile::new_in(&folder).map_err(Error::of(path))?;
    file.write_all(bytes).map_err(Error::of(path))?;
    file.as_file().sync_all().map_err(Error::of(path))?;
    file.persist(path)
        .map_err(|problem| Error::of(path)(problem.error))?;
    Ok(())
}
