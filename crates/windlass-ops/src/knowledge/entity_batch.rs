use crate::prelude::*;
use std::convert::Infallible;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value as Json};
use windlass_core::Entity;
use windlass_store::Writer;

use super::{entity_create, entity_delete, entity_update, relation_create};
use crate::input::decode;

pub struct EntityBatch;

/// Create, update, delete and relate entities in one write. Those after a failed one still run.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Each: "op" and that tool's arguments (relate: relation_create). "@0": the entity of
    /// operation 0.
    #[arg(value_name = "JSON")]
    pub operations: BatchOperations,
}

/// What an operation does.
const OPS: [&str; 4] = ["create", "update", "delete", "relate"];

/// A list of operations, as JSON text on the command line.
///
/// Read as plain JSON, so that a malformed one fails alone, like any other.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BatchOperations(Json);

impl FromStr for BatchOperations {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(serde_json::from_str(text).unwrap_or(Json::Null)))
    }
}

impl JsonSchema for BatchOperations {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "BatchOperations".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"op": {"type": "string", "enum": OPS}},
                "required": ["op"],
            },
        })
    }
}

/// How one operation ended.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BatchResult {
    /// Its place in the list, from 0.
    pub index: usize,
    pub success: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequence_number: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<BatchError>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct BatchError {
    /// For example ENTITY_NOT_FOUND.
    pub code: String,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// How all of them ended.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BatchReport {
    pub results: Vec<BatchResult>,
    pub succeeded: usize,
    pub failed: usize,
}

impl Render for BatchReport {
    fn view(&self) -> View {
        let mut view = View::default();
        for result in &self.results {
            let (word, style) = if result.success {
                ("ok    ", Style::Good)
            } else {
                ("failed", Style::Bad)
            };
            let what = match (&result.error, result.sequence_number) {
                (Some(error), _) => format!("{}: {}", error.code, error.message),
                (None, Some(number)) => format!("#{number}"),
                (None, None) => String::new(),
            };
            view = view.line([
                Span::new(format!("{:>4}  ", result.index), Style::Dim),
                Span::new(word, style),
                Span::from(format!("  {what}")),
            ]);
        }
        let failed = match self.failed {
            0 => Style::Plain,
            _ => Style::Bad,
        };
        view.line([
            Span::from(format!("{} succeeded, ", self.succeeded)),
            Span::new(format!("{} failed", self.failed), failed),
        ])
    }

    fn unsuccessful(&self) -> bool {
        self.failed > 0
    }
}

impl Operation for EntityBatch {
    type Input = Input;
    type Output = BatchReport;

    const DECLARATION: Declaration = Declaration::destructive("entity_batch", Toolset::Knowledge)
        .sdk("entities.batch")
        .cli(&["batch"])
        .examples(&[Example {
            about: "A new task, a new title, and a delete",
            cli: &[
                "batch",
                r#"[{"op": "create", "type": "task", "title": "Task 1"}, {"op": "update", "id": "2", "title": "Updated"}, {"op": "delete", "id": "12"}]"#,
            ],
            input: r#"{"operations": [{"op": "create", "type": "task", "title": "Task 1"}, {"op": "update", "id": "2", "title": "Updated"}, {"op": "delete", "id": "12"}]}"#,
        }]);

    async fn run(context: Context, input: Input) -> Result<BatchReport> {
        let operations = checked(input.operations.0, context.settings.max_batch_size)?;
        let naming = &context.naming;
        let results = context.write(|writer| {
            let mut results = Vec::with_capacity(operations.len());
            for (index, operation) in operations.into_iter().enumerate() {
                let outcome = writer.attempt(|writer| run_one(writer, operation, &results))?;
                let outcome = outcome.map_err(|error| naming.render_hint(error));
                results.push(report(index, outcome));
            }
            Ok(results)
        })?;
        let succeeded = results.iter().filter(|result| result.success).count();
        Ok(BatchReport {
            failed: results.len() - succeeded,
            results,
            succeeded,
        })
    }
}

fn checked(operations: Json, max: usize) -> Result<Vec<Json>> {
    let Json::Array(operations) = operations else {
        return Err(
            Error::invalid_params("operations: must be a list of objects")
                .with("field", "operations"),
        );
    };
    if operations.is_empty() {
        return Err(Error::validation("operations", "there is nothing to do"));
    }
    if operations.len() > max {
        return Err(Error::new(
            ErrorKind::BatchTooLarge,
            format!(
                "operations: {} are too many, at most {max}",
                operations.len()
            ),
        )
        .with("field", "operations")
        .with("max", max)
        .with("actual", operations.len())
        .with_hint("Send several batches, or raise WINDLASS_MAX_BATCH_SIZE."));
    }
    Ok(operations)
}

/// Returns the entity that it is about; of a relation, the source.
fn run_one(writer: &Writer<'_>, operation: Json, earlier: &[BatchResult]) -> Result<Entity> {
    let Json::Object(mut arguments) = operation else {
        return Err(Error::validation("op", "each operation is an object"));
    };
    let Some(Json::String(op)) = arguments.remove("op") else {
        return Err(Error::validation("op", "is required"));
    };
    for field in ["id", "source_id", "target_id"] {
        if let Some(Json::String(id)) = arguments.get_mut(field)
            && let Some(place) = id.strip_prefix('@')
        {
            *id = made_by(place, earlier)
                .ok_or_else(|| Error::validation(field, nothing_at(id, earlier.len())))?;
        }
    }
    match op.as_str() {
        "create" => entity_create::create(writer, &arguments_of(arguments)?),
        "update" => entity_update::update(writer, &arguments_of(arguments)?),
        "delete" => entity_delete::delete(writer, &arguments_of(arguments)?),
        "relate" => relation_create::relate(writer, &arguments_of(arguments)?),
        other => Err(Error::invalid_enum("op", other, &OPS)),
    }
}

/// The id of the entity of the operation at that place.
fn made_by(place: &str, earlier: &[BatchResult]) -> Option<String> {
    earlier.get(place.parse::<usize>().ok()?)?.id.clone()
}

fn nothing_at(place: &str, operations: usize) -> String {
    format!("{place} is no entity of the {operations} operations before this one")
}

fn arguments_of<T>(arguments: Map<String, Json>) -> Result<T>
where
    T: serde::de::DeserializeOwned + JsonSchema + 'static,
{
    decode(Json::Object(arguments))
}

fn report(index: usize, outcome: Result<Entity>) -> BatchResult {
    let (entity, error) = match outcome {
        Ok(entity) => (Some(entity), None),
        Err(error) => (None, Some(error)),
    };
    BatchResult {
        index,
        success: error.is_none(),
        id: entity.as_ref().map(|entity| entity.id.as_str().to_owned()),
        sequence_number: entity.map(|entity| entity.number),
        error: error.map(|error| BatchError {
            code: error.kind().screaming_name(),
            message: error.message().to_owned(),
            hint: error.hint().map(str::to_owned),
        }),
    }
}
