//! The table of fixes: each looks for what it can fix, and changes nothing yet.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use windlass_core::{Error, ErrorKind, Result};
use windlass_ops::{Machine, dead_job_sockets};
use windlass_store::{Bindings, Project, Standing, Store};

use crate::surface::cli::doctor::check::counted;
use crate::surface::cli::doctor::state;
use crate::surface::cli::hook::outdated_hooks;
use crate::surface::cli::setup::outdated_files;
use crate::surface::environment::UserFolders;

/// How long files that are being written, and files of sessions, are left alone.
const UNFINISHED: Duration = Duration::from_hours(1);
const ENDED: Duration = Duration::from_hours(24 * 7);

/// The project that is to be fixed, and its user.
pub struct Scene {
    pub project: Project,
    pub bindings: Bindings,
    pub machine: Machine,
    pub user: UserFolders,
}

type Apply = Box<dyn FnOnce(&Scene) -> Result<()>>;

/// One thing that can be fixed.
pub struct Fix {
    /// The check that finds the same.
    pub name: &'static str,
    /// What is done.
    pub about: String,
    /// Whether only a person may do it.
    pub needs_person: bool,
    pub apply: Apply,
}

impl Fix {
    fn new(
        name: &'static str,
        about: String,
        apply: impl FnOnce(&Scene) -> Result<()> + 'static,
    ) -> Self {
        Self {
            name,
            about,
            needs_person: false,
            apply: Box::new(apply),
        }
    }
}

type Finder = fn(&Scene) -> Vec<Fix>;

const FINDERS: &[Finder] = &[
    ignore_rules,
    modes,
    private_allowlist,
    sockets,
    unfinished,
    ended_sessions,
    hooks,
    client_files,
    derived,
];

/// Everything that can be fixed. What a finder cannot read, the checks report.
pub fn find(scene: &Scene) -> Vec<Fix> {
    FINDERS.iter().flat_map(|finder| finder(scene)).collect()
}

fn ignore_rules(scene: &Scene) -> Vec<Fix> {
    let missing = scene.project.missing_ignore_rules().unwrap_or_default();
    if missing.is_empty() {
        return Vec::new();
    }
    let about = format!("Add to .windlass/.gitignore: {}", missing.join(" "));
    let fix = Fix::new("ignored", about, |scene| {
        scene.project.complete_ignore_rules()
    });
    vec![fix]
}

/// Opening the state closes it too, unless it came from elsewhere.
fn modes(scene: &Scene) -> Vec<Fix> {
    let open = scene.project.open_to_others();
    match open.first() {
        None => Vec::new(),
        Some(first) => {
            let about = format!(
                "Take {} of the state away from other users (0700 for folders, 0600 for files): {}",
                counted(open.len(), "path"),
                first.display()
            );
            vec![Fix::new("state", about, |scene| {
                scene.project.close_to_others()
            })]
        }
    }
}

/// Only where others can read it and nothing more: a list that others could have written is for a
/// person to look at.
fn private_allowlist(scene: &Scene) -> Vec<Fix> {
    let file = scene.machine.allowlist.clone();
    let mode = fs::symlink_metadata(&file)
        .ok()
        .filter(fs::Metadata::is_file);
    let mode = mode.map_or(0, |found| found.permissions().mode());
    if mode & 0o022 != 0 || mode & 0o044 == 0 {
        return Vec::new();
    }
    let about = format!("Let only you read {} (0600)", file.display());
    vec![Fix::new("private", about, move |_| {
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600))
            .map_err(|problem| failed(&file, &problem))
    })]
}

fn sockets(scene: &Scene) -> Vec<Fix> {
    let dead = dead_job_sockets(scene.project.state());
    if dead.is_empty() {
        return Vec::new();
    }
    let about = format!(
        "Remove {} of exited processes",
        counted(dead.len(), "socket")
    );
    // Looked for again: a new process may have the number of an old one.
    let fix = Fix::new("sockets", about, |scene| {
        remove_files(dead_job_sockets(scene.project.state()))
    });
    vec![fix]
}

/// Files whose writer was killed before it gave them their names.
fn unfinished(scene: &Scene) -> Vec<Fix> {
    let folder = scene.project.folder();
    let mut left = Vec::new();
    for folder in [folder.join("packs"), folder] {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let is_new = entry.file_name().to_string_lossy().starts_with(".new-");
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            if is_new && is_file && is_older(&entry.path(), UNFINISHED) {
                left.push(entry.path());
            }
        }
    }
    if left.is_empty() {
        return Vec::new();
    }
    let count = counted(left.len(), "file");
    let about = format!("Remove {count} that a killed process did not finish (.windlass/.new-*)");
    vec![Fix::new("leftovers", about, |_| remove_files(left))]
}

