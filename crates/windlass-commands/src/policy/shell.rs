//! Characters that a shell, or a runner that makes text for a shell, takes for more than themselves.

/// The first character of the word that would not stay what it is in the text of a shell script,
/// outside of quotes or between any. A space splits a word, so that its second half may be an
/// option; the rest is expanded, ends the word, or begins a template of the runner.
pub fn insertion_sign(word: &str) -> Option<char> {
    let special =
        |letter: char| letter.is_whitespace() || "$`;&|<>()\"'\\*?[]{}~#!".contains(letter);
    // Some shells replace `=name` by the path of a program.
    let leading = word.chars().next().filter(|letter| *letter == '=');
    leading.or_else(|| word.chars().find(|letter| special(*letter)))
}

/// The first character of the word that is expanded between double quotes.
pub fn expansion_sign(word: &str) -> Option<char> {
    let mut after_dollar = word
        .match_indices('$')
        .map(|(at, sign)| &word[at + sign.len()..]);
    let expanded = |rest: &str| {
        let next = rest.chars().next();
        next.is_some_and(|it| it.is_ascii_alphanumeric() || "_({[*@#?$!-".contains(it))
    };
    if word.contains('`') {
        return Some('`');
    }
    after_dollar.any(expanded).then_some('$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_do_not_stay_words() {
        for (word, sign) in [
            ("plain-word_1.rs", None),
            ("--a=b", None),
            ("a,b:c@d%e+f/ü", None),
            ("", None),
            ("a b", Some(' ')),
            ("a\u{a0}b", Some('\u{a0}')),
            ("a\tb", Some('\t')),
            ("*.rs", Some('*')),
            ("~", Some('~')),
            ("a#", Some('#')),
            ("{{x}}", Some('{')),
            ("!x", Some('!')),
            ("=ls", Some('=')),
            ("a$b", Some('$')),
        ] {
            assert_eq!(insertion_sign(word), sign, "{word}");
        }
        for (word, sign) in [
            ("^adds$", None),
            ("a b;c & 'd' \"e\" $ $) x", None),
            ("$(x)", Some('$')),
            ("${x}", Some('$')),
            ("a$1", Some('$')),
            ("$$", Some('$')),
            ("`x`", Some('`')),
        ] {
            assert_eq!(expansion_sign(word), sign, "{word}");
        }
    }
}
