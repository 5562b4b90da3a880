//! The commands of the repository, and a watch over the files that define them.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use windlass_core::{Page, Result};

use super::json;
use crate::commands::{ListInput, list_commands};
use crate::context::ReadContext;

/// How often the files are looked at. A look costs a walk over the folders.
const INTERVAL: Duration = Duration::from_millis(750);

pub(super) fn text(context: &ReadContext, page: Page) -> Result<String> {
    let input = ListInput {
        offset: page.offset,
        ..ListInput::default()
    };
    Ok(json(&list_commands(context, &input)?))
}

/// Changes when a definition does, for as long as somebody holds it.
pub(super) fn changes(context: &ReadContext) -> Result<Option<watch::Receiver<u64>>> {
    let mut last = context.workspace.discovery()?.discover();
    let workspace = Arc::clone(&context.workspace);
    let (sender, receiver) = watch::channel(0);
    // Only servers have subscribers, and they have a runtime.
    let Ok(runtime) = tokio::runtime::Handle::try_current() else {
        return Ok(None);
    };
    runtime.spawn(async move {
        loop {
            tokio::select! {
                () = sender.closed() => return,
                () = tokio::time::sleep(INTERVAL) => {}
            }
            let workspace = Arc::clone(&workspace);
            let looked =
                tokio::task::spawn_blocking(move || workspace.discovery().map(|it| it.discover()));
            // The same set is returned for as long as nothing changes.
            if let Ok(Ok(now)) = looked.await
                && !last.is_same(&now)
            {
                last = now;
                sender.send_modify(|count| *count += 1);
            }
        }
    });
    Ok(Some(receiver))
}
