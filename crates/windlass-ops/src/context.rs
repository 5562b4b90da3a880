//! What an operation is given beside its input: the project's state, who asks, and the limits.

use std::sync::Arc;
use std::time::{Duration, Instant};

use windlass_core::{Actor, Error, ErrorKind, Origin, Result};
use windlass_store::Store;

use crate::operation::{Audience, Declaration};

/// Limits that a person can set. The surfaces read them from the environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub max_batch_size: usize,
    pub request_timeout: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_batch_size: 100,
            request_timeout: Duration::from_secs(30),
        }
    }
}

/// Cheap to clone; one for each call.
#[derive(Clone)]
pub struct Context {
    pub store: Arc<Store>,
    pub origin: Origin,
    pub settings: Arc<Settings>,
    /// When the caller stops waiting. Long reads are cut off there.
    pub deadline: Option<Instant>,
}

impl Context {
    pub fn new(store: Arc<Store>, origin: Origin, settings: Arc<Settings>) -> Self {
        Self {
            store,
            origin,
            settings,
            deadline: None,
        }
    }

    pub(crate) fn check_audience(&self, declaration: &Declaration) -> Result<()> {
        if declaration.audience == Audience::Human && self.origin.actor != Actor::Human {
            return Err(Error::new(
                ErrorKind::HumanOnly,
                format!(
                    "{} can only be done by a person at a terminal",
                    declaration.name
                ),
            )
            .with_hint("Ask a person to run the command."));
        }
        Ok(())
    }
}
