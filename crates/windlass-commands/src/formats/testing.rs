//! Helpers for the tests of all formats.

use crate::source::{FileContext, FileSource as _, Found, MemorySource};

use super::Format;

/// Reads one file in the format of its path.
pub fn read(source: &MemorySource, path: &str) -> Found {
    let (format, _) = Format::of(path).unwrap();
    let text = source.read(path).unwrap();
    format.read(&text, &FileContext::new(path, source))
}

/// Reads a file without others beside it.
pub fn read_alone(path: &str, text: &str) -> Found {
    read(&MemorySource::default().with(path, text), path)
}

pub fn names(found: &Found) -> Vec<&str> {
    found.commands.iter().map(|it| it.name.as_str()).collect()
}

/// Name, command line and description.
pub fn rows(found: &Found) -> Vec<String> {
    found
        .commands
        .iter()
        .map(|command| {
            let description = command.description.as_deref().unwrap_or("-");
            format!("{} | {} | {description}", command.name, command.display())
        })
        .collect()
}

/// `file:line message` of each problem.
pub fn problems(found: &Found) -> Vec<String> {
    found
        .problems
        .iter()
        .map(|problem| format!("{}:{} {}", problem.file, problem.line, problem.message))
        .collect()
}
