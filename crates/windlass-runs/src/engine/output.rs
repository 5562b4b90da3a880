//! The output of a step: secrets are masked as it arrives, its end goes into the record, and all of
//! it into a file.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _};
use windlass_process::{OutputSink, Stream};

use super::observer::Observer;
use super::options::Options;
use super::tail::Tail;
use crate::artifacts::{StoreError, run_part};
use crate::record::ArtifactKind;
use crate::secrets::{Masker, Secrets};

/// A part of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputPage {
    /// What was written, with secrets masked.
    pub bytes: Vec<u8>,
    /// The offset to continue reading from.
    pub next: u64,
    /// Whether the step is still running, so that more output may follow.
    pub is_live: bool,
}

/// The file of a stream while its step runs, in `scratch`.
pub fn spool_path(options: &Options, run_id: &str, step: usize, stream: Stream) -> PathBuf {
    let folder = spool_folder(options, run_id);
    folder.join(format!("{step}-{}", log_name(stream)))
}

/// The folder of all outputs of a run while it runs.
pub fn spool_folder(options: &Options, run_id: &str) -> PathBuf {
    options.scratch.join(run_part(run_id).as_ref())
}

/// The name of an output among the artifacts.
pub fn log_name(stream: Stream) -> &'static str {
    match stream {
        Stream::Stdout => "stdout.log",
        Stream::Stderr => "stderr.log",
    }
}

/// Receives the output of one step.
pub struct StepOutput {
    run_id: String,
    step: usize,
    observer: Arc<dyn Observer>,
    streams: [Mutex<State>; 2],
}

struct State {
    stream: Stream,
    masker: Masker,
    tail: Tail,
    spool: Spool,
}

/// One stream of output after its step has ended.
pub struct FinishedOutput {
    pub tail: Tail,
    /// The file, if anything was written.
    pub path: Option<PathBuf>,
    /// Why the file does not contain the complete output.
    pub incomplete: Option<String>,
}

impl StepOutput {
    /// Creates the outputs for the step with this index.
    pub fn new(
        options: &Options,
        (run_id, step): (&str, usize),
        secrets: &Secrets,
        observer: Arc<dyn Observer>,
    ) -> Self {
        let state = |stream| {
            Mutex::new(State {
                stream,
                masker: Masker::new(secrets.clone()),
                tail: Tail::default(),
                spool: Spool {
                    path: spool_path(options, run_id, step, stream),
                    file: None,
                    room: options.artifact_limits.output_bytes,
                    incomplete: None,
                },
            })
        };
        Self {
            run_id: run_id.to_owned(),
            step,
            observer,
            streams: [state(Stream::Stdout), state(Stream::Stderr)],
        }
    }

    fn state(&self, stream: Stream) -> std::sync::MutexGuard<'_, State> {
        let index = usize::from(stream == Stream::Stderr);
        self.streams[index]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn store(&self, state: &mut State, masked: &[u8]) {
        if !masked.is_empty() {
            state.tail.push(masked);
            state.spool.write(masked);
            self.observer
                .output(&self.run_id, self.step, state.stream, masked);
        }
    }

    /// Ends a stream and writes what the masker held back.
    pub fn finish(&self, stream: Stream) -> FinishedOutput {
        let mut state = self.state(stream);
        let mut rest = Vec::new();
        state.masker.finish(&mut rest);
        self.store(&mut state, &rest);
        FinishedOutput {
            tail: std::mem::take(&mut state.tail),
            path: state.spool.file.take().map(|_| state.spool.path.clone()),
            incomplete: state.spool.incomplete.take(),
        }
    }
}

impl OutputSink for StepOutput {
    fn write(&self, stream: Stream, bytes: &[u8]) {
        let mut state = self.state(stream);
        if state.masker.is_idle() {
            return self.store(&mut state, bytes);
        }
        let mut masked = Vec::with_capacity(bytes.len());
        state.masker.push(bytes, &mut masked);
        self.store(&mut state, &masked);
    }
}

/// The file of an output. It is created with the first byte, because most steps write to one stream
/// only.
struct Spool {
    path: PathBuf,
    file: Option<File>,
    room: u64,
    incomplete: Option<String>,
}

impl Spool {
    fn write(&mut self, bytes: &[u8]) {
        if self.incomplete.is_some() {
            return;
        }
        let room = usize::try_from(self.room).unwrap_or(usize::MAX);
        let fitting = &bytes[..bytes.len().min(room)];
        if let Err(problem) = self.append(fitting) {
            self.incomplete = Some(format!("it could not be written: {problem}"));
            return;
        }
        self.room -= fitting.len() as u64;
        if fitting.len() < bytes.len() {
            self.incomplete = Some("it is too long, only its beginning is stored".to_owned());
        }
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(file) = &mut self.file {
            return file.write_all(bytes);
        }
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut file = File::create(&self.path)?;
        file.write_all(bytes)?;
        self.file = Some(file);
        Ok(())
    }
}

/// Reads an output from its file while the step runs, or from the artifact store afterwards.
pub async fn read(
    options: &Options,
    run_id: &str,
    step: usize,
    stream: Stream,
    offset: u64,
    most: u64,
) -> Result<OutputPage, StoreError> {
    let path = spool_path(options, run_id, step, stream);
    let (bytes, is_live) = match tokio::fs::File::open(&path).await {
        Ok(mut file) => {
            file.seek(io::SeekFrom::Start(offset)).await?;
            let mut bytes = Vec::new();
            file.take(most).read_to_end(&mut bytes).await?;
            (bytes, true)
        }
        Err(problem) if problem.kind() == io::ErrorKind::NotFound => {
            let store = &options.artifacts;
            let key = store.key(run_id, step, ArtifactKind::Log, log_name(stream));
            let range = offset..offset.saturating_add(most);
            (store.read(&key, range).await?.to_vec(), false)
        }
        Err(problem) => return Err(problem.into()),
    };
    Ok(OutputPage {
        next: offset + bytes.len() as u64,
        bytes,
        is_live,
    })
}

impl FinishedOutput {
    /// An output that was lost.
    pub fn nothing() -> Self {
        Self {
            tail: Tail::default(),
            path: None,
            incomplete: None,
        }
    }
}
