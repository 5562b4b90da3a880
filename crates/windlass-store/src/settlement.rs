//! After an import: what two clones did at the same time is settled, by ordinary writes that the
//! others get.
//!
//! Each pack is imported alone, and one of the next ones may have the settlement of another clone.
//! So this comes after all of them; what is to be compared is stored, in case the process ends
//! before.

use std::collections::BTreeSet;

use windlass_core::{EntityId, Result};

use crate::carried::{Stage, Unsettled};
use crate::error::StorageContext as _;
use crate::exchange::ImportReport;
use crate::writer::Writer;

impl Writer<'_> {
    pub(crate) fn mark_unsettled(&self, id: &EntityId) -> Result<()> {
        self.connection()
            .prepare_cached("INSERT OR IGNORE INTO unsettled (id) VALUES (?1)")
            .and_then(|mut statement| statement.execute([id.as_str()]))
            .stored()?;
        Ok(())
    }

    /// Settles numbers, names, and the status of tasks, and reports what changed.
    pub(crate) fn settle(&self, report: &mut ImportReport) -> Result<()> {
        let touched = self.unsettled()?;
        if touched.is_empty() {
            return Ok(());
        }
        report.renumbered = self.resolve_number_conflicts(&touched)?;
        report.renamed = self.resolve_name_conflicts(&touched)?;
        let with_work = self.with_work(&touched)?;
        let mut tasks = BTreeSet::new();
        for id in &with_work {
            let (_, document) = self.load_document(id)?;
            let record = document.record()?;
            self.project_work(&record, Stage::Settled)?;
            tasks.extend(Unsettled::of(&record));
        }
        if !with_work.is_empty() {
            // Reviews of deleted tasks keep their numbers too.
            report.work_renumbered = self.settle_work_numbers()?;
            report.settled = self.reconcile(&tasks)?;
        }
        self.connection()
            .execute("DELETE FROM unsettled", [])
            .stored()?;
        Ok(())
    }

    fn unsettled(&self) -> Result<BTreeSet<EntityId>> {
        self.connection()
            .prepare_cached("SELECT id FROM unsettled")
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| row.get::<_, String>(0).map(EntityId::from_stored))?
                    .collect()
            })
            .stored()
    }

    /// Those that can disagree with a review or a question. Deleted tasks keep theirs.
    fn with_work(&self, ids: &BTreeSet<EntityId>) -> Result<Vec<EntityId>> {
        let mut found = Vec::new();
        for id in ids {
            let has_work: bool = self
                .connection()
                .prepare_cached(
                    "SELECT EXISTS (SELECT 1 FROM entities WHERE id = ?1 AND type = 'task'
                             AND status IN ('in_review', 'awaiting_human'))
                         OR EXISTS (SELECT 1 FROM reviews WHERE task = ?1)
                         OR EXISTS (SELECT 1 FROM help_requests WHERE task = ?1)",
                )
                .and_then(|mut statement| statement.query_row([id.as_str()], |row| row.get(0)))
                .stored()?;
            if has_work {
                found.push(id.clone());
            }
        }
        Ok(found)
    }
}
