//! The project as operations see it: its folder, its settings, the commands that it defines, and what
//! a person has allowed. Nothing here starts a process or changes the state.
//!
//! Everything in it is read when it is first needed: most processes never need the commands.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use windlass_commands::allowlist::{Allowlist, Owner};
use windlass_commands::{Command, Discovery, fingerprint};
use windlass_core::workflow::Phases;
use windlass_core::{Error, Result};
use windlass_store::Project;

use crate::config::{CommandsConfig, Config, WorkflowConfig};
use crate::job_host::Machine;
use crate::plain_file;
use crate::semantic::{Availability, Models};

/// The user who owns the list of the system.
const ROOT: u32 = 0;

/// The folders in which agents of a project write: its own, and that of the main worktree.
pub fn folders_of(project: &Project) -> Vec<PathBuf> {
    let folders = [project.root(), project.main_root()].into_iter();
    let folders = folders.map(|it| it.canonicalize().unwrap_or_else(|_| it.to_owned()));
    let mut folders: Vec<PathBuf> = folders.collect();
    folders.dedup();
    folders
}

pub struct Workspace {
    project: Project,
    machine: Machine,
    allowlist: Allowlist,
    config: OnceLock<Result<Config>>,
    discovery: OnceLock<Result<Discovery>>,
    models: Models,
}

impl Workspace {
    pub fn new(project: Project, machine: Machine) -> Self {
        let others = machine.other_allowlists.clone();
        let allowlist = Allowlist::new(machine.allowlist.clone(), others);
        let allowlist = allowlist.outside(folders_of(&project));
        Self {
            allowlist: match machine.system_allowlist.clone() {
                Some(file) => allowlist.with_system(file, Owner::Only(ROOT)),
                None => allowlist,
            },
            models: Models::new(machine.models.clone()),
            project,
            machine,
            config: OnceLock::new(),
            discovery: OnceLock::new(),
        }
    }

    pub fn root(&self) -> &Path {
        self.project.root()
    }

    /// What the paths of settings and playbooks are relative to.
    pub fn settings_root(&self) -> &Path {
        self.project.settings_root()
    }

    pub fn project(&self) -> &Project {
        &self.project
    }

    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    pub fn allowlist(&self) -> &Allowlist {
        &self.allowlist
    }

    /// The settings that count in this process: those that need a person's permission only if a person
    /// allowed the file as it was when this process first asked.
    pub fn config(&self) -> Result<&Config> {
        let config = self.config.get_or_init(|| match self.trusted_config()? {
            Some(trusted) => Ok(trusted),
            None => Ok(Config::load(&self.project)?.without_permission()),
        });
        config.as_ref().map_err(Clone::clone)
    }

    pub fn commands_config(&self) -> Result<&CommandsConfig> {
        self.config().map(|config| &config.commands)
    }

    pub fn discovery(&self) -> Result<&Discovery> {
        let discovery = self.discovery.get_or_init(|| {
            let root = self.root();
            // Worktrees share the state, and each has its own files.
            let name = format!(
                "commands-{}.json",
                &fingerprint(&root.to_string_lossy())[..16]
            );
            let kept = self.project.state().join(name);
            Discovery::new(root)
                .map(|discovery| {
                    if kept.parent().is_some_and(Path::is_dir) {
                        discovery.keeping(kept)
                    } else {
                        discovery
                    }
                })
                .map_err(|problem| Error::storage(format!("{}: {problem}", root.display())))
        });
        discovery.as_ref().map_err(Clone::clone)
    }

    /// The models of this user.
    pub fn models(&self) -> &Models {
        &self.models
    }

    /// Whether the settings let texts be found by their meaning.
    pub fn uses_meaning(&self) -> bool {
        self.config().is_ok_and(|config| config.search.semantic)
    }

    /// What turns texts into vectors, or why nothing does.
    pub fn meaning(&self) -> Availability {
        if self.uses_meaning() {
            self.models.model()
        } else {
            Availability::Off
        }
    }

    /// The variables that the settings let callers set, as long as a person allows the settings.
    pub fn allowed_env(&self) -> Result<Vec<String>> {
        let trusted = self.trusted_config()?;
        Ok(trusted.map_or_else(Vec::new, |config| config.commands.allow_env))
    }

    /// Whether runs without a playbook may execute anything.
    pub fn trusts_adhoc_runs(&self) -> Result<bool> {
        Ok(self
            .trusted_config()?
            .is_some_and(|config| config.runs.adhoc))
    }

    /// Whether the settings name runtimes that do not count, because nobody allowed the file as it is.
    pub fn has_unallowed_runtimes(&self) -> bool {
        let written = Config::load(&self.project).map(|config| config.runtimes);
        let counts = self.config().map(|config| &config.runtimes);
        matches!((written, counts), (Ok(written), Ok(counts)) if written != *counts)
    }

    /// Whether scripts run even where the system does not restrict their process.
    pub fn trusts_unjailed_scripts(&self) -> Result<bool> {
        if !self.config()?.code.unjailed {
            return Ok(false);
        }
        Ok(self
            .trusted_config()?
            .is_some_and(|config| config.code.unjailed))
    }

    /// The phases of a review. Disabling one counts only while a person allows the settings.
    pub fn phases(&self) -> Result<Phases> {
        Ok(self.workflow()?.phases())
    }

    /// The settings of the lifecycle that a person allows; the defaults otherwise.
    pub fn workflow(&self) -> Result<WorkflowConfig> {
        let trusted = self.trusted_config()?;
        Ok(trusted.map_or_else(WorkflowConfig::default, |config| config.workflow))
    }

    /// The settings as they are now, if a person allows exactly this text. They are a file of the
    /// repository, and agents can write those.
    fn trusted_config(&self) -> Result<Option<Config>> {
        let root = self.settings_root();
        let text = plain_file::read_text(&root.join(Config::FILE)).unwrap_or_default();
        let file = Command::of_text(Config::FILE, &text);
        if !self.allowlist.decide(root, &file).allowed {
            return Ok(None);
        }
        Config::parse(Config::FILE, &text).map(Some)
    }
}
