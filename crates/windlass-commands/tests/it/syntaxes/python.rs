//! The runners of Python projects.

use super::check;

#[test]
fn hatch_in_its_own_file() {
    check(
        "hatch.toml",
        &[
            (
                &[(
                    "hatch.toml",
                    "[envs.default.scripts]\ntest = 'pytest'\n[envs.docs.scripts]\nbuild = ['a', 'b']\n_part = 'x'\n",
                )],
                &[
                    "test | hatch run test | .",
                    "docs:build | hatch run docs:build | .",
                ],
            ),
            (
                &[
                    (
                        "hatch.toml",
                        "[envs.types]\n[[envs.types.matrix]]\npython = ['3.11', '3.12']\n[envs.types.scripts]\ncheck = 'mypy'\n",
                    ),
                    ("pyproject.toml", "[tool.hatch.envs.old.scripts]\nx = 'y'\n"),
                ],
                &["types:check | hatch run types:check | ."],
            ),
            (
                &[(
                    "lib/hatch.toml",
                    "[envs.test.overrides]\nmatrix.ci.scripts = { cov = 'x' }\n[envs.test.overrides.platform.linux.scripts]\nlin = 'y'\n[envs.test.scripts]\nrun = 'pytest {args}'\n",
                )],
                &[
                    "lib/test:run | hatch run test:run | lib",
                    "lib/test:cov | hatch run test:cov | lib",
                    "lib/test:lin | hatch run test:lin | lib",
                ],
            ),
        ],
    );
}

#[test]
fn tox_environments() {
    check(
        "tox",
        &[
            (
                &[(
                    "tox.ini",
                    "[tox]\nenvlist = py3{11,12}, lint\n\n[testenv]\ncommands = pytest\n\n[testenv:lint]\ndescription = Check the style\ncommands = ruff\n\n[testenv:docs]\n",
                )],
                &[
                    "py311 | tox -e py311 | .",
                    "py312 | tox -e py312 | .",
                    "lint | tox -e lint | .",
                    "docs | tox -e docs | .",
                ],
            ),
            (
                &[(
                    "setup.cfg",
                    "[metadata]\nname = x\n[tox:tox]\nenvlist =\n    py\n    a-{b,c}\n",
                )],
                &[
                    "py | tox -e py | .",
                    "a-b | tox -e a-b | .",
                    "a-c | tox -e a-c | .",
                ],
            ),
            (
                &[(
                    "tox.toml",
                    "env_list = ['3.12', 'type']\n[env.type]\ndescription = 'Types'\ncommands = [['mypy']]\n[env.dev]\n",
                )],
                &[
                    "3.12 | tox -e 3.12 | .",
                    "type | tox -e type | .",
                    "dev | tox -e dev | .",
                ],
            ),
            (
                &[(
                    "pyproject.toml",
                    "[tool.tox]\nlegacy_tox_ini = \"\"\"\n[tox]\nenvlist = a\n[testenv:b]\n\"\"\"\n",
                )],
                &["a | tox -e a | .", "b | tox -e b | ."],
            ),
        ],
    );
}

#[test]
fn nox_sessions() {
    check(
        "nox",
        &[
            (
                &[(
                    "noxfile.py",
                    "import nox\n\n@nox.session\ndef lint(session):\n    \"\"\"Check it.\"\"\"\n    session.run('ruff')\n",
                )],
                &["lint | nox -s lint | ."],
            ),
            (
                &[(
                    "noxfile.py",
                    "VERSIONS = [\n    '3.11',\n    '3.12',\n]\n@nox.session(python=VERSIONS, reuse_venv=True)\n@nox.parametrize('x', [1])\ndef tests(session, x):\n    pass\n",
                )],
                &[
                    "tests | nox -s tests | .",
                    "tests-3.11 | nox -s tests-3.11 | .",
                    "tests-3.12 | nox -s tests-3.12 | .",
                ],
            ),
            (
                &[(
                    "sub/noxfile.py",
                    "@nox.session(\n    name=\"build-docs\",\n    python=\"3.12\",\n)\ndef docs(session): ...\n@other\ndef no(session): ...\n@nox.session(name=NAME)\ndef unknown(s): ...\n",
                )],
                &[
                    "sub/build-docs | nox -s build-docs | sub",
                    "sub/build-docs-3.12 | nox -s build-docs-3.12 | sub",
                ],
            ),
        ],
    );
}

