//! The runners of Python projects.

use windlass_commands::Runner;

use super::Case;
use super::Shown::{No, Yes};
use super::change::Change::{self, All, Append, Bytes, LinkOut, Replace, Write};

pub const CASES: &[&Case] = &[&POE, &PDM, &HATCH, &UV, &POETRY];

const HARMLESS: &[Change] = &[
    Replace("pyproject.toml", "1.0.0", "1.0.1"),
    Replace(
        "pyproject.toml",
        "dependencies = []",
        "dependencies = ['x']",
    ),
    Append("pyproject.toml", "[tool.ruff]\nline-length = 100\n"),
    Append("pyproject.toml", "# a comment\n"),
    Append(
        "pyproject.toml",
        "[project.optional-dependencies]\na = ['b']\n",
    ),
    Write("src/app.py", "x = 1\n"),
    Write("tests/test_a.py", "x = 1\n"),
];

const POE: Case = Case {
    runner: Runner::Poe,
    command: "build",
    files: &[
        (
            "pyproject.toml",
            "[project]\nname = 'app'\nversion = '1.0.0'\ndependencies = []\n[tool.poe]\ninclude = ['more.toml', 'gone.toml', '${POE_ROOT}/rooted.toml']\nenvfile = '.env'\nexecutor = {type = 'simple'}\n[tool.poe.tasks]\nother = 'echo other'\nunrelated = 'echo unrelated'\n[tool.poe.tasks.build]\nsequence = ['dep', 'other', 'included']\n[tool.poe.tasks.dep]\nshell = 'echo dep $SAY'\n",
        ),
        (
            "more.toml",
            "include = 'deeper.toml'\n[tasks]\nincluded = 'echo included'\n",
        ),
        ("deeper.toml", "[tasks]\ndeeper = 'echo deeper'\n"),
        ("rooted.toml", "[tasks]\nrooted = 'echo rooted'\n"),
        (".env", "SAY=fine\n"),
    ],
    edits: &[
        (
            "pyproject.toml",
            Replace("pyproject.toml", "echo dep $SAY", "echo EVIL"),
            Yes,
        ),
        (
            "pyproject.toml",
            Replace("pyproject.toml", "echo other", "echo EVIL"),
            Yes,
        ),
        (
            "pyproject.toml",
            Replace("pyproject.toml", "echo unrelated", "echo EVIL"),
            No,
        ),
        (
            "pyproject.toml",
            Replace(
                "pyproject.toml",
                "{type = 'simple'}",
                "{type = 'virtualenv', location = 'evil'}",
            ),
            No,
        ),
        (
            "pyproject.toml",
            Replace("pyproject.toml", "envfile = '.env'", "env = {SAY = 'EVIL'}"),
            Yes,
        ),
        (
            "pyproject.toml",
            Replace(
                "pyproject.toml",
                "envfile",
                "include_script = 'evil:tasks'\nenvfile",
            ),
            No,
        ),
        (
            "include",
            Replace("more.toml", "echo included", "echo EVIL"),
            Yes,
        ),
        (
            "include",
            Replace("deeper.toml", "echo deeper", "echo EVIL"),
            No,
        ),
        (
            "include",
            Replace("rooted.toml", "echo rooted", "echo EVIL"),
            No,
        ),
        ("include", Write("gone.toml", "[tasks]\nx = 'y'\n"), No),
        (
            "include",
            LinkOut("more.toml", "[tasks]\nincluded = 'echo EVIL'\n"),
            Yes,
        ),
        ("include", Bytes("more.toml", b"# \xff\n"), No),
        (
            "include",
            Replace("pyproject.toml", "'gone.toml'", "'${X}.toml'"),
            No,
        ),
        ("envfile", Write(".env", "SAY=EVIL\n"), Yes),
        ("envfile", LinkOut(".env", "SAY=EVIL\n"), Yes),
    ],
    harmless: HARMLESS,
};

const PDM: Case = Case {
    runner: Runner::Pdm,
    command: "build",
    files: &[
        (
            "pyproject.toml",
            "[project]\nname = 'app'\nversion = '1.0.0'\nrequires-python = '>=3.8'\ndependencies = []\n[tool.pdm]\ndistribution = false\n[tool.pdm.scripts]\n_.env_file = '.env'\nbuild = {composite = ['dep', 'other']}\ndep = {shell = 'echo dep $SAY'}\nother = 'echo other'\n",
        ),
        (".env", "SAY=fine\n"),
    ],
    edits: &[
        (
            "pyproject.toml",
            Replace("pyproject.toml", "echo dep $SAY", "echo EVIL"),
            Yes,
        ),
        (
            "pyproject.toml",
            Replace("pyproject.toml", "echo other", "echo EVIL"),
            Yes,
        ),
        (
            "pyproject.toml",
            Append("pyproject.toml", "pre_build = 'echo EVIL'\n"),
            Yes,
        ),
        (
            "pyproject.toml",
            Append("pyproject.toml", "[build-system]\nbuild-backend = 'evil'\n"),
            No,
        ),
        (".env", Write(".env", "SAY=EVIL\n"), Yes),
        (
            "pdm.toml",
            Write("pdm.toml", "[venv]\nin_project = false\n"),
            No,
        ),
        (".pdm-python", Write(".pdm-python", "./evil\n"), No),
    ],
    harmless: HARMLESS,
};

