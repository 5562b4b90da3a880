//! What an exchange with a remote did, and how one stands.

use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::{Result, Timestamp};
use windlass_store::{Reader, RemoteClaimState, RemoteState};

use super::exchange::Exchanged;
use crate::view::{Span, Style, View};

/// An object of a remote that was left alone.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SkippedObject {
    pub object: String,
    pub reason: String,
}

/// What an exchange with a remote did.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RemoteSync {
    /// Its URL, or its folder.
    pub remote: String,
    /// Packs of other clones that were imported, and their bytes.
    pub received: usize,
    pub received_bytes: u64,
    /// Packs that other clones can fetch now, and their bytes.
    pub sent: usize,
    pub sent_bytes: u64,
    /// Entities that are new or have changed here.
    pub changed_entities: usize,
    /// Changes that wait for others that have not arrived yet.
    pub waiting_changes: usize,
    /// Entities that got another number: the former and the new one.
    pub renumbered: Vec<(i64, i64)>,
    /// Objects that were skipped, and why; the first few of them.
    pub skipped: Vec<SkippedObject>,
    pub skipped_objects: usize,
    /// Packs that were removed because another one contains them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<usize>,
    /// The machine that compacts the remote at the moment, so that this one did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compacted_by: Option<String>,
}

impl RemoteSync {
    pub(super) fn new(remote: String, done: Exchanged) -> Self {
        let report = done.report;
        let skipped = report.skipped.into_iter();
        Self {
            remote,
            received: report.received,
            received_bytes: report.received_bytes,
            sent: report.sent,
            sent_bytes: report.sent_bytes,
            changed_entities: report.changed,
            waiting_changes: report.pending,
            renumbered: report.renumbered,
            skipped: skipped
                .map(|it| SkippedObject {
                    object: it.object,
                    reason: it.reason,
                })
                .collect(),
            skipped_objects: report.skipped_count,
            removed: done.removed,
            compacted_by: done.compacted_by,
        }
    }

    /// What a person should know, a line each.
    pub fn lines(&self) -> Vec<(Style, String)> {
        let mut lines = Vec::new();
        if self.received > 0 {
            let line = format!(
                "Received {}: {} changed, {} kB.",
                many(self.received, "pack", "packs"),
                many(self.changed_entities, "entity", "entities"),
                self.received_bytes.div_ceil(1000)
            );
            lines.push((Style::Good, line));
        }
        if self.sent > 0 {
            let packs = many(self.sent, "pack", "packs");
            let line = format!("Sent {packs}: {} kB.", self.sent_bytes.div_ceil(1000));
            lines.push((Style::Good, line));
        }
        for (former, new) in self.renumbered.iter().take(12) {
            lines.push((Style::Plain, format!("Renumbered: #{former} → #{new}.")));
        }
        if self.waiting_changes > 0 {
            let changes = many(self.waiting_changes, "change waits", "changes wait");
            lines.push((
                Style::Plain,
                format!("{changes} for others that have not arrived yet."),
            ));
        }
        for skipped in &self.skipped {
            let line = format!("Skipped {}: {}.", skipped.object, skipped.reason);
            lines.push((Style::Warning, line));
        }
        if let Some(removed) = self.removed {
            let packs = many(removed, "pack", "packs");
            let line = format!("Removed {packs} of the remote whose content is in another.");
            lines.push((Style::Plain, line));
        }
        if let Some(who) = &self.compacted_by {
            let line = format!("{who} compacts the remote at the moment.");
            lines.push((Style::Warning, line));
        }
        if lines.is_empty() {
            lines.push((Style::Plain, "Nothing new on either side.".to_owned()));
        }
        let title = format!("Remote {}", self.remote);
        lines.insert(0, (Style::Strong, title));
        lines
    }
}

/// How this clone stands with a remote.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RemoteStatus {
    /// Its URL, or its folder.
    pub remote: String,
    /// Whether it is the one of the settings.
    pub configured: bool,
    /// When an exchange last reached its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_success: Option<String>,
    /// How many seconds ago that was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lag_seconds: Option<i64>,
    /// Failures since then, and the last of them.
    pub failures: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Packs that it had when all were listed.
    pub packs: i64,
    /// Packs that are not there yet.
    pub to_send: usize,
    /// When something was last exchanged, and what.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_change: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<serde_json::Value>,
    /// Tasks of this clone that are claimed there.
    pub claims: usize,
    /// Tasks that are claimed here only, because it did not answer.
    pub local_claims: usize,
    /// Tasks that another machine works on too.
    pub conflicts: Vec<ClaimConflict>,
}

