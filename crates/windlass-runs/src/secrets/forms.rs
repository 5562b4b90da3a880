//! The forms in which a secret may appear in an output: unchanged, line by line, in JSON, in HTML,
//! in a shell trace, URL-encoded, in hexadecimal, and in base64 at any position in the encoded data.
//!
//! Dumps that break a line or a group within the secret are masked up to a few bytes at the break.
//! What a program computes from a secret (reversed, split, compressed, encrypted) is not a form of
//! it.
//!
//! Long forms are searched for in pieces. So only a short part of a stream must be remembered
//! however long a secret is, and parts of a secret are masked too.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use super::hexadecimal;

/// A line of a secret shorter than this is not treated as a secret, such as the `}` of a JSON key.
const SHORTEST: usize = 4;

/// A form of at most this length is searched for as a whole.
const WHOLE: usize = 64;

/// The length of a piece of a longer form.
const PIECE: usize = 32;

/// The lengths of base64 pieces: four to a line, in both widths at which tools break lines (64 and
/// 76).
const BASE64_PIECES: [usize; 2] = [16, 19];

/// The shortest rest of a base64 text, split at line ends, that is masked by itself.
const BASE64_REST: usize = 6;

/// All forms of `secret` that must be masked.
pub fn forms(secret: &[u8]) -> BTreeSet<Vec<u8>> {
    let mut found = BTreeSet::new();
    let lines = secret
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .filter(|line| line.len() >= SHORTEST);
    for text in std::iter::once(secret).chain(lines) {
        add_pieces(&mut found, text);
        add_escaped(&mut found, text);
        add_base64(&mut found, text);
        hexadecimal::add(&mut found, text);
    }
    found
}

fn add_pieces(found: &mut BTreeSet<Vec<u8>>, text: &[u8]) {
    if text.len() <= WHOLE {
        found.insert(text.to_vec());
        return;
    }
    found.extend(text.chunks_exact(PIECE).map(<[u8]>::to_vec));
    found.insert(text[text.len() - PIECE..].to_vec());
}

fn add_escaped(found: &mut BTreeSet<Vec<u8>>, text: &[u8]) {
    if let Ok(text) = std::str::from_utf8(text) {
        let json = serde_json::Value::from(text).to_string();
        let json = &json[1..json.len() - 1];
        // Some encoders also escape slashes, or all that is not ASCII.
        for form in [
            json.to_owned(),
            json.replace('/', r"\/"),
            ascii_json(json),
            ascii_json(json).replace('/', r"\/"),
            text.replace('\'', r"'\''"),
            html(text, "&#39;"),
            html(text, "&#x27;"),
            html(text, "'"),
            backslashed(text),
        ] {
            add_pieces(found, form.as_bytes());
        }
    }
    // The characters that common encoders leave unchanged, besides letters and digits.
    for (plain, plus_for_space) in [
        ("-_.~", false),
        ("-_.~/", false),
        ("-_.~!'()*", false),
        ("-_.*", true),
        ("-_.~!'()*;/?:@&=+$,#", false),
    ] {
        for lower in [false, true] {
            add_pieces(found, &url_encoded(text, plain, plus_for_space, lower));
        }
    }
}

/// JSON text with an escape for each character that is not ASCII.
fn ascii_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for letter in json.chars() {
        if letter.is_ascii() {
            escaped.push(letter);
        } else {
            let units = letter.encode_utf16(&mut [0; 2]).to_vec();
            escaped.extend(units.iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    escaped
}

fn html(text: &str, apostrophe: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
    let escaped = escaped.replace('>', "&gt;").replace('"', "&quot;");
    escaped.replace('\'', apostrophe)
}

/// As `printf %q` of bash shows it.
fn backslashed(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        let plain = letter.is_alphanumeric() || "_-./,:=@%+".contains(letter);
        if !plain {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

fn url_encoded(text: &[u8], plain: &str, plus_for_space: bool, lower: bool) -> Vec<u8> {
    let mut encoded = Vec::with_capacity(text.len());
    for byte in text {
        if byte.is_ascii_alphanumeric() || plain.as_bytes().contains(byte) {
            encoded.push(*byte);
        } else if plus_for_space && *byte == b' ' {
            encoded.push(b'+');
        } else if lower {
            encoded.extend_from_slice(format!("%{byte:02x}").as_bytes());
        } else {
            encoded.extend_from_slice(format!("%{byte:02X}").as_bytes());
        }
    }
    encoded
}

/// The base64 form depends on how many bytes precede the secret. The characters at both ends that
/// contain bits of neighbouring bytes vary and are left out.
fn add_base64(found: &mut BTreeSet<Vec<u8>>, text: &[u8]) {
    for before in 0..3 {
        let mut bytes = vec![0; before];
        bytes.extend_from_slice(text);
        let begin = (before * 8).div_ceil(6);
        let end = bytes.len() * 8 / 6;
        for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            let encoded = engine.encode(&bytes);
            add_base64_pieces(found, &encoded.as_bytes()[begin..end]);
        }
    }
}

fn add_base64_pieces(found: &mut BTreeSet<Vec<u8>>, encoded: &[u8]) {
    for size in BASE64_PIECES {
        if encoded.len() <= size {
            found.insert(encoded.to_vec());
            continue;
        }
        let pieces = encoded.chunks_exact(size);
        if pieces.remainder().len() >= BASE64_REST {
            found.insert(pieces.remainder().to_vec());
        }
        found.extend(pieces.map(<[u8]>::to_vec));
        found.insert(encoded[encoded.len() - size..].to_vec());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_form_is_long_or_too_short() {
        let long: Vec<u8> = (1..=250).rev().cycle().step_by(7).take(5000).collect();
        for secret in [
            &b"abcd"[..],
            b"p@ss word/\"x'",
            b"line one\nline two\n}",
            &long,
        ] {
            for form in forms(secret) {
                assert!(form.len() <= WHOLE, "{form:?}");
                assert!(form.len() >= SHORTEST, "{form:?} of {secret:?}");
            }
        }
    }

    #[test]
    fn lines_are_secrets_but_short_ones_are_not() {
        let found = forms(b"{\n  \"key\": 1\r\n}");
        assert!(found.contains(&b"\"key\": 1"[..]));
        assert!(!found.contains(&b"}"[..]));
    }
}
