//! The files of Windlass itself decide what agents may do, and agents can write them. A person allows
//! each of them by itself, with its text.

use windlass_commands::Command;
use windlass_commands::allowlist::{Allowlist, Reason, Scope, allow};

use crate::support::Repository;

const FILES: [&str; 4] = [
    ".windlass/config.toml",
    ".windlass/gates.toml",
    ".windlass/playbooks/ci.toml",
    "web/.windlass/config.toml",
];

fn repository() -> Repository {
    let files = FILES.map(|file| (file, "a = 1\n"));
    Repository::new(&[&files[..], &[("Makefile", "build:\n\techo b\n")]].concat())
}

fn reason(repository: &Repository, allowlist: &Allowlist, file: &str) -> Reason {
    let text = std::fs::read_to_string(repository.root.join(file)).unwrap();
    let file = Command::of_text(file, &text);
    allowlist.decide(&repository.root, &file).reason
}

#[test]
fn a_folder_or_a_file_is_not_their_text() {
    for entry in [
        "path = 'ROOT'\nscope = 'Directory'",
        "path = 'ROOT/.windlass'\nscope = 'Directory'",
        "path = 'ROOT/FILE'\nscope = 'File'",
        "path = 'ROOT/FILE'\nscope = 'Task'\ntasks = ['config.toml', 'gates.toml', 'ci.toml']",
    ] {
        let repository = repository();
        for file in FILES {
            repository.set_allowlist(&format!("[[entries]]\n{}\n", entry.replace("FILE", file)));
            let allowlist = repository.allowlist();
            let found = reason(&repository, &allowlist, file);
            assert_eq!(found, Reason::NotListed, "{file}: {entry}");
        }
        if entry.contains("'ROOT'") {
            let build = repository.command("build");
            let decision = repository.allowlist().decide(&repository.root, &build);
            assert!(decision.allowed, "the commands are allowed as before");
        }
    }
}

#[test]
fn their_text_is_what_counts() {
    for file in FILES {
        let repository = repository();
        repository.set_allowlist("[[entries]]\npath = 'ROOT'\nscope = 'Directory'\n");
        let text = Command::of_text(file, "a = 1\n");
        let path = repository.root.join(file);
        let pins = [(text.name, Some(text.fingerprint))];
        allow(&repository.allowlist_file(), &path, Scope::Task, &pins).unwrap();
        let allowlist = repository.allowlist();
        let found = reason(&repository, &allowlist, file);
        assert_eq!(found, Reason::Granted(Scope::Task), "{file}");
        repository.write(file, "a = 2\n");
        assert_eq!(
            reason(&repository, &allowlist, file),
            Reason::Changed,
            "{file}"
        );
    }
}
