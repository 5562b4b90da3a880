//! Replaces `${name}` in strings.

/// The environment variable through which commands receive a playbook variable.
pub fn environment_name(variable: &str) -> String {
    format!("WINDLASS_VAR_{variable}")
}

/// Replaces each `${name}` by `value(name)`. `$${` becomes `${`. Anything between the braces that
/// is not just a name, such as `${x:-y}`, belongs to the shell and stays.
pub fn expand<E>(
    text: &str,
    mut value: impl FnMut(&str) -> Result<String, E>,
) -> Result<String, E> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        if rest[..at].ends_with('$') {
            out.push_str(&rest[..at - 1]);
            out.push_str("${");
            rest = &rest[at + 2..];
            continue;
        }
        out.push_str(&rest[..at]);
        let inside = &rest[at + 2..];
        match inside.split_once('}') {
            Some((name, after)) if crate::spec::is_environment_name(name) => {
                out.push_str(&value(name)?);
                rest = after;
            }
            _ => {
                out.push_str("${");
                rest = inside;
            }
        }
    }
    out.push_str(rest);
    Ok(out)
}

/// The variable names in `text`.
pub fn names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let noted: Result<String, std::convert::Infallible> = expand(text, |name| {
        names.push(name.to_owned());
        Ok(String::new())
    });
    drop(noted);
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_are_replaced() {
        for (text, expected) in [
            ("a ${x} b ${y}", "a <x> b <y>"),
            ("${x}${x}", "<x><x>"),
            ("$${x} $$${x}", "${x} $${x}"),
            ("${x:-y} ${#x} ${} $x {x} $", "${x:-y} ${#x} ${} $x {x} $"),
            ("${x", "${x"),
            ("${a b} ${x}", "${a b} <x>"),
            ("", ""),
        ] {
            let expanded: Result<String, ()> = expand(text, |name| Ok(format!("<{name}>")));
            assert_eq!(expanded.unwrap(), expected, "{text}");
        }
        assert_eq!(names("${x} $${y} ${z}"), ["x", "z"]);
        assert_eq!(expand("${x}", |_| Err("no")), Err("no"));
    }
}
