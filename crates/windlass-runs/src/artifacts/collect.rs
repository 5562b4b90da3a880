//! Finding the files that a step's globs name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::WalkBuilder;

use crate::paths::{self, Escape};

/// Folders that no glob reaches: the repository's own, and ours.
const NEVER: [&str; 2] = [".git", ".windlass/state"];

/// A file that is to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its path relative to the project.
    pub name: String,
    /// Where it really is.
    pub path: PathBuf,
}

/// What the globs of a step gave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Collected {
    /// Files to keep, by name.
    pub files: Vec<Candidate>,
    /// What was named but cannot be kept, and why.
    pub skipped: Vec<(String, String)>,
}

/// Looks for files under `cwd`, which is inside `root`; both are canonical. A glob that names a
/// folder means all that is in it. Symlinks are followed to files inside the project only.
pub fn collect(root: &Path, cwd: &Path, globs: &[String], most: usize) -> Collected {
    let mut found = Found {
        root,
        folder: cwd.strip_prefix(root).unwrap_or(Path::new("")),
        files: BTreeMap::new(),
        skipped: BTreeMap::new(),
    };
    for glob in globs {
        if !found.look(cwd, glob) {
            found.skip(glob.clone(), "nothing matches");
        }
    }
    let mut collected = Collected::default();
    for (name, path) in found.files {
        if collected.files.len() == most {
            let why = format!("more than {most} files match");
            found.skipped.insert("…".to_owned(), why);
            break;
        }
        collected.files.push(Candidate { name, path });
    }
    collected.skipped = found.skipped.into_iter().collect();
    collected
}

struct Found<'a> {
    root: &'a Path,
    folder: &'a Path,
    files: BTreeMap<String, PathBuf>,
    skipped: BTreeMap<String, String>,
}

impl Found<'_> {
    fn skip(&mut self, name: String, why: &str) {
        self.skipped.entry(name).or_insert_with(|| why.to_owned());
    }

    /// Whether anything matches, be it kept or not.
    fn look(&mut self, cwd: &Path, glob: &str) -> bool {
        let literal = literal_start(glob);
        let start = match paths::inside(self.root, &cwd.join(literal)) {
            Ok(start) => start,
            Err(Escape::Missing) => return false,
            Err(Escape::Outside) => {
                self.skip(glob.to_owned(), "leads out of the project");
                return true;
            }
        };
        let Some(matcher) = matcher(glob) else {
            return false;
        };
        let mut seen = false;
        let root = self.root.to_owned();
        let walk = WalkBuilder::new(&start)
            .standard_filters(false)
            .filter_entry(move |entry| !is_never(&root, entry.path()))
            .build();
        for entry in walk.flatten() {
            let below = entry.path().strip_prefix(&start).unwrap_or(entry.path());
            // Joining nothing would leave a slash behind the name of a file.
            let name = if below.as_os_str().is_empty() {
                PathBuf::from(literal)
            } else {
                Path::new(literal).join(below)
            };
            let kind = entry.file_type();
            if kind.is_some_and(|kind| kind.is_dir()) || !matcher.is_match(&name) {
                continue;
            }
            seen = true;
            self.take(&name, entry.path());
        }
        seen
    }

    fn take(&mut self, name: &Path, path: &Path) {
        let name = self.folder.join(name).to_string_lossy().into_owned();
        match paths::inside(self.root, path) {
            Ok(real) if real.is_file() && !is_never(self.root, &real) => {
                self.files.insert(name, real);
            }
            // Folders behind symlinks, pipes and devices.
            Ok(_) => {}
            Err(Escape::Missing) => self.skip(name, "is a symlink to nothing"),
            Err(Escape::Outside) => self.skip(name, "leads out of the project"),
        }
    }
}

fn is_never(root: &Path, path: &Path) -> bool {
    NEVER.iter().any(|never| path.starts_with(root.join(never)))
}

