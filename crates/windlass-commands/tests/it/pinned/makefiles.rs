//! Make: makefiles are programs, and so is everything that they include.

use windlass_commands::Runner;

use super::Case;
use super::Shown::{No, Yes};
use super::change::Change::{
    All, Append, Bytes, FolderOut, Link, LinkOut, Long, OddName, Replace, Write,
};

pub const CASES: &[&Case] = &[&MAKE];

const EVIL_SHELL: &str = "#!/bin/sh\necho EVIL\n";

const MAKE: Case = Case {
    runner: Runner::Make,
    command: "build",
    files: &[
        (
            "Makefile",
            "SAY = EVI\nSAY := $(SAY)L\n# the real one\nSAY = fine\ninclude mk/*.mk\ninclude tools.mk\n-include $(wildcard own/*.mk)\n-include local.mk\n.PHONY: build other\nbuild: dep\n\t@echo build $(SAY)\n\t@$(MAKE) --no-print-directory other\n\t@$(MAKE) --no-print-directory -C sub deep\ndep:\n\t@echo dep\nother:\n\t@echo other\nunrelated:\n\t@echo unrelated\n",
        ),
        ("mk/a.mk", "a:\n\t@echo a\n"),
        ("tools.mk", "tool:\n\t@echo tool\n"),
        ("sub/Makefile", "include inner.mk\ndeep:\n\t@echo deep\n"),
        ("sub/inner.mk", "inner:\n\t@echo inner\n"),
    ],
    edits: &[
        (
            "makefile",
            Append("Makefile", "zz: $(shell echo EVIL >&2)\n"),
            Yes,
        ),
        (
            "makefile",
            Append("Makefile", ".PHONY: $(shell echo EVIL >&2)\n"),
            Yes,
        ),
        (
            "makefile",
            Append("Makefile", "Makefile: force\n\t@echo EVIL\nforce:\n"),
            Yes,
        ),
        (
            "makefile",
            Replace("Makefile", "# the real one\n", "# the real one \\\n"),
            Yes,
        ),
        (
            "makefile",
            All(&[
                Write("build", ""),
                Append("Makefile", "bu*: evil\nevil:\n\t@echo EVIL\n"),
            ]),
            Yes,
        ),
        (
            "makefile",
            Replace("Makefile", "echo other", "echo EVIL"),
            Yes,
        ),
        (
            "makefile",
            Replace("Makefile", "echo dep", "echo EVIL"),
            Yes,
        ),
        (
            "makefile",
            Replace("Makefile", "SAY = fine", "SAY = EVIL"),
            Yes,
        ),
        (
            "makefile",
            Replace("Makefile", "SAY = fine", "SAY != echo EVIL"),
            Yes,
        ),
        ("makefile", Append("Makefile", "build: SAY = EVIL\n"), Yes),
        ("makefile", Append("Makefile", "override SAY = EVIL\n"), Yes),
        (
            "makefile",
            Append("Makefile", "define SAY\nEVIL\nendef\n"),
            Yes,
        ),
        ("makefile", Append("Makefile", "$(eval SAY = EVIL)\n"), Yes),
        ("makefile", Append("Makefile", "$(info EVIL)\n"), Yes),
        (
            "makefile",
            Append("Makefile", "dep: more\nmore:\n\t@echo EVIL\n"),
            Yes,
        ),
        (
            "makefile",
            Append("Makefile", ".DEFAULT:\n\t@echo EVIL\ndep: missing\n"),
            Yes,
        ),
        (
            "makefile",
            Append("Makefile", "%.x:\n\t@echo EVIL\ndep: a.x\n"),
            Yes,
        ),
        (
            "makefile",
            Append(
                "Makefile",
                "ifdef MAKE\ndep: more\nendif\nmore:\n\t@echo EVIL\n",
            ),
            Yes,
        ),
        (
            "makefile",
            Append(
                "Makefile",
                ".RECIPEPREFIX = >\ndep: more\nmore:\n>@echo EVIL\n",
            ),
            Yes,
        ),
        (
            "makefile",
            Append("Makefile", "export BASH_ENV = evil.sh\n"),
            No,
        ),
        (
            "makefile",
            Append("Makefile", ".SHELLFLAGS = -c 'echo EVIL' x\n"),
            Yes,
        ),
        ("makefile", Append("Makefile", ".ONESHELL:\n"), No),
        ("makefile", Append("Makefile", "# a comment\n"), No),
        (
            "makefile",
            Replace("Makefile", "echo unrelated", "echo EVIL"),
            No,
        ),
        (
            "shell",
            All(&[
                Append("Makefile", "SHELL = ./evil\n"),
                Write("evil", EVIL_SHELL),
            ]),
            Yes,
        ),
        (
            "other makefile name",
            Write("GNUmakefile", "build:\n\t@echo EVIL\n"),
            Yes,
        ),
        (
            "other makefile name",
            Write("makefile", "build:\n\t@echo EVIL\n"),
            Yes,
        ),
        (
            "other makefile name",
            All(&[
                Write(".gitignore", "GNUmakefile\n"),
                Write("GNUmakefile", "build:\n\t@echo EVIL\n"),
            ]),
            Yes,
        ),
        (
            "other makefile name",
            Bytes("GNUmakefile", b"build other:\n\t@echo EVIL \xff\n"),
            Yes,
        ),
        (
            "other makefile name",
            LinkOut("GNUmakefile", "build other:\n\t@echo EVIL\n"),
            Yes,
        ),
        (
            "include",
            Replace("tools.mk", "tool:", "$(info EVIL)\ntool:"),
            Yes,
        ),
        (
            "include",
            Append("mk/a.mk", "dep: more\nmore:\n\t@echo EVIL\n"),
            Yes,
        ),
        ("include", Write("mk/b.mk", "$(info EVIL)\n"), Yes),
        (
            "include",
            All(&[Write("x/b", "$(info EVIL)\n"), Link("mk/b.mk", "x/b")]),
            Yes,
        ),
        ("include", LinkOut("mk/b.mk", "$(info EVIL)\n"), Yes),
        (
            "include",
            All(&[
                Append("Makefile", "-include more.mk\n"),
                Write("more.mk", "$(info EVIL)\n"),
            ]),
            Yes,
        ),
        (
            "include",
            All(&[
                Append("tools.mk", "sinclude more.mk\n"),
                Write("more.mk", "$(info EVIL)\n"),
            ]),
            Yes,
        ),
        (
            "include",
            All(&[
                Append("Makefile", "N = evil\n-include $(N).mk\n"),
                Write("evil.mk", "$(info EVIL)\n"),
            ]),
            Yes,
        ),
        (
            "include",
            All(&[
                Append("Makefile", "$(eval include evil.mk)\n"),
                Write("evil.mk", "$(info EVIL)\n"),
            ]),
            Yes,
        ),
        (
            "include",
            All(&[
                Append("Makefile", "export MAKEFILES := evil.mk\n"),
                Write("evil.mk", "$(info EVIL)\n"),
            ]),
            Yes,
        ),
        ("optional include", Write("own/a.mk", "$(info EVIL)\n"), Yes),
        (
            "optional include",
            FolderOut("own", "a.mk", "$(info EVIL)\n"),
            Yes,
        ),
        (
            "optional include",
            OddName("own", b"\xff.mk", "$(info EVIL)\n"),
            Yes,
        ),
        (
            "include",
            All(&[
                Append("Makefile", "include a\\ b.mk\n"),
                Write("a b.mk", "$(info EVIL)\n"),
            ]),
            Yes,
        ),
        ("optional include", Write("local.mk", "$(info EVIL)\n"), Yes),
        (
            "optional include",
            Bytes("local.mk", b"$(info EVIL)\n# \xff\n"),
            Yes,
        ),
        (
            "optional include",
            LinkOut("local.mk", "$(info EVIL)\n"),
            Yes,
        ),
        ("optional include", Long("local.mk", "$(info EVIL)\n"), Yes),
        (
            "other make",
            Replace("sub/Makefile", "echo deep", "echo EVIL"),
            Yes,
        ),
        ("other make", Append("sub/inner.mk", "$(info EVIL)\n"), Yes),
        (
            "other make",
            Write("sub/GNUmakefile", "deep:\n\t@echo EVIL\n"),
            Yes,
        ),
        (
            "other make",
            Write("sub/makefile", "deep:\n\t@echo EVIL\n"),
            Yes,
        ),
        (
            "built-in rules",
            Write("Makefile.sh", "build:\n\t@echo EVIL\n"),
            Yes,
        ),
        (
            "built-in rules",
            Write("tools.mk.sh", "$(info EVIL)\n"),
            Yes,
        ),
        (
            "built-in rules",
            Write("local.mk.sh", "$(info EVIL)\n"),
            Yes,
        ),
        ("built-in rules", Write("mk/a.mk.sh", "$(info EVIL)\n"), Yes),
        (
            "built-in rules",
            Write("sub/inner.mk.sh", "$(info EVIL)\n"),
            Yes,
        ),
        ("built-in rules", Write("RCS/Makefile,v", "x\n"), No),
        (
            "built-in rules",
            Write("Makefile.c", "int main() { return 0; }\n"),
            No,
        ),
    ],
    harmless: &[
        Write("scripts/build.py", "print('x')\n"),
        Write("sub/main.c", "int x;\n"),
        Write("mk/notes.txt", "x\n"),
        Write("package.json", r#"{"scripts": {"start": "x"}}"#),
        Write("Makefile.md", "x\n"),
    ],
};
