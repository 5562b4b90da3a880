"""Every tool with every example of its declaration, on the sample project as it was before each.

Takes one more argument than the others: a JSON file with `[{toolset, name, input}]`.
"""

import atexit
import hashlib
import json
import shutil
import sys
import tempfile
from pathlib import Path

from jsonschema import Draft202012Validator
from harness import FOLDER, Checks, every_page, main, session

EXAMPLES = json.loads(Path(sys.argv[4]).read_text())

# What the project has before the first server is started.
KEPT = Path(shutil.copytree(FOLDER, Path(tempfile.mkdtemp()) / "project"))
atexit.register(shutil.rmtree, KEPT.parent)

check = Checks()


def wire_name(example, tools):
    """The name alone, or with its toolset where two toolsets use the same."""
    name = example["name"]
    return name if name in tools else f"{example['toolset']}_{name}"


@check("every operation is a tool, and every tool an operation")
async def same_names(tools):
    expected = list(dict.fromkeys(wire_name(example, tools) for example in EXAMPLES))
    assert list(tools) == expected, (list(tools), expected)


@check("the schemas are schemas, and of objects")
async def schemas(tools):
    for tool in tools.values():
        for schema in (tool.input_schema, tool.output_schema):
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object", (tool.name, schema)


@check("every tool is described, and every field has a type")
async def described(tools):
    for tool in tools.values():
        assert tool.description, tool.name
        for field, schema in tool.input_schema.get("properties", {}).items():
            assert schema, (tool.name, field)


@check("what reads does not destroy")
async def annotations(tools):
    for tool in tools.values():
        hints = tool.annotations
        assert None not in (hints.read_only_hint, hints.destructive_hint, hints.open_world_hint)
        assert not (hints.read_only_hint and hints.destructive_hint), tool.name


def put_back(kept, folder):
    """Gives the project its files of before. A copy elsewhere would be a state that nobody trusts, so
    each file stays the same and gets its bytes again."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if not (kept / path.relative_to(folder)).exists():
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    for path in sorted(kept.rglob("*")):
        there = folder / path.relative_to(kept)
        if path.is_dir():
            there.mkdir(exist_ok=True)
        else:
            there.write_bytes(path.read_bytes())
            there.chmod(path.stat().st_mode)


def example_check(example):
    async def call(tools):
        tool = tools[wire_name(example, tools)]
        Draft202012Validator(tool.input_schema).validate(example["input"])
        folder = Path(FOLDER)
        put_back(KEPT, folder)
        with tempfile.TemporaryDirectory() as scratch:
            config = {"XDG_CONFIG_HOME": allowing_gate(folder, Path(scratch) / "config")}
            if example["toolset"] == "focus":
                # Its words are said in a session, which has no other tools.
                arguments = ("mcp", "--session", "focus-2-sample")
                async with session(folder, arguments, **config) as s:
                    answer = await s.call(tool.name, **example["input"])
                return valid(tool, answer)
            async with session(folder, **config) as s:
                # Also compares the text with the structured answer.
                answer = await s.call(tool.name, **example["input"])
                before = (await s.call("event_list"))["events"]
                if tool.annotations.idempotent_hint:
                    await s.call(tool.name, **example["input"])
                if tool.annotations.read_only_hint:
                    assert (await s.call("event_list"))["events"] == before, "nothing changed"
        valid(tool, answer)

    return call


def allowing_gate(folder, config):
    """A folder of settings in which a person has allowed the gate of the sample."""
    digest = hashlib.sha256(b"true").hexdigest()
    grant = {"project": str(folder.resolve()), "kind": "gate", "name": "fine", "sha256": digest}
    lines = ["[[granted]]", *(f"{key} = {json.dumps(value)}" for key, value in grant.items())]
    (config / "windlass").mkdir(parents=True)
    (config / "windlass/granted.toml").write_text("\n".join(lines) + "\n")
    return str(config)


def valid(tool, answer):
    closed = close(tool.output_schema)
    errors = sorted(Draft202012Validator(closed).iter_errors(answer), key=str)
    assert not errors, (answer, [error.message for error in errors])


def close(schema):
    """The schema with every object that names its properties taken to name all of them."""
    if isinstance(schema, list):
        return [close(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: close(value) for key, value in schema.items()}
    if isinstance(closed.get("properties"), dict) and "additionalProperties" not in closed:
        closed["additionalProperties"] = False
    return closed


for example in EXAMPLES:
    check(f"{example['name']} {json.dumps(example['input'])}")(example_check(example))


async def run():
    async with session() as s:
        listed = await every_page(s.client.list_tools, "tools")
        again = await every_page(s.client.list_tools, "tools")
    assert [tool.name for tool in listed] == [tool.name for tool in again], "a stable order"
    return await check.run({tool.name: tool for tool in listed})


main(run)
