//! A location of objects: a folder or a bucket.

use std::fmt;
use std::path::{Path, PathBuf};

use url::Url;

/// Who runs the bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// Amazon S3, and everything that speaks its protocol.
    S3,
    /// Google Cloud Storage.
    Google,
    /// Azure Blob Storage.
    Azure,
}

impl Provider {
    const ALL: [Self; 3] = [Self::S3, Self::Google, Self::Azure];

    /// The scheme of its URLs.
    pub const fn scheme(self) -> &'static str {
        match self {
            Self::S3 => "s3",
            Self::Google => "gs",
            Self::Azure => "az",
        }
    }
}

/// Where objects are.
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    /// A folder.
    Folder(PathBuf),
    /// `s3://bucket/prefix`, `gs://bucket/prefix` or `az://container/prefix`. Credentials, region and
    /// endpoint are among the `options`, under the names of the usual variables in lower case
    /// (`aws_endpoint`).
    Bucket {
        provider: Provider,
        /// The URL.
        url: String,
        /// What the client is configured with. Unknown names are left out.
        options: Vec<(String, String)>,
    },
}

/// Leaves out the options, which may contain credentials.
impl fmt::Debug for Location {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

/// The URL, or the path of the folder.
impl fmt::Display for Location {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) => write!(out, "{}", path.display()),
            Self::Bucket { url, .. } => out.write_str(url),
        }
    }
}

/// Why a location cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LocationError {
    /// The folder cannot be created.
    #[error("the folder {} cannot be created", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The folder does not exist.
    #[error("the folder {} does not exist", .0.display())]
    Missing(PathBuf),
    /// The text is not a location.
    #[error(
        "`{0}` is not a location: give s3://bucket/prefix, gs://bucket/prefix, az://container/prefix or file:///folder"
    )]
    Unknown(String),
    /// The URL contains what would be a secret in a file or in a log.
    #[error(
        "the URL contains a user name, a password, a query or a fragment: give credentials as variables of the environment"
    )]
    WithCredentials,
    /// The settings are invalid.
    #[error("the object storage cannot be used")]
    Store(#[from] object_store::Error),
    /// The prefix of the URL is not a valid key.
    #[error("the prefix of the URL cannot be used")]
    Prefix(#[from] object_store::path::Error),
}

impl Location {
    /// Parses a setting: the URL of a bucket, or a folder relative to `base`.
    pub fn parse(text: &str, base: &Path) -> Result<Self, LocationError> {
        if let Some(bucket) = Self::bucket(text)? {
            return Ok(bucket);
        }
        let path = text.strip_prefix("file://").unwrap_or(text);
        if path.is_empty() || path.contains("://") {
            return Err(LocationError::Unknown(text.to_owned()));
        }
        Ok(Self::Folder(base.join(path)))
    }

    /// Parses the URL of a bucket or of a folder, `file:///path`.
    pub fn parse_url(text: &str) -> Result<Self, LocationError> {
        if let Some(bucket) = Self::bucket(text)? {
            return Ok(bucket);
        }
        let unknown = || LocationError::Unknown(text.to_owned());
        let url = Url::parse(text).map_err(|_| unknown())?;
        let path = match url.scheme() {
            "file" => url.to_file_path().map_err(|()| unknown())?,
            _ => return Err(unknown()),
        };
        if path.parent().is_none() {
            return Err(unknown());
        }
        Ok(Self::Folder(path))
    }

    fn bucket(text: &str) -> Result<Option<Self>, LocationError> {
        let provider = Provider::ALL.into_iter().find(|provider| {
            let rest = text.strip_prefix(provider.scheme());
            rest.is_some_and(|rest| rest.starts_with("://"))
        });
        let Some(provider) = provider else {
            return Ok(None);
        };
        let unknown = || LocationError::Unknown(text.to_owned());
        let url = Url::parse(text).map_err(|_| unknown())?;
        if !url.username().is_empty()
            || url.password().is_some()
            || url.query().is_some()
            || url.fragment().is_some()
        {
            return Err(LocationError::WithCredentials);
        }
        if url.host_str().is_none_or(str::is_empty) || url.port().is_some() {
            return Err(unknown());
        }
        Ok(Some(Self::Bucket {
            provider,
            url: text.trim_end_matches('/').to_owned(),
            options: Vec::new(),
        }))
    }

    /// The same with settings of the client: variables such as `AWS_REGION`, in any case.
    #[must_use]
    pub fn with_options(mut self, more: impl IntoIterator<Item = (String, String)>) -> Self {
        if let Self::Bucket { options, .. } = &mut self {
            let more = more.into_iter();
            options.extend(more.map(|(name, value)| (name.to_ascii_lowercase(), value)));
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket(provider: Provider, url: &str) -> Location {
        Location::Bucket {
            provider,
            url: url.to_owned(),
            options: Vec::new(),
        }
    }

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
                Some(bucket(Provider::S3, "s3://bucket/some/prefix")),
            ),
            ("ftp://x", None),
            ("", None),
        ] {
            assert_eq!(Location::parse(text, base).ok(), expected, "{text}");
        }
    }

    #[test]
    fn a_remote_is_a_url() {
        for (text, expected) in [
            (
                "s3://bucket/a/b/",
                Some(bucket(Provider::S3, "s3://bucket/a/b")),
            ),
            ("gs://bucket", Some(bucket(Provider::Google, "gs://bucket"))),
            ("az://box/x", Some(bucket(Provider::Azure, "az://box/x"))),
            (
                "file:///srv/a%20b",
                Some(Location::Folder("/srv/a b".into())),
            ),
            ("file:///", None),
            ("/srv/a", None),
            ("s3:bucket", None),
            ("s3://", None),
            ("s3:///prefix", None),
            ("s3://bucket:80/prefix", None),
            ("s3://key:secret@bucket/prefix", None),
            ("az://box/x?sig=abc", None),
            ("https://example.org/x", None),
        ] {
            assert_eq!(Location::parse_url(text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn options_are_not_shown() {
        let location = bucket(Provider::S3, "s3://bucket");
        let secret = [("AWS_SECRET_ACCESS_KEY".to_owned(), "hidden".to_owned())];
        let shown = format!("{:?}", location.with_options(secret));
        assert_eq!(shown, "s3://bucket");
    }
}
