//! A session: its record, its tools, and how it starts.

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use windlass_core::{
    Dialect, Entity, EntityId, EntityType, Error, ErrorKind, Patch, RecipeTool, Result, TaskStatus,
    ToolFilter,
};
use windlass_store::{NewSession, Project, Reader, SessionRecord, Store, TaskFilter, Writer};

use super::files::{self, ContextFile};
use super::recipes::{self, Toolbox};
use crate::arguments::Number;
use crate::context::Context;
use crate::git;
use crate::granted_texts::GrantedTexts;
use crate::operation::Entry;
use crate::view::{Render, Span, Style, View};

/// How long the task of a new session is kept for it until its client connects.
const LEASE_UNTIL_CONNECTED: u32 = 300;

/// The arguments for a new session.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
    pub recipe: &'a str,
    pub discipline: Option<&'a str>,
    pub feature: Option<&'a str>,
    pub task: Option<&'a Number>,
}

/// A started session, and where its files are.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct StartedSession {
    pub session: SessionOutput,
    /// What the session may use.
    pub context_path: String,
    /// The client's configuration to connect to it.
    pub config_path: String,
    /// Other programs that the client will start as MCP servers, by name.
    pub other_servers: Vec<String>,
    /// What to know about the claim on its task, if other machines share the tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim_note: Option<String>,
}

impl Render for StartedSession {
    fn view(&self) -> View {
        let mut view = View::default()
            .line([
                Span::new("Session ", Style::Good),
                Span::new(self.session.id.clone(), Style::Id),
            ])
            .fields(vec![
                ("context".to_owned(), Span::from(self.context_path.clone())),
                ("client".to_owned(), Span::from(self.config_path.clone())),
                (
                    "tools".to_owned(),
                    Span::from(self.session.tools.join(", ")),
                ),
            ]);
        if let Some(note) = &self.claim_note {
            view = view.line([Span::new(note.clone(), Style::Warning)]);
        }
        if !self.other_servers.is_empty() {
            let names = self.other_servers.join(", ");
            view = view.line([Span::new(
                format!("The discipline adds the servers {names}"),
                Style::Warning,
            )]);
        }
        let next = format!(
            "windlass session prompt {} prints its briefing",
            self.session.id
        );
        view.line([Span::new(next, Style::Dim)])
    }
}

/// A session on record.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SessionOutput {
    pub id: String,
    pub recipe: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discipline: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    /// The number of its task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<i64>,
    /// `started`, `running` (a client was launched) or `ended`.
    pub status: String,
    pub started_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// How its client exited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// The signal that closed it: done, partial or stuck.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closing: Option<String>,
    /// The tools that it started with.
    pub tools: Vec<String>,
}

impl SessionOutput {
    pub fn read(reader: &Reader<'_>, record: &SessionRecord) -> Result<Self> {
        let task = task_of(reader, record)?;
        Ok(Self {
            id: record.id.clone(),
            recipe: record.recipe.clone(),
            discipline: record.discipline.clone(),
            feature: record.feature.clone(),
            task_id: task.map(|task| task.number),
            status: record.status.clone(),
            started_at: record.started_at.as_str().to_owned(),
            ended_at: record.ended_at.as_ref().map(|at| at.as_str().to_owned()),
            exit_code: record.exit_code,
            closing: record.closing.clone(),
            tools: tools_of(record).into_iter().map(|tool| tool.name).collect(),
        })
    }
}

/// The task that a session is bound to; none if there is none, or it has been deleted.
pub fn task_of(reader: &Reader<'_>, record: &SessionRecord) -> Result<Option<Entity>> {
    match &record.task {
        Some(id) => match reader.entity(id) {
            Ok(task) => Ok(Some(task)),
            Err(error) if error.kind() == ErrorKind::EntityNotFound => Ok(None),
            Err(error) => Err(error),
        },
        None => Ok(None),
    }
}

/// The tools that the session started with. They are stored with it, so that no later change in the
/// project gives it more.
pub fn tools_of(record: &SessionRecord) -> Vec<RecipeTool> {
    let tools = record.details["tools"].as_array();
    tools
        .into_iter()
        .flatten()
        .filter_map(|tool| {
            Some(RecipeTool {
                name: tool["name"].as_str()?.to_owned(),
                fields: serde_json::from_value(tool["fields"].clone())
                    .ok()
                    .flatten(),
            })
        })
        .collect()
}

/// What a session may use now: what it started with, minus what its context file disables.
pub fn filter_of(store: &Store, project: &Project, id: &str) -> Result<Arc<ToolFilter>> {
    let record = store.read(None, |reader| reader.session(id))?;
    if record.has_ended() {
        return Err(ended(&record));
    }
    let off: BTreeSet<String> = files::read_context(project, id)?
        .map(|context| context.disabled_tools)
        .unwrap_or_default()
        .into_iter()
        .map(|name| {
            let known = recipes::resolve(&name);
            known.map_or(name, |entry: &Entry| {
                crate::access::tool_name(&entry.declaration).into_owned()
            })
        })
        .collect();
    let tools = tools_of(&record).into_iter();
    let filter = ToolFilter::new(tools.map(|tool| (tool.name, tool.fields)), &off);
    Ok(Arc::new(filter))
}

pub fn ended(record: &SessionRecord) -> Error {
    Error::new(
        ErrorKind::SessionEnded,
        format!("The session \"{}\" has ended", record.id),
    )
    .with("id", record.id.as_str())
    .with_hint("[[session_start]] starts a new one.")
}

