use crate::prelude::*;
use serde_json::Value as Json;
use windlass_core::{EntityId, Event, EventType};
use windlass_store::{EventFilter, Reader};

use super::difference::DifferenceOutput;

/// Who acts: the values of `actor`.
const ACTORS: [&str; 2] = ["human", "agent"];

pub struct EventList;

/// What changed, newest first.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// After this one, oldest first.
    #[serde(default)]
    #[arg(long)]
    pub after: Option<i64>,
    /// Number or id.
    #[serde(default)]
    #[arg(long)]
    pub entity: Option<Id>,
    /// Such as entity.created.
    #[serde(rename = "type", default)]
    #[arg(id = "type", long = "type", value_name = "TYPE")]
    pub kind: Option<String>,
    /// human, agent.
    #[serde(default)]
    #[arg(long)]
    pub actor: Option<String>,
    /// Of one request.
    #[serde(default)]
    #[arg(long)]
    pub correlation_id: Option<String>,
    /// How many to return, 1 to 100.
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub limit: Limit<20>,
    /// How many to skip. With it, the total is returned too.
    #[serde(default)]
    #[arg(long)]
    pub offset: Option<u32>,
    /// With ids.
    #[serde(default)]
    #[arg(long)]
    pub verbose: bool,
    /// With old and new values.
    #[serde(default)]
    #[arg(long)]
    pub diff: bool,
}

/// One change.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventOutput {
    pub seq: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub at: String,
    pub actor: String,
    pub source: String,
    pub session: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity_type: Option<String>,
    /// The number of the entity, if the entity still exists or the event names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity_number: Option<i64>,
    /// The current title of the entity, or the one that the event names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity_title: Option<String>,
    /// What changed, by event type.
    pub payload: serde_json::Map<String, Json>,
    /// The changed fields, if asked for. Absent where what was replaced is not kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differences: Option<Vec<DifferenceOutput>>,
}

impl From<Event> for EventOutput {
    fn from(event: Event) -> Self {
        let number = event.payload["number"].as_i64();
        let title = event.payload["title"].as_str().map(str::to_owned);
        Self {
            entity_number: number,
            entity_title: title,
            seq: event.seq,
            id: Some(event.id),
            at: event.at.to_seconds(),
            actor: event.actor,
            source: event.source,
            session: event.session,
            correlation_id: event.correlation_id,
            kind: event.kind,
            entity_id: event.entity,
            entity_type: event.entity_type,
            payload: match event.payload {
                Json::Object(payload) => payload,
                _ => serde_json::Map::new(),
            },
            differences: None,
        }
    }
}

impl EventOutput {
    /// Without what the numbers of the event and of its entity, and its title, say already.
    #[must_use]
    pub fn brief(mut self) -> Self {
        self.id = None;
        if self.entity_number.is_some() {
            self.entity_id = None;
            self.payload.shift_remove("number");
        }
        if self.entity_title.is_some() {
            self.payload.shift_remove("title");
        }
        self
    }

    /// An event with the number and the title of its entity.
    pub fn named(reader: &Reader<'_>, event: Event) -> Self {
        let mut output = Self::from(event);
        let id = output.entity_id.as_deref().map(EntityId::from_stored);
        // A deleted entity has only the title that the event stores.
        if let Some(entity) = id.and_then(|id| reader.entity(&id).ok()) {
            output.entity_number = Some(entity.number);
            output.entity_title.get_or_insert(entity.title);
        }
        output
    }
}

/// A piece of the history.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Events {
    pub events: Vec<EventOutput>,
    /// How many match in all, if an offset was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
}

impl Render for Events {
    fn view(&self) -> View {
        if self.events.iter().any(|event| event.differences.is_some()) {
            return Self::differences_of(&self.events);
        }
        Self::view_of(&self.events)
    }
}

impl Events {
    /// Each event with its differences below it.
    fn differences_of(events: &[EventOutput]) -> View {
        let mut view = View::default();
        for (place, event) in events.iter().enumerate() {
            if place > 0 {
                view = view.blank();
            }
            view = view.line([
                Span::new(event.seq.to_string(), Style::Id),
                "  ".into(),
                Span::new(event.at.clone(), Style::Time),
                Span::from(format!(
                    "  {} ({})  {}  ",
                    event.actor, event.source, event.kind
                )),
                Span::new(what(event), Style::Strong),
            ]);
            view = match &event.differences {
                Some(differences) => differences.iter().fold(view, |view, it| it.add_to(view)),
                None if event.kind == EventType::EntityUpdated.name() => {
                    view.line([Span::new("    what it replaced is not kept", Style::Dim)])
                }
                None => view,
            };
        }
        view
    }

