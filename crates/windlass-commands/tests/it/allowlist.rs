//! Editing the file, and reading it again when it changes.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use windlass_commands::allowlist::{
    Allowlist, EditError, GrantedText, Reason, Removed, Scope, allow, deny, grant, revoke,
};

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
    let revoked = |tasks: &[&str], removed| {
        let tasks: Vec<String> = tasks.iter().map(|it| (*it).to_owned()).collect();
        revoke(&file, &makefile, &tasks, removed).unwrap()
    };
    assert_eq!(revoked(&["build"], Removed::Grants), 1);
    assert_eq!(decide("build").reason, Reason::NotListed);
    assert_eq!(revoked(&[], Removed::Grants), 0);
    assert_eq!(decide("test").reason, Reason::Denied);
    assert_eq!(revoked(&[], Removed::Denials), 1);
    assert_eq!(decide("test").reason, Reason::NotListed);
    assert_eq!(revoked(&[], Removed::Denials), 0);
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

fn all_pinned(repository: &Repository, names: &[&str]) -> Vec<(String, Option<String>)> {
    let pins = names.iter().flat_map(|name| pinned(repository, name));
    pins.collect()
}

fn texts(repository: &Repository, names: &[&str]) -> Vec<GrantedText> {
    let commands = names.iter().map(|name| repository.command(name));
    commands
        .map(|command| GrantedText::of(&command, "2026-01-01T00:00:00.000Z".to_owned()))
        .collect()
}

/// An entry for the makefile, a change of it, and why each command then may or may not run.
#[test]
fn a_file_entry_with_pins_covers_what_was_shown_and_nothing_else() {
    const TEXT: &str = "build:\n\techo b\ntest:\n\techo t\n";
    let added = format!("{TEXT}new:\n\techo n\n");
    let repository = repository();
    let (build, test) = (repository.command("build"), repository.command("test"));
    let (build, test) = (&build.fingerprint, &test.fingerprint);
    let granted = Reason::Granted(Scope::File);
    for (pins, text, name, expected) in [
        (String::new(), &added, "new", granted.clone()),
        (
            format!("pins = {{ build = '{build}' }}"),
            &added,
            "new",
            Reason::NotIncluded,
        ),
        (
            format!("pins = {{ build = '{build}' }}"),
            &TEXT.to_owned(),
            "build",
            granted.clone(),
        ),
        (
            format!("pins = {{ build = '{build}' }}"),
            &TEXT.to_owned(),
            "test",
            Reason::NotIncluded,
        ),
        (
            format!("pins = {{ build = '{test}' }}"),
            &TEXT.to_owned(),
            "build",
            Reason::Changed,
        ),
        (
            format!("pins = {{ build = ['{test}', '{build}'] }}"),
            &TEXT.to_owned(),
            "build",
            granted.clone(),
        ),
        (
            "pins = {}".to_owned(),
            &TEXT.to_owned(),
            "build",
            Reason::NotIncluded,
        ),
        (
            format!("pins = {{ build = '{build}' }}"),
            &TEXT.replace("echo b", "evil"),
            "build",
            Reason::Changed,
        ),
    ] {
        repository.write("Makefile", text);
        repository.set_allowlist(&format!(
            "[[entries]]\npath = 'ROOT/Makefile'\nscope = 'File'\n{pins}\n"
        ));
        let decision = repository
            .allowlist()
            .decide(&repository.root, &repository.command(name));
        assert_eq!(decision.reason, expected, "{name} with {pins}");
    }
}

/// Where something that decides cannot be read, a pin says nothing; who did not ask for one is not
/// protected by one either.
#[test]
fn what_cannot_be_pinned_is_covered_by_entries_without_pins_only() {
    let repository = repository();
    let mut command = repository.command("build").as_ref().clone();
    let pin = command.fingerprint.clone();
    std::sync::Arc::make_mut(&mut command.pins)
        .unreadable
        .push("more.mk is not UTF-8".to_owned());
    let unpinnable = Reason::Unpinnable(command.pins.unreadable.clone());
    for (entry, expected) in [
        (
            "scope = 'Task'\ntasks = ['build']\npins = { build = 'PIN' }",
            unpinnable.clone(),
        ),
        (
            "scope = 'File'\npins = { build = 'PIN' }",
            unpinnable.clone(),
        ),
        (
            "scope = 'Task'\ntasks = ['build']",
            Reason::Granted(Scope::Task),
        ),
        ("scope = 'File'", Reason::Granted(Scope::File)),
    ] {
        let entry = entry.replace("PIN", &pin);
        repository.set_allowlist(&format!("[[entries]]\npath = 'ROOT/Makefile'\n{entry}\n"));
        let decision = repository.allowlist().decide(&repository.root, &command);
        assert_eq!(decision.reason, expected, "{entry}");
    }
    assert!(unpinnable.message().contains("more.mk is not UTF-8"));
}

