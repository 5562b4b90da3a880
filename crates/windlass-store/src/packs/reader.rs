//! Reads the body of a pack. The bytes may be hostile: nothing is allocated for a length that they
//! only declare, and nothing panics.

use crate::packs::format::Unreadable;

/// What is left of a body.
pub(crate) struct Bytes<'a> {
    left: &'a [u8],
}

fn ends_early() -> Unreadable {
    Unreadable::Damaged("it ends in the middle of an entry".to_owned())
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(all: &'a [u8]) -> Self {
        Self { left: all }
    }

    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], Unreadable> {
        let (taken, left) = self.left.split_at_checked(length).ok_or_else(ends_early)?;
        self.left = left;
        Ok(taken)
    }

    pub(crate) fn array<const LENGTH: usize>(&mut self) -> Result<[u8; LENGTH], Unreadable> {
        let (taken, left) = self.left.split_first_chunk().ok_or_else(ends_early)?;
        self.left = left;
        Ok(*taken)
    }

    pub(crate) fn number(&mut self) -> Result<u32, Unreadable> {
        self.array().map(u32::from_le_bytes)
    }

    /// A length and as many bytes.
    pub(crate) fn block(&mut self) -> Result<&'a [u8], Unreadable> {
        let length = self.number()?;
        self.take(usize::try_from(length).unwrap_or(usize::MAX))
    }

    pub(crate) fn text(&mut self) -> Result<&'a str, Unreadable> {
        std::str::from_utf8(self.block()?)
            .map_err(|_| Unreadable::Damaged("a text in it is not UTF-8".to_owned()))
    }

    pub(crate) fn end(&self) -> Result<(), Unreadable> {
        if self.left.is_empty() {
            return Ok(());
        }
        Err(Unreadable::Damaged(format!(
            "{} bytes follow its last entry",
            self.left.len()
        )))
    }
}
