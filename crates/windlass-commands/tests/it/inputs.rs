//! Attempts to reach the runner or other programs through what a caller adds.

use windlass_commands::policy::{check_arguments, check_environment, full_invocation};

use crate::support::{Repository, repository};

fn words(given: &[&str]) -> Vec<String> {
    given.iter().map(|&word| word.to_owned()).collect()
}

#[test]
fn arguments_are_never_interpreted_by_the_runner() {
    let repository = repository();
    for (name, given) in [
        ("build", &["-f", "other.mk"] as &[&str]),
        ("build", &["--eval=$(shell touch x)"]),
        ("build", &["SHELL=/tmp/evil"]),
        ("build", &["ship"]),
        ("build", &["-C", "/tmp"]),
        ("fixed", &["--justfile", "other"]),
        ("fixed", &["one"]),
        ("one", &["a", "fixed"]),
        ("one", &["--set"]),
        ("many", &["--", "x"]),
        ("many", &["ok", "-f"]),
        ("one", &["x --config evil.toml"]),
        ("one", &["x\t--config"]),
        ("one", &["*"]),
        ("one", &["~root"]),
        ("one", &["#x"]),
        ("one", &["{{x}}"]),
        ("one", &["{a,b}"]),
        ("one", &["!x"]),
        ("one", &["=ls"]),
        ("one", &["$(x)"]),
        ("clean", &["-f", "other.xml"]),
        ("clean", &["exec:exec"]),
        ("gr", &["--init-script", "x"]),
        ("gr", &["other"]),
        ("ci", &["-P", "x=y"]),
        ("svc", &["sh", "-c", "evil"]),
        ("up", &["-f", "other.yml"]),
        ("travis", &["x"]),
        ("cm", &["--", "-f", "x"]),
        ("ra", &["-f", "other"]),
        ("ra", &["ship"]),
        ("run", &["a\0b"]),
    ] {
        let command = repository.command(name);
        let refusal = check_arguments(&command, &words(given)).expect_err(name);
        assert!(!refusal.reason.is_empty() && !refusal.hint.is_empty());
    }
    assert!(full_invocation(&repository.command("travis"), &[]).is_err());
}

#[test]
fn arguments_reach_the_command_as_given() {
    let repository = repository();
    for (name, given, expected) in [
        (
            "start",
            &["--prefix", "x y"] as &[&str],
            "npm run start -- --prefix 'x y'",
        ),
        ("t", &["-d", "x"], "task t -- -d x"),
        ("tb", &["--filter=x"], "turbo run tb -- --filter=x"),
        ("al", &["--config"], "cargo al -- --config"),
        ("xtask", &["--config"], "cargo xtask --config"),
        ("mi", &["-C"], "mise run mi -- -C"),
        ("de", &["--x"], "deno task de --x"),
        ("co", &["-d"], "composer run-script co -- -d"),
        ("one", &["a:b"], "just one a:b"),
        ("many", &["a", "b=c"], "just many a b=c"),
        ("run", &["-x", "--"], "sh ./run.sh -x --"),
        ("build", &[], "make build"),
    ] {
        let invocation = full_invocation(&repository.command(name), &words(given)).expect(name);
        assert_eq!(invocation.display(), expected);
    }
    let many = vec!["x".to_owned(); 1_001];
    assert!(check_arguments(&repository.command("run"), &many).is_err());
}

