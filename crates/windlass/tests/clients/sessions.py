"""Sessions: each recipe's tools and no others, two sessions at once, and one plan in three dialects."""

import json
import subprocess
from pathlib import Path

import anyio
import mcp_types as types
from mcp.shared.exceptions import MCPError

from harness import BINARY, FOLDER, MODERN, Checks, main, session, windlass

check = Checks()

# The lists of the design of the project-scoped server, to the letter.
RECIPES = {
    "braindump": """create_feature create_discipline create_task list_features list_disciplines
        list_tasks get_feature get_discipline get_project_info""",
    "yap": """list_tasks get_task create_task update_task list_features list_disciplines
        set_task_status get_project_info""",
    "ramble": """list_features get_feature create_feature update_feature append_feature_learning
        add_feature_context_file list_tasks get_project_info""",
    "discuss": "list_disciplines get_discipline update_discipline get_project_info",
    "task_execution": """get_task set_task_status add_task_comment append_learning append_progress
        add_feature_context_file read_learnings read_progress get_project_info""",
    "opus_review": """list_tasks get_task set_task_status update_task create_task add_task_comment
        list_features get_feature update_feature append_feature_learning append_learning
        append_progress read_learnings read_progress get_project_info get_project_progress""",
    "enrichment": """list_tasks get_task enrich_task update_task create_task list_features
        get_feature list_disciplines get_project_info""",
    "focus": """begin done partial stuck ask flag learned suggest blocked list_tasks task_start
        task_status task_output task_wait task_stop""",
}
RECIPES = {name: set(tools.split()) for name, tools in RECIPES.items()}


def start(recipe, *more):
    """Starts a session from the command line, and answers its id."""
    said = json.loads(windlass("--json", "session", "start", "--recipe", recipe, *more))
    return said["session"]["id"]


def serve(session_id):
    return session(arguments=("mcp", "--session", session_id))


async def names(s):
    return [tool.name for tool in (await s.client.list_tools()).tools]


async def every_name():
    async with session() as s:
        return await names(s)


@check("each recipe lists the tools of the design, and refuses every other")
async def recipes_hold():
    everything = await every_name()
    for recipe, tools in RECIPES.items():
        more = ["--task", "6"] if recipe == "focus" else []
        session_id = start(recipe, *more)
        async with serve(session_id) as s:
            listed = await names(s)
            assert set(listed) == tools, (recipe, set(listed) ^ tools)
            others = [name for name in everything if name not in tools]
            assert len(others) > 20, others
            for name in others:
                error = await s.refused(name)
                assert error.code == -32602, (recipe, name, error)
        windlass("session", "end", session_id)


@check("a review may change priority and description of a task, and nothing else")
async def narrowed():
    session_id = start("opus_review")
    async with serve(session_id) as s:
        (tool,) = [tool for tool in (await s.client.list_tools()).tools if tool.name == "update_task"]
        assert set(tool.input_schema["properties"]) == {"id", "priority", "description"}
        answer = await s.call("update_task", id=6, priority="critical", description="Urgent now")
        assert answer["priority"] == "critical", answer
        result = await s.client.call_tool("update_task", {"id": 6, "title": "Mine"})
        assert result.is_error, result
        assert "title" in result.content[0].text, result


@check("a discipline takes away, and adds nothing")
async def disciplines_reduce():
    session_id = start("yap", "--discipline", "backend")
    async with serve(session_id) as s:
        assert set(await names(s)) == RECIPES["yap"] - {"create_task"}
        await s.refused("create_task", feature="auth", discipline="backend", title="x")


@check("resources stay readable whatever the filter")
async def resources_stay():
    session_id = start("discuss")
    async with serve(session_id) as s:
        task = await s.read("windlass://tasks/6")
        assert task["title"] == "Log in with a password", task
        assert (await s.read("ralph://features/auth"))["acronym"] == "AUTH"
        assert (await s.read("ralph://disciplines/backend"))["name"] == "backend"
        windlass("journal", "add-progress", "Read by a resource")
        (content,) = (await s.client.read_resource("ralph://progress")).contents
        assert content.mime_type == "text/plain", content
        assert "Read by a resource" in content.text, content


@check("two sessions at once see their own tools, and their own changes of them")
async def two_at_once():
    first, second = start("discuss"), start("ramble")
    async with serve(first) as one, serve(second) as two:
        assert set(await names(one)) == RECIPES["discuss"]
        assert set(await names(two)) == RECIPES["ramble"]
        changed = anyio.Event()

        async def on_message(message):
            if isinstance(message, types.ToolListChangedNotification):
                changed.set()

        one.on_message = on_message
        assert one.client.server_capabilities.tools.list_changed is True
        path = FOLDER / ".windlass/state/sessions" / first / "context.json"
        context = json.loads(path.read_text())
        context["disabled_tools"].append("update_discipline")
        path.write_text(json.dumps(context))
        with anyio.fail_after(5):
            while "update_discipline" in await names(one):
                await anyio.sleep(0.05)
        await one.refused("update_discipline", name="backend")
        assert set(await names(two)) == RECIPES["ramble"]
        # The file cannot give what the recipe never had.
        context["disabled_tools"] = []
        context["recipe"] = "opus_review"
        path.write_text(json.dumps(context))
        with anyio.fail_after(5):
            while "update_discipline" not in await names(one):
                await anyio.sleep(0.05)
        assert set(await names(one)) == RECIPES["discuss"]


