//! Two branches that both change the plan: git merges them without knowing what is in them.

use windlass_core::Entity;

use super::{Place, add, is_in_sync, numbers, tag};

/// How one branch gets the commits of the other.
#[derive(Debug, Clone, Copy)]
enum Way {
    Merge,
    Rebase,
    CherryPick,
}

const SHARED: usize = 50;
const CHANGES: usize = 200;
const COMMITS: usize = 4;

/// 200 changes of the shared entities in several commits, and new entities beside them.
fn change(place: &Place, who: &str, shared: &[Entity]) {
    for part in 0..COMMITS {
        let store = place.store();
        for step in 0..CHANGES / COMMITS {
            let number = part * (CHANGES / COMMITS) + step;
            let entity = &shared[number % SHARED];
            tag(&store, entity, &format!("{who}-{number}"));
        }
        add(&store, &format!("{who} {part}"));
        drop(store);
        let line = format!("{who} learned {part}");
        place.windlass(&["journal", "add-learning", &line]);
        place.write(&format!("{who}.txt"), part.to_string());
        place.sync_and_commit(&format!("{who} {part}"));
    }
}

fn exchanged_by(way: Way) {
    let one = Place::repository();
    let store = one.store();
    let shared: Vec<Entity> = (0..SHARED)
        .map(|number| add(&store, &format!("shared {number}")))
        .collect();
    drop(store);
    one.sync_and_commit("shared entities");
    let two = one.cloned("two");
    two.git(&["switch", "--quiet", "--create", "side"]);
    two.windlass(&["status"]);
    change(&one, "one", &shared);
    change(&two, "two", &shared);

    two.git(&["fetch", "--quiet", one.path(), "main:theirs"]);
    match way {
        Way::Merge => two.git(&["merge", "--quiet", "--no-edit", "theirs"]),
        Way::Rebase => two.git(&["rebase", "--quiet", "theirs"]),
        Way::CherryPick => two.git(&["cherry-pick", "side..theirs"]),
    };
    assert_eq!(
        two.git(&["status", "--porcelain"]),
        "",
        "{way:?}: nothing is left over"
    );
    let report = two.windlass(&["sync"]);
    assert!(report.contains("Imported 4 packs"), "{way:?}: {report}");
    assert!(report.contains("Renumbered: #"), "{way:?}: {report}");
    two.commit("numbers");
    one.git(&["fetch", "--quiet", two.path(), "side:theirs"]);
    match way {
        Way::Merge => one.git(&["merge", "--quiet", "--no-edit", "theirs"]),
        Way::Rebase => one.git(&["rebase", "--quiet", "theirs"]),
        // The commits of the other branch, without those that it picked here.
        Way::CherryPick => {
            one.git(&["cherry-pick", "theirs~9..theirs~5"]);
            one.git(&["cherry-pick", "theirs"])
        }
    };
    one.sync_and_commit("all of it");

    for place in [&one, &two] {
        is_in_sync(place);
        assert_eq!(numbers(place).len(), SHARED + 2 * COMMITS);
    }
    let state = one.state();
    super::are_equal(&one, &two);
    let all = state.join("\n");
    for who in ["one", "two"] {
        for number in 0..CHANGES {
            assert!(
                all.contains(&format!("\"{who}-{number}\"")),
                "{who}-{number} is lost"
            );
        }
        for part in 0..COMMITS {
            assert!(all.contains(&format!("{who} learned {part}")), "{way:?}");
        }
    }
    assert_eq!(
        one.read(".windlass/learnings.txt"),
        two.read(".windlass/learnings.txt")
    );
    assert_eq!(
        one.read(".windlass/learnings.txt").lines().count(),
        2 * COMMITS
    );
    // Whoever gets it all later has the same.
    let three = one.cloned("three");
    three.windlass(&["status"]);
    assert_eq!(three.state(), state, "{way:?}");
}

#[test]
fn two_branches_merged() {
    exchanged_by(Way::Merge);
}

#[test]
fn two_branches_rebased() {
    exchanged_by(Way::Rebase);
}

#[test]
fn two_branches_cherry_picked() {
    exchanged_by(Way::CherryPick);
}

