//! The text of a file. Files are UTF-8; XML may declare another encoding, and tools follow that.

/// The text, unless the bytes are not text. One text stands for one sequence of bytes, so that a pin
/// of the text is a pin of the bytes: a declared encoding is always followed, also where the bytes
/// would be valid UTF-8.
pub fn decode(bytes: Vec<u8>) -> Option<String> {
    match declared(&bytes) {
        Encoding::Utf8 => String::from_utf8(bytes).ok(),
        Encoding::Latin1 => Some(bytes.into_iter().map(char::from).collect()),
        Encoding::Other => None,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8,
    /// Each byte is the character of its number. It stands for its neighbours too: what they have
    /// in other places is in texts only, never in markup.
    Latin1,
    Other,
}

fn declared(bytes: &[u8]) -> Encoding {
    let head = &bytes[..bytes.len().min(200)];
    if !head.starts_with(b"<?xml") {
        return Encoding::Utf8;
    }
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let head = head.split("?>").next().unwrap_or_default();
    let Some((_, rest)) = head.split_once("encoding") else {
        return Encoding::Utf8;
    };
    let rest = rest.trim_start_matches([' ', '\t', '\r', '\n', '=']);
    let name = rest.trim_start_matches(['"', '\'']);
    let name = name.split(['"', '\'']).next().unwrap_or_default();
    match name {
        "utf-8" | "utf8" => Encoding::Utf8,
        "us-ascii" | "ascii" | "cp1252" | "windows-1252" => Encoding::Latin1,
        name if name.starts_with("iso-8859-") || name.starts_with("latin") => Encoding::Latin1,
        _ => Encoding::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xml_is_read_as_it_declares() {
        for (bytes, expected) in [
            (b"caf\xc3\xa9".as_slice(), Some("café")),
            (b"caf\xe9", None),
            (
                b"<?xml version='1.0' encoding='ISO-8859-1'?>\xe9",
                Some("<?xml version='1.0' encoding='ISO-8859-1'?>é"),
            ),
            // Valid UTF-8, but not what the tool reads.
            (
                b"<?xml encoding=\"latin1\"?>\xc3\xa9",
                Some("<?xml encoding=\"latin1\"?>\u{c3}\u{a9}"),
            ),
            (
                b"<?xml encoding = \"UTF-8\"?>\xc3\xa9",
                Some("<?xml encoding = \"UTF-8\"?>é"),
            ),
            (b"<?xml version='1.0'?>\xe9", None),
            (b"<?xml encoding='utf-16'?>", None),
        ] {
            assert_eq!(decode(bytes.to_vec()).as_deref(), expected);
        }
    }
}
