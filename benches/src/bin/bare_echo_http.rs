//! The baseline for servers over HTTP: an MCP server that does nothing, built as the SDK's
//! documentation shows, without the delay that it adds to small responses.
#![expect(clippy::print_stdout, reason = "it prints its address")]

use std::sync::Arc;

use axum::Router;
use axum::serve::ListenerExt as _;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, tool, tool_handler, tool_router};
use tokio::net::TcpListener;

#[derive(Clone)]
struct Echo {
    router: Arc<ToolRouter<Self>>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Input {
    text: String,
}

#[tool_router]
impl Echo {
    /// Returns the text.
    #[tool]
    async fn echo(&self, Parameters(Input { text }): Parameters<Input>) -> String {
        text
    }
}

#[tool_handler(router = self.router)]
impl ServerHandler for Echo {}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let echo = Echo {
        router: Arc::new(Echo::tool_router()),
    };
    let service = StreamableHttpService::new(
        move || Ok(echo.clone()),
        LocalSessionManager::default().into(),
        StreamableHttpServerConfig::default().with_json_response(true),
    );
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{{\"url\":\"http://{}\"}}", listener.local_addr()?);
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}
