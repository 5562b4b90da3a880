//! Discovers the commands of a repository, and caches what it read until a file changes.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use crate::availability::{Availability, RunnerLookup, SearchPath};
use crate::command::Command;
use crate::command_set::CommandSet;
use crate::folders::SeenFolders;
use crate::kept;
use crate::launcher::provide_by_mise;
use crate::memo::Memo;
use crate::names::assign_unique_names;
use crate::rooted::{Contents, RootedSource};
use crate::source::{FileContext, FileSource as _, Found, Problem, ReadError};
use crate::stamp::{Stamp, Stamps};
use crate::tracked::Index;
use crate::walk::{DefinitionFile, definition_files_of, may_define, processors, walked};

/// With fewer files than this, starting a thread takes longer than reading.
const FILES_PER_THREAD: usize = 32;

/// Discovers the commands of one repository repeatedly.
pub struct Discovery {
    root: PathBuf,
    lookup: Box<dyn RunnerLookup>,
    cache: Mutex<Cache>,
    /// Where the result of a listing is kept for the next process.
    kept: Option<PathBuf>,
}

#[derive(Default)]
struct Cache {
    files: HashMap<String, CachedFile>,
    last: Option<(Vec<Problem>, Arc<CommandSet>)>,
    tracked: Option<(Stamp, Vec<String>)>,
    /// What the last walk saw.
    seen: Option<SeenFolders>,
}

impl Cache {
    /// The definitions that there are, and whether that took a walk. It takes none where every folder is
    /// as the last walk saw it.
    fn definitions(&mut self, root: &Path) -> (Vec<DefinitionFile>, Vec<Problem>, bool) {
        let known = self.seen.as_ref().filter(|seen| seen.is_current(root));
        let known = known.map(SeenFolders::walk);
        let has_walked = known.is_none();
        let walk = known.unwrap_or_else(|| {
            let began = SystemTime::now();
            let walk = walked(root);
            self.seen = SeenFolders::of(root, &walk, began);
            walk
        });
        let (files, problems) = definition_files_of(root, walk, self.tracked(root));
        (files, problems, has_walked)
    }

    /// The files that git tracks and that may define commands; read again when its index changes.
    fn tracked(&mut self, root: &Path) -> &[String] {
        let index = Index::of(root);
        let Some((stamp, index)) = index.and_then(|it| Some((it.stamp()?, it))) else {
            return &[];
        };
        if self
            .tracked
            .as_ref()
            .is_none_or(|(known, _)| *known != stamp)
        {
            self.tracked = Some((stamp, index.files(may_define)));
        }
        self.tracked.as_ref().map_or(&[], |(_, files)| files)
    }
}

/// The commands of a file, and the state of every file that was checked for it.
pub(crate) struct CachedFile {
    pub inputs: Vec<(String, Option<Stamp>)>,
    pub commands: Vec<Arc<Command>>,
    pub problems: Vec<Problem>,
}

impl Discovery {
    /// Creates a discovery for `root` that looks up runners in `PATH`.
    pub fn new(root: &Path) -> io::Result<Self> {
        Self::with_lookup(root, Box::new(SearchPath))
    }

    pub fn with_lookup(root: &Path, lookup: Box<dyn RunnerLookup>) -> io::Result<Self> {
        Ok(Self {
            root: fs::canonicalize(root)?,
            lookup,
            cache: Mutex::default(),
            kept: None,
        })
    }

    /// Keeps what [`list`](Self::list) finds in that file.
    #[must_use]
    pub fn keeping(mut self, file: PathBuf) -> Self {
        self.kept = Some(file);
        self
    }

