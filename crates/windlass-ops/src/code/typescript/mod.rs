//! TypeScript declarations from JSON schemas.

mod types;

use std::fmt::Write as _;

use serde_json::Value as Json;
use windlass_sandbox::camel_case;

pub use self::types::Layout;
use self::types::{Docs, Types, has_fields, one_line, properties, required};
use super::sdk::SdkMethod;
use crate::operation::Effect;

/// The globals of scripts besides the SDK and the language.
pub const GLOBALS: &str = "\
/** What a call that failed throws. */
interface SdkError extends Error {
  /** A stable code, as TASK_CLAIMED. */
  readonly code: string;
  /** The kind of error, as TaskClaimed. */
  readonly tag: string;
  /** What to do about it. */
  readonly hint?: string;
}
/** Repeated with the same key within a day, a change returns its first result and is made once. */
interface Keyed {
  idempotencyKey?: string;
}
/** What is logged comes back with the answer. */
declare const console: Readonly<
  Record<\"debug\" | \"log\" | \"info\" | \"warn\" | \"error\", (...values: unknown[]) => void>
>;
/** A timer that would be due after the deadline throws. */
declare function setTimeout(callback: (...values: any[]) => void, milliseconds?: number, ...values: any[]): number;
declare function clearTimeout(timer: number): void;
declare function structuredClone<T>(value: T): T;
";

/// The declarations of these methods, with the types that they need.
pub fn declare(methods: &[&SdkMethod], layout: Layout) -> String {
    let mut types = Types::new(layout);
    let mut inputs = String::new();
    let mut namespaces: Vec<(&str, String)> = Vec::new();
    for method in methods {
        let name = type_name(method);
        let [input, output] = method.entry.named_schemas();
        let input_type = types.of_root(&input, &name, Docs::Shown);
        let answer = types.declare_root(&output, &format!("{name}Answer"));
        let declared = match layout {
            Layout::Editor => {
                if has_fields(&input) {
                    let keyed = match method.entry.declaration.effect {
                        Effect::Read => "",
                        _ => " & Keyed",
                    };
                    let _ = writeln!(inputs, "type {name}Input = {input_type}{keyed};");
                }
                signatures(method, &input, &format!("{name}Input"), &answer, layout)
            }
            Layout::Compact => signatures(method, &input, &input_type, &answer, layout),
        };
        let namespace = method.method.namespace.as_str();
        match namespaces.iter_mut().find(|(known, _)| *known == namespace) {
            Some((_, text)) => *text += &declared,
            None => namespaces.push((namespace, declared)),
        }
    }
    let mut text = types.declarations() + &inputs;
    for (namespace, methods) in namespaces {
        let _ = write!(text, "declare const {namespace}: {{\n{methods}}};\n");
    }
    text
}

/// The ways to call a method whose input has this type.
fn signatures(
    method: &SdkMethod,
    input: &Json,
    input_type: &str,
    answer: &str,
    layout: Layout,
) -> String {
    let called = camel_case(&method.method.name);
    let indent = match layout {
        Layout::Editor => "  ",
        Layout::Compact => "",
    };
    let mut about = one_line(&method.entry.description());
    if method.is_for_people() {
        about += " Only people may call this.";
    }
    let mut text = format!("{indent}/** {} */\n", about.replace("*/", "* /"));
    let required = required(input);
    let mut positional: Vec<String> = Vec::new();
    for field in &method.method.positional {
        let is_required = required.contains(&field.as_str());
        let mark = if is_required { "" } else { "?" };
        let kind = match layout {
            Layout::Editor => format!(": {input_type}[\"{field}\"]"),
            Layout::Compact => String::new(),
        };
        let name = camel_case(&parameter(field));
        positional.push(format!("{name}{mark}{kind}"));
        // After one that may be missing all must be.
        if !is_required {
            break;
        }
    }
    if !positional.is_empty() {
        if properties(input).count() > method.method.positional.len() {
            positional.push(match layout {
                Layout::Editor => format!("more?: Partial<{input_type}>"),
                Layout::Compact => "more?".to_owned(),
            });
        }
        let parameters = positional.join(", ");
        let _ = writeln!(text, "{indent}{called}({parameters}): Promise<{answer}>;");
    }
    let parameter = match (has_fields(input), required.is_empty()) {
        (false, _) => String::new(),
        (true, true) => format!("input?: {input_type}"),
        (true, false) => format!("input: {input_type}"),
    };
    let _ = writeln!(text, "{indent}{called}({parameter}): Promise<{answer}>;");
    text
}

/// `EntitiesCreate`.
fn type_name(method: &SdkMethod) -> String {
    let joined = format!("_{}_{}", method.method.namespace, method.method.name);
    camel_case(&joined)
}

/// A reserved word cannot name a parameter.
fn parameter(field: &str) -> String {
    match field {
        "default" | "delete" | "in" | "new" | "with" | "function" | "var" | "enum" => {
            format!("{field}_value")
        }
        _ => field.to_owned(),
    }
}
