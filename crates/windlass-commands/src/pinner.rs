//! Collects the pins of a command: each file that decides what it runs, or the reason why that
//! cannot be known.

use std::collections::HashMap;
use std::sync::Arc;

use crate::decides::{Decides, How, Place};
use crate::masked::{masked, names_of_variables};
use crate::memo::{Memo, Unparsed};
use crate::paths;
use crate::pins::{Extent, PinnedFile, Pins};
use crate::source::{FileContext, FileSource, ReadError, local_program};

/// A folder with more files than this is not pinned file by file.
const MAX_FILES: usize = 2_000;
/// Folders nested deeper than this are not searched.
const MAX_DEPTH: usize = 16;

/// Pins with their digest, which the commands of a file share.
pub struct Seal {
    pub pins: Arc<Pins>,
    pub digest: String,
}

impl Seal {
    pub fn new(pins: Pins) -> Self {
        let digest = pins.digest();
        let pins = Arc::new(pins);
        Self { pins, digest }
    }
}

/// What was found below a folder.
#[derive(Default)]
struct Search {
    files: Vec<String>,
    folders: usize,
    outside: Vec<String>,
}

/// Collects pins in the order in which a person should read them.
pub struct Pinner<'a> {
    pub source: &'a dyn FileSource,
    pub memo: Memo,
    pins: Pins,
    places: HashMap<String, usize>,
}

impl<'a> Pinner<'a> {
    pub fn new(context: &FileContext<'a>) -> Self {
        Self {
            source: context.source,
            memo: context.memo.clone(),
            pins: Pins::default(),
            places: HashMap::new(),
        }
    }

    pub fn seal(self) -> Seal {
        Seal::new(self.pins)
    }

    pub fn is_pinned(&self, path: &str) -> bool {
        self.places.contains_key(path)
    }

    /// Whether a file is pinned that exists.
    pub fn is_present(&self, path: &str) -> bool {
        let place = self.places.get(path);
        place.is_some_and(|place| self.pins.files[*place].extent != Extent::Absent)
    }

    /// The paths that are pinned so far.
    pub fn paths(&self) -> Vec<String> {
        let files = self.pins.files.iter();
        files.map(|file| file.path.clone()).collect()
    }

    /// Says why a grant cannot cover what the command runs.
    pub fn unreadable(&mut self, reason: impl Into<String>) {
        let reason = reason.into();
        if !self.pins.unreadable.contains(&reason) {
            self.pins.unreadable.push(reason);
        }
    }

    /// Adds a pin. A whole file takes the place of parts of it.
    fn add(&mut self, file: PinnedFile) {
        let Some(&place) = self.places.get(&file.path) else {
            self.places.insert(file.path.clone(), self.pins.files.len());
            return self.pins.files.push(file);
        };
        let known = &mut self.pins.files[place];
        if file.extent == Extent::Whole && known.extent != Extent::Whole {
            *known = file;
        }
    }

    /// Pins every byte of a file, or that it is missing. Returns its text.
    pub fn whole(&mut self, path: &str) -> Option<Arc<str>> {
        let text = self.text(path)?;
        let pin = || PinnedFile::new(path, Extent::Whole, Arc::clone(&text));
        let pin = self.memo.pin(path, "whole", pin);
        self.add(pin);
        Some(text)
    }

    /// The text of a file; otherwise it is pinned as missing, or reported as unreadable.
    fn text(&mut self, path: &str) -> Option<Arc<str>> {
        match self.source.read(path) {
            Ok(text) => Some(text),
            Err(problem) => {
                self.missing(path, &problem);
                None
            }
        }
    }

    fn missing(&mut self, path: &str, problem: &ReadError) {
        if path.contains('\u{fffd}') {
            return self.unreadable(format!("the name of {path} is not UTF-8"));
        }
        match problem {
            ReadError::NotFound | ReadError::Folder => self.add(PinnedFile::absent(path)),
            problem => self.unreadable(format!("{path} {problem}")),
        }
    }

    /// Pins the bytes of a file that no person reads.
    pub fn hashed(&mut self, path: &str) {
        match self.source.hash(path) {
            Ok(hash) => {
                let pin = || PinnedFile::new(path, Extent::Whole, format!("SHA-256 {hash}\n"));
                let pin = self.memo.pin(path, "hashed", pin);
                self.add(pin);
            }
            Err(problem) => self.missing(path, &problem),
        }
    }

