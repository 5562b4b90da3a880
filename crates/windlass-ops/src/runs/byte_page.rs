//! Reading long outputs page by page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::{Error, Result};

const CHUNK: u64 = 8 * 1024;
const LARGEST: u64 = 64 * 1024;

/// Which part of an output to read. To be flattened into an input, with
/// `deserialize_with = "crate::input::part"`.
#[derive(Debug, Clone, Copy, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct BytePage {
    /// Continue from this byte; `next` of an earlier call.
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub from: u64,
    /// The most bytes to return, up to 65,536.
    #[serde(rename = "maxBytes", default = "chunk")]
    #[arg(id = "maxBytes", long = "max-bytes", default_value_t = CHUNK)]
    #[schemars(range(min = 1, max = 65536))]
    pub max_bytes: u64,
}

fn chunk() -> u64 {
    CHUNK
}

impl BytePage {
    pub fn check(self) -> Result<()> {
        if (1..=LARGEST).contains(&self.max_bytes) {
            return Ok(());
        }
        Err(Error::validation("maxBytes", "must be 1 to 65,536"))
    }
}
