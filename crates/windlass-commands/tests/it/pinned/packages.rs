//! The package managers of JavaScript and PHP, turbo and deno, whose definitions are data.

use windlass_commands::Runner;

use super::Case;
use super::Shown::{No, Yes};
use super::change::Change::{All, Append, Bytes, LinkOut, Remove, Replace, Write};

pub const CASES: &[&Case] = &[
    &NPM,
    &NPM_WORKSPACE,
    &NPM_MEMBER,
    &PNPM,
    &YARN,
    &YARN_PLAIN,
    &YARN_BERRY,
    &BUN,
    &TURBO,
    &DENO,
    &COMPOSER,
];

const PACKAGE: &str = "{\n  \"name\": \"x\",\n  \"version\": \"1.0.0\",\n  \"scripts\": {\n    \"build\": \"echo build\",\n    \"prebuild\": \"echo before\",\n    \"other\": \"echo other\",\n    \"unrelated\": \"echo unrelated\"\n  },\n  \"dependencies\": {\"a\": \"1\"}\n}\n";

const HARMLESS: &[super::change::Change] = &[
    Replace(
        "package.json",
        "{\"a\": \"1\"}",
        "{\"a\": \"1\", \"b\": \"2\"}",
    ),
    Replace(
        "package.json",
        "{\"a\": \"1\"}",
        "{\"a\": \"2\"}, \"devDependencies\": {\"c\": \"1\"}",
    ),
    Replace("package.json", "1.0.0", "1.0.1"),
    Replace(
        "package.json",
        "\"version\": \"1.0.0\"",
        "\"version\": \"1.0.0\", \"description\": \"y\", \"keywords\": []",
    ),
    Replace("package.json", "\n    \"prebuild\"", "\"prebuild\""),
    Replace("package.json", "\"scripts\"", "\"\\u0073cripts\""),
    Write("src/index.js", "x\n"),
    Write("node_modules/a/index.js", "x\n"),
    Write("jest.config.js", "x\n"),
];

const NPM: Case = Case {
    runner: Runner::Npm,
    command: "build",
    files: &[("package.json", PACKAGE), ("package-lock.json", "{}")],
    edits: &[
        (
            "package.json",
            Replace("package.json", "echo build", "echo EVIL"),
            Yes,
        ),
        (
            "package.json",
            Replace("package.json", "echo before", "echo EVIL"),
            Yes,
        ),
        (
            "package.json",
            Replace(
                "package.json",
                "\"other\"",
                "\"postbuild\": \"echo EVIL\", \"other\"",
            ),
            Yes,
        ),
        (
            "package.json",
            Replace("package.json", "echo other", "echo EVIL"),
            No,
        ),
        (
            "package.json",
            Replace("package.json", "echo unrelated", "echo EVIL"),
            No,
        ),
        (
            "package.json",
            Replace(
                "package.json",
                "\"dependencies\"",
                "\"scripts\": {\"build\": \"echo EVIL\"}, \"dependencies\"",
            ),
            Yes,
        ),
        (
            "package.json",
            Replace(
                "package.json",
                "\"dependencies\"",
                "\"\\u0073cripts\": {\"build\": \"echo EVIL\"}, \"dependencies\"",
            ),
            Yes,
        ),
        (
            "package.json",
            Replace(
                "package.json",
                "\"other\"",
                "\"prebuild\": \"echo EVIL\", \"other\"",
            ),
            Yes,
        ),
        (
            "package.json",
            Replace(
                "package.json",
                "\"other\"",
                "\"build\": \"echo EVIL\", \"other\"",
            ),
            Yes,
        ),
        (
            "package.json",
            Replace(
                "package.json",
                "\"dependencies\"",
                "\"__proto__\": {\"scripts\": {}}, \"dependencies\"",
            ),
            No,
        ),
        (
            "package.json",
            Replace(
                "package.json",
                "\"dependencies\"",
                "\"config\": {\"x\": \"1\"}, \"dependencies\"",
            ),
            No,
        ),
        (
            "package.json",
            Replace(
                "package.json",
                "\"dependencies\"",
                "\"engines\": {\"node\": \"1\"}, \"dependencies\"",
            ),
            No,
        ),
        (
            "package.json",
            Replace(
                "package.json",
                "\"dependencies\"",
                "\"volta\": {\"node\": \"1\"}, \"dependencies\"",
            ),
            No,
        ),
        (
            "package.json",
            Replace(
                "package.json",
                "\"dependencies\"",
                "\"workspaces\": [\"x\"], \"dependencies\"",
            ),
            No,
        ),
        (
            "package.json",
            Replace(
                "package.json",
                "\"dependencies\"",
                "\"packageManager\": \"pnpm@9.0.0\", \"dependencies\"",
            ),
            No,
        ),
        (
            "package.json",
            Replace(
                "package.json",
                "\"dependencies\"",
                "\"wireit\": {\"build\": {\"command\": \"x\"}}, \"dependencies\"",
            ),
            No,
        ),
        (
            ".npmrc",
            All(&[
                Write(".npmrc", "script-shell=./evil\n"),
                Write("evil", "#!/bin/sh\necho EVIL\n"),
            ]),
            Yes,
        ),
        (
            ".npmrc",
            Bytes(".npmrc", b"script-shell=./evil\n; \xff\n"),
            No,
        ),
        (".npmrc", LinkOut(".npmrc", "script-shell=./evil\n"), No),
        (
            "lock file",
            All(&[Remove("package-lock.json"), Write("yarn.lock", "")]),
            No,
        ),
    ],
    harmless: HARMLESS,
};