#[test]
fn pixi_rye_and_pdm() {
    check(
        "pixi, rye, pdm",
        &[
            (
                &[(
                    "pixi.toml",
                    "[tasks]\nstart = 'python x.py'\n_hidden = 'x'\n[feature.test.tasks]\ntest = { cmd = 'pytest', depends-on = ['start'] }\n[target.linux-64.tasks]\nonly = 'x'\n",
                )],
                &[
                    "start | pixi run start | .",
                    "only | pixi run only | .",
                    "test | pixi run test | .",
                ],
            ),
            (
                &[(
                    "pyproject.toml",
                    "[tool.pixi.tasks]\nfmt = 'ruff format'\n[tool.rye.scripts]\nserve = { cmd = ['flask', 'run'] }\nall = { chain = ['a', 'b'] }\n",
                )],
                &[
                    "serve | rye run serve | .",
                    "all | rye run all | .",
                    "fmt | pixi run fmt | .",
                ],
            ),
            (
                &[(
                    "pyproject.toml",
                    "[tool.pdm.scripts]\n_.env_file = '.env'\nall = {composite = ['lint', 'test']}\nlint = 'ruff'\n",
                )],
                &["all | pdm run all | .", "lint | pdm run lint | ."],
            ),
        ],
    );
}

#[test]
fn poe_includes_by_variables() {
    const SHARED: (&str, &str) = (
        "shared/tasks.toml",
        "[tasks]\nlint = 'ruff'\n[tasks.test]\ncmd = 'pytest'\n",
    );
    const EXPECTED: &[&str] = &["web/lint | poe lint | web", "web/test | poe test | web"];
    check(
        "variables of poe",
        &[
            (
                &[
                    (".git/HEAD", "ref: refs/heads/main\n"),
                    SHARED,
                    (
                        "web/pyproject.toml",
                        "[tool.poe]\ninclude = ['${POE_GIT_DIR}/shared/tasks.toml', '${X}/no.toml']\n",
                    ),
                ],
                EXPECTED,
            ),
            (
                &[
                    (".git/HEAD", "ref: refs/heads/main\n"),
                    SHARED,
                    (
                        "web/poe_tasks.toml",
                        "include = '$POE_GIT_DIR/shared/tasks.toml'\n",
                    ),
                ],
                EXPECTED,
            ),
            (
                &[
                    SHARED,
                    (
                        "web/pyproject.toml",
                        "[[tool.poe.include]]\npath = '${POE_ROOT}/../shared/tasks.toml'\n",
                    ),
                ],
                EXPECTED,
            ),
            (
                &[
                    SHARED,
                    (
                        "web/pyproject.toml",
                        "[tool.poe]\ninclude = '${POE_GIT_DIR}/shared/tasks.toml'\n",
                    ),
                ],
                // Without a repository, only poe knows what it is.
                &[],
            ),
        ],
    );
}

#[test]
fn poe_includes_groups_and_files() {
    check(
        "poe",
        &[
            (
                &[
                    (
                        "pyproject.toml",
                        "[tool.poe]\ninclude = ['more.toml', 'gone.toml']\n[tool.poe.tasks]\na = 'x'\n",
                    ),
                    (
                        "more.toml",
                        "[tool.poe.tasks]\na = 'other'\nb = 'y'\n_c = 'z'\n",
                    ),
                ],
                &["a | poe a | .", "b | poe b | ."],
            ),
            (
                &[
                    (
                        "pyproject.toml",
                        "[[tool.poe.include]]\npath = 'tasks/t.yaml'\ncwd = 'tasks'\n",
                    ),
                    (
                        "tasks/t.yaml",
                        "tool.poe:\n  tasks:\n    x: pytest\ninclude: u.json\n",
                    ),
                ],
                &["x | poe x | ."],
            ),
            (
                &[
                    (
                        "pyproject.toml",
                        "[tool.poe]\ninclude = [{path = 'a.toml', recursive = true}, 'b.toml']\n",
                    ),
                    ("a.toml", "include = 'c.toml'\n[tasks]\na = 'x'\n"),
                    ("b.toml", "include = 'd.toml'\n[tasks]\nb = 'x'\n"),
                    ("c.toml", "[tasks]\nc = 'x'\n"),
                    ("d.toml", "[tasks]\nd = 'x'\n"),
                ],
                &["a | poe a | .", "c | poe c | .", "b | poe b | ."],
            ),
            (
                &[(
                    "poe_tasks.toml",
                    "[tasks.run]\ncmd = 'x'\nhelp = '''First\nsecond'''\n[groups.ci.tasks]\nlint = 'ruff'\n",
                )],
                &["run | poe run | .", "lint | poe lint | ."],
            ),
            (
                &[
                    (
                        "poe_tasks.json",
                        r#"{"tool": {"poe": {"tasks": {"j": "x"}}}}"#,
                    ),
                    ("sub/poe_tasks.yaml", "tasks: {y: x}\n"),
                ],
                &["j | poe j | .", "sub/y | poe y | sub"],
            ),
        ],
    );
}
