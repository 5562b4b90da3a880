use super::recipes::{self, Off, Toolbox};
use crate::prelude::*;

pub struct RecipeGet;

/// Show a recipe: which tools a session gets, with a discipline's overrides if one is given, and why
/// each other tool is off.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The name of the recipe.
    pub recipe: String,
    /// A discipline, whose overrides may disable more tools.
    #[serde(default)]
    #[arg(long)]
    pub discipline: Option<String>,
}

impl ReadOperation for RecipeGet {
    type Input = Input;
    type Output = RecipeDetail;

    const DECLARATION: Declaration = Declaration::read("recipe_get", Toolset::Sessions)
        .sdk("recipes.get")
        .blocking()
        .cli(&["recipes", "show"])
        .examples(&[
            Example::new(
                "The tools of an executor",
                &["recipes", "show", "task_execution"],
                r#"{"recipe": "task_execution"}"#,
            ),
            Example::new(
                "With the overrides of a discipline",
                &["recipes", "show", "yap", "--discipline", "backend"],
                r#"{"recipe": "yap", "discipline": "backend"}"#,
            ),
        ]);

    async fn run(context: ReadContext, input: Input) -> Result<RecipeDetail> {
        let recipe = recipes::find(context.workspace.project(), &input.recipe)?;
        let discipline =
            context.read(|reader| recipes::discipline(reader, input.discipline.as_deref()))?;
        let toolbox = Toolbox::new(&recipe, discipline.as_ref());
        let name = input.discipline.clone().unwrap_or_default();
        Ok(RecipeDetail {
            name: recipe.name,
            purpose: recipe.purpose,
            discipline: input.discipline,
            tools: toolbox
                .on
                .into_iter()
                .map(|tool| ToolOn {
                    name: tool.name,
                    fields: tool.fields,
                })
                .collect(),
            off: toolbox
                .off
                .into_iter()
                .map(|(tool, why)| ToolOff {
                    name: tool,
                    why: match why {
                        Off::Recipe => "not in the recipe".to_owned(),
                        Off::Discipline => format!("disabled by the discipline {name}"),
                    },
                })
                .collect(),
            unknown: toolbox.unknown,
        })
    }
}

/// A tool that is on.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ToolOn {
    pub name: String,
    /// The only arguments that it accepts, if they are restricted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<Vec<String>>,
}

/// A tool that is off.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ToolOff {
    pub name: String,
    pub why: String,
}

/// The tools that a recipe allows.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RecipeDetail {
    pub name: String,
    pub purpose: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discipline: Option<String>,
    pub tools: Vec<ToolOn>,
    pub off: Vec<ToolOff>,
    /// Names that the discipline disables and no tool has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub unknown: Vec<String>,
}

impl Render for RecipeDetail {
    fn view(&self) -> View {
        let mut view = View::default()
            .line([Span::new(self.name.clone(), Style::Strong)])
            .text(self.purpose.clone())
            .blank();
        for tool in &self.tools {
            let limited = tool.fields.as_ref().map(|fields| fields.join(", "));
            let note = limited.map_or(String::new(), |fields| format!("  only {fields}"));
            view = view.line([
                Span::new("✓ ", Style::Good),
                Span::from(tool.name.clone()),
                Span::new(note, Style::Dim),
            ]);
        }
        if !self.unknown.is_empty() {
            let names = self.unknown.join(", ");
            let text = format!("The discipline disables unknown tools: {names}");
            view = view.line([Span::new(text, Style::Warning)]);
        }
        let rows = self.off.iter().map(|tool| {
            vec![
                Span::new(tool.name.clone(), Style::Dim),
                Span::new(tool.why.clone(), Style::Dim),
            ]
        });
        let columns = vec![Column::new("OFF"), Column::new("WHY")];
        view.blank().table(columns, rows.collect())
    }
}
