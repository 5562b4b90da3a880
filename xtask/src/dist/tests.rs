//! Packs the debug binary, installs every package in a clean folder, and does the same short tour with
//! each: a project, a task, and the list of tools over MCP.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::{Value as Json, json};

use super::checksums::{self, sha256};
use super::manifests::files_of;
use crate::client::Client;
use crate::programs::{output, succeeds};

const REPOSITORY: &str = "https://github.com/someone/windlass";

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("windlass-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn make(&self, name: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(&path).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The debug binary without its symbols, which is a third as large. `None` if it is not built, or if
/// a program that the test needs is missing, which is an error in CI.
#[expect(clippy::disallowed_methods, reason = "in CI nothing is skipped")]
fn binary(folder: &Folder) -> Option<PathBuf> {
    let test = std::env::current_exe().unwrap();
    let built = test.parent().unwrap().with_file_name("windlass");
    let mut missing: Vec<&str> = ["strip", "dpkg-deb", "npm", "python3", "tar", "git"]
        .into_iter()
        .filter(|program| !succeeds(Command::new(program).arg("--version")))
        .collect();
    if !built.exists() {
        missing.push("target/debug/windlass");
    }
    if !missing.is_empty() {
        let missing = missing.join(", ");
        assert!(std::env::var_os("CI").is_none(), "missing: {missing}");
        eprintln!("missing, so packages are not tested: {missing}");
        return None;
    }
    let stripped = folder.0.join("stripped");
    output(Command::new("strip").arg("-o").arg(&stripped).arg(built)).unwrap();
    Some(stripped)
}

/// Packs the binary with further options, and returns the names of the files.
fn pack(binary: &Path, out: &Path, more: &[&str]) -> Vec<String> {
    let (binary, name) = (binary.to_str().unwrap(), out.to_str().unwrap());
    let options = [&["--binary", binary, "--out", name, "--fast"], more].concat();
    super::run(&crate::root(), &options).unwrap();
    files_of(out).unwrap()
}

/// The one file whose name ends like this.
fn the<'a>(names: &'a [String], end: &str) -> &'a str {
    let found: Vec<&String> = names.iter().filter(|name| name.ends_with(end)).collect();
    assert_eq!(found.len(), 1, "{end}: {names:?}");
    found[0]
}

#[cfg(target_os = "linux")]
#[test]
fn every_package_installs_and_runs() {
    let folder = Folder::new("dist");
    let Some(binary) = binary(&folder) else {
        return;
    };
    let out = folder.make("out");
    let names = pack(&binary, &out, &["--repository", REPOSITORY]);
    let sums = fs::read_to_string(out.join(checksums::FILE)).unwrap();
    assert_eq!(sums.lines().count(), names.len() - 1);
    let again = folder.make("again");
    pack(
        &binary,
        &again,
        &["--only", "deb,wheel", "--repository", REPOSITORY],
    );
    let sums_again = fs::read_to_string(again.join(checksums::FILE)).unwrap();
    assert_eq!(sums_again.lines().count(), 3, "{sums_again}");
    let same = |line: &&str| !line.ends_with("server.json");
    for line in sums_again.lines().filter(same) {
        assert!(
            sums.contains(line),
            "another run wrote another file: {line}\n{sums}"
        );
    }
    fs::remove_dir_all(again).unwrap();

    for (kind, install) in [
        (
            "archive",
            install_archive as fn(&Path, &[String], &Path) -> PathBuf,
        ),
        ("wheel", install_wheel),
        ("npm", install_npm),
        ("deb", install_deb),
    ] {
        let program = install(&out, &names, &folder.make(kind));
        tour(
            Command::new(program),
            kind,
            &folder.make(&format!("{kind}-project")),
        );
    }
    bundle(&out, &names, &folder);
    image(&out, &names, &folder);
    described(&out, &names);
}

fn install_archive(out: &Path, names: &[String], into: &Path) -> PathBuf {
    let name = the(names, ".tar.gz");
    let mut tar = Command::new("tar");
    output(tar.arg("-xzf").arg(out.join(name)).arg("-C").arg(into)).unwrap();
    let folder = into.join(name.trim_end_matches(".tar.gz"));
    for file in [
        "LICENSE-MIT",
        "THIRD-PARTY-LICENSES.txt",
        "sbom.cdx.json",
        "completions/_windlass",
        "man/man1/windlass-tasks-create.1",
    ] {
        let size = fs::metadata(folder.join(file)).map(|it| it.len());
        assert!(size.is_ok_and(|size| size > 200), "{file}");
    }
    let licenses = fs::read_to_string(folder.join("THIRD-PARTY-LICENSES.txt")).unwrap();
    for part in [
        "\nserde 1.",
        "\nelkjs 0.",
        "Permission is hereby granted",
        "SQLite",
    ] {
        assert!(licenses.contains(part), "{part}");
    }
    folder.join("windlass")
}

