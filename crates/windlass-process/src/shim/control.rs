//! The inputs of the shim: the control socket, which is its standard input, and signals.

use std::io::{self, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags};
use rustix::process::{Pid, Signal};

use crate::os::CLOSE_ON_EXEC;
use crate::wire::{Frames, Report, Request};

/// Receives requests and sends reports.
pub struct Control {
    socket: UnixStream,
    wakes: UnixStream,
    frames: Frames,
    reports: Vec<u8>,
    parent: Option<Pid>,
    exit_requested: Arc<AtomicBool>,
    server_exited: bool,
    /// Descriptors received with the last request.
    pub descriptors: Vec<OwnedFd>,
}

impl Control {
    /// Takes over standard input and installs the signal handlers.
    pub fn open() -> io::Result<Self> {
        let parent = rustix::process::getppid();
        let socket = UnixStream::from(rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?);
        let (wakes, waker) = UnixStream::pair()?;
        wakes.set_nonblocking(true)?;
        let exit_requested = Arc::new(AtomicBool::new(false));
        for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
            signal_hook::flag::register(signal.as_raw(), Arc::clone(&exit_requested))?;
            signal_hook::low_level::pipe::register(signal.as_raw(), waker.try_clone()?)?;
        }
        signal_hook::low_level::pipe::register(Signal::CHILD.as_raw(), waker)?;
        Ok(Self {
            socket,
            wakes,
            frames: Frames::default(),
            reports: Vec::new(),
            parent,
            exit_requested,
            server_exited: false,
            descriptors: Vec::new(),
        })
    }

    /// Sleeps until something happens or the timeout has passed, and receives what arrived.
    pub fn wait(&mut self, timeout: Option<Duration>) -> io::Result<()> {
        let timeout = timeout.map(|timeout| Timespec {
            tv_sec: timeout.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: timeout.subsec_nanos().into(),
        });
        let mut sources = vec![PollFd::new(&self.wakes, PollFlags::IN)];
        if !self.server_exited {
            sources.push(PollFd::new(&self.socket, PollFlags::IN));
        }
        match rustix::event::poll(&mut sources, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(problem) => return Err(problem.into()),
        }
        let heard = sources
            .get(1)
            .is_some_and(|socket| !socket.revents().is_empty());
        // The number of wake-ups does not matter: everything is checked in each round.
        while matches!((&self.wakes).read(&mut [0; 64]), Ok(64)) {}
        if heard {
            self.receive();
        }
        Ok(())
    }

    fn receive(&mut self) {
        let mut bytes = [0; 16 * 1024];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut slices = [IoSliceMut::new(&mut bytes)];
        let flags = CLOSE_ON_EXEC | RecvFlags::DONTWAIT;
        match rustix::net::recvmsg(&self.socket, &mut slices, &mut ancillary, flags) {
            Ok(message) if message.bytes > 0 => {
                for item in ancillary.drain() {
                    if let RecvAncillaryMessage::ScmRights(descriptors) = item {
                        self.descriptors.extend(descriptors);
                    }
                }
                self.frames.push(&bytes[..message.bytes]);
            }
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
            Ok(_) | Err(_) => self.server_exited = true,
        }
    }

    /// The requests that are complete.
    pub fn requests(&mut self) -> Vec<Request> {
        let mut requests = Vec::new();
        while let Some(frame) = self.frames.next() {
            match Request::decode(&frame) {
                Some(request) => requests.push(request),
                None => self.server_exited = true,
            }
        }
        requests
    }

    /// Whether the server has exited.
    pub fn is_orphaned(&self) -> bool {
        self.server_exited
            || self.exit_requested.load(Ordering::Relaxed)
            || rustix::process::getppid() != self.parent
    }

    /// Queues a report; [`flush`](Self::flush) sends it.
    pub fn report(&mut self, report: Report) {
        self.reports.extend(report.encode());
    }

    /// Sends all reports at once, which wakes the server only once.
    pub fn flush(&mut self) {
        if !self.reports.is_empty() && self.socket.write_all(&self.reports).is_err() {
            self.server_exited = true;
        }
        self.reports.clear();
    }
}
