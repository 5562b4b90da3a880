//! How to work in a project that uses Windlass, in the words that an agent reads. `windlass prime`
//! prints them, and `windlass setup` puts them into the files that clients read by themselves, so
//! that there is one text for all of them.

/// What the agent that reads the text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// The MCP server is connected: tools only.
    WithTools,
    /// It may have the MCP server, or only a shell.
    WithToolsOrShell,
}

const WITH_TOOLS: &str = "\
- First call the tool `begin`: it claims the next ready task, or the one that you name with `id`, and returns everything that helps. `begin` with `peek: true` looks without claiming.
- Run the project's commands through Windlass. Only those that a person allowed run.
- End with `done` and a summary: gates and reviews decide, not you. If a gate fails, fix it and call `done` again. `partial` and `stuck` give the task back.
- `ask` when a person must decide. Record with `learned` what the next agent should know.
";

const WITH_SHELL: &str = "\
Without them, use the command line (`--json` on any command):

- `windlass next` shows the task to do next, `windlass show N` everything about it.
- `windlass start N` claims it; the commit is recorded for the review.
- `windlass commands` lists what the repository can run, `windlass run NAME` runs it.
- `windlass done N` finishes it: where gates apply, they run and the work goes into review.
- `windlass questions ask N` asks a person, `windlass learnings add N` records a learning.
- `windlass search WORDS` finds decisions and notes, `windlass add` adds tasks.
";

/// The rules, as a Markdown list.
pub fn rules(reader: Reader) -> String {
    match reader {
        Reader::WithTools => WITH_TOOLS.to_owned(),
        Reader::WithToolsOrShell => {
            format!("With the MCP tools of Windlass:\n\n{WITH_TOOLS}\n{WITH_SHELL}")
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;
    use windlass_ops::OPERATIONS;

    use super::*;
    use crate::surface::cli::tree;

    #[test]
    fn every_command_that_is_named_exists() {
        let texts = WITH_SHELL
            .split('`')
            .filter(|text| text.starts_with("windlass "));
        for text in texts {
            let words: Vec<_> = text
                .split(' ')
                .map(|word| if word == "N" { "1" } else { word })
                .map(Into::into)
                .collect();
            if let Err(problem) = tree::parse(OPERATIONS, &words) {
                let unknown = [ErrorKind::InvalidSubcommand, ErrorKind::UnknownArgument];
                assert!(!unknown.contains(&problem.kind()), "{text}: {problem}");
            }
        }
    }
}
