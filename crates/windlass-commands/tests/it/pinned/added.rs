//! The runners and files that were added later: each is pinned to all that decides.

use windlass_commands::Runner;

use super::Case;
use super::Shown::{No, Yes};
use super::change::Change::{All, LinkOut, Remove, Replace, Write};

pub const CASES: &[&Case] = &[
    &HATCH_FILE,
    &POE_FILE,
    &TOX,
    &NOX,
    &PIXI,
    &RYE,
    &MOON,
    &NX,
    &BAZEL,
    &LEFTHOOK,
    &PRE_COMMIT,
    &VSCODE,
    &PROCFILE,
    &NODE,
    &MISE_FILE,
    &PRESET,
    &WILDCARD,
    &TURBO_HERE,
    &SCRIPT_AT_ROOT,
    &CONVENTION,
    &RAKE_REQUIRED,
    &CMAKE_MODULE,
];

const HATCH_FILE: Case = Case {
    runner: Runner::Hatch,
    command: "build",
    files: &[(
        "hatch.toml",
        "[envs.default.scripts]\nbuild = 'echo fine'\n",
    )],
    edits: &[
        ("hatch.toml", Replace("hatch.toml", "fine", "EVIL"), No),
        (
            "pyproject.toml",
            Write("pyproject.toml", "[tool.hatch.env]\nrequires = ['evil']\n"),
            No,
        ),
        (
            "local runner",
            Write(".venv/bin/hatch", "#!/bin/sh\necho EVIL\n"),
            No,
        ),
    ],
    harmless: &[],
};

const POE_FILE: Case = Case {
    runner: Runner::Poe,
    command: "build",
    files: &[
        (
            "poe_tasks.toml",
            "include = 'more.json'\nenvfile = '.env'\n[tasks]\nbuild = 'echo fine'\n",
        ),
        ("more.json", "{\"tasks\": {\"other\": \"echo\"}}"),
    ],
    edits: &[
        ("poe_tasks", Replace("poe_tasks.toml", "fine", "EVIL"), No),
        ("included", Replace("more.json", "echo", "EVIL"), No),
        ("variables", Write(".env", "A=EVIL\n"), No),
        (
            "pyproject.toml",
            Write("pyproject.toml", "[tool.poe.tasks]\nbuild = 'echo EVIL'\n"),
            No,
        ),
        (
            "include_script",
            Replace(
                "poe_tasks.toml",
                "include =",
                "include_script = 'evil:x'\ninclude =",
            ),
            No,
        ),
    ],
    harmless: &[],
};

const TOX: Case = Case {
    runner: Runner::Tox,
    command: "lint",
    files: &[(
        "tox.ini",
        "[tox]\nenvlist = lint\n[testenv:lint]\ncommands = echo fine\n",
    )],
    edits: &[
        ("tox.ini", Replace("tox.ini", "fine", "EVIL"), No),
        ("toxfile.py", Write("toxfile.py", "print('EVIL')\n"), No),
        (
            "pyproject.toml",
            Write("pyproject.toml", "[tool.tox]\nrequires = ['evil']\n"),
            No,
        ),
        (
            "local runner",
            Write("venv/bin/tox", "#!/bin/sh\necho EVIL\n"),
            No,
        ),
    ],
    harmless: &[Write("src/app.py", "x = 1\n")],
};

const NOX: Case = Case {
    runner: Runner::Nox,
    command: "lint",
    files: &[
        (
            "noxfile.py",
            "import nox\nfrom helpers import run\n@nox.session\ndef lint(session):\n    run(session)\n",
        ),
        ("helpers.py", "def run(s): pass\n"),
    ],
    edits: &[
        (
            "noxfile.py",
            Replace("noxfile.py", "run(session)", "print('EVIL')"),
            No,
        ),
        (
            "imported",
            Replace("helpers.py", "pass", "print('EVIL')"),
            No,
        ),
    ],
    harmless: &[Write("src/app.py", "x = 1\n")],
};

