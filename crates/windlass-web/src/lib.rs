//! The files of the dashboard, as they are in `web/`: nothing is built, bundled or minified.
//!
//! This crate knows nothing of HTTP or of operations. It hands out each file with its type, its bytes
//! and its bytes compressed; the version names the content of all of them together.

mod files;

use std::io::Write as _;
use std::sync::LazyLock;

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

/// A file of the page.
pub struct Asset {
    /// Relative to `web/`, with `/`.
    pub path: &'static str,
    pub content_type: &'static str,
    pub bytes: &'static [u8],
    compressed: LazyLock<Vec<u8>, Box<dyn FnOnce() -> Vec<u8> + Send>>,
}

/// The page itself, with the path of its other files filled in.
pub struct Index {
    pub html: Vec<u8>,
    pub compressed: Vec<u8>,
    /// The ETag of the page, with its quotes.
    pub etag: String,
    /// The SHA-256 of the styles in the page, for its content security policy.
    pub style_digest: [u8; 32],
}

/// Where `index.html` names the folder of the files.
const BASE: &str = "@base@";

/// Where `index.html` has the styles: with them in the page, the first paint waits for nothing else.
const STYLE_PLACE: &str = "@style@";
const STYLE: &str = include_str!("../web/style.css");

impl Asset {
    fn new(path: &'static str, bytes: &'static [u8]) -> Self {
        Self {
            path,
            content_type: content_type(path),
            bytes,
            compressed: LazyLock::new(Box::new(move || gzip(bytes))),
        }
    }

    /// Compressed with gzip, on first use.
    pub fn compressed(&self) -> &[u8] {
        &self.compressed
    }
}

static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    let files = files::FILES.iter();
    files.map(|(path, bytes)| Asset::new(path, bytes)).collect()
});

/// Names the content of all files: another content has another version. URLs of the files contain it,
/// so that browsers may keep them for ever.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut hash = Sha256::new();
    hash.update(files::INDEX);
    for (path, bytes) in files::FILES {
        hash.update((path.len() as u64).to_be_bytes());
        hash.update(path);
        hash.update((bytes.len() as u64).to_be_bytes());
        hash.update(bytes);
    }
    let digest = hash.finalize();
    let begin = digest.iter().take(8);
    let number = begin.fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    format!("{number:016x}")
});

static PAGE: LazyLock<Index> = LazyLock::new(|| {
    let html = files::INDEX.replace(BASE, &base());
    let html = html.replace(STYLE_PLACE, STYLE).into_bytes();
    // Browsers ask for what the page names next: it is compressed while the page is on its way.
    std::thread::spawn(|| {
        for asset in ASSETS.iter().filter(|asset| is_named(asset.path)) {
            asset.compressed();
        }
    });
    Index {
        style_digest: Sha256::digest(STYLE).into(),
        compressed: gzip(&html),
        etag: format!("\"{}\"", version()),
        html,
    }
});

/// Whether the first page needs a file.
fn is_named(path: &str) -> bool {
    files::INDEX.contains(&format!("\"{BASE}/{path}\""))
}

pub fn version() -> &'static str {
    &VERSION
}

/// The folder of the files in URLs.
pub fn base() -> String {
    format!("/ui/{}", version())
}

pub fn index() -> &'static Index {
    &PAGE
}

/// A file of the current version.
pub fn asset(path: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.path == path)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Writing to memory cannot fail; without the compressed form the plain one is sent.
    let written = encoder.write_all(bytes);
    written.and_then(|()| encoder.finish()).unwrap_or_default()
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    fn folder() -> &'static Path {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/web"))
    }

    fn collect(folder: &Path, prefix: &str, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                collect(&entry.path(), &format!("{name}/"), found);
            } else {
                found.insert(name);
            }
        }
    }

    /// Everything in `web/` that browsers load is embedded, and nothing that is gone is listed.
    #[test]
    fn every_file_is_embedded() {
        let mut found = BTreeSet::new();
        collect(folder(), "", &mut found);
        found.retain(|path| !path.ends_with(".d.ts") && path != "index.html");
        let listed: BTreeSet<String> = files::FILES
            .iter()
            .map(|(path, _)| (*path).to_owned())
            .collect();
        assert_eq!(listed, found);
    }

    #[test]
    fn vendored_files_are_those_of_the_checksums() {
        let sums = include_str!("../web/vendor/SHA256SUMS");
        assert!(sums.lines().count() > 8);
        for line in sums.lines() {
            let (sum, file) = line.split_once("  ").unwrap();
            let bytes = std::fs::read(folder().join("vendor").join(file)).unwrap();
            let digest = Sha256::digest(&bytes);
            let pairs = digest.iter().map(|byte| format!("{byte:02x}"));
            let hex = pairs.collect::<Vec<_>>().concat();
            assert_eq!(hex, sum, "{file}: run node tools/vendor.mjs");
        }
    }

    /// What the content security policy of the page forbids would fail in the browser only.
    #[test]
    fn the_page_has_no_inline_script_and_one_known_style() {
        let html = std::str::from_utf8(&index().html).unwrap();
        assert!(!html.contains(BASE));
        assert!(html.contains(version()));
        for (found, _) in html.match_indices("<script") {
            assert!(
                html[found..].starts_with("<script type=\"module\" src="),
                "{html}"
            );
        }
        assert!(!html.contains("style=") && !html.contains(STYLE_PLACE));
        // The one style that it has is the file, whose digest the policy names.
        assert_eq!(html.matches("<style").count(), 1);
        assert_eq!(STYLE.matches("</").count(), 0);
        assert!(html.contains(&format!("<style>{STYLE}</style>")));
    }

    /// Texts of users never become HTML: no file of ours has a way to do that.
    #[test]
    fn nothing_writes_html() {
        for (path, bytes) in files::FILES {
            if path.starts_with("vendor/") {
                continue;
            }
            let text = std::str::from_utf8(bytes).unwrap();
            for word in [
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "eval(",
            ] {
                assert!(!text.contains(word), "{path} has {word}");
            }
        }
    }

    /// The layout of the graph is larger than all of the first page.
    #[test]
    fn the_first_page_is_compressed_first() {
        for path in ["boot.js", "app.js", "vendor/preact.js", "icon.svg"] {
            assert!(is_named(path), "{path}");
        }
        for path in ["vendor/elk-worker.js", "pages/graph.js", "oot.js"] {
            assert!(!is_named(path), "{path}");
        }
    }

    #[test]
    fn compressed_files_are_smaller() {
        let preact = asset("vendor/preact.js").unwrap();
        assert!(preact.compressed().len() < preact.bytes.len() / 2);
        assert_eq!(&preact.compressed()[..2], [0x1f, 0x8b]);
        assert_eq!(preact.content_type, "text/javascript; charset=utf-8");
        assert!(asset("../Cargo.toml").is_none());
    }
}
