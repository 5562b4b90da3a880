//! Runners whose definitions are programs: just, task, rake, gradle, cmake, shells.

use windlass_commands::Runner;

use super::Case;
use super::Shown::{No, Yes};
use super::change::Change::{All, Append, Bytes, LinkOut, Remove, Replace, Write};

pub const CASES: &[&Case] = &[&JUST, &TASK, &RAKE, &SHELL, &GRADLE, &GRADLE_MODULE, &CMAKE];

const JUST: Case = Case {
    runner: Runner::Just,
    command: "build",
    files: &[
        (
            "justfile",
            "import 'a.just'\nimport? 'gone.just'\nmod db\nset dotenv-load\nx := 'one'\nbuild: dep && after\n  @echo {{x}} $SAY\ndep:\n  @echo dep\nafter:\n  @just other\nother:\n  @echo other\nunrelated:\n  @echo unrelated\n",
        ),
        ("a.just", "y := 'two'\nextra:\n  @echo extra\n"),
        ("db/mod.just", "migrate:\n  @echo migrate\n"),
        (".env", "SAY=fine\n"),
    ],
    edits: &[
        (
            "justfile",
            Replace("justfile", "x := 'one'", "x := `echo EVIL`"),
            Yes,
        ),
        (
            "justfile",
            Replace("justfile", "echo dep", "echo EVIL"),
            Yes,
        ),
        (
            "justfile",
            Replace("justfile", "echo other", "echo EVIL"),
            Yes,
        ),
        (
            "justfile",
            Replace("justfile", "echo unrelated", "echo EVIL"),
            No,
        ),
        (
            "justfile",
            Append("justfile", "set shell := ['echo', 'EVIL']\n"),
            Yes,
        ),
        (
            "justfile",
            Append("justfile", "export SAY := 'EVIL'\n"),
            Yes,
        ),
        ("justfile", Append("justfile", "# a comment\n"), No),
        (
            "justfile",
            Append("justfile", "set working-directory := 'db'\n"),
            No,
        ),
        ("import", Replace("a.just", "'two'", "'three'"), No),
        (
            "import",
            Append("a.just", "set allow-duplicate-recipes\n"),
            No,
        ),
        (
            "import",
            Write("gone.just", "set shell := ['echo', 'EVIL']\n"),
            Yes,
        ),
        ("import", Bytes("gone.just", b"# \xff\n"), No),
        (
            "import",
            LinkOut("gone.just", "set shell := ['echo', 'EVIL']\n"),
            Yes,
        ),
        (
            "import",
            All(&[
                Append("justfile", "import 'b.just'\n"),
                Write("b.just", "set shell := ['echo', 'EVIL']\n"),
            ]),
            Yes,
        ),
        (
            "import",
            All(&[
                Append("justfile", "import\t'b.just'\n"),
                Write("b.just", "set shell := ['echo', 'EVIL']\n"),
            ]),
            Yes,
        ),
        (
            "import",
            All(&[
                Append("justfile", "import'b.just'\n"),
                Write("b.just", "set shell := ['echo', 'EVIL']\n"),
            ]),
            Yes,
        ),
        (
            "module",
            Replace("db/mod.just", "echo migrate", "echo EVIL"),
            No,
        ),
        ("module", Write("db.just", "migrate:\n  @echo EVIL\n"), No),
        (".env", Write(".env", "SAY=EVIL\n"), Yes),
        (".env", Append(".env", "PATH=./evil\n"), No),
        (".env", Remove(".env"), No),
        (".env", Bytes(".env", b"SAY=\xff\n"), No),
    ],
    harmless: &[
        Write("db/schema.sql", "x\n"),
        Write("other.just", "x:\n  y\n"),
    ],
};

