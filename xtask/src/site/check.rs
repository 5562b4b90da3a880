//! Whether every link in the files of the site leads somewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The links and anchors of a page.
struct Links {
    links: Vec<String>,
    anchors: BTreeSet<String>,
}

/// Fails with every link that leads nowhere, or loads something from elsewhere.
pub fn links(folder: &Path) -> Result<String, String> {
    let pages = pages(folder)?;
    let mut problems = Vec::new();
    let mut count = 0;
    for (place, page) in &pages {
        for link in &page.links {
            count += 1;
            if let Some(why) = problem(folder, &pages, place, link) {
                problems.push(format!("{}: {link}: {why}", place.display()));
            }
        }
    }
    if problems.is_empty() {
        let pages = pages.len();
        return Ok(format!("{count} links of {pages} pages lead somewhere."));
    }
    Err(problems.join("\n"))
}

/// The pages that links lead to from one of them.
#[cfg(test)]
pub fn reached(folder: &Path, first: &Path) -> Result<BTreeSet<PathBuf>, String> {
    let pages = pages(folder)?;
    let (mut reached, mut open) = (BTreeSet::new(), vec![first.to_owned()]);
    while let Some(place) = open.pop() {
        let Some(page) = pages.get(&place).filter(|_| !reached.contains(&place)) else {
            continue;
        };
        let inside = page.links.iter().filter(|link| !is_elsewhere(link));
        open.extend(inside.map(|link| target(&place, link).0));
        reached.insert(place);
    }
    Ok(reached)
}

fn is_elsewhere(link: &str) -> bool {
    link.contains("://") || link.starts_with("mailto:")
}

fn problem(
    folder: &Path,
    pages: &BTreeMap<PathBuf, Links>,
    place: &Path,
    link: &str,
) -> Option<String> {
    if is_elsewhere(link) {
        return None;
    }
    let (file, anchor) = target(place, link);
    if !folder.join(&file).is_file() {
        return Some("there is no such file".to_owned());
    }
    let has = |page: &Links| anchor.is_empty() || page.anchors.contains(&anchor);
    let is_fine = pages.get(&file).is_none_or(has);
    (!is_fine).then(|| format!("there is no anchor {anchor}"))
}

/// The file that a link of a page leads to, and the anchor in it.
fn target(place: &Path, link: &str) -> (PathBuf, String) {
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let mut file = place.to_owned();
    if !path.is_empty() {
        file.pop();
        for part in path.split('/') {
            match part {
                ".." => {
                    file.pop();
                }
                part => file.push(part),
            }
        }
    }
    (file, anchor.to_owned())
}

fn pages(folder: &Path) -> Result<BTreeMap<PathBuf, Links>, String> {
    let mut pages = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        let failed = |problem| format!("{}: {problem}", next.display());
        for entry in fs::read_dir(&next).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|it| it == "html") {
                let text = fs::read_to_string(&path).map_err(failed)?;
                let place = path.strip_prefix(folder).unwrap_or(&path).to_owned();
                pages.insert(place, read(&text));
            }
        }
    }
    Ok(pages)
}

fn read(html: &str) -> Links {
    let values = |name: &str| -> Vec<String> {
        let before = format!(" {name}=\"");
        let parts = html.split(before.as_str()).skip(1);
        let values = parts.filter_map(|rest| rest.split_once('"'));
        values
            .map(|(value, _)| value.replace("&amp;", "&"))
            .collect()
    };
    let mut links = values("href");
    links.extend(values("src"));
    Links {
        links,
        anchors: values("id").into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dead_links_are_found() {
        let folder = std::env::temp_dir().join(format!("windlass-links-{}", std::process::id()));
        fs::create_dir_all(folder.join("a")).unwrap();
        let page = "<h2 id=\"x\">X</h2> <a href=\"../b.html#y\">b</a> <a href=\"#x\">x</a> \
                    <a href=\"#z\">z</a> <img src=\"gone.svg\"> <a href=\"https://c\">c</a>";
        fs::write(folder.join("a/a.html"), page).unwrap();
        fs::write(folder.join("b.html"), "<p id=\"y\">").unwrap();
        let problems = links(&folder).unwrap_err();
        fs::remove_dir_all(&folder).unwrap();
        let expected =
            "a/a.html: #z: there is no anchor z\na/a.html: gone.svg: there is no such file";
        assert_eq!(problems, expected);
    }
}
