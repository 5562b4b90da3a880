//! The client of a location.

use std::sync::Arc;
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::local::LocalFileSystem;
use object_store::path::Path as Key;
use object_store::signer::Signer;
use object_store::{ClientOptions, ObjectStore, RetryConfig};

use crate::{Location, LocationError, Provider};

/// A location with its client.
#[derive(Debug, Clone)]
pub struct Opened {
    pub store: Arc<dyn ObjectStore>,
    /// The prefix of all keys.
    pub prefix: Key,
    /// What signs addresses for others; only S3, whose addresses need no headers to write to.
    pub signer: Option<Arc<dyn Signer>>,
}

/// How long a client tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// One request.
    pub request: Duration,
    /// A request with all its repetitions.
    pub retries: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            request: Duration::from_secs(30),
            retries: Duration::from_mins(3),
        }
    }
}

impl Patience {
    fn client(self) -> ClientOptions {
        ClientOptions::new()
            .with_timeout(self.request)
            .with_connect_timeout(self.request.min(Duration::from_secs(5)))
    }

    fn retry(self) -> RetryConfig {
        RetryConfig {
            retry_timeout: self.retries,
            ..RetryConfig::default()
        }
    }
}

/// Builds a client. The three builders have the same methods and no trait in common.
macro_rules! client {
    ($builder:ty, $url:expr, $options:expr, $patience:expr) => {{
        // `AWS_ALLOW_HTTP` and the like come after the options of the client, which they change.
        let mut builder = <$builder>::new()
            .with_client_options($patience.client())
            .with_retry($patience.retry())
            .with_url($url);
        for (name, value) in $options {
            // Programs share a prefix of variables: those that the client does not know are not its own.
            if let Ok(key) = name.parse() {
                builder = builder.with_config(key, value);
            }
        }
        Arc::new(builder.build()?)
    }};
}

impl Location {
    /// Opens the location. A folder is created if it is missing; a bucket is not contacted before the
    /// first request.
    pub fn open(&self, patience: Patience) -> Result<Opened, LocationError> {
        if let Self::Folder(path) = self {
            std::fs::create_dir_all(path).map_err(|source| LocationError::Folder {
                path: path.clone(),
                source,
            })?;
        }
        self.open_existing(patience)
    }

    /// The same without creating a folder: a disk that is not mounted is not replaced by a folder.
    pub fn open_existing(&self, patience: Patience) -> Result<Opened, LocationError> {
        match self {
            Self::Folder(path) if !path.is_dir() => Err(LocationError::Missing(path.clone())),
            Self::Folder(path) => Ok(Opened {
                store: Arc::new(LocalFileSystem::new_with_prefix(path)?),
                prefix: Key::default(),
                signer: None,
            }),
            Self::Bucket {
                provider,
                url,
                options,
            } => {
                // Another part of the program may have installed a provider already; any provider
                // works.
                let _ = rustls::crypto::ring::default_provider().install_default();
                let mut signer: Option<Arc<dyn Signer>> = None;
                let store: Arc<dyn ObjectStore> = match provider {
                    Provider::S3 => {
                        let client = client!(AmazonS3Builder, url, options, patience);
                        signer = Some(client.clone());
                        client
                    }
                    Provider::Google => {
                        client!(GoogleCloudStorageBuilder, url, options, patience)
                    }
                    Provider::Azure => client!(MicrosoftAzureBuilder, url, options, patience),
                };
                Ok(Opened {
                    store,
                    prefix: prefix(url)?,
                    signer,
                })
            }
        }
    }
}

/// What follows the name of the bucket.
fn prefix(url: &str) -> Result<Key, LocationError> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let prefix = rest.split_once('/').map_or("", |(_, prefix)| prefix);
    Ok(Key::parse(prefix)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(url: &str, options: &[(&str, &str)]) -> Result<Opened, LocationError> {
        let options = options.iter();
        let options = options.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let location = Location::parse_url(url)?.with_options(options);
        location.open(Patience::default())
    }

    /// Only that the clients can be built: nothing here speaks the protocols of Google and Azure.
    #[test]
    fn every_provider_has_a_client() {
        let aws = [
            ("AWS_ACCESS_KEY_ID", "key"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("AWS_REGION", "eu-central-1"),
            ("AWS_PROFILE", "of another program"),
        ];
        let opened = open("s3://bucket/a/b", &aws).unwrap();
        assert_eq!(opened.prefix, Key::from("a/b"));
        let google = [("GOOGLE_SKIP_SIGNATURE", "true")];
        let opened = open("gs://bucket/a", &google).unwrap();
        assert_eq!(opened.prefix, Key::from("a"));
        let azure = [
            ("AZURE_STORAGE_ACCOUNT_NAME", "account"),
            ("AZURE_STORAGE_ACCOUNT_KEY", "a2V5"),
        ];
        let opened = open("az://container", &azure).unwrap();
        assert_eq!(opened.prefix, Key::default());
    }

    #[test]
    fn a_prefix_that_is_not_a_key_is_refused() {
        for url in ["s3://bucket/a//b", "s3://bucket/a/../b"] {
            assert!(
                matches!(open(url, &[]), Err(LocationError::Prefix(_))),
                "{url}"
            );
        }
    }

    #[test]
    fn a_missing_folder_is_only_made_when_asked() {
        let base = tempfile::tempdir().unwrap();
        let location = Location::Folder(base.path().join("a/b"));
        let missing = location.open_existing(Patience::default());
        assert!(matches!(missing, Err(LocationError::Missing(_))));
        location.open(Patience::default()).unwrap();
        location.open_existing(Patience::default()).unwrap();
    }
}