#[test]
fn a_newer_pin_replaces_an_older_one_of_the_other_scope() {
    let repository = repository();
    let (file, makefile) = (
        repository.allowlist_file(),
        repository.root.join("Makefile"),
    );
    let both = all_pinned(&repository, &["build", "test"]);
    allow(&file, &makefile, Scope::File, &both).unwrap();
    repository.write("Makefile", "build:\n\techo b\ntest:\n\techo other\n");
    allow(&file, &makefile, Scope::Task, &pinned(&repository, "test")).unwrap();
    let allowlist = repository.allowlist();
    let entries = allowlist.entries().unwrap();
    let scopes: Vec<_> = entries.iter().map(|(_, it)| it.scope).collect();
    assert_eq!(scopes, [Scope::File, Scope::Task]);
    assert!(entries[0].1.pin("test").is_none() && entries[0].1.pin("build").is_some());
    // A makefile is a program and pinned as a whole, so the other command has changed too.
    assert_eq!(decide_all(&repository, &allowlist), [false, true, false]);
    allow(
        &file,
        &makefile,
        Scope::File,
        &all_pinned(&repository, &["build", "test"]),
    )
    .unwrap();
    assert_eq!(allowlist.entries().unwrap().len(), 1);
    // A name taken out of a file's entry is not covered; with the last one the entry goes.
    for (name, left) in [("build", 1), ("test", 0)] {
        let names = [name.to_owned()];
        assert_eq!(
            revoke(&file, &makefile, &names, Removed::Grants).unwrap(),
            1
        );
        assert_eq!(allowlist.entries().unwrap().len(), left, "{name}");
    }
    assert_eq!(decide_all(&repository, &allowlist), [false, false, false]);
    let unpinned = [("build".to_owned(), None)];
    let refused = allow(&file, &makefile, Scope::File, &unpinned);
    assert!(matches!(refused, Err(EditError::NotStored(Scope::File))));
}

#[test]
fn what_was_shown_is_kept_as_long_as_an_entry_refers_to_it() {
    let repository = repository();
    let (file, makefile) = (
        repository.allowlist_file(),
        repository.root.join("Makefile"),
    );
    let names = ["build", "test"];
    let (pins, seen) = (all_pinned(&repository, &names), texts(&repository, &names));
    grant(&file, &makefile, Scope::File, &pins, &seen).unwrap();
    let folder = file.with_file_name("granted");
    let kept = || {
        let entries = fs::read_dir(&folder).unwrap().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    assert!(kept().len() >= 3, "{:?}", kept());
    for path in kept() {
        let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{path:?}");
    }
    let build = &seen[0].fingerprint;
    assert_eq!(GrantedText::read(&file, build).as_ref(), Some(&seen[0]));
    // A text that is not the one that was shown is not shown as if it were.
    for path in kept()
        .into_iter()
        .filter(|it| it.extension().unwrap() == "txt")
    {
        fs::write(path, "forged").unwrap();
    }
    let read = GrantedText::read(&file, build).unwrap();
    assert!(read.files.iter().all(|file| file.text.is_none()));
    assert_eq!(
        read.changed_files(&repository.command("build")),
        Vec::<String>::new()
    );
    repository.write("Makefile", "build:\n\techo other\n");
    assert_eq!(
        read.changed_files(&repository.command("build")),
        ["Makefile"]
    );
    // Fingerprints are read from a file that people write.
    assert!(GrantedText::read(&file, "../allowlist").is_none());
    revoke(&file, &makefile, &["build".to_owned()], Removed::Grants).unwrap();
    assert!(GrantedText::read(&file, build).is_none());
    assert!(GrantedText::read(&file, &seen[1].fingerprint).is_some());
    revoke(&file, &makefile, &[], Removed::Grants).unwrap();
    assert_eq!(kept().len(), 0);
}

/// What a process left that was killed while it wrote the list goes with the next change; what
/// another is writing at the moment stays.
#[test]
fn files_of_killed_processes_are_removed() {
    let repository = repository();
    let file = repository.allowlist_file();
    let folder = file.parent().unwrap();
    fs::create_dir_all(folder).unwrap();
    let (old, new) = (folder.join(".tmpOld123"), folder.join(".tmpNew123"));
    for path in [&old, &new] {
        fs::write(path, "half of a li").unwrap();
    }
    let before = std::time::SystemTime::now() - std::time::Duration::from_mins(5);
    let handle = fs::File::options().write(true).open(&old).unwrap();
    handle.set_modified(before).unwrap();
    let makefile = repository.root.join("Makefile");
    allow(&file, &makefile, Scope::Task, &pinned(&repository, "build")).unwrap();
    assert!(!old.exists() && new.exists());
}
