//! A minimal HTTP client: one persistent connection, a request written, a response read.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::harness::Outcome;
use crate::places::state_home;

/// How long a response may take.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(30);

/// A server process and its address.
pub struct HttpServer {
    child: Child,
    pub address: String,
}

impl HttpServer {
    /// Starts a server that writes `{"url": …}` as its first line.
    pub fn start(program: &Path, arguments: &[&str], folder: &Path) -> Outcome<Self> {
        let mut child = Command::new(program)
            .args(arguments)
            .current_dir(folder)
            .env("XDG_STATE_HOME", state_home())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let output = child.stdout.take().ok_or("the server has no output")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let started: Json = serde_json::from_str(&line)?;
        let url = started["url"].as_str().ok_or("the server has no URL")?;
        Ok(Self {
            child,
            address: url.trim_start_matches("http://").to_owned(),
        })
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        // Nothing more can be done about a server that does not exit.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The generation of the protocol that a client uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// With a session, up to 2025-11-25.
    Session,
    /// Every request stands alone, since 2026-07-28.
    Alone,
}

/// One client with its own connection.
pub struct HttpClient {
    stream: BufReader<TcpStream>,
    address: String,
    era: Era,
    session: Option<String>,
    body: Vec<u8>,
}

impl HttpClient {
    pub fn connect(address: &str, era: Era) -> Outcome<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(RESPONSE_TIMEOUT))?;
        let mut client = Self {
            stream: BufReader::new(stream),
            address: address.to_owned(),
            era,
            session: None,
            body: Vec::new(),
        };
        if era == Era::Session {
            client.initialize()?;
        }
        Ok(client)
    }

    fn initialize(&mut self) -> Outcome {
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "windlass-bench", "version": "0"},
        }});
        let request = self.request(&hello, None);
        self.session = self.exchange(&request)?;
        if self.session.is_none() {
            return Err("the server gave no session".into());
        }
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let request = self.request(&initialized, None);
        self.exchange(&request)?;
        Ok(())
    }

    /// A tool call, ready to be sent by this client.
    pub fn tool_call(&self, name: &str, arguments: &Json) -> String {
        let mut params = json!({"name": name, "arguments": arguments});
        if self.era == Era::Alone {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params});
        self.request(&call, Some(name))
    }

    fn request(&self, message: &Json, tool: Option<&str>) -> String {
        let body = message.to_string();
        let mut text = format!(
            "POST /mcp HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\ncontent-length: {}\r\n",
            self.address,
            body.len()
        );
        if let Some(session) = &self.session {
            let _ = write!(text, "mcp-session-id: {session}\r\n");
        }
        if let (Era::Alone, Some(tool)) = (self.era, tool) {
            let _ = write!(
                text,
                "mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: {tool}\r\n"
            );
        }
        text + "\r\n" + &body
    }

    /// Sends a request and waits for its response.
    pub fn call(&mut self, request: &str) -> Outcome {
        self.exchange(request)?;
        // Only searches the text: parsing it would be measured too.
        let response = self.last_response();
        if !response.contains("\"result\"") || response.contains("\"isError\":true") {
            return Err(
                format!("{} responded with {response:?} to {request}", self.address).into(),
            );
        }
        Ok(())
    }

    /// The response to the last request.
    pub fn last_response(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }

    /// Sends a request and reads the complete response; returns the session in its headers, if any.
    fn exchange(&mut self, request: &str) -> Outcome<Option<String>> {
        self.stream.get_mut().write_all(request.as_bytes())?;
        self.body.clear();
        let (mut length, mut chunked, mut session) = (0, false, None);
        let mut line = String::new();
        let mut first = true;
        loop {
            line.clear();
            if self.stream.read_line(&mut line)? == 0 {
                return Err("the server closed the connection".into());
            }
            let text = line.trim_end();
            if std::mem::take(&mut first) && !text.starts_with("HTTP/1.1 20") {
                return Err(format!("the server responded with {text}").into());
            }
            if text.is_empty() {
                break;
            }
            if let Some((name, value)) = text.split_once(": ") {
                match name {
                    "content-length" => length = value.parse()?,
                    "transfer-encoding" => chunked = value == "chunked",
                    "mcp-session-id" => session = Some(value.to_owned()),
                    _ => {}
                }
            }
        }
        if !chunked {
            self.read_exactly(length)?;
            return Ok(session);
        }
        loop {
            line.clear();
            self.stream.read_line(&mut line)?;
            let size = usize::from_str_radix(line.trim_end(), 16)?;
            self.read_exactly(size)?;
            line.clear();
            self.stream.read_line(&mut line)?;
            if size == 0 {
                return Ok(session);
            }
        }
    }

    fn read_exactly(&mut self, length: usize) -> Outcome {
        let from = self.body.len();
        self.body.resize(from + length, 0);
        self.stream.read_exact(&mut self.body[from..])?;
        Ok(())
    }
}