/// A task that two machines work on.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ClaimConflict {
    pub id: String,
    pub number: i64,
    pub title: String,
    /// Who holds it here, and who on the other machine.
    pub owner: String,
    pub other: String,
}

impl RemoteStatus {
    /// The remotes that this clone has used, and the one of the settings.
    pub fn all(reader: &Reader<'_>, configured: Option<&str>) -> Result<Vec<Self>> {
        let mut states = reader.remotes()?;
        if let Some(url) = configured
            && !states.iter().any(|state| state.url == url)
        {
            states.push(reader.remote(url)?);
        }
        let states = states.into_iter();
        states
            .map(|state| {
                let is_configured = configured == Some(state.url.as_str());
                Self::of(reader, state, is_configured)
            })
            .collect()
    }

    fn of(reader: &Reader<'_>, state: RemoteState, configured: bool) -> Result<Self> {
        let now = Timestamp::now().as_millis();
        let moment = |at: i64| Timestamp::from_millis(at).to_seconds();
        let claims = if configured {
            reader.remote_claims()?
        } else {
            Vec::new()
        };
        let count = |wanted: RemoteClaimState| {
            let found = claims.iter().filter(|claim| claim.state == wanted);
            found.count()
        };
        let mut conflicts = Vec::new();
        for claim in &claims {
            if claim.state == RemoteClaimState::Conflict
                && let Some(task) = reader.find_entity(&claim.id)?
            {
                conflicts.push(ClaimConflict {
                    id: claim.id.as_str().to_owned(),
                    number: task.number,
                    title: task.title,
                    owner: claim.owner.clone(),
                    other: claim.other.clone().unwrap_or_default(),
                });
            }
        }
        Ok(Self {
            to_send: reader.packs_to_send(&state.url)?.len(),
            remote: state.url,
            configured,
            last_success: state.succeeded_at.map(moment),
            lag_seconds: state.succeeded_at.map(|at| (now - at).max(0) / 1000),
            failures: state.failures,
            error: state.error,
            packs: state.packs,
            last_change: state.changed_at.map(moment),
            changed: state.report,
            claims: count(RemoteClaimState::Held),
            local_claims: count(RemoteClaimState::Local),
            conflicts,
        })
    }

    pub fn view(&self) -> View {
        let title = format!("Remote {}", self.remote);
        let mut view = View::default().line([Span::new(title, Style::Strong)]);
        let mut add = |style, text: String| {
            let own = std::mem::take(&mut view);
            view = own.line([Span::new(text, style)]);
        };
        match (&self.last_success, self.lag_seconds) {
            (Some(at), Some(lag)) => {
                add(Style::Plain, format!("Last exchange: {at}, {lag} s ago."));
            }
            _ => add(Style::Warning, "Never exchanged.".to_owned()),
        }
        if let Some(error) = &self.error {
            let times = many(self.failures as usize, "time", "times");
            add(Style::Warning, format!("Failed {times} since: {error}."));
        }
        if self.to_send > 0 {
            let packs = many(self.to_send, "pack", "packs");
            add(Style::Plain, format!("{packs} to send."));
        }
        if let (Some(at), Some(changed)) = (&self.last_change, &self.changed) {
            let number = |name: &str| changed[name].as_u64().unwrap_or(0);
            add(
                Style::Plain,
                format!(
                    "Last change: {at}; received {} and sent {} packs, {} entities changed, {} objects skipped.",
                    number("received"),
                    number("sent"),
                    number("changed"),
                    number("skipped_count"),
                ),
            );
        }
        if self.claims > 0 {
            let tasks = many(self.claims, "task", "tasks");
            add(
                Style::Plain,
                format!("{tasks} of this machine claimed there."),
            );
        }
        if self.local_claims > 0 {
            let tasks = many(self.local_claims, "task is", "tasks are");
            add(
                Style::Warning,
                format!("{tasks} claimed on this machine only: the remote did not answer."),
            );
        }
        for conflict in &self.conflicts {
            add(
                Style::Bad,
                format!(
                    "Conflict: task {} \"{}\" is held by {} here and by {}. Agree on one, and release the other.",
                    conflict.number, conflict.title, conflict.owner, conflict.other
                ),
            );
        }
        view
    }
}

fn many(number: usize, one: &str, more: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { more })
}