const HATCH: Case = Case {
    runner: Runner::Hatch,
    command: "build",
    files: &[(
        "pyproject.toml",
        "[project]\nname = 'app'\nversion = '1.0.0'\ndependencies = []\n[tool.hatch.envs.default]\nskip-install = true\n[tool.hatch.envs.default.scripts]\nbuild = ['dep', 'other']\ndep = 'echo dep'\nother = 'echo other'\n",
    )],
    edits: &[
        (
            "pyproject.toml",
            Replace("pyproject.toml", "echo dep", "echo EVIL"),
            No,
        ),
        (
            "pyproject.toml",
            Replace("pyproject.toml", "echo other", "echo EVIL"),
            No,
        ),
        (
            "pyproject.toml",
            Append(
                "pyproject.toml",
                "[tool.hatch.envs.default.env-vars]\nPATH = 'evil'\n",
            ),
            No,
        ),
        (
            "pyproject.toml",
            Replace(
                "pyproject.toml",
                "skip-install",
                "pre-install-commands = ['evil']\nskip-install",
            ),
            No,
        ),
        (
            "hatch.toml",
            Write(
                "hatch.toml",
                "[envs.default.scripts]\nbuild = 'echo EVIL'\n",
            ),
            No,
        ),
    ],
    harmless: HARMLESS,
};

const UV: Case = Case {
    runner: Runner::Uv,
    command: "lib/serve",
    files: &[
        (
            "pyproject.toml",
            "[project]\nname = 'top'\nversion = '1.0.0'\ndependencies = []\n[tool.uv.workspace]\nmembers = ['lib']\n",
        ),
        (
            "lib/pyproject.toml",
            "[project]\nname = 'app'\nversion = '1.0.0'\n[project.scripts]\nserve = 'app:main'\n[build-system]\nrequires = ['hatchling']\nbuild-backend = 'hatchling.build'\n",
        ),
        ("uv.lock", ""),
    ],
    edits: &[
        (
            "pyproject.toml",
            Replace("lib/pyproject.toml", "app:main", "evil:main"),
            No,
        ),
        (
            "pyproject.toml",
            Replace("lib/pyproject.toml", "hatchling.build", "evil"),
            No,
        ),
        (
            "pyproject.toml",
            Append(
                "lib/pyproject.toml",
                "[tool.uv]\npython-preference = 'system'\n",
            ),
            No,
        ),
        (
            "pyproject.toml above",
            Replace("pyproject.toml", "members = ['lib']", "members = ['evil']"),
            No,
        ),
        (
            "uv.toml",
            Write("lib/uv.toml", "index-url = 'https://host'\n"),
            No,
        ),
        (".python-version", Write(".python-version", "./evil\n"), No),
        ("lock file", All(&[Write("lib/poetry.lock", "")]), No),
    ],
    harmless: &[
        Replace("lib/pyproject.toml", "1.0.0", "1.0.1"),
        Replace(
            "pyproject.toml",
            "dependencies = []",
            "dependencies = ['x']",
        ),
        Write("lib/app.py", "x\n"),
    ],
};

const POETRY: Case = Case {
    runner: Runner::Poetry,
    command: "serve",
    files: &[(
        "pyproject.toml",
        "[project]\nversion = '1.0.0'\ndependencies = []\n[tool.poetry]\nname = 'app'\n[tool.poetry.dependencies]\npython = '*'\n[tool.poetry.scripts]\nserve = 'app:main'\n",
    )],
    edits: &[
        (
            "pyproject.toml",
            Replace("pyproject.toml", "app:main", "evil:main"),
            No,
        ),
        (
            "pyproject.toml",
            Append("pyproject.toml", "[build-system]\nbuild-backend = 'evil'\n"),
            No,
        ),
        (
            "pyproject.toml",
            Append(
                "pyproject.toml",
                "[tool.poetry.requires-plugins]\nevil = '*'\n",
            ),
            No,
        ),
        (
            "poetry.toml",
            Write("poetry.toml", "[virtualenvs]\nin-project = true\n"),
            No,
        ),
    ],
    harmless: HARMLESS,
};
