//! Servers that stand in for services: programs of Python that speak the services' own words.

#![allow(clippy::unwrap_used, reason = "a helper of tests may panic")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value as Json;

/// A server that is stopped when the test ends.
pub struct StandIn {
    process: Child,
    pub port: u16,
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl StandIn {
    /// Starts a program that prints its port.
    pub fn start(packages: &Path, program: &str, arguments: &[&str]) -> Self {
        let mut process = Command::new("python3")
            .args(["-c", program])
            .args(arguments)
            .env("PYTHONPATH", packages)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let said = process.stdout.take().unwrap();
        BufReader::new(said).read_line(&mut line).unwrap();
        let port = line.trim().parse().unwrap();
        Self { process, port }
    }

    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What the server has seen.
    pub fn seen(&self) -> Json {
        let answer = self.request("GET", "/", "");
        serde_json::from_str(&answer).unwrap()
    }

    /// Changes how the server behaves.
    pub fn control(&self, change: &Json) {
        self.request("POST", "/control", &change.to_string());
    }

    fn request(&self, method: &str, path: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let length = body.len();
        let head = format!("Host: localhost\r\nConnection: close\r\nContent-Length: {length}");
        write!(stream, "{method} {path} HTTP/1.1\r\n{head}\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split_once("\r\n\r\n").unwrap().1.to_owned()
    }
}
