//! The methods that scripts can call.

use serde::{Deserialize, Serialize};

/// One method of the SDK.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Method {
    /// The object that it belongs to, for example `tasks`.
    pub namespace: String,
    /// Its name in snake case, for example `next_ready`. Scripts may also call it `nextReady`.
    pub name: String,
    /// The names of positional arguments: with `["id"]`, `start(7)` means `start({id: 7})`.
    pub positional: Vec<String>,
}

impl Method {
    /// Creates a method.
    pub fn new(namespace: &str, name: &str, positional: &[&str]) -> Self {
        Self {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            positional: positional.iter().map(|&name| name.to_owned()).collect(),
        }
    }

    /// The name by which the host knows it.
    pub fn full_name(&self) -> String {
        format!("{}.{}", self.namespace, self.name)
    }
}

/// Converts `next_ready` to `nextReady`.
pub fn camel_case(snake_case: &str) -> String {
    let mut words = snake_case.split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        camel.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        camel.push_str(letters.as_str());
    }
    camel
}

#[cfg(test)]
mod tests {
    use super::camel_case;

    #[test]
    fn names_become_camel_case() {
        assert_eq!(camel_case("get"), "get");
        assert_eq!(camel_case("next_ready"), "nextReady");
        assert_eq!(camel_case("get_by_path"), "getByPath");
    }
}
