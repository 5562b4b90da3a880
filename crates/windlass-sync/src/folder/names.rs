//! The names of files in the folder.

use windlass_store::PackName;

/// What the name of a file says.
pub(super) enum FileName {
    Pack(PackName),
    /// A file of git, or one that explains the folder.
    Harmless,
    Other,
}

pub(super) fn read(name: &[u8]) -> FileName {
    let Ok(text) = std::str::from_utf8(name) else {
        return FileName::Other;
    };
    if matches!(text, ".gitignore" | ".gitattributes" | ".gitkeep") || text.starts_with("README") {
        return FileName::Harmless;
    }
    match PackName::of_file(text) {
        Some(pack) => FileName::Pack(pack),
        None => FileName::Other,
    }
}

pub(super) fn file_name(name: &PackName) -> String {
    name.file_name()
}
