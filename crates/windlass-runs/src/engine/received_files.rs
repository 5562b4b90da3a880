//! The files that a script found for artifacts: in its output, in a shared folder, or uploaded.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::execution::Execution;
use super::script_steps::{CurrentStep, ScriptSteps};
use crate::record::{ArtifactKind, ArtifactRecord};
use crate::script::Kept;

/// A file that the script found.
pub struct ReceivedFile {
    size: u64,
    received: u64,
    /// Where its content is on this machine.
    path: PathBuf,
    file: Option<File>,
    /// The number of its upload, and its SHA-256 as its place says.
    pub upload: Option<(usize, String)>,
    /// Why it was not sent.
    pub kept: Option<Kept>,
}

impl Execution<'_> {
    /// Stores the files that the script sent, and says which it could not send.
    pub(super) async fn store_received(&mut self, current: CurrentStep) -> Vec<ArtifactRecord> {
        let index = current.index;
        let step = &self.spec.steps[index];
        let folder = PathBuf::from(step.cwd.clone().unwrap_or_default());
        let named = |name: &str| folder.join(name).to_string_lossy().into_owned();
        let limits = self.shared.options.artifact_limits.clone();
        let mut stored = Vec::new();
        let mut too_many = false;
        for (count, (name, mut received)) in current.files.into_iter().enumerate() {
            if count == limits.files_per_step {
                too_many = true;
                break;
            }
            received.file = None;
            let name = named(&name);
            if let Some((number, sha256)) = &received.upload {
                let about = (received.size, sha256.as_str());
                stored.push(self.accept(index, &name, *number, about).await);
                continue;
            }
            if let Some(why) = received.why_missing() {
                let name = self.resolved.secrets.mask(&name);
                stored.push(ArtifactRecord::skipped(ArtifactKind::File, name, why));
                continue;
            }
            let most = limits.file_bytes;
            let record = self
                .put(index, ArtifactKind::File, &name, &received.path, most)
                .await;
            stored.push(record);
        }
        for glob in current.no_match {
            let globs = step.artifacts.as_deref().unwrap_or_default();
            if let Some(glob) = globs.get(glob) {
                stored.push(ArtifactRecord::skipped(
                    ArtifactKind::File,
                    self.resolved.secrets.mask(glob),
                    "nothing matches",
                ));
            }
        }
        if too_many {
            let why = format!("more than {} files match", limits.files_per_step);
            stored.push(ArtifactRecord::skipped(ArtifactKind::File, "…", why));
        }
        stored
    }
}

impl ScriptSteps {
    pub(super) fn add_file(&mut self, index: usize, size: u64, name: String) {
        let (folder, is_shared) = (self.folder.clone(), self.is_shared);
        let Some(current) = self.of(index) else {
            return;
        };
        let number = current.files.len() + 1;
        let path = folder.join(index.to_string()).join(number.to_string());
        current.last_file = Some(name.clone());
        // In a shared folder the script puts it there itself.
        let file = if is_shared { None } else { create(&path) };
        let received = ReceivedFile {
            size,
            received: 0,
            path,
            file,
            upload: None,
            kept: None,
        };
        current.files.insert(name, received);
    }

    /// The file that the script named last.
    pub(super) fn last_file(&mut self, index: usize) -> Option<&mut ReceivedFile> {
        let current = self.of(index)?;
        current.files.get_mut(current.last_file.as_deref()?)
    }

    pub(super) fn add_data(&mut self, index: usize, bytes: &[u8]) {
        if let Some(received) = self.last_file(index)
            && let Some(file) = &mut received.file
            && file.write_all(bytes).is_ok()
        {
            received.received += bytes.len() as u64;
        }
    }
}

impl ReceivedFile {
    /// Why its content is not here, if it is not.
    fn why_missing(&self) -> Option<String> {
        match self.kept {
            Some(Kept::Secret) => return Some("contains a secret of the run".to_owned()),
            Some(Kept::SecretName) => {
                return Some("its name contains a secret of the run".to_owned());
            }
            Some(Kept::NoCurl) => {
                let why = "more than can be sent in the log, and curl is not installed there";
                return Some(format!("has {} bytes, {why}", self.size));
            }
            Some(Kept::Refused(code)) => {
                let why = "more than can be sent in the log; its upload failed with curl's";
                return Some(format!("has {} bytes, {why} exit code {code}", self.size));
            }
            None => {}
        }
        let here = std::fs::metadata(&self.path).map_or(0, |about| about.len());
        match self.received {
            _ if here == self.size => None,
            0 => Some(format!(
                "has {} bytes, more than can be sent in the log",
                self.size
            )),
            some => Some(format!("only {some} of {} bytes arrived", self.size)),
        }
    }
}

fn create(path: &Path) -> Option<File> {
    std::fs::create_dir_all(path.parent()?).ok()?;
    File::create(path).ok()
}
