//! The words of the lists that say which files decide for a runner, besides the definitions.

/// A file that decides what a runner runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decides {
    /// Its path in the folders in which the runner looks for it.
    pub file: &'static str,
    pub place: Place,
    pub how: How,
}

/// Where a runner looks for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the folder of the definition.
    Folder,
    /// In that folder and each one above, up to the root.
    Upwards,
    /// At the root.
    Root,
}

/// How a file is pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Every byte, shown as it is.
    Whole,
    /// Every byte, shown with the values of secrets replaced by their hashes.
    Settings,
    /// Every byte, shown as a hash and the names of the variables.
    Variables,
    /// Every byte, shown as a hash.
    Hash,
    /// Every file below the folder with that ending.
    Tree(&'static str),
}

impl Decides {
    pub const fn here(file: &'static str, how: How) -> Self {
        Self {
            file,
            place: Place::Folder,
            how,
        }
    }

    pub const fn upwards(file: &'static str, how: How) -> Self {
        Self {
            file,
            place: Place::Upwards,
            how,
        }
    }

    pub const fn at_root(file: &'static str, how: How) -> Self {
        Self {
            file,
            place: Place::Root,
            how,
        }
    }
}
