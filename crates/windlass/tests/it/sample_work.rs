//! The sample project with work under way, for the examples of all operations: #12 is in progress, #13 in review 1 with a comment, #14 waits with
//! help request 1, #15 is in review 2, whose gate has failed once. Gate 1 checks #15 and gate 2 the
//! work of #3; the project is repository 1.

use serde_json::json;
use windlass_core::workflow::{GateDefinition, GateStatus, HelpCategory, NewHelp, Phases};
use windlass_core::{Actor, Dialect, Draft, EntityType, EventType, Origin, Result};
use windlass_store::{GateEnd, GateScope, NewComment, Submission, WorkPlace, Writer};

use crate::sample::{self, Sample, origin};

/// The sample with its work.
pub fn with_work() -> Sample {
    let sample = sample::filled();
    let path = sample.project.root().display().to_string();
    sample::allow_gate(&sample, &GateDefinition::new("fine", "true"));
    sample
        .store()
        .write(&origin(), |writer| fill(writer, &path))
        .expect("written");
    forget_an_idea(&sample);
    sample
}

/// #16 was an agent's, and was deleted with event 99.
fn forget_an_idea(sample: &Sample) {
    let agent = Origin {
        actor: Actor::Agent,
        ..origin()
    };
    let store = sample.store();
    // Examples name an event by its number, whatever else happens in the sample.
    let before = store.last_event().expect("read");
    store
        .write(&agent, |writer| {
            (before..97).try_for_each(|_| writer.note(EventType::JournalAppended, &json!({})))
        })
        .expect("noted");
    let fields = serde_json::Map::new();
    let idea = Draft::new(
        EntityType::Note,
        "An old idea",
        None,
        &[],
        &fields,
        Dialect::Sdk,
    );
    let idea = store.write(&agent, |writer| writer.create(idea?));
    let idea = idea.expect("created");
    store
        .write(&agent, |writer| writer.delete(&idea.id))
        .expect("deleted");
}

fn fill(writer: &Writer<'_>, path: &str) -> Result<()> {
    let task = |title: &str| {
        // In progress and nobody's, so that whoever comes may hand it in.
        let properties = json!({"status": "in_progress", "priority": "low"});
        let properties = properties.as_object().cloned().unwrap_or_default();
        let draft = Draft::new(
            EntityType::Task,
            title,
            None,
            &[],
            &properties,
            Dialect::Sdk,
        )?;
        writer.create(draft)
    };
    let manual = task("Write the manual")?;
    let name = task("Choose a name")?;
    let asked = task("Ask around")?;
    let checked = task("Pass the gate")?;
    let submission = Submission {
        repo: writer.register_repo(path, None)?.id,
        place: WorkPlace::default(),
        file_gates: Vec::new(),
        phases: Phases::default(),
    };
    writer.add_learning(&manual.id, "Readers skip the preface")?;
    let review = writer.submit_task(&name.id, &submission)?;
    let comment = NewComment {
        file_path: Some("README.md".into()),
        line_start: Some(1),
        body: "Is it taken?".into(),
        ..NewComment::default()
    };
    writer.add_comment(&review, &comment)?;
    let question = NewHelp {
        category: HelpCategory::Clarification,
        reason: "Whom?".into(),
        suggested_options: vec!["Ann".into(), "Ben".into()],
    };
    writer.request_help(&asked.id, &question)?;
    let gate = |name: &str, command: &str| GateDefinition::new(name, command);
    writer.add_gate(&GateScope::Task(checked.id.clone()), &gate("fine", "true"))?;
    let deploy = writer.resolve("id", "3")?;
    writer.add_gate(&GateScope::Task(deploy), &gate("tests", "make test"))?;
    let review = writer.submit_task(&checked.id, &submission)?;
    let failed = GateEnd {
        status: GateStatus::Failed,
        exit_code: Some(1),
        message: None,
        stdout: "1 of 2 failed\n".into(),
        stderr: String::new(),
    };
    for result in writer.current_results(&review)? {
        writer.gate_started(&result)?;
        writer.gate_ended(&result, &failed, Phases::default())?;
    }
    Ok(())
}