const NPM_WORKSPACE: Case = Case {
    runner: Runner::Npm,
    command: "all",
    files: &[
        (
            "package.json",
            "{\"name\": \"x\", \"private\": true, \"workspaces\": [\"packages/*\"], \"scripts\": {\"all\": \"npm run build --workspaces\", \"there\": \"cd tools && npm run build\"}}",
        ),
        (
            "packages/a/package.json",
            "{\"name\": \"a\", \"version\": \"1.0.0\", \"scripts\": {\"build\": \"echo a\"}}",
        ),
        (
            "packages/b/package.json",
            "{\"name\": \"b\", \"version\": \"1.0.0\", \"scripts\": {\"build\": \"echo b\"}}",
        ),
        (
            "tools/package.json",
            "{\"name\": \"t\", \"scripts\": {\"build\": \"echo t\"}}",
        ),
    ],
    edits: &[
        (
            "package.json of a workspace",
            Replace("packages/a/package.json", "echo a", "echo EVIL"),
            Yes,
        ),
        (
            "package.json of a workspace",
            Replace(
                "packages/b/package.json",
                "\"build\"",
                "\"prebuild\": \"echo EVIL\", \"build\"",
            ),
            Yes,
        ),
        (
            "package.json of a workspace",
            Write(
                "packages/c/package.json",
                "{\"name\": \"c\", \"version\": \"1.0.0\", \"scripts\": {\"build\": \"echo EVIL\"}}",
            ),
            Yes,
        ),
        (
            "package.json of a workspace",
            LinkOut(
                "packages/a/package.json",
                "{\"name\": \"a\", \"version\": \"1.0.0\", \"scripts\": {\"build\": \"echo EVIL\"}}",
            ),
            Yes,
        ),
        (
            "package.json of another folder",
            Replace("tools/package.json", "echo t", "echo EVIL"),
            No,
        ),
        (
            "package.json",
            Replace("package.json", "packages/*", "tools"),
            No,
        ),
    ],
    harmless: &[
        Replace("packages/a/package.json", "1.0.0", "1.0.1"),
        Write("packages/a/index.js", "x\n"),
        Write("packages/notes.md", "x\n"),
    ],
};

const NPM_MEMBER: Case = Case {
    runner: Runner::Npm,
    command: "web/build",
    files: &[("web/package.json", PACKAGE)],
    edits: &[
        (
            "package.json above",
            All(&[
                Write("package.json", "{\"workspaces\": [\"web\"]}"),
                Write(".npmrc", "script-shell=./evil\n"),
            ]),
            No,
        ),
        (
            "package.json above",
            Write("package.json", "{\"packageManager\": \"yarn@4.0.0\"}"),
            No,
        ),
        (".npmrc", Write("web/.npmrc", "script-shell=./evil\n"), No),
        ("lock file", Write("pnpm-lock.yaml", ""), No),
    ],
    harmless: &[Replace("web/package.json", "1.0.0", "1.0.1")],
};

