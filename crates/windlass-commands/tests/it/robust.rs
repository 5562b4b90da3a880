//! Malformed texts: cut off anywhere, nested very deeply, full of unusual characters. Every format
//! returns, and none ends the process.

use std::time::{Duration, Instant};

use windlass_commands::formats::Format;
use windlass_commands::{FileContext, Found, MemorySource};

pub const TEXTS: &[(&str, &str)] = &[
    (
        "Makefile",
        "A := $(shell x)\ndefine D\nx\nendef\ninclude a*.mk ?b $(CURDIR)/$(shell ls x)\nR := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))/..)\n$(foreach i,a $(A),$(eval $(call D,$(i))))\n$(R)_x = $(if $(A),é,$(word 2,é b))\nbuild test: A = 1\nbuild: x ## ü\n\t@echo \\\n\tmore\n.RECIPEPREFIX = >\nx: ; y\n",
    ),
    (
        "package.json",
        r#"{"scripts": {"a\u00e9": "x", "b": null}, "packageManager": "pnpm@9"}"#,
    ),
    (
        "pyproject.toml",
        "[project.scripts]\na = 'b'\n[tool.poe.tasks.x]\nhelp = \"ü\"\n[tool.hatch.envs.e.scripts]\nk = ['v']\n",
    ),
    (
        "Taskfile.yml",
        "includes:\n  a: {taskfile: ./b, flatten: true}\ntasks:\n  'x': [y]\n  \"z\":\n    desc: é\n    cmds:\n      - |\n        a: b\n",
    ),
    ("turbo.json", "// c\n{\"tasks\": {\"a#b\": {/* x */}}}"),
    (
        "pom.xml",
        "<project><profiles><profile><id>é</id></profile></profiles></project>",
    ),
    (
        "build.gradle",
        "/* é */ plugins { id 'java' }\ntask a { description 'ü' }\ntasks.register<X>(\"b\") {}\nval c by tasks.registering\n",
    ),
    (
        ".github/workflows/a.yml",
        "name: é\non: push\njobs: {a: {steps: [{run: \"x\"}]}}\n",
    ),
    ("compose.yml", "services:\n  a: &a {image: x}\n  b: *a\n"),
    (".travis.yml", "jobs:\n  include:\n    - name: é\n"),
    (
        "CMakeLists.txt",
        "#[[ x ]]\nadd_custom_target(é COMMENT \"a \\\" b\" (c))\n",
    ),
    (
        "justfile",
        "import 'a'\nmod b\nalias c := d\nx := '''\ny\n'''\n# é\n[doc('ü'), private]\n@d a='b c' +e: (f 'g') # h\n  i\n",
    ),
    (".cargo/config.toml", "[alias]\na = ['b', 'é']\n"),
    ("Cargo.toml", "[package]\nname = 'é'\n[[bin]]\nname = 'b'\n"),
    ("mise.toml", "[tasks]\na = 'é'\n[tasks.b]\nrun = ['c']\n"),
    ("deno.json", r#"{"tasks": {"a": {"command": "é"}}}"#),
    ("composer.json", r#"{"scripts": {"a": ["é"]}}"#),
    (
        "Rakefile",
        "namespace :a do\n  desc 'é'\n  task 'b' => [:c] do |t|\n  end\nend\n",
    ),
    (
        "run.sh",
        "#!/bin/sh\n# é\n. ./x\ncd \"$(dirname \"$0\")\"\n",
    ),
    (
        "hatch.toml",
        "[envs.e.scripts]\nk = ['é']\n[[envs.e.matrix]]\na = ['b']\n",
    ),
    (
        "poe_tasks.yaml",
        "tasks:\n  a: é\ninclude: [b.toml]\ngroups: {x: {tasks: {y: z}}}\n",
    ),
    (
        "tox.ini",
        "[tox]\nenvlist = py{1-3,4}-{a,é}\n[testenv:x]\ncommands =\n  b\n",
    ),
    (
        "noxfile.py",
        "V = ['é']\n@nox.session(python=V, name=\"x\")\ndef a(s):\n    \"\"\"é\"\"\"\n",
    ),
    (
        "pixi.toml",
        "[tasks]\na = 'é'\n[feature.b.tasks]\nc = {cmd = 'd'}\n",
    ),
    ("moon.yml", "id: é\ntasks:\n  a: {command: [b]}\n"),
    (".moon/tasks.yml", "tasks:\n  a: {command: é}\n"),
    (
        "CMakePresets.json",
        r#"{"configurePresets": [{"name": "é", "binaryDir": "${sourceDir}/b"}], "buildPresets": [{"name": "a", "configurePreset": "é"}]}"#,
    ),
    ("lefthook.yml", "pre-commit:\n  commands: {é: {run: x}}\n"),
    (".pre-commit-config.yaml", "repos:\n- hooks:\n  - id: é\n"),
    (
        ".vscode/tasks.json",
        r#"{"tasks": [{"label": "é", "command": "a", "args": ["b c"], "dependsOn": ["d"]}, {"label": "d", "command": "e"}]}"#,
    ),
    ("Procfile", "é: x\nweb: y é\n"),
];

/// Texts of formats that look at other files before they read their own.
pub const WITH_OTHERS: &[(&str, &str, &str)] = &[
    (
        "nx.json",
        "a/project.json",
        r#"{"name": "é", "targets": {"a": {"command": "b"}}}"#,
    ),
    (
        "MODULE.bazel",
        "BUILD",
        "alias(\n    name = \"é\",\n)\nsh_test(name = 'b')\n",
    ),
    (
        "x",
        "mise-tasks/é/a",
        "#!/bin/sh\n#MISE description=\"é\"\n",
    ),
];

pub fn read(path: &str, text: &str) -> Found {
    let (format, _) = Format::of(path).unwrap();
    let other = WITH_OTHERS.iter().find(|(_, known, _)| *known == path);
    let source = other
        .iter()
        .fold(MemorySource::default(), |source, (other, ..)| {
            source.with(other, "").with_executable(path, text)
        });
    format.read(text, &FileContext::new(path, &source))
}

/// The texts of all formats.
pub fn texts() -> impl Iterator<Item = (&'static str, &'static str)> {
    let others = WITH_OTHERS.iter().map(|(_, path, text)| (*path, *text));
    TEXTS.iter().copied().chain(others)
}

#[test]
fn texts_cut_off_anywhere_are_read() {
    for (path, text) in texts() {
        assert!(!read(path, text).commands.is_empty(), "{path}");
        for (at, letter) in text.char_indices() {
            read(path, &text[..at]);
            read(path, &text[at..]);
            let without = format!("{}{}", &text[..at], &text[at + letter.len_utf8()..]);
            read(path, &without);
            for odd in ["\0", "\"", "'", "{", "(", "\u{2028}", "\r", "日"] {
                read(path, &format!("{}{odd}{}", &text[..at], &text[at..]));
            }
        }
    }
}

#[test]
fn very_deep_nesting_is_read() {
    for (path, _) in texts() {
        for open in [
            "[", "{", "(", "<a>", "{\"a\":", "a:\n", "- ", "a: {", "((\"", "[[a", "$(", "a = {a =",
        ] {
            read(path, &open.repeat(30_000));
        }
        let mut steps = String::new();
        for depth in 0..2_000 {
            steps.push_str(&" ".repeat(depth));
            steps.push_str("a:\n");
        }
        read(path, &steps);
    }
}

#[test]
fn one_very_long_line_is_read() {
    for (path, _) in texts() {
        read(path, &"a".repeat(2_000_000));
        read(path, &"a: b ".repeat(200_000));
    }
}

/// The time that any one file may take: little in an optimised build (`cargo test --release`), which
/// also tries the whole sizes; more in a debug build beside other tests.
const LONGEST: Duration = Duration::from_secs(if cfg!(debug_assertions) { 20 } else { 5 });
/// What sizes are divided by.
const PART: usize = if cfg!(debug_assertions) { 10 } else { 1 };

fn within(what: &str, work: impl FnOnce()) {
    let start = Instant::now();
    work();
    assert!(
        start.elapsed() < LONGEST,
        "{what} took {:?}",
        start.elapsed()
    );
}

/// A file with that many commands, for formats in which one file has many.
fn many(path: &str, count: usize) -> Option<String> {
    let (before, each, after): (&str, fn(usize) -> String, &str) = match path {
        "Makefile" => ("", |n| format!("t{n}: x ## y\n\techo\n"), ""),
        "package.json" => (
            "{\"scripts\": {\"a\": \"x\"",
            |n| format!(",\"s{n}\": \"x\""),
            "}}",
        ),
        "Taskfile.yml" => (
            "version: '3'\ntasks:\n",
            |n| format!("  t{n}:\n    cmds: [echo {n}]\n"),
            "",
        ),
        "build.gradle" => ("", |n| format!("task t{n} {{}}\n"), ""),
        "CMakeLists.txt" => ("", |n| format!("add_custom_target(t{n})\n"), ""),
        "Cargo.toml" => (
            "[package]\nname = 'p'\n",
            |n| format!("[[bin]]\nname = 'b{n}'\n"),
            "",
        ),
        "Rakefile" => ("", |n| format!("task :t{n} do\n  sh 'x'\nend\n"), ""),
        "justfile" => ("", |n| format!("r{n}:\n  echo\n"), ""),
        "mise.toml" => ("[tasks]\n", |n| format!("t{n} = 'x'\n"), ""),
        "pyproject.toml" => ("[tool.poe.tasks]\n", |n| format!("t{n} = 'x'\n"), ""),
        "compose.yml" => (
            "services:\n",
            |n| format!("  s{n}: {{image: x, profiles: [p{n}]}}\n"),
            "",
        ),
        "deno.json" => (
            "{\"tasks\": {\"a\": \"x\"",
            |n| format!(",\"t{n}\": \"x\""),
            "}}",
        ),
        "pom.xml" => (
            "<project><profiles>\n",
            |n| format!("<profile><id>p{n}</id></profile>\n"),
            "</profiles></project>",
        ),
        "CMakePresets.json" => (
            "{\"configurePresets\": [{\"name\": \"a\"}",
            |n| format!(",{{\"name\": \"p{n}\", \"inherits\": \"a\"}}"),
            "]}",
        ),
        ".pre-commit-config.yaml" => (
            "repos:\n- repo: local\n  hooks:\n",
            |n| format!("  - id: h{n}\n    entry: x\n"),
            "",
        ),
        "lefthook.yml" => (
            "",
            |n| format!("h{n}:\n  commands: {{a: {{run: x}}}}\n"),
            "",
        ),
        "composer.json" => (
            "{\"scripts\": {\"a\": \"x\"",
            |n| format!(",\"t{n}\": \"x\""),
            "}}",
        ),
        "turbo.json" => (
            "{\"tasks\": {\"a\": {}",
            |n| format!(",\"t{n}\": {{}}"),
            "}}",
        ),
        "a/project.json" => (
            "{\"targets\": {\"a\": {}",
            |n| format!(",\"t{n}\": {{}}"),
            "}}",
        ),
        "hatch.toml" => ("[envs.default.scripts]\n", |n| format!("t{n} = 'x'\n"), ""),
        "pixi.toml" => ("[tasks]\n", |n| format!("t{n} = 'x'\n"), ""),
        ".cargo/config.toml" => ("[alias]\n", |n| format!("t{n} = 'x'\n"), ""),
        "poe_tasks.yaml" => ("tasks:\n", |n| format!("  t{n}: x\n"), ""),
        "tox.ini" => (
            "[tox]\n",
            |n| format!("[testenv:e{n}]\ncommands =\n  f{n}: x\n"),
            "",
        ),
        "noxfile.py" => (
            "",
            |n| format!("@nox.session\ndef s{n}(s):\n    pass\n"),
            "",
        ),
        "moon.yml" => ("tasks:\n", |n| format!("  t{n}: {{command: x}}\n"), ""),
        ".vscode/tasks.json" => (
            "{\"tasks\": [{\"label\": \"a\", \"command\": \"x\"}",
            |n| format!(",{{\"label\": \"t{n}\", \"command\": \"x\"}}"),
            "]}",
        ),
        "Procfile" => ("", |n| format!("p{n}: x\n"), ""),
        "BUILD" => ("", |n| format!("sh_test(name = \"t{n}\")\n"), ""),
        _ => return None,
    };
    let all: String = (0..count).map(each).collect();
    Some(format!("{before}{all}{after}"))
}

#[test]
fn fifty_thousand_commands_in_one_file() {
    for (path, _) in texts() {
        let Some(text) = many(path, 50_000 / PART) else {
            continue;
        };
        within(path, || {
            let found = read(path, &text);
            let problems = &found.problems;
            assert!(found.commands.len() >= 50_000 / PART, "{path} {problems:?}");
            // None holds the whole file for each of them.
            let definitions = found.commands.iter().map(|it| it.definition_text.len());
            let kept: usize = definitions.sum();
            assert!(kept < 20 * text.len(), "{path} keeps {kept} bytes");
        });
    }
}

#[test]
fn includes_that_multiply_end() {
    // Each file includes the next one twice.
    let mut source = MemorySource::default();
    for n in 0..16 {
        let text = format!(
            "version: '3'\nincludes:\n  a: f{0}.yml\n  b: f{0}.yml\ntasks: {{t: x}}\n",
            n + 1
        );
        let path = if n == 0 {
            "Taskfile.yml".to_owned()
        } else {
            format!("f{n}.yml")
        };
        source = source.with(&path, &text);
    }
    source = source.with("f16.yml", "version: '3'\ntasks: {t: x}\n");
    within("doubling includes", || {
        let text = "version: '3'\nincludes:\n  a: f1.yml\n  b: f1.yml\n";
        let context = FileContext::new("Taskfile.yml", &source);
        let found = Format::Taskfile.read(text, &context);
        assert_eq!(found.problems.len(), 1, "{:?}", found.problems);
    });
    // Each preset inherits from the next one ten times.
    let presets: Vec<String> = (0..60)
        .map(|n| {
            let parents = vec![format!("\"p{}\"", n + 1); 10].join(",");
            format!("{{\"name\": \"p{n}\", \"inherits\": [{parents}]}}")
        })
        .collect();
    let text = format!("{{\"configurePresets\": [{}]}}", presets.join(","));
    within("multiplying presets", || {
        assert_eq!(read("CMakePresets.json", &text).commands.len(), 60);
    });
    let mut source = MemorySource::default();
    for n in 0..1_000 {
        source = source.with(
            &format!("{n}.mk"),
            &format!("include {}.mk\nt{n}:\n", n + 1),
        );
    }
    within("a thousand includes", || {
        let context = FileContext::new("Makefile", &source);
        Format::Make.read("include 0.mk\n", &context);
    });
}

#[test]
fn makefiles_that_make_their_own_lines_end() {
    let words = "x ".repeat(2_000);
    for text in [
        // Each line makes itself again, twice, now or when it is read.
        "define T\n$$(eval $$(call T))\n$$(eval $$(call T))\nendef\n$(eval $(call T))\n".to_owned(),
        "define T\n$(eval $(call T))$(eval $(call T))\nendef\n$(eval $(call T))\n".to_owned(),
        "T = $(call T,$(1)$(1))$(call T,$(1)$(1))\n$(call T,ab):\n$(eval $(call T,ab):)\n"
            .to_owned(),
        format!(
            "W = {words}\ndefine T\n$(foreach i,$(W),$(foreach j,$(W),$(eval $(i)$(j):)))\nendef\n{}",
            "$(call T)\n".repeat(2_000)
        ),
        format!("A = {words}\n{}", "$(eval A += $(A))\n".repeat(200)),
    ] {
        let what = format!("lines that make lines: {}", &text[..text.len().min(60)]);
        within(&what, || {
            read("Makefile", &text);
        });
    }
}

#[test]
fn patterns_that_multiply_end() {
    let mut source = MemorySource::default();
    for n in 0..300 {
        source = source.with(&format!("a{}/b{}/c{n}.mk", n % 10, n % 30), "x:\n");
    }
    for pattern in [
        "**/".repeat(40) + "*.mk",
        "*/".repeat(40) + "*",
        "*a".repeat(400),
        "{a,b}".repeat(60),
        "*".repeat(900_000),
        "**/*.mk ".repeat(10_000),
        "$(wildcard x) ".repeat(100_000),
        "[a-".repeat(10_000),
        "$(A)".repeat(10_000),
    ] {
        let name = pattern[..pattern.len().min(20)].to_owned();
        let text = format!(
            "A = $(B)$(B)\nB = $(C)$(C)\nC = $(D)$(D)\nD = x y\ninclude {pattern}\n-include {pattern}\nall:\n"
        );
        within(&name, || {
            let context = FileContext::new("Makefile", &source);
            Format::Make.read(&text, &context);
        });
    }
}

#[test]
fn ten_megabytes_of_brackets() {
    for (path, _) in texts() {
        for (open, bytes) in [
            ("{", 10_000_000),
            ("[", 10_000_000),
            ("(", 1_000_000),
            ("$(", 1_000_000),
            ("#{", 300_000),
            ("\"", 300_000),
            ("<a>", 300_000),
            ("${", 300_000),
            ("{{", 300_000),
        ] {
            let text = open.repeat(bytes / PART / open.len());
            within(&format!("{path} {open}"), || drop(read(path, &text)));
        }
    }
}
