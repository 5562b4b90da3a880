//! Quotes arguments as a person would type them in a shell.

use std::borrow::Cow;

/// A whole command line, `windlass` first, safe to paste into a POSIX shell.
pub fn command_line<Word: AsRef<str>>(words: impl IntoIterator<Item = Word>) -> String {
    let mut line = "windlass".to_owned();
    for word in words {
        line.push(' ');
        line.push_str(&quote(word.as_ref()));
    }
    line
}

/// One argument.
pub fn quote(word: &str) -> Cow<'_, str> {
    if !word.is_empty() && word.chars().all(is_plain) {
        return Cow::Borrowed(word);
    }
    // Double quotes read better around an apostrophe, but let the shell expand these.
    if word.contains('\'') && !word.contains(['"', '$', '`', '\\', '!']) {
        return Cow::Owned(format!("\"{word}\""));
    }
    Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
}

fn is_plain(letter: char) -> bool {
    letter.is_alphanumeric() || "_-./:=@%+,".contains(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_a_shell() {
        for (word, expected) in [
            ("task", "task"),
            ("--limit=5", "--limit=5"),
            ("", "''"),
            ("Fix login", "'Fix login'"),
            ("#7", "'#7'"),
            ("Don't panic", "\"Don't panic\""),
            ("It's $5", r"'It'\''s $5'"),
            (r#"{"a":1}"#, r#"'{"a":1}'"#),
            ("a;b", "'a;b'"),
            ("世界", "世界"),
        ] {
            assert_eq!(quote(word), expected);
        }
        assert_eq!(command_line(["get", "#7"]), "windlass get '#7'");
    }

    #[test]
    fn a_real_shell_reads_the_same_words() {
        for word in ["it's", "$HOME", "a\nb", "`x`", "\\", "!", "*", "\"'\"", "~"] {
            let output = std::process::Command::new("sh")
                .args(["-c", &format!("printf %s {}", quote(word))])
                .output()
                .unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), word);
        }
    }
}
