//! Everything that travels, in a form that can be compared between clones.

use windlass_core::{EntityId, EntityType, Page};
use windlass_store::{
    Collection, EntityFilter, HelpFilter, JournalKind, Reader, Review, ReviewFilter,
};

use crate::support::Sandbox;

const ALL: Page = Page {
    limit: 10_000,
    offset: 0,
};

pub fn dump(sandbox: &Sandbox) -> Vec<String> {
    let lines = sandbox.store.read(None, |reader| {
        let mut lines = Vec::new();
        let (entities, _) = reader.entities(&EntityFilter::default(), ALL)?;
        let ids: Vec<EntityId> = entities.iter().map(|entity| entity.id.clone()).collect();
        for entity in &entities {
            lines.push(format!("{entity:?}"));
            for collection in [Collection::Comments, Collection::Learnings] {
                for record in reader.records(&entity.id, collection)? {
                    lines.push(format!("{} {collection:?} {record:?}", entity.id));
                }
            }
        }
        for relation in reader.relations_from(&ids)? {
            lines.push(format!("{relation:?}"));
        }
        // For the one who holds all claims, which are local.
        for queued in reader.ready_tasks(None, "person", ALL)? {
            lines.push(format!("ready {}", queued.task.id));
        }
        for review in reader.reviews(&ReviewFilter::default(), ALL)? {
            dump_review(reader, review, &mut lines)?;
        }
        for request in reader.help_requests(&HelpFilter::default(), ALL)? {
            lines.push(format!("{request:?}"));
        }
        for kind in JournalKind::ALL {
            // Their order is part of it.
            lines.push(format!("{:?}", reader.journal(kind)?));
        }
        Ok(lines)
    });
    let mut lines = lines.expect("read");
    lines.sort();
    lines
}

/// What only one of two has.
pub fn differences(one: &[String], other: &[String]) -> Vec<String> {
    let without = |these: &[String], those: &[String], sign: &str| -> Vec<String> {
        let missing = these.iter().filter(|line| !those.contains(line));
        missing.map(|line| format!("{sign} {line}")).collect()
    };
    [without(one, other, "<"), without(other, one, ">")].concat()
}

/// Without what is local: where the gates run, and attempts that have not ended.
fn dump_review(
    reader: &Reader<'_>,
    review: Review,
    lines: &mut Vec<String>,
) -> windlass_core::Result<()> {
    for comment in reader.comments(&review, false, ALL)? {
        lines.push(format!("{comment:?}"));
    }
    for mut result in reader.gate_results(&review)? {
        if result.status.is_open() {
            continue;
        }
        result.here = false;
        result.definition =
            windlass_core::workflow::GateDefinition::new(&result.definition.name, "");
        lines.push(format!("{result:?}"));
    }
    let review = Review {
        repo: String::new(),
        here: false,
        owner: serde_json::Value::Null,
        ..review
    };
    lines.push(format!("{review:?}"));
    Ok(())
}

/// Rules that hold on every clone after every import.
pub fn assert_agreement(sandbox: &Sandbox) {
    use windlass_core::TaskStatus as S;
    let checked = sandbox.store.read(None, |reader| {
        let (tasks, _) = reader.entities(&EntityFilter::of(EntityType::Task), ALL)?;
        for task in tasks {
            let status = task.task_status().unwrap_or(S::Pending);
            let review = reader.active_review(&task.id)?;
            let question = reader.active_help(&task.id)?;
            let about = format!("task {} {status:?} {review:?} {question:?}", task.number);
            match status {
                S::InReview => assert!(review.is_some() && question.is_none(), "{about}"),
                S::AwaitingHuman => assert!(question.is_some(), "{about}"),
                S::Done | S::Cancelled | S::Skipped => {
                    assert!(review.is_none() && question.is_none(), "{about}");
                }
                S::Draft | S::Pending | S::Blocked | S::InProgress => {
                    assert!(question.is_none(), "{about}");
                    let is_returned = review.as_ref().is_none_or(|it| {
                        it.status == windlass_core::workflow::ReviewStatus::GatesPending
                    });
                    assert!(is_returned, "{about}");
                }
            }
        }
        Ok(())
    });
    checked.expect("read");
}
