//! Cargo, mise, maven, docker compose, act, Travis.

use windlass_commands::Runner;

use super::Case;
use super::Shown::{No, Yes};
use super::change::Change::{All, Append, Bytes, LinkOut, Replace, Write};

pub const CASES: &[&Case] = &[
    &CARGO_ALIAS,
    &CARGO_BIN,
    &MISE,
    &MAVEN,
    &COMPOSE,
    &ACT,
    &TRAVIS,
];

const CARGO_ALIAS: Case = Case {
    runner: Runner::Cargo,
    command: "hello",
    files: &[
        (
            ".cargo/config.toml",
            "[alias]\nhello = 'run --quiet --offline'\nother = 'build'\n",
        ),
        (
            "Cargo.toml",
            "[package]\nname = 'app'\nversion = '0.1.0'\nedition = '2021'\n[dependencies]\n",
        ),
        ("src/main.rs", "fn main() { println!(\"fine\"); }\n"),
    ],
    edits: &[
        (
            "config.toml",
            Replace(
                ".cargo/config.toml",
                "run --quiet --offline",
                "run --quiet --offline --config evil.toml",
            ),
            No,
        ),
        (
            "config.toml",
            All(&[
                Append(
                    ".cargo/config.toml",
                    "[target.'cfg(all())']\nrunner = './evil'\n",
                ),
                Write("evil", "#!/bin/sh\necho EVIL\n"),
            ]),
            Yes,
        ),
        (
            "config.toml",
            All(&[
                Append(".cargo/config.toml", "[build]\nrustc-wrapper = './evil'\n"),
                Write("evil", "#!/bin/sh\necho EVIL\n"),
            ]),
            Yes,
        ),
        (
            "config.toml",
            Append(".cargo/config.toml", "[env]\nPATH = 'evil'\n"),
            No,
        ),
        (
            "config.toml",
            Append(
                ".cargo/config.toml",
                "[build]\nrustflags = ['-Clinker=./evil']\n",
            ),
            No,
        ),
        (
            ".cargo/config",
            Write(".cargo/config", "[build]\nrustc-wrapper = './evil'\n"),
            No,
        ),
        (
            "included settings",
            All(&[
                Append(".cargo/config.toml", "[[include]]\npath = 'more.toml'\n"),
                Write(".cargo/more.toml", "[build]\nrustc = 'evil'\n"),
            ]),
            No,
        ),
        (
            "toolchain",
            Write("rust-toolchain.toml", "[toolchain]\npath = './evil'\n"),
            No,
        ),
        ("toolchain", Write("rust-toolchain", "nightly\n"), No),
        (
            "Cargo.toml",
            Replace("Cargo.toml", "edition", "build = 'evil.rs'\nedition"),
            No,
        ),
        (
            "Cargo.toml",
            Append("Cargo.toml", "[workspace]\nmembers = ['evil']\n"),
            No,
        ),
        (
            "Cargo.toml",
            Append("Cargo.toml", "[[bin]]\nname = 'app'\npath = 'evil.rs'\n"),
            No,
        ),
    ],
    harmless: &[
        Replace("Cargo.toml", "0.1.0", "0.2.0"),
        Append("Cargo.toml", "serde = '1'\n"),
        Append("Cargo.toml", "[lints.rust]\nunused = 'deny'\n"),
        Write("src/lib.rs", "pub fn x() {}\n"),
        Write("Cargo.lock", "version = 4\n"),
    ],
};

