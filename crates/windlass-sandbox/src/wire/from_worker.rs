//! The messages of a worker.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::fields::{FieldReader, FieldWriter};
use crate::outcome::{Failure, Level};

/// The messages of a worker.
#[derive(Clone, Debug, PartialEq)]
pub enum FromWorker {
    /// It is ready to run a script. `jailed` says whether the kernel restricts it.
    Ready { jailed: bool },
    /// The script calls the method with this index in the table.
    Call {
        request: u32,
        call: u32,
        method: u32,
        arguments: String,
    },
    /// The script logs a text.
    Log {
        request: u32,
        level: Level,
        text: String,
    },
    /// The script has ended.
    Done { request: u32, ended: ScriptEnd },
}

/// How a script ended, as the worker reports it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScriptEnd {
    /// Its value, or why it has none.
    pub result: Result<Json, Failure>,
    /// Whether the value was cut.
    pub truncated: bool,
    /// Whether log entries were dropped.
    pub logs_truncated: bool,
    /// What the script probably did by mistake.
    pub warnings: Vec<String>,
    /// Whether the worker should not be used again.
    pub spent: bool,
}

const READY: u8 = 0;
const CALL: u8 = 1;
const LOG: u8 = 2;
const DONE: u8 = 3;

impl FromWorker {
    /// Adds the message to the end of `out`, as a frame.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Ready { jailed } => FieldWriter::new(out, READY)
                .number((*jailed).into())
                .finish(),
            Self::Call {
                request,
                call,
                method,
                arguments,
            } => FieldWriter::new(out, CALL)
                .number(*request)
                .number(*call)
                .number(*method)
                .text(arguments)
                .finish(),
            Self::Log {
                request,
                level,
                text,
            } => FieldWriter::new(out, LOG)
                .number(*request)
                .number(*level as u32)
                .text(text)
                .finish(),
            Self::Done { request, ended } => FieldWriter::new(out, DONE)
                .number(*request)
                .text(&serde_json::to_string(ended).unwrap_or_default())
                .finish(),
        }
    }

    /// Decodes a frame; `None` if it is invalid.
    pub fn decode(frame: &[u8]) -> Option<Self> {
        let (kind, mut fields) = FieldReader::new(frame)?;
        let message = match kind {
            READY => Self::Ready {
                jailed: fields.flag()?,
            },
            CALL => Self::Call {
                request: fields.number()?,
                call: fields.number()?,
                method: fields.number()?,
                arguments: fields.text()?,
            },
            LOG => Self::Log {
                request: fields.number()?,
                level: *Level::ALL.get(fields.number()? as usize)?,
                text: fields.text()?,
            },
            DONE => Self::Done {
                request: fields.number()?,
                ended: fields.json()?,
            },
            _ => return None,
        };
        fields.finish(message)
    }
}
