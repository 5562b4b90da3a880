//! The signals by which a person or a system ends a process, heard for as long as it runs.

use std::process::ExitCode;

use tokio::signal::unix::{Signal as Stream, SignalKind, signal};
use windlass_core::{Error, Result};

/// Why the process is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    Interrupt,
    Terminate,
    HangUp,
    /// Nobody reads the output any more.
    Pipe,
}

impl Signal {
    /// What shells say of a process that ended by it.
    pub fn exit_code(self) -> ExitCode {
        ExitCode::from(128 + self.number())
    }

    const fn number(self) -> u8 {
        match self {
            Self::HangUp => 1,
            Self::Interrupt => 2,
            Self::Pipe => 13,
            Self::Terminate => 15,
        }
    }
}

pub struct Signals {
    interrupt: Stream,
    terminate: Stream,
    hang_up: Stream,
}

impl Signals {
    pub fn listen() -> Result<Self> {
        let listen = |kind: SignalKind| {
            signal(kind).map_err(|problem| Error::internal(format!("signals: {problem}")))
        };
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hang_up: listen(SignalKind::hangup())?,
        })
    }

    /// The next one.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::Terminate,
            _ = self.hang_up.recv() => Signal::HangUp,
        }
    }
}