const PNPM: Case = Case {
    runner: Runner::Pnpm,
    command: "build",
    files: &[
        ("package.json", PACKAGE),
        ("pnpm-lock.yaml", "lockfileVersion: '9.0'\n"),
        ("pnpm-workspace.yaml", "packages: ['packages/*']\n"),
    ],
    edits: &[
        (
            "package.json",
            Replace("package.json", "echo build", "echo EVIL"),
            Yes,
        ),
        (
            "package.json",
            Replace("package.json", "echo before", "echo EVIL"),
            No,
        ),
        (
            "package.json",
            Replace("package.json", "echo other", "echo EVIL"),
            No,
        ),
        (
            "package.json",
            Replace(
                "package.json",
                "\"dependencies\"",
                "\"scripts\": {\"build\": \"echo EVIL\"}, \"dependencies\"",
            ),
            Yes,
        ),
        (
            "package.json",
            Replace(
                "package.json",
                "\"dependencies\"",
                "\"pnpm\": {\"x\": 1}, \"dependencies\"",
            ),
            No,
        ),
        (
            ".npmrc",
            All(&[
                Write(".npmrc", "script-shell=./evil\n"),
                Write("evil", "#!/bin/sh\necho EVIL\n"),
            ]),
            Yes,
        ),
        (
            "pnpm-workspace.yaml",
            Append("pnpm-workspace.yaml", "scriptShell: ./evil\n"),
            No,
        ),
        (
            "pnpm-workspace.yaml",
            Append("pnpm-workspace.yaml", "shellEmulator: true\n"),
            No,
        ),
        ("pnpm-workspace.yaml", Remove("pnpm-workspace.yaml"), No),
        (
            ".pnpmfile.cjs",
            Write(".pnpmfile.cjs", "console.log('EVIL')\n"),
            No,
        ),
    ],
    harmless: HARMLESS,
};

const YARN: Case = Case {
    runner: Runner::Yarn,
    command: "build",
    files: &[
        ("package.json", PACKAGE),
        ("yarn.lock", ""),
        (".yarnrc", "yarn-path \"./old.js\"\n"),
        ("old.js", "console.log('old')\n"),
    ],
    edits: &[
        (
            "package.json",
            Replace("package.json", "echo build", "echo EVIL"),
            No,
        ),
        (
            "package.json",
            Replace("package.json", "echo before", "echo EVIL"),
            No,
        ),
        (
            "package.json",
            Replace(
                "package.json",
                "\"dependencies\"",
                "\"scripts\": {\"build\": \"echo EVIL\"}, \"dependencies\"",
            ),
            No,
        ),
        (".yarnrc", Write(".yarnrc", "yarn-path \"./evil.js\"\n"), No),
        ("yarn-path", Write("old.js", "console.log('EVIL')\n"), Yes),
        (".npmrc", Write(".npmrc", "script-shell=./evil\n"), No),
    ],
    harmless: HARMLESS,
};

const YARN_PLAIN: Case = Case {
    runner: Runner::Yarn,
    command: "build",
    files: &[("package.json", PACKAGE), ("yarn.lock", "")],
    edits: &[
        (
            "package.json",
            Replace("package.json", "echo build", "echo EVIL"),
            Yes,
        ),
        (
            "package.json",
            Replace("package.json", "echo before", "echo EVIL"),
            Yes,
        ),
        (
            "package.json",
            Replace(
                "package.json",
                "\"dependencies\"",
                "\"scripts\": {\"build\": \"echo EVIL\"}, \"dependencies\"",
            ),
            Yes,
        ),
        (
            ".yarnrc",
            All(&[
                Write(".yarnrc", "yarn-path \"./evil.js\"\n"),
                Write("evil.js", "console.log('EVIL')\n"),
            ]),
            Yes,
        ),
        (
            ".yarnrc",
            All(&[
                Write(".yarnrc", "script-shell \"./evil\"\n"),
                Write("evil", "#!/bin/sh\necho EVIL\n"),
            ]),
            Yes,
        ),
        (
            ".yarnrc.yml",
            All(&[
                Write(".yarnrc.yml", "yarnPath: ./evil.js\n"),
                Write("evil.js", "console.log('EVIL')\n"),
            ]),
            Yes,
        ),
        (
            ".npmrc",
            All(&[
                Write(".npmrc", "script-shell=./evil\n"),
                Write("evil", "#!/bin/sh\necho EVIL\n"),
            ]),
            Yes,
        ),
    ],
    harmless: HARMLESS,
};

