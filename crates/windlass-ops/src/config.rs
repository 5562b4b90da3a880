//! The project's `config.toml`.

use std::fmt::Display;
use std::io;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;
use windlass_core::workflow::Phases;
use windlass_core::{Error, ErrorKind, Result, nearest};
use windlass_process::Limits;
use windlass_runs::artifacts::ArtifactLimits;
use windlass_sandbox::Limits as ScriptLimits;
use windlass_store::Project;

use crate::operation::Toolset;
use crate::plain_file;
use crate::runtime_settings::RuntimesConfig;
use crate::settings::SETTING_KEYS;
use crate::telemetry::TelemetryConfig;

/// The settings of the project. All are optional.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    pub project: ProjectConfig,
    pub mcp: McpConfig,
    pub commands: CommandsConfig,
    pub runs: RunsConfig,
    pub runtimes: RuntimesConfig,
    pub workflow: WorkflowConfig,
    pub code: CodeConfig,
    pub sync: SyncConfig,
    pub search: SearchConfig,
    pub telemetry: TelemetryConfig,
}

/// The name of the project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProjectConfig {
    pub title: Option<String>,
    pub description: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct McpConfig {
    /// The toolsets that a server has by default.
    pub toolsets: Option<Vec<String>>,
    /// Whether the list of tools says what each returns.
    pub output_schemas: bool,
}

/// The limits of jobs, and the variables that a caller may set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CommandsConfig {
    /// How many seconds a start waits for the end before it returns that the job is running.
    pub capture_seconds: f64,
    /// Lines and bytes of output that are stored for each job.
    pub ring_lines: usize,
    pub ring_bytes: usize,
    /// The most bytes of output that a start returns.
    pub chunk_bytes: usize,
    /// Jobs that may run at once.
    pub max_jobs: usize,
    /// Seconds between TERM and KILL.
    pub grace_seconds: f64,
    /// How many seconds a job stays readable after its end.
    pub keep_finished_seconds: f64,
    /// Variables that callers may set although they can change what is run. They count only while a
    /// person allows exactly the current text of this file: `windlass allow .windlass/config.toml`.
    pub allow_env: Vec<String>,
}

impl Default for CommandsConfig {
    fn default() -> Self {
        let limits = Limits::default();
        Self {
            capture_seconds: limits.first_capture.as_secs_f64(),
            ring_lines: limits.ring_lines,
            ring_bytes: limits.ring_bytes,
            chunk_bytes: 8 * 1024,
            max_jobs: limits.max_jobs,
            grace_seconds: limits.grace.as_secs_f64(),
            keep_finished_seconds: limits.keep_finished.as_secs_f64(),
            allow_env: Vec::new(),
        }
    }
}

impl CommandsConfig {
    pub fn limits(&self) -> Limits {
        Limits {
            max_jobs: self.max_jobs,
            ring_lines: self.ring_lines,
            ring_bytes: self.ring_bytes,
            grace: seconds(self.grace_seconds),
            keep_finished: seconds(self.keep_finished_seconds),
            first_capture: seconds(self.capture_seconds),
            ..Limits::default()
        }
    }

    fn check(&self) -> Result<()> {
        let times = [
            ("commands.capture_seconds", self.capture_seconds, 3600.0),
            ("commands.grace_seconds", self.grace_seconds, 600.0),
            (
                "commands.keep_finished_seconds",
                self.keep_finished_seconds,
                604_800.0,
            ),
        ];
        for (name, value, most) in times {
            if !(0.0..=most).contains(&value) {
                return Err(out_of_bounds(name, 0, most));
            }
        }
        let counts = [
            ("commands.max_jobs", self.max_jobs, 1_000),
            ("commands.ring_lines", self.ring_lines, 1_000_000),
            ("commands.ring_bytes", self.ring_bytes, 256 << 20),
            ("commands.chunk_bytes", self.chunk_bytes, 64 << 10),
        ];
        for (name, value, most) in counts {
            if !(1..=most).contains(&value) {
                return Err(out_of_bounds(name, 1, most));
            }
        }
        Ok(())
    }
}

