//! `/metrics`: numbers in the text format of OpenMetrics, which Prometheus reads.
//!
//! Counters register themselves ([`CallCounts`], [`Requests`]). Numbers that are known elsewhere
//! are looked up here each time the page is requested.
//!
//! [`CallCounts`]: crate::surface::mcp::CallCounts

use std::fmt;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeGaugeValue, text};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use windlass_ops::JobHost;
use windlass_store::Store;

use super::access_log::Requests;
use super::answer;
use super::routes::App;
use super::sessions::Sessions;

const OPEN_METRICS: HeaderValue =
    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

/// Where the numbers of a server come from.
pub struct Metrics(Arc<Registry>);

impl Metrics {
    pub fn new(registry: Registry) -> Self {
        Self(Arc::new(registry))
    }
}

pub async fn serve(State(app): State<Arc<App>>) -> Response {
    let registry = Arc::clone(&app.metrics.0);
    // Counting what is stored reads the database.
    let made = tokio::task::spawn_blocking(move || {
        let mut page = String::new();
        text::encode(&mut page, &registry).map(|()| page)
    });
    match made.await {
        Ok(Ok(page)) => answer::bytes(StatusCode::OK, OPEN_METRICS, page.into_bytes()),
        _ => answer::problem(
            StatusCode::INTERNAL_SERVER_ERROR,
            "InternalError",
            "The metrics could not be collected",
            "The server's log has the cause.",
        ),
    }
}

/// What the server is.
pub fn identity(registry: &mut Registry) {
    let version = [("version", env!("CARGO_PKG_VERSION"))];
    registry.register("windlass", "The version that serves", Info::new(version));
}

/// Requests in progress, and the sessions of older clients.
pub fn requests(registry: &mut Registry, requests: Requests, sessions: Arc<Sessions>) {
    look_up(registry, move |page| {
        page.gauge(
            "windlass_http_requests_in_flight",
            "Requests in progress.",
            requests.in_flight(),
        )?;
        page.gauge(
            "windlass_mcp_sessions",
            "Sessions of clients up to 2025-11-25.",
            sessions.count(),
        )
    });
}

/// What is stored. Omitted while the database cannot be read; `/ready` says why.
pub fn store(registry: &mut Registry, store: Arc<Store>) {
    look_up(registry, move |page| {
        let Ok(statistics) = store.read(None, |reader| reader.statistics()) else {
            return Ok(());
        };
        page.gauges(
            "windlass_entities",
            "Entities that are not deleted, by type.",
            "type",
            statistics.entities,
        )?;
        page.gauge(
            "windlass_relations",
            "Relations between entities that are not deleted.",
            statistics.relations,
        )?;
        match store.last_event() {
            Ok(last) => page.gauge(
                "windlass_last_event",
                "The number of the newest event.",
                last,
            ),
            Err(_) => Ok(()),
        }
    });
}

/// The jobs of this process, including those that ended recently.
pub fn jobs(registry: &mut Registry, host: Arc<JobHost>) {
    look_up(registry, move |page| {
        let jobs = host
            .started_jobs()
            .map(|jobs| jobs.supervisor.jobs())
            .unwrap_or_default();
        let running = jobs.iter().filter(|job| job.state().is_running()).count();
        page.gauges(
            "windlass_jobs",
            "Jobs of this server that are remembered.",
            "state",
            [("running", running), ("ended", jobs.len() - running)],
        )
    });
}

/// The runs on record.
pub fn runs(registry: &mut Registry, store: Arc<Store>) {
    look_up(registry, move |page| {
        let counts = store.read(None, |reader| reader.run_counts());
        page.gauges(
            "windlass_runs",
            "Runs on record.",
            "status",
            counts.unwrap_or_default(),
        )
    });
}

/// What became of the spans of this server. Omitted where it exports none.
pub fn spans(registry: &mut Registry, host: Arc<JobHost>) {
    look_up(registry, move |page| {
        let Some(counts) = host.span_counts() else {
            return Ok(());
        };
        page.gauges(
            "windlass_spans",
            "Spans of this server since it began, by what became of them.",
            "state",
            [
                ("sent", counts.sent),
                ("dropped", counts.dropped),
                ("waiting", counts.waiting),
            ],
        )
    });
}

/// Writes numbers to the page each time it is requested.
fn look_up<F>(registry: &mut Registry, write: F)
where
    F: Fn(&mut Page<'_>) -> fmt::Result + Send + Sync + 'static,
{
    registry.register_collector(Box::new(LookUp(write)));
}

struct LookUp<F>(F);

impl<F> fmt::Debug for LookUp<F> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("LookUp")
    }
}

impl<F> Collector for LookUp<F>
where
    F: Fn(&mut Page<'_>) -> fmt::Result + Send + Sync + 'static,
{
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> fmt::Result {
        (self.0)(&mut Page(encoder))
    }
}

/// The page as it is written.
struct Page<'a>(DescriptorEncoder<'a>);

impl Page<'_> {
    /// One number of one name.
    fn gauge(&mut self, name: &str, help: &str, value: impl EncodeGaugeValue) -> fmt::Result {
        self.0
            .encode_descriptor(name, help, None, MetricType::Gauge)?
            .encode_gauge(&value)
    }

    /// Several numbers of one name, one per label value.
    fn gauges<L: AsRef<str>, V: EncodeGaugeValue>(
        &mut self,
        name: &str,
        help: &str,
        label: &str,
        values: impl IntoIterator<Item = (L, V)>,
    ) -> fmt::Result {
        let mut family = self
            .0
            .encode_descriptor(name, help, None, MetricType::Gauge)?;
        for (text, value) in values {
            family
                .encode_family(&[(label, text.as_ref())])?
                .encode_gauge(&value)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(registry: &Registry) -> String {
        let mut page = String::new();
        text::encode(&mut page, registry).unwrap();
        page
    }

    #[test]
    fn labels_are_quoted() {
        let mut registry = Registry::default();
        look_up(&mut registry, |page| {
            page.gauges("a", "Help.", "x", [("a\"b\\c\nd", 3_u64)])?;
            page.gauge("b", "More help.", 1.5)
        });
        assert_eq!(
            page(&registry),
            "# HELP a Help.\n# TYPE a gauge\na{x=\"a\\\"b\\\\c\\nd\"} 3\n\
             # HELP b More help.\n# TYPE b gauge\nb 1.5\n# EOF\n"
        );
    }

    #[test]
    fn what_is_looked_up_is_looked_up_anew() {
        let requests = Requests::default();
        let mut registry = Registry::default();
        identity(&mut registry);
        super::requests(&mut registry, requests.clone(), Arc::new(Sessions::new()));
        let version = env!("CARGO_PKG_VERSION");
        let info = format!("windlass_info{{version=\"{version}\"}} 1\n");
        assert!(page(&registry).contains(&info));
        assert!(page(&registry).contains("\nwindlass_http_requests_in_flight 0\n"));
        let request = axum::extract::Request::default();
        let _line = requests.begin(&request);
        assert!(page(&registry).contains("\nwindlass_http_requests_in_flight 1\n"));
    }
}
