use std::sync::Arc;

use windlass_core::{Actor, ErrorKind};
use windlass_sync::folder::{Compaction, Exchange, PacksFolder};

use super::outputs::SyncOutput;
use crate::plan::write_journals;
use crate::prelude::*;
use crate::remote::{SharedRemote, exchange_with};

pub struct SyncRun;

/// Exchange changes with other clones through .windlass/packs: import packs that are new there, write
/// the changes of this clone as a new pack, and restore packs that this branch lacks. Git carries the
/// files; nothing is committed or pushed. Object storage of the settings is exchanged with too.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Also replace all packs by one.
    #[serde(default)]
    #[arg(long)]
    pub compact: bool,
    /// Exchange with this object storage instead: s3://bucket/prefix, gs://, az:// or file:///folder.
    /// Only a person may name another one than the settings do.
    #[serde(default)]
    #[arg(value_name = "URL")]
    pub remote: Option<String>,
}

impl Operation for SyncRun {
    type Input = Input;
    type Output = SyncOutput;

    const DECLARATION: Declaration = Declaration::write("sync", Toolset::Sync)
        .sdk("sync.run")
        .cli(&["sync"])
        .idempotent()
        .long_running()
        .blocking()
        .examples(&[
            Example::new("Write and import", &["sync"], "{}"),
            Example::new(
                "Replace all packs by one",
                &["sync", "--compact"],
                r#"{"compact": true}"#,
            ),
        ]);

    async fn run(context: Context, input: Input) -> Result<SyncOutput> {
        context
            .offload(move |context| match &input.remote {
                Some(url) => with_remote(context, url, input.compact),
                None => run(context, input.compact),
            })
            .await
    }
}

/// Only with a remote that the caller names.
fn with_remote(context: &Context, url: &str, compact: bool) -> Result<SyncOutput> {
    let named = Arc::new(SharedRemote::at(url, context.workspace.machine())?);
    let configured = context.host.remote()?.map(|remote| remote.name());
    if context.origin.actor != Actor::Human && configured != Some(named.name()) {
        return Err(Error::new(
            ErrorKind::HumanOnly,
            format!("Only a person may send the plan to {}", named.name()),
        )
        .with_hint("Ask a person to exchange changes with this URL, or to set sync.remote."));
    }
    let remote = exchange_with(context, &named, compact)?;
    Ok(SyncOutput {
        packs: context.store.known_packs()?.len(),
        remote: Some(remote),
        ..SyncOutput::default()
    })
}

fn run(context: &Context, compact: bool) -> Result<SyncOutput> {
    let compaction = if compact {
        Compaction::Now
    } else {
        due(context)?
    };
    let project = context.workspace.project();
    // Lines that people added to the files belong to this sync.
    let mut problems = write_journals(&context.store, &context.origin, project);
    let folder = PacksFolder::of(project);
    let exchange = Exchange {
        store: &context.store,
        folder: &folder,
        origin: &context.origin,
        thorough: true,
    };
    let synced = exchange.sync(compaction)?;
    if synced.imported.changes.journal > 0 {
        problems = write_journals(&context.store, &context.origin, project);
    }
    let packs = context.store.known_packs()?.len();
    let mut output = SyncOutput::new(synced, packs);
    output.import.add_problems(problems);
    if let Some(remote) = context.host.remote()? {
        // That it cannot be reached is normal: the files are written all the same.
        match exchange_with(context, remote, compact) {
            Ok(done) => output.remote = Some(done),
            Err(problem) => output.remote_error = Some(problem.message().to_owned()),
        }
    }
    Ok(output)
}

/// When packs are joined by themselves.
pub(super) fn due(context: &ReadContext) -> Result<Compaction> {
    let settings = &context.workspace.config()?.sync;
    Ok(match settings.compact_after {
        0 => Compaction::Never,
        // Clones of a remote would each make a pack of everything; there one does it, by a lease.
        _ if settings.remote.is_some() => Compaction::Never,
        most => Compaction::Past(most),
    })
}
