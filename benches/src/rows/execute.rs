//! The cost of scripts, and what they save.

use std::time::{Duration, Instant};

use rquickjs::{Context as Engine, Function, Object, Runtime};
use serde_json::{Value as Json, json};
use windlass_ops::{Context, Machine, OPERATIONS, WorkerCommand};
use windlass_store::Project;

use crate::client::{Client, tool_call};
use crate::harness::{Measured, Outcome, Rounds, Row};
use crate::places::Places;
use crate::rows::operations;

pub const INSIDE: Row = Row {
    name: "execute",
    about: "execute of 1+1 by an idle worker, against a fresh engine in this process with the SDK bound",
    limit: 1.0,
    measure: inside,
};

pub const MCP: Row = Row {
    name: "execute_mcp",
    about: "execute of 1+1 over stdio, against a bare rmcp echo server",
    limit: 4.0,
    measure: over_mcp,
};

pub const READS: Row = Row {
    name: "execute_reads",
    about: "1,000 reads one after another in one script, against 1,000 single tools/call",
    limit: 0.3,
    measure: reads,
};

pub const BURST: Row = Row {
    name: "execute_burst",
    about: "the slowest of 50 scripts at once, against the slowest of 50 threads with a fresh engine each",
    limit: 5.0,
    measure: burst,
};

/// The number of scripts at once.
const BURST_SIZE: usize = 50;

/// The number of reads on each side.
const READ_COUNT: usize = 1_000;

/// The argument that makes the binary a worker.
const WORKER: &str = "__worker";

fn inside(places: &Places, rounds: Rounds) -> Outcome<Measured> {
    let project = places.copy("execute", 1_000)?;
    let scripts = Scripts::on(&project, places)?;
    scripts.run("1+1", &json!(2))?;
    rounds.compare(20, 100, || scripts.run("1+1", &json!(2)), fresh_engine)
}

/// The operation in this process, with the real worker.
struct Scripts {
    context: Context,
    runtime: tokio::runtime::Runtime,
}

impl Scripts {
    fn on(project: &Project, places: &Places) -> Outcome<Self> {
        let machine = Machine {
            worker: WorkerCommand {
                program: places.windlass.clone(),
                args: vec![WORKER.into()],
            },
            ..Machine::without_jobs(project.root())
        };
        Ok(Self {
            context: operations::context(project, machine)?,
            runtime: tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()?,
        })
    }

    fn run(&self, code: &str, expected: &Json) -> Outcome {
        let call = operations::call(&self.context, "execute", json!({ "code": code }));
        let output = self.runtime.block_on(call)?;
        if output["value"] != *expected {
            return Err(format!("{code} returned {output}").into());
        }
        Ok(())
    }

    /// How long the slowest of so many takes.
    fn slowest_of(&self, count: usize, code: &str) -> Outcome<Duration> {
        let begin = Instant::now();
        let scripts = (0..count).map(|_| {
            let (context, input) = (self.context.clone(), json!({ "code": code }));
            self.runtime.spawn(async move {
                let output = operations::call(&context, "execute", input).await;
                output.map(|_| begin.elapsed()).map_err(|it| it.to_string())
            })
        });
        let scripts: Vec<_> = scripts.collect();
        let mut slowest = Duration::ZERO;
        for script in scripts {
            slowest = slowest.max(self.runtime.block_on(script)??);
        }
        Ok(slowest)
    }
}

fn burst(places: &Places, rounds: Rounds) -> Outcome<Measured> {
    let project = places.copy("execute_burst", 1_000)?;
    let scripts = Scripts::on(&project, places)?;
    rounds.compare_times(
        20,
        5,
        || scripts.slowest_of(BURST_SIZE, "1+1"),
        slowest_engine,
    )
}

fn slowest_engine() -> Outcome<Duration> {
    let begin = Instant::now();
    std::thread::scope(|scope| {
        let engine = || -> Result<Duration, String> {
            fresh_engine().map_err(|it| it.to_string())?;
            Ok(begin.elapsed())
        };
        let engines: Vec<_> = (0..BURST_SIZE).map(|_| scope.spawn(engine)).collect();
        let mut slowest = Duration::ZERO;
        for engine in engines {
            slowest = slowest.max(engine.join().map_err(|_| "an engine panicked")??);
        }
        Ok(slowest)
    })
}

/// A new engine with every method of the SDK, one evaluation, and its value as JSON.
fn fresh_engine() -> Outcome {
    let runtime = Runtime::new()?;
    let engine = Engine::full(&runtime)?;
    let text = engine.with(|ctx| -> rquickjs::Result<String> {
        for entry in OPERATIONS {
            let Some((namespace, name)) = entry.declaration.sdk.split_once('.') else {
                continue;
            };
            let methods = match ctx.globals().get::<_, Object>(namespace) {
                Ok(methods) => methods,
                Err(_) => Object::new(ctx.clone())?,
            };
            methods.set(name, Function::new(ctx.clone(), |input: String| input)?)?;
            ctx.globals().set(namespace, methods)?;
        }
        let value: rquickjs::Value = ctx.eval("1+1")?;
        match ctx.json_stringify(value)? {
            Some(text) => text.to_string(),
            None => Ok(String::new()),
        }
    })?;
    if text != "2" {
        return Err(format!("the engine returned {text}").into());
    }
    Ok(())
}

fn over_mcp(places: &Places, rounds: Rounds) -> Outcome<Measured> {
    let project = places.copy("execute_mcp", 1_000)?;
    let folder = project.root();
    let ours = tool_call("execute", &json!({ "code": "1+1" }));
    let theirs = tool_call("echo", &json!({"text": "1+1"}));
    let mut server = Client::start(&places.windlass, &["mcp"], folder)?.initialized()?;
    let mut echo = Client::start(&places.bare_echo, &[], folder)?.initialized()?;
    rounds.compare(20, 100, || server.call(&ours), || echo.call(&theirs))
}

fn reads(places: &Places, rounds: Rounds) -> Outcome<Measured> {
    let project = places.copy("execute_reads", 1_000)?;
    let folder = project.root();
    let script = format!("for (let i = 0; i < {READ_COUNT}; i++) await entities.get(1); 'done'");
    let ours = tool_call("execute", &json!({ "code": script }));
    let single = tool_call("entity_get", &json!({"id": "1"}));
    let mut server = Client::start(&places.windlass, &["mcp"], folder)?.initialized()?;
    let mut other = Client::start(&places.windlass, &["mcp"], folder)?.initialized()?;
    rounds.compare(
        10,
        2,
        || server.call(&ours),
        || (0..READ_COUNT).try_for_each(|_| other.call(&single)),
    )
}
