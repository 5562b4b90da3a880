//! The lines that a git hook runs, and how they get into a script and out of it again.
//!
//! Nothing here touches a file. What was inserted is removed byte for byte.

use std::path::Path;

use crate::surface::cli::quote::quote;

/// The hooks, in the order in which git runs them.
pub const HOOKS: [&str; 4] = ["pre-commit", "post-merge", "post-checkout", "post-rewrite"];

/// The shells whose scripts can have further lines.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "ash", "ksh", "zsh"];

/// Where a hook that is not a shell script is kept while Windlass's script stands in its place.
pub const KEPT: &str = "before-windlass";

/// What a hook is to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call<'a> {
    /// The absolute path of the program: a name would be looked up on a search path that the project or
    /// a graphical client decides about.
    pub program: &'a Path,
    /// The project's folder, relative to the top of the repository, if it is not the top.
    pub folder: Option<&'a str>,
    /// Whether a failure stops the commit.
    pub strict: bool,
}

/// What a script is to Windlass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// It has none of its lines.
    Nothing,
    /// Nothing else is in it.
    OnlyOurs,
    /// Its lines stand in a script of somebody else.
    Inserted,
    /// It stands in the place of a hook that is kept beside it.
    InPlace,
}

const OWN_HEAD: &str = "#!/bin/sh\n";

fn begin(folder: Option<&str>) -> String {
    match folder {
        Some(folder) => format!("# >>> windlass in {folder} >>>"),
        None => "# >>> windlass >>>".to_owned(),
    }
}

fn end(folder: Option<&str>) -> String {
    begin(folder).replace(">>>", "<<<")
}

/// The lines of one hook.
pub fn lines(hook: &str, call: &Call<'_>) -> String {
    let program = call.program.display().to_string();
    let program = always_quoted(&program);
    let folder = match call.folder {
        Some(folder) => format!(" -C {}", quote(folder)),
        None => String::new(),
    };
    let (strict, otherwise) = if call.strict && hook == "pre-commit" {
        (" --strict", "exit 1")
    } else {
        ("", ":")
    };
    format!(
        "{begin} (`windlass hook uninstall` removes these lines)\n\
         if [ -x {program} ]; then\n  \
           {program}{folder} hook run {hook}{strict} </dev/null || {otherwise}\n\
         fi\n\
         {end}\n",
        begin = begin(call.folder),
        end = end(call.folder),
    )
}

/// A script with only these lines.
pub fn own_script(hook: &str, call: &Call<'_>) -> String {
    format!("{OWN_HEAD}{}", lines(hook, call))
}

/// A script that runs these lines, and then the hook that is kept beside it.
pub fn script_in_place(hook: &str, call: &Call<'_>) -> String {
    format!(
        "{OWN_HEAD}{}# Your own hook is kept beside this one, and runs now.\n\
         if [ -x \"$0.{KEPT}\" ]; then exec \"$0.{KEPT}\" \"$@\"; fi\n",
        lines(hook, call)
    )
}

/// The script with the lines after its first, which names its shell. They come first because a script
/// may end early; they change nothing that it could see. None if it is not a shell script.
pub fn insert(script: &[u8], hook: &str, call: &Call<'_>) -> Option<Vec<u8>> {
    let head = script.iter().position(|byte| *byte == b'\n')? + 1;
    if !is_shell(&script[..head]) {
        return None;
    }
    let mut whole = script[..head].to_vec();
    whole.extend_from_slice(lines(hook, call).as_bytes());
    whole.extend_from_slice(&script[head..]);
    Some(whole)
}

/// The script without the lines of this project. None if it has none.
pub fn remove(script: &[u8], folder: Option<&str>) -> Option<Vec<u8>> {
    let (from, to) = place(script, folder)?;
    Some([&script[..from], &script[to..]].concat())
}