/// Records a session, claims its task, and writes its files.
pub fn start(context: &Context, wanted: &Wanted<'_>) -> Result<StartedSession> {
    let project = context.workspace.project();
    let recipe = recipes::find(project, wanted.recipe)?;
    let works = recipe.tools.iter().any(|tool| tool.name == "done");
    let place = works.then(|| git::place(context.workspace.root()));
    let started = context.write_claiming(|writer| {
        let task = match wanted.task {
            Some(id) => Some(crate::plan::find_task(writer, "task", id)?),
            None if works => Some(next_ready(writer, context, &recipe.name)?),
            None => None,
        };
        let of_task = |field: &str| task.as_ref().and_then(|task| task.text(field));
        let discipline_name = wanted.discipline.or(of_task("discipline"));
        let discipline = recipes::discipline(writer, discipline_name)?;
        let feature = wanted.feature.or(of_task("feature"));
        if let Some(name) = feature {
            writer.by_name("feature", EntityType::Feature, name)?;
        }
        let toolbox = Toolbox::new(&recipe, discipline.as_ref());
        let id = fresh_id(&recipe.name, task.as_ref());
        let tools = toolbox.on.iter();
        let tools = tools.map(|tool| json!({"name": tool.name, "fields": tool.fields}));
        let record = writer.start_session(&NewSession {
            id: id.clone(),
            recipe: recipe.name.clone(),
            discipline: discipline_name.map(str::to_owned),
            feature: feature.map(str::to_owned),
            task: task.as_ref().map(|task| task.id.clone()),
            details: json!({
                "tools": tools.collect::<Vec<_>>(),
                "status_before": task.as_ref().and_then(Entity::status),
            }),
        })?;
        if let Some(task) = &task {
            let lease = Some(LEASE_UNTIL_CONNECTED);
            match &place {
                Some(place) => writer.start_task_for(&task.id, &id, lease, place)?,
                None => writer.claim(&task.id, &id, lease)?.task,
            };
        }
        let file = ContextFile {
            session_id: id.clone(),
            recipe: recipe.name.clone(),
            discipline: record.discipline.clone(),
            feature: record.feature.clone(),
            task_id: task.as_ref().map(|task| task.number),
            disabled_tools: toolbox.off.into_iter().map(|(name, _)| name).collect(),
        };
        let program = &context.workspace.machine().program;
        let root = context.workspace.root();
        let grants = GrantedTexts::of(&context.workspace);
        let config = files::client_config(program, root, &id, discipline.as_ref(), &grants)?;
        // Within the transaction: a session whose files cannot be written is not recorded.
        files::write(project, &file, &config)?;
        let names = config["mcpServers"].as_object().into_iter().flatten();
        Ok(StartedSession {
            claim_note: None,
            session: SessionOutput::read(writer, &record)?,
            context_path: files::context_path(project, &id).display().to_string(),
            config_path: files::config_path(project, &id).display().to_string(),
            other_servers: names
                .map(|(name, _)| name.clone())
                .filter(|name| name != "windlass")
                .collect(),
        })
    })?;
    Ok(StartedSession {
        claim_note: started.note,
        ..started.value
    })
}

/// The task for a session that was given none.
fn next_ready(writer: &Writer<'_>, context: &Context, recipe: &str) -> Result<Entity> {
    let next = writer.next_task(&context.origin.session, TaskFilter::default())?;
    next.ok_or_else(|| {
        Error::new(
            ErrorKind::NoTask,
            format!("task: a session of the recipe \"{recipe}\" needs one, and none is ready"),
        )
        .with("field", "task")
        .with_hint(
            "Name one that is not ready yet, or see what blocks the others: [[task_blocked]].",
        )
    })
}

/// `task_execution-7-3f9a01bc`: what kind, about what, and which.
fn fresh_id(recipe: &str, task: Option<&Entity>) -> String {
    let random = EntityId::random();
    let tail = &random.as_str()[..8];
    match task {
        Some(task) => format!("{recipe}-{}-{tail}", task.number),
        None => format!("{recipe}-{tail}"),
    }
}

/// Takes or renews the claim of a session on its task.
pub fn claim_task(writer: &Writer<'_>, record: &SessionRecord) -> Result<()> {
    if let Some(task) = task_of(writer, record)?
        && !task.task_status().is_some_and(|status| status.is_ended())
    {
        writer.claim(&task.id, &record.id, None)?;
    }
    Ok(())
}

/// Makes the task what it was before the session, which never worked on it.
pub fn put_back_task(writer: &Writer<'_>, record: &SessionRecord) -> Result<()> {
    release_task(writer, record)?;
    let Some(task) = task_of(writer, record)? else {
        return Ok(());
    };
    let before = record.details["status_before"].as_str();
    if let Some(before @ ("draft" | "pending")) = before
        && task.task_status() == Some(TaskStatus::InProgress)
        && writer.claim_of(&task.id)?.is_none()
    {
        let mut patch = Patch::default();
        patch.managed.insert("status", Some(before.to_owned()));
        writer.update(&task.id, &patch, Dialect::Plan)?;
    }
    Ok(())
}

/// Releases the claim, if the session holds it.
pub fn release_task(writer: &Writer<'_>, record: &SessionRecord) -> Result<()> {
    let Some(task) = task_of(writer, record)? else {
        return Ok(());
    };
    match writer.claim_of(&task.id)? {
        Some((owner, _)) if owner == record.id => writer.release(&task.id, &record.id).map(|_| ()),
        _ => Ok(()),
    }
}
