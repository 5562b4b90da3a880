//! Spans of calls, jobs, runs and gates for a collector of OpenTelemetry that a person set up.
//!
//! It is off unless a person names a collector: `[telemetry]` of a `config.toml` that they allow as it
//! stands, or `WINDLASS_OTLP=1`. A span has ids, names of operations, commands, gates and playbooks,
//! codes and times; never a text of the plan, an argument or an output. While it is off, a call costs a
//! look at an empty option. Nothing here ever waits for the collector but the task that sends.
//!
//! `destination.rs` decides where spans go, `scope.rs` ties them to each other, `calls.rs`, `jobs.rs`,
//! `runs.rs` and `gates.rs` make them, `queue.rs` holds them, `exporter.rs` sends what `encoding.rs`
//! writes.

mod calls;
mod client;
mod destination;
mod encoding;
mod exporter;
mod gates;
mod ids;
mod jobs;
mod queue;
mod runs;
mod scope;
mod settings;
mod span;

pub(crate) use calls::CallSpan;
pub use client::try_export;
pub use destination::{Destination, SpanTarget, span_target};
pub(crate) use exporter::Exporter;
pub use exporter::{ExportNews, SpanCounts};
pub(crate) use gates::{GateSpan, GatesSpan};
pub(crate) use jobs::follow_job;
pub(crate) use runs::run_ended;
pub(crate) use scope::Scope;
pub use settings::{TelemetryConfig, TelemetryVariables};
