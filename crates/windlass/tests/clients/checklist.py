"""The validation checklist of the design of the MCP server, line by line and in its order."""

import asyncio
import contextlib
import json
import re
import sqlite3
import tempfile
from pathlib import Path

from harness import BINARY, FOLDER, Checks, RawServer, main, session, windlass

check = Checks()

# Every tool that the design names. The server may have more.
DESIGNED_TOOLS = {
    *("entity_create", "entity_get", "entity_list", "entity_update", "entity_delete"),
    *("entity_batch", "search_fulltext", "graph_relations", "graph_path", "graph_orphans"),
    *("task_ready", "task_blocked", "task_next", "task_complete", "task_reschedule"),
    "decision_supersede",
}

LOG_LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (TRACE|DEBUG|INFO|WARN|ERROR) \S")


async def create(s, kind, title, **more):
    return await s.call("entity_create", type=kind, title=title, **more)


@check("windlass mcp starts without error on an initialised project")
async def starts(s):
    assert s.client.server_info.name == "windlass"
    assert s.client.server_info.version, "a version"
    assert s.client.instructions, "instructions"
    capabilities = s.client.server_capabilities
    assert capabilities.tools.list_changed is False
    assert capabilities.resources.subscribe is True
    assert capabilities.resources.list_changed is False
    assert capabilities.prompts is not None
    assert " ERROR " not in s.log(), s.log()


@check("a client lists all tools")
async def lists_all_tools(s):
    tools = (await s.client.list_tools()).tools
    names = [tool.name for tool in tools]
    assert len(names) == len(set(names)), names
    assert DESIGNED_TOOLS <= set(names), DESIGNED_TOOLS - set(names)
    for tool in tools:
        assert tool.description and tool.annotations and tool.output_schema, tool.name


@check("a client set up as `windlass init` says connects via stdio")
async def connects_as_init_says(s):
    with tempfile.TemporaryDirectory() as folder:
        said = windlass("init", folder=folder).splitlines()
        (line,) = [line.split() for line in said if line.split()[:2] == ["windlass", "setup"]]
        settings = json.loads(windlass(*line[1:], "--only", "mcp", "--print", folder=folder))
    server = settings["mcpServers"]["windlass"]
    assert Path(server["command"]).stem == Path(BINARY).stem, server
    async with session(arguments=server["args"]) as other:
        assert (await other.client.list_tools()).tools


@check("entity_create creates a decision, visible in `windlass list decisions`")
async def create_is_visible(s):
    made = await create(s, "decision", "Serve over stdio", properties={"status": "accepted"})
    assert made["type"] == "decision" and made["sequence_number"] > 5, made
    assert made["properties"]["status"] == "accepted", made
    assert "Serve over stdio" in windlass("list", "decisions")


@check("entity_list with type=decision returns all decisions")
async def list_by_type(s):
    page = await s.call("entity_list", type="decision")
    titles = [entity["title"] for entity in page["entities"]]
    assert titles == ["Use PostgreSQL", "Use SQLite", "Serve over stdio"], titles
    assert (page["total"], page["limit"], page["offset"]) == (3, 50, 0), page
    first = await s.call("entity_list", type="decision", limit=2)
    assert len(first["entities"]) == 2 and first["total"] == 3, first
    rest = await s.call("entity_list", type="decision", limit=2, offset=first["next_offset"])
    assert [entity["title"] for entity in rest["entities"]] == ["Serve over stdio"], rest
    assert "next_offset" not in rest, rest


@check("entity_get retrieves a decision by sequence number")
async def get_by_number(s):
    found = await s.call("entity_get", id="1")
    assert found["title"] == "Use PostgreSQL" and found["tags"] == ["database"], found
    assert {"id", "created_at", "updated_at", "content"} <= found.keys(), found


@check("entity_get retrieves a decision by UUID prefix")
async def get_by_prefix(s):
    whole = await s.call("entity_get", id="1")
    for length in (8, 13, 36):
        assert await s.call("entity_get", id=whole["id"][:length]) == whole, length
    assert await s.call("entity_get", id=whole["id"][:8].upper()) == whole


@check("entity_update modifies a decision's title")
async def update_title(s):
    before = await s.call("entity_get", id="5")
    # Times have no parts of seconds.
    await asyncio.sleep(1)
    after = await s.call("entity_update", id="5", title="Use SQLite everywhere")
    assert after["title"] == "Use SQLite everywhere", after
    assert after["updated_at"] > before["updated_at"], (before, after)
    assert after["properties"] == before["properties"], "only what was given changes"
    assert "Use SQLite everywhere" in windlass("get", "5")
    await s.call("entity_update", id="5", title="Use SQLite")


@check("entity_delete removes a decision")
async def delete_removes(s):
    number = str((await create(s, "decision", "A passing thought"))["sequence_number"])
    assert (await s.call("entity_delete", id=number))["deleted"] is True
    assert (await s.refused("entity_get", id=number)).code == -32001
    assert "A passing thought" not in windlass("list", "decisions")
    again = await create(s, "note", "Another")
    assert again["sequence_number"] > int(number), "a number is never given again"


