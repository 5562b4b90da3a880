//! Discovery over a repository, with what it read kept until a file changes.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::availability::{Availability, RunnerLookup, SearchPath};
use crate::command::Command;
use crate::command_set::CommandSet;
use crate::names::assign_unique_names;
use crate::source::{FileContext, FileSource as _, Found, Problem, RootedSource};
use crate::stamp::{Stamp, Stamps};
use crate::walk::{DefinitionFile, definition_files};

/// Fewer files than this are read before a thread has started.
const WORTH_A_THREAD: usize = 32;

/// Finds the commands of one repository, again and again.
pub struct Discovery {
    root: PathBuf,
    lookup: Box<dyn RunnerLookup>,
    cache: Mutex<Cache>,
}

#[derive(Default)]
struct Cache {
    files: HashMap<String, Kept>,
    last: Option<(Vec<Problem>, Arc<CommandSet>)>,
}

/// What a file gave, and the state of everything that was looked at for it.
struct Kept {
    inputs: Vec<(String, Option<Stamp>)>,
    commands: Vec<Arc<Command>>,
    problems: Vec<Problem>,
}

impl Discovery {
    /// Discovery under `root`, with runners looked up on the search path.
    pub fn new(root: &Path) -> io::Result<Self> {
        Self::with_lookup(root, Box::new(SearchPath))
    }

    pub fn with_lookup(root: &Path, lookup: Box<dyn RunnerLookup>) -> io::Result<Self> {
        Ok(Self {
            root: fs::canonicalize(root)?,
            lookup,
            cache: Mutex::default(),
        })
    }

    /// The root, canonical.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// All commands as the files stand now. Where nothing changed it is the same catalogue, for
    /// the price of a walk and a look at each file's state.
    pub fn discover(&self) -> Arc<CommandSet> {
        let (files, walk_problems) = definition_files(&self.root);
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = self.refresh(&mut cache, &files);
        if !changed && let Some((problems, last)) = &cache.last {
            let availability = Availability::look_up(&last.commands, &*self.lookup);
            if *problems == walk_problems && availability == last.availability {
                return Arc::clone(last);
            }
        }
        let catalogue = Arc::new(self.catalogue(&cache, &files, &walk_problems));
        cache.last = Some((walk_problems, Arc::clone(&catalogue)));
        catalogue
    }

    /// The command of that unique name as it was when the files were last looked at.
    pub fn known(&self, unique_name: &str) -> Option<Arc<Command>> {
        let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, last) = cache.last.as_ref()?;
        last.get(unique_name).cloned()
    }

    /// Reads again the file that a command comes from, whatever is kept, and answers with the
    /// command as it stands, among all others. To be asked at the last moment before a start.
    pub fn confirm(&self, command: &Command) -> Option<(Arc<CommandSet>, Command)> {
        {
            let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
            cache.files.remove(&command.entry_file);
            cache.last = None;
        }
        let catalogue = self.discover();
        let found = catalogue.get(&command.unique_name)?.as_ref().clone();
        Some((catalogue, found))
    }

    /// Brings the kept files up to date; whether any of them changed.
    fn refresh(&self, cache: &mut Cache, files: &[DefinitionFile]) -> bool {
        let known = cache.files.len();
        let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
        cache.files.retain(|path, _| paths.contains(path.as_str()));
        let mut changed = cache.files.len() != known;
        let stamps = Stamps::new(&self.root);
        let is_fresh = |kept: &Kept| {
            let mut inputs = kept.inputs.iter();
            inputs.all(|(path, state)| stamps.of(path) == *state)
        };
        let stale: Vec<&DefinitionFile> = files
            .iter()
            .filter(|file| !cache.files.get(&file.path).is_some_and(is_fresh))
            .collect();
        changed |= !stale.is_empty();
        for (path, kept) in read_all(&stale, &self.root) {
            cache.files.insert(path, kept);
        }
        changed
    }

    fn catalogue(&self, cache: &Cache, files: &[DefinitionFile], walk: &[Problem]) -> CommandSet {
        let mut commands = Vec::new();
        let mut problems = walk.to_vec();
        for kept in files.iter().filter_map(|file| cache.files.get(&file.path)) {
            commands.extend(kept.commands.iter().cloned());
            problems.extend(kept.problems.iter().cloned());
        }
        assign_unique_names(&mut commands);
        let availability = Availability::look_up(&commands, &*self.lookup);
        CommandSet::new(self.root.clone(), commands, problems, availability)
    }
}

/// Reads many files on all processors: each stands for itself.
fn read_all(files: &[&DefinitionFile], root: &Path) -> Vec<(String, Kept)> {
    let read_some = |files: &[&DefinitionFile]| -> Vec<(String, Kept)> {
        let stamps = Stamps::new(root);
        let pairs = files
            .iter()
            .map(|file| (file.path.clone(), read(file, &stamps)));
        pairs.collect()
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    if threads == 1 || files.len() < WORTH_A_THREAD * 2 {
        return read_some(files);
    }
    let size = files.len().div_ceil(threads.min(8)).max(WORTH_A_THREAD);
    std::thread::scope(|scope| {
        let workers: Vec<_> = files
            .chunks(size)
            .map(|chunk| (chunk, scope.spawn(|| read_some(chunk))))
            .collect();
        // What a thread could not finish is read here, so that a file is never lost.
        let ended = workers
            .into_iter()
            .map(|(chunk, worker)| worker.join().unwrap_or_else(|_| read_some(chunk)));
        ended.flatten().collect()
    })
}

fn read(file: &DefinitionFile, stamps: &Stamps<'_>) -> Kept {
    let source = RootedSource::new(stamps);
    let found = match source.read(&file.path) {
        Ok(text) => {
            let context = FileContext::new(&file.path, &source);
            file.format.read(&text, &context)
        }
        Err(problem) => {
            let mut found = Found::default();
            found.problem(&file.path, 1, format!("the file {problem}"));
            found
        }
    };
    let inputs = source.into_asked().into_iter().map(|path| {
        let state = stamps.of(&path);
        (path, state)
    });
    Kept {
        inputs: inputs.collect(),
        commands: found.commands.into_iter().map(Arc::new).collect(),
        problems: found.problems,
    }
}
