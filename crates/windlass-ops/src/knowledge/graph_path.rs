use crate::prelude::*;
use windlass_store::MAX_PATH_DEPTH;

use crate::outputs::EntitySummary;

pub struct GraphPath;

/// Find the shortest chain of relations between two entities.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number or id.
    pub from_id: Id,
    /// Its number or id.
    pub to_id: Id,
    /// The most steps.
    #[serde(default = "default_depth")]
    #[arg(long, default_value_t = 10)]
    #[schemars(range(min = 1, max = 50))]
    pub max_depth: u32,
}

fn default_depth() -> u32 {
    10
}

/// The path, ends included.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Path {
    /// Ids from the first to the last.
    pub path: Vec<String>,
    /// The same entities by name.
    pub entities: Vec<EntitySummary>,
}

impl Render for Path {
    fn view(&self) -> View {
        if self.entities.is_empty() {
            return View::nothing("No path.");
        }
        self.entities
            .iter()
            .fold(View::default(), |view, entity| view.line(entity.spans()))
    }
}

impl ReadOperation for GraphPath {
    type Input = Input;
    type Output = Path;

    const DECLARATION: Declaration = Declaration::read("graph_path", Toolset::Knowledge)
        .sdk("graph.path")
        .cli(&["graph", "path"])
        .examples(&[Example::new(
            "How a task and a decision are connected",
            &["graph", "path", "3", "1"],
            r#"{"from_id": "3", "to_id": "1"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<Path> {
        if !(1..=MAX_PATH_DEPTH).contains(&input.max_depth) {
            return Err(Error::new(
                ErrorKind::MaxDepthExceeded,
                format!(
                    "max_depth: {} is outside 1 to {MAX_PATH_DEPTH}",
                    input.max_depth
                ),
            )
            .with("field", "max_depth")
            .with("max", MAX_PATH_DEPTH));
        }
        context.read(|reader| {
            reader.consistently(|reader| {
                let from = reader.resolve("from_id", &input.from_id.0)?;
                let to = reader.resolve("to_id", &input.to_id.0)?;
                let path = reader.path(&from, &to, input.max_depth)?;
                let entities = path
                    .iter()
                    .map(|id| reader.entity(id).map(|entity| EntitySummary::from(&entity)))
                    .collect::<Result<_>>()?;
                Ok(Path {
                    path: path.iter().map(|id| id.as_str().to_owned()).collect(),
                    entities,
                })
            })
        })
    }
}
