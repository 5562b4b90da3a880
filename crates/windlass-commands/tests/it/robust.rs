//! Malformed texts: cut off anywhere, nested very deeply, full of unusual characters. Every format
//! returns, and none ends the process.

use windlass_commands::formats::Format;
use windlass_commands::{FileContext, Found, MemorySource};

pub const TEXTS: &[(&str, &str)] = &[
    (
        "Makefile",
        "A := $(shell x)\ndefine D\nx\nendef\ninclude a*.mk ?b\nbuild test: A = 1\nbuild: x ## ü\n\t@echo \\\n\tmore\n.RECIPEPREFIX = >\nx: ; y\n",
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
    ("run.sh", "#!/bin/sh\n# é\n"),
];

fn read(path: &str, text: &str) -> Found {
    let (format, _) = Format::of(path).unwrap();
    let source = MemorySource::default();
    format.read(text, &FileContext::new(path, &source))
}

#[test]
fn texts_cut_off_anywhere_are_read() {
    for (path, text) in TEXTS {
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
    for (path, _) in TEXTS {
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
    for (path, _) in TEXTS {
        read(path, &"a".repeat(2_000_000));
        read(path, &"a: b ".repeat(200_000));
    }
}
