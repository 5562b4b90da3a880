use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::recipes;
use crate::view::{Column, Render, Span, Style, View};

use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct RecipeList;

/// List the recipes: which kinds of session there are, what each is for, and which tools it allows.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

impl Operation for RecipeList {
    type Input = Input;
    type Output = Recipes;

    const DECLARATION: Declaration = Declaration {
        name: "recipe_list",
        toolset: Toolset::Sessions,
        cli: &["recipes", "list"],
        sdk: "recipes.list",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "All recipes",
            cli: &["recipes", "list"],
            input: "{}",
        }],
    };

    async fn run(context: Context, input: Input) -> Result<Recipes> {
        let Input {} = input;
        let recipes = recipes::all(context.workshop.project())?;
        Ok(Recipes {
            recipes: recipes
                .into_iter()
                .map(|recipe| RecipeRow {
                    name: recipe.name,
                    purpose: recipe.purpose,
                    tools: recipe.tools.into_iter().map(|tool| tool.name).collect(),
                })
                .collect(),
        })
    }
}

/// A recipe in the list.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RecipeRow {
    pub name: String,
    pub purpose: String,
    /// The tools that it allows.
    pub tools: Vec<String>,
}

/// The recipes of the project.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Recipes {
    pub recipes: Vec<RecipeRow>,
}

impl Render for Recipes {
    fn view(&self) -> View {
        let columns = vec![
            Column::new("RECIPE"),
            Column::new("TOOLS").right(),
            Column::new("PURPOSE").shrinking(),
        ];
        let rows = self.recipes.iter().map(|recipe| {
            vec![
                Span::new(recipe.name.clone(), Style::Id),
                Span::from(recipe.tools.len().to_string()),
                Span::from(recipe.purpose.clone()),
            ]
        });
        View::default().table(columns, rows.collect())
    }
}
