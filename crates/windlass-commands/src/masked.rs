//! Texts of settings without their secrets. A secret is replaced by its hash, so that a change of it
//! still changes the text.

use std::sync::Arc;

use crate::command::fingerprint;

/// Parts of keys whose values are secret.
const SECRET: &[&str] = &[
    "auth",
    "credential",
    "passwd",
    "password",
    "secret",
    "token",
];

/// The text with the values of secret keys replaced by their hashes.
pub fn masked(text: &Arc<str>) -> Arc<str> {
    let lower = text.to_ascii_lowercase();
    if !SECRET.iter().any(|word| lower.contains(word)) {
        return Arc::clone(text);
    }
    let lines = text.split_inclusive('\n').map(masked_line);
    lines.collect::<String>().into()
}

fn masked_line(line: &str) -> String {
    let lower = line.to_ascii_lowercase();
    let word = SECRET.iter().filter_map(|word| lower.find(word)).min();
    let sign = word.and_then(|at| line[at..].find(['=', ':']).map(|sign| at + sign + 1));
    match sign {
        Some(start) if !line[start..].trim().is_empty() => {
            let ending = if line.ends_with('\n') { "\n" } else { "" };
            format!(
                "{} (SHA-256 {}){ending}",
                &line[..start],
                fingerprint(&line[start..])
            )
        }
        _ => line.to_owned(),
    }
}

/// The hash of a file of variables, and the names in it.
pub fn names_of_variables(text: &str) -> String {
    let names = text.lines().filter_map(|line| {
        let line = line.trim_start();
        let line = line.strip_prefix("export ").unwrap_or(line);
        let (name, _) = line.split_once('=')?;
        let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let name = name.trim();
        (!name.is_empty() && name.chars().all(plain)).then_some(name)
    });
    let names: Vec<&str> = names.collect();
    format!(
        "SHA-256 {}\nvariables: {}\n",
        fingerprint(text),
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_hashed_and_the_rest_stays() {
        let text: Arc<str> =
            "script-shell=./sh\n//host/:_authToken=abc\nnpmAuthToken: \"a=b\"\n".into();
        let shown = masked(&text);
        assert!(shown.starts_with("script-shell=./sh\n//host/:_authToken= (SHA-256 "));
        assert!(!shown.contains("abc") && !shown.contains("a=b"));
        let other = masked(&text.replace("abc", "abd").into());
        assert_ne!(shown, other);
        let plain: Arc<str> = "a=b\n".into();
        assert!(Arc::ptr_eq(&plain, &masked(&plain)));
    }

    #[test]
    fn variables_are_shown_by_name() {
        let shown = names_of_variables("A=1\n# c=2\nexport B_2 = x\n");
        assert!(shown.ends_with("\nvariables: A, B_2\n"), "{shown}");
    }
}
