//! Starting a command in another folder than its own. Most runners look for their definitions in
//! the working folder, so there they would run something that was not allowed.

use std::path::Path;

use crate::command::{Command, Invocation};
use crate::formats::{depends_on_folder, starts_make};
use crate::pins::Extent;
use crate::runner::Runner;

use super::Refusal;

/// The invocation for another folder, possible only if it can name the same definition explicitly.
pub fn in_another_folder(
    command: &Command,
    mut invocation: Invocation,
    root: &Path,
) -> Result<Invocation, Refusal> {
    let absolute = |path: &str| root.join(path).to_string_lossy().into_owned();
    match command.runner {
        // Elsewhere it would read other files than those that were allowed.
        Runner::Shell if reads_from_its_folder(command) => Err(Refusal::new(
            format!(
                "'{}' sources files relative to the folder it is started in",
                command.unique_name
            ),
            own_folder(command),
        )),
        Runner::Shell => {
            let moved = |written: &str| {
                let path = Path::new(&command.invocation.cwd).join(written);
                absolute(&path.to_string_lossy())
            };
            // The script is the program, or the first word of the shell that runs it.
            if invocation.program.contains('/') {
                invocation.program = moved(&invocation.program);
            } else if let Some(first) = invocation.args.first_mut() {
                *first = moved(first);
            }
            Ok(invocation)
        }
        // The makefile by its path. Its own relative paths are then those of the other folder, so
        // nothing that it reads may be relative.
        Runner::Make if is_one_file(command) => {
            let named = std::mem::take(&mut invocation.unshown);
            let fixed = ["-f".to_owned(), absolute(&command.entry_file)];
            invocation.args.splice(named, fixed);
            Ok(invocation)
        }
        Runner::Make => Err(Refusal::new(
            format!(
                "the makefile of '{}' reads others, which make would look for there",
                command.unique_name
            ),
            own_folder(command),
        )),
        // Imports and modules of a justfile are found relative to it, not to the working folder.
        Runner::Just => {
            let file = absolute(&command.entry_file);
            let fixed = [
                "--justfile".to_owned(),
                file,
                "--working-directory".to_owned(),
                ".".to_owned(),
            ];
            // In place of the words that name it relative to its own folder.
            let named = std::mem::take(&mut invocation.unshown);
            invocation.args.splice(named, fixed);
            Ok(invocation)
        }
        runner => Err(Refusal::new(
            format!(
                "{runner} would look for another definition of '{}' there",
                command.name
            ),
            own_folder(command),
        )),
    }
}

fn reads_from_its_folder(command: &Command) -> bool {
    let mut files = command.pins.files.iter();
    files.any(|file| depends_on_folder(&file.text))
}

/// Whether the definition is all that decides: it includes no other file, and starts no make, which
/// would look for a makefile in the other folder.
fn is_one_file(command: &Command) -> bool {
    let mut files = command.pins.files.iter();
    command.pins.unreadable.is_empty()
        && files.all(|file| {
            file.extent == Extent::Absent
                || (file.path == command.entry_file && !starts_make(&file.text))
        })
}

fn own_folder(command: &Command) -> String {
    match command.invocation.cwd.as_str() {
        "" => "Omit cwd: the command runs in the root of the project".to_owned(),
        folder => format!("Omit cwd: the command runs in {folder}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(runner: Runner, program: &str, args: &[&str]) -> Result<String, Refusal> {
        let mut command = Command::new("sub/file", runner, "x", "text").with_program(program);
        command.invocation.args = args.iter().map(|it| (*it).to_owned()).collect();
        let invocation = command.invocation.clone();
        in_another_folder(&command, invocation, Path::new("/p")).map(|it| it.display())
    }

    #[test]
    fn only_commands_that_name_their_definition_can_change_folder() {
        assert_eq!(
            moved(Runner::Shell, "./x.sh", &[]).as_deref(),
            Ok("/p/sub/./x.sh")
        );
        assert_eq!(
            moved(Runner::Just, "just", &["x"]).as_deref(),
            Ok("just --justfile /p/sub/file --working-directory . x")
        );
        assert_eq!(
            moved(Runner::Shell, "sh", &["./x.sh"]).as_deref(),
            Ok("sh /p/sub/./x.sh")
        );
        assert_eq!(
            moved(Runner::Make, "make", &["x"]).as_deref(),
            Ok("make -f /p/sub/file x")
        );
        for (runner, program) in [(Runner::Npm, "npm"), (Runner::Task, "task")] {
            assert!(moved(runner, program, &["x"]).is_err(), "{runner}");
        }
    }
}
