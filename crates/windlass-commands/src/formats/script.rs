//! Shell scripts that can be started: they have the executable bit, or a shebang line.

use crate::paths;
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::pins;

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let mut found = Found::default();
    let executable = context.source.is_executable(context.path);
    if !executable && !text.starts_with("#!") {
        return found;
    }
    let file = paths::name_of(context.path);
    let here = format!("./{file}");
    let command = context
        .command(Runner::Shell, paths::stem_of(file), text)
        .described(first_comment(text));
    // Without the bit, the shell of the shebang line runs the file.
    let command = if executable {
        command.with_program(here)
    } else {
        command.with_program(shell(text)).with_args([&here])
    };
    found.push(command, &pins::script::pin(context));
    found
}

fn shell(text: &str) -> &'static str {
    let first = text.lines().next().unwrap_or_default();
    let names = ["bash", "zsh", "dash", "ksh"];
    let ends = |name: &&str| first.split([' ', '/']).any(|word| word == *name);
    names.into_iter().find(ends).unwrap_or("sh")
}

fn first_comment(text: &str) -> Option<String> {
    let mut lines = text.lines().map(str::trim).skip_while(|line| {
        line.is_empty() || line.starts_with("#!") || line.starts_with("# shellcheck")
    });
    let comment = lines.next()?.strip_prefix('#')?;
    let comment = comment.trim_start_matches('#').trim();
    (!comment.is_empty()).then(|| comment.to_owned())
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
    fn a_shebang_without_the_executable_bit() {
        let found = read_alone("run.sh", "#!/usr/bin/env bash\necho ünï\n");
        assert_eq!(rows(&found), ["run | bash ./run.sh | -"]);
    }

    #[test]
    fn a_library_is_not_a_command() {
        assert!(names(&read_alone("lib.sh", "# helpers\nf() { :; }\n")).is_empty());
        assert!(names(&read_alone("empty.sh", "")).is_empty());
    }
}
