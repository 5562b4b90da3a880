//! Adds arguments of a caller where the runner passes them to the command and cannot interpret them
//! as an option, a variable or another command.

use crate::command::{ArgumentStyle, Command, Invocation};
use crate::runner::Runner;

use super::Refusal;
use super::shell::shell_sign;

/// Limits on the arguments of a caller.
const MAX_ARGUMENTS: usize = 1_000;
const MAX_BYTES: usize = 128 * 1024;

/// Returns the arguments to append to the invocation, or why they are rejected.
pub fn check_arguments(command: &Command, given: &[String]) -> Result<Vec<String>, Refusal> {
    if given.is_empty() {
        return Ok(Vec::new());
    }
    check_shape(given)?;
    match command.arguments {
        ArgumentStyle::Refused(reason) => Err(Refusal::new(
            format!("'{}' takes no arguments: {reason}", command.unique_name),
            "Start it without arguments, or ask a human for a command that takes them",
        )),
        ArgumentStyle::AfterDashes => {
            let dashes = std::iter::once("--".to_owned());
            Ok(dashes.chain(given.iter().cloned()).collect())
        }
        ArgumentStyle::Appended => Ok(given.to_vec()),
        ArgumentStyle::Positional(most) => positional(command, given, most),
    }
}

fn check_shape(given: &[String]) -> Result<(), Refusal> {
    let bytes: usize = given.iter().map(String::len).sum();
    if given.len() > MAX_ARGUMENTS || bytes > MAX_BYTES {
        return Err(Refusal::new(
            format!("more than {MAX_ARGUMENTS} arguments or {MAX_BYTES} bytes"),
            "Put long input into a file and pass its path",
        ));
    }
    match given.iter().find(|word| word.contains('\0')) {
        Some(_) => Err(Refusal::new(
            "an argument contains a NUL byte",
            "Remove the NUL byte",
        )),
        None => Ok(()),
    }
}

/// Just interprets words beyond a recipe's parameters as further recipes, and options anywhere.
fn positional(command: &Command, given: &[String], most: usize) -> Result<Vec<String>, Refusal> {
    if given.len() > most {
        return Err(Refusal::new(
            format!(
                "'{}' takes at most {most} arguments; {} would interpret the rest as names of other commands",
                command.unique_name, command.runner
            ),
            "Pass no more arguments than the command has parameters",
        ));
    }
    if let Some(option) = given.iter().find(|word| word.starts_with('-')) {
        return Err(Refusal::new(
            format!("{} would interpret '{option}' as an option", command.runner),
            "Pass arguments that do not begin with a dash",
        ));
    }
    // A recipe inserts its parameters into text that a shell then runs.
    if let Some((word, sign)) = given
        .iter()
        .find_map(|word| Some((word, shell_sign(word)?)))
    {
        return Err(Refusal::new(
            format!(
                "{} would insert {word:?} into a shell script, where {sign:?} is a special character",
                command.runner
            ),
            "Pass arguments without special characters of the shell",
        ));
    }
    Ok(given.to_vec())
}

/// The full invocation: the command's own words and the checked arguments of the caller.
pub fn full_invocation(command: &Command, given: &[String]) -> Result<Invocation, Refusal> {
    if command.runner == Runner::Travis {
        return Err(Refusal::new(
            format!("'{}' cannot be run here", command.unique_name),
            Runner::Travis.install_hint(),
        ));
    }
    let mut invocation = command.invocation.clone();
    invocation.args.extend(check_arguments(command, given)?);
    Ok(invocation)
}