fn install_wheel(out: &Path, names: &[String], into: &Path) -> PathBuf {
    output(Command::new("python3").args(["-m", "venv"]).arg(into)).unwrap();
    let mut pip = Command::new(into.join("bin/python"));
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--disable-pip-version-check",
    ]);
    output(pip.arg(out.join(the(names, ".whl")))).unwrap();
    into.join("bin/windlass")
}

fn install_npm(out: &Path, names: &[String], into: &Path) -> PathBuf {
    let mut npm = Command::new("npm");
    npm.args([
        "install",
        "--offline",
        "--no-audit",
        "--no-fund",
        "--prefix",
    ])
    .arg(into);
    let ending = ".tgz";
    for name in names.iter().filter(|name| name.ends_with(ending)) {
        npm.arg(out.join(name));
    }
    output(&mut npm).unwrap();
    into.join("node_modules/.bin/windlass")
}

fn install_deb(out: &Path, names: &[String], into: &Path) -> PathBuf {
    let package = out.join(the(names, ".deb"));
    output(
        Command::new("dpkg-deb")
            .arg("--extract")
            .arg(&package)
            .arg(into),
    )
    .unwrap();
    let field = |name: &str| {
        output(
            Command::new("dpkg-deb")
                .arg("--field")
                .arg(&package)
                .arg(name),
        )
        .unwrap()
    };
    assert_eq!(field("Version").trim(), env!("CARGO_PKG_VERSION"));
    assert!(
        field("Depends").starts_with("libc6 (>= 2."),
        "{}",
        field("Depends")
    );
    into.join("usr/bin/windlass")
}

/// Starts the server of the bundle as its manifest says.
fn bundle(out: &Path, names: &[String], folder: &Folder) {
    let into = folder.make("mcpb");
    // Programs that install bundles keep the modes; the module of Python does not.
    let unpack = "import os, sys, zipfile\n\
        with zipfile.ZipFile(sys.argv[1]) as bundle:\n    \
            for entry in bundle.infolist():\n        \
                os.chmod(bundle.extract(entry, sys.argv[2]), entry.external_attr >> 16)\n";
    let mut python = Command::new("python3");
    let python = python
        .args(["-c", unpack])
        .arg(out.join(the(names, ".mcpb")));
    output(python.arg(&into)).unwrap();
    let manifest: Json =
        serde_json::from_slice(&fs::read(into.join("manifest.json")).unwrap()).unwrap();
    let project = folder.make("mcpb-project");
    let server = &manifest["server"];
    let program = into.join(server["entry_point"].as_str().unwrap());
    output(isolated(Command::new(&program), &project).arg("init")).unwrap();
    let settings = &server["mcp_config"];
    let filled = |text: &Json| {
        let text = text
            .as_str()
            .unwrap()
            .replace("${__dirname}", into.to_str().unwrap());
        text.replace("${user_config.project}", project.to_str().unwrap())
    };
    let mut command = Command::new(filled(&settings["command"]));
    command.args(settings["args"].as_array().unwrap().iter().map(filled));
    let mut server = isolated(command, &project);
    // Desktop clients start it anywhere.
    server.current_dir("/");
    assert_tools(server, "mcpb");
}

