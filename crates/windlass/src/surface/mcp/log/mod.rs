//! The log on standard error and in the log files. Nothing here writes to standard output, which carries the protocol.
//!
//! A line is formatted where it is logged and buffered in memory; one thread writes it out. A
//! client that does not read standard error can therefore never delay a response.

mod buffer;
mod line;
mod request;

use std::any::Any;
use std::io;
use std::panic::PanicHookInfo;
use std::sync::OnceLock;
use std::time::Duration;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt;

use self::buffer::Buffer;
use self::line::LineLayer;
pub use self::request::RequestLog;
use crate::surface::log_files::LogSettings;

/// The target of all our lines.
pub const LOG: &str = "windlass::mcp";

/// How long a shutdown or a panic waits for standard error to be read.
const FLUSH_WITHIN: Duration = Duration::from_millis(250);

/// The default log levels of libraries. rmcp's service warns about every error that it passes on,
/// which our own lines already report, and about every client that disconnects early.
const QUIET: [(&str, &str); 2] = [
    ("rmcp", "rmcp=warn,rmcp::service=off,"),
    ("loro", "loro=warn,"),
];

static BUFFER: OnceLock<Buffer> = OnceLock::new();

/// Starts logging. Calling it again does nothing.
pub fn install(settings: &LogSettings) {
    let file = || {
        let writer = settings.writer()?;
        Some(Box::new(writer) as Box<dyn io::Write + Send>)
    };
    let buffer = BUFFER.get_or_init(|| Buffer::start(Box::new(io::stderr())).with_file(file()));
    let subscriber = tracing_subscriber::registry()
        .with(filter(&settings.directives))
        .with(LineLayer::new(buffer.clone()));
    if tracing::subscriber::set_global_default(subscriber).is_ok() {
        std::panic::set_hook(Box::new(log_panic));
    }
}

/// Waits for a limited time until everything is written.
pub fn flush() {
    if let Some(buffer) = BUFFER.get() {
        buffer.flush(FLUSH_WITHIN);
    }
}

/// The requested directives, with libraries quiet unless the directives name them.
fn filter(directives: &str) -> EnvFilter {
    let mut all = String::new();
    for (library, quiet) in QUIET {
        // If less than warnings is requested, libraries must not log more than that.
        if !directives.contains(library) && !["off", "error"].contains(&directives) {
            all.push_str(quiet);
        }
    }
    all.push_str(directives);
    EnvFilter::builder()
        .with_default_directive(LevelFilter::INFO.into())
        .parse_lossy(all)
}

/// The message of a panic.
fn text_of(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}

fn log_panic(info: &PanicHookInfo<'_>) {
    let text = text_of(info.payload());
    let at = info.location().map(ToString::to_string).unwrap_or_default();
    tracing::error!(target: LOG, at, "panic: {text}");
    flush();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_quiet_unless_asked_for() {
        let shown = |directives: &str| {
            let text = filter(directives).to_string();
            let mut parts: Vec<_> = text.split(',').map(str::to_owned).collect();
            parts.sort();
            parts.join(" ")
        };
        assert_eq!(
            shown("debug"),
            "debug loro=warn rmcp::service=off rmcp=warn"
        );
        assert_eq!(shown("off"), "off");
        assert_eq!(shown("info,rmcp=trace"), "info loro=warn rmcp=trace");
    }
}
