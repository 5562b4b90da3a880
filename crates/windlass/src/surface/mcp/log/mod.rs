//! The log on standard error. Nothing here ever touches standard output, which is the protocol's.
//!
//! A line is made where it is logged and put into memory; one thread writes it out. A client that
//! does not read our standard error can therefore never slow down an answer.

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

/// The target of all our lines.
pub const LOG: &str = "windlass::mcp";

/// How long the end of the process, or a panic, waits for a reader of standard error.
const FLUSH_WITHIN: Duration = Duration::from_millis(250);

/// What libraries may say unasked. The protocol's service warns of every error that it passes on,
/// which our own lines say already, and of every client that went before its answer.
const QUIET: [(&str, &str); 2] = [
    ("rmcp", "rmcp=warn,rmcp::service=off,"),
    ("loro", "loro=warn,"),
];

static BUFFER: OnceLock<Buffer> = OnceLock::new();

/// Begins to log. Does nothing the second time.
pub fn install(directives: &str) {
    let buffer = BUFFER.get_or_init(|| Buffer::start(Box::new(io::stderr())));
    let subscriber = tracing_subscriber::registry()
        .with(filter(directives))
        .with(LineLayer::new(buffer.clone()));
    if tracing::subscriber::set_global_default(subscriber).is_ok() {
        std::panic::set_hook(Box::new(log_panic));
    }
}

/// Waits, but not for long, until all is written.
pub fn flush() {
    if let Some(buffer) = BUFFER.get() {
        buffer.flush(FLUSH_WITHIN);
    }
}

/// What is asked for, with the chatter of libraries left out unless they are asked for by name.
fn filter(directives: &str) -> EnvFilter {
    let mut all = String::new();
    for (library, quiet) in QUIET {
        // Where less than warnings is asked for, libraries are not to say more.
        if !directives.contains(library) && !["off", "error"].contains(&directives) {
            all.push_str(quiet);
        }
    }
    all.push_str(directives);
    EnvFilter::builder()
        .with_default_directive(LevelFilter::INFO.into())
        .parse_lossy(all)
}

/// What a panic said.
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
