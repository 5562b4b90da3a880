//! Which repository a folder belongs to, read from git's own files: nothing is run, and no file that
//! is not a plain, small file is read.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Git's pointer files hold one path.
const LONGEST_POINTER: u64 = 64 * 1024;

/// The same folder in the repository's main worktree, if `root` is in a linked one.
///
/// A linked worktree has a `.git` file with the path of its git folder, and that folder has the path
/// of the shared one. Both are files that anyone can write who can write into the folder, so they
/// count only if the repository itself knows this worktree: its git folder is among the worktrees of
/// the shared folder, and names this `.git` file. Otherwise any folder could take part in another
/// project.
pub(crate) fn main_worktree(root: &Path) -> Option<PathBuf> {
    let top = top(root)?;
    let pointer = top.join(".git");
    let git_folder = git_folder(&pointer)?.canonicalize().ok()?;
    let common = git_folder.join(one_path(&git_folder.join("commondir"))?);
    let common = common.canonicalize().ok()?;
    if git_folder.parent()? != common.join("worktrees") {
        return None;
    }
    let back = git_folder.join(one_path(&git_folder.join("gitdir"))?);
    if back.canonicalize().ok()? != pointer.canonicalize().ok()? {
        return None;
    }
    let inside = root.strip_prefix(top).ok()?;
    // A bare repository has no main worktree: the state is then in the shared git folder.
    let main = if common.file_name().is_some_and(|name| name == ".git") {
        common.parent()?.to_owned()
    } else {
        common
    };
    Some(main.join(inside))
}

/// The folder of the repository or worktree that a path is in.
pub(crate) fn top(path: &Path) -> Option<&Path> {
    path.ancestors()
        .find(|folder| folder.join(".git").symlink_metadata().is_ok())
}

/// Where the git files of a folder with `.git` are.
pub(crate) fn git_files(top: &Path) -> Option<PathBuf> {
    let git = top.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    git_folder(&git)
}

/// The folder that a `.git` file names.
fn git_folder(pointer: &Path) -> Option<PathBuf> {
    let text = small_file(pointer)?;
    let path = text.strip_prefix("gitdir:")?.trim();
    Some(pointer.parent()?.join(path))
}

fn one_path(file: &Path) -> Option<PathBuf> {
    let text = small_file(file)?;
    let path = text.trim_end_matches(['\n', '\r']);
    (!path.is_empty()).then(|| PathBuf::from(path))
}

/// The text of a small plain file. A link or a pipe is not one.
fn small_file(path: &Path) -> Option<String> {
    if !fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    let file = fs::File::open(path).ok()?;
    file.take(LONGEST_POINTER).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repository `main` with a linked worktree `side`, as git writes them.
    struct Linked {
        folder: tempfile::TempDir,
    }

    impl Linked {
        fn new() -> Self {
            let linked = Self {
                folder: tempfile::tempdir().expect("a folder"),
            };
            linked.link("side");
            linked
        }

        fn base(&self) -> PathBuf {
            self.folder.path().canonicalize().expect("a path")
        }

        fn git_folder(&self, name: &str) -> PathBuf {
            self.base().join("main/.git/worktrees").join(name)
        }

        fn link(&self, name: &str) {
            let (side, git_folder) = (self.base().join(name), self.git_folder(name));
            write(&git_folder.join("commondir"), "../..\n");
            let pointer = side.join(".git");
            write(
                &git_folder.join("gitdir"),
                &format!("{}\n", pointer.display()),
            );
            write(&pointer, &format!("gitdir: {}\n", git_folder.display()));
        }
    }

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().expect("a folder")).expect("created");
        fs::write(path, text).expect("written");
    }

    #[test]
    fn a_worktree_that_the_repository_knows_is_linked() {
        let linked = Linked::new();
        let (main, side) = (linked.base().join("main"), linked.base().join("side"));
        assert_eq!(main_worktree(&side), Some(main.clone()));
        let below = side.join("web");
        fs::create_dir(&below).expect("created");
        assert_eq!(main_worktree(&below), Some(main.join("web")));
        assert_eq!(main_worktree(&main), None);
        // Newer versions of git write relative paths if they are told to.
        write(&side.join(".git"), "gitdir: ../main/.git/worktrees/side\n");
        write(
            &linked.git_folder("side").join("gitdir"),
            "../../../../side/.git\n",
        );
        assert_eq!(main_worktree(&side), Some(main));
    }

    #[test]
    fn a_folder_cannot_join_a_repository_that_does_not_know_it() {
        let linked = Linked::new();
        let base = linked.base();
        let known = linked.git_folder("side").display().to_string();
        let main = base.join("main/.git").display().to_string();

        let claims = base.join("claims");
        write(&claims.join(".git"), &format!("gitdir: {known}\n"));
        assert_eq!(
            main_worktree(&claims),
            None,
            "the worktree of another folder"
        );

        let brings = base.join("brings");
        let own = brings.join("files/worktrees/x");
        write(&brings.join(".git"), "gitdir: files/worktrees/x\n");
        write(&own.join("commondir"), &format!("{main}\n"));
        write(
            &own.join("gitdir"),
            &format!("{}\n", brings.join(".git").display()),
        );
        assert_eq!(
            main_worktree(&brings),
            None,
            "git files of its own that name another's"
        );

        // A submodule has no shared folder.
        let module = base.join("main/module");
        write(&module.join(".git"), "gitdir: ../.git/modules/module\n");
        write(
            &base.join("main/.git/modules/module/HEAD"),
            "ref: refs/heads/main\n",
        );
        assert_eq!(main_worktree(&module), None);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_pipes_are_not_followed() {
        let linked = Linked::new();
        let base = linked.base();
        let link = base.join("link");
        fs::create_dir(&link).expect("created");
        let pointer = base.join("side/.git");
        std::os::unix::fs::symlink(&pointer, link.join(".git")).expect("linked");
        assert_eq!(main_worktree(&link), None, "the file of another worktree");

        let pipe = base.join("pipe");
        fs::create_dir(&pipe).expect("created");
        let made = std::process::Command::new("mkfifo")
            .arg(pipe.join(".git"))
            .status();
        assert!(made.expect("run").success());
        assert_eq!(main_worktree(&pipe), None, "a pipe");
    }
}
