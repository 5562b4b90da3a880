//! A real container engine: podman with runc, and an image that is made on the spot from busybox. The
//! tests of other crates use this file too.

#![allow(clippy::unwrap_used, reason = "a helper of tests may panic")]

use std::fs::File;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub const IMAGE: &str = "windlass-test:latest";

/// What podman needs where cgroups and limits are those of a container.
const CONFIG: &str = r#"[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
"#;

/// The path of a program that behaves like docker; `None` if podman is not installed, which is an
/// error in CI.
#[expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tells a person that the test was skipped"
)]
pub fn docker() -> Option<PathBuf> {
    let missing = ["podman", "runc", "busybox"].map(|name| {
        (
            name,
            Command::new(name)
                .arg("--help")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .is_ok(),
        )
    });
    if let Some((name, _)) = missing.iter().find(|(_, is_there)| !is_there) {
        assert!(std::env::var_os("CI").is_none(), "{name} is not installed");
        eprintln!("{name} is not installed, so containers are not tested");
        return None;
    }
    let base = Path::new(env!("CARGO_TARGET_TMPDIR")).join("podman");
    std::fs::create_dir_all(&base).unwrap();
    // Tests run at the same time, in several processes.
    let lock = File::create(base.join("lock")).unwrap();
    lock.lock().unwrap();
    let program = base.join("docker");
    let config = base.join("containers.conf");
    std::fs::write(&config, CONFIG).unwrap();
    let script = format!(
        "#!/bin/sh\nCONTAINERS_CONF='{}' exec podman \"$@\"\n",
        config.display()
    );
    if std::fs::read_to_string(&program).is_ok_and(|known| known == script) && has_image(&program) {
        return Some(program);
    }
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    make_image(&base, &program);
    Some(program)
}

fn has_image(program: &Path) -> bool {
    let mut inspect = Command::new(program);
    let inspect = inspect.args(["image", "inspect", IMAGE]);
    let status = inspect.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

fn make_image(base: &Path, program: &Path) {
    let root = base.join("image");
    let _ = std::fs::remove_dir_all(&root);
    for folder in ["bin", "tmp", "etc"] {
        std::fs::create_dir_all(root.join(folder)).unwrap();
    }
    std::fs::set_permissions(root.join("tmp"), std::fs::Permissions::from_mode(0o1777)).unwrap();
    let busybox = which::which("busybox").unwrap();
    std::fs::copy(busybox, root.join("bin/busybox")).unwrap();
    let list = Command::new("busybox").arg("--list").output().unwrap();
    for name in String::from_utf8_lossy(&list.stdout).lines() {
        if name != "busybox" {
            symlink("busybox", root.join("bin").join(name)).unwrap();
        }
    }
    let mut tar = Command::new("tar")
        .arg("-C")
        .arg(&root)
        .args(["-c", "."])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let import = Command::new(program)
        .args(["import", "-", IMAGE])
        .stdin(tar.stdout.take().unwrap())
        .output()
        .unwrap();
    assert!(tar.wait().unwrap().success());
    assert!(
        import.status.success(),
        "{}",
        String::from_utf8_lossy(&import.stderr)
    );
}
