use crate::prelude::*;
use std::collections::BTreeMap;
use windlass_commands::{Command, Extent};
use windlass_core::Timestamp;
use windlass_core::workflow::GateCommand;

use super::wished_texts::{self, WishedText};
use super::wishes::{self, Refused};
use crate::workflow::file_gates;

/// How much of one pinned file is shown.
const LONGEST_TEXT: usize = 64 * 1024;

pub struct Wishes;

/// List the commands that agents wanted to run or that gates need and nobody has allowed yet, with
/// everything that a permission would cover; and gates and servers that nobody has allowed. Only a person can do this.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

/// A file that decides what a command runs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WishedFile {
    pub path: String,
    /// whole, absent, or which parts of it count.
    pub extent: String,
    pub text: String,
    /// Whether the text is longer than what is shown.
    pub truncated: bool,
}

/// A command that an agent wanted to run.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WishedCommand {
    pub unique_name: String,
    /// What would be executed.
    pub command: String,
    pub file_path: String,
    pub line: usize,
    /// Its definition in that file.
    pub definition: String,
    /// All files that decide what it runs, as a permission would cover them.
    pub files: Vec<WishedFile>,
    /// Why a permission cannot cover the command alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub unreadable: Vec<String>,
    /// Names all of the above: allowlist_allow refuses another one.
    pub fingerprint: String,
    /// Why it may not run.
    pub reason: String,
    /// The arguments that the agent gave.
    pub args: Vec<String>,
    /// Who wanted it last, and when.
    pub session: String,
    pub at: String,
}

/// The commands that wait for a permission, the newest wish first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WishList {
    pub wishes: Vec<WishedCommand>,
    /// Gates, the file of gates, and servers of disciplines that nobody has allowed on this machine.
    pub texts: Vec<WishedText>,
}

impl Render for WishList {
    fn view(&self) -> View {
        if self.wishes.is_empty() && self.texts.is_empty() {
            return View::nothing("No command waits for a permission.");
        }
        let mut view = View::default();
        for wish in &self.wishes {
            view = view
                .line([
                    Span::new(wish.unique_name.clone(), Style::Strong),
                    Span::from(format!("  {}", wish.command)),
                ])
                .line([
                    Span::new(format!("    {} wanted it ", wish.session), Style::Dim),
                    Span::new(wish.at.clone(), Style::Time),
                    Span::new(format!(": {}", wish.reason), Style::Dim),
                ])
                .text(wish.definition.clone());
        }
        for wish in &self.texts {
            view = view
                .line([
                    Span::new(wish.name.clone(), Style::Strong),
                    Span::new(format!("  {}", wish.kind), Style::Dim),
                ])
                .text(wish.text.clone());
        }
        view
    }
}

impl ReadOperation for Wishes {
    type Input = Input;
    type Output = WishList;

    const DECLARATION: Declaration = Declaration::read("allowlist_wishes", Toolset::Commands)
        .sdk("allowlist.wishes")
        .blocking()
        .human_only()
        .errors(ErrorStyle::Result)
        .examples(&[Example::call("What agents wanted to run", "{}")]);

    async fn run(context: ReadContext, _: Input) -> Result<WishList> {
        let texts = wished_texts::waiting(&context)?;
        let refused = wished(&context)?;
        if refused.is_empty() {
            let wishes = Vec::new();
            return Ok(WishList { wishes, texts });
        }
        let discovery = context.workspace.discovery()?;
        let commands = discovery.discover();
        let allowlist = context.workspace.allowlist();
        let mut wishes = Vec::new();
        for refused in refused.into_values() {
            let Some(command) = commands.get(&refused.unique_name) else {
                continue;
            };
            let decision = allowlist.decide(discovery.root(), command);
            if !decision.allowed {
                wishes.push(shown(command, refused, decision.reason.message()));
            }
        }
        wishes.sort_by(|one: &WishedCommand, other| other.at.cmp(&one.at));
        Ok(WishList { wishes, texts })
    }
}

/// What agents were refused, and what gates need.
fn wished(context: &ReadContext) -> Result<BTreeMap<String, Refused>> {
    let mut all = context.read(wishes::recent)?;
    let gates = context.read(|reader| reader.gates())?;
    let added = gates
        .into_iter()
        .map(|gate| (gate.definition, gate.updated_at));
    let now = Timestamp::now();
    let of_file = file_gates(&context.workspace).into_iter();
    let of_file = of_file.map(|gate| (gate.definition, now.clone()));
    for (definition, at) in added.chain(of_file) {
        if let GateCommand::Command(name) = definition.parsed() {
            let wish = || Refused {
                unique_name: name.to_owned(),
                fingerprint: String::new(),
                args: Vec::new(),
                session: format!("gate {}", definition.name),
                at,
            };
            all.entry(name.to_owned()).or_insert_with(wish);
        }
    }
    Ok(all)
}

fn shown(command: &Command, refused: Refused, reason: String) -> WishedCommand {
    let files = command.pins.files.iter().map(|file| {
        let end = file.text.floor_char_boundary(LONGEST_TEXT);
        WishedFile {
            path: file.path.clone(),
            extent: match file.extent {
                Extent::Whole => "whole".to_owned(),
                Extent::Parts(parts) => parts.to_owned(),
                Extent::Absent => "absent".to_owned(),
            },
            text: file.text[..end].to_owned(),
            truncated: end < file.text.len(),
        }
    });
    WishedCommand {
        unique_name: command.unique_name.clone(),
        command: command.display(),
        file_path: command.file.clone(),
        line: command.line,
        definition: command.definition_text.clone(),
        files: files.collect(),
        unreadable: command.pins.unreadable.clone(),
        fingerprint: command.fingerprint.clone(),
        reason,
        args: refused.args,
        session: refused.session,
        at: refused.at.as_str().to_owned(),
    }
}
