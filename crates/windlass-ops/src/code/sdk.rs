//! The SDK: every operation as a method that scripts can call, generated from the list of operations.

use std::fmt::Write as _;
use std::sync::LazyLock;

use windlass_sandbox::{Method, camel_case};

use super::typescript;
use crate::list::OPERATIONS;
use crate::operation::{Audience, Entry};

/// The operation that runs scripts. It is the one that scripts cannot call.
pub const EXECUTE: &str = "execute";

/// An operation as a method.
pub struct SdkMethod {
    pub entry: &'static Entry,
    /// How it is declared in the sandbox.
    pub method: Method,
}

impl SdkMethod {
    fn of(entry: &'static Entry) -> Option<Self> {
        let (namespace, name) = entry.declaration.sdk.split_once('.')?;
        Some(Self {
            entry,
            method: Method {
                namespace: namespace.to_owned(),
                name: snake_case(name),
                positional: positional(entry),
            },
        })
    }

    /// As scripts write it: `tasks.nextReady`.
    pub fn shown(&self) -> String {
        format!(
            "{}.{}",
            self.method.namespace,
            camel_case(&self.method.name)
        )
    }

    pub fn is_for_people(&self) -> bool {
        self.entry.declaration.audience == Audience::Human
    }
}

/// How scripts write the method of an operation: `tasks.nextReady`.
pub fn method_name(entry: &Entry) -> Option<String> {
    let declaration = &entry.declaration;
    let (namespace, name) = declaration.sdk.split_once('.')?;
    let name = camel_case(&snake_case(name));
    (declaration.name != EXECUTE).then(|| format!("{namespace}.{name}"))
}

/// All methods, in the order of the list.
pub fn methods() -> &'static [SdkMethod] {
    static METHODS: LazyLock<Vec<SdkMethod>> = LazyLock::new(|| {
        let callable = OPERATIONS
            .iter()
            .filter(|it| it.declaration.name != EXECUTE);
        callable.filter_map(SdkMethod::of).collect()
    });
    &METHODS
}

/// The positional arguments: those that are positional on the command line too.
fn positional(entry: &Entry) -> Vec<String> {
    let schema = entry.input_schema();
    let command = entry.augment(clap::Command::new("method"));
    let names = command
        .get_positionals()
        .map(|it| it.get_id().as_str().to_owned());
    names
        .take_while(|name| {
            let field = &schema["properties"][name.as_str()];
            field.is_object() && !matches!(field["type"].as_str(), Some("array" | "object"))
        })
        .collect()
}

/// The names of all methods that agents can call, a line for each namespace, in so many bytes.
pub fn index(longest: usize) -> String {
    let mut namespaces: Vec<(&str, Vec<String>)> = Vec::new();
    for entry in OPERATIONS {
        let declaration = &entry.declaration;
        if declaration.name == EXECUTE || declaration.audience == Audience::Human {
            continue;
        }
        let Some((namespace, name)) = declaration.sdk.split_once('.') else {
            continue;
        };
        let name = camel_case(&snake_case(name));
        match namespaces.iter_mut().find(|(known, _)| *known == namespace) {
            Some((_, names)) => names.push(name),
            None => namespaces.push((namespace, vec![name])),
        }
    }
    shorten(&mut namespaces, longest);
    let mut index = String::new();
    for (namespace, names) in namespaces {
        let _ = write!(index, "\n{namespace}: {}", names.join(" "));
    }
    index
}

/// Leaves out names of the longest lines until all fit. `describe` still finds them.
fn shorten(namespaces: &mut [(&str, Vec<String>)], longest: usize) {
    const MORE: &str = "…";
    let length = |namespaces: &[(&str, Vec<String>)]| -> usize {
        let line = |(namespace, names): &(&str, Vec<String>)| {
            namespace.len() + 2 + names.iter().map(|name| name.len() + 1).sum::<usize>()
        };
        namespaces.iter().map(line).sum()
    };
    while length(namespaces) > longest {
        let Some((_, names)) = namespaces.iter_mut().max_by_key(|(_, names)| names.len()) else {
            return;
        };
        if names.len() < 3 {
            return;
        }
        if names.last().is_some_and(|last| last == MORE) {
            names.pop();
        }
        names.pop();
        names.push(MORE.to_owned());
    }
}

/// The declarations of the whole SDK: `sdk.d.ts`.
pub fn declarations() -> String {
    let methods: Vec<&SdkMethod> = methods().iter().collect();
    let declared = typescript::declare(&methods, typescript::Layout::Editor);
    format!("{}\n{declared}", typescript::GLOBALS)
}

/// `nextReady` in snake case: `next_ready`.
pub fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_same_in_both_cases() {
        assert_eq!(snake_case("nextReady"), "next_ready");
        assert_eq!(snake_case("next_ready"), "next_ready");
        let names = methods().iter().map(|it| it.method.full_name());
        let distinct: std::collections::HashSet<String> = names.collect();
        assert_eq!(distinct.len(), methods().len());
    }

    #[test]
    fn scripts_cannot_run_scripts() {
        assert!(
            methods()
                .iter()
                .all(|it| it.entry.declaration.name != EXECUTE)
        );
    }

    #[test]
    fn arguments_without_names_are_those_of_the_command_line() {
        let positional = |name: &str| {
            let mut named = methods().iter();
            let found = named.find(|it| it.method.full_name() == name);
            found.unwrap().method.positional.clone()
        };
        assert_eq!(positional("entities.get"), ["id"]);
        assert_eq!(positional("graph.path"), ["from_id", "to_id"]);
        assert_eq!(positional("tasks.next"), Vec::<String>::new());
    }

    #[test]
    fn the_index_fits_however_many_methods_there_are() {
        let names: Vec<String> = (0..300).map(|number| format!("method{number}")).collect();
        let mut namespaces = vec![("many", names), ("few", vec!["one".to_owned()])];
        shorten(&mut namespaces, 1_000);
        assert_eq!(namespaces[1].1, ["one"]);
        assert_eq!(namespaces[0].1[0], "method0");
        assert_eq!(namespaces[0].1.last().unwrap(), "…");
        assert!(index(1_000).len() <= 1_000);
        assert!(!index(10_000).contains('…'));
        assert!(index(10_000).contains("\nentities: create get list"));
    }
}
