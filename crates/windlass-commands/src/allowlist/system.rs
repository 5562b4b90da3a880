//! The list of the machine, which root writes and everyone reads. Agents of a user cannot change it.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

const NEW: &str = "\
# What agents may run on this machine. `windlass allow --system` adds entries.
# With `exclusive = true` only this list counts, and the lists of users are ignored: then agents cannot
# allow themselves anything, even if they can write every file of their user.
exclusive = false
";

/// Whether a text is that of a list of the system: it says whether it is the only one.
pub fn is_of_system(text: &str) -> bool {
    text.parse::<toml_edit::DocumentMut>()
        .is_ok_and(|document| document.contains_key("exclusive"))
}

/// Makes an empty list that everyone can read, if there is none.
pub fn prepare(file: &Path) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("/"));
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o755)
        .create(folder)?;
    let made = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o644)
        .open(file);
    match made {
        Ok(mut file) => file.write_all(NEW.as_bytes()),
        Err(problem) if problem.kind() == io::ErrorKind::AlreadyExists => {
            let text = fs::read_to_string(file)?;
            if is_of_system(&text) {
                return Ok(());
            }
            // Someone wrote it by hand.
            fs::write(file, format!("{NEW}\n{text}"))
        }
        Err(problem) => Err(problem),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::super::{Allowlist, Owner};
    use super::*;

    const DENY: &str = "[[entries]]\npath = \"/x\"\nscope = \"Deny\"\n";

    #[test]
    fn an_exclusive_list_is_the_only_one() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let (own, system) = (base.join("own.toml"), base.join("system/allowlist.toml"));
        fs::write(&own, DENY).unwrap();
        fs::set_permissions(&own, fs::Permissions::from_mode(0o600)).unwrap();
        let owner = Owner::Only(rustix::process::geteuid().as_raw());
        let list = Allowlist::new(&own, Vec::new()).with_system(system.clone(), owner);
        let files = |list: &Allowlist| -> Vec<_> {
            let entries = list.entries().unwrap();
            entries.into_iter().map(|(file, _)| file).collect()
        };
        assert_eq!(files(&list), std::slice::from_ref(&own));
        prepare(&system).unwrap();
        prepare(&system).unwrap();
        assert_eq!(fs::read_to_string(&system).unwrap(), NEW);
        fs::write(&system, DENY).unwrap();
        prepare(&system).unwrap();
        assert_eq!(files(&list), [system.clone(), own.clone()]);
        super::super::deny(&system, &base, &[]).unwrap();
        let mode = fs::metadata(&system).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o644);
        assert!(!list.is_exclusive());
        assert_eq!(list.own_file(), own);
        let text = format!("{NEW}{DENY}");
        fs::write(&system, &text).unwrap();
        assert_eq!(files(&list), [system.clone(), own.clone()]);
        fs::write(&system, text.replace("= false", "= true")).unwrap();
        assert!(list.is_exclusive());
        assert_eq!(list.own_file(), system);
        assert_eq!(files(&list), std::slice::from_ref(&system));
        // One that others can write, or that does not parse, allows nothing and lets nobody else.
        fs::set_permissions(&system, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(list.is_exclusive() && list.entries().is_err());
        fs::set_permissions(&system, fs::Permissions::from_mode(0o644)).unwrap();
        fs::write(&system, "exclusive = maybe").unwrap();
        assert!(list.is_exclusive() && list.entries().is_err());
    }
}
