//! Sources that are files and folders.

use serde_json::json;
use windlass_core::EntityType;
use windlass_interchange::{Severity, Source, read};

use crate::support::{fixture, item, links, plan, text};

#[test]
fn beads_lines() {
    let plan = plan(Source::Beads, &fixture("beads.jsonl"));
    assert_eq!(
        (plan.records, plan.items.len()),
        (5, 4),
        "one was deleted there"
    );
    let epic = item(&plan, "shop-1");
    assert_eq!(
        epic.content.as_deref(),
        Some("Build the checkout.\n\n## Design\n\nOne page.")
    );
    assert_eq!(text(epic, "priority"), "urgent");
    assert_eq!(text(epic, "assignee"), "ann@example.com");
    assert_eq!(
        epic.properties["acceptance_criteria"],
        json!(["cart is shown", "payment works"])
    );
    assert_eq!(epic.tags, ["web", "epic"]);
    assert_eq!(epic.comments[0].author, "bob");
    let at = epic.comments[0].at.as_ref().map(|at| at.as_str());
    assert_eq!(at, Some("2026-06-13T08:00:00.000Z"));
    let child = item(&plan, "shop-1.1");
    assert_eq!(child.parent.as_deref(), Some("shop-1"));
    assert_eq!(text(child, "status"), "in_progress");
    assert_eq!(
        child.created_at.as_ref().map(|at| at.as_str()),
        Some("2026-06-12T19:08:47.000Z")
    );
    let closed = item(&plan, "shop-2");
    assert_eq!(text(closed, "status"), "done");
    assert_eq!(closed.managed["completed_at"], "2026-06-11T10:00:00.000Z");
    assert_eq!(links(closed), ["references>shop-1.1"]);
    let deferred = item(&plan, "shop-3");
    assert_eq!(
        (text(deferred, "status"), deferred.tags.as_slice()),
        ("draft", &["deferred".to_owned()][..])
    );
    assert_eq!(links(deferred), ["blocks<shop-1.1"]);
}

#[test]
fn a_broken_line_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("issues.jsonl");
    std::fs::write(
        &file,
        "{\"id\":\"a\",\"title\":\"A\"}\n{\"id\":\"b\",\"title\":\n\n{\"title\":\"no id\"}\n[]\n{\"id\":\"c\"}\n",
    )
    .expect("written");
    let plan = read(Source::Beads, &file);
    let broken: Vec<(Option<usize>, &str)> = plan
        .problems
        .iter()
        .map(|it| (it.place.line, it.message.as_str()))
        .collect();
    assert!(
        plan.problems
            .iter()
            .all(|it| it.severity == Severity::Broken)
    );
    assert!(
        plan.problems
            .iter()
            .all(|it| it.place.file == "issues.jsonl")
    );
    assert!(
        broken.iter().any(|(line, _)| *line == Some(2)),
        "{broken:?}"
    );
    assert_eq!(plan.items.len(), 1, "{broken:?}");
}

#[test]
fn github_issues() {
    let plan = plan(Source::GitHub, &fixture("github.json"));
    assert_eq!((plan.records, plan.items.len()), (5, 5), "with a milestone");
    let milestone = item(&plan, "example/shop milestone 7");
    assert_eq!(text(milestone, "kind"), "milestone");
    assert_eq!(text(milestone, "due_date"), "2026-12-01");
    let checkout = item(&plan, "example/shop#1");
    assert_eq!(checkout.parent.as_deref(), Some("example/shop milestone 7"));
    assert_eq!(
        (text(checkout, "priority"), text(checkout, "assignee")),
        ("high", "ann")
    );
    assert_eq!(checkout.tags, ["web", "priority: high"]);
    assert_eq!(checkout.comments[0].body, "First!");
    let payment = item(&plan, "example/shop#2");
    assert_eq!(payment.parent.as_deref(), Some("example/shop#1"));
    assert_eq!(text(payment, "status"), "in_progress");
    assert_eq!(
        links(payment),
        ["blocks<example/shop#3", "blocks<example/shop#4"]
    );
    assert_eq!(text(item(&plan, "example/shop#3"), "status"), "done");
    assert_eq!(text(item(&plan, "example/shop#4"), "status"), "cancelled");
    assert_eq!(
        plan.problems.len(),
        1,
        "the pull request: {:?}",
        plan.problems
    );
}