const YARN_BERRY: Case = Case {
    runner: Runner::Yarn,
    command: "web/build",
    files: &[
        (
            "package.json",
            "{\"name\": \"top\", \"workspaces\": [\"web\"]}",
        ),
        ("web/package.json", PACKAGE),
        ("yarn.lock", ""),
        (
            ".yarnrc.yml",
            "yarnPath: .yarn/releases/yarn.cjs\nplugins:\n  - path: .yarn/plugins/x.cjs\n    spec: x\ninjectEnvironmentFiles: ['.env.web?']\n",
        ),
        (".yarn/releases/yarn.cjs", "console.log('yarn')\n"),
        (".yarn/plugins/x.cjs", "module.exports = {}\n"),
    ],
    edits: &[
        (
            "package.json",
            Replace("web/package.json", "echo build", "echo EVIL"),
            No,
        ),
        (
            "package.json above",
            Replace("package.json", "\"web\"", "\"other\""),
            No,
        ),
        (".yarnrc.yml", Append(".yarnrc.yml", "scriptShell: x\n"), No),
        (
            ".yarnrc.yml",
            Write("web/.yarnrc.yml", "yarnPath: evil.cjs\n"),
            No,
        ),
        (
            "yarnPath",
            Write(".yarn/releases/yarn.cjs", "console.log('EVIL')\n"),
            Yes,
        ),
        (
            "plugin",
            Write(".yarn/plugins/x.cjs", "console.log('EVIL')\n"),
            No,
        ),
        ("injected variables", Write(".env.web", "X=EVIL\n"), No),
    ],
    harmless: &[
        Replace("web/package.json", "1.0.0", "1.0.1"),
        Write("web/index.js", "x\n"),
    ],
};

const BUN: Case = Case {
    runner: Runner::Bun,
    command: "build",
    files: &[("package.json", PACKAGE), ("bun.lock", "{}")],
    edits: &[
        (
            "package.json",
            Replace("package.json", "echo build", "echo EVIL"),
            Yes,
        ),
        (
            "package.json",
            Replace("package.json", "echo before", "echo EVIL"),
            Yes,
        ),
        (
            "package.json",
            Replace("package.json", "echo other", "echo EVIL"),
            No,
        ),
        // Bun takes the first of two keys, npm the last.
        (
            "package.json",
            Replace(
                "package.json",
                "\"dependencies\"",
                "\"scripts\": {\"build\": \"echo EVIL\"}, \"dependencies\"",
            ),
            No,
        ),
        (
            ".env",
            All(&[
                Replace("package.json", "echo other", "echo other"),
                Write(".env", "PATH=./evil\n"),
            ]),
            No,
        ),
        (
            "bunfig.toml",
            Write("bunfig.toml", "[run]\nshell = 'system'\n"),
            No,
        ),
    ],
    harmless: HARMLESS,
};

const TURBO: Case = Case {
    runner: Runner::Turbo,
    command: "build",
    files: &[
        (
            "turbo.json",
            "{\n  // the tasks\n  \"tasks\": {\"build\": {\"dependsOn\": [\"^build\"]}}\n}\n",
        ),
        (
            "package.json",
            "{\"name\": \"x\", \"version\": \"1.0.0\", \"packageManager\": \"npm@10.0.0\", \"workspaces\": [\"packages/*\"]}",
        ),
        (
            "packages/a/package.json",
            "{\"name\": \"a\", \"version\": \"1.0.0\", \"scripts\": {\"build\": \"echo a\"}}",
        ),
        (
            "packages/a/turbo.json",
            "{\"extends\": [\"//\"], \"tasks\": {\"lint\": {}}}",
        ),
        (
            "packages/b/package.json",
            "{\"name\": \"b\", \"version\": \"1.0.0\", \"scripts\": {\"build\": \"echo b\"}}",
        ),
    ],
    edits: &[
        ("turbo.json", Replace("turbo.json", "^build", "^evil"), No),
        (
            "turbo.json",
            Replace(
                "turbo.json",
                "\"tasks\"",
                "\"globalEnv\": [\"X\"], \"tasks\"",
            ),
            No,
        ),
        (
            "turbo.json",
            Replace(
                "turbo.json",
                "}}\n}",
                "}},\n\"tasks\": {\"build\": {\"dependsOn\": [\"evil\"]}}\n}",
            ),
            No,
        ),
        (
            "turbo.json of a package",
            Replace(
                "packages/a/turbo.json",
                "\"lint\": {}",
                "\"lint\": {}, \"build\": {\"dependsOn\": [\"evil\"]}",
            ),
            No,
        ),
        (
            "package.json",
            Replace("package.json", "packages/*", "other/*"),
            No,
        ),
        (
            "package.json",
            Replace("package.json", "npm@10.0.0", "yarn@4.0.0"),
            No,
        ),
        (
            "package.json",
            Replace(
                "package.json",
                "\"workspaces\"",
                "\"scripts\": {\"build\": \"echo EVIL\"}, \"workspaces\"",
            ),
            No,
        ),
        (
            "package.json of a package",
            Replace("packages/a/package.json", "echo a", "echo EVIL"),
            Yes,
        ),
        (
            "package.json of a package",
            Replace(
                "packages/b/package.json",
                "\"build\"",
                "\"prebuild\": \"echo EVIL\", \"build\"",
            ),
            Yes,
        ),
        (
            "package.json of a package",
            Write(
                "packages/c/package.json",
                "{\"name\": \"c\", \"scripts\": {\"build\": \"echo EVIL\"}}",
            ),
            Yes,
        ),
        (".npmrc", Write(".npmrc", "script-shell=./evil\n"), No),
        (
            "pnpm-workspace.yaml",
            Write("pnpm-workspace.yaml", "packages: ['x/*']\n"),
            No,
        ),
    ],
    harmless: &[
        Replace("turbo.json", "// the tasks", "// all tasks"),
        Replace("packages/a/package.json", "1.0.0", "2.0.0"),
        Replace("package.json", "1.0.0", "2.0.0"),
        Write("packages/a/src/index.ts", "x\n"),
    ],
};

