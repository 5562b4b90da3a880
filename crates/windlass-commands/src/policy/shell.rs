//! Signs with which text that a shell reads stops being data.

/// The first sign of a shell in the text.
pub fn shell_sign(text: &str) -> Option<char> {
    text.chars()
        .find(|letter| "$`;&|<>()\"'\\\n\r".contains(*letter))
}
