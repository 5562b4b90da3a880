//! The worker: a process that only runs scripts.
//!
//! It does not use tokio, the store or operations. One thread runs scripts, one after another, each
//! in its own engine, which was prepared while the worker was idle; the main thread only watches
//! whether the host still exists.

mod allocator;
mod engine;
mod failure;
mod jail;
mod mistakes;
mod pipe;
mod prelude;
mod run;
mod sdk;
mod shorten;
mod source;
mod state;
mod text;

use std::convert::Infallible;
use std::io;
use std::rc::Rc;

use self::engine::Engine;
use self::pipe::Pipe;
use self::prelude::Prelude;
use crate::wire::{FromWorker, ToWorker};

/// Stack for the parser, which recurses for every level of nesting. The engine gets a small part of
/// it.
const STACK_BYTES: usize = 256 * 1024 * 1024;

/// Runs the worker until its host exits, and returns the exit code of the process. The executable
/// must call this before anything else if it was started with the hidden first argument of
/// [`WorkerCommand`](crate::WorkerCommand).
pub fn worker_main() -> i32 {
    match start() {
        Ok(never) => match never {},
        Err(_) => 1,
    }
}

fn start() -> io::Result<Infallible> {
    let pipe = Pipe::open()?;
    let watched = pipe.try_clone()?;
    std::thread::Builder::new()
        .name("script".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            let pipe = Rc::new(pipe);
            exit_now(i32::from(serve(&pipe).is_err()));
        })?;
    // A running script does not read the pipe, so this thread ensures that it does not outlive its
    // host.
    exit_now(i32::from(watched.wait_for_hangup().is_err()))
}

/// Exits the process from any thread. A worker has nothing to clean up, and a jailed one may not even
/// close its pipe: the system would kill it and write that down.
#[expect(
    clippy::disallowed_methods,
    reason = "an engine must not be dropped while it runs"
)]
fn exit_now(code: i32) -> ! {
    std::process::exit(code)
}

/// Runs scripts until the host exits.
fn serve(pipe: &Rc<Pipe>) -> io::Result<()> {
    let Some(ToWorker::Setup { methods }) = pipe.receive(None)? else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    let methods = Rc::new(methods);
    let prelude = Rc::new(Prelude::compile().map_err(io::Error::other)?);
    let prepare = || Engine::new(Rc::clone(pipe), &methods, &prelude).map_err(io::Error::other);
    let mut engine = prepare()?;
    let jailed = jail::close(pipe.descriptor())?;
    pipe.send(&FromWorker::Ready { jailed })?;
    pipe.flush()?;
    while let Some(message) = pipe.receive(None)? {
        // A late result for a script that has ended.
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
        pipe.flush()?;
        if spent {
            // Exit without dropping the engine, which may be in an undefined state.
            exit_now(0);
        }
        // Only one engine exists at a time, so that two never use memory together.
        drop(engine);
        engine = prepare()?;
    }
    Ok(())
}
