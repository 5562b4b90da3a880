//! Files that are almost right, of every format that is read.

#[path = "../../../windlass-core/tests/shared/mutate.rs"]
mod mutate;

use windlass_commands::formats::Format;
use windlass_commands::{FileContext, MemorySource};

use crate::robust::TEXTS;

#[test]
fn fuzz_every_format() {
    let all: Vec<&str> = TEXTS.iter().map(|(_, text)| *text).collect();
    mutate::fuzz("formats", 1_500, |mutator| {
        for (path, text) in TEXTS {
            // Of the same format mostly, with pieces of others.
            let text = mutator.text(&[text, text, all[text.len() % all.len()]]);
            let (format, _) = Format::of(path).unwrap();
            format.read(&text, &FileContext::new(path, &MemorySource::default()));
        }
    });
}
