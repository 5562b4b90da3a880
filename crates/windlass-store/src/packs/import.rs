//! A pack of another clone becomes part of the state, whole or not at all.

use windlass_core::{Origin, Result};

use crate::exchange::{ImportReport, NotImported};
use crate::packs::examine::NOT_ITS_NAME;
use crate::packs::format::{Content, Unreadable, decode};
use crate::packs::kept::Standing;
use crate::packs::{PackName, PackOutcome};
use crate::store::Store;
use crate::writer::Writer;

impl Store {
    /// Imports a pack in one transaction. What cannot be imported is reported and changes nothing.
    /// For several packs use [`Store::import_packs`].
    pub fn import_pack(
        &self,
        origin: &Origin,
        name: &PackName,
        bytes: &[u8],
    ) -> Result<PackOutcome> {
        self.import_one(origin, name, bytes, true)
    }

    /// Imports packs, each in one transaction, and settles what they bring when all of them are
    /// here: one may have what another clone settled about the others. What was settled is in the
    /// report of the last pack that was imported.
    pub fn import_packs(
        &self,
        origin: &Origin,
        packs: impl IntoIterator<Item = (PackName, Vec<u8>)>,
    ) -> Result<Vec<(PackName, PackOutcome)>> {
        let mut outcomes = Vec::new();
        for (name, bytes) in packs {
            let outcome = self.import_one(origin, &name, &bytes, false)?;
            outcomes.push((name, outcome));
        }
        let last = outcomes
            .iter_mut()
            .rev()
            .find_map(|(_, outcome)| match outcome {
                PackOutcome::Imported(report) => Some(report),
                _ => None,
            });
        if let Some(report) = last {
            self.write(origin, |writer| writer.settle(report))?;
        }
        Ok(outcomes)
    }

    fn import_one(
        &self,
        origin: &Origin,
        name: &PackName,
        bytes: &[u8],
        settle: bool,
    ) -> Result<PackOutcome> {
        if self.unknown_packs(std::slice::from_ref(name))?.is_empty() {
            return Ok(PackOutcome::AlreadyKnown);
        }
        if PackName::of(bytes) != *name {
            return Ok(PackOutcome::Foreign {
                reason: NOT_ITS_NAME.to_owned(),
            });
        }
        let content = match decode(bytes) {
            Ok(content) => content,
            Err(Unreadable::Foreign(reason)) => return Ok(PackOutcome::Foreign { reason }),
            Err(Unreadable::Newer(version)) => return Ok(PackOutcome::Newer { version }),
            Err(Unreadable::Damaged(reason)) => return Ok(PackOutcome::Damaged { reason }),
        };
        let mut broken = None;
        let imported = self.write(origin, |writer| {
            let imported = writer.import_content(name, bytes, &content);
            let mut outcome = imported.map_err(|failure| {
                if let NotImported::Broken(reason) = &failure {
                    broken = Some(reason.clone());
                }
                failure.into_error()
            })?;
            if let PackOutcome::Imported(report) = &mut outcome
                && settle
            {
                writer.settle(report)?;
            }
            Ok(outcome)
        });
        match (broken, imported) {
            (Some(reason), Err(_)) => Ok(PackOutcome::Damaged { reason }),
            (_, outcome) => outcome,
        }
    }
}

impl Writer<'_> {
    fn import_content(
        &self,
        name: &PackName,
        bytes: &[u8],
        content: &Content,
    ) -> Result<PackOutcome, NotImported> {
        // Another process may have been faster.
        let standing = self.standing_of(name)?;
        if matches!(standing, Some(Standing::Known | Standing::Replaced)) {
            return Ok(PackOutcome::AlreadyKnown);
        }
        let by_entity = content
            .entities
            .iter()
            .map(|(id, updates)| (id, updates.iter().map(Vec::as_slice).collect()))
            .collect();
        let mut report = self.import(by_entity, Some(name))?;
        for entry in &content.journal {
            report.journal += usize::from(self.insert_journal(entry, true)?);
        }
        self.mark_journal_packed(&content.journal)?;
        self.mark_replaced(name, content)?;
        let brought_nothing = report == ImportReport::default();
        if standing == Some(Standing::Claimed) && brought_nothing {
            self.set_standing(name, Standing::Replaced)?;
            return Ok(PackOutcome::AlreadyKnown);
        }
        self.keep_pack(name, bytes)?;
        Ok(PackOutcome::Imported(report))
    }

    /// What the pack contains of others need not be kept with those.
    fn mark_replaced(&self, name: &PackName, content: &Content) -> Result<(), NotImported> {
        for replaced in content.replaces.iter().filter(|it| *it != name) {
            match self.standing_of(replaced)? {
                Some(Standing::Replaced | Standing::Claimed) => {}
                None => self.set_standing(replaced, Standing::Claimed)?,
                Some(Standing::Known) => {
                    let bytes = self.pack_bytes(replaced)?.unwrap_or_default();
                    if decode(&bytes).is_ok_and(|theirs| content.covers(&theirs).unwrap_or(false)) {
                        self.set_standing(replaced, Standing::Replaced)?;
                    }
                }
            }
        }
        Ok(())
    }
}