const PIXI: Case = Case {
    runner: Runner::Pixi,
    command: "build",
    files: &[
        (
            "pixi.toml",
            "[activation]\nscripts = ['setup.bash']\n[tasks]\nbuild = 'echo fine'\n",
        ),
        ("setup.bash", "echo\n"),
    ],
    edits: &[
        ("pixi.toml", Replace("pixi.toml", "fine", "EVIL"), No),
        ("activation", Write("setup.bash", "echo EVIL\n"), No),
        ("outside", LinkOut("setup.bash", "echo EVIL\n"), No),
    ],
    harmless: &[],
};

const RYE: Case = Case {
    runner: Runner::Rye,
    command: "serve",
    files: &[(
        "pyproject.toml",
        "[tool.rye.scripts]\nserve = { cmd = 'echo fine', env-file = '.dev' }\n",
    )],
    edits: &[
        (
            "pyproject.toml",
            Replace("pyproject.toml", "fine", "EVIL"),
            No,
        ),
        ("variables", Write(".dev", "A=EVIL\n"), No),
    ],
    harmless: &[],
};

const MOON: Case = Case {
    runner: Runner::Moon,
    command: "web/build",
    files: &[
        (".moon/workspace.yml", "projects: {web: web, lib: lib}\n"),
        (".moon/tasks.yml", "tasks: {shared: {command: echo}}\n"),
        (
            "web/moon.yml",
            "tasks:\n  build: {command: echo fine, deps: ['lib:gen']}\n",
        ),
        ("lib/moon.yml", "tasks:\n  gen: {command: echo fine}\n"),
    ],
    edits: &[
        ("moon.yml", Replace("web/moon.yml", "fine", "EVIL"), No),
        (
            "another project",
            Replace("lib/moon.yml", "fine", "EVIL"),
            No,
        ),
        (
            "shared tasks",
            Replace(".moon/tasks.yml", "echo", "EVIL"),
            No,
        ),
        ("toolchain", Write(".moon/toolchain.yml", "node: {}\n"), No),
    ],
    harmless: &[Write("web/src/a.ts", "x\n")],
};

const NX: Case = Case {
    runner: Runner::Nx,
    command: "web/build",
    files: &[
        ("nx.json", "{\"targetDefaults\": {}}"),
        (
            "web/project.json",
            r#"{"name": "web", "targets": {"build": {"command": "echo fine", "dependsOn": ["^build"]}}}"#,
        ),
        (
            "lib/project.json",
            r#"{"name": "lib", "targets": {"build": {"command": "echo fine"}}}"#,
        ),
    ],
    edits: &[
        (
            "project.json",
            Replace("web/project.json", "fine", "EVIL"),
            No,
        ),
        (
            "another project",
            Replace("lib/project.json", "fine", "EVIL"),
            No,
        ),
        (
            "nx.json",
            Write("nx.json", "{\"targetDefaults\": {\"build\": {}}}"),
            No,
        ),
        (
            "local runner",
            Write("node_modules/.bin/nx", "#!/bin/sh\necho EVIL\n"),
            No,
        ),
    ],
    harmless: &[],
};

const BAZEL: Case = Case {
    runner: Runner::Bazel,
    command: "go",
    files: &[
        ("MODULE.bazel", "module(name = 'x')\n"),
        (
            "BUILD",
            "load('//tools:x.bzl', 'y')\nalias(\n    name = \"go\",\n    actual = \"//tools:go\",\n)\n",
        ),
        (
            "tools/BUILD.bazel",
            "sh_binary(name = \"go\", srcs = [\"go.sh\"])\n",
        ),
        ("tools/x.bzl", "def y(): pass\n"),
    ],
    edits: &[
        ("BUILD", Replace("BUILD", "//tools:go", "//evil"), No),
        (
            "another package",
            Replace("tools/BUILD.bazel", "go.sh", "evil.sh"),
            No,
        ),
        ("extension", Replace("tools/x.bzl", "pass", "evil"), No),
        ("settings", Write(".bazelrc", "run --run_under=evil\n"), No),
        (
            "wrapper",
            Write("tools/bazel", "#!/bin/sh\necho EVIL\n"),
            No,
        ),
    ],
    harmless: &[Write("tools/notes.md", "x\n")],
};

