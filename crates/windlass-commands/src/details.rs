//! What there is to know about one command besides what it runs.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::command::{ArgumentStyle, Command};
use crate::runner::Runner;

/// More names than this tell a person nothing.
const MOST_NAMES: usize = 40;

impl ArgumentStyle {
    /// Where arguments go, as a sentence.
    pub fn description(&self) -> String {
        match self {
            Self::AfterDashes => "passed on after `--`".to_owned(),
            Self::Appended => "passed on at the end".to_owned(),
            Self::Positional(0) => "none".to_owned(),
            Self::Positional(usize::MAX) => "passed on at the end".to_owned(),
            Self::Positional(most) => format!("passed on at the end, at most {most}"),
            Self::Filled => "one plain word for each `*` of the name".to_owned(),
            Self::Refused(reason) => format!("none: {reason}"),
        }
    }
}

impl Command {
    /// The commands that the runner starts first, as far as the definition says so literally.
    pub fn prerequisites(&self) -> Vec<String> {
        let text = self.definition_text.as_str();
        let words = |text: &str| -> Vec<String> {
            let is_sign = |it: char| it.is_whitespace() || "[](){},\"'".contains(it);
            let words = text.split(is_sign).filter(|it| !it.is_empty());
            let plain = words.filter(|it| !it.contains(['$', '%', '|', '=']));
            plain.take(MOST_NAMES).map(str::to_owned).collect()
        };
        let keyed = |keys: &[&str]| -> Vec<String> {
            let mut lines = text.lines().peekable();
            let mut found = Vec::new();
            while let Some(line) = lines.next() {
                let Some((key, value)) = line.split_once(':') else {
                    continue;
                };
                if !keys.contains(&key.trim().trim_start_matches("- ")) {
                    continue;
                }
                found.extend(words(value));
                while let Some(item) = lines.peek().and_then(|it| it.trim().strip_prefix("- ")) {
                    found.extend(words(item));
                    lines.next();
                }
            }
            found
        };
        match self.runner {
            Runner::Make | Runner::Just => {
                let head = text.lines().next().unwrap_or_default();
                let head = head.split(['#', ';']).next().unwrap_or_default();
                head.split_once(':')
                    .map(|(_, rest)| words(rest))
                    .unwrap_or_default()
            }
            Runner::Task => keyed(&["deps"]),
            Runner::Turbo | Runner::Nx => keyed(&["dependsOn"]),
            Runner::Mise => keyed(&["depends"]),
            Runner::Moon => keyed(&["deps"]),
            Runner::Pixi => keyed(&["depends-on", "depends_on"]),
            Runner::Deno => keyed(&["dependencies"]),
            Runner::Poe => keyed(&["deps", "sequence"]),
            _ => Vec::new(),
        }
    }

    /// The variables of the environment that its definition mentions.
    pub fn mentioned_variables(&self) -> Vec<String> {
        let mut names = BTreeSet::new();
        let text = self.definition_text.as_str();
        for (at, _) in text.match_indices('$') {
            let rest = text[at + 1..].trim_start_matches(['{', '(', '$']);
            let end = rest.find(|it: char| !it.is_ascii_alphanumeric() && it != '_');
            let name = &rest[..end.unwrap_or(rest.len())];
            let is_name = name.len() > 1 && name.starts_with(|it: char| it.is_ascii_uppercase());
            if is_name && name.chars().all(|it| !it.is_ascii_lowercase()) {
                names.insert(name.to_owned());
            }
        }
        names.into_iter().take(MOST_NAMES).collect()
    }

    /// The version of a runner that the project has installed for itself, from its own files: a
    /// program of the project is not started to ask it.
    pub fn local_version(&self, root: &Path) -> Option<String> {
        let program = &self.invocation.program;
        let (folder, name) = program.split_once("node_modules/.bin/")?;
        let package = root
            .join(&self.invocation.cwd)
            .join(folder)
            .join("node_modules")
            .join(name)
            .join("package.json");
        let text = fs::read_to_string(package).ok()?;
        let package: serde_json::Value = serde_json::from_str(&text).ok()?;
        Some(package["version"].as_str()?.to_owned())
    }
}
