//! Compression without a name and a time in its header.

use std::io::Write as _;

use flate2::{Compression, GzBuilder};

pub fn compress(bytes: &[u8], level: Compression) -> Result<Vec<u8>, String> {
    let mut writer = GzBuilder::new().mtime(0).write(Vec::new(), level);
    writer
        .write_all(bytes)
        .and_then(|()| writer.finish())
        .map_err(|problem| format!("gzip: {problem}"))
}
