use super::sdk::{self, SdkMethod};
use super::search::search;
use super::typescript;
use crate::arguments::OptionalWords;
use crate::prelude::*;

pub struct Describe;

/// How many methods are declared, and in how many characters, before the rest is only named.
const MOST: usize = 8;
const LONGEST: usize = 24_000;

/// Find methods of the SDK that scripts of execute can call, and get their TypeScript declarations.
/// Ask for what you want to do (create a task), for names (tasks.claim, jobs.wait) or for a whole
/// namespace (graph); without a query every method is listed with what it does.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// What to look for, in any words.
    #[serde(default)]
    #[command(flatten)]
    pub query: OptionalWords,
}

/// What scripts can call.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Described {
    /// The matching methods, best first.
    pub methods: Vec<MethodOutput>,
    /// TypeScript declarations of the first of them.
    pub declarations: String,
}

/// A method of the SDK.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MethodOutput {
    /// As scripts write it.
    pub name: String,
    /// What it does.
    pub about: String,
}

impl MethodOutput {
    fn of(method: &SdkMethod) -> Self {
        Self {
            name: method.shown(),
            about: sdk::about(method.entry),
        }
    }
}

impl Render for Described {
    fn view(&self) -> View {
        if self.methods.is_empty() {
            return View::nothing("No method matches. Without a query, all methods are listed.");
        }
        if !self.declarations.is_empty() {
            return View::default().text(self.declarations.clone());
        }
        let row = |method: &MethodOutput| {
            let name = Span::new(method.name.clone(), Style::Strong);
            vec![name, method.about.clone().into()]
        };
        let columns = vec![Column::new("METHOD"), Column::new("").shrinking()];
        View::default().table(columns, self.methods.iter().map(row).collect())
    }
}

impl ReadOperation for Describe {
    type Input = Input;
    type Output = Described;

    const DECLARATION: Declaration = Declaration::read("describe", Toolset::Code)
        .sdk("code.describe")
        .cli(&["sdk", "search"])
        .errors(ErrorStyle::Result)
        .examples(&[Example::new(
            "How a task is claimed",
            &["sdk", "search", "claim", "task"],
            r#"{"query": "claim task"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<Described> {
        // Only methods that the caller may call.
        let is_offered = |method: &&SdkMethod| {
            let is_person = context.origin.actor == windlass_core::Actor::Human;
            (is_person || !method.is_for_people())
                && context.access.allows(&method.entry.declaration)
        };
        if input.query.0.trim().is_empty() {
            let offered = sdk::methods().iter().filter(is_offered);
            return Ok(Described {
                methods: offered.map(MethodOutput::of).collect(),
                declarations: String::new(),
            });
        }
        let found: Vec<&SdkMethod> = search(&input.query.0, sdk::methods())
            .into_iter()
            .filter(is_offered)
            .take(2 * MOST)
            .collect();
        Ok(Described {
            methods: found
                .iter()
                .map(|method| MethodOutput::of(method))
                .collect(),
            declarations: declarations(&found),
        })
    }
}

/// The declarations of the first of `found`: as many as the limit allows, at least one.
fn declarations(found: &[&SdkMethod]) -> String {
    let mut count = found.len().min(MOST);
    loop {
        let text = typescript::declare(&found[..count]);
        if text.len() <= LONGEST || count <= 1 {
            return text;
        }
        count -= 1;
    }
}