    /// All commands for those who only look: without their definitions and pins, from what an
    /// earlier process kept where the files are still the same. Nothing is ever started or allowed by
    /// it: whoever starts a command reads its files again.
    pub fn list(&self) -> Arc<CommandSet> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(file) = self.kept.as_ref().filter(|_| cache.files.is_empty()) else {
            drop(cache);
            return self.discover();
        };
        let mut stored = std::thread::scope(|scope| {
            let stored = scope.spawn(|| kept::read(file, &self.root));
            cache.tracked(&self.root);
            stored.join().unwrap_or_default()
        });
        cache.seen = stored.seen.take();
        let (files, walk_problems, has_walked) = cache.definitions(&self.root);
        let seen = cache.seen.clone();
        drop(cache);
        let stamps = Stamps::new(&self.root);
        let (mut known, mut stale) = (HashMap::new(), Vec::new());
        let mut stored = stored.fresh(&stamps);
        for definition in &files {
            match stored.remove(definition.path.as_str()) {
                Some(found) => drop(known.insert(definition.path.clone(), found)),
                None => stale.push(definition),
            }
        }
        let is_changed = !stale.is_empty() || !stored.is_empty() || (has_walked && seen.is_some());
        known.extend(read_all(&stale, &self.root));
        if is_changed {
            // Another process may keep its own at the same time; the last one wins.
            kept::write(file, &self.root, &known, seen);
        }
        let cache = Cache {
            files: known,
            ..Cache::default()
        };
        Arc::new(self.assemble(&cache, &files, &walk_problems))
    }

    /// The root, canonical.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// All commands of the current files. If nothing changed, the same set is returned, at the cost
    /// of checking the state of each folder and file.
    pub fn discover(&self) -> Arc<CommandSet> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let (files, walk_problems, _) = cache.definitions(&self.root);
        let changed = self.refresh(&mut cache, &files);
        if !changed && let Some((problems, last)) = &cache.last {
            let availability = Availability::look_up(&last.commands, &*self.lookup);
            if *problems == walk_problems && availability == last.availability {
                return Arc::clone(last);
            }
        }
        let commands = Arc::new(self.assemble(&cache, &files, &walk_problems));
        cache.last = Some((walk_problems, Arc::clone(&commands)));
        commands
    }

    /// The command with that unique name at the last discovery.
    pub fn known(&self, unique_name: &str) -> Option<Arc<Command>> {
        let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, last) = cache.last.as_ref()?;
        last.get(unique_name).cloned()
    }

    /// Walks and reads the file of a command again, ignoring the cache, and returns the current command with
    /// all others. Call it right before a start.
    pub fn confirm(&self, command: &Command) -> Option<(Arc<CommandSet>, Command)> {
        {
            let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
            cache.files.remove(&command.entry_file);
            cache.last = None;
            cache.seen = None;
        }
        let commands = self.discover();
        let found = commands.get(&command.unique_name)?.as_ref().clone();
        Some((commands, found))
    }

    /// Updates the cache; returns whether any file changed.
    fn refresh(&self, cache: &mut Cache, files: &[DefinitionFile]) -> bool {
        let known = cache.files.len();
        let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
        cache.files.retain(|path, _| paths.contains(path.as_str()));
        let mut changed = cache.files.len() != known;
        let stamps = Stamps::new(&self.root);
        let is_fresh = |cached: &CachedFile| {
            let mut inputs = cached.inputs.iter();
            inputs.all(|(path, state)| stamps.of(path) == *state)
        };
        let stale: Vec<&DefinitionFile> = files
            .iter()
            .filter(|file| !cache.files.get(&file.path).is_some_and(is_fresh))
            .collect();
        changed |= !stale.is_empty();
        for (path, cached) in read_all(&stale, &self.root) {
            cache.files.insert(path, cached);
        }
        changed
    }

    fn assemble(&self, cache: &Cache, files: &[DefinitionFile], walk: &[Problem]) -> CommandSet {
        let mut commands = Vec::new();
        let mut problems = walk.to_vec();
        // A file that several others include is read for each of them.
        let mut reported: HashSet<Problem> = problems.iter().cloned().collect();
        for cached in files.iter().filter_map(|file| cache.files.get(&file.path)) {
            commands.extend(cached.commands.iter().cloned());
            let new = |problem: &&Problem| reported.insert((*problem).clone());
            problems.extend(cached.problems.iter().filter(new).cloned());
        }
        assign_unique_names(&mut commands);
        let availability = Availability::look_up(&commands, &*self.lookup);
        CommandSet::new(self.root.clone(), commands, problems, availability)
    }
}

/// Reads many files on all processors; the files are independent.
fn read_all(files: &[&DefinitionFile], root: &Path) -> Vec<(String, CachedFile)> {
    let read_some = |files: &[&DefinitionFile]| -> Vec<(String, CachedFile)> {
        let pass = Pass {
            stamps: Stamps::new(root),
            contents: Contents::default(),
            memo: Memo::default(),
        };
        let pairs = files
            .iter()
            .map(|file| (file.path.clone(), pass.read(file)));
        pairs.collect()
    };
    let threads = processors();
    if threads == 1 || files.len() < FILES_PER_THREAD * 2 {
        return read_some(files);
    }
    let size = files.len().div_ceil(threads).max(FILES_PER_THREAD);
    std::thread::scope(|scope| {
        let workers: Vec<_> = files
            .chunks(size)
            .map(|chunk| (chunk, scope.spawn(|| read_some(chunk))))
            .collect();
        // Files that a thread could not finish are read here, so that none is lost.
        let ended = workers
            .into_iter()
            .map(|(chunk, worker)| worker.join().unwrap_or_else(|_| read_some(chunk)));
        ended.flatten().collect()
    })
}

/// What the definitions that are read together share.
struct Pass<'a> {
    stamps: Stamps<'a>,
    contents: Contents,
    memo: Memo,
}

impl Pass<'_> {
    fn read(&self, file: &DefinitionFile) -> CachedFile {
        let source = RootedSource::new(&file.path, &self.stamps, &self.contents);
        let context = FileContext::new(&file.path, &source).with_memo(&self.memo);
        let bytes = |problem: &ReadError| match problem {
            ReadError::NotText => file.format.read_bytes(&context),
            _ => None,
        };
        let found = match source.read(&file.path) {
            Ok(text) => {
                let mut found = file.format.read(&text, &context);
                provide_by_mise(&mut found, &context);
                found
            }
            Err(problem) => bytes(&problem).unwrap_or_else(|| {
                let mut found = Found::default();
                found.problem(&file.path, 1, format!("the file {problem}"));
                found
            }),
        };
        drop(context);
        let inputs = source.into_requested().into_iter().map(|path| {
            let state = self.stamps.of(&path);
            (path, state)
        });
        CachedFile {
            inputs: inputs.collect(),
            commands: found.commands.into_iter().map(Arc::new).collect(),
            problems: found.problems,
        }
    }
}
