//! What is believed about the user: an allowlist that only they can have written, and programs that
//! are not the project's.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value as Json, json};

use crate::person::at_a_terminal;
use crate::repository::Repository;
use crate::server::{Server, search_path};

fn repository() -> Repository {
    let repository = Repository::new(&[("Makefile", "build:\n\t@touch ran\n")]);
    repository.allow_all();
    repository
}

/// Whether an agent can run the command with these variables, and why not.
fn tried(repository: &Repository, variables: &[(&str, &Path)]) -> Result<(), String> {
    let mut command = repository.command(&["mcp"]);
    command.envs(variables.iter().copied());
    let mut server = Server::of(command);
    let input = json!({"unique_name": "build", "wait_seconds": 20});
    let answer = server.call("task_start", input).expect("an answer");
    let ran = fs::remove_file(repository.root.join("ran")).is_ok();
    if ran {
        return Ok(());
    }
    let error = &answer["error"];
    assert_eq!(error["code"], -32010, "{answer}");
    Err(error.to_string())
}

fn refused(repository: &Repository, variables: &[(&str, &Path)], why: &str) {
    let error = tried(repository, variables).expect_err(why);
    assert!(error.contains("the allowlist cannot be used"), "{error}");
    assert!(error.contains(why), "{error}");
    let mut doctor = repository.command(&["doctor", "--json"]);
    doctor.envs(variables.iter().copied());
    let output = doctor.output().expect("started");
    let report: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    let found = report["checks"].as_array().expect("checks").iter();
    let mut found = found.filter(|it| it["name"] == "allowlist" && it["status"] == "error");
    let said = found.next().unwrap_or_else(|| panic!("{why}: {report}"));
    assert!(
        said["message"].as_str().is_some_and(|it| it.contains(why)),
        "{said}"
    );
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("set");
}

#[test]
fn a_list_inside_of_the_project_is_not_believed() {
    let repository = repository();
    assert_eq!(tried(&repository, &[]), Ok(()));
    let inside = repository.root.join(".config");
    let list = fs::read_to_string(repository.allowlist()).expect("read");
    fs::create_dir_all(inside.join("windlass")).expect("made");
    fs::write(inside.join("windlass/allowlist.toml"), &list).expect("written");
    mode(&inside.join("windlass/allowlist.toml"), 0o600);
    let why = "inside the project";
    refused(&repository, &[("XDG_CONFIG_HOME", &inside)], why);
    // By HOME, which also decides where other lists are.
    refused(&repository, &[("HOME", &repository.root)], why);
    // By a link to the inside.
    let link = repository.base().join("link");
    symlink(&inside, &link).expect("linked");
    refused(&repository, &[("XDG_CONFIG_HOME", &link)], why);
    // By a link on the inside, which leads to the true list today.
    let back = repository.root.join("back");
    symlink(repository.base().join("config"), &back).expect("linked");
    refused(&repository, &[("XDG_CONFIG_HOME", &back)], why);
    // A list that is not there yet is not made there either.
    let none = repository.root.join("none");
    let mut command = repository.command(&["deny", "build"]);
    command.env("XDG_CONFIG_HOME", &none);
    let output = at_a_terminal(&command, "");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(
        !output.status.success() && printed.contains("project"),
        "{printed}"
    );
    assert!(!none.exists());
}

#[test]
fn a_list_that_others_could_have_written_is_not_believed() {
    let repository = repository();
    let list = repository.allowlist();
    let folder = list.parent().expect("a folder").to_owned();
    mode(&list, 0o600);
    mode(&folder, 0o700);
    for (path, bad, good) in [
        (&list, 0o622, 0o600),
        (&list, 0o606, 0o600),
        (&folder, 0o775, 0o700),
        (&folder, 0o757, 0o700),
    ] {
        mode(path, bad);
        refused(&repository, &[], "others can write");
        mode(path, good);
        assert_eq!(tried(&repository, &[]), Ok(()));
    }
    if std::os::unix::fs::chown(&list, Some(65534), None).is_ok() {
        refused(&repository, &[], "belongs to another user");
    }
}

#[test]
fn texts_of_gates_are_believed_from_the_same_place_only() {
    let repository = repository();
    let allow = |config: &Path| {
        let list = config.join("windlass/allowlist.toml");
        let grants = windlass_ops::GrantedTexts::beside(&list, &repository.root);
        grants
            .allow(windlass_ops::TextKind::Gate, "x", "touch ran")
            .expect("allowed");
    };
    let project = windlass_store::Project::find(&repository.root).expect("a project");
    let bindings = crate::sample::bindings();
    let store = windlass_store::Store::open_bound(&project, &bindings).expect("a store");
    let gate = windlass_core::workflow::GateDefinition::new("x", "touch ran");
    store
        .write(&crate::sample::origin(), |writer| {
            writer.add_gate(&windlass_store::GateScope::Repo, &gate)
        })
        .expect("added");
    let inside = repository.root.join(".config");
    allow(&inside);
    let tried = |config: &Path| {
        let mut command = repository.command(&["mcp", "--toolsets", "all"]);
        command.env("XDG_CONFIG_HOME", config);
        let mut server = Server::of(command);
        let answer = server
            .call("gate_try", json!({"name": "x"}))
            .expect("an answer");
        (fs::remove_file(repository.root.join("ran")).is_ok(), answer)
    };
    let (ran, answer) = tried(&inside);
    assert!(!ran, "{answer}");
    let outside = repository.base().join("config");
    allow(&outside);
    let (ran, answer) = tried(&outside);
    assert!(ran, "{answer}");
}