#[test]
fn a_former_number_still_finds_its_task() {
    let one = Place::repository();
    let two = one.cloned("two");
    one.windlass(&["add", "Ours"]);
    two.windlass(&["add", "Theirs"]);
    one.sync_and_commit("ours");
    two.sync_and_commit("theirs");
    two.git(&["pull", "--quiet", "--no-rebase", "--no-edit"]);
    let told = two.windlass(&["list"]);
    assert!(told.contains("Imported 1 pack"), "{told}");
    assert!(told.contains("Renumbered: #1 → #2."), "{told}");
    let found = two.json(&["show", "2"]);
    assert_eq!(found["title"], "Theirs");
}

#[test]
fn what_was_made_on_an_abandoned_branch_reaches_others_by_the_next() {
    let one = Place::repository();
    let two = one.cloned("two");
    one.git(&["switch", "--quiet", "--create", "experiment"]);
    one.windlass(&["add", "Found on the way"]);
    one.sync_and_commit("an experiment");
    one.git(&["switch", "--quiet", "main"]);
    assert!(one.packs().is_empty(), "this branch has no pack");
    let report = one.windlass(&["sync"]);
    assert!(report.contains("Restored 1 pack"), "{report}");
    one.commit("go on");
    one.git(&["branch", "--quiet", "-D", "experiment"]);
    two.git(&["pull", "--quiet"]);
    two.windlass(&["status"]);
    assert_eq!(two.titles(), ["Found on the way"]);
}

#[test]
fn compaction_on_two_branches_and_a_late_clone() {
    let one = Place::repository();
    for number in 0..3 {
        one.windlass(&["add", &format!("Before {number}")]);
        one.sync_and_commit("before");
    }
    let two = one.cloned("two");
    let late = one.cloned("late");
    late.windlass(&["add", "Late"]);
    late.sync_and_commit("late");
    one.windlass(&["add", "One"]);
    two.windlass(&["add", "Two"]);
    for place in [&one, &two] {
        let report = place.windlass(&["sync", "--compact"]);
        assert!(report.contains("Joined all packs into one."), "{report}");
        assert!(report.contains("Removed 3 files"), "{report}");
        assert_eq!(place.packs().len(), 1);
        place.commit("compacted");
    }
    // Both removed the same files and each added its own: nothing to merge.
    two.git(&["pull", "--quiet", "--no-rebase", "--no-edit"]);
    two.sync_and_commit("both");
    one.git(&["pull", "--quiet", "--no-edit", two.path(), "main"]);
    one.sync_and_commit("both");
    // The late one still writes on top of the packs that are gone.
    late.git(&["pull", "--quiet", "--no-rebase", "--no-edit"]);
    late.sync_and_commit("late and all");
    one.git(&[
        "pull",
        "--quiet",
        "--no-rebase",
        "--no-edit",
        late.path(),
        "main",
    ]);
    one.sync_and_commit("all");
    two.git(&[
        "pull",
        "--quiet",
        "--no-rebase",
        "--no-edit",
        one.path(),
        "main",
    ]);
    two.sync_and_commit("all");
    late.git(&["pull", "--quiet", "--no-rebase", "--no-edit"]);
    late.windlass(&["sync"]);
    let state = one.state();
    assert_eq!(numbers(&one).len(), 6);
    assert_eq!(two.state(), state);
    assert_eq!(late.state(), state);
    for place in [&one, &two, &late] {
        is_in_sync(place);
    }
    let fresh = one.cloned("fresh");
    fresh.windlass(&["status"]);
    assert_eq!(fresh.state(), state);
}

#[test]
fn packs_are_joined_by_themselves_past_a_number() {
    let one = Place::repository();
    one.windlass(&["config", "set", "sync.compact_after", "3"]);
    for number in 0..5 {
        one.windlass(&["add", &format!("Task {number}")]);
        one.windlass(&["sync"]);
        assert!(one.packs().len() <= 3, "{:?}", one.packs());
    }
    assert_eq!(one.titles().len(), 5);
    one.commit("all");
    let two = one.cloned("two");
    two.windlass(&["status"]);
    assert_eq!(two.state(), one.state());
}
