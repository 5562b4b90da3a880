//! What `windlass dashboard` and a running server tell each other: a folder of the user, outside of
//! the project, that nobody else can read or write.
//!
//! An agent that can write files of the project cannot put a code here, and one that talks to the
//! server by MCP or HTTP cannot read one. Codes are kept as their SHA-256 only.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use windlass_core::{Error, ErrorKind, Result};

/// How long a code can be used.
pub const CODE_LASTS: Duration = Duration::from_mins(2);

const CODES: &str = "codes";
const SERVERS: &str = "servers";
const LOGOUT: &str = "logout";
const OPENER: &str = "open-";

/// The folder for one project and one user.
#[derive(Debug, Clone)]
pub struct DashboardFolder(PathBuf);

/// Whom a code stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// The name that claims and events carry, as on the command line.
    pub session: String,
    pub user: String,
}

/// A running server of the project.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunningServer {
    pub id: String,
    pub url: String,
    pub pid: u32,
}

/// Removes the entry of a server when that ends.
#[derive(Debug)]
pub struct Registration(PathBuf);

impl Drop for Registration {
    fn drop(&mut self) {
        // An entry that stays is noticed: no server answers with its id.
        let _ = fs::remove_file(&self.0);
    }
}

impl DashboardFolder {
    /// `state_home` is where programs of the user keep their state; `project_state` names the project.
    pub fn new(state_home: &Path, project_state: &Path) -> Self {
        let real = project_state.canonicalize();
        let real = real.as_deref().unwrap_or(project_state);
        let name = &hash(real.as_os_str().as_encoded_bytes())[..16];
        Self(state_home.join("windlass").join("dashboard").join(name))
    }

    /// Creates a code for that person. It can be used once.
    pub fn create_code(&self, person: &Person) -> Result<String> {
        let folder = self.part(CODES)?;
        remove_older(&folder, CODE_LASTS);
        let code = secret();
        let text = serde_json::to_vec(person).unwrap_or_default();
        write_private(&folder.join(hash(code.as_bytes())), &text)?;
        Ok(code)
    }

    /// Whom the code stands for, if it is one. It is used up by this.
    pub fn take_code(&self, code: &str) -> Option<Person> {
        let path = self.part(CODES).ok()?.join(hash(code.as_bytes()));
        let file = open_private(&path)?;
        let text = short_text(&file)?;
        let written = file.metadata().ok()?.modified().ok()?;
        // Whoever removes it has it: of two servers, or two requests, one succeeds.
        fs::remove_file(&path).ok()?;
        let age = SystemTime::now().duration_since(written).ok()?;
        if age > CODE_LASTS {
            return None;
        }
        serde_json::from_str(&text).ok()
    }

    /// Makes a server known until the result is dropped.
    pub fn register(&self, server: &RunningServer) -> Result<Registration> {
        let path = self.part(SERVERS)?.join(format!("{}.json", server.id));
        let text = serde_json::to_vec(server).unwrap_or_default();
        write_private(&path, &text)?;
        Ok(Registration(path))
    }

    /// The servers that are on record, the newest first. Some may be gone.
    pub fn servers(&self) -> Vec<RunningServer> {
        let Ok(folder) = self.part(SERVERS) else {
            return Vec::new();
        };
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut found: Vec<(SystemTime, RunningServer)> = entries
            .filter_map(|entry| {
                let file = open_private(&entry.path())?;
                let text = short_text(&file)?;
                let at = file.metadata().ok()?.modified().ok()?;
                Some((at, serde_json::from_str(&text).ok()?))
            })
            .collect();
        found.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
        found.into_iter().map(|(_, server)| server).collect()
    }

    /// Forgets a server that is gone.
    pub fn forget(&self, server: &RunningServer) {
        if let Ok(folder) = self.part(SERVERS) {
            let _ = fs::remove_file(folder.join(format!("{}.json", server.id)));
        }
    }

    /// Ends every session that exists now, in every server.
    pub fn log_out(&self) -> Result<()> {
        remove_older(&self.part(CODES)?, Duration::ZERO);
        let path = self.part("")?.join(LOGOUT);
        let _ = fs::remove_file(&path);
        write_private(
            &path,
            milliseconds(SystemTime::now()).to_string().as_bytes(),
        )
    }

    /// Sessions up to this time have been ended, in milliseconds since 1970.
    pub fn logged_out_at(&self) -> Option<u128> {
        let file = open_private(&self.0.join(LOGOUT))?;
        short_text(&file)?.trim().parse().ok()
    }

    /// A page for the browser to open, so that the code is not among the arguments of a process,
    /// where every user of the machine can read it.
    pub fn write_opener(&self, url: &str) -> Result<PathBuf> {
        let folder = self.part("")?;
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(OPENER) {
                let _ = fs::remove_file(entry.path());
            }
        }
        let path = folder.join(format!("{OPENER}{}.html", &secret()[..12]));
        let page = format!(
            "<!doctype html><meta charset=\"utf-8\"><title>Windlass</title>\
             <meta http-equiv=\"refresh\" content=\"0; url={url}\"><a href=\"{url}\">Open the dashboard</a>\n"
        );
        write_private(&path, page.as_bytes())?;
        Ok(path)
    }

    /// A folder in it that only this user can use. Created where it is missing.
    fn part(&self, name: &str) -> Result<PathBuf> {
        let path = if name.is_empty() {
            self.0.clone()
        } else {
            self.0.join(name)
        };
        let failed = |problem: &dyn std::fmt::Display| {
            Error::new(
                ErrorKind::StorageError,
                format!(
                    "The folder of the dashboard cannot be used: {}: {problem}",
                    path.display()
                ),
            )
            .with_hint("It must belong to you, with the mode 0700.")
        };
        let create = fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&path);
        create.map_err(|problem| failed(&problem))?;
        for folder in [&self.0, &path] {
            let facts = fs::symlink_metadata(folder).map_err(|problem| failed(&problem))?;
            if !facts.is_dir() || !is_private(&facts) {
                return Err(failed(&"others can read or write it"));
            }
        }
        Ok(path)
    }
}

