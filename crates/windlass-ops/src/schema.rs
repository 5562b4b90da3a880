//! JSON schemas in the form that strict clients accept.
//!
//! Some clients refuse `type: ["integer", "null"]`, `format: "uint32"`, a `$ref` beside other keys
//! or a `$schema`; so every schema is inlined and normalised once, here.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value as Json};

/// The schema of an input: always an object that names its properties and allows no others.
pub fn of_input<T: JsonSchema>() -> Json {
    let mut schema = generate::<T>();
    if let Some(object) = schema.as_object_mut() {
        object.entry("type").or_insert_with(|| "object".into());
        object
            .entry("properties")
            .or_insert_with(|| Json::Object(Map::new()));
        object.insert("additionalProperties".into(), false.into());
    }
    schema
}

pub fn of_output<T: JsonSchema>() -> Json {
    generate::<T>()
}

/// A schema that keeps the names of types: its own as `title`, those inside of it under `$defs`.
/// Declarations for scripts are made from it, so that each type is declared once.
pub fn with_names<T: JsonSchema>() -> Json {
    generate_with::<T>(false)
}

fn generate<T: JsonSchema>() -> Json {
    let mut schema = generate_with::<T>(true);
    if let Some(object) = schema.as_object_mut() {
        object.remove("title");
    }
    schema
}

fn generate_with<T: JsonSchema>(inline_subschemas: bool) -> Json {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = inline_subschemas;
    settings.meta_schema = None;
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    normalise(&mut schema);
    schema
}

fn normalise(schema: &mut Json) {
    match schema {
        Json::Object(object) => {
            normalise_object(object);
            for value in object.values_mut() {
                normalise(value);
            }
        }
        Json::Array(items) => items.iter_mut().for_each(normalise),
        _ => {}
    }
}

fn normalise_object(object: &mut Map<String, Json>) {
    object.remove("$schema");
    if object
        .get("format")
        .and_then(Json::as_str)
        .is_some_and(|format| {
            let numbers = ["uint", "int", "double", "float"];
            numbers.iter().any(|kind| format.starts_with(kind))
        })
    {
        object.remove("format");
    }
    // `["integer", "null"]` becomes `integer`: an absent optional field says the same as null.
    if let Some(Json::Array(types)) = object.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".into(), only);
        }
    }
    if let Some(Json::Array(choices)) = object.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type").is_none_or(|kind| kind != "null"));
        if let [Json::Object(only)] = choices.as_slice() {
            let only = only.clone();
            object.remove("anyOf");
            for (key, value) in only {
                object.entry(key).or_insert(value);
            }
        }
    }
    if let Some(Json::Array(words)) = object.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
    if object.get("default").is_some_and(Json::is_null) {
        object.remove("default");
    }
}

/// The names of an input's fields.
#[derive(Debug)]
pub struct Fields {
    pub known: Vec<String>,
    pub required: Vec<String>,
}

/// The fields of an input type, computed once for each type.
pub fn fields_of<T: JsonSchema + 'static>() -> Arc<Fields> {
    static CACHE: LazyLock<Mutex<HashMap<TypeId, Arc<Fields>>>> = LazyLock::new(Mutex::default);
    let mut cache = CACHE
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    Arc::clone(cache.entry(TypeId::of::<T>()).or_insert_with(|| {
        let schema = of_input::<T>();
        let names = |value: &Json| match value {
            Json::Object(object) => object.keys().cloned().collect(),
            Json::Array(items) => items
                .iter()
                .filter_map(|item| item.as_str().map(str::to_owned))
                .collect(),
            _ => Vec::new(),
        };
        Arc::new(Fields {
            known: names(&schema["properties"]),
            required: names(&schema["required"]),
        })
    }))
}
