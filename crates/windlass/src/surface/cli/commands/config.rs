//! `windlass config`: the settings of the project, what they mean and where they come from.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use serde::Serialize;
use serde_json::Value as Json;
use windlass_core::{Error, ErrorKind, Result};
use windlass_ops::{Column, Config, Render, SETTING_KEYS, SettingKey, Span, Style, View};
use windlass_store::Project;

use crate::surface::cli::caller::Caller;
use crate::surface::cli::own_command::OwnCommand;
use crate::surface::cli::{confirm, editor, output};

const KEY: &str = "key";
const VALUE: &str = "value";

pub const COMMANDS: &[OwnCommand] = &[
    OwnCommand::new(&["config", "list"], build_list, run_list)
        .examples(&[("All settings", &["config", "list"])]),
    OwnCommand::new(&["config", "get"], build_get, run_get)
        .examples(&[("One setting", &["config", "get", "commands.max_jobs"])]),
    OwnCommand::new(&["config", "set"], build_set, run_set).examples(&[
        ("A number", &["config", "set", "commands.max_jobs", "8"]),
        (
            "A list",
            &["config", "set", "mcp.toolsets", "knowledge,plan"],
        ),
        (
            "Back to the default",
            &["config", "set", "commands.max_jobs"],
        ),
    ]),
    OwnCommand::new(&["config", "edit"], build_edit, run_edit),
];

fn build_list(command: Command, _: &[OsString]) -> Command {
    command.about("List all settings, their values and where those come from")
}

fn build_get(command: Command, _: &[OsString]) -> Command {
    command
        .about("Show one setting: value, default, meaning")
        .arg(key())
}

fn build_set(command: Command, _: &[OsString]) -> Command {
    command
        .about("Set a setting in .windlass/config.toml")
        .long_about(
            "Set a setting in .windlass/config.toml; without a value, remove it. Comments and order of the file \
             stay. Settings that let agents do more count only after a person ran `windlass allow \
             .windlass/config.toml`.",
        )
        .arg(key())
        .arg(
            Arg::new(VALUE)
                .value_name("VALUE")
                .allow_hyphen_values(true)
                .help("The value; items of a list are separated by commas. The default if absent"),
        )
}

fn build_edit(command: Command, _: &[OsString]) -> Command {
    command.about("Edit .windlass/config.toml in your editor, checked before it is kept")
}

fn key() -> Arg {
    Arg::new(KEY)
        .value_name("KEY")
        .required(true)
        .help("The setting, for example commands.max_jobs")
}

/// The file and what is in it.
struct Settings {
    path: PathBuf,
    text: String,
    config: Config,
}

impl Settings {
    fn read(caller: &Caller) -> Result<Self> {
        let project = Project::find(&caller.global.cwd)?;
        let path = project.settings_root().join(Config::FILE);
        let text = text_of(&path)?;
        Ok(Self {
            config: Config::parse(Config::FILE, &text)?,
            path,
            text,
        })
    }

    fn row(&self, key: &'static SettingKey) -> Setting {
        Setting {
            key: key.name,
            value: key.value_in(&self.config),
            default: key.value_in(&Config::default()),
            source: if key.is_set_in(&self.text) {
                Config::FILE
            } else {
                "default"
            },
            kind: key.kind.name(),
            doc: key.doc,
            needs_permission: key.needs_permission,
        }
    }

    fn write(&self, text: &str) -> Result<()> {
        if self.path.is_symlink() {
            let message = format!("{} is a link", Config::FILE);
            return Err(Error::new(ErrorKind::StorageError, message)
                .with_hint("Replace it with a file: settings must be inside the project."));
        }
        std::fs::write(&self.path, text).map_err(|problem| {
            let message = format!("{}: {problem}", Config::FILE);
            Error::new(ErrorKind::StorageError, message)
        })
    }
}

/// The text of the file; empty if there is none.
fn text_of(path: &Path) -> Result<String> {
    match windlass_ops::read_text(path) {
        Ok(text) => Ok(text),
        Err(problem) if problem.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(problem) => {
            let message = format!("{}: {problem}", Config::FILE);
            Err(Error::new(ErrorKind::InvalidConfig, message))
        }
    }
}

/// One setting as it counts now.
#[derive(Serialize)]
struct Setting {
    key: &'static str,
    value: Json,
    default: Json,
    /// `default`, or the file that sets it.
    source: &'static str,
    #[serde(rename = "type")]
    kind: &'static str,
    doc: &'static str,
    needs_permission: bool,
}

