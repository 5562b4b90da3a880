//! The table of methods that scripts are given.

use serde::{Deserialize, Serialize};

/// One method of the SDK.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Method {
    /// The object that it belongs to: `tasks`.
    pub namespace: String,
    /// Its name in snake case: `next_ready`. Scripts call it `nextReady`, and so they may.
    pub name: String,
    /// What arguments stand for that are not one object: with `["id"]`, `start(7)` means
    /// `start({id: 7})`.
    pub positional: Vec<String>,
}

impl Method {
    /// A method.
    pub fn new(namespace: &str, name: &str, positional: &[&str]) -> Self {
        Self {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            positional: positional.iter().map(|&name| name.to_owned()).collect(),
        }
    }

    /// By what the host knows it.
    pub fn full_name(&self) -> String {
        format!("{}.{}", self.namespace, self.name)
    }
}

/// `next_ready` as JavaScript would have it: `nextReady`.
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
