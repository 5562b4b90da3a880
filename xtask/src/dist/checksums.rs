//! `SHA256SUMS`, in the form that `sha256sum --check` reads.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use sha2::{Digest as _, Sha256};

pub const FILE: &str = "SHA256SUMS";

pub fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The checksum in hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A checksum as in the RECORD of a wheel: the alphabet for URLs, without padding.
pub fn base64url(digest: &[u8; 32]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for part in digest.chunks(3) {
        let byte = |at: usize| u32::from(part.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..=part.len() {
            text.push(char::from(ALPHABET[(bits >> (18 - 6 * at) & 63) as usize]));
        }
    }
    text
}

/// Writes the checksums of all other files of a folder.
pub fn write(folder: &Path) -> Result<(), String> {
    let mut lines = String::new();
    for name in super::manifests::files_of(folder)? {
        if name == FILE {
            continue;
        }
        let bytes = fs::read(folder.join(&name)).map_err(|problem| format!("{name}: {problem}"))?;
        let _ = writeln!(lines, "{}  {name}", sha256(&bytes));
    }
    fs::write(folder.join(FILE), lines).map_err(|problem| format!("{FILE}: {problem}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_other_programs() {
        let hexadecimal = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(sha256(b""), hexadecimal);
        let text = base64url(&digest(b""));
        assert_eq!(text, "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU");
    }
}
