//! The options that every command takes.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, ColorChoice, Command, ValueHint};
use windlass_core::{Error, Result};

const CWD: &str = "global-cwd";
const JSON: &str = "global-json";
const COLOR: &str = "global-color";
const NO_PAGER: &str = "global-no-pager";
const KEY: &str = "global-idempotency-key";

/// The global options, as given or by default.
#[derive(Debug, Clone)]
pub struct Global {
    /// The folder to work from: the project is searched from here, and file paths are relative to
    /// it.
    pub cwd: PathBuf,
    pub json: bool,
    pub color: ColorChoice,
    /// Whether long output may go through a pager.
    pub pager: bool,
    /// The key under which the result of a change is kept.
    pub idempotency_key: Option<String>,
}

impl Global {
    pub fn of(matches: &ArgMatches) -> Self {
        let cwd = matches.get_one::<PathBuf>(CWD);
        let cwd = cwd.map_or(Path::new("."), PathBuf::as_path);
        Self {
            // Made absolute here, once, so that no result depends on the working folder.
            cwd: std::path::absolute(cwd).unwrap_or_else(|_| cwd.to_owned()),
            json: matches.get_flag(JSON),
            color: matches
                .get_one::<String>(COLOR)
                .map_or(ColorChoice::Auto, |text| color_of(OsStr::new(text))),
            pager: !matches.get_flag(NO_PAGER),
            idempotency_key: matches.get_one::<String>(KEY).cloned(),
        }
    }

    /// JSON output without colours or pager, with a folder to work from.
    pub fn in_folder(cwd: PathBuf) -> Self {
        Self {
            cwd,
            json: true,
            color: ColorChoice::Never,
            pager: false,
            idempotency_key: None,
        }
    }

    /// A folder that does not exist is a usage error, not a missing project.
    pub fn check(&self) -> Result<()> {
        if self.cwd.is_dir() {
            return Ok(());
        }
        let message = format!("--cwd: {} is not a folder", self.cwd.display());
        Err(Error::invalid_params(message).with("field", "--cwd"))
    }

    /// Guesses the options before parsing, to report an error if parsing fails.
    pub fn guess(words: &[OsString]) -> Self {
        let mut global = Self {
            cwd: PathBuf::from("."),
            json: false,
            color: ColorChoice::Auto,
            pager: true,
            idempotency_key: None,
        };
        let mut words = words.iter().skip(1);
        while let Some(word) = words.next() {
            match word.to_str() {
                Some("--") => break,
                Some("--json") => global.json = true,
                Some("--no-pager") => global.pager = false,
                Some("--color") => {
                    global.color = words.next().map_or(global.color, |word| color_of(word));
                }
                Some(word) => {
                    if let Some(choice) = word.strip_prefix("--color=") {
                        global.color = color_of(OsStr::new(choice));
                    }
                }
                None => {}
            }
        }
        global
    }
}

fn color_of(text: &OsStr) -> ColorChoice {
    match text.to_str() {
        Some("always") => ColorChoice::Always,
        Some("never") => ColorChoice::Never,
        _ => ColorChoice::Auto,
    }
}

/// The first argument that is not an option or the value of one.
pub fn first_word(words: &[OsString]) -> Option<&OsString> {
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("-C" | "--cwd" | "--color" | "--idempotency-key") => drop(words.next()),
            Some(option) if option.starts_with('-') => {}
            _ => return Some(word),
        }
    }
    None
}

/// Adds the global options to the root command.
pub fn augment(command: Command) -> Command {
    let options = [
        Arg::new(CWD)
            .long("cwd")
            .short('C')
            .value_name("DIR")
            .value_parser(clap::value_parser!(PathBuf))
            .value_hint(ValueHint::DirPath)
            .help("Work as if started in DIR"),
        Arg::new(JSON)
            .long("json")
            .action(ArgAction::SetTrue)
            .help("Print JSON; errors go to standard error, as JSON too"),
        Arg::new(COLOR)
            .long("color")
            .value_name("WHEN")
            .value_parser(PossibleValuesParser::new(["auto", "always", "never"]))
            .default_value("auto")
            .hide_default_value(true)
            .hide_possible_values(true)
            .help("When to use colours: auto, always or never"),
        Arg::new(NO_PAGER)
            .long("no-pager")
            .action(ArgAction::SetTrue)
            .help("Print long output without a pager"),
        Arg::new(KEY)
            .long("idempotency-key")
            .value_name("KEY")
            .help("Make a change once, however often it is repeated"),
    ];
    command.args(options.map(|option| option.global(true).help_heading("Global options")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_to_complain_is_known_before_parsing() {
        let guess = |words: &[&str]| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            let global = Global::guess(&words);
            (global.json, global.color)
        };
        assert_eq!(guess(&["windlass", "lst"]), (false, ColorChoice::Auto));
        assert_eq!(
            guess(&["windlass", "lst", "--json", "--color", "never"]),
            (true, ColorChoice::Never)
        );
        assert_eq!(
            guess(&["windlass", "--color=always", "--", "--json"]),
            (false, ColorChoice::Always)
        );
    }
}
