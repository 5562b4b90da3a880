//! Writes ar archives, the outer layer of Debian packages.

/// The members keep their order, because dpkg expects a certain one.
pub fn archive(members: &[(&str, &[u8])], seconds: u64) -> Vec<u8> {
    let mut bytes = b"!<arch>\n".to_vec();
    for (name, contents) in members {
        let size = contents.len();
        let header = format!(
            "{name:<16}{seconds:<12}{:<6}{:<6}{:<8}{size:<10}`\n",
            0, 0, 100_644
        );
        bytes.extend(header.into_bytes());
        bytes.extend_from_slice(contents);
        if size % 2 == 1 {
            bytes.push(b'\n');
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_begin_at_even_positions() {
        let bytes = archive(&[("a", b"1"), ("b", b"22")], 7);
        assert_eq!(bytes.len(), 8 + 60 + 2 + 60 + 2);
        assert_eq!(&bytes[66..70], b"`\n1\n");
        assert_eq!(&bytes[70..72], b"b ");
    }
}
