//! What can be read by URI, and which events change it.
//!
//! `windlass://` is the scheme; `medulla://` (the knowledge contract), `ralph://` (the plan
//! contract), `job://` and `joblog://` (the commands contract) are aliases.

mod commands;
mod graph;
mod jobs;
mod plan;
mod schema;
mod secrets;
mod stats;
mod uri;

use tokio::sync::watch;
use windlass_core::{EntityId, EntityType, Error, ErrorKind, Event, EventType, Page, Result};
use windlass_store::EntityFilter;

use serde_json::Value as Json;

use crate::about::{About, Topic};
use crate::budget;
use crate::context::ReadContext;
use crate::focus::own_briefing;
use crate::interchange::snapshot_page;
use crate::knowledge::{EntityPage, TaskPage, blocked_page, default_budget};
use crate::outputs::EntityOutput;
use uri::{Address, Target};

const JSON: &str = "application/json";
const PLAIN: &str = "text/plain";
const MARKDOWN: &str = "text/markdown";

#[derive(Debug, Clone, Copy)]
pub struct ResourceInfo {
    pub uri: &'static str,
    pub name: &'static str,
    pub description: &'static str,
    pub mime_type: &'static str,
}

#[derive(Debug, Clone, Copy)]
pub struct TemplateInfo {
    pub uri_template: &'static str,
    pub name: &'static str,
    pub description: &'static str,
}

const fn resource(
    uri: &'static str,
    name: &'static str,
    description: &'static str,
) -> ResourceInfo {
    ResourceInfo {
        uri,
        name,
        description,
        mime_type: JSON,
    }
}

const fn template(
    uri_template: &'static str,
    name: &'static str,
    description: &'static str,
) -> TemplateInfo {
    TemplateInfo {
        uri_template,
        name,
        description,
    }
}

static RESOURCES: &[ResourceInfo] = &[
    ResourceInfo {
        mime_type: MARKDOWN,
        ..resource(
            "windlass://briefing",
            "briefing",
            "Your task, or the next ready one, with all that helps with it.",
        )
    },
    resource(
        "windlass://schema",
        "schema",
        "JSON schema of every entity type.",
    ),
    resource(
        "windlass://stats",
        "stats",
        "How many entities and relations there are.",
    ),
    resource("windlass://entities", "entities", "All entities."),
    resource("windlass://decisions", "decisions", "All decisions."),
    resource(
        "windlass://decisions/active",
        "active-decisions",
        "Decisions that were not superseded.",
    ),
    resource("windlass://tasks", "tasks", "All tasks."),
    resource(
        "windlass://tasks/active",
        "active-tasks",
        "Tasks that have not ended.",
    ),
    resource(
        "windlass://tasks/ready",
        "ready-tasks",
        "Tasks that can be worked on now.",
    ),
    resource(
        "windlass://tasks/blocked",
        "blocked-tasks",
        "Blocked tasks, and what blocks them.",
    ),
    resource("windlass://features", "features", "All features."),
    resource("windlass://disciplines", "disciplines", "All disciplines."),
    ResourceInfo {
        mime_type: PLAIN,
        ..resource(
            "windlass://progress",
            "progress",
            "What was done in this project, in order: progress.txt.",
        )
    },
    ResourceInfo {
        mime_type: PLAIN,
        ..resource(
            "windlass://learnings",
            "learnings",
            "The learnings of this project: learnings.txt.",
        )
    },
    resource("windlass://prompts", "prompts", "All prompts."),
    resource(
        "windlass://commands",
        "commands",
        "The commands of the repository, allowed ones first.",
    ),
    resource(
        "windlass://graph",
        "graph",
        "Entities and the relations between them.",
    ),
    ResourceInfo {
        mime_type: MARKDOWN,
        ..resource(
            "windlass://snapshot",
            "snapshot",
            "The overview of the project in Markdown, as sync_snapshot writes it.",
        )
    },
];

static TEMPLATES: &[TemplateInfo] = &[
    template(
        "windlass://entities{?type,status,tag,limit,offset}",
        "entities-filtered",
        "Entities, filtered and in pages.",
    ),
    template(
        "windlass://entities/{type}{?limit,offset}",
        "entities-by-type",
        "Entities of one type.",
    ),
    template(
        "windlass://entity/{id}",
        "entity",
        "One entity, by number or id.",
    ),
    template(
        "windlass://context/{topic}{?budget}",
        "context",
        "What is known about a topic, within a budget of tokens.",
    ),
    template(
        "windlass://decisions{?limit,offset}",
        "decisions-page",
        "Decisions in pages.",
    ),
    template(
        "windlass://tasks{?limit,offset}",
        "tasks-page",
        "Tasks in pages.",
    ),
    template(
        "windlass://tasks/due/{date}{?limit,offset}",
        "tasks-due",
        "Tasks due on a day.",
    ),
    template(
        "windlass://tasks/{id}",
        "task",
        "One task of the plan, with comments and dependencies.",
    ),
    template(
        "windlass://features/{name}",
        "feature",
        "One feature, with its learnings.",
    ),
    template(
        "windlass://disciplines/{name}",
        "discipline",
        "One discipline.",
    ),
    template(
        "windlass://graph{?limit,offset}",
        "graph-page",
        "The graph in pages.",
    ),
    template(
        "windlass://snapshot/{folder}/{page}",
        "snapshot-page",
        "One page of the snapshot, for example tasks/active.md.",
    ),
    template(
        "windlass://job/{pid}",
        "job",
        "One job: its command, start time, and how it ended.",
    ),
    template(
        "windlass://joblog/{pid}{?from}",
        "job-log",
        "The output of a job, from a byte on, in pages.",
    ),
];