@check("entity_batch with mixed operations reports per-operation results")
async def batch_reports_each(s):
    report = await s.call(
        "entity_batch",
        operations=[
            {"op": "create", "type": "task", "title": "One of three"},
            {"op": "create", "type": "task", "title": "Two of three"},
            {"op": "create", "type": "task", "title": ""},
            {"op": "create", "type": "note", "title": "Three of three"},
        ],
    )
    assert (report["succeeded"], report["failed"]) == (3, 1), report
    results = report["results"]
    assert [result["index"] for result in results] == [0, 1, 2, 3], results
    assert [result["success"] for result in results] == [True, True, False, True], results
    assert results[2]["error"]["code"] == "TITLE_REQUIRED", results[2]
    made = [result["id"] for result in results if result["success"]]
    mixed = await s.call(
        "entity_batch",
        operations=[
            {"op": "update", "id": made[0], "title": "One, updated"},
            {"op": "delete", "id": made[0]},
            {"op": "delete", "id": made[1]},
            {"op": "delete", "id": made[2]},
            {"op": "delete", "id": "def456"},
            {"op": "explode"},
        ],
    )
    assert (mixed["succeeded"], mixed["failed"]) == (4, 2), mixed
    assert mixed["results"][0]["id"] == made[0], mixed
    assert mixed["results"][4]["error"]["code"] == "ENTITY_NOT_FOUND", mixed
    assert "def456" in mixed["results"][4]["error"]["message"], mixed


@check("search_fulltext finds a decision by a keyword in its title")
async def search_in_title(s):
    found = (await s.call("search_fulltext", query="postgresql"))["results"]
    assert found[0]["sequence_number"] == 1, found


@check("search_fulltext finds a decision by a keyword in its content")
async def search_in_content(s):
    await create(s, "decision", "Pick a queue", content="Backpressure matters most.")
    found = (await s.call("search_fulltext", query="backpressure", type="decision"))["results"]
    assert [hit["title"] for hit in found] == ["Pick a queue"], found
    assert "Backpressure" in found[0]["snippet"], found
    assert (await s.call("search_fulltext", query="backpressure", type="task"))["results"] == []


@check("graph_relations shows a task's relation to a decision")
async def relations_of_a_task(s):
    outgoing = (await s.call("graph_relations", id="2", direction="from"))["relations"]
    shown = [(r["source_number"], r["relation_type"], r["target_number"]) for r in outgoing]
    assert sorted(shown) == [(2, "blocks", 3), (2, "implements", 1)], shown
    incoming = (await s.call("graph_relations", id="1", direction="to"))["relations"]
    assert [(r["source_type"], r["target_type"]) for r in incoming] == [("task", "decision")]


@check("graph_path finds the path between related entities")
async def path_between(s):
    ids = [(await s.call("entity_get", id=number))["id"] for number in "321"]
    assert (await s.call("graph_path", from_id="3", to_id="1"))["path"] == ids
    assert (await s.call("graph_path", from_id="3", to_id="3"))["path"] == ids[:1]
    assert (await s.call("graph_path", from_id="3", to_id="4"))["path"] == []


@check("graph_orphans returns entities with no relations")
async def orphans(s):
    answer = await s.call("graph_orphans")
    (entities,) = [value for value in answer.values() if isinstance(value, list)]
    numbers = {entity["sequence_number"] for entity in entities}
    assert {4, 5} <= numbers and not numbers & {1, 2, 3}, numbers


@check("task_ready returns tasks without blockers, sorted by priority")
async def ready_by_priority(s):
    for title, priority, due in [
        ("Some day", "low", None),
        ("High, later", "high", "2027-02-01"),
        ("High, sooner", "high", "2027-01-01"),
        ("High, undated", "high", None),
        ("Now", "urgent", None),
    ]:
        properties = {"priority": priority} | ({"due_date": due} if due else {})
        await create(s, "task", title, properties=properties)
    tasks = (await s.call("task_ready"))["tasks"]
    titles = [task["title"] for task in tasks]
    assert titles == [
        *("Now", "High, sooner", "High, later", "High, undated"),
        *("Set up auth", "Log in with a password", "Some day"),
    ], titles
    assert [t["title"] for t in (await s.call("task_ready", limit=1))["tasks"]] == ["Now"]
    high = (await s.call("task_ready", priority="high"))["tasks"]
    assert {task["priority"] for task in high} == {"high"} and len(high) == 3, high


@check("task_next returns the single highest-priority ready task")
async def next_task(s):
    task = (await s.call("task_next"))["task"]
    assert task["title"] == "Now", task
    await s.call("task_complete", id=task["id"])
    assert (await s.call("task_next"))["task"]["title"] == "High, sooner"


@check("task_blocked shows blocked tasks with their blockers")
async def blocked(s):
    (task,) = (await s.call("task_blocked"))["tasks"]
    assert task["sequence_number"] == 3, task
    assert [blocker["sequence_number"] for blocker in task["blockers"]] == [2], task
    assert (await s.call("task_blocked", id="3"))["tasks"] == [task]
    assert (await s.call("task_blocked", id="2"))["tasks"] == []


