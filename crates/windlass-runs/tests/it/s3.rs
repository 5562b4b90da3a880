//! Artifacts in S3, against moto, a server that speaks S3. It is installed once, in the target
//! folder.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::json;
use windlass_runs::artifacts::{ArtifactStore, Location};
use windlass_runs::record::RunStatus;

use crate::{Project, one, until};

const PACKAGES: &[&str] = &["moto[s3]==5.2.5", "flask==3.1.2", "flask-cors==6.0.1"];

/// A server that is stopped when the test ends.
struct Moto {
    process: Child,
    port: u16,
}

impl Drop for Moto {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Moto {
    async fn start(packages: &Path) -> Self {
        // The port is free now; another process may still take it.
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let process = Command::new("python3")
            .args([
                "-m",
                "moto.server",
                "-H",
                "127.0.0.1",
                "-p",
                &port.to_string(),
            ])
            .env("PYTHONPATH", packages)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let moto = Self { process, port };
        until("moto", || {
            moto.request("PUT", "/windlass-test")
                .is_some_and(|response| response.contains(" 200 "))
        })
        .await;
        moto
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

/// The folder in which moto is installed. Without Python it cannot be installed: then the test is
/// skipped, except in CI.
#[expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tells a person that the test was skipped"
)]
fn packages() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("moto");
    let marker = folder.join("installed");
    let wanted = PACKAGES.join("\n");
    if std::fs::read_to_string(&marker).is_ok_and(|installed| installed == wanted) {
        return Some(folder);
    }
    let installed = Command::new("python3")
        .args([
            "-m",
            "pip",
            "--quiet",
            "--disable-pip-version-check",
            "install",
            "--upgrade",
        ])
        .arg("--target")
        .arg(&folder)
        .args(PACKAGES)
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
        "moto cannot be installed: {why}"
    );
    eprintln!("moto cannot be installed, so S3 is not tested: {why}");
    None
}

#[tokio::test]
async fn artifacts_are_stored_in_a_bucket() {
    let Some(packages) = packages() else {
        return;
    };
    let moto = Moto::start(&packages).await;
    let options = [
        ("aws_endpoint", format!("http://127.0.0.1:{}", moto.port)),
        ("aws_allow_http", "true".to_owned()),
        ("aws_region", "us-east-1".to_owned()),
        ("aws_access_key_id", "test".to_owned()),
        ("aws_secret_access_key", "test".to_owned()),
    ]
    .map(|(name, value)| (name.to_owned(), value));
    let location = Location::S3 {
        url: "s3://windlass-test/some/prefix".to_owned(),
        options: options.to_vec(),
    };
    let mut project = Project::new();
    project.options.artifacts = ArtifactStore::open(&location).unwrap();
    // The larger file needs more than one part.
    let command = "echo out; printf 0123456789 > 'small ü.txt'; head -c 20000000 /dev/zero > large";
    let record = project.run(one(command, json!({"artifacts": ["*"]}))).await;
    assert_eq!(
        record.status(),
        RunStatus::Success,
        "{:?}",
        record.failure()
    );
    let artifacts = &record.steps()[0].artifacts;
    let sizes: Vec<_> = artifacts
        .iter()
        .map(|file| (&*file.name, file.bytes))
        .collect();
    let expected = [
        ("stdout.log", Some(4)),
        ("large", Some(20_000_000)),
        ("small ü.txt", Some(10)),
    ];
    assert_eq!(sizes, expected, "{artifacts:?}");

    let engine = project.engine();
    let store = engine.artifacts();
    let listed = store.list(record.run_id()).await.unwrap();
    let prefix = format!("some/prefix/{}/0/", record.run_id());
    assert_eq!(listed.len(), 3);
    assert!(
        listed.iter().all(|found| found.key.starts_with(&prefix)),
        "{listed:?}"
    );
    let small = artifacts[2].key.as_deref().unwrap();
    assert_eq!(store.read(small, 3..6).await.unwrap(), "345");
    assert_eq!(store.read(small, 8..100).await.unwrap(), "89");
    let foreign = store.read("other/object", 0..9).await.unwrap_err();
    assert_eq!(foreign.to_string(), "`other/object` is not an artifact key");
    store.remove_run(record.run_id()).await.unwrap();
    assert!(store.list(record.run_id()).await.unwrap().is_empty());
}