const LEFTHOOK: Case = Case {
    runner: Runner::Lefthook,
    command: "pre-commit",
    files: &[
        (
            "lefthook.yml",
            "extends: [more.yml]\npre-commit:\n  commands: {a: {run: echo fine}}\n",
        ),
        ("more.yml", "x: 1\n"),
    ],
    edits: &[
        ("lefthook.yml", Replace("lefthook.yml", "fine", "EVIL"), No),
        (
            "extended",
            Write(
                "more.yml",
                "pre-commit: {commands: {b: {run: echo EVIL}}}\n",
            ),
            No,
        ),
        (
            "scripts",
            Write(".lefthook/pre-commit/a.sh", "echo EVIL\n"),
            No,
        ),
        (
            "remote",
            Replace(
                "lefthook.yml",
                "extends",
                "remotes: [{git_url: x}]\nextends",
            ),
            No,
        ),
    ],
    harmless: &[],
};

const PRE_COMMIT: Case = Case {
    runner: Runner::PreCommit,
    command: "x",
    files: &[(
        ".pre-commit-config.yaml",
        "repos:\n- repo: local\n  hooks:\n  - id: x\n    entry: echo fine\n",
    )],
    edits: &[(
        "configuration",
        Replace(".pre-commit-config.yaml", "fine", "EVIL"),
        No,
    )],
    harmless: &[],
};

const VSCODE: Case = Case {
    runner: Runner::VsCode,
    command: "b",
    files: &[(
        ".vscode/tasks.json",
        r#"{"tasks": [{"label": "a", "command": "echo one"}, {"label": "b", "dependsOn": "a", "command": "echo two"}]}"#,
    )],
    edits: &[
        (
            "tasks.json",
            Replace(".vscode/tasks.json", "two", "EVIL"),
            Yes,
        ),
        (
            "another task",
            Replace(".vscode/tasks.json", "one", "EVIL"),
            Yes,
        ),
    ],
    harmless: &[Write(".vscode/settings.json", "{}")],
};

const PROCFILE: Case = Case {
    runner: Runner::Procfile,
    command: "web",
    files: &[("Procfile", "web: echo fine\nworker: echo other\n")],
    edits: &[
        ("Procfile", Replace("Procfile", "fine", "EVIL"), Yes),
        ("Procfile", Remove("Procfile"), No),
    ],
    harmless: &[],
};

const NODE: Case = Case {
    runner: Runner::Node,
    command: "tool",
    files: &[
        (
            "package.json",
            r#"{"name": "tool", "bin": "cli.js", "version": "1.0.0"}"#,
        ),
        ("cli.js", "console.log('fine')\n"),
    ],
    edits: &[
        ("program", Replace("cli.js", "fine", "EVIL"), Yes),
        (
            "package.json",
            All(&[
                Write("evil.js", "console.log('EVIL')\n"),
                Replace("package.json", "cli.js", "evil.js"),
            ]),
            Yes,
        ),
    ],
    harmless: &[Replace("package.json", "1.0.0", "1.0.1")],
};

const MISE_FILE: Case = Case {
    runner: Runner::Mise,
    command: "file",
    files: &[("mise-tasks/file", "#!/bin/sh\necho fine\n")],
    edits: &[
        ("task file", Replace("mise-tasks/file", "fine", "EVIL"), No),
        (
            "configuration",
            Write("mise.toml", "[env]\nA = 'EVIL'\n"),
            No,
        ),
        (
            "another task",
            Write("mise-tasks/dep", "#!/bin/sh\necho EVIL\n"),
            No,
        ),
    ],
    harmless: &[],
};

const PRESET: Case = Case {
    runner: Runner::Cmake,
    command: "build:dev",
    files: &[
        ("CMakeLists.txt", "project(x)\n"),
        (
            "CMakePresets.json",
            r#"{"include": ["more.json"], "configurePresets": [{"name": "dev", "binaryDir": "out/${presetName}", "toolchainFile": "tc.cmake"}], "buildPresets": [{"name": "dev", "configurePreset": "dev"}]}"#,
        ),
        ("more.json", "{}"),
        ("tc.cmake", "set(X 1)\n"),
        ("out/dev/build.ninja", "rule x\n"),
    ],
    edits: &[
        (
            "presets",
            Replace("CMakePresets.json", "out/", "other/"),
            No,
        ),
        ("included", Write("more.json", "{\"buildPresets\": []}"), No),
        (
            "toolchain",
            Write("tc.cmake", "set(CMAKE_C_COMPILER evil)\n"),
            No,
        ),
        (
            "generated",
            Replace("out/dev/build.ninja", "rule", "evil"),
            No,
        ),
        (
            "CMakeLists.txt",
            Write("CMakeLists.txt", "execute_process(COMMAND evil)\n"),
            No,
        ),
        (
            "computed",
            Replace("CMakePresets.json", "out/${presetName}", "$env{HOME}/x"),
            No,
        ),
    ],
    harmless: &[],
};

