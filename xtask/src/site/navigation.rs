//! The list of all pages, as every page shows it.

use std::fmt::Write as _;
use std::path::Path;

use super::render::{Page, escaped, relative};

/// The sections: a title, and the folder of its pages. What is in none of them is in the last.
const SECTIONS: &[(&str, &str)] = &[
    ("Guide", "docs/guide"),
    ("Reference", "docs/reference"),
    ("Contracts", "docs/contracts"),
    ("Project", ""),
];

/// Pages of the guide in the order in which people need them; the others follow by title.
const FIRST: &[&str] = &[
    "README.md",
    "docs/guide/install.md",
    "docs/guide/people.md",
    "docs/guide/agents.md",
    "docs/guide/commands.md",
    "docs/guide/security.md",
    "docs/guide/teams.md",
    "docs/guide/sync.md",
];

/// The navigation of a page.
pub fn of(pages: &[Page], current: &Page) -> String {
    let mut html = String::new();
    for (number, (title, _)) in SECTIONS.iter().enumerate() {
        let mut there: Vec<&Page> = pages.iter().filter(|it| section(it) == number).collect();
        there.sort_by_key(|page| (rank(&page.source), page.title.to_lowercase()));
        let _ = write!(html, "<h2>{title}</h2>\n<ul>\n");
        for page in there {
            let href = relative(&current.place, &page.place);
            let mark = if page.place == current.place {
                " aria-current=\"page\""
            } else {
                ""
            };
            let title = escaped(&page.title);
            let _ = writeln!(html, "<li><a href=\"{href}\"{mark}>{title}</a></li>");
        }
        html.push_str("</ul>\n");
    }
    html
}

fn section(page: &Page) -> usize {
    let is_in = |folder: &str| page.source.starts_with(folder);
    let found = SECTIONS.iter().position(|(_, folder)| is_in(folder));
    found.unwrap_or(SECTIONS.len() - 1)
}

fn rank(source: &Path) -> usize {
    let found = FIRST.iter().position(|first| Path::new(first) == source);
    found.unwrap_or(FIRST.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_come_first_exist() {
        for page in FIRST {
            assert!(crate::root().join(page).exists(), "{page}");
        }
    }
}
