//! The file that searches go through: where it is, when it is made again, and by whom.

use std::fs;
use std::path::PathBuf;

use windlass_core::{EntityType, Error, Result};
use windlass_store::{Project, Reader, VectorFile};
use windlass_vectors::{Record, ScanWriter, Vector};

use super::models::MODEL;
use crate::context::Context;

/// Up to so many vectors the rows of the database are as good.
const WORTH_A_FILE: u64 = 2_000;
/// A new file is made when more than this share of the vectors is not in it, or gone.
const SHARE: u64 = 50;

/// Where a file of vectors is. Its name comes from the database, and is nothing but a name.
pub fn path(project: &Project, name: &str) -> Option<PathBuf> {
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_name.then(|| project.state().join(format!("vectors-{name}.scan")))
}

/// The number of a type in the file.
pub fn group(kind: EntityType) -> u32 {
    let place = EntityType::ALL.iter().position(|it| *it == kind);
    place
        .and_then(|it| u32::try_from(it).ok())
        .unwrap_or(u32::MAX)
}

/// Whether a new file is to be made.
pub fn is_due(project: &Project, reader: &Reader<'_>) -> Result<bool> {
    let (count, last) = (reader.vector_count()?, reader.last_vector()?);
    if count < WORTH_A_FILE {
        return Ok(false);
    }
    let file = reader.vector_file()?;
    let file = file.filter(|it| path(project, &it.name).is_some_and(|path| path.exists()));
    Ok(file.is_none_or(|file| {
        let behind = u64::try_from(last - file.last).unwrap_or(0);
        behind >= WORTH_A_FILE + count / SHARE
    }))
}

/// Makes a new file where that is due. The caller holds the lease.
pub fn keep_up(context: &Context) -> Result<()> {
    let project = context.workspace.project();
    if !context.store.read(None, |reader| is_due(project, reader))? {
        return Ok(());
    }
    let name = uuid::Uuid::new_v4().simple().to_string();
    let Some(new) = path(project, &name) else {
        return Ok(());
    };
    let failed = |problem: windlass_vectors::Error| Error::storage(problem.to_string());
    let last = context.store.read(None, |reader| {
        reader.consistently(|reader| {
            let mut writer = ScanWriter::new(&new).map_err(failed)?;
            let mut outcome = Ok(());
            reader.each_vector(0, |number, kind, bytes| {
                let Some(vector) = Vector::from_bytes(bytes) else {
                    return;
                };
                let record = Record {
                    number,
                    group: group(kind),
                    vector,
                };
                if outcome.is_ok() {
                    outcome = writer.add(&record);
                }
            })?;
            let last = reader.last_vector()?;
            outcome
                .and_then(|()| writer.finish(MODEL.number, last))
                .map_err(failed)?;
            Ok(last)
        })
    })?;
    let in_use = VectorFile { name, last };
    let before = context
        .store
        .write(&context.origin, |writer| writer.use_vector_file(&in_use));
    let unused = match &before {
        Ok(before) => before.clone(),
        Err(_) => Some(in_use.name),
    };
    // Whoever has the old one open keeps what it has open.
    if let Some(old) = unused.and_then(|name| path(project, &name)) {
        let _ = fs::remove_file(old);
    }
    before.map(|_| ())
}
