//! What a shell reads: the script, and the scripts that it sources.

use std::collections::HashSet;

use crate::paths;
use crate::pinner::{Pinner, Seal};
use crate::source::{FileContext, MAX_INCLUDES};

use super::super::script::is_shell;

/// The pins of a script that is started in that folder.
pub fn pin(context: &FileContext<'_>, cwd: &str) -> Seal {
    let mut reader = Reader {
        pinner: Pinner::new(context),
        visited: HashSet::new(),
        cwd: cwd.to_owned(),
    };
    reader.script(context.path, 0);
    reader.pinner.seal()
}

/// The pins of an executable that is no text.
pub fn pin_archive(context: &FileContext<'_>) -> Seal {
    let mut pinner = Pinner::new(context);
    pinner.hashed(context.path);
    pinner.seal()
}

struct Reader<'a> {
    pinner: Pinner<'a>,
    visited: HashSet<String>,
    /// Where the script is started.
    cwd: String,
}

impl Reader<'_> {
    fn script(&mut self, path: &str, depth: usize) {
        if !self.visited.insert(path.to_owned()) {
            return;
        }
        if depth > MAX_INCLUDES {
            let reason = format!("{path} is sourced more than {MAX_INCLUDES} levels deep");
            return self.pinner.unreadable(reason);
        }
        let Some(text) = self.pinner.whole(path) else {
            return;
        };
        // Other languages have other words for it, and what they load is the project's code.
        if !is_shell(path, &text) {
            return;
        }
        let own = own_folder_variables(&text);
        for (index, line) in text.lines().enumerate() {
            for written in sourced(line) {
                self.source(path, index + 1, &written, &own, depth);
            }
        }
    }

    fn source(&mut self, path: &str, line: usize, written: &str, own: &[String], depth: usize) {
        // Relative to the script's own folder, in the ways in which scripts write that.
        let beside = own
            .iter()
            .find_map(|name| {
                let braced = format!("${{{name}}}/");
                let plain = format!("${name}/");
                let rest = written.strip_prefix(&braced);
                rest.or_else(|| written.strip_prefix(&plain))
            })
            .or_else(|| after_own_folder(written));
        let (folder, name) = match beside {
            Some(rest) => (paths::folder_of(path).to_owned(), rest),
            None => (self.cwd.clone(), written),
        };
        if name.contains(['$', '`', '*', '?']) {
            let reason =
                format!("{path} (line {line}) sources a file whose name is computed: {written}");
            return self.pinner.unreadable(reason);
        }
        // Without a slash, the shell may also look in `PATH`.
        if let Some(file) = self.pinner.resolve(path, &folder, name) {
            self.script(&file, depth + 1);
        }
    }
}

/// Whether a script reads files relative to the folder in which it is started.
pub fn depends_on_folder(text: &str) -> bool {
    let own = own_folder_variables(text);
    text.lines().flat_map(sourced).any(|written| {
        let known = own.iter().any(|name| {
            written.starts_with(&format!("${name}/"))
                || written.starts_with(&format!("${{{name}}}/"))
        });
        !known && after_own_folder(&written).is_none() && !written.starts_with('/')
    })
}

/// The files of `. file` and `source file`, wherever on the line a command may begin.
fn sourced(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    if line.trim_start().starts_with('#') {
        return found;
    }
    for word in ["source", "."] {
        for (at, _) in line.match_indices(word) {
            let before = line[..at].trim_end();
            let after = &line[at + word.len()..];
            let begins = before.is_empty()
                || before.ends_with([';', '&', '|', '(', '{', '!'])
                || ["then", "do", "else", "builtin", "command"]
                    .iter()
                    .any(|it| before.split_whitespace().next_back() == Some(it));
            let separate =
                line[..at].is_empty() || line[..at].ends_with([' ', '\t', ';', '&', '|', '(', '{']);
            if begins && separate && after.starts_with([' ', '\t']) {
                found.extend(argument(after.trim_start()));
            }
        }
    }
    found
}

/// The first word, in which quotes and `$(…)` keep blanks together.
fn argument(text: &str) -> Option<String> {
    let (mut word, mut depth, mut quote, mut previous) = (String::new(), 0_usize, None, ' ');
    for letter in text.chars() {
        match letter {
            '(' if previous == '$' || depth > 0 => depth += 1,
            ')' if depth > 0 => depth -= 1,
            '"' | '\'' if depth == 0 && quote.is_none() => {
                quote = Some(letter);
                previous = letter;
                continue;
            }
            _ if depth == 0 && quote == Some(letter) => {
                quote = None;
                previous = letter;
                continue;
            }
            ' ' | '\t' | ';' | '&' | '|' | ')' | '<' | '>' if depth == 0 && quote.is_none() => {
                break;
            }
            _ => {}
        }
        word.push(letter);
        previous = letter;
    }
    (!word.is_empty() && word != "=" && !word.starts_with('-')).then_some(word)
}

