//! Files under a root on disk.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::{self, Read as _};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use crate::command::{fingerprint, fingerprint_of_bytes};
use crate::encoding;
use crate::paths;
use crate::source::{FileSource, MAX_BYTES, ReadError};
use crate::stamp::{Stamp, Stamps};

/// What was read in one pass. A file that several definitions share is read and hashed once.
#[derive(Default)]
pub struct Contents {
    texts: RefCell<HashMap<String, Result<Arc<str>, ReadError>>>,
    hashes: RefCell<HashMap<String, Result<String, ReadError>>>,
    listings: RefCell<HashMap<String, Listing>>,
}

/// The names in a folder, each with its state, sorted.
type Listing = Rc<Vec<(String, Option<Stamp>)>>;

/// Reads under a root. Symlinks that point outside the root are rejected. It records which paths
/// were requested, so that a result can be cached until one of those files changes.
pub struct RootedSource<'a> {
    stamps: &'a Stamps<'a>,
    contents: &'a Contents,
    /// The folder of the definition that is read.
    folder: String,
    requested: RefCell<BTreeSet<String>>,
}

impl<'a> RootedSource<'a> {
    /// For reading one definition and what belongs to it. The root of `stamps` is canonical.
    pub fn new(definition: &str, stamps: &'a Stamps<'a>, contents: &'a Contents) -> Self {
        let folder = paths::folder_of(definition);
        // Before any look into it, see `record`.
        stamps.of(folder);
        Self {
            stamps,
            contents,
            folder: folder.to_owned(),
            requested: RefCell::default(),
        }
    }

    /// Every path that was requested so far.
    pub fn into_requested(self) -> BTreeSet<String> {
        self.requested.into_inner()
    }

    /// The state is read before the content: a change in between is detected next time.
    ///
    /// Creating a file changes the state of its folder. So files that are missing beside the
    /// definition, which are many, need one look at their folder and not one at each.
    fn record(&self, path: &str) -> Option<Stamp> {
        let stamp = self.stamps.of(path);
        let beside = stamp.is_none() && paths::folder_of(path) == self.folder;
        let watched = if beside && !self.stamps.is_link(path) {
            &self.folder
        } else {
            path
        };
        let mut requested = self.requested.borrow_mut();
        if !requested.contains(watched) {
            requested.insert(watched.to_owned());
        }
        stamp
    }

    fn inside(&self, path: &str) -> Result<PathBuf, ReadError> {
        let full = self.stamps.root.join(path);
        if self.stamps.is_direct(path) {
            return Ok(full);
        }
        let real = fs::canonicalize(full).map_err(|problem| from_io(&problem))?;
        if real.starts_with(self.stamps.root) {
            Ok(real)
        } else {
            Err(ReadError::Outside)
        }
    }

    /// Opens a regular file. A pipe would block forever, so the file type is checked before.
    fn open(&self, path: &str) -> Result<fs::File, ReadError> {
        let state = self.record(path);
        // First, because it says why a link cannot be followed.
        let real = self.inside(path)?;
        let state = state.ok_or(ReadError::NotFound)?;
        if state.is_folder() {
            return Err(ReadError::Folder);
        }
        if !state.is_file() {
            return Err(ReadError::NotAFile);
        }
        fs::File::open(&real).map_err(|problem| from_io(&problem))
    }

    fn read_text(&self, path: &str) -> Result<Arc<str>, ReadError> {
        let mut bytes = Vec::new();
        self.open(path)?
            .take(MAX_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|problem| from_io(&problem))?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(ReadError::TooLarge);
        }
        let text = encoding::decode(bytes).ok_or(ReadError::NotText)?;
        Ok(text.into())
    }

    fn entries(&self, folder: &str, wanted: impl Fn(Stamp) -> bool) -> Vec<String> {
        self.record(folder);
        let known = self.contents.listings.borrow().get(folder).cloned();
        let listing = known.unwrap_or_else(|| {
            let listing = Rc::new(self.listing(folder));
            let mut listings = self.contents.listings.borrow_mut();
            listings.insert(folder.to_owned(), Rc::clone(&listing));
            listing
        });
        let found = listing
            .iter()
            .filter(|(_, stamp)| stamp.is_some_and(&wanted));
        found.map(|(name, _)| name.clone()).collect()
    }

    fn listing(&self, folder: &str) -> Vec<(String, Option<Stamp>)> {
        let Ok(Ok(entries)) = self.inside(folder).map(fs::read_dir) else {
            return Vec::new();
        };
        let mut names: Vec<_> = entries
            .flatten()
            .map(|entry| match entry.file_name().into_string() {
                Ok(name) => {
                    let stamp = self.stamps.of(&paths::join_display(folder, &name));
                    (name, stamp)
                }
                // A runner reads such a file, but no pin can name it: it is reported.
                Err(name) => {
                    let stamp = Stamp::of(&entry.path());
                    (name.to_string_lossy().into_owned(), stamp)
                }
            })
            .collect();
        names.sort_by(|(one, _), (other, _)| one.cmp(other));
        names
    }
}

fn from_io(problem: &io::Error) -> ReadError {
    match problem.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ReadError::NotFound,
        _ => ReadError::Io(problem.to_string()),
    }
}

impl FileSource for RootedSource<'_> {
    fn read(&self, path: &str) -> Result<Arc<str>, ReadError> {
        self.record(path);
        if let Some(known) = self.contents.texts.borrow().get(path) {
            return known.clone();
        }
        let text = self.read_text(path);
        let mut texts = self.contents.texts.borrow_mut();
        texts.insert(path.to_owned(), text.clone());
        text
    }

    fn hash(&self, path: &str) -> Result<String, ReadError> {
        self.record(path);
        if let Some(known) = self.contents.hashes.borrow().get(path) {
            return known.clone();
        }
        let hash = match self.contents.texts.borrow().get(path) {
            // Other texts may have been decoded.
            Some(Ok(text)) if text.is_ascii() => Ok(fingerprint(text)),
            _ => self.open(path).and_then(|mut file| {
                let mut bytes = Vec::new();
                file.read_to_end(&mut bytes)
                    .map_err(|problem| from_io(&problem))?;
                Ok(fingerprint_of_bytes(&bytes))
            }),
        };
        let mut hashes = self.contents.hashes.borrow_mut();
        hashes.insert(path.to_owned(), hash.clone());
        hash
    }

    fn exists(&self, path: &str) -> bool {
        self.record(path).is_some_and(Stamp::is_file)
    }

    fn is_executable(&self, path: &str) -> bool {
        self.record(path).is_some_and(Stamp::is_executable)
    }

    /// With symlinks to files: a runner follows them.
    fn list(&self, folder: &str) -> Vec<String> {
        self.entries(folder, Stamp::is_file)
    }

    fn list_folders(&self, folder: &str) -> Vec<String> {
        self.entries(folder, Stamp::is_folder)
    }

    fn has_folder(&self, folder: &str) -> bool {
        self.record(folder).is_some_and(Stamp::is_folder)
    }

    fn leads_outside(&self, path: &str) -> bool {
        self.record(path);
        self.inside(path) == Err(ReadError::Outside)
    }
}
