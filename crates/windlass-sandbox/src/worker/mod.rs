//! The worker: a process that runs scripts and can do nothing else.
//!
//! It never sees tokio, the store or an operation. One thread runs scripts, one after another, each
//! in an engine of its own that was made ready while the worker was idle; the main thread only
//! watches whether the host is still there.

mod allocator;
mod engine;
mod failure;
mod jail;
mod pipe;
mod prelude;
mod run;
mod sdk;
mod shorten;
mod source;
mod state;
mod text;

use std::io;
use std::rc::Rc;

use self::engine::Engine;
use self::pipe::Pipe;
use self::prelude::Prelude;
use crate::wire::{FromWorker, ToWorker};

/// Room for the parser of sources, which calls itself for every level of nesting. The engine gets
/// a small part of it.
const STACK_BYTES: usize = 256 * 1024 * 1024;

/// Runs the worker until its host has gone, and returns the exit code for the process. The
/// executable calls this before anything else when it was started with the hidden first word of
/// [`WorkerCommand`](crate::WorkerCommand).
pub fn worker_main() -> i32 {
    match start() {
        Ok(()) => 0,
        Err(_) => 1,
    }
}

fn start() -> io::Result<()> {
    let pipe = Pipe::open()?;
    let watched = pipe.try_clone()?;
    std::thread::Builder::new()
        .name("script".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            let code = i32::from(serve(pipe).is_err());
            leave(code);
        })?;
    // A script does not listen; so that none outlives its host, someone else has to.
    watched.wait_for_hangup()
}

/// Ends the process from wherever it is. A worker holds nothing that would have to be put away.
#[expect(
    clippy::disallowed_methods,
    reason = "an engine must not be taken apart in the midst of its work"
)]
fn leave(code: i32) -> ! {
    std::process::exit(code)
}

/// Takes scripts until the host has gone.
fn serve(pipe: Pipe) -> io::Result<()> {
    let pipe = Rc::new(pipe);
    let Some(ToWorker::Setup { methods }) = pipe.receive(None)? else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    let methods = Rc::new(methods);
    let prelude = Rc::new(Prelude::compile().map_err(io::Error::other)?);
    let prepare = || Engine::new(Rc::clone(&pipe), &methods, &prelude).map_err(io::Error::other);
    let mut engine = prepare()?;
    let jailed = jail::close(pipe.descriptor())?;
    pipe.send(&FromWorker::Ready { jailed })?;
    while let Some(message) = pipe.receive(None)? {
        // A late answer to a script that has ended.
        let ToWorker::Run {
            request,
            limits,
            code,
        } = message
        else {
            continue;
        };
        let ended = run::run(&engine, request, &limits, &code);
        let spent = ended.spent;
        pipe.send(&FromWorker::Done { request, ended })?;
        if spent {
            // Without taking the engine apart, which may be in a state that it is not made for.
            leave(0);
        }
        // One at a time, so that two never need room together.
        drop(engine);
        engine = prepare()?;
    }
    Ok(())
}
