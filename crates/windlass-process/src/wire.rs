//! The protocol between the server and a shim: frames with a length, a kind and fields.
//!
//! Both ends are the same executable, so there is no version to agree on.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::time::Duration;

use crate::spec::Spec;

/// From the server to the shim.
#[derive(Debug, PartialEq, Eq)]
pub enum Request {
    /// Run this; the descriptors sent with it are its output: both ends that it writes to, and both
    /// that the server reads from.
    Start(Start),
    /// Stop the tree: TERM, and KILL after this time.
    Stop(Duration),
}

/// A program to run.
#[derive(Debug, PartialEq, Eq)]
pub struct Start {
    pub program: OsString,
    pub args: Vec<OsString>,
    pub cwd: PathBuf,
    pub env: Vec<(OsString, Option<OsString>)>,
    /// The grace period for processes that are left when the program has ended.
    pub grace: Duration,
}

/// From the shim to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// The program is running.
    Started { pid: i32 },
    /// The program could not be started.
    Failed { errno: i32 },
    /// The program has exited.
    Exited { code: i32 },
    /// The program was killed by a signal.
    Signaled { signal: i32 },
    /// No process of the job is left, or this many cannot be killed.
    TreeEnded { killed: bool, left: u32 },
}

impl Start {
    /// The part of `spec` that a shim needs.
    pub fn new(spec: &Spec, grace: Duration) -> Self {
        Self {
            program: spec.program.clone(),
            args: spec.args.clone(),
            cwd: spec.cwd.clone(),
            env: spec.env.clone().into_iter().collect(),
            grace,
        }
    }
}

impl Request {
    /// The frame of this request.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Start(start) => {
                let mut frame = Frame::new(0);
                frame.number(millis(start.grace));
                frame.text(&start.program);
                frame.text(start.cwd.as_os_str());
                frame.number(start.args.len() as u64);
                start.args.iter().for_each(|arg| frame.text(arg));
                for (name, value) in &start.env {
                    frame.text(name);
                    frame.number(u64::from(value.is_some()));
                    frame.text(value.as_deref().unwrap_or_default());
                }
                frame.finish()
            }
            Self::Stop(grace) => {
                let mut frame = Frame::new(1);
                frame.number(millis(*grace));
                frame.finish()
            }
        }
    }

    /// The request in `frame`, as returned by [`Frames::next`].
    pub fn decode(frame: &[u8]) -> Option<Self> {
        let (kind, mut fields) = frame
            .split_first()
            .map(|(kind, rest)| (*kind, Fields(rest)))?;
        let grace = Duration::from_millis(fields.number()?);
        if kind == 1 {
            return Some(Self::Stop(grace));
        }
        let program = fields.text()?;
        let cwd = fields.text()?.into();
        let count = fields.number()?;
        let args = (0..count).map(|_| fields.text()).collect::<Option<_>>()?;
        let mut env = Vec::new();
        while !fields.0.is_empty() {
            let name = fields.text()?;
            let is_set = fields.number()? == 1;
            let value = fields.text()?;
            env.push((name, is_set.then_some(value)));
        }
        Some(Self::Start(Start {
            program,
            args,
            cwd,
            env,
            grace,
        }))
    }
}

impl Report {
    /// The frame of this report.
    pub fn encode(self) -> Vec<u8> {
        let (kind, first, second) = match self {
            Self::Started { pid } => (0, pid, 0),
            Self::Failed { errno } => (1, errno, 0),
            Self::Exited { code } => (2, code, 0),
            Self::Signaled { signal } => (3, signal, 0),
            Self::TreeEnded { killed, left } => (4, i32::from(killed), left),
        };
        let mut frame = Frame::new(kind);
        frame.0.extend_from_slice(&first.to_le_bytes());
        frame.0.extend_from_slice(&second.to_le_bytes());
        frame.finish()
    }

    /// The report in `frame`, as returned by [`Frames::next`].
    pub fn decode(frame: &[u8]) -> Option<Self> {
        let first = i32::from_le_bytes(frame.get(1..5)?.try_into().ok()?);
        let second = u32::from_le_bytes(frame.get(5..9)?.try_into().ok()?);
        match frame[0] {
            0 => Some(Self::Started { pid: first }),
            1 => Some(Self::Failed { errno: first }),
            2 => Some(Self::Exited { code: first }),
            3 => Some(Self::Signaled { signal: first }),
            4 => Some(Self::TreeEnded {
                killed: first == 1,
                left: second,
            }),
            _ => None,
        }
    }
}

/// A grace period too long for milliseconds in 64 bits means for ever, and so does this.
fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// A frame that is being written.
struct Frame(Vec<u8>);

impl Frame {
    fn new(kind: u8) -> Self {
        Self(vec![0, 0, 0, 0, kind])
    }

    fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn text(&mut self, text: &OsStr) {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    fn finish(mut self) -> Vec<u8> {
        let length = u32::try_from(self.0.len() - 4).unwrap_or(u32::MAX);
        self.0[..4].copy_from_slice(&length.to_le_bytes());
        self.0
    }
}

/// The fields of a frame that have not been read yet.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    fn text(&mut self) -> Option<OsString> {
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(OsString::from_vec(text.to_vec()))
    }
}

/// Received bytes, split into frames.
#[derive(Debug, Default)]
pub struct Frames(Vec<u8>);

impl Frames {
    /// Adds received bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// The next complete frame: its kind and its fields.
    pub fn next(&mut self) -> Option<Vec<u8>> {
        let length = u32::from_le_bytes(*self.0.first_chunk::<4>()?) as usize;
        let frame = self.0.get(4..4 + length)?.to_vec();
        self.0.drain(..4 + length);
        Some(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_can_arrive_in_any_pieces() {
        let requests = [
            Request::Start(Start {
                program: "sh".into(),
                args: vec!["-c".into(), OsString::from_vec(vec![0xff, b'x']), "".into()],
                cwd: "/".into(),
                env: vec![("A".into(), Some("".into())), ("B".into(), None)],
                grace: Duration::from_millis(5),
            }),
            Request::Stop(Duration::from_secs(1)),
        ];
        let bytes: Vec<u8> = requests.iter().flat_map(Request::encode).collect();
        let mut frames = Frames::default();
        let mut seen = Vec::new();
        for byte in bytes {
            frames.push(&[byte]);
            while let Some(frame) = frames.next() {
                seen.push(Request::decode(&frame).unwrap());
            }
        }
        assert_eq!(seen, requests);
    }

    #[test]
    fn reports_decode_to_what_was_encoded() {
        for report in [
            Report::Started { pid: 7 },
            Report::Failed { errno: 2 },
            Report::Exited { code: 255 },
            Report::Signaled { signal: 9 },
            Report::TreeEnded {
                killed: true,
                left: 3,
            },
        ] {
            let mut frames = Frames::default();
            frames.push(&report.encode());
            assert_eq!(Report::decode(&frames.next().unwrap()), Some(report));
        }
    }

    #[test]
    fn invalid_frames_are_refused() {
        assert_eq!(Request::decode(&[]), None);
        assert_eq!(Request::decode(&[0, 1, 2]), None);
        assert_eq!(Report::decode(&[9, 0, 0, 0, 0, 0, 0, 0, 0]), None);
    }
}
