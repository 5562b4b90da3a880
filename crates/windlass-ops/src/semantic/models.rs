//! The file of weights in the user's data folder. All projects share it, and it is opened when it is
//! first needed.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use windlass_core::{Error, ErrorKind, Result};
use windlass_vectors::{Model, Package, ScanFile};

/// What is known about the model in use.
#[derive(Debug, Clone, Copy)]
pub struct ModelFile {
    pub name: &'static str,
    /// The same text may get another vector once this changes, so that all are made again.
    pub version: &'static str,
    pub file: &'static str,
    pub package: Package,
    pub license: &'static str,
    /// For the file of vectors: which model they are of.
    pub number: u64,
}

pub const MODEL: ModelFile = ModelFile {
    name: "all-MiniLM-L6-v2",
    version: "all-MiniLM-L6-v2/int8/1",
    file: "all-MiniLM-L6-v2.int8-1",
    package: Package::MINILM,
    license: "Apache-2.0",
    number: 1,
};

/// Whether searches can go by meaning, and if not, why.
#[derive(Clone)]
pub enum Availability {
    Ready(Arc<Model>),
    /// The settings of the project say so.
    Off,
    Missing,
    /// The file is there and cannot be used.
    Unusable(String),
}

impl Availability {
    pub fn ready(self) -> Option<Arc<Model>> {
        match self {
            Self::Ready(model) => Some(model),
            _ => None,
        }
    }

    /// What a caller should know who did not ask for meaning, and for whom both searches would only have
    /// been better: nothing as long as the words found something, unless the model is there and broken.
    pub fn hint_unless(&self, is_found: bool) -> Option<String> {
        match self {
            Self::Unusable(_) => self.hint(),
            Self::Missing if !is_found => self.hint(),
            Self::Ready(_) | Self::Off | Self::Missing => None,
        }
    }

    /// What a caller should know who asked for meaning and gets results by words instead.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Ready(_) => None,
            Self::Off => Some(
                "These are results by words: search by meaning is off in this project \
                 (search.semantic in .windlass/config.toml)."
                    .to_owned(),
            ),
            Self::Missing => Some(
                "These are results by words: search by meaning needs a model, which \"windlass models \
                 install\" downloads once (84 MB)."
                    .to_owned(),
            ),
            Self::Unusable(problem) => Some(format!(
                "These are results by words: {problem}. \"windlass models install\" replaces it."
            )),
        }
    }
}

/// The models of this user, as this process has opened them.
pub struct Models {
    folder: PathBuf,
    open: Mutex<Option<Open>>,
    vectors: Mutex<Option<Arc<ScanFile>>>,
}

struct Open {
    identity: Identity,
    model: Result<Arc<Model>, String>,
}

/// Changes when the file is replaced.
type Identity = (u64, u64, i64, i64);

fn identity(path: &Path) -> Option<Identity> {
    let found = fs::metadata(path).ok()?;
    Some((found.ino(), found.len(), found.mtime(), found.mtime_nsec()))
}

impl Models {
    pub fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            open: Mutex::default(),
            vectors: Mutex::default(),
        }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where the weights are, or would be.
    pub fn file(&self) -> PathBuf {
        self.folder.join(MODEL.file)
    }

    pub fn is_installed(&self) -> bool {
        self.file().exists()
    }

    /// The model, if its weights are there and whole. A file that was replaced is opened again.
    pub fn model(&self) -> Availability {
        let path = self.file();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(identity) = identity(&path) else {
            *open = None;
            return Availability::Missing;
        };
        let current = open.take().filter(|open| open.identity == identity);
        let current = open.insert(current.unwrap_or_else(|| {
            Open {
                identity,
                model: Model::open(&path)
                    .map(Arc::new)
                    .map_err(|problem| problem.to_string()),
            }
        }));
        match &current.model {
            Ok(model) => Availability::Ready(Arc::clone(model)),
            Err(problem) => Availability::Unusable(problem.clone()),
        }
    }

    /// A file of vectors, which is opened once.
    pub(super) fn vectors(&self, path: &Path) -> Option<Arc<ScanFile>> {
        let mut open = self.vectors.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = open.as_ref().filter(|file| file.path() == path) {
            return Some(Arc::clone(file));
        }
        // One that is gone or damaged is made again by whoever adds vectors; until then the rows do.
        let file = Arc::new(ScanFile::open(path, MODEL.number).ok()??);
        *open = Some(Arc::clone(&file));
        Some(file)
    }

    /// Makes the weights from the package, and puts them in their place.
    pub fn install(&self, package: &Path) -> Result<()> {
        fs::create_dir_all(&self.folder)
            .map_err(|problem| Error::storage(format!("{}: {problem}", self.folder.display())))?;
        windlass_vectors::convert(&MODEL.package, package, &self.file()).map_err(|problem| {
            if problem.is_full_disk() {
                return Error::storage(problem.to_string()).with_hint(
                    "The disk is full: make room for 23 MB, and install again. Nothing was changed.",
                );
            }
            let kind = match problem {
                windlass_vectors::Error::NotThePackage { .. } => ErrorKind::ValidationFailed,
                _ => ErrorKind::StorageError,
            };
            Error::new(kind, problem.to_string()).with_hint(format!(
                "The package is {} {} of the Python registry: {}.",
                MODEL.package.name, MODEL.package.version, MODEL.package.file
            ))
        })
    }

    /// Removes the weights and what is left of a download. Returns whether there was anything.
    pub fn remove(&self) -> Result<bool> {
        let mut removed = false;
        for path in [self.file(), self.partial()] {
            match fs::remove_file(&path) {
                Ok(()) => removed = true,
                Err(problem) if problem.kind() == std::io::ErrorKind::NotFound => {}
                Err(problem) => {
                    return Err(Error::storage(format!("{}: {problem}", path.display())));
                }
            }
        }
        Ok(removed)
    }

    /// What has been downloaded so far.
    pub fn partial(&self) -> PathBuf {
        self.folder.join(format!("{}.part", MODEL.package.file))
    }
}

#[cfg(test)]
mod tests {
    use super::Availability;

    #[test]
    fn who_found_something_is_not_told_about_a_model_each_time() {
        let broken = Availability::Unusable("the file is damaged".to_owned());
        for (available, is_found, is_told) in [
            (Availability::Missing, true, false),
            (Availability::Missing, false, true),
            (Availability::Off, false, false),
            (broken.clone(), true, true),
            (broken, false, true),
        ] {
            assert_eq!(available.hint_unless(is_found).is_some(), is_told);
            assert!(available.hint().is_some());
        }
    }
}