    /// Pins a runner that the project has installed for itself, if it has.
    pub fn local_program(&mut self, folder: &str, program: &str) {
        if let Some((above, inner)) = local_program(self.source, folder, program) {
            self.hashed(&paths::join_display(above, &inner));
        }
    }

    /// Pins settings, with the values of secrets replaced by their hashes.
    pub fn settings(&mut self, path: &str) -> Option<Arc<str>> {
        let text = self.text(path)?;
        let pin = || PinnedFile::new(path, Extent::Whole, masked(&text));
        let pin = self.memo.pin(path, "settings", pin);
        self.add(pin);
        Some(text)
    }

    /// Pins a file of variables by its hash, showing only their names: values are often secret.
    pub fn variables(&mut self, path: &str) {
        if let Some(text) = self.text(path) {
            let pin = || PinnedFile::new(path, Extent::Whole, names_of_variables(&text));
            let pin = self.memo.pin(path, "variables", pin);
            self.add(pin);
        }
    }

    /// Pins parts of a data file in canonical form. `name` says which parts.
    pub fn parts(&mut self, path: &str, name: &'static str, text: impl FnOnce() -> String) {
        let make = || PinnedFile::new(path, Extent::Parts(name), text());
        let pin = self.memo.pin(path, name, make);
        self.add(pin);
    }

    /// A data file that cannot be parsed is pinned as missing, or reported as unreadable.
    pub fn unparsed(&mut self, path: &str, problem: &Unparsed) {
        match problem {
            Unparsed::Read(problem) => self.missing(path, problem),
            Unparsed::Syntax(_) => self.unreadable(format!("{path} {}", problem.reason())),
        }
    }

    /// The path of a file that `from` names, relative to `folder`. A path outside of the project is
    /// reported as unreadable.
    pub fn resolve(&mut self, from: &str, folder: &str, written: &str) -> Option<String> {
        let path = paths::resolve(folder, written);
        if path.is_none() {
            self.unreadable(format!(
                "{from} reads {written}, which is outside the project"
            ));
        }
        path
    }

    /// Pins every file below a folder whose path is wanted.
    pub fn tree(&mut self, folder: &str, wanted: &dyn Fn(&str) -> bool, how: How) {
        let mut found = Search::default();
        self.search(folder, wanted, 0, &mut found);
        for outside in found.outside {
            self.unreadable(format!("{outside} {}", ReadError::Outside));
        }
        if found.files.len() > MAX_FILES || found.folders > MAX_FILES {
            self.unreadable(format!(
                "{folder} has more than {MAX_FILES} files that decide"
            ));
            return;
        }
        for path in found.files {
            self.pin(&path, how);
        }
    }

    fn search(
        &self,
        folder: &str,
        wanted: &dyn Fn(&str) -> bool,
        depth: usize,
        found: &mut Search,
    ) {
        found.folders += 1;
        if self.source.leads_outside(folder) {
            found.outside.push(folder.to_owned());
        }
        let names = self.source.list(folder);
        let paths = names.iter().map(|name| paths::join_display(folder, name));
        found.files.extend(paths.filter(|path| wanted(path)));
        for name in self.source.list_folders(folder) {
            // Links may make a folder contain itself.
            if depth < MAX_DEPTH && found.files.len() <= MAX_FILES && found.folders <= MAX_FILES {
                let inner = paths::join_display(folder, &name);
                self.search(&inner, wanted, depth + 1, found);
            }
        }
    }

    fn pin(&mut self, path: &str, how: How) {
        match how {
            How::Whole => drop(self.whole(path)),
            How::Settings => drop(self.settings(path)),
            How::Variables => self.variables(path),
            How::Hash => self.hashed(path),
            How::Tree(ending) => {
                let wanted = |path: &str| path.ends_with(ending);
                self.tree(path, &wanted, How::Whole);
            }
        }
    }

    /// Pins what the runner's list says, for a command of that folder.
    pub fn declared(&mut self, folder: &str, list: &[Decides]) {
        for decides in list {
            for place in paths::ancestors(folder) {
                let applies = match decides.place {
                    Place::Folder => place == folder,
                    Place::Upwards => true,
                    Place::Root => place.is_empty(),
                };
                if applies {
                    self.pin(&paths::join_display(place, decides.file), decides.how);
                }
            }
        }
    }
}
