//! Reads the frames of a script again, from whatever a log service made of them: surrounded by other
//! lines, with something in front of each line, twice, out of order, or cut off.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use memchr::memmem;
use windlass_process::Stream;

/// A line is shorter than this; what is longer is not a frame.
const LONGEST_LINE: usize = 32 << 10;

/// What waits for an earlier frame at most. A log service delivers out of order within moments.
const MOST_PENDING_BYTES: usize = 8 << 20;

/// What other services put in the place of a secret.
const MASK: &str = "***";

/// What a script says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// It has begun.
    Began,
    /// Something that it needs is missing: `base64` or `workspace`.
    Missing(String),
    /// A variable that an entry of `envRefs` refers to is not set there.
    Unset(String),
    /// A step began.
    StepBegan(usize),
    /// A step wrote.
    Output(usize, Stream, Vec<u8>),
    /// A step wrote more than is sent.
    OutputCut(usize, Stream),
    /// Nothing matches the artifact glob with this index.
    NoMatch(usize, usize),
    /// A file of a step with its size and its name, relative to the step's folder.
    File(usize, u64, String),
    /// A part of that file.
    FileData(usize, Vec<u8>),
    /// That file was uploaded to the place with this number; its SHA-256, if it could be computed.
    FileUploaded(usize, usize, String),
    /// That file was not sent.
    FileKept(usize, Kept),
    /// A step ended.
    StepEnded(usize, StepResult),
    /// It was told to stop, during a step if there is one.
    Cancelled(Option<usize>),
    /// It has ended, with this exit code.
    Ended(i32),
    /// As many frames are missing before the next event.
    Lost(u64),
    /// The next event is what happened on these machines, of several. No frame says it.
    FailedOn(String),
}

/// Why a file was not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// It contains a secret.
    Secret,
    /// Its name does.
    SecretName,
    /// `curl` is not installed there, and it is too large for the log.
    NoCurl,
    /// The upload failed with this exit code of `curl`.
    Refused(i32),
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepResult {
    /// It was not started.
    Unstarted(Unstarted),
    /// It ended with an exit code.
    Ended(i32, Verdict),
}

/// Why a step was not started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unstarted {
    /// Its folder does not exist.
    NoFolder,
    /// Its folder is outside the project.
    OutsideFolder,
    /// Its folder is a file.
    NotAFolder,
    /// Its shell is not installed.
    NoShell,
}

/// The first expectation that is not met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// All that the script checked are met.
    Met,
    /// The exit code is another.
    Exit,
    /// It took too long.
    Timeout,
    /// The expression with this index matches nothing in this stream.
    Text(Stream, usize),
    /// The file with this index does not exist.
    FileMissing(usize),
    /// The file with this index is outside the project.
    FileOutside(usize),
}

/// Reads frames from an output that arrives in pieces.
pub struct FrameReader {
    prefix: Vec<u8>,
    line: Vec<u8>,
    next: u64,
    pending: BTreeMap<u64, (Event, usize)>,
    pending_bytes: usize,
    has_ended: bool,
}

impl FrameReader {
    /// Reads frames with this nonce; all other text is ignored.
    pub fn new(nonce: &str) -> Self {
        Self {
            prefix: format!("w1:{nonce}:").into_bytes(),
            line: Vec::new(),
            next: 0,
            pending: BTreeMap::new(),
            pending_bytes: 0,
            has_ended: false,
        }
    }

    /// Whether the last frame has been read.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Notes that the script has ended, where its frames were read by another reader.
    pub fn end(&mut self) {
        self.has_ended = true;
    }

    /// Reads more output.
    pub fn push(&mut self, mut bytes: &[u8], events: &mut Vec<Event>) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            self.line.extend_from_slice(&bytes[..end]);
            let line = std::mem::take(&mut self.line);
            self.read_line(&line, events);
            self.line = line;
            self.line.clear();
            bytes = &bytes[end + 1..];
        }
        for part in bytes.chunks(LONGEST_LINE) {
            self.line.extend_from_slice(part);
            self.forget_start();
        }
    }

    /// Keeps of a long line only what may belong to a frame at its end.
    fn forget_start(&mut self) {
        if self.line.len() <= LONGEST_LINE {
            return;
        }
        let start = memmem::rfind(&self.line, &self.prefix);
        let start = start.filter(|start| self.line.len() - start <= LONGEST_LINE);
        let start = start.unwrap_or(self.line.len() - (self.prefix.len() - 1));
        self.line.drain(..start);
    }

    /// Ends the output: what waits for frames that never came is delivered without them.
    pub fn finish(&mut self, events: &mut Vec<Event>) {
        let line = std::mem::take(&mut self.line);
        self.read_line(&line, events);
        while self.skip_gap(events) {}
    }

    fn read_line(&mut self, line: &[u8], events: &mut Vec<Event>) {
        let Some(start) = memmem::rfind(line, &self.prefix) else {
            return;
        };
        let fields = std::str::from_utf8(&line[start + self.prefix.len()..]);
        let Some((sequence, event)) = fields.ok().and_then(parse) else {
            return;
        };
        if sequence < self.next || self.pending.contains_key(&sequence) {
            return;
        }
        let size = line.len();
        self.pending.insert(sequence, (event, size));
        self.pending_bytes += size;
        self.deliver(events);
        while self.pending_bytes > MOST_PENDING_BYTES && self.skip_gap(events) {}
    }

    fn deliver(&mut self, events: &mut Vec<Event>) {
        while let Some((event, size)) = self.pending.remove(&self.next) {
            self.pending_bytes -= size;
            self.next += 1;
            self.has_ended |= matches!(event, Event::Ended(_));
            events.push(event);
        }
    }

    /// Goes on behind the frames that are missing. Returns whether anything waited behind them.
    fn skip_gap(&mut self, events: &mut Vec<Event>) -> bool {
        let Some((&first, _)) = self.pending.first_key_value() else {
            return false;
        };
        events.push(Event::Lost(first - self.next));
        self.next = first;
        self.deliver(events);
        true
    }
}

