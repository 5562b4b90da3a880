//! The files of a folder as git would store them, worked out without git: names and modes, and the
//! hash of each content. Filters and attributes have no part in it.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use sha1::{Digest as _, Sha1};
use sha2::Sha256;
use windlass_core::hexadecimal;

use super::run::{line, names};

/// A repository with more files than this is not looked through.
const MAX_FILES: usize = 100_000;
/// A file larger than this counts by its size and time.
const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// A file as git would store it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// `100644`, `100755`, `120000` for a link, `160000` for another repository.
    pub mode: &'static str,
    /// The hash of its content, in hexadecimal.
    pub id: String,
}

/// Files by path, relative to the folder.
pub type Files = BTreeMap<Vec<u8>, Stored>;

/// How a repository names its objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hash {
    Sha1,
    Sha256,
}

impl Hash {
    pub fn of(root: &Path) -> Self {
        match line(root, &["rev-parse", "--show-object-format"]).as_deref() {
            Some("sha256") => Self::Sha256,
            _ => Self::Sha1,
        }
    }

    /// The name of an object: its kind and length are part of what is hashed.
    fn name(self, kind: &str, content: &[u8]) -> Vec<u8> {
        let header = format!("{kind} {}\0", content.len());
        match self {
            Self::Sha1 => Sha1::new()
                .chain_update(header)
                .chain_update(content)
                .finalize()
                .to_vec(),
            Self::Sha256 => Sha256::new()
                .chain_update(header)
                .chain_update(content)
                .finalize()
                .to_vec(),
        }
    }
}

/// All files of the folder that git tracks or would track. None if there are too many, or git does
/// not answer.
pub fn files(root: &Path) -> Option<Files> {
    let hash = Hash::of(root);
    let listed = names(
        root,
        &[
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ],
    )
    .ok()?;
    if listed.len() > MAX_FILES {
        return None;
    }
    let mut files = Files::new();
    let mut real = HashMap::new();
    for path in listed {
        // What Windlass keeps changes by itself.
        if path.starts_with(b".windlass/state/") || !lies_inside(root, &path, &mut real) {
            continue;
        }
        if let Some(stored) = stored(root, &path, hash) {
            files.insert(path, stored);
        }
    }
    Some(files)
}

/// Whether no folder on the way to the file is a link: what such a link leads to is not part of the
/// repository.
fn lies_inside(root: &Path, path: &[u8], real: &mut HashMap<Vec<u8>, bool>) -> bool {
    let Some(slash) = path.iter().rposition(|byte| *byte == b'/') else {
        return true;
    };
    let folder = &path[..slash];
    if let Some(known) = real.get(folder) {
        return *known;
    }
    let is_folder = fs::symlink_metadata(path_of(root, folder)).is_ok_and(|it| it.is_dir());
    let inside = is_folder && lies_inside(root, folder, real);
    real.insert(folder.to_vec(), inside);
    inside
}

fn stored(root: &Path, path: &[u8], hash: Hash) -> Option<Stored> {
    let file = root.join(OsStr::from_bytes(path));
    let metadata = fs::symlink_metadata(&file).ok()?;
    if metadata.is_symlink() {
        let target = fs::read_link(&file).ok()?;
        let id = hash.name("blob", target.as_os_str().as_bytes());
        return Some(Stored {
            mode: "120000",
            id: hexadecimal(&id),
        });
    }
    if metadata.is_dir() {
        // Another repository inside of this one.
        let id = line(&file, &["rev-parse", "--verify", "--quiet", "HEAD"])?;
        return Some(Stored { mode: "160000", id });
    }
    if !metadata.is_file() {
        return None;
    }
    let mode = if metadata.permissions().mode() & 0o100 == 0 {
        "100644"
    } else {
        "100755"
    };
    let content = if metadata.len() > MAX_FILE_BYTES {
        let changed = metadata.modified().ok();
        format!("{} {changed:?}", metadata.len()).into_bytes()
    } else {
        fs::read(&file).ok()?
    };
    Some(Stored {
        mode,
        id: hexadecimal(&hash.name("blob", &content)),
    })
}

/// The files of a commit, by path relative to the folder.
pub fn files_of_commit(root: &Path, commit: &str) -> Option<Files> {
    let mut files = Files::new();
    for entry in names(root, &["ls-tree", "-r", "-z", commit, "--", "."]).ok()? {
        // `100644 blob 0123abcd<TAB>path`
        let tab = entry.iter().position(|byte| *byte == b'\t')?;
        let (facts, path) = (std::str::from_utf8(&entry[..tab]).ok()?, &entry[tab + 1..]);
        let mut words = facts.split(' ');
        let mode = match words.next()? {
            "100755" => "100755",
            "120000" => "120000",
            "160000" => "160000",
            _ => "100644",
        };
        let id = words.nth(1)?.to_owned();
        files.insert(path.to_vec(), Stored { mode, id });
    }
    Some(files)
}

/// The name that git would give to the tree of all files of the folder.
pub fn tree(root: &Path) -> Option<String> {
    let files = files(root)?;
    Some(tree_of(&files, Hash::of(root)))
}

/// One folder of a tree.
#[derive(Default)]
struct Folder<'a> {
    files: BTreeMap<&'a [u8], &'a Stored>,
    folders: BTreeMap<&'a [u8], Folder<'a>>,
}

fn tree_of(files: &Files, hash: Hash) -> String {
    let mut top = Folder::default();
    for (path, stored) in files {
        let mut parts: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
        let Some(name) = parts.pop() else { continue };
        let mut folder = &mut top;
        for part in parts {
            folder = folder.folders.entry(part).or_default();
        }
        folder.files.insert(name, stored);
    }
    hexadecimal(&top.name(hash))
}

impl Folder<'_> {
    fn name(&self, hash: Hash) -> Vec<u8> {
        // Git sorts a folder as if its name ended in a slash.
        let mut entries: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        let mut add = |key: Vec<u8>, mode: &str, name: &[u8], id: &[u8]| {
            let mut entry = format!("{mode} ").into_bytes();
            entry.extend_from_slice(name);
            entry.push(0);
            entry.extend_from_slice(id);
            entries.push((key, entry));
        };
        for (name, stored) in &self.files {
            add(name.to_vec(), stored.mode, name, &unhex(&stored.id));
        }
        for (name, folder) in &self.folders {
            let key = [name, &b"/"[..]].concat();
            add(key, "40000", name, &folder.name(hash));
        }
        entries.sort();
        let content: Vec<u8> = entries.into_iter().flat_map(|(_, entry)| entry).collect();
        hash.name("tree", &content)
    }
}

/// The path of a listed file.
pub fn path_of(root: &Path, name: &[u8]) -> PathBuf {
    root.join(OsStr::from_bytes(name))
}

fn unhex(text: &str) -> Vec<u8> {
    let pairs = text.as_bytes().chunks_exact(2);
    pairs
        .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}
