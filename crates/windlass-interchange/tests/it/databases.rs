//! Sources that are databases, made here with the schemas of their tools.

use std::path::Path;

use loro::{ExportMode, LoroDoc, LoroList, LoroMap};
use rusqlite::Connection;
use serde_json::json;
use windlass_core::EntityType;
use windlass_interchange::{Severity, Source, read};

use crate::support::{item, links, plan, text};

fn database(path: &Path, sql: &str) {
    Connection::open(path)
        .expect("created")
        .execute_batch(sql)
        .expect("filled");
}

#[test]
fn beads() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join(".beads")).expect("created");
    // The tables of beads 0.46.
    database(
        &folder.path().join(".beads/beads.db"),
        "CREATE TABLE issues (id TEXT PRIMARY KEY, title TEXT NOT NULL, description TEXT NOT NULL DEFAULT '',
             design TEXT NOT NULL DEFAULT '', acceptance_criteria TEXT NOT NULL DEFAULT '',
             notes TEXT NOT NULL DEFAULT '', status TEXT NOT NULL DEFAULT 'open',
             priority INTEGER NOT NULL DEFAULT 2, issue_type TEXT NOT NULL DEFAULT 'task', assignee TEXT,
             created_at DATETIME NOT NULL, updated_at DATETIME NOT NULL, closed_at DATETIME,
             deleted_at DATETIME);
         CREATE TABLE dependencies (issue_id TEXT, depends_on_id TEXT, type TEXT, created_at DATETIME);
         CREATE TABLE labels (issue_id TEXT, label TEXT);
         CREATE TABLE comments (id INTEGER PRIMARY KEY, issue_id TEXT, author TEXT, text TEXT, created_at DATETIME);
         INSERT INTO issues (id, title, status, created_at, updated_at, closed_at) VALUES
             ('bd-1', 'One', 'closed', '2025-10-16 21:51:08.913972 -0700 PDT', '2025-10-17T04:51:08Z', '2025-10-17T04:51:08Z');
         INSERT INTO issues (id, title, notes, priority, created_at, updated_at) VALUES
             ('bd-2', 'Two', 'note', 1, '2025-10-18T00:00:00Z', '2025-10-18T00:00:00Z');
         INSERT INTO issues (id, title, created_at, updated_at, deleted_at) VALUES
             ('bd-3', 'Gone', '2025-10-18T00:00:00Z', '2025-10-18T00:00:00Z', '2025-10-19T00:00:00Z');
         INSERT INTO dependencies VALUES ('bd-2', 'bd-1', 'blocks', '2025-10-18T00:00:00Z');
         INSERT INTO labels VALUES ('bd-2', 'web');
         INSERT INTO comments VALUES (1, 'bd-2', 'ann', 'Hello', '2025-10-18T01:00:00Z');",
    );
    let plan = plan(Source::Beads, folder.path());
    assert_eq!((plan.records, plan.items.len()), (3, 2));
    let one = item(&plan, "bd-1");
    assert_eq!(
        one.created_at.as_ref().map(|at| at.as_str()),
        Some("2025-10-17T04:51:08.913Z")
    );
    let two = item(&plan, "bd-2");
    assert_eq!(links(two), ["blocks<bd-1"]);
    assert_eq!(
        (two.tags.as_slice(), two.comments.len()),
        (&["web".to_owned()][..], 1)
    );
    assert_eq!(two.content.as_deref(), Some("## Notes\n\nnote"));
}

