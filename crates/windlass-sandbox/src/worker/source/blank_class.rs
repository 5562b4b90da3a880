//! Blanks the types of classes.

use oxc_ast::ast::{
    Class, MethodDefinition, MethodDefinitionType, PropertyDefinition, PropertyDefinitionType,
};
use oxc_span::{GetSpan, Span};

use super::blank::Blanking;

/// Modifiers of classes and members that exist only in TypeScript.
const MODIFIERS: [&str; 7] = [
    "abstract",
    "declare",
    "override",
    "private",
    "protected",
    "public",
    "readonly",
];

/// Blanks the types in the head of a class.
pub fn class(blanking: &mut Blanking<'_>, it: &Class<'_>) {
    if let Some(decorator) = it.decorators.first() {
        reject_decorator(blanking, decorator.span);
    }
    if it.r#abstract {
        modifiers(
            blanking,
            Span::new(it.span.start, it.body.span.start),
            &["abstract"],
        );
    }
    if let (Some(first), Some(last)) = (it.implements.first(), it.implements.last()) {
        const WORD: &str = "implements";
        let before = Span::new(it.span.start, first.span.start);
        let at = blanking
            .edits
            .text_of(before)
            .rfind(WORD)
            .unwrap_or_default();
        let at = it.span.start + u32::try_from(at).unwrap_or_default();
        blanking.edits.blank(Span::new(at, last.span.end));
    }
}

/// Blanks the types of a method, or the whole method. Returns whether anything is left.
pub fn method(blanking: &mut Blanking<'_>, it: &MethodDefinition<'_>) -> bool {
    if let Some(decorator) = it.decorators.first() {
        reject_decorator(blanking, decorator.span);
    }
    if it.r#type == MethodDefinitionType::TSAbstractMethodDefinition || it.value.body.is_none() {
        blanking.edits.blank_statement(it.span);
        return false;
    }
    modifiers(
        blanking,
        Span::new(it.span.start, it.key.span().start),
        &MODIFIERS,
    );
    if it.optional {
        blanking.blank_mark('?', it.key.span().end, it.value.params.span.start);
    }
    true
}

/// Blanks the types of a field, or the whole field. Returns whether anything is left.
pub fn property(blanking: &mut Blanking<'_>, it: &PropertyDefinition<'_>) -> bool {
    if let Some(decorator) = it.decorators.first() {
        reject_decorator(blanking, decorator.span);
    }
    if it.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition || it.declare {
        blanking.edits.blank_statement(it.span);
        return false;
    }
    modifiers(
        blanking,
        Span::new(it.span.start, it.key.span().start),
        &MODIFIERS,
    );
    if let Some(annotation) = &it.type_annotation {
        let (end, before) = (it.key.span().end, annotation.span.start);
        if it.optional {
            blanking.blank_mark('?', end, before);
        }
        if it.definite {
            blanking.blank_mark('!', end, before);
        }
    } else if it.optional {
        let before = it
            .value
            .as_ref()
            .map_or(it.span.end, |value| value.span().start);
        blanking.blank_mark('?', it.key.span().end, before);
    }
    true
}

fn modifiers(blanking: &mut Blanking<'_>, span: Span, words: &[&str]) {
    let text = blanking.edits.text_of(span);
    let mut found = Vec::new();
    for word in words {
        let is_whole = |at: &usize| {
            let around = |letter: Option<char>| {
                letter.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_')
            };
            around(text[..*at].chars().next_back())
                && around(text[at + word.len()..].chars().next())
        };
        let places = text.match_indices(word).map(|(at, _)| at).filter(is_whole);
        found.extend(places.take(1).map(|at| (at, word.len())));
    }
    for (at, length) in found {
        let start = span.start + u32::try_from(at).unwrap_or_default();
        let end = start + u32::try_from(length).unwrap_or_default();
        blanking.edits.blank(Span::new(start, end));
    }
}

fn reject_decorator(blanking: &mut Blanking<'_>, span: Span) {
    blanking.reject(
        "Decorators are not supported",
        span,
        "Call the function yourself.",
    );
}
