//! Finds the files that a step's globs match.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::WalkBuilder;

use crate::paths::{self, PathProblem};

/// Folders that globs never match: the repository's data and Windlass's state.
const EXCLUDED_FOLDERS: [&str; 2] = [".git", ".windlass/state"];

/// A file to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its path relative to the project.
    pub name: String,
    /// Its real path, with symlinks resolved.
    pub path: PathBuf,
}

/// The files that a step's globs matched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Collected {
    /// Files to store, sorted by name.
    pub files: Vec<Candidate>,
    /// Names and globs that cannot be stored, with the reason.
    pub skipped: Vec<(String, String)>,
}

/// Finds files under `cwd`, which is inside `root`; both are canonical. A glob that matches a
/// folder includes all files in it. A symlink is followed only if it points to a file inside the
/// project.
pub fn collect(root: &Path, cwd: &Path, globs: &[String], most: usize) -> Collected {
    let mut found = Found {
        root,
        folder: cwd.strip_prefix(root).unwrap_or(Path::new("")),
        files: BTreeMap::new(),
        skipped: BTreeMap::new(),
    };
    for glob in globs {
        if !found.search(cwd, glob) {
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

    /// Returns whether the glob matches anything, whether or not it can be stored.
    fn search(&mut self, cwd: &Path, glob: &str) -> bool {
        let literal = literal_start(glob);
        let start = match paths::inside(self.root, &cwd.join(literal)) {
            Ok(start) => start,
            Err(PathProblem::Missing) => return false,
            Err(PathProblem::Outside) => {
                self.skip(glob.to_owned(), "is outside the project");
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
            .filter_entry(move |entry| !is_excluded(&root, entry.path()))
            .build();
        for entry in walk.flatten() {
            let below = entry.path().strip_prefix(&start).unwrap_or(entry.path());
            // Joining an empty path would add a trailing slash to a file name.
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
            self.add(&name, entry.path());
        }
        seen
    }

    fn add(&mut self, name: &Path, path: &Path) {
        let name = self.folder.join(name).to_string_lossy().into_owned();
        match paths::inside(self.root, path) {
            Ok(real) if real.is_file() && !is_excluded(self.root, &real) => {
                self.files.insert(name, real);
            }
            // Symlinked folders, pipes and devices are ignored.
            Ok(_) => {}
            Err(PathProblem::Missing) => self.skip(name, "is a broken symlink"),
            Err(PathProblem::Outside) => self.skip(name, "is outside the project"),
        }
    }
}

fn is_excluded(root: &Path, path: &Path) -> bool {
    EXCLUDED_FOLDERS
        .iter()
        .any(|folder| path.starts_with(root.join(folder)))
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

/// The leading folders of a glob that contain no special characters, so that only they are walked.
pub fn literal_start(glob: &str) -> &str {
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

    /// A project with these files; each contains its own name.
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
    fn globs_match_files_relative_to_the_step() {
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
    fn files_that_cannot_be_stored_are_skipped_with_a_reason() {
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
            ("dist/dangling", "is a broken symlink"),
            ("dist/out", "is outside the project"),
            ("etc/*", "is outside the project"),
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
