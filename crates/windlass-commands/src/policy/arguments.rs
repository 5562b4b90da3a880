//! Adds arguments of a caller where the runner passes them to the command and cannot interpret them
//! as an option, a variable or another command.

use crate::command::{ArgumentStyle, Command, Invocation};
use crate::glob;
use crate::runner::Runner;

use super::Refusal;
use super::mentions::any_file_contains;
use super::shell::{expansion_sign, insertion_sign};

/// Limits on the arguments of a caller.
const MAX_ARGUMENTS: usize = 1_000;
const MAX_BYTES: usize = 128 * 1024;

/// Returns the arguments to append to the invocation, or why they are rejected.
pub fn check_arguments(command: &Command, given: &[String]) -> Result<Vec<String>, Refusal> {
    if given.is_empty() {
        return Ok(Vec::new());
    }
    check_shape(given)?;
    if let ArgumentStyle::Refused(reason) = command.arguments {
        return Err(Refusal::new(
            format!("'{}' takes no arguments: {reason}", command.unique_name),
            "Start it without arguments, or ask a human for a command that takes them",
        ));
    }
    if command.arguments == ArgumentStyle::Filled {
        return Ok(Vec::new());
    }
    if let ArgumentStyle::Positional(most) = command.arguments {
        check_positional(command, given, most)?;
    }
    check_for_options(command.runner, given)?;
    if inserts_arguments(command) {
        check_signs(
            command.runner,
            "insert",
            given,
            insertion_sign,
            "Pass arguments without spaces and special characters of the shell",
        )?;
    }
    // Turbo starts the scripts of any package manager.
    if matches!(command.runner, Runner::Pnpm | Runner::Turbo) {
        check_signs(
            command.runner,
            "put",
            given,
            expansion_sign,
            "Pass arguments without variables and commands of the shell",
        )?;
    }
    let dashes = needs_dashes(command).then(|| "--".to_owned());
    Ok(dashes.into_iter().chain(given.iter().cloned()).collect())
}

/// Whether the runner needs to be told where its own options end. Poetry takes options among the
/// words for its own if a `--` comes after them.
fn needs_dashes(command: &Command) -> bool {
    command.arguments == ArgumentStyle::AfterDashes || command.runner == Runner::Poetry
}

/// Refuses words that the runner takes for itself wherever they are. Version 1 of yarn looks for
/// `--use-yarnrc` among all words and starts the program that the file names; and it takes every
/// option before a `--` for its own.
fn check_for_options(runner: Runner, given: &[String]) -> Result<(), Refusal> {
    const YARN: &[&str] = &["--", "--use-yarnrc", "--no-default-rc"];
    let taken: &[&str] = match runner {
        Runner::Yarn | Runner::Turbo => YARN,
        _ => &[],
    };
    let found = given.iter().find(|word| taken.contains(&word.as_str()));
    found.map_or(Ok(()), |word| {
        Err(Refusal::new(
            format!("{runner} would interpret '{word}' itself"),
            format!("Leave out '{word}'"),
        ))
    })
}

/// Whether words become part of a script that the files of the command write: `{{name}}`,
/// `{{.CLI_ARGS}}`, `{args}`. The runner may quote them, but not for quotes that surround them
/// there.
fn inserts_arguments(command: &Command) -> bool {
    let marks: &[&str] = match command.runner {
        Runner::Just | Runner::Moon | Runner::Nx | Runner::Pixi => return true,
        Runner::Tox => &["posargs"],
        Runner::Task => &["CLI_ARGS"],
        Runner::Pdm | Runner::Hatch => &["{args"],
        Runner::Poe => &["args"],
        Runner::Mise => &["arg(", "option(", "flag(", "usage"],
        _ => return false,
    };
    let unknown = !command.pins.unreadable.is_empty();
    unknown || marks.iter().any(|mark| any_file_contains(command, mark))
}

/// Refuses words that contain a sign which the runner does not take for itself only.
fn check_signs(
    runner: Runner,
    act: &str,
    given: &[String],
    sign: fn(&str) -> Option<char>,
    hint: &str,
) -> Result<(), Refusal> {
    let found = given.iter().find_map(|word| Some((word, sign(word)?)));
    found.map_or(Ok(()), |(word, sign)| {
        Err(Refusal::new(
            format!(
                "{runner} would {act} {word:?} into a shell script, where {sign:?} is a special character"
            ),
            hint,
        ))
    })
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
fn check_positional(command: &Command, given: &[String], most: usize) -> Result<(), Refusal> {
    if given.len() > most {
        return Err(Refusal::new(
            format!(
                "'{}' takes at most {most} arguments; {} would interpret the rest as names of other commands",
                command.unique_name, command.runner
            ),
            "Pass no more arguments than the command has parameters",
        ));
    }
    match given.iter().find(|word| word.starts_with('-')) {
        None => Ok(()),
        Some(option) => Err(Refusal::new(
            format!("{} would interpret '{option}' as an option", command.runner),
            "Pass arguments that do not begin with a dash",
        )),
    }
}

/// The invocation of a name with stars in it: one plain word of the caller in the place of each.
fn filled(command: &Command, given: &[String]) -> Result<Invocation, Refusal> {
    let stars = command.name.matches('*').count();
    let plain = |it: char| it.is_ascii_alphanumeric() || "-_.".contains(it);
    let is_plain = |word: &String| {
        !word.is_empty() && !word.starts_with(['-', '.']) && word.chars().all(plain)
    };
    if given.len() != stars || !given.iter().all(is_plain) {
        return Err(Refusal::new(
            format!(
                "'{}' needs {stars} plain word{} as arguments, one for each `*` of its name",
                command.unique_name,
                if stars == 1 { "" } else { "s" }
            ),
            "Pass words of letters, digits, dots, dashes and underscores",
        ));
    }
    let mut words = given.iter();
    let parts: Vec<&str> = command.name.split('*').collect();
    let name: String = parts
        .iter()
        .enumerate()
        .map(|(at, part)| match at {
            0 => (*part).to_owned(),
            _ => format!("{}{part}", words.next().map_or("", String::as_str)),
        })
        .collect();
    // The runner prefers a command of exactly that name, which is another one.
    let other = command
        .other_names
        .iter()
        .find(|it| glob::matches(it, &name));
    if let Some(other) = other {
        return Err(Refusal::new(
            format!("{} would start '{other}' for '{name}'", command.runner),
            format!("Start '{other}' instead"),
        ));
    }
    let mut invocation = command.invocation.clone();
    for word in invocation.args.iter_mut().filter(|it| **it == command.name) {
        word.clone_from(&name);
    }
    Ok(invocation)
}

/// The full invocation: the command's own words and the checked arguments of the caller.
pub fn full_invocation(command: &Command, given: &[String]) -> Result<Invocation, Refusal> {
    if command.runner == Runner::Travis {
        return Err(Refusal::new(
            format!("'{}' cannot be run here", command.unique_name),
            Runner::Travis.install_hint(),
        ));
    }
    if let Some(reason) = &command.unavailable {
        return Err(Refusal::new(
            format!("'{}' cannot be run here: {reason}", command.unique_name),
            "Ask a human to run it where it can be run",
        ));
    }
    if command.arguments == ArgumentStyle::Filled {
        check_shape(given)?;
        return filled(command, given);
    }
    let mut invocation = command.invocation.clone();
    invocation.args.extend(check_arguments(command, given)?);
    Ok(invocation)
}
