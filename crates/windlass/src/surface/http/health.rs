//! Liveness (`/health`) and readiness (`/ready`).

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Map, Value as Json, json};
use windlass_core::{Actor, Origin};
use windlass_ops::JobHost;
use windlass_store::Store;

use super::answer;
use super::routes::App;

/// The version of the runs contract (docs/contracts/runs.md).
const CONTRACT_VERSION: &str = "0.6.0";

/// With less free space than this, a write may soon fail.
const ENOUGH_SPACE: u64 = 64 * 1024 * 1024;

/// How long all checks may take together.
const CHECK_WITHIN: Duration = Duration::from_secs(5);

/// One thing that must hold for the server to work: facts about it, or why it does not hold.
pub type Check = Box<dyn Fn() -> Result<Json, String> + Send + Sync>;

/// The checks of a server, in the order of its report.
pub struct Readiness(Arc<Vec<(&'static str, Check)>>);

impl Readiness {
    pub fn new(checks: Vec<(&'static str, Check)>) -> Self {
        Self(Arc::new(checks))
    }

    /// Runs all checks on a blocking thread.
    async fn report(&self) -> (StatusCode, Json) {
        let checks = Arc::clone(&self.0);
        let running = tokio::task::spawn_blocking(move || run_all(&checks));
        match tokio::time::timeout(CHECK_WITHIN, running).await {
            Ok(Ok(report)) => report,
            Ok(Err(_)) => not_ready(Map::new(), vec!["A check panicked".to_owned()]),
            Err(_) => not_ready(Map::new(), vec!["The checks took too long".to_owned()]),
        }
    }
}

fn run_all(checks: &[(&'static str, Check)]) -> (StatusCode, Json) {
    let mut shown = Map::new();
    let mut reasons = Vec::new();
    for (name, check) in checks {
        let report = match check() {
            Ok(mut facts) => {
                facts["ok"] = Json::Bool(true);
                facts
            }
            Err(reason) => {
                let report = json!({ "ok": false, "reason": reason });
                reasons.push(format!("{name}: {reason}"));
                report
            }
        };
        shown.insert((*name).to_owned(), report);
    }
    if reasons.is_empty() {
        let body = json!({ "status": "ready", "checks": shown });
        (StatusCode::OK, body)
    } else {
        not_ready(shown, reasons)
    }
}

fn not_ready(checks: Map<String, Json>, reasons: Vec<String>) -> (StatusCode, Json) {
    let body = json!({ "status": "not_ready", "reasons": reasons, "checks": checks });
    (StatusCode::SERVICE_UNAVAILABLE, body)
}

/// Checks that the state can be read and, unless the server is read-only, written.
pub fn database(store: Arc<Store>, read_only: bool) -> Check {
    let origin = Origin {
        actor: Actor::Agent,
        source: "http",
        session: "readiness".to_owned(),
        correlation_id: None,
    };
    Box::new(move || {
        let last = store.last_event().map_err(|error| error.to_string())?;
        if !read_only {
            store
                .write(&origin, |_| Ok(()))
                .map_err(|error| error.to_string())?;
        }
        Ok(json!({ "last_event": last }))
    })
}

/// Checks that enough disk space is free.
pub fn disk(folder: PathBuf) -> Check {
    Box::new(move || {
        let free = free_space(&folder)?;
        if free < ENOUGH_SPACE {
            return Err(format!(
                "only {} MiB are free on the disk of the state folder",
                free / (1024 * 1024)
            ));
        }
        Ok(json!({ "free_bytes": free }))
    })
}

/// Checks that runs can be executed on this machine; the report names the usable runtimes.
pub fn runtimes(host: Arc<JobHost>) -> Check {
    Box::new(move || {
        let executor = host.runs().map_err(|problem| problem.to_string())?;
        let runtimes = executor.runtimes();
        let local = runtimes.iter().find(|(name, _)| *name == "local");
        if let Some((_, Some(problem))) = local {
            return Err(problem.clone());
        }
        let usable = runtimes.iter().filter(|(_, problem)| problem.is_none());
        let usable: Vec<&str> = usable.map(|(name, _)| *name).collect();
        Ok(json!({ "usable": usable }))
    })
}

fn free_space(folder: &Path) -> Result<u64, String> {
    let system = rustix::fs::statvfs(folder).map_err(|problem| problem.to_string())?;
    Ok(system.f_bavail.saturating_mul(system.f_frsize))
}

/// The liveness report: name and version of the server.
pub fn report() -> Json {
    json!({
        "status": "ok",
        "name": "windlass",
        "version": env!("CARGO_PKG_VERSION"),
        "contractVersion": CONTRACT_VERSION,
    })
}

pub async fn live() -> Response {
    answer::json(StatusCode::OK, &report())
}

pub async fn ready(State(app): State<Arc<App>>) -> Response {
    let (status, body) = app.readiness.report().await;
    answer::json(status, &body)
}

#[cfg(test)]
mod tests {
    use windlass_store::Project;

    use super::*;

    #[tokio::test]
    async fn every_reason_is_told() {
        let readiness = Readiness::new(vec![
            ("good", Box::new(|| Ok(json!({ "fact": 1 })))),
            ("bad", Box::new(|| Err("is broken".to_owned()))),
            ("worse", Box::new(|| Err("is gone".to_owned()))),
        ]);
        let (status, body) = readiness.report().await;
        assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(body["status"], "not_ready");
        assert_eq!(body["reasons"], json!(["bad: is broken", "worse: is gone"]));
        assert_eq!(body["checks"]["good"], json!({ "fact": 1, "ok": true }));
        assert_eq!(
            body["checks"]["bad"],
            json!({ "ok": false, "reason": "is broken" })
        );
    }

    #[tokio::test]
    async fn a_check_that_falls_over_is_not_ready() {
        let readiness = Readiness::new(vec![("falls", Box::new(|| panic!("a bug")))]);
        let (status, _) = readiness.report().await;
        assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    }

    #[test]
    fn a_project_that_works_is_ready_and_a_missing_folder_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let (project, _) = Project::init(folder.path()).unwrap();
        let store = Arc::new(Store::open(&project).unwrap());
        assert_eq!(database(store, false)().unwrap()["last_event"], 0);
        assert!(disk(project.state().to_owned())().unwrap()["free_bytes"].is_u64());
        assert!(disk(folder.path().join("nowhere"))().is_err());
    }
}