const TASK: Case = Case {
    runner: Runner::Task,
    command: "build",
    files: &[
        (
            "Taskfile.yml",
            "version: '3'\ndotenv: ['.env', 'gone.env']\nincludes:\n  lib: ./lib\n  docs: {taskfile: ./docs.yml, optional: true}\n  hidden: {taskfile: ./hidden.yml, internal: true}\nvars:\n  X: one\ntasks:\n  build:\n    deps: [dep]\n    cmds:\n      - echo {{.X}} $SAY\n      - task: lib:run\n      - task: hidden:run\n  dep:\n    cmd: echo dep\n  unrelated: echo unrelated\n",
        ),
        (
            "lib/Taskfile.yml",
            "version: '3'\ntasks:\n  run: echo lib\n",
        ),
        ("hidden.yml", "version: '3'\ntasks:\n  run: echo hidden\n"),
        (".env", "SAY=fine\n"),
    ],
    edits: &[
        (
            "Taskfile",
            Replace("Taskfile.yml", "X: one", "X: {sh: echo EVIL}"),
            Yes,
        ),
        (
            "Taskfile",
            Replace("Taskfile.yml", "echo dep", "echo EVIL"),
            Yes,
        ),
        (
            "Taskfile",
            Replace(
                "Taskfile.yml",
                "cmd: echo dep",
                "cmd: echo dep\n    preconditions: ['echo EVIL >&2']",
            ),
            No,
        ),
        (
            "Taskfile",
            Append("Taskfile.yml", "env: {SAY: EVIL}\n"),
            Yes,
        ),
        ("Taskfile", Append("Taskfile.yml", "set: [xtrace]\n"), No),
        (
            "Taskfile",
            Replace("Taskfile.yml", "echo unrelated", "echo EVIL"),
            No,
        ),
        (
            "include",
            Replace("lib/Taskfile.yml", "echo lib", "echo EVIL"),
            Yes,
        ),
        (
            "include",
            Replace("hidden.yml", "echo hidden", "echo EVIL"),
            Yes,
        ),
        (
            "include",
            Write("docs.yml", "version: '3'\nvars: {X: EVIL}\n"),
            No,
        ),
        (
            "include",
            LinkOut("hidden.yml", "version: '3'\ntasks:\n  run: echo EVIL\n"),
            Yes,
        ),
        ("include", Bytes("hidden.yml", b"# \xff\n"), No),
        (
            "include",
            Replace("Taskfile.yml", "./hidden.yml", "./{{.X}}.yml"),
            No,
        ),
        (".env", Write(".env", "SAY=EVIL\n"), Yes),
        (".env", Write("gone.env", "X=1\n"), No),
    ],
    harmless: &[
        Write("lib/main.go", "package lib\n"),
        // Task reads the first name only.
        Write("Taskfile.dist.yml", "x"),
    ],
};

const RAKE: Case = Case {
    runner: Runner::Rake,
    command: "build",
    files: &[
        (
            "Rakefile",
            "import 'tasks/a.rake'\nload 'tasks/b.rb'\nDir.glob('more/*.rake').each { |file| load file }\nrequire_relative 'lib/say'\ntask build: [:dep] do\n  puts 'build'\nend\ntask :dep do\n  puts 'dep'\nend\n",
        ),
        ("tasks/a.rake", "task :a\n"),
        ("tasks/b.rb", "task :b\n"),
        ("more/c.rake", "task :c\n"),
        ("rakelib/d.rake", "task :d\n"),
        ("lib/say.rb", "SAY = 1\n"),
    ],
    edits: &[
        (
            "Rakefile",
            Replace("Rakefile", "puts 'dep'", "puts 'EVIL'"),
            Yes,
        ),
        ("Rakefile", Append("Rakefile", "puts 'EVIL'\n"), Yes),
        ("Rakefile", Append("Rakefile", "`echo x`\n"), No),
        (
            "other Rakefile name",
            Write("rakefile", "task(:build) { puts 'EVIL' }\n"),
            Yes,
        ),
        ("import", Append("tasks/a.rake", "puts 'EVIL'\n"), Yes),
        ("load", Append("tasks/b.rb", "puts 'EVIL'\n"), Yes),
        ("load", Append("more/c.rake", "puts 'EVIL'\n"), Yes),
        ("load", Write("more/e.rake", "puts 'EVIL'\n"), Yes),
        ("load", LinkOut("more/e.rake", "puts 'EVIL'\n"), Yes),
        ("load", Bytes("more/e.rake", b"# \xff\nputs 'EVIL'\n"), No),
        (
            "load",
            All(&[
                Append("Rakefile", "load \"#{'x'}.rb\"\n"),
                Write("x.rb", "puts 'EVIL'\n"),
            ]),
            Yes,
        ),
        ("rakelib", Append("rakelib/d.rake", "puts 'EVIL'\n"), Yes),
        ("rakelib", Write("rakelib/new.rake", "puts 'EVIL'\n"), Yes),
        (
            "require_relative",
            Append("lib/say.rb", "puts 'EVIL'\n"),
            Yes,
        ),
    ],
    harmless: &[
        Write("Gemfile", "gem 'x'\n"),
        Write("lib/other.rb", "x = 1\n"),
        Write("tasks/notes.md", "x\n"),
    ],
};

