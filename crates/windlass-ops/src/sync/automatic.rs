//! What every process does that opens a project: it looks whether git has brought new packs, and
//! imports them. The look costs a list of a small folder.

use std::time::{Duration, SystemTime};

use tokio_util::sync::CancellationToken;
use windlass_core::{Error, Result};
use windlass_store::wait_for_locks_at_most;
use windlass_sync::folder::{Exchange, PacksFolder, Refused};

use super::outputs::ImportedChanges;
use crate::context::Context;
use crate::pipeline::offload;
use crate::plan::write_journals;

/// Whoever only wants to read does not wait for another process that writes.
const PATIENCE: Duration = Duration::from_millis(300);

/// How often a server looks at the folder.
const EVERY: Duration = Duration::from_millis(700);

/// File systems note times in steps: a folder that changed this recently may change again unnoticed.
const RECENT: Duration = Duration::from_secs(3);

/// What became of new packs.
#[derive(Debug, Default)]
pub struct AutomaticImport {
    pub changes: ImportedChanges,
    /// Why not everything could be done. It is tried again by the next process.
    pub problem: Option<Error>,
}

impl AutomaticImport {
    pub fn is_nothing(&self) -> bool {
        self.changes.imported.is_empty()
            && self.changes.skipped.is_empty()
            && self.problem.is_none()
    }

    /// What to tell, a line each.
    pub fn lines(&self) -> Vec<String> {
        let lines = self.changes.lines().into_iter().map(|(_, line)| line);
        let problem = self.problem.iter().map(|problem| {
            let why = problem.message().trim_end_matches('.');
            format!("New packs were not imported: {why}. The next command tries again.")
        });
        lines.chain(problem).collect()
    }
}

/// Imports the packs that are new in this checkout. It never fails: what the caller wants does not
/// depend on it. Nothing is imported into a state that is not this user's own.
pub fn import_new_packs(context: &Context) -> AutomaticImport {
    if !context.may_change() {
        return AutomaticImport::default();
    }
    import(context, PATIENCE)
}

fn import(context: &Context, patience: Duration) -> AutomaticImport {
    let project = context.workspace.project();
    let folder = PacksFolder::of(project);
    let exchange = Exchange {
        store: &context.store,
        folder: &folder,
        origin: &context.origin,
        thorough: false,
    };
    let mut refused = Refused::of(project);
    let imported = wait_for_locks_at_most(patience, || exchange.import_new(&mut refused));
    refused.save();
    match imported {
        Ok(imported) => {
            let mut changes = ImportedChanges::from(imported);
            if changes.journal_entries > 0 {
                changes.add_problems(write_journals(&context.store, &context.origin, project));
            }
            AutomaticImport {
                changes,
                problem: None,
            }
        }
        Err(problem) => AutomaticImport {
            problem: Some(problem),
            ..AutomaticImport::default()
        },
    }
}

/// Imports new packs until `closing` is cancelled, and reports what was found.
pub async fn keep_importing(
    context: Context,
    closing: CancellationToken,
    report: impl Fn(&AutomaticImport),
) {
    let folder = PacksFolder::of(context.workspace.project());
    let mut seen: Option<SystemTime> = None;
    let mut last_problem = None;
    loop {
        let changed = folder.changed_at();
        let is_recent = changed.is_some_and(|at| at.elapsed().is_ok_and(|age| age < RECENT));
        if changed.is_some() && (changed != seen || is_recent) {
            let own = context.clone();
            let found: Result<AutomaticImport> = offload(move || Ok(import_new_packs(&own))).await;
            let found = found.unwrap_or_else(|problem| AutomaticImport {
                problem: Some(problem),
                ..AutomaticImport::default()
            });
            // The same problem again is no news, and is tried again with the next look.
            let problem = found.problem.as_ref().map(|it| it.message().to_owned());
            if !found.is_nothing() && (problem.is_none() || problem != last_problem) {
                report(&found);
            }
            seen = changed.filter(|_| problem.is_none());
            last_problem = problem;
        }
        tokio::select! {
            () = closing.cancelled() => return,
            () = tokio::time::sleep(EVERY) => {}
        }
    }
}
