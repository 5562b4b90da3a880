//! What a makefile learns about files: `$(wildcard …)`, and those calls of the shell whose answer is
//! plain to see. Nothing is executed.

use std::cell::Cell;

use crate::glob;
use crate::paths;
use crate::source::FileContext;

use super::make_variables::{Files, HERE};

/// Longer files are not names.
const MAX_TEXT: usize = 10_000;

/// The files around a makefile.
pub struct Known<'a> {
    context: &'a FileContext<'a>,
    /// How many patterns and lines were looked up; each may search many folders.
    looked: Cell<usize>,
}

impl<'a> Known<'a> {
    pub fn new(context: &'a FileContext<'a>) -> Self {
        Self {
            context,
            looked: Cell::new(0),
        }
    }

    fn may_look(&self) -> bool {
        self.looked.set(self.looked.get() + 1);
        self.looked.get() <= glob::MAX_PATTERNS
    }

    /// The root of the repository, from the folder in which make is started.
    fn root(&self) -> Option<String> {
        let source = self.context.source;
        let is_root = source.has_folder(".git") || source.exists(".git");
        let up = paths::from_below(self.context.folder(), "", "");
        let up = up.trim_end_matches('/');
        is_root.then(|| up.to_owned())
    }

    /// The names in a folder, as `ls` prints them.
    fn listed(&self, folder: &str) -> Option<String> {
        let path = paths::resolve(self.context.folder(), folder)?;
        if !self.context.source.has_folder(&path) {
            return None;
        }
        let mut names = self.context.source.list(&path);
        names.extend(self.context.source.list_folders(&path));
        names.retain(|name| !name.starts_with('.'));
        names.sort_unstable();
        Some(names.join(" "))
    }
}

impl Files for Known<'_> {
    fn wildcard(&self, pattern: &str) -> Option<Vec<String>> {
        if !self.may_look() {
            return None;
        }
        let folder = self.context.folder();
        if !glob::is_pattern(pattern) {
            let path = paths::resolve(folder, pattern)?;
            let exists = self.context.source.exists(&path);
            return Some(exists.then(|| pattern.to_owned()).into_iter().collect());
        }
        let found = glob::expand(self.context.source, folder, pattern, glob::Wanted::Files)?;
        let start = match folder {
            "" => String::new(),
            folder => format!("{folder}/"),
        };
        let inner = found
            .iter()
            .filter_map(|path| path.strip_prefix(start.as_str()));
        Some(inner.map(str::to_owned).collect())
    }

    fn shell(&self, line: &str) -> Option<String> {
        let line = line.trim();
        let line = ["2>/dev/null", "2> /dev/null"]
            .iter()
            .find_map(|end| line.strip_suffix(end))
            .map_or(line, str::trim_end);
        // What a shell would interpret is not known.
        if line.contains([
            '$', '`', '|', '&', ';', '<', '>', '*', '?', '(', '\\', '"', '\'', '~',
        ]) {
            return None;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["pwd"] | ["pwd", "-P" | "-L"] => Some(HERE.to_owned()),
            ["git", "rev-parse", "--show-toplevel"] => self.root(),
            ["echo", words @ ..] if !words.iter().any(|it| it.starts_with('-')) => {
                Some(words.join(" "))
            }
            ["cat", file] if self.may_look() => {
                let path = paths::resolve(self.context.folder(), file)?;
                let text = self.context.source.read(&path).ok()?;
                (text.len() < MAX_TEXT).then(|| text.trim_end().replace('\n', " "))
            }
            ["uname"] | ["uname", "-s"] => Some(system()?.0.to_owned()),
            ["uname", "-m"] => match (system()?.0, std::env::consts::ARCH) {
                ("Darwin", "aarch64") => Some("arm64".to_owned()),
                (_, architecture) => Some(architecture.to_owned()),
            },
            ["go", "env", "GOOS"] => Some(system()?.1.to_owned()),
            ["go", "env", "GOEXE"] => system().map(|_| String::new()),
            ["ls"] | ["ls", "-1"] if self.may_look() => self.listed(HERE),
            ["ls", folder] | ["ls", "-1", folder]
                if self.may_look() && !folder.starts_with('-') =>
            {
                self.listed(folder)
            }
            _ => None,
        }
    }
}