#[test]
fn backlog_pages() {
    let plan = plan(Source::Backlog, &fixture("backlog"));
    assert_eq!(plan.items.len(), 8);
    let checkout = item(&plan, "TASK-1");
    assert_eq!(
        checkout.content.as_deref(),
        Some("Build the checkout.\n\nWith two paragraphs.")
    );
    assert_eq!(
        checkout.properties["acceptance_criteria"],
        json!(["Cart is shown (checked)", "Payment works"])
    );
    assert_eq!(text(checkout, "assignee"), "ann, bob");
    assert_eq!(
        (text(checkout, "priority"), text(checkout, "due_date")),
        ("high", "2026-12-01")
    );
    assert_eq!(checkout.parent.as_deref(), Some("M-0"));
    assert_eq!(checkout.tags, ["web", "shop"]);
    let payment = item(&plan, "TASK-1.1");
    assert_eq!(payment.parent.as_deref(), Some("TASK-1"));
    assert_eq!(text(payment, "pseudocode"), "1. choose\n2. integrate");
    assert_eq!(
        payment.content.as_deref(),
        Some("## Implementation Notes\n\nNotes here")
    );
    let emails = item(&plan, "TASK-2");
    assert_eq!(emails.title, "Emails: \"quoted\" & colon");
    assert_eq!(links(emails), ["blocks<TASK-1"]);
    assert_eq!(emails.comments[0].body, "Looks good");
    assert_eq!(text(item(&plan, "TASK-3"), "status"), "done");
    assert_eq!(text(item(&plan, "DRAFT-1"), "status"), "draft");
    assert_eq!(item(&plan, "DECISION-1").kind, EntityType::Decision);
    assert_eq!(item(&plan, "DOC-1").kind, EntityType::Note);
    assert_eq!(text(item(&plan, "M-0"), "kind"), "milestone");
}

/// A project whose ids had another prefix once, with a name that nobody quoted, and an archived task
/// whose number was given again.
#[test]
fn an_old_backlog() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = |name: &str, head: &str| {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        std::fs::write(file, format!("---\n{head}\n---\n")).expect("written");
    };
    page("tasks/a.md", "id: BACK-7\ntitle: Parser\nassignee: @ann");
    page(
        "completed/b.md",
        "id: BACK-7.1\ntitle: Numbers\nparent_task_id: task-7\ndependencies: [task-7.02]",
    );
    page(
        "tasks/c.md",
        "id: BACK-7.2\ntitle: Names\ndependencies: [\"8\"]",
    );
    page("tasks/d.md", "id: BACK-8\ntitle: Files");
    page("archive/tasks/e.md", "id: BACK-8\ntitle: Folders");
    page(
        "archive/tasks/f.md",
        "id: BACK-9\ntitle: Disks\nparent_task_id: task-8",
    );
    page(
        "tasks/g.md",
        "id: BACK-10\ntitle: Tapes\ndependencies: [task-9]",
    );
    let plan = plan(Source::Backlog, folder.path());
    assert_eq!(text(item(&plan, "BACK-7"), "assignee"), "ann");
    let numbers = item(&plan, "BACK-7.1");
    assert_eq!(numbers.parent.as_deref(), Some("BACK-7"));
    assert_eq!(links(numbers), ["blocks<BACK-7.2"]);
    assert_eq!(links(item(&plan, "BACK-7.2")), ["blocks<BACK-8"]);
    assert_eq!(links(item(&plan, "BACK-10")), ["blocks<BACK-9"]);
    assert_eq!(item(&plan, "BACK-9").parent.as_deref(), Some("BACK-8"));
    assert_eq!(item(&plan, "BACK-8").title, "Files");
    assert_eq!(item(&plan, "BACK-8 (archived)").title, "Folders");
}

#[test]
fn what_is_not_there_is_a_problem() {
    let folder = tempfile::tempdir().expect("a folder");
    for source in Source::ALL {
        let plan = read(source, &folder.path().join("none"));
        assert!(plan.items.is_empty());
        assert_eq!(plan.problems.len(), 1, "{}", source.name());
        assert_eq!(plan.problems[0].severity, Severity::Broken);
    }
}

/// Whatever bytes a source has, reading it ends without a panic.
#[test]
fn nonsense_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut seed = 11u64;
    for round in 0..200 {
        let length = round * 7;
        let mut bytes = Vec::new();
        for _ in 0..length {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            bytes.push(seed.to_le_bytes()[5]);
        }
        let file = folder.path().join("data.db");
        std::fs::write(&file, &bytes).expect("written");
        for source in Source::ALL {
            let _ = read(source, &file);
        }
    }
}
