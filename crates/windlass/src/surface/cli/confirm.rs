//! The confirmation before something is deleted. Only people are asked: without a terminal nobody
//! can answer, and the operation runs.

use std::ffi::OsString;
use std::io::{BufRead, IsTerminal};

use clap::ArgMatches;
use windlass_ops::{Effect, Entry};

use super::{output, quote, render::escape, tree};

/// How much of the command line the question shows; a batch can be long.
const LONGEST: usize = 200;

/// Whether to run the operation.
pub fn confirm(entry: &Entry, matches: &ArgMatches, words: &[OsString]) -> bool {
    if entry.declaration.effect != Effect::Destructive || matches.get_flag(tree::YES) {
        return true;
    }
    !can_ask() || ask(&question(&entry.declaration.command_words(), words))
}

/// Whether a person can be asked on the terminal.
pub fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks the person. An empty answer means no.
pub fn ask(question: &str) -> bool {
    output::ask(question);
    let mut answer = String::new();
    // A terminal that cannot be read counts as no.
    let read = std::io::stdin().lock().read_line(&mut answer);
    if !answer.ends_with('\n') {
        output::ask("\n");
    }
    read.is_ok() && is_yes(&answer)
}

fn question(path: &[&str], words: &[OsString]) -> String {
    let verb = match path.last() {
        Some(word) if word.ends_with("delete") => "deletes",
        _ => "may delete",
    };
    let words = words.iter().skip(1).map(|word| word.to_string_lossy());
    let line = quote::command_line(words);
    let mut shown: String = line.chars().take(LONGEST).collect();
    if shown.len() < line.len() {
        shown.push('…');
    }
    let shown = escape::one_line(&shown);
    format!("This {verb} permanently: {shown}. Continue? [y/N] ")
}

fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_yes_is_a_yes() {
        for (answer, expected) in [
            ("y\n", true),
            ("Yes\n", true),
            ("\n", false),
            ("", false),
            ("n\n", false),
            ("yessir\n", false),
        ] {
            assert_eq!(is_yes(answer), expected, "{answer:?}");
        }
    }

    #[test]
    fn the_question_shows_the_command() {
        let words = ["/somewhere/windlass", "delete", "#7"].map(OsString::from);
        assert_eq!(
            question(&["delete"], &words),
            "This deletes permanently: windlass delete '#7'. Continue? [y/N] "
        );
        let words =
            ["windlass".to_owned(), "batch".to_owned(), "x".repeat(999)].map(OsString::from);
        let asked = question(&["batch"], &words);
        assert!(asked.starts_with("This may delete permanently: windlass batch xxx"));
        assert!(
            asked.ends_with("x…. Continue? [y/N] ") && asked.len() < 260,
            "{asked}"
        );
    }
}
