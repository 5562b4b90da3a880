//! The templates of Taskfiles, as far as they are known without running anything: the system, and
//! variables that are plain texts.

use crate::data::{Node, Value};

/// The text with what is known replaced; the rest stays as it is.
pub fn filled(text: &str, root: &Node) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((inner, next)) = after.split_once("}}") else {
            break;
        };
        out.push_str(before);
        match value(inner.trim_matches(['-', ' ']), root) {
            Some(value) => out.push_str(&value),
            None => out.extend(["{{", inner, "}}"]),
        }
        rest = next;
    }
    out.push_str(rest);
    out
}

fn value(name: &str, root: &Node) -> Option<String> {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    match name {
        "OS" => return Some(system.to_owned()),
        "ARCH" => return Some(processor.to_owned()),
        "exeExt" => return Some(std::env::consts::EXE_SUFFIX.to_owned()),
        _ => {}
    }
    let variable = name.strip_prefix('.')?;
    match &root.at(&["vars", variable])?.value {
        Value::Text(text) if !text.contains("{{") => Some(text.clone()),
        Value::Number(number) => Some(number.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::filled;
    use crate::data::read_yaml;

    #[test]
    fn known_values_are_filled_in() {
        let root = read_yaml("vars: {A: x, B: {sh: y}, C: '{{.A}}', N: 3}\n").unwrap();
        let system = std::env::consts::OS.replace("macos", "darwin");
        for (text, expected) in [
            ("./T_{{OS}}.yml", format!("./T_{system}.yml")),
            ("{{.A}}/{{ .N }}", "x/3".to_owned()),
            ("{{.B}} {{.C}} {{.D}}", "{{.B}} {{.C}} {{.D}}".to_owned()),
            ("a{{exeExt}}", "a".to_owned()),
            ("{{open", "{{open".to_owned()),
        ] {
            assert_eq!(filled(text, &root), expected);
        }
    }
}
