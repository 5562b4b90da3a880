//! Environment variables of a caller. A variable can choose which program runs, in ways that nobody
//! can list (`GO ?= go`, `TAR_OPTIONS`, `PYTEST_ADDOPTS`); so a caller may set the few that cannot,
//! and those that a person allowed.

use crate::command::Command;
use crate::runner::Runner;

use super::Refusal;
use super::mentions::mentioning_file;
use super::variables::shape_of;

/// Checks whether a caller may set the variable to this value for this command. `allowed` are names
/// that a person allowed, matched exactly; those may have any value.
pub fn check_environment<S: AsRef<str>>(
    command: &Command,
    name: &str,
    value: &str,
    allowed: &[S],
) -> Result<(), Refusal> {
    check_name(name)?;
    if allowed.iter().any(|known| known.as_ref() == name) {
        return Ok(());
    }
    let Some(shape) = shape_of(name) else {
        return Err(Refusal::new(
            format!("the environment variable {name} may change which programs run"),
            allow_hint(name),
        ));
    };
    if !shape.fits(value) {
        return Err(Refusal::new(
            format!("the value of {name} must be {}", shape.description()),
            format!("Use such a value. {}", allow_hint(name)),
        ));
    }
    check_mention(command, name, value)
}

/// A name that every system takes as one variable.
fn check_name(name: &str) -> Result<(), Refusal> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if name.is_empty()
        || !name.chars().all(plain)
        || name.starts_with(|it: char| it.is_ascii_digit())
    {
        return Err(Refusal::new(
            format!("{name:?} is not a valid name of an environment variable"),
            "Use letters, digits and underscores",
        ));
    }
    Ok(())
}

/// A file that mentions the variable decides where its value goes.
fn check_mention(command: &Command, name: &str, value: &str) -> Result<(), Refusal> {
    let runner = command.runner;
    if !inserts_variables(runner) {
        let splits = value.is_empty() || value.starts_with('-') || value.contains(['*', '[']);
        return match mentioning_file(command, name) {
            Some(file) if splits => Err(Refusal::new(
                format!("{file} uses {name}, where the value {value:?} would not stay one word"),
                format!("Use a plain word. {}", allow_hint(name)),
            )),
            _ => Ok(()),
        };
    }
    if let Some(file) = mentioning_file(command, name) {
        return Err(Refusal::new(
            format!("{file} uses {name}, so {runner} would insert its value into what it runs"),
            allow_hint(name),
        ));
    }
    match command.pins.unreadable.first() {
        None => Ok(()),
        Some(why) => Err(Refusal::new(
            format!("whether {runner} would insert {name} into what it runs is unknown: {why}"),
            allow_hint(name),
        )),
    }
}

/// Runners that replace variables in a text before anything runs it, so that a value can become any
/// part of it.
const fn inserts_variables(runner: Runner) -> bool {
    matches!(
        runner,
        Runner::Make
            | Runner::Just
            | Runner::Task
            | Runner::Mise
            | Runner::Cmake
            | Runner::DockerCompose
            | Runner::Moon
            | Runner::Tox
    )
}

fn allow_hint(name: &str) -> String {
    format!(
        "A person can allow it: add \"{name}\" to allow_env under [commands] in .windlass/config.toml, then \
         `windlass allow .windlass/config.toml`"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(runner: Runner, text: &str, name: &str, value: &str, allowed: &[&str]) -> bool {
        let command = Command::new("file", runner, "x", text).sealed();
        check_environment(&command, name, value, allowed).is_ok()
    }

    #[test]
    fn runners_that_insert_variables_take_only_those_that_no_file_mentions() {
        for runner in [
            Runner::Make,
            Runner::Just,
            Runner::Task,
            Runner::Mise,
            Runner::Cmake,
            Runner::DockerCompose,
        ] {
            assert!(check(runner, "x:\n\techo", "PORT", "8000", &[]));
            assert!(!check(runner, "x:\n\techo $(PORT)", "PORT", "8000", &[]));
            let allowed = &["PORT"];
            assert!(check(runner, "x:\n\techo $(PORT)", "PORT", "$(x)", allowed));
        }
        for (text, name) in [
            ("GO ?= go\nx:\n\t$(GO) build", "GO"),
            ("x:\n\techo", "CC"),
            ("x:\n\techo", "MAKEFLAGS"),
        ] {
            assert!(!check(Runner::Make, text, name, "./evil", &[]), "{name}");
        }
    }

    #[test]
    fn a_value_that_a_script_mentions_stays_one_word() {
        for (value, fits) in [("app", true), ("", false), ("-x", false), ("a*", false)] {
            assert_eq!(
                check(Runner::Npm, "node . $DEBUG", "DEBUG", value, &[]),
                fits,
                "{value}"
            );
            assert!(check(Runner::Npm, "node .", "DEBUG", value, &[]), "{value}");
        }
    }

    #[test]
    fn what_cannot_be_read_may_mention_anything() {
        let mut command = Command::new("Makefile", Runner::Make, "x", "x:\n\techo").sealed();
        let none: &[&str] = &[];
        assert!(check_environment(&command, "CI", "1", none).is_ok());
        std::sync::Arc::make_mut(&mut command.pins)
            .unreadable
            .push("include of a computed name".to_owned());
        let refusal = check_environment(&command, "CI", "1", none).unwrap_err();
        assert!(refusal.reason.contains("computed name"), "{refusal}");
    }
}
