//! A `windlass serve` process, and a client that writes plain HTTP to it.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

/// How long any single thing may take to happen.
pub const LIMIT: Duration = Duration::from_mins(1);

pub struct HttpServer {
    child: Child,
    pub address: SocketAddr,
    /// What it printed when it began to listen.
    pub started: Json,
    log: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
}

impl HttpServer {
    pub fn start(project: &Path) -> Self {
        Self::start_with(project, &[], &[])
    }

    pub fn start_with(project: &Path, options: &[&str], variables: &[(&str, &str)]) -> Self {
        Self::of(command(project), options, variables)
    }

    /// Starts the server by a command that ends in the program and its project.
    pub fn of(mut command: Command, options: &[&str], variables: &[(&str, &str)]) -> Self {
        command.args(["--json", "serve"]).args(options);
        if !options.contains(&"--http") {
            command.args(["--http", "127.0.0.1:0"]);
        }
        let mut child = command
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("started");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe"))
            .read_line(&mut line)
            .expect("a line");
        let log = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&log);
        let stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let reader = thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                *kept.lock().expect("no panic") += &(line + "\n");
            }
        });
        let started: Json = serde_json::from_str(&line).unwrap_or_else(|_| {
            panic!("no address: {line:?} {}", log.lock().expect("no panic"));
        });
        let url = started["url"].as_str().expect("a URL");
        let address: SocketAddr = url["http://".len()..].parse().expect("an address");
        let address = if address.ip().is_unspecified() {
            SocketAddr::from(([127, 0, 0, 1], address.port()))
        } else {
            address
        };
        Self {
            child,
            address,
            started,
            log,
            reader: Some(reader),
        }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("connected");
        stream.set_read_timeout(Some(LIMIT)).expect("a limit");
        stream.set_write_timeout(Some(LIMIT)).expect("a limit");
        stream
    }

    /// Sends bytes as they are, and reads all that comes back.
    pub fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = self.connect();
        // A server that has read enough may answer and close before everything is sent.
        let _ = stream.write_all(request);
        Answer::read(stream)
    }

    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        self.raw(head(method, path, headers, body, "close").as_bytes())
    }

    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[("host", "localhost")], "")
    }

    /// A request to the plain socket.
    pub fn plain(&self, body: &Json) -> Answer {
        self.ask("POST", "/", &JSON_HEADERS, &body.to_string())
    }

    /// The answer of the plain socket to one call of a tool.
    pub fn call(&self, tool: &str, arguments: Json) -> Json {
        let params = json!({"tool": tool, "arguments": arguments});
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        self.plain(&call).json()
    }

    /// One message of a client of before 2026-07-28.
    pub fn legacy(&self, path: &str, session: Option<&str>, message: &Json) -> Answer {
        let mut headers = MCP_HEADERS.to_vec();
        headers.extend(session.map(|session| ("mcp-session-id", session)));
        self.ask("POST", path, &headers, &message.to_string())
    }

    /// Begins a session and answers its id.
    pub fn initialize(&self, path: &str) -> String {
        let answer = self.legacy(path, None, &initialize());
        assert_eq!(answer.status, 200, "{answer:?}");
        let session = answer.header("mcp-session-id").expect("an id").to_owned();
        let told = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(self.legacy(path, Some(&session), &told).status, 202);
        session
    }

    pub fn log(&self) -> String {
        self.log.lock().expect("no panic").clone()
    }

    pub fn wait_for_log(&self, words: &str) {
        let deadline = Instant::now() + LIMIT;
        while !self.log().contains(words) {
            assert!(Instant::now() < deadline, "{words} in {}", self.log());
            thread::yield_now();
        }
    }

    pub fn terminate(&self) {
        let pid = self.child.id().to_string();
        let status = Command::new("kill").arg(&pid).status().expect("kill");
        assert!(status.success());
    }

    /// The exit code, once everything that was logged was read.
    pub fn wait(&mut self) -> Option<i32> {
        let deadline = Instant::now() + LIMIT;
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                if let Some(reader) = self.reader.take() {
                    reader.join().expect("read");
                }
                return status.code();
            }
            assert!(Instant::now() < deadline, "it goes on: {}", self.log());
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The binary on a project, in an environment that says nothing.
pub fn command(project: &Path) -> Command {
    let mut command = crate::sample::windlass();
    command.arg("--cwd").arg(project);
    for name in ["RUST_LOG", "WINDLASS_LOG_LEVEL", "WINDLASS_HTTP_TOKEN"] {
        command.env_remove(name);
    }
    command
}

pub const JSON_HEADERS: [(&str, &str); 2] =
    [("host", "localhost"), ("content-type", "application/json")];

pub const MCP_HEADERS: [(&str, &str); 3] = [
    ("host", "localhost"),
    ("content-type", "application/json"),
    ("accept", "application/json, text/event-stream"),
];

pub fn initialize() -> Json {
    json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    })
}

/// A whole request as text.
pub fn head(
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
    connection: &str,
) -> String {
    let mut text = format!("{method} {path} HTTP/1.1\r\nconnection: {connection}\r\n");
    for (name, value) in headers {
        let _ = write!(text, "{name}: {value}\r\n");
    }
    if !body.is_empty() {
        let _ = write!(text, "content-length: {}\r\n", body.len());
    }
    text + "\r\n" + body
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    pub fn read(mut stream: TcpStream) -> Self {
        let mut bytes = Vec::new();
        // A connection that is reset after the answer has still answered.
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1));
        Self {
            status: status.and_then(|text| text.parse().ok()).unwrap_or(0),
            headers: lines
                .filter_map(|line| line.split_once(": "))
                .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
                .collect(),
            body: body.to_owned(),
        }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The body, or the message in its stream of events.
    pub fn json(&self) -> Json {
        let text = match self.header("content-type") {
            Some("text/event-stream") => self
                .body
                .lines()
                .find_map(|line| line.strip_prefix("data: {"))
                .map(|rest| format!("{{{rest}")),
            _ => Some(self.body.clone()),
        };
        let text = text.unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_else(|problem| panic!("{problem}: {self:?}"))
    }
}

/// An answer that goes on: the lines of its stream of events, as they come.
pub struct EventStream(BufReader<TcpStream>);

impl EventStream {
    pub fn open(server: &HttpServer, request: &str) -> Self {
        let mut stream = server.connect();
        stream.write_all(request.as_bytes()).expect("sent");
        Self(BufReader::new(stream))
    }

    /// The next message, or nothing at the end of the stream.
    pub fn next(&mut self) -> Option<Json> {
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).expect("in time") == 0 {
                return None;
            }
            if let Some(message) = line.trim_end().strip_prefix("data: {") {
                return Some(serde_json::from_str(&format!("{{{message}")).expect("JSON"));
            }
        }
    }
}