/// Resources with a fixed URI.
pub fn resources() -> &'static [ResourceInfo] {
    RESOURCES
}

pub fn resource_templates() -> &'static [TemplateInfo] {
    TEMPLATES
}

/// The content of a resource as text, and its MIME type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceText {
    pub text: String,
    pub mime_type: &'static str,
}

/// Reads a resource.
pub async fn read_resource(context: &ReadContext, uri: &str) -> Result<ResourceText> {
    let address = Address::parse(uri)?;
    if let Target::Briefing = address.target {
        return Ok(ResourceText {
            text: own_briefing(context)?,
            mime_type: MARKDOWN,
        });
    }
    if let Target::Context(topic, budget) = &address.target {
        let topic = Topic::new(topic, budget.unwrap_or_else(default_budget)).map_err(|error| {
            Error::new(ErrorKind::InvalidResourceUri, error.message()).with("uri", uri)
        })?;
        // It embeds the topic, and so it may take some milliseconds.
        let about = context.offload(move |own| About::read(own, &topic)).await?;
        return Ok(ResourceText {
            text: about.to_markdown(),
            mime_type: MARKDOWN,
        });
    }
    if let Target::Snapshot(page) = &address.target {
        let text = snapshot_page(context, page.as_deref())?;
        let text = text.ok_or_else(|| nothing_there(uri, Error::entity_not_found(uri)))?;
        return Ok(ResourceText {
            text: shortened(text, context.output_budget),
            mime_type: MARKDOWN,
        });
    }
    if let Target::Journal(journal) = address.target {
        return Ok(ResourceText {
            text: journal.read(context)?.text,
            mime_type: PLAIN,
        });
    }
    Ok(ResourceText {
        text: fitted(
            secrets::hide(read_json(context, uri, address).await?),
            context.output_budget,
        ),
        mime_type: JSON,
    })
}

async fn read_json(context: &ReadContext, uri: &str, address: Address) -> Result<String> {
    let page = address.page;
    let list =
        |filter: EntityFilter| EntityPage::read(context, &filter, page).map(|page| json(&page));
    let of = EntityFilter::of;
    match &address.target {
        Target::Schema => Ok(schema::text()),
        Target::Stats => stats::text(context),
        Target::Entities(filter) => list(filter.clone()),
        Target::Entity(id) => {
            let entity = context
                .read(|reader| reader.entity(&reader.resolve("id", id)?))
                .map_err(|error| nothing_there(uri, error))?;
            Ok(json(&EntityOutput::whole(entity)))
        }
        Target::Decisions { active } => list(EntityFilter {
            active: *active,
            ..of(EntityType::Decision)
        }),
        Target::Tasks { active } => list(EntityFilter {
            active: *active,
            ..of(EntityType::Task)
        }),
        Target::TasksReady => TaskPage::read(context, None, page).map(|page| json(&page)),
        Target::TasksBlocked => context
            .read(|reader| {
                reader.consistently(|reader| blocked_page(reader, page, &context.naming))
            })
            .map(|page| json(&page)),
        Target::TasksDue(day) => list(EntityFilter {
            due_on: Some(day.clone()),
            ..of(EntityType::Task)
        }),
        Target::Task(id) => plan::task(context, id).map_err(|error| nothing_there(uri, error)),
        Target::Feature(name) => {
            plan::feature(context, name).map_err(|error| nothing_there(uri, error))
        }
        Target::Discipline(name) => {
            plan::discipline(context, name).map_err(|error| nothing_there(uri, error))
        }
        Target::Briefing => own_briefing(context),
        Target::Context(topic, _) => Ok(topic.clone()),
        Target::Journal(journal) => journal.read(context).map(|read| json(&read)),
        Target::Prompts => list(of(EntityType::Prompt)),
        Target::Graph => graph::text(context, page),
        Target::Snapshot(path) => Ok(snapshot_page(context, path.as_deref())?.unwrap_or_default()),
        Target::Commands => commands::text(context, page),
        Target::Job(pid) => jobs::job(context, *pid).map_err(|error| nothing_there(uri, error)),
        Target::JobLog(pid, from) => jobs::log(context, *pid, *from)
            .await
            .map_err(|error| nothing_there(uri, error)),
    }
}

/// A resource is shortened like the output of an operation.
fn fitted(text: String, budget: Option<usize>) -> String {
    let Some(budget) = budget.filter(|budget| text.len() > *budget) else {
        return text;
    };
    let mut value: Json = serde_json::from_str(&text).unwrap_or_default();
    budget::fit_plain(&mut value, budget);
    json(&value)
}

