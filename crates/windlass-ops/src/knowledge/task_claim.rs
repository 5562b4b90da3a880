use crate::prelude::*;
use windlass_store::{Claim, MAX_LEASE_SECONDS};

use crate::outputs::EntityOutput;

pub struct TaskClaim;

/// Claim a task, so that no other session gets it; without an id, the next ready one. A claim lasts
/// while your server runs.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number or id; the next ready task if absent.
    #[serde(default)]
    pub id: Option<Id>,
    /// This session if absent.
    #[serde(default)]
    #[arg(long)]
    pub owner: Option<String>,
    /// How long the claim holds at most, 1 to 86,400 seconds.
    #[serde(default)]
    #[arg(long)]
    #[schemars(range(min = 1, max = 86400))]
    pub lease_seconds: Option<u32>,
    /// Give it back instead.
    #[serde(default)]
    #[arg(long)]
    pub release: bool,
}

/// The claim; empty if there was nothing to claim.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ClaimResult {
    /// Whether the caller holds a task now.
    pub claimed: bool,
    pub owner: String,
    /// When the lease ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Whether the caller held it before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renewed: Option<bool>,
    /// Whether a claim was given back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub released: Option<bool>,
    /// What to know about the claim, if other machines share the tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<EntityOutput>,
}

impl Render for ClaimResult {
    fn view(&self) -> View {
        match (&self.task, &self.expires_at, self.released) {
            (Some(task), Some(until), _) => {
                let view = View::default().line([
                    Span::new("Claimed ", Style::Good),
                    Span::from(format!("by {} until ", self.owner)),
                    Span::new(until.clone(), Style::Moment),
                ]);
                let view = match &self.note {
                    Some(note) => view.line([Span::new(note.clone(), Style::Warning)]),
                    None => view,
                };
                view.blank().join(task.view())
            }
            (_, _, Some(true)) => View::nothing("Given back."),
            (_, _, Some(false)) => View::nothing("It was not claimed."),
            _ => View::nothing("No task is ready."),
        }
    }
}

impl Operation for TaskClaim {
    type Input = Input;
    type Output = ClaimResult;

    const DECLARATION: Declaration = Declaration::write("task_claim", Toolset::Knowledge)
        .sdk("tasks.claim")
        .idempotent()
        .errors(ErrorStyle::Result)
        .examples(&[Example::call(
            "Task 2 for ten minutes",
            r#"{"id": "2", "owner": "me", "lease_seconds": 600}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<ClaimResult> {
        let lease = input.lease_seconds;
        if let Some(lease) = lease
            && !(1..=MAX_LEASE_SECONDS).contains(&lease)
        {
            return Err(Error::validation(
                "lease_seconds",
                format!("{lease} is outside 1 to {MAX_LEASE_SECONDS}"),
            ));
        }
        let owner = input
            .owner
            .unwrap_or_else(|| context.origin.session.clone());
        if owner.trim().is_empty() || owner.chars().count() > 100 {
            return Err(Error::validation("owner", "must have 1 to 100 characters"));
        }
        if input.release {
            let id = input
                .id
                .ok_or_else(|| Error::validation("id", "is required to give a task back"))?;
            let released = context.write(|writer| {
                let id = writer.resolve("id", &id.0)?;
                writer.release(&id, &owner)
            })?;
            return Ok(nothing_held(owner, Some(released)));
        }
        let claim = context.write_claiming(|writer| match &input.id {
            Some(id) => {
                let id = writer.resolve("id", &id.0)?;
                writer.claim(&id, &owner, lease).map(Some)
            }
            None => writer.claim_next(&owner, lease),
        })?;
        Ok(match claim.value {
            Some(value) => ClaimResult {
                note: claim.note,
                ..held(value)
            },
            None => nothing_held(owner, None),
        })
    }
}

fn held(claim: Claim) -> ClaimResult {
    ClaimResult {
        claimed: true,
        owner: claim.owner,
        expires_at: Some(claim.expires_at.to_seconds()),
        renewed: Some(claim.renewed),
        released: None,
        note: None,
        task: Some(EntityOutput::from(claim.task)),
    }
}

fn nothing_held(owner: String, released: Option<bool>) -> ClaimResult {
    ClaimResult {
        claimed: false,
        owner,
        expires_at: None,
        renewed: None,
        released,
        note: None,
        task: None,
    }
}