#[test]
fn overseer() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tasks.db");
    // The tables of overseer 0.11.
    database(
        &file,
        "CREATE TABLE tasks (id TEXT PRIMARY KEY, parent_id TEXT, description TEXT NOT NULL,
             context TEXT NOT NULL DEFAULT '', result TEXT, priority INTEGER NOT NULL DEFAULT 3,
             completed INTEGER NOT NULL DEFAULT 0, completed_at TEXT, created_at TEXT NOT NULL,
             updated_at TEXT NOT NULL, commit_sha TEXT, started_at TEXT, bookmark TEXT, start_commit TEXT,
             cancelled INTEGER NOT NULL DEFAULT 0, cancelled_at TEXT, archived INTEGER NOT NULL DEFAULT 0,
             archived_at TEXT);
         CREATE TABLE learnings (id TEXT PRIMARY KEY, task_id TEXT, content TEXT, source_task_id TEXT, created_at TEXT);
         CREATE TABLE task_blockers (task_id TEXT, blocker_id TEXT);
         INSERT INTO tasks (id, description, context, priority, completed, completed_at, created_at, updated_at, commit_sha)
             VALUES ('task_A', 'Redesign', 'Why', 0, 1, '2026-02-01T18:50:15.222103+00:00',
                     '2026-01-31T23:49:28.860975+00:00', '2026-02-01T18:50:15.222103+00:00', 'tplu');
         INSERT INTO tasks (id, parent_id, description, priority, created_at, updated_at, started_at)
             VALUES ('task_B', 'task_A', 'Foundation' || char(10) || 'more', 1, '2026-02-01T00:00:00+00:00',
                     '2026-02-01T00:00:00+00:00', '2026-02-01T01:00:00+00:00');
         INSERT INTO tasks (id, description, priority, created_at, updated_at, cancelled)
             VALUES ('task_C', 'Dropped', 2, '2026-02-01T00:00:00+00:00', '2026-02-01T00:00:00+00:00', 1);
         INSERT INTO task_blockers VALUES ('task_B', 'task_C');
         INSERT INTO learnings VALUES ('lrn_1', 'task_B', 'Short', NULL, '2026-02-02T00:00:00+00:00');",
    );
    let plan = plan(Source::Overseer, &file);
    assert_eq!(plan.items.len(), 3);
    let done = item(&plan, "task_A");
    assert_eq!(
        (text(done, "status"), text(done, "priority")),
        ("done", "urgent")
    );
    assert_eq!(done.managed["completed_at"], "2026-02-01T18:50:15.222Z");
    let started = item(&plan, "task_B");
    assert_eq!(
        (started.title.as_str(), started.content.as_deref()),
        ("Foundation", Some("more"))
    );
    assert_eq!(text(started, "status"), "in_progress");
    assert_eq!(started.parent.as_deref(), Some("task_A"));
    assert_eq!(links(started), ["blocks<task_C"]);
    assert_eq!(started.learnings[0].text, "Short");
    assert_eq!(text(item(&plan, "task_C"), "status"), "cancelled");
}

#[test]
fn ralph_first_schema() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ralph.db");
    database(
        &file,
        "CREATE TABLE features (name TEXT PRIMARY KEY, display_name TEXT, acronym TEXT, description TEXT,
             created TEXT, knowledge_paths TEXT, context_files TEXT, learnings TEXT, dependencies TEXT);
         CREATE TABLE disciplines (name TEXT PRIMARY KEY, display_name TEXT, acronym TEXT, icon TEXT, color TEXT,
             skills TEXT, mcp_servers TEXT);
         CREATE TABLE tasks (id INTEGER PRIMARY KEY, feature TEXT, discipline TEXT, title TEXT, description TEXT,
             status TEXT, priority TEXT, tags TEXT, depends_on TEXT, blocked_by TEXT, created TEXT, updated TEXT,
             completed TEXT, acceptance_criteria TEXT, context_files TEXT, provenance TEXT);
         CREATE TABLE task_comments (id INTEGER PRIMARY KEY, task_id INTEGER, author TEXT, body TEXT, created TEXT);
         INSERT INTO features VALUES ('auth', 'Login', 'AUTH', 'Who', '2026-02-01', '[]', '[\"src/a.rs\", \"../../etc/passwd\"]',
             '[{\"text\": \"Use tokens\", \"source\": \"agent\"}]', '[]');
         INSERT INTO disciplines VALUES ('web', 'Web', 'WEBB', 'x', '#fff', '[\"css\"]',
             '[{\"name\": \"evil\", \"command\": \"rm\"}]');
         INSERT INTO tasks VALUES (1, 'auth', 'web', 'Form', NULL, 'done', 'critical', '[\"a\"]', '[]', NULL,
             '2026-02-01', '2026-02-02', '2026-02-02', '[\"works\"]', '[]', 'human');
         INSERT INTO tasks VALUES (2, 'auth', 'web', 'Token', 'text', 'pending', NULL, '[]', '[1]', 'the vendor',
             '2026-02-01', NULL, NULL, '[]', '[]', 'agent');
         INSERT INTO task_comments VALUES (1, 2, 'ann', 'Hm', '2026-02-03');",
    );
    let plan = plan(Source::Ralph, &file);
    assert_eq!(plan.items.len(), 4);
    let feature = item(&plan, "feature auth");
    assert_eq!(feature.kind, EntityType::Feature);
    assert_eq!(feature.properties["context_files"], json!(["src/a.rs"]));
    assert_eq!(feature.learnings[0].text, "Use tokens");
    let discipline = item(&plan, "discipline web");
    assert!(!discipline.properties.contains_key("mcp_servers"));
    let notes: Vec<&str> = plan.problems.iter().map(|it| it.message.as_str()).collect();
    assert!(
        notes
            .iter()
            .any(|it| it.contains("MCP servers are left out")),
        "{notes:?}"
    );
    assert!(
        notes.iter().any(|it| it.contains("a path is left out")),
        "{notes:?}"
    );
    let form = item(&plan, "task 1");
    assert_eq!(
        (text(form, "priority"), text(form, "feature")),
        ("urgent", "auth")
    );
    assert_eq!(form.managed["completed_at"], "2026-02-02T00:00:00.000Z");
    let token = item(&plan, "task 2");
    assert_eq!(links(token), ["blocks<task 1"]);
    assert_eq!(
        token.content.as_deref(),
        Some("text\n\n## Waits for\n\nthe vendor")
    );
    assert_eq!(token.comments[0].author, "ann");
}