/// What the script is to the project.
pub fn found(script: &[u8], folder: Option<&str>) -> Found {
    let Some(rest) = remove(script, folder) else {
        return Found::Nothing;
    };
    if rest == OWN_HEAD.as_bytes() {
        return Found::OnlyOurs;
    }
    let kept = format!("exec \"$0.{KEPT}\"");
    let is_in_place = rest.starts_with(OWN_HEAD.as_bytes()) && contains(&rest, kept.as_bytes());
    if is_in_place {
        Found::InPlace
    } else {
        Found::Inserted
    }
}

/// From where to where the lines are.
fn place(script: &[u8], folder: Option<&str>) -> Option<(usize, usize)> {
    let from = find_line(script, begin(folder).as_bytes(), 0)?;
    let last = find_line(script, end(folder).as_bytes(), from)?;
    let to = script[last..].iter().position(|byte| *byte == b'\n');
    Some((from, to.map_or(script.len(), |to| last + to + 1)))
}

/// The first line that begins so.
fn find_line(script: &[u8], start: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    for line in script[from..].split_inclusive(|byte| *byte == b'\n') {
        let rest = line.strip_prefix(start);
        if rest.is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace)) {
            return Some(at);
        }
        at += line.len();
    }
    None
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Whether a first line names a shell, directly or through env.
fn is_shell(head: &[u8]) -> bool {
    let Some(line) = std::str::from_utf8(head).ok() else {
        return false;
    };
    let Some(command) = line.strip_prefix("#!") else {
        return false;
    };
    if command.contains('\r') {
        return false;
    }
    let mut words = command.split_whitespace();
    let name = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
    let mut program = words.next().map(name).unwrap_or_default();
    if program == "env" {
        let mut rest = words.filter(|word| !word.starts_with('-'));
        program = rest.next().map(name).unwrap_or_default();
    }
    SHELLS.contains(&program.as_str())
}

fn always_quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call() -> Call<'static> {
        Call {
            program: Path::new("/opt/it's/windlass"),
            folder: None,
            strict: false,
        }
    }

    #[test]
    fn what_is_inserted_is_removed_byte_for_byte() {
        for script in [
            "#!/bin/sh\n",
            "#!/bin/sh\nexit 0\n",
            "#!/usr/bin/env bash\nset -eu\nlint",
            "#!/usr/bin/env -S bash -e\n\n\nlint\r\n\0",
            "#! /bin/dash -e\nlint\n",
        ] {
            let with = insert(script.as_bytes(), "pre-commit", &call()).expect(script);
            assert_ne!(with, script.as_bytes());
            let expected = if script == OWN_HEAD {
                Found::OnlyOurs
            } else {
                Found::Inserted
            };
            assert_eq!(found(&with, None), expected, "{script}");
            assert_eq!(remove(&with, None).expect("removed"), script.as_bytes());
            assert_eq!(remove(script.as_bytes(), None), None);
        }
    }

    #[test]
    fn what_is_not_a_shell_script_is_left_alone() {
        for script in [
            "",
            "#!/bin/sh",
            "lint\n",
            "#!/usr/bin/python3\nprint()\n",
            "#!/usr/bin/env node\nx\n",
            "#!/bin/sh\r\nlint\r\n",
            "\x7fELF\n",
        ] {
            assert_eq!(
                insert(script.as_bytes(), "pre-commit", &call()),
                None,
                "{script}"
            );
        }
        let script = script_in_place("pre-commit", &call());
        assert_eq!(found(script.as_bytes(), None), Found::InPlace);
    }

    #[test]
    fn two_projects_of_one_repository_do_not_mix() {
        let web = Call {
            folder: Some("web"),
            strict: true,
            ..call()
        };
        let one = own_script("pre-commit", &call());
        let both = insert(one.as_bytes(), "pre-commit", &web).expect("inserted");
        assert_eq!(remove(&both, Some("web")).expect("removed"), one.as_bytes());
        assert_eq!(remove(&both, Some("we")), None);
        let rest = remove(&both, None).expect("removed");
        assert_eq!(rest, own_script("pre-commit", &web).as_bytes());
        assert_eq!(found(&rest, Some("web")), Found::OnlyOurs);
        assert!(String::from_utf8_lossy(&rest).contains("-C web hook run pre-commit --strict"));
    }
}
