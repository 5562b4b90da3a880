//! Turns the code of a request into the script that the engine runs.
//!
//! It accepts JavaScript and TypeScript, a fenced block, a bare function (it is called), and
//! `export default`. The value is that of `return`, or of the last expression. Types are replaced
//! by blanks and line numbers never change, so that locations in errors are those of the source.

mod blank;
mod blank_class;
mod edit;
mod fence;
#[cfg(test)]
mod fuzz;
mod locations;
mod shape;
#[cfg(test)]
mod tests;

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::{SourceType, Span};

use self::edit::Edits;
pub use self::locations::{LocationMap, location_at};
use crate::outcome::{ErrorCode, Failure};

/// The script that the engine runs, with the map to locations in the source.
#[derive(Debug)]
pub struct Script {
    pub javascript: String,
    pub locations: LocationMap,
}

/// Why a source cannot be run, and where.
#[derive(Debug)]
struct Problem {
    message: String,
    hint: Option<&'static str>,
    at: u32,
}

impl Problem {
    fn new(message: impl Into<String>, span: Span) -> Self {
        Self {
            message: message.into(),
            hint: None,
            at: span.start,
        }
    }

    fn with_hint(mut self, hint: &'static str) -> Self {
        self.hint = Some(hint);
        self
    }
}

/// Creates a script from `source`.
pub fn prepare(source: &str) -> Result<Script, Failure> {
    let failure = |problem: Problem| {
        let location = locations::location_of(source, problem.at as usize);
        let mut failure = Failure::new(
            ErrorCode::InvalidParams,
            format!(
                "{} (line {}, column {})",
                problem.message, location.line, location.column
            ),
        );
        failure.hint = problem.hint.map(str::to_owned);
        failure.location = Some(Box::new(location));
        failure
    };
    if let Some(at) = source.find('\0') {
        let at = u32::try_from(at).unwrap_or_default();
        return Err(failure(Problem::new(
            "The code contains a NUL character",
            Span::empty(at),
        )));
    }
    let text = fence::without_fence(source);
    let edits = edits_of(&text).map_err(failure)?;
    Ok(edits.apply())
}

fn edits_of(text: &str) -> Result<Edits, Problem> {
    let allocator = Allocator::default();
    let parsed = parse(&allocator, text);
    if !parsed
        .as_ref()
        .is_ok_and(|program| !shape::is_object_parsed_as_block(program))
        && let Some(edits) = expression_edits(text)
    {
        return edits;
    }
    let program = parsed?;
    let mut edits = Edits::new(text.to_owned(), 0);
    shape::shape(&program, &mut edits)?;
    blank::blank_types(&program, &mut edits)?;
    Ok(edits)
}

/// Parses the source as one expression, if it is one: an object, or a function without a name.
fn expression_edits(text: &str) -> Option<Result<Edits, Problem>> {
    const OPEN: &str = "(";
    let allocator = Allocator::default();
    let bracketed = format!("{OPEN}{text}\n)");
    let program = parse(&allocator, &bracketed).ok()?;
    if !shape::is_sole_expression(&program) {
        return None;
    }
    let mut edits = Edits::new(bracketed.clone(), OPEN.len());
    let shaped = shape::shape(&program, &mut edits)
        .and_then(|()| blank::blank_types(&program, &mut edits))
        .map_err(|mut problem| {
            problem.at = problem.at.saturating_sub(1);
            problem
        });
    Some(shaped.map(|()| edits))
}

fn parse<'a>(allocator: &'a Allocator, text: &'a str) -> Result<Program<'a>, Problem> {
    let options = ParseOptions {
        allow_return_outside_function: true,
        ..ParseOptions::default()
    };
    let parsed = Parser::new(allocator, text, SourceType::ts().with_module(true))
        .with_options(options)
        .parse();
    match parsed.diagnostics.first() {
        None => Ok(parsed.program),
        Some(first) => {
            let at = first.labels.first().map_or(0, |label| label.offset());
            let message = format!("Syntax error: {}", first.message);
            Err(Problem::new(message, Span::empty(at)))
        }
    }
}
