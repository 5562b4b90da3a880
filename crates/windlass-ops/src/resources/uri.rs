//! The URIs of resources, taken apart.

use windlass_core::{Date, Dialect, EntityType, Error, ErrorKind, Page, Result, nearest};
use windlass_store::EntityFilter;

use super::{RESOURCES, page_of};
use crate::plan::Journal;

/// The scheme of Windlass, and those of the knowledge and the plan contract.
const SCHEMES: [&str; 3] = ["windlass://", "medulla://", "ralph://"];

/// What a URI names.
#[derive(Debug, Clone)]
pub(super) enum Target {
    Briefing,
    /// What is known about a topic, in so many tokens.
    Context(String, Option<u32>),
    Schema,
    Stats,
    Entities(EntityFilter),
    Entity(String),
    Decisions {
        active: bool,
    },
    Tasks {
        active: bool,
    },
    TasksReady,
    TasksBlocked,
    TasksDue(String),
    /// A task with its comments and dependencies, as the plan shows it.
    Task(String),
    Feature(String),
    Discipline(String),
    Journal(Journal),
    Prompts,
    Graph,
    /// A page of the snapshot, by its path; the overview if it has none.
    Snapshot(Option<String>),
    /// The commands of the repository.
    Commands,
    Job(i32),
    /// From which byte on.
    JobLog(i32, u64),
}

/// What a URI names, and which page of it.
#[derive(Debug, Clone)]
pub(super) struct Address {
    pub(super) target: Target,
    pub(super) page: Page,
}

impl Address {
    pub(super) fn parse(uri: &str) -> Result<Self> {
        let ours = SCHEMES.iter().find_map(|scheme| uri.strip_prefix(scheme));
        let alias = ["job", "joblog"].iter().find_map(|scheme| {
            let rest = uri.strip_prefix(scheme)?.strip_prefix("://")?;
            Some(format!("{scheme}/{rest}"))
        });
        let rest = ours
            .or(alias.as_deref())
            .ok_or_else(|| invalid(uri, "it does not begin with windlass://"))?;
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let path = path.strip_suffix('/').unwrap_or(path);
        let query = Query::parse(uri, query)?;
        let segments: Vec<String> = path
            .split('/')
            .map(|segment| decode(uri, segment))
            .collect::<Result<_>>()?;
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        let target = match segments.as_slice() {
            ["briefing"] => Target::Briefing,
            ["context", topic @ ..] if !topic.is_empty() => {
                Target::Context(topic.join("/"), query.budget)
            }
            ["schema"] => Target::Schema,
            ["stats"] => Target::Stats,
            ["commands"] => Target::Commands,
            ["entities"] => Target::Entities(query.filter.clone()),
            ["entities", kind] => Target::Entities(EntityFilter {
                kind: Some(parse_type(uri, kind)?),
                ..query.filter.clone()
            }),
            ["entity", id] => Target::Entity((*id).to_owned()),
            ["decisions"] => Target::Decisions { active: false },
            ["decisions", "active"] => Target::Decisions { active: true },
            ["tasks"] => Target::Tasks { active: false },
            ["tasks", "active"] => Target::Tasks { active: true },
            ["tasks", "ready"] => Target::TasksReady,
            ["tasks", "blocked"] => Target::TasksBlocked,
            ["tasks", "due", day] => {
                let day =
                    Date::parse("date", day).map_err(|error| invalid(uri, error.message()))?;
                Target::TasksDue(day.as_str().to_owned())
            }
            ["tasks", id] => Target::Task((*id).to_owned()),
            ["features"] => Target::Entities(EntityFilter::of(EntityType::Feature)),
            ["features", name] => Target::Feature((*name).to_owned()),
            ["disciplines"] => Target::Entities(EntityFilter::of(EntityType::Discipline)),
            ["disciplines", name] => Target::Discipline((*name).to_owned()),
            ["progress"] => Target::Journal(Journal::Progress),
            ["learnings"] => Target::Journal(Journal::Learnings),
            ["prompts"] => Target::Prompts,
            ["graph"] => Target::Graph,
            ["snapshot"] => Target::Snapshot(None),
            ["snapshot", page @ ..] => Target::Snapshot(Some(page.join("/"))),
            ["job", pid] => Target::Job(parse_pid(uri, pid)?),
            ["joblog", pid] => Target::JobLog(parse_pid(uri, pid)?, query.from.unwrap_or(0)),
            _ => return Err(unknown(uri)),
        };
        Ok(Self {
            target,
            page: page_of(query.limit, query.offset)
                .map_err(|error| invalid(uri, error.message()))?,
        })
    }
}

