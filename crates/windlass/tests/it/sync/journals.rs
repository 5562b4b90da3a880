//! learnings.txt and progress.txt: written from the state, and what people write into them is kept.

use super::{Place, text};
use crate::sample;

#[test]
fn what_people_write_by_hand_travels_once() {
    let one = Place::repository();
    one.windlass(&["journal", "add-learning", "By command"]);
    let file = ".windlass/learnings.txt";
    one.write(file, format!("# Ours\n{}By hand\n", one.read(file)));
    // It is read before anything has taken it in.
    let shown = one.windlass(&["journal", "learnings"]);
    assert!(
        shown.contains("# Ours") && shown.contains("By hand"),
        "{shown}"
    );
    one.sync_and_commit("work");
    let two = one.cloned("two");
    two.windlass(&["status"]);
    let lines = |place: &Place| -> Vec<String> {
        let text = place.read(file);
        let words = text
            .lines()
            .map(|line| line.rsplit("] ").next().unwrap_or(line).to_owned());
        words.collect()
    };
    assert_eq!(lines(&two), ["# Ours", "By command", "By hand"]);
    assert_eq!(two.read(file), one.read(file));
    for place in [&one, &two] {
        for _ in 0..2 {
            place.windlass(&["sync"]);
        }
        assert_eq!(lines(place), ["# Ours", "By command", "By hand"]);
    }
    assert_eq!(
        one.git(&["status", "--porcelain"]),
        "",
        "git ignores the file"
    );
}

#[test]
fn a_tracked_file_of_older_projects_is_taken_in_on_every_branch() {
    let one = Place::repository();
    let file = ".windlass/learnings.txt";
    one.write(
        file,
        "[2025-01-01T00:00:00.000Z] From long ago\nA line of ours\n",
    );
    one.git(&["add", "--force", file]);
    one.commit("an older project");
    let two = one.cloned("two");
    for (place, line) in [(&one, "One"), (&two, "Two")] {
        place.windlass(&["journal", "add-learning", line]);
        place.sync_and_commit(line);
    }
    // The tracked file conflicts one last time; both sides are kept.
    let pulled = two.try_git(&["pull", "--quiet", "--no-rebase", "--no-edit"]);
    assert!(!pulled.status.success(), "{}", text(&pulled));
    two.windlass(&["sync"]);
    let merged = two.read(file);
    for line in ["From long ago", "A line of ours", "One", "Two"] {
        let times = merged.lines().filter(|it| it.ends_with(line)).count();
        assert_eq!(times, 1, "{line}: {merged}");
    }
    let doctor = two.windlass(&["doctor"]);
    assert!(
        doctor.contains("git rm --cached .windlass/learnings.txt"),
        "{doctor}"
    );
    two.git(&["rm", "--quiet", "--cached", file]);
    two.commit("not tracked any more");
    one.git(&["pull", "--quiet", "--no-edit", two.path(), "main"]);
    // Git removed the file here; the state has its lines.
    one.windlass(&["sync"]);
    assert_eq!(one.read(file), two.read(file));
    assert!(
        one.windlass(&["doctor"])
            .contains("Git does not track learnings.txt")
    );
}

#[test]
fn many_processes_write_at_once_and_one_person_too() {
    let one = Place::repository();
    let file = ".windlass/progress.txt";
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let root = &one.root;
            scope.spawn(move || {
                for line in 0..5 {
                    let output = sample::windlass()
                        .current_dir(root)
                        .args(["journal", "add-progress", &format!("{writer}/{line}")])
                        .output()
                        .expect("run");
                    assert!(output.status.success(), "{}", text(&output));
                }
            });
        }
    });
    let all = one.read(file);
    assert_eq!(all.lines().count(), 20, "{all}");
    one.write(file, format!("{all}By hand"));
    one.windlass(&["journal", "add-progress", "After"]);
    let all = one.read(file);
    assert_eq!(all.lines().count(), 22, "{all}");
    assert!(all.contains("] By hand\n"), "{all}");
}
