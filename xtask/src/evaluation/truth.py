"""The commands of one file that is plain data, as {runner: [names]}: `truth.py FORMAT FILE`, in the
folder of the file. A second reader of these formats, written for this comparison only."""

import json
import os
import re
import sys
import tomllib

form, name = sys.argv[1:3]


def text():
    return open(name, encoding="utf-8-sig").read()


def toml():
    return tomllib.loads(text())


def yaml():
    import yaml

    class Loader(yaml.SafeLoader):
        pass

    # Tags such as compose's `!reset` say nothing about names.
    Loader.add_multi_constructor("!", lambda loader, suffix, node: None)
    return yaml.load(text(), Loader) or {}


def jsonc():
    """JSON with comments and commas before a closing bracket."""
    out, rest = [], text()
    token = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/|[^"/]+|/', re.S)
    for part in token.findall(rest):
        if not part.startswith(("//", "/*")):
            out.append(part)
    joined = "".join(out)
    parts = re.split(r'("(?:\\.|[^"\\])*")', joined)
    parts[::2] = [re.sub(r",(\s*[}\]])", r"\1", part) for part in parts[::2]]
    return json.loads("".join(parts))


def visible(table):
    return [key for key in table if not key.startswith("_")]


def hatch(table):
    names = []
    for environment, settings in table.get("envs", {}).items():
        start = "" if environment == "default" else environment + ":"
        names += [start + key for key in visible(settings.get("scripts", {}))]
    return names


def pixi(table):
    names = visible(table.get("tasks", {}))
    for feature in table.get("feature", {}).values():
        names += visible(feature.get("tasks", {}))
    for target in table.get("target", {}).values():
        names += visible(target.get("tasks", {}))
    return names


def pyproject():
    file = toml()
    tool = file.get("tool", {})

    def table(*keys):
        found = tool
        for key in keys:
            found = found.get(key, {})
        return visible(found)

    out = {
        "poetry": list(tool.get("poetry", {}).get("scripts", {})),
        "pdm": table("pdm", "scripts"),
        "rye": table("rye", "scripts"),
        "poe": table("poe", "tasks"),
        "hatch": hatch(tool.get("hatch", {})),
        "pixi": pixi(tool.get("pixi", {})),
    }
    entries = list(file.get("project", {}).get("scripts", {}))
    locks = (("uv.lock", "uv"), ("poetry.lock", "poetry"), ("pdm.lock", "pdm"))
    locked = next((runner for lock, runner in locks if os.path.exists(lock)), None)
    named = next((runner for runner in ("uv", "poetry", "pdm", "hatch") if runner in tool), "uv")
    out.setdefault(locked or named, []).extend(entries)
    return out


def composer():
    """Without the events whose scripts composer does not start by name."""
    events = "package-(install|update|uninstall)|command-run|file-download|pool-create|operations-exec|command|init"
    scripts = json.loads(text()).get("scripts") or {}
    return {"composer": [key for key in scripts if not re.fullmatch(f"((pre|post)-)?({events})", key)]}


def turbo():
    file = jsonc()
    tasks = file.get("tasks") or file.get("pipeline") or {}
    removed = {"extends": False}
    return {"turbo": [key for key, value in tasks.items() if value != removed]}


def compose():
    file = yaml()
    services = file.get("services") or {}
    names = ["up", "down", *services]
    for service in services.values():
        names += ["up:" + profile for profile in (service or {}).get("profiles") or []]
    return {"docker-compose": names if services else []}


def moon():
    tasks = yaml().get("tasks") or {}
    internal = lambda task: isinstance(task, dict) and (task.get("options") or {}).get("internal")
    return {"moon": [key for key, task in tasks.items() if not internal(task)]}


def presets():
    file, names = jsonc(), []
    if file.get("include"):
        raise SystemExit(1)
    for kind in ("configure", "build", "test", "workflow"):
        shown = (preset for preset in file.get(kind + "Presets", []) if not preset.get("hidden"))
        names += [kind + ":" + preset["name"] for preset in shown]
    return {"cmake": names}


def pre_commit():
    hooks = (hook for repo in yaml().get("repos") or [] for hook in repo.get("hooks") or [])
    names = [hook.get("alias") or hook["id"] for hook in hooks]
    return {"pre-commit": ["pre-commit", *names] if names else []}


def lefthook():
    parts = ("commands", "scripts", "jobs")
    hooks = yaml().items()
    return {"lefthook": [key for key, hook in hooks if isinstance(hook, dict) and any(hook.get(part) for part in parts)]}


def vscode():
    tasks = (task for task in jsonc().get("tasks") or [] if not task.get("hide"))
    names = (task.get("label") or task.get("taskName") for task in tasks)
    return {"vscode": [found for found in names if found]}


def maven():
    import xml.etree.ElementTree as tree

    root = tree.parse(name).getroot()
    start = re.match(r"(\{.*\})?", root.tag).group(0)
    names = "clean validate compile test package verify install deploy site".split()
    for profile in root.iterfind(f"{start}profiles/{start}profile/{start}id"):
        names.append("profile:" + profile.text.strip())
    return {"mvn": names}


FORMATS = {
    "pyproject": pyproject,
    "hatch": lambda: {"hatch": hatch(toml())},
    "pixi": lambda: {"pixi": pixi(toml())},
    "turbo": turbo,
    "compose": compose,
    "moon": moon,
    "nx": lambda: {"nx": list(jsonc().get("targets") or {})},
    "presets": presets,
    "pre-commit": pre_commit,
    "lefthook": lefthook,
    "vscode": vscode,
    "maven": maven,
    "deno": lambda: {"deno": list(jsonc().get("tasks") or {})},
    "composer": composer,
    "package": lambda: {"": list(json.loads(text()).get("scripts") or {})},
    "procfile": lambda: {"procfile": re.findall(r"(?m)^([A-Za-z0-9_-]+):\s*\S", text())},
    "alias": lambda: {"cargo": list(toml().get("alias") or {})},
}
found = {runner: names for runner, names in FORMATS[form]().items() if names}
print(json.dumps(found))