/// Files for the clients of sessions that ended long ago.
fn ended_sessions(scene: &Scene) -> Vec<Fix> {
    let left = folders_of_ended_sessions(scene).unwrap_or_default();
    if left.is_empty() {
        return Vec::new();
    }
    let count = counted(left.len(), "folder");
    let about = format!("Remove {count} of sessions that ended over a week ago");
    vec![Fix::new("leftovers", about, |_| {
        left.into_iter().try_for_each(|folder| {
            fs::remove_dir_all(&folder).map_err(|problem| failed(&folder, &problem))
        })
    })]
}

fn folders_of_ended_sessions(scene: &Scene) -> Result<Vec<PathBuf>> {
    let mut left = Vec::new();
    let Some(store) = own_store(scene)? else {
        return Ok(left);
    };
    let folder = scene.project.state().join("sessions");
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let name = entry.file_name();
        let (true, Some(id)) = (is_folder, name.to_str()) else {
            continue;
        };
        if is_older(&entry.path(), ENDED) && has_ended(&store, id)? {
            left.push(entry.path());
        }
    }
    Ok(left)
}

fn has_ended(store: &Store, id: &str) -> Result<bool> {
    match store.read(None, |reader| reader.session(id)) {
        Ok(session) => Ok(session.has_ended()),
        Err(error) if error.kind() == ErrorKind::SessionNotFound => Ok(true),
        Err(error) => Err(error),
    }
}

/// A hook is code that git runs for a person, so only a person renews one.
fn hooks(scene: &Scene) -> Vec<Fix> {
    let outdated = outdated_hooks(&scene.project).into_iter();
    let fixes = outdated.map(|hook| Fix {
        needs_person: true,
        ..Fix::new(
            "hooks",
            format!("Renew the lines of Windlass in {}", hook.file.display()),
            move |scene| hook.renew(&scene.project),
        )
    });
    fixes.collect()
}

fn client_files(scene: &Scene) -> Vec<Fix> {
    let outdated = outdated_files(scene.project.root(), &scene.user).into_iter();
    let fixes = outdated.map(|file| {
        let path = file.path();
        let about = format!(
            "Bring the part of Windlass in {} up to date, for {}:\n{}",
            path.display(),
            file.client.title,
            file.diff().trim_end()
        );
        Fix::new("clients", about, move |scene| {
            file.write(scene.project.root())
        })
    });
    fixes.collect()
}

fn derived(scene: &Scene) -> Vec<Fix> {
    let Ok(Some((store, problems))) = problems_of_rows(scene) else {
        return Vec::new();
    };
    let Some(first) = problems.first() else {
        return Vec::new();
    };
    let about = format!(
        "Make everything again that is derived from documents ({}: {first})",
        counted(problems.len(), "problem")
    );
    vec![Fix::new("integrity", about, move |_| {
        let left = store.repair(&state::origin())?.left;
        match left.first() {
            None => Ok(()),
            Some(first) => Err(Error::storage(format!("It is not repaired: {first}"))),
        }
    })]
}

/// None where the file itself is damaged: that needs `windlass doctor --repair`.
fn problems_of_rows(scene: &Scene) -> Result<Option<(Store, Vec<String>)>> {
    let Some(store) = own_store(scene)? else {
        return Ok(None);
    };
    if !store.check_file()?.is_empty() {
        return Ok(None);
    }
    let problems = store.check(&state::origin())?;
    Ok(Some((store, problems)))
}

/// The state, if it is there and this user's own: nothing else is written to.
fn own_store(scene: &Scene) -> Result<Option<Store>> {
    if scene.bindings.standing(&scene.project)? != Standing::Own {
        return Ok(None);
    }
    Store::open_bound(&scene.project, &scene.bindings).map(Some)
}

fn is_older(path: &Path, age: Duration) -> bool {
    let changed = fs::symlink_metadata(path).and_then(|found| found.modified());
    let now = SystemTime::now();
    changed.is_ok_and(|changed| now.duration_since(changed).is_ok_and(|past| past > age))
}

fn remove_files(files: Vec<PathBuf>) -> Result<()> {
    files
        .into_iter()
        .try_for_each(|file| fs::remove_file(&file).map_err(|problem| failed(&file, &problem)))
}

fn failed(path: &Path, problem: &std::io::Error) -> Error {
    Error::storage(format!("{}: {problem}", path.display()))
}
