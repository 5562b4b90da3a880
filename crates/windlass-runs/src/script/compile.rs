//! Compiles a RunSpec to one script.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::{expression, glob};
use crate::artifacts::ArtifactLimits;
use crate::runtimes::shell_arguments;
use crate::spec::{EnvRef, RunSpec, Step};

/// The part of the script that is the same for every run.
const RUNNER: &str = include_str!("runner.sh");

/// The bytes of output in one frame; `runner.sh` reads as many.
const CHUNK: u64 = 9000;

/// What the script has to know about the place where it runs.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// The folder of the project there; the folder in which the script is started if empty.
    pub workspace: String,
    /// How files get back.
    pub transfer: Transfer,
    /// Where files are uploaded that are too large for the output.
    pub uploads: Vec<UploadAddress>,
    /// Where secrets come from.
    pub secrets: SecretSource,
    /// The most bytes of the packed script; no limit if 0.
    pub most_packed_bytes: usize,
    /// The time between TERM and KILL.
    pub grace: Duration,
}

/// An address that permits to write one object, once or several times, until it expires.
#[derive(Clone, PartialEq, Eq)]
pub struct UploadAddress(pub String);

/// Whoever has the address can write there.
impl std::fmt::Debug for UploadAddress {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let address = self.0.split('?').next().unwrap_or_default();
        write!(out, "{address}?…")
    }
}

/// How artifacts get back from the place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transfer {
    /// In the output, up to these limits of one file and of all.
    Inline {
        /// Bytes of one file.
        file_bytes: u64,
        /// Bytes of all files of a run.
        run_bytes: u64,
    },
    /// In a folder of the place that is also a folder here. Through it, this side can also say
    /// whether an expression matched.
    Folder(String),
}

impl Default for Transfer {
    fn default() -> Self {
        Self::Inline {
            file_bytes: 1 << 20,
            run_bytes: 8 << 20,
        }
    }
}

/// Where the values of `env:NAME` come from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum SecretSource {
    /// The environment of the script has them, as [`given_name`] says.
    #[default]
    Given,
    /// The environment of the place has them under their own names.
    Environment,
    /// Parameters of AWS Systems Manager below this path, read by the AWS command line there.
    Parameters(String),
}

/// A compiled run.
#[derive(Debug, Clone)]
pub struct Script {
    /// The text.
    pub text: String,
    /// What its frames are recognised by.
    pub nonce: String,
}

/// Why a run cannot be executed by a script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ScriptError {
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl ScriptError {
    pub(super) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: hint.into(),
        }
    }
}

impl Script {
    /// The script as one word without special characters: compressed, in base64.
    pub fn packed(&self) -> String {
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        // Writing to memory does not fail.
        let _ = packed.write_all(self.text.as_bytes());
        STANDARD.encode(packed.finish().unwrap_or_default())
    }

    /// The packed script, if it has at most as many bytes as the place takes.
    pub fn packed_within(&self, most: usize) -> Result<String, ScriptError> {
        let packed = self.packed();
        if most == 0 || packed.len() <= most {
            return Ok(packed);
        }
        Err(ScriptError::new(
            format!(
                "The steps have {} bytes when compressed, and this runtime takes at most {most}",
                packed.len()
            ),
            "Put long commands into files of the project and call them, or split the run.",
        ))
    }

    /// A command for `sh -c` that unpacks the script and becomes it.
    pub fn launcher(packed: &str) -> String {
        format!(
            "f=$(mktemp) && printf %s '{packed}' | base64 -d | gzip -d >\"$f\" && \
             {{ sh \"$f\"; c=$?; rm -f \"$f\"; exit $c; }}"
        )
    }
}

/// Compiles a run. `default_timeout` holds for steps that set none.
pub fn compile(
    (run_id, nonce): (&str, &str),
    spec: &RunSpec,
    place: &Place,
    (default_timeout, limits): (Option<Duration>, &ArtifactLimits),
) -> Result<Script, ScriptError> {
    let mut text = String::from("#!/bin/sh\n");
    let (file_bytes, run_bytes, copies) = match &place.transfer {
        Transfer::Inline {
            file_bytes,
            run_bytes,
        } => (*file_bytes, *run_bytes, ""),
        Transfer::Folder(folder) => (0, 0, folder.as_str()),
    };
    let numbers = [
        ("grace", hundredths(place.grace)),
        ("most_chunks", u128::from(limits.output_bytes / CHUNK + 1)),
        ("most_files", limits.files_per_step as u128),
        ("most_bytes", u128::from(file_bytes)),
        ("most_upload", u128::from(limits.file_bytes)),
        ("left", u128::from(run_bytes)),
    ];
    let words = [
        ("nonce", nonce),
        ("root", &place.workspace),
        ("copies", copies),
    ];
    for (name, value) in words {
        let _ = writeln!(text, "windlass_{name}={}", quoted(value));
    }
    for (name, value) in numbers {
        let _ = writeln!(text, "windlass_{name}={value}");
    }
    // Comments would take a sixth of what the smallest place accepts.
    for line in RUNNER.lines() {
        if !line.trim_start().starts_with('#') {
            text.push_str(line);
            text.push('\n');
        }
    }
    upload_addresses(&mut text, &place.uploads);
    text.push_str("windlass_begin\n");
    environment(&mut text, run_id, spec, place)?;
    for (index, step) in spec.steps.iter().enumerate() {
        let by_us = matches!(place.transfer, Transfer::Folder(_));
        step_text(&mut text, index, step, (default_timeout, by_us))?;
    }
    text.push_str("windlass_end 0\n");
    Ok(Script {
        text,
        nonce: nonce.to_owned(),
    })
}

