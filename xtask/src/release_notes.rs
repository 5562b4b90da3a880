//! The notes of a release: the section of its version in `CHANGELOG.md`.

use std::fs;
use std::path::Path;

use crate::cargo;

/// The section for changes that no release has.
const UNRELEASED: &str = "Unreleased";

/// Prints the notes of a version, which must be that of the crates. `unreleased` is what the next
/// release would have.
pub fn run(root: &Path, version: &str) -> Result<String, String> {
    let changelog = fs::read_to_string(root.join("CHANGELOG.md"))
        .map_err(|problem| format!("CHANGELOG.md: {problem}"))?;
    if version.eq_ignore_ascii_case(UNRELEASED) {
        return notes(&changelog, UNRELEASED);
    }
    let of_crates = cargo::version(root)?;
    if version != of_crates {
        return Err(format!(
            "The crates have version {of_crates}, not {version}: change it in Cargo.toml first"
        ));
    }
    notes(&changelog, version)
}

fn notes(changelog: &str, version: &str) -> Result<String, String> {
    let is_its_title = |line: &&str| {
        let title = line.strip_prefix("## ");
        title.and_then(|title| title.split_whitespace().next()) == Some(version)
    };
    let mut lines = changelog.lines().skip_while(|line| !is_its_title(line));
    if lines.next().is_none() {
        return Err(format!(
            "CHANGELOG.md has no section {version}: give its section {UNRELEASED} the title \"## {version}\""
        ));
    }
    let section: Vec<&str> = lines.take_while(|line| !line.starts_with("## ")).collect();
    let section = section.join("\n");
    match section.trim() {
        "" => Err(format!("The section {version} of CHANGELOG.md is empty")),
        text => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANGELOG: &str = "\
        # Changelog\n\n## Unreleased\n\n## 0.2.0 - 2027-01-01\n\n### Added\n\n- One.\n\n## 0.1.0\n\n- Zero.\n";

    #[test]
    fn notes_are_the_section_of_the_version() {
        assert_eq!(
            notes(CHANGELOG, "0.2.0").as_deref(),
            Ok("### Added\n\n- One.")
        );
        assert_eq!(notes(CHANGELOG, "0.1.0").as_deref(), Ok("- Zero."));
        let problem = notes(CHANGELOG, "0.2").unwrap_err();
        assert!(
            problem.starts_with("CHANGELOG.md has no section 0.2:"),
            "{problem}"
        );
        let problem = notes(CHANGELOG, UNRELEASED).unwrap_err();
        assert_eq!(problem, "The section Unreleased of CHANGELOG.md is empty");
    }

    #[test]
    fn a_version_that_the_crates_do_not_have_is_refused() {
        let problem = run(&crate::root(), "99.0.0").unwrap_err();
        assert!(problem.contains("not 99.0.0"), "{problem}");
        run(&crate::root(), "unreleased").unwrap();
    }
}
