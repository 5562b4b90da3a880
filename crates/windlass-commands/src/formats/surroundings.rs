//! What else determines what a command does: the settings and variables of its files, and the
//! commands that it depends on. A grant is pinned to them too.

use std::collections::{BTreeSet, HashMap};

use crate::command::fingerprint;

/// A command with more dependencies than this is pinned to all definitions.
const MAX_DEPENDENCIES: usize = 200;

/// A definition in a set of files.
pub struct Part<'a> {
    pub name: &'a str,
    pub text: &'a str,
    /// The names that it depends on; `None` if only the runner can determine them. Names that are
    /// not in the set are ignored.
    pub needs: Option<Vec<&'a str>>,
}

/// The surroundings of each part, in their order. `shared` is the text that belongs to no part.
pub fn surroundings(shared: &str, parts: &[Part<'_>]) -> Vec<String> {
    let shared = fingerprint(shared);
    let texts: Vec<String> = parts.iter().map(|part| fingerprint(part.text)).collect();
    let all = fingerprint(&texts.concat());
    let places: HashMap<&str, usize> = parts
        .iter()
        .enumerate()
        .map(|(place, part)| (part.name, place))
        .collect();
    let of = |place: usize| match reach(parts, &places, place) {
        Some(needed) => needed.into_iter().map(|it| texts[it].as_str()).collect(),
        None => all.clone(),
    };
    (0..parts.len())
        .map(|place| format!("{shared}\n{}", of(place)))
        .collect()
}

/// The parts that one depends on, including itself; `None` if that cannot be determined.
fn reach(
    parts: &[Part<'_>],
    places: &HashMap<&str, usize>,
    from: usize,
) -> Option<BTreeSet<usize>> {
    let mut reached = BTreeSet::from([from]);
    let mut open = vec![from];
    while let Some(place) = open.pop() {
        for name in parts[place].needs.as_ref()? {
            if let Some(&needed) = places.get(name)
                && reached.insert(needed)
            {
                open.push(needed);
            }
        }
        if reached.len() > MAX_DEPENDENCIES {
            return None;
        }
    }
    Some(reached)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_first(shared: &str, texts: [&str; 4]) -> String {
        let needs = [
            Some(vec!["b", "file.c"]),
            Some(vec!["c", "a"]),
            None,
            Some(vec![]),
        ];
        let parts: Vec<Part<'_>> = ["a", "b", "c", "d"]
            .into_iter()
            .zip(texts)
            .zip(needs)
            .map(|((name, text), needs)| Part { name, text, needs })
            .collect();
        let all = surroundings(shared, &parts);
        // The last part depends on nothing.
        format!("{} {}", all[0], all[3])
    }

    #[test]
    fn surroundings_change_with_dependencies_only() {
        let base = of_first("X = 1", ["a", "b", "c", "d"]);
        assert_eq!(base, of_first("X = 1", ["a", "b", "c", "d"]));
        for other in [
            of_first("X = 2", ["a", "b", "c", "d"]),
            of_first("X = 1", ["a", "evil", "c", "d"]),
            of_first("X = 1", ["a", "b", "evil", "d"]),
            // The third part may depend on anything.
            of_first("X = 1", ["a", "b", "c", "evil"]),
        ] {
            assert_ne!(base, other);
        }
        let alone = |text: &str| text.split_once(' ').map(|it| it.1.to_owned());
        let other = of_first("X = 1", ["evil", "evil", "evil", "d"]);
        assert_eq!(alone(&base), alone(&other));
    }
}