/// The name of this system as `uname` and as Go know it.
fn system() -> Option<(&'static str, &'static str)> {
    match std::env::consts::OS {
        "linux" => Some(("Linux", "linux")),
        "macos" => Some(("Darwin", "darwin")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{names, read};
    use super::*;
    use crate::source::MemorySource;

    #[test]
    fn lines_with_a_plain_answer() {
        let source = MemorySource::default()
            .with(".git/HEAD", "x")
            .with("tools/names.txt", "a\nb\n")
            .with("tools/cmd/server/main.go", "")
            .with("tools/cmd/client/main.go", "")
            .with("tools/cmd/.hidden/x", "")
            .with("tools/cmd/README", "");
        let context = FileContext::new("tools/Makefile", &source);
        let known = Known::new(&context);
        for (line, expected) in [
            ("pwd", Some(".")),
            ("git rev-parse --show-toplevel 2>/dev/null", Some("..")),
            ("cat names.txt", Some("a b")),
            ("ls cmd", Some("README client server")),
            ("echo one two", Some("one two")),
            ("echo $HOME", None),
            ("ls cmd | head", None),
            ("cat ../../secret", None),
            ("ls -l cmd", None),
            ("git describe --tags", None),
        ] {
            assert_eq!(known.shell(line).as_deref(), expected, "{line}");
        }
    }

    /// Branches and names by the system that this is.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_is_known() {
        for (text, expected) in [
            (
                "S := $(shell uname -s)\nifeq ($(S),Darwin)\na:\n\techo\nT = x\nelse\nT = y\nendif\nb-$(T):\n\techo\n",
                "b-y",
            ),
            (
                "GO = go\nE := $(shell $(GO) env GOEXE)\n.PHONY: bin/x$(E)\nbin/x$(E):\n\techo\n",
                "bin/x",
            ),
            ("build-$(shell go env GOOS):\n\techo\n", "build-linux"),
        ] {
            let source = MemorySource::default().with("Makefile", text);
            assert_eq!(
                names(&read(&source, "Makefile")).join(" "),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn a_repository_without_git_has_no_known_root() {
        let source = MemorySource::default();
        let context = FileContext::new("Makefile", &source);
        assert_eq!(
            Known::new(&context).shell("git rev-parse --show-toplevel"),
            None
        );
    }

    /// Three ways to include a file of the root from a folder below, and one to name targets.
    #[test]
    fn includes_and_targets_by_such_lines() {
        for root in [
            "ROOT := $(shell git rev-parse --show-toplevel)",
            "ROOT ?= $(abspath $(dir $(lastword $(MAKEFILE_LIST)))/..)",
            "ROOT = $(shell pwd)/..",
            "ROOT = $(CURDIR)/..",
        ] {
            let source = MemorySource::default()
                .with(".git/HEAD", "x")
                .with(
                    "sub/Makefile",
                    &format!("{root}\ninclude $(ROOT)/mk/a.mk\nb:\n\techo\n"),
                )
                .with("mk/a.mk", "a:\n\techo\n");
            assert_eq!(names(&read(&source, "sub/Makefile")), ["a", "b"], "{root}");
        }
        let source = MemorySource::default()
            .with(
                "Makefile",
                "ALL = $(shell ls cmd)\n$(addprefix build-,$(ALL)):\n\techo\n",
            )
            .with("cmd/one/main.go", "")
            .with("cmd/two/main.go", "");
        assert_eq!(
            names(&read(&source, "Makefile")),
            ["build-one", "build-two"]
        );
    }
}