/// How runs are executed and what is stored of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunsConfig {
    /// Whether runs without a playbook may execute anything. It counts only while a person allows
    /// exactly the current text of this file: `windlass allow .windlass/config.toml`.
    pub adhoc: bool,
    /// Runs that are executed at once by one process.
    pub max_parallel: usize,
    /// For steps that set no timeout.
    pub default_timeout_seconds: u64,
    /// Where artifacts are stored: a folder, relative to the state, or `s3://bucket/prefix`. It counts
    /// only while a person allows exactly the current text of this file.
    pub artifacts: String,
    /// The largest file that is stored, and the most bytes that are stored for a run.
    pub artifact_file_bytes: u64,
    pub artifact_run_bytes: u64,
    pub docker: DockerConfig,
}

/// The runtime `docker`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DockerConfig {
    /// The image that steps run in, where `[runtimes.docker]` names none. It counts only while a
    /// person allows exactly the current text of this file.
    pub image: Option<String>,
}

impl Default for RunsConfig {
    fn default() -> Self {
        let limits = ArtifactLimits::default();
        Self {
            adhoc: false,
            max_parallel: 4,
            default_timeout_seconds: 6 * 60 * 60,
            artifacts: "artifacts".to_owned(),
            artifact_file_bytes: limits.file_bytes,
            artifact_run_bytes: limits.run_bytes,
            docker: DockerConfig::default(),
        }
    }
}

impl RunsConfig {
    fn check(&self) -> Result<()> {
        if !(1..=100).contains(&self.max_parallel) {
            return Err(out_of_bounds("runs.max_parallel", 1, 100));
        }
        if !(1..=604_800).contains(&self.default_timeout_seconds) {
            return Err(out_of_bounds("runs.default_timeout_seconds", 1, 604_800));
        }
        Ok(())
    }
}

/// The work lifecycle. All of it counts only while a person allows exactly the current text of this
/// file: `windlass allow .windlass/config.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WorkflowConfig {
    /// Whether an agent reviews work whose gates have passed.
    pub agent_review: bool,
    /// Whether a person reviews it before it is done.
    pub human_review: bool,
    pub git: WorkflowGitConfig,
}

/// What the lifecycle does with git; by default nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WorkflowGitConfig {
    /// Whether starting a task switches to its own branch, `task/7`.
    pub branch: bool,
    /// Whether submitting a task commits all changes.
    pub commit: bool,
}

impl Default for WorkflowConfig {
    fn default() -> Self {
        Self {
            agent_review: true,
            human_review: true,
            git: WorkflowGitConfig::default(),
        }
    }
}

/// What scripts may use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CodeConfig {
    /// The default time limit of a script in seconds, and the highest that it may request.
    pub timeout_seconds: f64,
    pub max_timeout_seconds: f64,
    /// Memory of one script.
    pub memory_mb: usize,
    /// Characters of its value before it is cut, and bytes of its log.
    pub result_characters: usize,
    pub log_bytes: usize,
    /// Calls that it may make, and how many of them at the same time.
    pub max_calls: usize,
    pub max_calls_at_once: usize,
    /// Scripts that run at once. Further ones wait.
    pub max_workers: usize,
    /// Whether scripts run even where the system does not restrict their process. It counts only
    /// while a person allows exactly the current text of this file: `windlass allow
    /// .windlass/config.toml`.
    pub unjailed: bool,
}

impl Default for CodeConfig {
    fn default() -> Self {
        let limits = ScriptLimits::default();
        Self {
            timeout_seconds: limits.timeout.as_secs_f64(),
            max_timeout_seconds: ScriptLimits::MAXIMUM.timeout.as_secs_f64(),
            memory_mb: limits.memory_bytes >> 20,
            result_characters: limits.result_characters,
            log_bytes: limits.log_bytes,
            max_calls: limits.calls,
            max_calls_at_once: limits.calls_at_once,
            max_workers: 8,
            unjailed: false,
        }
    }
}

/// The exchange with other clones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SyncConfig {
    /// Past this number of packs, a sync joins them into one; 0 is never.
    pub compact_after: usize,
    /// Object storage that packs are exchanged with and tasks are claimed on, as
    /// `s3://bucket/prefix`. It counts only while a person allows exactly the current text of this
    /// file: `windlass allow .windlass/config.toml`.
    pub remote: Option<String>,
    /// Seconds between two exchanges of a server with the remote; 0 is never.
    pub interval_seconds: u64,
}

