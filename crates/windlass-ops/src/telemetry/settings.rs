//! `[telemetry]` of the settings, and the variables of the environment that count instead.

use std::fmt;

use serde::{Deserialize, Serialize};
use windlass_core::{Error, ErrorKind, Result};

use super::destination::address;

/// Where spans go. All of it counts only while a person allows exactly the current text of the file,
/// because it sends data away, and a variable of the environment with it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TelemetryConfig {
    /// The address of a collector that takes OTLP over HTTP: `http://localhost:4318`. Without one,
    /// nothing is sent.
    pub otlp: Option<String>,
    /// The variable of the environment whose value is sent as headers: `api-key=…,tenant=…`.
    pub headers_env: Option<String>,
}

impl TelemetryConfig {
    pub(crate) fn check(&self) -> Result<()> {
        let Some(text) = &self.otlp else {
            return Ok(());
        };
        address(text).map(drop).map_err(|problem| {
            Error::new(
                ErrorKind::InvalidConfig,
                format!("telemetry.otlp {problem}"),
            )
            .with("field", "telemetry.otlp")
        })
    }
}

/// What the environment says about the export of spans.
#[derive(Clone, Default)]
pub struct TelemetryVariables {
    /// `WINDLASS_OTLP`: 1 takes everything from the variables below, 0 turns the export off.
    pub switch: Option<String>,
    /// `OTEL_EXPORTER_OTLP_ENDPOINT`.
    pub endpoint: Option<String>,
    /// `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`, which is the whole address.
    pub traces_endpoint: Option<String>,
    /// `OTEL_EXPORTER_OTLP_TRACES_HEADERS`, or else `OTEL_EXPORTER_OTLP_HEADERS`.
    pub headers: Option<String>,
}

/// Headers are credentials.
impl fmt::Debug for TelemetryVariables {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("TelemetryVariables")
            .field("switch", &self.switch)
            .finish_non_exhaustive()
    }
}

impl TelemetryVariables {
    /// Whether the environment turns the export on or off; none if it says nothing. That variables of
    /// OpenTelemetry are set says nothing: they may be there for other programs.
    pub(crate) fn is_on(&self) -> Result<Option<bool>> {
        let Some(text) = &self.switch else {
            return Ok(None);
        };
        match text.trim().to_ascii_lowercase().as_str() {
            "1" | "true" | "on" => Ok(Some(true)),
            "0" | "false" | "off" => Ok(Some(false)),
            _ => Err(Error::new(
                ErrorKind::InvalidConfig,
                format!(
                    "The environment variable WINDLASS_OTLP is \"{text}\", but it must be 1 or 0"
                ),
            )
            .with("variable", "WINDLASS_OTLP")
            .with_hint("The address of the collector is OTEL_EXPORTER_OTLP_ENDPOINT.")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_switch_turns_it_on() {
        let with = |switch: &str| TelemetryVariables {
            switch: Some(switch.to_owned()),
            ..TelemetryVariables::default()
        };
        let set = TelemetryVariables {
            endpoint: Some("http://localhost:4318".to_owned()),
            headers: Some("api-key=secret".to_owned()),
            ..TelemetryVariables::default()
        };
        assert_eq!(set.is_on(), Ok(None));
        assert!(!format!("{set:?}").contains("secret"));
        assert_eq!(with("1").is_on(), Ok(Some(true)));
        assert_eq!(with("off").is_on(), Ok(Some(false)));
        assert!(with("http://localhost:4318").is_on().is_err());
    }

    #[test]
    fn a_collector_has_a_plain_address() {
        let with = |text: &str| TelemetryConfig {
            otlp: Some(text.to_owned()),
            headers_env: None,
        };
        assert_eq!(TelemetryConfig::default().check(), Ok(()));
        assert_eq!(with("https://collector.example:4318/otlp").check(), Ok(()));
        for wrong in [
            "",
            "localhost:4318",
            "file:///tmp/spans",
            "http://ada:secret@collector.example",
            "http://collector.example/?key=secret",
        ] {
            let error = with(wrong).check().expect_err(wrong);
            assert!(error.message().starts_with("telemetry.otlp "), "{error}");
            assert!(!error.message().contains("secret"), "{error}");
        }
    }
}
