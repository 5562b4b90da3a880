//! Which folders a walk entered, and their states. A folder in the same state has the same entries, so
//! that whoever only looks needs no second walk. Nothing is started or allowed by it.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::time::{Duration, SystemTime};

use ignore::gitignore::gitconfig_excludes_path;
use serde::{Deserialize, Serialize};

use crate::formats::Format;
use crate::stamp::Stamp;
use crate::walk::{Walk, processors};

/// Some file systems count in seconds, and a folder that has just changed may change once more in the
/// same one.
const UNSETTLED: Duration = Duration::from_secs(2);
const RULES: [&str; 2] = [".gitignore", ".ignore"];
/// With fewer folders than this, starting a thread takes longer than looking.
const FOLDERS_PER_THREAD: usize = 256;

/// What a walk saw.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SeenFolders {
    /// Relative to the root, sorted.
    folders: Vec<String>,
    /// Files with rules about what is ignored, from the root. Those of folders above it are here
    /// whether or not they exist.
    rules: Vec<String>,
    /// The states of all of them.
    states: u64,
    /// The definitions that it found.
    files: Vec<String>,
}

impl SeenFolders {
    /// `None` if the same states could stand for something else.
    pub(crate) fn of(root: &Path, walk: &Walk, began: SystemTime) -> Option<Self> {
        let mut entered: Vec<(&str, Stamp)> = Vec::new();
        for (path, stamp) in &walk.folders {
            entered.push((path.as_deref()?, (*stamp)?));
        }
        if !walk.problems.is_empty() {
            return None;
        }
        entered.sort_unstable_by_key(|(path, _)| *path);
        let mut rules = Vec::new();
        for (folder, _) in &entered {
            let prefix = if folder.is_empty() {
                String::new()
            } else {
                format!("{folder}/")
            };
            let present = RULES.into_iter().map(|name| format!("{prefix}{name}"));
            rules.extend(present.filter(|rule| root.join(rule).symlink_metadata().is_ok()));
            add_excludes(&mut rules, root, &prefix)?;
        }
        let mut above = String::new();
        for _ in root.ancestors().skip(1) {
            above.push_str("../");
            rules.extend(RULES.into_iter().map(|name| format!("{above}{name}")));
            add_excludes(&mut rules, root, &above)?;
        }
        let folders = entered.iter().map(|(path, _)| (*path).to_owned()).collect();
        let stamps: Vec<Option<Stamp>> = entered
            .iter()
            .map(|(_, stamp)| Some(*stamp))
            .chain(stamps_of(root, &rules))
            .collect();
        let latest = stamps.iter().flatten().map(|stamp| stamp.latest()).max()?;
        let began = began.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        if latest + UNSETTLED >= began {
            return None;
        }
        Some(Self {
            folders,
            rules,
            states: fingerprint(&stamps),
            files: walk.files.iter().map(|(path, ..)| path.clone()).collect(),
        })
    }

    /// Whether a walk would see the same again.
    pub(crate) fn is_current(&self, root: &Path) -> bool {
        let mut stamps = stamps_of(root, &self.folders);
        if stamps.iter().any(Option::is_none) {
            return false;
        }
        stamps.extend(stamps_of(root, &self.rules));
        fingerprint(&stamps) == self.states
    }

    /// What the walk found.
    pub(crate) fn walk(&self) -> Walk {
        let known = |path: &String| {
            let (format, place) = Format::of(path)?;
            Some((path.clone(), format, place))
        };
        Walk {
            files: self.files.iter().filter_map(known).collect(),
            problems: Vec::new(),
            folders: Vec::new(),
        }
    }
}

/// Adds the rules that git keeps beside a repository. `None` where its folder is elsewhere: then they
/// are not looked for.
fn add_excludes(rules: &mut Vec<String>, root: &Path, prefix: &str) -> Option<()> {
    match fs::symlink_metadata(root.join(format!("{prefix}.git"))) {
        Ok(state) if state.is_dir() => rules.push(format!("{prefix}.git/info/exclude")),
        Ok(_) => return None,
        Err(_) => {}
    }
    Some(())
}

fn stamps_of(root: &Path, paths: &[String]) -> Vec<Option<Stamp>> {
    let look = |paths: &[String]| -> Vec<Option<Stamp>> {
        let stamps = paths.iter().map(|path| Stamp::of(&root.join(path)));
        stamps.collect()
    };
    if paths.len() < 2 * FOLDERS_PER_THREAD {
        return look(paths);
    }
    let size = paths.len().div_ceil(processors()).max(FOLDERS_PER_THREAD);
    std::thread::scope(|scope| {
        let workers: Vec<_> = paths
            .chunks(size)
            .map(|chunk| (chunk, scope.spawn(|| look(chunk))))
            .collect();
        let stamps = workers
            .into_iter()
            .map(|(chunk, worker)| worker.join().unwrap_or_else(|_| look(chunk)));
        stamps.flatten().collect()
    })
}

/// Of these states, and of the rules that git's settings name for all repositories.
fn fingerprint(stamps: &[Option<Stamp>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    stamps.hash(&mut hasher);
    let everywhere = gitconfig_excludes_path();
    everywhere.hash(&mut hasher);
    everywhere
        .and_then(|path| Stamp::of(&path))
        .hash(&mut hasher);
    hasher.finish()
}
