//! What a state has in it that runs something or tells agents what to do: what a person looks at
//! before they trust a state that came from elsewhere.

use std::fs;
use std::path::Path;

use serde::Serialize;
use windlass_core::{EntityType, Error, McpServer, Page, Result};
use windlass_store::{EntityFilter, Project, ReviewFilter, Store};

use crate::view::{Render, Span, Style, View};

/// The most of each kind that is shown.
const MOST: u32 = 100;
/// A folder with more entries than this is not looked through.
const MOST_FILES: usize = 100_000;

/// The files of the project that settings and plans are read from, beside the state.
const FILES: &[&str] = &[
    "config.toml",
    "gates.toml",
    "playbooks",
    "recipes",
    "learnings.txt",
    "progress.txt",
    "packs",
];

#[derive(Debug, Default, Serialize)]
pub struct StateContents {
    /// How much there is.
    pub entities: u64,
    pub gates: Vec<GateText>,
    pub servers: Vec<ServerText>,
    /// Active reviews, with their state.
    pub reviews: Vec<String>,
    /// Sessions that have not ended.
    pub sessions: Vec<String>,
    /// Files and folders of `.windlass` that count beside the state. Each needs its own permission.
    pub files: Vec<String>,
}

/// A gate and what it would run.
#[derive(Debug, Serialize)]
pub struct GateText {
    pub name: String,
    pub command: String,
}

/// A server that a discipline would start, with its command line.
#[derive(Debug, Serialize)]
pub struct ServerText {
    pub discipline: String,
    pub name: String,
    pub command: String,
}

impl StateContents {
    pub fn read(store: &Store, project: &Project) -> Result<Self> {
        let page = Page {
            limit: MOST,
            offset: 0,
        };
        let mut contents = store.read(None, |reader| {
            let gates = reader.gates()?.into_iter().map(|gate| GateText {
                name: gate.definition.name,
                command: gate.definition.command,
            });
            let (_, entities) = reader.entities(&EntityFilter::default(), page)?;
            let disciplines = EntityFilter {
                kind: Some(EntityType::Discipline),
                ..EntityFilter::default()
            };
            let mut servers = Vec::new();
            for discipline in reader.entities(&disciplines, page)?.0 {
                let of_it = McpServer::all_of(discipline.text("mcp_servers"));
                servers.extend(of_it.into_iter().map(|server| ServerText {
                    discipline: discipline.title.clone(),
                    name: server.name,
                    command: format!("{} {}", server.command, server.args.join(" ")),
                }));
            }
            let active = ReviewFilter {
                active: true,
                ..ReviewFilter::default()
            };
            let reviews = reader.reviews(&active, page)?.into_iter();
            let (sessions, _) = reader.sessions(true, page)?;
            Ok(Self {
                entities,
                gates: gates.collect(),
                servers,
                reviews: reviews
                    .map(|review| format!("{} ({})", review.number, review.status.name()))
                    .collect(),
                sessions: sessions.into_iter().map(|session| session.id).collect(),
                files: Vec::new(),
            })
        })?;
        let there = |name: &&&str| project.folder().join(name).symlink_metadata().is_ok();
        contents.files = FILES
            .iter()
            .filter(there)
            .map(|name| format!(".windlass/{name}"))
            .collect();
        Ok(contents)
    }
}

/// Refuses a state with links, pipes or the like in it: what is written there would end up elsewhere.
pub fn check_plain(state: &Path) -> Result<()> {
    let mut folders = vec![state.to_owned()];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        let failed =
            |problem: std::io::Error| Error::storage(format!("{}: {problem}", folder.display()));
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let kind = path.symlink_metadata().map_err(failed)?.file_type();
            seen += 1;
            if kind.is_dir() && seen < MOST_FILES {
                folders.push(path);
            } else if !kind.is_file() {
                let message = format!("{} is a link, or not a file", path.display());
                return Err(Error::storage(message)
                    .with_hint("Remove it: the state must consist of plain files and folders."));
            }
        }
    }
    Ok(())
}

impl Render for StateContents {
    fn view(&self) -> View {
        let count = format!("{} entities (tasks, notes, decisions …)", self.entities);
        let mut view = View::default().line([Span::from(count)]);
        let mut list = |title: &str, rows: Vec<(String, String)>| {
            if rows.is_empty() {
                return;
            }
            let head = View::default()
                .blank()
                .line([Span::new(title, Style::Strong)]);
            let all = rows.into_iter().fold(head, |view, (name, text)| {
                let view = view.line(["  ".into(), Span::from(name)]);
                if text.is_empty() {
                    return view;
                }
                text.lines().fold(view, |view, line| {
                    view.line(["    ".into(), Span::new(line, Style::Warning)])
                })
            });
            view = std::mem::take(&mut view).join(all);
        };
        let gates = self.gates.iter();
        list(
            "Gates, and what each would run once you allow its text (windlass gates allow)",
            gates
                .map(|it| (it.name.clone(), it.command.clone()))
                .collect(),
        );
        let servers = self.servers.iter().map(|it| {
            let name = format!("{} of the discipline {}", it.name, it.discipline);
            (name, it.command.clone())
        });
        list(
            "MCP servers, which sessions would start once you allow them (windlass disciplines allow)",
            servers.collect(),
        );
        for (title, items) in [
            ("Active reviews", &self.reviews),
            ("Open sessions", &self.sessions),
            (
                "Files beside it, each of which needs your permission by its text",
                &self.files,
            ),
        ] {
            let rows = items.iter().map(|it| (it.clone(), String::new()));
            list(title, rows.collect());
        }
        view
    }
}