/// A random text that cannot be guessed: 244 random bits.
pub fn secret() -> String {
    let part = || uuid::Uuid::new_v4().simple().to_string();
    format!("{}{}", part(), part())
}

/// SHA-256 in hexadecimal digits.
pub fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .fold(String::new(), |mut text, byte| {
            // Writing to a text cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}

pub fn milliseconds(time: SystemTime) -> u128 {
    time.duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_millis())
}

fn is_private(facts: &fs::Metadata) -> bool {
    // The last two octal digits are what the group and all others may do.
    facts.uid() == rustix::process::geteuid().as_raw() && facts.mode().is_multiple_of(0o100)
}

fn write_private(path: &Path, bytes: &[u8]) -> Result<()> {
    let written = || -> io::Result<()> {
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)?;
        file.write_all(bytes)
    };
    written().map_err(|problem| {
        Error::new(
            ErrorKind::StorageError,
            format!("{}: {problem}", path.display()),
        )
    })
}

/// A regular file that only this user can read and write; links are not followed.
fn open_private(path: &Path) -> Option<File> {
    let links = i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).ok()?;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(links)
        .open(path)
        .ok()?;
    let facts = file.metadata().ok()?;
    (facts.is_file() && is_private(&facts)).then_some(file)
}

fn short_text(file: &File) -> Option<String> {
    let mut text = String::new();
    file.take(4096).read_to_string(&mut text).ok()?;
    Some(text)
}

fn remove_older(folder: &Path, than: Duration) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let written = entry.metadata().and_then(|facts| facts.modified());
        let age = written.map(|at| SystemTime::now().duration_since(at).unwrap_or_default());
        if age.is_ok_and(|age| age >= than) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn ann() -> Person {
        Person {
            session: "cli:ann".to_owned(),
            user: "ann".to_owned(),
        }
    }

    fn folder() -> (tempfile::TempDir, DashboardFolder) {
        let home = tempfile::tempdir().unwrap();
        let folder = DashboardFolder::new(home.path(), home.path());
        (home, folder)
    }

    #[test]
    fn a_code_can_be_used_once() {
        let (_home, folder) = folder();
        let code = folder.create_code(&ann()).unwrap();
        assert_eq!(code.len(), 64);
        for wrong in ["", "x", &code[1..], &hash(code.as_bytes()), "../logout"] {
            assert_eq!(folder.take_code(wrong), None, "{wrong}");
        }
        assert_eq!(folder.take_code(&code), Some(ann()));
        assert_eq!(folder.take_code(&code), None);
    }

    #[test]
    fn the_code_itself_is_not_stored() {
        let (home, folder) = folder();
        let code = folder.create_code(&ann()).unwrap();
        let codes = folder.part(CODES).unwrap();
        for entry in fs::read_dir(&codes).unwrap() {
            let path = entry.unwrap().path();
            assert!(!path.to_string_lossy().contains(&code));
            assert!(!fs::read_to_string(&path).unwrap().contains(&code));
            assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        }
        assert_eq!(fs::metadata(&codes).unwrap().mode() & 0o777, 0o700);
        drop(home);
    }

    #[test]
    fn an_old_code_is_refused() {
        let (_home, folder) = folder();
        let code = folder.create_code(&ann()).unwrap();
        let path = folder.part(CODES).unwrap().join(hash(code.as_bytes()));
        let old = SystemTime::now() - CODE_LASTS - Duration::from_secs(1);
        File::open(&path).unwrap().set_modified(old).unwrap();
        assert_eq!(folder.take_code(&code), None);
    }

    #[test]
    fn what_others_can_write_is_refused() {
        let (_home, folder) = folder();
        let code = folder.create_code(&ann()).unwrap();
        let codes = folder.part(CODES).unwrap();
        let path = codes.join(hash(code.as_bytes()));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(folder.take_code(&code), None);
        // A link to a file elsewhere is not a code either.
        let forged = codes.join("forged");
        fs::rename(&path, &forged).unwrap();
        fs::set_permissions(&forged, fs::Permissions::from_mode(0o600)).unwrap();
        std::os::unix::fs::symlink(&forged, &path).unwrap();
        assert_eq!(folder.take_code(&code), None);
        fs::set_permissions(&codes, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(folder.create_code(&ann()).is_err());
    }

    #[test]
    fn servers_are_known_while_they_run() {
        let (_home, folder) = folder();
        let server = RunningServer {
            id: "abc".to_owned(),
            url: "http://127.0.0.1:1".to_owned(),
            pid: 7,
        };
        let registration = folder.register(&server).unwrap();
        assert_eq!(folder.servers()[0].url, server.url);
        drop(registration);
        assert!(folder.servers().is_empty());
    }

    #[test]
    fn logging_out_ends_codes_too() {
        let (_home, folder) = folder();
        assert_eq!(folder.logged_out_at(), None);
        let code = folder.create_code(&ann()).unwrap();
        folder.log_out().unwrap();
        folder.log_out().unwrap();
        assert!(folder.logged_out_at().unwrap() <= milliseconds(SystemTime::now()));
        assert_eq!(folder.take_code(&code), None);
    }
}
