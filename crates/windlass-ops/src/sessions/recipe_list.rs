use super::recipes;
use crate::prelude::*;

pub struct RecipeList;

/// List the recipes: the kinds of session, the purpose of each, and the tools that it allows.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

impl ReadOperation for RecipeList {
    type Input = Input;
    type Output = Recipes;

    const DECLARATION: Declaration = Declaration::read("recipe_list", Toolset::Sessions)
        .sdk("recipes.list")
        .blocking()
        .cli(&["recipes", "list"])
        .examples(&[Example::new("All recipes", &["recipes", "list"], "{}")]);

    async fn run(context: ReadContext, input: Input) -> Result<Recipes> {
        let Input {} = input;
        let recipes = recipes::all(context.workspace.project())?;
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
