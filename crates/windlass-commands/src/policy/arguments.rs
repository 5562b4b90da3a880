//! Arguments of a caller, put where the runner hands them to the command and takes none of them for
//! an option, a variable or another command of its own.

use crate::command::{ArgumentStyle, Command, Invocation};
use crate::runner::Runner;

use super::Refusal;
use super::shell::shell_sign;

/// Longer lists, and longer words, are not passed on.
const MAX_ARGUMENTS: usize = 1_000;
const MAX_BYTES: usize = 128 * 1024;

/// The words to put behind the command's own, or why they are refused.
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
            "an argument holds a zero byte",
            "Take the zero byte out",
        )),
        None => Ok(()),
    }
}

/// Just takes words beyond a recipe's parameters for further recipes, and options anywhere.
fn positional(command: &Command, given: &[String], most: usize) -> Result<Vec<String>, Refusal> {
    if given.len() > most {
        return Err(Refusal::new(
            format!(
                "'{}' takes at most {most} arguments; {} would take the rest for names of other commands",
                command.unique_name, command.runner
            ),
            "Pass no more arguments than the command has parameters",
        ));
    }
    if let Some(option) = given.iter().find(|word| word.starts_with('-')) {
        return Err(Refusal::new(
            format!(
                "{} would take '{option}' for an option of its own",
                command.runner
            ),
            "Pass arguments that do not begin with a dash",
        ));
    }
    // A recipe names its parameters in text that a shell reads afterwards.
    if let Some((word, sign)) = given
        .iter()
        .find_map(|word| Some((word, shell_sign(word)?)))
    {
        return Err(Refusal::new(
            format!(
                "{} would put {word:?} into the text of a shell, where {sign:?} has a meaning",
                command.runner
            ),
            "Pass arguments without signs of the shell",
        ));
    }
    Ok(given.to_vec())
}

/// The whole of what is started: the command's own words and the checked ones of the caller.
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
