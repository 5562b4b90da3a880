//! The sample project that the examples of all operations work on.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use serde_json::{Value as Json, json};
use windlass_core::workflow::GateDefinition;
use windlass_core::{
    Actor, Dialect, Draft, Entity, EntityType, EventType, Origin, Patch, RelationType, Result,
    Timestamp,
};
use windlass_ops::RepositoryCommand;
use windlass_store::{
    Bindings, Collection, GateScope, JobEnd, NewJob, NewRun, NewSession, Project, RecordEdit,
    Store, Writer,
};

pub struct Sample {
    pub folder: Folder,
    pub project: Project,
    /// Stands for the user's `~/.config`, so that no real allowlist counts.
    pub config: Folder,
}

/// One of two folders beside each other: a list inside of a project would not be believed.
pub struct Folder {
    _base: Rc<tempfile::TempDir>,
    path: PathBuf,
}

impl Folder {
    fn new(base: &Rc<tempfile::TempDir>, path: PathBuf) -> Self {
        std::fs::create_dir_all(&path).expect("a folder");
        Self {
            _base: Rc::clone(base),
            path,
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The user's `~/.config` for the processes that work on a project: a folder beside it.
pub fn config_of(project: &Path) -> PathBuf {
    let name = project.file_name().unwrap_or_default().to_string_lossy();
    project.with_file_name(format!("{name}-config"))
}

pub fn origin() -> Origin {
    Origin {
        actor: Actor::Human,
        source: "test",
        session: "sample".into(),
        correlation_id: None,
    }
}

/// Where the processes of all tests note which projects are theirs: never in the real home.
pub fn state_home() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("state-home")
}

/// What `state_home` has on record.
pub fn bindings() -> Bindings {
    Bindings::new(state_home().join("windlass"))
}

/// The program under test.
pub fn windlass() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_windlass"));
    command.env("XDG_STATE_HOME", state_home());
    command
}

/// A project with nothing in it.
pub fn empty() -> Sample {
    let base = Rc::new(tempfile::tempdir().expect("a folder"));
    let root = base.path().join("project");
    let config = Folder::new(&base, config_of(&root));
    let folder = Folder::new(&base, root);
    let (project, _) = Project::init(folder.path()).expect("a project");
    Sample {
        folder,
        project,
        config,
    }
}

/// Adds a gate for all work as a person does, who allows its text by that.
pub fn add_gate(sample: &Sample, gate: &GateDefinition) {
    allow_gate(sample, gate);
    sample
        .store()
        .write(&origin(), |writer| writer.add_gate(&GateScope::Repo, gate))
        .expect("added");
}

/// Allows the text of a gate for the processes of the tests.
pub fn allow_gate(sample: &Sample, gate: &GateDefinition) {
    let allowlist = sample.config.path().join("windlass/allowlist.toml");
    let grants = windlass_ops::GrantedTexts::beside(&allowlist, sample.folder.path());
    grants
        .allow(windlass_ops::TextKind::Gate, &gate.name, &gate.command)
        .expect("allowed");
}

/// The allowlist of a person who allows all commands of a project by its folder, and each file of its
/// `.windlass` by its text.
pub fn allowlist_of_all(project: &Path) -> String {
    let project = project.canonicalize().expect("there");
    let mut entries = format!(
        "[[entries]]\npath = {}\nscope = \"Directory\"\n",
        json!(project)
    );
    let mut folders = vec![project.join(".windlass")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() && !path.ends_with("state") {
                folders.push(path);
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                entries.push_str(&grant_of_text(&project, &path, &text));
            }
        }
    }
    entries
}

fn grant_of_text(project: &Path, path: &Path, text: &str) -> String {
    let relative = path.strip_prefix(project).expect("inside");
    let file = RepositoryCommand::of_text(relative.to_str().expect("UTF-8"), text);
    let (name, pin) = (json!(file.name), json!(file.fingerprint));
    let path = json!(path);
    format!(
        "[[entries]]\npath = {path}\nscope = \"Task\"\ntasks = [{name}]\npins = {{ {name} = {pin} }}\n"
    )
}