/// A page of Markdown that is longer than the caller's budget ends early, and says so.
fn shortened(text: String, budget: Option<usize>) -> String {
    let Some(budget) = budget.filter(|budget| text.len() > *budget) else {
        return text;
    };
    let mut end = budget;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let end = text[..end].rfind('\n').map_or(end, |line| line + 1);
    format!(
        "{}\n(cut here: sync_snapshot writes the whole page to a file)\n",
        &text[..end]
    )
}

fn json<T: serde::Serialize>(value: &T) -> String {
    // Plain data with text keys; serialising it cannot fail.
    serde_json::to_string(value).unwrap_or_default()
}

/// A subscribed URI, to be checked against events.
#[derive(Debug, Clone)]
pub struct Subscription {
    target: Target,
    /// The entity that the URI names.
    entity: Option<EntityId>,
    /// Changes with what no event reports: what a job writes, the files that define commands.
    output: Option<watch::Receiver<u64>>,
}

/// Checks that the URI names something that can be watched.
pub fn subscribe(context: &ReadContext, uri: &str) -> Result<Subscription> {
    let address = Address::parse(uri)?;
    let entity = match &address.target {
        Target::Entity(id) | Target::Task(id) => Some(
            context
                .read(|reader| reader.resolve("id", id))
                .map_err(|error| nothing_there(uri, error))?,
        ),
        Target::Feature(name) => Some(plan::id_of(context, EntityType::Feature, name, uri)?),
        Target::Discipline(name) => Some(plan::id_of(context, EntityType::Discipline, name, uri)?),
        _ => None,
    };
    let output = match &address.target {
        Target::Job(pid) | Target::JobLog(pid, _) => {
            jobs::output(context, *pid).map_err(|error| nothing_there(uri, error))?
        }
        Target::Commands => commands::changes(context)?,
        _ => None,
    };
    let by_output = matches!(address.target, Target::JobLog(..) | Target::Commands);
    Ok(Subscription {
        output: output.filter(|_| by_output),
        target: address.target,
        entity,
    })
}

impl Subscription {
    /// Whether the event may have changed what a reader of the URI sees.
    pub fn concerns(&self, event: &Event) -> bool {
        let is = |kind: EntityType| event.entity_type.as_deref() == Some(kind.name());
        match &self.target {
            // Files define commands, and no event reports a change of a file.
            Target::Schema | Target::Commands => false,
            // Whatever concerns a task may concern the next one.
            Target::Briefing => is(EntityType::Task),
            Target::Journal(journal) => {
                event.kind == EventType::JournalAppended.name()
                    && event.payload["file"] == journal.file_name()
            }
            Target::Entity(_) | Target::Task(_) | Target::Feature(_) | Target::Discipline(_) => {
                let id = self.entity.as_ref().map(EntityId::as_str);
                id.is_some() && id == event.entity.as_deref()
            }
            Target::Entities(filter) => event.entity_type.is_some() && filter.kind.is_none_or(is),
            Target::Job(pid) | Target::JobLog(pid, _) => {
                event.kind.starts_with("job.") && event.payload["pid"] == *pid
            }
            Target::Decisions { .. } => is(EntityType::Decision),
            Target::Tasks { .. }
            | Target::TasksReady
            | Target::TasksBlocked
            | Target::TasksDue(_) => is(EntityType::Task),
            Target::Prompts => is(EntityType::Prompt),
            Target::Context(..) => {
                event.entity_type.is_some() || event.kind == EventType::JournalAppended.name()
            }
            Target::Stats | Target::Graph | Target::Snapshot(_) => event.entity_type.is_some(),
        }
    }

    /// Ends when something changes that no event reports, where that is possible.
    pub fn output(&self) -> Option<impl Future<Output = ()> + Send + use<>> {
        let mut output = self.output.clone()?;
        Some(async move {
            if output.changed().await.is_err() {
                // A job that has ended writes nothing more.
                std::future::pending::<()>().await;
            }
        })
    }

    /// Whether something that no event reports has changed since the last check.
    pub fn take_change(&mut self) -> bool {
        let Some(output) = &mut self.output else {
            return false;
        };
        let changed = output.has_changed().unwrap_or(false);
        output.borrow_and_update();
        changed
    }
}

/// A URI of an unknown entity is a resource that does not exist.
fn nothing_there(uri: &str, error: Error) -> Error {
    let hint = match error.kind() {
        ErrorKind::EntityNotFound => "windlass://entities lists all entities.",
        ErrorKind::NameNotFound => "windlass://features and windlass://disciplines list them.",
        ErrorKind::JobNotFound => "[[job_list]] lists the jobs on record.",
        _ => return error,
    };
    Error::new(
        ErrorKind::ResourceNotFound,
        format!("There is nothing at {uri}"),
    )
    .with("uri", uri)
    .with_hint(hint)
}

/// The page that a URI asks for.
fn page_of(limit: Option<u32>, offset: Option<u32>) -> Result<Page> {
    let default = Page::default();
    Page::new(
        limit.unwrap_or(default.limit),
        offset.unwrap_or(default.offset),
    )
}
