//! The artifact store: keys `{run}/{step}/…` in a folder or a bucket.

use std::io::SeekFrom;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::TryStreamExt as _;
use object_store::path::{Path as Key, PathPart};
use object_store::signer::Signer;
use object_store::{ObjectStore, ObjectStoreExt as _, WriteMultipart};
use sha2::{Digest as _, Sha256};
use tokio::fs::File;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncSeekExt as _};
use windlass_core::hexadecimal;
use windlass_objects::{Location, LocationError, Opened, Patience};

use crate::record::ArtifactKind;
use crate::script::UploadAddress;
use crate::secrets::Secrets;

/// The size of one read, and of one part of a multipart upload.
const PART: usize = 8 << 20;

/// Parts of a multipart upload that are sent concurrently.
const PARTS_AT_ONCE: usize = 4;

/// A file name may have 255 bytes, and the store appends a few bytes for temporary files.
const LONGEST_PART: usize = 200;

/// The longest that an address of S3 may be valid.
const LONGEST_ADDRESS: Duration = Duration::from_hours(7 * 24);

/// The folder of a run for files that were uploaded and not accepted yet.
const UPLOADS: &str = "uploads";

/// The artifact store; a handle that is cheap to clone.
#[derive(Clone, Debug)]
pub struct ArtifactStore {
    store: Arc<dyn ObjectStore>,
    prefix: Key,
    signer: Option<Arc<dyn Signer>>,
}

/// An artifact in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredArtifact {
    /// Its key, for [`ArtifactStore::read`].
    pub key: String,
    /// Its size.
    pub bytes: u64,
}

/// The result of storing a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PutResult {
    pub bytes: u64,
    pub sha256: String,
}

