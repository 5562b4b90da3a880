//! What the tour shows, as data.

use crate::surface::cli::exit_codes::NOT_SUCCESSFUL;

/// Who has to play for a step to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    Anyone,
    /// Others try it too, and are refused.
    Person,
    /// Builds on what a person has done, and is left out without one.
    WithPerson,
    /// What happens in its place without a person.
    WithoutPerson,
}

/// Where a step is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    Project,
    /// A second clone of its repository.
    Clone,
}

/// One command.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    pub words: &'static [&'static str],
    pub who: Who,
    pub at: At,
    /// How it ends when all is well.
    pub exit: u8,
}

/// Steps that belong together, and what they show.
#[derive(Debug)]
pub struct Chapter {
    pub title: &'static str,
    pub text: &'static str,
    pub steps: &'static [Step],
}

impl Step {
    const fn new(words: &'static [&'static str]) -> Self {
        Self {
            words,
            who: Who::Anyone,
            at: At::Project,
            exit: 0,
        }
    }

    const fn by(mut self, who: Who) -> Self {
        self.who = who;
        self
    }

    const fn ends(mut self, exit: u8) -> Self {
        self.exit = exit;
        self
    }

    const fn in_clone(mut self) -> Self {
        self.at = At::Clone;
        self
    }
}

/// The files that the project has before the tour begins: name, text, whether it is a program.
pub const FILES: &[(&str, &str, bool)] = &[
    (
        "test.sh",
        "#!/bin/sh\n# The greeting greets.\ngrep -q Hello greeting.txt && echo '1 test passed'\n",
        true,
    ),
    ("draft.txt", "Hello, world.\n", false),
];

pub const CHAPTERS: &[Chapter] = &[
    Chapter {
        title: "A project",
        text: "A repository becomes a project with one command. It adds a folder .windlass and changes \
               nothing else.",
        steps: &[
            Step::new(&["git", "init", "-q", "-b", "main"]),
            Step::new(&["windlass", "init", "--no-import"]),
        ],
    },
    Chapter {
        title: "Tasks",
        text: "Everything has a number, and a task can wait for another one. You and your agents see the \
               same list.",
        steps: &[
            Step::new(&[
                "windlass",
                "add",
                "Write the greeting",
                "--priority",
                "high",
            ]),
            Step::new(&["windlass", "add", "Ship it", "--blocked-by", "1"]),
            Step::new(&["windlass"]),
        ],
    },
    Chapter {
        title: "The commands of the repository",
        text: "Windlass finds what the repository knows how to run, without running any of it. This one \
               has a script that tests the greeting.",
        steps: &[
            Step::new(&["cat", "test.sh"]),
            Step::new(&["windlass", "commands"]),
        ],
    },
    Chapter {
        title: "Nothing runs that you did not allow",
        text: "Agents run a command only after a person saw its text and allowed it, and only as long as \
               it stays the same. No agent can do this.",
        steps: &[Step::new(&["windlass", "allow", "test", "--yes"]).by(Who::Person)],
    },
    Chapter {
        title: "Gates",
        text: "A gate is a check that work has to pass before it counts as done. People decide which.",
        steps: &[Step::new(&["windlass", "gates", "add", "tests", "command:test"]).by(Who::Person)],
    },
    Chapter {
        title: "Work that is not good yet",
        text: "Start the task, and say too early that it is done. The gate says what is wrong; an agent \
               gets the same as data. Agents do this with the tools begin and done.",
        steps: &[
            Step::new(&["windlass", "start", "1"]),
            Step::new(&["windlass", "done", "1"])
                .by(Who::WithPerson)
                .ends(NOT_SUCCESSFUL),
            Step::new(&["windlass", "done", "1"]).by(Who::WithoutPerson),
        ],
    },
    Chapter {
        title: "Work that is good, and its review",
        text: "Now the work is done for real. The gate passes, and the review waits for a person.",
        steps: &[
            Step::new(&["cp", "draft.txt", "greeting.txt"]),
            Step::new(&["windlass", "done", "1"]).by(Who::WithPerson),
            Step::new(&["windlass", "reviews", "approve", "1"]).by(Who::WithPerson),
            Step::new(&["windlass"]),
        ],
    },
    Chapter {
        title: "What the project knows",
        text: "Decisions and notes are found again, by their words and, with a model, by their meaning.",
        steps: &[
            Step::new(&[
                "windlass",
                "add",
                "decision",
                "Greet in English",
                "--status",
                "accepted",
                "--content",
                "Everybody here reads it.",
            ]),
            Step::new(&["windlass", "search", "english"]),
        ],
    },
    Chapter {
        title: "Another clone",
        text: "The plan travels with the repository as small files that never conflict. windlass hook \
               install does this with every commit.",
        steps: &[
            Step::new(&["windlass", "sync"]),
            Step::new(&["git", "add", "."]),
            Step::new(&["git", "commit", "-q", "-m", "The greeting"]),
            Step::new(&["git", "clone", "-q", ".", "../clone"]),
            Step::new(&["windlass", "list"]).in_clone(),
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chapters_say_what_they_show() {
        for chapter in CHAPTERS {
            assert!(chapter.text.ends_with('.'), "{}", chapter.title);
            assert!(!chapter.steps.is_empty(), "{}", chapter.title);
            for step in chapter.steps {
                let known = ["windlass", "git", "cat", "cp"].contains(&step.words[0]);
                assert!(known, "{:?}", step.words);
            }
        }
    }

    #[test]
    fn what_only_a_person_may_do_is_marked() {
        let steps = || CHAPTERS.iter().flat_map(|chapter| chapter.steps);
        let guarded = [
            &["windlass", "allow"][..],
            &["windlass", "gates"],
            &["windlass", "reviews"],
        ];
        for words in guarded {
            let mut found = steps()
                .filter(|step| step.words.starts_with(words))
                .peekable();
            assert!(found.peek().is_some(), "{words:?}");
            assert!(found.all(|step| matches!(step.who, Who::Person | Who::WithPerson)));
        }
    }
}
