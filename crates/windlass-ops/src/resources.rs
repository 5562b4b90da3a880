//! What can be read by URI.

use windlass_core::{Error, ErrorKind, Event, Result};

use crate::context::Context;

#[derive(Debug, Clone, Copy)]
pub struct ResourceInfo {
    pub uri: &'static str,
    pub name: &'static str,
    pub description: &'static str,
}

#[derive(Debug, Clone, Copy)]
pub struct TemplateInfo {
    pub uri_template: &'static str,
    pub name: &'static str,
    pub description: &'static str,
}

/// A subscribed URI, ready to be asked whether an event concerns it.
#[derive(Debug, Clone)]
pub struct Subscription {}

impl Subscription {
    pub fn concerns(&self, _event: &Event) -> bool {
        false
    }
}

/// Resources with a fixed URI.
pub fn resources() -> &'static [ResourceInfo] {
    &[]
}

pub fn resource_templates() -> &'static [TemplateInfo] {
    &[]
}

/// The JSON text behind a URI.
pub fn read_resource(_context: &Context, uri: &str) -> Result<String> {
    Err(Error::new(
        ErrorKind::InvalidResourceUri,
        format!("\"{uri}\" is not a resource"),
    ))
}

/// Checks that the URI names something that can be watched.
pub fn subscribe(_context: &Context, uri: &str) -> Result<Subscription> {
    Err(Error::new(
        ErrorKind::InvalidResourceUri,
        format!("\"{uri}\" is not a resource"),
    ))
}
