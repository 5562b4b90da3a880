//! The options of `cargo xtask dist`.

use std::path::{Path, PathBuf};

use flate2::Compression;

use super::packages::PACKAGES;

const USAGE: &str = "\
Usage: cargo xtask dist [--target TRIPLE[.GLIBC]] [--binary FILE] [--out DIR] [--only NAMES] [--fast]
                        [--repository URL]
       cargo xtask dist-manifests --out DIR --repository URL";

#[derive(Debug)]
pub struct Options {
    /// The target of rustc, and the version of glibc that the binary must run with.
    pub target: Option<String>,
    /// A binary that is already built.
    pub binary: Option<PathBuf>,
    pub out: PathBuf,
    /// The names of the packages to make; all of them if empty.
    only: Vec<String>,
    pub level: Compression,
    /// Where the project is published, for what refers to downloads.
    pub repository: Option<String>,
}

impl Options {
    pub fn parse(root: &Path, arguments: &[&str]) -> Result<Self, String> {
        let mut options = Self {
            target: None,
            binary: None,
            out: root.join("target/dist"),
            only: Vec::new(),
            level: Compression::best(),
            repository: None,
        };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let mut value = || {
                let value = words.next().map(|value| (*value).to_owned());
                value.ok_or_else(|| format!("{word} needs a value\n{USAGE}"))
            };
            match *word {
                "--target" => options.target = Some(value()?),
                "--binary" => options.binary = Some(root.join(value()?)),
                "--out" => options.out = root.join(value()?),
                "--only" => options.only = value()?.split(',').map(str::to_owned).collect(),
                "--fast" => options.level = Compression::none(),
                "--repository" => {
                    options.repository = Some(value()?.trim_end_matches('/').to_owned());
                }
                _ => return Err(format!("There is no option {word}\n{USAGE}")),
            }
        }
        options.check()
    }

    fn check(self) -> Result<Self, String> {
        let names: Vec<&str> = PACKAGES.iter().map(|package| package.name).collect();
        let unknown = self
            .only
            .iter()
            .find(|name| !names.contains(&name.as_str()));
        if let Some(unknown) = unknown {
            return Err(format!(
                "There is no package {unknown}; only {}",
                names.join(", ")
            ));
        }
        match &self.repository {
            Some(url) if !url.starts_with("https://") || url.matches('/').count() < 4 => Err(
                format!("{url} is not a repository, such as https://github.com/OWNER/windlass"),
            ),
            _ => Ok(self),
        }
    }

    pub fn wants(&self, package: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == package)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(arguments: &[&str]) -> String {
        Options::parse(Path::new("/r"), arguments).unwrap_err()
    }

    #[test]
    fn options_are_read_and_wrong_ones_explained() {
        let options = ["--only", "deb,wheel", "--out", "o", "--fast"];
        let options = Options::parse(Path::new("/r"), &options).unwrap();
        assert!(options.wants("deb") && !options.wants("npm"));
        assert_eq!(options.out, Path::new("/r/o"));
        assert!(problem(&["--only", "rpm"]).starts_with("There is no package rpm; only archive,"));
        assert!(problem(&["--out"]).starts_with("--out needs a value"));
        assert!(problem(&["--loud"]).starts_with("There is no option --loud"));
        let url = problem(&["--repository", "github.com/a/b"]);
        assert!(
            url.starts_with("github.com/a/b is not a repository"),
            "{url}"
        );
    }
}