/// Why an artifact could not be stored or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store failed.
    #[error("the artifact store: {0}")]
    Store(#[from] object_store::Error),
    /// The key is not valid.
    #[error("`{0}` is not an artifact key")]
    Key(String),
    /// The file to store cannot be read.
    #[error("cannot be read: {0}")]
    File(#[from] std::io::Error),
    /// It is not a regular file.
    #[error("is not a file")]
    NotAFile,
    /// It is too large.
    #[error("has {bytes} bytes, and at most {most} can be stored")]
    TooLarge {
        /// Its size.
        bytes: u64,
        /// The limit.
        most: u64,
    },
    /// It contains a secret of the run, which must not be stored.
    #[error("contains a secret of the run")]
    HoldsSecret,
    /// What was uploaded is not what its place said.
    #[error("the upload is not what was sent")]
    OtherContent,
}

impl ArtifactStore {
    /// Opens the store at `location`. A bucket is not contacted before the first read or write.
    pub fn open(location: &Location) -> Result<Self, LocationError> {
        let Opened {
            store,
            prefix,
            signer,
        } = location.open(Patience::default())?;
        Ok(Self {
            store,
            prefix,
            signer,
        })
    }

    /// Addresses to which files of a run can be uploaded from elsewhere, each for one file. There are
    /// none if the store is not a bucket of S3, or cannot sign now.
    pub(crate) async fn upload_addresses(
        &self,
        run_id: &str,
        count: usize,
        valid: Duration,
    ) -> Vec<UploadAddress> {
        let Some(signer) = &self.signer else {
            return Vec::new();
        };
        let keys: Vec<Key> = (1..=count).map(|it| self.upload(run_id, it)).collect();
        let valid = valid.min(LONGEST_ADDRESS);
        let signed = signer.signed_urls(http::Method::PUT, &keys, valid).await;
        let signed = signed.unwrap_or_default().into_iter();
        signed.map(|url| UploadAddress(url.into())).collect()
    }

    fn upload(&self, run_id: &str, number: usize) -> Key {
        let number = PathPart::from(number.to_string());
        self.of_run(run_id).join(UPLOADS).join(number)
    }

    /// Makes an uploaded file an artifact, unless it is not what was said, is too large or contains a
    /// secret. It is read once for that, and copied by the store itself.
    pub(crate) async fn accept_upload(
        &self,
        (run_id, number): (&str, usize),
        key: &str,
        (bytes, sha256): (u64, &str),
        (secrets, most): (&Secrets, u64),
    ) -> Result<PutResult, StoreError> {
        let (upload, key) = (self.upload(run_id, number), self.checked(key)?);
        if bytes > most {
            return Err(StoreError::TooLarge { bytes, most });
        }
        let mut content = self.store.get(&upload).await?.into_stream();
        let mut scan = SecretScan::new(secrets);
        let mut digest = Sha256::new();
        let mut read = 0;
        while let Some(part) = content.try_next().await? {
            if scan.finds_in(&part) {
                return Err(StoreError::HoldsSecret);
            }
            digest.update(&part);
            read += part.len() as u64;
        }
        let is = hexadecimal(&digest.finalize());
        if read != bytes || (!sha256.is_empty() && sha256 != is) {
            return Err(StoreError::OtherContent);
        }
        self.store.copy(&upload, &key).await?;
        Ok(PutResult { bytes, sha256: is })
    }

    /// Deletes what was uploaded for a run: artifacts are copies.
    pub(crate) async fn remove_uploads(&self, run_id: &str) -> Result<(), StoreError> {
        let folder = self.of_run(run_id).join(UPLOADS);
        let uploads: Vec<_> = self.store.list(Some(&folder)).try_collect().await?;
        for upload in uploads {
            self.store.delete(&upload.location).await?;
        }
        Ok(())
    }

    /// The key of an artifact. Characters that a path cannot contain are encoded.
    pub fn key(&self, run_id: &str, step: usize, kind: ArtifactKind, name: &str) -> String {
        let below = match kind {
            ArtifactKind::Log => "logs",
            ArtifactKind::File => "files",
        };
        let step = step.to_string();
        let mut key = self.of_run(run_id);
        for part in [step.as_str(), below].into_iter().chain(name.split('/')) {
            key = key.join(PathPart::from(part));
        }
        key.to_string()
    }

    fn of_run(&self, run_id: &str) -> Key {
        self.prefix.clone().join(run_part(run_id))
    }

    /// Checks that a key belongs to this store; the bucket may contain other objects.
    fn checked(&self, key: &str) -> Result<Key, StoreError> {
        Key::parse(key)
            .ok()
            .filter(|parsed| parsed.prefix_matches(&self.prefix))
            .ok_or_else(|| StoreError::Key(key.to_owned()))
    }

    /// Stores a copy of a file, unless it has more than `most` bytes or contains a secret.
    pub(crate) async fn put_file(
        &self,
        key: &str,
        path: &Path,
        secrets: &Secrets,
        most: u64,
    ) -> Result<PutResult, StoreError> {
        let key = self.checked(key)?;
        let mut file = File::open(path).await?;
        let about = file.metadata().await?;
        if !about.is_file() {
            return Err(StoreError::NotAFile);
        }
        let bytes = about.len();
        if bytes > most {
            return Err(StoreError::TooLarge { bytes, most });
        }
        if !secrets.is_empty() {
            if contains_secret(&mut file, secrets).await? {
                return Err(StoreError::HoldsSecret);
            }
            file.seek(SeekFrom::Start(0)).await?;
        }
        // If the file grows while it is copied, only its original length is stored.
        let mut file = file.take(bytes);
        let first = read_part(&mut file).await?;
        let mut digest = Sha256::new();
        digest.update(&first);
        let mut copied = first.len() as u64;
        if first.len() < PART {
            self.store.put(&key, Bytes::from(first).into()).await?;
        } else {
            let upload = self.store.put_multipart(&key).await?;
            let mut upload = WriteMultipart::new_with_chunk_size(upload, PART);
            let mut part = first;
            while !part.is_empty() {
                upload.wait_for_capacity(PARTS_AT_ONCE).await?;
                upload.put(Bytes::from(part));
                part = read_part(&mut file).await?;
                digest.update(&part);
                copied += part.len() as u64;
            }
            upload.finish().await?;
        }
        Ok(PutResult {
            bytes: copied,
            sha256: hexadecimal(&digest.finalize()),
        })
    }

    /// Lists all artifacts of a run, sorted by key.
    pub async fn list(&self, run_id: &str) -> Result<Vec<StoredArtifact>, StoreError> {
        let mut found: Vec<StoredArtifact> = self
            .store
            .list(Some(&self.of_run(run_id)))
            .map_ok(|object| StoredArtifact {
                key: object.location.to_string(),
                bytes: object.size,
            })
            .try_collect()
            .await?;
        found.sort_unstable_by(|one, other| one.key.cmp(&other.key));
        Ok(found)
    }

    /// The size of an artifact, or `None` if it does not exist.
    pub async fn size(&self, key: &str) -> Result<Option<u64>, StoreError> {
        match self.store.head(&self.checked(key)?).await {
            Ok(object) => Ok(Some(object.size)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(problem) => Err(problem.into()),
        }
    }

    /// Reads a range of an artifact; the range is clipped to the artifact's size.
    pub async fn read(&self, key: &str, range: Range<u64>) -> Result<Bytes, StoreError> {
        let size = self.size(key).await?.unwrap_or(0);
        let range = range.start.min(size)..range.end.min(size);
        if range.is_empty() {
            return Ok(Bytes::new());
        }
        Ok(self.store.get_range(&self.checked(key)?, range).await?)
    }

    /// Deletes all artifacts of a run.
    pub async fn remove_run(&self, run_id: &str) -> Result<(), StoreError> {
        for artifact in self.list(run_id).await? {
            self.store.delete(&self.checked(&artifact.key)?).await?;
        }
        Ok(())
    }
}

/// The path segment for a run. A run id is free text, so special characters are encoded, and an id
/// that is too long for a file name is replaced by its hash.
pub fn run_part(run_id: &str) -> PathPart<'static> {
    let part = PathPart::from(run_id);
    if part.as_ref().len() <= LONGEST_PART {
        return PathPart::from(run_id.to_owned());
    }
    let digest = hexadecimal(&Sha256::digest(run_id.as_bytes()));
    PathPart::from(format!("sha256-{digest}"))
}

/// Reads the next part of a file; empty at the end of the file.
async fn read_part(file: &mut (impl AsyncRead + Unpin)) -> std::io::Result<Vec<u8>> {
    let mut part = Vec::new();
    file.take(PART as u64).read_to_end(&mut part).await?;
    Ok(part)
}

async fn contains_secret(file: &mut File, secrets: &Secrets) -> std::io::Result<bool> {
    let mut scan = SecretScan::new(secrets);
    loop {
        let part = read_part(file).await?;
        if part.is_empty() {
            return Ok(false);
        }
        if scan.finds_in(&part) {
            return Ok(true);
        }
    }
}

/// Looks for secrets in a content that comes in parts.
struct SecretScan<'a> {
    secrets: &'a Secrets,
    window: Vec<u8>,
}

impl<'a> SecretScan<'a> {
    fn new(secrets: &'a Secrets) -> Self {
        Self {
            secrets,
            window: Vec::new(),
        }
    }

    /// Whether a secret ends in this part.
    fn finds_in(&mut self, part: &[u8]) -> bool {
        if self.secrets.is_empty() {
            return false;
        }
        self.window.extend_from_slice(part);
        if self.secrets.are_in(&self.window) {
            return true;
        }
        let seen = self.window.len().saturating_sub(self.secrets.overlap());
        self.window.drain(..seen);
        false
    }
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