#[test]
fn ralph_last_schema() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ralph.db");
    database(
        &file,
        "CREATE TABLE subsystems (id INTEGER PRIMARY KEY, name TEXT, display_name TEXT, acronym TEXT, description TEXT, created TEXT);
         CREATE TABLE disciplines (id INTEGER PRIMARY KEY, name TEXT, display_name TEXT, acronym TEXT, icon TEXT, color TEXT);
         CREATE TABLE task_details (id INTEGER PRIMARY KEY, discipline_id INTEGER, title TEXT, description TEXT, priority TEXT, created TEXT);
         CREATE TABLE runtime_tasks (id INTEGER PRIMARY KEY, subsystem_id INTEGER, details_id INTEGER, status TEXT, created TEXT, completed TEXT);
         CREATE TABLE task_dependencies (id INTEGER PRIMARY KEY, task_id INTEGER, depends_on_task_id INTEGER);
         CREATE TABLE task_acceptance_criteria (id INTEGER PRIMARY KEY, task_id INTEGER, criterion TEXT, criterion_order INTEGER);
         CREATE TABLE task_signals (id INTEGER PRIMARY KEY, task_id INTEGER, verb TEXT, summary TEXT, remaining TEXT, created TEXT);
         CREATE TABLE task_signal_comments (id INTEGER PRIMARY KEY, signal_id INTEGER, author_type TEXT, body TEXT, created TEXT);
         CREATE TABLE subsystem_comments (id INTEGER PRIMARY KEY, subsystem_id INTEGER, category TEXT, body TEXT, summary TEXT, created TEXT);
         INSERT INTO task_signal_comments VALUES (1, 1, 'human', 'Go on', '2026-02-03');
         INSERT INTO subsystem_comments VALUES (1, 5, 'gotcha', 'Mind the gap', NULL, '2026-02-03');
         INSERT INTO subsystems VALUES (5, 'auth', 'Login', 'AUTH', NULL, '2026-02-01');
         INSERT INTO disciplines VALUES (6, 'web', 'Web', 'WEBB', 'x', '#fff');
         INSERT INTO task_details VALUES (9, 6, 'Form', 'text', 'high', '2026-02-01');
         INSERT INTO task_details VALUES (10, 6, 'Token', NULL, NULL, '2026-02-01');
         INSERT INTO runtime_tasks VALUES (1, 5, 9, 'needs_input', '2026-02-01', NULL);
         INSERT INTO runtime_tasks VALUES (2, 5, 10, 'pending', '2026-02-01', NULL);
         INSERT INTO task_dependencies VALUES (1, 2, 1);
         INSERT INTO task_acceptance_criteria VALUES (1, 2, 'works', 0);
         INSERT INTO task_signals VALUES (1, 1, 'partial', 'half', 'the rest', '2026-02-02');",
    );
    let plan = plan(Source::Ralph, &file);
    assert_eq!(plan.items.len(), 5);
    let form = item(&plan, "task 1");
    assert_eq!(
        (text(form, "feature"), text(form, "discipline")),
        ("auth", "web")
    );
    assert_eq!(
        (text(form, "status"), form.tags.as_slice()),
        ("blocked", &["needs_input".to_owned()][..])
    );
    assert_eq!(form.comments[0].body, "partial: half\nremaining: the rest");
    assert_eq!(
        (
            form.comments[1].author.as_str(),
            form.comments[1].body.as_str()
        ),
        ("human", "Go on")
    );
    let remark = item(&plan, "remark 1");
    assert_eq!(
        (remark.title.as_str(), text(remark, "note_type")),
        ("Mind the gap", "gotcha")
    );
    assert_eq!(links(remark), ["references>feature auth"]);
    let token = item(&plan, "task 2");
    assert_eq!(links(token), ["blocks<task 1"]);
    assert_eq!(token.properties["acceptance_criteria"], json!(["works"]));
}

