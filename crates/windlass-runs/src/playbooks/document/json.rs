//! JSON, without comments.

use jsonc_parser::ast::{ObjectPropName, Value as Ast};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::Value as Json;

use super::{Document, SyntaxError, join, line_at};

pub fn read(text: &str) -> Result<Document, SyntaxError> {
    // This parser is strict and limits the depth; the second one only provides positions.
    let json: Json = serde_json::from_str(text).map_err(|problem| SyntaxError {
        line: problem.line().max(1),
        message: problem.to_string(),
    })?;
    let mut document = Document {
        json,
        ..Document::default()
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
    if let Ok(parsed) = parsed
        && let Some(root) = parsed.value
    {
        document.json_lines(text, "", &root);
    }
    Ok(document)
}

impl Document {
    fn json_lines(&mut self, text: &str, path: &str, ast: &Ast<'_>) {
        match ast {
            Ast::Array(array) => {
                for (index, item) in array.elements.iter().enumerate() {
                    let path = join(path, index);
                    let line = line_at(text, item.range().start);
                    self.lines.insert(path.clone(), line);
                    self.json_lines(text, &path, item);
                }
            }
            Ast::Object(object) => {
                for property in &object.properties {
                    let path = match &property.name {
                        ObjectPropName::String(name) => join(path, &name.value),
                        ObjectPropName::Word(word) => join(path, word.value),
                    };
                    let line = line_at(text, property.range.start);
                    self.lines.insert(path.clone(), line);
                    self.json_lines(text, &path, &property.value);
                }
            }
            _ => {}
        }
    }
}