const CARGO_BIN: Case = Case {
    runner: Runner::Cargo,
    command: "crates/app/app",
    files: &[
        (
            "Cargo.toml",
            "[workspace]\nmembers = ['crates/*']\n[workspace.dependencies]\n",
        ),
        (
            "crates/app/Cargo.toml",
            "[package]\nname = 'app'\nversion = '0.1.0'\n",
        ),
        ("crates/app/src/main.rs", "fn main() {}\n"),
    ],
    edits: &[
        (
            "config.toml",
            Write(".cargo/config.toml", "[build]\nrustc-wrapper = './evil'\n"),
            No,
        ),
        (
            "config.toml",
            Write(
                "crates/.cargo/config.toml",
                "[target.'cfg(all())']\nrunner = './evil'\n",
            ),
            No,
        ),
        (
            "config.toml",
            Write("crates/app/.cargo/config", "[build]\nrustc = './evil'\n"),
            No,
        ),
        (
            "config.toml",
            Bytes(".cargo/config.toml", b"# \xff\n[build]\nrustc = './evil'\n"),
            No,
        ),
        (
            "config.toml",
            LinkOut(".cargo/config.toml", "[build]\nrustc = './evil'\n"),
            No,
        ),
        (
            "Cargo.toml",
            Append("crates/app/Cargo.toml", "build = 'evil.rs'\n"),
            No,
        ),
        (
            "Cargo.toml of the workspace",
            Replace("Cargo.toml", "crates/*", "evil/*"),
            No,
        ),
        (
            "Cargo.toml of the workspace",
            Append(
                "Cargo.toml",
                "[workspace.metadata]\nx = 1\n[profile.dev]\ndebug = 0\n",
            ),
            No,
        ),
        ("toolchain", Write("crates/rust-toolchain", "nightly\n"), No),
    ],
    harmless: &[
        Append("Cargo.toml", "serde = '1'\n"),
        Replace("crates/app/Cargo.toml", "0.1.0", "0.2.0"),
    ],
};

const MISE: Case = Case {
    runner: Runner::Mise,
    command: "build",
    files: &[
        (
            "mise.toml",
            "[env]\nSAY = 'fine'\n_.file = 'vars.env'\n_.source = './tool.sh'\n[tasks.build]\ndepends = ['dep', 'file']\nrun = 'echo build $SAY'\n[tasks.dep]\nrun = 'echo dep'\n[tasks.script]\nfile = 'scripts/x.sh'\n[task_config]\nincludes = ['tasks.toml', 'mise-tasks']\n",
        ),
        ("vars.env", "X=1\n"),
        ("tool.sh", "export Y=1\n"),
        ("tasks.toml", "[other]\nrun = 'echo other'\n"),
        ("mise-tasks/file", "#!/bin/sh\necho file\n"),
        ("scripts/x.sh", "echo x\n"),
    ],
    edits: &[
        (
            "mise.toml",
            Replace("mise.toml", "echo dep", "echo EVIL"),
            Yes,
        ),
        (
            "mise.toml",
            Replace("mise.toml", "SAY = 'fine'", "SAY = 'EVIL'"),
            Yes,
        ),
        (
            "mise.toml",
            Append("mise.toml", "[hooks]\npreinstall = 'evil'\n"),
            No,
        ),
        (
            "mise.toml",
            Append("mise.toml", "[tools]\nnode = '1'\n"),
            No,
        ),
        (
            "file task",
            Write("mise-tasks/file", "#!/bin/sh\necho EVIL\n"),
            Yes,
        ),
        (
            "file task",
            Write("mise-tasks/new/deep", "#!/bin/sh\necho EVIL\n"),
            No,
        ),
        ("file task", Write("scripts/x.sh", "echo EVIL\n"), No),
        (
            "file task",
            LinkOut("mise-tasks/file", "#!/bin/sh\necho EVIL\n"),
            No,
        ),
        (
            "included tasks",
            Replace("tasks.toml", "echo other", "echo EVIL"),
            No,
        ),
        ("variables", Write("vars.env", "X=EVIL\n"), No),
        ("sourced script", Append("tool.sh", "echo EVIL\n"), No),
        (
            "other configuration",
            Write("mise.local.toml", "[tasks.dep]\nrun = 'echo EVIL'\n"),
            Yes,
        ),
    ],
    harmless: &[Write("src/x.rs", "x\n"), Write("scripts/notes.txt", "x\n")],
};

