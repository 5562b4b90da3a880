use super::difference::SyncDifference;
use super::outputs::count;
use crate::prelude::*;

pub struct SyncCheck;

/// Check whether this checkout's packs and the state have the same changes. Nothing is written. It fails
/// if changes are in no pack, a pack is missing, has not been imported, or cannot be read.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

/// Whether there is anything to do.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CheckOutput {
    #[serde(flatten)]
    pub difference: SyncDifference,
}

impl Render for CheckOutput {
    fn view(&self) -> View {
        if self.difference.in_sync {
            let packs = count(self.difference.packs, "pack");
            return View::default().line([
                Span::new("In sync: ", Style::Good),
                format!("{packs}, all here and all imported.").into(),
            ]);
        }
        let lines = self.difference.lines().into_iter();
        let view = lines.fold(View::default(), |view, (style, line)| {
            view.line([Span::new(line, style)])
        });
        view.line([Span::new("Run windlass sync.", Style::Dim)])
    }

    fn unsuccessful(&self) -> bool {
        !self.difference.in_sync
    }
}

impl ReadOperation for SyncCheck {
    type Input = Input;
    type Output = CheckOutput;

    const DECLARATION: Declaration = Declaration::read("sync_check", Toolset::Sync)
        .sdk("sync.check")
        .blocking()
        .examples(&[Example::call("Is everything exchanged", "{}")]);

    async fn run(context: ReadContext, input: Input) -> Result<CheckOutput> {
        let Input {} = input;
        let difference = SyncDifference::read(&context)?;
        Ok(CheckOutput { difference })
    }
}
