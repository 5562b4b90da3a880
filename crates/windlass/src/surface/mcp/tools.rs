//! The tools of a connection: either fixed, or those of a session, which may become fewer or more
//! with its context file, but never more than it began with.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use windlass_core::Result;
use windlass_ops::{Access, context_path, filter_of};
use windlass_store::{Project, Store};

use super::LOG;
use super::tool_catalog::{OutputSchemas, ToolCatalog};

/// How often the context file is checked for changes.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Where a server's tools come from.
#[derive(Clone)]
pub enum Tools {
    Fixed(Arc<ToolCatalog>),
    OfSession(Arc<SessionTools>),
}

impl Tools {
    /// The tools as they are now.
    pub fn now(&self) -> Arc<ToolCatalog> {
        match self {
            Self::Fixed(catalog) => Arc::clone(catalog),
            Self::OfSession(session) => session.now(),
        }
    }

    /// Returns when the tools differ from those that were last seen.
    pub async fn change(&self, last: &mut Arc<ToolCatalog>) {
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            let now = self.now();
            let differs = !now.names().eq(last.names());
            *last = now;
            if differs {
                return;
            }
        }
    }

    /// Whether they can change.
    pub fn can_change(&self) -> bool {
        matches!(self, Self::OfSession(_))
    }
}

/// Identifies one state of a file.
type Stamp = Option<(SystemTime, u64)>;

/// The tools that the filter of a session allows.
pub struct SessionTools {
    store: Arc<Store>,
    project: Project,
    id: String,
    read_only: bool,
    output_schemas: OutputSchemas,
    file: PathBuf,
    current: Mutex<(Stamp, Arc<ToolCatalog>)>,
}

impl SessionTools {
    /// Refuses a session that is not on record, or has ended.
    pub fn new(
        store: Arc<Store>,
        project: Project,
        id: &str,
        read_only: bool,
        output_schemas: OutputSchemas,
    ) -> Result<Self> {
        let file = context_path(&project, id);
        let stamp = stamp_of(&file);
        let first = catalog(&store, &project, id, read_only)?.with_output_schemas(output_schemas);
        Ok(Self {
            store,
            project,
            id: id.to_owned(),
            read_only,
            output_schemas,
            file,
            current: Mutex::new((stamp, Arc::new(first))),
        })
    }

    fn now(&self) -> Arc<ToolCatalog> {
        let stamp = stamp_of(&self.file);
        let mut current = self.current();
        if current.0 != stamp {
            current.0 = stamp;
            match catalog(&self.store, &self.project, &self.id, self.read_only) {
                Ok(fresh) => {
                    current.1 = Arc::new(fresh.with_output_schemas(self.output_schemas));
                }
                // While the file cannot be read, the previous filter stays in force.
                Err(problem) => {
                    tracing::warn!(target: LOG, error = %problem, "cannot read the context file; the previous filter stays in force");
                }
            }
        }
        Arc::clone(&current.1)
    }

    fn current(&self) -> MutexGuard<'_, (Stamp, Arc<ToolCatalog>)> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn catalog(store: &Store, project: &Project, id: &str, read_only: bool) -> Result<ToolCatalog> {
    let filter = filter_of(store, project, id)?;
    let access = Access::everything().reading_only(read_only).within(filter);
    Ok(ToolCatalog::shipped(&[], access))
}

fn stamp_of(file: &std::path::Path) -> Stamp {
    let metadata = file.metadata().ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}
