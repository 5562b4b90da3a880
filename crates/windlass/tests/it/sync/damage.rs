//! What may stand in the folder instead of packs.

use std::os::unix::fs::symlink;

use serde_json::json;

use super::{Place, is_in_sync, text};

/// A project with one pack that was imported, and the name and bytes of another.
fn with_one_more() -> (Place, String, Vec<u8>) {
    let one = Place::repository();
    one.windlass(&["add", "First"]);
    one.sync_and_commit("first");
    let two = one.cloned("two");
    two.windlass(&["status"]);
    one.windlass(&["add", "Second"]);
    one.windlass(&["sync"]);
    let known = two.packs();
    let packs = one.packs();
    let name = packs.into_iter().find(|name| !known.contains(name));
    let name = name.expect("a new pack");
    let bytes = std::fs::read(one.root.join(".windlass/packs").join(&name)).expect("read");
    (two, name, bytes)
}

#[test]
fn broken_files_are_named_and_skipped_and_a_good_one_is_imported() {
    let (place, name, bytes) = with_one_more();
    let path = |name: &str| format!(".windlass/packs/{name}");
    let mut newer = bytes.clone();
    newer[8] = 99;
    let truncated = &bytes[..bytes.len() / 2];
    let zeros = format!("{}.pack", "0".repeat(64));
    for (file, content, reason) in [
        (
            name.clone(),
            truncated.to_vec(),
            "it is incomplete, or was changed",
        ),
        (name.clone(), Vec::new(), "it is incomplete, or was changed"),
        (
            zeros,
            b"not a pack".to_vec(),
            "it is incomplete, or was changed",
        ),
        (
            hash_of(b"not a pack"),
            b"not a pack".to_vec(),
            "it is not a pack",
        ),
        (hash_of(truncated), truncated.to_vec(), "it"),
        (
            hash_of(&newer),
            newer,
            "a newer windlass wrote it (version 99)",
        ),
        (
            "notes.txt".to_owned(),
            Vec::new(),
            "it does not have the name of a pack",
        ),
        (
            "0000.pack".to_owned(),
            Vec::new(),
            "it does not have the name of a pack",
        ),
    ] {
        place.write(&path(&file), &content);
        let told = place.windlass(&["sync"]);
        assert!(
            told.contains(&format!("Skipped {file}: ")),
            "{file}: {told}"
        );
        assert!(told.contains(reason), "{file}: {told}");
        let check = place.try_windlass(&["sync", "--check"]);
        assert_eq!(check.status.code(), Some(11), "{file}");
        assert!(text(&check).contains(reason), "{file}: {}", text(&check));
        // Any other command says it once at most, and works.
        place.windlass(&["list"]);
        assert!(!place.windlass(&["list"]).contains(&file), "said again");
        assert_eq!(place.titles(), ["First"]);
        std::fs::remove_file(place.root.join(path(&file))).expect("removed");
    }
    place.write(&path(&name), &bytes);
    assert!(place.windlass(&["list"]).contains("Imported 1 pack"));
    assert_eq!(place.titles(), ["First", "Second"]);
    is_in_sync(&place);
}

fn hash_of(bytes: &[u8]) -> String {
    windlass_store::PackName::of(bytes).file_name()
}

#[test]
fn links_folders_pipes_and_huge_files() {
    let (place, name, bytes) = with_one_more();
    let elsewhere = place.beside("elsewhere");
    std::fs::write(&elsewhere.root, &bytes).expect("written");
    let path = place.root.join(".windlass/packs").join(&name);
    let make: [(&dyn Fn(), &str); 4] = [
        (
            &|| symlink(&elsewhere.root, &path).expect("linked"),
            "it is a link",
        ),
        (
            &|| std::fs::create_dir(&path).expect("made"),
            "it is a folder",
        ),
        (
            &|| {
                let made = std::process::Command::new("mkfifo").arg(&path).status();
                assert!(made.expect("mkfifo").success());
            },
            "it is not a plain file",
        ),
        (
            &|| {
                let file = std::fs::File::create(&path).expect("made");
                file.set_len(1 << 40).expect("sparse");
            },
            "it is larger than 256 MB",
        ),
    ];
    for (make, reason) in make {
        make();
        let told = place.windlass(&["sync"]);
        assert!(told.contains(reason), "{reason}: {told}");
        place.windlass(&["list"]);
        assert_eq!(place.titles(), ["First"], "{reason}");
        let removed = std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir(&path));
        removed.expect("removed");
    }
    assert_eq!(std::fs::read(&elsewhere.root).expect("read"), bytes);
}

#[test]
fn a_folder_that_leads_elsewhere_is_not_used() {
    let (place, name, bytes) = with_one_more();
    let elsewhere = place.beside("elsewhere");
    std::fs::create_dir(&elsewhere.root).expect("made");
    std::fs::write(elsewhere.root.join(&name), &bytes).expect("written");
    let packs = place.root.join(".windlass/packs");
    std::fs::remove_dir_all(&packs).expect("removed");
    symlink(&elsewhere.root, &packs).expect("linked");
    let refused = place.try_windlass(&["sync"]);
    assert!(!refused.status.success());
    assert!(
        text(&refused).contains("it is not a folder") || text(&refused).contains("it is a link"),
        "{}",
        text(&refused)
    );
    let told = place.windlass(&["list"]);
    assert!(told.contains("First") && !told.contains("Second"), "{told}");
    let there = std::fs::read_dir(&elsewhere.root).expect("read").count();
    assert_eq!(there, 1, "nothing was written there");
}

#[test]
fn a_known_pack_that_was_damaged_or_removed_is_restored() {
    let one = Place::repository();
    one.windlass(&["add", "Task"]);
    one.sync_and_commit("work");
    let name = one.packs().remove(0);
    let path = one.root.join(".windlass/packs").join(&name);
    let bytes = std::fs::read(&path).expect("read");
    let mut changed = bytes.clone();
    changed[20] ^= 1;
    for content in [Some(&changed[..]), Some(&bytes[..10]), None] {
        match content {
            Some(content) => std::fs::write(&path, content).expect("written"),
            None => std::fs::remove_file(&path).expect("removed"),
        }
        let check = one.try_windlass(&["sync", "--check"]);
        assert_eq!(check.status.code(), Some(11));
        assert_eq!(
            one.json(&["sync", "--status"])["missing"],
            json!([name.trim_end_matches(".pack")])
        );
        one.windlass(&["sync"]);
        assert_eq!(std::fs::read(&path).expect("read"), bytes);
        is_in_sync(&one);
    }
    assert_eq!(one.git(&["status", "--porcelain"]), "");
}