/// A task of a person's.
pub fn task(sample: &Sample, title: &str) -> Entity {
    let draft = Draft::new(
        EntityType::Task,
        title,
        None,
        &[],
        &serde_json::Map::new(),
        Dialect::Knowledge,
    );
    sample
        .store()
        .write(&origin(), |writer| writer.create(draft?))
        .expect("created")
}

/// `run-1` was executed, `run-2` was not.
fn add_runs(writer: &Writer<'_>) -> Result<()> {
    let moment = |seconds: i64| Timestamp::from_millis(1_000_000 + seconds * 1000);
    let spec = json!({"title": "Say hello", "runtime": "dummy",
        "steps": [{"name": "Hello", "shell": "bash", "command": "echo hello"}]});
    for run_id in ["run-1", "run-2"] {
        let record = json!({"runId": run_id, "title": "Say hello", "runtime": "dummy",
            "status": "created", "createdAt": moment(0),
            "steps": [{"name": "Hello", "status": "pending"}]});
        writer.run_created(&NewRun {
            run_id: run_id.into(),
            runtime: "dummy".into(),
            playbook_id: None,
            parent_run_id: None,
            created_at: moment(0),
            spec: json!({ "spec": spec }),
            record,
        })?;
    }
    let record = json!({"runId": "run-1", "title": "Say hello", "runtime": "dummy",
        "status": "success", "createdAt": moment(0), "startedAt": moment(1),
        "completedAt": moment(2), "durationMs": 1000,
        "steps": [{"name": "Hello", "status": "success", "exitCode": 0, "stdout": "hello",
            "stderr": "", "startedAt": moment(1), "completedAt": moment(2), "durationMs": 1000}]});
    writer.run_started("run-1", &json!({}), &record)?;
    writer.run_ended("run-1", "success", &record)?;
    Ok(())
}

/// Writes a program.
pub fn executable(path: &Path, text: &str) {
    std::fs::write(path, text).expect("written");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(path, mode).expect("made executable");
}

/// What the repository of the sample knows how to run: `build` by make, `greet` by a script. Job 4711
/// ran once.
fn add_commands(sample: &Sample) {
    let folder = sample.folder.path();
    std::fs::write(folder.join("Makefile"), "build:\n\t@echo built\n").expect("written");
    executable(&folder.join("greet.sh"), "#!/bin/sh\necho Hello $1\n");
    let job = NewJob {
        pid: 4711,
        unique_name: "build".into(),
        started_at: Timestamp::from_millis(1_000_000),
        owner: json!({}),
        details: json!({"source_name": "build", "command": "make build", "cwd": ".", "file_path": "Makefile"}),
    };
    let end = JobEnd {
        state: "exited",
        ended_at: Timestamp::from_millis(1_002_000),
        exit_code: Some(0),
        reason: None,
        tail: Some("compiling\nerror: none\nbuilt".into()),
        total_bytes: Some(28),
    };
    sample
        .store()
        .write(&origin(), |writer| {
            let id = writer.job_started(&job)?;
            writer.job_ended(id, &end)?;
            add_runs(writer)
        })
        .expect("recorded");
}

/// #1 and #5 are decisions, #2 and #3 tasks, #4 a note; 2 blocks 3 and implements 1.
pub fn filled() -> Sample {
    let sample = empty();
    let store = sample.store();
    store
        .write(&origin(), |writer| {
            let rows = [
                (
                    EntityType::Decision,
                    "Use PostgreSQL",
                    "We need a database.",
                    "database",
                    "accepted",
                ),
                (
                    EntityType::Task,
                    "Set up auth",
                    "Log in and out.",
                    "auth",
                    "todo",
                ),
                (EntityType::Task, "Deploy", "To production.", "ops", "todo"),
                (
                    EntityType::Note,
                    "Meeting notes",
                    "Nobody came.",
                    "meeting",
                    "",
                ),
                (
                    EntityType::Decision,
                    "Use SQLite",
                    "One file.",
                    "storage",
                    "proposed",
                ),
            ];
            let made = rows
                .into_iter()
                .map(|row| create(writer, row))
                .collect::<Result<Vec<Entity>>>()?;
            writer.relate(&made[1], RelationType::Blocks, &made[2])?;
            writer.relate(&made[1], RelationType::Implements, &made[0])
        })
        .expect("written");
    drop(store);
    add_commands(&sample);
    add_plan(&sample);
    sample
}

