//! The shim's ears: the control socket, which is its standard input, and signals.

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

use crate::wire::{Frames, Report, Request};

/// Where requests come from and reports go to.
pub struct Control {
    socket: UnixStream,
    wakes: UnixStream,
    frames: Frames,
    reports: Vec<u8>,
    parent: Option<Pid>,
    asked_to_leave: Arc<AtomicBool>,
    server_gone: bool,
    /// Descriptors that came along with the last request.
    pub descriptors: Vec<OwnedFd>,
}

impl Control {
    /// Takes over standard input and listens for signals.
    pub fn open() -> io::Result<Self> {
        let parent = rustix::process::getppid();
        let socket = UnixStream::from(rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?);
        let (wakes, waker) = UnixStream::pair()?;
        wakes.set_nonblocking(true)?;
        let asked_to_leave = Arc::new(AtomicBool::new(false));
        for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
            signal_hook::flag::register(signal.as_raw(), Arc::clone(&asked_to_leave))?;
            signal_hook::low_level::pipe::register(signal.as_raw(), waker.try_clone()?)?;
        }
        signal_hook::low_level::pipe::register(Signal::CHILD.as_raw(), waker)?;
        Ok(Self {
            socket,
            wakes,
            frames: Frames::default(),
            reports: Vec::new(),
            parent,
            asked_to_leave,
            server_gone: false,
            descriptors: Vec::new(),
        })
    }

    /// Sleeps until something happens, or `patience` is over, and takes in what did.
    pub fn wait(&mut self, patience: Option<Duration>) -> io::Result<()> {
        let timeout = patience.map(|patience| Timespec {
            tv_sec: patience.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: patience.subsec_nanos().into(),
        });
        let mut sources = vec![PollFd::new(&self.wakes, PollFlags::IN)];
        if !self.server_gone {
            sources.push(PollFd::new(&self.socket, PollFlags::IN));
        }
        match rustix::event::poll(&mut sources, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(problem) => return Err(problem.into()),
        }
        let heard = sources
            .get(1)
            .is_some_and(|socket| !socket.revents().is_empty());
        // How often it was woken says nothing: everything is looked at in each round.
        while matches!((&self.wakes).read(&mut [0; 64]), Ok(64)) {}
        if heard {
            self.receive();
        }
        Ok(())
    }

    fn receive(&mut self) {
        let mut bytes = [0; 16 * 1024];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
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
            Ok(_) | Err(_) => self.server_gone = true,
        }
    }

    /// The requests that are complete.
    pub fn requests(&mut self) -> Vec<Request> {
        let mut requests = Vec::new();
        while let Some(frame) = self.frames.next() {
            match Request::decode(&frame) {
                Some(request) => requests.push(request),
                None => self.server_gone = true,
            }
        }
        requests
    }

    /// Whether there is nobody left to work for.
    pub fn is_orphaned(&self) -> bool {
        self.server_gone
            || self.asked_to_leave.load(Ordering::Relaxed)
            || rustix::process::getppid() != self.parent
    }

    /// Notes what is to be said; [`flush`](Self::flush) says it.
    pub fn report(&mut self, report: Report) {
        self.reports.extend(report.encode());
    }

    /// Says all at once, which wakes the server once.
    pub fn flush(&mut self) {
        if !self.reports.is_empty() && self.socket.write_all(&self.reports).is_err() {
            self.server_gone = true;
        }
        self.reports.clear();
    }
}

#[cfg(target_os = "linux")]
const CLOSE_ON_EXEC: RecvFlags = RecvFlags::CMSG_CLOEXEC;

/// Elsewhere the descriptors are used up before anything else is started.
#[cfg(not(target_os = "linux"))]
const CLOSE_ON_EXEC: RecvFlags = RecvFlags::empty();