    /// Events as a person sees them, in the order given.
    pub fn view_of(events: &[EventOutput]) -> View {
        if events.is_empty() {
            return View::nothing("No events.");
        }
        let columns = vec![
            Column::new("SEQ").right(),
            Column::new("AT"),
            Column::new("WHO"),
            Column::new("EVENT"),
            Column::new("WHAT").shrinking(),
        ];
        let rows = events
            .iter()
            .map(|event| {
                vec![
                    Span::new(event.seq.to_string(), Style::Id),
                    Span::new(event.at.clone(), Style::Time),
                    Span::from(format!("{} ({})", event.actor, event.source)),
                    Span::from(event.kind.clone()),
                    Span::from(what(event)),
                ]
            })
            .collect();
        View::default().table(columns, rows)
    }
}

/// Enough of an id to find it by.
fn short(id: &str) -> String {
    id.chars().take(8).collect()
}

fn what(event: &EventOutput) -> String {
    let mut text = match (event.entity_number, &event.entity_title) {
        (Some(number), Some(title)) => format!("#{number} {title}"),
        (Some(number), None) => format!("#{number}"),
        _ => event.entity_id.iter().map(|id| short(id)).collect(),
    };
    if let (Some(kind), Some(target)) = (
        event.payload.get("relation_type").and_then(Json::as_str),
        event.payload.get("target_number").and_then(Json::as_i64),
    ) {
        text = format!("{text} {kind} #{target}");
    }
    if let (Some(name), Some(pid)) = (
        event.payload.get("unique_name").and_then(Json::as_str),
        event.payload.get("pid").and_then(Json::as_i64),
    ) {
        text = format!("{name}, job {pid}");
    }
    if let (Some(change), Some(path)) = (
        event.payload.get("change").and_then(Json::as_str),
        event.payload.get("path").and_then(Json::as_str),
    ) {
        text = format!("{change} {path}");
    }
    if let (Some(name), Some(attempt)) = (
        event.payload.get("name").and_then(Json::as_str),
        event.payload.get("attempt").and_then(Json::as_i64),
    ) {
        text = format!("{text} gate {name}, attempt {attempt}");
    } else if let (Some(review), Some(status)) = (
        event.payload.get("review").and_then(Json::as_i64),
        event.payload.get("status").and_then(Json::as_str),
    ) {
        text = format!("{text} review {review}: {status}");
    }
    if let Some(Json::Object(changes)) = event.payload.get("changes") {
        let names: Vec<&str> = changes.keys().map(String::as_str).collect();
        text = format!("{text}: {}", names.join(", "));
    }
    if let Some(from) = event.payload.get("imported_from").and_then(Json::as_str) {
        // An import as a whole concerns no single entity.
        let before = if text.is_empty() { "" } else { " " };
        text = format!("{text}{before}(imported from {from})");
    }
    text
}

impl ReadOperation for EventList {
    type Input = Input;
    type Output = Events;

    const DECLARATION: Declaration = Declaration::read("event_list", Toolset::Knowledge)
        .sdk("events.list")
        .errors(ErrorStyle::Result)
        .examples(&[Example::call(
            "What happened to task 2",
            r#"{"entity": "2"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<Events> {
        let page = input.limit.page(input.offset.unwrap_or(0))?;
        if let Some(actor) = &input.actor
            && !ACTORS.contains(&actor.as_str())
        {
            return Err(Error::invalid_enum("actor", actor, &ACTORS));
        }
        if let Some(kind) = &input.kind
            && EventType::parse(kind).is_none()
        {
            let known: Vec<&str> = EventType::ALL.iter().map(|kind| kind.name()).collect();
            return Err(Error::invalid_enum("type", kind, &known));
        }
        context.read(|reader| {
            let entity = input
                .entity
                .as_ref()
                .map(|id| {
                    // What was deleted has a history too.
                    let living = reader.resolve("entity", &id.0);
                    living.or_else(|error| reader.resolve_deleted(&id.0).map_err(|_| error))
                })
                .transpose()?;
            let filter = EventFilter {
                after: input.after.unwrap_or(0),
                entity: entity.map(|id| id.as_str().to_owned()),
                kind: input.kind.clone(),
                correlation_id: input.correlation_id.clone(),
                actor: input.actor.clone(),
                newest_first: input.after.is_none(),
                limit: page.limit,
                offset: page.offset,
            };
            let total = input.offset.map(|_| reader.count_events(&filter));
            let mut events = Vec::new();
            for event in reader.events(&filter)? {
                let mut output = EventOutput::named(reader, event);
                if input.diff {
                    let found = reader.differences(output.seq)?;
                    output.differences =
                        found.map(|it| it.into_iter().map(DifferenceOutput::from).collect());
                }
                events.push(if input.verbose {
                    output
                } else {
                    output.brief()
                });
            }
            Ok(Events {
                events,
                total: total.transpose()?,
            })
        })
    }
}