const WILDCARD: Case = Case {
    runner: Runner::Task,
    command: "go:*",
    files: &[(
        "Taskfile.yml",
        "version: '3'\ntasks:\n  'go:*': {cmd: 'echo fine'}\n  other: echo\n",
    )],
    edits: &[
        ("Taskfile.yml", Replace("Taskfile.yml", "fine", "EVIL"), No),
        (
            "another task",
            Replace("Taskfile.yml", "other: echo", "other: EVIL"),
            No,
        ),
    ],
    harmless: &[],
};

const TURBO_HERE: Case = Case {
    runner: Runner::Turbo,
    command: "build",
    files: &[
        ("turbo.json", r#"{"tasks": {"build": {}}}"#),
        ("package.json", r#"{"scripts": {}}"#),
        ("node_modules/.bin/turbo", "#!/bin/sh\necho fine\n"),
    ],
    edits: &[
        (
            "local runner",
            Replace("node_modules/.bin/turbo", "fine", "EVIL"),
            No,
        ),
        ("local runner", Remove("node_modules/.bin/turbo"), No),
    ],
    harmless: &[],
};

const SCRIPT_AT_ROOT: Case = Case {
    runner: Runner::Shell,
    command: "scripts/go",
    files: &[
        ("scripts/go.sh", "#!/bin/sh\n. ./lib.sh\ncat data.txt\n"),
        ("lib.sh", "echo fine\n"),
        ("data.txt", "x\n"),
    ],
    edits: &[
        (
            "script",
            Replace("scripts/go.sh", "cat", "echo EVIL; cat"),
            Yes,
        ),
        ("sourced", Write("lib.sh", "echo EVIL\n"), Yes),
        // It would be started in another folder then.
        (
            "folder",
            All(&[
                Remove("data.txt"),
                Remove("lib.sh"),
                Write("scripts/lib.sh", "echo EVIL\n"),
            ]),
            Yes,
        ),
    ],
    harmless: &[],
};

const CONVENTION: Case = Case {
    runner: Runner::Gradle,
    command: "quality",
    files: &[
        ("settings.gradle", "includeBuild('logic')\n"),
        ("build.gradle", "plugins { id 'my.quality' }\n"),
        (
            "logic/src/main/groovy/my.quality.gradle",
            "tasks.register('quality') {}\n",
        ),
    ],
    edits: &[
        (
            "convention plugin",
            Replace(
                "logic/src/main/groovy/my.quality.gradle",
                "{}",
                "{ doLast { 'evil'.execute() } }",
            ),
            No,
        ),
        (
            "catalog",
            Write(
                "gradle/libs.versions.toml",
                "[plugins]\nx = { id = 'evil', version = '1' }\n",
            ),
            No,
        ),
    ],
    harmless: &[],
};

const RAKE_REQUIRED: Case = Case {
    runner: Runner::Rake,
    command: "release",
    files: &[
        ("Rakefile", "$:.unshift __dir__\nrequire 'tasks/release'\n"),
        ("tasks/release.rb", "task :release do\n  puts 'fine'\nend\n"),
    ],
    edits: &[("required", Replace("tasks/release.rb", "fine", "EVIL"), Yes)],
    harmless: &[],
};

const CMAKE_MODULE: Case = Case {
    runner: Runner::Cmake,
    command: "ci",
    files: &[
        (
            "CMakeLists.txt",
            "list(APPEND CMAKE_MODULE_PATH ${CMAKE_SOURCE_DIR}/cmake)\ninclude(ci)\n",
        ),
        (
            "cmake/ci.cmake",
            "add_custom_target(ci COMMAND echo fine)\n",
        ),
    ],
    edits: &[("module", Replace("cmake/ci.cmake", "fine", "EVIL"), No)],
    harmless: &[],
};