impl Default for SyncConfig {
    fn default() -> Self {
        Self {
            compact_after: 200,
            remote: None,
            interval_seconds: 30,
        }
    }
}

/// How texts are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchConfig {
    /// Whether texts are also found by their meaning, which takes a model that is installed once, and
    /// some time in the background after each change.
    pub semantic: bool,
}

impl Default for SearchConfig {
    fn default() -> Self {
        Self { semantic: true }
    }
}

impl SyncConfig {
    const MOST_PACKS: usize = 100_000;
    const LONGEST_INTERVAL: u64 = 86_400;

    fn check(&self) -> Result<()> {
        if self.compact_after > Self::MOST_PACKS {
            return Err(out_of_bounds("sync.compact_after", 0, Self::MOST_PACKS));
        }
        if self.interval_seconds > Self::LONGEST_INTERVAL {
            return Err(out_of_bounds(
                "sync.interval_seconds",
                0,
                Self::LONGEST_INTERVAL,
            ));
        }
        Ok(())
    }
}

impl WorkflowConfig {
    pub const fn phases(self) -> Phases {
        Phases {
            agent: self.agent_review,
            human: self.human_review,
        }
    }
}

impl CodeConfig {
    pub fn limits(&self) -> ScriptLimits {
        ScriptLimits {
            timeout: seconds(self.timeout_seconds),
            memory_bytes: self.memory_mb << 20,
            result_characters: self.result_characters,
            log_bytes: self.log_bytes,
            calls: self.max_calls,
            calls_at_once: self.max_calls_at_once,
            ..ScriptLimits::default()
        }
    }

    pub fn longest_timeout(&self) -> Duration {
        seconds(self.max_timeout_seconds)
    }

    fn check(&self) -> Result<()> {
        let (least, most) = (ScriptLimits::MINIMUM, ScriptLimits::MAXIMUM);
        let longest = most.timeout.as_secs_f64();
        for (name, value, most) in [
            (
                "code.max_timeout_seconds",
                self.max_timeout_seconds,
                longest,
            ),
            (
                "code.timeout_seconds",
                self.timeout_seconds,
                self.max_timeout_seconds,
            ),
        ] {
            if !(0.001..=most).contains(&value) {
                return Err(out_of_bounds(name, 0.001, most));
            }
        }
        let counts = [
            (
                "code.memory_mb",
                self.memory_mb,
                least.memory_bytes >> 20,
                most.memory_bytes >> 20,
            ),
            (
                "code.result_characters",
                self.result_characters,
                least.result_characters,
                most.result_characters,
            ),
            (
                "code.log_bytes",
                self.log_bytes,
                least.log_bytes,
                most.log_bytes,
            ),
            ("code.max_calls", self.max_calls, least.calls, most.calls),
            (
                "code.max_calls_at_once",
                self.max_calls_at_once,
                least.calls_at_once,
                most.calls_at_once,
            ),
            ("code.max_workers", self.max_workers, 1, 64),
        ];
        for (name, value, least, most) in counts {
            if !(least..=most).contains(&value) {
                return Err(out_of_bounds(name, least, most));
            }
        }
        Ok(())
    }
}

pub fn out_of_bounds(name: &str, least: impl Display, most: impl Display) -> Error {
    Error::new(
        ErrorKind::InvalidConfig,
        format!("{name} must be {least} to {most}"),
    )
    .with("field", name)
}

/// Checked when the file was read.
fn seconds(value: f64) -> Duration {
    Duration::try_from_secs_f64(value).unwrap_or_default()
}

impl Config {
    /// The file, relative to the project.
    pub const FILE: &'static str = ".windlass/config.toml";

    /// The settings of a project; the defaults if it has no file.
    pub fn load(project: &Project) -> Result<Self> {
        match plain_file::read_text(&project.settings_root().join(Self::FILE)) {
            Ok(text) => Self::parse(Self::FILE, &text),
            Err(problem) if problem.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(problem) => Err(Error::new(
                ErrorKind::InvalidConfig,
                format!("{}: {problem}", Self::FILE),
            )
            .with_hint("Replace it with a text file, or remove it.")),
        }
    }

