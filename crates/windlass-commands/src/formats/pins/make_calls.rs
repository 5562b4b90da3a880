//! Finds the makes that the recipes of a makefile start: `$(MAKE) -C lib`, `cd lib && make`.

use super::super::make_lines::logical_lines;

/// A call of make.
#[derive(Debug, PartialEq, Eq)]
pub struct Call {
    pub line: usize,
    /// The folders that it changes to, one after the other.
    pub folders: Vec<String>,
    /// The makefiles that it names.
    pub files: Vec<String>,
}

/// The words of a text without their quotes. A reference such as `$(a b)` is one word.
pub fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut depth) = (Vec::new(), String::new(), 0_usize);
    let mut previous = ' ';
    for letter in text.chars() {
        match letter {
            '(' | '{' if previous == '$' || depth > 0 => depth += 1,
            ')' | '}' if depth > 0 => depth -= 1,
            _ => {}
        }
        if letter.is_whitespace() && depth == 0 {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
        } else if !['"', '\''].contains(&letter) {
            word.push(letter);
        }
        previous = letter;
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

pub fn calls(text: &str) -> Vec<Call> {
    let mut calls = Vec::new();
    let one_shell = text.contains(".ONESHELL");
    let mut folders: Vec<String> = Vec::new();
    for logical in logical_lines(text) {
        let line = logical.text.as_str();
        if !(one_shell && line.starts_with('\t')) {
            folders.clear();
        }
        if line.trim_start().starts_with('#') {
            continue;
        }
        for part in parts(line) {
            let words = words(part.trim_start_matches(['@', '-', '+', ' ', '\t', '(', '{']));
            if words
                .first()
                .is_some_and(|word| ["cd", "pushd"].contains(&word.as_str()))
            {
                folders.extend(words.get(1).map(|it| without_end(it)));
                continue;
            }
            let Some(start) = words
                .iter()
                .position(|word| is_reference(word))
                .or_else(|| command(&words))
            else {
                continue;
            };
            calls.push(call(logical.line, &folders, &words[start + 1..]));
        }
    }
    calls
}

/// The commands of a line, cut at the signs of the shell that separate them.
fn parts(line: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    let mut previous = ' ';
    for (at, letter) in line.char_indices() {
        match letter {
            '(' | '{' if previous == '$' || depth > 0 => depth += 1,
            ')' | '}' if depth > 0 => depth -= 1,
            ';' | '&' | '|' if depth == 0 => {
                parts.push(&line[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        previous = letter;
    }
    parts.push(&line[start..]);
    parts
}

fn is_reference(word: &str) -> bool {
    let word = word.trim_start_matches(['@', '-', '+', '(', '{']);
    ["$(MAKE)", "${MAKE}", "$(MAKE_COMMAND)", "${MAKE_COMMAND}"]
        .iter()
        .any(|name| word.starts_with(name))
}

/// The place of `make` where a command begins, after words of the shell and assignments.
fn command(words: &[String]) -> Option<usize> {
    const BEFORE: &[&str] = &[
        "then", "do", "else", "if", "while", "until", "!", "time", "exec", "env", "command", "nice",
    ];
    let skipped = |word: &&String| BEFORE.contains(&word.as_str()) || word.contains('=');
    let place = words.iter().take_while(skipped).count();
    let word = words.get(place)?.trim_start_matches(['@', '-', '+', '(']);
    let name = word.rsplit('/').next().unwrap_or_default();
    ["make", "gmake"].contains(&name).then_some(place)
}

/// A word without the bracket that ends a subshell.
fn without_end(word: &str) -> String {
    let opened = word.matches('(').count();
    let closed = word.matches(')').count();
    let end = if closed > opened {
        word.trim_end_matches(')')
    } else {
        word
    };
    end.to_owned()
}

fn call(line: usize, before: &[String], args: &[String]) -> Call {
    let mut call = Call {
        line,
        folders: before.to_vec(),
        files: Vec::new(),
    };
    let args: Vec<String> = args.iter().map(|word| without_end(word)).collect();
    let mut args = args.iter();
    while let Some(word) = args.next() {
        let mut value = |short: &str, longs: &[&str]| -> Option<String> {
            for long in longs {
                if let Some(rest) = word.strip_prefix(long) {
                    return match rest.strip_prefix('=') {
                        Some(value) => Some(value.to_owned()),
                        None if rest.is_empty() => args.next().cloned(),
                        None => None,
                    };
                }
            }
            let rest = word
                .strip_prefix(short)
                .filter(|_| !word.starts_with("--"))?;
            match rest {
                "" => args.next().cloned(),
                rest => Some(rest.to_owned()),
            }
        };
        if let Some(folder) = value("-C", &["--directory"]) {
            call.folders.push(folder);
        } else if let Some(file) = value("-f", &["--file", "--makefile"]) {
            // A makefile that names itself is pinned already.
            if !file.contains("MAKEFILE_LIST") {
                call.files.push(file);
            }
        }
    }
    call
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, folders: &[&str], files: &[&str]) {
        let found = calls(line);
        assert_eq!(found.len(), 1, "{line}: {found:?}");
        assert_eq!(found[0].folders, folders, "{line}");
        assert_eq!(found[0].files, files, "{line}");
    }

    #[test]
    fn calls_with_folders_and_files() {
        check("\t$(MAKE) other", &[], &[]);
        check("\t@$(MAKE) -C lib all", &["lib"], &[]);
        check("\t+${MAKE} -Clib -f x.mk", &["lib"], &["x.mk"]);
        check("\tcd a && $(MAKE) --directory=b", &["a", "b"], &[]);
        check("\t(cd \"a\"; make --makefile x)", &["a"], &["x"]);
        check("\tX=1 make -C $(DIR)", &["$(DIR)"], &[]);
        check("\tfor d in a b; do $(MAKE) -C $$d; done", &["$$d"], &[]);
        check("\t$(MAKE) -f $(lastword $(MAKEFILE_LIST)) x", &[], &[]);
        check("sub: ; $(MAKE) -C x", &["x"], &[]);
        check("\tif x; then make -C y; fi", &["y"], &[]);
        check("SUB = $(MAKE) -C z", &["z"], &[]);
    }

    #[test]
    fn texts_that_only_mention_make() {
        for line in [
            "\techo make -C x",
            "# $(MAKE) -C x",
            "make: x",
            "\tcmake -C x",
        ] {
            let found = calls(line);
            let harmless = found
                .iter()
                .all(|it| it.folders.is_empty() && it.files.is_empty());
            assert!(harmless, "{line}: {found:?}");
        }
        let text = ".ONESHELL:\na:\n\tcd x\n\tmake\n";
        assert_eq!(calls(text).last().unwrap().folders, ["x"]);
    }
}