const SHELL: Case = Case {
    runner: Runner::Shell,
    command: "scripts/run",
    files: &[
        (
            "scripts/run.sh",
            "#!/bin/sh\n# Runs it.\n. ./lib.sh\n. \"$(dirname \"$0\")/../common.sh\"\nsay\n",
        ),
        ("scripts/lib.sh", "say() { echo fine; }\n"),
        ("common.sh", "X=1\n"),
    ],
    edits: &[
        ("script", Append("scripts/run.sh", "echo EVIL\n"), Yes),
        (
            "script",
            Replace("scripts/run.sh", "#!/bin/sh", "#!/bin/bash"),
            No,
        ),
        (
            "sourced script",
            Replace("scripts/lib.sh", "echo fine", "echo EVIL"),
            Yes,
        ),
        ("sourced script", Append("common.sh", "echo EVIL\n"), Yes),
        ("sourced script", LinkOut("common.sh", "echo EVIL\n"), Yes),
        (
            "sourced script",
            Bytes("common.sh", b"echo EVIL \xff\n"),
            Yes,
        ),
        (
            "sourced script",
            All(&[
                Append("scripts/run.sh", "[ -f x.sh ] && . ./x.sh\n"),
                Write("scripts/x.sh", "echo EVIL\n"),
            ]),
            Yes,
        ),
    ],
    harmless: &[
        Write("scripts/tool.py", "print()\n"),
        Write("scripts/other.txt", "x\n"),
    ],
};

const GRADLE: Case = Case {
    runner: Runner::Gradle,
    command: "hello",
    files: &[
        (
            "settings.gradle",
            "rootProject.name = 'x'\ninclude 'app', ':libs:core'\nincludeBuild 'logic'\n",
        ),
        (
            "build.gradle",
            "apply from: 'gradle/extra.gradle'\napply from: \"$rootDir/gradle/more.gradle\"\ntask hello {\n  doLast { println 'hello' }\n}\n",
        ),
        ("gradle/extra.gradle", "ext.x = 1\n"),
        ("gradle/more.gradle", "ext.y = 1\n"),
        ("app/build.gradle", "task app {}\n"),
        ("libs/core/build.gradle.kts", "val x = 1\n"),
        ("logic/settings.gradle", ""),
        ("logic/build.gradle", "task logic {}\n"),
        ("logic/src/main/groovy/plugin.gradle", "x = 1\n"),
        ("buildSrc/src/main/java/P.java", "class P {}\n"),
        ("gradlew", "#!/bin/sh\necho wrapper\n"),
        (
            "gradle/wrapper/gradle-wrapper.properties",
            "distributionUrl=https\\://x\n",
        ),
        ("gradle/wrapper/gradle-wrapper.jar", "PK\n"),
        ("gradle.properties", "org.gradle.jvmargs=-Xmx1g\n"),
    ],
    edits: &[
        (
            "build file",
            Replace("build.gradle", "println 'hello'", "println 'EVIL'"),
            No,
        ),
        ("build file", Append("build.gradle", "'x'.execute()\n"), No),
        (
            "build file of a project",
            Append("app/build.gradle", "'x'.execute()\n"),
            No,
        ),
        (
            "build file of a project",
            Append("libs/core/build.gradle.kts", "val y = 1\n"),
            No,
        ),
        (
            "build file of a project",
            Write("libs/core/build.gradle", "'x'.execute()\n"),
            No,
        ),
        ("settings", Append("settings.gradle", "'x'.execute()\n"), No),
        (
            "settings",
            Append("settings.gradle", "include \"a${1}\"\n"),
            No,
        ),
        (
            "applied script",
            Append("gradle/extra.gradle", "'x'.execute()\n"),
            No,
        ),
        (
            "applied script",
            Append("gradle/more.gradle", "'x'.execute()\n"),
            No,
        ),
        (
            "applied script",
            LinkOut("gradle/more.gradle", "'x'.execute()\n"),
            No,
        ),
        (
            "included build",
            Append("logic/build.gradle", "'x'.execute()\n"),
            No,
        ),
        (
            "included build",
            Append("logic/src/main/groovy/plugin.gradle", "'x'.execute()\n"),
            No,
        ),
        (
            "buildSrc",
            Append("buildSrc/src/main/java/P.java", "class Q {}\n"),
            No,
        ),
        (
            "buildSrc",
            Write("buildSrc/build.gradle", "'x'.execute()\n"),
            No,
        ),
        ("gradlew", Append("gradlew", "echo EVIL\n"), Yes),
        ("gradlew", LinkOut("gradlew", "#!/bin/sh\necho EVIL\n"), No),
        (
            "wrapper properties",
            Append("gradle/wrapper/gradle-wrapper.properties", "x=1\n"),
            No,
        ),
        (
            "wrapper jar",
            Bytes("gradle/wrapper/gradle-wrapper.jar", b"\xff\xfe"),
            No,
        ),
        (
            "gradle.properties",
            Append("gradle.properties", "org.gradle.java.home=./evil\n"),
            No,
        ),
        (
            "gradle.properties",
            Write("app/gradle.properties", "x=1\n"),
            No,
        ),
    ],
    harmless: &[
        Write("app/src/main/java/A.java", "class A {}\n"),
        Write("gradle/libs.versions.toml", "[versions]\n"),
        Write("buildSrc/build/x.class", "x"),
    ],
};

