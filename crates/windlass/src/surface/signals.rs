//! The signals that stop the process, handled for as long as it runs.

use std::process::ExitCode;

use tokio::signal::unix::{Signal as Stream, SignalKind, signal};
use windlass_core::{Error, Result};

/// Which signal stops the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    Interrupt,
    Terminate,
    HangUp,
    /// The reader of the output closed its end.
    Pipe,
}

impl Signal {
    /// The exit code that shells use for a process stopped by it.
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
    /// Handled so that it does not end the process: the write that was too long fails instead.
    _too_large: Stream,
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
            _too_large: listen(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))?,
        })
    }

    /// Waits for the next signal.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::Terminate,
            _ = self.hang_up.recv() => Signal::HangUp,
        }
    }
}
