//! How a client starts this program.

use std::path::{Path, PathBuf};

/// The path of `windlass`: on PATH, and of this process.
#[derive(Debug, Clone)]
pub struct Program {
    /// The executable that runs now.
    pub this: PathBuf,
    /// The first `windlass` on PATH.
    pub on_path: Option<PathBuf>,
}

impl Program {
    pub fn of_process() -> Self {
        Self {
            this: std::env::current_exe().unwrap_or_else(|_| PathBuf::from("windlass")),
            on_path: look_up("windlass"),
        }
    }

    /// Whether PATH leads to the executable that runs now.
    pub fn is_on_path(&self) -> bool {
        let real = |path: &Path| path.canonicalize().ok();
        let found = self.on_path.as_deref().and_then(real);
        found.is_some() && found == real(&self.this)
    }

    /// The command that starts it: its name if PATH finds it, else its path.
    pub fn word(&self, absolute: bool) -> String {
        match &self.on_path {
            Some(found) if absolute && self.is_on_path() => found.display().to_string(),
            Some(_) if self.is_on_path() => "windlass".to_owned(),
            _ => self.this.display().to_string(),
        }
    }
}

/// Finds a program by its path, or on PATH.
pub fn look_up(program: &str) -> Option<PathBuf> {
    which::which(program).ok()
}
