//! Unique names: a name that occurs once stays; otherwise it gets a suffix of its runner. Names
//! depend on the files alone, never on what is installed.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::command::Command;
use crate::runner::Runner;

/// Assigns a unique name to every command, in the order of discovery.
pub fn assign_unique_names(commands: &mut [Arc<Command>]) {
    let names: Vec<String> = commands.iter().map(|it| it.full_name()).collect();
    let mut counts: HashMap<&str, usize> = HashMap::with_capacity(names.len());
    for name in &names {
        *counts.entry(name).or_default() += 1;
    }
    let once = |name: &&String| counts.get(name.as_str()) == Some(&1);
    let mut taken: HashSet<String> = HashSet::new();
    if counts.len() < names.len() {
        taken.extend(names.iter().filter(once).cloned());
    }
    for (command, name) in commands.iter_mut().zip(&names) {
        let unique = if once(&name) {
            name.clone()
        } else {
            let free = unused_name(name, command.runner, &taken);
            taken.insert(free.clone());
            free
        };
        if command.unique_name != unique {
            Arc::make_mut(command).unique_name = unique;
        }
    }
}

/// Tries the first letter of the runner, then three letters, then more, then a number.
fn unused_name(name: &str, runner: Runner, taken: &HashSet<String>) -> String {
    let short = runner.short_name();
    let lengths = std::iter::once(1).chain(3.min(short.len())..=short.len());
    let prefixes = lengths.map(|length| short[..length].to_owned());
    let numbered = (1_usize..).map(|number| format!("{short}{number}"));
    prefixes
        .chain(numbered)
        .map(|suffix| format!("{name}-{suffix}"))
        .find(|candidate| !taken.contains(candidate))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(given: &[(&str, &str, Runner)], expected: &[&str]) {
        let mut commands: Vec<Arc<Command>> = given
            .iter()
            .map(|(file, name, runner)| Arc::new(Command::new(file, *runner, name, "")))
            .collect();
        assign_unique_names(&mut commands);
        let names: Vec<_> = commands.iter().map(|it| it.unique_name.as_str()).collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn examples_of_unique_names() {
        check(
            &[
                ("Makefile", "test", Runner::Make),
                ("package.json", "build", Runner::Npm),
            ],
            &["test", "build"],
        );
        check(
            &[
                ("Makefile", "test", Runner::Make),
                ("package.json", "test", Runner::Npm),
            ],
            &["test-m", "test-n"],
        );
        check(
            &[
                ("Makefile", "test", Runner::Make),
                ("pom.xml", "test", Runner::Maven),
                ("mise.toml", "test", Runner::Mise),
                ("x/../mise.toml", "only", Runner::Mise),
            ],
            &["test-m", "test-mvn", "test-mis", "x/../only"],
        );
        check(
            &[
                ("pyproject.toml", "t", Runner::Poetry),
                ("pyproject.toml", "t", Runner::Poe),
                ("pyproject.toml", "t", Runner::Poe),
                ("pyproject.toml", "t", Runner::Poetry),
                ("pyproject.toml", "t", Runner::Poe),
            ],
            &["t-p", "t-poe", "t-poe1", "t-poet", "t-poe2"],
        );
    }

    #[test]
    fn a_suffixed_name_never_equals_another_name() {
        check(
            &[
                ("Makefile", "test", Runner::Make),
                ("Makefile", "test-m", Runner::Make),
                ("package.json", "test", Runner::Npm),
            ],
            &["test-mak", "test-m", "test-n"],
        );
        check(
            &[
                ("a.sh", "x", Runner::Shell),
                ("b.sh", "x", Runner::Shell),
                ("c.sh", "x", Runner::Shell),
            ],
            &["x-s", "x-sh", "x-sh1"],
        );
    }

    #[test]
    fn the_folder_is_part_of_the_name() {
        check(
            &[
                ("package.json", "test", Runner::Npm),
                ("web/package.json", "test", Runner::Npm),
                ("web/Makefile", "test", Runner::Make),
                ("Makefile", "web/test", Runner::Make),
            ],
            &["test", "web/test-n", "web/test-m", "web/test-mak"],
        );
    }
}
