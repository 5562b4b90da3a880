//! A list that is made without a walk is the one that a walk would make, whatever changed.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use windlass_commands::Discovery;

use crate::support::{AllAvailable, names, settle, write};

struct Tree {
    _folder: tempfile::TempDir,
    above: PathBuf,
    root: PathBuf,
    kept: PathBuf,
}

impl Tree {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let above = fs::canonicalize(folder.path()).unwrap();
        let root = above.join("above/repository");
        fs::create_dir_all(root.join(".git/info")).unwrap();
        fs::create_dir_all(root.join("empty/inner")).unwrap();
        for (path, text) in [
            ("Makefile", "build:\n\tcc\n"),
            ("web/package.json", r#"{"scripts": {"test": "x"}}"#),
            ("web/.gitignore", "aaaa\n"),
            ("docs/justfile", "page:\n  echo\n"),
            ("scripts/plain", "#!/bin/sh\ntrue\n"),
        ] {
            write(&root.join(path), text.as_bytes());
        }
        let kept = above.join("kept.json");
        Self {
            _folder: folder,
            above,
            root,
            kept,
        }
    }

    fn listed(&self) -> Vec<String> {
        let discovery = discovery(&self.root).keeping(self.kept.clone());
        names_of(&discovery)
    }

    fn keeps_folders(&self) -> bool {
        let kept = fs::read_to_string(&self.kept).unwrap();
        !kept.contains(r#""seen":null"#)
    }
}

fn discovery(root: &Path) -> Discovery {
    Discovery::with_lookup(root, Box::new(AllAvailable)).unwrap()
}

fn names_of(discovery: &Discovery) -> Vec<String> {
    let commands = discovery.list();
    names(&commands).into_iter().map(str::to_owned).collect()
}

type Change = (&'static str, fn(&Tree));

const CHANGES: &[Change] = &[
    ("nothing", |_| ()),
    ("a new file", |it| {
        write(&it.root.join("empty/inner/Makefile"), b"new:\n\ttrue\n");
    }),
    ("a new folder", |it| {
        write(&it.root.join("other/deep/justfile"), b"other:\n  true\n");
    }),
    ("a removed file", |it| {
        fs::remove_file(it.root.join("docs/justfile")).unwrap();
    }),
    ("a removed folder", |it| {
        fs::remove_dir_all(it.root.join("web")).unwrap();
    }),
    ("a renamed folder", |it| {
        fs::rename(it.root.join("web"), it.root.join("site")).unwrap();
    }),
    ("another text", |it| {
        write(&it.root.join("Makefile"), b"other:\n\tcc\n");
    }),
    ("rules that are written in place", |it| {
        write(&it.root.join("web/.gitignore"), b"*.js*\n");
    }),
    ("new rules", |it| {
        write(&it.root.join("docs/.ignore"), b"justfile\n");
    }),
    ("rules of this clone", |it| {
        write(&it.root.join(".git/info/exclude"), b"docs/\n");
    }),
    ("rules of a folder above", |it| {
        write(&it.above.join("above/.gitignore"), b"docs/\n");
    }),
    ("a script that can be executed", |it| {
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(it.root.join("scripts/plain"), mode).unwrap();
    }),
    ("a file that became a folder", |it| {
        fs::remove_file(it.root.join("Makefile")).unwrap();
        fs::create_dir(it.root.join("Makefile")).unwrap();
    }),
    ("a name that make prefers", |it| {
        write(&it.root.join("GNUmakefile"), b"first:\n\ttrue\n");
    }),
];

#[test]
fn a_kept_walk_hides_no_change() {
    let trees: Vec<Tree> = CHANGES.iter().map(|_| Tree::new()).collect();
    settle();
    for ((what, change), tree) in CHANGES.iter().zip(&trees) {
        let server = discovery(&tree.root);
        assert_eq!(names_of(&server), tree.listed(), "{what}: first");
        assert!(tree.keeps_folders(), "{what}");
        change(tree);
        let walked = names_of(&discovery(&tree.root));
        assert_eq!(tree.listed(), walked, "{what}: from what was kept");
        assert_eq!(names_of(&server), walked, "{what}: in one process");
    }
}

#[test]
fn a_folder_that_has_just_changed_is_walked_again() {
    let tree = Tree::new();
    tree.listed();
    assert!(!tree.keeps_folders());
}

#[test]
fn a_linked_worktree_is_walked_each_time() {
    let tree = Tree::new();
    fs::remove_dir_all(tree.root.join(".git")).unwrap();
    write(&tree.root.join(".git"), b"gitdir: /nowhere\n");
    settle();
    tree.listed();
    assert!(!tree.keeps_folders());
}