const MAVEN: Case = Case {
    runner: Runner::Maven,
    command: "test",
    files: &[
        (
            "pom.xml",
            "<project>\n  <groupId>g</groupId>\n  <version>1.0.0</version>\n  <modules><module>core</module></modules>\n  <dependencies><dependency><artifactId>a</artifactId></dependency></dependencies>\n  <build><plugins><plugin><artifactId>x</artifactId></plugin></plugins></build>\n  <profiles><profile><id>p</id><modules><module>extra</module></modules></profile></profiles>\n</project>\n",
        ),
        (
            "core/pom.xml",
            "<project><parent><relativePath>../parent/pom.xml</relativePath></parent></project>\n",
        ),
        ("extra/pom.xml", "<project/>\n"),
        ("parent/pom.xml", "<project/>\n"),
        ("mvnw", "#!/bin/sh\necho wrapper\n"),
        (
            ".mvn/wrapper/maven-wrapper.properties",
            "distributionUrl=https://x\n",
        ),
        (".mvn/wrapper/maven-wrapper.jar", "PK\n"),
        (".mvn/jvm.config", "-Xmx1g\n"),
    ],
    edits: &[
        (
            "pom.xml",
            Replace(
                "pom.xml",
                "<artifactId>x</artifactId>",
                "<artifactId>exec</artifactId>",
            ),
            No,
        ),
        (
            "pom.xml",
            Replace(
                "pom.xml",
                "<build>",
                "<properties><exec>evil</exec></properties><build>",
            ),
            No,
        ),
        (
            "pom.xml",
            Replace(
                "pom.xml",
                "<id>p</id>",
                "<id>p</id><activation><activeByDefault>true</activeByDefault></activation>",
            ),
            No,
        ),
        (
            "pom.xml",
            Replace(
                "pom.xml",
                "<build>",
                "<pluginRepositories><x/></pluginRepositories><build>",
            ),
            No,
        ),
        (
            "pom.xml of a module",
            Replace(
                "core/pom.xml",
                "<project>",
                "<project><build><plugins/></build>",
            ),
            No,
        ),
        (
            "pom.xml of a module",
            Replace("extra/pom.xml", "<project/>", "<project><build/></project>"),
            No,
        ),
        (
            "parent pom.xml",
            Replace(
                "parent/pom.xml",
                "<project/>",
                "<project><build/></project>",
            ),
            No,
        ),
        (
            "parent pom.xml",
            LinkOut("parent/pom.xml", "<project><build/></project>"),
            No,
        ),
        ("mvnw", Append("mvnw", "echo EVIL\n"), Yes),
        (".mvn", Write(".mvn/maven.config", "-Pevil\n"), No),
        (".mvn", Write(".mvn/extensions.xml", "<extensions/>\n"), No),
        (
            ".mvn",
            Write(".mvn/jvm.config", "-javaagent:evil.jar\n"),
            No,
        ),
        (".mvn", Write(".mvn/other/new.txt", "x\n"), No),
        (
            "wrapper",
            Write(
                ".mvn/wrapper/maven-wrapper.properties",
                "distributionUrl=https://evil\n",
            ),
            No,
        ),
        (
            "wrapper",
            Bytes(".mvn/wrapper/maven-wrapper.jar", b"\xff\xfe"),
            No,
        ),
    ],
    harmless: &[
        Replace(
            "pom.xml",
            "<artifactId>a</artifactId>",
            "<artifactId>b</artifactId>",
        ),
        Replace("pom.xml", "1.0.0", "1.0.1"),
        Replace("pom.xml", "<build>", "<!-- x -->\n<build>"),
        Write("core/src/main/java/A.java", "class A {}\n"),
    ],
};

