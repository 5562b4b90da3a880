//! Resolves the entries of `envRefs`.
//!
//! A human approves each RunSpec, so it may set any name, including `PATH` and `LD_PRELOAD`; the
//! policy on names that agents may set applies only to commands.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io::Read as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;
use std::sync::Arc;

use super::masker::Secrets;
use crate::paths::{self, PathProblem};
use crate::spec::{EnvRef, Limits};

/// A shorter secret cannot be masked: it would match by chance. An empty value is not a secret.
pub const SHORTEST_SECRET: usize = 4;

/// Maximum bytes of all secrets of a run: every form of each one is searched for in all outputs.
const MOST_SECRET_BYTES: usize = 64 * 1024;

/// Reads the environment of the server, which only the binary may access.
pub type Lookup = Arc<dyn Fn(&str) -> Option<OsString> + Send + Sync>;

/// The environment of a run.
#[derive(Clone, Default)]
pub struct Resolved {
    /// Names and values.
    pub variables: BTreeMap<String, OsString>,
    /// The values that must be masked.
    pub secrets: Secrets,
}

/// Prints names only, never values.
impl fmt::Debug for Resolved {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.variables.keys().collect();
        out.debug_struct("Resolved")
            .field("variables", &names)
            .finish_non_exhaustive()
    }
}

/// An entry that cannot be resolved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("envRefs.{name}: {why}")]
pub struct Unresolved {
    /// The variable to set.
    pub name: String,
    /// What is wrong; never contains a value.
    pub why: String,
}

/// Resolves all entries under the project `root`, which is canonical.
pub fn resolve(
    entries: &BTreeMap<String, String>,
    root: &Path,
    lookup: &Lookup,
) -> Result<Resolved, Unresolved> {
    let mut variables = BTreeMap::new();
    let mut hidden: Vec<OsString> = Vec::new();
    for (name, entry) in entries {
        let refuse = |why: String| Unresolved {
            name: name.clone(),
            why,
        };
        let value = match EnvRef::of(entry) {
            EnvRef::Value(text) => OsString::from(text),
            EnvRef::Environment(source) => {
                let value = lookup(source)
                    .ok_or_else(|| refuse(format!("the variable {source} is not set")))?;
                check_secret(&value).map_err(refuse)?;
                hidden.push(value.clone());
                value
            }
            EnvRef::File(path) => {
                let value = read_secret(root, path).map_err(refuse)?;
                check_secret(&value).map_err(refuse)?;
                hidden.push(value.clone());
                value
            }
        };
        variables.insert(name.clone(), value);
    }
    let all: usize = hidden.iter().map(|value| value.len()).sum();
    if all > MOST_SECRET_BYTES {
        return Err(Unresolved {
            name: "*".to_owned(),
            why: format!(
                "the secrets of a run may have at most {MOST_SECRET_BYTES} bytes in total"
            ),
        });
    }
    let secrets =
        Secrets::new(hidden.iter().map(|value| value.as_bytes())).map_err(|why| Unresolved {
            name: "*".to_owned(),
            why,
        })?;
    Ok(Resolved { variables, secrets })
}

/// The values that are known here of an environment that is made elsewhere: plain ones, and secrets
/// that this server has too, so that it can mask them.
pub fn resolve_known(
    entries: &BTreeMap<String, String>,
    lookup: &Lookup,
) -> Result<Resolved, Unresolved> {
    let is_known = |entry: &str| match EnvRef::of(entry) {
        EnvRef::Value(_) => true,
        EnvRef::Environment(source) => lookup(source).is_some_and(|it| check_secret(&it).is_ok()),
        EnvRef::File(_) => false,
    };
    let known = entries.iter().filter(|(_, entry)| is_known(entry));
    let known = known.map(|(name, entry)| (name.clone(), entry.clone()));
    resolve(&known.collect(), Path::new("/"), lookup)
}

fn check_secret(value: &OsString) -> Result<(), String> {
    let length = value.to_string_lossy().chars().count();
    if value.as_bytes().contains(&0) {
        return Err("an environment variable cannot contain a NUL byte".to_owned());
    }
    if length > 0 && length < SHORTEST_SECRET {
        return Err(format!(
            "a secret of fewer than {SHORTEST_SECRET} characters cannot be masked; if it is not secret, give it \
             as a plain value"
        ));
    }
    Ok(())
}

