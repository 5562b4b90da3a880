//! Discovery in a repository of 20,000 files and 1,000 packages, compared to a bare directory walk.

use std::fs;
use std::time::{Duration, Instant};

use ignore::WalkBuilder;
use windlass_commands::Discovery;

use crate::support::{AllAvailable, settle};

fn best(mut work: impl FnMut()) -> Duration {
    let mut times = (0..5).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed()
    });
    let first = times.next().unwrap();
    times.fold(first, Duration::min)
}

#[test]
fn a_large_tree_costs_little_more_than_the_walk() {
    let folder = tempfile::tempdir().unwrap();
    for package in 0..1_000 {
        let path = folder
            .path()
            .join(format!("packages/group{}/package{package}", package % 20));
        fs::create_dir_all(path.join("src")).unwrap();
        let scripts = r#""build": "tsc -p .", "test": "vitest run", "lint": "eslint ."#;
        let text = format!(r#"{{"name": "p{package}", "scripts": {{{scripts}"}}}}"#);
        fs::write(path.join("package.json"), text).unwrap();
        for file in 0..19 {
            fs::write(path.join(format!("src/file{file}.ts")), "export {};\n").unwrap();
        }
    }
    settle();
    let walk = best(|| {
        let walk = WalkBuilder::new(folder.path()).build();
        assert!(walk.flatten().count() > 20_000);
    });
    let first = best(|| {
        let discovery = Discovery::with_lookup(folder.path(), Box::new(AllAvailable)).unwrap();
        assert_eq!(discovery.discover().commands.len(), 3_000);
    });
    let discovery = Discovery::with_lookup(folder.path(), Box::new(AllAvailable)).unwrap();
    discovery.discover();
    let again = best(|| {
        discovery.discover();
    });
    // What an earlier process kept, read by a process that has read nothing.
    let kept = tempfile::tempdir().unwrap();
    let fresh = || {
        let discovery = Discovery::with_lookup(folder.path(), Box::new(AllAvailable)).unwrap();
        discovery.keeping(kept.path().join("commands.json"))
    };
    assert_eq!(fresh().list().commands.len(), 3_000);
    let warm = best(|| assert_eq!(fresh().list().commands.len(), 3_000));
    let ratio = |time: Duration| time.as_secs_f64() / walk.as_secs_f64();
    println!(
        "walk {walk:?}, first {first:?} ({:.2} of the walk), again {again:?} ({:.2}), kept {warm:?} ({:.2})",
        ratio(first),
        ratio(again),
        ratio(warm)
    );
    // The bounds are loose, because this is a debug build with other tests running; an optimised
    // build holds the true ones.
    if cfg!(debug_assertions) {
        assert!(ratio(first) < 12.0 && ratio(again) < 6.0 && ratio(warm) < 12.0);
    } else {
        assert!(ratio(first) < 2.0 && ratio(again) < 0.8 && ratio(warm) < 0.8);
    }
}
