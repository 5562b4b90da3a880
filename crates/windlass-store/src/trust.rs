//! Opens the state of a project for this user: creates a new one, reads a foreign one, refuses where
//! one is lost.

use rusqlite::OptionalExtension as _;
use windlass_core::Result;

use crate::binding::{Bindings, Foreign, ForeignCopy, Standing, lost};
use crate::error::StorageContext as _;
use crate::migrations::MIGRATIONS;
use crate::project::Project;
use crate::store::Store;

impl Store {
    /// Opens the state of a project for the user with these records. A new one is made and put on
    /// record. One that is not the user's own is opened for reading only, from a copy.
    pub fn open_bound(project: &Project, bindings: &Bindings) -> Result<Self> {
        if bindings.standing(project)? == Standing::Own {
            return Self::open_own(project, bindings);
        }
        // Another process may be making it right now. A user without a folder for records has none.
        let lock = bindings.lock();
        match bindings.standing(project)? {
            Standing::Own => Self::open_own(project, bindings),
            Standing::New => {
                let _alone = lock?;
                Self::make(project, bindings)
            }
            Standing::Foreign(why) => {
                if why == Foreign::Tracked {
                    bindings.suspend(project)?;
                }
                Self::open_foreign(project, why)
            }
            Standing::Lost => Err(lost(project)),
        }
    }

    fn open_own(project: &Project, bindings: &Bindings) -> Result<Self> {
        let store = Self::open(project)?;
        let id = bindings.id(project)?;
        if id.is_some() && store.project_id()? == id {
            return Ok(store);
        }
        Self::open_foreign(project, Foreign::Replaced)
    }

    fn make(project: &Project, bindings: &Bindings) -> Result<Self> {
        project.prepare_state()?;
        let id = fresh_id();
        bindings.begin(project, &id)?;
        let store = Self::open(project)?;
        store.set_project_id(&id)?;
        bindings.finish(project, &id)?;
        Ok(store)
    }

    fn open_foreign(project: &Project, why: Foreign) -> Result<Self> {
        let copy = ForeignCopy::of(project)?;
        let mut store = Self::open_with(&copy.database(), MIGRATIONS)?;
        store.foreign = Some((copy, why.error(project)));
        Ok(store)
    }

    /// Takes a foreign state over for this user. Only a person may ask for it, who has seen what is
    /// in it. `tell` passes on what happened meanwhile: taking over a state of an older version upgrades
    /// it.
    pub fn trust(project: &Project, bindings: &Bindings, tell: impl FnOnce(&Self)) -> Result<()> {
        let _alone = bindings.lock()?;
        match bindings.standing(project)? {
            Standing::Foreign(why @ Foreign::Tracked) => return Err(why.error(project)),
            Standing::Lost => return Err(lost(project)),
            Standing::New | Standing::Own | Standing::Foreign(_) => {}
        }
        let id = fresh_id();
        let store = Self::open(project)?;
        tell(&store);
        store.set_project_id(&id)?;
        bindings.finish(project, &id)
    }

    /// Refuses where the state is not this user's own.
    pub fn check_trusted(&self) -> Result<()> {
        match &self.foreign {
            Some((_, refusal)) => Err(refusal.clone()),
            None => Ok(()),
        }
    }

    pub(crate) fn project_id(&self) -> Result<Option<String>> {
        self.readers.with(None, |connection| {
            connection
                .query_row("SELECT id FROM project", [], |row| row.get(0))
                .optional()
                .stored()
        })
    }

    fn set_project_id(&self, id: &str) -> Result<()> {
        self.with_writer(|writer| {
            let connection = &mut writer.connection;
            let transaction = connection.transaction().stored()?;
            transaction.execute("DELETE FROM project", []).stored()?;
            let added = transaction.execute("INSERT INTO project (id) VALUES (?1)", [id]);
            added.stored()?;
            transaction.commit().stored()
        })
    }
}

pub(crate) fn fresh_id() -> String {
    uuid::Uuid::new_v4().to_string()
}
