//! One exchange of packs with a remote, for a call or in the background.

use std::sync::Arc;
use std::time::Duration;

use windlass_core::{Origin, Result};
use windlass_store::{RemoteClaim, Store};
use windlass_sync::claims::Leases;
use windlass_sync::remote::{Compacted, Pass, PassReport, Remote, RemoteError, TransferProgress};

use super::outputs::RemoteSync;
use super::shared::SharedRemote;
use super::upkeep;
use crate::context::{Context, Progress};
use crate::plan::write_journals;

/// A call waits at most this long for an exchange; what was done until then stays done.
const LONGEST: Duration = Duration::from_hours(2);

/// Exchanges packs with a remote for a caller who waits for it. Everything there is looked at.
pub fn exchange_with(
    context: &Context,
    remote: &Arc<SharedRemote>,
    compact: bool,
) -> Result<RemoteSync> {
    let failed = |problem: RemoteError| problem.into_error();
    // Whoever names a folder wants it; nothing is made because of a setting alone.
    let opened = match context.origin.actor {
        windlass_core::Actor::Human => remote.create(),
        windlass_core::Actor::Agent => remote.remote(),
    };
    let opened = opened.map_err(failed)?;
    let configured = context.host.remote()?.map(|remote| remote.name());
    let has_claims = configured == Some(remote.name());
    let (store, origin) = (Arc::clone(&context.store), context.origin.clone());
    let (shared, progress) = (Arc::clone(remote), context.progress.clone());
    let work = move || async move {
        let tell = |done: TransferProgress| {
            if let Some(progress) = &progress {
                progress(progress_of(done));
            }
        };
        let exchange = Exchange {
            store: &store,
            origin: &origin,
            remote: &opened,
            shared: &shared,
            has_claims,
        };
        exchange.run(true, compact, Some(&tell)).await
    };
    let done = remote
        .worker()
        .and_then(|worker| worker.wait(LONGEST, work))
        .map_err(failed)?;
    if done.report.journal > 0 {
        // A file that cannot be written keeps its old text; the entries are in the state.
        let _ = write_journals(&context.store, &context.origin, context.workspace.project());
    }
    Ok(RemoteSync::new(remote.name(), done))
}

#[expect(clippy::cast_precision_loss, reason = "counts of packs are small")]
fn progress_of(done: TransferProgress) -> Progress {
    let verb = if done.sending { "sent" } else { "received" };
    Progress {
        done: done.packs as f64,
        total: Some(done.of as f64),
        message: format!(
            "{verb} {} of {} packs, {} kB",
            done.packs,
            done.of,
            done.bytes / 1000
        ),
    }
}

/// One exchange.
pub struct Exchange<'a> {
    pub store: &'a Store,
    pub origin: &'a Origin,
    pub remote: &'a Remote,
    pub shared: &'a SharedRemote,
    /// Whether tasks are claimed there: on the remote of the settings, and no other.
    pub has_claims: bool,
}

/// What an exchange did.
pub struct Exchanged {
    pub report: PassReport,
    /// How many packs compaction removed from the remote.
    pub removed: Option<usize>,
    /// Who compacts at the moment, if it was not done for that reason.
    pub compacted_by: Option<String>,
}

impl Exchange<'_> {
    /// Exchanges packs and looks after claims. A failure is on record for `sync --status`.
    pub async fn run(
        &self,
        thorough: bool,
        compact: bool,
        progress: Option<&(dyn Fn(TransferProgress) + Send + Sync)>,
    ) -> Result<Exchanged, RemoteError> {
        let pass = Pass {
            store: self.store,
            origin: self.origin,
            remote: self.remote,
            thorough,
            progress,
        };
        let url = self.remote.name();
        self.store
            .write(self.origin, |writer| writer.begin_pass(url, i64::MAX))?;
        let claims = if self.has_claims {
            upkeep::given_back(self.store)?
        } else {
            Vec::new()
        };
        let done = if compact {
            pass.compact(&self.shared.machine)
                .await
                .map(Exchanged::from)
        } else {
            pass.run().await.map(Exchanged::from)
        };
        let done = match done {
            Ok(done) if self.has_claims => self.after(&claims).await.map(|()| done),
            done => done,
        };
        self.shared.note(&done);
        if let Err(problem) = &done {
            let text = problem.to_string();
            self.store
                .write(self.origin, |writer| writer.pass_failed(url, &text))?;
        }
        done
    }

    /// What was given back before the exchange is free for others after it.
    async fn after(&self, given_back: &[RemoteClaim]) -> Result<(), RemoteError> {
        let leases = Leases::new(self.remote.clone());
        upkeep::release(self.store, self.origin, &leases, given_back).await?;
        upkeep::upkeep(self.store, self.origin, self.shared).await
    }
}

impl From<PassReport> for Exchanged {
    fn from(report: PassReport) -> Self {
        Self {
            report,
            removed: None,
            compacted_by: None,
        }
    }
}

impl From<Compacted> for Exchanged {
    fn from(compacted: Compacted) -> Self {
        match compacted {
            Compacted::Done { pass, removed } => Self {
                removed: Some(removed),
                ..Self::from(*pass)
            },
            Compacted::ElsewhereBy(who) => Self {
                compacted_by: Some(who),
                ..Self::from(PassReport::default())
            },
        }
    }
}
