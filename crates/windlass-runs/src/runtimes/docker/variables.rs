//! Passes variables into a container without putting values into the arguments.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// Variables that the client itself uses, by name and by prefix.
const CLIENT_NAMES: &[&str] = &["PATH", "HOME", "TMPDIR", "USER", "LOGNAME", "SHELL"];
const CLIENT_PREFIXES: &[&str] = &[
    "LD_",
    "DOCKER_",
    "BUILDKIT_",
    "BUILDX_",
    "COMPOSE_",
    "XDG_",
    "GO",
    "SSL_",
    "HTTP",
    "NO_PROXY",
    "ALL_PROXY",
    "http",
    "no_proxy",
    "all_proxy",
    "OTEL_",
    "SSH_",
];

/// The variables of a container, by how they are passed.
pub struct ContainerVariables {
    /// Passed by name in the arguments, with the value in the client's environment.
    pub by_name: BTreeMap<String, OsString>,
    /// Variables that the client would use itself, passed in a file.
    pub file: Option<EnvFile>,
}

impl ContainerVariables {
    pub fn new(
        environment: &BTreeMap<String, OsString>,
        scratch: &Path,
        name: &str,
    ) -> Result<Self, String> {
        let (for_client, by_name): (BTreeMap<_, _>, BTreeMap<_, _>) = environment
            .clone()
            .into_iter()
            .partition(|(name, _)| is_used_by_the_client(name));
        if for_client.is_empty() {
            return Ok(Self {
                by_name,
                file: None,
            });
        }
        let mut text = Vec::new();
        for (name, value) in &for_client {
            if value.as_bytes().contains(&b'\n') {
                let why = "a value of several lines cannot be passed to docker under this name";
                return Err(format!("envRefs.{name}: {why}"));
            }
            text.extend_from_slice(name.as_bytes());
            text.push(b'=');
            text.extend_from_slice(OsStr::as_bytes(value));
            text.push(b'\n');
        }
        let file = EnvFile(scratch.join(format!("{name}.env")));
        file.write(&text)
            .map_err(|problem| format!("the environment cannot be passed to docker: {problem}"))?;
        Ok(Self {
            by_name,
            file: Some(file),
        })
    }
}

fn is_used_by_the_client(name: &str) -> bool {
    CLIENT_NAMES.contains(&name)
        || CLIENT_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix))
}

/// A file that only this user can read; removed when the step ends.
pub struct EnvFile(pub PathBuf);

impl EnvFile {
    fn write(&self, text: &[u8]) -> io::Result<()> {
        if let Some(folder) = self.0.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut options = std::fs::OpenOptions::new();
        let mut file = options
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&self.0)?;
        file.write_all(text)
    }
}

impl Drop for EnvFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
