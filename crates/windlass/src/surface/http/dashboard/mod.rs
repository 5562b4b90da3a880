//! The dashboard: the page and its files, who is logged in, the calls of the page, and its live
//! events.
//!
//! The page calls operations as every surface does and adds no rule. Whoever shows the cookie and the
//! token of a person acts as that person; whoever shows neither may read what an agent may read.

mod api;
mod events;
mod files;
mod people;
mod together;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderMap, Method};
use axum::routing::{get, post};
use tokio_util::sync::CancellationToken;
use windlass_ops::{Access, Context, Naming, Toolset};

use self::people::People;
use super::routes::App;
use crate::surface::dashboard_folder::{DashboardFolder, Person};
use crate::surface::mcp::Shared;

/// The source of the events that the page writes.
const SOURCE: &str = "dashboard";

/// Inserted into each request: whether it may be served without a person's cookie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Admitted(pub bool);

pub struct Dashboard {
    shared: Arc<Shared>,
    people: People,
    /// What the caller of the page may use, with and without a person.
    access: Access,
    available: Vec<Toolset>,
    /// How hints name operations to a person.
    naming: Naming,
    stopping: CancellationToken,
}

/// What a dashboard needs beside what all surfaces share.
pub struct DashboardOptions {
    pub folder: DashboardFolder,
    /// Names this process: sessions end with it.
    pub server_id: String,
    pub access: Access,
    pub available: Vec<Toolset>,
    pub naming: Naming,
    pub stopping: CancellationToken,
}

impl Dashboard {
    pub fn new(shared: Arc<Shared>, options: DashboardOptions) -> Self {
        Self {
            shared,
            people: People::new(options.folder, options.server_id),
            access: options.access,
            available: options.available,
            naming: options.naming,
            stopping: options.stopping,
        }
    }

    /// The person whose cookie and token the request carries.
    fn person(&self, headers: &HeaderMap) -> Option<Person> {
        self.people.of_request(headers)
    }

    /// The context of a call: as the person, or as an agent that only reads.
    fn context(&self, person: Option<&Person>) -> Context {
        let mut context = self.shared.context(SOURCE, None);
        context.output_budget = None;
        context.naming = self.naming.clone();
        match person {
            Some(person) => {
                context.origin.actor = windlass_core::Actor::Human;
                context.origin.session.clone_from(&person.session);
                context.access = self.access.clone();
            }
            None => context.access = self.access.clone().reading_only(true),
        }
        context
    }
}

/// The paths of the dashboard, which decide by themselves who is served.
pub fn owns(request: &Request) -> bool {
    let path = request.uri().path();
    path.starts_with("/ui/")
        || path.starts_with("/api/")
        || (path == "/" && request.method() == Method::GET)
}

pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/ui/{version}/{*path}", get(files::asset))
        .route("/api/me", get(api::me))
        .route("/api/login", post(api::log_in))
        .route("/api/logout", post(api::log_out))
        .route("/api/call/{operation}", post(api::call))
        .route("/api/calls", post(together::calls))
        .route("/api/events", get(events::serve))
        .route("/api/metrics", get(api::metrics))
        .route("/api/ready", get(api::ready))
}

pub use files::index;
