//! The scripts of one run on several machines, seen as one script.
//!
//! The machines do not wait for each other. A step of the run has begun when it has begun somewhere,
//! and has ended when it has ended everywhere; it was as expected if it was everywhere. What a machine
//! says about a later step waits until then, and is dropped once a step has failed.

use std::collections::VecDeque;

use windlass_process::Stream;

use super::frames::{Event, FrameReader, StepResult, Verdict};

/// What waits of one machine at most before no more of it should be read.
const MOST_WAITING: usize = 1 << 20;

/// The machines that a failure names; of more it says how many there are.
const MOST_NAMES: usize = 5;

/// Several machines with the same script.
pub struct Machines {
    all: Vec<Machine>,
    has_begun: bool,
    /// The step that is being executed.
    current: Option<usize>,
    has_failed: bool,
    has_ended: bool,
}

struct Machine {
    name: String,
    reader: FrameReader,
    waiting: VecDeque<Event>,
    waiting_bytes: usize,
    /// Its part of the current step, when it has ended there.
    result: Option<StepResult>,
    /// The last line of each stream, while it is incomplete.
    lines: [Vec<u8>; 2],
    /// The files of the current step; they are sent together, because data follows its file.
    files: Vec<Event>,
    /// How its script ended.
    end: Option<Event>,
    /// Nothing follows, whether or not the script said how it ended.
    is_over: bool,
}

impl Machines {
    /// Machines whose scripts have this nonce.
    pub fn new<'a>(nonce: &str, names: impl IntoIterator<Item = &'a str>) -> Self {
        let machine = |name: &str| Machine {
            name: name.to_owned(),
            reader: FrameReader::new(nonce),
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            result: None,
            lines: [Vec::new(), Vec::new()],
            files: Vec::new(),
            end: None,
            is_over: false,
        };
        Self {
            all: names.into_iter().map(machine).collect(),
            has_begun: false,
            current: None,
            has_failed: false,
            has_ended: false,
        }
    }

    /// Whether a machine is so far ahead of the others that its output should not be read now.
    pub fn is_ahead(&self, machine: usize) -> bool {
        self.all[machine].waiting_bytes > MOST_WAITING
    }

    /// Reads output of a machine.
    pub fn push(&mut self, machine: usize, bytes: &[u8]) -> Vec<Event> {
        let mut read = Vec::new();
        self.all[machine].reader.push(bytes, &mut read);
        self.all[machine].wait(read);
        self.advance()
    }

    /// Nothing follows from a machine.
    pub fn finish(&mut self, machine: usize) -> Vec<Event> {
        let of = &mut self.all[machine];
        if of.is_over {
            return Vec::new();
        }
        let mut read = Vec::new();
        of.reader.finish(&mut read);
        of.wait(read);
        of.is_over = true;
        self.advance()
    }

    /// The machines whose scripts ended without saying how.
    pub fn lost(&self) -> impl Iterator<Item = &str> {
        let lost = self.all.iter();
        let lost = lost.filter(|it| it.is_over && it.end.is_none() && it.waiting.is_empty());
        lost.map(|it| it.name.as_str())
    }

    fn advance(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        loop {
            for index in 0..self.all.len() {
                self.advance_machine(index, &mut events);
            }
            // Without one of them the step does not end, so nothing has to wait for that.
            let is_hopeless = !self.has_failed && self.lost().next().is_some();
            self.has_failed |= is_hopeless;
            if !is_hopeless && !self.end_step(&mut events) {
                break;
            }
        }
        self.end(&mut events);
        events
    }

    /// Takes from a machine what belongs to the current step.
    fn advance_machine(&mut self, index: usize, events: &mut Vec<Event>) {
        let machine = &mut self.all[index];
        while let Some(event) = machine.waiting.pop_front() {
            machine.waiting_bytes -= weight(&event);
            match &event {
                // It goes on; the run does not.
                Event::StepBegan(_) if self.has_failed => {}
                Event::StepBegan(step) => match self.current {
                    None if machine.result.is_none() => {
                        self.current = Some(*step);
                        events.push(event);
                    }
                    Some(current) if current == *step => {}
                    _ => {
                        machine.waiting_bytes += weight(&event);
                        machine.waiting.push_front(event);
                        return;
                    }
                },
                Event::Began if self.has_begun => {}
                Event::Began => {
                    self.has_begun = true;
                    events.push(event);
                }
                Event::Missing(_) | Event::Unset(_) | Event::Cancelled(_) => {
                    machine.end = Some(event.clone());
                }
                Event::Ended(_) => {
                    machine.end.get_or_insert(event.clone());
                }
                _ if self.has_failed => {}
                Event::StepEnded(_, result) => {
                    machine.result = Some(*result);
                    events.append(&mut machine.last_lines(self.current));
                    events.append(&mut machine.files);
                }
                Event::Output(step, stream, bytes) => {
                    let whole = machine.whole_lines(*stream, bytes);
                    if !whole.is_empty() {
                        events.push(Event::Output(*step, *stream, whole));
                    }
                }
                Event::File(step, size, name) => {
                    let name = format!("{}/{name}", machine.name);
                    machine.files.push(Event::File(*step, *size, name));
                }
                Event::FileData(..) | Event::FileUploaded(..) | Event::FileKept(..) => {
                    machine.files.push(event.clone());
                }
                Event::OutputCut(..) | Event::NoMatch(..) | Event::Lost(_) | Event::FailedOn(_) => {
                    events.push(event.clone());
                }
            }
        }
    }

    /// Ends the current step, if it has ended everywhere.
    fn end_step(&mut self, events: &mut Vec<Event>) -> bool {
        let Some(step) = self.current else {
            return false;
        };
        if self.has_failed || self.all.iter().any(|it| it.result.is_none()) {
            return false;
        }
        let results = self.all.iter();
        let results: Vec<(&str, StepResult)> = results
            .filter_map(|it| Some((it.name.as_str(), it.result?)))
            .collect();
        let failed: Vec<&(&str, StepResult)> = results
            .iter()
            .filter(|(_, result)| !is_met(*result))
            .collect();
        if let Some((_, result)) = failed.first() {
            let names: Vec<&str> = failed
                .iter()
                .map(|(name, _)| *name)
                .take(MOST_NAMES)
                .collect();
            let (names, bad, all) = (names.join(", "), failed.len(), results.len());
            events.push(Event::FailedOn(format!(
                "on {names} ({bad} of {all} machines)"
            )));
            events.push(Event::StepEnded(step, *result));
            self.has_failed = true;
            return true;
        }
        if let Some((_, result)) = results.first() {
            events.push(Event::StepEnded(step, *result));
        }
        self.current = None;
        for machine in &mut self.all {
            machine.result = None;
        }
        true
    }

    /// Ends the run, if it has ended everywhere and every script said how.
    fn end(&mut self, events: &mut Vec<Event>) {
        if self.has_ended || self.all.iter().any(|it| it.end.is_none()) {
            return;
        }
        self.has_ended = true;
        let ends = || self.all.iter().filter_map(|it| it.end.clone());
        if !self.has_failed
            && let Some(cause) = ends().find(|it| !matches!(it, Event::Ended(_)))
        {
            let by = self.all.iter().find(|it| it.end.as_ref() == Some(&cause));
            let name = by.map(|it| it.name.clone()).unwrap_or_default();
            events.push(Event::FailedOn(format!("on {name}")));
            events.push(cause);
        }
        let is_good = ends().all(|it| it == Event::Ended(0));
        events.push(Event::Ended(i32::from(!is_good)));
    }
}

