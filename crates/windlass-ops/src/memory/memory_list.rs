use crate::prelude::*;
use windlass_core::Timestamp;

use super::duplicates;
use super::items::{self, MemoryItem};
use crate::outputs::more_line;

pub struct MemoryList;

const DAY: i64 = 86_400_000;
/// Nobody has confirmed or changed it for so long.
const STALE_DAYS: i64 = 90;
/// It was never given to an agent in so long.
const UNUSED_DAYS: i64 = 30;

const REASONS: &[&str] = &["all", "any", "stale", "contradicted", "duplicate", "unused"];

/// List notes and learnings with what is known about them: confirmed, contradicted, used, similar to
/// others. By default only those that somebody should look at.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// stale, contradicted, duplicate or unused; any of these; or all that is remembered.
    #[serde(default = "any")]
    #[arg(long, default_value = "any")]
    pub reason: String,
    #[serde(flatten, deserialize_with = "crate::input::part")]
    #[command(flatten)]
    pub paging: Paging<50>,
}

fn any() -> String {
    "any".to_owned()
}

/// A note or a learning.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Remembered {
    /// What other operations call it.
    pub id: String,
    /// note or learning.
    pub kind: String,
    /// What a learning belongs to.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(default)]
    pub of: String,
    pub text: String,
    pub created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retired_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retired_by: Option<String>,
    /// What holds instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
    /// How often it was learned.
    pub hits: u32,
    /// How often an agent was given it on this machine.
    pub uses: i64,
    /// Why somebody should look at it.
    pub reasons: Vec<String>,
    /// What says the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_as: Option<String>,
    /// Its words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_text: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Memory {
    pub items: Vec<Remembered>,
    #[serde(flatten)]
    pub page: PageInfo,
}

impl Render for Memory {
    fn view(&self) -> View {
        if self.items.is_empty() {
            return View::nothing("Nothing here needs a look.");
        }
        let mut view = View::default();
        for item in &self.items {
            let text: String = item.text.chars().take(120).collect();
            let mut line = vec![
                Span::new(format!("{} ", item.id), Style::Id),
                Span::from(text.split_whitespace().collect::<Vec<_>>().join(" ")),
            ];
            let mut about = item.reasons.join(", ");
            if let Some(same) = &item.same_as {
                about = format!("{about} of {same}");
            }
            if let Some(instead) = &item.replaced_by {
                about = format!("{about}; instead: {instead}");
            }
            line.push(Span::new(format!("  {about}"), Style::Dim));
            view = view.line(line);
        }
        if self.page.has_more {
            return more_line(view, self.items.len(), self.page.offset, None);
        }
        view
    }
}

/// Everything, with the reasons to look at it.
pub fn examined(context: &ReadContext) -> Result<Vec<Remembered>> {
    context.read(|reader| {
        reader.consistently(|reader| {
            let items = items::all(reader)?;
            let same = duplicates::pairs(reader, &items)?;
            let uses = reader.memory_uses()?;
            let now = Timestamp::now().as_millis();
            Ok(items
                .iter()
                .zip(same)
                .map(|(item, same)| {
                    let used = uses.get(&item.key);
                    let same = same.map(|place| &items[place]);
                    remembered(item, used.map_or(0, |it| it.uses), same, now)
                })
                .collect())
        })
    })
}

fn remembered(item: &MemoryItem, uses: i64, same: Option<&MemoryItem>, now: i64) -> Remembered {
    let age = |at: &Timestamp| (now - at.as_millis()) / DAY;
    let mut reasons = Vec::new();
    if item.truth.is_retired() {
        reasons.push("contradicted");
    } else {
        if same.is_some() {
            reasons.push("duplicate");
        }
        if age(&item.fresh_at) >= STALE_DAYS {
            reasons.push("stale");
        }
        if uses == 0 && age(&item.created_at) >= UNUSED_DAYS {
            reasons.push("unused");
        }
    }
    let seconds = |at: &Option<Timestamp>| at.as_ref().map(Timestamp::to_seconds);
    Remembered {
        id: item.reference.clone(),
        kind: item.kind.to_owned(),
        of: item.of.clone(),
        text: item.text.clone(),
        created_at: item.created_at.to_seconds(),
        confirmed_at: seconds(&item.truth.confirmed_at),
        confirmed_by: item.truth.confirmed_by.clone(),
        retired_at: seconds(&item.truth.retired_at),
        retired_by: item.truth.retired_by.clone(),
        replaced_by: item.truth.replaced_by.clone(),
        hits: item.hits,
        uses,
        reasons: reasons.into_iter().map(str::to_owned).collect(),
        same_as: same.map(|it| it.reference.clone()),
        same_text: same.map(|it| it.text.clone()),
    }
}

impl ReadOperation for MemoryList {
    type Input = Input;
    type Output = Memory;

    const DECLARATION: Declaration = Declaration::read("memory_list", Toolset::Workflow)
        .sdk("memory.list")
        .cli(&["memory", "list"])
        .examples(&[Example::new(
            "Everything that is remembered",
            &["memory", "list", "--reason", "all"],
            r#"{"reason": "all"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<Memory> {
        if !REASONS.contains(&input.reason.as_str()) {
            return Err(Error::invalid_enum("reason", &input.reason, REASONS));
        }
        let mut items = examined(&context)?;
        items.retain(|item| match input.reason.as_str() {
            "all" => true,
            "any" => !item.reasons.is_empty(),
            reason => item.reasons.iter().any(|it| it == reason),
        });
        let total = items.len() as u64;
        let (items, mut page) = read_page(input.paging.page()?, |page| {
            let rest = items.into_iter().skip(page.offset as usize);
            Ok(rest.take(page.limit as usize).collect())
        })?;
        page.total = Some(total);
        Ok(Memory { items, page })
    }
}
