//! One pack to or from a remote.

use bytes::{Bytes, BytesMut};
use futures::TryStreamExt as _;
use object_store::{Error as StoreError, ObjectStoreExt as _, PutMode, PutOptions};
use windlass_store::{MAX_PACK_BYTES, PackName};

use super::layout::{self, PACKS};
use super::{Remote, RemoteError, RemotePack};

/// What came of a download.
pub enum Downloaded {
    Bytes(Bytes),
    /// Why it is not a pack that can be read.
    Unusable(String),
    /// It was removed since it was listed: another clone has compacted.
    Gone,
}

impl Remote {
    /// Uploads a pack. That it is there already is as good.
    pub(super) async fn upload(
        &self,
        stamp: i64,
        name: &PackName,
        bytes: Bytes,
    ) -> Result<(), RemoteError> {
        let key = self.key([PACKS, &layout::object_name(stamp, name)]);
        let options = PutOptions::from(PutMode::Create);
        match self.store().put_opts(&key, bytes.into(), options).await {
            Ok(_) | Err(StoreError::AlreadyExists { .. }) => Ok(()),
            Err(problem) => Err(problem.into()),
        }
    }

    /// Downloads a pack of bounded size. Its content is checked by whoever reads it.
    pub(super) async fn download(&self, pack: &RemotePack) -> Result<Downloaded, RemoteError> {
        if pack.size > MAX_PACK_BYTES as u64 {
            return Ok(Downloaded::Unusable(format!(
                "it has {} bytes, and a pack has at most {MAX_PACK_BYTES}",
                pack.size
            )));
        }
        let found = match self.store().get(&pack.key).await {
            Ok(found) => found,
            Err(StoreError::NotFound { .. }) => return Ok(Downloaded::Gone),
            Err(problem) => return Err(problem.into()),
        };
        // The list may lie about the size, and so may the answer.
        let mut stream = found.into_stream();
        let mut bytes = BytesMut::new();
        while let Some(part) = stream.try_next().await? {
            if bytes.len() + part.len() > MAX_PACK_BYTES {
                let why = format!("it has more than {MAX_PACK_BYTES} bytes");
                return Ok(Downloaded::Unusable(why));
            }
            bytes.extend_from_slice(&part);
        }
        Ok(Downloaded::Bytes(bytes.freeze()))
    }

    /// Removes a pack that a newer one replaces.
    pub(super) async fn remove(&self, pack: &RemotePack) -> Result<(), RemoteError> {
        match self.store().delete(&pack.key).await {
            Ok(()) | Err(StoreError::NotFound { .. }) => Ok(()),
            Err(problem) => Err(problem.into()),
        }
    }
}
