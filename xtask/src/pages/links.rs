//! Links of Markdown pages, and where they lead.

use std::fs;
use std::path::Path;

/// The targets of all links with their lines. Code is left out.
pub fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut in_code = false;
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
            continue;
        }
        if in_code {
            continue;
        }
        let line = without_code(line);
        for rest in line.split("](").skip(1) {
            if let Some((target, _)) = rest.split_once(')') {
                found.push((number + 1, target.to_owned()));
            }
        }
    }
    found
}

/// A line without what stands between backticks.
fn without_code(line: &str) -> String {
    let parts = line.split('`').enumerate();
    parts
        .filter(|(at, _)| at % 2 == 0)
        .map(|(_, part)| part)
        .collect()
}

/// Why a link of a page leads nowhere; `None` if it is fine, or leads to another site.
pub fn problem(root: &Path, page: &Path, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = if path.is_empty() {
        root.join(page)
    } else {
        root.join(page.parent().unwrap_or(Path::new(""))).join(path)
    };
    if !target.exists() {
        return Some("there is no such file".to_owned());
    }
    if anchor.is_empty() {
        return None;
    }
    let text = fs::read_to_string(&target).unwrap_or_default();
    let has = anchors(&text).iter().any(|known| known == anchor);
    (!has).then(|| format!("there is no heading #{anchor}"))
}

/// The anchors of the headings of a page, as forges make them.
fn anchors(text: &str) -> Vec<String> {
    let mut known: Vec<String> = Vec::new();
    let mut in_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code || !line.starts_with('#') {
            continue;
        }
        let anchor = anchor(line.trim_start_matches('#').trim());
        let again = known.iter().filter(|it| **it == anchor).count();
        if again > 0 {
            known.push(format!("{anchor}-{again}"));
        }
        known.push(anchor);
    }
    known
}

/// The anchor of a heading, if no other heading has the same.
pub fn anchor(title: &str) -> String {
    let keep = |letter: &char| letter.is_alphanumeric() || "-_ ".contains(*letter);
    let anchor: String = title.to_lowercase().chars().filter(keep).collect();
    anchor.replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_in_code_do_not_count() {
        let text =
            "[a](one.md) and [b](two.md#x)\n```\n[c](three.md)\n```\n`[d](four.md)` [e](five.md)";
        let expected = [(1, "one.md"), (1, "two.md#x"), (5, "five.md")];
        let expected = expected.map(|(line, link)| (line, link.to_owned()));
        assert_eq!(links(text), expected);
    }

    #[test]
    fn anchors_are_those_of_forges() {
        let text = "# `windlass add`\n## What, and why?\n### Notes\n### Notes\n```\n# code\n```\n";
        let expected = ["windlass-add", "what-and-why", "notes", "notes-1", "notes"];
        assert_eq!(anchors(text), expected);
    }

    #[test]
    fn dead_links_are_reported() {
        let root = crate::root();
        let page = Path::new("docs/guide/install.md");
        let why = |link: &str| problem(&root, page, link);
        assert_eq!(why("releasing.md"), None);
        assert_eq!(why("../../README.md#install"), None);
        assert_eq!(why("#the-image"), None);
        assert_eq!(why("https://example.com/nowhere"), None);
        assert_eq!(why("gone.md").as_deref(), Some("there is no such file"));
        let heading = Some("there is no heading #gone");
        assert_eq!(why("releasing.md#gone").as_deref(), heading);
    }
}