/// `windlass_address NUMBER`: sets the address of a place for a file; 1 if there is none.
fn upload_addresses(text: &mut String, uploads: &[UploadAddress]) {
    text.push_str("windlass_address() {\ncase $1 in\n");
    for (index, address) in uploads.iter().enumerate() {
        let _ = writeln!(
            text,
            "{}) windlass_url={} ;;",
            index + 1,
            quoted(&address.0)
        );
    }
    text.push_str("*) return 1 ;;\nesac\n}\n");
}

/// Variables for all steps, and only for them: a `PATH` must not change what the script itself runs.
/// Those of the place are read before any is set, because they may have each other's names.
fn environment(
    text: &mut String,
    run_id: &str,
    spec: &RunSpec,
    place: &Place,
) -> Result<(), ScriptError> {
    let entries = spec.env_refs.clone().unwrap_or_default();
    let mut exports: BTreeMap<&str, String> = BTreeMap::from([("WINDLASS_RUN_ID", quoted(run_id))]);
    for (name, entry) in &entries {
        let source = match (EnvRef::of(entry), &place.secrets) {
            (EnvRef::Value(value), _) => {
                exports.insert(name, quoted(value));
                continue;
            }
            (_, SecretSource::Given) => given_name(name),
            (EnvRef::File(_), _) => {
                return Err(ScriptError::new(
                    format!("envRefs.{name}: a file of this machine is not available there"),
                    "Use env:NAME, and store the secret where the runtime keeps its own.",
                ));
            }
            (EnvRef::Environment(source), SecretSource::Environment) => source.to_owned(),
            (EnvRef::Environment(source), SecretSource::Parameters(path)) => {
                let parameter = quoted(&format!("{}/{source}", path.trim_end_matches('/')));
                let _ = writeln!(
                    text,
                    "windlass_parameter=$(aws ssm get-parameter --with-decryption --output text \
                     --query Parameter.Value --name {parameter} 2>/dev/null) || \
                     unset windlass_parameter"
                );
                "windlass_parameter".to_owned()
            }
        };
        let _ = writeln!(text, "windlass_take {name} {source}");
        exports.insert(name, format!("$windlass_taken_{name}"));
    }
    text.push_str("windlass_environment() {\n");
    for (name, value) in exports {
        let _ = writeln!(text, "{name}={value}; export {name}");
        if place.secrets == SecretSource::Given {
            let _ = writeln!(text, "unset {}", given_name(name));
        }
    }
    text.push_str("}\n");
    Ok(())
}

/// The name under which a script is given a secret. It is no name that a program uses which passes it
/// on.
pub fn given_name(name: &str) -> String {
    format!("WINDLASS_ENV_{name}")
}

fn step_text(
    text: &mut String,
    index: usize,
    step: &Step,
    (default_timeout, by_us): (Option<Duration>, bool),
) -> Result<(), ScriptError> {
    let timeout = step.timeout_sec.as_ref().map(|seconds| seconds.duration());
    // A week, as the longest timeout of a step.
    let timeout = timeout
        .or(default_timeout)
        .unwrap_or(Duration::from_hours(168));
    let folder = quoted(step.cwd.as_deref().unwrap_or(""));
    let _ = write!(
        text,
        "windlass_step_run {index} {folder} {} {}",
        hundredths(timeout).max(1),
        step.shell
    );
    for argument in shell_arguments(step.shell, &step.command) {
        text.push(' ');
        text.push_str(&quoted(&argument));
    }
    let expect = step.expect.clone().unwrap_or_default();
    let _ = write!(
        text,
        "\nwindlass_expect_code {}\n",
        expect.exit_code.unwrap_or(0)
    );
    let patterns = [(1, &expect.stdout_regex), (2, &expect.stderr_regex)];
    let mut waits = "''";
    for (stream, patterns) in patterns {
        for (at, pattern) in patterns.iter().flatten().enumerate() {
            if by_us {
                waits = "wait";
                continue;
            }
            let field = if stream == 1 {
                "stdoutRegex"
            } else {
                "stderrRegex"
            };
            let expression = expression::translate(pattern).map_err(|why| {
                ScriptError::new(
                    format!("steps.{index}.expect.{field}.{at}: `{pattern}` {why}"),
                    "It is checked where the run is executed, with grep -E, line by line. Use a \
                     simpler expression, or check the output in the command.",
                )
            })?;
            let _ = writeln!(
                text,
                "windlass_expect_text {at} {stream} {}",
                quoted(&expression)
            );
        }
    }
    for (at, file) in expect.file_exists.iter().flatten().enumerate() {
        let _ = writeln!(text, "windlass_expect_file {at} {}", quoted(file));
    }
    for (at, pattern) in step.artifacts.iter().flatten().enumerate() {
        let (start, expression) = glob::translate(pattern).map_err(|why| {
            ScriptError::new(
                format!("steps.{index}.artifacts.{at}: `{pattern}` {why}"),
                "Use a simpler glob.",
            )
        })?;
        let _ = writeln!(
            text,
            "windlass_keep {at} {} {}",
            quoted(&start),
            quoted(&expression)
        );
    }
    let _ = writeln!(text, "windlass_step_done {waits}");
    Ok(())
}

fn hundredths(duration: Duration) -> u128 {
    duration.as_millis() / 10
}

/// As one word of a shell.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