const DENO: Case = Case {
    runner: Runner::Deno,
    command: "build",
    files: &[(
        "deno.json",
        "{\"version\": \"1.0.0\", \"imports\": {\"a\": \"jsr:a\"}, \"tasks\": {\"build\": {\"command\": \"echo build\", \"dependencies\": [\"dep\"]}, \"dep\": \"echo dep\"}}",
    )],
    edits: &[
        (
            "deno.json",
            Replace("deno.json", "echo build", "echo EVIL"),
            Yes,
        ),
        (
            "deno.json",
            Replace("deno.json", "echo dep", "echo EVIL"),
            Yes,
        ),
        (
            "deno.json",
            Replace(
                "deno.json",
                "\"tasks\"",
                "\"tasks\": {\"build\": \"echo EVIL\"}, \"tasks\"",
            ),
            No,
        ),
        (
            "deno.json",
            Replace(
                "deno.json",
                "\"tasks\"",
                "\"permissions\": {\"default\": {\"all\": true}}, \"tasks\"",
            ),
            No,
        ),
        (
            "deno.json",
            Replace(
                "deno.json",
                "\"tasks\"",
                "\"workspace\": [\"x\"], \"tasks\"",
            ),
            No,
        ),
        (
            "package.json",
            Write(
                "package.json",
                "{\"scripts\": {\"prebuild\": \"echo EVIL\"}}",
            ),
            No,
        ),
        (".npmrc", Write(".npmrc", "registry=https://host\n"), No),
    ],
    harmless: &[
        Replace("deno.json", "jsr:a", "jsr:b"),
        Replace("deno.json", "1.0.0", "1.0.1"),
        Replace("deno.json", "{\"version\"", "{\"lint\": {}, \"version\""),
        Write("main.ts", "x\n"),
    ],
};

const COMPOSER: Case = Case {
    runner: Runner::Composer,
    command: "build",
    files: &[(
        "composer.json",
        "{\"name\": \"a/b\", \"require\": {\"php\": \"*\"}, \"scripts\": {\"build\": [\"echo build\", \"@dep\"], \"dep\": \"echo dep\"}}",
    )],
    edits: &[
        (
            "composer.json",
            Replace("composer.json", "echo build", "echo EVIL"),
            Yes,
        ),
        (
            "composer.json",
            Replace("composer.json", "echo dep", "echo EVIL"),
            Yes,
        ),
        (
            "composer.json",
            Replace(
                "composer.json",
                "\"dep\":",
                "\"pre-command-run\": \"echo EVIL\", \"dep\":",
            ),
            Yes,
        ),
        (
            "composer.json",
            Replace(
                "composer.json",
                "\"scripts\"",
                "\"scripts\": {\"build\": \"echo EVIL\"}, \"scripts\"",
            ),
            No,
        ),
        (
            "composer.json",
            Replace(
                "composer.json",
                "\"dep\":",
                "\"build\": \"echo EVIL\", \"dep\":",
            ),
            Yes,
        ),
        (
            "composer.json",
            Replace(
                "composer.json",
                "\"scripts\"",
                "\"config\": {\"bin-dir\": \"evil\"}, \"scripts\"",
            ),
            No,
        ),
        (
            "composer.json",
            Replace(
                "composer.json",
                "\"scripts\"",
                "\"repositories\": [], \"scripts\"",
            ),
            No,
        ),
        (
            "composer.json",
            Replace(
                "composer.json",
                "\"scripts\"",
                "\"extra\": {\"x\": 1}, \"scripts\"",
            ),
            No,
        ),
    ],
    harmless: &[
        Replace(
            "composer.json",
            "\"php\": \"*\"",
            "\"php\": \"*\", \"a/c\": \"1\"",
        ),
        Replace("composer.json", "\"name\"", "\"version\": \"1\", \"name\""),
        Write("composer.lock", "{}"),
        Write("src/A.php", "x\n"),
    ],
};
