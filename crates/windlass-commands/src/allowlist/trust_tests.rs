use super::*;
use std::os::unix::fs::{PermissionsExt as _, symlink};

/// `BASE/home/config/windlass/allowlist.toml` beside the project `BASE/project`.
struct Places {
    _folder: tempfile::TempDir,
    base: PathBuf,
}

impl Places {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(folder.path()).unwrap();
        for name in ["home/config/windlass", "project/sub", "other/.windlass"] {
            fs::create_dir_all(base.join(name)).unwrap();
            mode(&base.join(name), 0o755);
        }
        for name in ["home", "home/config"] {
            mode(&base.join(name), 0o755);
        }
        let places = Self {
            _folder: folder,
            base,
        };
        places.write("home/config/windlass/allowlist.toml");
        places
    }

    fn write(&self, name: &str) -> PathBuf {
        let path = self.base.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        mode(path.parent().unwrap(), 0o755);
        fs::write(&path, "").unwrap();
        mode(&path, 0o600);
        path
    }

    fn own(&self) -> PathBuf {
        self.base.join("home/config/windlass/allowlist.toml")
    }

    fn check(&self, file: &Path) -> Result<(), String> {
        let projects = [self.base.join("project")];
        check(file, Owner::User, &projects).map_err(|problem| problem.message)
    }

    fn refused(&self, file: &Path, why: &str) {
        let message = self.check(file).expect_err("refused");
        assert!(message.contains(why), "{message}");
    }
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_list_of_the_user_is_believed() {
    let places = Places::new();
    assert_eq!(places.check(&places.own()), Ok(()));
    // Not there yet.
    assert_eq!(
        places.check(&places.base.join("home/none/at/all.toml")),
        Ok(())
    );
    // A link of the user's own, such as a folder of settings that is kept elsewhere.
    let kept = places.write("home/kept/allowlist.toml");
    let link = places.base.join("home/config/link.toml");
    symlink(kept, &link).unwrap();
    assert_eq!(places.check(&link), Ok(()));
    // As /tmp is.
    mode(&places.base.join("home"), 0o1777);
    assert_eq!(places.check(&places.own()), Ok(()));
}

#[test]
fn a_list_in_a_project_is_not() {
    let places = Places::new();
    let inside = "inside the project";
    places.refused(
        &places.write("project/.config/windlass/allowlist.toml"),
        inside,
    );
    places.refused(&places.base.join("project/none/allowlist.toml"), inside);
    places.refused(&places.base.join("home/../project/allowlist.toml"), inside);
    // Of whatever project.
    places.refused(&places.write("other/home/allowlist.toml"), inside);
    // A link from outside to the inside.
    let inner = places.write("project/sub/allowlist.toml");
    let link = places.base.join("home/config/windlass/linked.toml");
    symlink(inner, &link).unwrap();
    places.refused(&link, inside);
    // A link on the inside to the outside: agents can turn it round.
    let link = places.base.join("project/config");
    symlink(places.base.join("home/config"), &link).unwrap();
    places.refused(&link.join("windlass/allowlist.toml"), inside);
    // A relative link by a folder.
    symlink("../project/sub", places.base.join("home/relative")).unwrap();
    places.refused(&places.base.join("home/relative/allowlist.toml"), inside);
}

#[test]
fn a_list_that_others_can_write_is_not() {
    let places = Places::new();
    for (name, bad) in [
        ("home/config/windlass/allowlist.toml", 0o602),
        ("home/config/windlass/allowlist.toml", 0o620),
        ("home/config/windlass", 0o757),
        ("home/config/windlass", 0o775),
        ("home/config", 0o757),
        ("home", 0o777),
    ] {
        let path = places.base.join(name);
        let before = fs::metadata(&path).unwrap().permissions();
        mode(&path, bad);
        places.refused(&places.own(), "others can write");
        fs::set_permissions(&path, before).unwrap();
    }
    assert_eq!(places.check(&places.own()), Ok(()));
}

#[test]
fn a_list_of_another_user_is_not() {
    let places = Places::new();
    let file = places.own();
    let as_other = |owner| check(&file, owner, &[]).map_err(|problem| problem.message);
    if rustix::process::geteuid().is_root() {
        // Only root can give files away.
        std::os::unix::fs::chown(&file, Some(65534), None).unwrap();
        let message = as_other(Owner::User).unwrap_err();
        assert!(
            message.contains("belongs to another user (number 65534)"),
            "{message}"
        );
        std::os::unix::fs::chown(&file, Some(0), None).unwrap();
        assert_eq!(as_other(Owner::User), Ok(()));
    } else {
        // The list of the system is root's.
        assert!(
            as_other(Owner::Only(ROOT))
                .unwrap_err()
                .contains("belongs to another")
        );
    }
}
