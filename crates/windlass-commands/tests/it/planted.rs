//! Files that would run something if their tool read them. Discovery reads them all, and nothing
//! runs.

use std::fs;

use windlass_commands::Discovery;

use crate::support::Repository;

#[test]
fn discovery_runs_nothing_of_the_repository() {
    let repository = Repository::new(&[]);
    let flags = repository.base.join("flags");
    fs::create_dir(&flags).unwrap();
    let touch = |name: &str| format!("touch {}", flags.join(name).display());
    let write = |path: &str, text: String| repository.write(path, &text);
    write(
        "Makefile",
        format!(
            "X := $(shell {})\nY != {}\ninclude gen.mk\nall:\n\t@echo $(X)\ngen.mk:\n\t{}\n",
            touch("make"),
            touch("make2"),
            touch("make3")
        ),
    );
    write(
        "justfile",
        format!(
            "x := `{}`\nset dotenv-load\nbuild:\n  echo {{{{x}}}}\n",
            touch("just")
        ),
    );
    write(
        "Taskfile.yml",
        format!(
            "version: '3'\nvars:\n  X: {{sh: {}}}\ntasks:\n  t:\n    status: ['{}']\n    cmd: echo\n",
            touch("task"),
            touch("task2")
        ),
    );
    write(
        "package.json",
        format!(
            r#"{{"scripts": {{"preinstall": "{0}", "postinstall": "{0}", "prepare": "{0}", "ok": "x"}}}}"#,
            touch("npm")
        ),
    );
    write(
        ".mise.toml",
        format!(
            "[env]\nX = \"{{{{ exec(command='{0}') }}}}\"\n_.source = 'x.sh'\n[hooks]\nenter = '{0}'\n[tasks]\nm = '{0}'\n",
            touch("mise")
        ),
    );
    write(
        "Rakefile",
        format!("`{0}`\nsystem('{0}')\ntask :r\n", touch("rake")),
    );
    write(
        "build.gradle",
        format!("'{}'.execute()\ntask g {{}}\n", touch("gradle")),
    );
    write(
        "CMakeLists.txt",
        format!(
            "execute_process(COMMAND {})\nadd_custom_target(c)\n",
            touch("cmake")
        ),
    );
    write(
        "Cargo.toml",
        "[package]\nname = 'p'\nbuild = 'build.rs'\n".to_owned(),
    );
    write(
        "build.rs",
        format!(
            "fn main() {{ std::process::Command::new(\"sh\").arg(\"-c\").arg(\"{}\"); }}",
            touch("cargo")
        ),
    );
    write(
        "composer.json",
        format!(
            r#"{{"scripts": {{"post-install-cmd": "{0}", "p": "{0}"}}}}"#,
            touch("composer")
        ),
    );
    write("run.sh", format!("#!/bin/sh\n{}\n", touch("sh")));
    write(".envrc", touch("direnv"));
    write("make", format!("#!/bin/sh\n{}\n", touch("path")));

    let discovery = Discovery::new(&repository.root).unwrap();
    let found = discovery.discover();
    for name in ["all", "build", "t", "ok", "m", "r", "g", "c", "p", "run"] {
        assert!(found.get(name).is_some(), "{name}");
    }
    discovery.discover();
    let left: Vec<_> = fs::read_dir(&flags).unwrap().flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}
