//! Starting a command in another folder than its own. Most runners look for their definitions in
//! the working folder, so there they would run something that was not allowed.

use std::path::Path;

use crate::command::{Command, Invocation};
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
        Runner::Shell if invocation.program.contains('/') => {
            let program = Path::new(&command.invocation.cwd).join(&invocation.program);
            invocation.program = absolute(&program.to_string_lossy());
            Ok(invocation)
        }
        Runner::Shell => Err(Refusal::new(
            format!(
                "'{}' can only be started from its own folder",
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
        for (runner, program) in [
            (Runner::Make, "make"),
            (Runner::Npm, "npm"),
            (Runner::Shell, "sh"),
        ] {
            assert!(moved(runner, program, &["x"]).is_err(), "{runner}");
        }
    }
}
