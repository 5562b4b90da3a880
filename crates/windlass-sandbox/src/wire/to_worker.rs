//! The messages of the host.

use super::fields::{FieldReader, FieldWriter};
use crate::call_handler::CallError;
use crate::limits::Limits;
use crate::method::Method;

/// The messages of the host.
#[derive(Clone, Debug, PartialEq)]
pub enum ToWorker {
    /// The table of methods. Sent once, as the first message.
    Setup { methods: Vec<Method> },
    /// A script to run.
    Run {
        request: u32,
        limits: Limits,
        code: String,
    },
    /// The result of a call of the script.
    Settle {
        request: u32,
        call: u32,
        settlement: Settlement,
    },
}

/// The result of a call: its JSON text, or an error.
pub type Settlement = Result<String, CallError>;

const SETUP: u8 = 0;
const RUN: u8 = 1;
const SETTLE_OK: u8 = 2;
const SETTLE_ERROR: u8 = 3;

impl ToWorker {
    /// Adds the message to the end of `out`, as a frame.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Setup { methods } => FieldWriter::new(out, SETUP).text(&json(methods)).finish(),
            Self::Run {
                request,
                limits,
                code,
            } => FieldWriter::new(out, RUN)
                .number(*request)
                .text(&json(limits))
                .text(code)
                .finish(),
            Self::Settle {
                request,
                call,
                settlement: Ok(result),
            } => FieldWriter::new(out, SETTLE_OK)
                .number(*request)
                .number(*call)
                .text(result)
                .finish(),
            Self::Settle {
                request,
                call,
                settlement: Err(error),
            } => FieldWriter::new(out, SETTLE_ERROR)
                .number(*request)
                .number(*call)
                .text(&json(error))
                .finish(),
        }
    }

    /// Decodes a frame; `None` if it is invalid.
    pub fn decode(frame: &[u8]) -> Option<Self> {
        let (kind, mut fields) = FieldReader::new(frame)?;
        let message = match kind {
            SETUP => Self::Setup {
                methods: fields.json()?,
            },
            RUN => Self::Run {
                request: fields.number()?,
                limits: fields.json()?,
                code: fields.text()?,
            },
            SETTLE_OK => Self::Settle {
                request: fields.number()?,
                call: fields.number()?,
                settlement: Ok(fields.text()?),
            },
            SETTLE_ERROR => Self::Settle {
                request: fields.number()?,
                call: fields.number()?,
                settlement: Err(fields.json()?),
            },
            _ => return None,
        };
        fields.finish(message)
    }
}

/// These types can always be serialised to JSON.
fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
