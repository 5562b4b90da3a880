//! What is known about a process that led to this one; `surface/os` finds them.

use std::path::PathBuf;

/// One of the processes that led to this one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Process {
    pub pid: u32,
    /// The name that the kernel keeps, at most 15 characters.
    pub name: String,
    /// Its arguments, with the program's name first.
    pub words: Vec<String>,
    /// The file that it executes; unknown for processes of others.
    pub program: Option<PathBuf>,
    /// The names of the variables that it was started with; none for processes of others.
    pub variables: Vec<String>,
}

/// The names of the variables that have a value.
pub fn names_of(environment: &[u8]) -> Vec<String> {
    environment
        .split(|byte| *byte == 0)
        .filter_map(|variable| {
            let equals = variable.iter().position(|byte| *byte == b'=')?;
            let (name, value) = variable.split_at(equals);
            (value.len() > 1).then(|| String::from_utf8_lossy(name).into_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_without_a_value_do_not_count() {
        let names = names_of(b"A=1\0EMPTY=\0nothing\0B=x=y\0");
        assert_eq!(names, ["A", "B"]);
    }
}