/// `SEQUENCE:KIND:STEP:ARGUMENT:LENGTH:PAYLOAD:.`, perhaps with a carriage return behind it.
fn parse(fields: &str) -> Option<(u64, Event)> {
    let fields = fields.trim_end().strip_suffix(":.")?;
    let mut fields = fields.split(':');
    let mut field = || fields.next();
    let sequence = field()?.parse().ok()?;
    let (kind, step, argument) = (field()?, field()?, field()?);
    let length: usize = field()?.parse().ok()?;
    let payload = field()?;
    if field().is_some() {
        return None;
    }
    let payload = decode(payload, length)?;
    let step_of = || step.parse::<usize>().ok();
    let stream = || match argument {
        "1" => Some(Stream::Stdout),
        "2" => Some(Stream::Stderr),
        _ => None,
    };
    let text = || String::from_utf8(payload.clone()).ok();
    let event = match kind {
        "h" => Event::Began,
        "n" => Event::Missing(argument.to_owned()),
        "v" => Event::Unset(text()?),
        "b" => Event::StepBegan(step_of()?),
        "o" => Event::Output(step_of()?, stream()?, payload),
        "x" => Event::OutputCut(step_of()?, stream()?),
        "g" => Event::NoMatch(step_of()?, argument.parse().ok()?),
        "f" => Event::File(
            step_of()?,
            argument.parse().ok()?,
            String::from_utf8_lossy(&payload).into_owned(),
        ),
        "d" => Event::FileData(step_of()?, payload),
        "u" => {
            let sha256 = text()?.trim().to_owned();
            Event::FileUploaded(step_of()?, argument.parse().ok()?, sha256)
        }
        "k" => Event::FileKept(step_of()?, kept(argument)?),
        "e" => Event::StepEnded(step_of()?, step_result(argument)?),
        "c" => Event::Cancelled(step_of()),
        "z" => Event::Ended(argument.parse().ok()?),
        _ => return None,
    };
    Some((sequence, event))
}

fn kept(argument: &str) -> Option<Kept> {
    Some(match argument {
        "secret" => Kept::Secret,
        "name" => Kept::SecretName,
        "curl" => Kept::NoCurl,
        code => Kept::Refused(code.parse().ok()?),
    })
}

fn step_result(argument: &str) -> Option<StepResult> {
    let unstarted = match argument {
        "missing" => Some(Unstarted::NoFolder),
        "outside" => Some(Unstarted::OutsideFolder),
        "file" => Some(Unstarted::NotAFolder),
        "shell" => Some(Unstarted::NoShell),
        _ => None,
    };
    if let Some(unstarted) = unstarted {
        return Some(StepResult::Unstarted(unstarted));
    }
    let (verdict, code) = argument.split_once(',')?;
    let (word, index) = match verdict.split_once('.') {
        Some((word, index)) => (word, index.parse().ok()?),
        None => (verdict, 0),
    };
    let verdict = match word {
        "met" => Verdict::Met,
        "exit" => Verdict::Exit,
        "timeout" => Verdict::Timeout,
        "text1" => Verdict::Text(Stream::Stdout, index),
        "text2" => Verdict::Text(Stream::Stderr, index),
        "missing" => Verdict::FileMissing(index),
        "outside" => Verdict::FileOutside(index),
        _ => return None,
    };
    Some(StepResult::Ended(code.parse().ok()?, verdict))
}

/// Decodes a payload. A service that masks secrets may have replaced a part of it: what stands before
/// and behind is still readable, because base64 is aligned at both ends.
fn decode(payload: &str, length: usize) -> Option<Vec<u8>> {
    let Some((before, _)) = payload.split_once(MASK) else {
        return (payload.len() == length)
            .then(|| STANDARD.decode(payload).ok())
            .flatten();
    };
    let behind = payload.rsplit_once(MASK).map_or("", |(_, behind)| behind);
    let whole = |part: &str| part.len() - part.len() % 4;
    let mut bytes = decode_part(&before[..whole(before)])?;
    bytes.extend_from_slice(MASK.as_bytes());
    let behind = behind.get(behind.len() - whole(behind)..)?;
    bytes.extend(decode_part(behind)?);
    Some(bytes)
}

fn decode_part(part: &str) -> Option<Vec<u8>> {
    let part = part.trim_end_matches('=');
    STANDARD_NO_PAD.decode(part).ok()
}

#[cfg(test)]
#[path = "frames_tests.rs"]
mod tests;