#[test]
fn programs_of_the_project_are_not_found() {
    let repository = repository();
    for name in ["make", "git", "bash", "sh"] {
        repository.write(
            &format!("bin/{name}.sh"),
            "#!/bin/sh\ntouch \"$EVIL\"\nexit 1\n",
        );
        let bin = repository.root.join("bin");
        fs::rename(bin.join(format!("{name}.sh")), bin.join(name)).expect("renamed");
    }
    let evil = repository.base().join("evil");
    let inner = repository.root.join("bin");
    let link = repository.base().join("link");
    symlink(&inner, &link).expect("linked");
    for first in [inner.as_path(), Path::new("bin"), Path::new("./bin"), &link] {
        let path = format!("{}:{}", first.display(), search_path());
        for words in [
            &["run", "build"][..],
            &["status"],
            &["doctor"],
            &["commands"],
        ] {
            let mut command = repository.command(words);
            let output = command.env("PATH", &path).env("EVIL", &evil).output();
            let output = output.expect("started");
            assert!(!evil.exists(), "{first:?} {words:?}");
            if words == ["run", "build"] {
                assert!(output.status.success(), "{output:?}");
                fs::remove_file(repository.root.join("ran")).expect("it ran");
            }
            if words == ["doctor"] {
                let said = String::from_utf8_lossy(&output.stdout);
                let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
                assert!(said.contains(&first.display().to_string()), "{said}");
                assert!(said.contains("PATH has folders of the project"), "{said}");
            }
        }
    }
}

/// Runs a shell text where `/etc/windlass` is a folder of the test; none where that is impossible.
fn with_own_etc(repository: &Repository, text: &str) -> Option<Output> {
    let etc = repository.base().join("etc");
    fs::create_dir_all(&etc).expect("made");
    mode(&etc, 0o755);
    let mount = "cp -a /etc/passwd /etc/group \"$ETC\" && mount --bind \"$ETC\" /etc";
    let run = |text: &str| {
        let mut command = Command::new("unshare");
        command
            .args(["--mount", "sh", "-c", text])
            .current_dir(&repository.root)
            .env("ETC", &etc)
            .env("WINDLASS", env!("CARGO_BIN_EXE_windlass"))
            .env("HOME", repository.base())
            .env("XDG_CONFIG_HOME", repository.base().join("config"))
            .env("NO_COLOR", "1")
            .env("TERM", "xterm")
            .stdin(Stdio::null());
        command
    };
    let possible = run(mount).stderr(Stdio::null()).status();
    if !possible.is_ok_and(|status| status.success()) {
        return None;
    }
    Some(at_a_terminal(
        &run(&format!("{mount} && {{ {text}; }}")),
        "",
    ))
}

/// The strong mode: only the list of the machine counts.
#[test]
fn with_an_exclusive_list_of_the_system_users_lists_are_ignored() {
    let repository = repository();
    let list = "/etc/windlass/allowlist.toml";
    let text = format!(
        "exec 2>&1; \"$WINDLASS\" deny build --system; echo code $?
         ls -ln {list} | cut -c1-10
         sed -i 's/exclusive = false/exclusive = true/; s/\"Deny\"/\"Task\"/' {list}
         \"$WINDLASS\" allowed build; \"$WINDLASS\" run build; ls ran; rm -f ran
         rm {list}; printf 'exclusive = true\\n' > {list}
         \"$WINDLASS\" run build < /dev/null | cat; echo left $(ls ran)
         chmod 666 {list}
         \"$WINDLASS\" run build < /dev/null | cat; echo left $(ls ran)
         \"$WINDLASS\" doctor"
    );
    let Some(output) = with_own_etc(&repository, &text) else {
        // Only root can give itself another /etc.
        return;
    };
    let printed = String::from_utf8_lossy(&output.stdout).replace('\r', "");
    assert!(printed.contains("code 0"), "{printed}");
    // Everyone can read it.
    assert!(printed.contains("-rw-r--r--"), "{printed}");
    // An entry of it allows; the user's own list, which allows everything, does not count without one.
    assert!(printed.contains("\nran\n"), "{printed}");
    let refused = printed.matches("not allowlisted").count();
    assert_eq!(refused, 2, "{printed}");
    assert!(
        printed.contains("others can write /etc/windlass/allowlist.toml"),
        "{printed}"
    );
    assert!(!repository.exists("ran"), "{printed}");
}

#[test]
fn who_is_not_root_is_told_how_root_allows_it() {
    let repository = repository();
    // As nobody, who can read the project.
    let possible = Command::new("setpriv")
        .args(["--reuid", "65534", "true"])
        .stderr(Stdio::null())
        .status();
    if !possible.is_ok_and(|status| status.success()) {
        let output = at_a_terminal(&repository.command(&["deny", "build", "--system"]), "");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            printed.contains("sudo windlass deny build --system"),
            "{printed}"
        );
        return;
    }
    for path in [
        repository.base(),
        repository.base().join("config"),
        repository.root.clone(),
    ] {
        mode(&path, 0o755);
    }
    let owner = Command::new("chown")
        .args(["-R", "65534"])
        .arg(repository.base())
        .status();
    assert!(owner.expect("chown").success());
    let mut command = Command::new("setpriv");
    command
        .args([
            "--reuid",
            "65534",
            "--clear-groups",
            env!("CARGO_BIN_EXE_windlass"),
        ])
        .args(["deny", "build", "--system"])
        .current_dir(&repository.root)
        .env("HOME", repository.base())
        .env("XDG_CONFIG_HOME", repository.base().join("config"));
    let output = at_a_terminal(&command, "");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        printed.contains("sudo windlass deny build --system"),
        "{printed}"
    );
}
