//! Patterns of file names as runners write them: `*`, `?`, `[abc]`, and `**` for any number of
//! folders.

use crate::paths;
use crate::source::FileSource;

/// More matches than this are not collected.
pub const MAX_MATCHES: usize = 2_000;
/// A file that names more patterns than this is not followed further.
pub const MAX_PATTERNS: usize = 50;
/// Longer patterns, and those with more alternatives, are not expanded.
const MAX_LENGTH: usize = 1_000;
const MAX_ALTERNATIVES: usize = 200;

/// Whether the text is a pattern and not a plain name.
pub fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}

/// Whether a name without `/` matches a pattern without `/`.
pub fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut place, mut star) = (0, 0, None);
    while place < name.len() {
        if pattern.get(at) == Some(&'*') {
            star = Some((at, place));
            at += 1;
        } else if let Some(length) = one(&pattern[at..], name[place]) {
            at += length;
            place += 1;
        } else if let Some((star_at, star_place)) = star {
            star = Some((star_at, star_place + 1));
            at = star_at + 1;
            place = star_place + 1;
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|letter| *letter == '*')
}

/// The length of the pattern that matches one letter.
fn one(pattern: &[char], letter: char) -> Option<usize> {
    match pattern.first()? {
        '?' => Some(1),
        '[' => {
            let end = pattern.iter().skip(2).position(|it| *it == ']')? + 2;
            let class = &pattern[1..end];
            let negated = matches!(class.first(), Some('!' | '^'));
            let class = &class[usize::from(negated)..];
            let mut found = false;
            let mut at = 0;
            while at < class.len() {
                if class.get(at + 1) == Some(&'-') && at + 2 < class.len() {
                    found |= (class[at]..=class[at + 2]).contains(&letter);
                    at += 3;
                } else {
                    found |= class[at] == letter;
                    at += 1;
                }
            }
            (found != negated).then_some(end + 1)
        }
        '\\' => (pattern.get(1) == Some(&letter)).then_some(2),
        same => (*same == letter).then_some(1),
    }
}

/// `a{b,c}d` as `abd` and `acd`; `None` if there are too many.
pub fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let mut open = vec![pattern.to_owned()];
    let mut done = Vec::new();
    while let Some(next) = open.pop() {
        let parts = next
            .split_once('{')
            .and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
        match parts {
            None => done.push(next),
            Some((before, (inner, after))) => {
                let made = inner.split(',').rev();
                open.extend(made.map(|part| format!("{before}{part}{after}")));
            }
        }
        if open.len() + done.len() > MAX_ALTERNATIVES {
            return None;
        }
    }
    Some(done)
}

/// The paths of the files, or of the folders, that match a pattern relative to `folder`. `None` if
/// the pattern leads outside of the project or matches too much.
pub fn expand(
    source: &dyn FileSource,
    folder: &str,
    pattern: &str,
    wanted: Wanted,
) -> Option<Vec<String>> {
    if pattern.len() > MAX_LENGTH {
        return None;
    }
    let mut found = Vec::new();
    for pattern in alternatives(pattern)? {
        let mut parts = pattern.split('/').filter(|part| !["", "."].contains(part));
        let plain: Vec<&str> = parts.clone().take_while(|part| !is_pattern(part)).collect();
        let start = paths::resolve(folder, &plain.join("/"))?;
        if pattern.starts_with(['/', '~']) {
            return None;
        }
        parts.by_ref().take(plain.len()).for_each(drop);
        let mut rest: Vec<&str> = parts.collect();
        // Two of these in a row mean the same as one, and take many times as long.
        rest.dedup_by(|one, other| *one == "**" && *other == "**");
        let mut walk = Walk {
            source,
            wanted,
            folders: 0,
            is_complete: true,
            found: Vec::new(),
        };
        walk.folder(&start, &rest, 0);
        if !walk.is_complete {
            return None;
        }
        found.append(&mut walk.found);
    }
    found.sort();
    found.dedup();
    (found.len() <= MAX_MATCHES).then_some(found)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    Files,
    Folders,
}

/// Folders that no pattern is searched in: there are too many files, and none of the project.
const SKIPPED: &[&str] = &["node_modules", ".git", "target"];
const MAX_DEPTH: usize = 12;
/// Links may make a folder contain itself.
const MAX_FOLDERS: usize = 5_000;

struct Walk<'a> {
    source: &'a dyn FileSource,
    wanted: Wanted,
    folders: usize,
    /// Whether everything that could match was looked at.
    is_complete: bool,
    found: Vec<String>,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &str, parts: &[&str], depth: usize) {
        let Some((first, rest)) = parts.split_first() else {
            if self.wanted == Wanted::Folders || self.source.exists(folder) {
                self.found.push(folder.to_owned());
            }
            return;
        };
        self.folders += 1;
        if !self.is_complete || self.folders > MAX_FOLDERS || self.source.leads_outside(folder) {
            self.is_complete = false;
            return;
        }
        if depth > MAX_DEPTH || self.found.len() > MAX_MATCHES {
            return;
        }
        let join = |name: &String| paths::join_display(folder, name);
        if *first == "**" {
            self.folder(folder, rest, depth + 1);
        }
        let folders = self.source.list_folders(folder);
        // Bazel leaves links to its outputs, and ignores them itself.
        let is_output =
            |name: &String| name.starts_with("bazel-") && self.source.leads_outside(&join(name));
        let folders: Vec<&String> = folders
            .iter()
            .filter(|it| !SKIPPED.contains(&it.as_str()) && !is_output(it))
            .collect();
        let folders = folders.into_iter();
        for name in folders.filter(|name| *first == "**" || matches(first, name)) {
            let rest = if *first == "**" { parts } else { rest };
            if !rest.is_empty() || self.wanted == Wanted::Folders {
                self.folder(&join(name), rest, depth + 1);
            }
        }
        if rest.is_empty() && self.wanted == Wanted::Files {
            let files = self.source.list(folder).into_iter();
            let hidden = |name: &String| name.starts_with('.') && !first.starts_with('.');
            let files =
                files.filter(|name| *first == "**" || (matches(first, name) && !hidden(name)));
            self.found.extend(files.map(|name| join(&name)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::MemorySource;

    #[test]
    fn names_match_patterns() {
        for (pattern, name, expected) in [
            ("*.mk", "a.mk", true),
            ("*.mk", "a.mkx", false),
            ("a?c", "abc", true),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("*", "", true),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "aXbY", false),
            ("\\*", "*", true),
            ("\\*", "x", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
        // A pattern that takes exponential time with backtracking.
        assert!(!matches(&"*a".repeat(40), &"a".repeat(39)));
    }

    #[test]
    fn patterns_expand_to_files_and_folders() {
        let source = MemorySource::default()
            .with("web/packages/a/package.json", "")
            .with("web/packages/b/deep/package.json", "")
            .with("web/node_modules/x/package.json", "");
        let expand = |pattern, wanted| expand(&source, "web", pattern, wanted).unwrap();
        assert_eq!(
            expand("packages/*", Wanted::Folders),
            ["web/packages/a", "web/packages/b"]
        );
        assert_eq!(
            expand("./**/package.json", Wanted::Files),
            [
                "web/packages/a/package.json",
                "web/packages/b/deep/package.json"
            ]
        );
        assert_eq!(
            expand("packages/{a,c}/package.json", Wanted::Files),
            ["web/packages/a/package.json"]
        );
        assert_eq!(super::expand(&source, "", "../x*", Wanted::Files), None);
    }
}
