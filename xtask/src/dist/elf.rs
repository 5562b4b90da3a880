//! Reads which version of glibc a Linux binary needs, from the binary itself.

/// The section with the versions of symbols that are needed from other libraries.
const VERSIONS_NEEDED: u64 = 0x6fff_fffe;

/// The newest minor version of glibc 2 that a symbol needs; `None` if the binary is static.
pub fn glibc(binary: &[u8]) -> Result<Option<u64>, String> {
    if !binary.starts_with(b"\x7fELF\x02\x01") {
        return Err("not a 64-bit Linux binary".to_owned());
    }
    let versions = versions(binary).ok_or("a damaged Linux binary")?;
    Ok(versions.into_iter().max())
}

/// The minor versions of glibc 2 that symbols need.
fn versions(binary: &[u8]) -> Option<Vec<u64>> {
    let sections = Sections {
        binary,
        table: number(binary, 0x28, 8)?,
        size: number(binary, 0x3a, 2)?,
        count: number(binary, 0x3c, 2)?,
    };
    let mut found = Vec::new();
    for section in 0..sections.count {
        if sections.field(section, 4, 4)? != VERSIONS_NEEDED {
            continue;
        }
        let names = sections.field(sections.field(section, 40, 4)?, 24, 8)?;
        let mut library = sections.field(section, 24, 8)?;
        for _ in 0..sections.field(section, 44, 4)? {
            let mut version = library + number(binary, library + 8, 4)?;
            for _ in 0..number(binary, library + 2, 2)? {
                let name = text(binary, names + number(binary, version + 8, 4)?)?;
                found.extend(minor(name));
                version += number(binary, version + 12, 4)?;
            }
            library += number(binary, library + 12, 4)?;
        }
    }
    Some(found)
}

/// The table of sections of a binary.
struct Sections<'a> {
    binary: &'a [u8],
    table: u64,
    size: u64,
    count: u64,
}

impl Sections<'_> {
    fn field(&self, section: u64, at: u64, bytes: usize) -> Option<u64> {
        number(self.binary, self.table + section * self.size + at, bytes)
    }
}

fn number(binary: &[u8], at: u64, bytes: usize) -> Option<u64> {
    let at = usize::try_from(at).ok()?;
    let bytes = binary.get(at..at.checked_add(bytes)?)?;
    Some(
        bytes
            .iter()
            .rev()
            .fold(0, |number, byte| number << 8 | u64::from(*byte)),
    )
}

fn text(binary: &[u8], at: u64) -> Option<&str> {
    let rest = binary.get(usize::try_from(at).ok()?..)?;
    let end = rest.iter().position(|byte| *byte == 0)?;
    std::str::from_utf8(&rest[..end]).ok()
}

/// The minor version in a name such as `GLIBC_2.17` or `GLIBC_2.2.5`.
fn minor(name: &str) -> Option<u64> {
    let version = name.strip_prefix("GLIBC_2.")?;
    version.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_versions_of_glibc_count() {
        assert_eq!(minor("GLIBC_2.2.5"), Some(2));
        assert_eq!(minor("GLIBC_2.34"), Some(34));
        assert_eq!(minor("GLIBC_PRIVATE"), None);
        assert_eq!(minor("GCC_3.0"), None);
    }

    #[test]
    fn what_is_not_a_binary_is_refused() {
        assert!(glibc(b"#!/bin/sh\n").is_err());
        assert!(glibc(b"\x7fELF\x02\x01").is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_dynamic_binary_needs_some_version() {
        let binary = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let found = glibc(&binary).unwrap().expect("this test is not static");
        assert!((17..100).contains(&found), "{found}");
    }
}
