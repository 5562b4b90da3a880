//! The baseline for servers: an MCP server that does nothing, built as the SDK's documentation
//! shows, with the faster of its transports and a router that is created once.

use std::sync::Arc;

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::transport::stdio_pipes;
use rmcp::{ServerHandler, ServiceExt, tool, tool_handler, tool_router};

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
    echo.serve(stdio_pipes()).await?.waiting().await?;
    Ok(())
}