/// The content of a file without the trailing newline.
fn read_secret(root: &Path, path: &str) -> Result<OsString, String> {
    let inside = paths::inside(root, Path::new(path)).map_err(|escape| match escape {
        PathProblem::Missing => format!("the file {path} does not exist"),
        PathProblem::Outside => format!("the file {path} is outside the project"),
    })?;
    let cannot = |problem: std::io::Error| format!("the file {path} cannot be read: {problem}");
    if !inside.is_file() {
        return Err(format!("{path} is not a file"));
    }
    let most = Limits::ENV_VALUE_BYTES;
    let mut bytes = Vec::new();
    std::fs::File::open(&inside)
        .and_then(|file| file.take(most as u64 + 1).read_to_end(&mut bytes))
        .map_err(cannot)?;
    if bytes.len() > most {
        return Err(format!("the file {path} has more than {most} bytes"));
    }
    if bytes.ends_with(b"\n") {
        bytes.pop();
        if bytes.ends_with(b"\r") {
            bytes.pop();
        }
    }
    Ok(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(entry: &str, expected: Result<&str, &str>) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::write(root.join("token"), "from a file\n").unwrap();
        std::fs::write(root.join("short"), "abc\n").unwrap();
        std::fs::write(root.join("nul"), "ab\0cd").unwrap();
        std::os::unix::fs::symlink("/etc/passwd", root.join("out")).unwrap();
        let lookup: Lookup = Arc::new(|name| match name {
            "TOKEN" => Some("from outside".into()),
            "PIN" => Some("123".into()),
            "EMPTY" => Some("".into()),
            _ => None,
        });
        let entries = BTreeMap::from([("A".to_owned(), entry.to_owned())]);
        let resolved = resolve(&entries, &root, &lookup);
        match (resolved, expected) {
            (Ok(resolved), Ok(value)) => {
                assert_eq!(resolved.variables["A"], value, "{entry}");
                let is_secret = !matches!(EnvRef::of(entry), EnvRef::Value(_)) && !value.is_empty();
                assert_eq!(resolved.secrets.are_in(value.as_bytes()), is_secret);
            }
            (Err(error), Err(message)) => assert_eq!(error.to_string(), message, "{entry}"),
            (resolved, _) => panic!("{entry}: {resolved:?}"),
        }
    }

    #[test]
    fn entries_are_values_or_refer_to_secrets() {
        check("plain", Ok("plain"));
        check("value:env:TOKEN", Ok("env:TOKEN"));
        check("env:TOKEN", Ok("from outside"));
        check("env:EMPTY", Ok(""));
        check("file:token", Ok("from a file"));
    }

    #[test]
    fn unresolved_entries_say_why() {
        let short = "a secret of fewer than 4 characters cannot be masked; if it is not secret, \
                     give it as a plain value";
        check("env:NONE", Err("envRefs.A: the variable NONE is not set"));
        check("env:PIN", Err(&format!("envRefs.A: {short}")));
        check("file:short", Err(&format!("envRefs.A: {short}")));
        check("file:none", Err("envRefs.A: the file none does not exist"));
        check(
            "file:out",
            Err("envRefs.A: the file out is outside the project"),
        );
        check("file:.", Err("envRefs.A: . is not a file"));
        check(
            "file:nul",
            Err("envRefs.A: an environment variable cannot contain a NUL byte"),
        );
    }

    #[test]
    fn the_total_size_of_secrets_is_limited() {
        let secret = (0..7000).map(|number: u32| number.to_string());
        let secret: OsString = secret.collect::<String>().into();
        let known = secret.clone();
        let lookup: Lookup = Arc::new(move |_| Some(known.clone()));
        let resolve = |names: &[&str]| {
            let entry = |name: &&str| ((*name).to_owned(), "env:X".to_owned());
            resolve(&names.iter().map(entry).collect(), Path::new("/"), &lookup)
        };
        let resolved = resolve(&["A", "B"]).unwrap();
        assert!(resolved.secrets.are_in(secret.as_bytes()));
        assert_eq!(
            format!("{resolved:?}"),
            "Resolved { variables: [\"A\", \"B\"], .. }"
        );
        let error = resolve(&["A", "B", "C"]).unwrap_err();
        let expected = "envRefs.*: the secrets of a run may have at most 65536 bytes in total";
        assert_eq!(error.to_string(), expected);
    }
}
