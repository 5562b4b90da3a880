//! moto, a server that speaks S3. It is installed once, in the target folder. The tests of other crates
//! use this file too.

#![allow(clippy::unwrap_used, reason = "a helper of tests may panic")]

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PACKAGES: &[&str] = &["moto[s3]==5.2.5", "flask==3.1.2", "flask-cors==6.0.1"];

/// Long enough for a machine under load.
const PATIENCE: Duration = Duration::from_mins(2);

/// A server with the bucket `windlass-test`. It is stopped when the test ends.
pub struct Moto {
    process: Child,
    pub port: u16,
}

impl Drop for Moto {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Moto {
    /// `None` if it cannot be installed: then the test is skipped, except in CI.
    pub fn start() -> Option<Self> {
        let packages = packages()?;
        // The port is free now; another process may still take it.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let process = Command::new("python3")
            .args(["-m", "moto.server", "-H", "127.0.0.1", "-p"])
            .arg(port.to_string())
            .env("PYTHONPATH", packages)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let moto = Self { process, port };
        let begin = Instant::now();
        loop {
            let made = moto.request("PUT", "/windlass-test");
            if made.is_some_and(|response| response.contains(" 200 ")) {
                return Some(moto);
            }
            assert!(begin.elapsed() < PATIENCE, "moto does not answer");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// What a client is configured with to use it.
    #[allow(dead_code, reason = "not every crate uses it without a proxy")]
    pub fn variables(&self) -> Vec<(String, String)> {
        variables(self.port)
    }

    /// Its process.
    #[allow(dead_code, reason = "not every crate uses it")]
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    fn request(&self, method: &str, path: &str) -> Option<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        let head = "Host: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
        write!(stream, "{method} {path} HTTP/1.1\r\n{head}").ok()?;
        let mut said = String::new();
        stream.read_to_string(&mut said).ok()?;
        Some(said)
    }
}

/// What a client is configured with to use a server at that port.
pub fn variables(port: u16) -> Vec<(String, String)> {
    [
        ("AWS_ENDPOINT", format!("http://127.0.0.1:{port}")),
        ("AWS_ALLOW_HTTP", "true".to_owned()),
        ("AWS_REGION", "us-east-1".to_owned()),
        ("AWS_ACCESS_KEY_ID", "test".to_owned()),
        ("AWS_SECRET_ACCESS_KEY", "test".to_owned()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

/// The folder in which moto is installed.
#[allow(dead_code, reason = "not every crate uses it without the server")]
pub fn packages() -> Option<PathBuf> {
    install("moto", PACKAGES)
}

/// The folder in which packages of Python are installed, once.
#[expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tells a person that the test was skipped"
)]
pub fn install(name: &str, packages: &[&str]) -> Option<PathBuf> {
    let base = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = base.join(name);
    // Tests run at the same time, in several processes.
    let lock = File::create(base.join(format!("{name}.lock"))).unwrap();
    lock.lock().unwrap();
    let marker = folder.join("installed");
    let wanted = packages.join("\n");
    if std::fs::read_to_string(&marker).is_ok_and(|installed| installed == wanted) {
        return Some(folder);
    }
    let installed = Command::new("python3")
        .args(["-m", "pip", "--quiet", "--disable-pip-version-check"])
        .args(["install", "--upgrade", "--target"])
        .arg(&folder)
        .args(packages)
        .output();
    let why = match installed {
        Ok(output) if output.status.success() => {
            std::fs::write(&marker, wanted).unwrap();
            return Some(folder);
        }
        Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
        Err(problem) => problem.to_string(),
    };
    assert!(
        std::env::var_os("CI").is_none(),
        "{name} cannot be installed: {why}"
    );
    eprintln!("{name} cannot be installed, so what needs it is not tested: {why}");
    None
}
