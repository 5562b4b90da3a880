//! What comes from elsewhere may be hostile. Loro answers some of it with a panic, in the middle of an
//! import or only when the result is loaded again: here that is an error, and nothing is stored.

use std::panic::{AssertUnwindSafe, catch_unwind};

use loro::{EncodedBlobMode, ImportBlobMetadata, LoroDoc};
use windlass_core::{Error, Result};

use super::{Document, Record};
use crate::error::StorageContext as _;

const UNREADABLE: &str = "An update cannot be read";

impl Document {
    /// Imports changes. Returns whether some of them depend on others that have not arrived.
    pub(crate) fn import(&self, bytes: &[u8]) -> Result<bool> {
        self.guarded(|| Ok(self.doc.import(bytes).stored()?.pending.is_some()))
    }

    /// The same for changes of other clones: only updates are taken, because a shallow snapshot would
    /// hide the work of others.
    pub(crate) fn import_foreign(&self, bytes: &[u8]) -> Result<bool> {
        self.guarded(|| {
            let meta = meta_of(bytes, true)?;
            if meta.mode != EncodedBlobMode::Updates {
                return Err(Error::storage(format!("A {} is not an update", meta.mode)));
            }
            self.import(bytes)
        })
    }

    /// The content of a document with changes of other clones.
    pub(crate) fn foreign_record(&self) -> Result<Record> {
        self.guarded(|| self.record())
    }

    /// Refuses a document that could not be used any more once it is stored: loaded from these parts it
    /// must have the expected content.
    pub(crate) fn check_loads(expected: &Record, bytes: &[u8], changes: &[Vec<u8>]) -> Result<()> {
        let loaded = Self::load(bytes, changes, 1)?;
        if loaded.foreign_record()? != *expected {
            return Err(Error::storage(UNREADABLE));
        }
        Ok(())
    }

    /// The changes since the document was loaded, if some came from other clones.
    pub(crate) fn foreign_update(&self) -> Result<Vec<u8>> {
        self.guarded(|| self.update())
    }

    /// Refuses a document in which Loro failed.
    pub(crate) fn check_usable(&self) -> Result<()> {
        if self.is_broken.get() {
            return Err(Error::storage(UNREADABLE));
        }
        Ok(())
    }

    /// Runs what Loro may fail in.
    pub(super) fn guarded<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        self.check_usable()?;
        without_panic(work).unwrap_or_else(|| {
            self.is_broken.set(true);
            Err(Error::storage(UNREADABLE))
        })
    }
}

/// What an update says of itself; its checksum is looked at only if asked for.
pub(super) fn meta_of(update: &[u8], check: bool) -> Result<ImportBlobMetadata> {
    without_panic(|| LoroDoc::decode_import_blob_meta(update, check).stored())
        .unwrap_or_else(|| Err(Error::storage(UNREADABLE)))
}

fn without_panic<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

impl Drop for Document {
    fn drop(&mut self) {
        // A second panic would end the process.
        if self.is_broken.get() || std::thread::panicking() {
            std::mem::forget(std::mem::replace(&mut self.doc, LoroDoc::new()));
        }
    }
}