/// The layout that medulla's own store writes.
fn medulla_document() -> LoroDoc {
    let document = LoroDoc::new();
    let entity = |map: &str, id: &str, fields: &[(&str, &str)], tags: &[&str]| {
        let entity = document
            .get_map(map)
            .insert_container(id, LoroMap::new())
            .expect("inserted");
        for (name, value) in fields {
            entity.insert(name, *value).expect("inserted");
        }
        entity.insert("sequence_number", 1).expect("inserted");
        let list = entity
            .insert_container("tags", LoroList::new())
            .expect("inserted");
        for tag in tags {
            list.push(*tag).expect("pushed");
        }
    };
    let times = [
        ("created_at", "2026-01-30T12:00:00+00:00"),
        ("updated_at", "2026-01-31T12:00:00+00:00"),
    ];
    let with = |fields: &[(&'static str, &'static str)]| -> Vec<(&'static str, &'static str)> {
        times.iter().chain(fields).copied().collect()
    };
    entity(
        "decisions",
        "d1",
        &with(&[
            ("title", "Use Postgres"),
            ("status", "accepted"),
            ("context", "Why"),
        ]),
        &["db"],
    );
    entity(
        "tasks",
        "t1",
        &with(&[
            ("title", "Schema"),
            ("status", "in_progress"),
            ("priority", "high"),
            ("due_date", "2026-02-01"),
        ]),
        &[],
    );
    entity(
        "tasks",
        "t2",
        &with(&[
            ("title", "Queries"),
            ("status", "done"),
            ("priority", "low"),
        ]),
        &[],
    );
    entity(
        "links",
        "l1",
        &with(&[("title", "Docs"), ("url", "https://example.com/")]),
        &[],
    );
    for (key, source, kind, target) in [
        ("t1:blocks:t2", "t1", "blocks", "t2"),
        ("t1:implements:d1", "t1", "implements", "d1"),
        ("gone:blocks:t2", "gone", "blocks", "t2"),
    ] {
        let relation = document
            .get_map("relations")
            .insert_container(key, LoroMap::new())
            .expect("inserted");
        for (name, value) in [
            ("source_id", source),
            ("relation_type", kind),
            ("target_id", target),
        ] {
            relation.insert(name, value).expect("inserted");
        }
    }
    document.commit();
    document
}

#[test]
fn medulla() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("loro.db");
    let bytes = medulla_document()
        .export(ExportMode::Snapshot)
        .expect("exported");
    std::fs::write(&file, &bytes).expect("written");
    let plan = plan(Source::Medulla, folder.path());
    assert_eq!((plan.records, plan.items.len()), (4, 4));
    let decision = item(&plan, "d1");
    assert_eq!(
        (decision.kind, text(decision, "context")),
        (EntityType::Decision, "Why")
    );
    assert_eq!(decision.tags, ["db"]);
    let task = item(&plan, "t1");
    assert_eq!(
        (text(task, "status"), text(task, "due_date")),
        ("in_progress", "2026-02-01")
    );
    let mut relations = links(task);
    relations.sort();
    assert_eq!(relations, ["blocks>t2", "implements>d1"]);
    assert_eq!(plan.problems.len(), 1, "the relation of what was deleted");
    std::fs::write(&file, &bytes[..bytes.len() / 2]).expect("written");
    let broken = read(Source::Medulla, &file);
    assert_eq!(broken.problems[0].severity, Severity::Broken);
}
