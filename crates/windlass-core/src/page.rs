//! Pages of a list.

use crate::{Error, Result};

pub const DEFAULT_LIMIT: u32 = 50;
pub const MAX_LIMIT: u32 = 100;

/// Which part of a list is requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    pub limit: u32,
    pub offset: u32,
}

impl Page {
    /// Refuses a limit outside 1 to [`MAX_LIMIT`] instead of silently returning another page.
    pub fn new(limit: u32, offset: u32) -> Result<Self> {
        Self::within(
            limit,
            offset,
            "Use a limit in this range, and offset for the next page.",
        )
    }

    /// The same for a list that has no further pages: a caller must not be sent to an offset that does
    /// not exist.
    pub fn first(limit: u32) -> Result<Self> {
        Self::within(limit, 0, "Use a limit in this range.")
    }

    fn within(limit: u32, offset: u32, hint: &str) -> Result<Self> {
        if (1..=MAX_LIMIT).contains(&limit) {
            return Ok(Self { limit, offset });
        }
        let problem = format!("{limit} is outside 1 to {MAX_LIMIT}");
        Err(Error::validation("limit", problem).with_hint(hint))
    }
}

impl Default for Page {
    fn default() -> Self {
        Self {
            limit: DEFAULT_LIMIT,
            offset: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_outside_the_range_are_refused() {
        assert!(Page::new(1, 0).is_ok());
        assert!(Page::new(100, 7).is_ok());
        assert!(Page::new(0, 0).is_err());
        assert!(Page::new(101, 0).is_err());
        let has_offset = |page: Result<Page>| {
            let refused = page.expect_err("out of bounds");
            refused.hint().is_some_and(|hint| hint.contains("offset"))
        };
        assert!(has_offset(Page::new(500, 0)));
        assert!(!has_offset(Page::first(500)));
        assert!(!has_offset(Page::first(0)));
    }
}
