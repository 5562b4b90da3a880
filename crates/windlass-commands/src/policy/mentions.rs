//! Which files of a command mention a variable. A file that does may put its value anywhere, also
//! where a program is named.

use crate::command::Command;
use crate::runner::Runner;

/// The pinned file of the command that mentions the variable, or may do so by a computed name.
pub fn mentioning_file<'a>(command: &'a Command, name: &str) -> Option<&'a str> {
    let computed = command.runner == Runner::Make;
    let mentions = |text: &str| has_word(text, name) || (computed && may_compute(text, name));
    let mut files = command.pins.files.iter();
    files
        .find(|file| mentions(&file.text))
        .map(|file| file.path.as_str())
}

/// Whether one of the pinned files of the command contains the text.
pub fn any_file_contains(command: &Command, text: &str) -> bool {
    let mut files = command.pins.files.iter();
    files.any(|file| file.text.contains(text))
}

fn has_word(text: &str, name: &str) -> bool {
    let in_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    text.split(|letter| !in_word(letter))
        .any(|word| word == name)
}

/// Whether a makefile refers to variables by names that it computes, and this may be one of them:
/// `$($(1)_PORT)` may be `PORT` of something, and `.VARIABLES` lists all.
fn may_compute(text: &str, name: &str) -> bool {
    if has_word(text, "VARIABLES") && text.contains(".VARIABLES") {
        return true;
    }
    let fits = |(before, after): (&str, &str)| {
        name.len() >= before.len() + after.len()
            && name.starts_with(before)
            && name.ends_with(after)
    };
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        rest = &rest[at + 1..];
        // `$$` is a dollar sign for the shell.
        if let Some(after) = rest.strip_prefix('$') {
            rest = after;
        } else if let Some(inside) = rest.strip_prefix(['(', '{'])
            && computed_name(inside).is_some_and(fits)
        {
            return true;
        }
    }
    false
}

/// What a computed name begins and ends with: `A_` and `_B` of `A_$(x)_B)`. `None` if the name is
/// not computed. `rest` begins after the opening parenthesis.
fn computed_name(rest: &str) -> Option<(&str, &str)> {
    let ends = |letter: char| letter.is_whitespace() || ":,)}=".contains(letter);
    let dollar = rest.find(|letter| letter == '$' || ends(letter))?;
    if !rest[dollar..].starts_with('$') {
        return None;
    }
    let before = &rest[..dollar];
    let (mut depth, mut after) = (0_usize, rest.len());
    for (at, letter) in rest.char_indices().skip_while(|(at, _)| *at < dollar) {
        match letter {
            '(' | '{' => depth += 1,
            ')' | '}' if depth > 0 => {
                depth -= 1;
                after = at + 1;
            }
            _ if depth == 0 && ends(letter) => {
                return Some((before, rest.get(after..at).unwrap_or_default()));
            }
            _ => {}
        }
    }
    // Never closed, or a name like `$x`: it may be anything.
    Some((before, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mentions(runner: Runner, text: &str, name: &str) -> bool {
        let command = Command::new("file", runner, "x", text).sealed();
        mentioning_file(&command, name) == Some("file")
    }

    #[test]
    fn words_and_computed_names() {
        for (text, name, expected) in [
            ("x:\n\t$(CI) build", "CI", true),
            ("x:\n\t${CI} build", "CI", true),
            ("CI ?= sh", "CI", true),
            ("ifdef CI\nendif", "CI", true),
            ("x:\n\t$$CI build", "CI", true),
            ("x: $(call CI,1)", "CI", true),
            ("x:\n\techo CIRCLE _CI CI_", "CI", false),
            ("x:\n\t$($(1)_ENV) y", "NODE_ENV", true),
            ("x:\n\t$(NODE_$(1)) y", "NODE_ENV", true),
            ("x:\n\t${${1}_ENV:a=b} y", "NODE_ENV", true),
            ("x:\n\t$($(1)_SRCS) y", "NODE_ENV", false),
            ("x:\n\t$(A_$(1)) y", "NODE_ENV", false),
            ("x:\n\t$($(1)) y", "NODE_ENV", true),
            ("x:\n\t$(foreach v,$(LIST),$v)", "NODE_ENV", false),
            ("x:\n\t$(foreach v,$(.VARIABLES),$v)", "NODE_ENV", true),
            ("x:\n\t$(shell echo $(A))", "NODE_ENV", false),
            ("x:\n\t$$($(TOOL) --version) $$$(A)", "NODE_ENV", false),
            ("x:\n\t$($", "NODE_ENV", true),
        ] {
            assert_eq!(mentions(Runner::Make, text, name), expected, "{text}");
        }
        assert!(!mentions(Runner::Npm, "echo $($(1))", "NODE_ENV"));
    }
}
