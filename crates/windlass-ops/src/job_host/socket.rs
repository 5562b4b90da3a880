//! The job socket of a process: a socket in the project's state, through which other processes of the
//! same user read, await and stop its jobs.
//!
//! One request and one response per connection, each a line of JSON. Disconnecting cancels the
//! request.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use windlass_core::{Error, ErrorKind, Result};
use windlass_process::Supervisor;

use super::alive;
use super::owner::Owner;
use crate::commands::{OutputInput, StopInput, WaitInput, local};
use crate::os;

/// The folder of the sockets, in the project's state.
const FOLDER: &str = "sockets";
/// The longest request or response; both are bounded by the operations.
const LONGEST: u64 = 4 << 20;
/// The length of a socket address, minus its terminating zero and a margin for other systems.
const LONGEST_ADDRESS: usize = 100;

/// The requests that the socket accepts.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "operation", content = "input", rename_all = "snake_case")]
pub enum Request {
    Output(OutputInput),
    Stop(StopInput),
    Wait(WaitInput),
}

/// An open socket. It is closed when this is dropped.
pub struct JobSocket {
    path: PathBuf,
    serving: tokio::task::AbortHandle,
}

impl JobSocket {
    /// Opens the socket of this process. Jobs run without one too, but other processes cannot reach
    /// them.
    pub fn open(state: &Path, supervisor: Supervisor) -> Option<Self> {
        let folder = state.join(FOLDER);
        let path = folder.join(file_name(std::process::id(), alive::namespace()));
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&folder)
            .ok()?;
        remove_old(&folder);
        let listener = bind(&path).ok()?;
        let serving = tokio::spawn(serve(listener, supervisor)).abort_handle();
        Some(Self { path, serving })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn close(&self) {
        self.serving.abort();
        // A leftover one is removed by the next process that opens a socket.
        let _ = fs::remove_file(&self.path);
    }
}

impl Drop for JobSocket {
    fn drop(&mut self) {
        self.close();
    }
}

/// Removes the sockets of processes that were killed.
fn remove_old(folder: &Path) {
    for path in sockets(folder, |pid| {
        pid == std::process::id() || !Owner::of_pid(pid).is_alive()
    }) {
        let _ = fs::remove_file(path);
    }
}

/// The sockets of processes that were killed. The next process that opens a socket removes them.
pub fn dead_job_sockets(state: &Path) -> Vec<PathBuf> {
    sockets(&state.join(FOLDER), |pid| !Owner::of_pid(pid).is_alive())
}

/// A process in another container may have the same number.
fn file_name(pid: u32, namespace: Option<u64>) -> String {
    match namespace {
        Some(namespace) => format!("{pid}-{namespace}.sock"),
        None => format!("{pid}.sock"),
    }
}

/// The process of a socket; `None` if it is in another container.
fn process_of(stem: &str) -> Option<u32> {
    let (pid, namespace) = stem.split_once('-').unwrap_or((stem, ""));
    let is_here = namespace.is_empty() || namespace.parse().ok() == alive::namespace();
    pid.parse().ok().filter(|_| is_here)
}

/// The sockets of the processes that match, and all files that are not sockets.
fn sockets(folder: &Path, fits: impl Fn(u32) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths
        .filter(|path| {
            let stem = path.file_stem().and_then(|stem| stem.to_str());
            let is_one = path.extension().is_some_and(|ending| ending == "sock");
            match stem.filter(|stem| is_one && stem.starts_with(|it: char| it.is_ascii_digit())) {
                Some(stem) => process_of(stem).is_some_and(&fits),
                None => true,
            }
        })
        .collect()
}

