//! A tar archive in the ustar format: plain files with short names.

const BLOCK: usize = 512;
/// What the name of a file has room for.
const LONGEST_NAME: usize = 100;

/// The archive of these files. A name that is too long is cut at its end.
pub fn archive<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>, seconds: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, content) in files {
        bytes.extend(header(name, content.len(), seconds));
        bytes.extend_from_slice(content);
        bytes.resize(bytes.len().next_multiple_of(BLOCK), 0);
    }
    bytes.resize(bytes.len() + 2 * BLOCK, 0);
    bytes
}

fn header(name: &str, size: usize, seconds: u64) -> [u8; BLOCK] {
    let name = &name[..name.floor_char_boundary(LONGEST_NAME)];
    let mut block = [0; BLOCK];
    let mut put =
        |at: usize, text: &str| block[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, name);
    put(100, "0000600\u{0}0000000\u{0}0000000");
    put(124, &format!("{size:011o}"));
    put(136, &format!("{seconds:011o}"));
    put(148, "        ");
    put(156, "0");
    put(257, "ustar\u{0}00");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tar_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        let text = "x".repeat(1000);
        let long = format!("logs/{}", "ä".repeat(70));
        let files = [
            ("a/one.txt", "1\n"),
            ("two.txt", text.as_str()),
            ("empty", ""),
            (long.as_str(), "l"),
        ];
        let files = files.map(|(name, text)| (name, text.as_bytes()));
        std::fs::write(folder.path().join("all.tar"), archive(files, 1_000_000)).unwrap();
        let done = std::process::Command::new("tar")
            .args(["-xf", "all.tar"])
            .current_dir(folder.path())
            .status();
        assert!(done.unwrap().success());
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(
            (read("a/one.txt"), read("two.txt")),
            ("1\n".to_owned(), text.clone())
        );
        assert_eq!(read("empty"), "");
    }
}
