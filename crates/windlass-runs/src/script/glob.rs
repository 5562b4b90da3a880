//! Translates a glob of artifacts to an expression for `grep -E` over the paths of files.

use globset::GlobBuilder;

use crate::artifacts::literal_start;

/// The folder to search, and the expression that paths below the step's folder must match.
pub fn translate(glob: &str) -> Result<(String, String), String> {
    let start = literal_start(glob).to_owned();
    let trimmed = glob.trim_end_matches('/');
    let trimmed = trimmed.strip_prefix("./").unwrap_or(trimmed);
    let mut either = Vec::new();
    // A glob that matches a folder includes all files in it.
    for pattern in [trimmed.to_owned(), format!("{trimmed}/**")] {
        let glob = GlobBuilder::new(&pattern)
            .literal_separator(true)
            .build()
            .map_err(|problem| format!("is not a glob: {problem}"))?;
        either.push(super::expression::translate(glob.regex())?);
    }
    Ok((start, either.join("|")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_become_expressions() {
        for (glob, start, yes, no) in [
            (
                "dist/**/*",
                "dist",
                &["dist/a", "dist/b/c.js"][..],
                &["a", "dist"][..],
            ),
            ("dist/*.js", "dist", &["dist/a.js"], &["dist/b/a.js"]),
            ("dist", "dist", &["dist", "dist/a", "dist/b/c"], &["distx"]),
            ("./out/", "out", &["out/a"], &["b/out"]),
            ("**/*.{txt,js}", "", &["a.txt", "x/y.js"], &["a.md"]),
            ("a[!b]c?", "", &["axcd"], &["abcd", "axc"]),
        ] {
            let (from, expression) = translate(glob).unwrap();
            assert_eq!(from, start, "{glob}");
            let regex = regex::Regex::new(&expression).unwrap();
            for path in yes {
                assert!(regex.is_match(path), "{glob}: {path} {expression}");
            }
            for path in no {
                assert!(!regex.is_match(path), "{glob}: {path} {expression}");
            }
        }
    }
}
