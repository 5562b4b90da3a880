use super::difference::SyncDifference;
use super::outputs::count;
use crate::prelude::*;
use crate::remote::{RemoteStatus, SharedRemote};

pub struct SyncStatus;

/// Show what a sync would do: changes that are in no pack, packs to import, to restore and to remove,
/// and how this clone stands with object storage. Nothing is written, and no remote is asked.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

/// How folder and state stand to each other.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct StatusOutput {
    #[serde(flatten)]
    pub difference: SyncDifference,
    /// Past this number of packs, a sync joins them into one; 0 is never.
    pub compact_after: usize,
    /// Object storage that this clone exchanges packs with.
    pub remotes: Vec<RemoteStatus>,
}

impl Render for StatusOutput {
    fn view(&self) -> View {
        let packs = count(self.difference.packs, "pack");
        let mut view = View::default().line([Span::from(match self.compact_after {
            0 => format!("{packs}."),
            most => format!("{packs}; past {most} they are joined into one."),
        })]);
        if self.difference.in_sync {
            view = view.line([Span::new("Nothing to exchange.", Style::Good)]);
        }
        for (style, line) in self.difference.lines() {
            view = view.line([Span::new(line, style)]);
        }
        for remote in &self.remotes {
            view = view.blank().join(remote.view());
        }
        view
    }
}

impl ReadOperation for SyncStatus {
    type Input = Input;
    type Output = StatusOutput;

    const DECLARATION: Declaration = Declaration::read("sync_status", Toolset::Sync)
        .sdk("sync.status")
        .blocking()
        .examples(&[Example::call("What a sync would do", "{}")]);

    async fn run(context: ReadContext, input: Input) -> Result<StatusOutput> {
        let Input {} = input;
        let settings = &context.workspace.config()?.sync;
        let configured = match &settings.remote {
            Some(url) => Some(SharedRemote::at(url, context.workspace.machine())?.name()),
            None => None,
        };
        Ok(StatusOutput {
            remotes: context.read(|reader| RemoteStatus::all(reader, configured.as_deref()))?,
            difference: SyncDifference::read(&context)?,
            compact_after: settings.compact_after,
        })
    }
}
