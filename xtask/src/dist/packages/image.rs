//! A container image in an OCI archive: the binary and git, with the libraries of the machine that
//! packs, and nothing else. There is no shell in it.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value as Json, json};

use super::File;
use crate::dist::archive::tar::{self, Folders};
use crate::dist::archive::{Entry, gzip};
use crate::dist::checksums::sha256;
use crate::dist::moment::Moment;
use crate::dist::release::{Release, below};
use crate::programs::output;

/// The certificates of the machine that packs, for runtimes and object storage that are elsewhere.
const CERTIFICATES: &str = "/etc/ssl/certs/ca-certificates.crt";
/// A mounted project usually belongs to another user than the one in the container.
const GIT_SETTINGS: &str = "[safe]\n\tdirectory = *\n";

pub fn make(release: &Release) -> Result<Option<File>, String> {
    let Some(architecture) = release.platform.linux else {
        return Ok(None);
    };
    let layer = tar::archive(&contents(release)?, release.seconds, Folders::Listed)?;
    let layer_digest = sha256(&layer);
    let layer = gzip::compress(&layer, release.level)?;
    let created = Moment::new(release.seconds).rfc3339();
    let config = json!({
        "created": created,
        "architecture": architecture,
        "os": "linux",
        "config": {
            "Entrypoint": ["/usr/bin/windlass"],
            "Cmd": ["mcp"],
            "WorkingDir": "/project",
            "Env": ["PATH=/usr/bin", "HOME=/home/windlass"],
            "Labels": {
                "org.opencontainers.image.title": "windlass",
                "org.opencontainers.image.version": release.version,
                "org.opencontainers.image.licenses": "MIT OR Apache-2.0",
            },
        },
        "rootfs": { "type": "layers", "diff_ids": [format!("sha256:{layer_digest}")] },
        "history": [{ "created": created, "created_by": "cargo xtask dist" }],
    });
    let config = config.to_string().into_bytes();
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": descriptor("application/vnd.oci.image.config.v1+json", &config),
        "layers": [descriptor("application/vnd.oci.image.layer.v1.tar+gzip", &layer)],
    });
    let manifest = manifest.to_string().into_bytes();
    let mut listed = descriptor("application/vnd.oci.image.manifest.v1+json", &manifest);
    listed["annotations"] =
        json!({ "org.opencontainers.image.ref.name": format!("windlass:{}", release.version) });
    let index = json!({ "schemaVersion": 2, "manifests": [listed] });
    let blob = |bytes: Vec<u8>| Entry::new(format!("blobs/sha256/{}", sha256(&bytes)), bytes);
    let entries = [
        Entry::text("oci-layout", "{\"imageLayoutVersion\":\"1.0.0\"}"),
        Entry::text("index.json", &index.to_string()),
        blob(config),
        blob(layer),
        blob(manifest),
    ];
    let bytes = tar::archive(&entries, release.seconds, Folders::Listed)?;
    let name = format!("windlass-{}-linux-{architecture}.oci.tar", release.version);
    Ok(Some((name, bytes)))
}

fn descriptor(kind: &str, bytes: &[u8]) -> Json {
    json!({ "mediaType": kind, "digest": format!("sha256:{}", sha256(bytes)), "size": bytes.len() })
}

fn contents(release: &Release) -> Result<Vec<Entry>, String> {
    let git = output(Command::new("sh").args(["-c", "command -v git"]))?;
    let git = git.trim();
    let mut entries = vec![
        release.program("usr/bin/"),
        copied(git, "usr/bin/git")?.executable(),
        Entry::text(
            "etc/passwd",
            "root:x:0:0:root:/home/windlass:/usr/bin/windlass\n",
        ),
        Entry::text("etc/gitconfig", GIT_SETTINGS),
        Entry::text(
            "home/windlass/README",
            "Mount a volume here to keep what was allowed and trusted.\n",
        ),
        Entry::text("project/README", "Mount your project here.\n"),
        Entry::text("tmp/README", "Temporary files.\n"),
    ];
    entries.extend(below("usr/share/doc/windlass/", &release.licenses));
    if Path::new(CERTIFICATES).exists() {
        entries.push(copied(CERTIFICATES, CERTIFICATES.trim_start_matches('/'))?);
    }
    let mut libraries = libraries(Path::new(git))?;
    if release.glibc.is_some() {
        libraries.extend(self::libraries(&release.path)?);
    }
    libraries.sort();
    libraries.dedup();
    for library in libraries {
        entries.push(copied(&library, library.trim_start_matches('/'))?.executable());
    }
    Ok(entries)
}

/// The libraries that a program loads, and the loader.
fn libraries(program: &Path) -> Result<Vec<String>, String> {
    let printed = output(Command::new("ldd").arg(program))?;
    let paths = printed
        .split_whitespace()
        .filter(|word| word.starts_with('/'));
    Ok(paths.map(str::to_owned).collect())
}

fn copied(from: &str, to: &str) -> Result<Entry, String> {
    let bytes = fs::read(from).map_err(|problem| format!("{from}: {problem}"))?;
    Ok(Entry::new(to, bytes))
}