/// Runs the image where podman is installed.
fn image(out: &Path, names: &[String], folder: &Folder) {
    if !succeeds(Command::new("podman").arg("--version")) {
        eprintln!("podman is not installed, so the image is not tested");
        return;
    }
    let settings = folder.0.join("containers.conf");
    let text = "[containers]\ndefault_ulimits = [\"nofile=1024:1024\", \"nproc=1000:1000\"]\n\
        [engine]\nruntime = \"runc\"\ncgroup_manager = \"cgroupfs\"\n";
    fs::write(&settings, text).unwrap();
    let podman = |words: &[&str]| {
        let mut podman = Command::new("podman");
        podman
            .arg("--root")
            .arg(folder.0.join("images"))
            .arg("--runroot");
        podman
            .arg(folder.0.join("containers"))
            .env("CONTAINERS_CONF", &settings);
        podman.args(words);
        podman
    };
    let archive = out.join(the(names, ".oci.tar"));
    let loaded = output(&mut podman(&[
        "load",
        "--quiet",
        "--input",
        archive.to_str().unwrap(),
    ]));
    let loaded = loaded.unwrap();
    assert!(
        loaded.contains(&format!("windlass:{}", env!("CARGO_PKG_VERSION"))),
        "{loaded}"
    );
    let project = folder.make("image-project");
    output(Command::new("git").args(["init", "--quiet"]).arg(&project)).unwrap();
    let volume = format!("{}:/project", project.display());
    let home = format!("{}:/home/windlass", folder.make("image-home").display());
    let name = format!("windlass:{}", env!("CARGO_PKG_VERSION"));
    let run = |words: &[&str]| {
        let mut run = podman(&["run", "--rm", "--interactive", "--network", "none"]);
        run.args(["--volume", &volume, "--volume", &home, &name])
            .args(words);
        run
    };
    output(&mut run(&["init"])).unwrap();
    let doctor = output(&mut run(&["doctor"])).unwrap();
    assert!(doctor.contains("git"), "{doctor}");
    assert_tools(run(&["mcp"]), "image");
    output(&mut podman(&["rmi", "--all", "--force"])).unwrap();
}

/// What descriptions say about the packages is true.
fn described(out: &Path, names: &[String]) {
    let read = |name: &str| fs::read_to_string(out.join(name)).unwrap();
    let server: Json = serde_json::from_str(&read("server.json")).unwrap();
    assert_eq!(server["name"], "io.github.someone/windlass");
    let kinds = server["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["registryType"]);
    assert_eq!(kinds.collect::<Vec<_>>(), ["npm", "pypi", "mcpb"]);
    let bundle = sha256(&fs::read(out.join(the(names, ".mcpb"))).unwrap());
    assert_eq!(server["packages"][2]["fileSha256"], bundle);
    let archive = sha256(&fs::read(out.join(the(names, ".tar.gz"))).unwrap());
    assert!(read("windlass.rb").contains(&archive));

    let sbom: Json = serde_json::from_str(&read(the(names, ".cdx.json"))).unwrap();
    let components = sbom["components"].as_array().unwrap();
    let has = |name: &str| components.iter().any(|it| it["name"] == name);
    assert!(has("rusqlite") && has("windlass-core") && has("preact"));
    assert!(!has("insta"), "what only tests need is not in the binary");
    let listed = |reference: &Json| components.iter().any(|it| it["bom-ref"] == *reference);
    let edges = sbom["dependencies"].as_array().unwrap();
    let targets = edges
        .iter()
        .filter_map(|edge| edge["dependsOn"].as_array())
        .flatten();
    for target in targets {
        assert!(listed(target), "{target}");
    }
}

/// The program sees nothing of the user who runs the tests.
fn isolated(mut command: Command, project: &Path) -> Command {
    command.current_dir(project);
    command.env("HOME", project.with_extension("home"));
    for variable in [
        "XDG_DATA_HOME",
        "XDG_CONFIG_HOME",
        "XDG_STATE_HOME",
        "XDG_CACHE_HOME",
    ] {
        command.env_remove(variable);
    }
    command
}

/// A project, a task, and the first answers of the MCP server.
fn tour(program: Command, kind: &str, project: &Path) {
    let run = |words: &[&str]| {
        let command = Command::new(program.get_program());
        output(isolated(command, project).args(words))
    };
    let version = run(&["--version"]).unwrap();
    assert_eq!(
        version.trim(),
        format!("windlass {}", env!("CARGO_PKG_VERSION")),
        "{kind}"
    );
    run(&["init"]).unwrap();
    let added = run(&["add", "Write the parser"]).unwrap();
    assert!(
        added.starts_with("Added #1 Write the parser"),
        "{kind}: {added}"
    );
    let wrong = run(&["show", "77"]).unwrap_err();
    assert!(
        wrong.contains("77"),
        "{kind}: the exit code is lost: {wrong}"
    );
    let mut server = isolated(program, project);
    server.arg("mcp");
    assert_tools(server, kind);
}

fn assert_tools(mut server: Command, kind: &str) {
    server.env("WINDLASS_LOG_LEVEL", "error");
    let begun = Instant::now();
    let mut client = Client::start(server, "dist").unwrap();
    let answered = begun.elapsed();
    let tools = client.request("tools/list", json!({})).unwrap();
    let tools = tools["result"]["tools"].as_array().unwrap();
    let has = |name: &str| tools.iter().any(|tool| tool["name"] == name);
    assert!(has("begin") && has("list_tasks"), "{kind}: {tools:?}");
    client.stop().unwrap();
    eprintln!("{kind}: first answer after {} ms", answered.as_millis());
}
