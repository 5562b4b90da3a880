//! The paths of the measured programs and of the projects used for measuring.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use rusqlite::Connection;
use tempfile::TempDir;
use windlass_store::{Bindings, Project, Standing, Store};

use crate::generate::generate;
use crate::harness::Outcome;

/// Increased when the generator creates different projects.
const GENERATION: u32 = 2;
/// The version of dela that is used as a baseline.
const DELA: &str = "0.0.6";

pub struct Places {
    /// The `windlass` binary that is measured.
    pub windlass: PathBuf,
    /// The echo server on stdio.
    pub bare_echo: PathBuf,
    /// The echo server over HTTP.
    pub bare_echo_http: PathBuf,
    /// The folder of generated projects, which are reused in later runs.
    cache: PathBuf,
    /// A temporary folder on the same disk for everything else.
    scratch: TempDir,
    /// Whether projects stay small, because only whether everything runs is looked at.
    pub quick: bool,
}

/// The most tasks of a project in a quick run.
const QUICK_TASKS: usize = 1_000;

/// Where the measured processes note which projects are theirs: not in the home of whoever measures.
pub fn state_home() -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    let folder = own.parent().unwrap_or(Path::new("."));
    folder.with_file_name("bench").join("state-home")
}

/// Makes a project that was generated or copied one of the measured processes.
fn own(project: &Project) -> Outcome {
    let bindings = Bindings::new(state_home().join("windlass"));
    if bindings.standing(project)? != Standing::Own {
        Store::trust(project, &bindings, |_| ())?;
    }
    Ok(())
}

impl Places {
    /// Finds the programs beside this one, where cargo puts them.
    pub fn find(windlass: Option<PathBuf>) -> Outcome<Self> {
        let own = std::env::current_exe()?;
        let folder = own
            .parent()
            .ok_or("the folder of this program is unknown")?;
        let cache = folder.with_file_name("bench");
        fs::create_dir_all(&cache)?;
        let places = Self {
            windlass: windlass.unwrap_or_else(|| folder.join("windlass")),
            bare_echo: folder.join("bare-echo"),
            bare_echo_http: folder.join("bare-echo-http"),
            scratch: tempfile::Builder::new().prefix("run-").tempdir_in(&cache)?,
            cache,
            quick: false,
        };
        for (program, package) in [
            (&places.windlass, "windlass"),
            (&places.bare_echo, "windlass-bench"),
            (&places.bare_echo_http, "windlass-bench"),
        ] {
            if !program.is_file() {
                let missing = program.display();
                return Err(format!(
                    "{missing} is missing. Run 'cargo build --release --package {package}' first."
                )
                .into());
            }
        }
        Ok(places)
    }

    /// How many tasks a project has that should have `full`.
    pub fn tasks(&self, full: usize) -> usize {
        if self.quick {
            full.min(QUICK_TASKS)
        } else {
            full
        }
    }

    /// A generated project for reading. Created once, then reused.
    pub fn project(&self, tasks: usize) -> Outcome<Project> {
        let tasks = self.tasks(tasks);
        let folder = self
            .cache
            .join(format!("{:016x}-{tasks}", self.fingerprint()?));
        if !folder.is_dir() {
            // Created under another name first, so that an incomplete project is never used.
            let creating = self.scratch.path().join(format!("creating-{tasks}"));
            let (project, _) = Project::init(&creating)?;
            generate(&project, tasks)?;
            checkpoint(&project.database())?;
            fs::rename(&creating, &folder)?;
        }
        let project = Project::find(&folder)?;
        own(&project)?;
        Ok(project)
    }

    /// A copy of a generated project, for writing.
    pub fn copy(&self, name: &str, tasks: usize) -> Outcome<Project> {
        let source = self.project(tasks)?;
        let (copy, _) = Project::init(&self.scratch.path().join(name))?;
        fs::copy(source.database(), copy.database())?;
        own(&copy)?;
        Ok(copy)
    }

    /// A project for writing, filled by a function.
    pub fn filled(
        &self,
        name: &str,
        fill: impl FnOnce(&Project) -> windlass_core::Result<()>,
    ) -> Outcome<Project> {
        let (project, _) = Project::init(&self.scratch.path().join(name))?;
        fill(&project)?;
        own(&project)?;
        Ok(project)
    }

    /// An empty database with the pragmas of a project database.
    pub fn bare_database(&self, name: &str) -> Outcome<Connection> {
        let database = Connection::open(self.scratch.path().join(format!("{name}.db")))?;
        database.pragma_update(None, "journal_mode", "WAL")?;
        database.execute_batch("PRAGMA synchronous = FULL; PRAGMA cache_size = -16384;")?;
        Ok(database)
    }

    /// A folder that is deleted after the run.
    pub fn cache(&self) -> &Path {
        &self.cache
    }

    pub fn scratch(&self) -> &Path {
        self.scratch.path()
    }

    /// The similar program that is the baseline for listing commands; installed once.
    pub fn dela(&self) -> Outcome<PathBuf> {
        let program = self.cache.join("tools/bin/dela");
        if !program.is_file() {
            let status = Command::new("cargo")
                .args([
                    "install",
                    "--quiet",
                    "--locked",
                    "--version",
                    DELA,
                    "--root",
                ])
                .arg(self.cache.join("tools"))
                .arg("dela")
                .status()?;
            if !status.success() {
                return Err(format!("dela {DELA} could not be installed").into());
            }
        }
        Ok(program)
    }

    /// Changes with the schema, so that a project with an older schema is not used.
    fn fingerprint(&self) -> Outcome<u64> {
        let (project, _) = Project::init(&self.scratch.path().join("empty"))?;
        drop(Store::open(&project)?);
        let schema: String = Connection::open(project.database())?.query_row(
            "SELECT group_concat(sql, ';') FROM sqlite_schema",
            [],
            |row| row.get(0),
        )?;
        let mut hasher = DefaultHasher::new();
        (GENERATION, schema).hash(&mut hasher);
        Ok(hasher.finish())
    }
}

/// Moves the write-ahead log into the database, so that one file contains everything.
fn checkpoint(database: &Path) -> Outcome {
    let connection = Connection::open(database)?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}
