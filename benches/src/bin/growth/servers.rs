//! What a process costs in projects of several sizes: its start, and the memory of a server.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use windlass_bench::{Client, Outcome, Places, state_home, tool_call};
use windlass_store::Project;

use crate::Extent;
use crate::calls::{CALLS, LIMIT};
use crate::curve::{Curve, Unit};
use crate::timing::{in_rounds, median_of};

/// Calls of each kind before the memory of a server is read: more than fit in its caches.
const WARMING: u64 = 50;
/// Processes of one size in a round.
const STARTS: u64 = 10;

pub fn measure(places: &Places, extent: &Extent) -> Outcome<Vec<Curve>> {
    let mut projects = Vec::new();
    for size in &extent.sizes {
        projects.push(places.copy(&format!("servers-{size}"), *size)?);
    }
    let starts = extent.calls.min(STARTS);
    let curve = |name, work: &dyn Fn(&Project) -> Outcome| -> Outcome<Curve> {
        let (values, ratio) = in_rounds(extent.rounds, projects.len(), |at, _| {
            median_of(starts, |_| work(&projects[at]))
        })?;
        Ok(Curve {
            name,
            unit: Unit::Seconds,
            limit: Some(LIMIT),
            points: extent.sizes.iter().copied().zip(values).collect(),
            ratio,
        })
    };
    let mut curves = vec![
        curve("`windlass mcp`, first response", &|project| {
            Client::start(&places.windlass, &["mcp"], project.root()).map(drop)
        })?,
        curve("`windlass tasks next`", &|project| {
            run(&places.windlass, &["tasks", "next"], project)
        })?,
        curve("`windlass ready`", &|project| {
            run(&places.windlass, &["ready"], project)
        })?,
    ];
    let (mut all, mut own) = (Vec::new(), Vec::new());
    for (size, project) in extent.sizes.iter().zip(&projects) {
        let memory = memory_of_server(&places.windlass, project.root(), *size, extent)?;
        all.push((*size, memory.all));
        own.push((*size, memory.own));
    }
    curves.push(Curve::of(
        "server: resident memory",
        Unit::Bytes,
        Some(LIMIT),
        all,
    ));
    curves.push(Curve::of(
        "server: of it not of files",
        Unit::Bytes,
        Some(LIMIT),
        own,
    ));
    Ok(curves)
}

fn run(program: &Path, words: &[&str], project: &Project) -> Outcome {
    let output = Command::new(program)
        .args(words)
        .current_dir(project.root())
        .env("XDG_STATE_HOME", state_home())
        .stdin(Stdio::null())
        .output()?;
    if !output.status.success() || output.stdout.is_empty() {
        let problem = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("{}: {problem}", words.join(" ")).into());
    }
    Ok(())
}

/// In bytes.
struct Memory {
    all: f64,
    own: f64,
}

/// The memory of a server that answered every kind of call.
fn memory_of_server(program: &Path, root: &Path, size: usize, extent: &Extent) -> Outcome<Memory> {
    let mut server = Client::start(program, &["mcp", "--toolsets", "all"], root)?.initialized()?;
    for call in CALLS {
        for turn in 0..extent.calls.min(WARMING) {
            server.call(&tool_call(call.operation, &(call.input)(size, turn)))?;
        }
    }
    let status = fs::read_to_string(format!("/proc/{}/status", server.process()))?;
    let kilobytes = |name: &str| -> Outcome<f64> {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let number = line.and_then(|line| line.split_whitespace().next());
        Ok(number
            .ok_or("the memory of the server is unknown")?
            .parse()?)
    };
    Ok(Memory {
        all: kilobytes("VmRSS:")? * 1_024.0,
        own: kilobytes("RssAnon:")? * 1_024.0,
    })
}
