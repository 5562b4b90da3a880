//! Learnings of a task: stored in its document, and copied to its parent when it is done.

use serde_json::{Value as Json, json};

use windlass_core::{Actor, Entity, EntityId, Error, EventType, Learning, LearningSource, Result};

use crate::reader::Reader;
use crate::records::{Collection, RecordEdit};
use crate::writer::Writer;

/// A learning of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskLearning {
    /// Its number within the task.
    pub number: i64,
    pub task: EntityId,
    /// The task in which it was learned.
    pub source_task: EntityId,
    pub learning: Learning,
}

const SOURCE: &str = "source_task_id";

impl Reader<'_> {
    /// The learnings of a task: its own, and those copied from its descendants.
    pub fn task_learnings(&self, task: &EntityId) -> Result<Vec<TaskLearning>> {
        let records = self.records(task, Collection::Learnings)?;
        let read = |number: i64, body: Json| -> Result<TaskLearning> {
            let source = body[SOURCE].as_str().map(EntityId::from_stored);
            let learning = serde_json::from_value(body)
                .map_err(|problem| Error::storage(format!("A learning is damaged: {problem}")))?;
            Ok(TaskLearning {
                number,
                task: task.clone(),
                source_task: source.unwrap_or_else(|| task.clone()),
                learning,
            })
        };
        records
            .into_iter()
            .map(|record| read(record.number, record.body))
            .collect()
    }
}

impl Writer<'_> {
    /// Adds a learning to a task. The same text is stored only once.
    pub fn add_learning(&self, task: &EntityId, text: &str) -> Result<TaskLearning> {
        let task = self.work_item(task)?;
        let source = match self.origin.actor {
            Actor::Human => LearningSource::Human,
            Actor::Agent => LearningSource::Agent,
        };
        let mut learning = Learning::new(text, source)?;
        learning.task_id = Some(task.number);
        let known = self.task_learnings(&task.id)?;
        if let Some(same) = known
            .into_iter()
            .find(|it| it.learning.text == learning.text)
        {
            return Ok(same);
        }
        let number = self.attach(&task, &task.id, &learning, EventType::LearningAdded)?;
        Ok(TaskLearning {
            number,
            task: task.id.clone(),
            source_task: task.id,
            learning,
        })
    }

    /// Copies the learnings of a task to its parent, with their source and without duplicates.
    pub(super) fn pass_learnings_up(&self, task: &Entity) -> Result<()> {
        let Some(parent) = self.parent_of(&task.id)? else {
            return Ok(());
        };
        let Some(parent) = self.find_entity(&parent)? else {
            return Ok(());
        };
        let known = self.task_learnings(&parent.id)?;
        for new in self.task_learnings(&task.id)? {
            let same = |it: &TaskLearning| {
                it.source_task == new.source_task && it.learning.text == new.learning.text
            };
            if !known.iter().any(same) {
                let event = EventType::LearningBubbled;
                self.attach(&parent, &new.source_task, &new.learning, event)?;
            }
        }
        Ok(())
    }

    fn attach(
        &self,
        task: &Entity,
        source: &EntityId,
        learning: &Learning,
        event: EventType,
    ) -> Result<i64> {
        let mut body = json!(learning);
        body[SOURCE] = json!(source);
        let payload = json!({
            "number": task.number,
            "text": learning.text,
            SOURCE: source,
        });
        let edits = [RecordEdit::Add(body)];
        let numbers = self.edit_records(task, Collection::Learnings, &edits, (event, &payload))?;
        Ok(numbers.first().copied().unwrap_or_default())
    }
}