fn matcher(glob: &str) -> Option<GlobSet> {
    let glob = glob.trim_end_matches('/');
    let mut set = GlobSetBuilder::new();
    for pattern in [glob.to_owned(), format!("{glob}/**")] {
        let pattern = pattern.strip_prefix("./").unwrap_or(&pattern);
        set.add(
            GlobBuilder::new(pattern)
                .literal_separator(true)
                .build()
                .ok()?,
        );
    }
    set.build().ok()
}

/// The folders at the beginning of a glob that have no special letters, so that nothing else is
/// walked through.
fn literal_start(glob: &str) -> &str {
    let glob = glob.strip_prefix("./").unwrap_or(glob);
    match glob.find(['*', '?', '[', '{', '\\']) {
        None => glob.trim_end_matches('/'),
        Some(special) => glob[..special]
            .rsplit_once('/')
            .map_or("", |(start, _)| start),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A project with these files, each holding its own name.
    fn project(files: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for file in files {
            let path = root.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, file).unwrap();
        }
        (folder, root)
    }

    fn names(collected: &Collected) -> Vec<&str> {
        collected.files.iter().map(|file| &*file.name).collect()
    }

    fn globs(globs: &[&str]) -> Vec<String> {
        globs.iter().map(|&glob| glob.to_owned()).collect()
    }

    #[test]
    fn globs_name_files_relative_to_the_step() {
        let (_folder, root) = project(&[
            "dist/a.js",
            "dist/deep/b.js",
            "dist/.hidden",
            "web/out.txt",
            "web/{x}/y",
            ".git/config",
            ".windlass/state/windlass.db",
            ".windlass/config.toml",
        ]);
        for (cwd, given, expected) in [
            (
                "",
                &["dist/**/*"][..],
                &["dist/.hidden", "dist/a.js", "dist/deep/b.js"][..],
            ),
            ("", &["dist/*.js"], &["dist/a.js"]),
            (
                "",
                &["dist"],
                &["dist/.hidden", "dist/a.js", "dist/deep/b.js"],
            ),
            ("", &["./dist/deep/"], &["dist/deep/b.js"]),
            ("", &["dist/a.js", "dist/*.js"], &["dist/a.js"]),
            (
                "",
                &["**/*.{txt,js}"],
                &["dist/a.js", "dist/deep/b.js", "web/out.txt"],
            ),
            ("web", &["*.txt"], &["web/out.txt"]),
            ("web", &["[{]x[}]/y"], &["web/{x}/y"]),
            ("", &[".git/*", ".windlass/**"], &[".windlass/config.toml"]),
        ] {
            let collected = collect(&root, &root.join(cwd), &globs(given), 100);
            assert_eq!(names(&collected), expected, "{cwd} {given:?}");
        }
    }

    #[test]
    fn what_cannot_be_kept_says_why() {
        let (_folder, root) = project(&["dist/a", "dist/b", "dist/c"]);
        symlink("/etc/passwd", root.join("dist/out")).unwrap();
        symlink("/etc", root.join("etc")).unwrap();
        symlink("a", root.join("dist/inside")).unwrap();
        symlink("none", root.join("dist/dangling")).unwrap();
        let given = globs(&["dist/*", "etc/*", "none/*", "dist/a"]);
        let collected = collect(&root, &root, &given, 2);
        assert_eq!(names(&collected), ["dist/a", "dist/b"]);
        let skipped: Vec<(&str, &str)> = collected
            .skipped
            .iter()
            .map(|(name, why)| (&**name, &**why))
            .collect();
        let expected = [
            ("dist/dangling", "is a symlink to nothing"),
            ("dist/out", "leads out of the project"),
            ("etc/*", "leads out of the project"),
            ("none/*", "nothing matches"),
            ("…", "more than 2 files match"),
        ];
        assert_eq!(skipped, expected);
        let collected = collect(&root, &root, &given, 100);
        assert_eq!(
            names(&collected),
            ["dist/a", "dist/b", "dist/c", "dist/inside"]
        );
    }
}
