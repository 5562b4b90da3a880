//! Scripts that can be started: shell scripts with the executable bit or a shebang line, and
//! executable files of any language that have one.

use crate::command::Kind;
use crate::paths;
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::{pins, script_folder};

/// How many lines are looked at for a description.
const MAX_HEADER: usize = 60;

/// How comments for tools begin.
const TOOLS: &[&str] = &[
    "shellcheck",
    "vim:",
    "vi:",
    "ex:",
    "coding:",
    "coding=",
    "encoding:",
    "pylint:",
    "flake8:",
    "ruff:",
    "mypy:",
    "type:",
    "frozen_string_literal:",
    "typed:",
    "rubocop:",
    "yamllint",
];

/// How paragraphs about rights begin.
const LICENCES: &[&str] = &[
    "copyright",
    "(c) ",
    "©",
    "spdx-",
    "licensed ",
    "license:",
    "licence:",
    "permission is hereby",
    "this file is part of",
    "this program is free software",
    "all rights reserved",
    "redistribution and use",
    "unless required by",
    "you may obtain",
    "http://www.apache.org",
    "distributed under the",
    "author:",
    "authors:",
];

/// Files that start other formats' runners, which use them.
pub const WRAPPERS: &[&str] = &["gradlew", "mvnw"];

const SHELLS: &[&str] = &["bash", "zsh", "dash", "ksh", "sh"];

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let mut found = Found::default();
    let executable = context.source.is_executable(context.path);
    let shebang = text.starts_with("#!");
    let shell = paths::ending_of(context.path) == "sh";
    if !(executable && shebang) && !(shell && (executable || shebang)) {
        return found;
    }
    let file = paths::name_of(context.path);
    let cwd = script_folder::expected(text, context.folder(), context.source);
    let here = if cwd == context.folder() {
        format!("./{file}")
    } else {
        format!("./{}", context.path)
    };
    let name = if shell { paths::stem_of(file) } else { file };
    let command = context
        .command(Runner::Shell, name, text)
        .run_in(&cwd)
        .described(first_comment(text))
        .of_kind(Kind::Script);
    // Without the bit, the shell of the shebang line runs the file; without that line, the system
    // does not know what would.
    let command = if executable && shebang {
        command.with_program(here)
    } else {
        command.with_program(shell_of(text)).with_args([&here])
    };
    found.push(command, &pins::script::pin(context, &cwd));
    found
}

/// An executable that says by what it is run and is no text otherwise, such as an archive of PHP. It
/// is pinned by its hash.
pub fn read_archive(context: &FileContext<'_>) -> Found {
    let mut found = Found::default();
    if context.source.is_executable(context.path) && paths::ending_of(context.path).is_empty() {
        let file = paths::name_of(context.path);
        let command = context
            .command(Runner::Shell, file, "")
            .with_program(format!("./{file}"))
            .of_kind(Kind::Script);
        found.push(command, &pins::script::pin_archive(context));
    }
    found
}

/// The shell that a script names; `sh` without one.
fn shell_of(text: &str) -> &'static str {
    named_shell(text).unwrap_or("sh")
}

fn named_shell(text: &str) -> Option<&'static str> {
    let first = text.lines().next().unwrap_or_default();
    let ends = |name: &&&str| first.split([' ', '/']).any(|word| word == **name);
    SHELLS.iter().find(ends).copied()
}

/// Whether a shell runs the script, and not the program of another language.
pub fn is_shell(path: &str, text: &str) -> bool {
    paths::ending_of(path) == "sh" || named_shell(text).is_some() || !text.starts_with("#!")
}

