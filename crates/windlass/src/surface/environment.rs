//! The environment variables that Windlass reads, all of them, in one place.
//!
//! Only this module may read the environment; everything else receives the values as arguments, so
//! that no other code depends on hidden state.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use windlass_core::{Error, ErrorKind, Result};
use windlass_ops::{
    EnvironmentLookup, Machine, PRIVATE, Settings, StorageVariables, TelemetryVariables,
    WorkerCommand,
};
use windlass_process::ShimCommand;

use crate::{SHIM, WORKER};

use super::http::Token;
use super::log_files::{self, LogSettings};
use super::os;
use super::redact::{Redactor, is_secret_name};
use super::search_path::SafeSearchPath;

const MAX_BATCH_SIZE: &str = "WINDLASS_MAX_BATCH_SIZE";
const REQUEST_TIMEOUT_MS: &str = "WINDLASS_REQUEST_TIMEOUT_MS";
const LOG_LEVEL: &str = "WINDLASS_LOG_LEVEL";
const SESSION: &str = "WINDLASS_SESSION";
const CORRELATION_ID: &str = "WINDLASS_CORRELATION_ID";
const HTTP_TOKEN: &str = "WINDLASS_HTTP_TOKEN";
const RUST_LOG: &str = "RUST_LOG";
/// Turns the export of spans on or off, whatever the settings say.
const OTLP: &str = "WINDLASS_OTLP";
const OTLP_ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
const OTLP_TRACES_ENDPOINT: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
const OTLP_HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";
const OTLP_TRACES_HEADERS: &str = "OTEL_EXPORTER_OTLP_TRACES_HEADERS";
const PAGER: &str = "PAGER";
const LESS: &str = "LESS";
const VISUAL: &str = "VISUAL";
const EDITOR: &str = "EDITOR";
const COMPLETE: &str = "COMPLETE";

const CODEX_HOME: &str = "CODEX_HOME";
const CLAUDE_CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";

const SEARCH_PATH: &str = "PATH";
/// Set by git for its hooks: the index that the commit is made of.
const GIT_INDEX_FILE: &str = "GIT_INDEX_FILE";

const ALLOWLIST: &str = "allowlist.toml";

/// What the names of variables begin with that clients of object storage read.
const STORAGE_PREFIXES: &[&str] = &["AWS_", "GOOGLE_", "AZURE_"];

/// The list of the whole machine. No variable and no option names another one: whoever starts this
/// program could point it at a list of their own.
const SYSTEM_ALLOWLIST: &str = "/etc/windlass/allowlist.toml";

const LOG_LEVELS: &[&str] = &["trace", "debug", "info", "warn", "error", "off"];

/// Every variable with its default and its meaning, for the reference.
pub const VARIABLES: &[(&str, &str, &str)] = &[
    (
        MAX_BATCH_SIZE,
        "100",
        "The most operations that one batch may hold.",
    ),
    (
        REQUEST_TIMEOUT_MS,
        "30000",
        "The time limit of one call, in milliseconds.",
    ),
    (
        SESSION,
        "`cli:` and the user's name; fresh for each `windlass mcp`",
        "The session name that claims and events carry; set for agents, so a process that has it is not taken for a person's.",
    ),
    (
        CORRELATION_ID,
        "none",
        "Ties the events of one script or request together.",
    ),
    (
        HTTP_TOKEN,
        "none",
        "The token that clients of `windlass serve` must send; required if others can reach it.",
    ),
    (
        LOG_LEVEL,
        "info",
        "How much `windlass mcp` and `windlass serve` log to standard error and to the log files (`windlass logs`): trace, debug, info, warn, error or off.",
    ),
    (
        RUST_LOG,
        "none",
        "Log directives by module; overrides the level above.",
    ),
    (
        OTLP,
        "what the setting `telemetry.otlp` says",
        "1: servers send spans to the collector of the next variables instead; 0: nothing is sent, whatever the settings say.",
    ),
    (
        OTLP_ENDPOINT,
        "`http://localhost:4318`",
        "The address of a collector that takes OTLP over HTTP; `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` is the whole address for spans. Counts only with `WINDLASS_OTLP=1`.",
    ),
    (
        OTLP_HEADERS,
        "none",
        "Headers for that collector, as `name=value,name=value`; `OTEL_EXPORTER_OTLP_TRACES_HEADERS` counts before it. Counts only with `WINDLASS_OTLP=1`.",
    ),
    (
        "XDG_CONFIG_HOME",
        "`~/.config`",
        "The folder that holds `windlass/allowlist.toml`, what you allowed agents to run.",
    ),
    (
        "XDG_STATE_HOME",
        "`~/.local/state`",
        "The folder that holds `windlass/`: which states of projects are yours, where `windlass dashboard` and a running server find each other, and the log files.",
    ),
    (
        "XDG_DATA_HOME",
        "`~/.local/share`",
        "The folder that holds `windlass/models/`, what `windlass models install` installs.",
    ),
    (
        CODEX_HOME,
        "`~/.codex`",
        "Where Codex keeps its settings, for `windlass setup` and `windlass doctor`.",
    ),
    (
        CLAUDE_CONFIG_DIR,
        "`~`",
        "Where Claude Code keeps its `.claude.json`, for `windlass setup` and `windlass doctor`.",
    ),
    (
        PAGER,
        "`less -FRX`",
        "The pager for output longer than the terminal; `cat` or an empty value turns it off.",
    ),
    (
        VISUAL,
        "`EDITOR`, else `vi`",
        "The editor of `windlass edit` and `windlass config edit`.",
    ),
    (
        COMPLETE,
        "none",
        "Set by the script of `windlass completions`: the shell that asks for completions.",
    ),
    ("NO_COLOR", "none", "Any value turns colours off."),
    (
        "CLICOLOR_FORCE",
        "none",
        "Any value but 0 turns colours on, even without a terminal.",
    ),
];

