//! Finds the command that a person means by a name, and the order in which they want to see many.

use std::sync::Arc;

use crate::command::{Command, Kind};
use crate::command_set::CommandSet;
use crate::paths;

/// What a name stands for.
#[derive(Debug, Clone)]
pub enum Choice {
    One(Arc<Command>),
    /// Several have the name, or none has it as its whole name.
    Several(Vec<Arc<Command>>),
    None,
}

/// Folders whose commands belong to tests and examples of the project, not to the project.
const ASIDE: &[&str] = &[
    "__fixtures__",
    "__tests__",
    "benchmarks",
    "demo",
    "demos",
    "e2e",
    "example",
    "examples",
    "fixture",
    "fixtures",
    "integration-tests",
    "integration_tests",
    "playground",
    "playgrounds",
    "sample",
    "samples",
    "spec",
    "specs",
    "template",
    "templates",
    "test",
    "test-data",
    "testdata",
    "tests",
];

impl Command {
    /// Whether it belongs to tests, fixtures or examples.
    pub fn is_aside(&self) -> bool {
        self.folder.split('/').any(|part| ASIDE.contains(&part))
    }

    /// The rank by which people see commands: the project's own, those of the folder in which they
    /// are, the others, and those of tests and examples last; in each, workflows after the local ones
    /// and what a tool runs by itself at the end.
    pub fn rank(&self, folder: &str) -> (usize, usize) {
        let place = match self.folder.as_str() {
            "" => 0,
            own if !folder.is_empty() && own == folder => 1,
            own if !folder.is_empty() && is_below(own, folder) => 2,
            _ if self.is_aside() => 4,
            _ => 3,
        };
        let kind = match self.kind {
            Kind::Workflow => 2,
            Kind::Lifecycle => 1,
            _ => 0,
        };
        (place, kind)
    }
}

fn is_below(folder: &str, above: &str) -> bool {
    let rest = folder.strip_prefix(above);
    rest.is_some_and(|rest| rest.starts_with('/'))
}

impl CommandSet {
    /// The command that a name means in a folder: its own command of that name, then the one with
    /// that unique name.
    pub fn choose(&self, name: &str, folder: &str) -> Choice {
        for above in paths::ancestors(folder).filter(|it| !it.is_empty()) {
            let own = self
                .commands
                .iter()
                .filter(|it| it.folder == above && it.name == name);
            let own: Vec<_> = own.cloned().collect();
            match own.as_slice() {
                [] => {}
                [one] => return Choice::One(Arc::clone(one)),
                _ => return Choice::Several(own),
            }
        }
        if let Some(found) = self.get(name) {
            return Choice::One(Arc::clone(found));
        }
        self.candidates(name)
    }

    /// Those that have the name, with or without their folder.
    fn candidates(&self, name: &str) -> Choice {
        let named = self
            .commands
            .iter()
            .filter(|it| it.name == name || it.full_name() == name);
        let mut named: Vec<_> = named.cloned().collect();
        if named.is_empty() {
            return Choice::None;
        }
        named.sort_by_key(|command| command.rank(""));
        Choice::Several(named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::availability::Availability;
    use crate::names::assign_unique_names;
    use crate::runner::Runner;

    fn set() -> CommandSet {
        let mut commands: Vec<Arc<Command>> = [
            ("package.json", Runner::Pnpm),
            ("turbo.json", Runner::Turbo),
            ("web/package.json", Runner::Pnpm),
            ("examples/a/package.json", Runner::Pnpm),
        ]
        .into_iter()
        .map(|(file, runner)| Arc::new(Command::new(file, runner, "build", "")))
        .collect();
        assign_unique_names(&mut commands);
        CommandSet::new("/".into(), commands, Vec::new(), Availability::default())
    }

    fn chosen(name: &str, folder: &str) -> String {
        match set().choose(name, folder) {
            Choice::One(one) => one.unique_name.clone(),
            Choice::Several(all) => {
                let names: Vec<_> = all.iter().map(|it| it.unique_name.as_str()).collect();
                names.join(" or ")
            }
            Choice::None => "none".to_owned(),
        }
    }

    #[test]
    fn a_name_means_the_nearest_or_is_answered_with_all() {
        for (name, folder, expected) in [
            ("build-p", "", "build-p"),
            (
                "build",
                "",
                "build-p or build-t or web/build or examples/a/build",
            ),
            ("build", "web", "web/build"),
            ("build", "web/src/deep", "web/build"),
            (
                "build",
                "other",
                "build-p or build-t or web/build or examples/a/build",
            ),
            ("web/build", "", "web/build"),
            ("lint", "web", "none"),
        ] {
            assert_eq!(chosen(name, folder), expected, "{name} in {folder:?}");
        }
    }
}
