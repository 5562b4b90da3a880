//! Each `prompt` entity as a prompt that a client can offer, its variables as arguments.

use serde_json::{Map, Value as Json};
use windlass_core::{Page, Result};

use crate::context::Context;

#[derive(Debug, Clone)]
pub struct PromptArgument {
    pub name: String,
    pub required: bool,
}

#[derive(Debug, Clone)]
pub struct PromptInfo {
    pub name: String,
    pub title: String,
    pub description: Option<String>,
    pub arguments: Vec<PromptArgument>,
}

#[derive(Debug, Clone)]
pub struct PromptText {
    pub description: Option<String>,
    pub text: String,
}

/// One page of the prompts, and whether more follow.
pub fn list_prompts(_context: &Context, _page: Page) -> Result<(Vec<PromptInfo>, bool)> {
    Ok((Vec::new(), false))
}

/// The prompt with its variables filled in.
pub fn get_prompt(
    _context: &Context,
    name: &str,
    _arguments: &Map<String, Json>,
) -> Result<PromptText> {
    Err(windlass_core::Error::new(
        windlass_core::ErrorKind::PromptNotFound,
        format!("Prompt \"{name}\" not found"),
    ))
}
