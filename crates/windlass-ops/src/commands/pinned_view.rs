//! What a person sees of a command before they allow it: every file that decides what it runs, or what
//! is different since they allowed it last.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use similar::TextDiff;
use windlass_commands::allowlist::{GrantedFile, GrantedText};

use crate::view::{Span, Style, View};

/// How much of a file is pinned, for people.
pub fn extent_words(extent: &str) -> String {
    match extent {
        "whole" => "whole file".to_owned(),
        "absent" => "does not exist".to_owned(),
        parts => format!("in part: {parts}"),
    }
}

/// All files with their text, each once.
pub fn files_view(now: &[GrantedText]) -> View {
    let files = by_place(now);
    let mut view = View::default();
    for file in files.values().flatten().filter(|it| it.extent != ABSENT) {
        let heading = format!("── {} ({})", file.path, extent_words(&file.extent));
        view = view.blank().line([Span::new(heading, Style::Strong)]);
        for line in file.text.iter().flat_map(|text| text.lines()) {
            view = view.line([Span::from(format!("    {}", line.replace('\t', "    ")))]);
        }
    }
    let absent: Vec<&str> = files
        .values()
        .flatten()
        .filter(|file| file.extent == ABSENT)
        .map(|file| file.path.as_str())
        .collect();
    if absent.is_empty() {
        return view;
    }
    view.blank().line([
        Span::from("These do not exist, and would decide if they did: "),
        Span::from(absent.join(", ")),
    ])
}

const ABSENT: &str = "absent";
/// After this time a difference is shown with more lines than necessary.
const LONGEST_COMPARISON: Duration = Duration::from_secs(2);

/// The difference between what was allowed and what is there now, as a unified diff. A file whose
/// earlier text is not known any more is shown as a whole.
pub fn difference(before: &[GrantedText], now: &[GrantedText]) -> String {
    let (before, now) = (by_place(before), by_place(now));
    let places: BTreeSet<_> = before.keys().chain(now.keys()).collect();
    let one = |files: Option<&Vec<GrantedFile>>| match files.map(Vec::as_slice) {
        // Several texts of one file: there is no single one to compare with.
        Some([file]) => Some(file.clone()),
        _ => None,
    };
    let mut all = String::new();
    for place in places {
        let (old, new) = (one(before.get(place)), one(now.get(place)));
        let hash = |file: &Option<GrantedFile>| {
            let file = file.as_ref();
            file.map(|file| (file.extent.clone(), file.sha256.clone()))
        };
        if hash(&old) == hash(&new) && old.is_some() {
            continue;
        }
        let text = |file: &Option<GrantedFile>| {
            let file = file.as_ref().filter(|file| file.extent != ABSENT);
            file.map(|file| file.text.clone().unwrap_or_default())
        };
        let (old, new) = (text(&old), text(&new));
        let name = |text: &Option<String>| {
            let path = text.as_ref().map_or("/dev/null", |_| place.as_str());
            path.to_owned()
        };
        let mut compared = TextDiff::configure();
        compared
            .newline_terminated(true)
            .timeout(LONGEST_COMPARISON);
        all += &compared
            .diff_slices(&lines(old.as_deref()), &lines(new.as_deref()))
            .unified_diff()
            .header(&name(&old), &name(&new))
            .to_string();
    }
    all
}

/// Only a line feed ends a line, as the runners see it; a carriage return could hide a change.
fn lines(text: Option<&str>) -> Vec<&str> {
    text.unwrap_or_default().split_inclusive('\n').collect()
}

/// A unified diff for people.
pub fn diff_view(diff: &str) -> View {
    diff.lines().fold(View::default(), |view, line| {
        let style = match line.as_bytes() {
            [b'+', b'+', ..] | [b'-', b'-', ..] => Style::Strong,
            [b'+', ..] => Style::Good,
            [b'-', ..] => Style::Bad,
            [b'@', ..] => Style::Dim,
            _ => Style::Plain,
        };
        view.line([Span::new(line.replace('\t', "    "), style)])
    })
}

/// The different files of several commands, by their path.
fn by_place(texts: &[GrantedText]) -> BTreeMap<String, Vec<GrantedFile>> {
    let mut places: BTreeMap<String, Vec<GrantedFile>> = BTreeMap::new();
    for file in texts.iter().flat_map(|text| &text.files) {
        let known = places.entry(file.path.clone()).or_default();
        let same = |it: &GrantedFile| it.extent == file.extent && it.sha256 == file.sha256;
        if !known.iter().any(same) {
            known.push(file.clone());
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use super::*;

    fn text(files: &[(&str, &str, &str)]) -> GrantedText {
        GrantedText {
            fingerprint: "f".to_owned(),
            command: "make build".to_owned(),
            granted_at: String::new(),
            files: files
                .iter()
                .map(|(path, extent, text)| GrantedFile {
                    path: (*path).to_owned(),
                    extent: (*extent).to_owned(),
                    sha256: windlass_commands::fingerprint(text),
                    text: Some((*text).to_owned()),
                })
                .collect(),
        }
    }

    #[test]
    fn only_what_differs_is_shown() {
        let before = text(&[
            ("Makefile", "whole", "a\nb\nc\n"),
            ("same.mk", "whole", "x\n"),
            ("GNUmakefile", "absent", ""),
            ("gone.mk", "whole", "gone\n"),
        ]);
        let now = text(&[
            ("Makefile", "whole", "a\nB\nc\n"),
            ("same.mk", "whole", "x\n"),
            ("GNUmakefile", "whole", "evil\n"),
        ]);
        let diff = difference(from_ref(&before), &[now]);
        assert_eq!(
            diff,
            "--- /dev/null\n+++ GNUmakefile\n@@ -0,0 +1 @@\n+evil\n\
             --- Makefile\n+++ Makefile\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n\
             --- gone.mk\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n"
        );
        assert_eq!(difference(from_ref(&before), from_ref(&before)), "");
    }

    #[test]
    fn a_carriage_return_does_not_split_a_line() {
        let before = text(&[("Makefile", "whole", "a:\n\techo\rharmless\n")]);
        let now = text(&[("Makefile", "whole", "a:\n\techo\rharmful\n")]);
        let diff = difference(&[before], &[now]);
        assert!(
            diff.ends_with("-\techo\rharmless\n+\techo\rharmful\n"),
            "{diff:?}"
        );
    }

    /// What was seen with another text elsewhere does not hide anything.
    #[test]
    fn a_file_with_two_earlier_texts_is_shown_as_a_whole() {
        let one = text(&[("Makefile", "whole", "a\n")]);
        let two = text(&[("Makefile", "whole", "b\n")]);
        let diff = difference(&[one.clone(), two.clone()], &[two]);
        assert!(diff.contains("+b") && !diff.contains("-b"), "{diff}");
    }
}