@check("a change of the context file is told in the way of the era")
async def change_is_told():
    session_id = start("discuss")
    path = FOLDER / ".windlass/state/sessions" / session_id / "context.json"

    def take_away():
        context = json.loads(path.read_text())
        context["disabled_tools"].append("list_disciplines")
        path.write_text(json.dumps(context))

    async with serve(session_id) as s:
        if MODERN:
            async with s.client.listen(tools_list_changed=True) as listening:
                assert listening.honored.tools_list_changed is True, listening.honored
                take_away()
                with anyio.fail_after(5):
                    event = await anext(listening)
                assert "tools" in type(event).__name__.lower(), event
        else:
            await names(s)
            take_away()
            await s.until(lambda: s.tools_changed)


@check("a plan made by the plan's tools is worked off by knowledge tools and the command line")
async def one_plan():
    async with session() as s:
        made = await s.call(
            "create_task", feature="auth", discipline="backend", title="Lock out", priority="critical"
        )
        number = made["id"]
        second = await s.call(
            "create_task", feature="auth", discipline="docs", title="Tell them", depends_on=[number]
        )

        async def everywhere(task):
            plan = (await s.call("get_task", id=task))["status"]
            knowledge = (await s.call("entity_get", id=str(task)))["properties"]["status"]
            line = json.loads(windlass("call", "get_task", "--id", str(task)))["status"]
            assert plan == line
            return plan, knowledge

        assert await everywhere(number) == ("pending", "todo")
        ready = [task["sequence_number"] for task in (await s.call("task_ready"))["tasks"]]
        assert number in ready and second["id"] not in ready, ready
        assert ready.index(number) < ready.index(2), "the critical one first"
        windlass("tasks", "status", str(number), "in_progress")
        assert await everywhere(number) == ("in_progress", "in_progress")
        done = await s.call("task_complete", id=str(number))
        assert [task["sequence_number"] for task in done["unblocked"]] == [second["id"]], done
        assert await everywhere(number) == ("done", "done")
        found = await s.call("search_fulltext", query="Lock out")
        assert found["results"][0]["sequence_number"] == number, found
        await s.call("set_task_status", id=second["id"], status="skipped")
        assert await everywhere(second["id"]) == ("skipped", "done")
        progress = await s.call("get_project_progress")
        assert progress["by_status"]["done"] >= 1, progress
        (auth,) = [share for share in progress["by_feature"] if share.get("name") == "auth"]
        assert auth["done"] == 1 and auth["total"] == 4, auth


@check("the briefing is a prompt, and names no tool that the session lacks")
async def briefing():
    everything = await every_name()
    session_id = start("task_execution", "--task", "7")
    async with serve(session_id) as s:
        listed = (await s.client.list_prompts()).prompts
        assert "session-briefing" in [prompt.name for prompt in listed], listed
        text = (await s.client.get_prompt("session-briefing")).messages[0].content.text
        assert "Reset a password" in text and "Check every input." in text, text
        mine = set(await names(s))
        for name in everything:
            if "_" in name and name not in mine:
                assert f"`{name}`" not in text, name
        for name in mine:
            assert f"`{name}`" in text, name
    assert windlass("session", "prompt", session_id).strip() == text.strip()


@check("an executor answers in eight words, and the last closing one counts")
async def eight_words():
    windlass("tasks", "unblock", "3", "2")
    session_id = start("focus", "--task", "3")
    async with serve(session_id) as s:
        await s.call("learned", text="Deploys need a key", kind="discovery", scope="project")
        await s.call("flag", what="The docs are old", severity="warning", category="stale")
        await s.call("ask", question="Which region?", options=["eu", "us"])
        made = await s.call("suggest", what="Rotate keys", kind="new_task", why="They are old")
        await s.call("stuck", reason="No key")
        await s.call("done", summary="Deployed after all")
        refused = await s.client.call_tool("flag", {"what": "x", "severity": "bad", "category": "bug"})
        assert refused.is_error and "severity" in refused.content[0].text, refused
    # The agent has gone, and had closed: the session has ended by itself.
    shown = json.loads(windlass("--json", "session", "show", session_id))
    assert (shown["status"], shown["closing"]) == ("ended", "done"), shown
    task = json.loads(windlass("call", "get_task", "--id", "3"))
    assert task["status"] == "done", task
    said = [comment["body"] for comment in task["comments"]]
    assert any("Deployed after all" in body for body in said), said
    assert any("Which region?" in body for body in said), said
    assert "draft" in made["message"], made
    assert "Deploys need a key" in Path(FOLDER / ".windlass/learnings.txt").read_text()


@check("a session that is over, or never was, is not served")
async def not_served():
    session_id = start("yap")
    windlass("session", "end", session_id)
    for name, words in ((session_id, "has ended"), ("yap-nobody", "not found")):
        done = subprocess.run(
            [BINARY, "mcp", "--session", name],
            cwd=FOLDER,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=10,
        )
        assert done.returncode != 0 and words in done.stderr, done
        assert done.stdout == "", "nothing but protocol"


async def run():
    return await check.run()


main(run)
