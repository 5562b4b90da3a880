//! Which packs a remote has.

use futures::TryStreamExt as _;
use object_store::ObjectMeta;
use object_store::path::Path as Key;
use windlass_store::PackName;

use super::layout::{self, FUTURE, PACKS};
use super::{Remote, RemoteError};

/// More packs than this are not held in memory.
const MOST: usize = 200_000;
/// How many objects with other names are reported by name.
const ODD_SHOWN: usize = 10;

/// A pack on a remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemotePack {
    pub name: PackName,
    pub size: u64,
    pub(super) key: Key,
}

/// What a remote has, all of it or what came after a time.
#[derive(Debug, Default)]
pub struct Listing {
    /// In the order of their upload.
    pub packs: Vec<RemotePack>,
    /// Objects among them that are no packs, the first few.
    pub odd: Vec<String>,
    pub odd_count: usize,
    /// The newest stamp.
    pub newest: i64,
}

impl Remote {
    /// The packs with this stamp and later ones; all of them without one.
    pub async fn packs(&self, since: Option<i64>) -> Result<Listing, RemoteError> {
        self.check_present()?;
        let folder = self.key([PACKS]);
        let latest = self.now().saturating_add(FUTURE);
        let mut objects = match since {
            Some(stamp) => {
                let offset = folder.clone().join(layout::stamp_text(stamp));
                self.store().list_with_offset(Some(&folder), &offset)
            }
            None => self.store().list(Some(&folder)),
        };
        let mut listing = Listing::default();
        while let Some(object) = objects.try_next().await? {
            listing.add(&folder, object, latest);
            if listing.packs.len() + listing.odd_count > MOST {
                return Err(RemoteError::TooManyPacks(MOST));
            }
        }
        listing
            .packs
            .sort_unstable_by(|one, other| one.key.cmp(&other.key));
        Ok(listing)
    }
}

impl Listing {
    fn add(&mut self, folder: &Key, object: ObjectMeta, latest: i64) {
        let below = object.location.prefix_match(folder);
        let parts: Vec<String> = below
            .into_iter()
            .flatten()
            .map(|part| part.as_ref().to_owned())
            .collect();
        let found = match parts.as_slice() {
            [name] => layout::parse_object_name(name),
            _ => None,
        };
        let Some((stamp, name)) = found else {
            self.odd_count += 1;
            if self.odd.len() < ODD_SHOWN {
                self.odd.push(parts.join("/"));
            }
            return;
        };
        if stamp <= latest {
            self.newest = self.newest.max(stamp);
        }
        self.packs.push(RemotePack {
            name,
            size: object.size,
            key: object.location,
        });
    }
}