/// Whether the text is a way to write the script's own folder.
fn is_own_folder(text: &str) -> bool {
    let text: String = text
        .chars()
        .filter(|it| !['"', '\'', ' '].contains(it))
        .collect();
    let file = [
        "$0",
        "${0}",
        "$BASH_SOURCE",
        "${BASH_SOURCE}",
        "${BASH_SOURCE[0]}",
    ];
    file.iter().any(|file| {
        let folder = format!("$(dirname{file})");
        let dashes = format!("$(dirname--{file})");
        text == folder
            || text == dashes
            || text == file.replace('}', "%/*}")
            || [folder, dashes].iter().any(|folder| {
                text == format!("$(cd{folder}&&pwd)")
                    || text == format!("$(cd--{folder}&&pwd)")
                    || text == format!("$(cd{folder}&&pwd-P)")
                    || text == format!("$(cd--{folder}&&pwd-P)")
                    || text == format!("$(cd{folder}&>/dev/null&&pwd)")
                    || text == format!("$(cd{folder}>/dev/null&&pwd)")
                    || text == format!("$(cd{folder}>/dev/null2>&1&&pwd)")
            })
    })
}

/// The rest of a path that begins with the script's own folder.
fn after_own_folder(written: &str) -> Option<&str> {
    let slashes = written.match_indices('/').map(|(at, _)| at);
    let mut from_the_end = slashes.rev();
    let found = from_the_end.find(|at| is_own_folder(&written[..*at]));
    found.map(|at| &written[at + 1..])
}

/// Variables that are set once, to the script's own folder.
fn own_folder_variables(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut spoilt: HashSet<&str> = HashSet::new();
    for line in text.lines() {
        let line = line.trim();
        let line = ["export ", "readonly ", "local ", "declare -r "]
            .iter()
            .fold(line, |line, word| line.strip_prefix(word).unwrap_or(line));
        let Some((name, value)) = line.split_once('=') else {
            continue;
        };
        if name.is_empty()
            || !name
                .chars()
                .all(|it| it.is_ascii_alphanumeric() || it == '_')
        {
            continue;
        }
        if is_own_folder(value) && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        } else {
            spoilt.insert(name);
        }
    }
    names.retain(|name| !spoilt.contains(name.as_str()));
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::MemorySource;

    fn check(text: &str, expected: &[&str]) {
        let source = MemorySource::default().with("ci/run.sh", text);
        let seal = pin(&FileContext::new("ci/run.sh", &source), "ci");
        let mut found: Vec<String> = seal
            .pins
            .files
            .iter()
            .skip(1)
            .map(|it| it.path.clone())
            .collect();
        found.extend(seal.pins.unreadable.clone());
        assert_eq!(found.len(), expected.len(), "{text}: {found:?}");
        for (one, part) in found.iter().zip(expected) {
            assert!(one.contains(part), "{text}: {found:?}");
        }
    }

    #[test]
    fn sourced_files_are_found() {
        check(". ./lib.sh\n", &["ci/lib.sh"]);
        check("set -e; source '../lib.sh' x\n", &["lib.sh"]);
        check("[ -f x ] && . x\n", &["ci/x"]);
        check("if true; then . x; fi\n", &["ci/x"]);
        check("source \"$(dirname \"$0\")/lib.sh\"\n", &["ci/lib.sh"]);
        check(
            "source \"$(dirname \"${BASH_SOURCE[0]}\")/../lib.sh\"\n",
            &["lib.sh"],
        );
        check(
            "D=\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\"\n. \"$D/a.sh\"\n. ${D}/b.sh\n",
            &["ci/a.sh", "ci/b.sh"],
        );
        check(
            "D=$(dirname $0)\nD=/tmp\n. $D/a.sh\n",
            &["computed: $D/a.sh"],
        );
        check(". \"$X\"\n", &["computed"]);
        check(". /etc/os-release\n", &["outside"]);
        check("# . x\necho . x\ncp a . b\ngo test ./...\n", &[]);
    }
}