/// What follows the question mark.
#[derive(Debug, Default)]
struct Query {
    limit: Option<u32>,
    offset: Option<u32>,
    from: Option<u64>,
    budget: Option<u32>,
    filter: EntityFilter,
}

impl Query {
    fn parse(uri: &str, text: &str) -> Result<Self> {
        let mut query = Self {
            filter: EntityFilter {
                dialect: Some(Dialect::Knowledge),
                ..EntityFilter::default()
            },
            ..Self::default()
        };
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = decode(uri, value)?;
            let count = || {
                value
                    .parse::<u32>()
                    .map_err(|_| invalid(uri, &format!("{key} is not a count")))
            };
            match key {
                "limit" => query.limit = Some(count()?),
                "offset" => query.offset = Some(count()?),
                "budget" => query.budget = Some(count()?),
                "from" => {
                    let byte = value.parse();
                    query.from = Some(byte.map_err(|_| invalid(uri, "from is not a byte"))?);
                }
                "type" => query.filter.kind = Some(parse_type(uri, &value)?),
                "status" => query.filter.status = Some(value),
                "tag" => query.filter.tag = Some(value),
                _ => return Err(invalid(uri, &format!("it has no parameter \"{key}\""))),
            }
        }
        Ok(query)
    }
}

fn parse_type(uri: &str, word: &str) -> Result<EntityType> {
    EntityType::parse(word)
        .map_err(|error| invalid(uri, error.message()).with_hint(error.hint().unwrap_or_default()))
}

fn parse_pid(uri: &str, text: &str) -> Result<i32> {
    let pid = text.parse().ok().filter(|pid| *pid > 0);
    pid.ok_or_else(|| invalid(uri, "a job is named by its PID"))
}

/// Undoes percent-encoding.
fn decode(uri: &str, text: &str) -> Result<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        if *first != b'%' {
            bytes.push(*first);
            rest = tail;
            continue;
        }
        let byte = tail
            .get(..2)
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok())
            .ok_or_else(|| invalid(uri, "its percent-encoding is broken"))?;
        bytes.push(byte);
        rest = &tail[2..];
    }
    String::from_utf8(bytes).map_err(|_| invalid(uri, "it is not UTF-8"))
}

fn invalid(uri: &str, why: &str) -> Error {
    Error::new(
        ErrorKind::InvalidResourceUri,
        format!("\"{uri}\" is not a resource: {why}"),
    )
    .with("uri", uri)
}

fn unknown(uri: &str) -> Error {
    let known = RESOURCES.iter().map(|resource| resource.uri);
    let error = invalid(uri, "there is no such path");
    match nearest(uri, known) {
        Some(near) => error.with_hint(format!("Did you mean {near}?")),
        None => error.with_hint("resources/list and resources/templates/list list all resources."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_uris() {
        for uri in [
            "windlass://schema",
            "medulla://stats",
            "windlass://entities?type=task&status=todo&tag=a%20b&limit=5&offset=10",
            "medulla://entities/task",
            "windlass://entities/decisions",
            "windlass://entity/7",
            "medulla://tasks/due/2026-02-01?limit=100",
            "windlass://graph/",
            "windlass://job/4711",
            "job://4711",
            "windlass://joblog/4711?from=8192",
            "joblog://4711?from=0",
            "windlass://tasks/7",
            "ralph://tasks/7",
            "ralph://features/auth",
            "windlass://disciplines/front-end",
            "ralph://progress",
            "windlass://learnings",
        ] {
            assert!(Address::parse(uri).is_ok(), "{uri}");
        }
    }

    #[test]
    fn refused_uris() {
        for uri in [
            "",
            "windlass:/schema",
            "http://example.com",
            "windlass://",
            "windlass://nothing",
            "windlass://entities/bug",
            "windlass://entities?type=bug",
            "windlass://entity",
            "windlass://entity/1/2",
            "windlass://tasks/due/tomorrow",
            "windlass://tasks?limit=0",
            "windlass://tasks?limit=101",
            "windlass://tasks?limit=x",
            "windlass://tasks?colour=red",
            "windlass://entity/%zz",
            "windlass://entity/%ff",
            "windlass://job/0",
            "job://make",
            "joblog://1?from=x",
        ] {
            let error = Address::parse(uri).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidResourceUri, "{uri}");
            assert_eq!(error.data()["uri"], uri);
        }
    }
}
