//! Resources, prompts and completions as protocol types.
//!
//! The operations decide the content; this module only converts it to responses.

use rmcp::model::{
    CompleteRequestParams, CompleteResult, CompletionInfo, GetPromptRequestParams, GetPromptResult,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, PaginatedRequestParams,
    Prompt, PromptArgument, PromptMessage, ReadResourceResult, Reference, Resource,
    ResourceContents, ResourceTemplate, Role,
};
use windlass_core::{DEFAULT_LIMIT, Error, Page};
use windlass_ops::{CompletionSource, Context, PromptInfo};

use super::errors::{Fault, bad_cursor};

const JSON: &str = "application/json";

/// Lists with a single page have no cursor.
pub fn only_page(request: Option<&PaginatedRequestParams>) -> Result<(), Fault> {
    match cursor(request) {
        Some(cursor) => Err(bad_cursor(cursor)),
        None => Ok(()),
    }
}

fn cursor(request: Option<&PaginatedRequestParams>) -> Option<&str> {
    request?.cursor.as_deref()
}

pub fn resources() -> ListResourcesResult {
    let resources = windlass_ops::resources().iter().map(|info| {
        Resource::new(info.uri, info.name)
            .with_description(info.description)
            .with_mime_type(info.mime_type)
    });
    ListResourcesResult::with_all_items(resources.collect())
}

pub fn templates() -> ListResourceTemplatesResult {
    let templates = windlass_ops::resource_templates().iter().map(|info| {
        ResourceTemplate::new(info.uri_template, info.name)
            .with_description(info.description)
            .with_mime_type(JSON)
    });
    ListResourceTemplatesResult::with_all_items(templates.collect())
}

pub async fn resource(context: &Context, uri: String) -> Result<ReadResourceResult, Fault> {
    let read = windlass_ops::read_resource(context, &uri).await?;
    let contents = ResourceContents::text(read.text, uri).with_mime_type(read.mime_type);
    Ok(ReadResourceResult::new(vec![contents]))
}

/// One page of the prompts. The cursor is the offset of the page.
pub fn prompts(
    context: &Context,
    request: Option<&PaginatedRequestParams>,
) -> Result<ListPromptsResult, Fault> {
    let offset = match cursor(request) {
        Some(cursor) => cursor.parse().map_err(|_| bad_cursor(cursor))?,
        None => 0,
    };
    let page = Page {
        limit: DEFAULT_LIMIT,
        offset,
    };
    let (prompts, more) = windlass_ops::list_prompts(context, page)?;
    let mut result = ListPromptsResult::with_all_items(prompts.into_iter().map(describe).collect());
    if more {
        result.next_cursor = Some((offset + DEFAULT_LIMIT).to_string());
    }
    Ok(result)
}

fn describe(info: PromptInfo) -> Prompt {
    let arguments = info
        .arguments
        .into_iter()
        .map(|argument| PromptArgument::new(argument.name).with_required(argument.required));
    Prompt::new(info.name, info.description, Some(arguments.collect())).with_title(info.title)
}

pub fn prompt(
    context: &Context,
    request: &GetPromptRequestParams,
) -> Result<GetPromptResult, Fault> {
    let arguments = request.arguments.clone().unwrap_or_default();
    let prompt = windlass_ops::get_prompt(context, &request.name, &arguments)?;
    let message = PromptMessage::new_text(Role::User, prompt.text);
    let result = GetPromptResult::new(vec![message]);
    Ok(match prompt.description {
        Some(description) => result.with_description(description),
        None => result,
    })
}

pub fn completion(
    context: &Context,
    request: &CompleteRequestParams,
) -> Result<CompleteResult, Fault> {
    let source = match &request.r#ref {
        Reference::Resource(resource) => CompletionSource::Template(&resource.uri),
        Reference::Prompt(prompt) => CompletionSource::Prompt(&prompt.name),
        _ => return Err(Error::invalid_params("Unknown kind of reference").into()),
    };
    let argument = &request.argument;
    let (mut values, mut more) =
        windlass_ops::complete(context, source, &argument.name, &argument.value)?;
    more |= values.len() > CompletionInfo::MAX_VALUES;
    values.truncate(CompletionInfo::MAX_VALUES);
    let info = CompletionInfo::with_pagination(values, None, more).map_err(Error::internal)?;
    Ok(CompleteResult::new(info))
}