const GRADLE_MODULE: Case = Case {
    runner: Runner::Gradle,
    command: "app/ship",
    files: &[
        ("app/build.gradle", "task ship {}\n"),
        ("gradlew", "#!/bin/sh\n"),
    ],
    edits: &[
        (
            "settings",
            Write("settings.gradle", "include 'app'\n'x'.execute()\n"),
            No,
        ),
        (
            "settings",
            Write("app/settings.gradle", "'x'.execute()\n"),
            No,
        ),
        ("gradlew", Append("gradlew", "echo EVIL\n"), Yes),
        (
            "gradlew",
            Write("app/gradlew", "#!/bin/sh\necho EVIL\n"),
            No,
        ),
    ],
    harmless: &[],
};

const CMAKE: Case = Case {
    runner: Runner::Cmake,
    command: "docs",
    files: &[
        (
            "CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.10)\nproject(x NONE)\nlist(APPEND CMAKE_MODULE_PATH \"${CMAKE_SOURCE_DIR}/cmake\")\ninclude(Helper)\ninclude(cmake/extra/a.cmake)\nadd_subdirectory(lib)\nadd_custom_target(docs COMMAND echo docs)\n",
        ),
        ("cmake/Helper.cmake", "set(X 1)\n"),
        ("cmake/extra/a.cmake", "set(Y 1)\n"),
        ("lib/CMakeLists.txt", "add_custom_target(lib)\n"),
        ("build/CMakeCache.txt", "CMAKE_HOME_DIRECTORY:INTERNAL=x\n"),
        ("build/build.ninja", "rule x\n"),
    ],
    edits: &[
        (
            "CMakeLists.txt",
            Replace("CMakeLists.txt", "echo docs", "echo EVIL"),
            No,
        ),
        (
            "CMakeLists.txt",
            Append("CMakeLists.txt", "execute_process(COMMAND echo EVIL)\n"),
            No,
        ),
        (
            "CMakeLists.txt",
            Append("lib/CMakeLists.txt", "execute_process(COMMAND echo EVIL)\n"),
            No,
        ),
        (
            "include",
            Append("cmake/Helper.cmake", "execute_process(COMMAND echo EVIL)\n"),
            No,
        ),
        (
            "include",
            Append(
                "cmake/extra/a.cmake",
                "execute_process(COMMAND echo EVIL)\n",
            ),
            No,
        ),
        (
            "include",
            Write("cmake/FindX.cmake", "execute_process(COMMAND echo EVIL)\n"),
            No,
        ),
        ("include", LinkOut("cmake/Helper.cmake", "set(X 2)\n"), No),
        (
            "generated files",
            Append("build/build.ninja", "rule evil\n"),
            No,
        ),
        (
            "generated files",
            Write("build/Makefile", "docs:\n\techo EVIL\n"),
            No,
        ),
        (
            "generated files",
            Write("build/CMakeFiles/rules.ninja", "x\n"),
            No,
        ),
        (
            "generated files",
            Append(
                "build/CMakeCache.txt",
                "CMAKE_MAKE_PROGRAM:FILEPATH=./evil\n",
            ),
            No,
        ),
    ],
    harmless: &[
        Write("lib/main.cpp", "int main() {}\n"),
        Write("build/lib/main.o", "x"),
        Write("build/.ninja_log", "x\n"),
    ],
};
