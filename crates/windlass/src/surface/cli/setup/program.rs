//! How a client starts this program.

use std::path::{Path, PathBuf};

/// Where `windlass` is, as a shell finds it and as it is.
#[derive(Debug, Clone)]
pub struct Program {
    /// The executable that runs now.
    pub this: PathBuf,
    /// The first `windlass` on the search path.
    pub on_path: Option<PathBuf>,
}

impl Program {
    pub fn of_process() -> Self {
        Self {
            this: std::env::current_exe().unwrap_or_else(|_| PathBuf::from("windlass")),
            on_path: look_up("windlass"),
        }
    }

    /// Whether the search path leads to the executable that runs now.
    pub fn is_on_path(&self) -> bool {
        let real = |path: &Path| path.canonicalize().ok();
        let found = self.on_path.as_deref().and_then(real);
        found.is_some() && found == real(&self.this)
    }

    /// The word that starts it: its name where that finds it, else its path.
    pub fn word(&self, absolute: bool) -> String {
        match &self.on_path {
            Some(found) if absolute && self.is_on_path() => found.display().to_string(),
            Some(_) if self.is_on_path() => "windlass".to_owned(),
            _ => self.this.display().to_string(),
        }
    }
}

/// Where a program is: by its path, or on the search path.
pub fn look_up(program: &str) -> Option<PathBuf> {
    which::which(program).ok()
}