/// The first comment that is about the script: not for an editor, a checker or a packager, and not the
/// paragraphs of a licence.
fn first_comment(text: &str) -> Option<String> {
    let mut metadata = false;
    let mut licence = false;
    for line in text.lines().map(str::trim).take(MAX_HEADER) {
        let comment = match line.strip_prefix('#') {
            _ if line.starts_with("#!") => continue,
            Some(comment) => comment.trim_matches(['#', ' ', '\t', '-', '=']),
            None if line.is_empty() => "",
            None => return None,
        };
        // `# /// script` up to `# ///`: what uv and its kin read.
        if line.starts_with("# ///") {
            metadata = !metadata;
            continue;
        }
        let lower = comment.to_ascii_lowercase();
        licence = !comment.is_empty()
            && (licence || LICENCES.iter().any(|start| lower.starts_with(start)));
        let for_tools = line.contains("-*-") || TOOLS.iter().any(|start| lower.starts_with(start));
        if !(comment.is_empty() || metadata || licence || for_tools) {
            return Some(line.trim_start_matches('#').trim().to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::testing::{names, read, read_alone, rows};
    use crate::source::MemorySource;

    #[test]
    fn an_executable_script() {
        let source = MemorySource::default().with_executable(
            "scripts/deploy.sh",
            "#!/bin/sh\r\n\r\n# Send it to the servers.\r\nset -e\r\n",
        );
        let found = read(&source, "scripts/deploy.sh");
        assert_eq!(
            rows(&found),
            ["deploy | ./deploy.sh | Send it to the servers."]
        );
        assert_eq!(found.commands[0].full_name(), "scripts/deploy");
        assert_eq!(found.commands[0].invocation.cwd, "scripts");
    }

    #[test]
    fn descriptions_are_about_the_script() {
        for (header, expected) in [
            (
                "# -*- mode: python -*-\n# Bump the version\n",
                Some("Bump the version"),
            ),
            ("# vim: set ft=sh :\n\n# Start it\n", Some("Start it")),
            (
                "# /// script\n# dependencies = [\"x\"]\n# ///\n# Make a table\n",
                Some("Make a table"),
            ),
            (
                "# Copyright 2020 Someone\n# and others\n#\n# Send it\n",
                Some("Send it"),
            ),
            ("# SPDX-License-Identifier: MIT\n\nset -e\n# late\n", None),
            ("#\n# ------\n# Check all\n", Some("Check all")),
            ("# shellcheck disable=SC2034\n# Release\n", Some("Release")),
        ] {
            let text = format!("#!/bin/sh\n{header}");
            assert_eq!(super::first_comment(&text).as_deref(), expected, "{header}");
        }
    }

    #[test]
    fn a_script_that_names_files_of_the_root_is_started_there() {
        let source = MemorySource::default()
            .with("VERSION.txt", "1")
            .with_executable("scripts/version.sh", "#!/bin/sh\ncat VERSION.txt\n");
        let found = read(&source, "scripts/version.sh");
        assert_eq!(rows(&found), ["version | ./scripts/version.sh | -"]);
        assert_eq!(found.commands[0].full_name(), "scripts/version");
        assert_eq!(found.commands[0].invocation.cwd, "");
    }

    #[test]
    fn a_shebang_without_the_executable_bit() {
        let found = read_alone("run.sh", "#!/usr/bin/env bash\necho ünï\n");
        assert_eq!(rows(&found), ["run | bash ./run.sh | -"]);
    }

    #[test]
    fn the_executable_bit_without_a_shebang() {
        let source = MemorySource::default().with_executable("run.sh", "echo x\n");
        assert_eq!(rows(&read(&source, "run.sh")), ["run | sh ./run.sh | -"]);
    }

    #[test]
    fn a_program_without_an_extension() {
        let source = MemorySource::default()
            .with_executable(
                "bin/setup",
                "#!/usr/bin/env ruby\n# Prepare it\nsource 'x'\n",
            )
            .with("bin/notes", "#!/bin/sh\n")
            .with_executable("bin/data", "x\n");
        let found = read(&source, "bin/setup");
        assert_eq!(rows(&found), ["setup | ./setup | Prepare it"]);
        assert!(found.commands[0].pins.unreadable.is_empty());
        assert!(names(&read(&source, "bin/notes")).is_empty());
        assert!(names(&read(&source, "bin/data")).is_empty());
    }

    #[test]
    fn a_library_is_not_a_command() {
        assert!(names(&read_alone("lib.sh", "# helpers\nf() { :; }\n")).is_empty());
        assert!(names(&read_alone("empty.sh", "")).is_empty());
    }
}