/// Where programs keep the settings of this user.
#[derive(Debug, Clone)]
pub struct UserFolders {
    pub home: PathBuf,
    /// `~/.config`, or the folder that replaces it.
    pub config: PathBuf,
    /// `~/.local/state`, or the folder that replaces it.
    pub state: PathBuf,
    /// `~/.local/share`, or the folder that replaces it.
    pub data: PathBuf,
    /// Where programs with windows keep their settings: another folder on macOS, else `config`.
    pub applications: PathBuf,
    pub codex: PathBuf,
    /// The folder of `.claude.json`.
    pub claude: PathBuf,
    /// For files that live as long as the processes that write them.
    pub runtime: PathBuf,
}

type Read = dyn Fn(&str) -> Option<OsString>;

/// Where variables come from: the process, or a table in tests.
pub struct Environment {
    read: Box<Read>,
    /// The names of all variables that have a value.
    names: Vec<String>,
    /// The search path, if folders of it do not count.
    search_path: Option<SafeSearchPath>,
}

impl Environment {
    #[expect(
        clippy::disallowed_methods,
        reason = "only this module reads the environment"
    )]
    pub fn of_process() -> Self {
        let names = std::env::vars_os()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, _)| name.to_string_lossy().into_owned());
        Self {
            read: Box::new(|name| std::env::var_os(name)),
            names: names.collect(),
            search_path: None,
        }
    }

    /// An environment in which nothing is set.
    #[cfg(test)]
    pub fn empty() -> Self {
        Self {
            read: Box::new(|_| None),
            names: Vec::new(),
            search_path: None,
        }
    }

    /// The names of all variables that have a value.
    pub fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    /// Takes the folders of these projects and relative ones out of the search path, for this process
    /// and everything that it starts. To be called while it has one thread.
    #[expect(
        unsafe_code,
        clippy::disallowed_methods,
        reason = "every program that is started, by whatever part, is looked for in the search path of the process"
    )]
    pub fn protect_search_path(&mut self, projects: &[PathBuf]) {
        let Some(given) = (self.read)(SEARCH_PATH) else {
            return;
        };
        let safe = SafeSearchPath::new(&given, projects);
        if safe.dropped.is_empty() {
            return;
        }
        // SAFETY: no other thread exists that could read the environment meanwhile.
        unsafe { std::env::set_var(SEARCH_PATH, &safe.kept) };
        self.search_path = Some(safe);
    }

    /// The search path as the user has it, if folders of it do not count here.
    pub fn shortened_search_path(&self) -> Option<&SafeSearchPath> {
        self.search_path.as_ref()
    }

    /// The limits that a person set, or their defaults.
    pub fn settings(&self) -> Result<Settings> {
        let default = Settings::default();
        let max_batch_size = match self.positive(MAX_BATCH_SIZE)? {
            Some(number) => usize::try_from(number).unwrap_or(usize::MAX),
            None => default.max_batch_size,
        };
        let request_timeout = self
            .positive(REQUEST_TIMEOUT_MS)?
            .map_or(default.request_timeout, Duration::from_millis);
        Ok(Settings {
            max_batch_size,
            request_timeout,
        })
    }

    /// Where programs keep the settings of this user.
    pub fn folders(&self) -> UserFolders {
        let home = std::env::home_dir().unwrap_or_else(|| PathBuf::from("/"));
        let set = |name: &str| {
            let folder = (self.read)(name).map(PathBuf::from);
            folder.filter(|folder| folder.is_absolute())
        };
        let config = set("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
        let runtime = set("XDG_RUNTIME_DIR").or_else(|| set("XDG_STATE_HOME"));
        UserFolders {
            runtime: runtime.unwrap_or_else(|| home.join(".local/state")),
            applications: os::application_settings(&home).unwrap_or_else(|| config.clone()),
            state: set("XDG_STATE_HOME").unwrap_or_else(|| home.join(".local/state")),
            data: set("XDG_DATA_HOME").unwrap_or_else(|| home.join(".local/share")),
            codex: set(CODEX_HOME).unwrap_or_else(|| home.join(".codex")),
            claude: set(CLAUDE_CONFIG_DIR).unwrap_or_else(|| home.clone()),
            config,
            home,
        }
    }

    /// What the job host needs to know about the machine and its user. `cwd` is the working folder.
    pub fn machine(&self, cwd: &Path) -> Machine {
        let UserFolders {
            home,
            config,
            state,
            data,
            ..
        } = self.folders();
        let dela = [
            config.join("dela"),
            home.join(".config/dela"),
            home.join(".dela"),
        ];
        let mut others: Vec<PathBuf> = dela.map(|folder| folder.join(ALLOWLIST)).into();
        others.dedup();
        Machine {
            allowlist: config.join("windlass").join(ALLOWLIST),
            other_allowlists: others,
            bindings: state.join("windlass"),
            models: data.join("windlass").join("models"),
            system_allowlist: Some(PathBuf::from(SYSTEM_ALLOWLIST)),
            shim: ShimCommand {
                program: this_program(),
                args: vec![SHIM.into()],
            },
            program: std::env::current_exe().unwrap_or_else(|_| PathBuf::from("windlass")),
            worker: WorkerCommand {
                program: this_program(),
                args: vec![WORKER.into()],
            },
            cwd: cwd.to_owned(),
            environment: EnvironmentLookup(Arc::new(variable_for_runs)),
            storage: self.storage_variables(),
            telemetry: self.telemetry_variables(),
            host_name: host_name(),
        }
    }

    /// What clients of object storage read: credentials, regions, endpoints.
    fn storage_variables(&self) -> StorageVariables {
        let names = self.names.iter().filter(|name| {
            let prefixes = STORAGE_PREFIXES.iter();
            prefixes.into_iter().any(|prefix| name.starts_with(prefix))
        });
        let values = names.filter_map(|name| Some((name.clone(), self.text(name).ok()??)));
        StorageVariables(values.collect())
    }

    /// What counts for the export of spans. Variables that are not UTF-8 count as not set.
    fn telemetry_variables(&self) -> TelemetryVariables {
        let set = |name: &str| self.text(name).ok().flatten();
        TelemetryVariables {
            switch: set(OTLP),
            endpoint: set(OTLP_ENDPOINT),
            traces_endpoint: set(OTLP_TRACES_ENDPOINT),
            headers: set(OTLP_TRACES_HEADERS).or_else(|| set(OTLP_HEADERS)),
        }
    }

    /// The pager command, as a shell would run it; none if the user turned it off.
    pub fn pager(&self) -> Option<String> {
        match (self.read)(PAGER) {
            Some(set) => {
                let program = set.to_string_lossy().trim().to_owned();
                (!program.is_empty() && program != "cat").then_some(program)
            }
            None => Some("less -FRX".to_owned()),
        }
    }

    /// The index of the commit that git is making, if git has started this process.
    pub fn git_index(&self) -> Option<PathBuf> {
        (self.read)(GIT_INDEX_FILE)
            .filter(|path| !path.is_empty())
            .map(PathBuf::from)
    }

    /// The registry of pip by the environment, and pip's configuration files: the last counts most.
    pub fn pip(&self) -> (Option<String>, Vec<PathBuf>) {
        let UserFolders { home, config, .. } = self.folders();
        let mut files = vec![
            PathBuf::from("/etc/pip.conf"),
            home.join(".pip/pip.conf"),
            config.join("pip/pip.conf"),
        ];
        let set = |name: &str| self.text(name).ok().flatten();
        files.extend(set("VIRTUAL_ENV").map(|it| PathBuf::from(it).join("pip.conf")));
        files.extend(set("PIP_CONFIG_FILE").map(PathBuf::from));
        (set("PIP_INDEX_URL"), files)
    }

    /// Whether a browser can open a window.
    pub fn has_display(&self) -> bool {
        let set = |name: &str| (self.read)(name).is_some_and(|value| !value.is_empty());
        os::ALWAYS_HAS_A_DISPLAY || set("DISPLAY") || set("WAYLAND_DISPLAY")
    }

    /// Whether the user has set how `less` behaves.
    pub fn sets_less(&self) -> bool {
        (self.read)(LESS).is_some()
    }

    /// The user's editor, as a shell would run it.
    pub fn editor(&self) -> String {
        [VISUAL, EDITOR]
            .into_iter()
            .find_map(|name| self.text(name).ok().flatten())
            .unwrap_or_else(|| "vi".to_owned())
    }

    /// The variables of Windlass itself that are set: name, value, meaning. Secrets are not shown.
    pub fn own_variables(&self) -> Vec<(&'static str, String, &'static str)> {
        let own = VARIABLES
            .iter()
            .filter(|(name, _, _)| name.starts_with("WINDLASS_"));
        own.filter_map(|(name, _, doc)| {
            let value = (self.read)(name)?;
            let value = if PRIVATE.contains(name) {
                "(secret)".to_owned()
            } else {
                value.to_string_lossy().into_owned()
            };
            Some((*name, value, *doc))
        })
        .collect()
    }

    /// Whether a shell asks for completions.
    pub fn asks_for_completions(&self) -> bool {
        (self.read)(COMPLETE).is_some_and(|shell| !shell.is_empty() && shell != "0")
    }

    /// Directives for the log: `RUST_LOG` as it is, else the level.
    pub fn log_directives(&self) -> Result<String> {
        if let Some(directives) = self.text(RUST_LOG)? {
            return match tracing_subscriber::EnvFilter::try_new(&directives) {
                Ok(_) => Ok(directives),
                Err(problem) => Err(invalid(RUST_LOG, &directives, &problem.to_string())),
            };
        }
        let level = self
            .text(LOG_LEVEL)?
            .unwrap_or_else(|| "info".to_owned())
            .to_ascii_lowercase();
        if LOG_LEVELS.contains(&level.as_str()) {
            Ok(level)
        } else {
            let expected = format!("it must be one of: {}", LOG_LEVELS.join(", "));
            Err(invalid(LOG_LEVEL, &level, &expected))
        }
    }

    /// What a process of that kind logs, and where to.
    pub fn log_settings(&self, surface: &'static str, cwd: &Path) -> Result<LogSettings> {
        Ok(LogSettings {
            directives: self.log_directives()?,
            folder: log_files::folder(&self.folders().state),
            surface,
            cwd: cwd.to_owned(),
            redactor: self.redactor(),
        })
    }

    /// What masks the values of all variables that are named like secrets.
    pub fn redactor(&self) -> Redactor {
        let secret = self.names.iter().filter(|name| is_secret_name(name));
        Redactor::new(secret.filter_map(|name| self.text(name).ok().flatten()))
    }

    /// The session name that claims and events carry, if one is set.
    pub fn session(&self) -> Result<Option<String>> {
        self.text(SESSION)
    }

    /// The token that clients of the HTTP server must send, if one is set.
    pub fn http_token(&self) -> Result<Option<Token>> {
        let text = self.text(HTTP_TOKEN)?;
        text.map(|text| Token::parse(&text, HTTP_TOKEN)).transpose()
    }

    pub fn correlation_id(&self) -> Result<Option<String>> {
        self.text(CORRELATION_ID)
    }

    /// The name of the account; containers often set none, and then the user id is used, so that
    /// two accounts never share one name.
    pub fn user_name(&self) -> String {
        ["USER", "LOGNAME", "USERNAME"]
            .into_iter()
            .find_map(|name| self.text(name).ok().flatten())
            .unwrap_or_else(|| format!("uid-{}", rustix::process::getuid().as_raw()))
    }

    /// An empty variable counts as not set.
    fn text(&self, name: &str) -> Result<Option<String>> {
        let Some(value) = (self.read)(name) else {
            return Ok(None);
        };
        match value.into_string() {
            Ok(text) if text.trim().is_empty() => Ok(None),
            Ok(text) => Ok(Some(text)),
            Err(raw) => Err(invalid(name, &raw.to_string_lossy(), "it is not UTF-8")),
        }
    }

    fn positive(&self, name: &str) -> Result<Option<u64>> {
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        match text.trim().parse() {
            Ok(0) | Err(_) => Err(invalid(name, &text, "it must be a whole number above zero")),
            Ok(number) => Ok(Some(number)),
        }
    }
}