fn shown(value: &Json) -> String {
    match value {
        Json::Null => "-".to_owned(),
        Json::String(text) => text.clone(),
        Json::Array(items) if items.is_empty() => "-".to_owned(),
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(shown).collect();
            items.join(", ")
        }
        other => other.to_string(),
    }
}

impl Render for Setting {
    fn view(&self) -> View {
        let fields = vec![
            (
                "value".to_owned(),
                Span::new(shown(&self.value), Style::Strong),
            ),
            ("from".to_owned(), Span::from(self.source)),
            ("default".to_owned(), Span::from(shown(&self.default))),
            ("type".to_owned(), Span::from(self.kind)),
            ("meaning".to_owned(), Span::from(self.doc)),
        ];
        let view = View::default()
            .line([Span::new(self.key, Style::Id)])
            .fields(fields);
        if self.needs_permission {
            return view.line([Span::new(PERMISSION, Style::Warning)]);
        }
        view
    }
}

const PERMISSION: &str = "It counts only after a person ran: windlass allow .windlass/config.toml";

/// All settings, and the variables of the environment that are set.
#[derive(Serialize)]
struct SettingList {
    settings: Vec<Setting>,
    environment: Vec<Variable>,
}

#[derive(Serialize)]
struct Variable {
    name: &'static str,
    value: String,
    doc: &'static str,
}

impl Render for SettingList {
    fn view(&self) -> View {
        let columns = vec![
            Column::new("KEY"),
            Column::new("VALUE").shrinking(),
            Column::new("FROM"),
            Column::new("MEANING").shrinking(),
        ];
        let settings = self.settings.iter().map(|setting| {
            let mark = if setting.needs_permission { "*" } else { "" };
            let from = if setting.source == "default" {
                Span::new("default", Style::Dim)
            } else {
                Span::new("config.toml", Style::Good)
            };
            vec![
                Span::new(format!("{}{mark}", setting.key), Style::Id),
                Span::from(shown(&setting.value)),
                from,
                Span::new(setting.doc, Style::Dim),
            ]
        });
        let variables = self.environment.iter().map(|variable| {
            vec![
                Span::new(variable.name, Style::Id),
                Span::from(variable.value.clone()),
                Span::new("environment", Style::Good),
                Span::new(variable.doc, Style::Dim),
            ]
        });
        View::default()
            .table(columns, settings.chain(variables).collect())
            .line([Span::new(format!("* {PERMISSION}"), Style::Dim)])
    }
}

fn run_list(_: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let settings = Settings::read(caller)?;
    let environment = caller
        .environment
        .own_variables()
        .into_iter()
        .map(|(name, value, doc)| Variable { name, value, doc });
    caller.answer(&SettingList {
        settings: SETTING_KEYS.iter().map(|key| settings.row(key)).collect(),
        environment: environment.collect(),
    })
}

fn run_get(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let key = SettingKey::find(&text(matches, KEY))?;
    caller.answer(&Settings::read(caller)?.row(key))
}

fn run_set(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let key = SettingKey::find(&text(matches, KEY))?;
    let settings = Settings::read(caller)?;
    let changed = match matches.get_one::<String>(VALUE) {
        Some(value) => key.set_in(&settings.text, value)?,
        None => key.unset_in(&settings.text)?,
    };
    settings.write(&changed)?;
    caller.answer(&Settings::read(caller)?.row(key))
}

/// A file that would be refused is never put in place.
fn run_edit(_: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let project = Project::find(&caller.global.cwd)?;
    let path = project.settings_root().join(Config::FILE);
    let before = text_of(&path)?;
    let file = editor::temporary("windlass-config-", &before)?;
    loop {
        editor::open(file.path(), &caller.environment)?;
        let after = std::fs::read_to_string(file.path()).unwrap_or_default();
        if after == before {
            output::note("Nothing changed.");
            return Ok(ExitCode::SUCCESS);
        }
        match Config::parse(Config::FILE, &after) {
            Ok(config) => {
                let settings = Settings {
                    path,
                    text: before,
                    config,
                };
                settings.write(&after)?;
                output::note("Saved.");
                return Ok(ExitCode::SUCCESS);
            }
            Err(error) => {
                caller.output.error("error", error.message(), error.hint());
                if !confirm::can_ask() || !confirm::ask("Edit it again? [y/N] ") {
                    let kept = file.into_temp_path().keep();
                    if let Ok(kept) = kept {
                        output::note(&format!("Your text is kept in {}", kept.display()));
                    }
                    return Ok(caller.declined());
                }
            }
        }
    }
}

fn text(matches: &ArgMatches, name: &str) -> String {
    matches.get_one::<String>(name).cloned().unwrap_or_default()
}
