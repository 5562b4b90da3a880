//! Where things are: the programs that are measured, and the projects that they are measured on.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use rusqlite::Connection;
use tempfile::TempDir;
use windlass_store::{Project, Store};

use crate::generate::generate;
use crate::harness::Outcome;

/// Raised when the generator makes other projects than before.
const GENERATION: u32 = 2;
/// The version that is measured beside.
const DELA: &str = "0.0.6";

pub struct Places {
    /// The `windlass` that is measured.
    pub windlass: PathBuf,
    /// The server that does nothing.
    pub bare_echo: PathBuf,
    /// The same over HTTP.
    pub bare_echo_http: PathBuf,
    /// Generated projects are kept here from run to run.
    kept: PathBuf,
    /// Everything else is made here and goes away. It lies on the same disk.
    scratch: TempDir,
}

impl Places {
    /// Looks beside this program, where cargo puts the others.
    pub fn find(windlass: Option<PathBuf>) -> Outcome<Self> {
        let own = std::env::current_exe()?;
        let folder = own.parent().ok_or("this program lies nowhere")?;
        let kept = folder.with_file_name("bench");
        fs::create_dir_all(&kept)?;
        let places = Self {
            windlass: windlass.unwrap_or_else(|| folder.join("windlass")),
            bare_echo: folder.join("bare-echo"),
            bare_echo_http: folder.join("bare-echo-http"),
            scratch: tempfile::Builder::new().prefix("run-").tempdir_in(&kept)?,
            kept,
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

    /// A generated project for reading. Made once, then found again.
    pub fn project(&self, tasks: usize) -> Outcome<Project> {
        let folder = self
            .kept
            .join(format!("{:016x}-{tasks}", self.fingerprint()?));
        if !folder.is_dir() {
            // Made under another name first, so that half a project is never found.
            let making = self.scratch.path().join(format!("making-{tasks}"));
            let (project, _) = Project::init(&making)?;
            generate(&project, tasks)?;
            settle(&project.database())?;
            fs::rename(&making, &folder)?;
        }
        Ok(Project::find(&folder)?)
    }

    /// A copy of a generated project, for writing.
    pub fn copy(&self, name: &str, tasks: usize) -> Outcome<Project> {
        let source = self.project(tasks)?;
        let (copy, _) = Project::init(&self.scratch.path().join(name))?;
        fs::copy(source.database(), copy.database())?;
        Ok(copy)
    }

    /// An empty database with the pragmas of a project's.
    pub fn bare_database(&self, name: &str) -> Outcome<Connection> {
        let database = Connection::open(self.scratch.path().join(format!("{name}.db")))?;
        database.pragma_update(None, "journal_mode", "WAL")?;
        database.execute_batch("PRAGMA synchronous = FULL; PRAGMA cache_size = -16384;")?;
        Ok(database)
    }

    /// A folder that goes away with the run.
    pub fn scratch(&self) -> &Path {
        self.scratch.path()
    }

    /// The program of the same trade that listing is measured beside; built here once.
    pub fn dela(&self) -> Outcome<PathBuf> {
        let program = self.kept.join("tools/bin/dela");
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
                .arg(self.kept.join("tools"))
                .arg("dela")
                .status()?;
            if !status.success() {
                return Err(format!("dela {DELA} could not be installed").into());
            }
        }
        Ok(program)
    }

    /// Changes with the schema, so that no project of an older one is measured.
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

/// Moves the log into the database, so that one file is the whole of it.
fn settle(database: &Path) -> Outcome {
    let connection = Connection::open(database)?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}