/// #6 is a task and #7 a draft of the feature auth (#8), which search (#9) does not need; the crafts
/// are backend and docs. The session focus-2-sample works on #2.
fn add_plan(sample: &Sample) {
    let store = sample.store();
    let named = |kind, name: &str, title: &str, more: Json| {
        let mut properties = json!({"name": name});
        if let (Some(all), Some(more)) = (properties.as_object_mut(), more.as_object()) {
            all.extend(more.clone());
        }
        plan_draft(kind, title, properties)
    };
    store
        .write(&origin(), |writer| {
            let auth = named(EntityType::Feature, "auth", "Authentication", json!({"acronym": "AUTH"}));
            let search = named(EntityType::Feature, "search", "Search", json!({}));
            let overrides = json!({"icon": "🧱", "color": "blue", "system_prompt": "Check every input.",
                "mcp_tool_overrides": {"additional_disabled": ["create_task"]}});
            let backend = named(EntityType::Discipline, "backend", "Backend", overrides);
            let docs = named(EntityType::Discipline, "docs", "Documentation", json!({}));
            // The numbers 6 and 7 are for the tasks, which need the others to exist.
            let belongs = json!({"feature": "auth", "discipline": "backend"});
            let login = plan_draft(EntityType::Task, "Log in with a password", json!({}));
            let reset = plan_draft(EntityType::Task, "Reset a password", json!({"status": "draft"}));
            let login = writer.create(login)?;
            let reset = writer.create(reset)?;
            for draft in [auth, search, backend, docs] {
                writer.create(draft)?;
            }
            let patch = Patch {
                properties: belongs.as_object().cloned().unwrap_or_default(),
                ..Patch::default()
            };
            writer.update(&login.id, &patch, Dialect::Plan)?;
            writer.update(&reset.id, &patch, Dialect::Plan)?;
            let comment = json!({"author": "ann", "body": "Use bcrypt", "created_at": "2026-01-01T00:00:00.000Z"});
            let edits = [RecordEdit::Add(comment)];
            let event = (EventType::CommentAdded, &json!({}));
            writer.edit_records(&login, Collection::Comments, &edits, event)?;
            let verbs = ["begin", "done", "partial", "stuck", "ask", "flag", "learned", "suggest", "blocked"];
            let tools: Vec<Json> = verbs.iter().map(|verb| json!({"name": verb, "fields": null})).collect();
            writer.start_session(&NewSession {
                id: "focus-2-sample".into(),
                recipe: "focus".into(),
                discipline: None,
                feature: None,
                task: Some(writer.resolve("id", "2")?),
                details: json!({"tools": tools}),
            })
        })
        .expect("planned");
}

fn plan_draft(kind: EntityType, title: &str, properties: Json) -> Draft {
    let properties = properties.as_object().cloned().unwrap_or_default();
    Draft::new(kind, title, None, &[], &properties, Dialect::Plan).expect("valid")
}

fn create(writer: &Writer<'_>, row: (EntityType, &str, &str, &str, &str)) -> Result<Entity> {
    let (kind, title, content, tag, status) = row;
    let properties = if status.is_empty() {
        json!({})
    } else {
        json!({"status": status})
    };
    let properties = properties.as_object().cloned().unwrap_or_default();
    let tags = [tag.to_owned()];
    let draft = Draft::new(
        kind,
        title,
        Some(content),
        &tags,
        &properties,
        Dialect::Knowledge,
    )?;
    writer.create(draft)
}

impl Sample {
    pub fn store(&self) -> Store {
        Store::open_bound(&self.project, &bindings()).expect("a store")
    }
}