    /// The settings without those that need a person's permission: these have their defaults.
    #[must_use]
    pub fn without_permission(&self) -> Self {
        let (mut own, default) = (json!(self), json!(Self::default()));
        for key in SETTING_KEYS.iter().filter(|key| key.needs_permission) {
            let pointer = format!("/{}", key.name.replace('.', "/"));
            if let (Some(value), Some(usual)) =
                (own.pointer_mut(&pointer), default.pointer(&pointer))
            {
                *value = usual.clone();
            }
        }
        // The table of keys and the fields are the same, so this is always possible.
        serde_json::from_value(own).unwrap_or_default()
    }

    /// Reads the text of the file. `name` is the path that an error shows.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let config: Self = toml::from_str(text).map_err(|problem| {
            let start = problem.span().map_or(0, |span| span.start);
            let line = text[..start].matches('\n').count() + 1;
            Error::new(
                ErrorKind::InvalidConfig,
                format!("{name}, line {line}: {}", problem.message()),
            )
            .with("file", name)
            .with("line", line)
        })?;
        if let Some(toolsets) = &config.mcp.toolsets {
            parse_toolsets(toolsets)?;
        }
        config.commands.check()?;
        config.runs.check()?;
        config.runtimes.check()?;
        config.code.check()?;
        config.sync.check()?;
        config.telemetry.check()?;
        Ok(config)
    }
}

/// Toolsets by name; `all` stands for all of them.
pub fn parse_toolsets<T: AsRef<str>>(names: &[T]) -> Result<Vec<Toolset>> {
    let mut toolsets: Vec<Toolset> = Vec::new();
    for name in names {
        let name = name.as_ref().trim();
        let found: Vec<Toolset> = Toolset::ALL
            .iter()
            .copied()
            .filter(|toolset| name == "all" || toolset.name() == name)
            .collect();
        if found.is_empty() {
            let known: Vec<&str> = Toolset::ALL.iter().map(|toolset| toolset.name()).collect();
            let mut hint = format!("Use all, or some of: {}.", known.join(", "));
            if let Some(near) = nearest(name, known) {
                hint = format!("Did you mean \"{near}\"? {hint}");
            }
            return Err(Error::new(
                ErrorKind::InvalidConfig,
                format!("\"{name}\" is not a toolset"),
            )
            .with_hint(hint));
        }
        for toolset in found {
            toolsets.push(toolset);
        }
    }
    // Always in the same order, without duplicates.
    let wanted = |toolset: &Toolset| toolsets.contains(toolset);
    Ok(Toolset::ALL.iter().copied().filter(wanted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_refuses() {
        assert_eq!(Config::parse("c", ""), Ok(Config::default()));
        let text = "[mcp]\ntoolsets = [\"knowledge\"]\n";
        let config = Config::parse("c", text).expect("valid");
        assert_eq!(config.mcp.toolsets, Some(vec!["knowledge".into()]));
        let text = "[commands]\nmax_jobs = 2\ngrace_seconds = 0.5\nallow_env = [\"PATH\"]\n";
        let limits = Config::parse("c", text).expect("valid").commands.limits();
        assert_eq!(
            (limits.max_jobs, limits.grace),
            (2, Duration::from_millis(500))
        );
        assert_eq!(limits.ring_lines, 1000);
        for wrong in [
            "max_jobs = 0",
            "grace_seconds = -1",
            "grace_seconds = nan",
            "max_job = 1",
        ] {
            assert!(
                Config::parse("c", &format!("[commands]\n{wrong}\n")).is_err(),
                "{wrong}"
            );
        }
        let error = Config::parse("c", "\n[mpc]\n").unwrap_err();
        assert!(error.message().starts_with("c, line 2"), "{error}");
        let error = Config::parse("c", "[mcp]\ntoolsets = [\"knowlege\"]").unwrap_err();
        assert!(
            error
                .hint()
                .is_some_and(|hint| hint.contains("\"knowledge\""))
        );
    }
}
