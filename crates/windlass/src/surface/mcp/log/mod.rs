//! The log on standard error. Nothing here ever touches standard output, which is the protocol's.
//!
//! A line is made where it is logged and put into memory; one thread writes it out. A client that
//! does not read our standard error can therefore never slow down an answer.

mod buffer;
mod line;
mod request;

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

/// What is asked for, with the chatter of the protocol library left out unless asked for by name.
/// Its service warns of every error that it passes on, which our own lines say already.
fn filter(directives: &str) -> EnvFilter {
    let quiet = if directives.contains("rmcp") {
        ""
    } else {
        "rmcp=warn,rmcp::service=error,"
    };
    EnvFilter::builder()
        .with_default_directive(LevelFilter::INFO.into())
        .parse_lossy(format!("{quiet}{directives}"))
}

fn log_panic(info: &PanicHookInfo<'_>) {
    let text = super::call::text_of(info.payload());
    let at = info.location().map(ToString::to_string).unwrap_or_default();
    tracing::error!(target: LOG, at, "panic: {text}");
    flush();
}
