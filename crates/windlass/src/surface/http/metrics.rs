//! `/metrics`: numbers in the text format of Prometheus.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use windlass_ops::JobHost;
use windlass_store::Store;

use super::access_log::Requests;
use super::answer;
use super::routes::App;
use super::sessions::Sessions;
use crate::surface::mcp::{CLASSES, Tally};

const TEXT: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");

/// Adds numbers to the page each time that it is asked for.
pub type Source = Box<dyn Fn(&mut Page) + Send + Sync>;

/// Where the numbers of a server come from, in the order of the page.
pub struct Metrics(Arc<Vec<Source>>);

impl Metrics {
    pub fn new(sources: Vec<Source>) -> Self {
        Self(Arc::new(sources))
    }
}

pub async fn serve(State(app): State<Arc<App>>) -> Response {
    let sources = Arc::clone(&app.metrics.0);
    // Counting what is stored reads the database.
    let made = tokio::task::spawn_blocking(move || {
        let mut page = Page::default();
        for source in sources.iter() {
            source(&mut page);
        }
        page.0
    });
    match made.await {
        Ok(page) => answer::bytes(StatusCode::OK, TEXT, page.into_bytes()),
        Err(_) => answer::problem(
            StatusCode::INTERNAL_SERVER_ERROR,
            "InternalError",
            "The numbers could not be gathered",
            "The log says what happened.",
        ),
    }
}

/// The page as it is written.
#[derive(Debug, Default)]
pub struct Page(String);

