//! Waiting for a person or a process, until somebody wants the tour to stop.

use std::io::BufRead as _;
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How often a wish to stop is looked for.
const LOOK: Duration = Duration::from_millis(10);
/// How long a process may take to end when it was told to.
const GRACE: Duration = Duration::from_secs(5);

/// Whether the tour was stopped.
#[derive(Debug, Default)]
pub struct Stop(AtomicBool);

impl Stop {
    pub fn wish(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_wished(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Waits for Enter, or the end of the input. The thread stays behind if the tour is stopped meanwhile.
pub fn for_enter(stop: &Stop) {
    let (sender, receiver) = channel();
    let thread = std::thread::Builder::new().spawn(move || {
        let mut line = String::new();
        // An input that cannot be read does not keep the tour waiting.
        let _ = std::io::stdin().lock().read_line(&mut line);
        let _ = sender.send(());
    });
    if thread.is_err() {
        return;
    }
    while !stop.is_wished() {
        match receiver.recv_timeout(LOOK) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Waits for a process, and ends it if the tour is stopped.
pub fn for_process(child: &mut Child, stop: &Stop) -> std::io::Result<ExitStatus> {
    let mut deadline: Option<Instant> = None;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        match deadline {
            None if stop.is_wished() => {
                terminate(child);
                deadline = Some(Instant::now() + GRACE);
            }
            Some(end) if Instant::now() > end => {
                let _ = child.kill();
            }
            _ => {}
        }
        std::thread::sleep(LOOK);
    }
}

fn terminate(child: &Child) {
    let process = i32::try_from(child.id()).ok();
    if let Some(process) = process.and_then(rustix::process::Pid::from_raw) {
        // It may have ended by itself.
        let _ = rustix::process::kill_process(process, rustix::process::Signal::TERM);
    }
}
