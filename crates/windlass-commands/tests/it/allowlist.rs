//! Editing the file, and reading it again when it changes.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use windlass_commands::allowlist::{Allowlist, EditError, Reason, Scope, allow, deny, revoke};

use crate::support::{Repository, write};

fn repository() -> Repository {
    Repository::new(&[
        ("Makefile", "build:\n\techo b\ntest:\n\techo t\n"),
        ("web/package.json", r#"{"scripts": {"dev": "vite"}}"#),
    ])
}

fn pinned(repository: &Repository, name: &str) -> Vec<(String, Option<String>)> {
    let command = repository.command(name);
    vec![(command.name.clone(), Some(command.fingerprint.clone()))]
}

#[test]
fn comments_stay_and_only_the_owner_can_read_the_file() {
    let repository = repository();
    let file = repository.allowlist_file();
    repository.set_allowlist(
        "# mine\n\n[[entries]]\npath = \"ROOT/web\" # the site\nscope = \"Directory\"\n",
    );
    let makefile = repository.root.join("./web/../Makefile");
    allow(&file, &makefile, Scope::Task, &pinned(&repository, "build")).unwrap();
    deny(&file, &makefile, &["test".to_owned()]).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        text.starts_with("# mine\n") && text.contains("# the site"),
        "{text}"
    );
    assert!(!text.contains(".."));
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let left = fs::read_dir(file.parent().unwrap()).unwrap();
    let mut left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["allowlist.lock", "allowlist.toml"]);

    let allowlist = repository.allowlist();
    let decide = |name: &str| allowlist.decide(&repository.root, &repository.command(name));
    assert_eq!(decide("build").reason, Reason::Granted(Scope::Task));
    assert_eq!(decide("test").reason, Reason::Denied);
    assert_eq!(decide("web/dev").reason, Reason::Granted(Scope::Directory));
    assert_eq!(decide("build").entry.unwrap().0, file);

    // The same grant again keeps one entry; revoking it keeps the others.
    allow(&file, &makefile, Scope::Task, &pinned(&repository, "build")).unwrap();
    assert_eq!(allowlist.entries().unwrap().len(), 3);
    assert_eq!(revoke(&file, &makefile, &["build".to_owned()]).unwrap(), 1);
    assert_eq!(decide("build").reason, Reason::NotListed);
    assert_eq!(revoke(&file, &makefile, &[]).unwrap(), 1);
    assert_eq!(decide("test").reason, Reason::NotListed);
    assert_eq!(revoke(&file, &makefile, &[]).unwrap(), 0);
    assert!(decide("web/dev").allowed);
    assert_eq!(decide_all(&repository, &allowlist), [false, false, true]);
}

fn decide_all(repository: &Repository, allowlist: &Allowlist) -> Vec<bool> {
    let decisions = allowlist.decide_all(&repository.discovery.discover());
    decisions.iter().map(|decision| decision.allowed).collect()
}

#[test]
fn a_new_folder_is_private_and_once_is_never_stored() {
    let repository = repository();
    let file = repository.base.join("new/folder/allowlist.toml");
    let makefile = repository.root.join("Makefile");
    for scope in [Scope::Once, Scope::Deny, Scope::Task] {
        let refused = allow(&file, &makefile, scope, &[]);
        assert!(matches!(refused, Err(EditError::NotStored(_))), "{scope:?}");
    }
    assert!(!file.exists());
    allow(&file, &repository.root, Scope::Directory, &[]).unwrap();
    let folder = file.parent().unwrap();
    assert_eq!(
        fs::metadata(folder).unwrap().permissions().mode() & 0o777,
        0o700
    );
    let missing = allow(&file, &repository.root.join("missing"), Scope::File, &[]);
    assert!(matches!(missing, Err(EditError::NoSuchPath { .. })));
}

#[test]
fn a_file_that_does_not_parse_denies_everything_and_is_not_overwritten() {
    let repository = repository();
    let file = repository.allowlist_file();
    let allowlist = repository.allowlist();
    let build = repository.command("build");
    let good = "[[entries]]\npath = \"ROOT\"\nscope = \"Directory\"\n";
    for broken in [
        "[[entries]]\npath = \n",
        "[[entries]]\npath = \"ROOT\"\nscope = \"Everything\"\n",
        "[[entries]]\npath = \"ROOT\"\nscope = \"Task\"\ntask = [\"build\"]\n",
        "[[entries]]\nscope = \"File\"\n",
        "entries = 1\n",
    ] {
        repository.set_allowlist(good);
        assert!(allowlist.decide(&repository.root, &build).allowed);
        repository.set_allowlist(
            &format!("{good}{broken}").replace(&format!("{good}entries"), "entries"),
        );
        let decision = allowlist.decide(&repository.root, &build);
        assert!(!decision.allowed, "{broken}");
        assert!(
            decision.reason.message().contains("allowlist.toml:"),
            "{broken}"
        );
        let refused = allow(&file, &repository.root, Scope::Directory, &[]);
        assert!(matches!(refused, Err(EditError::Broken(_))));
    }
    write(&file, b"\xff");
    assert!(!allowlist.decide(&repository.root, &build).allowed);
}

#[test]
fn other_files_are_read_and_can_block_everything() {
    let repository = repository();
    let other = repository.base.join("dela/allowlist.toml");
    let allowlist = Allowlist::new(repository.allowlist_file(), vec![other.clone()]);
    let build = repository.command("build");
    let decide = || allowlist.decide(&repository.root, &build);
    assert_eq!(decide().reason, Reason::NotListed);
    let entry = format!(
        "[[entries]]\npath = \"{}/Makefile\"\nscope = \"File\"\n",
        repository.root.display()
    );
    write(&other, entry.as_bytes());
    assert!(decide().allowed);
    repository.set_allowlist("[[entries]]\npath = \"ROOT\"\nscope = \"Deny\"\n");
    assert_eq!(decide().reason, Reason::Denied);
    repository.set_allowlist("");
    write(&other, b"[[entries");
    assert!(matches!(decide().reason, Reason::Unusable(_)));
}
