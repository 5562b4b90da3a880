//! The resource `schema`: a JSON schema of each entity type, from the table of types.

use serde_json::{Map, Value as Json, json};
use windlass_core::{
    Dialect, EntityType, Field, FieldKind, Length, MAX_CONTENT_BYTES, MAX_TAG_CHARS, MAX_TAGS,
    MAX_TITLE_CHARS, Reach,
};

pub(super) fn text() -> String {
    let mut types = Map::new();
    for kind in EntityType::ALL {
        types.insert(kind.name().to_owned(), type_schema(kind));
    }
    json!({
        "title": "Windlass entities",
        "types": types,
    })
    .to_string()
}

fn type_schema(kind: EntityType) -> Json {
    let declaration = kind.declaration();
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in declaration.fields {
        properties.insert(field.name.to_owned(), field_schema(field));
        if field.required {
            required.push(field.name);
        }
    }
    json!({
        "type": "object",
        "description": declaration.doc,
        "required": ["type", "title"],
        "properties": {
            "type": {"const": kind.name()},
            "title": {"type": "string", "minLength": 1, "maxLength": MAX_TITLE_CHARS},
            "content": {"type": "string", "description": format!("At most {MAX_CONTENT_BYTES} bytes.")},
            "tags": {
                "type": "array",
                "maxItems": MAX_TAGS,
                "items": {"type": "string", "minLength": 1, "maxLength": MAX_TAG_CHARS},
            },
            "properties": {"type": "object", "properties": properties, "required": required},
        },
    })
}

fn field_schema(field: &Field) -> Json {
    let mut schema = match field.kind {
        FieldKind::Choice(_) | FieldKind::TaskStatus | FieldKind::Priority => {
            json!({"type": "string", "enum": field.choices(Dialect::Knowledge)})
        }
        FieldKind::Text(length) => length_schema(length),
        FieldKind::TextList(length) => json!({"type": "array", "items": length_schema(length)}),
        FieldKind::Date => json!({"type": "string", "format": "date"}),
        FieldKind::JsonText(_) => json!({"type": "string", "contentMediaType": "application/json"}),
        FieldKind::Url(_) => json!({"type": "string", "format": "uri"}),
        FieldKind::Entity | FieldKind::Name | FieldKind::Named(_) => json!({"type": "string"}),
        FieldKind::Acronym => json!({"type": "string", "pattern": "^[A-Z0-9]{4}$"}),
        FieldKind::NamedList(_) => json!({"type": "array", "items": {"type": "string"}}),
        FieldKind::Paths(max) => {
            json!({"type": "array", "maxItems": max, "items": {"type": "string"}})
        }
        FieldKind::Whole(max) => json!({"type": "integer", "minimum": 1, "maximum": max}),
        FieldKind::Servers => json!({"type": "array", "items": {
            "type": "object",
            "required": ["name", "command"],
            "properties": {
                "name": {"type": "string"},
                "command": {"type": "string"},
                "args": {"type": "array", "items": {"type": "string"}},
                "env": {"type": "object", "additionalProperties": {"type": "string"}},
            },
        }}),
        FieldKind::ToolOverrides => json!({"type": "object", "properties": {
            "additional_disabled": {"type": "array", "items": {"type": "string"}},
        }}),
    };
    if field.reach == Reach::Managed {
        schema["readOnly"] = true.into();
    }
    schema["description"] = field.doc.into();
    if let Some(default) = field.default {
        // The table has the stored words; readers know those of the dialect.
        let word = match field.kind {
            FieldKind::TaskStatus => windlass_core::TaskStatus::parse(default)
                .map_or(default, |status| Dialect::Knowledge.status(status)),
            _ => default,
        };
        schema["default"] = word.into();
    }
    schema
}

fn length_schema(length: Length) -> Json {
    match length {
        Length::Chars(max) => json!({"type": "string", "minLength": 1, "maxLength": max}),
        Length::Bytes(_) => json!({"type": "string"}),
    }
}
