//! CMake: custom targets, built in the folder `build` of the top-level project.

use crate::command::ArgumentStyle;
use crate::data::Lines;
use crate::paths;
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::pins;

const NO_ARGUMENTS: &str = "cmake would interpret each further argument as an option";
const CALL: &str = "add_custom_target";

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let mut found = Found::default();
    let lines = Lines::new(text);
    let top = paths::ancestors(context.folder())
        .filter(|folder| {
            context
                .source
                .exists(&paths::join_display(folder, "CMakeLists.txt"))
        })
        .last()
        .unwrap_or(context.folder());
    let calls = calls(text);
    if calls.is_empty() {
        return found;
    }
    let seal = pins::cmake::pin(context, top);
    for (position, words, definition) in calls {
        let Some((name, rest)) = words.split_first() else {
            let message = format!("`{CALL}` is not closed or has no name");
            found.problem(context.path, lines.of(position), message);
            continue;
        };
        if name.contains('$') || found.has(name) {
            continue;
        }
        let comment = rest.iter().position(|word| word == "COMMENT");
        let mut command = context
            .command(Runner::Cmake, name, definition)
            .with_args(["--build", "build", "--target", name])
            .at(lines.of(position))
            .described(comment.and_then(|at| rest.get(at + 1)).cloned())
            .taking(ArgumentStyle::Refused(NO_ARGUMENTS));
        top.clone_into(&mut command.invocation.cwd);
        found.push(command, &seal);
    }
    found
}

/// Every call: its line, its words, and its text.
fn calls(text: &str) -> Vec<(usize, Vec<String>, &str)> {
    let mut calls = Vec::new();
    let mut position = 0;
    while position < text.len() {
        let rest = &text[position..];
        if rest.starts_with('#') {
            position += comment_end(rest);
        } else if rest.starts_with('"') {
            position += string_end(rest);
        } else if let Some(call) = opening(rest) {
            let (words, length) = words(&rest[call..]);
            calls.push((position, words, &rest[..call + length]));
            position += call + length;
        } else {
            position += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    calls
}

/// The length of `add_custom_target (`, ignoring case.
fn opening(text: &str) -> Option<usize> {
    let head = text.get(..CALL.len())?;
    if !head.eq_ignore_ascii_case(CALL) {
        return None;
    }
    let rest = text[CALL.len()..].trim_start();
    rest.starts_with('(').then(|| text.len() - rest.len() + 1)
}

pub fn comment_end(text: &str) -> usize {
    if text.starts_with("#[[") {
        return text.find("]]").map_or(text.len(), |end| end + 2);
    }
    text.find('\n').map_or(text.len(), |end| end + 1)
}

pub fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The words up to the closing parenthesis; none if it is missing.
pub fn words(text: &str) -> (Vec<String>, usize) {
    let (mut words, mut word, mut depth, mut at) = (Vec::new(), String::new(), 1_usize, 0);
    while let Some(letter) = text[at..].chars().next() {
        let mut length = letter.len_utf8();
        match letter {
            '"' => {
                length = string_end(&text[at..]);
                word.push_str(text[at + 1..at + length].trim_end_matches('"'));
            }
            '#' => length = comment_end(&text[at..]),
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if letter.is_whitespace() => {}
            _ => word.push(letter),
        }
        at += length;
        if (letter.is_whitespace() || depth == 0) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if depth == 0 {
            return (words, at);
        }
    }
    (Vec::new(), text.len())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{names, problems, read, read_alone, rows};
    use crate::source::MemorySource;

    #[test]
    fn custom_targets() {
        let found = read_alone(
            "CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.20)\r\n# add_custom_target(no)\r\n#[[\r\nadd_custom_target(neither)\r\n]]\r\nmessage(\"add_custom_target(nor)\")\r\nadd_custom_target(format ALL\r\n  COMMAND clang-format -i (a) # why )\r\n  COMMENT \"Format \\\"all\\\" (now)\"\r\n  VERBATIM)\r\nADD_CUSTOM_TARGET( docs )\r\nadd_custom_target(${NAME})\r\n",
        );
        assert_eq!(names(&found), ["format", "docs"]);
        assert_eq!(
            found.commands[0].display(),
            "cmake --build build --target format"
        );
        assert!(
            found.commands[0]
                .description
                .as_deref()
                .unwrap()
                .starts_with("Format")
        );
        assert_eq!(found.commands[0].line, 7);
    }

    #[test]
    fn targets_of_subfolders_are_built_from_the_top() {
        let source = MemorySource::default()
            .with("CMakeLists.txt", "add_subdirectory(lib)")
            .with(
                "lib/CMakeLists.txt",
                "add_custom_target(bench COMMENT Bench)",
            );
        let found = read(&source, "lib/CMakeLists.txt");
        assert_eq!(
            rows(&found),
            ["bench | cmake --build build --target bench | Bench"]
        );
        assert_eq!(found.commands[0].invocation.cwd, "");
        assert_eq!(found.commands[0].full_name(), "lib/bench");
    }

    #[test]
    fn broken() {
        let found = read_alone("CMakeLists.txt", "\nadd_custom_target(x COMMENT \"ü");
        assert_eq!(
            problems(&found),
            ["CMakeLists.txt:2 `add_custom_target` is not closed or has no name"]
        );
    }
}