/// A repository with a command of each runner that takes arguments. The scripts insert them where
/// the runner can.
fn runners() -> Repository {
    Repository::new(&[
        ("npm/package.json", r#"{"scripts": {"x": "y"}}"#),
        ("npm/package-lock.json", "{}"),
        ("pnpm/package.json", r#"{"scripts": {"x": "y"}}"#),
        ("pnpm/pnpm-lock.yaml", ""),
        ("yarn/package.json", r#"{"scripts": {"x": "y"}}"#),
        ("yarn/yarn.lock", ""),
        ("bun/package.json", r#"{"scripts": {"x": "y"}}"#),
        ("bun/bun.lock", ""),
        ("turbo/turbo.json", r#"{"tasks": {"x": {}}}"#),
        ("deno/deno.json", r#"{"tasks": {"x": "y"}}"#),
        (
            "task/Taskfile.yml",
            "tasks: {x: 'y \"{{.CLI_ARGS}}\"', z: y}\n",
        ),
        (
            "mise/mise.toml",
            "[tasks]\nx = 'y'\nz = 'y {{arg(name=\"z\")}}'\n",
        ),
        ("composer/composer.json", r#"{"scripts": {"x": "y"}}"#),
        (
            "cargo/.cargo/config.toml",
            "[alias]\nx = 'run'\nz = 'run --'\n",
        ),
        ("uv/pyproject.toml", "[project.scripts]\nx = 'y:z'\n"),
        ("uv/uv.lock", ""),
        (
            "poetry/pyproject.toml",
            "[tool.poetry.scripts]\nx = 'y:z'\n",
        ),
        (
            "pdm/pyproject.toml",
            "[tool.pdm.scripts]\nx = 'y'\nz = {shell = 'y \"{args}\"'}\n",
        ),
        (
            "hatch/pyproject.toml",
            "[tool.hatch.envs.default.scripts]\nx = 'y'\nz = 'y \"{args}\"'\n",
        ),
        (
            "poe/pyproject.toml",
            "[tool.poe.tasks]\nx = 'y'\nz = {cmd = 'y ${a}', args = ['a']}\n",
        ),
        ("just/justfile", "x *a:\n  y {{a}}\n"),
        ("scripts/x.sh", "#!/bin/sh\n"),
    ])
}

/// What each runner is started with, or why it is not. That the real runners pass these words on as
/// they are, and take none for themselves, was tried with npm 6 and 11, pnpm 7 and 9, yarn 1 and 4,
/// bun 1.3, deno 2, task 3, mise, composer 2, cargo, uv, poetry 2, pdm 2, hatch 1 and poe 0.49.
#[test]
fn each_runner_gets_words_where_it_cannot_take_them_for_its_own() {
    const OPTION: &[&str] = &["--cwd", "other"];
    const DASHES: &[&str] = &["-C", "other", "--", "x"];
    const SPACE: &[&str] = &["a b"];
    const SUBSTITUTION: &[&str] = &["$(evil)"];
    let repository = runners();
    for (name, given, expected) in [
        ("npm/x", OPTION, "npm run x -- --cwd other"),
        ("npm/x", DASHES, "npm run x -- -C other -- x"),
        ("npm/x", SUBSTITUTION, "npm run x -- '$(evil)'"),
        ("pnpm/x", OPTION, "pnpm run x --cwd other"),
        ("pnpm/x", DASHES, "pnpm run x -C other -- x"),
        ("pnpm/x", &["^a b$"], "pnpm run x '^a b$'"),
        // pnpm 7 puts words between double quotes.
        ("pnpm/x", SUBSTITUTION, "'$' is a special character"),
        ("pnpm/x", &["`evil`"], "'`' is a special character"),
        ("yarn/x", OPTION, "yarn run x --cwd other"),
        ("yarn/x", SUBSTITUTION, "yarn run x '$(evil)'"),
        // yarn 1 takes all options before `--` for its own.
        ("yarn/x", DASHES, "would interpret '--' itself"),
        // yarn 1 starts the program that the file names.
        (
            "yarn/x",
            &["--use-yarnrc", "evil"],
            "interpret '--use-yarnrc'",
        ),
        (
            "yarn/x",
            &["--no-default-rc"],
            "interpret '--no-default-rc'",
        ),
        ("bun/x", DASHES, "bun run x -C other -- x"),
        ("turbo/x", OPTION, "turbo run x -- --cwd other"),
        (
            "turbo/x",
            &["--use-yarnrc", "evil"],
            "interpret '--use-yarnrc'",
        ),
        ("turbo/x", SUBSTITUTION, "'$' is a special character"),
        ("deno/x", DASHES, "deno task x -C other -- x"),
        ("task/x", OPTION, "task x -- --cwd other"),
        ("task/x", SPACE, "' ' is a special character"),
        ("task/x", SUBSTITUTION, "'$' is a special character"),
        ("mise/x", DASHES, "mise run x -- -C other -- x"),
        ("mise/z", SPACE, "' ' is a special character"),
        (
            "composer/x",
            DASHES,
            "composer run-script x -- -C other -- x",
        ),
        ("cargo/x", &["--config", "x"], "cargo x -- --config x"),
        ("cargo/z", &["--config", "x"], "cargo z --config x"),
        ("uv/x", &["--with", "evil"], "uv run x --with evil"),
        // poetry takes options before a `--` for its own, unless another comes first.
        ("poetry/x", DASHES, "poetry run x -- -C other -- x"),
        ("pdm/x", &["-p", "other"], "pdm run x -p other"),
        ("pdm/z", SUBSTITUTION, "'$' is a special character"),
        ("hatch/z", SUBSTITUTION, "'$' is a special character"),
        ("hatch/z", OPTION, "hatch run z --cwd other"),
        ("poe/z", SPACE, "' ' is a special character"),
        ("just/x", SPACE, "' ' is a special character"),
        ("just/x", OPTION, "would interpret '--cwd' as an option"),
        ("scripts/x", DASHES, "sh ./x.sh -C other -- x"),
    ] {
        let shown = match full_invocation(&repository.command(name), &words(given)) {
            Ok(invocation) => invocation.display(),
            Err(refusal) => refusal.reason,
        };
        let fits = shown == expected || (expected.contains('\'') && shown.contains(expected));
        assert!(fits, "{name} {given:?}: {shown}");
    }
}

/// Names by which a caller could choose what is executed, and that nothing in the repository
/// mentions.
const REFUSED: &str = "
    PATH Path LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES SHELL IFS ENV BASH_ENV
    BASH_FUNC_ls PROMPT_COMMAND ZDOTDIR PS4 HOME XDG_CONFIG_HOME XDG_DATA_HOME TMPDIR
    EDITOR VISUAL PAGER LESS LESSOPEN LESSCLOSE MANPAGER BROWSER SUDO_ASKPASS SSH_ASKPASS
    GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_CONFIG_COUNT GIT_CONFIG_GLOBAL GIT_EXEC_PATH
    GIT_PAGER GIT_EDITOR GIT_ASKPASS GIT_DIR GIT_PROXY_COMMAND GIT_TEMPLATE_DIR
    TAR_OPTIONS GREP_OPTIONS GZIP ZIPOPT UNZIP XZ_OPT ZSTD_CLEVEL RSYNC_RSH CVS_RSH
    CC CXX LD AR AS RM LEX YACC FC CFLAGS LDFLAGS MAKEFLAGS MFLAGS GNUMAKEFLAGS MAKEFILES MAKE
    VPATH CPATH LIBRARY_PATH COMPILER_PATH GCC_EXEC_PREFIX PKG_CONFIG PKG_CONFIG_PATH CMAKE_GENERATOR
    CMAKE_TOOLCHAIN_FILE CMAKE_CXX_COMPILER_LAUNCHER CTEST_OUTPUT_ON_FAILURE CCACHE_PREFIX
    GO GOFLAGS GOCACHEPROG GOROOT GOPATH GOENV GOPROXY GOTOOLCHAIN CGO_CFLAGS GO111MODULE
    NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE ELECTRON_RUN_AS_NODE ELECTRON_OVERRIDE_DIST_PATH
    BUN_OPTIONS DENO_DIR npm_config_prefix npm_config_script_shell NPM_CONFIG_script_shell
    npm_execpath YARN_RC_FILENAME YARN_YARN_PATH PNPM_HOME COREPACK_NPM_REGISTRY PREFIX
    PYTHONSTARTUP PYTHONPATH PYTHONHOME PYTHONWARNINGS PYTHONBREAKPOINT PYTHONINSPECT PYTEST_ADDOPTS
    PYTEST_PLUGINS TOX_TESTENV_PASSENV DJANGO_SETTINGS_MODULE FLASK_APP UV_INDEX_URL UV_PYTHON
    PIP_INDEX_URL PIP_TARGET POETRY_HOME PDM_PYTHON HATCH_ENV VIRTUAL_ENV CONDA_EXE MYPYPATH
    PERL5OPT PERL5LIB PERL5DB PROVE_PASS RUBYOPT RUBYLIB GEM_HOME BUNDLE_GEMFILE RAKEOPT
    PHPRC PHP_INI_SCAN_DIR COMPOSER COMPOSER_HOME LUA_INIT LUA_PATH JULIA_LOAD_PATH R_PROFILE
    RUSTC RUSTC_WRAPPER RUSTFLAGS RUSTDOC RUSTUP_TOOLCHAIN CARGO CARGO_HOME CARGO_BUILD_RUSTC_WRAPPER
    CARGO_TARGET_X_RUNNER CARGO_TARGET_DIR CARGO_ENCODED_RUSTFLAGS CARGO_ALIAS_TEST
    JAVA_HOME JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH MAVEN_OPTS MAVEN_ARGS
    GRADLE_OPTS GRADLE_USER_HOME JAVACMD SBT_OPTS KOTLIN_HOME DOTNET_STARTUP_HOOKS CORECLR_PROFILER
    DOCKER_HOST DOCKER_CONFIG DOCKER_BUILDKIT COMPOSE_FILE COMPOSE_PROFILES KUBECONFIG KUBE_EDITOR
    HELM_PLUGINS TF_CLI_ARGS TF_CLI_CONFIG_FILE AWS_CONFIG_FILE AWS_PROFILE ANSIBLE_CONFIG
    JUST_JUSTFILE JUST_CHOOSER MISE_CONFIG_FILE MISE_SHELL TASK_X_REMOTE_TASKFILES TURBO_BINARY_PATH
    ACT_CACHE_DIR OPENSSL_CONF SSL_CERT_FILE http_proxy HTTPS_PROXY TERMINFO TERMCAP LOCPATH NLSPATH
    GCONV_PATH HOSTALIASES GLIBC_TUNABLES MALLOC_CONF WINDLASS_HOME WINDLASS_SESSION
    MY_PATH COUNT x ci Ci LC_EVIL
";

#[test]
fn the_environment_cannot_start_other_programs() {
    let repository = repository();
    let none: &[&str] = &[];
    let names: Vec<&str> = REFUSED.split_whitespace().collect();
    assert!(names.len() > 150);
    for name in names
        .into_iter()
        .chain(["", "A=B", "A B", "1A", "ПАТХ", "A\0"])
    {
        for command in ["build", "start", "run"] {
            let command = repository.command(command);
            let refusal = check_environment(&command, name, "1", none).expect_err(name);
            let names_it = refusal.reason.contains(name) || name.contains('\0');
            assert!(names_it, "{name}: {refusal}");
            let says_how =
                refusal.hint.contains("allow_env") || refusal.reason.contains("valid name");
            assert!(says_how, "{name}: {}", refusal.hint);
        }
    }
    for (name, value) in [
        ("NODE_ENV", "development"),
        ("CI", "true"),
        ("DEBUG", "app:*"),
        ("RUST_LOG", "info,app=debug"),
        ("PORT", "8080"),
        ("CARGO_TERM_COLOR", "always"),
        ("PYTHONUNBUFFERED", "1"),
        ("LC_ALL", "C.UTF-8"),
        ("TZ", "Europe/Berlin"),
    ] {
        for command in ["build", "start", "run"] {
            let checked = check_environment(&repository.command(command), name, value, none);
            assert_eq!(checked, Ok(()), "{name}");
        }
    }
    let start = repository.command("start");
    assert!(check_environment(&start, "NODE_OPTIONS", "x", &["NODE_OPTIONS"]).is_ok());
    assert!(check_environment(&start, "node_options", "x", &["NODE_OPTIONS"]).is_err());
    assert!(check_environment(&start, "A=B", "x", &["A=B"]).is_err());
}

#[test]
fn no_variable_that_a_makefile_uses_can_be_set() {
    let repository = Repository::new(&[(
        "Makefile",
        "VERBOSE ?= echo\nbuild:\n\t$(VERBOSE) build\ntest:\n\techo\n",
    )]);
    let none: &[&str] = &[];
    let build = repository.command("build");
    let refusal = check_environment(&build, "VERBOSE", "evil", none).unwrap_err();
    assert!(
        refusal.reason.contains("Makefile uses VERBOSE"),
        "{refusal}"
    );
    assert!(check_environment(&build, "VERBOSE", "evil", &["VERBOSE"]).is_ok());
    assert!(check_environment(&build, "NO_COLOR", "1", none).is_ok());
}
