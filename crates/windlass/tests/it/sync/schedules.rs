//! Three clones with real git and real processes, and whatever happens to them in any order. The many
//! schedules run without processes, in the tests of windlass-sync.

use std::process::Stdio;
use std::time::Duration;

use super::{Place, add, are_equal, is_in_sync, tag};
use crate::sample;

const STEPS: usize = 24;

/// Small numbers that follow from a seed, so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        let factor = 6_364_136_223_846_793_005;
        self.0 = self
            .0
            .wrapping_mul(factor)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % most
    }
}

fn pull(clones: &[Place], into: usize, from: usize) {
    let place = &clones[into];
    place.commit("before the merge");
    place.git(&[
        "pull",
        "--quiet",
        "--no-rebase",
        "--no-edit",
        clones[from].path(),
        "main",
    ]);
}

fn killed(place: &Place, words: &[&str], after: u64) {
    let mut child = sample::windlass()
        .current_dir(&place.root)
        .args(words)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    std::thread::sleep(Duration::from_millis(after));
    child.kill().expect("killed");
    child.wait().expect("ended");
}

fn run(seed: u64) {
    let one = Place::repository();
    let clones = [one.cloned("two"), one.cloned("three"), one];
    let mut dice = Dice(seed);
    let mut expected = Vec::new();
    for step in 0..STEPS {
        let at = dice.below(3);
        let place = &clones[at];
        match dice.below(10) {
            0..=3 => {
                let title = format!("{at}/{step}");
                let store = place.store();
                let entity = add(&store, &title);
                tag(&store, &entity, &format!("tag {title}"));
                expected.push(title);
            }
            4 | 5 => place.sync_and_commit("sync"),
            6 => {
                place.windlass(&["sync", "--compact"]);
                place.commit("compact");
            }
            7 | 8 => pull(&clones, at, (at + 1 + dice.below(2)) % 3),
            _ => {
                let after = u64::try_from(dice.below(120)).unwrap_or(0);
                let words: [&[&str]; 2] = [&["sync"], &["sync", "--compact"]];
                killed(place, words[dice.below(2)], after);
            }
        }
    }
    for _ in 0..3 {
        for place in &clones {
            place.sync_and_commit("all");
        }
        for (into, from) in [(0, 1), (0, 2), (1, 0), (2, 0)] {
            pull(&clones, into, from);
            clones[into].sync_and_commit("all");
        }
    }
    expected.sort();
    for place in &clones {
        is_in_sync(place);
        assert_eq!(place.titles(), expected, "seed {seed}");
        are_equal(place, &clones[0]);
    }
}

#[test]
fn some_schedules_with_real_processes() {
    for seed in 1..=2 {
        run(seed);
    }
}
