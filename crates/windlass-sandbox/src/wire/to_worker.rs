//! What the host says.

use super::fields::{FieldReader, FieldWriter};
use crate::call_handler::CallError;
use crate::limits::Limits;
use crate::method::Method;

/// What the host says.
#[derive(Clone, Debug, PartialEq)]
pub enum ToWorker {
    /// The table of methods. Comes first, and once.
    Setup { methods: Vec<Method> },
    /// A script.
    Run {
        request: u32,
        limits: Limits,
        code: String,
    },
    /// How a call of the script ended.
    Settle {
        request: u32,
        call: u32,
        settlement: Settlement,
    },
}

/// How a call ended: with the JSON text of its answer, or an error.
pub type Settlement = Result<String, CallError>;

const SETUP: u8 = 0;
const RUN: u8 = 1;
const ANSWER: u8 = 2;
const REFUSAL: u8 = 3;

impl ToWorker {
    /// The message as a frame.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Setup { methods } => FieldWriter::new(SETUP).text(&json(methods)).finish(),
            Self::Run {
                request,
                limits,
                code,
            } => FieldWriter::new(RUN)
                .number(*request)
                .text(&json(limits))
                .text(code)
                .finish(),
            Self::Settle {
                request,
                call,
                settlement: Ok(answer),
            } => FieldWriter::new(ANSWER)
                .number(*request)
                .number(*call)
                .text(answer)
                .finish(),
            Self::Settle {
                request,
                call,
                settlement: Err(error),
            } => FieldWriter::new(REFUSAL)
                .number(*request)
                .number(*call)
                .text(&json(error))
                .finish(),
        }
    }

    /// The message in a frame, if it is one.
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
            ANSWER => Self::Settle {
                request: fields.number()?,
                call: fields.number()?,
                settlement: Ok(fields.text()?),
            },
            REFUSAL => Self::Settle {
                request: fields.number()?,
                call: fields.number()?,
                settlement: Err(fields.json()?),
            },
            _ => return None,
        };
        fields.finish(message)
    }
}

/// None of these types has anything that JSON cannot say.
fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
