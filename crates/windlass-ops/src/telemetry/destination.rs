//! Where spans go, if anywhere.

use std::fmt;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use url::Url;
use windlass_core::{Error, ErrorKind, Result};

use super::settings::TelemetryVariables;
use crate::config::Config;
use crate::workspace::Workspace;

/// What follows the address of a collector.
const TRACES: &str = "v1/traces";
/// Where a collector listens unless told otherwise.
const USUAL: &str = "http://localhost:4318";

/// A collector, and what is sent with each request.
#[derive(Clone)]
pub struct Destination {
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
}

/// Without headers: they are credentials.
impl fmt::Display for Destination {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.url.as_str())
    }
}

/// What the settings and the environment say.
pub enum SpanTarget {
    Off,
    /// The settings name a collector, and no person allows the file as it stands.
    NotAllowed,
    Collector(Destination),
}

/// Where the spans of this process go. The environment of a process counts before the settings, and the
/// two are never mixed: headers that are meant for one collector do not go to another.
pub fn span_target(workspace: &Workspace) -> Result<SpanTarget> {
    let machine = workspace.machine();
    match machine.telemetry.is_on()? {
        Some(true) => return of_environment(&machine.telemetry).map(SpanTarget::Collector),
        Some(false) => return Ok(SpanTarget::Off),
        None => {}
    }
    // Most projects set nothing, and then the allowlist need not be read.
    if Config::load(workspace.project())?.telemetry.otlp.is_none() {
        return Ok(SpanTarget::Off);
    }
    let allowed = &workspace.config()?.telemetry;
    let Some(text) = &allowed.otlp else {
        return Ok(SpanTarget::NotAllowed);
    };
    let url = address(text).map_err(|problem| invalid(format!("telemetry.otlp {problem}")))?;
    let headers = match &allowed.headers_env {
        None => HeaderMap::new(),
        Some(name) => {
            let value = (machine.environment.0)(name).and_then(|it| it.into_string().ok());
            let value = value.ok_or_else(|| {
                let message = format!("telemetry.headers_env names {name}, which is not set");
                invalid(message).with("variable", name.as_str())
            })?;
            headers(name, &value)?
        }
    };
    Ok(SpanTarget::Collector(Destination { url, headers }))
}

fn of_environment(variables: &TelemetryVariables) -> Result<Destination> {
    let (name, url) = match (&variables.traces_endpoint, &variables.endpoint) {
        (Some(whole), _) => ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", plain(whole)),
        (None, Some(base)) => ("OTEL_EXPORTER_OTLP_ENDPOINT", address(base)),
        (None, None) => ("OTEL_EXPORTER_OTLP_ENDPOINT", address(USUAL)),
    };
    let url = url.map_err(|problem| invalid(format!("{name} {problem}")).with("variable", name))?;
    let headers = match &variables.headers {
        Some(text) => headers("OTEL_EXPORTER_OTLP_HEADERS", text)?,
        None => HeaderMap::new(),
    };
    Ok(Destination { url, headers })
}

/// The address for traces of a collector at this address.
pub fn address(text: &str) -> Result<Url, &'static str> {
    let mut url = plain(text)?;
    let path = url.path().trim_end_matches('/').to_owned();
    if !path.ends_with(TRACES) {
        url.set_path(&format!("{path}/{TRACES}"));
    }
    Ok(url)
}

/// An address without secrets, which is shown and logged.
fn plain(text: &str) -> Result<Url, &'static str> {
    let url = Url::parse(text.trim())
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https"))
        .filter(Url::has_host)
        .ok_or("must be the address of a collector, like http://localhost:4318")?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must have no password in it: use headers");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("must have no query: use headers");
    }
    Ok(url)
}

/// Reads `name=value,name=value`, as the standard has it: values may be percent-encoded. No error
/// shows a value.
fn headers(variable: &str, text: &str) -> Result<HeaderMap> {
    let wrong = || {
        let message = format!("{variable} is not a list of headers: name=value,name=value");
        invalid(message).with("variable", variable)
    };
    let mut headers = HeaderMap::new();
    let pairs = text.split(',').map(str::trim);
    for pair in pairs.filter(|it| !it.is_empty()) {
        let (name, value) = pair.split_once('=').ok_or_else(wrong)?;
        let name = HeaderName::from_bytes(name.trim().as_bytes()).map_err(|_| wrong())?;
        let value = HeaderValue::from_bytes(&decoded(value.trim()));
        let mut value = value.map_err(|_| wrong())?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

/// Percent-encoded bytes as they are meant; anything else as it is.
fn decoded(text: &str) -> Vec<u8> {
    let mut rest = text.as_bytes();
    let mut out = Vec::with_capacity(rest.len());
    while let Some((first, after)) = rest.split_first() {
        let byte = (*first == b'%')
            .then(|| after.get(..2))
            .flatten()
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        out.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    out
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::InvalidConfig, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_for_traces_is_added_once() {
        for (given, expected) in [
            ("http://localhost:4318", "http://localhost:4318/v1/traces"),
            ("http://localhost:4318/", "http://localhost:4318/v1/traces"),
            (
                "https://c.example/otlp/",
                "https://c.example/otlp/v1/traces",
            ),
            ("https://c.example/v1/traces", "https://c.example/v1/traces"),
        ] {
            assert_eq!(address(given).map(String::from), Ok(expected.to_owned()));
        }
    }

    #[test]
    fn the_environment_has_the_rules_of_the_standard() {
        let to =
            |variables: &TelemetryVariables| of_environment(variables).map(|it| it.to_string());
        let mut variables = TelemetryVariables::default();
        let shown = |text: &str| Ok(text.to_owned());
        assert_eq!(to(&variables), shown("http://localhost:4318/v1/traces"));
        variables.endpoint = Some("http://c.example:4318".to_owned());
        assert_eq!(to(&variables), shown("http://c.example:4318/v1/traces"));
        variables.traces_endpoint = Some("http://t.example/spans".to_owned());
        assert_eq!(to(&variables), shown("http://t.example/spans"));
        variables.traces_endpoint = Some("t.example".to_owned());
        assert!(to(&variables).is_err());
    }

    #[test]
    fn headers_are_read_and_never_shown() {
        let text = "api-key=a%20b%2, Authorization=Bearer x==,";
        let read = headers("OTEL_EXPORTER_OTLP_HEADERS", text).expect("valid");
        assert_eq!(read["api-key"], "a b%2");
        assert_eq!(read["authorization"], "Bearer x==");
        assert!(!format!("{read:?}").contains("Bearer"));
        for wrong in ["secret", "a b=secret", "key=secret\nmore"] {
            let error = headers("KEYS", wrong).expect_err(wrong);
            assert!(!error.full_message().contains("secret"), "{error}");
        }
    }
}
