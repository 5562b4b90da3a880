//! The kinds of checkouts that there are.

use super::{Place, is_in_sync};

#[test]
fn linked_worktrees_share_one_state_and_each_branch_gets_the_packs() {
    let one = Place::repository();
    let side = one.beside("side");
    one.git(&["worktree", "add", "--quiet", "-b", "side", side.path()]);
    side.windlass(&["add", "Made in the worktree"]);
    side.sync_and_commit("side");
    assert!(!side.root.join(".windlass/state").exists());
    assert_eq!(one.titles(), ["Made in the worktree"], "one state");
    assert!(one.packs().is_empty());
    one.sync_and_commit("main");
    assert_eq!(one.packs(), side.packs(), "the identical file");
    one.git(&["merge", "--quiet", "--no-edit", "side"]);
    is_in_sync(&one);
}

#[test]
fn detached_heads_and_shallow_clones() {
    let one = Place::repository();
    for number in 0..3 {
        one.windlass(&["add", &format!("Task {number}")]);
        one.sync_and_commit("work");
    }
    let two = one.beside("two");
    let url = format!("file://{}", one.path());
    one.git(&["clone", "--quiet", "--depth", "1", &url, two.path()]);
    two.windlass(&["status"]);
    assert_eq!(two.state(), one.state());
    two.git(&["switch", "--quiet", "--detach"]);
    two.windlass(&["add", "Detached"]);
    two.sync_and_commit("detached");
    let tip = two.git(&["rev-parse", "HEAD"]);
    one.git(&["fetch", "--quiet", two.path(), &tip]);
    one.git(&["merge", "--quiet", "--no-edit", &tip]);
    one.windlass(&["status"]);
    assert_eq!(one.state(), two.state());
    // An older commit has fewer packs; the state keeps everything.
    one.git(&["checkout", "--quiet", "HEAD~2"]);
    one.windlass(&["status"]);
    assert_eq!(one.titles().len(), 4);
}

#[test]
fn through_a_bare_remote_without_hooks_or_drivers() {
    let one = Place::repository();
    let remote = one.beside("remote.git");
    one.git(&["clone", "--quiet", "--bare", one.path(), remote.path()]);
    one.git(&["remote", "add", "origin", remote.path()]);
    let two = remote.cloned_from(&one, "two");
    one.windlass(&["add", "One"]);
    one.sync_and_commit("one");
    one.git(&["push", "--quiet", "origin", "main"]);
    two.windlass(&["add", "Two"]);
    two.sync_and_commit("two");
    two.git(&["push", "--quiet", "origin", "HEAD:refs/heads/topic"]);
    // The forge merges on its own, with nothing but the objects.
    let tree = remote.git(&["merge-tree", "--write-tree", "main", "topic"]);
    let merged = remote.git(&[
        "commit-tree",
        &tree,
        "-p",
        "main",
        "-p",
        "topic",
        "-m",
        "merged",
    ]);
    remote.git(&["update-ref", "refs/heads/main", &merged]);
    for place in [&one, &two] {
        place.git(&["fetch", "--quiet", "origin"]);
        place.git(&["reset", "--quiet", "--hard", "origin/main"]);
        place.windlass(&["status"]);
    }
    // Whoever settles the numbers first tells the other.
    one.sync_and_commit("settled");
    one.git(&["push", "--quiet", "origin", "main"]);
    two.git(&[
        "pull",
        "--quiet",
        "--no-rebase",
        "--no-edit",
        "origin",
        "main",
    ]);
    two.windlass(&["sync"]);
    two.windlass(&["status"]);
    assert_eq!(one.titles(), ["One", "Two"]);
    assert_eq!(one.state(), two.state());
}

#[test]
fn a_project_in_a_submodule() {
    let inner = Place::repository();
    inner.windlass(&["add", "Inside"]);
    inner.sync_and_commit("inside");
    let outer = inner.beside("outer");
    std::fs::create_dir(&outer.root).expect("made");
    outer.git(&["init", "--quiet", "--initial-branch=main"]);
    outer.git(&["submodule", "--quiet", "add", inner.path(), "lib"]);
    outer.git(&["commit", "--quiet", "-m", "a submodule"]);
    let clone = outer.cloned_with(&["--recurse-submodules"], "clone");
    let lib = clone.beside("clone/lib");
    lib.windlass(&["status"]);
    assert_eq!(lib.titles(), ["Inside"]);
    lib.windlass(&["add", "From the submodule"]);
    lib.sync_and_commit("from the submodule");
    inner.git(&["pull", "--quiet", lib.path(), "HEAD"]);
    inner.windlass(&["status"]);
    assert_eq!(inner.state(), lib.state());
}

#[test]
fn without_git_by_copying_the_folder_both_ways() {
    let one = Place::empty();
    let two = one.beside("two");
    std::fs::create_dir(&two.root).expect("made");
    for (place, title) in [(&one, "One"), (&two, "Two")] {
        place.windlass(&["init"]);
        place.windlass(&["add", title]);
        place.windlass(&["sync"]);
    }
    for _ in 0..2 {
        copy_packs(&one, &two);
        two.windlass(&["sync"]);
        copy_packs(&two, &one);
        one.windlass(&["sync"]);
    }
    assert_eq!(one.titles(), ["One", "Two"]);
    assert_eq!(one.state(), two.state());
    is_in_sync(&one);
    is_in_sync(&two);
    // A file that comes back after it was replaced goes again.
    let before = one.packs();
    one.windlass(&["sync", "--compact"]);
    copy_packs(&two, &one);
    assert!(one.packs().len() > before.len());
    one.windlass(&["sync"]);
    assert_eq!(one.packs().len(), 1);
    copy_packs(&one, &two);
    two.windlass(&["sync"]);
    assert_eq!(two.packs(), one.packs(), "it is replaced there too");
}

fn copy_packs(from: &Place, to: &Place) {
    for file in from.packs() {
        let path = format!(".windlass/packs/{file}");
        std::fs::copy(from.root.join(&path), to.root.join(&path)).expect("copied");
    }
}

impl Place {
    fn cloned_from(&self, by: &Self, name: &str) -> Self {
        let clone = self.beside(name);
        by.git(&["clone", "--quiet", self.path(), clone.path()]);
        clone
    }

    fn cloned_with(&self, options: &[&str], name: &str) -> Self {
        let clone = self.beside(name);
        let words = [
            &["clone", "--quiet"][..],
            options,
            &[self.path(), clone.path()],
        ]
        .concat();
        self.git(&words);
        clone
    }
}
