//! The shim: a small parent process of each job that adopts all of its processes.
//!
//! It is single-threaded and moves no data. It exits when the control socket is closed, which the
//! kernel does however the server dies; before that it stops the tree. It holds the ends of the job's
//! pipes that the server reads: a job whose server was killed could not even say goodbye in its grace
//! without being killed for writing to nobody. A shim whose tree has exited may be given another job.

mod control;
mod ending;

use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{io, mem};

use rustix::process::{Pid, WaitOptions, WaitStatus};

use self::control::Control;
use self::ending::Ending;
use crate::os;
use crate::wire::{Report, Request, Start};

/// The longest grace of a job whose server has exited: nobody can stop it any more.
const ORPHAN_GRACE: Duration = Duration::from_secs(10);

/// How many pieces of output are discarded in one round.
const DISCARDED_AT_ONCE: usize = 64;

/// Runs the shim until the server has exited and no process of a job is left, and returns the exit
/// code for the process. The executable calls this before anything else when it was started with
/// the hidden subcommand of [`ShimCommand`](crate::ShimCommand).
pub fn shim_main() -> i32 {
    match serve() {
        Ok(()) => 0,
        Err(_) => 1,
    }
}

/// A job supervised by this shim.
struct Job {
    main: Pid,
    main_ended: bool,
    /// Whether no process is left to wait for.
    childless: bool,
    grace: Duration,
    ending: Option<Ending>,
    /// What the server reads, for when it no longer does.
    output: [OwnedFd; 2],
}

fn serve() -> io::Result<()> {
    // Leaves the terminal and the process group of the server, so that Ctrl-C does not reach the
    // jobs.
    rustix::process::setsid()?;
    os::adopt_orphans()?;
    let mut control = Control::open()?;
    let mut job: Option<Job> = None;
    loop {
        control.wait(job.as_ref().and_then(Job::sleep_time))?;
        for request in control.requests() {
            match request {
                Request::Start(start) if job.is_none() => job = begin(&start, &mut control),
                // The server sends no second job before the tree of the first has exited.
                Request::Start(_) => {}
                Request::Stop(grace) => {
                    if let Some(job) = &mut job {
                        job.end_within(grace);
                    }
                }
            }
        }
        if control.is_orphaned() {
            match &mut job {
                None => return Ok(()),
                Some(job) => {
                    job.end_within(job.grace.min(ORPHAN_GRACE));
                    job.discard_output();
                }
            }
        }
        if let Some(running) = &mut job
            && let Some(left) = running.step(&mut control)
        {
            job = None;
            control.flush();
            if left > 0 {
                return Err(io::Error::other("processes are left that cannot be killed"));
            }
        }
        control.flush();
        if job.is_none() && control.is_orphaned() {
            return Ok(());
        }
    }
}

/// Starts the program. The descriptors of its output are closed here in any case.
fn begin(start: &Start, control: &mut Control) -> Option<Job> {
    match spawn(start, control) {
        Ok((main, output)) => {
            control.report(Report::Started {
                pid: main.as_raw_nonzero().get(),
            });
            // Reported immediately, so that the caller who waits for the start does not wait for
            // the end as well.
            control.flush();
            Some(Job {
                main,
                main_ended: false,
                childless: false,
                grace: start.grace,
                ending: None,
                output,
            })
        }
        Err(problem) => {
            let errno = problem.raw_os_error().unwrap_or(0);
            control.report(Report::Failed { errno });
            None
        }
    }
}

fn spawn(start: &Start, control: &mut Control) -> io::Result<(Pid, [OwnedFd; 2])> {
    let descriptors = mem::take(&mut control.descriptors);
    let [stdout, stderr, read_stdout, read_stderr] = <[_; 4]>::try_from(descriptors)
        .map_err(|_| io::Error::from_raw_os_error(rustix::io::Errno::BADF.raw_os_error()))?;
    let mut command = Command::new(&start.program);
    command
        .args(&start.args)
        .current_dir(&start.cwd)
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(stderr)
        .process_group(0);
    for (name, value) in &start.env {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let child = command.spawn()?;
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap_or_default())
        .ok_or_else(|| io::Error::other("a process without a pid"))?;
    Ok((pid, [read_stdout, read_stderr]))
}

impl Job {
    /// How long the shim may sleep if nothing happens.
    fn sleep_time(&self) -> Option<Duration> {
        self.ending.as_ref().map(Ending::sleep_time)
    }

    /// Asks the tree to end, and kills what is left after `grace`. A request that repeats an earlier
    /// one does not prolong it.
    fn end_within(&mut self, grace: Duration) {
        let deadline = Instant::now().checked_add(grace);
        self.ending
            .get_or_insert_with(Ending::new)
            .kill_by(deadline);
    }

    /// Reads what the job has written, since nobody else does: it would wait for that otherwise. The
    /// server has made reading return at once.
    fn discard_output(&self) {
        let mut bytes = [0; 16 * 1024];
        for pipe in &self.output {
            for _ in 0..DISCARDED_AT_ONCE {
                if !matches!(rustix::io::read(pipe, &mut bytes), Ok(1..)) {
                    break;
                }
            }
        }
    }

    /// Supervises the tree. Once it has exited, returns how many processes could not be killed.
    fn step(&mut self, control: &mut Control) -> Option<u32> {
        self.reap(control);
        if self.main_ended && self.ending.is_none() && !self.childless {
            // Nothing may outlive its job unnoticed.
            self.end_within(self.grace);
        }
        let members = match &self.ending {
            Some(_) => os::members(self.main),
            None => Vec::new(),
        };
        if self.main_ended && self.childless && members.is_empty() {
            let killed = self.ending.as_ref().is_some_and(Ending::has_killed);
            control.report(Report::TreeEnded { killed, left: 0 });
            return Some(0);
        }
        let ending = self.ending.as_mut()?;
        if ending.has_given_up() {
            let left = u32::try_from(members.len()).unwrap_or(u32::MAX);
            control.report(Report::TreeEnded { killed: true, left });
            return Some(left);
        }
        ending.signal_round(self.main, &members);
        None
    }

    fn reap(&mut self, control: &mut Control) {
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                // An adopted process may have the pid of the main process after that has exited.
                Ok(Some((pid, status))) if pid == self.main && !self.main_ended => {
                    self.main_ended = true;
                    control.report(report_of(status));
                }
                Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
                Ok(None) => return,
                Err(_) => {
                    self.childless = true;
                    return;
                }
            }
        }
    }
}

fn report_of(status: WaitStatus) -> Report {
    match status.terminating_signal() {
        Some(signal) => Report::Signaled { signal },
        None => Report::Exited {
            code: status.exit_status().unwrap_or(-1),
        },
    }
}