impl Machine {
    fn wait(&mut self, events: Vec<Event>) {
        self.waiting_bytes += events.iter().map(weight).sum::<usize>();
        self.waiting.extend(events);
    }

    /// The complete lines of an output, each with the machine's name.
    fn whole_lines(&mut self, stream: Stream, bytes: &[u8]) -> Vec<u8> {
        let line = &mut self.lines[usize::from(stream == Stream::Stderr)];
        let mut whole = Vec::new();
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            line.extend_from_slice(part);
            if part.ends_with(b"\n") || line.len() > MOST_WAITING {
                whole.extend_from_slice(format!("[{}] ", self.name).as_bytes());
                whole.append(line);
            }
        }
        whole
    }

    /// What a step wrote without ending the line.
    fn last_lines(&mut self, step: Option<usize>) -> Vec<Event> {
        let mut events = Vec::new();
        for stream in [Stream::Stdout, Stream::Stderr] {
            if self.lines[usize::from(stream == Stream::Stderr)].is_empty() {
                continue;
            }
            let line = self.whole_lines(stream, b"\n");
            events.extend(step.map(|step| Event::Output(step, stream, line)));
        }
        events
    }
}

fn is_met(result: StepResult) -> bool {
    matches!(result, StepResult::Ended(_, Verdict::Met))
}

/// The memory that an event takes.
fn weight(event: &Event) -> usize {
    match event {
        Event::Output(_, _, bytes) | Event::FileData(_, bytes) => 64 + bytes.len(),
        _ => 64,
    }
}

#[cfg(test)]
#[path = "machines_tests.rs"]
mod tests;