fn bind(path: &Path) -> io::Result<UnixListener> {
    let listener = with_short_path(path, |path| UnixListener::bind(path))?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// A socket address is short, a project path may be long: then its folder is addressed by a
/// descriptor.
fn with_short_path<T>(path: &Path, work: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    if path.as_os_str().len() <= LONGEST_ADDRESS {
        return work(path);
    }
    let (folder, name) = (path.parent(), path.file_name());
    let folder = fs::File::open(folder.unwrap_or(Path::new("/")))?;
    match os::path_of(&folder) {
        Some(short) => work(&short.join(name.unwrap_or_default())),
        None => work(path),
    }
}

async fn serve(listener: UnixListener, supervisor: Supervisor) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                tokio::spawn(answer(stream, supervisor.clone()));
            }
            // Too many open files: some will be closed again.
            Err(_) => tokio::time::sleep(std::time::Duration::from_millis(100)).await,
        }
    }
}

async fn answer(stream: UnixStream, supervisor: Supervisor) {
    let (input, mut output) = stream.into_split();
    let mut input = BufReader::new(input.take(LONGEST));
    let mut line = String::new();
    if input.read_line(&mut line).await.is_err() {
        return;
    }
    let result = match serde_json::from_str::<Request>(&line) {
        // The client may have disconnected.
        Ok(request) => tokio::select! {
            result = carry_out(&supervisor, request) => result,
            _ = input.fill_buf() => return,
        },
        Err(problem) => Err(Error::invalid_params(problem.to_string())),
    };
    let reply = match result {
        Ok(answer) => json!({ "answer": answer }),
        Err(error) => json!({ "error": {
            "kind": error.kind().name(), "message": error.message(), "hint": error.hint(),
        }}),
    };
    let _ = output.write_all(format!("{reply}\n").as_bytes()).await;
}

async fn carry_out(supervisor: &Supervisor, request: Request) -> Result<Json> {
    let job = |pid| {
        supervisor
            .job_by_pid(pid)
            .ok_or_else(|| crate::commands::job_not_found(pid))
    };
    match request {
        Request::Output(input) => to_json(local::output(&*job(input.pid)?, &input)?),
        Request::Stop(input) => {
            let limits = supervisor.limits();
            to_json(local::stop(&*job(input.pid)?, &input, limits.grace).await?)
        }
        Request::Wait(input) => to_json(local::wait(&*job(input.pid)?, &input).await?),
    }
}

fn to_json<T: Serialize>(answer: T) -> Result<Json> {
    serde_json::to_value(answer).map_err(|problem| Error::internal(problem.to_string()))
}

/// Asks another process about one of its jobs.
pub async fn ask<T: DeserializeOwned>(socket: &Path, request: &Request) -> Result<T> {
    let unreachable = |problem: io::Error| {
        Error::new(
            ErrorKind::JobUnreachable,
            format!("The owner process of the job does not respond: {problem}"),
        )
        .with_hint("[[job_list]] shows what is on record about it.")
    };
    let mut line = exchange(socket, request).await.map_err(unreachable)?;
    if let Some(error) = line.get("error") {
        return Err(error_of(error));
    }
    serde_json::from_value(line["answer"].take()).map_err(|problem| {
        Error::internal(format!(
            "invalid response of another windlass process: {problem}"
        ))
    })
}

async fn exchange(socket: &Path, request: &Request) -> io::Result<Json> {
    let stream = with_short_path(socket, |socket| {
        std::os::unix::net::UnixStream::connect(socket)
    })?;
    stream.set_nonblocking(true)?;
    let mut stream = UnixStream::from_std(stream)?;
    let mut line = serde_json::to_string(request)?;
    line.push('\n');
    stream.write_all(line.as_bytes()).await?;
    let mut answer = String::new();
    let mut stream = BufReader::new(stream.take(LONGEST));
    if stream.read_line(&mut answer).await? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(serde_json::from_str(&answer)?)
}

fn error_of(error: &Json) -> Error {
    let text = |key: &str| error[key].as_str().map(str::to_owned);
    let kind = text("kind").and_then(|name| ErrorKind::parse(&name));
    let message = text("message").unwrap_or_default();
    let domain = Error::new(kind.unwrap_or(ErrorKind::InternalError), message);
    match text("hint") {
        Some(hint) => domain.with_hint(hint),
        None => domain,
    }
}
