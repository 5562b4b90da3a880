//! Completions of what is being typed: ids, types, statuses, tags, dates.

use windlass_core::Result;

use crate::context::Context;

/// What an argument belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompletionSource<'a> {
    /// A resource template, by its URI template.
    Template(&'a str),
    /// A prompt, by its name.
    Prompt(&'a str),
}

/// At most 100 values that go on from `typed`, and whether there are more.
pub fn complete(
    _context: &Context,
    _source: CompletionSource<'_>,
    _argument: &str,
    _typed: &str,
) -> Result<(Vec<String>, bool)> {
    Ok((Vec::new(), false))
}