const COMPOSE: Case = Case {
    runner: Runner::DockerCompose,
    command: "web",
    files: &[
        (
            "compose.yaml",
            "include:\n  - other/compose.yaml\n  - path: [more.yaml]\n    env_file: more.env\nservices:\n  web:\n    image: x\n    command: echo fine\n    env_file: [web.env, {path: gone.env, required: false}]\n    extends: {file: base.yaml, service: base}\n",
        ),
        ("other/compose.yaml", "services: {db: {image: y}}\n"),
        ("more.yaml", "services: {more: {image: y}}\n"),
        ("base.yaml", "services: {base: {image: z}}\n"),
        ("web.env", "A=1\n"),
        (".env", "TAG=1\n"),
    ],
    edits: &[
        (
            "compose.yaml",
            Replace("compose.yaml", "echo fine", "echo EVIL"),
            No,
        ),
        (
            "compose.yaml",
            Replace(
                "compose.yaml",
                "image: x",
                "image: x\n    volumes: ['/:/host']",
            ),
            No,
        ),
        (
            "other compose name",
            Write(
                "compose.override.yaml",
                "services: {web: {command: evil}}\n",
            ),
            No,
        ),
        (
            "override",
            Write(
                "docker-compose.override.yml",
                "services: {web: {command: evil}}\n",
            ),
            No,
        ),
        (
            "override",
            All(&[
                Write(".gitignore", "*.override.*\n"),
                Write("compose.override.yml", "services: {web: {command: evil}}\n"),
            ]),
            No,
        ),
        ("include", Append("other/compose.yaml", "x-evil: 1\n"), No),
        ("include", Append("more.yaml", "x-evil: 1\n"), No),
        (
            "include",
            LinkOut("more.yaml", "services: {more: {image: evil}}\n"),
            No,
        ),
        (
            "extends",
            Replace("base.yaml", "image: z", "image: evil"),
            No,
        ),
        (
            ".env",
            Write(".env", "TAG=evil\nCOMPOSE_FILE=evil.yaml\n"),
            No,
        ),
        (".env", Write("other/.env", "X=1\n"), No),
        ("env_file", Write("web.env", "A=EVIL\n"), No),
        ("env_file", Write("gone.env", "A=EVIL\n"), No),
        ("env_file", Write("more.env", "A=EVIL\n"), No),
        (
            "env_file",
            Replace("compose.yaml", "web.env", "${X}.env"),
            No,
        ),
    ],
    harmless: &[
        Write("web/index.html", "x\n"),
        Write("other/data.sql", "x\n"),
    ],
};

const ACT: Case = Case {
    runner: Runner::Act,
    command: "ci",
    files: &[
        (
            ".github/workflows/ci.yml",
            "on: push\njobs:\n  a:\n    steps:\n      - uses: actions/checkout@v4\n      - uses: ./.github/actions/setup\n      - run: echo fine\n  b:\n    uses: ./.github/workflows/shared.yml\n",
        ),
        (
            ".github/workflows/shared.yml",
            "on: workflow_call\njobs: {c: {steps: [{uses: ./tools/act}]}}\n",
        ),
        (
            ".github/actions/setup/action.yml",
            "runs: {using: composite, steps: [{run: echo setup, shell: sh}]}\n",
        ),
        (
            "tools/act/action.yaml",
            "runs: {using: composite, steps: [{run: echo act, shell: sh}]}\n",
        ),
    ],
    edits: &[
        (
            "workflow",
            Replace(".github/workflows/ci.yml", "echo fine", "echo EVIL"),
            No,
        ),
        (
            "workflow",
            Append(".github/workflows/ci.yml", "env: {X: EVIL}\n"),
            No,
        ),
        (
            "workflow",
            Append(".github/workflows/ci.yml", "# a comment\n"),
            No,
        ),
        (
            "reusable workflow",
            Append(".github/workflows/shared.yml", "env: {X: EVIL}\n"),
            No,
        ),
        (
            "local action",
            Replace(
                ".github/actions/setup/action.yml",
                "echo setup",
                "echo EVIL",
            ),
            No,
        ),
        (
            "local action",
            Replace("tools/act/action.yaml", "echo act", "echo EVIL"),
            No,
        ),
        (
            "local action",
            Write(
                "tools/act/action.yml",
                "runs: {using: composite, steps: []}\n",
            ),
            No,
        ),
        (
            "local action",
            LinkOut(
                "tools/act/action.yaml",
                "runs: {using: composite, steps: []}\n",
            ),
            No,
        ),
        (
            ".actrc",
            Write(".actrc", "-P ubuntu-latest=-self-hosted\n"),
            No,
        ),
        (".env", Write(".env", "X=EVIL\n"), No),
    ],
    harmless: &[Write(
        ".github/workflows/other.yml",
        "on: push\njobs: {x: {}}\n",
    )],
};

const TRAVIS: Case = Case {
    runner: Runner::Travis,
    command: "lint",
    files: &[(
        ".travis.yml",
        "jobs:\n  include:\n    - name: lint\n      script: x\n",
    )],
    edits: &[
        (
            ".travis.yml",
            Replace(".travis.yml", "script: x", "script: evil"),
            No,
        ),
        (
            ".travis.yml",
            Append(".travis.yml", "before_script: evil\n"),
            No,
        ),
    ],
    harmless: &[],
};