/// The name of this machine, which other machines are shown.
fn host_name() -> String {
    let known = os::host_name();
    let name = known.as_deref().unwrap_or_default().trim();
    let first = name.split('.').next().unwrap_or_default();
    if first.is_empty() { "unnamed" } else { first }.to_owned()
}

/// A variable that a run refers to, except the secrets of this program.
#[expect(
    clippy::disallowed_methods,
    reason = "only this module reads the environment"
)]
fn variable_for_runs(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|_| !PRIVATE.contains(&name))
}

/// This very program, even if its file is replaced by a newer one while it runs.
fn this_program() -> PathBuf {
    let by_system = os::this_program().or_else(|| std::env::current_exe().ok());
    by_system.unwrap_or_else(|| PathBuf::from("windlass"))
}

fn invalid(name: &str, value: &str, expected: &str) -> Error {
    Error::new(
        ErrorKind::InvalidConfig,
        format!("The environment variable {name} is \"{value}\", but {expected}"),
    )
    .with("variable", name)
    .with("value", value)
    .with_hint(format!("Set {name} to a valid value, or unset it."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(variables: &'static [(&str, &str)]) -> Environment {
        Environment {
            read: Box::new(|name| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| OsString::from(value))
            }),
            names: Vec::new(),
            search_path: None,
        }
    }

    fn refused<T: std::fmt::Debug>(result: Result<T>) -> String {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidConfig);
        error.message().to_owned()
    }

    #[test]
    fn nothing_set_gives_the_defaults() {
        let empty = environment(&[(MAX_BATCH_SIZE, ""), (SESSION, " ")]);
        assert_eq!(empty.settings().unwrap(), Settings::default());
        assert_eq!(empty.log_directives().unwrap(), "info");
        assert_eq!(empty.session().unwrap(), None);
        assert_eq!(empty.http_token().unwrap(), None);
        assert!(empty.user_name().starts_with("uid-"));
    }

    #[test]
    fn what_is_set_counts() {
        let set = environment(&[
            (MAX_BATCH_SIZE, "7"),
            (REQUEST_TIMEOUT_MS, "1500"),
            (LOG_LEVEL, "WARN"),
            (SESSION, "night-shift"),
            ("LOGNAME", "ada"),
            (HTTP_TOKEN, " secret "),
        ]);
        let token = Token::parse("secret", HTTP_TOKEN).unwrap();
        assert_eq!(set.http_token().unwrap(), Some(token));
        let settings = set.settings().unwrap();
        assert_eq!(settings.max_batch_size, 7);
        assert_eq!(settings.request_timeout, Duration::from_millis(1500));
        assert_eq!(set.log_directives().unwrap(), "warn");
        assert_eq!(set.session().unwrap().as_deref(), Some("night-shift"));
        assert_eq!(set.user_name(), "ada");
    }

    #[test]
    fn rust_log_is_stronger_than_the_level() {
        let both = environment(&[(RUST_LOG, "windlass=trace,rmcp=off"), (LOG_LEVEL, "loud")]);
        assert_eq!(both.log_directives().unwrap(), "windlass=trace,rmcp=off");
    }

    #[test]
    fn a_wrong_value_is_refused_by_name() {
        for value in ["0", "-1", "many", "1.5"] {
            let environment = Environment {
                read: Box::new(move |name| (name == MAX_BATCH_SIZE).then(|| value.into())),
                names: Vec::new(),
                search_path: None,
            };
            assert_eq!(
                refused(environment.settings()),
                format!(
                    "The environment variable WINDLASS_MAX_BATCH_SIZE is \"{value}\", but it must \
                     be a whole number above zero"
                )
            );
        }
        insta::assert_snapshot!(
            refused(environment(&[(LOG_LEVEL, "loud")]).log_directives()),
            @r#"The environment variable WINDLASS_LOG_LEVEL is "loud", but it must be one of: trace, debug, info, warn, error, off"#
        );
        assert!(refused(environment(&[(RUST_LOG, "a=b=c")]).log_directives()).contains(RUST_LOG));
    }
}
