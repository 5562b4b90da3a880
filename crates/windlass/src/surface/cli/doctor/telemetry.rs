//! Where servers send spans, and whether they arrive. Without a collector there is nothing to say.

use windlass_ops::{Config, SpanTarget, Workspace, span_target, try_export};

use super::check::Check;

const NAME: &str = "telemetry";

/// Sends one request without spans to a collector that a person set up.
pub fn check(workspace: &Workspace) -> Option<Check> {
    let target = match span_target(workspace) {
        Ok(target) => target,
        // The check of the settings says so.
        Err(_) if Config::load(workspace.project()).is_err() => return None,
        Err(error) => {
            let fix = "Until then no spans are sent.";
            return Some(Check::failed(NAME, &error, fix));
        }
    };
    Some(match target {
        SpanTarget::Off => return None,
        SpanTarget::NotAllowed => Check::warning(
            NAME,
            "telemetry.otlp is set, and nothing is sent: nobody allowed the settings as they stand",
            format!("Look at them, then run windlass allow {}", Config::FILE),
        ),
        SpanTarget::Collector(to) => match try_export(&to) {
            Ok(()) => Check::ok(
                NAME,
                format!("servers send spans to {to}, which takes them"),
            ),
            Err(error) => Check::warning(
                NAME,
                error.message(),
                "Start the collector, or change the setting telemetry.otlp or WINDLASS_OTLP.",
            ),
        },
    })
}
