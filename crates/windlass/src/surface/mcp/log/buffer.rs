//! The buffer of lines for a slow or blocked writer.

use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How much is buffered for a blocked writer. Further lines are dropped and counted.
const LIMIT: usize = 1024 * 1024;
/// How long a line may wait before it is written.
const DELAY: Duration = Duration::from_millis(50);

#[derive(Clone)]
pub struct Buffer {
    output: Arc<Shared>,
    /// A second one, which the first does not hold up.
    file: Option<Arc<Shared>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
    written: Condvar,
}

#[derive(Default)]
struct State {
    pending: Vec<u8>,
    lost: u64,
    /// Whether to write now rather than with the next few lines.
    urgent: bool,
    /// Whether the thread sleeps until the first line arrives.
    idle: bool,
    writing: bool,
}

/// Whether a line can wait for others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Haste {
    Whenever,
    AtOnce,
}

impl Buffer {
    pub fn start(output: Box<dyn Write + Send>) -> Self {
        Self {
            output: Shared::start(output),
            file: None,
        }
    }

    /// The same, with a file that gets every line too.
    pub fn with_file(self, file: Option<Box<dyn Write + Send>>) -> Self {
        Self {
            file: file.map(Shared::start),
            ..self
        }
    }

    /// Adds a line, including its line end.
    pub fn push(&self, line: &str, haste: Haste) {
        self.output.push(line, haste);
        if let Some(file) = &self.file {
            file.push(line, haste);
        }
    }

    /// The same for the most frequent lines, which no file gets.
    pub fn push_to_output(&self, line: &str, haste: Haste) {
        self.output.push(line, haste);
    }

    /// Waits until everything is written, or the time is up.
    pub fn flush(&self, limit: Duration) {
        self.output.flush(limit);
        if let Some(file) = &self.file {
            file.flush(limit);
        }
    }
}

impl Shared {
    fn start(output: Box<dyn Write + Send>) -> Arc<Self> {
        let shared = Arc::<Self>::default();
        let writing = Arc::clone(&shared);
        // Without the thread nothing is logged, but everything else works.
        let _thread = std::thread::Builder::new()
            .name("windlass-log".into())
            .spawn(move || writing.write_out(output));
        shared
    }

    fn push(&self, line: &str, haste: Haste) {
        let mut state = self.state();
        if state.pending.len() + line.len() > LIMIT {
            state.lost += 1;
            return;
        }
        state.pending.extend_from_slice(line.as_bytes());
        let hurried = haste == Haste::AtOnce && !std::mem::replace(&mut state.urgent, true);
        let woken = std::mem::take(&mut state.idle);
        drop(state);
        if woken || hurried {
            self.wake.notify_one();
        }
    }

    fn flush(&self, limit: Duration) {
        let mut state = self.state();
        state.urgent = true;
        self.wake.notify_one();
        let unfinished = |state: &mut State| state.writing || !state.pending.is_empty();
        let _waited = self.written.wait_timeout_while(state, limit, unfinished);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_out(&self, mut output: Box<dyn Write + Send>) {
        loop {
            let (lines, lost) = self.next_lines();
            // Standard error may be closed, and then the problem cannot be reported.
            let _ = output.write_all(&lines);
            if lost > 0 {
                let _ = writeln!(
                    output,
                    "{lost} log lines were lost: standard error was not read in time"
                );
            }
            let _ = output.flush();
            self.state().writing = false;
            self.written.notify_all();
        }
    }

    fn next_lines(&self) -> (Vec<u8>, u64) {
        let mut state = self.state();
        while state.pending.is_empty() {
            state.idle = true;
            state.urgent = false;
            state = self
                .wake
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state.idle = false;
        let calm = |state: &mut State| !state.urgent;
        let (mut state, _) = self
            .wake
            .wait_timeout_while(state, DELAY, calm)
            .unwrap_or_else(PoisonError::into_inner);
        state.urgent = false;
        state.writing = true;
        (
            std::mem::take(&mut state.pending),
            std::mem::take(&mut state.lost),
        )
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::mpsc;

    use super::*;

    /// Forwards each write, and can be blocked by the other end of the channel.
    struct Channel(mpsc::SyncSender<Vec<u8>>);

    impl Write for Channel {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0
                .send(bytes.to_vec())
                .map_err(|_| io::ErrorKind::BrokenPipe)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn writes_in_order() {
        let (sender, receiver) = mpsc::sync_channel(10);
        let buffer = Buffer::start(Box::new(Channel(sender)));
        buffer.push("a\n", Haste::Whenever);
        buffer.push("b\n", Haste::AtOnce);
        buffer.flush(Duration::from_secs(10));
        let written: Vec<u8> = receiver.try_iter().flatten().collect();
        assert_eq!(written, b"a\nb\n");
    }

    #[test]
    fn a_line_is_written_without_being_asked_for() {
        let (sender, receiver) = mpsc::sync_channel(10);
        let buffer = Buffer::start(Box::new(Channel(sender)));
        buffer.push("a\n", Haste::Whenever);
        let written = receiver.recv_timeout(Duration::from_secs(10)).unwrap();
        assert_eq!(written, b"a\n");
    }

    #[test]
    fn a_blocked_writer_holds_up_no_one() {
        let (sender, receiver) = mpsc::sync_channel(0);
        let buffer = Buffer::start(Box::new(Channel(sender)));
        buffer.push("first\n", Haste::AtOnce);
        let line = "x".repeat(1024);
        for _ in 0..3000 {
            buffer.push(&line, Haste::AtOnce);
        }
        buffer.flush(Duration::from_millis(1));
        let mut written = String::new();
        while !written.contains("log lines were lost") {
            let bytes = receiver.recv_timeout(Duration::from_secs(10)).unwrap();
            written.push_str(&String::from_utf8(bytes).unwrap());
        }
        // One buffer full may be on its way while another fills.
        assert!(written.len() <= 2 * LIMIT + 1024);
    }
}
