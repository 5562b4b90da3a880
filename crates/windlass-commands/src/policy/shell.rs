//! Special characters of a shell.

/// The first special character of a shell in the text.
pub fn shell_sign(text: &str) -> Option<char> {
    text.chars()
        .find(|letter| "$`;&|<>()\"'\\\n\r".contains(*letter))
}