@check("the resource decisions returns the list of decisions")
async def decisions_resource(s):
    listed = await s.call("entity_list", type="decision")
    for scheme in ("medulla", "windlass"):
        page = await s.read(f"{scheme}://decisions")
        assert page["entities"] == listed["entities"], page
        assert page["total"] == listed["total"], page


@check("the resource entity/{id} returns a single entity")
async def entity_resource(s):
    entity = await s.call("entity_get", id="1")
    for scheme in ("medulla", "windlass"):
        for name in ("1", entity["id"], entity["id"][:8]):
            assert await s.read(f"{scheme}://entity/{name}") == entity, name


@check("a subscription to entities/task notifies on task create")
async def subscription(s):
    for scheme in ("medulla", "windlass"):
        uri = f"{scheme}://entities/task"
        async with s.watching(uri) as following:
            await create(s, "task", "Made by this client")
            assert await following() == uri
            windlass("add", "task", "Made by another process")
            assert await following() == uri


@check("invalid parameters return a validation error with the field's name")
async def invalid_parameters(s):
    for tool, arguments, field, codes in [
        ("entity_create", {"type": "task", "title": "  "}, "title", {-32003}),
        ("entity_create", {"type": "task", "title": "x" * 501}, "title", {-32003}),
        ("entity_create", {"type": "task"}, "title", {-32003, -32602}),
        (
            "entity_create",
            {"type": "task", "title": "x", "properties": {"priority": "top"}},
            "priority",
            {-32003},
        ),
        (
            "entity_create",
            {"type": "task", "title": "x", "properties": {"due_date": "soon"}},
            "due_date",
            {-32003},
        ),
        ("entity_create", {"type": "link", "title": "x"}, "url", {-32003}),
        ("entity_list", {"limit": 0}, "limit", {-32003}),
        ("entity_list", {"limit": "many"}, "limit", {-32602}),
        ("entity_get", {}, "id", {-32602}),
    ]:
        error = await s.refused(tool, **arguments)
        assert error.code in codes, (tool, arguments, error.code, error.data)
        assert error.data["field"] == field, (tool, arguments, error.data)
        assert field in error.message, (tool, arguments, error.message)
        assert error.data["error_type"], error.data


@check("an entity that does not exist returns -32001")
async def not_found(s):
    for tool, arguments, named in [
        ("entity_get", {"id": "999"}, "999"),
        ("entity_get", {"id": "nonexistent-id"}, "nonexistent-id"),
        ("entity_update", {"id": "999", "title": "x"}, "999"),
        ("entity_delete", {"id": "999"}, "999"),
        ("task_complete", {"id": "999"}, "999"),
        ("graph_relations", {"id": "999"}, "999"),
        ("graph_path", {"from_id": "1", "to_id": "999"}, "999"),
    ]:
        error = await s.refused(tool, **arguments)
        assert error.code == -32001, (tool, error.code, error.data)
        assert error.message.startswith("Entity not found. "), error.message
        assert error.data["error_type"] == "EntityNotFound", error.data
        assert error.data["id"] == named, error.data


@contextlib.contextmanager
def database_busy():
    """Holds the right to write, so that a write of the server cannot end before this does."""
    (path,) = FOLDER.glob(".windlass/state/*.db")
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        database.execute("ROLLBACK")
        database.close()


@check("graceful shutdown completes in-flight requests")
async def graceful_shutdown(s):
    for end in (RawServer.terminate, RawServer.hang_up):
        title = f"In flight at {end.__name__}"
        with RawServer() as server:
            with database_busy():
                request = server.start(
                    "tools/call", name="entity_create", arguments={"type": "note", "title": title}
                )
                server.wait_for_log("entity_create", "started")
                end(server)
                server.wait_for_log("Shutting down...")
                assert server.runs()
            answer = server.answer(request)
            assert answer["result"]["structuredContent"]["title"] == title, answer
            assert server.wait() == 0
        assert title in windlass("list", "note")


@check("the server logs to stderr, and stdout has only the protocol")
async def streams(s):
    with RawServer(WINDLASS_LOG_LEVEL="trace") as server:
        server.request("tools/list")
        server.call("entity_get", id="1")
        server.call("entity_get", id="999")
        server.call("no_such_tool")
        server.request("no/such/method")
        server.request("resources/read", uri="windlass://graph")
        server.hang_up()
        assert server.wait() == 0
        assert len(server.lines) == 7, server.lines
        for line in server.lines:
            assert json.loads(line)["jsonrpc"] == "2.0", line
        for words in ("serving on stdio", 'tool="entity_get"', "EntityNotFound", "Shutting down"):
            assert any(words in line for line in server.log), words
        for line in server.log:
            assert LOG_LINE.match(line), line
    # The log of the session that all the checks above have used.
    assert " ERROR " not in s.log(), s.log()


async def run():
    async with session() as s:
        return await check.run(s)


main(run)
