use super::sdk::{self, SdkMethod};
use super::search::search;
use super::typescript::{self, Layout};
use crate::arguments::OptionalWords;
use crate::prelude::*;

pub struct Describe;

/// How many methods are declared before the rest is only named.
const DECLARED: usize = 5;

/// How many more are named.
const NAMED: usize = 15;

/// The length of the output in characters of JSON: 1,500 tokens.
const LONGEST: usize = 6_000;

/// Find SDK methods for scripts of execute, with TypeScript declarations: by what you want to do (run
/// the tests), by name (tasks.claim) or namespace (graph). Without a query all are named.
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
    /// TypeScript declarations of the best matches.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(default)]
    pub declarations: String,
    /// The names of the other matches, best first; of every method, if nothing was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub methods: Vec<String>,
}

impl Render for Described {
    fn view(&self) -> View {
        if self.methods.is_empty() && self.declarations.is_empty() {
            return View::nothing("No method matches. Without a query, all methods are named.");
        }
        let mut view = View::default();
        if !self.declarations.is_empty() {
            view = view.text(self.declarations.clone());
        }
        if !self.methods.is_empty() {
            let names = self.methods.join(" ");
            let more = if self.declarations.is_empty() {
                names
            } else {
                format!("Also: {names}")
            };
            view = view.text(more);
        }
        view
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
        // Only methods that a script of the caller may call.
        let is_offered = |method: &&SdkMethod| {
            !method.is_for_people() && context.access.allows(&method.entry.declaration)
        };
        if input.query.0.trim().is_empty() {
            let offered = sdk::methods().iter().filter(is_offered);
            return Ok(Described {
                methods: offered.map(SdkMethod::shown).collect(),
                declarations: String::new(),
            });
        }
        let found: Vec<&SdkMethod> = search(&input.query.0, sdk::methods())
            .into_iter()
            .filter(is_offered)
            .take(DECLARED + NAMED)
            .collect();
        Ok(described(&found))
    }
}

/// Declares those of the first methods that fit, at least the best one, and names the others.
fn described(found: &[&SdkMethod]) -> Described {
    let output = |declared: &[&SdkMethod]| Described {
        declarations: typescript::declare(declared, Layout::Compact),
        methods: found
            .iter()
            .filter(|method| !declared.iter().any(|it| std::ptr::eq(*it, **method)))
            .map(|method| method.shown())
            .collect(),
    };
    let mut declared: Vec<&SdkMethod> = Vec::new();
    for method in found.iter().take(DECLARED) {
        declared.push(method);
        if declared.len() > 1 && length(&output(&declared)) > LONGEST {
            declared.pop();
        }
    }
    output(&declared)
}

fn length(described: &Described) -> usize {
    serde_json::to_string(described).map_or(0, |text| text.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_output_fits() {
        let methods: Vec<&SdkMethod> = sdk::methods().iter().collect();
        for start in 0..methods.len() {
            let end = methods.len().min(start + DECLARED + NAMED);
            let described = described(&methods[start..end]);
            let first = windlass_sandbox::camel_case(&methods[start].method.name);
            assert!(described.declarations.contains(&format!("\n{first}(")));
            let length = length(&described);
            assert!(length <= LONGEST, "{}: {length}", methods[start].shown());
        }
        let all = Described {
            declarations: String::new(),
            methods: methods.iter().map(|method| method.shown()).collect(),
        };
        assert!(length(&all) <= LONGEST, "{}", length(&all));
    }
}
