//! In which folder a script expects to be started: its own, or the root of the repository. Scripts
//! say so by the paths that they name.

use std::collections::BTreeSet;

use crate::paths;
use crate::source::FileSource;

/// More words than this of one script are not looked up.
const MAX_WORDS: usize = 400;

/// Programs that read a file of the folder in which they are started, and those files.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("make", &["Makefile", "makefile", "GNUmakefile"]),
    (
        "docker-compose",
        &[
            "compose.yaml",
            "compose.yml",
            "docker-compose.yml",
            "docker-compose.yaml",
        ],
    ),
    ("rake", &["Rakefile"]),
    ("mvn", &["pom.xml"]),
];

/// The folder, which is `own` or the root: the root if the script names things that exist only from
/// there, and fewer that exist only from its own folder.
pub fn expected(text: &str, own: &str, source: &dyn FileSource) -> String {
    if own.is_empty() || finds_itself(text) {
        return own.to_owned();
    }
    let (mut from_root, mut from_own) = (0, 0);
    let exists = |folder: &str, written: &str| {
        let path = paths::resolve(folder, written);
        path.is_some_and(|path| {
            source.exists(&path) || (!path.is_empty() && source.has_folder(&path))
        })
    };
    for word in words(text) {
        match (exists("", word), exists(own, word)) {
            (true, false) => from_root += 1,
            (false, true) => from_own += 1,
            _ => {}
        }
    }
    for (program, files) in PROGRAMS {
        if starts(text, program) {
            let any = |folder: &str| files.iter().any(|file| exists(folder, file));
            from_root += usize::from(any("") && !any(own));
            from_own += usize::from(any(own) && !any(""));
        }
    }
    if from_root > from_own {
        String::new()
    } else {
        own.to_owned()
    }
}

/// Whether the script changes to a folder of its own choice before anything else matters.
fn finds_itself(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_start);
    lines.any(|line| {
        let changes = line.starts_with("cd ") || line.starts_with("pushd ");
        let own = [
            "dirname",
            "$0",
            "${0",
            "BASH_SOURCE",
            "show-toplevel",
            "%/*",
        ];
        changes && own.iter().any(|it| line.contains(it))
    })
}

/// The words that may be relative paths.
fn words(text: &str) -> BTreeSet<&str> {
    let ends = |it: char| it.is_whitespace() || "\"'`;|&()<>=,:".contains(it);
    let plain = |it: char| it.is_alphanumeric() || "-_./+@".contains(it);
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'));
    lines
        .flat_map(|line| line.split(ends))
        .map(|word| word.trim_end_matches('/'))
        .filter(|word| {
            let named =
                word.contains('/') || paths::ending_of(word).chars().any(char::is_alphabetic);
            named && !word.starts_with(['/', '-', '.']) && word.chars().all(plain)
                || word.starts_with("./") && word.len() > 2 && word.chars().all(plain)
                || word.starts_with("../") && word.chars().all(plain)
        })
        .take(MAX_WORDS)
        .collect()
}

/// Whether a line begins with the program.
fn starts(text: &str, program: &str) -> bool {
    text.lines().any(|line| {
        let first = line.trim_start().split([' ', ';']).next();
        first == Some(program)
    })
}

#[cfg(test)]
mod tests {
    use super::expected;
    use crate::source::MemorySource;

    #[test]
    fn the_folder_follows_from_the_paths_that_a_script_names() {
        let source = MemorySource::default()
            .with("Cargo.toml", "")
            .with("src/main.rs", "")
            .with("Makefile", "")
            .with("scripts/data.txt", "")
            .with("scripts/lib/x.sh", "");
        for (text, folder) in [
            ("grep version Cargo.toml\n", ""),
            ("cat src/main.rs | wc\n", ""),
            ("cat ./src/main.rs\n", ""),
            ("ls src/\n", "scripts"),
            ("make all\n", ""),
            ("cat data.txt\n", "scripts"),
            (". lib/x.sh\n", "scripts"),
            ("cat ../Cargo.toml\n", "scripts"),
            ("cd \"$(dirname \"$0\")\"\ncat Cargo.toml\n", "scripts"),
            ("cd \"${BASH_SOURCE%/*}\" || exit\nmake\n", "scripts"),
            ("# Cargo.toml\necho\n", "scripts"),
            ("echo hello\n", "scripts"),
        ] {
            assert_eq!(expected(text, "scripts", &source), folder, "{text}");
        }
    }
}
