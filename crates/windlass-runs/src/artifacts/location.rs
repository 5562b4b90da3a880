//! The location of the artifact store: a folder or a bucket.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use object_store::ObjectStore;
use object_store::local::LocalFileSystem;
use object_store::path::Path as Key;

/// The location of the artifact store.
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    /// A folder, created if it is missing.
    Folder(PathBuf),
    /// `s3://bucket/prefix`. Credentials, region and endpoint come from the usual `AWS_` variables;
    /// `options` override them, with the same names in lower case (`aws_endpoint`).
    S3 {
        /// The URL.
        url: String,
        /// Settings that take precedence over the environment.
        options: Vec<(String, String)>,
    },
}

/// Leaves out the options, which may contain credentials.
impl fmt::Debug for Location {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) => path.fmt(out),
            Self::S3 { url, .. } => url.fmt(out),
        }
    }
}

/// Why a location cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LocationError {
    /// The folder cannot be created.
    #[error("the folder for artifacts {} cannot be created", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The URL has an unknown scheme.
    #[error("`{0}` is not a location for artifacts: give a folder or s3://bucket/prefix")]
    Unknown(String),
    /// This binary was built without the `aws` feature.
    #[error("this binary was built without support for s3://")]
    WithoutS3,
    /// The settings are invalid.
    #[error("the artifact store cannot be used")]
    Store(#[from] object_store::Error),
    /// The prefix of the URL is not a valid key.
    #[error("the prefix of the artifact store cannot be used")]
    Prefix(#[from] object_store::path::Error),
}

impl Location {
    /// Parses a setting: an `s3://` URL, or a folder relative to `base`.
    pub fn parse(text: &str, base: &Path) -> Result<Self, LocationError> {
        if text.starts_with("s3://") {
            return Ok(Self::S3 {
                url: text.to_owned(),
                options: Vec::new(),
            });
        }
        let path = text.strip_prefix("file://").unwrap_or(text);
        if path.is_empty() || path.contains("://") {
            return Err(LocationError::Unknown(text.to_owned()));
        }
        Ok(Self::Folder(base.join(path)))
    }

    /// Opens the store, and returns it with the prefix of all its keys.
    pub(super) fn open(&self) -> Result<(Arc<dyn ObjectStore>, Key), LocationError> {
        match self {
            Self::Folder(path) => {
                std::fs::create_dir_all(path).map_err(|source| LocationError::Folder {
                    path: path.clone(),
                    source,
                })?;
                let store = LocalFileSystem::new_with_prefix(path)?;
                Ok((Arc::new(store), Key::default()))
            }
            Self::S3 { url, options } => open_s3(url, options),
        }
    }
}

#[cfg(feature = "aws")]
fn open_s3(
    url: &str,
    options: &[(String, String)],
) -> Result<(Arc<dyn ObjectStore>, Key), LocationError> {
    use object_store::aws::AmazonS3Builder;

    // Another part of the program may have installed a provider already; any provider works.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = AmazonS3Builder::from_env().with_url(url);
    for (name, value) in options {
        builder = builder.with_config(name.parse()?, value);
    }
    let rest = url.trim_start_matches("s3://");
    let prefix = rest.split_once('/').map_or("", |(_, prefix)| prefix);
    Ok((Arc::new(builder.build()?), Key::parse(prefix)?))
}

#[cfg(not(feature = "aws"))]
fn open_s3(
    _url: &str,
    _options: &[(String, String)],
) -> Result<(Arc<dyn ObjectStore>, Key), LocationError> {
    Err(LocationError::WithoutS3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_a_folder_or_a_bucket() {
        let base = Path::new("/base");
        for (text, expected) in [
            (
                "artifacts",
                Some(Location::Folder("/base/artifacts".into())),
            ),
            ("/srv/a", Some(Location::Folder("/srv/a".into()))),
            ("file:///srv/a", Some(Location::Folder("/srv/a".into()))),
            (
                "s3://bucket/some/prefix",
                Some(Location::S3 {
                    url: "s3://bucket/some/prefix".to_owned(),
                    options: Vec::new(),
                }),
            ),
            ("ftp://x", None),
            ("", None),
        ] {
            assert_eq!(Location::parse(text, base).ok(), expected, "{text}");
        }
    }
}