impl Page {
    /// Begins a family of numbers: a `counter`, a `gauge` or a `histogram`.
    pub fn family(&mut self, name: &str, kind: &str, help: &str) {
        let _ = write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    /// One number. Values of labels are quoted here.
    pub fn number(&mut self, name: &str, labels: &[(&str, &str)], value: impl std::fmt::Display) {
        self.0.push_str(name);
        for (index, (label, text)) in labels.iter().enumerate() {
            let before = if index == 0 { '{' } else { ',' };
            let text = text
                .replace('\\', "\\\\")
                .replace('"', "\\\"")
                .replace('\n', "\\n");
            let _ = write!(self.0, "{before}{label}=\"{text}\"");
        }
        if !labels.is_empty() {
            self.0.push('}');
        }
        let _ = writeln!(self.0, " {value}");
    }
}

/// What the server is.
pub fn identity() -> Source {
    Box::new(|page| {
        let name = "windlass_info";
        page.family(name, "gauge", "The version that serves.");
        page.number(name, &[("version", env!("CARGO_PKG_VERSION"))], 1);
    })
}

/// Calls by tool and outcome, and how long they took.
pub fn calls(tally: Arc<Tally>) -> Source {
    Box::new(move |page| {
        let tools = tally.numbers();
        let name = "windlass_tool_calls_total";
        page.family(name, "counter", "Calls of tools, by how they ended.");
        for (tool, numbers) in &tools {
            for (outcome, count) in &numbers.outcomes {
                let labels = [("tool", tool.as_str()), ("outcome", outcome.name())];
                page.number(name, &labels, count);
            }
        }
        let name = "windlass_tool_call_duration_seconds";
        page.family(name, "histogram", "How long calls of tools took.");
        for (tool, numbers) in &tools {
            let bucket = format!("{name}_bucket");
            let mut below = 0;
            for (end, count) in CLASSES.iter().zip(numbers.classes) {
                below += count;
                let end = end.to_string();
                page.number(&bucket, &[("tool", tool.as_str()), ("le", &end)], below);
            }
            let tool = [("tool", tool.as_str())];
            page.number(&bucket, &[tool[0], ("le", "+Inf")], numbers.calls());
            page.number(&format!("{name}_sum"), &tool, numbers.seconds);
            page.number(&format!("{name}_count"), &tool, numbers.calls());
        }
    })
}

/// Requests that have ended and that are under way, and the sessions of older clients.
pub fn requests(requests: Requests, sessions: Arc<Sessions>) -> Source {
    Box::new(move |page| {
        let name = "windlass_http_requests_total";
        page.family(name, "counter", "Requests that have ended.");
        for ((method, route, status), count) in requests.ended() {
            let status = status.to_string();
            let labels = [("method", method), ("route", route), ("status", &status)];
            page.number(name, &labels, count);
        }
        let name = "windlass_http_requests_in_flight";
        page.family(name, "gauge", "Requests that have no whole answer yet.");
        page.number(name, &[], requests.in_flight());
        let name = "windlass_mcp_sessions";
        page.family(name, "gauge", "Sessions of clients up to 2025-11-25.");
        page.number(name, &[], sessions.count());
    })
}

/// What is stored. Left out while the database cannot be read; readiness tells why.
pub fn store(store: Arc<Store>) -> Source {
    Box::new(move |page| {
        let Ok(statistics) = store.read(None, |reader| reader.statistics()) else {
            return;
        };
        let name = "windlass_entities";
        page.family(name, "gauge", "Living entities by type.");
        for (kind, count) in &statistics.entities {
            page.number(name, &[("type", kind)], count);
        }
        let name = "windlass_relations";
        page.family(name, "gauge", "Relations between living entities.");
        page.number(name, &[], statistics.relations);
        if let Ok(last) = store.last_event() {
            let name = "windlass_last_event";
            page.family(name, "gauge", "The number of the newest event.");
            page.number(name, &[], last);
        }
    })
}

/// The jobs of this process, those that have ended lately included.
pub fn jobs(host: Arc<JobHost>) -> Source {
    Box::new(move |page| {
        let jobs = host
            .started_jobs()
            .map(|jobs| jobs.supervisor.jobs())
            .unwrap_or_default();
        let running = jobs.iter().filter(|job| job.state().is_running()).count();
        let name = "windlass_jobs";
        page.family(name, "gauge", "Jobs of this server that are remembered.");
        page.number(name, &[("state", "running")], running);
        page.number(name, &[("state", "ended")], jobs.len() - running);
    })
}

/// The runs on record.
pub fn runs(store: Arc<Store>) -> Source {
    Box::new(move |page| {
        let counts = store.read(None, |reader| reader.run_counts());
        let name = "windlass_runs";
        page.family(name, "gauge", "Runs on record.");
        for (status, count) in counts.unwrap_or_default() {
            page.number(name, &[("status", &status)], count);
        }
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::surface::mcp::Outcome;

    #[test]
    fn labels_are_quoted() {
        let mut page = Page::default();
        page.family("a_total", "counter", "Help.");
        page.number("a_total", &[("x", "a\"b\\c\nd"), ("y", "z")], 3);
        page.number("b", &[], 1.5);
        assert_eq!(
            page.0,
            "# HELP a_total Help.\n# TYPE a_total counter\n\
             a_total{x=\"a\\\"b\\\\c\\nd\",y=\"z\"} 3\nb 1.5\n"
        );
    }

    #[test]
    fn classes_of_duration_add_up() {
        let tally = Arc::new(Tally::default());
        tally.record(Some("echo"), Outcome::Answered, Duration::from_micros(80));
        tally.record(Some("echo"), Outcome::Refused, Duration::from_secs(40));
        let mut page = Page::default();
        calls(tally)(&mut page);
        let lines: Vec<&str> = page.0.lines().collect();
        for line in [
            "windlass_tool_calls_total{tool=\"echo\",outcome=\"answered\"} 1",
            "windlass_tool_calls_total{tool=\"echo\",outcome=\"refused\"} 1",
            "windlass_tool_call_duration_seconds_bucket{tool=\"echo\",le=\"0.0001\"} 1",
            "windlass_tool_call_duration_seconds_bucket{tool=\"echo\",le=\"30\"} 1",
            "windlass_tool_call_duration_seconds_bucket{tool=\"echo\",le=\"+Inf\"} 2",
            "windlass_tool_call_duration_seconds_count{tool=\"echo\"} 2",
        ] {
            assert!(lines.contains(&line), "{line} in {}", page.0);
        }
    }
}
