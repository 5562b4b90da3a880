//! Files that are almost right, of every format that is read.

#[path = "../../../windlass-core/tests/shared/mutate.rs"]
mod mutate;

use std::fs;

use crate::robust::{read, texts};
use crate::support::Repository;

#[test]
fn fuzz_every_format() {
    let all: Vec<(&str, &str)> = texts().collect();
    mutate::fuzz("formats", 1_500, |mutator| {
        for (path, text) in &all {
            // Of the same format mostly, with pieces of others.
            let other = all[text.len() % all.len()].1;
            let text = mutator.text(&[text, text, other]);
            read(path, &text);
        }
    });
}

/// The same as bytes on disk, with all of discovery around it: encodings, links, and what one file
/// says about others.
#[test]
fn fuzz_bytes_of_whole_repositories() {
    let all: Vec<(&str, &str)> = texts().collect();
    let files: Vec<(&str, &str)> = all.clone();
    let repository = Repository::new(&files);
    mutate::fuzz("repositories", 60, |mutator| {
        for (path, text) in &all {
            let text = mutator.text(&[text, text]);
            let mut bytes = text.into_bytes();
            // Bytes that are no text in the place of some.
            let length = bytes.len();
            for at in (0..length).step_by(17) {
                if length % 3 == 0 {
                    bytes[at] ^= 0xa5;
                }
            }
            fs::write(repository.root.join(path), &bytes).unwrap();
        }
        let found = repository.discovery.discover();
        let outside = found
            .commands
            .iter()
            .find(|it| it.file.starts_with('/') || it.file.split('/').any(|part| part == ".."));
        assert!(outside.is_none(), "{outside:?}");
    });
}
