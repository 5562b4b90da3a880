//! The whole surface in one process: raw lines in, raw lines out, with operations for tests.

mod calls;
mod changes;
mod session;

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use windlass_core::Result;
use windlass_ops::{Access, JobHost, Lifetime, Machine, Settings, Workspace};
use windlass_store::{Project, Store};

use super::fixture;
use super::lifecycle::serve_until_closed;
use super::server::{Server, Shared};
use super::tool_catalog::ToolCatalog;
use super::tools::Tools;
use super::transport::LineTransport;

struct Client {
    input: Option<DuplexStream>,
    output: Lines<BufReader<DuplexStream>>,
    closing: CancellationToken,
    ended: JoinHandle<Result<()>>,
    folder: tempfile::TempDir,
}

impl Client {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (project, _) = Project::init(folder.path()).unwrap();
        let store = Arc::new(Store::open(&project).unwrap());
        let machine = Machine::without_jobs(folder.path());
        let workspace = Arc::new(Workspace::new(project, machine));
        let host = Arc::new(JobHost::new(workspace, Lifetime::Server));
        let closing = CancellationToken::new();
        let shared = Shared::new(
            Tools::Fixed(Arc::new(ToolCatalog::of(
                fixture::OPERATIONS,
                Access::everything(),
            ))),
            store,
            host,
            Settings::default(),
            "a-session".into(),
            closing.clone(),
        );
        let (input, theirs_in) = tokio::io::duplex(64 * 1024);
        let (output, theirs_out) = tokio::io::duplex(64 * 1024);
        let server = Server::new(Arc::new(shared));
        let transport = LineTransport::new(theirs_in, theirs_out, closing.clone())
            .answering(server.quick_calls());
        Self {
            input: Some(input),
            output: BufReader::new(output).lines(),
            closing,
            ended: tokio::spawn(serve_until_closed(server, transport)),
            folder,
        }
    }

    async fn initialized() -> Self {
        let mut client = Self::start();
        let answer = client
            .request(
                "initialize",
                json!({
                    "protocolVersion": "2025-06-18",
                    "capabilities": {},
                    "clientInfo": { "name": "test", "version": "1" },
                }),
            )
            .await;
        assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
        client
            .send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string())
            .await;
        client
    }

    fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Messages are begun in order, so a response shows that all earlier ones were begun.
    async fn wait_for_initialized(&mut self) {
        self.request("ping", json!({})).await;
    }

    async fn send(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input
            .write_all(format!("{line}\n").as_bytes())
            .await
            .unwrap();
    }

    async fn next_text(&mut self) -> String {
        self.output.next_line().await.unwrap().expect("a response")
    }

    async fn next(&mut self) -> Json {
        serde_json::from_str(&self.next_text().await).unwrap()
    }

    async fn ask(&mut self, line: &str) -> Json {
        self.send(line).await;
        self.next().await
    }

    async fn request(&mut self, method: &str, params: Json) -> Json {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.ask(&request.to_string()).await
    }

    async fn call(&mut self, tool: &str, text: &str) -> Json {
        let params = json!({ "name": tool, "arguments": { "text": text } });
        self.request("tools/call", params).await
    }

    /// Closes the input and returns the remaining output.
    async fn end(mut self) -> Vec<Json> {
        self.input = None;
        self.rest().await
    }

    async fn rest(mut self) -> Vec<Json> {
        let mut rest = Vec::new();
        while let Some(line) = self.output.next_line().await.unwrap() {
            rest.push(serde_json::from_str(&line).unwrap());
        }
        self.ended.await.unwrap().unwrap();
        rest
    }
}

/// The metadata of every request since 2026-07-28.
fn modern() -> Json {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}
