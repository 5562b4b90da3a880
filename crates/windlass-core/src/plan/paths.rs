//! Paths given by people and agents: they must lie below the project's root.

use crate::{Error, Result};

/// A path below the project's root, with `/` as separator.
pub fn check_path(field: &str, given: &str) -> Result<String> {
    let refuse = |problem: &str| {
        Err(Error::validation(field, format!("\"{given}\" {problem}"))
            .with("value", given)
            .with_hint(
                "Give a path relative to the project's root, for example src/auth/login.rs.",
            ))
    };
    let path = given.trim().trim_start_matches("./");
    let drive = path.as_bytes().get(1) == Some(&b':');
    if path.is_empty() {
        return refuse("is not a path");
    }
    if path.starts_with(['/', '\\', '~']) || drive {
        return refuse("must be relative");
    }
    if path.split(['/', '\\']).any(|part| part == "..") {
        return refuse("must not contain \"..\"");
    }
    if path.chars().any(char::is_control) {
        return refuse("must not contain control characters");
    }
    Ok(path.to_owned())
}

/// A list of paths without duplicates, at most `max` of them.
pub(crate) fn check_paths(field: &str, given: &[String], max: usize) -> Result<Vec<String>> {
    let mut paths: Vec<String> = Vec::with_capacity(given.len());
    for (at, path) in given.iter().enumerate() {
        let path = check_path(&format!("{field}[{at}]"), path)?;
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    if paths.len() > max {
        let problem = format!("has {} paths; at most {max} are allowed", paths.len());
        return Err(Error::validation(field, problem)
            .with("max", max)
            .with("actual", paths.len())
            .with_hint("Give only the most important ones, or a folder."));
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_inside_the_project_are_accepted() {
        for (given, path) in [
            ("src/main.rs", "src/main.rs"),
            ("./a", "a"),
            (" docs ", "docs"),
            ("a..b/c", "a..b/c"),
        ] {
            assert_eq!(check_path("file_path", given), Ok(path.to_owned()));
        }
        for bad in [
            "",
            "/etc/passwd",
            "~/x",
            "a/../b",
            "..",
            "a\\..\\b",
            "C:\\x",
            "\\\\host",
            "a\0b",
        ] {
            let error = check_path("file_path", bad).unwrap_err();
            assert_eq!(error.data()["field"], "file_path", "{bad:?}");
            assert_eq!(error.data()["value"], bad);
        }
    }

    #[test]
    fn list_errors_name_the_item_and_duplicates_are_dropped() {
        let given = |paths: &[&str]| {
            paths
                .iter()
                .map(|path| (*path).to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            check_paths("files", &given(&["a", "./a", "b"]), 2),
            Ok(given(&["a", "b"]))
        );
        let error = check_paths("files", &given(&["a", "/b"]), 2).unwrap_err();
        assert_eq!(error.data()["field"], "files[1]");
        assert!(check_paths("files", &given(&["a", "b", "c"]), 2).is_err());
    }
}
