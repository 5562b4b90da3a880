//! Every reader on data of its tool.

#![expect(
    clippy::expect_used,
    reason = "a test that cannot go on fails where it stands"
)]

mod databases;
mod files;
mod support;
