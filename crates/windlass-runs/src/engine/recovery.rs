//! Recovers the outputs of a run whose server died.

use std::path::Path;

use windlass_process::Stream;

use super::options::Options;
use super::output::{log_name, spool_folder, spool_path};
use super::tail::Tail;
use crate::record::{ArtifactKind, ArtifactRecord, RunRecord};
use crate::secrets::Secrets;

/// Moves unfinished outputs into the artifact store and their ends into the record. They were
/// masked before they were written.
pub async fn store_outputs(options: &Options, record: &mut RunRecord) {
    let none = Secrets::default();
    let run_id = record.run_id().to_owned();
    for index in 0..record.steps().len() {
        for stream in [Stream::Stdout, Stream::Stderr] {
            let path = spool_path(options, &run_id, index, stream);
            let Some((text, was_cut)) = left_output(&path).await else {
                continue;
            };
            let name = log_name(stream);
            let key = options
                .artifacts
                .key(&run_id, index, ArtifactKind::Log, name);
            let most = options.artifact_limits.output_bytes;
            let artifact = match options.artifacts.put_file(&key, &path, &none, most).await {
                Ok(put) => ArtifactRecord {
                    kind: ArtifactKind::Log,
                    name: name.to_owned(),
                    key: Some(key),
                    bytes: Some(put.bytes),
                    sha256: Some(put.sha256),
                    skipped: Some("the run was interrupted".to_owned()),
                },
                Err(why) => ArtifactRecord::skipped(ArtifactKind::Log, name, why.to_string()),
            };
            record.add_output(index, stream, text, was_cut, Some(artifact));
        }
    }
    // The folder does not exist if nothing was written.
    let _ = tokio::fs::remove_dir_all(spool_folder(options, &run_id)).await;
}

/// Adds the ends of unfinished outputs to the record; the files stay where they are.
pub async fn show_outputs(options: &Options, record: &mut RunRecord) {
    let run_id = record.run_id().to_owned();
    for index in 0..record.steps().len() {
        for stream in [Stream::Stdout, Stream::Stderr] {
            let path = spool_path(options, &run_id, index, stream);
            if let Some((text, was_cut)) = left_output(&path).await {
                record.add_output(index, stream, text, was_cut, None);
            }
        }
    }
}

/// The end of an unfinished output, and whether more came before it.
async fn left_output(path: &Path) -> Option<(String, bool)> {
    let bytes = tokio::fs::read(path).await.ok()?;
    let mut tail = Tail::default();
    tail.push(&bytes);
    Some(tail.text(&Secrets::default()))
}
