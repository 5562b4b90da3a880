//! Many clones with many agents over simulated object storage: how fast tasks are handed out, how much
//! work is done twice, how long until all agree, what it costs.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the report is what the program is for"
)]

mod clock;
mod dice;
mod fleet;
mod network;
mod options;
mod report;

use std::process::ExitCode;
use std::rc::Rc;
use std::time::{Duration, Instant};

use clap::Parser as _;
use futures::executor::LocalPool;
use futures::task::LocalSpawnExt as _;
use windlass_core::Result;

use crate::clock::VirtualClock;
use crate::fleet::{Clone, Truth};
use crate::network::{Behaviour, Cloud};
use crate::options::Arguments;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match simulate(&arguments) {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            println!("{}", problem.full_message());
            ExitCode::FAILURE
        }
    }
}

fn simulate(arguments: &Arguments) -> Result<String> {
    let failed = |problem: std::io::Error| windlass_core::Error::storage(problem.to_string());
    let folder = tempfile::tempdir_in(&arguments.folder).map_err(failed)?;
    let options = arguments.options();
    let clock = VirtualClock::default();
    let behaviour = Behaviour {
        latency: Duration::from_secs_f64(arguments.latency / 1_000.0),
        slow: Duration::from_secs_f64(arguments.latency / 100.0),
        bandwidth: 20_000_000,
        writes_per_second: 3_500,
        reads_per_second: 5_500,
    };
    let cloud = Cloud::new(clock.clone(), behaviour, options.begin);
    let truth = Rc::new(Truth::default());
    let mut pool = LocalPool::new();
    let spawner = pool.spawner();
    let begun = Instant::now();
    for number in 0..arguments.clones {
        let clone = Clone::new(number, folder.path(), &cloud, &clock, &truth, options)?;
        if number == 0 {
            clone.plan(arguments.tasks)?;
        }
        let mut all: Vec<futures::future::LocalBoxFuture<'static, ()>> = vec![
            Box::pin(Rc::clone(&clone).keep_syncing()),
            Box::pin(Rc::clone(&clone).keep_failing()),
        ];
        for agent in 0..arguments.agents {
            all.push(Box::pin(Rc::clone(&clone).keep_working(agent)));
        }
        for task in all {
            // The pool lives as long as the simulation.
            let _ = spawner.spawn_local(task);
        }
    }
    let report = |hours| report::report(arguments, hours, &truth, &cloud, begun.elapsed());
    let mut hours = 0.0;
    while hours < arguments.hours {
        hours = (hours + 1.0).min(arguments.hours);
        clock.run(&mut pool, Duration::from_secs_f64(hours * 3_600.0));
        // A day takes long, and a run that is stopped should not be lost.
        eprintln!("{}", report(hours));
    }
    drop(pool);
    Ok(report(hours))
}
