//! What every reader returns: items, and what is wrong with the source.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};
use windlass_core::{EntityId, EntityType, RelationType, Timestamp};

/// Where a plan comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Windlass,
    Beads,
    GitHub,
    Backlog,
    Medulla,
    Overseer,
    Ralph,
    Dela,
    Markdown,
    Todo,
}

impl Source {
    pub const ALL: [Self; 10] = [
        Self::Windlass,
        Self::Beads,
        Self::GitHub,
        Self::Backlog,
        Self::Medulla,
        Self::Overseer,
        Self::Ralph,
        Self::Dela,
        Self::Markdown,
        Self::Todo,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Windlass => "windlass",
            Self::Beads => "beads",
            Self::GitHub => "github",
            Self::Backlog => "backlog",
            Self::Medulla => "medulla",
            Self::Overseer => "overseer",
            Self::Ralph => "ralph",
            Self::Dela => "dela",
            Self::Markdown => "markdown",
            Self::Todo => "todo",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|source| source.name() == name)
    }
}

/// Where in the source a record is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    pub file: String,
    /// The first line of the record, from one.
    pub line: Option<usize>,
}

impl Place {
    pub fn new(file: &str, line: Option<usize>) -> Self {
        Self {
            file: file.to_owned(),
            line,
        }
    }
}

/// How much a problem matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The record cannot be imported: nothing is, unless the caller asks to go on without it.
    Broken,
    /// The record is imported, but not as it was: the problem says how.
    Note,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub severity: Severity,
    pub place: Place,
    /// The id that the record has in its source.
    pub record: Option<String>,
    pub message: String,
}

/// A comment with its author and its time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// The id in the source; found by its text if there is none.
    pub id: Option<String>,
    pub author: String,
    pub body: String,
    pub at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Learning {
    pub text: String,
    pub at: Option<Timestamp>,
}

/// A relation of an item to another record of the same source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub kind: RelationType,
    /// The id of the other record.
    pub other: String,
    /// Whether the relation goes from the other record to this one.
    pub reversed: bool,
    pub at: Option<Timestamp>,
}

/// One record of the source.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// The id in the source, unique in it.
    pub id: String,
    pub kind: EntityType,
    pub title: String,
    pub content: Option<String>,
    pub tags: Vec<String>,
    /// Fields in the words of Windlass.
    pub properties: Map<String, Json>,
    /// Fields that callers cannot set, such as when work ended.
    pub managed: BTreeMap<&'static str, String>,
    pub created_at: Option<Timestamp>,
    pub updated_at: Option<Timestamp>,
    pub parent: Option<String>,
    pub links: Vec<Link>,
    pub comments: Vec<Comment>,
    pub learnings: Vec<Learning>,
    pub place: Place,
    /// What only our own exports know.
    pub own: Option<Box<Own>>,
}

/// What an export of Windlass knows of an entity beyond what other tools know.
#[derive(Debug, Clone, PartialEq)]
pub struct Own {
    pub id: EntityId,
    pub number: i64,
    pub former_numbers: Vec<i64>,
    /// Comments, learnings and origins as they are stored, with their numbers.
    pub comments: Vec<(i64, Json)>,
    pub learnings: Vec<(i64, Json)>,
    pub origins: Vec<Json>,
}

impl Item {
    pub fn new(kind: EntityType, id: impl Into<String>, title: &str, place: Place) -> Self {
        Self {
            id: id.into(),
            kind,
            title: title.to_owned(),
            content: None,
            tags: Vec::new(),
            properties: Map::new(),
            managed: BTreeMap::new(),
            created_at: None,
            updated_at: None,
            parent: None,
            links: Vec::new(),
            comments: Vec::new(),
            learnings: Vec::new(),
            place,
            own: None,
        }
    }

    /// Sets a field, unless the value is empty.
    pub(crate) fn set(&mut self, field: &str, value: impl Into<Json>) {
        let value = value.into();
        let empty = match &value {
            Json::String(text) => text.trim().is_empty(),
            Json::Array(items) => items.is_empty(),
            Json::Null => true,
            _ => false,
        };
        if !empty {
            self.properties.insert(field.to_owned(), value);
        }
    }

    /// Adds a text below what the item says already, under a heading.
    pub(crate) fn add_section(&mut self, heading: &str, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        let section = if heading.is_empty() {
            text.to_owned()
        } else {
            format!("## {heading}\n\n{text}")
        };
        self.content = Some(match self.content.take() {
            Some(before) if !before.trim().is_empty() => {
                format!("{}\n\n{section}", before.trim_end())
            }
            _ => section,
        });
    }

    /// This record waits for another one.
    pub(crate) fn blocked_by(&mut self, other: impl Into<String>, at: Option<Timestamp>) {
        self.link(RelationType::Blocks, other, true, at);
    }

    pub(crate) fn link(
        &mut self,
        kind: RelationType,
        other: impl Into<String>,
        reversed: bool,
        at: Option<Timestamp>,
    ) {
        let link = Link {
            kind,
            other: other.into(),
            reversed,
            at,
        };
        let same =
            |it: &Link| (it.kind, &it.other, it.reversed) == (link.kind, &link.other, reversed);
        if link.other != self.id && !self.links.iter().any(same) {
            self.links.push(link);
        }
    }
}

/// Everything that was read.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    pub items: Vec<Item>,
    pub problems: Vec<Problem>,
    /// Commands that a person may run to allow what the source allowed. An import runs none of them.
    pub allow_commands: Vec<String>,
    /// How many records the source has, before any was left out.
    pub records: usize,
}

impl Plan {
    pub(crate) fn broken(
        &mut self,
        place: &Place,
        record: Option<&str>,
        message: impl Into<String>,
    ) {
        self.report(Severity::Broken, place, record, message.into());
    }

    pub(crate) fn note(&mut self, place: &Place, record: Option<&str>, message: impl Into<String>) {
        self.report(Severity::Note, place, record, message.into());
    }

    fn report(&mut self, severity: Severity, place: &Place, record: Option<&str>, message: String) {
        self.problems.push(Problem {
            severity,
            place: place.clone(),
            record: record.map(str::to_owned),
            message,
        });
    }
}
