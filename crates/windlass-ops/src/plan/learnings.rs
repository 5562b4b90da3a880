//! Learnings of a feature: how they are stored and shown.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use windlass_core::{
    Entity, EventType, Learning, LearningOutcome, Result, Timestamp, Truth, merge_learning,
};
use windlass_store::{Collection, Reader, RecordEdit, Writer};

use crate::view::{Render, Span, Style, View};

/// What was learnt, with its number within the feature.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FeatureLearningOutput {
    pub id: i64,
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Who learned it: auto, agent or human.
    pub source: String,
    /// The number of the task that it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<i64>,
    /// How often it was learnt.
    pub hit_count: u32,
    pub created_at: String,
    /// When it was last found to hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed_at: Option<String>,
    /// When it was found not to hold any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retired_at: Option<String>,
    /// What holds instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
}

impl FeatureLearningOutput {
    fn new(id: i64, learning: &Learning) -> Self {
        Self {
            id,
            text: learning.text.clone(),
            reason: learning.reason.clone(),
            source: learning.source.name().to_owned(),
            task_id: learning.task_id,
            hit_count: learning.hit_count,
            created_at: learning.created_at.as_str().to_owned(),
            confirmed_at: learning
                .truth
                .confirmed_at
                .as_ref()
                .map(Timestamp::to_seconds),
            retired_at: learning
                .truth
                .retired_at
                .as_ref()
                .map(Timestamp::to_seconds),
            replaced_by: learning.truth.replaced_by.clone(),
        }
    }

    /// `text (reason), 3 times`
    pub fn line(&self) -> String {
        let mut line = self.text.clone();
        if let Some(reason) = &self.reason {
            line = format!("{line} ({reason})");
        }
        if self.hit_count > 1 {
            line = format!("{line}, {} times", self.hit_count);
        }
        line
    }
}

/// The stored learnings, by number.
fn kept(reader: &Reader<'_>, feature: &Entity) -> Result<Vec<(i64, Learning)>> {
    let records = reader.records(&feature.id, Collection::Learnings)?;
    Ok(records
        .into_iter()
        .filter_map(|record| Some((record.number, serde_json::from_value(record.body).ok()?)))
        .collect())
}

pub fn of(reader: &Reader<'_>, feature: &Entity) -> Result<Vec<FeatureLearningOutput>> {
    let kept = kept(reader, feature)?;
    Ok(kept
        .iter()
        .map(|(number, learning)| FeatureLearningOutput::new(*number, learning))
        .collect())
}

/// The result of adding a learning.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LearningResult {
    pub feature: String,
    /// `added`, `hit` (it was known) or `corrected` (it took the place of its opposite).
    pub outcome: String,
    pub learning: FeatureLearningOutput,
    /// The number of the learning that was removed to make room.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped: Option<i64>,
}

impl Render for LearningResult {
    fn view(&self) -> View {
        let said = match self.outcome.as_str() {
            "hit" => "Known already",
            "corrected" => "Corrected",
            _ => "Learnt",
        };
        View::default().line([
            Span::new(said, Style::Good),
            Span::from(format!(" about {}: {}", self.feature, self.learning.line())),
        ])
    }
}

/// Stores a learning of a feature, counting repetitions and replacing contradictions.
pub fn keep(writer: &Writer<'_>, feature: &Entity, new: Learning) -> Result<LearningResult> {
    let kept = kept(writer, feature)?;
    let (outcome, edits, learning, number, dropped) = match merge_learning(&kept, &new)? {
        LearningOutcome::Added { replaces } => {
            let mut edits: Vec<RecordEdit> = replaces.map(RecordEdit::Remove).into_iter().collect();
            edits.push(RecordEdit::Add(json!(new)));
            ("added", edits, new, None, replaces)
        }
        LearningOutcome::Again {
            number,
            mut learning,
        } => {
            // Learned again is confirmed.
            learning.truth = Truth::confirmed(&writer.origin().session);
            let edits = vec![RecordEdit::Replace(number, json!(learning))];
            ("hit", edits, learning, Some(number), None)
        }
        LearningOutcome::Corrected { number, learning } => {
            let edits = vec![RecordEdit::Replace(number, json!(learning))];
            ("corrected", edits, learning, Some(number), None)
        }
    };
    let name = feature.text("name").unwrap_or(&feature.title).to_owned();
    let payload = json!({"feature": name, "text": learning.text, "outcome": outcome});
    let event = (EventType::LearningAdded, &payload);
    let numbers = writer.edit_records(feature, Collection::Learnings, &edits, event)?;
    let number = number.or(numbers.last().copied()).unwrap_or_default();
    Ok(LearningResult {
        feature: name,
        outcome: outcome.to_owned(),
        learning: FeatureLearningOutput::new(number, &learning),
        dropped,
    })
}
