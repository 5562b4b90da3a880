//! Paths inside the repository, as text relative to the root, separated by `/`.

/// The folder of a file; empty at the root.
pub fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The last part of a path.
pub fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// The name without its extension.
pub fn stem_of(path: &str) -> &str {
    let name = name_of(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// What is after the last dot of the name; empty without one.
pub fn ending_of(path: &str) -> &str {
    name_of(path)
        .rsplit_once('.')
        .map_or("", |(_, ending)| ending)
}

/// Resolves a path that a file in `folder` refers to. `None` if it is absolute or outside the root.
pub fn resolve(folder: &str, path: &str) -> Option<String> {
    if path.starts_with(['/', '~', '\\']) || path.contains(['\0', ':']) {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// Joins a folder and a name without resolving it.
pub fn join_display(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}

/// The folder and all its parents, ending with the root.
pub fn ancestors(folder: &str) -> impl Iterator<Item = &str> {
    let mut next = Some(folder);
    std::iter::from_fn(move || {
        let this = next?;
        next = (!this.is_empty()).then(|| folder_of(this));
        Some(this)
    })
}

/// The path from `folder` to a file in `above`, which is `folder` or a parent of it:
/// `../../gradlew`.
pub fn from_below(folder: &str, above: &str, name: &str) -> String {
    let depth = |path: &str| path.split('/').filter(|part| !part.is_empty()).count();
    let up = depth(folder).saturating_sub(depth(above));
    if up == 0 {
        format!("./{name}")
    } else {
        format!("{}{name}", "../".repeat(up))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolving_stays_inside() {
        for (folder, path, expected) in [
            ("", "a.mk", Some("a.mk")),
            ("web", "../a.mk", Some("a.mk")),
            ("web", "./x//a.mk", Some("web/x/a.mk")),
            ("", "../a.mk", None),
            ("web", "../../a.mk", None),
            ("web", "x/../../../web/a.mk", None),
            ("", "/etc/passwd", None),
            ("", "~/x", None),
            ("", "https://host/x", None),
        ] {
            assert_eq!(
                resolve(folder, path).as_deref(),
                expected,
                "{folder} {path}"
            );
        }
    }

    #[test]
    fn ancestors_end_with_the_root() {
        assert_eq!(ancestors("a/b").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!(ancestors("").collect::<Vec<_>>(), [""]);
        assert_eq!(from_below("a/b", "", "gradlew"), "../../gradlew");
        assert_eq!(from_below("a", "a", "gradlew"), "./gradlew");
    }
}
